/* SPDX-License-Identifier: Apache-2.0 */
/* ipynb - what the cells of a Jupyter notebook printed. */
#include "formats/ipynb.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/util.h"
#include "formats/jsonflow.h"

/* What a value is for us, by where it stands. */
enum role {
    R_OTHER, R_NOTEBOOK, R_CELLS, R_WORKSHEETS, R_WORKSHEET, R_CELL, R_OUTPUTS, R_OUTPUT, R_DATA, R_TEXT, R_TRACEBACK, R_COUNT, R_ENAME, R_EVALUE
};
static const struct { enum role in; const char *key; enum role is; } roles[] = {
    {R_NOTEBOOK, "cells", R_CELLS}, {R_NOTEBOOK, "worksheets", R_WORKSHEETS}, {R_WORKSHEETS, NULL, R_WORKSHEET}, {R_WORKSHEET, "cells", R_CELLS},
    {R_CELLS, NULL, R_CELL}, {R_CELL, "outputs", R_OUTPUTS}, {R_CELL, "execution_count", R_COUNT}, {R_CELL, "prompt_number", R_COUNT},
    {R_OUTPUTS, NULL, R_OUTPUT}, {R_OUTPUT, "text", R_TEXT}, {R_OUTPUT, "traceback", R_TRACEBACK}, {R_OUTPUT, "data", R_DATA},
    {R_OUTPUT, "ename", R_ENAME}, {R_OUTPUT, "evalue", R_EVALUE}, {R_DATA, "text/plain", R_TEXT}, {R_TEXT, NULL, R_TEXT}, {R_TRACEBACK, NULL, R_TRACEBACK}};

enum { NAME = 128, VALUE = 4096 };

struct ipynb {
    const struct ipynb_ops *ops;
    struct jsonflow json;
    enum role stack[JSONFLOW_DEPTH + 1]; /* of the open objects and arrays; [0]: around the document */
    unsigned depth;
    enum role next;             /* of the value that comes */
    uint32_t cell, run;
    bool printed;               /* the cell */
    bool has_traceback;         /* the output */
    char last;                  /* byte that was handed out */
    char ename[NAME], evalue[VALUE]; size_t n_ename, n_evalue;
};

bool ipynb_looks_so(const char *p, size_t n)
{
    static const char *const first[] = {"\"cells\"", "\"worksheets\"", "\"nbformat\"", "\"nbformat_minor\"", "\"metadata\""};
    static const char *const sure[] = {"\"nbformat\"", "\"cell_type\"", "\"nbformat_minor\"", "\"kernelspec\"", "\"language_info\""};
    const char *end = p + n;
    if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while (p < end && strchr(" \t\r\n", *p) && *p)
        p++;
    if (p == end || *p++ != '{')
        return false;
    while (p < end && strchr(" \t\r\n", *p) && *p)
        p++;
    bool begins = false;
    for (size_t i = 0; i < TG_COUNT(first); i++)
        begins |= (size_t)(end - p) >= strlen(first[i]) && memcmp(p, first[i], strlen(first[i])) == 0;
    for (size_t i = 0; begins && i < TG_COUNT(sure); i++)
        if (memmem(p, (size_t)(end - p), sure[i], strlen(sure[i])))
            return true;
    return false;
}

static enum role role_of(enum role in, const char *key, size_t n)
{
    for (size_t i = 0; i < TG_COUNT(roles); i++)
        if (roles[i].in == in && (key ? roles[i].key && strlen(roles[i].key) == n && memcmp(roles[i].key, key, n) == 0 : !roles[i].key))
            return roles[i].is;
    return R_OTHER;
}

static void hand_out(struct ipynb *b, const char *p, size_t n)
{
    if (n == 0)
        return;
    b->printed = true;
    b->last = p[n - 1];
    b->ops->text(b->ops->ctx, b->cell, p, n);
}

static void end_line(struct ipynb *b)
{
    if (b->last != '\n')
        hand_out(b, "\n", 1);
}

static void piece(char *to, size_t room, size_t *have, const char *p, size_t n)
{
    size_t take = n < room - *have ? n : room - *have;
    memcpy(to + *have, p, take);
    *have += take;
}

static void on_text(struct ipynb *b, const char *p, size_t n)
{
    if (b->next == R_TEXT || b->next == R_TRACEBACK)
        hand_out(b, p, n);
    else if (b->next == R_ENAME)
        piece(b->ename, sizeof b->ename, &b->n_ename, p, n);
    else if (b->next == R_EVALUE)
        piece(b->evalue, sizeof b->evalue, &b->n_evalue, p, n);
    b->has_traceback |= b->next == R_TRACEBACK;
}

/* An error's name stands in its traceback too, when there is one. */
static void output_ends(struct ipynb *b)
{
    if (b->n_ename && !b->has_traceback) {
        hand_out(b, b->ename, b->n_ename);
        hand_out(b, ": ", 2);
        hand_out(b, b->evalue, b->n_evalue);
    }
    end_line(b);
}

/* What comes after a value of the array or object that is open now. */
static void set_next(struct ipynb *b)
{
    b->next = role_of(b->stack[b->depth], NULL, 0);
}

static void open_it(struct ipynb *b)
{
    enum role is = b->depth ? b->next : R_NOTEBOOK;
    b->stack[++b->depth] = is;
    if (is == R_CELL) {
        b->cell++;
        b->run = 0;
        b->printed = false;
        b->last = '\n';
    } else if (is == R_OUTPUT) {
        b->has_traceback = false;
        b->n_ename = b->n_evalue = 0;
    }
    set_next(b);
}

static void close_it(struct ipynb *b)
{
    enum role was = b->stack[b->depth--];
    if (was == R_OUTPUT)
        output_ends(b);
    if (was == R_CELL && b->printed) {
        b->ops->cell_end(b->ops->ctx, b->cell, b->run);
        b->printed = false;
    }
    set_next(b);
}

static void on_event(void *ctx, enum jsonflow_event event, const char *p, size_t n)
{
    struct ipynb *b = ctx;
    switch (event) {
    case JSONFLOW_OBJECT: case JSONFLOW_ARRAY:
        open_it(b);
        break;
    case JSONFLOW_OBJECT_END: case JSONFLOW_ARRAY_END:
        close_it(b);
        break;
    case JSONFLOW_KEY_IS:
        b->next = role_of(b->stack[b->depth], p, n);
        break;
    case JSONFLOW_TEXT:
        on_text(b, p, n);
        break;
    case JSONFLOW_STRING_END:
        if (b->next == R_TRACEBACK)
            end_line(b);
        set_next(b);
        break;
    case JSONFLOW_SCALAR: {
        uint64_t run;
        if (b->next == R_COUNT && str_to_u64(p, n, 10, &run) == 0 && run <= UINT32_MAX)
            b->run = (uint32_t)run;
        set_next(b);
        break;
    }
    }
}

struct ipynb *ipynb_new(const struct ipynb_ops *ops)
{
    struct ipynb *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->ops = ops;
    b->last = '\n';
    jsonflow_init(&b->json, on_event, b);
    return b;
}

void ipynb_free(struct ipynb *b)
{
    free(b);
}

static int damaged(const struct ipynb *b, struct err *e)
{
    if (b->cell)
        return err_set(e, -EBADMSG, _("the notebook is damaged at byte %llu, in cell %u"), (unsigned long long)b->json.at, b->cell);
    return err_set(e, -EBADMSG, _("the notebook is damaged at byte %llu"), (unsigned long long)b->json.at);
}

int ipynb_feed(struct ipynb *b, const char *p, size_t n, struct err *e)
{
    static const char bom[] = "\xef\xbb\xbf";
    while (n && b->json.at == 0 && *p && strchr(bom, *p)) { /* Windows programs put it in front */
        p++;
        n--;
    }
    return jsonflow_feed(&b->json, p, n) < 0 ? damaged(b, e) : 0;
}

int ipynb_end(struct ipynb *b, struct err *e)
{
    int r = jsonflow_end(&b->json);
    if (r == 0)
        return 0;
    end_line(b);
    if (b->printed)
        b->ops->cell_end(b->ops->ctx, b->cell, b->run);
    b->printed = false;
    if (r == -EBADMSG)
        return damaged(b, e);
    return err_set(e, r, _("the notebook ends too early, in cell %u"), b->cell);
}
