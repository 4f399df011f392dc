/* SPDX-License-Identifier: Apache-2.0 */
/* site_read - checks every key of a cause's file, as tools/gen-causes does with those of data/causes/. Goes on behind a mistake. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "explain/required.h"
#include "explain/site.h"
#include "formats/ydoc.h"

enum { CHAIN_MOST = 99, LAYER_MOST = 7, TEXT_MAX = 2000, STEPS_MAX = 50, NAMES_MAX = 50 };

struct reader { struct arena *a; struct site_mistakes *m; struct site_cause *c; };

void site_mistake(struct site_mistakes *m, uint32_t line, const char *fmt, ...)
{
    va_list ap;
    if (m->n == SITE_MAX_MISTAKES) {
        m->more++;
        return;
    }
    struct site_mistake *x = ARENA_PUSH(m->a, m->of, m->n);
    va_start(ap, fmt);
    *x = (struct site_mistake){line, arena_vprintf(m->a, fmt, ap)};
    va_end(ap);
}

static int by_line(const void *pa, const void *pb)
{
    const struct site_mistake *a = pa, *b = pb;
    return a->line < b->line ? -1 : a->line > b->line ? 1 : strcmp(a->what, b->what);
}

void site_mistakes_sort(struct site_mistakes *m)
{
    if (m->n)
        qsort(m->of, m->n, sizeof *m->of, by_line);
}

/* "a, b, c" */
static const char *joined(struct arena *a, const char *const *names)
{
    const char *out = "";
    for (size_t i = 0; names[i]; i++)
        out = arena_printf(a, "%s%s%s", out, i ? ", " : "", names[i]);
    return out;
}

/* Only these keys may be there. false: it is no map. */
static bool check_keys(struct reader *r, const struct ydoc *map, const char *what, const char *const *keys)
{
    if (map->kind != YDOC_MAP) {
        site_mistake(r->m, map->line, _("%s is not a list of keys; write 'key: value' lines, indented"), what);
        return false;
    }
    for (size_t i = 0; i < map->n; i++) {
        size_t k = 0;
        while (keys[k] && !str_eq(keys[k], map->keys[i].text))
            k++;
        if (!keys[k])
            site_mistake(r->m, map->keys[i].line, _("%s has no key '%s'; it has: %s"), what, map->keys[i].text, joined(r->a, keys));
    }
    return true;
}

/* Blanks and newlines become one blank. */
static const char *flat(struct arena *a, const char *s)
{
    char *out = arena_alloc(a, strlen(s) + 1);
    size_t n = 0;
    for (; *s; s++) {
        if (*s != ' ' && *s != '\n' && *s != '\t')
            out[n++] = *s;
        else if (n && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    out[n - (n && out[n - 1] == ' ')] = '\0';
    return out;
}

/* The text of a value, or NULL and a mistake. */
static const char *text_of(struct reader *r, const struct ydoc *v, const char *key)
{
    bool none = v->kind == YDOC_TEXT && (!*v->text || (v->plain && (str_eq(v->text, "~") || str_eq(v->text, "null"))));
    if (v->kind == YDOC_TEXT && !none && strlen(v->text) <= TEXT_MAX)
        return v->text;
    if (v->kind != YDOC_TEXT)
        site_mistake(r->m, v->line, _("'%s' is not a text; put it in quotes when it has ': ', '{' or '[' in it"), key);
    else if (none)
        site_mistake(r->m, v->line, _("'%s' is empty; fill it, or leave the key out"), key);
    else
        site_mistake(r->m, v->line, _("'%s' has more than %d bytes; shorten it"), key, TEXT_MAX);
    return NULL;
}

static const struct ydoc *needed(struct reader *r, const struct ydoc *map, const char *what, const char *key)
{
    const struct ydoc *v = ydoc_get(map, key);
    if (!v)
        site_mistake(r->m, map->line, _("%s has no '%s'; add it"), what, key);
    return v;
}

static const char *line_text(struct reader *r, const struct ydoc *map, const char *key)
{
    const struct ydoc *v = ydoc_get(map, key);
    const char *s = v ? text_of(r, v, key) : NULL;
    return s ? flat(r->a, s) : NULL;
}

/* A text and its Chinese. */
static struct site_text both(struct reader *r, const struct ydoc *map, const char *key)
{
    const char *zh = arena_printf(r->a, "%s_zh", key);
    return (struct site_text){line_text(r, map, key), line_text(r, map, zh)};
}

static bool flag(struct reader *r, const struct ydoc *map, const char *key)
{
    const struct ydoc *v = ydoc_get(map, key);
    bool yes = v && v->kind == YDOC_TEXT && v->plain && str_eq(v->text, "true");
    if (v && !yes && !(v->kind == YDOC_TEXT && v->plain && str_eq(v->text, "false")))
        site_mistake(r->m, v->line, _("'%s' is true or false, without quotes"), key);
    return yes;
}

/* Index of the word, 0 and a mistake when it is none of them. */
static uint8_t word(struct reader *r, const struct ydoc *v, const char *key, const char *const *words)
{
    for (uint8_t i = 0; words[i]; i++)
        if (v->kind == YDOC_TEXT && str_eq(v->text, words[i]))
            return i;
    site_mistake(r->m, v->line, _("'%s' is not '%s'; it is one of: %s"), key, v->kind == YDOC_TEXT ? v->text : "…", joined(r->a, words));
    return 0;
}

static uint8_t number(struct reader *r, const struct ydoc *v, const char *key, uint32_t least, uint32_t most)
{
    uint32_t n;
    if (v->kind == YDOC_TEXT && str_to_u32(v->text, &n) == 0 && n >= least && n <= most)
        return (uint8_t)n;
    site_mistake(r->m, v->line, _("'%s' is a number from %u to %u"), key, least, most);
    return 0;
}

/* A text, or a list of texts. */
static struct site_named *names(struct reader *r, const struct ydoc *v, const char *key, size_t most, size_t *ret_n)
{
    struct site_named *out = NULL;
    if (!v)
        return NULL;
    if (v->kind == YDOC_MAP) {
        site_mistake(r->m, v->line, _("'%s' is a text or a list of texts; put a text that has ': ' in it in quotes"), key);
        return NULL;
    }
    if (v->kind == YDOC_LIST && v->n > most)
        site_mistake(r->m, v->of[most].line, _("'%s' has more than %zu; keep fewer"), key, most);
    for (size_t i = 0; i < (v->kind == YDOC_LIST ? v->n : 1) && i < most; i++) {
        const struct ydoc *one = v->kind == YDOC_LIST ? &v->of[i] : v;
        const char *s = text_of(r, one, key);
        if (s)
            *ARENA_PUSH(r->a, out, *ret_n) = (struct site_named){s, one->line};
    }
    return out;
}

/* -- steps ------------------------------------------------------------------------------------------------------------------- */
static uint32_t when_of(struct reader *r, const struct ydoc *v)
{
    static const struct { const char *name; uint32_t bit; } whens[] = {
        {"always", FIX_ALWAYS}, {"wsl", FIX_WSL}, {"bare", FIX_BARE}, {"container", FIX_CONTAINER}, {"pip", FIX_PIP}, {"conda", FIX_CONDA},
        {"uv", FIX_UV}, {"venv", FIX_VENV}, {"system-python", FIX_SYSTEM_PYTHON}, {"apt", FIX_APT}, {"dnf", FIX_DNF}, {"user", FIX_USER},
        {"kernel", FIX_KERNEL}, {"a", FIX_A}, {"b", FIX_B}, {"c", FIX_C}};
    static const char *const words[] = {"always", "wsl", "bare", "container", "pip", "conda", "uv", "venv", "system-python", "apt", "dnf", "user", "kernel", NULL};
    size_t n = 0;
    uint32_t bits = 0;
    const struct site_named *of = names(r, v, "when", TG_COUNT(whens), &n);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < TG_COUNT(whens) && !str_eq(whens[k].name, of[i].text))
            k++;
        if (k == TG_COUNT(whens))
            site_mistake(r->m, of[i].line, _("'%s' is not '%s'; it is one of: %s"), "when", of[i].text, joined(r->a, words));
        else
            bits |= whens[k].bit;
    }
    return bits;
}

static void read_step(struct reader *r, const struct ydoc *v, struct site_step *s)
{
    static const char *const keys[] = {"when", "side", "needs_root", "command", "note", "note_zh", NULL};
    static const char *const sides[] = {"linux", "windows", "host", NULL};
    const struct ydoc *side = v->kind == YDOC_MAP ? ydoc_get(v, "side") : NULL, *when = v->kind == YDOC_MAP ? ydoc_get(v, "when") : NULL;
    if (!check_keys(r, v, _("a step of 'fix'"), keys))
        return;
    const struct ydoc *command = ydoc_get(v, "command");
    s->side = side ? word(r, side, "side", sides) : SIDE_LINUX;
    s->when = when ? when_of(r, when) : FIX_ALWAYS;
    s->needs_root = flag(r, v, "needs_root");
    s->note = both(r, v, "note");
    s->command = command ? text_of(r, command, "command") : NULL;
    if (s->command) { /* of several lines: they stay lines */
        size_t n = strlen(s->command);
        while (n && s->command[n - 1] == '\n')
            n--;
        s->command = arena_strndup(r->a, s->command, n);
    }
    if (!command && !ydoc_get(v, "note"))
        site_mistake(r->m, v->line, _("a step of 'fix' with neither 'command' nor 'note'; add one"));
}

static void read_fix(struct reader *r, const struct ydoc *v)
{
    if (v->kind != YDOC_LIST) {
        site_mistake(r->m, v->line, _("'%s' is not a list; begin each of its parts with '- '"), "fix");
        return;
    }
    r->c->steps = NULL;
    r->c->n_steps = 0;
    for (size_t i = 0; i < v->n && i < STEPS_MAX; i++)
        read_step(r, &v->of[i], ARENA_PUSH(r->a, r->c->steps, r->c->n_steps));
    if (v->n > STEPS_MAX)
        site_mistake(r->m, v->of[STEPS_MAX].line, _("'%s' has more than %d; keep fewer"), "fix", STEPS_MAX);
}

/* -- patterns ---------------------------------------------------------------------------------------------------------------- */
/* Programs and people write one message in several cases: the case of letters counts only after (?-i). */
static const char *caseless(struct arena *a, const char *re)
{
    return str_starts(re, "(?-i)") ? re + 5 : str_starts(re, "(?i)") ? re : arena_printf(a, "(?i)%s", re);
}

static struct site_regex read_regex(struct reader *r, const struct ydoc *map, const char *key, size_t least)
{
    struct site_regex x = {0};
    struct err e = {0};
    const struct ydoc *v = ydoc_get(map, key);
    const char *s = v ? text_of(r, v, key) : NULL;
    if (!s)
        return x;
    x.line = v->line;
    const char *re = caseless(r->a, s);
    if (strchr(s, '\n') || str_starts(s, ".*")) {
        site_mistake(r->m, v->line, _("'%s' begins with '.*' or has several lines; it is searched in each line, write one line without '.*' in front"), key);
        return x;
    }
    if (required_literals(r->a, re, least, &x.literals, &x.n_literals, &e) == 0) {
        x.re = re;
        return x;
    }
    if (e.code == -ENODATA)
        site_mistake(r->m, v->line, _("'%s': %s; add words that the program always prints"), key, e.msg);
    else
        site_mistake(r->m, v->line, _("'%s': %s"), key, e.msg);
    return x;
}

static void read_pattern(struct reader *r, const struct ydoc *v, struct site_pattern *p)
{
    static const char *const keys[] = {"re", "also", "unless", "match", "near", NULL};
    if (!check_keys(r, v, _("a pattern"), keys))
        return;
    for (size_t i = 0; i < TG_COUNT(keys) - 1; i++)
        if (i == 0 || i > 2)
            (void)needed(r, v, _("a pattern"), keys[i]);
    p->re = read_regex(r, v, "re", REQUIRED_LEAST);
    p->also = read_regex(r, v, "also", REQUIRED_LEAST_MORE);
    p->unless = read_regex(r, v, "unless", REQUIRED_LEAST_MORE);
    p->match = names(r, ydoc_get(v, "match"), "match", SITE_MAX_SAMPLES, &p->n_match);
    p->near = names(r, ydoc_get(v, "near"), "near", SITE_MAX_SAMPLES, &p->n_near);
}

static void read_patterns(struct reader *r, const struct ydoc *v)
{
    if (v->kind != YDOC_LIST || v->n == 0) {
        site_mistake(r->m, v->line, _("'%s' is not a list; begin each of its parts with '- '"), "patterns");
        return;
    }
    for (size_t i = 0; i < v->n && i < SITE_MAX_PATTERNS; i++)
        read_pattern(r, &v->of[i], ARENA_PUSH(r->a, r->c->patterns, r->c->n_patterns));
    if (v->n > SITE_MAX_PATTERNS)
        site_mistake(r->m, v->of[SITE_MAX_PATTERNS].line, _("'%s' has more than %d; keep fewer"), "patterns", SITE_MAX_PATTERNS);
}

/* Has the expression a group of this name? */
static bool has_group(const char *re, const char *name, size_t n)
{
    for (const char *p = re; p && (p = strstr(p, "(?<")) != NULL; p += 3)
        if (strncmp(p + 3, name, n) == 0 && p[3 + n] == '>')
            return true;
    return false;
}

static bool is_key(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The places of a text: each is a group of some pattern, and of all where it has no other words. */
static void check_places(struct reader *r, const char *text, uint32_t line, const char *key)
{
    const struct site_cause *c = r->c;
    for (size_t i = 0; i < c->n_patterns; i++)
        if (!c->patterns[i].re.re)
            return; /* its groups are not known */
    for (const char *p = text; (p = strchr(p, '{')) != NULL; p++) {
        size_t n = 0, have = 0;
        while (is_key(p[1 + n]))
            n++;
        if (n == 0 || (p[1 + n] != '}' && p[1 + n] != '|') || !strchr(p, '}') || (p > text && p[-1] == '$'))
            continue;
        for (size_t i = 0; i < c->n_patterns; i++)
            have += has_group(c->patterns[i].re.re, p + 1, n);
        if (have == 0)
            site_mistake(r->m, line, _("'%s' has the place {%.*s}, but no pattern has a group of that name; write (?<%.*s>…) in 're'"), key, (int)n, p + 1, (int)n, p + 1);
        else if (have < c->n_patterns && p[1 + n] == '}')
            site_mistake(r->m, line, _("'%s' has the place {%.*s}, which not every pattern fills; write {%.*s|other words}"), key, (int)n, p + 1, (int)n, p + 1);
    }
}

static void read_explain(struct reader *r, const struct ydoc *v)
{
    static const char *const keys[] = {"text", "text_zh", "chain", "may_be", "why", "why_zh", "fix", "patterns", NULL}, *const more[] = {"patterns", NULL};
    struct site_cause *c = r->c;
    const char *what = "'explain'";
    if (!check_keys(r, v, what, c->extends ? more : keys))
        return;
    const struct ydoc *patterns = needed(r, v, what, "patterns"), *fix = ydoc_get(v, "fix"), *may_be = ydoc_get(v, "may_be");
    c->has_explain = true;
    if (patterns)
        read_patterns(r, patterns);
    if (c->extends)
        return;
    const struct ydoc *text = needed(r, v, what, "text"), *chain = needed(r, v, what, "chain");
    c->text = both(r, v, "text");
    if (text && text->kind == YDOC_TEXT)
        check_places(r, text->text, text->line, "text");
    if (c->text.zh)
        check_places(r, c->text.zh, ydoc_get(v, "text_zh")->line, "text_zh");
    c->chain = chain ? number(r, chain, "chain", 1, CHAIN_MOST) : 1;
    if (ydoc_get(v, "why"))
        c->why = both(r, v, "why");
    if (fix)
        read_fix(r, fix);
    c->may_be = names(r, may_be, "may_be", NAMES_MAX, &c->n_may_be);
    if (c->n_may_be && c->kind != KIND_SYMPTOM)
        site_mistake(r->m, may_be->line, _("'may_be' is for symptoms only; leave it out, or make it 'kind: symptom'"));
}

/* -- the file ---------------------------------------------------------------------------------------------------------------- */
static bool id_ok(const char *s)
{
    bool word = false;
    for (; *s; s++) {
        if (*s == '-' ? !word : !((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9')))
            return false;
        word = *s != '-';
    }
    return word;
}

static bool shipped_check(const char *id)
{
    for (size_t i = 0; i < CAUSE_COUNT; i++)
        if (str_eq(causes[i].id, id))
            return true;
    return false;
}

static void read_id(struct reader *r, const struct ydoc *doc)
{
    struct site_cause *c = r->c;
    const struct ydoc *v = needed(r, doc, _("the file"), "id");
    const char *name = path_base(c->file), *want = str_ends(name, ".yaml") ? arena_strndup(r->a, name, strlen(name) - 5) : name;
    c->id = v ? text_of(r, v, "id") : NULL;
    if (!c->id)
        return;
    if (!id_ok(c->id))
        site_mistake(r->m, v->line, _("'id' is small letters and digits, words joined by '-'; not '%s'"), c->id);
    else if (!str_eq(c->id, want))
        site_mistake(r->m, v->line, _("'id' is '%s', but the file is named '%s'; name the file %s.yaml"), c->id, name, c->id);
}

static void read_texts(struct reader *r, const struct ydoc *doc)
{
    static const char *const kinds[] = {"cause", "symptom", "benign", NULL}, *const severities[] = {"broken", "degraded", "note", NULL}, *const prevents[] = {"nothing", "gpus", "import", NULL};
    struct site_cause *c = r->c;
    const char *what = _("the file");
    const struct ydoc *kind = needed(r, doc, what, "kind"), *severity = needed(r, doc, what, "severity"), *layer = ydoc_get(doc, "layer"), *fix = ydoc_get(doc, "fix"), *check = ydoc_get(doc, "check");
    (void)needed(r, doc, what, "title");
    (void)needed(r, doc, what, "why");
    c->kind = kind ? word(r, kind, "kind", kinds) : 0;
    c->severity = severity ? word(r, severity, "severity", severities) : 0;
    c->layer = layer ? number(r, layer, "layer", 0, LAYER_MOST) : 0;
    c->title = both(r, doc, "title");
    c->why = both(r, doc, "why");
    c->confirm = line_text(r, doc, "confirm");
    if (ydoc_get(doc, "prevents"))
        (void)word(r, ydoc_get(doc, "prevents"), "prevents", prevents);
    if (flag(r, doc, "check") && !shipped_check(c->id))
        site_mistake(r->m, check->line, _("'check: true' is for causes of tfgpu itself, which has a rule for them; leave it out"));
    c->references = names(r, ydoc_get(doc, "references"), "references", NAMES_MAX, &c->n_references);
    if (fix)
        read_fix(r, fix);
}

static void read_file(struct reader *r, const struct ydoc *doc)
{
    static const char *const keys[] = {"id", "kind", "layer", "severity", "check", "prevents", "title", "title_zh", "why", "why_zh", "fix", "confirm", "references", "source", "checked", "extends", "explain", NULL};
    static const char *const more[] = {"id", "extends", "source", "checked", "explain", NULL};
    struct site_cause *c = r->c;
    if (doc->kind != YDOC_MAP) {
        site_mistake(r->m, doc->line, _("the file is not a list of keys; begin with 'id: …'"));
        return;
    }
    const struct ydoc *extends = ydoc_get(doc, "extends"), *explain = ydoc_get(doc, "explain");
    c->extends = flag(r, doc, "extends");
    (void)check_keys(r, doc, c->extends ? _("a file with 'extends: true'") : _("the file"), c->extends ? more : keys);
    read_id(r, doc);
    const struct explain_catalog shipped = catalog_shipped();
    const struct explain_entry *old = c->id ? catalog_find(&shipped, c->id) : NULL;
    if (c->extends && c->id && !(old && old->text))
        site_mistake(r->m, extends->line, _("'extends: true' adds patterns to a cause of tfgpu itself, and '%s' is none; 'tfgpu kb list' has them"), c->id);
    if (!c->extends)
        read_texts(r, doc);
    if (explain)
        read_explain(r, explain);
    else if (c->extends || !c->id || !shipped_check(c->id))
        (void)needed(r, doc, _("the file"), "explain");
}

bool site_read(struct arena *a, const char *file, const char *p, size_t n, struct site_cause *ret, struct site_mistakes *m)
{
    struct site_cause c = {.file = file};
    struct reader r = {a, m, &c};
    struct ydoc doc;
    struct err e = {0};
    uint32_t line;
    size_t before = m->n;
    if (ydoc_parse(p, n, a, &doc, &line, &e) < 0)
        site_mistake(m, line, "%s", e.msg);
    else
        read_file(&r, &doc);
    *ret = c;
    return m->n == before;
}
