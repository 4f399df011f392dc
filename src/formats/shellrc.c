/* SPDX-License-Identifier: Apache-2.0 */
/* shellrc - aliases, functions, assignments and sourced files of shell start-up files. */
#include "formats/shellrc.h"
#include <string.h>

struct lexer {
    const char *buf;
    size_t len, pos;
    uint32_t line;
    struct arena *a;
    struct shellrc_item *items;
    size_t n_items;
    struct str words[SHELLRC_MAX_WORDS]; /* of the command that is being read */
    size_t n_words;
    uint32_t first_line;                 /* of words[0] */
    struct str heredoc;                  /* delimiter that ends the text from the next line on; n == 0: none */
    /* the function whose body is being read */
    bool in_function, body_open;
    struct str function;
    uint32_t function_line;
    size_t body_start;
    unsigned braces;
};

static bool is(struct str s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void emit(struct lexer *x, enum shellrc_kind kind, struct str name, struct str value, bool exported)
{
    if (x->n_items >= SHELLRC_MAX_ITEMS)
        return;
    struct shellrc_item *it = ARENA_PUSH(x->a, x->items, x->n_items);
    *it = (struct shellrc_item){kind, name, value, kind == SHELLRC_FUNCTION ? x->function_line : x->first_line, exported};
}

/* NAME=value; an alias may have any name without blanks and quotes. */
static bool split_assignment(struct str w, bool alias, struct str *name, struct str *value)
{
    size_t n = 0;
    while (n < w.n && (is_name_char(w.p[n]) || (alias && memchr("=\"'\\ \t", w.p[n], 6) == NULL)))
        n++;
    if (n == 0 || n >= w.n || w.p[n] != '=')
        return false;
    *name = (struct str){w.p, n};
    *value = (struct str){w.p + n + 1, w.n - n - 1};
    return true;
}

static void emit_assignments(struct lexer *x, size_t from, enum shellrc_kind kind, bool exported)
{
    struct str name, value;
    for (size_t i = from; i < x->n_words; i++)
        if (split_assignment(x->words[i], kind == SHELLRC_ALIAS, &name, &value))
            emit(x, kind, name, value, exported);
}

static bool is_prefix_word(struct str w)
{
    static const char *const words[] = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "builtin", "command"};
    for (size_t i = 0; i < TG_COUNT(words); i++)
        if (is(w, words[i]))
            return true;
    return false;
}

static void begin_function(struct lexer *x, struct str name, uint32_t line)
{
    x->in_function = true;
    x->body_open = false;
    x->function = name;
    x->function_line = line;
    x->braces = 0;
}

/* What one simple command means to us. */
static void classify(struct lexer *x)
{
    struct str none = {NULL, 0}, name, value;
    size_t i = 0;
    while (i < x->n_words && is_prefix_word(x->words[i]))
        i++;
    size_t args = x->n_words - i;
    if (args == 0)
        return;
    struct str w = x->words[i];
    if (split_assignment(w, false, &name, &value)) {
        size_t k = i;
        while (k < x->n_words && split_assignment(x->words[k], false, &name, &value))
            k++;
        if (k == x->n_words) /* else they belong to one command only */
            emit_assignments(x, i, SHELLRC_ASSIGN, false);
    } else if (is(w, "export") || is(w, "declare") || is(w, "typeset") || is(w, "readonly")) {
        emit_assignments(x, i + 1, SHELLRC_ASSIGN, is(w, "export") || (args > 1 && is(x->words[i + 1], "-x")));
    } else if (is(w, "alias")) {
        emit_assignments(x, i + 1, SHELLRC_ALIAS, false);
    } else if (is(w, "unalias")) {
        for (size_t k = i + 1; k < x->n_words; k++)
            emit(x, SHELLRC_UNALIAS, x->words[k], none, false);
    } else if ((is(w, "source") || is(w, ".")) && args > 1) {
        emit(x, SHELLRC_SOURCE, none, x->words[i + 1], false);
    } else if (is(w, "eval") && args > 1) {
        emit(x, SHELLRC_EVAL, none, x->words[i + 1], false);
    } else if (is(w, "function") && args > 1) {
        begin_function(x, x->words[i + 1], x->first_line);
        if (args > 2 && is(x->words[i + 2], "{")) {
            x->braces = 1;
            x->body_open = true;
            x->body_start = (size_t)(x->words[i + 2].p + 1 - x->buf);
        }
    }
}

/* Inside a function only its braces are followed. */
static void follow_braces(struct lexer *x)
{
    struct str w = x->words[0];
    if (is(w, "{")) {
        if (!x->body_open) {
            x->body_open = true;
            x->body_start = (size_t)(w.p + 1 - x->buf);
        }
        x->braces++;
    } else if (is(w, "}") && x->braces && --x->braces == 0) {
        size_t end = (size_t)(w.p - x->buf);
        emit(x, SHELLRC_FUNCTION, x->function, (struct str){x->buf + x->body_start, end - x->body_start}, false);
        x->in_function = false;
    } else if (!x->body_open) { /* "f()" without a body in braces, or a "(" that was no function: forget it */
        x->in_function = false;
        classify(x);
    }
}

static void end_command(struct lexer *x)
{
    if (x->n_words && x->in_function)
        follow_braces(x);
    else if (x->n_words)
        classify(x);
    x->n_words = 0;
}

/* A comment; conda's marker lines are comments too. */
static void comment(struct lexer *x)
{
    const char *nl = memchr(x->buf + x->pos, '\n', x->len - x->pos);
    size_t end = nl ? (size_t)(nl - x->buf) : x->len;
    struct str s = {x->buf + x->pos, end - x->pos};
    static const char begin[] = "# >>> conda initialize >>>", stop[] = "# <<< conda initialize <<<";
    static const char mbegin[] = "# >>> mamba initialize >>>", mstop[] = "# <<< mamba initialize <<<";
    x->first_line = x->line;
    if (memmem(s.p, s.n, begin, sizeof begin - 1) || memmem(s.p, s.n, mbegin, sizeof mbegin - 1))
        emit(x, SHELLRC_CONDA_BEGIN, (struct str){NULL, 0}, s, false);
    else if (memmem(s.p, s.n, stop, sizeof stop - 1) || memmem(s.p, s.n, mstop, sizeof mstop - 1))
        emit(x, SHELLRC_CONDA_END, (struct str){NULL, 0}, s, false);
    x->pos = end;
}

static void skip_heredoc(struct lexer *x)
{
    struct str line;
    while (str_line(x->buf, x->len, &x->pos, &line)) {
        x->line++;
        while (line.n && *line.p == '\t')
            line = (struct str){line.p + 1, line.n - 1};
        if (line.n == x->heredoc.n && memcmp(line.p, x->heredoc.p, line.n) == 0)
            break;
    }
    x->heredoc.n = 0;
}

static void newline(struct lexer *x)
{
    end_command(x);
    x->pos++;
    x->line++;
    if (x->heredoc.n)
        skip_heredoc(x);
}

/* "<<WORD", "<<-WORD", "<<'WORD'"; "<<<" is a string. */
static void redirection(struct lexer *x)
{
    size_t n = 0;
    while (x->pos + n < x->len && x->buf[x->pos + n] == '<')
        n++;
    bool here = n == 2;
    x->pos += n ? n : 1;
    if (!here)
        return;
    if (x->pos < x->len && x->buf[x->pos] == '-')
        x->pos++;
    while (x->pos < x->len && x->buf[x->pos] == ' ')
        x->pos++;
    size_t end = shell_word_end(x->buf, x->len, x->pos);
    struct str w = {x->buf + x->pos, end - x->pos};
    if (w.n >= 2 && (*w.p == '\'' || *w.p == '"') && w.p[w.n - 1] == *w.p)
        w = (struct str){w.p + 1, w.n - 2};
    x->heredoc = w;
    x->pos = end;
}

static void paren(struct lexer *x)
{
    size_t after = x->pos + 1;
    while (after < x->len && (x->buf[after] == ' ' || x->buf[after] == '\t'))
        after++;
    bool function = !x->in_function && x->buf[x->pos] == '(' && after < x->len && x->buf[after] == ')';
    bool keyword = x->n_words == 2 && is(x->words[0], "function");
    if (function && (x->n_words == 1 || keyword)) {
        begin_function(x, x->words[x->n_words - 1], x->first_line);
        x->n_words = 0;
        x->pos = after + 1;
        return;
    }
    end_command(x);
    x->pos++;
}

static void word(struct lexer *x)
{
    size_t end = shell_word_end(x->buf, x->len, x->pos);
    struct str w = {x->buf + x->pos, end - x->pos};
    if (x->n_words == 0)
        x->first_line = x->line;
    if (x->n_words < SHELLRC_MAX_WORDS)
        x->words[x->n_words++] = w;
    for (size_t i = 0; i < w.n; i++)
        x->line += w.p[i] == '\n';
    x->pos = end;
    /* "{" opens a body wherever it stands first, and a command follows it */
    if (x->n_words == 1 && is(w, "{") && x->in_function)
        end_command(x);
}

void shellrc_parse(const char *buf, size_t len, struct arena *a, struct shellrc_item **ret, size_t *ret_n)
{
    struct lexer x = {.buf = buf, .len = len, .line = 1, .a = a};
    while (x.pos < len) {
        char c = buf[x.pos];
        if (c == ' ' || c == '\t' || c == '\r') {
            x.pos++;
        } else if (c == '\\' && x.pos + 1 < len && buf[x.pos + 1] == '\n') {
            x.pos += 2;
            x.line++;
        } else if (c == '\n') {
            newline(&x);
        } else if (c == '#') {
            comment(&x);
        } else if (c == ';' || c == '&' || c == '|') {
            end_command(&x);
            x.pos++;
        } else if (c == '(' || c == ')') {
            paren(&x);
        } else if (c == '<' || c == '>') {
            redirection(&x);
        } else {
            word(&x);
        }
    }
    end_command(&x);
    *ret = x.items;
    *ret_n = x.n_items;
}
