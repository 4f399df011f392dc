# SPDX-License-Identifier: Apache-2.0
"""Layouts composed by chance from the same elements; the seed and the number name each one, so any can be repeated."""
import os
import random

from .elfwriter import DF_1_NODEFLIB, DF_1_NOOPEN, DF_1_PIE, Undef
from .kinds.candidates import LFS, NOBODY

DIRS = [f"d{i}" for i in range(5)]
NAMES = ("libx.so.1", "libd.so.1", "libe.so.1")
NEEDS = {"libx.so.1": ("libd.so.1", "libe.so.1"), "libd.so.1": ("libe.so.1",), "libe.so.1": ()}
STATES = (("absent", 22), ("good", 55), ("link", 5), ("level", 4), ("legacy", 2), ("aarch64", 3), ("elf32", 3), ("dangling", 2),
          ("loop", 1), ("short", 2), ("text", 1), ("directory", 1), ("cut", 1), ("fifo", 0.3),
          ("socket", 1), ("odd-header", 2), ("cut-anywhere", 3), ("zero-tail", 0.7), ("unreadable", 2))
ODD_HEADERS = (dict(e_type=1), dict(e_type=2), dict(flags_1=DF_1_NOOPEN), dict(flags_1=DF_1_PIE), dict(ehdr={7: 9}), dict(ehdr={7: 3}),
               dict(ehdr={6: 2}), dict(ehdr={5: 2}), dict(ehdr={5: 2}, machine=183), dict(no_load=True), dict(no_dynamic=True),
               dict(isa=1), dict(isa=15), dict(isa=31), dict(execstack=True), dict(no_stack_note=True))
LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")


REAL_ROOT = os.geteuid() == 0


def compose(seed, n):
    """n registry entries."""
    out = []
    for i in range(n):
        rng = random.Random(f"{seed}/{i}")
        cached = rng.random() < 0.4
        out.append(("random", f"{seed}-{i}", lambda L, r=rng, c=cached: _fill(L, r, c), ("private",) if cached else ()))
    return out


def _spell(rng, d, origin):
    """One way to write directory `d`; origin: what leads from $ORIGIN to the layout's folder, or None."""
    ways = [f"@/{d}"] * 5 + [f"@/{d}/", f"@/./{d}", f"@/alias/{d}", d, f"./{d}", f"@//{d}"]
    if origin:
        ways += [f"$ORIGIN/{origin}{d}", f"${{ORIGIN}}/{origin}{d}"] * 3
    return rng.choice(ways)


def _list(rng, origin, seps=":"):
    parts = []
    for _ in range(rng.randint(1, 4)):
        p = rng.random()
        parts.append("" if p < 0.06 else "@/absent" if p < 0.12 else "@/$LIB" if p < 0.14 else _spell(rng, rng.choice(DIRS), origin))
    text = parts[0]
    for p in parts[1:]:
        text += rng.choice(seps) + p
    return text


def _tags(rng, origin="../"):
    p = rng.random()
    if p < 0.35:
        return {}
    if p < 0.6:
        return {"rpath": _list(rng, origin)}
    if p < 0.95:
        return {"runpath": _list(rng, origin)}
    return {"rpath": _list(rng, origin), "runpath": _list(rng, origin)}


def _library(rng, name):
    """Keyword arguments for a good library of this name."""
    kw = _tags(rng)
    kw["needed"] = [n for n in NEEDS[name] if rng.random() < 0.5]
    if rng.random() < 0.1:
        kw["soname"] = rng.choice((None, "libother.so.7", "libe.so.1"))
    if rng.random() < 0.5:
        kw["verdef"] = ["V1", "V2"][:rng.randint(1, 2)]
    kw["exports"] = [f"fn_{name[3]}"] if rng.random() < 0.8 else []
    wants = [n for n in kw["needed"] if rng.random() < 0.25]
    if wants:
        kw["verneed"] = {n: [rng.choice(("V1", "V2", "V2?"))] for n in wants}
    if kw["needed"] and rng.random() < 0.3:     # before paths are made of the names
        kw["undef"] = [Undef(f"fn_{rng.choice(kw['needed'])[3]}", data=rng.random() < 0.5)]
    if kw["needed"] and rng.random() < 0.1:
        kw["needed"] = [rng.choice((f"@/{d}/{n}", f"$ORIGIN/../{d}/{n}", f"{d}/{n}", n)) for n in kw["needed"] for d in [rng.choice(DIRS)]]
    if rng.random() < 0.05:
        kw["flags_1"] = DF_1_NODEFLIB
    kw.update(rng.choice(({}, {}, {}, {"sysv_hash": True}, {"tls": rng.choice((16, 600, 5000))}, {"bss": 0}, {"pad": 6000})))
    return kw


def _place(L, rng, d, name):
    state = rng.choices([s for s, _ in STATES], [w for _, w in STATES])[0]
    p, kw = f"{d}/{name}", _library(rng, name)
    if state == "good":
        L.lib(p, **kw)
    elif state == "link":
        L.lib(f"store{rng.randint(0, 9)}{d}/{name}.2.3", **{"soname": name, **kw})
        L.link(p, L.path(_only_store(L, d, name)))
    elif state == "level":
        L.lib(f"{d}/glibc-hwcaps/{rng.choice(LEVELS)}/{name}", **kw)
    elif state == "legacy":
        L.lib(f"{d}/{rng.choice(('tls', 'x86_64', 'haswell', 'tls/x86_64'))}/{name}", **kw)
    elif state in ("aarch64", "elf32"):
        L.lib(p, **({"machine": 183} if state == "aarch64" else {"ehdr": {4: 1}, "machine": 3}))
    elif state == "dangling":
        L.link(p, "@/nowhere")
    elif state == "loop":
        L.link(p, name)
    elif state in ("short", "text"):
        L.raw(p, b"?" if state == "short" else LFS)
    elif state == "directory":
        L.dir_(p)
    elif state == "cut":
        L.raw(p, L.bytes_of(name)[:4096])
    elif state == "fifo":
        L.fifo(p)
    elif state == "socket":
        L.socket(p)
    elif state == "odd-header":
        L.lib(p, **{**kw, **rng.choice(ODD_HEADERS)})
    elif state == "cut-anywhere":
        data = L.bytes_of(name, at=p, **{"soname": name, **kw, "pad": rng.choice((0, 0, 3000, 9000)), "bss": rng.choice((0, 64))})
        L.zeroed.append(L.raw(p, data[:rng.randrange(len(data))]))  # the lost part of a page reads as zero
    elif state == "zero-tail":
        data = L.bytes_of(name, pad=9000)
        L.zeroed.append(L.raw(p, data[:4096] + b"\0" * (len(data) - 4096)))
    elif state == "unreadable":
        L.lib(p, **kw)
        if REAL_ROOT:
            L.user = NOBODY
        L.chmod(p, 0)


def _only_store(L, d, name):
    import glob
    return glob.glob(L.path(f"store?{d}/{name}.2.3"))[0]


def _fill(L, rng, cached):
    for d in DIRS:
        if rng.random() < 0.9:
            L.dir_(d)
            for name in NAMES:
                _place(L, rng, d, name)
    L.link("alias", "@")
    _caller(L, rng)
    if rng.random() < 0.6:
        L.env(LD_LIBRARY_PATH=_list(rng, "../", "::::;"))
    if rng.random() < 0.1:
        name = rng.choice(NAMES)
        L.lib("pre/libpre.so", soname=rng.choice((name, None)), exports=[f"fn_{name[3]}"])
        L.env(LD_PRELOAD="@/pre/libpre.so")
    if cached:
        _cache(L, rng)
    if rng.random() < 0.3:
        L.dir_("d0")
        L.cwd = L.path("d0")


def _caller(L, rng):
    main = {k: v for k, v in _tags(rng).items()} if rng.random() < 0.4 else {}
    if "rpath" in main:
        main.pop("runpath", None)       # the linker writes one of them
    p = rng.random()
    if p < 0.2:
        L.main(**main)
    elif p < 0.4:
        L.lib("o/libouter.so", needed=["libmid.so"], **_with(rng, "@/m"))
        L.lib("m/libmid.so", caller=True, **_tags(rng))
        L.main(needed=["@/o/libouter.so"], **main)
        L.caller_path = L.path("m/libmid.so")
    else:
        L.main(**main)
        L.caller(**_tags(rng))


def _with(rng, first):
    """Tags whose list begins with `first`."""
    return {rng.choice(("rpath", "runpath")): first + ":" + _list(rng, "../")}


def _cache(L, rng):
    entries = []
    for name in NAMES:
        for _ in range(rng.randint(0, 2)):
            d = rng.choice(DIRS)
            if rng.random() < 0.2:
                v = rng.choice(LEVELS)
                p = f"{d}/glibc-hwcaps/{v}/{name}"
                if rng.random() < 0.7:
                    L.lib(p, **_library(rng, name))
                entries.append((name, f"@/{p}", v))
            else:
                entries.append((name, f"@/{d}/{name}"))
    L.cache(*entries, fmt=rng.choice(("new", "new", "new", "compat", "old")))
