# SPDX-License-Identifier: Apache-2.0
"""tfgpu snapshot and --snapshot: written whole or not at all, judged as here, refused when it is no facts file."""
import json, os, stat

from cases_output import schema, valid
from cli import answer, case, one_error


def made(c, *args):
    p = os.path.join(c.work, 'facts.json')
    r = c.run('snapshot', '--driver-timeout', '0', '-o', p, *args)
    assert r.code == 0 and not r.out and not r.err, repr(r)
    return p


@case
def snapshot_is_judged_as_the_machine(c):
    p = made(c)
    here, there = (json.loads(answer(c.run('check', '--format', 'json', *a)).out) for a in (('--driver-timeout', '0'), ('--snapshot', p)))
    assert there.pop('machine') == p and here == there, (here, there)


@case
def snapshot_keeps_its_schema(c):
    valid(schema('docs/schema/snapshot.schema.json'), json.load(open(made(c))), 'snapshot')
    r = answer(c.run('snapshot', '--driver-timeout', '0'))
    assert r.code == 0 and json.loads(r.out)['schema'] == 'tfgpu.facts/1', repr(r)


@case
def snapshot_is_replaced_whole(c):
    p = made(c)
    old = open(p).read()
    assert stat.S_IMODE(os.stat(p).st_mode) == 0o600
    r = c.run('snapshot', '--driver-timeout', '0', '-o', os.path.join(c.work, 'no/f'))
    assert r.code == 2 and len(r.err.splitlines()) == 1, repr(r)
    assert c.run('snapshot', '--driver-timeout', '0', '-o', c.work).code == 2
    made(c)
    assert json.loads(open(p).read())['schema'] == json.loads(old)['schema'] and not [n for n in os.listdir(c.work) if n.startswith('facts.json.')]


@case
def snapshot_that_is_none(c):
    good = open(made(c)).read()
    for data, code, word in (('', 2, 'not a facts file'), ('hello', 2, 'not a facts file'), ('{"schema": "tfgpu.check/1"}', 2, 'not a facts file'), ('{"schema": "tfgpu.facts/2"}', 2, 'tfgpu.facts/2'),
                             (good[:len(good) // 2], 3, 'line'), (good.replace('"gpus": [', '"gpus": [7, ', 1).replace('[7, ]', '[7]'), 3, 'facts.gpus[0]'), ('{' + '"a":{' * 100000, 3, 'damaged')):
        p = os.path.join(c.work, 'bad.json')
        open(p, 'w').write(data)
        one_error(c.run('check', '--snapshot', p), code, word)
    one_error(c.run('check', '--snapshot', os.path.join(c.work, 'nothing')), 2, 'nothing')
    one_error(c.run('check', '--snapshot', c.work), 2, c.work)
    one_error(c.run('check', '--snapshot', '/dev/zero'), 2, '/dev/zero')
    for other in (('--root', '/'), ('--env', 'x'), ('--deep',), ('--prove',)):
        one_error(c.run('check', '--snapshot', made(c), *other), 2, other[0])
