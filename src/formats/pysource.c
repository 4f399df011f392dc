/* SPDX-License-Identifier: Apache-2.0 */
/* pysource - imports of a Python file, and what Python is sure to refuse in it. One pass over the bytes: physical lines make logical
 * lines, logical lines open and close blocks, tokens are looked at in pairs. */
#include "formats/pysource.h"
#include <string.h>
#include "formats/pysource_internal.h"

/* A block, and what is known of the statements in it. */
struct block { uint32_t col, alt; bool sure; };
enum { BLOCKS_MAX = 100, BRACKETS_MAX = 200 }; /* Python's own limits (Parser/tokenizer.h: MAXINDENT, MAXLEVEL) */

struct reader {
    struct pylex lex;
    struct arena *a;
    struct pysource *out;
    struct block blocks[BLOCKS_MAX];
    size_t n_blocks;
    bool opens;       /* the last logical line ended in ':' */
    bool opens_sure;  /* what it opened runs whenever the line does */
    /* the logical line */
    struct pytok first, last;
    struct str word, owner; /* the last token, if it is a name with no dot before it; such a name, if the last token is the dot behind it */
    bool any, has_colon, header;
    bool branches;    /* not all of it is sure to run, or it is an annotation */
    size_t first_use; /* of this line in out->uses */
    uint32_t line; /* of its last token */
    /* the import statement that is being read */
    enum { IM_NONE, IM_IMPORT, IM_FROM, IM_NAMES, IM_AS } im;
    bool im_from, im_sure;
    unsigned im_level;
    struct str im_module;
};

static void fault(struct reader *r, enum pysource_fault f)
{
    if (r->out->fault == PYSOURCE_OK && !r->lex.odd) {
        r->out->fault = f;
        r->out->line = f == PYSOURCE_SYNTAX ? r->line : r->lex.line;
    }
    r->lex.at = r->lex.odd ? r->lex.at : r->lex.text.n;
}

/* -- imports ------------------------------------------------------------------------------------------------------------------------------ */

static void push_import(struct reader *r, struct str module, struct str name, unsigned level, bool sure)
{
    *ARENA_PUSH(r->a, r->out->imports, r->out->n_imports) = (struct pysource_import){.module = module, .name = name, .bound = name, .level = level, .sure = sure};
}

static bool is_sure(const struct reader *r)
{
    return r->blocks[r->n_blocks - 1].sure && !r->lex.odd && (!r->has_colon || r->opens_sure);
}

/* The module's dotted name grows; it may be written with gaps. */
static void extend(struct reader *r, struct str with)
{
    struct str *s = &r->im_module;
    if (!s->n)
        *s = with;
    else if (s->p + s->n == with.p)
        s->n += with.n;
    else
        *s = (struct str){arena_printf(r->a, "%.*s%.*s", (int)s->n, s->p, (int)with.n, with.p), s->n + with.n};
}

static void end_import(struct reader *r)
{
    if (r->im == IM_IMPORT && r->im_module.n)
        push_import(r, r->im_module, (struct str){0}, 0, r->im_sure);
    r->im_module = (struct str){0};
}

static void import_token(struct reader *r, const struct pytok *t)
{
    bool comma = pytok_is(t, ","), as = pytok_is(t, "as");
    switch (r->im) {
    case IM_NONE:
        break;
    case IM_IMPORT:
        if (comma || as) {
            end_import(r);
            r->im = as ? IM_AS : IM_IMPORT;
        } else if (t->kind == PYTOK_NAME || pytok_is(t, ".")) {
            extend(r, t->src);
        }
        break;
    case IM_FROM:
        if (pytok_is(t, "import"))
            r->im = IM_NAMES;
        else if (!r->im_module.n && (pytok_is(t, ".") || pytok_is(t, "...")))
            r->im_level += (unsigned)t->src.n;
        else
            extend(r, t->src);
        break;
    case IM_NAMES:
        if (as)
            r->im = IM_AS;
        else if ((t->kind == PYTOK_NAME && !pytok_is_keyword(t)) || pytok_is(t, "*"))
            push_import(r, r->im_module, t->src, r->im_level, r->im_sure);
        break;
    case IM_AS:
        if (comma)
            r->im = r->im_from ? IM_NAMES : IM_IMPORT;
        else if (t->kind == PYTOK_NAME && r->out->n_imports)
            r->out->imports[r->out->n_imports - 1].bound = t->src;
        break;
    }
}

/* The first token of a statement. */
static void begin_statement(struct reader *r, const struct pytok *t)
{
    r->im_from = pytok_is(t, "from");
    r->im = r->im_from ? IM_FROM : pytok_is(t, "import") ? IM_IMPORT : IM_NONE;
    r->im_module = (struct str){0};
    r->im_level = 0;
    r->im_sure = is_sure(r);
}

/* "tensorflow.lite.python.x" as a text: something may import it by name later. */
static void consider_text(struct reader *r, const struct pytok *t)
{
    struct str s = pytok_plain_text(t);
    bool dotted = false;
    for (size_t i = 0; i < s.n; i++) {
        bool dot = s.p[i] == '.';
        if (!dot && !pylex_is_word((unsigned char)s.p[i]))
            return;
        dotted |= dot && i;
    }
    if (dotted)
        push_import(r, s, (struct str){0}, 0, false);
}

/* -- uses --------------------------------------------------------------------------------------------------------------------------------- */

/* Words and operators behind or before which code may not run; what a function's head has need not be evaluated either. */
static bool may_branch(const struct pytok *t)
{
    static const char *const words[] = {"and", "assert", "async", "await", "def", "else", "elif", "except", "for", "from", "if", "import", "lambda", "or", "yield"};
    if (pytok_only_between(t) && !pytok_is(t, "="))
        return true;
    for (size_t i = 0; i < TG_COUNT(words); i++)
        if (pytok_is(t, words[i]))
            return true;
    return false;
}

static void consider_use(struct reader *r, const struct pytok *t)
{
    struct pysource *o = r->out;
    if (t->kind == PYTOK_NAME && r->owner.n && !r->branches)
        *ARENA_PUSH(r->a, o->uses, o->n_uses) = (struct pysource_use){.name = r->owner, .attr = t->src};
    else if (pytok_is(t, "=") && !r->lex.depth && o->n_uses > r->first_use && o->uses[o->n_uses - 1].attr.p == r->last.src.p)
        o->uses[o->n_uses - 1].sets = true;
    bool after_dot = r->any && pytok_is(&r->last, ".");
    r->owner = pytok_is(t, ".") && r->word.n ? r->word : (struct str){0};
    r->word = t->kind == PYTOK_NAME && !after_dot ? t->src : (struct str){0};
    r->branches |= may_branch(t) || (pytok_is(t, ":") && !r->lex.depth && !r->header);
}

/* -- logical lines ------------------------------------------------------------------------------------------------------------------------- */

/* Words that begin a line which has a colon. */
static bool is_header(const struct pytok *t)
{
    static const char *const words[] = {"async", "class", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with"};
    for (size_t i = 0; i < TG_COUNT(words); i++)
        if (pytok_is(t, words[i]))
            return true;
    return false;
}

static void end_line(struct reader *r)
{
    if (!r->any)
        return;
    end_import(r);
    r->opens = pytok_is(&r->last, ":");
    if (r->header && !r->has_colon)
        fault(r, PYSOURCE_SYNTAX);
    else if (pytok_only_between(&r->last))
        fault(r, PYSOURCE_SYNTAX);
    r->opens_sure = r->opens && pytok_is(&r->first, "class");
    if (r->branches || r->n_blocks > 1) /* the body of a class may have the name for something of its own */
        r->out->n_uses = r->first_use;
    r->first_use = r->out->n_uses;
    r->any = r->has_colon = r->branches = false;
    r->im = IM_NONE;
}

static void indent(struct reader *r)
{
    struct block *top = &r->blocks[r->n_blocks - 1];
    uint32_t col = r->lex.col, alt = r->lex.alt;
    if (col > top->col && r->opens) {
        if (alt <= top->alt || r->n_blocks == BLOCKS_MAX) {
            fault(r, PYSOURCE_INDENT);
            return;
        }
        r->blocks[r->n_blocks++] = (struct block){.col = col, .alt = alt, .sure = top->sure && r->opens_sure};
    } else if (col > top->col || r->opens) {
        fault(r, PYSOURCE_INDENT);
    } else {
        while (col < r->blocks[r->n_blocks - 1].col)
            r->n_blocks--;
        if (col != r->blocks[r->n_blocks - 1].col || alt != r->blocks[r->n_blocks - 1].alt)
            fault(r, PYSOURCE_INDENT);
    }
    r->opens = r->opens_sure = false;
}

static void token(struct reader *r, const struct pytok *t)
{
    r->line = r->lex.line;
    if (!r->any) {
        indent(r);
        r->first = *t;
        r->header = is_header(t);
        begin_statement(r, t);
        if (pytok_only_between(t))
            fault(r, PYSOURCE_SYNTAX);
    } else {
        bool second = r->last.src.p == r->first.src.p;
        if (pytok_cannot_follow(&r->last, t) && !(second && pytok_is_soft(&r->first))) {
            fault(r, PYSOURCE_SYNTAX);
            r->im = IM_NONE;
        }
        bool starts = !r->lex.depth && (pytok_is(&r->last, ";") || (pytok_is(&r->last, ":") && r->header));
        if (starts) {
            end_import(r);
            r->opens_sure = pytok_is(&r->first, "class");
            begin_statement(r, t);
        } else {
            import_token(r, t);
        }
    }
    if (t->kind == PYTOK_STRING)
        consider_text(r, t);
    consider_use(r, t);
    r->any = true;
    r->has_colon |= !r->lex.depth && pytok_is(t, ":");
    r->last = *t;
}

void pysource_read(struct str text, struct arena *a, struct pysource *ret)
{
    struct reader r = {.a = a, .out = ret, .blocks = {{.sure = true}}, .n_blocks = 1};
    struct pytok t;
    enum pysource_fault f;
    *ret = (struct pysource){0};
    f = pylex_begin(&r.lex, text);
    if (f != PYSOURCE_OK) {
        ret->fault = f;
        ret->line = r.lex.line;
    }
    for (bool more = true; more && ret->fault == PYSOURCE_OK;) {
        f = pylex_next(&r.lex, &t);
        if (f != PYSOURCE_OK) {
            fault(&r, f);
            more = !r.lex.odd;
        } else if (t.kind == PYTOK_NEWLINE || t.kind == PYTOK_END) {
            end_line(&r);
            more = t.kind != PYTOK_END;
        } else {
            token(&r, &t);
        }
    }
    if (ret->fault == PYSOURCE_OK && r.opens)
        fault(&r, PYSOURCE_INDENT);
}

static bool has_word(struct str text, struct str w)
{
    for (size_t at = 0; at + w.n <= text.n;) {
        const char *p = memmem(text.p + at, text.n - at, w.p, w.n);
        if (!p)
            return false;
        size_t i = (size_t)(p - text.p), end = i + w.n;
        if ((!i || !pylex_is_word((unsigned char)p[-1])) && (end == text.n || !pylex_is_word((unsigned char)text.p[end])))
            return true;
        at = i + 1;
    }
    return false;
}

bool pysource_raises(struct str text, struct str *ret)
{
    struct pylex lex;
    struct pytok t;
    bool first = true;
    *ret = (struct str){0};
    if (pylex_begin(&lex, text) != PYSOURCE_OK)
        return false;
    while (pylex_next(&lex, &t) == PYSOURCE_OK && t.kind != PYTOK_END && !lex.odd) {
        if (first && !lex.col && t.kind == PYTOK_NAME && pytok_is(&t, "raise")) {
            if (pylex_next(&lex, &t) == PYSOURCE_OK && t.kind == PYTOK_NAME)
                *ret = t.src;
            return true;
        }
        first = t.kind == PYTOK_NEWLINE;
    }
    return false;
}

bool pysource_may_have(struct str text, struct str name)
{
    static const char *const makers[] = {"import *", "__dict__", "__getattr__", "exec", "globals", "locals", "modules", "setattr", "vars"};
    if (!name.n || has_word(text, name) || (name.n > 4 && !memcmp(name.p, "__", 2))) /* __file__ and its like are set by the import */
        return true;
    for (size_t i = 0; i < TG_COUNT(makers); i++)
        if (memmem(text.p, text.n, makers[i], strlen(makers[i])))
            return true;
    return false;
}
