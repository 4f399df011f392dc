/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_file - one candidate file: what the loader makes of it. Every file that exists is opened and parsed once. */
#include <errno.h>
#include <string.h>
#include "base/util.h"
#include "loader/ldso_internal.h"

const char *ldso_abs(struct ldso *p, const char *path)
{
    return path[0] == '/' ? path : path_join(p->a, p->cwd, path);
}

/* Slot of a path in the table: its own, or a free one. */
static struct ldso_file **slot_of(struct ldso *p, const char *path, uint32_t hash)
{
    size_t i = hash & (p->cap_files - 1);
    while (p->files[i] && (p->files[i]->hash != hash || strcmp(p->files[i]->path, path) != 0))
        i = (i + 1) & (p->cap_files - 1);
    return &p->files[i];
}

static void table_grow(struct ldso *p)
{
    if (p->cap_files && p->n_files * 2 < p->cap_files)
        return;
    size_t old = p->cap_files;
    struct ldso_file **files = p->files;
    p->cap_files = old ? old * 2 : 128;
    p->files = arena_array(p->a, p->cap_files, sizeof *p->files);
    for (size_t i = 0; i < old; i++)
        if (files[i])
            *slot_of(p, files[i]->path, files[i]->hash) = files[i];
}

static const struct elf *elf_of_inode(const struct ldso *p, uint64_t dev, uint64_t ino)
{
    for (size_t i = 0; i < p->n_inodes; i++)
        if (p->inodes[i]->ino == ino && p->inodes[i]->dev == dev)
            return p->inodes[i]->elf;
    return NULL;
}

static void parse(struct ldso *p, struct rfile *rf, struct ldso_file *f)
{
    const struct root_stat *st = rfile_stat(rf);
    f->type = st->type;
    f->dev = st->dev;
    f->ino = st->ino;
    f->elf = elf_of_inode(p, f->dev, f->ino);
    if (f->elf)
        return;
    struct bytesrc s = rfile_src(rf);
    struct elf *e = ARENA_NEW(p->a, struct elf);
    f->err = elf_read(&s, false, p->a, e, NULL);
    f->elf = e;
    *ARENA_PUSH(p->a, p->inodes, p->n_inodes) = f;
}

/* Fill what is new in the store; `rc` is what opening it gave. */
static void look(struct ldso *p, struct ldso_file *f, struct rfile *rf, int rc)
{
    struct root_stat st;
    if (rc == 0) {
        parse(p, rf, f);
        rfile_close(rf);
        return;
    }
    f->err = rc;
    f->absent = rc != -EISDIR && rc != -ENXIO && rc != -ENODATA;
    if (f->absent)
        return;
    f->type = rc == -EISDIR ? ROOT_DIR : root_stat(p->root, f->path, &st) == 0 ? st.type : ROOT_NONE;
    if (f->type == ROOT_CHAR && st.rdev_major == 1 && st.rdev_minor == 3)
        f->err = 0; /* /dev/null: reads as an empty file */
}

struct ldso_file *ldso_file_get(struct ldso *p, const char *path, int *ret_err)
{
    table_grow(p);
    const char *abs = ldso_abs(p, path);
    uint32_t hash = str_hash(abs);
    struct ldso_file **slot = slot_of(p, abs, hash);
    if (!*slot) {
        struct rfile *rf;
        int rc = root_open(p->root, abs, &rf, NULL);
        struct ldso_file *f = ARENA_NEW(p->a, struct ldso_file);
        *f = (struct ldso_file){.path = abs == path ? arena_strdup(p->a, path) : abs, .hash = hash};
        look(p, f, rf, rc);
        *slot = f;
        p->n_files++;
    }
    if (!(*slot)->absent)
        return *slot;
    *ret_err = (*slot)->err;
    return NULL;
}

/* No regular file: a directory is read and refused, a FIFO is waited for without end. */
static void judge_special(const struct ldso_file *f, struct ldso_cand *ret)
{
    ret->result = LDSO_R_UNKNOWN;
    ret->err = -f->err;
    switch (f->type) {
    case ROOT_DIR:
        ret->result = LDSO_R_FAILS;
        ret->detail = "cannot read file data: Is a directory";
        break;
    case ROOT_FIFO:
        ret->result = LDSO_R_KILLS;
        ret->signal = "hang";
        ret->detail = "a FIFO: opening it never returns";
        break;
    case ROOT_SOCKET:
        ret->result = LDSO_R_ENDS_LIST;
        ret->detail = "ENXIO";
        break;
    case ROOT_CHAR:
        if (f->err == 0) {
            ret->result = LDSO_R_FAILS;
            ret->detail = "file too short";
        }
        break;
    case ROOT_NONE: case ROOT_FILE: case ROOT_LINK: case ROOT_BLOCK:
        break;
    }
}

static void judge_elf(const struct elf *e, struct ldso_cand *ret)
{
    ret->detail = e->detail ? e->detail : elf_verdict_text(e->verdict);
    ret->result = LDSO_R_FAILS;
    switch (e->verdict) {
    case ELF_OK:
        ret->result = LDSO_R_WINS;
        ret->detail = NULL;
        break;
    case ELF_WRONG_CLASS:
        ret->result = LDSO_R_WRONG_CLASS;
        ret->err = ENOENT;
        break;
    case ELF_WRONG_MACHINE:
        ret->result = LDSO_R_WRONG_MACHINE;
        ret->err = ENOENT;
        break;
    case ELF_CUT:
        ret->result = LDSO_R_KILLS;
        ret->signal = "SIGBUS";
        break;
    case ELF_ZEROED:
        if (e->dies_late) {
            ret->result = LDSO_R_WINS;
            ret->detail = NULL;
            break;
        }
        ret->result = LDSO_R_KILLS;
        ret->signal = "SIGSEGV";
        break;
    case ELF_BAD_HEADER:
        ret->mapping = str_starts(e->detail, "ELF load command");
        break;
    case ELF_NO_SEGMENTS: case ELF_NO_DYNAMIC: case ELF_IS_EXECUTABLE: case ELF_NOOPEN:
        ret->mapping = true;
        break;
    case ELF_TOO_SHORT: case ELF_BAD_MAGIC: case ELF_BAD_TYPE: case ELF_NO_PHDRS_DATA:
        break;
    }
}

static void judge_absent(int err, struct ldso_cand *ret)
{
    ret->err = -err;
    switch (-err) {
    case ENOENT: ret->result = LDSO_R_ABSENT; break;
    case ENOTDIR: ret->result = LDSO_R_ABSENT; ret->detail = "ENOTDIR"; break;
    case ENAMETOOLONG: ret->result = LDSO_R_ENDS_LIST; ret->detail = "ENAMETOOLONG"; break;
    case EACCES: ret->result = LDSO_R_DENIED; break;
    case ELOOP: ret->result = LDSO_R_ENDS_LIST; ret->detail = "ELOOP"; break;
    default: ret->result = LDSO_R_ENDS_LIST; ret->detail = strerrorname_np(-err); break;
    }
}

void ldso_file_judge(struct ldso *p, const char *path, struct ldso_cand *ret)
{
    int err = 0;
    *ret = (struct ldso_cand){0};
    ret->file = ldso_file_get(p, path, &err);
    if (!ret->file)
        judge_absent(err, ret);
    else if (ret->file->type != ROOT_FILE)
        judge_special(ret->file, ret);
    else if (ret->file->err < 0)
        ret->result = LDSO_R_UNKNOWN, ret->detail = "cannot be read", ret->err = -ret->file->err;
    else
        judge_elf(ret->file->elf, ret);
}

bool ldso_file_noexec(struct ldso *p, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    for (size_t i = 0; i < p->n_mounts; i++)
        if (p->mounts[i].len == len && memcmp(p->mounts[i].dir, path, len) == 0)
            return p->mounts[i].noexec;
    struct ldso_mount *m = ARENA_PUSH(p->a, p->mounts, p->n_mounts);
    *m = (struct ldso_mount){.dir = path, .len = len, .noexec = root_noexec(p->root, path)};
    return m->noexec;
}

const struct elf *ldso_elf(struct ldso *p, const char *path)
{
    int err;
    const struct ldso_file *f = ldso_file_get(p, path, &err);
    return f && f->type == ROOT_FILE && f->err == 0 ? f->elf : NULL;
}
