#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench - what `tfgpu check` costs in a real TensorFlow environment, side by side with other ways to ask. One run, one table.

usage: bench.py --tool FILE --envs DIR --cache DIR [--write] [--quick | --explain | --setup]
--write puts the table into docs/benchmarks.md; without it nothing is written. --quick leaves the slow comparisons out.
--explain: the rows of `tfgpu explain` only, all of them (4 GiB of a stream, a line of 1 GiB).
--setup: the rows of `tfgpu setup` only: environments made by tfgpu and by the same commands of uv, in turns, from uv's cache.
The last line reads "N passed, N failed, N skipped"; a figure above its limit is a failure.
"""
import argparse, datetime, glob, json, os, platform, re, shutil, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '..', '..')
MEASURE = os.path.join(ROOT, 'build', 'tests', 'bench', 'measure')
VERSION = '2.21.0'
rows, counts = [], [0, 0, 0]


def ask(*args, cwd='/', env=None):
    p = subprocess.run([MEASURE, *map(str, args)], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if p.returncode:
        raise RuntimeError(f'measure failed: {args}')
    return json.loads(p.stdout)


def row(what, have, limit=None, unit='', at_least=False):
    good = None if limit is None else have >= limit if at_least else have <= limit
    if good is not None:
        counts[0 if good else 1] += 1
    show = lambda v: f'{v:,.2f}'.rstrip('0').rstrip('.') if isinstance(v, float) and v < 1000 else f'{v:,.0f}'
    rows.append((what, f'{show(have)} {unit}'.strip(), '' if limit is None else f'{"≥" if at_least else "≤"} {show(limit)} {unit}'.strip(),
                 '' if good is None else 'ok' if good else 'MISSED'))


def skip(what, why):
    counts[2] += 1
    rows.append((what, f'not measured: {why}', '', 'skipped'))


def environment(prefix):
    env = {k: v for k, v in os.environ.items() if k in ('HOME', 'USER', 'LANG', 'LC_ALL', 'XDG_CACHE_HOME', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE')}
    env.update(VIRTUAL_ENV=prefix, PATH=f'{prefix}/bin:/usr/local/bin:/usr/bin:/bin', TF_CPP_MIN_LOG_LEVEL='3')
    return env


def own(tool, prefix, env, tmp):
    check = [tool, 'check', '--env', prefix]
    for _ in range(3):
        ask('time', 1, *check, env=env)
    warm = ask('time', 20, *check, env=env)
    floor = ask('time', 20, '/bin/true', env=env)
    lst = f'{tmp}/files'
    tr = ask('trace', lst, *check, env=env)
    row('CPU, warm (minimum of 20)', warm['cpu_us'] / 1000, 5.0, 'ms')
    row('wall, warm (minimum of 20)', warm['wall_us'] / 1000, None, 'ms')
    row('CPU of /bin/true (process start)', floor['cpu_us'] / 1000, None, 'ms')
    row('peak memory (VmHWM)', tr['hwm_kib'] / 1024, 6.0, 'MiB')
    row('system calls', tr['calls'], 2000)
    row('programs started', tr['execs'] + tr['forks'], 0)
    row('sockets opened', tr['sockets'], 0)
    os.makedirs(f'{tmp}/empty')
    many = {}
    for n in (2000, 100000):
        os.makedirs(f'{tmp}/big{n}')
        for i in range(n):
            os.close(os.open(f'{tmp}/big{n}/f{i}', os.O_CREAT | os.O_WRONLY))
        many[n] = ask('trace', f'{tmp}/l{n}', *check, cwd=f'{tmp}/big{n}', env=env)
        shutil.rmtree(f'{tmp}/big{n}')
    empty = ask('trace', f'{tmp}/l0', *check, cwd=f'{tmp}/empty', env=env)
    row('system calls in a folder of 100,000 files beyond those in one of 2,000', many[100000]['calls'] - many[2000]['calls'], 0)
    row('… beyond those in an empty one (asks for each name instead of listing)', many[100000]['calls'] - empty['calls'], None)
    row('peak memory there beyond that in an empty one', max(0, many[100000]['hwm_kib'] - empty['hwm_kib']) / 1024, 0.5, 'MiB')
    cold, stayed = [], 0
    with open(lst, 'a') as f:
        f.write(os.path.realpath(tool) + '\n')
    for _ in range(5):
        stayed = ask('evict', lst)['stayed_kib']
        cold.append(ask('time', 1, *check, env=env))
    files = len(open(lst).read().split('\n')) - 1
    row('wall, cold (minimum of 5; files evicted before each)', min(c['wall_us'] for c in cold) / 1000, 40.0, 'ms')
    row('CPU, cold', min(c['cpu_us'] for c in cold) / 1000, None, 'ms')
    row('files evicted', files, None)
    row('of them still cached (mapped by others)', stayed / 1024, None, 'MiB')
    return check


def asking(tool, prefix, env):
    """What the driver child adds: pairs of runs with and without asking the healthy driver double, one after the other."""
    fakes = os.path.join(ROOT, 'build', 'tests', 'fakes')
    if not os.path.exists(f'{fakes}/libcuda.so.1'):
        skip('asking the driver', 'no driver double in build/tests/fakes')
        return
    env2 = {**env, 'LD_LIBRARY_PATH': os.path.realpath(fakes)}
    check = [tool, 'check', '--env', prefix]
    pairs = []
    for _ in range(25):
        without = ask('time', 1, *check, '--driver-timeout', '0', env=env2)
        pairs.append((ask('time', 1, *check, env=env2)['wall_us'] - without['wall_us'], without['wall_us']))
    added = sorted(d for d, _ in pairs)
    row('wall that asking the driver double adds (median of 25 pairs)', added[len(added) // 2] / 1000, 20.0, 'ms')
    row('… worst of the 25', added[-1] / 1000, None, 'ms')


def doctors(cache, sp):
    """A virtual environment with the two tools that sees the TensorFlow environment's packages (a .pth file); made once."""
    d = f'{cache}/doctors'
    uv = f'{cache}/tools/bin/uv'
    uv = uv if os.path.exists(uv) else shutil.which('uv') or uv
    if not (os.path.exists(f'{d}/bin/env-doctor') and os.path.exists(f'{d}/bin/cuda-doctor')):
        py = glob.glob(f'{sp}/../../../bin/python3.*')[0]
        for c in ([uv, 'venv', '-q', '--clear', '--python', os.path.realpath(py), d], [uv, 'pip', 'install', '-q', '--python', f'{d}/bin/python', 'env-doctor', 'cuda-doctor']):
            if subprocess.run(c, stdin=subprocess.DEVNULL).returncode:
                return None
    with open(glob.glob(f'{d}/lib/python3.*/site-packages')[0] + '/zz_tensorflow.pth', 'w') as f:
        f.write(sp + '\n')
    return d


def beside(check, env, other, name, want, cwd, env2):
    """Minimum of check's CPU and of the other's, in turns: both meet the same states of the machine."""
    mine, theirs = [], []
    for _ in range(3):
        mine.append(ask('time', 20, *check, env=env)['cpu_us'])
        t = ask('time', 1, *other, cwd=cwd, env=env2)
        if t['status'] and name == 'python -c "import tensorflow"':
            skip(name, f'status {t["status"]}')
            return
        theirs.append(t['cpu_us'])
    mine.append(ask('time', 20, *check, env=env)['cpu_us'])
    row(f'CPU of {name} (minimum of 3)', min(theirs) / 1000, None, 'ms')
    row('… times the CPU of check (in turns with it)', min(theirs) / min(mine), want, at_least=True)


def others(check, prefix, env, cache, sp, tmp):
    beside(check, env, [f'{prefix}/bin/python', '-c', 'import tensorflow'], 'python -c "import tensorflow"', 500, f'{tmp}/empty', env)
    d = doctors(cache, sp)
    for name, args, want in (('env-doctor', ['check'], 800), ('cuda-doctor', ['diagnose'], 80)):
        if not d:
            skip(name, 'could not be installed from PyPI')
            continue
        env2 = dict(env, PATH=f'{d}/bin:' + env['PATH'], VIRTUAL_ENV=d)
        other = [f'{d}/bin/{name}', *args]
        ask('time', 1, *other, cwd=f'{tmp}/empty', env=env2)
        beside(check, env, other, f'{name} {args[0]}', want, f'{tmp}/empty', env2)


def fat(cache, sp):
    """GPU code of the two biggest libraries: our reader against cuobjdump, CPU of both."""
    lister = os.path.join(ROOT, 'build', 'tests', 'truth', 'fatbin-list')
    pattern = f'{cache}/cuobjdump/lib/python3*/site-packages/nvidia/*/bin/cuobjdump'   # where tests/truth/run-fatbin puts it
    if not glob.glob(pattern):
        for c in ([sys.executable, '-m', 'venv', f'{cache}/cuobjdump'], [f'{cache}/cuobjdump/bin/pip', '-q', 'install', 'nvidia-cuda-cuobjdump']):
            subprocess.run(c, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = glob.glob(pattern)
    if not found or not os.path.exists(lister):
        skip('fat binaries', 'no cuobjdump to be had from PyPI')
        return
    for lib in ('tensorflow/libtensorflow_cc.so.2', 'nvidia/cublas/lib/libcublasLt.so.12'):
        f = f'{sp}/{lib}'
        if not os.path.exists(f):
            skip(lib, 'not there')
            continue
        a = ask('time', 5, lister, f)['cpu_us']
        b = sum(ask('time', 1, found[0], opt, f)['cpu_us'] for opt in ('--list-elf', '--list-ptx'))
        row(f'fat binaries of {os.path.basename(lib)}: CPU of our reader', a / 1000, None, 'ms')
        row('… CPU of cuobjdump --list-elf and --list-ptx', b / 1000, None, 'ms')
        row('… times ours', b / a, 200, at_least=True)


def many(tool, prefix, env, sp, tmp):
    """Cost against the number of packages: an environment that links to the real one, with further dist-info folders."""
    infos = [d for d in os.listdir(sp) if d.endswith('.dist-info')]
    dirs = []
    for k in (1, 4, 7, 10):
        d = f'{tmp}/x{k}'
        to = f'{d}/lib/{os.path.basename(os.path.dirname(sp))}/site-packages'
        os.makedirs(to)
        os.makedirs(f'{d}/bin')
        shutil.copy(f'{prefix}/pyvenv.cfg', d)
        for n in os.listdir(f'{prefix}/bin'):
            if n.startswith('python'):
                os.symlink(os.path.realpath(f'{prefix}/bin/{n}'), f'{d}/bin/{n}')
        for n in os.listdir(sp):
            if n.endswith('.dist-info'):
                shutil.copytree(f'{sp}/{n}', f'{to}/{n}')
            else:
                os.symlink(f'{sp}/{n}', f'{to}/{n}')
        for i in range(k - 1):
            for n in infos:
                new = f'{to}/extra{i}_{n}'
                os.makedirs(new)
                for part in ('METADATA', 'INSTALLER', 'WHEEL'):
                    if os.path.exists(f'{sp}/{n}/{part}'):
                        shutil.copy(f'{sp}/{n}/{part}', new)
        dirs.append((k * len(infos), d, dict(env, VIRTUAL_ENV=d, PATH=f'{d}/bin:/usr/bin:/bin')))
    best = {}
    for _ in range(40):   # in turns, so that a busy moment of the machine meets all of them
        for n, d, env2 in dirs:
            c = ask('time', 1, tool, 'check', '--env', d, env=env2)['cpu_us']
            best[n] = min(best.get(n, c), c)
    out = [(n, best[n], ask('trace', f'{tmp}/l', tool, 'check', '--env', d, env=env2)['calls']) for n, d, env2 in dirs]
    for n, c, _ in out:
        row(f'CPU with {n} packages (minimum of 40)', c / 1000, None, 'ms')
    (n0, c0, s0), (n3, c3, s3) = out[0], out[-1]
    row('CPU for each further package', (c3 - c0) / (n3 - n0), None, 'µs')
    row('system calls for each further package', (s3 - s0) / (n3 - n0), None)
    off = max(abs(c - (c0 + (c3 - c0) * (n - n0) / (n3 - n0))) for n, c, _ in out[1:-1])
    row('greatest distance from a straight line, of the cost at 10×', 100 * off / c3, 10, '%')
    n, d, env2 = dirs[0]
    record = glob.glob(f'{d}/lib/python3*/site-packages/tensorflow-*.dist-info/RECORD')[0]
    with open(record, encoding='utf-8') as f:
        text = f.read()
    with open(record, 'w', encoding='utf-8') as f:
        f.write(re.sub(r'(/libtensorflow_framework\.so\.2,sha256=)...', r'\1___', text, count=1))   # a build that was not learned
    row(f'CPU with {n} packages and a TensorFlow that no learned row knows (minimum of 40)', ask('time', 40, tool, 'check', '--env', d, env=env2)['cpu_us'] / 1000, None, 'ms')


def learned(tool, prefix, env, cache, tmp):
    """tfgpu learn on the wheel of that version, beside unzip of the same file, and on the environment."""
    args = [tool, 'learn', prefix, '--format', 'json']
    t = ask('time', 20, *args, env=env)
    row('learn, environment: CPU (minimum of 20)', t['cpu_us'] / 1000, None, 'ms')
    row('learn, environment: wall', t['wall_us'] / 1000, 50.0, 'ms')
    pip, wheel = f'{cache}/tools/bin/pip', None
    if os.path.exists(pip) and shutil.disk_usage(tmp).free > 2 << 30 and shutil.which('unzip'):
        subprocess.run([pip, 'download', '-q', '--no-deps', '--no-cache-dir', '--only-binary=:all:', '--disable-pip-version-check', '--python-version', '3.11', '--platform',
                        'manylinux_2_27_x86_64', '-d', tmp, f'tensorflow=={VERSION}'], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wheel = next(iter(glob.glob(f'{tmp}/*.whl')), None)
    if not wheel:
        skip('learn, wheel', 'it could not be downloaded, or no unzip')
        return
    ours, theirs = ask('time', 1, tool, 'learn', wheel, '--format', 'json', env=env), ask('time', 1, 'unzip', '-p', wheel, env=env)
    row(f'learn, {os.path.getsize(wheel) / 1e6:.0f} MB wheel: CPU', ours['cpu_us'] / 1e6, None, 's')
    row('… CPU of unzip -p WHEEL >/dev/null', theirs['cpu_us'] / 1e6, None, 's')
    row('… of ours, times that', ours['cpu_us'] / theirs['cpu_us'], 2.5)
    row('… peak memory (VmHWM)', ask('trace', f'{tmp}/l', tool, 'learn', wheel, '--format', 'json', env=env)['hwm_kib'] / 1024, 64.0, 'MiB')
    os.remove(wheel)


def rg_patterns(out, sample):
    """The expressions of the catalogue as ripgrep takes them, in a file: without names of groups; those that look around, which it cannot, are
    left out. How many, and how many there are."""
    sys.path.insert(0, os.path.join(ROOT, 'tools'))
    import causes_explain, re, yaml
    every, good = {}, []
    for f in sorted(glob.glob(os.path.join(ROOT, 'data/causes/*.yaml'))):
        for p in (yaml.safe_load(open(f, encoding='utf-8')).get('explain') or {}).get('patterns', []):
            every.update((causes_explain.caseless(p[k]), None) for k in ('re', 'also', 'unless') if p.get(k))
    for rx in every:
        if not re.search(r'\(\?<?[!=]', rx):
            rx = '(?:' + re.sub(r'\\([ "\'%/:;<=>@_`,!])', r'\1', re.sub(r'\(\?<[a-z]\w*>', '(?:', rx)) + ')'
            if subprocess.run(['rg', '--no-config', '-c', '-e', rx, sample], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode < 2:
                good.append(rx)
    with open(out, 'w', encoding='utf-8') as f:
        f.write('\n'.join(good) + '\n')
    return len(good), len(every)


def made(kind, mib, path):
    with open(path, 'wb') as f:
        subprocess.run([sys.executable, os.path.join(HERE, 'genlog.py'), kind, str(mib)], stdout=f, check=True)
    return os.path.getsize(path)


def explained(tool, env, tmp, quick):
    """tfgpu explain on made logs (genlog.py): speed, beside ripgrep with the same expressions, and memory on an endless stream."""
    log, small, expressions = f'{tmp}/job.log', f'{tmp}/small.log', f'{tmp}/expressions'
    mine = lambda f: ask('time', 5, tool, 'explain', '--format', 'json', '--no-machine', f, env=env)['cpu_us']
    size = made('plain', 256, log)
    with open(log, 'rb') as f, open(small, 'wb') as to:
        to.write(f.read(20000))
    row('explain, a log of 20 kB: CPU (minimum of 5)', mine(small) / 1000, 10.0, 'ms')
    a = min(mine(log) for _ in range(4))
    row(f'explain, a plain training log of {size / 1e6:.0f} MB (minimum of 20)', size / a / 1000, 1.5, 'GB/s', at_least=True)
    row('… without vector instructions (TFGPU_ENGINE=portable)', size / ask('time', 2, tool, 'explain', '--format', 'json', '--no-machine', log, env=dict(env, TFGPU_ENGINE='portable'))['cpu_us'] / 1000, None, 'GB/s')
    if shutil.which('rg'):
        n, of = rg_patterns(expressions, small)
        b = ask('time', 2, 'rg', '--no-config', '-j1', '-c', '-f', expressions, log, env=env)
        row(f'… CPU of rg -c -f with {n} of the {of} expressions, times that of explain', b['cpu_us'] / min(a, mine(log)), 3, at_least=True)
    else:
        skip('… beside rg -c -f', 'no ripgrep')
    if shutil.which('zstd') and subprocess.run(['zstd', '-q', '-3', log, '-o', log + '.zst']).returncode == 0:
        packed = mine(log + '.zst')
        row('… packed by zstd -3, of the unpacked size', size / packed / 1000, None, 'GB/s')
        row('… CPU, times that of zstd -dc', packed / ask('time', 5, 'zstd', '-dc', log + '.zst', env=env)['cpu_us'], None)
    else:
        skip('… packed by zstd', 'no zstd')
    size = made('ansi', 128, log)
    row(f'explain, the log of a terminal, colours and progress bars, {size / 1e6:.0f} MB', size / mine(log) / 1000, None, 'GB/s')
    for kind, mib, what in (('plain', 256 if quick else 4096, 'a stream'), ('oneline', 128 if quick else 1024, 'one line')):
        fifo = f'{tmp}/{kind}.fifo'
        os.mkfifo(fifo)
        p = subprocess.Popen(['sh', '-c', 'exec "$1" "$2" "$3" "$4" >"$5"', 'sh', sys.executable, os.path.join(HERE, 'genlog.py'), kind, str(mib), fifo])
        row(f'explain, {what} of {mib} MiB: peak memory (VmHWM)', ask('trace', f'{tmp}/l', tool, 'explain', '--format', 'json', '--no-machine', fifo, env=env)['hwm_kib'] / 1024, 32.0, 'MiB')
        p.wait()


def timed(words, cwd, env):
    """Wall time, and the CPU time of the program itself without what it started (10 ms exact)."""
    t0 = time.monotonic()
    p = subprocess.Popen(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = p.stdout.read()
    os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
    with open(f'/proc/{p.pid}/stat', encoding='utf-8') as f:
        user, system = f.read().rsplit(')', 1)[1].split()[11:13]
    wall = time.monotonic() - t0
    if p.wait():
        raise RuntimeError(f'{words}: exit {p.returncode}\n{said}')
    return wall, (int(user) + int(system)) / os.sysconf('SC_CLK_TCK')


def set_up(tool, prefix, envs, cache, rounds=5):
    """In a folder on the file system of uv's cache, so that files are linked."""
    uv = next((p for p in (f'{cache}/tools/bin/uv', shutil.which('uv')) if p and os.path.exists(p)), None)
    uv_cache = f'{cache}/uv-cache' if os.stat(envs).st_dev == os.stat(cache).st_dev else f'{envs}/.uv-cache'
    if not uv:
        skip('environments made by setup', 'no uv')
        return
    home = tempfile.mkdtemp(prefix='bench-setup-', dir=os.path.dirname(uv_cache))
    python = os.path.dirname(os.path.realpath(f'{prefix}/bin/python'))
    kept = {k: v for k, v in os.environ.items() if k not in ('VIRTUAL_ENV', 'CONDA_PREFIX') and not k.startswith(('PYTHON', 'XDG_'))}
    env = {**kept, 'HOME': home, 'XDG_CONFIG_HOME': os.path.expanduser('~/.config'), 'UV_CACHE_DIR': uv_cache, 'PATH': f'{os.path.dirname(uv)}:{python}:/usr/bin:/bin', 'LC_ALL': 'C.UTF-8'}
    words = [tool, 'setup', '--tf', VERSION, '--engine', 'uv', '--env', 'env']
    try:
        plan = subprocess.run([*words, '--dry-run'], cwd=home, env=env, capture_output=True, text=True, check=True).stdout
        by_hand = ['sh', '-ec', '\n'.join(l.strip()[2:] for l in plan.splitlines() if l.startswith('     $ '))]
        figures = {'hand': [], 'tfgpu': []}
        for i in range(rounds + 1):
            for who, what in (('hand', by_hand), ('tfgpu', [*words, '--yes'])):
                figures[who].append(timed(what, home, env))
                shutil.rmtree(f'{home}/env')
        wall = {k: statistics.median(w for w, _ in v[1:]) for k, v in figures.items()}       # the first turn warms the cache
        row('CPU of setup itself, without uv (median of 5)', statistics.median(c for _, c in figures['tfgpu'][1:]), 0.5, 's')
        row('wall of setup, uv\'s cache warm (median of 5)', wall['tfgpu'], None, 's')
        row('wall of the same commands by hand (median of 5)', wall['hand'], None, 's')
        row('wall that setup adds, its repair and its check of the layers included', max(0.0, wall['tfgpu'] - wall['hand']), 1.0, 's')
    finally:
        shutil.rmtree(home, ignore_errors=True)


def table():
    w = [max(len(r[i]) for r in rows) for i in range(4)]
    return '\n'.join('  '.join(c.ljust(w[i]) if i == 0 else c.rjust(w[i]) for i, c in enumerate(r)).rstrip() for r in rows)


def markdown(cpu):
    out = ['# Benchmarks', '', 'Written by `./dev bench --write`; `./dev bench` repeats the measurement and prints the same table.', '',
           f'`tfgpu check` in a virtual environment with `tensorflow[and-cuda]=={VERSION}`, {datetime.date.today()}, {platform.platform()}, {cpu}.',
           'CPU is user and system time of the process and the children that it waits for. Peak memory is VmHWM at exit, system calls are counted by ptrace.',
           'Logs for explain are made by tests/bench/genlog.py: installation, start, epochs, the program\'s own lines, tracebacks, kernel lines, a fault in 4 MiB.',
           'Cold: every file that the run opens, and the program, is dropped from the page cache before each run (POSIX_FADV_DONTNEED).',
           'The other tools run in a virtual environment of their own that sees the same packages; import runs in the environment itself.', '',
           '| what | figure | limit | |', '| --- | ---: | ---: | --- |']
    return '\n'.join(out + [f'| {a} | {b} | {c} | {d} |' for a, b, c, d in rows]) + '\n'


def main():
    ap = argparse.ArgumentParser()
    for o in ('tool', 'envs', 'cache'):
        ap.add_argument('--' + o, required=True)
    ap.add_argument('--write', action='store_true')
    ap.add_argument('--quick', action='store_true')
    ap.add_argument('--explain', action='store_true')
    ap.add_argument('--setup', action='store_true')
    a = ap.parse_args()
    if a.explain + a.setup + (a.write or a.quick) > 1:
        ap.error('--explain and --setup are measured alone')
    tool, prefix = os.path.abspath(a.tool), f'{a.envs}/tf-{VERSION}'
    sp = glob.glob(f'{prefix}/lib/python3.*/site-packages')[0]
    env = environment(prefix)
    cpu = next((l.split(':')[1].strip() for l in open('/proc/cpuinfo') if l.startswith('model name')), 'unknown CPU')
    print(f'{VERSION}, {cpu}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}')
    tmp = tempfile.mkdtemp(prefix='tfgpu-bench-')
    try:
        if a.setup:
            set_up(tool, prefix, a.envs, a.cache)
        elif not a.explain:
            check = own(tool, prefix, env, tmp)
            asking(tool, prefix, env)
            many(tool, prefix, env, sp, tmp)
        if not a.setup:
            explained(tool, env, tmp, a.quick)
        if not a.quick and not a.explain and not a.setup:
            set_up(tool, prefix, a.envs, a.cache)
            learned(tool, prefix, env, a.cache, tmp)
            fat(a.cache, sp)
            others(check, prefix, env, a.cache, sp, tmp)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    print(table())
    if a.write:
        with open(os.path.join(ROOT, 'docs', 'benchmarks.md'), 'w', encoding='utf-8') as f:
            f.write(markdown(cpu))
    print(f'{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped')
    return counts[1] != 0


if __name__ == '__main__':
    sys.exit(main())
