# SPDX-License-Identifier: Apache-2.0
"""Write small x86-64 shared libraries, byte by byte, so that a layout costs microseconds and any header field can be odd.

Every library exports `who()` (returns its number); a caller also exports `ask(name, flags)`, which calls dlopen itself (no
tail call), so that its own RPATH or RUNPATH is the one that counts. Format: System V gABI and the GNU extensions.
"""
import struct
from dataclasses import dataclass, field

PAGE = 4096
PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_TLS = 1, 2, 4, 7
PT_GNU_STACK, PT_GNU_PROPERTY = 0x6474E551, 0x6474E553
DT = dict(NULL=0, NEEDED=1, PLTRELSZ=2, PLTGOT=3, HASH=4, STRTAB=5, SYMTAB=6, RELA=7, RELASZ=8, RELAENT=9, STRSZ=10,
          SYMENT=11, SONAME=14, RPATH=15, SYMBOLIC=16, PLTREL=20, TEXTREL=22, JMPREL=23, BIND_NOW=24, RUNPATH=29,
          FLAGS=30, GNU_HASH=0x6FFFFEF5, FLAGS_1=0x6FFFFFFB, VERDEF=0x6FFFFFFC, VERDEFNUM=0x6FFFFFFD,
          VERNEED=0x6FFFFFFE, VERNEEDNUM=0x6FFFFFFF, VERSYM=0x6FFFFFF0)
DF_STATIC_TLS = 0x10
DF_1_NOW, DF_1_NODEFLIB, DF_1_NOOPEN, DF_1_PIE = 0x1, 0x800, 0x40, 0x08000000
R_64, R_GLOB_DAT, R_JUMP_SLOT, R_TPOFF64 = 1, 6, 7, 18
STT_NOTYPE, STT_OBJECT, STT_FUNC = 0, 1, 2
STB_GLOBAL, STB_WEAK = 1, 2


@dataclass
class Undef:
    """A symbol the library wants from elsewhere."""
    name: str
    version: str = None     # must be one of the versions in `verneed`
    file: str = None        # which verneed entry; None: the first that lists the version
    data: bool = False      # a data reference (GLOB_DAT); False: a function (JUMP_SLOT)
    weak: bool = False


@dataclass
class Lib:
    soname: str = None
    value: int = 1
    needed: list = field(default_factory=list)
    rpath: str = None
    runpath: str = None
    caller: bool = False
    exports: list = field(default_factory=list)     # "name" or "name@VERSION"
    verdef: list = field(default_factory=list)      # versions it defines
    verneed: dict = field(default_factory=dict)     # file -> versions; "V?" is a weak reference
    undef: list = field(default_factory=list)       # names or Undef
    flags_1: int = 0
    isa: int = 0                # GNU_PROPERTY_X86_ISA_1_NEEDED bits
    execstack: bool = False
    no_stack_note: bool = False  # no PT_GNU_STACK at all
    tls: int = 0                # bytes of initial-exec TLS
    pad: int = 0                # bytes of data behind the dynamic section, to have several pages
    bss: int = 64               # zero-initialised bytes behind the data: the loader clears the rest of the last page
    sysv_hash: bool = False     # DT_HASH instead of DT_GNU_HASH
    e_type: int = 3
    machine: int = 62
    ehdr: dict = field(default_factory=dict)        # byte offset -> byte, patched last
    no_dynamic: bool = False
    no_load: bool = False


class Strtab:
    def __init__(self):
        self.data, self.at = bytearray(b"\0"), {"": 0}

    def add(self, s):
        if s not in self.at:
            self.at[s] = len(self.data)
            self.data += s.encode() + b"\0"
        return self.at[s]


def elf_hash(name):
    h = 0
    for c in name.encode():
        h = (h << 4) + c
        g = h & 0xF0000000
        h = (h ^ (g >> 24)) & ~g & 0xFFFFFFFF
    return h


def gnu_hash(name):
    h = 5381
    for c in name.encode():
        h = (h * 33 + c) & 0xFFFFFFFF
    return h


def gnu_hash_table(names, first):
    """names: defined symbols, sorted by bucket already; first: index of the first of them in the symbol table."""
    nbuckets = buckets_for(len(names))
    bloom, shift = 0, 6
    buckets, chain = [0] * nbuckets, []
    for i, n in enumerate(names):
        h = gnu_hash(n)
        bloom |= (1 << (h % 64)) | (1 << ((h >> shift) % 64))
        b = h % nbuckets
        if not buckets[b]:
            buckets[b] = first + i
        last = i + 1 == len(names) or gnu_hash(names[i + 1]) % nbuckets != b
        chain.append((h & ~1) | last)
    return (struct.pack("<IIIIQ", nbuckets, first, 1, shift, bloom) + struct.pack(f"<{nbuckets}I", *buckets)
            + struct.pack(f"<{len(chain)}I", *chain))


def buckets_for(n):
    return max(1, n // 2)


def sysv_hash_table(names):
    n = len(names)
    chain = [0] * n
    bucket = 0
    for i in range(1, n):
        chain[i], bucket = bucket, i
    return struct.pack("<II", 1, n) + struct.pack("<I", bucket) + struct.pack(f"<{n}I", *chain)


class _Image:
    """Bytes with alignment; file offset equals virtual address throughout."""

    def __init__(self):
        self.b = bytearray()

    def align(self, n):
        self.b += b"\0" * (-len(self.b) % n)
        return len(self.b)

    def put(self, data, n=8):
        off = self.align(n)
        self.b += data
        return off


def _versions(lib, strtab):
    """(verdef bytes, verneed bytes, index by version definition, index by (file, version))"""
    vd, vn, idx_def, idx_need = bytearray(), bytearray(), {}, {}
    n = 1
    if lib.verdef:
        names = [lib.soname or "lib"] + lib.verdef
        for i, v in enumerate(names):
            base = 1 if i == 0 else 0
            idx_def[v] = i + 1
            nxt = 28 if i + 1 < len(names) else 0
            vd += struct.pack("<HHHHIII", 1, base, i + 1, 1, elf_hash(v), 20, nxt)
            vd += struct.pack("<II", strtab.add(v), 0)
        n = len(names)
    items = list(lib.verneed.items())
    for i, (f, vers) in enumerate(items):
        size = 16 + 16 * len(vers)
        vn += struct.pack("<HHIII", 1, len(vers), strtab.add(f), 16, size if i + 1 < len(items) else 0)
        for j, v in enumerate(vers):
            weak, v = v.endswith("?"), v.rstrip("?")
            n += 1
            idx_need[(f, v)] = n
            vn += struct.pack("<IHHII", elf_hash(v), 2 if weak else 0, n, strtab.add(v), 16 if j + 1 < len(vers) else 0)
    return bytes(vd), bytes(vn), idx_def, idx_need


def build(lib):
    """The bytes of the library."""
    strtab = Strtab()
    undef = [u if isinstance(u, Undef) else Undef(u) for u in lib.undef]
    if lib.caller:
        undef.insert(0, Undef("dlopen", data=True))
    exports = [("who", None)] + ([("ask", None)] if lib.caller else [])
    exports += [tuple(e.split("@", 1)) if "@" in e else (e, None) for e in lib.exports]
    nb = buckets_for(len(exports))
    exports.sort(key=lambda e: gnu_hash(e[0]) % nb)
    vd, vn, idx_def, idx_need = _versions(lib, strtab)
    for e, _ in exports:
        strtab.add(e)
    for u in undef:
        strtab.add(u.name)
    dyn_strings = {k: strtab.add(v) for k, v in (("SONAME", lib.soname), ("RPATH", lib.rpath), ("RUNPATH", lib.runpath))
                   if v is not None}
    needed = [strtab.add(n) for n in lib.needed]

    phnum = 4 + bool(lib.tls) + 2 * bool(lib.isa)
    im = _Image()
    im.put(b"\0" * (64 + 56 * phnum))
    note = im.put(_property_note(lib.isa)) if lib.isa else 0
    note_end = len(im.b)
    names = [""] + [u.name for u in undef] + [e for e, _ in exports]
    hash_off = im.put(sysv_hash_table(names) if lib.sysv_hash
                      else gnu_hash_table([e for e, _ in exports], 1 + len(undef)))
    symtab = im.put(b"\0" * 24 * len(names))
    str_off = im.put(bytes(strtab.data), 1)
    versioned = bool(vd or vn)
    versym = [0] + [_undef_version(u, idx_need) for u in undef] + [idx_def.get(v, 1) if v else 1 for _, v in exports]
    versym_off = im.put(struct.pack(f"<{len(names)}H", *versym), 2) if versioned else 0
    vd_off = im.put(vd) if vd else 0
    vn_off = im.put(vn) if vn else 0
    rela_n = sum(u.data for u in undef) + bool(lib.tls)
    jmp_n = sum(not u.data for u in undef)
    rela_off = im.put(b"\0" * 24 * rela_n)
    jmp_off = im.put(b"\0" * 24 * jmp_n)
    text, entry = im.align(16), {}
    for e, _ in exports:
        entry[e] = im.align(16)
        im.b += b"\x48\x83\xec\x08\xff\x15\0\0\0\0\x48\x83\xc4\x08\xc3" if e == "ask" \
            else b"\xb8" + struct.pack("<I", lib.value) + b"\xc3"
    seg1_end = len(im.b)

    data = im.align(PAGE)
    got = im.put(b"\0" * 8 * (3 + len(undef) + bool(lib.tls)))
    slot = [got + 8 * (3 + i) for i in range(len(undef))]
    dyn = _dynamic(lib, dyn_strings, needed, dict(
        hash=hash_off, strtab=str_off, strsz=len(strtab.data), symtab=symtab, versym=versym_off, vd=vd_off,
        n_vd=1 + len(lib.verdef), vn=vn_off, n_vn=len(lib.verneed), rela=rela_off, rela_n=rela_n, jmp=jmp_off,
        jmp_n=jmp_n, got=got))
    dyn_off = im.put(dyn, 16)
    im.put(b"\x5a" * lib.pad, 1)
    seg2_end = len(im.b)

    if lib.caller:
        struct.pack_into("<i", im.b, entry["ask"] + 6, slot[0] - (entry["ask"] + 10))
    for i, u in enumerate(undef):
        info = ((STB_WEAK if u.weak else STB_GLOBAL) << 4) | (STT_NOTYPE if u.data else STT_FUNC)
        struct.pack_into("<IBBHQQ", im.b, symtab + 24 * (1 + i), strtab.add(u.name), info, 0, 0, 0, 0)
    for i, (e, _) in enumerate(exports):
        struct.pack_into("<IBBHQQ", im.b, symtab + 24 * (1 + len(undef) + i), strtab.add(e),
                         (STB_GLOBAL << 4) | STT_FUNC, 0, 1, entry[e], 6)
    r = j = 0
    for i, u in enumerate(undef):
        if u.data:
            struct.pack_into("<QQq", im.b, rela_off + 24 * r, slot[i], ((1 + i) << 32) | R_GLOB_DAT, 0)
            r += 1
        else:
            struct.pack_into("<QQq", im.b, jmp_off + 24 * j, slot[i], ((1 + i) << 32) | R_JUMP_SLOT, 0)
            j += 1
    if lib.tls:
        struct.pack_into("<QQq", im.b, rela_off + 24 * r, got + 8 * (3 + len(undef)), R_TPOFF64, 0)

    load = 0 if lib.no_load else PT_LOAD
    ph = [(load, 5, 0, seg1_end, seg1_end, PAGE), (load, 6, data, seg2_end - data, seg2_end - data + lib.bss, PAGE),
          (0 if lib.no_dynamic else PT_DYNAMIC, 6, dyn_off, len(dyn), len(dyn), 8),
          (0 if lib.no_stack_note else PT_GNU_STACK, 7 if lib.execstack else 6, 0, 0, 0, 16)]
    if lib.tls:
        ph.append((PT_TLS, 4, (seg2_end + 7) & ~7, 0, lib.tls, 8))
    if lib.isa:
        ph += [(PT_NOTE, 4, note, note_end - note, note_end - note, 8),
               (PT_GNU_PROPERTY, 4, note, note_end - note, note_end - note, 8)]
    for i, (t, fl, off, fsz, msz, al) in enumerate(ph):
        struct.pack_into("<IIQQQQQQ", im.b, 64 + 56 * i, t, fl, off, off, off, fsz, msz, al)
    shoff = _sections(im, dyn_off, len(dyn), text, seg1_end, str_off, len(strtab.data))
    im.b[0:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + b"\0" * 9, lib.e_type, lib.machine, 1, 0, 64,
                             shoff, 0, 64, 56, phnum, 64, 5, 3)
    for at, byte in lib.ehdr.items():
        im.b[at] = byte
    return bytes(im.b)


def _undef_version(u, idx_need):
    if not u.version:
        return 1
    if u.file:
        return idx_need[(u.file, u.version)]
    return next(n for (f, v), n in idx_need.items() if v == u.version)


def _property_note(isa):
    desc = struct.pack("<IIII", 0xC0008002, 4, isa, 0)
    return struct.pack("<III4s", 4, len(desc), 5, b"GNU\0") + desc


def _dynamic(lib, strings, needed, at):
    d = [(DT["NEEDED"], n) for n in needed]
    d += [(DT[k], v) for k, v in strings.items()]
    d += [(DT["HASH"] if lib.sysv_hash else DT["GNU_HASH"], at["hash"]), (DT["STRTAB"], at["strtab"]),
          (DT["SYMTAB"], at["symtab"]), (DT["STRSZ"], at["strsz"]), (DT["SYMENT"], 24)]
    if at["rela_n"]:
        d += [(DT["RELA"], at["rela"]), (DT["RELASZ"], 24 * at["rela_n"]), (DT["RELAENT"], 24)]
    if at["jmp_n"]:
        d += [(DT["PLTGOT"], at["got"]), (DT["PLTRELSZ"], 24 * at["jmp_n"]), (DT["PLTREL"], DT["RELA"]),
              (DT["JMPREL"], at["jmp"])]
    if at["versym"]:
        d.append((DT["VERSYM"], at["versym"]))
    if at["vd"]:
        d += [(DT["VERDEF"], at["vd"]), (DT["VERDEFNUM"], at["n_vd"])]
    if at["vn"]:
        d += [(DT["VERNEED"], at["vn"]), (DT["VERNEEDNUM"], at["n_vn"])]
    if lib.tls:
        d.append((DT["FLAGS"], DF_STATIC_TLS))
    if lib.flags_1:
        d.append((DT["FLAGS_1"], lib.flags_1))
    d.append((DT["NULL"], 0))
    return b"".join(struct.pack("<QQ", t, v) for t, v in d)


def _sections(im, dyn_off, dyn_size, text, text_end, str_off, str_size):
    """A short section header table, enough for readelf and for linking against the file."""
    names = b"\0.dynamic\0.text\0.shstrtab\0.dynstr\0"
    strs = im.put(names, 1)
    shoff = im.align(8)
    im.b += b"\0" * 64
    im.b += struct.pack("<IIQQQQIIQQ", 1, 6, 3, dyn_off, dyn_off, dyn_size, 4, 0, 8, 16)
    im.b += struct.pack("<IIQQQQIIQQ", 10, 1, 6, text, text, text_end - text, 0, 0, 16, 0)
    im.b += struct.pack("<IIQQQQIIQQ", 16, 3, 0, 0, strs, len(names), 0, 0, 1, 0)
    im.b += struct.pack("<IIQQQQIIQQ", 26, 3, 2, str_off, str_off, str_size, 0, 0, 1, 0)
    return shoff
