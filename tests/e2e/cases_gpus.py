# SPDX-License-Identifier: Apache-2.0
"""Several GPUs, whole: the doubles of the driver's libraries are asked as `check` asks, and the machine with that many cards is judged."""
import json, os, subprocess

from cli import Skip, answer, case, width

SWITCH = '00000000:80:00.0'


def machine(c, conf, cards, *changes, base='bare', caller=None):
    """A machine with these cards (PCI device ids) whose driver answers as the double does under the script `conf`."""
    build = os.path.dirname(c.tool)
    lines, fakes = f'{build}/tests/e2e/driver-lines', f'{build}/tests/fakes'
    libs = [f'{fakes}/libcuda.so.1', f'{fakes}/libnvidia-ml.so.1']
    if not all(os.path.exists(p) for p in [lines, *libs]):
        raise Skip('the doubles of the driver are not built')
    script = os.path.join(c.work, 'double.conf')
    with open(script, 'w', encoding='utf-8') as f:
        f.write(f'devices = {len(cards)}\n{conf}\n')
    out = subprocess.run([lines, *libs], env=c.env(TFGPU_DRIVER_DOUBLE=script, **(caller or {})), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60, check=True)
    gpus = [{'gpu': {'remove': '0000:01:00.0'}}]
    gpus += [{'gpu': {'pci': f'0000:{i + 1:02x}:00.0', 'device': d, 'class': '0x030200', 'driver': 'nvidia'}} for i, d in enumerate(cards)]
    gpus += [{'node': {'path': f'/dev/nvidia{i}', 'major': 195, 'minor': i}} for i in range(len(cards))]
    root, venv, t = c.machine(base, gpus + [{'memory': {'total': 1 << 40}}] + ([{'env': caller}] if caller else []) + list(changes))
    t.m['driver'] = json.loads(out.stdout)
    t.save()
    return root, venv


def judged(c, *args, **kw):
    root, venv = machine(c, *args, **kw)
    return json.loads(answer(c.check(root, venv, '--format', 'json', '-v')).out)


def causes(j, layer):
    return {f['cause']: f for f in j['findings'] if f['layer'] == layer}


@case
def one_gpu_has_no_layer_7(c):
    j = judged(c, 'name = Card\npersistence = 1', ['0x2684'])
    assert j['layers'][6]['status'] == 'not-reached' and not causes(j, 7), j['layers'][6]
    assert j['prediction']['gpus_listed'] == 1 and j['verdict'] == 'works', (j['verdict'], j['prediction'], j['findings'])
    g, = j['gpus']
    assert (g['cuda'], g['nvml'], g['name'], g['pci']) == (0, 0, 'Card', '0000:01:00.0') and g['pcie']['lanes'] == 16, g
    assert j['gpu_links'] == []


@case
def two_gpus_with_nvlink(c):
    j = judged(c, 'name = Card\npersistence = 1\n0.nvlink = 1 1 1 1\n1.nvlink = 0 0 0 0\np2p = 1\ntopology = pxb', ['0x2204'] * 2)
    assert j['layers'][6]['status'] == 'ok', j['layers'][6]
    assert j['layers'][6]['summary'] == '2 GPUs, NVLink, peer access ok; MirroredStrategy would make 2 replicas', j['layers'][6]
    assert j['prediction']['gpus_listed'] == 2 and j['verdict'] == 'works', j['prediction']
    assert j['gpu_links'] == [{'a': '0000:01:00.0', 'b': '0000:02:00.0', 'path': 'several-switches', 'nvlinks': 4, 'peer_access': True}], j['gpu_links']


@case
def four_gpus_of_two_models_without_peer_access(c):
    j = judged(c, 'name = Slow\n3.name = Fast\npersistence = 1\np2p = 0\n0.topology = phb\n0.topology.3 = sys', ['0x2204'] * 3 + ['0x2684'])
    found = causes(j, 7)
    assert {'gpu-models-mixed', 'gpu-peer-access-missing'} <= set(found), found.keys()
    assert '6 of 6 pairs' in found['gpu-peer-access-missing']['title'], found
    assert j['layers'][6]['status'] == 'ok' and '4 replicas' in j['layers'][6]['summary'] and 'no peer access' in j['layers'][6]['summary'], j['layers'][6]
    paths = {(l['a'][5:7], l['b'][5:7]): l['path'] for l in j['gpu_links']}
    assert len(paths) == 6 and paths['01', '04'] == 'system' and paths['01', '02'] == 'host-bridge', paths


@case
def eight_gpus_behind_switches(c):
    links = ' '.join([SWITCH] * 18)
    conf = f'name = Card\npersistence = 1\nnvlink = {links}\np2p = 1\np2p_status = 0'
    j = judged(c, conf, ['0x2330'] * 8)
    assert j['layers'][6]['status'] == 'ok' and j['layers'][6]['summary'].startswith('8 GPUs, NVLink, peer access ok'), j['layers'][6]
    assert len(j['gpu_links']) == 28 and all(l['nvlinks'] == 18 and l['peer_access'] for l in j['gpu_links']), j['gpu_links'][:2]
    j = judged(c, conf + '\n5.nvlink = ' + links.replace(SWITCH, 'off', 2), ['0x2330'] * 8)
    f = causes(j, 7)['gpu-nvlink-fault']
    assert f['subject'] == '0000:06:00.0' and '16' in f['title'] and j['layers'][6]['status'] == 'degraded', f


@case
def eight_gpus_fit_a_terminal(c):
    root, venv = machine(c, 'name = NVIDIA H100 80GB HBM3\nnvlink = ' + ' '.join([SWITCH] * 18) + '\np2p = 1\np2p_status = 0\nprocesses = 4242:2048\nprocess_name.4242 = python',
                         ['0x2330'] * 8, {'pcie': {'pci': '0000:03:00.0', 'width': 4}})
    for lang in ('C.UTF-8', 'zh_CN.UTF-8'):
        out = answer(c.check(root, venv, '-v', vars={'LC_ALL': lang})).out
        long = [l for l in out.splitlines() if width(l) > 80 and max(map(len, l.split())) < 50 and not l.lstrip().startswith(('sudo ', 'export ', 'docker '))]  # paths and commands are not cut
        assert not long, long
        assert 'NV18+' in out, out
    assert sum('GPU 7' in l for l in out.splitlines()) == 2, out


@case
def mig_slices_are_listed_and_one_is_used(c):
    uuids = 'MIG-11111111-2222-3333-4444-555555555555 MIG-22222222-2222-3333-4444-555555555555'
    j = judged(c, f'name = Card\npersistence = 1\nmig = 1\nmig_devices = 2\nmig_uuids = {uuids}', ['0x20b2'])
    mig = j['facts']['nvml_devices'][0]['mig']
    assert [m['uuid'] for m in mig] == uuids.split(), mig
    g, = j['gpus']
    assert g['memory'] == 4864 << 20 and g['memory_free'] == mig[0]['memory_total'] - mig[0]['memory_used'] <= 4864 << 20, g
    assert 'mig-one-device-only' in causes(j, 5) and 'gpu-missing-from-a-view' not in causes(j, 7), j['findings']
    assert j['layers'][6]['status'] == 'not-reached', j['layers'][6]


@case
def mig_without_slices(c):
    j = judged(c, 'name = Card\npersistence = 1\nmig = 1', ['0x20b2'])
    assert causes(j, 5)['mig-without-instances']['severity'] == 'broken' and j['prediction']['gpus_listed'] == 0, (j['findings'], j['prediction'])


@case
def a_gpu_that_cuda_does_not_see(c):
    j = judged(c, 'name = Card\npersistence = 1\n1.cuda_sees = 0', ['0x2204'] * 2)
    f = causes(j, 7)['gpu-missing-from-a-view']
    assert f['subject'] == '0000:02:00.0' and j['prediction']['gpus_listed'] == 1, (f, j['prediction'])
    assert [g['cuda'] for g in j['gpus']] == [0, None], j['gpus']


@case
def a_gpu_that_only_the_bus_shows(c):
    j = judged(c, 'name = Card\npersistence = 1\n1.cuda_sees = 0\n1.nvml_sees = 0', ['0x2204'] * 2)
    f = causes(j, 7)['gpu-missing-from-a-view']
    assert f['subject'] == '0000:02:00.0', f


@case
def hidden_by_the_variable_is_no_fault(c):
    j = judged(c, 'name = Card\npersistence = 1', ['0x2204'] * 4, caller={'CUDA_VISIBLE_DEVICES': '2,0'})
    assert not causes(j, 7) or set(causes(j, 7)) == {'gpu-peer-access-missing'}, causes(j, 7)
    assert j['prediction']['gpus_listed'] == 2 and '2 replicas' in j['layers'][6]['summary'], (j['prediction'], j['layers'][6])
    assert {g['pci']: g['cuda'] for g in j['gpus']} == {'0000:03:00.0': 0, '0000:01:00.0': 1, '0000:02:00.0': None, '0000:04:00.0': None}, j['gpus']


@case
def who_holds_the_memory(c):
    j = judged(c, 'name = Card\npersistence = 1\nmemory = 24000MiB\nmemory_free = 3000MiB\nprocesses = 4242:20000\nprocess_name.4242 = /opt/venv/bin/python', ['0x2204'])
    f = causes(j, 5)['gpu-memory-held-by-other-process']
    assert f['severity'] == 'degraded' and any('4242, /opt/venv/bin/python: 19.5 GiB' in e['value'] for e in f['evidence']), f


@case
def throttled_by_heat(c):
    j = judged(c, 'name = Card\npersistence = 1\nthrottle = 72\ntemperature.0 = 97', ['0x2204'])
    assert 'gpu-throttled' in causes(j, 5), j['findings']
