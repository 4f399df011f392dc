/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/whole.h"

static struct arena a;

int main(void)
{
    char dir[] = "/tmp/tfgpu-whole-XXXXXX", *got;
    size_t n;
    struct err e = {0};
    struct buf b;
    struct stat st;
    arena_init(&a, 0);
    buf_init(&b, 0);
    if (!mkdtemp(dir))
        return 1;
    const char *path = arena_printf(&a, "%s/f", dir), *link = arena_printf(&a, "%s/l", dir);
    buf_adds(&b, "one\n");
    (void)umask(022);
    ok(whole_replace(path, &b, 0600, &e) == 0 && whole_read(&a, path, 100, &got, &n, &e) == 0 && n == 4 && strcmp(got, "one\n") == 0, "written and read");
    ok(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "for its owner only");
    buf_reset(&b);
    buf_adds(&b, "two");
    ok(chmod(path, 0640) == 0 && whole_replace(path, &b, 0666, &e) == 0 && whole_read(&a, path, 100, &got, &n, &e) == 0 && n == 3, "replaced");
    ok(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640, "with the permissions that it had");
    ok(symlink("f", link) == 0 && whole_replace(link, &b, 0666, &e) == 0 && lstat(link, &st) == 0 && S_ISLNK(st.st_mode), "a link stays one");
    ok(unlink(link) == 0 && unlink(path) == 0 && whole_replace(path, &b, 0666, &e) == 0 && stat(path, &st) == 0 && (st.st_mode & 0777) == 0644, "a new file: less the umask");
    ok(whole_read(&a, path, 2, &got, &n, &e) == 0 && n > 2, "larger than wanted: said so");
    ok(whole_read(&a, dir, 100, &got, &n, &e) == -EISDIR && e.msg[0], "a folder is not read");
    ok(whole_replace(dir, &b, 0666, &e) == -EISDIR, "nor written");
    ok(whole_read(&a, arena_printf(&a, "%s/no", dir), 9, &got, &n, &e) == -ENOENT, "no such file");
    ok(whole_replace(arena_printf(&a, "%s/no/f", dir), &b, 0666, &e) == -ENOENT, "no such folder");
    ok(whole_replace("/dev/null", &b, 0666, &e) == 0 && stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode), "a device stays one");
    ok(whole_read(&a, "/dev/null", 9, &got, &n, &e) == -EINVAL, "and is not read");
    ok(symlink(path, link) == 0 && unlink(path) == 0 && whole_read(&a, link, 9, &got, &n, &e) == -ENOENT, "a dangling link");
    ok(system(arena_printf(&a, "test \"$(ls %s)\" = l", dir)) == 0, "nothing is left beside the files");
    (void)unlink(link);
    (void)rmdir(dir);
    buf_done(&b);
    arena_done(&a);
    return tap_done();
}
