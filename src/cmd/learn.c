/* SPDX-License-Identifier: Apache-2.0 */
/* learn - the knowledge row of a wheel or of an installed package. */
#include "probe/learn.h"
#include <errno.h>
#include <string.h>
#include "base/i18n.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "report/report.h"

static int print(struct cmd_ctx *c, const struct fact_wheel *w)
{
    struct buf out;
    struct jw j;
    buf_init(&out, 0);
    jw_init(&j, &out);
    if (c->o.format == FORMAT_JSON) {
        fact_wheel_json(&j, NULL, w);
        buf_addc(&out, '\n');
    } else {
        report_learned(c->a, w, &c->term, &out);
    }
    int r = cmd_print(c, &out);
    buf_done(&out);
    return r;
}

/* Of the kind, but it cannot be read or makes no sense: 3; not of the kind: 2. */
static int refuse(const struct cmd_ctx *c, const char *what, int rc, const struct err *e)
{
    bool usage = rc == -ENOEXEC || rc == -ENOENT || rc == -ENOTDIR || rc == -EISDIR || rc == -ENXIO || rc == -EEXIST || rc == -EINVAL;
    return cmd_fail(c, usage ? EXIT_USAGE : EXIT_UNDETERMINED, "%s: %s", what, *e->msg ? e->msg : strerror(-rc));
}

static int from_environment(struct cmd_ctx *c, const char *what)
{
    struct probe p;
    struct fact_wheel w;
    struct err e = {0};
    c->o.env = what;
    int r = cmd_probe(c, NEED_PYTHON | NEED_PACKAGES, &p);
    if (r != EXIT_GOOD)
        return r;
    int rc = learn_environment(&p, c->o.package, &w, &e);
    r = root_starved(p.root) < 0 ? cmd_starved(c, p.root) : rc < 0 ? refuse(c, what, rc, &e) : print(c, &w);
    root_close(p.root);
    return r;
}

/* EXIT_GOOD and *ret_other: not a wheel, but it may be an interpreter. */
static int from_file(struct cmd_ctx *c, struct root *root, const char *what, bool *ret_other)
{
    struct rfile *f;
    struct fact_wheel w;
    struct err e = {0};
    int rc = root_open(root, what, &f, &e);
    if (rc < 0)
        return refuse(c, what, rc, &e);
    struct bytesrc src = rfile_src(f);
    rc = learn_wheel(&src, path_base(what), c->a, &w, &e);
    rfile_close(f);
    *ret_other = rc == -ENOEXEC && !str_ends(what, ".whl") && root_access(root, what, 1) == 0;
    return *ret_other ? EXIT_GOOD : rc < 0 ? refuse(c, what, rc, &e) : print(c, &w);
}

int cmd_learn(struct cmd_ctx *c)
{
    const char *what = c->args[0];
    struct root *root;
    struct root_stat st;
    bool other = true;
    int r = cmd_open_root(c, &root);
    if (r != EXIT_GOOD)
        return r;
    int rc = root_stat(root, what, &st);
    if (rc == 0 && st.type != ROOT_DIR)
        r = from_file(c, root, what, &other);
    else if (rc < 0 && str_ends(what, ".whl"))
        r = refuse(c, what, rc, &(struct err){0}), other = false;
    root_close(root);
    return other && r == EXIT_GOOD ? from_environment(c, what) : r;
}
