/* SPDX-License-Identifier: Apache-2.0 */
/* text_util - marks, colours, paragraphs, fix steps. */
#include "report/text_util.h"
#include <string.h>
#include "base/i18n.h"
#include "report/wrap.h"

void ink(const struct report *r, struct buf *out, enum ink i)
{
    static const char *const codes[] = {"\033[0m", "\033[32m", "\033[33m", "\033[1;31m", "\033[2m", "\033[1m"};
    if (r->term->color)
        buf_adds(out, codes[i]);
}

void inked(const struct report *r, struct buf *out, enum ink i, const char *text)
{
    ink(r, out, i);
    buf_adds(out, text);
    ink(r, out, INK_NONE);
}

size_t mark_width(const struct report *r)
{
    return r->term->utf8 ? 2 : 5;
}

void mark(const struct report *r, struct buf *out, enum layer_status s)
{
    static const struct { enum ink ink; const char *utf8, *ascii; } marks[] = {
        [LAYER_OK] = {INK_GOOD, "\xe2\x9c\x93", "ok  "},
        [LAYER_DEGRADED] = {INK_WARN, "!", "warn"},
        [LAYER_BROKEN] = {INK_BAD, "\xe2\x9c\x97", "FAIL"},
        [LAYER_UNDETERMINED] = {INK_WARN, "?", "?   "},
        [LAYER_NOT_REACHED] = {INK_DIM, "-", "-   "},
    };
    inked(r, out, marks[s].ink, r->term->utf8 ? marks[s].utf8 : marks[s].ascii);
    buf_addc(out, ' ');
}

enum layer_status severity_status(enum severity s)
{
    return s == SEV_BROKEN ? LAYER_BROKEN : s == SEV_DEGRADED ? LAYER_DEGRADED : LAYER_NOT_REACHED;
}

static void blanks(struct buf *out, size_t n)
{
    while (n--)
        buf_addc(out, ' ');
}

void para(const struct report *r, struct buf *out, size_t indent, const char *text)
{
    blanks(out, indent);
    wrap_text(out, text, indent, indent, r->term->width);
    buf_addc(out, '\n');
}

void labelled(const struct report *r, struct buf *out, size_t indent, const char *label, size_t col, const char *text)
{
    blanks(out, indent);
    inked(r, out, INK_DIM, label);
    wrap_pad(out, indent + i18n_width(label), col);
    wrap_text(out, text, col, col, r->term->width);
    buf_addc(out, '\n');
}

/* Where the command is to be run, when that is not simply this shell. */
static const char *where(struct arena *a, const struct fix_step *s)
{
    const char *side = s->side == SIDE_WINDOWS ? _("in PowerShell on Windows") : s->side == SIDE_HOST ? _("on the host") : NULL;
    if (!s->needs_root)
        return side;
    return side ? arena_printf(a, _("%s, as administrator"), side) : _("as root");
}

/* A command stands alone on its lines, unwrapped, so that it can be copied. */
static void command(const struct report *r, struct buf *out, const char *cmd, size_t indent)
{
    struct str line;
    size_t pos = 0;
    while (str_line(cmd, strlen(cmd), &pos, &line)) {
        blanks(out, indent);
        ink(r, out, INK_BOLD);
        buf_add_safe(out, line.p, line.n);
        ink(r, out, INK_NONE);
        buf_addc(out, '\n');
    }
}

static size_t count_steps(const struct finding *f, unsigned tags)
{
    size_t n = 0;
    for (size_t i = 0; i < f->cause->n_fix; i++)
        n += fix_applies(&f->cause->fix[i], tags);
    return n;
}

/* "1. as root:", the command on a line of its own, what is to be said about it below; or the note alone. */
static void step(const struct report *r, struct buf *out, const struct finding *f, const struct fix_step *s, size_t number, size_t indent)
{
    const char *note = s->note ? finding_text(r->a, f, _(s->note)) : NULL;
    const char *at = where(r->a, s), *lead = NULL;
    if (!s->command)
        lead = at && note ? arena_printf(r->a, _("%s: %s"), at, note) : note;
    else if (at || number)
        lead = arena_printf(r->a, _("%s:"), at ? at : _("run"));
    if (number)
        labelled(r, out, indent, arena_printf(r->a, "%zu.", number), indent + 3, lead ? lead : "");
    else if (lead)
        para(r, out, indent, lead);
    if (!s->command)
        return;
    indent += number ? 5 : lead ? 2 : 0;
    command(r, out, finding_command(r->a, f, s->command), indent);
    if (note) {
        ink(r, out, INK_DIM);
        para(r, out, indent + 2, note);
        ink(r, out, INK_NONE);
    }
}

size_t fix_steps(const struct report *r, struct buf *out, const struct finding *f, size_t indent)
{
    unsigned tags = judge_tags(r->f) | f->tags;
    size_t n = count_steps(f, tags), number = 0;
    for (size_t i = 0; i < f->cause->n_fix; i++)
        if (fix_applies(&f->cause->fix[i], tags))
            step(r, out, f, &f->cause->fix[i], n > 1 ? ++number : 0, indent);
    return n;
}
