# SPDX-License-Identifier: Apache-2.0
"""proofs - member "proof" of a manifest: what TensorFlow answered to `check --prove` on a machine that does not exist."""

OPS = [(op, dtype) for dtype in ('float32', 'float16') for op in ('matmul', 'conv2d')]
SIZE = {'matmul': '512x1024x512', 'conv2d': '8x32x32x64, 3x3x64'}
FLOPS = {'matmul': 2.0 * 8192 ** 3, 'conv2d': 2.2e11}
RATE = {'CPU': 1e11, 'GPU': 2.2e13}   # operations a second; an RTX 3090 states 35.6e12
ERROR = {('matmul', 'float32'): (3.1e-5, 0.0695), ('conv2d', 'float32'): (2.6e-5, 0.0228), ('matmul', 'float16'): (0, 0), ('conv2d', 'float16'): (0, 0)}


def lines(gpus):
    """All lines of a proof that goes well."""
    out = []

    def step(stage, begin, **end):
        out.append({'stage': stage, 'event': 'begin', 'ms': 10 * len(out), **begin})
        out.append({'stage': stage, 'event': 'end', 'ms': 10 * len(out), **begin, **end})
    step('import', {'python': '3.11.2'}, version='2.20.0', file='/x/site-packages/tensorflow/__init__.py')
    step('devices', {}, gpus=len(gpus), cuda_build=True, tf32=True)
    for i, g in enumerate(gpus):
        step('device', {'device': f'GPU:{i}'}, **g)
    step('context', {})
    devices = ['CPU:0'] + [f'GPU:{i}' for i in range(len(gpus))]
    for d in devices:
        for op, dtype in OPS:
            error, tolerance = ERROR[op, dtype]
            more = {'cpu_error': error} if d[0] == 'G' else {}
            step('compute', {'device': d, 'op': op, 'dtype': dtype, 'size': SIZE[op], 'tolerance': tolerance},
                 placed=f'/job:localhost/replica:0/task:0/device:{d}', max_error=error, **more)
    for d in reversed(devices):
        for op, dtype in OPS:
            us = FLOPS[op] / RATE[d[:3]] * 1e6 / (2 if dtype == 'float16' else 1)
            step('time', {'device': d, 'op': op, 'dtype': dtype}, size='8192x8192x8192' if op == 'matmul' else SIZE[op], flops=FLOPS[op], runs=20, first_us=us * 9,
                 async_us=40.0 if d[0] == 'G' else us, sync_us=us)
            if d[0] == 'G' and (op, dtype) == ('matmul', 'float32'):
                step('sustain', {'device': d, 'op': op, 'dtype': dtype, 'flops': FLOPS[op]}, runs=100, first_us=us, last_us=us * 1.02)
    step('end', {})
    return out


def name(line):
    return ' '.join(line[k] for k in ('stage', 'device', 'op', 'dtype') if k in line)


def make(d):
    """d: gpus [{name, cc}] (default one RTX 3090), change {step: {member: value}} of the line that ends a step, error {step: [type, text]},
    stop (the process ends during this step), end, signal, code, output, lines (further ones), quick."""
    for k in d:
        if k not in ('gpus', 'change', 'error', 'stop', 'end', 'signal', 'code', 'output', 'lines', 'why', 'quick', 'peak_mib', 'deadline_ms', 'tf32'):
            raise ValueError(f'proof: unknown key {k}')
    gpus = d.get('gpus', [{'name': 'NVIDIA GeForce RTX 3090', 'cc': 86}])
    todo = lines([dict({'growth': True}, **g) for g in gpus])
    known = {name(l) for l in todo}
    for k in list(d.get('change', {})) + list(d.get('error', {})) + [d.get('stop', 'end')]:
        if k not in known:
            raise ValueError(f'proof: no step {k!r}; there are {sorted(known)}')
    for l in todo:
        if l['event'] == 'end':
            l.update(d.get('change', {}).get(name(l), {}))
            if 'tf32' in d and l['stage'] == 'devices':
                l['tf32'] = d['tf32']
            if name(l) in d.get('error', {}):
                l['event'] = 'error'
                l['error_type'], l['error_text'] = d['error'][name(l)]
                for k in ('placed', 'max_error', 'cpu_error', 'sync_us', 'async_us', 'gpus', 'version'):
                    l.pop(k, None)
    if any(s in d.get('error', {}) for s in ('import', 'devices', 'context')):   # nothing comes behind
        at = next(i for i, l in enumerate(todo) if l['event'] == 'error')
        todo = todo[:at + 1]
    if 'stop' in d:
        at = next(i for i, l in enumerate(todo) if name(l) == d['stop'])
        todo = todo[:at + 1]
    out = {'end': d.get('end', 'exited'), 'code': d.get('code', 0), 'ms': 20000, 'deadline_ms': d.get('deadline_ms', 300000), 'peak_mib': d.get('peak_mib', 2100),
           'lines': todo + d.get('lines', [])}
    out.update({k: d[k] for k in ('signal', 'output', 'quick', 'why') if k in d})
    return out
