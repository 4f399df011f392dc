# SPDX-License-Identifier: Apache-2.0
"""Which environment is judged: the default order, what --env accepts, kernels, env list."""
import json, os

from cli import answer, case, one_error


def env_of(c, root, *args, **kw):
    return json.loads(answer(c.run('check', '--root', root, '--format', 'json', *args, **kw)).out)['environment']


def facts_of(c, root, *args):
    return json.loads(answer(c.run('check', '--root', root, '--format', 'json', '-v', *args)).out)['facts']


def small_env(prefix, kind='venv'):
    """A virtual or conda environment without packages; a conda environment has a Python of its own."""
    if kind == 'conda':
        return [{'copy': {'path': f'{prefix}/bin/python3.11', 'from': '/usr/bin/python3.11'}}, {'link': {'path': f'{prefix}/bin/python', 'to': 'python3.11'}},
                {'text': {'path': f'{prefix}/lib/python3.11/os.py', 'content': '\n'}}, {'text': {'path': f'{prefix}/conda-meta/history', 'content': ''}}]
    cfg = 'home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n'
    return [{'dir': f'{prefix}/lib/python3.11/site-packages'}, {'dir': f'{prefix}/bin'}, {'link': {'path': f'{prefix}/bin/python', 'to': '/usr/bin/python3'}},
            {'text': {'path': f'{prefix}/pyvenv.cfg', 'content': cfg}}]


def kernel(path, python, name='K', **env):
    return {'text': {'path': f'{path}/kernel.json', 'content': json.dumps({'argv': [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'],
                                                                          'display_name': name, 'language': 'python', 'env': env})}}


@case
def default_order(c):
    root, venv, t = c.machine(changes=small_env('/opt/a') + small_env('/opt/b', 'conda') + small_env('/home/user/w/.venv') + [
        {'cwd': '/home/user/w'}, {'env': {'VIRTUAL_ENV': '/opt/a', 'CONDA_PREFIX': '/opt/b', 'PATH': '/usr/bin:/bin'}}])
    seen = []
    for drop in ('VIRTUAL_ENV', 'CONDA_PREFIX', None):
        e = env_of(c, root)
        seen.append((e['prefix'], e['selected_by']))
        if drop:
            t.m['environment'].pop(drop)
            t.save()
    os.rename(root + '/home/user/w/.venv', root + '/home/user/w/other')
    e = env_of(c, root)
    seen.append((e['prefix'], e['selected_by']))
    assert [p for p, _ in seen] == ['/opt/a', '/opt/b', '/home/user/w/.venv', '/usr'], seen
    for (_, why), word in zip(seen, ('VIRTUAL_ENV', 'CONDA_PREFIX', '.venv', 'python3 on PATH')):
        assert word in why, seen


@case
def variable_that_names_a_removed_environment(c):
    root, _, _ = c.machine(changes=[{'env': {'VIRTUAL_ENV': '/opt/gone', 'PATH': '/usr/bin'}}])
    assert env_of(c, root)['prefix'] == '/usr'


@case
def no_python_at_all(c):
    root, _, _ = c.machine(changes=[{'env': {'PATH': '/nowhere', 'VIRTUAL_ENV': None}}])
    e = env_of(c, root)
    assert e['prefix'] is None and e['python'] is None, e


@case
def notebook_kernel_comes_first(c):
    argv = '/home/user/venv/bin/python\0-m\0ipykernel_launcher\0-f\0/x/kernel-1.json\0'
    root, venv, _ = c.machine(changes=small_env('/opt/a') + [
        {'env': {'JPY_PARENT_PID': '50', 'VIRTUAL_ENV': '/opt/a'}}, {'dir': '/proc/self'}, {'dir': '/proc/70'}, {'dir': '/proc/60'},
        {'text': {'path': '/proc/self/stat', 'content': '80 (tfgpu) R 70 80 80\n'}}, {'text': {'path': '/proc/70/stat', 'content': '70 (sh (x) y) S 60 80 80\n'}},
        {'text': {'path': '/proc/70/cmdline', 'content': '/bin/sh\0-c\0tfgpu check\0'}}, {'text': {'path': '/proc/60/stat', 'content': '60 (python) S 50 60 60\n'}},
        {'text': {'path': '/proc/60/cmdline', 'content': argv}}])
    e = env_of(c, root)
    assert e['prefix'] == venv and 'notebook' in e['selected_by'], e


@case
def env_names(c):
    """A path, else a kernel, a conda environment, a virtualenv: in this order."""
    changes = (small_env('/home/user/x') + small_env('/opt/k') + small_env('/home/user/miniconda3/envs/tf', 'conda') + small_env('/home/user/.virtualenvs/tf') +
               [kernel('/home/user/.local/share/jupyter/kernels/TF', '/opt/k/bin/python')])
    root, _, t = c.machine(changes=changes + [{'cwd': '/home/user'}])
    home = root + '/home/user/'
    assert env_of(c, root, '--env', 'x')['prefix'] == '/home/user/x'
    assert env_of(c, root, '--env', './x')['prefix'] == '/home/user/x'
    assert env_of(c, root, '--env', 'x/bin/python')['prefix'] == '/home/user/x'
    assert env_of(c, root, '--env', 'tf')['prefix'] == '/opt/k'          # kernel names ignore case, as in Jupyter
    os.rename(home + '.local/share/jupyter/kernels', home + 'kernels-away')
    assert env_of(c, root, '--env', 'tf')['prefix'].endswith('/miniconda3/envs/tf')
    os.rename(home + 'miniconda3', home + 'conda-away')
    assert env_of(c, root, '--env', 'tf')['prefix'] == '/home/user/.virtualenvs/tf'
    os.rename(home + '.virtualenvs', home + 'v-away')
    one_error(c.check(root, 'tf'), 2, 'tf', 'env list')


@case
def ambiguous_names(c):
    changes = small_env('/home/user/miniconda3/envs/tf', 'conda') + small_env('/srv/envs/tf', 'conda')
    root, _, t = c.machine(changes=changes + [{'text': {'path': '/home/user/.conda/environments.txt', 'content': '/srv/envs/tf\n/home/user/miniconda3/envs/tf\n'}}])
    one_error(c.check(root, 'tf'), 2, '/srv/envs/tf', '/home/user/miniconda3/envs/tf')
    with open(root + '/home/user/.conda/environments.txt', 'w') as f:
        f.write('/home/user/miniconda3/envs/tf\n\n/home/user/miniconda3/envs/tf\n')   # the same one twice is one
    assert env_of(c, root, '--env', 'tf')['prefix'] == '/home/user/miniconda3/envs/tf'
    k = '/usr/share/jupyter/kernels/py', '/home/user/.local/share/jupyter/kernels/py'
    root, venv, t = c.machine(changes=small_env('/opt/k') + [kernel(k[0], '/opt/k/bin/python'), kernel(k[1], '/home/user/venv/bin/python')])
    one_error(c.check(root, 'py'), 2, k[0], k[1])


@case
def env_that_is_not_python(c):
    root, _, _ = c.machine(changes=[{'text': {'path': '/usr/local/bin/tool', 'content': '#!/bin/sh\n', 'mode': '0755'}},
                                    {'text': {'path': '/usr/local/bin/python', 'content': '#!/bin/sh\nexec python3\n', 'mode': '0755'}}, {'dir': '/srv'}, {'fifo': '/srv/pipe'}])
    for p in ('/usr/local/bin/tool', '/usr/local/bin/python', '/srv/pipe'):
        one_error(c.check(root, p), 2, p)


@case
def environment_with_a_dangling_interpreter_is_judged(c):
    """Its base Python was removed: that is damage of the judged installation, not a wrong question."""
    root, venv, t = c.machine(changes=[{'remove': '/home/user/venv/bin/python'}, {'link': {'path': '/home/user/venv/bin/python', 'to': '/opt/gone/python3.11'}}])
    f = facts_of(c, root, '--env', venv)['python']
    assert (f['state'], f['prefix'], f['sys_path']) == ('absent', venv, []), f


@case
def kernel_sets_ld_library_path(c):
    root, venv, _ = c.machine(changes=[kernel('/home/user/.local/share/jupyter/kernels/tf', '/home/user/venv/bin/python', LD_LIBRARY_PATH='/k/lib:${LD_LIBRARY_PATH}'),
                                       {'env': {'LD_LIBRARY_PATH': '/caller'}}])
    f = facts_of(c, root, '--env', 'tf')
    assert f['ld_library_path'] == '/k/lib:/caller' and f['ld_library_path_from'].endswith('/kernels/tf/kernel.json'), f['ld_library_path']
    f = facts_of(c, root, '--env', venv)
    assert (f['ld_library_path'], f['ld_library_path_from']) == ('/caller', 'caller')


@case
def conda_hooks_set_ld_library_path(c):
    root, prefix, t = c.machine('conda', [
        {'text': {'path': '/home/user/miniconda3/envs/tf/etc/conda/activate.d/b.sh', 'content': 'export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$CONDA_PREFIX/b"\n'}},
        {'text': {'path': '/home/user/miniconda3/envs/tf/etc/conda/activate.d/a.sh', 'content': '#!/bin/sh\nexport LD_LIBRARY_PATH=/a\n'}},
        {'text': {'path': '/home/user/miniconda3/envs/tf/etc/conda/activate.d/c.fish', 'content': 'export LD_LIBRARY_PATH=/fish\n'}}])
    assert facts_of(c, root)['ld_library_path'] is None                     # active already: its hooks have run
    t.m['environment'].pop('CONDA_PREFIX')
    t.save()
    assert facts_of(c, root, '--env', 'tf')['ld_library_path'] == f'/a:{prefix}/b'


@case
def env_list(c):
    root, venv, _ = c.machine(changes=small_env('/home/user/.virtualenvs/old') + small_env('/home/user/.venv') + [
        {'env': {'VIRTUAL_ENV': '/home/user/venv', 'PATH': '/home/user/venv/bin:/usr/bin:/bin'}}, {'cwd': '/home/user'},
        kernel('/home/user/.local/share/jupyter/kernels/tf', '/home/user/venv/bin/python')])
    r = c.run('env', 'list', '--root', root, '--format', 'json')
    assert r.code == 0, r
    envs = {e['prefix']: e for e in json.loads(r.out)['environments']}
    assert set(envs) == {venv, '/usr', '/home/user/.venv', '/home/user/.virtualenvs/old'}, sorted(envs)
    assert [p for p, e in envs.items() if e['selected']] == [venv] and 'VIRTUAL_ENV' in envs[venv]['why'], envs[venv]
    assert envs[venv]['tensorflow'] and envs['/usr']['tensorflow'] is None
    assert envs['/home/user/.virtualenvs/old']['name'] == 'old' and envs['/usr']['kind'] == 'system'
    text = c.run('env', 'list', '--root', root).out
    assert f'* {venv} ' in text and 'TensorFlow ' + envs[venv]['tensorflow'] in text, text


@case
def nothing_live_counts_in_a_tree(c):
    root, venv, _ = c.machine(changes=[{'env': {'PATH': '/usr/bin', 'VIRTUAL_ENV': None}}])
    live = {'VIRTUAL_ENV': '/live', 'PYTHONPATH': '/live', 'LD_LIBRARY_PATH': '/live', 'PYENV_VERSION': '9', 'JUPYTER_PATH': '/live', 'PYTHONHOME': '/live'}
    r = c.run('check', '--root', root, '--format', 'json', '-v', vars=live, cwd=c.work)
    assert '/live' not in r.out, r.out[:2000]
    assert json.loads(r.out)['environment']['prefix'] == '/usr'
