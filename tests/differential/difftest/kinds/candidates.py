# SPDX-License-Identifier: Apache-2.0
"""Each state a candidate can be in, in each place it can be in, with good copies behind it."""
from ..elfwriter import DF_1_NOOPEN, DF_1_PIE, Undef
from ..layout import layout

NOBODY = 65534
LFS = (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a" * 16 + b"\nsize 123456789\n")
EM_386, EM_AARCH64, ELFCLASS32 = 3, 183, 1


def good(L, p, **kw):
    L.lib(p, **kw)


def cut(n, **kw):
    """A library of several pages of which only the first n bytes are there (n < 0: counted from the end)."""
    def fn(L, p):
        data = L.bytes_of("libx.so.1", pad=3 * 4096 + 100, **kw)
        L.raw(p, data[:n])
    return fn


def last_page(extra, **kw):
    """Cut at the last page boundary of the second segment, plus `extra` bytes."""
    def fn(L, p):
        data = L.bytes_of("libx.so.1", pad=3 * 4096 + 100, **kw)
        end = len(data) // 4096 * 4096
        L.raw(p, data[:end + extra])
    return fn


def zeroed(start, stop=None):
    def fn(L, p):
        data = bytearray(L.bytes_of("libx.so.1", pad=3 * 4096 + 100))
        stop_ = len(data) if stop is None else stop
        data[start:stop_] = b"\0" * (stop_ - start)
        L.raw(p, bytes(data))
    return fn


def patched(**kw):
    return lambda L, p: L.lib(p, **kw)


def raw(data):
    return lambda L, p: L.raw(p, data)


def unreadable(L, p):
    L.lib(p)
    L.chmod(p, 0)
    L.user = NOBODY


def unsearchable(L, p):
    L.lib(p)
    L.chmod(p.rsplit("/", 1)[0], 0o600)
    L.user = NOBODY


def loop(L, p):
    L.link(p, p.rsplit("/", 1)[1])


def dep_damaged(L, p):
    L.lib(p, needed=["libdep.so.1"], runpath="@/dep")
    L.raw("dep/libdep.so.1", b"no library at all, but long enough for a header to be looked at: " * 4)


def provider(L, verdef, version="V9"):
    L.lib("dep/libdep.so.1", verdef=verdef, exports=["foo"])
    return dict(needed=["libdep.so.1"], runpath="@/dep", verneed={"libdep.so.1": [version]})


def version_absent(L, p):
    L.lib(p, **provider(L, ["V1"]))


def version_absent_weak(L, p):
    L.lib(p, **provider(L, ["V1"], "V9?"))


def version_absent_used(L, p):
    L.lib(p, undef=[Undef("foo", "V9")], **provider(L, ["V1"]))


def no_verdef_used(L, p):
    L.lib(p, undef=[Undef("foo", "V9")], **provider(L, []))
    L.blame = "dep/libdep.so.1"


def no_verdef_unused(L, p):
    L.lib(p, **provider(L, []))


# name, maker, kind, needs
STATES = [
    ("absent", lambda L, p: L.dir_(p.rsplit("/", 1)[0]), "special-files", ()),
    ("dangling-link", lambda L, p: L.link(p, "@/nowhere/libx.so.1"), "symlinks", ()),
    ("link-to-good", lambda L, p: (L.lib("store/libx.so.1.2.3", soname="libx.so.1"), L.link(p, "@/store/libx.so.1.2.3")), "symlinks", ()),
    ("unreadable", unreadable, "permissions", ("root",)),
    ("directory-not-searchable", unsearchable, "permissions", ("root",)),
    ("link-loop", loop, "symlinks", ()),
    ("socket", lambda L, p: L.socket(p), "special-files", ()),
    ("directory", lambda L, p: L.dir_(p), "special-files", ()),
    ("fifo", lambda L, p: L.fifo(p), "special-files", ()),
    ("dev-null", lambda L, p: L.link(p, "/dev/null"), "special-files", ()),
    ("empty", raw(b""), "damaged", ()),
    ("forty-bytes", cut(40), "damaged", ()),
    ("linker-script", raw(b"INPUT ( -lx )\n"), "damaged", ()),
    ("lfs-pointer", raw(LFS), "damaged", ()),
    ("long-text", raw(b"#!/bin/sh\n" + b"exit 0\n" * 40), "damaged", ()),
    ("all-zeros", raw(b"\0" * 8192), "damaged", ()),
    ("elf32", patched(ehdr={4: ELFCLASS32}, machine=EM_386), "foreign", ()),
    ("elf32-big-endian", patched(ehdr={4: ELFCLASS32, 5: 2}), "foreign", ()),
    ("aarch64", patched(machine=EM_AARCH64), "foreign", ()),
    ("i386-in-64-bit", patched(machine=EM_386), "foreign", ()),
    ("big-endian", patched(ehdr={5: 2}), "foreign", ()),
    ("big-endian-aarch64", patched(ehdr={5: 2}, machine=EM_AARCH64), "foreign", ()),
    ("big-endian-throughout", patched(ehdr={5: 2, 18: 0, 19: 0xB7}), "foreign", ()),
    ("aarch64-ei-version", patched(ehdr={6: 9}, machine=EM_AARCH64), "foreign", ()),
    ("aarch64-osabi", patched(ehdr={7: 9}, machine=EM_AARCH64), "foreign", ()),
    ("aarch64-padding", patched(ehdr={12: 1}, machine=EM_AARCH64), "foreign", ()),
    ("aarch64-e-version", patched(ehdr={20: 9}, machine=EM_AARCH64), "foreign", ()),
    ("aarch64-et-rel", patched(e_type=1, machine=EM_AARCH64), "foreign", ()),
    ("aarch64-bad-magic", patched(ehdr={1: 0x65}, machine=EM_AARCH64), "foreign", ()),
    ("ei-version", patched(ehdr={6: 9}), "foreign", ()),
    ("osabi-gnu", patched(ehdr={7: 3}), "foreign", ()),
    ("osabi-freebsd", patched(ehdr={7: 9}), "foreign", ()),
    ("abi-version", patched(ehdr={8: 77}), "foreign", ()),
    ("ident-padding", patched(ehdr={12: 1}), "foreign", ()),
    ("e-version", patched(ehdr={20: 9}), "foreign", ()),
    ("phentsize", patched(ehdr={54: 55}), "foreign", ()),
    ("et-rel", patched(e_type=1), "foreign", ()),
    ("et-core", patched(e_type=4), "foreign", ()),
    ("et-exec", patched(e_type=2), "foreign", ()),
    ("pie", patched(flags_1=DF_1_PIE), "foreign", ()),
    ("noopen", patched(flags_1=DF_1_NOOPEN), "markers", ()),
    ("header-only", cut(64), "damaged", ()),
    ("phdrs-cut", cut(200), "damaged", ()),
    ("phoff-beyond-end", patched(ehdr={34: 0x7F}), "damaged", ()),
    ("no-segments", patched(no_load=True), "damaged", ()),
    ("no-dynamic", patched(no_dynamic=True), "damaged", ()),
    ("cut-after-headers", cut(600), "damaged", ()),
    ("cut-one-page", cut(4096), "damaged", ()),
    ("cut-half", cut(2 * 4096 + 5), "damaged", ()),
    ("cut-at-last-page", last_page(0), "damaged", ()),
    ("cut-half-nothing-touched", cut(2 * 4096 + 5, bss=0), "damaged", ()),
    ("cut-at-last-page-nothing-touched", last_page(0, bss=0), "damaged", ()),
    ("cut-inside-last-page", last_page(1), "damaged", ()),
    ("cut-section-headers", cut(-200), "damaged", ()),
    ("zero-after-first-page", zeroed(4096), "damaged", ()),
    ("missing-dependency", patched(needed=["libdep.so.1"]), "transitive", ()),
    ("damaged-dependency", dep_damaged, "transitive", ()),
    ("version-absent", version_absent, "versions", ()),
    ("version-absent-weak", version_absent_weak, "versions", ()),
    ("version-absent-used", version_absent_used, "versions", ()),
    ("newer-glibc", patched(needed=["libc.so.6"], verneed={"libc.so.6": ["GLIBC_2.99"]}), "versions", ()),
    ("provider-without-versions", no_verdef_unused, "versions", ()),
    ("provider-without-versions-used", no_verdef_used, "versions", ()),
    ("undefined-function", patched(undef=["no_such_function"]), "symbols", ()),
    ("undefined-data", patched(undef=[Undef("no_such_data", data=True)]), "symbols", ()),
    ("undefined-weak", patched(undef=[Undef("no_such_weak", weak=True, data=True)]), "symbols", ()),
    ("tls-small", patched(tls=64), "symbols", ()),
    ("tls-too-large", patched(tls=1 << 20), "symbols", ()),
    ("soname-differs", patched(soname="libother.so.5"), "loaded", ()),
    ("no-soname", patched(soname=None), "loaded", ()),
    ("executable-stack", patched(execstack=True), "markers", ()),
    ("no-stack-note", patched(no_stack_note=True), "markers", ()),
    ("isa-baseline", patched(isa=1), "markers", ()),
    ("isa-v3", patched(isa=7), "markers", ()),
    ("isa-unknown", patched(isa=16), "markers", ()),
    ("noexec-mount", lambda L, p: (L.lib(p), L.noexec(p.rsplit("/", 1)[0])), "markers", ("private",)),
]


def in_ld_library_path(L, make):
    make(L, "bad/libx.so.1")
    good(L, "good/libx.so.1")
    good(L, "next/libx.so.1")
    L.caller(runpath="@/next")
    L.env(LD_LIBRARY_PATH="@/bad:@/good")


def in_rpath(L, make):
    make(L, "bad/libx.so.1")
    good(L, "good/libx.so.1")
    good(L, "next/libx.so.1")
    L.caller(rpath="@/bad:@/good")
    L.env(LD_LIBRARY_PATH="@/next")


def in_runpath(L, make):
    make(L, "bad/libx.so.1")
    good(L, "good/libx.so.1")
    L.caller(runpath="@/bad:@/good")


def in_cache(L, make):
    make(L, "bad/libx.so.1")
    good(L, "good/libx.so.1")
    L.caller()
    L.cache(("libx.so.1", "@/bad/libx.so.1"), ("libx.so.1", "@/good/libx.so.1"))


def in_cache_default_behind(L, make):
    in_cache(L, make)
    good(L, L.default(0, "libx.so.1"))


def by_path(L, make):
    make(L, "bad/libx.so.1")
    good(L, "good/libx.so.1")
    L.ask = L.path("bad/libx.so.1")
    L.caller(runpath="@/good")


def only_candidate(L, make):
    """Nothing behind it: what is the final text?"""
    make(L, "bad/libx.so.1")
    L.caller(runpath="@/bad")


PLACES = [("ld-library-path", in_ld_library_path, ()), ("rpath", in_rpath, ()), ("runpath", in_runpath, ()),
          ("cache", in_cache_default_behind, ("private", "overlay")), ("path", by_path, ())]
ONLY = ("absent", "unreadable", "link-loop", "socket", "elf32", "aarch64", "elf32-big-endian", "dangling-link",
        "directory-not-searchable")

for state, make, kind, needs in STATES:
    for place, fn, place_needs in PLACES:
        layout(kind, f"{state}-in-{place}", needs + place_needs)(lambda L, fn=fn, make=make: fn(L, make))
    if state in ONLY:
        layout(kind, f"{state}-alone", needs)(lambda L, make=make: only_candidate(L, make))
        layout(kind, f"{state}-in-cache-alone", needs + ("private",))(lambda L, make=make: in_cache(L, make))
