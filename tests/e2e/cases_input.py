# SPDX-License-Identifier: Apache-2.0
"""Bad input: things that are missing, unreadable, cut, huge, odd. The judged machine's damage is a finding (exit 1 or 3); a
named thing that does not exist is a usage error (2); one that exists and cannot be read or parsed is 3."""
import json, os, shutil, subprocess, time

from cli import Skip, answer, case, listing, one_error


def json_of(r):
    return json.loads(answer(r).out)


def unprivileged():
    """Command prefix that runs as nobody: root may read everything."""
    if os.geteuid() != 0:
        return []
    if not shutil.which('setpriv'):
        raise Skip('root without setpriv')
    return ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']


def framework(t):
    return next(os.path.join(d, f) for d, _, fs in os.walk(t.root) for f in fs if f == 'libtensorflow_framework.so.2')


@case
def missing_environment(c):
    root, _, _ = c.machine()
    one_error(c.check(root, '/no/such/env'), 2, '/no/such/env')
    one_error(c.check(root, 'no-such-env'), 2, 'no-such-env')
    one_error(c.run('check', '--env', c.work + '/none'), 2, c.work + '/none')


@case
def environment_that_is_none(c):
    root, _, t = c.machine(changes=[{'text': {'path': '/srv/note.txt', 'content': 'x\n'}}])
    one_error(c.check(root, '/srv/note.txt'), 2, '/srv/note.txt')
    os.makedirs(root + '/srv/empty')
    one_error(c.check(root, '/srv/empty'), 2, '/srv/empty')


@case
def missing_root(c):
    one_error(c.run('check', '--root', c.work + '/none'), 2, c.work + '/none')
    with open(c.work + '/file', 'w') as f:
        f.write('x')
    one_error(c.run('check', '--root', c.work + '/file'), 2, c.work + '/file')


@case
def unreadable_root(c):
    wrap = unprivileged()
    os.chmod(c.work, 0o755)
    d = c.work + '/locked'
    os.makedirs(d)
    os.chmod(d, 0)
    try:
        one_error(c.run('check', '--root', d, wrap=wrap), 3, d)
    finally:
        os.chmod(d, 0o755)


@case
def broken_manifest(c):
    for i, text in enumerate(('', '{', '[]', '{"format": "other/9"}', '{"format": "tfgpu.root/1", "stat": 7}', '\0' * 100)):
        d = f'{c.work}/manifest{i}'
        os.makedirs(d)
        with open(d + '/manifest.json', 'w') as f:
            f.write(text)
        one_error(c.run('check', '--root', d), 3, 'manifest')


@case
def manifest_that_is_a_fifo(c):
    d = c.work + '/fifo-manifest'
    os.makedirs(d)
    os.mkfifo(d + '/manifest.json')
    one_error(c.run('check', '--root', d), 3, 'manifest')


@case
def empty_root(c):
    d = c.work + '/empty-root'
    os.makedirs(d)
    j = json_of(c.run('check', '--root', d, '--format', 'json'))
    assert j['verdict'] != 'works', j['verdict']


@case
def cut_elf(c):
    for part in (0, 1, 63, 64, 200, 0.5):
        root, env, t = c.machine()
        p = framework(t)
        data = open(p, 'rb').read()
        size = part if isinstance(part, int) else int(len(data) * part)
        data = data[:size]
        os.unlink(p)
        with open(p, 'wb') as f:
            f.write(data)
        j = json_of(c.check(root, env, '--format', 'json'))
        assert j['verdict'] == 'broken', f'{size} bytes: {j["verdict"]}'
        assert 'libtensorflow_framework' in json.dumps(j['findings']), f'{size} bytes: the file is not named'


@case
def huge_sparse_library(c):
    root, env, t = c.machine()
    p = framework(t)
    data = open(p, 'rb').read()
    os.unlink(p)  # the trees share their files through hard links
    with open(p, 'wb') as f:
        f.write(data)
        f.truncate(10 << 30)
    start = time.monotonic()
    answer(c.check(root, env))
    assert time.monotonic() - start < 5, 'took too long'
    root, env, t = c.machine()
    p = framework(t)
    os.unlink(p)
    with open(p, 'wb') as f:
        f.truncate(10 << 30)
    start = time.monotonic()
    j = json_of(c.check(root, env, '--format', 'json', '--deep'))
    assert time.monotonic() - start < 10, 'took too long'
    assert j['verdict'] == 'broken', j['verdict']


@case
def huge_text_files(c):
    root, env, t = c.machine()
    for p in (root + '/etc/ld.so.conf', root + '/etc/os-release', root + env + '/pyvenv.cfg'):
        if os.path.lexists(p):
            os.unlink(p)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, 'wb') as f:
            f.truncate(10 << 30)
    start = time.monotonic()
    r = c.check(root, env)
    assert r.code in (1, 2, 3), repr(r)
    assert time.monotonic() - start < 5, 'took too long'


@case
def fifo_in_place_of_files(c):
    root, env, t = c.machine()
    p = framework(t)
    os.unlink(p)
    os.mkfifo(p)
    j = json_of(c.check(root, env, '--format', 'json'))
    assert j['verdict'] == 'broken', j['verdict']
    root, env, t = c.machine()
    for p in (root + '/etc/os-release', root + '/etc/ld.so.cache', root + '/proc/cpuinfo'):
        if os.path.lexists(p):
            os.unlink(p)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        os.mkfifo(p)
    answer(c.check(root, env))


@case
def looping_links(c):
    root, env, t = c.machine()
    p = framework(t)
    os.unlink(p)
    os.symlink(os.path.basename(p), p)
    j = json_of(c.check(root, env, '--format', 'json'))
    assert j['verdict'] == 'broken', j['verdict']
    os.symlink('loop', root + '/loop')
    r = c.check(root, '/loop')
    assert r.code in (2, 3) and '/loop' in r.err and len(r.err.splitlines()) == 1, repr(r)
    os.symlink('b', root + '/a')
    os.symlink('a', root + '/b')
    r = c.check(root, '/a/bin/python')
    assert r.code in (2, 3) and '/a' in r.err and len(r.err.splitlines()) == 1, repr(r)


@case
def links_that_leave_the_tree(c):
    root, env, t = c.machine()
    p = framework(t)
    os.unlink(p)
    os.symlink('/../../../../../../etc/passwd', p)
    r = answer(c.check(root, env))
    assert 'root:x' not in r.out, repr(r)


@case
def unreadable_file_of_the_installation(c):
    root, env, t = c.machine(changes=[{'user': {'uid': 1000, 'gid': 1000, 'groups': []}}])
    t.stat(framework(t)[len(root):], mode='0600', uid=0, gid=0)
    t.save()
    j = json_of(c.check(root, env, '--format', 'json'))
    assert j['verdict'] == 'broken' and 'libtensorflow_framework' in json.dumps(j['findings']), j['verdict']


@case
def binary_noise_in_text_files(c):
    root, env, t = c.machine()
    noise = bytes(range(256)) * 40
    for rel in ('/etc/os-release', '/etc/ld.so.conf', '/etc/ld.so.cache', '/proc/cpuinfo', '/proc/driver/nvidia/version', '/etc/ld.so.preload',
                '/root/.bashrc'):
        p = root + rel
        if os.path.lexists(p):
            os.unlink(p)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, 'wb') as f:
            f.write(noise)
    for args in ((), ('-v',), ('--format', 'json', '-v')):
        r = answer(c.check(root, env, *args))
        bad = [ch for ch in r.out if ord(ch) < 32 and ch != '\n' or ord(ch) == 127 or 0xdc80 <= ord(ch) <= 0xdcff]
        assert not bad, f'raw bytes reach the output with {args}: {sorted(set(bad))}'


@case
def odd_names_are_escaped_and_quoted(c):
    root, env, t = c.machine()
    odd = '/srv/a b\x1b[31m\n$(touch x)'
    os.makedirs(root + '/srv', exist_ok=True)
    os.rename(root + env, root + odd)
    cfg = root + odd + '/pyvenv.cfg'
    r = c.check(root, odd)
    assert os.path.exists(cfg) and '\x1b' not in r.out + r.err, repr(r)


@case
def nothing_is_written(c):
    root, env, t = c.machine()
    home = c.work + '/home'
    os.makedirs(home)
    before = listing(root), listing(home)
    for args in ((), ('-v',), ('--deep',), ('--format', 'json')):
        answer(c.check(root, env, *args, vars={'HOME': home}, cwd=home))
    assert (listing(root), listing(home)) == before, 'the tree or the home folder changed'


@case
def nothing_is_started_written_or_asked_from_the_network(c):
    if not shutil.which('strace'):
        raise Skip('no strace')
    with open(c.tool, 'rb') as f:
        if b'__lsan_' in f.read():
            raise Skip('a leak check cannot run under strace')
    log = c.work + '/trace'
    r = c.run('check', wrap=['strace', '-f', '-qq', '-o', log, '-e', 'trace=execve,execveat,fork,vfork,clone,clone3,socket,connect,openat,openat2,open,creat,unlink,mkdir,rename'])
    if not os.path.exists(log) or 'ptrace' in r.err:
        raise Skip('strace may not trace here')
    calls = open(log, errors='replace').read().splitlines()
    assert sum('execve(' in x for x in calls) == 1, 'a program was started'
    bad = [x for x in calls if any(w in x for w in ('fork(', 'clone', 'socket(', 'connect(', 'creat(', 'unlink(', 'mkdir(', 'rename(', 'O_WRONLY', 'O_RDWR', 'O_CREAT'))]
    assert not bad, bad[:3]
