/* SPDX-License-Identifier: Apache-2.0 */
/* shellwords - commands as a user would type them. */
#include "base/shellwords.h"
#include <stdbool.h>
#include <string.h>
#include "base/buf.h"

/* Words that every shell leaves as they are. The quotes are POSIX's: nothing in single quotes is special but the quote itself. */
static bool is_plain(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    return *s && *s != '=' && s[strspn(s, plain)] == '\0';
}

static void add_word(struct buf *b, const char *s)
{
    if (is_plain(s)) {
        buf_adds(b, s);
        return;
    }
    buf_addc(b, '\'');
    for (; *s; s++)
        if (*s == '\'')
            buf_adds(b, "'\\''");
        else
            buf_addc(b, *s);
    buf_addc(b, '\'');
}

static const char *text_of(struct arena *a, struct buf *b)
{
    const char *s = arena_strndup(a, b->p ? b->p : "", b->len);
    buf_done(b);
    return s;
}

const char *shellword_quote(struct arena *a, const char *word)
{
    struct buf b;
    buf_init(&b, 0);
    add_word(&b, word);
    return text_of(a, &b);
}

const char *shellwords(struct arena *a, const char *const *env, size_t n_env, const char *const *argv, size_t n_argv)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < n_env; i++) {
        size_t name = strcspn(env[i], "=");
        buf_add(&b, env[i], name);
        buf_addc(&b, '=');
        if (env[i][name] && env[i][name + 1])
            add_word(&b, env[i] + name + 1);
        buf_addc(&b, ' ');
    }
    for (size_t i = 0; i < n_argv; i++) {
        if (i)
            buf_addc(&b, ' ');
        add_word(&b, argv[i]);
    }
    return text_of(a, &b);
}
