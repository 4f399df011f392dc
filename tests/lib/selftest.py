#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""selftest - the test library's own writers against readelf, the real loader and ldconfig. TAP on standard output."""
import ctypes, os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import elfw, tree

N = [0, 0]


def ok(cond, name, detail=''):
    N[0] += 1
    N[1] += not cond
    print(f'{"" if cond else "not "}ok {N[0]} - {name}')
    if not cond and detail:
        print('# ' + str(detail).replace('\n', '\n# ')[:2000])


def sh(*a, **k):
    return subprocess.run(a, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **k)


def load(path, env=None):
    code = 'import ctypes,sys\ntry:\n ctypes.CDLL(sys.argv[1])\n print("loaded")\nexcept OSError as e:\n print(e)'
    return sh(sys.executable, '-c', code, path, env={**os.environ, **(env or {})}).stdout.strip()


def machines(d):
    for b in tree.BASES:
        t = tree.make_base(b, f'{d}/{b}')
        elfs, size, wrong = [], 0, []
        for p, dirs, files in os.walk(t.root):
            for n in files:
                f = f'{p}/{n}'
                if not os.path.islink(f):
                    size += os.path.getsize(f)
                    with open(f, 'rb') as fh:
                        head = fh.read(17)
                    if head[:4] == b'\x7fELF' and head[16:17] in (b'\2', b'\3'):
                        elfs.append(f)
        r = sh('readelf', '-hldVSW', *elfs).stdout
        bad = [l for l in r.splitlines() if 'Warning' in l or 'Error' in l]
        ok(elfs and not bad, f'{b}: readelf reads its {len(elfs)} ELF files', bad[:5])
        ok(size < 2 << 20, f'{b}: below 2 MiB ({size})')
        sp = t.info['sp']
        for i in os.listdir(t.host(sp)):
            if i.endswith('.dist-info'):
                for line in t.read(f'{sp}/{i}/RECORD').decode().splitlines():
                    rel, h, n = line.split(',')
                    if n and os.path.getsize(t.host(f'{sp}/{rel}')) != int(n):
                        wrong.append(rel)
        ok(not wrong, f'{b}: RECORD states the sizes on disk', wrong)
    bare = f'{d}/bare'
    before = open(f'{bare}/etc/ld.so.cache', 'rb').read()
    t = tree.clone(bare, f'{d}/changed')
    lib = '${NV}/cublas/lib/libcublas.so.12'
    tree.apply(t, [
        {'remove': '/dev/nvidia-uvm'}, {'elf': {'path': lib, 'soname': 'libcublas.so.12', 'cut': 4096}},
        {'text': {'path': '/lib/x', 'content': 'x'}}, {'cache': {'remove': ['libcuda.so.1'], 'add': {'libq.so.1': '/q'}}},
        {'package': {'name': 'numpy', 'version': '1.24.0'}}, {'gpu': {'device': '0x2684'}}, {'env': {'HOME': None, 'A': 1}},
        {'cpu_flags': {'remove': ['avx']}}, {'user': {'uid': 7}}, {'stat': {'path': '/usr/bin/python3.11', 'mode': '0600'}}])
    t.save()
    lib = tree.subst(t, lib)
    rec = [l for l in t.read(t.info['sp'] + '/nvidia_cublas_cu12-12.9.1.4.dist-info/RECORD').decode().splitlines() if l.startswith('nvidia/cublas/lib/libcublas.so.12,')]
    ok(len(t.read(lib)) == 4096 and int(rec[0].split(',')[2]) > 8192, 'a cut library is shorter than RECORD says', rec)
    ok(open(f'{bare}/etc/ld.so.cache', 'rb').read() == before != t.read('/etc/ld.so.cache'), 'a change does not reach the base')
    ok(os.path.exists(f'{d}/changed/usr/lib/x'), 'links in paths are followed inside the tree')
    ok(t.exists(t.info['sp'] + '/numpy-1.24.0.dist-info') and not t.exists(t.info['sp'] + '/numpy-2.1.3.dist-info'), 'a package changes its version')
    ok('/dev/nvidia-uvm' not in t.m['stat'] and t.m['environment'].get('A') == '1' and 'avx' not in t.m['cpu']['flags'] and t.m['user']['uid'] == 7, 'the manifest follows')
    ok(t.read('/sys/bus/pci/devices/0000:01:00.0/device') == b'0x2684\n', 'a GPU is replaced')
    ok(os.stat(f'{bare}/usr/bin/python3.11').st_ino == os.stat(f'{d}/changed/usr/bin/python3.11').st_ino, 'unchanged files are shared')
    for c in ({'remove': '/no/such'}, {'nonsense': 1}, {'text': {'path': '/x'}}, {'stat': {'path': '/no', 'mode': '0'}}, {'elf': {'path': '/x', 'colour': 1}}):
        try:
            tree.apply(t, [c])
            ok(False, f'a wrong change is refused: {c}')
        except ValueError as e:
            ok(True, f'a wrong change is refused: {e}')


def main():
    d = tempfile.mkdtemp(prefix='tfgpu-selftest-')
    try:
        w = lambda n, **k: open(f'{d}/{n}', 'wb').write(elfw.build(**k))
        mov42 = b'\xb8\x2a\0\0\0\xc3'
        w('libdep.so.1', soname='libdep.so.1', verdef=['DEP_1', 'DEP_2'], symbols={'dep_answer': mov42, 'dep_b': mov42, 'dep_c': mov42})
        w('libtop.so.1', soname='libtop.so.1', needed=['libdep.so.1', 'libc.so.6'], runpath='$ORIGIN', sass=[60, 70], ptx=[90],
          verneed={'libc.so.6': ['GLIBC_2.2.5'], 'libdep.so.1': ['DEP_2']}, isa=1)
        w('libold.so.1', soname='libold.so.1', needed=['libdep.so.1'], rpath='$ORIGIN', verneed={'libdep.so.1': ['DEP_9']})
        w('libglibc.so.1', soname='libglibc.so.1', verneed={'libc.so.6': ['GLIBC_2.99']})
        w('libundef.so.1', soname='libundef.so.1', undefined=['no_such_function'])
        w('libarm.so.1', soname='libarm.so.1', machine='aarch64')
        w('lib32.so.1', soname='lib32.so.1', machine='i386')
        w('libbig.so.1', soname='libbig.so.1', min_size=40000)
        w('prog', needed=['libc.so.6', 'libdep.so.1'], runpath='$ORIGIN', interp='/lib64/ld-linux-x86-64.so.2', pie=True)
        os.chmod(f'{d}/prog', 0o755)
        r = sh('readelf', '-dVSlW', f'{d}/libtop.so.1').stdout
        ok('Warning' not in r and 'Error' not in r, 'readelf has no complaint', r)
        for t in ('Library soname: [libtop.so.1]', 'Library runpath: [$ORIGIN]', 'Shared library: [libdep.so.1]', 'DEP_2', 'GLIBC_2.2.5', '.nv_fatbin'):
            ok(t in r, f'readelf shows {t}', r)
        r = sh('readelf', '-nW', f'{d}/libtop.so.1').stdout
        ok('x86-64-baseline' in r, 'readelf shows the ISA note', r)
        ok(load(f'{d}/libtop.so.1') == 'loaded', 'the loader takes a library with a dependency and versions', load(f'{d}/libtop.so.1'))
        ok("version `DEP_9' not found" in load(f'{d}/libold.so.1'), 'a version that the provider lacks fails', load(f'{d}/libold.so.1'))
        ok("version `GLIBC_2.99' not found" in load(f'{d}/libglibc.so.1'), 'a glibc that is too old fails', load(f'{d}/libglibc.so.1'))
        ok('undefined symbol: no_such_function' in load(f'{d}/libundef.so.1'), 'an undefined symbol fails', load(f'{d}/libundef.so.1'))
        ok('cannot open' in load(f'{d}/libarm.so.1'), 'another machine is refused', load(f'{d}/libarm.so.1'))
        ok('wrong ELF class' in load(f'{d}/lib32.so.1'), 'ELF32 is refused', load(f'{d}/lib32.so.1'))
        ok(load(f'{d}/libbig.so.1') == 'loaded', 'a padded library loads', load(f'{d}/libbig.so.1'))
        data = open(f'{d}/libbig.so.1', 'rb').read()
        open(f'{d}/libcut.so.1', 'wb').write(data[:4096])
        ok(load(f'{d}/libcut.so.1') == '', 'a cut one kills the process')
        lib = ctypes.CDLL(f'{d}/libdep.so.1')
        ok([lib.dep_answer(), lib.dep_b(), lib.dep_c()] == [42, 42, 42], 'exported functions are found through the hash table')
        r = sh('/lib64/ld-linux-x86-64.so.2', '--verify', f'{d}/prog')
        ok(r.returncode == 0, 'ld.so --verify takes the program', r.returncode)
        r = sh('/lib64/ld-linux-x86-64.so.2', '--list', f'{d}/prog').stdout
        ok(f'{d}/libdep.so.1' in r, 'its dependencies are found', r)
        cache = [('libcuda.so.1', '/usr/lib/x86_64-linux-gnu/libcuda.so.1'), ('libc.so.6', '/lib/x86_64-linux-gnu/libc.so.6'),
                 ('libx.so.10', '/a/libx.so.10'), ('libx.so.9', '/a/libx.so.9'), ('libx.so.9', '/b/libx.so.9'),
                 ('libv.so.1', '/c/glibc-hwcaps/x86-64-v3/libv.so.1', 'x86-64-v3'), ('libv.so.1', '/c/libv.so.1')]
        open(f'{d}/cache', 'wb').write(elfw.ldcache(cache))
        ldconfig = shutil.which('ldconfig', path='/usr/sbin:/sbin:/usr/bin') or 'ldconfig'
        r = sh(ldconfig, '-p', '-C', f'{d}/cache')
        got = re.findall(r'^\t(\S+) \(.*\) => (\S+)$', r.stdout, re.M)
        ok(r.returncode == 0 and sorted(got) == sorted((e[0], e[1]) for e in cache), 'ldconfig -p reads the cache', r.stdout)
        ok('hwcap: "x86-64-v3"' in r.stdout, 'and its hwcaps entry', r.stdout)
        names = [g[0] for g in got]
        ok(names == ['libx.so.10', 'libx.so.9', 'libx.so.9', 'libv.so.1', 'libv.so.1', 'libcuda.so.1', 'libc.so.6'], 'in the order of the binary search', names)
        ok([p for n, p in got if n == 'libx.so.9'] == ['/a/libx.so.9', '/b/libx.so.9'], 'the earlier directory first', got)
        open(f'{d}/x.ko', 'wb').write(elfw.kernel_module('550.54.14', '6.8.0'))
        r = sh('readelf', '-p', '.modinfo', f'{d}/x.ko').stdout
        ok('version=550.54.14' in r, 'readelf reads .modinfo', r)
        machines(d)
    finally:
        shutil.rmtree(d)
    print(f'1..{N[0]}')
    return N[1] != 0


if __name__ == '__main__':
    sys.exit(main())
