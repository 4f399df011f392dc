# SPDX-License-Identifier: Apache-2.0
"""tfgpu kb, and a site's own causes in tfgpu explain."""
import glob, json, os, re
import yaml

from cases_explain import CUDNN, found, ids, put
from cases_output import schema, valid
from cli import HERE_TOP, answer, case, one_error, width

GOOD = '''id: site-module-missing
kind: cause
severity: broken
title: the cluster's CUDA module is not loaded
title_zh: 没有加载集群的 CUDA 模块
why: CUDA comes from the module system here.
why_zh: 这里的 CUDA 由模块系统提供。
fix:
- command: module load cuda/{version}
  note: in the job script
  note_zh: 写在作业脚本里
explain:
  text: the module cuda/{version} is not loaded
  text_zh: 没有加载模块 cuda/{version}
  chain: 30
  patterns:
  - re: 'cluster check: module cuda/(?<version>[\\d.]+) is not loaded'
    match: 'cluster check: module cuda/12.4 is not loaded'
    near: 'cluster check: module cuda/12.4 is loaded'
'''
LINE = 'cluster check: module cuda/11.8 is not loaded'
MISTAKES = '''id: Bad_Id
kind: reason
layer: 9
severity: terrible
colour: red
title: ''
check: true
why: [a, b]
fix:
- side: moon
  when: [pip, rain]
- note: x
  needs_root: maybe
explain:
  text: "{gone} and {half}"
  may_be: nothing
  patterns:
  - re: 'abc'
    match: abc
    near: abd
  - re: '.*lots of text'
    match: x
  - re: 'broken (group here'
    match: x
    near: y
    colour: blue
  - re: 'Job (?<half>\\d+) failed on node'
    match: ['Job failed', 'Job 7 failed on node']
    near: 'Job 12 failed on node'
  - re: 'fixed length (?<=a+) of it'
    match: y
    near: y
  - re: 'cannot read /home/alice/data'
    match: 'alice@login1:~/x$ cannot read /home/alice/data from 141.2.3.4'
    near: y
  - re: 'job 48151623 was cancelled'
    match: 'job 48151623 was cancelled'
    near: y
'''
WANTED = {1: "'Bad_Id'", 2: "'reason'", 3: 'layer', 4: 'terrible', 5: 'colour', 6: 'title', 7: 'check', 8: "'why'", 10: 'moon', 11: 'rain', 13: 'needs_root',
          15: 'chain', 16: 'may_be', 18: 'at least 6 bytes', 21: "'.*'", 23: 'byte 22', 26: 'colour', 28: 'own sample', 29: 'near-miss', 30: 'PCRE2',
          33: 'home folder', 34: 'home folder', 36: 'long number'}


def site(c, name, **files):
    """A configuration folder with these causes; gives the variables."""
    top = os.path.join(c.work, name)
    folder = os.path.join(top, 'tfgpu/causes.d')
    os.makedirs(folder, exist_ok=True)
    for k, text in files.items():
        with open(os.path.join(folder, k.replace('_', '-') + '.yaml'), 'wb') as f:
            f.write(text if isinstance(text, bytes) else text.encode())
    return {'XDG_CONFIG_HOME': top}, folder


def lint(c, *files, **kw):
    return c.run('kb', 'lint', *files, **kw)


@case
def kb_shipped_causes_are_in_the_format_of_a_site(c):
    files = sorted(glob.glob(os.path.join(HERE_TOP, 'data/causes/*.yaml')))
    with open(os.path.join(HERE_TOP, 'data/tables/translations.yaml'), encoding='utf-8') as f:
        phrases = [x['phrase'] for x in yaml.safe_load(f)['rows']]
    def knows_more(path): # the shipped one was built with the other languages of a phrase, so that the file is another one
        with open(path, encoding='utf-8') as f:
            patterns = (yaml.safe_load(f).get('explain') or {}).get('patterns', [])
        return any(t in p.get(k, '') for p in patterns for k in ('re', 'also', 'unless') for t in phrases)
    notes = [f for f in files if knows_more(f)]
    for engine in ('fast', 'portable'):
        r = lint(c, *files, vars={'TFGPU_ENGINE': engine})
        *lines, last = r.out.splitlines()
        assert r.code == 0 and last == f'{len(files)} files, no mistake' and r.err == '', repr(r)
        assert [l.split(': note: takes the place of ')[0] for l in lines] == notes, (lines, notes)


@case
def kb_lint_names_every_mistake_at_its_line(c):
    p = put(c, 'site-bad.yaml', MISTAKES)
    r = lint(c, p)
    assert r.code == 1 and r.err == '', repr(r)
    got = [re.fullmatch(re.escape(p) + r':(\d+): (.+)', l) for l in r.out.splitlines()[:-1]]
    assert all(got), r.out
    for line, words in WANTED.items():
        assert any(int(g[1]) == line and words in g[2] for g in got), f'line {line}: {words}: {r.out}'
    assert {int(g[1]) for g in got} == set(WANTED), r.out
    j = json.loads(lint(c, '--format', 'json', p).out)
    valid(schema('docs/schema/kb.schema.json'), j, 'lint')
    assert j['schema'] == 'tfgpu.kb-lint/1' and len(j['files'][0]['mistakes']) == len(got), j
    r = lint(c, p, '--lang', 'zh_CN')
    assert r.code == 1 and len(r.out.splitlines()) == len(got) + 1 and not re.search(r': [a-z]+ [a-z]+ [a-z]+ [a-z]+ ', r.out), r.out


@case
def kb_lint_refuses_what_is_no_cause(c):
    big, fifo, sparse = b'# ' + b'x' * 300000, os.path.join(c.work, 'pipe.yaml'), os.path.join(c.work, 'sparse.yaml')
    os.mkfifo(fifo)
    with open(sparse, 'wb') as f:
        f.truncate(1 << 30)
    bombs = {'anchors': ('a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n', 1, 'anchor'), 'ring': ('a: &a\n  b: *a\n', 1, 'anchor'), 'deep': ('[' * 100000, 1, 'levels'),
             'nul': (b'id: x\nkind: a\0b\n', 2, 'UTF-8'), 'latin': (b'id: x\ntitle: caf\xe9\n', 2, 'UTF-8'), 'utf16': ('id: x\n'.encode('utf-16'), 1, 'UTF-8'), 'big': (big, 1, 'KiB'),
             'empty': ('', 1, 'nothing'), 'two': ('id: a\n---\nid: b\n', 2, 'second document'), 'tag': ('id: !!python/object/apply:os.system ["true"]\n', 1, 'tag'),
             'twice': ('id: a\nid: b\n', 2, 'second time'), 'list': ('- a\n- b\n', 1, 'list of keys'), 'text': ('hello\n', 1, 'list of keys'), 'escape': ('id: "\\e[31m"\n', 1, 'control'),
             'indent': ('id: a\n  kind: b\n', 2, 'not YAML')}
    for name, (data, line, words) in bombs.items():
        p = put(c, f'{name}.yaml', data)
        r = lint(c, p)
        assert r.code == 1 and r.out.startswith(f'{p}:{line}: ') and words in r.out.splitlines()[0] and len(r.out) < 2000, f'{name}: {r}'
    r = lint(c, sparse)
    assert r.code == 1 and 'KiB' in r.out, repr(r)
    one_error(c.run('kb', 'lint', c.work), 2) if not lint(c, c.work).out else None
    r = lint(c, os.path.join(c.work, 'gone.yaml'), put(c, 'site-module-missing.yaml', GOOD))
    assert r.code == 2 and 'gone.yaml' in r.err and r.out == '1 file, no mistake\n', repr(r)
    p = put(c, 'many.yaml', 'id: many\n' + ''.join(f'k{i}: 1\n' for i in range(90)) + 'explain: {patterns: [' + ','.join(['{}'] * 50) + ']}\n')
    r = lint(c, p)
    assert r.code == 1 and len(r.out.splitlines()) == 102 and 'more' in r.out.splitlines()[100], r.out[-300:]
    for args in (('kb',), ('kb', 'frob'), ('kb', 'lint'), ('kb', 'show'), ('kb', 'show', 'no-such-cause'), ('kb', 'list', 'x')):
        one_error(c.run(*args), 2)


@case
def kb_site_cause_is_found_in_a_log(c):
    vars, folder = site(c, 'found', site_module_missing=GOOD)
    p = put(c, 'site.log', f'epoch 1\n{LINE}\n{CUDNN}\n')
    for engine in ('fast', 'portable'):
        j = found(c, p, vars={**vars, 'TFGPU_ENGINE': engine})
        one = [x for x in j['causes'] if x['id'] == 'site-module-missing'][0]
        assert one['text'] == 'the module cuda/11.8 is not loaded' and one['line_number'] == 2 and one['fix'][0]['command'] == 'module load cuda/11.8', one
        assert one['site_file'] == os.path.join(folder, 'site-module-missing.yaml') and j['causes'][1]['site_file'] is None, j
        assert [x['id'] for x in j['causes'][:2]] == ['cudnn-missing', 'site-module-missing'] or [x['id'] for x in j['causes'][:2]] == ['site-module-missing', 'cudnn-missing'], j
    r = answer(c.run('explain', put(c, 'one.log', LINE), vars=vars))
    assert r.code == 0 and r.err == '' and os.path.join(folder, 'site-module-missing.yaml') in r.out.replace('\n  ', ''), repr(r)
    r = answer(c.run('explain', put(c, 'one.log', LINE), '--lang', 'zh_CN', vars=vars))
    assert '没有加载模块 cuda/11.8' in r.out and '这里的 CUDA 由模块系统提供。' in r.out and '写在作业脚本里' in r.out and 'the module' not in r.out, repr(r)
    assert ids(c, put(c, 'one.log', LINE)) == [], 'without the folder it is not known'


@case
def kb_list_and_show_know_the_site(c):
    other = GOOD.replace('site-module-missing', 'cudnn-missing')
    more = "id: numpy2-abi\nextends: true\nexplain:\n  patterns:\n  - {re: 'our wrapper dislikes numpy', match: 'our wrapper dislikes numpy', near: x}\n"
    vars, folder = site(c, 'list', site_module_missing=GOOD, cudnn_missing=other, numpy2_abi=more)
    r = answer(c.run('kb', 'list', vars=vars))
    flat = re.sub(r'\n {4,}', ' ', r.out)
    assert r.code == 0 and r.err == '' and max(map(width, r.out.splitlines())) <= 80 or '/' in r.out, repr(r)
    assert re.search(r'^site-module-missing  broken .*from ', flat, re.M) and "in place of tfgpu's own" in flat and 'with patterns from' in flat, flat[:2000]
    j = json.loads(c.run('kb', 'list', '--format', 'json', vars=vars).out)
    v = schema('docs/schema/kb.schema.json')
    valid(v, j, 'list')
    by = {x['id']: x for x in j['causes']}
    for id in by:
        valid(v, json.loads(c.run('kb', 'show', id, '--format', 'json', vars=vars).out), id)
    shipped = len(glob.glob(os.path.join(HERE_TOP, 'data/causes/*.yaml')))
    assert j['schema'] == 'tfgpu.kb/1' and len(by) == shipped + 1, len(by)
    assert by['cudnn-missing']['replaces'] and by['cudnn-missing']['site_file'] and by['numpy2-abi']['extended_by'] and not by['site-module-missing']['replaces'], by['cudnn-missing']
    for id in ('site-module-missing', 'cudnn-missing', 'xid:79'):
        a, b = c.run('kb', 'show', id, vars=vars), c.run('explain', id, vars=vars)
        assert a.code == b.code == 0 and a.out == b.out, repr(a)
    assert ids(c, put(c, 'w.log', 'our wrapper dislikes numpy'), vars=vars) == ['numpy2-abi']
    assert 'cudnn-missing' not in ids(c, put(c, 'c.log', CUDNN), vars=vars), 'its patterns are replaced'
    r = lint(c, *[os.path.join(folder, f) for f in sorted(os.listdir(folder))])
    assert r.code == 0 and 'takes the place' in r.out and 'adds patterns' in r.out, repr(r)
    r = c.run('kb', 'show', 'site-modul-missing', vars=vars)
    one_error(r, 2, 'site-module-missing')
    assert c.run('kb', 'list', vars={'XDG_CONFIG_HOME': 'relative'}).err == ''


@case
def kb_a_wrong_site_file_never_stops_explain(c):
    vars, folder = site(c, 'wrong', site_module_missing=GOOD, site_bad='id: site-bad\nkind: [\n', site_latin=b'id: \xff\n')
    os.mkfifo(os.path.join(folder, 'site-pipe.yaml'))
    os.symlink('/dev/zero', os.path.join(folder, 'site-zero.yaml'))
    os.symlink(os.path.join(folder, 'site-loop.yaml'), os.path.join(folder, 'site-loop.yaml'))
    os.mkdir(os.path.join(folder, 'site-folder.yaml'))
    with open(os.path.join(folder, 'site-sparse.yaml'), 'wb') as f:
        f.truncate(1 << 30)
    put(c, 'linked', GOOD.replace('site-module-missing', 'site-linked').replace('cluster check', 'linked check'))
    os.symlink(os.path.join(c.work, 'linked'), os.path.join(folder, 'site-linked.yaml'))
    r = c.run('explain', '--format', 'json', put(c, 'l.log', f'{LINE}\nlinked {LINE[8:]}\n{CUDNN}\n'), vars=vars)
    assert r.code == 0 and {x['id'] for x in json.loads(r.out)['causes']} == {'site-module-missing', 'site-linked', 'cudnn-missing'}, repr(r)
    lines = r.err.splitlines()
    assert len(lines) == 7 and all(l.startswith(f'tfgpu: {folder}/site-') for l in lines), repr(r)
    assert f'{folder}/site-bad.yaml:3: ' in r.err and f'{folder}/site-latin.yaml:1: ' in r.err, r.err
    job = c.run('explain', '--run', '--', 'sh', '-c', f'echo "{LINE}" >&2; exit 5', vars=vars)
    assert job.code == 5 and 'site-module-missing' in job.err, repr(job)
    if os.getuid():
        os.chmod(folder, 0)
        r = c.run('explain', put(c, 'l.log', CUDNN), vars=vars)
        os.chmod(folder, 0o700)
        assert r.code == 0 and len(r.err.splitlines()) == 1, repr(r)


@case
def kb_a_thousand_site_causes(c):
    files = {f'site_n{i}': GOOD.replace('site-module-missing', f'site-n{i}').replace('cluster check', f'cluster check {i}') for i in range(1000)}
    vars, folder = site(c, 'thousand', **files)
    for engine in ('fast', 'portable'):
        assert ids(c, put(c, 't.log', LINE.replace('check', 'check 777')), vars={**vars, 'TFGPU_ENGINE': engine}) == ['site-n777']
    r = lint(c, *[os.path.join(folder, f) for f in os.listdir(folder)])
    assert r.code == 0 and r.out == '1000 files, no mistake\n', repr(r)


@case
def kb_without_site_files_nothing_is_opened_but_the_folders(c):
    r = c.run('explain', put(c, 'n.log', CUDNN), wrap=['strace', '-f', '-e', 'trace=%file', '-o', os.path.join(c.work, 'trace')], vars={'XDG_CONFIG_HOME': os.path.join(c.work, 'none')})
    assert r.code == 0, repr(r)
    with open(os.path.join(c.work, 'trace')) as f:
        lines = [l for l in f if 'causes.d' in l]
    assert len(lines) == 2 and all('ENOENT' in l and 'open' in l for l in lines), lines


@case
def kb_examples_of_the_manual_are_right(c):
    with open(os.path.join(HERE_TOP, 'docs/site-knowledge.md'), encoding='utf-8') as f:
        blocks = re.findall(r'^( *)```yaml\n(.*?)^ *```$', f.read(), re.S | re.M)
    assert len(blocks) == 2, blocks
    for indent, text in blocks:
        text = '\n'.join(l[len(indent):] for l in text.splitlines()) + '\n'
        r = lint(c, put(c, re.match(r'id: (\S+)', text)[1] + '.yaml', text))
        assert r.code == 0, repr(r)
