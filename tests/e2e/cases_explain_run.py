# SPDX-License-Identifier: Apache-2.0
"""tfgpu explain --run: the command behaves as without us, and is explained when it has ended."""
import fcntl, json, os, pty, select, signal, struct, subprocess, termios, time

from cases_explain import CUDNN, put
from cases_output import schema, valid
from cli import case, one_error

HEAD = 'tfgpu: '


def start(c, *command, args=(), **kw):
    kw = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **kw}
    return subprocess.Popen([c.tool, 'explain', *args, '--run', '--', *command], env=c.env(), **kw)


def sh(c, script, *args, **kw):
    """Exit code, standard output, the command's standard error, and ours behind it."""
    p = start(c, 'sh', '-c', script, *args, **kw)
    out, err = p.communicate(timeout=20)
    assert 'Sanitizer' not in err.decode(errors='replace'), err
    theirs, mark, ours = err.partition(b'\n' + HEAD.encode())
    assert mark, err
    return p.returncode, out, theirs, (mark[1:] + ours).decode()


@case
def explain_run_passes_everything_on(c):
    code, out, err, ours = sh(c, r"printf 'a\000\377\r\nb'; printf 'e\n\033[1m' >&2; cat; exit 5", stdin=subprocess.DEVNULL)
    assert (code, out, err) == (5, b'a\0\xff\r\nb', b'e\n\x1b[1m'), (code, out, err)
    assert 'exit code 5' in ours.splitlines()[0] and 'Nothing known' in ours, ours
    with open(put(c, 'in', 'given\n'), 'rb') as f:
        assert sh(c, 'cat; test ! -t 0 -a ! -t 1 -a ! -t 2', stdin=f)[:2] == (0, b'given\n')
    code, out, _, _ = sh(c, 'head -c 9000000 /dev/zero; echo end')
    assert code == 0 and len(out) == 9000004 and out.endswith(b'end\n')
    code, out, _, _ = sh(c, 'echo $0 "$@" $PWD; ls /proc/self/fd', '--', 'name', '--format', '--')
    assert out.decode().splitlines() == [f'-- name --format -- {os.getcwd()}', '0', '1', '2', '3'], out  # 3: the folder that is listed


@case
def explain_run_explains_both_streams(c):
    cut = len(CUDNN) // 2
    code, _, _, ours = sh(c, f'printf %s "{CUDNN[:cut]}" >&2; sleep 0.1; echo between; sleep 0.1; echo "{CUDNN[cut:]}" >&2; exit 1')
    assert code == 1 and 'cudnn-missing' in ours and 'line 2' in ours, ours
    code, _, _, ours = sh(c, f'printf %s "{CUDNN}"')
    assert code == 0 and 'cudnn-missing' in ours, ours
    code, _, _, ours = sh(c, 'echo fine')
    assert code == 0 and ours.splitlines()[1:] == ['No fault that tfgpu knows.'], ours
    p = start(c, 'sh', '-c', f'echo "{CUDNN}"; exit 3', args=('--format', 'json'))
    out, err = p.communicate(timeout=20)
    j = json.loads(err)
    valid(schema('docs/schema/explain.schema.json'), j, 'explain')
    assert p.returncode == 3 and j['causes'][0]['id'] == 'cudnn-missing' and j['run']['exit_code'] == 3 and j['run']['signal'] is None and j['run']['command'][0] == 'sh', j


@case
def explain_run_tells_how_it_ended(c):
    for script, code, name, word in (('kill -KILL $$', 137, 'SIGKILL', 'host-memory-exhausted'), ('sh -c "kill -KILL \\$\\$"; exit $?', 137, None, 'host-memory-exhausted'),
                                     ('kill -ILL $$', 132, 'SIGILL', 'cpu-lacks-avx'), ('kill -TERM $$', 143, 'SIGTERM', None), ('exit 143', 143, None, None)):
        p = start(c, 'sh', '-c', 'ulimit -c 0; ' + script + ' 2>/dev/null', args=('--format', 'json'))
        err = p.communicate(timeout=20)[1].decode()
        j = json.loads(err[err.index('{\n'):])
        assert p.returncode == code and j['run']['signal'] == name, (script, p.returncode, j['run'])
        assert (word in [x['id'] for x in j['causes']]) if word else j['causes'] == [], (script, j['causes'])


@case
def explain_run_sends_signals_on(c):
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
        p = start(c, 'sh', '-c', f'trap "echo caught; exit 7" {sig.value}; echo ready; while :; do sleep 0.05; done')
        assert p.stdout.readline() == b'ready\n'
        p.send_signal(sig)
        out, err = p.communicate(timeout=20)
        assert p.returncode == 7 and out == b'caught\n' and b'exit code 7' in err, (sig, p.returncode, out, err)
    p = start(c, 'sleep', '60')
    time.sleep(0.3)
    p.terminate()
    assert p.communicate(timeout=20)[1].decode().strip().splitlines()[0].startswith(HEAD) and p.returncode == 143
    p = start(c, 'sh', '-c', 'echo $$; exec sleep 60')
    child = int(p.stdout.readline())
    p.kill()
    p.wait()
    for _ in range(100):
        if not os.path.exists(f'/proc/{child}') or open(f'/proc/{child}/stat').read().rsplit(')', 1)[1].split()[0] == 'Z':
            break
        time.sleep(0.05)
    else:
        raise AssertionError('the command outlives us')


@case
def explain_run_ends_when_the_command_has_ended(c):
    start_s = time.monotonic()
    code, out, _, _ = sh(c, 'sleep 30 & echo started')
    assert code == 0 and out == b'started\n' and time.monotonic() - start_s < 10
    p = start(c, 'sh', '-c', 'echo one; sleep 0.3; while echo more; do :; done; exit 9')
    assert p.stdout.readline() == b'one\n'
    p.stdout.close()
    err = p.stderr.read()
    assert p.wait(timeout=20) in (141, 9) and b'tfgpu: ' in err, (p.returncode, err)  # SIGPIPE, or the write error where a parent ignores it


@case
def explain_run_refuses_what_cannot_be_run(c):
    one_error(c.run('explain', '--run'), 2, '--run')
    one_error(c.run('explain', '--run', '--', 'no-such-command-here'), 127, 'no-such-command-here')
    one_error(c.run('explain', '--run', '--', put(c, 'plain', 'x')), 126, 'plain')
    one_error(c.run('explain', '--run', '--', ''), 127)


def on_terminal(c, script, act=None, rows=33, columns=77):
    """The tool on a pseudo-terminal: what comes out of it, and the exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(c.tool, [c.tool, 'explain', '--run', '--', 'sh', '-c', script], c.env(TERM='dumb'))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    out, end = b'', time.monotonic() + 20
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            try:
                got = os.read(fd, 65536)
            except OSError:
                break
            if not got:
                break
            out += got
        if act and act[0] in out:
            act[1](fd, pid)
            act = None
    status = os.waitpid(pid, 0)[1]
    os.close(fd)
    return out.decode(), os.waitstatus_to_exitcode(status)


@case
def explain_run_keeps_the_terminal(c):
    out, code = on_terminal(c, 'sleep 0.3; test -t 0 && test -t 1 && test -t 2 && echo all; stty size <&1; echo err >&2; exit 4')
    theirs = out.split(HEAD)[0]
    assert code == 4 and theirs == 'all\r\n33 77\r\nerr\r\n\r\n', repr(out)

    def resize(fd, pid):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 100, 0, 0))
    out, code = on_terminal(c, 'trap "stty size <&1; exit 6" WINCH; sleep 0.3; echo ready; for i in 1 2 3 4 5 6 7 8 9 0; do sleep 0.2; done', (b'ready', resize))
    assert code == 6 and '40 100' in out, (code, out)

    def interrupt(fd, pid):
        os.write(fd, b'\x03')
    script = 'n=0; trap "n=\\$((n+1)); echo caught \\$n" INT; echo ready; for i in 1 2 3 4 5; do sleep 0.2; done; exit 8'
    out, code = on_terminal(c, script, (b'ready', interrupt))
    assert code == 8 and 'caught 1' in out and 'caught 2' not in out, (code, out)
    out, code = on_terminal(c, 'read x; echo "got $x"', (b'', lambda fd, pid: os.write(fd, b'typed\n')))
    assert code == 0 and 'got typed' in out, (code, out)
