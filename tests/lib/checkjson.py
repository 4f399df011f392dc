# SPDX-License-Identifier: Apache-2.0
"""checkjson - the permanent core of `tfgpu check --format json` (schema tfgpu.check/1). check(j) gives a list of complaints."""

STATUS = ('ok', 'degraded', 'broken', 'undetermined', 'not-reached')
SEVERITY = ('broken', 'degraded', 'note')
ORDER = {s: i for i, s in enumerate(SEVERITY)}


def need(o, where, spec, bad):
    if not isinstance(o, dict):
        bad.append(f'{where} is not an object')
        return False
    for k, types in spec.items():
        if k not in o:
            bad.append(f'{where}.{k} is missing')
        elif not isinstance(o[k], types) or (isinstance(o[k], bool) and bool not in (types if isinstance(types, tuple) else (types,))):
            bad.append(f'{where}.{k} is {type(o[k]).__name__}')
    return True


def check(j):
    bad, none = [], type(None)
    if not need(j, 'answer', {'schema': str, 'verdict': str, 'first_broken': (dict, none), 'layers': list, 'findings': list, 'libraries': list, 'prediction': dict}, bad) or bad:
        return bad
    if j['schema'] != 'tfgpu.check/1':
        bad.append(f"schema {j['schema']}")
    if j['verdict'] not in ('works', 'broken', 'undetermined'):
        bad.append(f"verdict {j['verdict']}")
    if [x.get('layer') for x in j['layers']] != [1, 2, 3, 4, 5, 6, 7]:
        bad.append('layers are not 1..7')
    for x in j['layers']:
        need(x, f"layers[{x.get('layer')}]", {'layer': int, 'status': str, 'summary': str}, bad)
        if x.get('status') not in STATUS:
            bad.append(f"layer status {x.get('status')}")
    for i, f in enumerate(j['findings']):
        w = f'findings[{i}]'
        if need(f, w, {'cause': str, 'layer': int, 'severity': str, 'subject': (str, none), 'evidence': list, 'fix': list}, bad):
            if f['severity'] not in SEVERITY or f['layer'] not in range(1, 8):
                bad.append(f"{w}: severity {f['severity']}, layer {f['layer']}")
            for e in f['evidence']:
                need(e, w + '.evidence', {'fact': str, 'path': (str, none), 'value': (str, int, bool, none)}, bad)
            for s in f['fix']:
                if need(s, w + '.fix', {'side': str, 'needs_root': bool, 'command': (str, none), 'note': (str, none)}, bad) and s['side'] not in ('linux', 'windows', 'host'):
                    bad.append(f"{w}.fix: side {s['side']}")
    for i, l in enumerate(j['libraries']):
        need(l, f'libraries[{i}]', {'soname': str, 'needed_by': (str, none), 'path': (str, none), 'version': (str, none), 'rule': (str, none), 'shadowed': list}, bad)
    need(j['prediction'], 'prediction', {'import_ok': (bool, none), 'gpus_listed': (int, none), 'hangs': (bool, none), 'dies': (str, none), 'culprit': (str, none), 'root': (str, none)}, bad)
    if bad:
        return bad
    # how the parts hang together
    keys = [(f['layer'], ORDER[f['severity']]) for f in j['findings']]
    if keys != sorted(keys):
        bad.append(f'findings are not ordered by layer and severity: {keys}')
    broken = [f for f in j['findings'] if f['severity'] == 'broken']
    first = j['first_broken']
    if bool(first) != bool(broken):
        bad.append(f'first_broken is {first}, broken findings: {[f["cause"] for f in broken]}')
    elif first and (first.get('layer'), first.get('cause'), first.get('subject')) != (broken[0]['layer'], broken[0]['cause'], broken[0]['subject']):
        bad.append(f"first_broken {first} is not the first broken finding {broken[0]['cause']}")
    if bool(broken) != (j['verdict'] == 'broken'):
        bad.append(f"verdict {j['verdict']} with {len(broken)} broken findings")
    for x in j['layers']:
        sev = {f['severity'] for f in j['findings'] if f['layer'] == x['layer']}
        want = 'broken' if 'broken' in sev else 'degraded' if 'degraded' in sev else None
        if want and x['status'] != want and not (want == 'degraded' and x['status'] == 'undetermined'):
            bad.append(f"layer {x['layer']} is {x['status']} with a {want} finding")
        if not want and x['status'] in ('broken', 'degraded'):
            bad.append(f"layer {x['layer']} is {x['status']} without such a finding")
    return bad
