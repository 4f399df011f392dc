# SPDX-License-Identifier: Apache-2.0
"""Write ld.so.cache images, so that a layout decides the order and the entries itself.

Formats: glibc sysdeps/generic/dl-cache.h ("new" 1.1 with extensions, "old" ld.so-1.7.0, "compat" both).
"""
import functools
import struct
from dataclasses import dataclass

FLAGS_X86_64 = 0x303


@dataclass
class Entry:
    soname: str
    path: str
    level: str = None           # "x86-64-v3": a glibc-hwcaps entry
    flags: int = FLAGS_X86_64
    hwcap: int = 0              # legacy bits, plain entries only


def libcmp(a, b):
    """The loader's comparison of names: runs of digits compare as numbers."""
    i = j = 0
    while i < len(a):
        if a[i].isdigit():
            if not (j < len(b) and b[j].isdigit()):
                return 1
            x = y = 0
            while i < len(a) and a[i].isdigit():
                x, i = x * 10 + int(a[i]), i + 1
            while j < len(b) and b[j].isdigit():
                y, j = y * 10 + int(b[j]), j + 1
            if x != y:
                return x - y
        elif j < len(b) and b[j].isdigit():
            return -1
        elif j >= len(b):
            return 1
        elif a[i] != b[j]:
            return ord(a[i]) - ord(b[j])
        else:
            i, j = i + 1, j + 1
    return -1 if j < len(b) else 0


def _order(x, y):
    d = libcmp(y.soname, x.soname)
    if d:
        return d
    if x.flags != y.flags:
        return 1 if x.flags < y.flags else -1
    if (x.level is None) != (y.level is None):
        return -1 if x.level else 1
    if x.level and x.level != y.level:
        return -1 if x.level < y.level else 1
    return 0


def build(entries, fmt="new"):
    entries = sorted(entries, key=functools.cmp_to_key(_order))
    if fmt == "new":
        return _new(entries)
    old = _old(entries)
    if fmt == "old":
        return old
    head = _old_table(entries)
    return head + _new(entries, compat_head=head)


def _strings(entries, extra=()):
    data, at = bytearray(), {}
    for s in [s for e in entries for s in (e.soname, e.path)] + list(extra):
        if s not in at:
            at[s] = len(data)
            data += s.encode() + b"\0"
    return bytes(data), at


def _new(entries, compat_head=b""):
    levels = sorted({e.level for e in entries if e.level})
    data, at = _strings(entries, levels)
    base = 48 + 24 * len(entries)
    head_len = len(compat_head)     # offsets of the extension count from the start of the file, those of strings do not
    ext_at = ((base + len(data) + 3) & ~3) + head_len
    body = b""
    for e in entries:
        hw = (1 << 62) | levels.index(e.level) if e.level else e.hwcap
        body += struct.pack("<iIIIQ", e.flags, base + at[e.soname], base + at[e.path], 0, hw)
    ext = b""
    if levels:
        sect = ext_at + 8 + 16
        ext = struct.pack("<II", 0xEAA42174, 1) + struct.pack("<IIII", 1, 0, sect, 4 * len(levels))
        ext += b"".join(struct.pack("<I", base + at[v]) for v in levels)
    head = b"glibc-ld.so.cache1.1" + struct.pack("<IIB3xI12x", len(entries), len(data), 2, ext_at if levels else 0)
    out = head + body + data
    return out + b"\0" * (ext_at - head_len - len(out)) + ext if levels else out


def _old_table(entries):
    """The first part of a "compat" file: its strings are those of the new part, counted from the end of this table."""
    n = 16 + 12 * len(entries)
    pad = -n % 8
    data, at = _strings(entries, sorted({e.level for e in entries if e.level}))
    start = pad + 48 + 24 * len(entries)
    out = b"ld.so-1.7.0\0" + struct.pack("<I", len(entries))
    for e in entries:
        out += struct.pack("<iII", e.flags, start + at[e.soname], start + at[e.path])
    return out + b"\0" * pad


def _old(entries):
    data, at = _strings(entries)
    out = b"ld.so-1.7.0\0" + struct.pack("<I", len(entries))
    for e in entries:
        out += struct.pack("<iII", e.flags, at[e.soname], at[e.path])
    return out + data
