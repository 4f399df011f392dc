# SPDX-License-Identifier: Apache-2.0
"""What the real TensorFlow did against what tfgpu said it would do."""
import os
import re

REFUSED = re.compile(r"Could not load dynamic library '([^']+)'; dlerror: (.*?)(?:; LD_LIBRARY_PATH: .*)?$", re.M)


def differences(real, said, cwd='.', unsaid=False):
    """Tuples (what, real, tool). `real`: see run-tensorflow; `said`: the JSON of `tfgpu check`, asked in `cwd`; `unsaid`: whether the import works
    shows only when the code runs, so that null is as good an answer as the right one."""
    p, d = said['prediction'], []
    hangs = real['signal'] == 'hang'
    if unsaid and p['import_ok'] is None and p['dies'] is None and said['verdict'] != 'works':
        return []

    def check(what, a, b):
        if a != b:
            d.append((what, a, b))
    check('import_ok', real['import_ok'], p['import_ok'])
    check('dies', None if hangs else real['signal'], p['dies'])
    check('hangs', hangs and real['import_ok'], p['hangs'] or False)
    ends = real['import_ok'] and real['gpus'] is None      # while the devices are listed: by a signal, or with an exit code
    if real['signal'] is None and real['import_ok'] and not ends:
        check('gpus_listed', real['gpus'], p['gpus_listed'])
    elif ends and real['signal'] is None and p['culprit'] is None:
        d.append(('ends', 'while it lists devices', p['gpus_listed']))
    elif p['gpus_listed'] not in ((None,) if hangs else (0, None)):
        d.append(('gpus_listed', 'none: the process does not come so far', p['gpus_listed']))
    d += verdicts(real, said)
    d += files(real, said['libraries'], cwd)
    d += culprits(real, said)
    return d


def verdicts(real, said):
    """"works" where no GPU is listed is wrong whatever the prediction says; so is "broken" at layers 1 to 5 where all are."""
    if said['verdict'] == 'works' and not real['gpus']:
        return [('verdict', f"gpus {real['gpus']}, import_ok {real['import_ok']}, signal {real['signal']}", 'works')]
    return []


def same(a, b):
    return os.path.realpath(a) == os.path.realpath(b)


def refusals(real):
    """Libraries that TensorFlow's log says it could not open."""
    return {m.group(1) for m in REFUSED.finditer(real.get('stderr', ''))}


def files(real, libraries, cwd):
    """The mapped file of each library that tfgpu names is the one that it says wins; what is mandatory is mapped when a GPU is listed."""
    d = []
    maps, refused = {}, refusals(real)
    for path in real.get('maps', ()):
        maps.setdefault(os.path.basename(os.path.realpath(path)), []).append(path)
        maps.setdefault(os.path.basename(path), []).append(path)
    for lib in libraries:
        names = {lib['soname']} | ({os.path.basename(os.path.realpath(lib['path']))} if lib['path'] else set())
        found = [x for n in names for x in maps.get(n, ())]
        if lib['outcome'] != 'found':
            # what TensorFlow was refused may still be mapped when a library that it opened later brought it along
            if lib['outcome'] in ('missing', 'fails') and found and not lib.get('late') and lib['soname'] not in refused:
                d.append((f"{lib['soname']}: file", found[0], lib['outcome']))
            continue
        if found and not any(same(os.path.join(cwd, lib['path']), x) for x in found):
            d.append((f"{lib['soname']}: file", found[0], lib['path']))
        if not found and lib.get('mandatory') and real['gpus']:
            d.append((f"{lib['soname']}: file", 'not mapped', lib['path']))
    return d


def culprits(real, said):
    """The library that is blamed for a missing GPU is one that TensorFlow was refused; TensorFlow's log must be loud for it."""
    refused = refusals(real)
    culprit = said['prediction']['culprit']
    mandatory = {x['soname'] for x in said['libraries'] if x.get('mandatory')}
    if not real['import_ok'] or real['signal'] or not real.get('loud') or real['gpus']:
        return []
    if culprit and '.so' in culprit and culprit not in refused:
        return [('culprit', f'refused: {sorted(refused) or None}', culprit)]
    if refused & mandatory and not culprit:
        return [('culprit', sorted(refused & mandatory), None)]
    return []
