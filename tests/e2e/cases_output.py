# SPDX-License-Identifier: Apache-2.0
"""Output: what can go wrong with it, how it looks, whether JSON keeps its schema."""
import fcntl, glob, json, os, pty, re, signal, subprocess, time

from cli import HERE_TOP, Skip, answer, case, width

F_SETPIPE_SZ = 1031
ESCAPE = '\x1b['


def on_terminal(c, *args, env=None, columns=80):
    """What a terminal of that width gets."""
    import struct
    import termios
    pid_out, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
    p = subprocess.Popen([c.tool, *args], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE, env=c.env(**{'TERM': 'xterm', **(env or {})}))
    os.close(slave)
    out = b''
    while True:
        try:
            chunk = os.read(pid_out, 65536)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    p.wait(timeout=20)
    os.close(pid_out)
    return out.decode().replace('\r\n', '\n')


@case
def full_disk(c):
    if not os.path.exists('/dev/full'):
        raise Skip('no /dev/full')
    for args in (('check',), ('check', '--format', 'json'), ('--help',), ('--version',)):
        with open('/dev/full', 'w') as f:
            r = c.run(*args, stdout=f)
        assert r.code == 3 and 'No space left' in r.err and len(r.err.splitlines()) == 1, f'{args}: {r}'


@case
def closed_stdout(c):
    p = subprocess.run(['sh', '-c', '"$0" check >&-', c.tool], stderr=subprocess.PIPE, env=c.env(), timeout=20)
    assert p.returncode == 3 and len(p.stderr.splitlines()) == 1, p


@case
def closed_stdin_and_stderr(c):
    p = subprocess.run(['sh', '-c', '"$0" check --format json <&- 2>&-', c.tool], stdout=subprocess.PIPE, env=c.env(), timeout=20)
    assert p.returncode in (0, 1, 3) and json.loads(p.stdout), p


@case
def reader_that_goes_away_is_quiet(c):
    r, w = os.pipe()
    os.close(r)
    try:
        res = c.run('check', '-v', stdout=w)
    finally:
        os.close(w)
    assert res.err == '' and res.code in (0, 1, 3), repr(res)


@case
def interrupt_gives_130(c):
    r, w = os.pipe()
    fcntl.fcntl(w, F_SETPIPE_SZ, 4096)
    p = subprocess.Popen([c.tool, 'check', '-v', '--format', 'json'], stdin=subprocess.DEVNULL, stdout=w, env=c.env())
    os.close(w)
    time.sleep(0.5)  # it hangs in write(): nobody reads
    assert p.poll() is None, 'the answer is shorter than the pipe'
    p.send_signal(signal.SIGINT)
    code = p.wait(timeout=10)
    os.close(r)
    assert code == 130, code


@case
def text_has_a_line_for_each_layer(c):
    root, env, _ = c.machine()
    out = answer(c.check(root, env)).out
    for n in range(1, 8):
        assert re.search(rf'^ {n} \S', out, re.M), f'layer {n}: {out}'


@case
def text_fits_80_columns(c):
    for base in ('bare', 'nogpu', 'wsl2', 'conda'):
        root, env, _ = c.machine(base)
        j = json.loads(answer(c.check(root, env, '--format', 'json')).out)
        commands = {line.strip() for f in j['findings'] for s in f['fix'] for line in (s['command'] or '').splitlines()}
        for args in ((), ('-v',), ('--lang', 'zh_CN'), ('--lang', 'zh_CN', '-v')):
            for line in answer(c.check(root, env, *args)).out.splitlines():
                one_word = max(map(len, line.split() or [''])) > 40  # a path is not cut
                assert width(line) <= 80 or one_word or line.strip() in commands, f'{base} {args}: {line}'


@case
def colour_only_on_a_terminal(c):
    root, env, _ = c.machine('nogpu')
    args = ('check', '--root', root, '--env', env)
    assert ESCAPE not in c.run(*args).out
    assert ESCAPE in on_terminal(c, *args)
    assert ESCAPE not in on_terminal(c, *args, env={'NO_COLOR': '1'})
    assert ESCAPE not in on_terminal(c, *args, env={'TERM': 'dumb'})
    assert ESCAPE not in on_terminal(c, *args, '--no-color')
    assert ESCAPE not in on_terminal(c, *args, '--format', 'json')


@case
def colour_changes_nothing_but_colour(c):
    root, env, _ = c.machine('nogpu')
    args = ('check', '--root', root, '--env', env)
    assert re.sub(r'\x1b\[[0-9;]*m', '', on_terminal(c, *args)) == c.run(*args).out


@case
def ascii_in_the_c_locale(c):
    root, env, _ = c.machine('nogpu')
    for lc in ('C', 'POSIX', ''):
        out = answer(c.check(root, env, '-v', vars={'LC_ALL': lc})).out
        assert out.isascii(), [x for x in out.splitlines() if not x.isascii()][:3]
    assert not answer(c.check(root, env, vars={'LC_ALL': 'en_US.UTF-8'})).out.isascii()


@case
def chinese_by_locale_and_by_option(c):
    root, env, _ = c.machine('nogpu')
    han = re.compile('[\u4e00-\u9fff]')
    assert han.search(answer(c.check(root, env, vars={'LC_ALL': None, 'LANG': 'zh_CN.UTF-8'})).out)
    assert han.search(answer(c.check(root, env, '--lang', 'zh_CN')).out)
    assert han.search(c.run('--help', '--lang=zh_CN').out)
    assert not han.search(answer(c.check(root, env, '--lang', 'en', vars={'LC_ALL': 'zh_CN.UTF-8'})).out)


@case
def machine_fields_of_json_do_not_depend_on_the_language(c):
    root, env, _ = c.machine('nogpu')

    def core(*args):
        j = json.loads(answer(c.check(root, env, '--format', 'json', *args)).out)
        return j['verdict'], j['first_broken'], [x['status'] for x in j['layers']], [(f['cause'], f['severity']) for f in j['findings']], j['prediction']
    assert core() == core('--lang', 'zh_CN')


def schema(name):
    try:
        import jsonschema
    except ImportError:
        raise Skip('no jsonschema for Python')
    with open(os.path.join(HERE_TOP, name), encoding='utf-8') as f:
        s = json.load(f)
    jsonschema.Draft202012Validator.check_schema(s)
    return jsonschema.Draft202012Validator(s)


def valid(validator, j, what):
    bad = [f'{"/".join(map(str, e.absolute_path))}: {e.message[:200]}' for e in validator.iter_errors(j)]
    assert not bad, f'{what}: {bad[:3]}'


@case
def check_json_keeps_its_schema(c):
    v = schema('docs/schema/check.schema.json')
    valid(v, json.loads(answer(c.run('check', '--format', 'json')).out), 'this machine')
    for base in ('bare', 'nogpu', 'wsl2', 'conda', 'container', 'vm'):
        root, env, _ = c.machine(base)
        valid(v, json.loads(answer(c.check(root, env, '--format', 'json')).out), base)
        valid(v, json.loads(answer(c.check(root, env, '--format', 'json', '-v')).out), base + ' -v')


@case
def check_schema_refuses_what_is_wrong(c):
    v = schema('docs/schema/check.schema.json')
    root, env, _ = c.machine('nogpu')
    good = json.loads(answer(c.check(root, env, '--format', 'json')).out)
    for key in list(good):
        if key != 'machine':
            assert list(v.iter_errors({k: x for k, x in good.items() if k != key})), f'{key} may be missing'
    assert list(v.iter_errors({**good, 'verdict': 'fine'})) and list(v.iter_errors({**good, 'layers': good['layers'][:6]}))


@case
def facts_keep_their_schema(c):
    paths = glob.glob(os.path.join(os.path.dirname(c.tool), 'data', 'facts.schema.json'))
    if not paths:
        raise Skip('facts.schema.json is not beside the tool')
    v = schema(paths[0])
    for base in ('bare', 'wsl2', 'conda'):
        root, env, _ = c.machine(base)
        valid(v, json.loads(answer(c.check(root, env, '--format', 'json', '-v')).out)['facts'], base)


@case
def why_json_keeps_its_schema(c):
    v = schema('docs/schema/why.schema.json')
    root, env, _ = c.machine()
    for soname in ('libcudart.so.12', 'libno-such.so.1', 'libc.so.6'):
        r = c.run('why', soname, '--root', root, '--env', env, '--format', 'json')
        assert r.code in (0, 1) and r.err == '', repr(r)
        valid(v, json.loads(r.out), soname)


@case
def env_list_json_keeps_its_schema(c):
    v = schema('docs/schema/envs.schema.json')
    for base in ('bare', 'conda'):
        root, env, _ = c.machine(base)
        r = c.run('env', 'list', '--root', root, '--format', 'json')
        assert r.code == 0 and r.err == '', repr(r)
        valid(v, json.loads(r.out), base)


@case
def jupyter_list_json_keeps_its_schema(c):
    v = schema('docs/schema/kernels.schema.json')
    at, argv = '/home/user/.local/share/jupyter/kernels/', '["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"]'
    root, env, _ = c.machine(changes=[{'text': {'path': at + name + '/kernel.json', 'content': '{"argv": %s, "display_name": "x", "language": "python"}' % (argv % exe) if exe else '{'}}
                                      for name, exe in (('gone', '/gone/bin/python'), ('here', '/usr/bin/python3'), ('none', None))])
    r = c.run('jupyter', 'list', '--root', root, '--format', 'json')
    assert r.code == 0 and r.err == '', repr(r)
    d = json.loads(r.out)
    valid(v, d, 'kernels')
    assert {k['name']: (k['fault'], k['stale']) for k in d['kernels']} == {'gone': ('gone', True), 'here': ('no-ipykernel', False), 'none': ('unreadable', False)}, d


@case
def exit_code_agrees_with_the_verdict(c):
    for base in ('bare', 'nogpu'):
        root, env, _ = c.machine(base)
        r = c.check(root, env, '--format', 'json')
        assert r.code == {'works': 0, 'broken': 1, 'undetermined': 3}[json.loads(r.out)['verdict']], repr(r)
        assert c.check(root, env).code == r.code, 'text and JSON disagree'
        assert c.check(root, env, '--fail-on', 'degraded').code == r.code or r.code == 0
