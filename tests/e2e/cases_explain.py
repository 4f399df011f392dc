# SPDX-License-Identifier: Apache-2.0
"""tfgpu explain: logs of every shape, what is no log, pages of causes."""
import gzip, hashlib, json, os, shutil, subprocess, sys

from cases_output import schema, valid
from cli import answer, case, one_error, width

CUDNN = "W dso_loader.cc:64] Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file: No such file or directory"
NUMA = 'I cuda_executor.cc:984] could not open file to read NUMA node: /sys/bus/pci/devices/0000:01:00.0/numa_node'


def put(c, name, data):
    p = os.path.join(c.work, name)
    with open(p, 'wb') as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return p


def found(c, *args, **kw):
    r = answer(c.run('explain', '--format', 'json', *args, **kw))
    j = json.loads(r.out)
    valid(schema('docs/schema/explain.schema.json'), j, 'explain')
    assert r.code == (0 if j['causes'] else 1), repr(r)
    return j


def ids(c, *args, **kw):
    return [x['id'] for x in found(c, *args, **kw)['causes']]


@case
def explain_names_the_cause_before_noise(c):
    p = put(c, 'a.log', '\n'.join([NUMA] * 3 + ['epoch 1', CUDNN]))
    j = found(c, p)
    first, last = j['causes'][0], j['causes'][-1]
    assert first['id'] == 'cudnn-missing' and first['line_number'] == 5 and first['line'] == CUDNN and first['file'] == p, first
    assert 'libcudnn.so.8' in first['text'] and first['fix'], first
    assert last['kind'] == 'benign' and last['count'] == 3 and j['lines'] == 5, last
    r = answer(c.run('explain', p))
    assert r.code == 0 and 'cudnn-missing' in r.out.splitlines()[0] and 'libcudnn.so.8' in r.out, repr(r)


@case
def explain_reads_pipes_and_several_files(c):
    p, q = put(c, 'p.log', NUMA + '\n'), put(c, 'q.log', 'x\n' + CUDNN + '\n')
    j = found(c, p, q)
    assert j['causes'][0]['file'] == q and j['causes'][0]['line_number'] == 2 and j['lines'] == 3, j
    for args in ((), ('-',), ('--no-machine', '-')):
        with open(q, 'rb') as f:
            assert ids(c, *args, stdin=f)[0] == 'cudnn-missing'
    fifo = os.path.join(c.work, 'fifo')
    os.mkfifo(fifo)
    w = subprocess.Popen([sys.executable, '-c', f'open({fifo!r}, "w").write({CUDNN!r})'])
    assert ids(c, fifo)[0] == 'cudnn-missing'
    w.wait()


@case
def explain_sees_what_a_terminal_shows(c):
    cut = CUDNN.index('dynamic')
    for name, data in (('colour', CUDNN[:cut] + '\x1b[1;31m' + CUDNN[cut:] + '\x1b[0m'), ('progress', ' 10%|#   |\r 99%|####|\r' + CUDNN), ('crlf', CUDNN + '\r\n'),
                       ('utf16le', b'\xff\xfe' + CUDNN.encode('utf-16-le')), ('utf16be', b'\xfe\xff' + CUDNN.encode('utf-16-be')), ('utf16le without mark', CUDNN.encode('utf-16-le')), ('utf16be without mark', CUDNN.encode('utf-16-be')), ('bom', b'\xef\xbb\xbf' + CUDNN.encode()),
                       ('bytes', b'\xff\xc3 ' + CUDNN.encode() + b' \xe2\x80'), ('long', 'x' * 300000 + ' ' + CUDNN + ' ' + 'y' * 300000), ('nul', b'\0' * 100 + CUDNN.encode())):
        got = ids(c, put(c, name, data))
        assert got and got[0] == 'cudnn-missing', (name, got)


@case
def explain_control_characters_stay_inside(c):
    p = put(c, 'evil', b"\x1b]0;own\x07\x1b[2J" + CUDNN.replace('libcudnn.so.8', 'libcudnn.so.8\x01\x7f\u202e').encode() + b'\x9b31m\n' + CUDNN.encode() + b'\x01\x02\n')
    for args in ((), ('--format', 'json'), ('--lang', 'zh_CN')):
        r = answer(c.run('explain', *args, p))
        assert not any(ord(ch) < 32 and ch != '\n' or ord(ch) == 127 or 0x80 <= ord(ch) < 0xa0 or ch == '\u202e' for ch in r.out), repr(r)


@case
def explain_knows_nothing_and_says_so(c):
    p = put(c, 'plain', 'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\nValueError: bad shape\n')
    r = answer(c.run('explain', p))
    assert r.code == 1 and 'Nothing known in 3 lines' in r.out, repr(r)
    for data in (b'', b'\n', b'x'):
        assert ids(c, put(c, 'small', data)) == []


@case
def explain_refuses_what_is_no_log(c):
    one_error(c.run('explain', c.work + '/none.log'), 2, 'none.log')
    one_error(c.run('explain', c.work), 2, 'folder')
    one_error(c.run('explain', c.tool), 2, 'binary')
    for name, data, word in (('z', b'\xfd7zXZ\0', 'xz -dc'), ('z.gz', gzip.compress(gzip.compress(b'x')), 'packed twice'), ('t.tar.gz', gzip.compress(b'\0' * 257 + b'ustar'), 'tar'),
                             ('b.gz', gzip.compress(b'\x7fELF\2\1\1\0'), 'binary'), ('r', bytes(range(256)) * 40, 'binary')):
        one_error(c.run('explain', put(c, name, data)), 2, name + ':', word)
    one_error(c.run('explain', '/dev/zero'), 2, '/dev/zero')
    one_error(c.run('explain', ''), 2)
    one_error(c.run('explain', put(c, 'ok', CUDNN), c.work + '/none'), 2, 'none')
    if os.getuid():
        os.chmod(put(c, 'denied', 'x'), 0)
        one_error(c.run('explain', c.work + '/denied'), 3, 'denied')


@case
def explain_unpacks_by_content(c):
    noise = '\n'.join(f'step {i} {hashlib.sha256(b"%d" % i).hexdigest()}' for i in range(4000)).encode() + b'\n'
    one = gzip.compress(noise + CUDNN.encode() + b'\n')
    for name, data, n in (('plain.log', one, 1), ('two.gz', one + one, 2), ('zeros.gz', one + bytes(512), 1)):
        first = found(c, put(c, name, data))['causes'][0]
        assert (first['id'], first['count'], first['line_number']) == ('cudnn-missing', n, 4001), (name, first)
    if shutil.which('zstd'):
        packed = [subprocess.run(['zstd', '-qc', level], input=noise + CUDNN.encode(), stdout=subprocess.PIPE, check=True).stdout for level in ('-1', '-19')]
        for data, n in ((packed[0], 1), (packed[0] + packed[1], 2)):
            assert found(c, put(c, 'z', data))['causes'][0]['count'] == n
    with open(put(c, 'pipe', one), 'rb') as f:
        assert ids(c, stdin=f)[0] == 'cudnn-missing'


@case
def explain_answers_what_a_damaged_archive_still_says(c):
    noise = '\n'.join(f'step {i} {hashlib.sha256(b"%d" % i).hexdigest()}' for i in range(4000)).encode()
    one = gzip.compress(CUDNN.encode() + b'\n' + noise)
    flip = bytearray(one)
    flip[len(one) // 2] ^= 0x5a
    for name, data, word in (('cut.gz', one[:-9], 'too early'), ('flip.gz', bytes(flip), 'damaged'), ('more.gz', one + b'garbage', 'something else')):
        p = put(c, name, data)
        r = c.run('explain', '--format', 'json', p)
        j = json.loads(r.out)
        valid(schema('docs/schema/explain.schema.json'), j, 'explain')
        assert r.code == 3 and len(r.err.splitlines()) == 1 and p in r.err and word in r.err, repr(r)
        assert j['causes'][0]['id'] == 'cudnn-missing' and [x['file'] for x in j['incomplete']] == [p], j
    assert c.run('explain', put(c, 'nothing.gz', one[:12])).code == 3


NCCL = 'misc/ibvwrap.cc:252 NCCL WARN Call to ibv_reg_mr failed'
OOM = 'ResourceExhaustedError: OOM when allocating tensor with shape[50000,50000] and type float on GPU:0 by allocator GPU_0_bfc'


@case
def explain_names_the_rank_that_failed_first(c):
    for r in range(4):
        late = f'2024-01-02 03:04:{20 + r}.250000: W x\n{NCCL}\n' * 3
        put(c, f'rank{r}.log', f'2024-01-02 03:04:00.000000: I start\nno time\n' + (f'2024-01-02 03:04:18.000000: W x\n{OOM}\n' if r == 2 else late))
    logs = [c.work + f'/rank{r}.log' for r in range(4)]
    j = found(c, *logs)
    first = j['causes'][0]
    assert (first['id'], first['rank'], first['time'], first['file'], first['line_number']) == ('gpu-oom', 2, '2024-01-02T03:04:18', logs[2], 4), first
    assert [(f['rank'], f['after_ms']) for f in j['failures']] == [(2, 0), (0, 2250), (1, 3250), (3, 5250)], j['failures']
    nccl = next(x for x in j['causes'] if x['id'] == 'nccl-ib-verbs-failure')
    assert nccl['count'] == 9 and [(s['rank'], s['count'], s['line_number']) for s in nccl['seen']] == [(0, 3, 4), (1, 3, 4), (3, 3, 4)] and nccl['after_ms'] == 2250, nccl
    r = answer(c.run('explain', *logs))
    assert 'rank 2' in r.out and 'rank 0' in r.out and '2.2 s later' in r.out and r.out.count('ibv_reg_mr') <= 2, repr(r)
    assert [x['id'] for x in found(c, *reversed(logs))['causes']] == [x['id'] for x in j['causes']]
    one = put(c, 'all.out', ''.join(f'{r}: {l}\n' for l in ('2024-01-02 03:04:00.0: I start', 'a', 'b') for r in range(4)) + f'1: 2024-01-02 03:04:09.0: E {NCCL}\n3: 2024-01-02 03:04:05.0: E {OOM}\n')
    first = found(c, one)['causes'][0]
    assert (first['id'], first['rank']) == ('gpu-oom', 3), first


@case
def explain_ranks_as_ever_where_times_tell_nothing(c):
    for a, b in (('', ''), ('2024-01-02 03:04:05 ', ''), ('2024-01-02 03:04:05 ', '[77.5] '), ('2024-01-02 03:04:05.0 ', '2024-01-02 03:04:05.9 '), ('2024-01-02 03:04:05 ', '2024-01-02 03:04:02Z ')):
        j = found(c, put(c, 'a.log', a + OOM + '\n'), put(c, 'b.log', b + CUDNN + '\n'))
        assert [x['id'] for x in j['causes']] == ['cudnn-missing', 'gpu-oom'], (a, b, j['causes'])
    j = found(c, put(c, 'a.log', 'I0102 03:04:05.0 7 a.cc:1] ' + OOM + '\n'), put(c, 'b.log', '2024-01-02T03:05:05 ' + CUDNN + '\n'))
    assert [(x['id'], x['after_ms']) for x in j['causes']] == [('gpu-oom', 0), ('cudnn-missing', 60000)], j


def notebook(*cells):
    """cells: (execution count, outputs), each output a string, a list of lines, or an error's traceback as a tuple."""
    def output(o):
        if isinstance(o, tuple):
            return {'output_type': 'error', 'ename': 'ResourceExhaustedError', 'evalue': 'x', 'traceback': list(o)}
        return {'output_type': 'stream', 'name': 'stderr', 'text': o}
    made = [{'cell_type': 'code', 'id': f'c{i}', 'execution_count': n, 'metadata': {}, 'source': ['# ' + CUDNN], 'outputs': [output(o) for o in outputs]} for i, (n, outputs) in enumerate(cells)]
    text = {'cell_type': 'markdown', 'metadata': {}, 'source': [CUDNN]}
    return json.dumps({'cells': [text] + made, 'metadata': {'kernelspec': {'name': 'python3'}}, 'nbformat': 4, 'nbformat_minor': 5}, indent=1)


@case
def explain_reads_the_outputs_of_a_notebook(c):
    nb = notebook((9, [[NUMA + '\n', 'x\n'], CUDNN]), (None, []), (2, ['a\n' + NUMA, ('\x1b[0;31m----\x1b[0m', '\x1b[0;31mResource' + OOM[8:30] + '\x1b[0m' + OOM[30:])]))
    for name, data in (('n.ipynb', nb), ('n.json', nb.replace('\n', '\r\n')), ('n.gz', gzip.compress(nb.encode()))):
        j = found(c, put(c, name, data))
        got = {x['id']: (x['cell'], x['execution_count'], x['line_number'], x['count']) for x in j['causes']}
        assert got['cudnn-missing'] == (2, 9, 3, 1) and got['gpu-oom'] == (4, 2, 4, 1), got
        numa = next(x for x in j['causes'] if x['kind'] == 'benign')
        assert [s['cell'] for s in numa['seen']] == [4, 2] and numa['count'] == 2, numa  # as they were executed
    p = put(c, 'n.ipynb', nb)
    r = answer(c.run('explain', p))
    assert 'n.ipynb cell 2 (In [9]), line 3' in ' '.join(r.out.split()), repr(r)
    r = c.run('explain', put(c, 'cut.ipynb', nb[:nb.index('allocator')]))
    assert r.code == 3 and 'cut.ipynb' in r.err and 'cell 4' in r.err and len(r.err.splitlines()) == 1 and 'cudnn-missing' in r.out, repr(r)
    r = c.run('explain', put(c, 'bad.ipynb', nb.replace('"cell_type": "code"', '"cell_type" "code"')))
    assert r.code == 3 and 'damaged' in r.err and 'Nothing known' in r.out, repr(r)
    assert ids(c, put(c, 'l.json', json.dumps({'cells': [CUDNN], 'level': 'error'})))[0] == 'cudnn-missing'  # no notebook


@case
def explain_lists_codes_with_their_places(c):
    line = 'E cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)'
    for name in ('n.log', 'rank1.log'):
        r = answer(c.run('explain', put(c, name, 'x\n' + line + '\n')))
        assert 'Codes in the log' in r.out and '(303)' in r.out.split('Codes in the log')[1] and 'line 2' in r.out.split('Codes in the log')[1], repr(r)


@case
def explain_prints_the_page_of_a_cause(c):
    r = answer(c.run('explain', 'cudnn-missing'))
    assert r.code == 0 and 'cudnn-missing' in r.out and 'Why' in r.out, repr(r)
    assert json.loads(c.run('explain', 'cudnn-missing', '--format', 'json').out)['id'] == 'cudnn-missing'
    one_error(c.run('explain', 'cudnn-misssing'), 2, 'cudnn-missing')
    for i in json.loads(c.run('explain', '--format', 'json', put(c, 'all', CUDNN + '\n' + NUMA)).out)['causes']:
        assert c.run('explain', i['id']).code == 0


@case
def explain_keeps_to_80_columns(c):
    p = put(c, 'w.log', NUMA + '\n' + CUDNN + '\n')
    for lang in ('en', 'zh_CN'):
        r = answer(c.run('explain', '--lang', lang, p))
        wide = [l for l in r.out.splitlines() if width(l) > 80 and ' ' in l.strip() and not l.lstrip().startswith(('python', 'pip', 'uv', 'conda', 'export', 'sudo', 'tfgpu'))]
        assert not wide, wide


@case
def explain_takes_constant_memory(c):
    import resource
    code = f'import sys; w = sys.stdout.buffer.write\nfor i in range(3000): w(b"step 12 loss 0.5\\n" * 1000)\nw({CUDNN!r}.encode())'
    w = subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE)
    r = c.run('explain', '--format', 'json', stdin=w.stdout, **({} if 'asan' in c.tool else {'preexec_fn': lambda: resource.setrlimit(resource.RLIMIT_DATA, (32 << 20, 32 << 20))}))
    w.wait()
    assert json.loads(r.out)['causes'][0]['id'] == 'cudnn-missing' and json.loads(r.out)['lines'] == 3000001, repr(r)


@case
def explain_names_every_code(c):
    """Each row of each table, as its name and as its number, in a log of one line."""
    import glob, yaml
    from cli import HERE_TOP as TOP
    lines, want = [], []
    numbered = {'xid': 'NVRM: Xid (PCI:0000:03:00): {}, pid=7', 'cuda': 'cuInit(0) returned {}', 'cudnn': 'cuDNN error {}', 'nvml': 'NVML error {}', 'nccl': 'NCCL error {}', 'cublas': 'cuBLAS error {}'}
    for f in sorted(glob.glob(os.path.join(TOP, 'data/tables/codes_*.yaml'))):
        t = yaml.safe_load(open(f, encoding='utf-8'))
        family = t['table'][len('codes_'):]
        for r in t['rows']:
            if 'code' in r:
                lines.append(numbered[family].format(r['code'])); want.append(r['name'])
            for name in [r['name'], r.get('runtime'), r.get('python')] if family != 'xid' else []:
                if name:
                    lines.append(f'x: {name}: y'); want.append(r['name'])
    assert len(lines) > 600, len(lines)
    for at in range(0, len(lines), 100): # a log keeps 256 different ones
        j = found(c, put(c, 'codes.log', '\n'.join(lines[at:at + 100])))
        named = {x['name'] for code in j['codes'] for x in code['readings']}
        assert not set(want[at:at + 100]) - named, set(want[at:at + 100]) - named
        told = {code['explained_by'] for code in j['codes']} | {x['id'] for x in j['causes']}
        for code in j['codes']:
            if not code['explained_by']:
                assert {x['id'] for x in code['readings']} & told or {x['cause'] for x in code['readings']} & told, code


@case
def explain_reads_numbers_by_stated_versions(c):
    for log, text in (('CUDNN_STATUS_MAPPING_ERROR', 'up to cuDNN 8'), ('Loaded cuDNN version 90300\nCUDNN_STATUS_BAD_PARAM', '2000 since cuDNN 9'),
                      ('libcudart.so.10.0\ncudaMalloc failed with error code 4', 'cudaErrorLaunchFailure (4 up to CUDA 10.0)'), ('cudaMalloc failed with error code 4', 'or cudaErrorLaunchFailure')):
        j = found(c, put(c, 'v.log', log))
        assert text in j['codes'][0]['text'] and j['codes'][0]['ambiguous'] == ('more than one' in j['codes'][0]['text']), j['codes']
    j = found(c, put(c, 'bare.log', 'it ended with error code 700'))
    assert j['causes'][0]['id'] == 'code-ambiguous' and 'CUDA_ERROR_ILLEGAL_ADDRESS' in j['causes'][0]['text'], j
    assert not found(c, put(c, 'http.log', 'the server answered with error code 500'))['causes']


@case
def explain_blames_no_hardware_for_a_program(c):
    for xid, kind in ((13, 'gpu-illegal-memory-access'), (31, 'gpu-illegal-memory-access'), (43, 'gpu-illegal-memory-access'), (69, 'gpu-illegal-memory-access'), (45, 'xid:45'), (137, 'xid:137')):
        x = found(c, put(c, 'x.log', f'NVRM: Xid (PCI:0000:03:00): {xid}, pid=7, name=python3'))['causes'][0]
        assert x['id'] == kind and x['layer'] == 6, x


@case
def explain_prints_the_page_of_a_code(c):
    for typed, word in (('xid:79', 'gpu-fell-off-bus'), ('CUDA_ERROR_ILLEGAL_ADDRESS', '700'), ('cudaerrorillegaladdress', '77'), ('nvml:9', 'NVML_ERROR_DRIVER_NOT_LOADED'), ('cudnn8:3', 'CUDNN_STATUS_BAD_PARAM'), ('13', 'xid:13')):
        r = answer(c.run('explain', typed))
        assert r.code == 0 and word in r.out and 'Why' in r.out or typed == '13' and 'ambiguous' in r.out, repr(r)
        assert r.out and json.loads(c.run('explain', typed, '--format', 'json').out)['schema'] in ('tfgpu.cause/1', 'tfgpu.codes/1')
    one_error(c.run('explain', 'xid:9999'), 2, 'xid:')
    for lang in ('en', 'zh_CN'):
        assert all(width(l) <= 80 or ' ' not in l.strip() for typed in ('xid:45', '13') for l in c.run('explain', '--lang', lang, typed).out.splitlines())


@case
def explain_names_all_that_is_missing(c):
    line = "W dso_loader.cc:64] Could not load dynamic library 'libcu%s.so.11'; dlerror: x\n"
    j = found(c, put(c, 'several.log', ''.join(line % n for n in ('fft', 'solver', 'fft', 'sparse'))))
    x = j['causes'][0]
    assert x['id'] == 'cuda-runtime-lib-missing' and x['count'] == 4 and 'libcufft.so.11, libcusolver.so.11, libcusparse.so.11' in x['text'], x
    assert x['values']['soname'] == 'libcufft.so.11', x
    many = ''.join(f"Could not load dynamic library 'libcublas.so.{n}'; dlerror: x\n" for n in range(20, 60))
    text = found(c, put(c, 'many.log', many))['causes'][0]['text']
    assert 'libcublas.so.31, …' in text and 'libcublas.so.32' not in text, text


@case
def explain_puts_a_cause_before_a_bare_code(c):
    xid = '[1.0] NVRM: Xid (PCI:0000:cb:00): %d, pid=1, name=x\n'
    assert ids(c, put(c, 'xids.log', xid % 109 + xid % 13))[:2] == ['gpu-illegal-memory-access', 'xid:109']


@case
def explain_lists_codes_for_people(c):
    p = put(c, 'l.log', 'failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\nNVRM: Xid (PCI:0000:03:00): 45, pid=9\nit ended with error code 301\n')
    r = answer(c.run('explain', '--no-machine', p))
    assert r.code == 0 and 'Codes in the log' in r.out and 'Xid 45' in r.out and 'CUDA_ERROR_FILE_NOT_FOUND' in r.out, repr(r)
    assert 'CUDA_ERROR_FILE_NOT_FOUND' in answer(c.run('explain', '--no-machine', put(c, 'm.log', 'it ended with error code 301\n'))).out


FACTS = 'tests/fuzz/corpus/facts'


@case
def explain_asks_a_machine_where_the_log_is_open(c):
    from cli import HERE_TOP
    none, gpus = (os.path.join(HERE_TOP, FACTS, n) for n in ('container-no-gpu.json', 'gpu-peer-access-missing.json'))
    p = put(c, 's.log', 'failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n')
    m = found(c, '--snapshot', none, p)['machine']
    assert m['cause'] == 'container-no-gpu' and m['facts'] == none and m['fix'] and m['of'] == 'gpu-not-visible-to-process', m
    r = answer(c.run('explain', '--snapshot', none, p))
    assert 'container-no-gpu' in r.out and 'On the machine of' in r.out, repr(r)
    m = found(c, '--snapshot', gpus, p)['machine']
    assert m['cause'] is None and m['driver_asked'], m
    assert found(c, '--no-machine', p)['machine'] is None
    other = put(c, 'o.log', 'NVIDIA-SMI 1535.113.01    Driver Version: 1535.113.01\nfailed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n')
    m = found(c, '--snapshot', none, other)['machine']
    assert m['cause'] is None and '1535.113.01' in m['differs'], m
    assert 'another machine' in answer(c.run('explain', '--snapshot', none, other)).out.replace('\n  ', ' ')
    assert found(c, '--snapshot', none, put(c, 'c.log', CUDNN))['machine'] is None, 'the log says it by itself'
    m = found(c, p)['machine']
    assert m and m['facts'] is None and not m['driver_asked'], m
    one_error(c.run('explain', '--no-machine', '--snapshot', none, p), 2, '--snapshot')
    one_error(c.run('explain', '--snapshot', p, p), 2, 'not a facts file')
    one_error(c.run('explain', '--snapshot', none + 'x', p), 2, none + 'x')
