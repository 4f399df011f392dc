# SPDX-License-Identifier: Apache-2.0
"""tfgpu solve: what fits, the minimal reason, the smallest changes, bad options."""
import fcntl, json, os, pty, re, struct, termios, unicodedata

from cli import answer, case, one_error
from cases_output import schema, valid


def solve(c, *args):
    r = answer(c.run('solve', *args, '--format', 'json'))
    j = json.loads(r.out)
    valid(schema('docs/schema/solve.schema.json'), j, 'solve')
    assert r.code == (0 if j['offers'] else 1) and r.err == '', repr(r)
    assert bool(j['offers']) != bool(j['reason']), j
    return j


@case
def solve_names_the_driver_that_a_new_gpu_needs(c):
    j = solve(c, '--driver', '535.104', '--gpu', 'RTX 5090')
    assert [x['part'] for x in j['reason']] == ['driver', 'gpu'] and '570' in j['reason'][1]['text'], j['reason']
    assert [[(s['part'], s['value']) for s in x['steps']] for x in j['changes']] == [[('driver', '570')]], j['changes']
    assert 'needs a driver >= 570' in answer(c.run('solve', '--driver', '535.104', '--gpu', 'RTX 5090')).out
    assert solve(c, '--driver', '570.86', '--gpu', 'RTX 5090')['offers'][0]['gives'][0]['code'] == 'jit'


@case
def solve_offers_driver_or_tensorflow(c):
    j = solve(c, '--driver', '470.57.02', '--gpu', 'GTX 1080', '--tf', '>=2.15')
    assert [x['part'] for x in j['reason']] == ['driver', 'tensorflow'], j['reason']
    assert [[(s['part'], s['value']) for s in x['steps']] for x in j['changes']] == [[('tensorflow', '<=2.14.1')], [('driver', '525.60.13')]], j['changes']


@case
def solve_holds_cudnn_back_for_an_old_gpu(c):
    old, new = (solve(c, '--driver', '580.65', '--gpu', g, '--tf', '2.20')['offers'][0] for g in ('6.1', '8.9'))
    assert old['cudnn'] == '9.3.0.75' and 'cudnn-held-back' in [d['id'] for d in old['known_defects']], old
    assert new['cudnn'] != old['cudnn'] and new['pins']['nvidia-cudnn-cu12'] == '==' + new['cudnn'] and not new['known_defects'], new


@case
def solve_does_not_plan_what_cannot_be_installed(c):
    for python, extra in (('3.10', True), ('3.11', False)):
        o = solve(c, '--driver', '580.65', '--gpu', '8.0', '--tf', '2.14.1', '--python', python)['offers'][0]
        assert ('tensorflow[and-cuda]' in o['pins']) == extra, o
        assert ('extra-unusable' in [d['id'] for d in o['known_defects']]) != extra and 'nvidia-cudnn-cu11' in o['pins'], o
    o = solve(c, '--driver', '580.65', '--gpu', '8.0', '--tf', '2.14.0')['offers'][0]
    assert o['pins']['numpy'] == '<2', o
    assert 'numpy' not in solve(c, '--driver', '580.65', '--gpu', '8.0', '--tf', '2.20')['offers'][0]['pins']


@case
def solve_shares_an_environment_or_makes_two(c):
    j = solve(c, '--driver', '580.65', '--gpu', '8.9', '--with', 'torch')
    assert j['offers'][0]['together'] and not j['offers'][0]['apart'] and j['offers'][0]['pins']['torch'], j['offers'][0]
    j = solve(c, '--driver', '580.65', '--gpu', '8.9', '--with', 'torch', '--tf', '2.19')
    assert not j['offers'][0]['together'] and j['offers'][0]['apart'][0]['pins']['torch'], j['offers'][0]
    assert 'torch' not in j['offers'][0]['pins']


@case
def solve_on_a_mac_plans_the_cpu(c):
    o = solve(c, '--os', 'macos')['offers'][0]
    assert o['cuda'] is None and o['cudnn'] is None and set(o['pins']) == {'tensorflow'}, o


@case
def solve_bad_options(c):
    for args in (('--gpu', 'RTX 9999'), ('--gpu', ''), ('--driver', 'new'), ('--driver', '5..1'), ('--python', '2.7'), ('--python', '3.'), ('--tf', 'newest'),
                 ('--tf', '>=2,x'), ('--with', 'caffe'), ('--with', 'torch==x'), ('--with', 'torch,torch'), ('--glibc', '2.x'), ('--wsl', '--os', 'macos'),
                 ('--engine', 'poetry'), ('--snapshot', '/nonexistent')):
        one_error(c.run('solve', *args), 2)


@case
def solve_keeps_to_the_width(c):
    """On a terminal of that many columns; a word that is wider than a line (a pin) is not cut."""
    wide = lambda text: sum(2 if unicodedata.east_asian_width(x) in 'WF' else 1 for x in text)
    for columns in (80, 40):
        for lang in ('en', 'zh_CN'):
            for args in (('--gpu', '6.1', '--gpu', '8.6', '--gpu', '12.0', '--with', 'torch', '--with', 'jax'), ('--gpu', 'RTX 5090', '-v'), ('--os', 'macos'), ('--gpu', '6.1', '--tf', '99')):
                m, s = pty.openpty()
                fcntl.ioctl(s, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
                pid = os.fork()
                if pid == 0:
                    os.dup2(s, 1)
                    os.execve(c.tool, [c.tool, 'solve', '--lang', lang, '--driver', '580.95', *args], c.env(TERM='dumb'))
                os.close(s)
                out = b''
                try:
                    while got := os.read(m, 65536):
                        out += got
                except OSError:
                    pass
                os.waitpid(pid, 0)
                os.close(m)
                text = re.sub('\x1b\\[[0-9;]*m', '', out.decode()).replace('\r', '')
                assert text, args
                long = [x for x in text.split('\n') if wide(x) > columns and len(x.split()) > 1]
                assert not long, (columns, lang, args, long[:3])
