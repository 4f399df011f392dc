/* SPDX-License-Identifier: Apache-2.0 */
/* env - not there yet. */
#include "base/i18n.h"
#include "cmd/cmd.h"

int cmd_env(struct cmd_ctx *c)
{
    return cmd_fail(c, EXIT_UNDETERMINED, _("'tfgpu %s' is not part of this version"), c->cmd->name);
}
