/* SPDX-License-Identifier: Apache-2.0 */
/* homes - where the user's own files of tfgpu lie. */
#include "base/homes.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/i18n.h"
#include "base/util.h"

enum { OURS = 0700 };

static const struct { const char *variable, *otherwise; } homes[] = {
    [HOMES_STATE] = {"XDG_STATE_HOME", ".local/state"},
    [HOMES_CACHE] = {"XDG_CACHE_HOME", ".cache"},
    [HOMES_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [HOMES_DATA] = {"XDG_DATA_HOME", ".local/share"},
};

const char *homes_path(struct arena *a, enum homes_kind kind)
{
    const char *dir = getenv(homes[kind].variable), *home = getenv("HOME");
    if (!dir || dir[0] != '/') /* the specification: a relative one does not count */
        dir = home && home[0] == '/' ? path_join(a, home, homes[kind].otherwise) : NULL;
    return dir ? path_join(a, dir, "tfgpu") : NULL;
}

static int make_folders(char *path)
{
    for (char *s = path + 1; ; s++) {
        if (*s && *s != '/')
            continue;
        char end = *s;
        *s = '\0';
        if (mkdir(path, OURS) < 0 && errno != EEXIST)
            return -errno;
        *s = end;
        if (!end)
            return 0;
    }
}

int homes_make(struct arena *a, enum homes_kind kind, const char *name, const char **ret, struct err *e)
{
    const char *dir = homes_path(a, kind);
    if (!dir)
        return err_set(e, -ENOENT, _("HOME is no absolute path: there is no place for tfgpu's files (set HOME or %s)"), homes[kind].variable);
    char *path = arena_strdup(a, path_join(a, dir, name));
    int r = make_folders(path);
    if (r < 0)
        return err_set(e, r, "%s: %s", path, strerror(-r));
    *ret = path;
    return 0;
}
