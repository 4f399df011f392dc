# SPDX-License-Identifier: Apache-2.0
"""causes_explain - the `explain` part of data/causes/*.yaml: its keys checked, const tables without pointers written.

Used by gen-causes. The tables hold offsets into one block of texts, so that a command that does not explain pays nothing for
them: no relocation, no page. docs/formats/causes.md describes the keys.
"""
import os, re, warnings, yaml
warnings.simplefilter('ignore', DeprecationWarning)
try:
    from re import _parser as sre, _constants as sc
except ImportError:
    import sre_parse as sre, sre_constants as sc

KEYS = {'text', 'chain', 'may_be', 'why', 'fix', 'patterns'}
PATTERN_KEYS = {'re', 'also', 'unless', 'match', 'near'}
LITERAL_MIN, LITERAL_MIN_MORE, LITERAL_MAX = 6, 4, 20   # bytes: of `re`, of `also` and `unless`, what the tables keep
PLACE = re.compile(r'(?<!\$)\{([a-z0-9_]+)(\|[^{}]*)?\}')
GROUP = re.compile(r'\(\?<([a-z][a-z0-9_]*)>')


class Bad(Exception):
    pass


def parse(rx):
    try:
        return sre.parse(re.sub(r'\(\?<(?=[A-Za-z_])', '(?P<', rx))
    except re.error as e:
        raise Bad(f'pattern {rx!r}: {e} (patterns keep to what PCRE2 and Python understand alike)')


# -- literals: a set of strings of which each match contains one ---------------------------------------------------------
# A letter that matches in both cases (under (?i)) is kept as a private character until the end.
BOTH = 0xe000
SET_MAX, CLASS_MAX, ENOUGH = 40, 12, 12   # strings of a set; characters of a class that is written out; bytes that tell enough


def char(c, fold):
    return chr(BOTH + ord(chr(c).lower())) if fold and chr(c).isalpha() else chr(c)


def class_chars(items, fold):
    """The characters of a class when they are few and ASCII, else None."""
    out = set()
    for op, arg in items:
        if op is sc.LITERAL and arg < 128:
            out.add(char(arg, fold))
        elif op is sc.RANGE and arg[1] < 128 and arg[1] - arg[0] < CLASS_MAX:
            out |= {char(c, fold) for c in range(arg[0], arg[1] + 1)}
        elif op is sc.CATEGORY and arg is sc.CATEGORY_DIGIT:
            out |= set('0123456789')
        else:
            return None
    return out if len(out) <= CLASS_MAX and min(out, default='') >= ' ' else None


class Required:
    """Reads a sequence of tokens. `run`: all that the characters just before can be; sets that are closed are `sets`."""

    def __init__(self, run=frozenset({''})):
        self.run, self.sets, self.exact = run, [], True

    def close(self, run=None):
        self.sets.append(self.run)
        self.run, self.exact = run or {''}, False

    def add(self, strings):
        if len(self.run) * len(strings) > SET_MAX or (len(strings) > 1 and min(map(len, self.run)) >= ENOUGH):
            self.close()
        self.run = {a + b for a in self.run for b in strings}

    def sequence(self, tokens, fold):
        for op, arg in tokens:
            self.token(op, arg, fold)
        return self

    def token(self, op, arg, fold):
        if op is sc.LITERAL and 32 <= arg < 127:
            self.add({char(arg, fold)})
        elif op is sc.IN and class_chars(arg, fold):
            self.add(class_chars(arg, fold))
        elif op is sc.SUBPATTERN:
            self.sequence(arg[-1], (fold or bool(arg[1] & re.I)) and not arg[2] & re.I)
        elif str(op) == 'ATOMIC_GROUP':
            self.sequence(arg, fold)
        elif op is sc.BRANCH:
            self.branch(arg[1], fold)
        elif op in (sc.MAX_REPEAT, sc.MIN_REPEAT) or str(op) == 'POSSESSIVE_REPEAT':
            self.repeat(arg[0], arg[1], Required().sequence(arg[2], fold))
        elif op not in (sc.AT, sc.ASSERT, sc.ASSERT_NOT):
            self.close()

    def branch(self, branches, fold):
        ways = [Required().sequence(b, fold) for b in branches]
        strings = set().union(*(w.run for w in ways))
        if all(w.exact for w in ways) and len(strings) <= SET_MAX:
            self.add(strings)
            return
        before = self.run if len(self.run) * len(ways) <= SET_MAX else {''}
        self.close()
        found = [Required(before).sequence(b, fold).best() for b in branches]
        if all(found):
            self.sets.append(set().union(*found))

    def repeat(self, least, most, what):
        if not what.exact:
            self.close()
            if least:
                self.sets.append(what.best() or {''})
        elif least == 0 and most == 1:
            self.add(what.run | {''})
        elif least == 0:
            self.close()
        else:
            for _ in range(min(least, 8)):
                self.add(what.run)
            if most != least or least > 8:
                self.close(what.run)

    def best(self):
        sets = [s for s in map(tidy, self.sets + [self.run]) if min(map(len, s))]
        return max(sets, key=lambda s: (min(min(map(len, s)), LITERAL_MIN), -sum(map(often, s))), default=None)


def tidy(strings):
    """A string without capitals stands for those that differ in case; one that contains another is not needed."""
    low = {s for s in strings if s == s.lower()}
    s = {s for s in strings if s in low or s.lower() not in low}
    return {a for a in s if not any(b != a and b and b in a for b in s)} if len(s) <= SET_MAX else s


# Rough shares of characters in logs; who is not named is rare.
SHARES = {**dict.fromkeys('etaoinsr', .06), **dict.fromkeys('hlducmfpgy', .025), **dict.fromkeys('0123456789', .05), ' ': .12, '.': .03, ':': .02, '/': .02, '-': .02, '_': .02, '=': .02}


def share(c):
    return SHARES.get(c, .008)


def often(s):
    """How often the literal is expected to be in a log, for comparing."""
    p = 1.0
    for c in s:
        p *= share(c) ** .7   # characters of words foretell each other
    return p


def windows(s):
    return [s[i:i + LITERAL_MAX] for i in range(max(1, len(s) - LITERAL_MAX + 1))]


def plain(s):
    """Letters of both cases become small; then the whole literal is matched in any case."""
    return ''.join(chr(ord(c) - BOTH) if ord(c) >= BOTH else c for c in s).lower() if any(ord(c) >= BOTH for c in s) else s


def required(tree):
    return Required().sequence(tree, bool(tree.state.flags & re.I)).best()


def literals(rx, least):
    got = required(parse(rx))
    if not got or min(map(len, got)) < least:
        raise Bad(f'pattern {rx!r}: needs a literal of at least {least} bytes in each of its matches; found {sorted(map(plain, got or []))}')
    return sorted(tidy({plain(min(windows(s), key=often)) for s in got}))


def groups(rx):
    return set(GROUP.findall(rx))


def caseless(rx):
    """Programs and people write one message in several cases: the case of letters counts only after (?-i)."""
    return rx[5:] if rx.startswith('(?-i)') else rx if rx.startswith('(?i)') else '(?i)' + rx


def translations():
    """{phrase: expression that matches it in each language}; data/tables/translations.yaml."""
    with open(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'data/tables/translations.yaml'), encoding='utf-8') as f:
        return {x['phrase']: f'(?:{x["phrase"]}|(?:{"|".join(x["others"])})[^:]*)' for x in yaml.safe_load(f)['rows']}


TRANSLATIONS = translations()


def every_language(rx):
    """A phrase of a program that speaks its user's language, in all of them."""
    for phrase, all_of_them in TRANSLATIONS.items():
        rx = rx.replace(phrase, all_of_them)
    return rx


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
            p[k] = caseless(every_language(p[k]))
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
struct explain_regex { uint32_t re, first_literal, n_literals; };           /* a match contains one of the literals; of one without capitals the case does not count */
struct explain_pattern { uint16_t entry, re; int16_t also, unless; };       /* indices of regexes; -1: none */
enum private_in { PRIVATE_ALL, PRIVATE_RE, PRIVATE_NONE };                  /* expressions and samples; expressions; taken out first */
struct explain_private { uint32_t re, what; uint8_t in; };                 /* data/tables/private.yaml */
struct explain_entry {
    uint32_t id, title, text, why, confirm; /* text 0: no pattern reaches it */
    uint8_t kind, layer, severity, chain;   /* enum cause_kind, 0 to 7 (0: none), enum severity */
    uint32_t first_step, n_steps, first_reference, n_references, first_may_be, n_may_be;
    uint16_t code;                          /* of a code's page: its row of explain_codes, from 1 */
};'''


def tables(ds, cstr, fix_when, messages, codes=None, private=()):
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
    secrets = [f'{{{t(x["re"])}, {t(x["what"])}, PRIVATE_{x["in"].upper()}}},' for x in private]
    messages += [x['what'] for x in private if x['in'] != 'none']
    c = ['/* Generated from data/causes/ by tools/gen-causes. */', '#include "explain_gen.h"', ''] + t.write()
    h = HEAD.split('\n') + codes_explain.HEAD.split('\n') + [f'enum {{ EXPLAIN_TEXTS_BYTES = {t.size}, EXPLAIN_N_CAUSES = {len(ds)}, EXPLAIN_N_CAUSE_REGEXES = {n_regexes}, EXPLAIN_BARE_FROM = {codes["bare_from"] if codes else 0} }}; /* behind them: of codes */']
    rows += more[0]
    for ctype, name, body in (('struct explain_entry', 'entries', rows), ('struct explain_step', 'steps_table', steps), ('uint32_t', 'references', [f'{r},' for r in refs]),
                              ('uint16_t', 'may_be', [f'{m},' for m in may]), ('struct explain_regex', 'regexes', regexes), ('uint32_t', 'literals', [f'{l},' for l in lits]),
                              ('struct explain_pattern', 'patterns', patterns), ('struct explain_code', 'codes', more[1]), ('struct explain_format', 'formats', more[2]),
                              ('struct explain_format', 'versions', more[3]), ('struct explain_private', 'private', secrets)):
        h += [f'enum {{ EXPLAIN_N_{name.upper()} = {len(body)} }};', f'extern const {ctype} explain_{name}[];']
        c += [f'const {ctype} explain_{name}[] = {{'] + ['    ' + b for b in body or ['{0}' if ctype.startswith('struct') else '0']] + ['};']
    return h + ['#endif'], c
