# SPDX-License-Identifier: Apache-2.0
"""codes_explain - data/tables/code_*.yaml and codes_*.yaml: checked, and appended to the tables of causes_explain.

Used by gen-causes and check-patterns. docs/formats/codes.md describes the keys.
"""
import os, re, yaml
import causes_explain
from causes_explain import Bad, literals, groups

FAMILIES = ('xid', 'cuda', 'cudnn', 'nvml', 'nccl', 'cublas')
MORE = ('cudart', 'any', 'bare')       # of formats only: which numbers are meant
ROW_KEYS = {'code', 'name', 'runtime', 'old', 'python', 'v8', 'alias', 'says', 'meaning', 'unit', 'class', 'cause'}
CLASS_KEYS = {'kind', 'severity', 'layer', 'chain', 'why', 'fix', 'may_be'}
FORMAT_GROUPS = {'code', 'name', 'text', 'gpu'}
VERSION_GROUPS = {'major', 'minor', 'packed', 'text'}
VERSIONS = ('cuda', 'cudnn', 'driver')
LITERAL_MIN = 4   # the least that the search takes
SPECIAL = (('code-ambiguous', 'code-bare', 'a number that stands for different errors'), ('code-unknown', 'code-unknown', 'a number that the table does not have'))


def check_rows(d, f):
    fam = f[len('codes_'):-len('.yaml')]
    if fam not in FAMILIES or d.get('table') != 'codes_' + fam:
        raise Bad(f'{f}: no such family')
    names, numbers = set(), set()
    for r in d['rows']:
        if set(r) - ROW_KEYS or 'name' not in r or 'meaning' not in r or ('class' in r) == ('cause' in r) or not re.fullmatch(r'[A-Za-z]\w+', r['name']):
            raise Bad(f'{f}: {r}')
        for k, have in (('name', names), ('runtime', names), ('python', names), ('code', numbers)):
            if k in r and (r[k] in have or have.add(r[k])):
                raise Bad(f'{f}: twice: {r[k]}')
        r['says'] = [r['says']] if isinstance(r.get('says'), str) else r.get('says', [])
        if len(r['says']) > 2 or not all(3 <= len(s) <= 160 for s in r['says']):
            raise Bad(f'{f}: says: one or two texts: {r}')
        if not any(isinstance(r.get(k), int) and 0 < r[k] < 10000 for k in ('code', 'alias', 'v8')):
            raise Bad(f'{f}: no number: {r}')
    return fam


def check_regex(x, key, allowed, families):
    if x.get(key) not in families or set(x) - {key, 're', 'match', 'near'} or not groups(x['re']) or groups(x['re']) - allowed:
        raise Bad(f'code_formats: {x}')
    x['lit_re'] = literals(x['re'], LITERAL_MIN)


def load(files):
    """{'families': {name: table}, 'classes': {}, 'formats': [], 'versions': [], 'bare_from': n} of the files' tables."""
    out = {'families': {}}
    for f in files:
        d, base = yaml.safe_load(open(f, encoding='utf-8')), os.path.basename(f)
        if base == 'code_classes.yaml':
            out['classes'] = d['classes']
            for k, c in d['classes'].items():
                if set(c) - CLASS_KEYS or CLASS_KEYS - {'may_be'} - set(c):
                    raise Bad(f'{base}: {k}: keys are {", ".join(sorted(CLASS_KEYS))}')
        elif base == 'code_formats.yaml':
            for x in d['formats']:
                check_regex(x, 'family', FORMAT_GROUPS, FAMILIES + MORE)
            for x in d['versions']:
                check_regex(x, 'of', VERSION_GROUPS, VERSIONS)
            out.update({k: d[k] for k in ('formats', 'versions', 'bare_from')})
        else:
            out['families'][check_rows(d, base)] = d
    for fam, d in out['families'].items():
        for r in d['rows']:
            if 'class' in r and r['class'] not in out['classes']:
                raise Bad(f'codes_{fam}: no class {r["class"]}')
    if set(out['families']) != set(FAMILIES):
        raise Bad(f'codes: families are {", ".join(FAMILIES)}')
    return out


def number_of(r):
    return r.get('code') or r.get('alias') or 0


def ids(codes):
    return [page_id(fam, r) for fam in FAMILIES for r in codes['families'][fam]['rows']] + [s[0] for s in SPECIAL]


def page_id(fam, r):
    return f'xid:{r["code"]}' if fam == 'xid' else r['name']


HEAD = '''struct explain_code { uint32_t name, name2, says, says2, unit; int16_t number, number2, cause; uint8_t family; }; /* number2: the other numbering's */
enum explain_family { ''' + ', '.join('FAMILY_' + f.upper() for f in FAMILIES + MORE + ('driver',)) + ''' }; /* from cudart on: how a number is to be read; driver: of versions only */
struct explain_format { uint16_t regex; uint8_t family; };'''


def tables(codes, t, add, regex, index, messages):
    """Rows for the tables; `add` takes a page's (steps, references, may_be) and returns C text of their places."""
    entries, rows, formats, versions = [], [], [], []

    def page(id_, c, text, refs, cause, label):
        places = add(None if cause else c['fix'], refs, [cause] if cause else c.get('may_be', []), cause)
        about = cause if cause else c
        entries.append(f'{{.id = {t(id_)}, .title = {t(text)}, .text = {t(text)}, .why = {t((about.get("explain") or {}).get("why", about["why"]))}, .confirm = {t(about.get("confirm"))}, '
                       f'.kind = KIND_{about["kind"].upper()}, .layer = {about["layer"]}, .severity = SEV_{about["severity"].upper()}, '
                       f'.chain = {(about.get("explain") or {}).get("chain", 99) if cause else c["chain"]}, {places}, .code = {label}}},')
        messages.append(text)
    for fam in FAMILIES:
        d = codes['families'][fam]
        for r in d['rows']:
            cause = index(r['cause']) if 'cause' in r else None
            if 'cause' in r and cause is None:
                raise Bad(f'codes_{fam}: no cause {r["cause"]}')
            says = [t(s) for s in r['says']] + [0, 0]
            rows.append(f'{{{t(r["name"])}, {t(r.get("runtime") or r.get("python"))}, {says[0]}, {says[1]}, {t(r.get("unit"))}, '
                        f'{number_of(r)}, {r.get("old") or r.get("v8") or 0}, {cause[0] if cause else -1}, FAMILY_{fam.upper()}}},')
            page(page_id(fam, r), codes['classes'].get(r.get('class')), r['meaning'], d['references'] + [d['source']], cause and cause[1], len(rows))
    for id_, cls, text in SPECIAL:
        page(id_, codes['classes'][cls], text, codes['families']['xid']['references'] if id_ == 'code-unknown' else [], None, 0)
    for c in codes['classes'].values():
        messages += [c['why']] + [s['note'] for s in c['fix'] if s.get('note')]
    for kind, out in (('formats', formats), ('versions', versions)):
        for x in codes[kind]:
            out.append(f'{{{regex(x["re"], x["lit_re"])}, FAMILY_{(x.get("family") or x["of"]).upper()}}},')
    return entries, rows, formats, versions
