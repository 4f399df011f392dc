# SPDX-License-Identifier: Apache-2.0
"""wheelw - write small wheels, and install one into a folder as an installer would, for the tests of `tfgpu learn`."""
import base64, hashlib, os, zipfile

import elfw


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()


def metadata(name, version, requires=(), extras=(), python='>=3.9'):
    head = [f'Metadata-Version: 2.1', f'Name: {name}', f'Version: {version}', f'Requires-Python: {python}']
    return '\n'.join(head + [f'Provides-Extra: {e}' for e in extras] + [f'Requires-Dist: {r}' for r in requires]) + '\n\nText.\n'


def tensorflow(version='2.99.0', cuda='12.5.1', cudnn='9', pad=0):
    """{path: bytes} of a wheel that looks like TensorFlow's: libraries, build_info, METADATA. pad: bytes behind the biggest library."""
    info = f'tensorflow-{version}.dist-info'
    nv = ':'.join('$ORIGIN/../nvidia/%s/lib' % d for d in ('cublas', 'cudnn', 'cuda_runtime'))
    lib = dict(verneed={'libc.so.6': ['GLIBC_2.17'], 'libstdc++.so.6': ['GLIBCXX_3.4.22', 'CXXABI_1.3.11']})
    files = {
        'tensorflow/__init__.py': b'raise SystemExit("never executed")\n',
        'tensorflow/libtensorflow_framework.so.2': elfw.build(soname='libtensorflow_framework.so.2', needed=['libc.so.6'], runpath=nv, **lib),
        'tensorflow/libtensorflow_cc.so.2': elfw.build(soname='libtensorflow_cc.so.2', needed=['libtensorflow_framework.so.2', 'libm.so.6', 'libc.so.6'],
                                                       runpath='$ORIGIN', sass=[60, 90], ptx=[90], verneed={'libc.so.6': ['GLIBC_2.27']}) + bytes(pad),
        'tensorflow/python/_pywrap_tensorflow_internal.so': elfw.build(needed=['libtensorflow_cc.so.2', 'libc.so.6'], runpath='$ORIGIN/..'),
        'tensorflow/lite/_other.so': elfw.build(needed=['librt.so.1']),
        'tensorflow/python/platform/build_info.py':
            f'import collections\nbuild_info = collections.OrderedDict([("cuda_version", "{cuda}"), ("cudnn_version", "{cudnn}"), ("is_cuda_build", True), '
            '("cuda_compute_capabilities", ["sm_60", "compute_90"])])\n'.encode(),
        f'{info}/METADATA': metadata('tensorflow', version, ['numpy>=1.26.0', 'nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == "and-cuda"'], ['and-cuda']).encode(),
        f'{info}/WHEEL': b'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-manylinux_2_27_x86_64\n\n',
    }
    return with_record(files, info)


def with_record(files, info):
    lines = [f'{p},sha256={digest(d)},{len(d)}' for p, d in sorted(files.items())] + [f'{info}/RECORD,,']
    return files | {f'{info}/RECORD': ('\n'.join(lines) + '\n').encode()}


def write(path, files, method=zipfile.ZIP_DEFLATED, zip64=False):
    """A zip archive of them; the same bytes each time."""
    with zipfile.ZipFile(path, 'w', method) as z:
        for p, d in files.items():
            i = zipfile.ZipInfo(p, (2024, 1, 1, 0, 0, 0))
            i.compress_type = method
            with z.open(i, 'w', force_zip64=zip64) as f:
                f.write(d)
    return path


def install(site, files):
    for p, d in files.items():
        to = os.path.join(site, p)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, 'wb') as f:
            f.write(d)
