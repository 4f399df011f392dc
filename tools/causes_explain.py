# SPDX-License-Identifier: Apache-2.0
"""causes_explain - the `explain` part of data/causes/*.yaml: its keys checked, const tables without pointers written.

Used by gen-causes. The tables hold offsets into one block of texts, so that a command that does not explain pays nothing for
them: no relocation, no page. docs/formats/causes.md describes the keys.
"""
import re, warnings
warnings.simplefilter('ignore', DeprecationWarning)
try:
    from re import _parser as sre, _constants as sc
except ImportError:
    import sre_parse as sre, sre_constants as sc

KEYS = {'text', 'chain', 'may_be', 'why', 'fix', 'patterns'}
PATTERN_KEYS = {'re', 'also', 'unless', 'match', 'near'}
LITERAL_MIN, LITERAL_MIN_MORE, LITERAL_MAX = 6, 4, 24   # bytes: of `re`, of `also` and `unless`, what the tables keep
PLACE = re.compile(r'(?<!\$)\{([a-z0-9_]+)(\|[^{}]*)?\}')
GROUP = re.compile(r'\(\?<([a-z][a-z0-9_]*)>')


class Bad(Exception):
    pass


def parse(rx):
    try:
        return sre.parse(re.sub(r'\(\?<(?=[A-Za-z_])', '(?P<', rx))
    except re.error as e:
        raise Bad(f'pattern {rx!r}: {e} (patterns keep to what PCRE2 and Python understand alike)')


def best(a, b):
    """The better of two sets of literals of which one must be in the line: the longer shortest one, then fewer."""
    if not a or not b:
        return a or b
    key = lambda s: (min(min(map(len, s)), 12), -len(s), min(map(len, s)))
    return a if key(a) >= key(b) else b


RUNS_MAX = 12   # of how many strings a run of literals may consist, where one alone is too short


def words(tokens, most):
    """All strings that these tokens match when they are literals and alternatives of literals, else None. Lower case."""
    out = {''}
    for op, arg in tokens:
        if op is sc.LITERAL and arg < 128:
            more = {chr(arg).lower()}
        elif op is sc.SUBPATTERN:
            more = words(arg[-1], most)
        elif op is sc.BRANCH:
            every = [words(b, most) for b in arg[1]]
            more = set().union(*every) if all(every) else None
        elif op in (sc.MAX_REPEAT, sc.MIN_REPEAT) and arg[:2] == (0, 1):
            more = words(arg[2], most)
            more = more and more | {''}
        elif op is sc.IN and all(o is sc.LITERAL and a < 128 for o, a in arg):
            more = {chr(a).lower() for _, a in arg}
        else:
            return None
        if more is None or len(out) * len(more) > most:
            return None
        out = {a + b for a in out for b in more}
    return out


def required(tokens, most=1):
    """A set of strings of which each match contains one, or None. Lower case: the search ignores the case of ASCII letters."""
    out, run = None, {''}

    def end():
        nonlocal out, run
        if all(run):
            out = best(out, run)
        run = {''}
    for op, arg in tokens:
        more = words([(op, arg)], most)
        if more is not None and len(run) * len(more) <= most:
            run = {a + b for a in run for b in more}
            continue
        end()
        if op is sc.SUBPATTERN:
            out = best(out, required(arg[-1], most))
        elif op is sc.BRANCH:
            sets = [required(b, most) for b in arg[1]]
            if all(sets):
                out = best(out, set().union(*sets))
        elif op in (sc.MAX_REPEAT, sc.MIN_REPEAT) and arg[0] >= 1:
            out = best(out, required(arg[2], most))
        elif str(op) == 'POSSESSIVE_REPEAT' and arg[0] >= 1:
            out = best(out, required(arg[2], most))
        elif str(op) == 'ATOMIC_GROUP':
            out = best(out, required(arg, most))
        if more is not None:
            run = more
    end()
    return out


def literals(rx, least):
    tokens = parse(rx)
    got = required(tokens)
    if not got or min(map(len, got)) < least:
        got = required(tokens, RUNS_MAX)
    if not got or min(map(len, got)) < least:
        raise Bad(f'pattern {rx!r}: needs a literal of at least {least} bytes in each of its matches; found {sorted(got or [])}')
    return sorted({max(windows(g), key=rareness) for g in got})


def windows(lit):
    return [lit] if len(lit) <= LITERAL_MAX else [lit[i:i + LITERAL_MAX] for i in range(len(lit) - LITERAL_MAX + 1)]


def rareness(lit):
    return (sum(not c.isalpha() and c != ' ' for c in lit) + sum(c in 'jkqvxz' for c in lit), -ord(lit[0]))


def groups(rx):
    return set(GROUP.findall(rx))


def caseless(rx):
    """Programs and people write one message in several cases: the case of letters counts only after (?-i)."""
    return rx[5:] if rx.startswith('(?-i)') else rx if rx.startswith('(?i)') else '(?i)' + rx


def check_pattern(p):
    if not isinstance(p, dict) or set(p) - PATTERN_KEYS:
        raise Bad(f'explain.patterns: keys are {", ".join(sorted(PATTERN_KEYS))}: {p}')
    for k in ('re', 'match', 'near'):
        if not p.get(k):
            raise Bad(f'explain.patterns: {k} is missing: {p}')
    for k in ('match', 'near'):
        if isinstance(p[k], str):
            p[k] = [p[k]]
    for k in ('re', 'also', 'unless'):
        if p.get(k):
            if not isinstance(p[k], str) or '\n' in p[k] or p[k].startswith('.*'):
                raise Bad(f'explain.patterns.{k}: one line, no leading .*: {p[k]!r}')
            p[k] = caseless(p[k])
            p['lit_' + k] = literals(p[k], LITERAL_MIN if k == 're' else LITERAL_MIN_MORE)


def check(d, check_fix):
    """Check d['explain'] and fill defaults; raises Bad. That the ids of may_be exist is tools/check-patterns' business."""
    x = d['explain']
    if not isinstance(x, dict) or set(x) - KEYS:
        raise Bad(f'explain: keys are {", ".join(sorted(KEYS))}, not {sorted(set(x) - KEYS)}')
    if not isinstance(x.get('text'), str) or '\n' in x['text']:
        raise Bad('explain.text: one line')
    if x.get('chain') not in range(1, 100):
        raise Bad('explain.chain: 1 to 99')
    x.setdefault('may_be', [])
    if x['may_be'] and d['kind'] != 'symptom':
        raise Bad('explain.may_be: symptoms only')
    if not x.get('patterns'):
        raise Bad('explain.patterns: none')
    for p in x['patterns']:
        check_pattern(p)
    if 'fix' in x:
        check_fix(x['fix'], 'explain.fix')
    known = set().union(*(groups(p['re']) for p in x['patterns']))
    for name, words in PLACE.findall(x['text']):
        if name not in known:
            raise Bad(f'explain.text: no pattern has a group {name}')
        if not words and any(name not in groups(p['re']) for p in x['patterns']):
            raise Bad(f'explain.text: {{{name}}} is not in every pattern; write {{{name}|words}}')


class Texts:
    """One block of NUL-ended texts; equal ones once. The first byte is no text: offset 0 is NULL."""

    def __init__(self, cstr):
        self.cstr, self.at, self.rows, self.size = cstr, {}, [], 1

    def __call__(self, s):
        if s is None:
            return 0
        if s not in self.at:
            n = len(self.value(s).encode()) + 1
            self.at[s] = self.size
            self.rows.append((s, n))
            self.size += n
        return self.at[s]

    @staticmethod
    def value(s):
        return ' '.join(s.split()) if '\n' in s and not s.startswith('|') else s

    def write(self):
        out = ['const struct explain_texts {', '    char none[1];']
        out += [f'    char t{i}[{n}];' for i, (_, n) in enumerate(self.rows)]
        out += ['} explain_texts = {', '    .none = {0},'] + [f'    .t{i} = {self.cstr(s)},' for i, (s, _) in enumerate(self.rows)]
        return out + ['};', f'_Static_assert(sizeof explain_texts == {self.size}, "offsets");']


HEAD = '''/* Generated from data/causes/ by tools/gen-causes: what `explain` knows. Offsets into one block, no pointers. */
#ifndef TG_EXPLAIN_GEN_H
#define TG_EXPLAIN_GEN_H
#include <stdint.h>
#include "causes_gen.h"
struct explain_texts;
extern const struct explain_texts explain_texts;
static inline const char *explain_str(uint32_t at) { return at ? (const char *)&explain_texts + at : NULL; }
struct explain_step { uint32_t when, command, note; uint8_t side, needs_root; };
struct explain_regex { uint32_t re, first_literal, n_literals; };           /* a match contains one of the literals (lower case) */
struct explain_pattern { uint16_t entry, re; int16_t also, unless; };       /* indices of regexes; -1: none */
struct explain_entry {
    uint32_t id, title, text, why, confirm; /* text 0: no pattern reaches it */
    uint8_t kind, layer, severity, chain;   /* enum cause_kind, 0 to 7 (0: none), enum severity */
    uint32_t first_step, n_steps, first_reference, n_references, first_may_be, n_may_be;
    uint16_t code;                          /* of a code's page: its row of explain_codes, from 1 */
};'''


def tables(ds, cstr, fix_when, messages, codes=None):
    """(header lines, source lines) of explain_gen; codes: what codes_explain.load gives."""
    import codes_explain  # which imports us
    t = Texts(cstr)
    steps, refs, may, lits, regexes, patterns, rows, firsts, rx_at = [], [], [], [], [], [], [], [], {}
    index = {d['id']: i for i, d in enumerate(ds)}

    def regex(rx, literal):
        if rx is None:
            return -1
        if rx not in rx_at:
            rx_at[rx] = len(regexes)
            regexes.append(f'{{{t(rx)}, {len(lits)}, {len(literal)}}},')
            lits.extend(t(l) for l in literal)
        return rx_at[rx]

    def add_steps(fix):
        for s in fix:
            steps.append(f'{{{" | ".join(fix_when(w) for w in s["when"])}, {t(s.get("command"))}, {t(s.get("note"))}, SIDE_{s["side"].upper()}, {int(bool(s["needs_root"]))}}},')
    for i, d in enumerate(ds):
        x = d.get('explain') or {}
        fix = x.get('fix', d['fix'])
        first = (len(steps), len(refs), len(may))
        add_steps(fix)
        messages += [s['note'] for s in fix if s.get('note') and 'fix' in x]
        firsts.append((first[0], len(fix)))
        refs += [t(r) for r in d.get('references') or []]
        may += [index[m] for m in x.get('may_be', []) if m in index]
        for p in x.get('patterns', []):
            patterns.append(f'{{{i}, {regex(p["re"], p["lit_re"])}, {regex(p.get("also"), p.get("lit_also"))}, {regex(p.get("unless"), p.get("lit_unless"))}}},')
        messages += [x[k] for k in ('text', 'why') if x.get(k)]
        rows.append(f'{{.id = {t(d["id"])}, .title = {t(d["title"])}, .text = {t(x.get("text"))}, .why = {t(x.get("why", d["why"]))}, .confirm = {t(d.get("confirm"))}, '
                    f'.kind = KIND_{d["kind"].upper()}, .layer = {d["layer"]}, .severity = SEV_{d["severity"].upper()}, .chain = {x.get("chain", 99)}, '
                    f'.first_step = {first[0]}, .n_steps = {len(fix)}, .first_reference = {first[1]}, .n_references = {len(refs) - first[1]}, '
                    f'.first_may_be = {first[2]}, .n_may_be = {len(may) - first[2]}}},')
    n_regexes, more = len(regexes), ([], [], [], [])
    if codes:
        class_at = {}

        def add(fix, references, may_be, cause):
            if cause:
                at = firsts[index[cause['id']]]
            else:
                at = class_at.setdefault(id(fix), (len(steps), len(fix)))
                if at[0] == len(steps):
                    add_steps(fix)
            first = (len(refs), len(may))
            refs.extend(t(r) for r in references + (cause or {}).get('references', []) if r)
            may.extend(index[m['id'] if cause else m] for m in may_be)
            return (f'.first_step = {at[0]}, .n_steps = {at[1]}, .first_reference = {first[0]}, .n_references = {len(refs) - first[0]}, '
                    f'.first_may_be = {first[1]}, .n_may_be = {len(may) - first[1]}')

        def new_regex(rx, literal):  # never shared with a cause's: what it means is another matter
            regexes.append(f'{{{t(rx)}, {len(lits)}, {len(literal)}}},')
            lits.extend(t(l) for l in literal)
            return len(regexes) - 1
        more = codes_explain.tables(codes, t, add, new_regex, lambda i: (index[i], ds[index[i]]) if i in index else None, messages)
    c = ['/* Generated from data/causes/ by tools/gen-causes. */', '#include "explain_gen.h"', ''] + t.write()
    h = HEAD.split('\n') + codes_explain.HEAD.split('\n') + [f'enum {{ EXPLAIN_N_CAUSES = {len(ds)}, EXPLAIN_N_CAUSE_REGEXES = {n_regexes}, EXPLAIN_BARE_FROM = {codes["bare_from"] if codes else 0} }}; /* behind them: of codes */']
    rows += more[0]
    for ctype, name, body in (('struct explain_entry', 'entries', rows), ('struct explain_step', 'steps_table', steps), ('uint32_t', 'references', [f'{r},' for r in refs]),
                              ('uint16_t', 'may_be', [f'{m},' for m in may]), ('struct explain_regex', 'regexes', regexes), ('uint32_t', 'literals', [f'{l},' for l in lits]),
                              ('struct explain_pattern', 'patterns', patterns), ('struct explain_code', 'codes', more[1]), ('struct explain_format', 'formats', more[2]),
                              ('struct explain_format', 'versions', more[3])):
        h += [f'enum {{ EXPLAIN_N_{name.upper()} = {len(body)} }};', f'extern const {ctype} explain_{name}[];']
        c += [f'const {ctype} explain_{name}[] = {{'] + ['    ' + b for b in body or ['{0}' if ctype.startswith('struct') else '0']] + ['};']
    return h + ['#endif'], c
