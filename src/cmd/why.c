/* SPDX-License-Identifier: Apache-2.0 */
/* why - not there yet. */
#include "base/i18n.h"
#include "cmd/cmd.h"

int cmd_why(struct cmd_ctx *c)
{
    return cmd_fail(c, EXIT_UNDETERMINED, _("'tfgpu %s' is not part of this version"), c->cmd->name);
}
