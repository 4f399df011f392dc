# SPDX-License-Identifier: Apache-2.0
"""ld.so.cache, preloads, and folders laid out as conda, pip and system packages lay them out."""
import subprocess

from .. import ldcache, namespace
from ..layout import layout

PRIVATE = ("private",)


def cached(name, needs=()):
    return layout("cache", name, PRIVATE + tuple(needs))


def lib(L, *paths, **kw):
    for p in paths:
        L.lib(p, **kw)


@cached("plain-entry")
def _plain(L):
    lib(L, "k/libx.so.1")
    L.cache(("libx.so.1", "@/k/libx.so.1"))


@cached("first-of-two-entries")
def _first(L):
    lib(L, "k1/libx.so.1", "k2/libx.so.1")
    L.cache(("libx.so.1", "@/k1/libx.so.1"), ("libx.so.1", "@/k2/libx.so.1"))


@cached("vanished-first-entry-hides-the-second")
def _vanished(L):
    lib(L, "k2/libx.so.1")
    L.cache(("libx.so.1", "@/k1/libx.so.1"), ("libx.so.1", "@/k2/libx.so.1"))


@cached("vanished-entry-then-default-directory", ["overlay"])
def _vanished_default(L):
    lib(L, "k2/libx.so.1", L.default(0, "libx.so.1"))
    L.cache(("libx.so.1", "@/k1/libx.so.1"), ("libx.so.1", "@/k2/libx.so.1"))


@cached("neighbouring-names")
def _neighbours(L):
    lib(L, "k/libx.so.1", "k/libx.so.10", "k/libx.so.2", "k/libw.so.1")
    L.cache(*[(n, "@/k/" + n) for n in ("libx.so.1", "libx.so.10", "libx.so.2", "libw.so.1", "liby.so")])


@cached("not-there-among-many")
def _many(L):
    L.cache(*[(f"lib{c}{n}.so.{n}", f"/nowhere/lib{c}{n}.so.{n}") for n in range(40) for c in "axyz"])


@cached("there-among-many")
def _there(L):
    lib(L, "k/libx.so.1")
    L.cache(("libx.so.1", "@/k/libx.so.1"),
            *[(f"lib{c}{n}.so.{n}", f"/nowhere/lib{c}{n}.so.{n}") for n in range(40) for c in "axyz"])


@cached("leading-zeros-in-a-number")
def _zeros(L):
    lib(L, "k/libx.so.1", "z/libx.so.01")
    L.cache(("libx.so.1", "@/k/libx.so.1"), ("libx.so.01", "@/z/libx.so.01"))
    L.ask = "libx.so.01"


@cached("entry-of-another-flags-value")
def _flags(L):
    lib(L, "k/libx.so.1", "j/libx.so.1")
    L.cache()
    L.cache_raw = ldcache.build([ldcache.Entry("libx.so.1", L.path("j/libx.so.1"), flags=3),
                                 ldcache.Entry("libx.so.1", L.path("k/libx.so.1"))])


@cached("only-32-bit-entries")
def _only32(L):
    lib(L, "j/libx.so.1")
    L.cache()
    L.cache_raw = ldcache.build([ldcache.Entry("libx.so.1", L.path("j/libx.so.1"), flags=3),
                                 ldcache.Entry("libx.so.1", L.path("j/libx.so.1"), flags=1)])


@cached("entry-with-legacy-hwcap-bits")
def _hwcap(L):
    lib(L, "j/libx.so.1", "k/libx.so.1")
    L.cache()
    L.cache_raw = ldcache.build([ldcache.Entry("libx.so.1", L.path("j/libx.so.1"), hwcap=1 << 45),
                                 ldcache.Entry("libx.so.1", L.path("k/libx.so.1"))])


for _fmt in ("compat", "old"):
    @cached(f"format-{_fmt}")
    def _format(L, fmt=_fmt):
        lib(L, "k/libx.so.1")
        L.cache(("libx.so.1", "@/k/libx.so.1"), ("libw.so.1", "/nowhere/w"), ("libz9.so.1", "/nowhere/z"), fmt=fmt)

    @cached(f"format-{_fmt}-not-listed")
    def _format_not(L, fmt=_fmt):
        lib(L, "k/libx.so.1")
        L.cache(("libw.so.1", "/nowhere/w"), ("libz9.so.1", "/nowhere/z"), fmt=fmt)

for _name, _raw in (("empty", b""), ("garbage", b"\x01garbage" * 99), ("only-the-magic", b"glibc-ld.so.cache1.1"),
                    ("old-magic-alone", b"ld.so-1.7.0\0" + b"\0" * 4), ("text", b"/usr/lib/libx.so.1\n" * 40)):
    @cached(f"file-{_name}", ["overlay"])
    def _raw_cache(L, raw=_raw):
        lib(L, L.default(0, "libx.so.1"))
        L.cache_raw = raw


@cached("cut-in-the-middle", ["overlay"])
def _cut(L):
    lib(L, "k/libx.so.1", L.default(0, "libx.so.1"))
    L.cache(("libx.so.1", "@/k/libx.so.1"), *[(f"liba{n}.so", "/nowhere/a") for n in range(30)])
    L.cache_raw = L.cache_raw[:200]


@cached("soname-entry-of-another-file-name")
def _soname(L):
    L.lib("k/libx-real.so", soname="libx.so.1")
    L.cache(("libx.so.1", "@/k/libx-real.so"))


@cached("entry-is-a-dangling-link")
def _dangling(L):
    L.link("k/libx.so.1", "libx.so.1.2.3")
    L.cache(("libx.so.1", "@/k/libx.so.1"))


@cached("for-a-dependency")
def _dep(L):
    lib(L, "k/libdep.so.1")
    L.lib("a/libx.so.1", needed=["libdep.so.1"])
    L.caller(runpath="@/a")
    L.cache(("libdep.so.1", "@/k/libdep.so.1"))


@cached("not-for-names-with-a-slash")
def _slash(L):
    lib(L, "k/libx.so.1")
    L.cwd = L.dir
    L.ask = "./libx.so.1"
    L.cache(("./libx.so.1", "@/k/libx.so.1"))


def _ldconfig(L, fmt):
    L.lib("k1/libx.so.1.2.3", soname="libx.so.1")
    L.lib("k2/libx.so.1.9", soname="libx.so.1")
    L.lib("k1/glibc-hwcaps/x86-64-v3/libx.so.1.2.3", soname="libx.so.1")
    L.lib("k1/glibc-hwcaps/x86-64-v2/libx.so.1.2.3", soname="libx.so.1")
    L.raw("conf", L.t("@/k2\n@/k1\n").encode())
    L.dir_("aux")
    with namespace.Bind(L.path("aux"), "/var/cache/ldconfig"):
        subprocess.run(["/sbin/ldconfig", "-c", fmt, "-f", L.path("conf"), "-C", L.path("made")], check=True, capture_output=True)
    with open(L.path("made"), "rb") as f:
        L.cache_raw = f.read()


for _fmt in ("new", "compat", "old"):
    cached(f"made-by-ldconfig-{_fmt}")(lambda L, fmt=_fmt: _ldconfig(L, fmt))


def level(L, name, *levels):
    """Entries of these levels (None: plain), each with a file."""
    entries = []
    for v in levels:
        p = f"k/glibc-hwcaps/{v}/{name}" if v else f"k/{name}"
        L.lib(p)
        entries.append((name, "@/" + p, v) if v else (name, "@/" + p))
    return entries


for _i, _levels in enumerate((("x86-64-v2", None), ("x86-64-v3", "x86-64-v2", None), ("x86-64-v4", "x86-64-v3", "x86-64-v2", None),
                              ("x86-64-v4",), ("x86-64-v9", None), ("x86-64-v9", "x86-64-v2"))):
    @layout("hwcaps", f"cache-levels-{_i}", PRIVATE)
    def _levels_layout(L, levels=_levels):
        L.cache(*level(L, "libx.so.1", *levels))


@layout("hwcaps", "cache-vanished-level-hides-the-plain-file", PRIVATE)
def _vanished_level(L):
    entries = level(L, "libx.so.1", None)
    L.cache(("libx.so.1", "@/k/glibc-hwcaps/x86-64-v3/libx.so.1", "x86-64-v3"), *entries)


@layout("hwcaps", "cache-vanished-level-then-default", PRIVATE + ("overlay",))
def _vanished_level_default(L):
    entries = level(L, "libx.so.1", "x86-64-v2", None)
    lib(L, L.default(2, "libx.so.1"))
    L.cache(("libx.so.1", "@/gone/libx.so.1", "x86-64-v3"), *entries)


@layout("hwcaps", "cache-level-of-another-name", PRIVATE)
def _level_other(L):
    L.cache(*level(L, "liby.so.1", "x86-64-v3", None), *level(L, "libx.so.1", None))


# --- preload

def pre(name, needs=()):
    return layout("preload", name, needs)


@pre("satisfies-by-soname")
def _pre(L):
    lib(L, "p/libx.so.1", "l/libx.so.1")
    L.env(LD_PRELOAD="@/p/libx.so.1", LD_LIBRARY_PATH="@/l")
    L.caller()


@pre("without-soname-satisfies-nothing")
def _pre_none(L):
    L.lib("p/libx.so.1", soname=None)
    lib(L, "l/libx.so.1")
    L.env(LD_PRELOAD="@/p/libx.so.1", LD_LIBRARY_PATH="@/l")


@pre("by-name-found-through-ld-library-path")
def _pre_name(L):
    L.lib("l/libpre.so", soname="libx.so.1")
    lib(L, "l/libx.so.1")
    L.env(LD_PRELOAD="libpre.so", LD_LIBRARY_PATH="@/l")


@pre("several-separated-by-colon-and-space")
def _pre_many(L):
    lib(L, "p/liba.so", "p/libb.so", "p/libx.so.1")
    L.env(LD_PRELOAD="@/p/liba.so:@/p/libb.so @/p/libx.so.1")


@pre("missing-entry-is-ignored")
def _pre_missing(L):
    lib(L, "p/libx.so.1")
    L.env(LD_PRELOAD="@/p/gone.so @/p/libx.so.1")


@pre("foreign-entry-is-ignored")
def _pre_foreign(L):
    lib(L, "p/libx.so.1")
    L.lib("p/libarm.so", machine=183)
    L.env(LD_PRELOAD="@/p/libarm.so:@/p/libx.so.1")


@pre("text-file-is-ignored")
def _pre_text(L):
    lib(L, "p/libx.so.1")
    L.raw("p/text.so", b"hello")
    L.env(LD_PRELOAD="@/p/text.so:@/p/libx.so.1")


@pre("first-of-two-with-one-soname")
def _pre_two(L):
    L.lib("p/liba.so", soname="libx.so.1")
    L.lib("p/libb.so", soname="libx.so.1")
    L.env(LD_PRELOAD="@/p/liba.so @/p/libb.so")


@pre("brings-a-dependency")
def _pre_dep(L):
    L.lib("p/libpre.so", runpath="$ORIGIN", needed=["libx.so.1"])
    lib(L, "p/libx.so.1", "l/libx.so.1")
    L.caller(rpath="@/l")
    L.env(LD_PRELOAD="@/p/libpre.so")


@pre("before-the-programs-needed")
def _pre_before(L):
    lib(L, "p/libx.so.1", "r/libx.so.1")
    L.main(rpath="@/r", needed=["libx.so.1"])
    L.env(LD_PRELOAD="@/p/libx.so.1")


@pre("origin-in-the-entry")
def _pre_origin(L):
    lib(L, "p/libx.so.1")
    L.main("bin/main")
    L.env(LD_PRELOAD="$ORIGIN/../p/libx.so.1")
    L.raw("p/readme", b"the tool is started from elsewhere: its own $ORIGIN finds nothing and ignores the entry")


@pre("empty-value")
def _pre_empty(L):
    lib(L, "l/libx.so.1")
    L.env(LD_PRELOAD="", LD_LIBRARY_PATH="@/l")


@pre("relative-entry")
def _pre_relative(L):
    lib(L, "cwd/p/libx.so.1")
    L.cwd = L.path("cwd")
    L.env(LD_PRELOAD="p/libx.so.1")


@pre("gives-symbols-to-a-later-library")
def _pre_symbols(L):
    L.lib("p/libpre.so", exports=["foo"])
    L.lib("a/libx.so.1", undef=["foo"])
    L.caller(runpath="@/a")
    L.env(LD_PRELOAD="@/p/libpre.so")


@pre("with-a-runpath-that-is-its-own")
def _pre_runpath(L):
    L.lib("p/libpre.so", runpath="@/n")
    lib(L, "n/libx.so.1")
    L.caller()
    L.env(LD_PRELOAD="@/p/libpre.so")


@pre("file-in-etc", PRIVATE)
def _pre_file(L):
    lib(L, "p/libx.so.1", "l/libx.so.1")
    L.preload_file("@/p/libx.so.1\n")
    L.env(LD_LIBRARY_PATH="@/l")


@pre("file-in-etc-several-with-comment-and-tabs", PRIVATE)
def _pre_file_many(L):
    lib(L, "p/liba.so", "p/libx.so.1")
    L.preload_file("# nothing here\n@/p/liba.so\t@/p/gone.so # also nothing\n\n@/p/libx.so.1")


@pre("file-in-etc-after-the-variable", PRIVATE)
def _pre_both(L):
    L.lib("p/liba.so", soname="libx.so.1")
    L.lib("p/libb.so", soname="libx.so.1")
    L.preload_file("@/p/libb.so:")
    L.env(LD_PRELOAD="@/p/liba.so")


@pre("file-in-etc-colons", PRIVATE)
def _pre_file_colon(L):
    lib(L, "p/liba.so", "p/libx.so.1")
    L.preload_file("@/p/liba.so:@/p/libx.so.1\n")


# --- conda, pip and system packages

def conda(L, rpath="$ORIGIN/../lib", **kw):
    """<prefix>/bin/python with RPATH or RUNPATH to ../lib, as conda patches it."""
    L.main("env/bin/python3.11", rpath=rpath, **kw)
    L.link("env/bin/python", "python3.11")
    L.program = L.path("env/bin/python")


@layout("conda")
def program_rpath_serves_an_extension_without_tags(L):
    conda(L)
    lib(L, "env/lib/libx.so.1", "l/libx.so.1")
    L.caller("env/lib/python3.11/lib-dynload/ext.so")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("conda")
def program_rpath_does_not_serve_an_extension_with_runpath(L):
    conda(L)
    lib(L, "env/lib/libx.so.1")
    L.caller("env/lib/python3.11/site-packages/tf/libframework.so", runpath="$ORIGIN")


@layout("conda")
def extension_with_rpath_to_the_prefix(L):
    conda(L)
    lib(L, "env/lib/libx.so.1", "l/libx.so.1")
    L.caller("env/lib/python3.11/site-packages/tf/_ext.so", rpath="$ORIGIN/../../..")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("conda")
def wheel_runpath_into_the_nvidia_folders(L):
    conda(L)
    sp = "env/lib/python3.11/site-packages"
    lib(L, f"{sp}/nvidia/cublas/lib/libx.so.1", "env/lib/libx.so.1")
    L.caller(f"{sp}/tf/libframework.so.2", runpath="$ORIGIN/../nvidia/cudnn/lib:$ORIGIN/../nvidia/cublas/lib")


@layout("conda")
def pip_package_without_a_runpath_entry_is_unreachable(L):
    conda(L)
    sp = "env/lib/python3.11/site-packages"
    lib(L, f"{sp}/nvidia/cusolver/lib/libx.so.1")
    L.caller(f"{sp}/tf/libframework.so.2", runpath="$ORIGIN/../nvidia/cudnn/lib:$ORIGIN/../nvidia/cublas/lib")


@layout("conda")
def found_library_with_rpath_origin_prefers_neighbours(L):
    conda(L)
    sp = "env/lib/python3.11/site-packages/nvidia/cudnn/lib"
    L.lib(f"{sp}/libx.so.1", rpath="$ORIGIN", needed=["libx_graph.so.1"])
    lib(L, f"{sp}/libx_graph.so.1", "l/libx_graph.so.1")
    L.caller("env/lib/python3.11/site-packages/tf/libframework.so.2", runpath="$ORIGIN/../nvidia/cudnn/lib")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("conda")
def found_library_with_runpath_origin_takes_ld_library_path(L):
    conda(L)
    sp = "env/lib/python3.11/site-packages/nvidia/cudnn/lib"
    L.lib(f"{sp}/libx.so.1", runpath="$ORIGIN", needed=["libx_graph.so.1"])
    lib(L, f"{sp}/libx_graph.so.1", "l/libx_graph.so.1")
    L.caller("env/lib/python3.11/site-packages/tf/libframework.so.2", runpath="$ORIGIN/../nvidia/cudnn/lib")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("conda")
def sibling_package_through_origin_dot_dot(L):
    conda(L)
    sp = "env/lib/python3.11/site-packages/nvidia"
    L.lib(f"{sp}/cusolver/lib/libx.so.1", runpath="$ORIGIN:$ORIGIN/../../cusparse/lib:$ORIGIN/../../nvjitlink/lib",
          needed=["libsparse.so.12", "libjit.so.12"])
    L.lib(f"{sp}/cusparse/lib/libsparse.so.12", runpath="$ORIGIN:$ORIGIN/../../nvjitlink/lib", needed=["libjit.so.12"])
    lib(L, f"{sp}/nvjitlink/lib/libjit.so.12")
    L.caller("env/lib/python3.11/site-packages/tf/libframework.so.2", runpath="$ORIGIN/../nvidia/cusolver/lib")


@layout("conda")
def sibling_package_missing(L):
    conda(L)
    sp = "env/lib/python3.11/site-packages/nvidia"
    L.lib(f"{sp}/cusolver/lib/libx.so.1", runpath="$ORIGIN:$ORIGIN/../../cusparse/lib:$ORIGIN/../../nvjitlink/lib",
          needed=["libsparse.so.12"])
    L.lib(f"{sp}/cusparse/lib/libsparse.so.12", runpath="$ORIGIN:$ORIGIN/../../nvjitlink/lib", needed=["libjit.so.12"])
    L.caller("env/lib/python3.11/site-packages/tf/libframework.so.2", runpath="$ORIGIN/../nvidia/cusolver/lib")


@layout("conda")
def environment_reached_through_a_symlink(L):
    conda(L)
    L.link("home/env", "@/env")
    L.program = L.path("home/env/bin/python")
    lib(L, "env/lib/libx.so.1")
    L.caller("env/lib/ext.so")
    L.caller_path = L.path("home/env/lib/ext.so")


@layout("conda")
def dlopen_path_with_dot_dot_through_a_package(L):
    conda(L)
    sp = "env/lib/python3.11/site-packages"
    L.caller(f"{sp}/tensorflow/libframework.so.2", runpath="$ORIGIN/../nvidia/cudnn/lib")
    lib(L, f"{sp}/nvidia/cudnn/lib/libx.so.1")
    L.dir_(f"{sp}/tensorflow/python/platform")
    L.caller_path = L.path(f"{sp}/tensorflow/python/platform/../../libframework.so.2")


@layout("conda")
def runpath_that_ends_in_a_colon_reads_the_current_directory(L):
    conda(L)
    L.caller("env/lib/ext.so", runpath="$ORIGIN/../nvidia/lib:")
    lib(L, "project/libx.so.1")
    L.cwd = L.path("project")


@layout("conda")
def base_environments_library_through_ld_library_path(L):
    conda(L)
    lib(L, "base/lib/libx.so.1", "env/lib/libx.so.1")
    L.caller("env/lib/ext.so", runpath="$ORIGIN")
    L.env(LD_LIBRARY_PATH="@/base/lib")


@layout("conda", "toolkit-in-the-cache-wins-over-nothing", PRIVATE)
def _toolkit(L):
    conda(L)
    lib(L, "cuda/lib64/libx.so.1")
    L.caller("env/lib/ext.so", runpath="$ORIGIN/../nvidia/lib")
    L.cache(("libx.so.1", "@/cuda/lib64/libx.so.1"))


@layout("conda", "toolkit-under-the-same-soname-satisfies-a-dependency", PRIVATE)
def _toolkit_dep(L):
    conda(L)
    L.lib("env/nvidia/lib/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    lib(L, "cuda/lib64/libdep.so.1")
    L.caller("env/lib/ext.so", runpath="$ORIGIN/../nvidia/lib")
    L.cache(("libdep.so.1", "@/cuda/lib64/libdep.so.1"))
