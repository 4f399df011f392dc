/* SPDX-License-Identifier: Apache-2.0 */
/* tf_flags - variables with flags of TensorFlow's compiler: with one that it does not know, the process ends when it looks for devices.
 * The names that it knows are texts in its own library. */
#include <string.h>
#include "formats/elf.h"
#include "probe/probe.h"

enum { FILE_MAX = 1 << 16, FLAGS_MAX = 64, CHUNK = 1 << 20, NAME_MAX_LEN = 128 };

struct flag {
    const char *text, *name, *value; /* name NULL: no flag of the form that is taken; value NULL: none */
    bool whole, part;                /* the library holds a text that is the name; one that ends in it */
};

struct flags {
    struct flag all[FLAGS_MAX + 1]; /* the last one: the variable's own name */
    size_t n;
};

static const char blanks[] = " \t\r\n";

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* The value behind "=", quotes taken off; `*s` moves behind it. */
static const char *value_of(struct arena *a, const char **s)
{
    const char *p = *s, quote = *p == '"' || *p == '\'' ? *p : '\0';
    if (!quote) {
        *s += strcspn(p, blanks);
        return arena_strndup(a, p, (size_t)(*s - p));
    }
    char *out = arena_alloc(a, strlen(p)), *o = out;
    for (p++; *p && *p != quote; p++) {
        if (quote == '"' && *p == '\\' && p[1])
            p++;
        *o++ = *p;
    }
    *o = '\0';
    *s = p + (*p == quote);
    return out;
}

/* As TensorFlow takes them apart: up to the first word that does not begin with "-". */
static void split(struct arena *a, const char *s, struct flags *ret)
{
    for (s += strspn(s, blanks); *s == '-' && ret->n < FLAGS_MAX; s += strspn(s, blanks)) {
        const char *start = s;
        while (is_name_char(*s))
            s++;
        const char *end = s;
        struct flag f = {.name = str_starts(start, "--") ? arena_strndup(a, start + 2, (size_t)(end - start - 2)) : NULL};
        if (*s == '=') {
            s++;
            f.value = value_of(a, &s);
        } else {
            s += strcspn(s, blanks);
            f.name = s == end ? f.name : NULL;
        }
        f.text = arena_strndup(a, start, (size_t)(s - start));
        ret->all[ret->n++] = f;
    }
}

static void look_for(struct flag *f, const char *text, size_t n)
{
    size_t len = strlen(f->name) + 1; /* the NUL behind it counts */
    const char *at = text;
    while ((at = memmem(at, n - (size_t)(at - text), f->name, len)) != NULL) {
        bool whole = at > text && at[-1] == '\0';
        f->whole |= whole;
        f->part |= !whole;
        at++;
    }
}

/* One pass over the texts of the library. false: they cannot be read. */
static bool find_names(struct probe *p, const char *path, struct flags *flags, struct arena *tmp)
{
    static const char *const names[] = {".rodata"};
    struct rfile *file;
    struct elf elf;
    struct elf_section sec;
    if (root_open(p->root, path, &file, NULL) < 0)
        return false;
    struct bytesrc src = rfile_src(file);
    bool good = elf_read(&src, false, tmp, &elf, NULL) == 0 && elf_sections(&src, &elf, names, 1, &sec, NULL) == 1 && sec.off <= src.size && sec.size <= src.size - sec.off;
    char *text = arena_alloc(tmp, CHUNK);
    size_t n;
    for (uint64_t off = 0; good && off < sec.size; off += n > NAME_MAX_LEN + 2 && off + n < sec.size ? n - NAME_MAX_LEN - 2 : n) {
        n = sec.size - off < CHUNK ? (size_t)(sec.size - off) : CHUNK;
        good = bytesrc_read_exact(&src, sec.off + off, text, n) == 0;
        for (size_t i = 0; good && i <= FLAGS_MAX; i++)
            if (flags->all[i].name && strlen(flags->all[i].name) <= NAME_MAX_LEN)
                look_for(&flags->all[i], text, n);
    }
    rfile_close(file);
    return good;
}

/* TensorFlow's own log aborts after a fatal line; that of a later one, which it shares with others, ends with an exit code. */
static bool aborts(struct probe *p, bool *ret, struct arena *tmp)
{
    static const char *const own[] = {"_ZN3tsl8internal15LogMessageFatalC1EPKci", "_ZN10tensorflow8internal15LogMessageFatalC1EPKci"};
    struct rfile *file;
    struct elf elf;
    struct elf_sym sym;
    if (root_open(p->root, p->f->tensorflow.framework, &file, NULL) < 0)
        return false;
    struct bytesrc src = rfile_src(file);
    bool known = elf_read(&src, false, tmp, &elf, NULL) == 0;
    *ret = false;
    for (size_t i = 0; known && i < TG_COUNT(own) && !*ret; i++) {
        int rc = elf_lookup(&src, &elf, own[i], NULL, &sym);
        known = rc >= 0;
        *ret = rc == 1;
    }
    rfile_close(file);
    return known;
}

/* A number or a truth value: taken by some flag of that name. What other words do depends on the flag's type. */
static bool is_plain(const char *v)
{
    return !v || str_eq(v, "true") || str_eq(v, "false") || (*v && strspn(v + (*v == '-'), "0123456789") == strlen(v + (*v == '-')) && !str_eq(v, "-"));
}

enum verdict { TAKEN, REFUSED, UNCLEAR };

/* Flags of TF_XLA_FLAGS begin with tf_; those with xla_ belong into XLA_FLAGS, which is read later. */
static enum verdict verdict_of(const struct flag *f, const char *variable)
{
    bool own = str_eq(variable, "TF_XLA_FLAGS");
    if (!f->name || (own && str_starts(f->name, "xla_")) || (!f->whole && !f->part))
        return REFUSED;
    return f->whole && is_plain(f->value) && (!own || str_starts(f->name, "tf_")) ? TAKEN : UNCLEAR;
}

static void judge_variable(struct probe *p, const char *variable, const char *v, struct arena *tmp)
{
    struct fact_refused_flag *r = &p->f->tensorflow.refused_flag;
    struct flags *flags = ARENA_NEW(tmp, struct flags);
    const char *text = v;
    size_t len;
    bool is_file = v[strspn(v, blanks)] != '-', abort = false;
    bool readable = !is_file || root_read(p->root, v, FILE_MAX, tmp, &text, &len) == 0;
    if (readable)
        split(p->a, text, flags);
    flags->all[FLAGS_MAX].name = variable;
    if (readable && !flags->n)
        return;
    bool known = find_names(p, p->f->tensorflow.cc, flags, tmp);
    if (known && !flags->all[FLAGS_MAX].whole && !flags->all[FLAGS_MAX].part)
        return; /* this TensorFlow does not read it */
    enum verdict worst = readable ? TAKEN : REFUSED;
    const char *flag = readable ? NULL : v;
    for (size_t i = 0; i < flags->n && worst != REFUSED; i++) {
        enum verdict x = known ? verdict_of(&flags->all[i], variable) : UNCLEAR;
        if (x == REFUSED || (x == UNCLEAR && worst == TAKEN)) {
            worst = x;
            flag = flags->all[i].text;
        }
    }
    if (worst == TAKEN || (r->variable && worst == UNCLEAR))
        return;
    known = known && aborts(p, &abort, tmp);
    *r = (struct fact_refused_flag){.variable = variable, .value = v, .flag = flag, .no_file = !readable, .unclear = worst == UNCLEAR || !known, .signal = abort ? "SIGABRT" : NULL};
}

void probe_tf_flags(struct probe *p)
{
    static const char *const variables[] = {"TF_XLA_FLAGS", "TF_JITRT_FLAGS"};
    struct fact_refused_flag *r = &p->f->tensorflow.refused_flag;
    for (size_t i = 0; i < TG_COUNT(variables) && p->f->tensorflow.cc && (!r->variable || r->unclear); i++) {
        const char *v = probe_variable(p, variables[i]);
        struct arena tmp;
        if (!v || !*v)
            continue;
        arena_init(&tmp, 0);
        judge_variable(p, variables[i], v, &tmp);
        arena_done(&tmp);
    }
}
