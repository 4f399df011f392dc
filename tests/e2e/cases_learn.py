# SPDX-License-Identifier: Apache-2.0
"""tfgpu learn: the row of a wheel and of an environment, and every file that is no wheel or a damaged one."""
import hashlib, json, os, struct, zipfile

import wheelw
from cases_env import small_env
from cli import answer, case, one_error
from cases_output import schema, valid

NAME = 'tensorflow-2.99.0-cp311-cp311-manylinux_2_27_x86_64.whl'


def wheel(c, files=None, name=NAME, **kw):
    c.n += 1
    d = f'{c.work}/w{c.n}'
    os.makedirs(d)
    return wheelw.write(f'{d}/{name}', wheelw.tensorflow() if files is None else files, **kw)


def row(c, path, *args):
    r = answer(c.run('learn', path, '--format', 'json', *args))
    assert r.code == 0 and r.err == '', repr(r)
    return json.loads(r.out)


def edit(path, change):
    """A copy of a wheel with its bytes changed."""
    with open(path, 'rb') as f:
        data = bytearray(f.read())
    out = change(data)
    new = path[:-4] + 'x.whl'
    with open(new, 'wb') as f:
        f.write(data if out is None else out)
    return new


@case
def row_of_a_wheel(c):
    w = wheel(c)
    r = row(c, w)
    valid(schema('docs/schema/learn.schema.json'), r, 'wheel')
    assert (r['kind'], r['name'], r['version'], r['file']) == ('tensorflow', 'tensorflow', '2.99.0', NAME), r
    assert r['sha256'] == hashlib.sha256(open(w, 'rb').read()).hexdigest() and r['bytes'] == os.path.getsize(w)
    assert r['framework_sha256'] == wheelw.digest(wheelw.tensorflow()['tensorflow/libtensorflow_framework.so.2'])
    assert (r['cuda'], r['cudnn'], r['sass'], r['ptx']) == ('12.5.1', '9', [60, 90], [90]), r
    assert (r['glibc'], r['glibcxx'], r['cxxabi']) == ('2.27', '3.4.22', '1.3.11'), r
    assert r['tags'] == ['cp311-cp311-manylinux_2_27_x86_64'] and r['requires_python'] == '>=3.9' and r['extras'] == ['and-cuda']
    assert [n['soname'] for n in r['needed'] if n['mandatory']] == ['libm.so.6', 'libc.so.6', 'libstdc++.so.6'], r['needed']
    assert [n['soname'] for n in r['needed'] if not n['mandatory']] == ['librt.so.1'], r['needed']
    assert [l['path'] for l in r['libraries']] == ['tensorflow/libtensorflow_cc.so.2', 'tensorflow/libtensorflow_framework.so.2',
                                                   'tensorflow/python/_pywrap_tensorflow_internal.so'], r['libraries']
    assert r['libraries'][1]['runpath'] == ['$ORIGIN/../nvidia/cublas/lib', '$ORIGIN/../nvidia/cudnn/lib', '$ORIGIN/../nvidia/cuda_runtime/lib']
    text = answer(c.run('learn', w)).out
    for word in ('tensorflow 2.99.0', 'CUDA 12.5.1, cuDNN 9', 'GLIBC_2.27', 'sm_60 sm_90', 'compute_90', 'numpy>=1.26.0'):
        assert word in text, text


@case
def environment_gives_the_row_of_its_wheel(c):
    files = wheelw.tensorflow()
    root, _, _ = c.machine(changes=small_env('/opt/tf'))
    wheelw.install(root + '/opt/tf/lib/python3.11/site-packages', files)
    a, b = row(c, wheel(c, files)), row(c, '/opt/tf', '--root', root)
    for k in ('file', 'sha256', 'bytes'):
        assert b.pop(k) is None and a.pop(k) is not None, k
    assert a == b, [(k, a[k], b[k]) for k in a if a[k] != b[k]]
    one_error(c.run('learn', '/opt/tf', '--root', root, '--package', 'torch'), 2, 'torch')
    one_error(c.run('learn', '/opt', '--root', root), 2, '/opt')


@case
def stored_and_64_bit_archives(c):
    want = row(c, wheel(c))
    for kw in ({'method': zipfile.ZIP_STORED}, {'zip64': True}):
        have = row(c, wheel(c, **kw))
        assert {k: v for k, v in have.items() if k not in ('sha256', 'bytes')} == {k: v for k, v in want.items() if k not in ('sha256', 'bytes')}, kw


@case
def other_packages(c):
    import elfw
    info = 'nvidia_cublas_cu12-12.9.1.4.dist-info'
    lib = elfw.build(soname='libcublas.so.12', needed=['libcublasLt.so.12', 'libc.so.6'], rpath='$ORIGIN', sass=[80])
    lt = elfw.build(soname='libcublasLt.so.12', needed=['libc.so.6'], sass=[90])
    files = wheelw.with_record({'nvidia/cublas/lib/libcublas.so.12': lib, 'nvidia/cublas/lib/libcublasLt.so.12': lt,
                                f'{info}/METADATA': wheelw.metadata('nvidia-cublas-cu12', '12.9.1.4').encode()}, info)
    r = row(c, wheel(c, files, 'nvidia_cublas_cu12-12.9.1.4-py3-none-manylinux_2_27_x86_64.whl'))
    assert (r['kind'], r['cuda'], r['sass'], [n['soname'] for n in r['needed']]) == ('nvidia', '12', [80, 90], ['libc.so.6']), r
    assert r['libraries'][0]['rpath'] == ['$ORIGIN'] and r['needs'] == []
    info = 'torch-2.9.0.dist-info'
    files = wheelw.with_record({'torch/version.py': b"__version__ = '2.9.0'\ncuda: Optional[str] = '12.8'\n", 'torch/_C.cpython-311-x86_64-linux-gnu.so': elfw.build(needed=['libtorch.so']),
                                'torch/lib/libtorch.so': elfw.build(soname='libtorch.so', needed=['libcudart.so.12'], runpath='$ORIGIN'), 'torch/lib/libspare.so': elfw.build(needed=['libspare.so.9']),
                                f'{info}/METADATA': wheelw.metadata('torch', '2.9.0').encode()}, info)
    r = row(c, wheel(c, files, 'torch-2.9.0-cp311-cp311-manylinux_2_28_x86_64.whl'))
    assert (r['kind'], r['cuda'], [(n['soname'], n['mandatory']) for n in r['needed']]) == ('torch', '12.8', [('libcudart.so.12', True), ('libspare.so.9', False)]), r


@case
def libraries_for_another_processor(c):
    import elfw
    info = 'x-1.dist-info'
    files = {'x/a.so': elfw.build(machine='aarch64', needed=['libc.so.6']), 'x/b.so': elfw.build(needed=['libm.so.6']), f'{info}/METADATA': b'Name: x\nVersion: 1\n\n'}
    w = wheel(c, files, 'x-1-py3-none-any.whl')
    r = row(c, w)
    assert (r['kind'], r['elf_files'], r['other_machine'], [n['soname'] for n in r['needed']]) == ('other', 2, 1, ['libm.so.6']), r
    assert '1 library for another processor' in answer(c.run('learn', w)).out


@case
def files_that_are_no_wheels(c):
    d = c.work + '/nowheels'
    os.makedirs(d + '/folder')
    def put(name, data):
        with open(f'{d}/{name}', 'wb') as f:
            f.write(data)
        return f'{d}/{name}'
    one_error(c.run('learn', d + '/none.whl'), 2, 'none.whl')
    one_error(c.run('learn', d + '/none'), 2, 'none')
    for p in (put('empty.whl', b''), put('text.whl', b'no zip\n' * 1000), put('elf', b'\x7fELF' + bytes(100)), put('zeros.whl', bytes(70000))):
        one_error(c.run('learn', p), 2, p, 'zip')
    one_error(c.run('learn', d + '/folder'), 2, d + '/folder')
    os.mkfifo(d + '/pipe.whl')
    one_error(c.run('learn', d + '/pipe.whl'), 2, 'pipe.whl')
    with open(d + '/sparse.whl', 'wb') as f:
        f.truncate(10 << 30)
    one_error(c.run('learn', d + '/sparse.whl'), 2, 'sparse.whl')
    with zipfile.ZipFile(d + '/other.whl', 'w') as z:
        z.writestr('a/b.txt', 'x')
    one_error(c.run('learn', d + '/other.whl'), 2, 'other.whl', 'dist-info')
    two = wheelw.tensorflow() | {'other-1.dist-info/METADATA': b'Name: other\nVersion: 1\n\n'}
    one_error(c.run('learn', wheel(c, two)), 2, 'dist-info')
    one_error(c.run('learn'), 2, 'WHEEL|ENV')


@case
def damaged_wheels(c):
    w = wheel(c)
    size = os.path.getsize(w)
    with zipfile.ZipFile(w) as z:
        big = max(z.infolist(), key=lambda i: i.compress_size)
    for keep in (size // 2, size - 1, 100):
        one_error(c.run('learn', edit(w, lambda d: d[:keep])), 3, 'x.whl', 'zip')
    at = big.header_offset + 30 + len(big.filename) + big.compress_size // 2
    def flip(d):
        for i in range(8):
            d[at + i] ^= 0x55
    one_error(c.run('learn', edit(w, flip)), 3, big.filename)
    def encrypt(d):
        p = d.rindex(b'PK\x05\x06')
        off = struct.unpack_from('<I', d, p + 16)[0]
        while d[off:off + 4] == b'PK\x01\x02':
            d[off + 8] |= 1
            n, x, k = struct.unpack_from('<HHH', d, off + 28)
            off += 46 + n + x + k
    one_error(c.run('learn', edit(w, encrypt)), 3, 'encrypted')
    one_error(c.run('learn', wheel(c, method=zipfile.ZIP_BZIP2)), 3, 'method 12')
    bad = dict(wheelw.tensorflow())
    bad['tensorflow-2.99.0.dist-info/METADATA'] = b'\0\0\0'
    one_error(c.run('learn', wheel(c, bad)), 3, 'METADATA')
    up = wheelw.tensorflow() | {'../../etc/evil.so': b'x'}
    one_error(c.run('learn', wheel(c, up)), 3, 'leads elsewhere')


@case
def declared_sizes_do_not_drive_memory(c):
    """A member that says it is huge: refused before anything of that size is made."""
    w = wheel(c)
    def lie(d):
        p = d.rindex(b'PK\x05\x06')
        off = struct.unpack_from('<I', d, p + 16)[0]
        struct.pack_into('<I', d, off + 24, 0xFFFFFFF0)
    one_error(c.run('learn', edit(w, lie)), 3, 'sizes')


@case
def big_member_is_read_within_little_memory(c):
    """80 MB of zeros behind a library: inflated by blocks, not kept."""
    files = wheelw.tensorflow(pad=80 << 20)
    w = wheel(c, files)
    r = c.run('learn', w, '--format', 'json', wrap=['bash', '-c', 'ulimit -v 200000; exec "$@"', 'x'] if 'build-asan' not in c.tool else [])
    assert json.loads(answer(r).out)['sass'] == [60, 90], repr(r)
