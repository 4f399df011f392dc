# SPDX-License-Identifier: Apache-2.0
"""elfw - write small ELF files whose program headers, dynamic section and version tables the real loader accepts.

Format: System V gABI and the GNU extensions (DT_GNU_HASH, .gnu.version*). Fat binaries: the headers that cuobjdump lists.
tests/lib/selftest.py holds the result against readelf and the real loader.
"""
import struct

PAGE = 4096
MACHINES = {'x86_64': 62, 'aarch64': 183, 'i386': 3, 'ppc64le': 21, 'riscv64': 243}
DT = dict(NEEDED=1, PLTRELSZ=2, PLTGOT=3, HASH=4, STRTAB=5, SYMTAB=6, STRSZ=10, SYMENT=11, SONAME=14, RPATH=15, PLTREL=20, JMPREL=23,
          RUNPATH=29, FLAGS=30, GNU_HASH=0x6ffffef5, VERSYM=0x6ffffff0, VERDEF=0x6ffffffc, VERDEFNUM=0x6ffffffd,
          VERNEED=0x6ffffffe, VERNEEDNUM=0x6fffffff, FLAGS_1=0x6ffffffb)
DF_1_NOOPEN, DF_1_NODEFLIB, DF_1_PIE = 0x40, 0x800, 0x8000000


def sysv_hash(name):
    h = 0
    for c in name.encode():
        h = (h << 4) + c
        g = h & 0xf0000000
        if g:
            h ^= g >> 24
        h &= ~g & 0xffffffff
    return h


def gnu_hash(name):
    h = 5381
    for c in name.encode():
        h = (h * 33 + c) & 0xffffffff
    return h


def fatbin(sass, ptx, containers=2):
    """Bytes of a .nv_fatbin section: the same entries in each container, small payloads."""
    def entry(kind, sm):
        payload = bytes(32)
        h = bytearray(64)
        struct.pack_into('<HHI', h, 0, kind, 0x101, len(h))
        struct.pack_into('<QI', h, 8, len(payload), len(payload))
        struct.pack_into('<I', h, 28, sm)
        struct.pack_into('<Q', h, 40, 0x2011)
        struct.pack_into('<Q', h, 56, 1000)
        return bytes(h) + payload
    body = b''.join(entry(2, s) for s in sass) + b''.join(entry(1, p) for p in ptx)
    return (struct.pack('<IHHQ', 0xBA55ED50, 1, 16, len(body)) + body) * containers


class Strtab:
    def __init__(self):
        self.b, self.at = bytearray(1), {'': 0}

    def add(self, s):
        if s not in self.at:
            self.at[s] = len(self.b)
            self.b += s.encode() + b'\0'
        return self.at[s]


def build(soname=None, needed=(), rpath=None, runpath=None, verdef=(), verneed=None, sass=(), ptx=(), machine='x86_64', symbols=None,
          undefined=(), etype=3, interp=None, pie=False, osabi=0, ei_class=2, flags_1=0, isa=None, execstack=False, min_size=0,
          sections=None, fat_containers=2, rodata=b''):
    """Bytes of one shared object (or program, with interp). `symbols`: name -> machine code of an exported function;
    `sections`: further read-only sections by name; `min_size`: at least so many bytes in the first segment."""
    verneed, symbols, sections = dict(verneed or {}), dict(symbols or {}), dict(sections or {})
    needed = list(needed) + [f for f in verneed if f not in needed]
    st = Strtab()
    nb = 4
    order = sorted(symbols, key=lambda n: gnu_hash(n) % nb)
    undef = [u.partition('@')[0] for u in undefined]       # NAME or NAME@VERSION, a version of verneed
    asked, index_of = [u.partition('@')[2] for u in undefined], {}
    # version indices
    vdef = list(verdef)
    vindex = 2 + len(vdef)
    vn = bytearray()
    for i, (f, vers) in enumerate(verneed.items()):
        nxt = 16 + 16 * len(vers) if i < len(verneed) - 1 else 0
        vn += struct.pack('<HHIII', 1, len(vers), st.add(f), 16, nxt)
        for j, v in enumerate(vers):
            vn += struct.pack('<IHHII', sysv_hash(v), 0, vindex, st.add(v), 16 if j < len(vers) - 1 else 0)
            index_of[v] = vindex
            vindex += 1
    vd = bytearray()
    names = ([soname or 'base'] + vdef) if vdef else []
    for i, v in enumerate(names):
        vd += struct.pack('<HHHHIII', 1, 1 if i == 0 else 0, i + 1, 1, sysv_hash(v), 20, 28 if i < len(names) - 1 else 0)
        vd += struct.pack('<II', st.add(v), 0)
    have_ver = bool(vd or vn)
    # text
    text, sym_off = bytearray(b'\xc3' + b'\xcc' * 15), {}
    for n in order:
        sym_off[n] = len(text)
        text += symbols[n]
        text += b'\xcc' * (-len(text) % 16)
    # strings of the dynamic section
    for s in needed + [soname, rpath, runpath] + order + undef:
        if s:
            st.add(s)
    # layout of the first segment
    phnum = 4 + (2 if interp else 0) + (1 if isa else 0)
    off, parts, at = 64 + 56 * phnum, [], {}

    def put(name, data, align=8):
        nonlocal off
        pad = -off % align
        parts.append(bytes(pad))
        off += pad
        at[name] = (off, len(data))
        parts.append(data)
        off += len(data)
    if interp:
        put('.interp', interp.encode() + b'\0', 1)
    if isa:
        put('.note.gnu.property', struct.pack('<III4sIII4x', 4, 16, 5, b'GNU\0', 0xc0008002, 4, isa), 8)
    nsym = 1 + len(undef) + len(order)
    put('.dynsym', bytes(24 * nsym))
    nbuck = nb if order else 1
    buckets, chain, first = [0] * nbuck, [], 1 + len(undef)
    bloom = 0
    for i, n in enumerate(order):
        h = gnu_hash(n)
        bloom |= 1 << (h % 64) | 1 << ((h >> 6) % 64)
        b = h % nbuck
        buckets[b] = buckets[b] or first + i
        last = i + 1 == len(order) or gnu_hash(order[i + 1]) % nbuck != b
        chain.append((h & ~1) | last)
    put('.gnu.hash', struct.pack('<IIIIQ', nbuck, first, 1, 6, bloom) + b''.join(struct.pack('<I', x) for x in buckets + chain))
    put('.dynstr', bytes(st.b), 1)
    if have_ver:
        put('.gnu.version', b''.join(struct.pack('<H', 0 if i == 0 else index_of.get(asked[i - 1], 1) if i <= len(undef) else (2 if vdef else 1)) for i in range(nsym)), 2)
        if vn:
            put('.gnu.version_r', bytes(vn))
        if vd:
            put('.gnu.version_d', bytes(vd))
    if undef:
        put('.rela.plt', bytes(24 * len(undef)))
    put('.text', bytes(text), 16)
    put('.rodata', rodata or b'\0', 8)
    for n, d in sections.items():
        put(n, d, 8)
    if sass or ptx:
        put('.nv_fatbin', fatbin(sass, ptx, fat_containers), 8)
    if off < min_size:
        put('.pad', bytes(min_size - off), 1)
    seg1 = off
    # second segment: dynamic section and GOT slots; one page further up, so that no file padding is needed
    off += -off % 8
    dyn_off = off
    delta = PAGE
    dyn = []
    for n in needed:
        dyn.append((DT['NEEDED'], st.at[n]))
    for tag, v in (('SONAME', soname), ('RPATH', rpath), ('RUNPATH', runpath)):
        if v is not None:
            dyn.append((DT[tag], st.at[v]))
    dyn += [(DT['GNU_HASH'], at['.gnu.hash'][0]), (DT['STRTAB'], at['.dynstr'][0]), (DT['SYMTAB'], at['.dynsym'][0]),
            (DT['STRSZ'], at['.dynstr'][1]), (DT['SYMENT'], 24)]
    if have_ver:
        dyn.append((DT['VERSYM'], at['.gnu.version'][0]))
        if vd:
            dyn += [(DT['VERDEF'], at['.gnu.version_d'][0]), (DT['VERDEFNUM'], len(names))]
        if vn:
            dyn += [(DT['VERNEED'], at['.gnu.version_r'][0]), (DT['VERNEEDNUM'], len(verneed))]
    n_dyn = len(dyn) + (4 if undef else 0) + 2
    got_addr = dyn_off + delta + 16 * n_dyn
    if undef:
        dyn += [(DT['JMPREL'], at['.rela.plt'][0]), (DT['PLTRELSZ'], 24 * len(undef)), (DT['PLTREL'], 7), (DT['PLTGOT'], got_addr)]
    flags_1 |= DF_1_PIE if pie else 0
    dyn.append((DT['FLAGS_1'], flags_1 | 1))
    dyn.append((0, 0))
    dynb = b''.join(struct.pack('<QQ', *d) for d in dyn)
    got = bytes(8 * (3 + len(undef)))
    seg2 = dynb + got
    # fix-ups that need addresses
    blob = bytearray(b''.join(parts))
    base = 64 + 56 * phnum

    def poke(o, b):
        blob[o - base:o - base + len(b)] = b
    shnames = ['.interp', '.note.gnu.property', '.dynsym', '.gnu.hash', '.dynstr', '.gnu.version', '.gnu.version_r', '.gnu.version_d',
               '.rela.plt', '.text', '.rodata', *sections, '.nv_fatbin', '.pad']
    shlist = [n for n in shnames if n in at]
    text_idx = 1 + shlist.index('.text')
    for i, n in enumerate(undef):
        poke(at['.dynsym'][0] + 24 * (1 + i), struct.pack('<IBBHQQ', st.at[n], 0x12, 0, 0, 0, 0))
        poke(at['.rela.plt'][0] + 24 * i, struct.pack('<QQq', got_addr + 8 * (3 + i), (1 + i) << 32 | 7, 0))
    for i, n in enumerate(order):
        poke(at['.dynsym'][0] + 24 * (first + i),
             struct.pack('<IBBHQQ', st.at[n], 0x12, 0, text_idx, at['.text'][0] + sym_off[n], len(symbols[n])))
    # section headers behind everything
    body_end = dyn_off + len(seg2)
    shst = Strtab()
    types = {'.interp': 1, '.note.gnu.property': 7, '.dynsym': 11, '.gnu.hash': 0x6ffffff6, '.dynstr': 3, '.gnu.version': 0x6fffffff,
             '.gnu.version_r': 0x6ffffffe, '.gnu.version_d': 0x6ffffffd, '.rela.plt': 4}
    ents = {'.dynsym': 24, '.gnu.version': 2, '.rela.plt': 24}
    idx = {n: i + 1 for i, n in enumerate(shlist)}
    sh = [struct.pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)]
    for n in shlist:
        o, l = at[n]
        link = {'.dynsym': idx['.dynstr'], '.gnu.hash': idx['.dynsym'], '.gnu.version': idx['.dynsym'], '.gnu.version_r': idx['.dynstr'],
                '.gnu.version_d': idx['.dynstr'], '.rela.plt': idx['.dynsym']}.get(n, 0)
        info = {'.dynsym': 1, '.gnu.version_r': len(verneed), '.gnu.version_d': len(names)}.get(n, 0)
        sh.append(struct.pack('<IIQQQQIIQQ', shst.add(n), types.get(n, 1), 6 if n == '.text' else 2, o, o, l, link, info, 8, ents.get(n, 0)))
    sh.append(struct.pack('<IIQQQQIIQQ', shst.add('.dynamic'), 6, 3, dyn_off + delta, dyn_off, len(dynb), idx['.dynstr'], 0, 8, 16))
    sh.append(struct.pack('<IIQQQQIIQQ', shst.add('.got.plt'), 1, 3, dyn_off + delta + len(dynb), dyn_off + len(dynb), len(got), 0, 0, 8, 8))
    shst.add('.shstrtab')
    sh.append(struct.pack('<IIQQQQIIQQ', shst.at['.shstrtab'], 3, 0, 0, body_end, len(shst.b), 0, 0, 1, 0))
    shoff = body_end + len(shst.b)
    pad = -shoff % 8
    shoff += pad
    ph = []
    if interp:
        ph.append(struct.pack('<IIQQQQQQ', 6, 4, 64, 64, 64, 56 * phnum, 56 * phnum, 8))
        o, l = at['.interp']
        ph.append(struct.pack('<IIQQQQQQ', 3, 4, o, o, o, l, l, 1))
    ph.append(struct.pack('<IIQQQQQQ', 1, 5, 0, 0, 0, seg1, seg1, PAGE))
    ph.append(struct.pack('<IIQQQQQQ', 1, 6, dyn_off, dyn_off + delta, dyn_off + delta, len(seg2), len(seg2), PAGE))
    ph.append(struct.pack('<IIQQQQQQ', 2, 6, dyn_off, dyn_off + delta, dyn_off + delta, len(dynb), len(dynb), 8))
    if isa:
        o, l = at['.note.gnu.property']
        ph.append(struct.pack('<IIQQQQQQ', 0x6474e553, 4, o, o, o, l, l, 8))
    ph.append(struct.pack('<IIQQQQQQ', 0x6474e551, 7 if execstack else 6, 0, 0, 0, 0, 0, 16))
    assert len(ph) == phnum
    eh = b'\x7fELF' + bytes([ei_class if machine != 'i386' else 1, 1, 1, osabi]) + bytes(8)
    eh += struct.pack('<HHIQQQIHHHHHH', etype, MACHINES[machine], 1, at['.text'][0] if interp else 0, 64, shoff, 0, 64, 56, phnum, 64,
                      len(sh), len(sh) - 1)
    out = eh + b''.join(ph) + bytes(blob)
    out += bytes(dyn_off - len(out)) + seg2 + bytes(shst.b) + bytes(pad) + b''.join(sh)
    return out


def kernel_module(version, release, name='nvidia'):
    """A relocatable object with .modinfo, as far as modinfo(8) reads it."""
    info = b''.join(s.encode() + b'\0' for s in (f'version={version}', 'license=NVIDIA', f'name={name}',
                                                   f'vermagic={release} SMP preempt mod_unload modversions '))
    shst = b'\0.modinfo\0.shstrtab\0'
    shoff = 64 + len(info) + len(shst)
    pad = -shoff % 8
    sh = struct.pack('<IIQQQQIIQQ', *[0] * 10)
    sh += struct.pack('<IIQQQQIIQQ', 1, 1, 2, 0, 64, len(info), 0, 0, 1, 0)
    sh += struct.pack('<IIQQQQIIQQ', 10, 3, 0, 0, 64 + len(info), len(shst), 0, 0, 1, 0)
    eh = b'\x7fELF\x02\x01\x01\0' + bytes(8) + struct.pack('<HHIQQQIHHHHHH', 1, 62, 1, 0, 0, shoff + pad, 0, 64, 0, 0, 64, 3, 2)
    return eh + info + shst + bytes(pad) + sh


def libcmp_key(name):
    """Sort key of ld.so.cache: runs of digits compare as numbers (and rank above other characters)."""
    out, i = [], 0
    while i < len(name):
        j = i
        while j < len(name) and name[j].isdigit():
            j += 1
        if j > i:
            out.append((1, int(name[i:j]), 0))
            i = j
        else:
            out.append((0, 0, ord(name[i])))
            i += 1
    return out


def ldcache(entries):
    """An ld.so.cache of the new format. `entries`: list of (soname, path) in the order of ldconfig's directories, plus
    optionally a third value, the glibc-hwcaps level's name."""
    levels = sorted({e[2] for e in entries if len(e) > 2 and e[2]})
    es = sorted(enumerate(entries), key=lambda t: t[0])
    es.sort(key=lambda t: (t[1][2] if len(t[1]) > 2 and t[1][2] else ''), reverse=True)
    es.sort(key=lambda t: libcmp_key(t[1][0]), reverse=True)
    head, n = 48, len(entries)
    strs, at = bytearray(), {}
    base = head + 24 * n

    def s(x):
        if x not in at:
            at[x] = base + len(strs)
            strs.extend(x.encode() + b'\0')
        return at[x]
    body = bytearray()
    for _, e in es:
        level = e[2] if len(e) > 2 else None
        body += struct.pack('<iIIIQ', 0x303, s(e[0]), s(e[1]), 0, (1 << 62 | levels.index(level)) if level else 0)
    level_offs = [s(x) for x in levels]
    ext_off = base + len(strs)
    ext_off += -ext_off % 4
    ext = b''
    if levels:
        data = b''.join(struct.pack('<I', o) for o in level_offs)
        ext = struct.pack('<II', 0xEAA42174, 1) + struct.pack('<IIII', 1, 0, ext_off + 24, len(data)) + data
    out = b'glibc-ld.so.cache1.1' + struct.pack('<IIBBBBIIII', n, len(strs), 2, 0, 0, 0, ext_off if levels else 0, 0, 0, 0)
    out += bytes(body) + bytes(strs)
    if levels:
        out += bytes(ext_off - len(out)) + ext
    return out
