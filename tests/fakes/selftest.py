#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""selftest - the driver doubles do what their script says. TAP on standard output.

usage: selftest.py [FOLDER]      FOLDER holds the doubles (build/tests/fakes)
"""
import json, os, subprocess, sys, tempfile

FOLDER = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else 'build/tests/fakes')
N = [0, 0]

# Runs in a child: prints cuInit's result and the devices that CUDA and NVML list.
ASK = r'''
import ctypes as c, json, sys
cuda, nvml = (c.CDLL(sys.argv[1] + n) for n in ('/libcuda.so.1', '/libnvidia-ml.so.1'))
a, n, text, size, h = {}, c.c_int(), c.create_string_buffer(96), c.c_size_t(), c.c_void_p()
a['init'] = cuda.cuInit(0)
cuda.cuDriverGetVersion(c.byref(n)); a['cuda'] = n.value
n.value = 0; a['count_code'] = cuda.cuDeviceGetCount(c.byref(n)); a['count'] = n.value
a['names'], a['memory'], a['codes'] = [], [], []
for i in range(n.value):
    text.value = b''
    a['codes'].append(cuda.cuDeviceGetName(text, 96, i)); a['names'].append(text.value.decode())
    cuda.cuDeviceTotalMem_v2(c.byref(size), i); a['memory'].append(size.value >> 20)
a['nvml_init'] = nvml.nvmlInit_v2()
n.value = 0; nvml.nvmlDeviceGetCount_v2(c.byref(n)); a['nvml'] = []
for i in range(n.value):
    nvml.nvmlDeviceGetHandleByIndex_v2(i, c.byref(h)); text.value = b''
    nvml.nvmlDeviceGetUUID(h, text, 96); a['nvml'].append(text.value.decode())
print(json.dumps(a))
'''
THREE = 'devices = 3\n0.name = zero\n1.name = one\n2.name = two\n0.uuid = GPU-aa00\n1.uuid = GPU-ab00\n2.uuid = GPU-cc00\n1.multiprocessors = 200\n'
MIG = THREE + '1.mig = 1\n1.mig_devices = 2\n1.mig_uuids = MIG-11 MIG-22\n'
PCI = {'CUDA_DEVICE_ORDER': 'PCI_BUS_ID'}


def ask(script, env):
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as f:
        f.write(script)
        f.flush()
        p = subprocess.run([sys.executable, '-c', ASK, FOLDER], env={'PATH': os.environ['PATH'], 'TFGPU_DRIVER_DOUBLE': f.name, **env},
                           capture_output=True, text=True, timeout=30, check=False)
    return json.loads(p.stdout) if p.returncode == 0 else {'rc': p.returncode, 'err': p.stderr}


def ok(name, script, env, want):
    have = ask(script, env)
    N[0] += 1
    good = all(have.get(k) == v for k, v in want.items())
    N[1] += not good
    print(f'{"" if good else "not "}ok {N[0]} - {name}')
    if not good:
        print(f'# wanted {want}\n# is     {have}')


def names(*v):
    return {'init': 0, 'names': list(v)} if v else {'init': 100, 'count': 0}


def visible(name, value, want, script=THREE, **env):
    ok(f'CUDA_VISIBLE_DEVICES={value!r}: {name}', script, {**PCI, 'CUDA_VISIBLE_DEVICES': value, **env}, want)


ok('one healthy card without a script', '', {}, {'init': 0, 'cuda': 12040, 'count': 1, 'memory': [24217], 'nvml_init': 0})
ok('devices as scripted', THREE, PCI, {**names('zero', 'one', 'two'), 'nvml': ['GPU-aa00', 'GPU-ab00', 'GPU-cc00']})
ok('the fastest device is first without an order', THREE, {}, names('one', 'zero', 'two'))
ok('a device that CUDA does not see', THREE + '1.cuda_sees = 0\n', PCI, {**names('zero', 'two'), 'nvml': ['GPU-aa00', 'GPU-ab00', 'GPU-cc00']})
ok('a device that NVML does not see', THREE + '1.nvml_sees = 0\n', PCI, {**names('zero', 'one', 'two'), 'nvml': ['GPU-aa00', 'GPU-cc00']})
for n, v, w in (('none', '', ()), ('none', '-1', ()), ('order of the list', '2,0', ('two', 'zero')), ('what follows a bad entry is hidden', '0,2,-1,1', ('zero', 'two')),
                ('index beyond', '0,3,1', ('zero',)), ('index beyond, first', '7', ()), ('one twice hides all', '0,0', ()), ('blanks before an index', ' 1, 2', ('one', 'two')),
                ('digits count', '1x,2', ('one', 'two')), ('no number', 'none', ()), ('empty entry', '0,,1', ('zero',)), ('UUID', 'GPU-cc00', ('two',)),
                ('short UUID', 'GPU-c', ('two',)), ('ambiguous UUID', 'GPU-a', ()), ('unknown UUID after a good one', 'GPU-cc,GPU-ff,GPU-aa', ('two',)),
                ('the same UUID twice', 'GPU-cc,GPU-cc00', ()), ('index after UUID', 'GPU-cc00,1', ('two',)), ('UUID after index', '1,GPU-cc00', ('one',)),
                ('no whole UUID', 'GPU', ()), ('MIG without MIG', 'MIG-11', ())):
    visible(n, v, names(*w))
visible('indices count in the order of speed', '0,1', names('one', 'zero'), CUDA_DEVICE_ORDER='FASTEST_FIRST')
ok('MIG: one instance and nothing beside it', MIG, PCI, {'count': 1, 'names': ['one MIG 1g.5gb']})
visible('MIG instance by UUID', 'MIG-22', {'count': 1, 'names': ['one MIG 1g.5gb']}, MIG)
visible('MIG instance by GPU and number', 'MIG-GPU-ab00/2/0', {'count': 1}, MIG)
visible('unknown MIG instance', 'MIG-33', names(), MIG)
visible('another GPU beside MIG', '0', names('zero'), MIG)
ok('MIG without instances', THREE + '1.mig = 1\n', {**PCI, 'CUDA_VISIBLE_DEVICES': '1'}, names())
for code in (34, 35, 46, 100, 101, 304, 802, 803, 804, 999):
    ok(f'cuInit answers {code}', f'fault.cuInit = {code}\n', {}, {'init': code, 'count_code': 3})
ok('NVML fails', 'fault.nvmlInit_v2 = 9\n', {}, {'init': 0, 'nvml_init': 9, 'nvml': []})
ok('a stub answers 34 to all', 'fault.cuda = 34\n', {}, {'init': 34, 'count_code': 34})
ok('a fault at one call', 'fault.cuda.3 = 999\n', {}, {'init': 0, 'count_code': 999})
ok('a fault on one device', THREE + 'fault.cuDeviceGetName.1 = 46\n', PCI, {'codes': [0, 46, 0]})
ok('a device lost midway', THREE + '2.lost.cuda = 5\n', PCI, {'codes': [0, 0, 999]})
ok('crash', 'fault.cuda.2 = crash\n', {}, {'rc': -11})
ok('crash while loading', 'fault.nvml.0 = crash BUS\n', {}, {'rc': -7})
ok('exit', 'fault.cuInit = exit 5\n', {}, {'rc': 5})
ok('hang for a while', 'fault.cuInit = hang 1\n', {}, {'init': 0})
print(f'1..{N[0]}')
sys.exit(N[1] != 0)
