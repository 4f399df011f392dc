# SPDX-License-Identifier: Apache-2.0
"""driverlines - the lines that a driver child would write (docs/formats/driver-answers.md), from a short description.

cuda: {version, init, count, count_code, devices: [{name, cc, sms, memory, mode, pci, uuid, integrated, fail: {CALL: code}}]}
nvml: {init, driver, version, cuda, count, count_code, devices: [{name, uuid, pci, memory: [total, free, used], mode, persistence, fail: {CALL: code}}]}
both: hang: CALL, crash: CALL (with signal), exit: CALL (with status), load_error: TEXT, left: true, and lines: [...] for all in full.
`devices: 2` stands for two healthy ones. Further keys of a device are the words of table DEVICE_CALLS.
"""

DEVICE = {'name': 'NVIDIA GeForce RTX 3090', 'cc': 8.6, 'sms': 82, 'memory': 25438126080, 'mode': 0, 'integrated': 0, 'clock': 1695000, 'memory_clock': 9751000, 'bus_width': 384}
NVML_DEVICE = {'name': 'NVIDIA GeForce RTX 3090', 'memory': [25769803776, 25300000000, 469803776], 'mode': 0, 'persistence': 0}


def uuid(i):
    return f'{0x1f3a5c00 + i:08x}-7d21-4b68-9c03-5e8f1a2b3c4d'


def pci(i):
    return f'00000000:{i + 1:02X}:00.0'


def cuda_device(i, d):
    d = {**DEVICE, 'pci': f'0000:{i + 1:02x}:00.0', 'uuid': uuid(i), **d}
    major, minor = str(d['cc']).split('.')
    attribute = lambda name, v: (f'cuDeviceGetAttribute {i} {name}', v)
    return d, [(f'cuDeviceGet {i}', i), (f'cuDeviceGetName {i}', d['name']), attribute('CC_MAJOR', major), attribute('CC_MINOR', minor), attribute('MULTIPROCESSOR_COUNT', d['sms']),
               attribute('COMPUTE_MODE', d['mode']), (f'cuDeviceGetPCIBusId {i}', d['pci']), (f'cuDeviceTotalMem_v2 {i}', d['memory']), (f'cuDeviceGetUuid_v2 {i}', d['uuid']),
               attribute('INTEGRATED', d['integrated']), attribute('CLOCK_RATE', d['clock']), attribute('MEMORY_CLOCK_RATE', d['memory_clock']), attribute('GLOBAL_MEMORY_BUS_WIDTH', d['bus_width'])]


def nvml_device(i, d):
    d = {**NVML_DEVICE, 'pci': pci(i), 'uuid': 'GPU-' + uuid(i), **d}
    return d, [(f'nvmlDeviceGetHandleByIndex_v2 {i}', ''), (f'nvmlDeviceGetName {i}', d['name']), (f'nvmlDeviceGetUUID {i}', d['uuid']), (f'nvmlDeviceGetPciInfo_v3 {i}', d['pci']),
               (f'nvmlDeviceGetMemoryInfo {i}', ' '.join(str(m) for m in d['memory'])), (f'nvmlDeviceGetComputeMode {i}', d['mode']), (f'nvmlDeviceGetPersistenceMode {i}', d['persistence'])]


def devices(d):
    v = d.get('devices', 1)
    return [{} for _ in range(v)] if isinstance(v, int) else v


def codes(calls, d):
    """[(call, code, value)] with the failures that are stated; a device without its handle is asked nothing more."""
    out = []
    fail = d.get('fail', {})
    for k, (what, value) in enumerate(calls):
        word = what.split()
        code = fail.get(word[0] if len(word) < 3 else f'{word[0]} {word[2]}', fail.get(word[0], fail.get('*', 0)))
        out.append((what, code, value))
        if code and k == 0:
            break
    return out


def cuda_calls(d):
    out = [('cuDriverGetVersion', 0, d.get('version', 12040)), ('cuInit', d.get('init', 0), '')]
    if d.get('init', 0):
        return out
    devs = devices(d)
    out.append(('cuDeviceGetCount', d.get('count_code', 0), d.get('count', len(devs))))
    for i, x in enumerate([] if d.get('count_code') else devs):
        full, calls = cuda_device(i, x)
        out += codes(calls, full)
    return out


def nvml_calls(d):
    out = [('nvmlInit_v2', d.get('init', 0), '')]
    if not d.get('init', 0):
        devs = devices(d)
        out += [('nvmlSystemGetDriverVersion', 0, d.get('driver', '550.54.14')), ('nvmlSystemGetNVMLVersion', 0, d.get('version', '12.550.54.14')),
                ('nvmlSystemGetCudaDriverVersion_v2', 0, d.get('cuda', 12040)), ('nvmlDeviceGetCount_v2', d.get('count_code', 0), d.get('count', len(devs)))]
        for i, x in enumerate([] if d.get('count_code') else devs):
            full, calls = nvml_device(i, x)
            out += codes(calls, full)
    return out + [('nvmlShutdown', 0, '')]


KEYS = {'version', 'init', 'count', 'count_code', 'devices', 'driver', 'cuda', 'hang', 'crash', 'signal', 'exit', 'status', 'load_error', 'left', 'lines', 'timeout'}


def lines(lib, d):
    d = {} if d == 'healthy' else d
    bad = set(d) - KEYS
    if bad:
        raise ValueError(f'driver: {lib}: unknown key {bad}')
    if 'lines' in d:
        return d['lines']
    if 'load_error' in d:
        return ['> open', f'< open = -1 {d["load_error"]}', '! end']
    stop, out = d.get('hang') or d.get('crash') or d.get('exit'), []
    for what, code, value in [('open', 0, '')] + (cuda_calls(d) if lib == 'cuda' else nvml_calls(d)):
        out.append(f'> {what}')
        if what == stop:
            break
        out.append(f'< {what} = {code}' + (f' {value}' if code == 0 and value != '' else ''))
    else:
        if stop and stop != 'end':
            raise ValueError(f'driver: {lib}: no call {stop}')
        if not stop:
            return out + ['! ms 40', '! end']
    if d.get('left'):
        out.append('! left')
    return out + [f'! timeout {d.get("timeout", 10000)}' if 'hang' in d else f'! signal {d.get("signal", 11)}' if 'crash' in d else f'! exit {d.get("status", 1)}', '! ms 40']
