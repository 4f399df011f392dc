/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include "formats/simpleindex.h"

static char seen[4096];

static void on_file(void *ctx, const struct simpleindex_file *f)
{
    size_t n = strlen(seen);
    (void)ctx;
    snprintf(seen + n, sizeof seen - n, "%s|%s|%s|%s%s\n", f->name, f->url, f->requires_python, f->yanked ? "Y" : "", f->has_metadata ? "M" : "");
}

static int parse(const char *text)
{
    struct err e = {0};
    seen[0] = 0;
    int r = simpleindex_read(text, strlen(text), on_file, NULL, &e);
    return r < 0 && !e.msg[0] ? -ENOTRECOVERABLE : r;
}

static void json(void)
{
    ok(parse("{\"meta\": {\"api-version\": \"1.1\"}, \"name\": \"x\", \"versions\": [\"1\"], \"files\": [\n"
             "{\"filename\": \"x-1-py3-none-any.whl\", \"url\": \"https://h/x-1.whl#a\", \"hashes\": {\"sha256\": \"0\"}, \"requires-python\": \">=3.9,<4\", \"yanked\": false, \"core-metadata\": {\"sha256\": \"1\"}},\n"
             "{\"filename\": \"x-2.whl\", \"url\": \"../x-2.whl\", \"requires-python\": null, \"yanked\": \"\", \"dist-info-metadata\": true},\n"
             "{\"filename\": \"x-3.whl\", \"url\": \"u\", \"yanked\": true, \"core-metadata\": false}]}") == 0, "JSON");
    ok_str(seen, "x-1-py3-none-any.whl|https://h/x-1.whl|>=3.9,<4|M\nx-2.whl|../x-2.whl||YM\nx-3.whl|u||Y\n", "its files");
    ok(parse("{\"files\": []}") == 0 && !seen[0], "a project without files");
    ok(parse("{\"files\": [{\"url\": \"u\"}]}") == 0 && !seen[0], "a file without a name is left out");
    ok(parse("{\"message\": \"Not Found\"}") == -EBADMSG, "other JSON");
    ok(parse("{\"files\": {\"filename\": \"x\"}}") == -EBADMSG && !seen[0], "files that are no list");
    ok(parse("{\"files\": [{\"filename\": \"x\"") == -EBADMSG, "cut off");
    ok(parse("{\"files\": [{\"filename\": \"a\\u0000b\", \"url\": \"u\"}]}") == 0 && !seen[0], "a NUL in a name");
}

static void html(void)
{
    ok(parse("<!DOCTYPE html><html><body><h1>Links</h1>\n<a href=\"../../p/x-1-py3-none-any.whl#sha256=0\" data-requires-python=\"&gt;=3.9\" data-core-metadata=\"sha256=1\">x-1-py3-none-any.whl</a><br/>\n"
             "<A HREF='/p/x-2.whl' data-yanked >\n x-2.whl\n</A><a href=x-3.whl data-yanked=\"bad &amp; old\" data-dist-info-metadata=false>x-3.whl</a></body></html>") == 0, "HTML");
    ok_str(seen, "x-1-py3-none-any.whl|../../p/x-1-py3-none-any.whl|>=3.9|M\nx-2.whl|/p/x-2.whl||Y\nx-3.whl|x-3.whl||Y\n", "its files");
    ok(parse("<html><body>nothing here</body></html>") == 0 && !seen[0], "a page without files");
    ok(parse("<a href=\"x") == 0 && !seen[0], "cut off in an attribute");
    ok(parse("<a ====>x</a>") == 0, "odd attributes");
    ok(parse("error: no") == -EBADMSG && parse("") == -EBADMSG && parse("<x>") == -EBADMSG, "something else");
}

int main(void)
{
    json();
    html();
    return tap_done();
}
