# SPDX-License-Identifier: Apache-2.0
"""cli - what the cases of run-cli share: running the tool, machines to run it on, checks of what it prints."""
import os, re, subprocess, unicodedata

import tree

HERE_TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

CASES = []
TIMEOUT_S = 20  # of one run; the tool needs milliseconds


class Skip(Exception):
    pass


def case(fn):
    CASES.append((fn.__name__.replace('_', '-'), fn))
    return fn


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f'exit {self.code}\n--- stdout\n{self.out[:1500]}\n--- stderr\n{self.err[:800]}'


class Context:
    def __init__(self, tool, work):
        self.tool, self.work, self.bases, self.n = tool, work, {}, 0

    def env(self, **more):
        e = {k: v for k, v in os.environ.items() if k in ('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS')}
        e.update({'HOME': self.work, 'LC_ALL': 'C.UTF-8'})
        e.update(more)
        return {k: v for k, v in e.items() if v is not None}

    def run(self, *args, vars=None, **kw):
        """Run the tool; a crash, a hang and a sanitizer's report fail the case."""
        kw.setdefault('stdout', subprocess.PIPE)
        kw.setdefault('stdin', subprocess.DEVNULL)
        cmd = kw.pop('wrap', []) + [self.tool, *args]
        p = subprocess.run(cmd, stderr=subprocess.PIPE, timeout=TIMEOUT_S, env=self.env(**(vars or {})), **kw)
        out = (p.stdout or b'').decode('utf-8', 'surrogateescape')
        err = p.stderr.decode('utf-8', 'surrogateescape')
        r = Result(p.returncode, out, err)
        assert p.returncode >= 0, f'killed by signal {-p.returncode}: {r}'
        assert 'Sanitizer' not in err and 'runtime error' not in err, repr(r)
        return r

    def machine(self, base='bare', changes=()):
        """A machine of tests/lib as a fresh tree; gives (root, environment's path in it, tree)."""
        if base not in self.bases:
            self.bases[base] = os.path.join(self.work, 'base-' + base)
            tree.make_base(base, self.bases[base])
        self.n += 1
        t = tree.clone(self.bases[base], os.path.join(self.work, f'm{self.n}'))
        tree.apply(t, list(changes))
        t.save()
        return t.root, t.info['venv'], t

    def check(self, root, env=None, *args, **kw):
        return self.run('check', '--root', root, *(['--env', env] if env else []), *args, **kw)


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in line)


def one_error(r, code, *words):
    """A refusal: the exit code, nothing on stdout, one line on stderr that names the thing."""
    assert r.code == code, f'wanted exit {code}: {r}'
    assert r.out == '', f'stdout is not empty: {r}'
    lines = r.err.splitlines()
    assert len(lines) == 1 and lines[0].startswith('tfgpu: ') and r.err.endswith('\n'), f'wanted one line: {r}'
    assert not re.search(r'[\x00-\x08\x0b-\x1f\x7f]', lines[0]), f'control characters: {lines[0]!r}'
    for w in words:
        assert w in lines[0], f'{w!r} is not named: {lines[0]}'


def answer(r):
    """A judgement: exit 0, 1 or 3, something on stdout, nothing on stderr."""
    assert r.code in (0, 1, 3) and r.out and r.err == '', repr(r)
    return r


def listing(top):
    """Everything about a tree that a write would change."""
    out = {}
    for d, dirs, files in os.walk(top):
        for n in [''] + files:
            p = os.path.join(d, n)
            s = os.lstat(p)
            out[p] = (s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
    return out
