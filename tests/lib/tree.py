# SPDX-License-Identifier: Apache-2.0
"""tree - machines built as plain file trees for `tfgpu --root`: base machines, and changes to them.

A base is made once (make_base) and then copied with hard links (clone); every change replaces a file instead of writing
into it, so that copies never share a change. tests/cases/README.md describes the changes.
"""
import base64, hashlib, json, os, shutil, stat as st_mod, tempfile

import elfw
import proofs
import wheelw
from machines import BASES, FIRST_GLIBC


class Tree:
    def __init__(self, root, manifest=None, info=None):
        self.root = os.path.abspath(root)
        self.m = manifest or {'format': 'tfgpu.root/1', 'environment': {}, 'stat': {}}
        self.info = info or {'venv': None, 'sp': None, 'cache': []}   # cache: [soname, path, level or None]

    # -- paths -------------------------------------------------------------------------------------------------------
    def real(self, path, last=False):
        """The path inside the tree with symbolic links resolved (the last part too when `last`)."""
        done, todo, budget = [], [p for p in path.split('/') if p], 40
        while todo:
            part = todo.pop(0)
            if part in ('.', '..'):
                done = done[:-1] if part == '..' else done
                continue
            p = '/' + '/'.join(done + [part])
            if (todo or last) and os.path.islink(self.root + p) and budget:
                budget -= 1
                to = os.readlink(self.root + p)
                done = [] if to.startswith('/') else done
                todo = [q for q in to.split('/') if q] + todo
            else:
                done.append(part)
        return '/' + '/'.join(done)

    def host(self, path, last=False):
        return self.root + self.real(path, last)

    # -- files -------------------------------------------------------------------------------------------------------
    def remove(self, path, must=True):
        h = self.host(path)
        if os.path.islink(h) or os.path.isfile(h):
            os.unlink(h)
        elif os.path.isdir(h):
            shutil.rmtree(h)
        elif os.path.lexists(h):
            os.unlink(h)
        elif must and self.real(path) not in self.m['stat']:
            raise ValueError(f'remove: {path} is not there')
        r = self.real(path)
        for k in [k for k in self.m['stat'] if k == r or k.startswith(r + '/')]:
            del self.m['stat'][k]

    def write(self, path, data, mode=0o644):
        if isinstance(data, str):
            data = data.encode()
        h = self.host(path)
        os.makedirs(os.path.dirname(h), exist_ok=True)
        if os.path.lexists(h):
            if os.path.isdir(h) and not os.path.islink(h):
                raise ValueError(f'{path} is a folder')
            os.unlink(h)
        with open(h, 'wb') as f:
            f.write(data)
        os.chmod(h, mode)

    def read(self, path):
        with open(self.host(path, True), 'rb') as f:
            return f.read()

    def exists(self, path):
        return os.path.lexists(self.host(path))

    def mkdir(self, path):
        os.makedirs(self.host(path), exist_ok=True)

    def link(self, path, to):
        h = self.host(path)
        os.makedirs(os.path.dirname(h), exist_ok=True)
        if os.path.lexists(h):
            os.unlink(h)
        os.symlink(to, h)

    def node(self, path, major, minor, mode='0666', uid=0, gid=0, type='char'):
        self.m['stat'][self.real(path)] = {'type': type, 'major': major, 'minor': minor, 'mode': mode, 'uid': uid, 'gid': gid}

    def stat(self, path, **kw):
        self.m['stat'].setdefault(self.real(path), {}).update(kw)

    def elf(self, path, mode=0o755, **kw):
        self.write(path, elfw.build(**kw), mode)

    def lib(self, path, soname, to_cache=True, **kw):
        """A library as ldconfig leaves it: the file under `path`, the soname's link beside it, a cache entry."""
        self.elf(path, 0o644, soname=soname, **kw)
        d = os.path.dirname(path)
        if os.path.basename(path) != soname:
            self.link(f'{d}/{soname}', os.path.basename(path))
        if to_cache:
            self.info['cache'].append([soname, f'{d}/{soname}', None])

    # -- Python packages ---------------------------------------------------------------------------------------------
    def dist(self, sp, name, version, files=(), requires=(), extra_meta=(), installer='pip', wheel_tag='py3-none-any', mods=None):
        """A distribution in `sp`: its files (relative path -> bytes, text or elf keywords), METADATA, RECORD, WHEEL."""
        safe = name.replace('-', '_')
        info = f'{safe}-{version}.dist-info'
        files = dict(files)
        if mods is None and not files:
            files = {f'{safe}/__init__.py': f"__version__ = '{version}'\n"}
        for rel, data in files.items():
            if isinstance(data, dict):
                self.elf(f'{sp}/{rel}', **data)
            else:
                self.write(f'{sp}/{rel}', data, 0o755 if '/bin/' in rel else 0o644)
        meta = f'Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: test package\n'
        meta += ''.join(f'{k}: {v}\n' for k, v in extra_meta)
        meta += ''.join(f'Requires-Dist: {r}\n' for r in requires) + '\nDescription of a test package.\n'
        self.write(f'{sp}/{info}/METADATA', meta)
        self.write(f'{sp}/{info}/WHEEL', f'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {wheel_tag}\n')
        self.write(f'{sp}/{info}/INSTALLER', f'{installer}\n')
        tops = sorted({r.split('/')[0] for r in files if '/' in r})
        self.write(f'{sp}/{info}/top_level.txt', ''.join(t + '\n' for t in tops))
        names = sorted(files) + [f'{info}/{n}' for n in ('INSTALLER', 'METADATA', 'WHEEL', 'top_level.txt')]
        self.write(f'{sp}/{info}/RECORD', ''.join(self.record_line(sp, n) for n in names) + f'{info}/RECORD,,\n')

    def record_line(self, sp, rel):
        data = self.read(f'{sp}/{rel}')
        h = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        return f'{rel},sha256={h},{len(data)}\n'

    def record_update(self, path, size=None, sha256=None):
        """Bring the RECORD that lists `path` up to date with the file. `size`: state this size (and keep the hash)."""
        sp = self.info['sp']
        if not sp or not self.real(path).startswith(self.real(sp) + '/'):
            return False
        rel = self.real(path)[len(self.real(sp)) + 1:]
        for d in sorted(os.listdir(self.host(sp, True))):
            rec = f'{sp}/{d}/RECORD'
            if not d.endswith('.dist-info') or not self.exists(rec):
                continue
            lines = self.read(rec).decode().splitlines(True)
            hit = [i for i, l in enumerate(lines) if l.split(',')[0] == rel]
            if hit:
                old = lines[hit[0]].rstrip('\n').split(',')
                lines[hit[0]] = self.record_line(sp, rel) if size is None else f'{rel},{old[1]},{size}\n'
                if sha256:
                    lines[hit[0]] = f'{rel},sha256={sha256},{old[2]}\n'
                self.write(rec, ''.join(lines))
                return True
        return False

    def record_drop(self, path):
        sp = self.info['sp']
        rel = self.real(path)[len(self.real(sp)) + 1:]
        for d in os.listdir(self.host(sp, True)):
            rec = f'{sp}/{d}/RECORD'
            if d.endswith('.dist-info') and self.exists(rec):
                lines = self.read(rec).decode().splitlines(True)
                keep = [l for l in lines if l.split(',')[0] != rel and not l.startswith(rel + '/')]
                if len(keep) != len(lines):
                    self.write(rec, ''.join(keep))

    # -- finishing ---------------------------------------------------------------------------------------------------
    def write_cache(self):
        self.write('/etc/ld.so.cache', elfw.ldcache([tuple(e) for e in self.info['cache']]))

    def save(self):
        with open(self.root + '/manifest.json', 'w', encoding='utf-8') as f:
            json.dump(self.m, f, indent=1)
        with open(self.root + '/.info.json', 'w', encoding='utf-8') as f:
            json.dump(self.info, f)


def make_base(name, root):
    t = Tree(root)
    os.makedirs(root, exist_ok=True)
    BASES[name](t)
    t.write_cache()
    t.save()
    return t


def load(root):
    with open(root + '/manifest.json', encoding='utf-8') as f:
        m = json.load(f)
    with open(root + '/.info.json', encoding='utf-8') as f:
        return Tree(root, m, json.load(f))


def clone(base_root, root):
    """A copy that shares the files' inodes (never their folders)."""
    for d, dirs, files in os.walk(base_root):
        to = root + d[len(base_root):]
        os.makedirs(to, exist_ok=True)
        for n in list(dirs):
            if os.path.islink(f'{d}/{n}'):
                dirs.remove(n)
                os.symlink(os.readlink(f'{d}/{n}'), f'{to}/{n}')
        for n in files:
            if os.path.islink(f'{d}/{n}'):
                os.symlink(os.readlink(f'{d}/{n}'), f'{to}/{n}')
            elif n in ('manifest.json', '.info.json') and d == base_root:
                shutil.copyfile(f'{d}/{n}', f'{to}/{n}')
            else:
                os.link(f'{d}/{n}', f'{to}/{n}')
    return load(root)


# -- changes of a case ---------------------------------------------------------------------------------------------------
def subst(t, v):
    """Fill ${SP}, ${VENV} and ${NV} (site-packages/nvidia) in all strings."""
    if isinstance(v, str):
        for k, x in (('${SP}', t.info['sp']), ('${VENV}', t.info['venv']), ('${NV}', f"{t.info['sp']}/nvidia")):
            v = v.replace(k, x or k)
        return v
    if isinstance(v, list):
        return [subst(t, x) for x in v]
    if isinstance(v, dict):
        return {subst(t, k): subst(t, x) for k, x in v.items()}
    return v


def take(d, op, allowed, need=()):
    for k in d:
        if k not in allowed:
            raise ValueError(f'{op}: unknown key {k}')
    for k in need:
        if k not in d:
            raise ValueError(f'{op}: key {k} is missing')


def op_memory(t, d):
    from machines import memory
    take(d, 'memory', ('total', 'available', 'shm'))
    memory(t, **d)


def op_space(t, d):
    take(d, 'space', ('path', 'size', 'free'), ('path', 'size'))
    t.m.setdefault('space', {})[d['path']] = {'size': d['size'], 'free': d.get('free', d['size'])}


def op_pcie(t, d):
    """The link of a GPU: pci, width, width_max, width_port, gen, gen_max, gen_port, numa, iommu."""
    from machines import pcie
    take(d, 'pcie', ('pci', 'width', 'width_max', 'width_port', 'gen', 'gen_max', 'gen_port', 'numa', 'iommu'))
    pcie(t, d.get('pci', '0000:01:00.0'), **{k: v for k, v in d.items() if k != 'pci'})


ELF_KEYS = ('soname', 'needed', 'rpath', 'runpath', 'verdef', 'verneed', 'sass', 'ptx', 'machine', 'undefined', 'osabi', 'isa', 'flags_1',
            'execstack', 'interp', 'pie', 'etype', 'ei_class')


def op_elf(t, d):
    take(d, 'elf', ('path', 'cut', 'cuda_version', 'version', 'size', 'mode', 'record', 'fat_containers', 'exports', 'texts') + ELF_KEYS, ('path',))
    kw = {k: d[k] for k in ELF_KEYS + ('fat_containers',) if k in d}
    kw['min_size'] = max(d.get('size', 0), d.get('cut', 0) + 2 * elfw.PAGE if 'cut' in d else 0)
    v = d.get('version', d.get('cuda_version'))
    if v is not None:
        from machines import version_code
        kw['symbols'], kw['rodata'] = version_code(d.get('soname') or os.path.basename(d['path']), str(v))
    if 'exports' in d:
        kw['symbols'] = {**kw.get('symbols', {}), **{n: b'\xc3' for n in d['exports']}}
    if 'texts' in d:
        kw['rodata'] = ''.join('\0' + x for x in d['texts']).encode() + b'\0'
    data = elfw.build(**kw)
    t.write(d['path'], data, int(str(d.get('mode', '0755')), 8))
    if d.get('record', 'update') == 'update':
        t.record_update(d['path'])
    if 'cut' in d:
        t.write(d['path'], data[:d['cut']], 0o755)


def op_text(t, d):
    take(d, 'text', ('path', 'content', 'mode', 'record', 'encoding'), ('path', 'content'))
    t.write(d['path'], d['content'].encode(d.get('encoding', 'utf-8')), int(str(d.get('mode', '0644')), 8))
    if d.get('record', 'keep') == 'update':
        t.record_update(d['path'])


def op_zip(t, d):
    take(d, 'zip', ('path', 'members', 'behind'), ('path', 'members'))
    with tempfile.NamedTemporaryFile(suffix='.zip') as f:
        wheelw.write(f.name, {k: v.encode() for k, v in d['members'].items()})
        t.write(d['path'], f.read() + d.get('behind', '').encode())


def op_remove(t, d):
    if isinstance(d, dict):
        take(d, 'remove', ('path', 'record'), ('path',))
        t.remove(d['path'])
        if d.get('record') == 'update':
            t.record_drop(d['path'])
    else:
        t.remove(d)


def op_node(t, d):
    take(d, 'node', ('path', 'major', 'minor', 'mode', 'uid', 'gid', 'type', 'remove'), ('path',))
    if d.get('remove'):
        t.remove(d['path'])
    else:
        t.node(**{k: v for k, v in d.items() if k != 'remove'})


def op_stat(t, d):
    take(d, 'stat', ('path', 'mode', 'uid', 'gid', 'size', 'type'), ('path',))
    if not t.exists(d['path']) and t.real(d['path']) not in t.m['stat']:
        raise ValueError(f"stat: {d['path']} is not there")
    t.stat(d['path'], **{k: v for k, v in d.items() if k != 'path'})


def op_env(t, d):
    for k, v in d.items():
        if v is None:
            t.m['environment'].pop(k, None)
        else:
            t.m['environment'][k] = str(v)


def op_cpu_flags(t, d):
    take(d, 'cpu_flags', ('remove', 'add'))
    flags = [f for f in t.m['cpu']['flags'] if f not in d.get('remove', [])] + d.get('add', [])
    t.m['cpu']['flags'] = flags
    if t.exists('/proc/cpuinfo'):
        lines = t.read('/proc/cpuinfo').decode().splitlines()
        t.write('/proc/cpuinfo', '\n'.join('flags\t\t: ' + ' '.join(flags) if l.startswith('flags') else l for l in lines) + '\n')


def op_kernel(t, d):
    take(d, 'kernel', ('release', 'machine'))
    t.m['kernel'].update(d)
    if 'release' in d:
        t.write('/proc/sys/kernel/osrelease', d['release'] + '\n')
        t.write('/proc/version', f"Linux version {d['release']} (builder@host) #1 SMP\n")


def op_cache(t, d):
    """ld.so.cache: add {soname: path}, remove [soname], absent, text (garbage), rebuild (after removals of files)."""
    take(d, 'cache', ('add', 'remove', 'absent', 'content', 'prune'))
    if d.get('absent'):
        t.remove('/etc/ld.so.cache')
        return
    if 'content' in d:
        t.write('/etc/ld.so.cache', d['content'])
        return
    c = [e for e in t.info['cache'] if e[0] not in d.get('remove', [])]
    if d.get('prune'):
        c = [e for e in c if os.path.exists(t.host(e[1], True))]
    t.info['cache'] = [[k, v, None] for k, v in d.get('add', {}).items()] + c
    t.write_cache()


def op_package(t, d):
    """A distribution: name, version, requires, files {relative path: text}, sp (another folder), installer, remove."""
    take(d, 'package', ('name', 'version', 'requires', 'files', 'sp', 'installer', 'remove', 'metadata'), ('name',))
    sp = d.get('sp', t.info['sp'])
    safe = d['name'].replace('-', '_')
    had = [x for x in (os.listdir(t.host(sp, True)) if os.path.isdir(t.host(sp, True)) else []) if x.startswith(safe + '-') and x.endswith('.dist-info')]
    if d.get('remove') == 'info':
        for x in had:
            t.remove(f'{sp}/{x}')
        return
    if d.get('remove'):
        for x in had:
            for line in t.read(f'{sp}/{x}/RECORD').decode().splitlines():
                p = f"{sp}/{line.split(',')[0]}"
                if t.exists(p):
                    t.remove(p)
            if t.exists(f'{sp}/{x}'):
                t.remove(f'{sp}/{x}')
        return
    if not d.get('files') and had and 'requires' not in d:   # another version of what is there: same files
        rec = t.read(f'{sp}/{had[0]}/RECORD').decode().splitlines()
        meta = t.read(f'{sp}/{had[0]}/METADATA').decode().splitlines()
        req = [l.split(': ', 1)[1] for l in meta if l.startswith('Requires-Dist: ')]
        files = {}
        for line in rec:
            rel = line.split(',')[0]
            if '.dist-info/' not in rel and os.path.exists(t.host(f'{sp}/{rel}', True)):
                files[rel] = t.read(f'{sp}/{rel}')
        t.remove(f'{sp}/{had[0]}')
        t.dist(sp, d['name'], str(d['version']), files, req, [tuple(x) for x in d.get('metadata', [])], d.get('installer', 'pip'))
        return
    t.dist(sp, d['name'], str(d['version']), d.get('files', {}), d.get('requires', []), [tuple(x) for x in d.get('metadata', [])], d.get('installer', 'pip'))


def op_truncate(t, d):
    take(d, 'truncate', ('path', 'size'), ('path', 'size'))
    data = t.read(d['path'])
    if len(data) < d['size'] + elfw.PAGE and data[:4] == b'\x7fELF':
        raise ValueError(f"truncate: {d['path']} has {len(data)} bytes; give it a size first (elf: size)")
    t.write(d['path'], data[:d['size']], 0o755)


def op_zero(t, d):
    take(d, 'zero', ('path', 'from'), ('path',))
    data = t.read(d['path'])
    n = d.get('from', 0)
    t.write(d['path'], data[:n] + bytes(max(0, len(data) - n)), 0o755)


def op_copy(t, d):
    take(d, 'copy', ('path', 'from'), ('path', 'from'))
    t.write(d['path'], t.read(d['from']), 0o755)


def op_move(t, d):
    take(d, 'move', ('path', 'from'), ('path', 'from'))
    os.makedirs(os.path.dirname(t.host(d['path'])), exist_ok=True)
    os.rename(t.host(d['from']), t.host(d['path']))


def op_replace(t, d):
    """In a text file: replace `old` by `new` (must be there)."""
    take(d, 'replace', ('path', 'old', 'new', 'record'), ('path', 'old', 'new'))
    s = t.read(d['path']).decode()
    if d['old'] not in s:
        raise ValueError(f"replace: {d['path']} does not contain {d['old']!r}")
    t.write(d['path'], s.replace(d['old'], d['new']), st_mod.S_IMODE(os.stat(t.host(d['path'], True)).st_mode))
    if d.get('record', 'update') == 'update':
        t.record_update(d['path'])


def op_record_hash(t, d):
    """State this SHA-256 (URL-safe base64) for a file in its RECORD: as if the file were that known build."""
    take(d, 'record_hash', ('path', 'sha256'), ('path', 'sha256'))
    if not t.record_update(d['path'], sha256=d['sha256']):
        raise ValueError(f"record_hash: no RECORD lists {d['path']}")


def op_gpu(t, d):
    """Another GPU (or a further one): device (PCI id), class, pci, driver (name or null), remove: address."""
    from machines import pci_gpu
    take(d, 'gpu', ('device', 'class', 'pci', 'driver', 'remove', 'vendor'))
    if d.get('remove'):
        addr = d['remove']
        t.remove(t.real(f'/sys/bus/pci/devices/{addr}', True))
        t.remove(f'/sys/bus/pci/devices/{addr}')
        return
    addr = d.get('pci', '0000:01:00.0')
    if t.exists(f'/sys/bus/pci/devices/{addr}'):
        op_gpu(t, {'remove': addr})
    pci_gpu(t, addr, d.get('device', '0x2204'), d.get('class', '0x030000'), d.get('driver', 'nvidia'), d.get('vendor', '0x10de'))


def op_driver(t, d):
    """What the driver's libraries answered: driverlines.py; {} takes it back."""
    import driverlines
    take(d, 'driver', ('cuda', 'nvml'))
    t.m['driver'] = {lib: driverlines.lines(lib, d[lib]) for lib in d}


def op_answers(t, d):
    """More of the driver's answers: {"CALL ARG…": value}; behind those of `driver`, which comes first."""
    for what, value in d.items():
        out = t.m['driver']['nvml' if what.startswith('nvml') else 'cuda']
        out.insert(len(out) - 2, f'< {what} = 0 {value}')


def op_fifo(t, d):
    h = t.host(d)
    if os.path.lexists(h):
        os.unlink(h)
    os.mkfifo(h)


OPS = {
    'remove': op_remove, 'text': op_text, 'elf': op_elf, 'node': op_node, 'stat': op_stat, 'env': op_env, 'cpu_flags': op_cpu_flags,
    'kernel': op_kernel, 'cache': op_cache, 'package': op_package, 'truncate': op_truncate, 'zero': op_zero, 'copy': op_copy,
    'move': op_move, 'replace': op_replace, 'gpu': op_gpu, 'fifo': op_fifo, 'driver': op_driver, 'answers': op_answers, 'record_hash': op_record_hash,
    'zip': op_zip, 'memory': op_memory, 'space': op_space, 'pcie': op_pcie,
    'link': lambda t, d: t.link(d['path'], d['to']),
    'dir': lambda t, d: t.mkdir(d),
    'user': lambda t, d: t.m['user'].update(d),
    'proof': lambda t, d: t.m.update(proof=proofs.make(d)),
    'cwd': lambda t, d: t.m.update(cwd=d),
    'module': lambda t, d: t.write(d['path'], elfw.kernel_module(d['version'], d.get('release', t.m['kernel']['release']))),
}


def apply(t, changes):
    for c in changes or []:
        if not isinstance(c, dict) or len(c) != 1:
            raise ValueError(f'a change is one operation: {c}')
        (op, arg), = c.items()
        if op not in OPS:
            raise ValueError(f'unknown change {op}')
        OPS[op](t, subst(t, arg))
