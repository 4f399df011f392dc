# SPDX-License-Identifier: Apache-2.0
"""Where a name is looked for, and in which order: RPATH, LD_LIBRARY_PATH, RUNPATH, cache, default directories."""
from ..elfwriter import DF_1_NODEFLIB
from ..layout import layout


def copies(L, *dirs):
    for d in dirs:
        L.lib(f"{d}/libx.so.1")


# --- RPATH

@layout("rpath")
def rpath_of_the_caller_beats_ld_library_path(L):
    copies(L, "r", "l")
    L.caller(rpath="@/r")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("rpath")
def rpath_of_the_program_serves_a_dlopened_caller(L):
    copies(L, "r", "l")
    L.main(rpath="@/r")
    L.caller()
    L.env(LD_LIBRARY_PATH="@/l")


@layout("rpath")
def rpath_of_the_program_when_it_asks_itself(L):
    copies(L, "r", "l")
    L.main(rpath="@/r")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("rpath")
def rpath_chain_is_off_when_the_caller_has_runpath(L):
    copies(L, "r")
    L.main(rpath="@/r")
    L.caller(runpath="@/elsewhere")


@layout("rpath")
def rpath_chain_through_dt_needed(L):
    copies(L, "r", "l")
    L.lib("o/libouter.so", rpath="@/m:@/r", needed=["libmid.so"])
    L.lib("m/libmid.so", caller=True)
    L.main(needed=["@/o/libouter.so"])
    L.caller_path = L.path("m/libmid.so")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("rpath")
def rpath_chain_through_dt_needed_of_a_dlopened_outer(L):
    copies(L, "r")
    L.lib("o/libouter.so", rpath="@/m:@/r", needed=["libmid.so"])
    L.lib("m/libmid.so", caller=True)
    L.lib("r/libx.so.1", needed=["libdep.so.1"])
    L.lib("r/libdep.so.1")
    L.ask = L.path("o/libouter.so")


@layout("rpath")
def rpath_chain_three_deep(L):
    copies(L, "r3", "r2", "l")
    L.lib("a/liba.so", rpath="@/b:@/r3", needed=["libb.so"])
    L.lib("b/libb.so", rpath="@/c", needed=["libc3.so"])
    L.lib("c/libc3.so", caller=True)
    L.main(needed=["@/a/liba.so"])
    L.caller_path = L.path("c/libc3.so")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("rpath")
def rpath_chain_link_with_runpath_does_not_count(L):
    copies(L, "r")
    L.lib("o/libouter.so", runpath="@/m:@/r", needed=["libmid.so"])
    L.lib("m/libmid.so", caller=True)
    L.main(needed=["@/o/libouter.so"])
    L.caller_path = L.path("m/libmid.so")


@layout("rpath")
def rpath_of_the_opener_is_not_consulted(L):
    L.lib("r/libx.so.1", needed=["libdep.so.1"])
    L.lib("r2/libdep.so.1")
    L.caller(rpath="@/r:@/r2")
    L.ask = L.path("r/libx.so.1")


@layout("rpath")
def rpath_own_before_the_loaders(L):
    copies(L, "own", "outer")
    L.lib("o/libouter.so", rpath="@/m:@/outer", needed=["libmid.so"])
    L.lib("m/libmid.so", rpath="@/own", caller=True)
    L.main(needed=["@/o/libouter.so"])
    L.caller_path = L.path("m/libmid.so")


@layout("rpath")
def rpath_both_tags_count_as_runpath(L):
    copies(L, "r", "l", "n")
    L.caller(rpath="@/r", runpath="@/n")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("rpath")
def rpath_both_tags_rpath_is_nothing(L):
    copies(L, "r")
    L.caller(rpath="@/r", runpath="@/n")


@layout("rpath")
def rpath_both_tags_in_the_loader_of_the_asker(L):
    copies(L, "r")
    L.lib("o/libouter.so", rpath="@/r:@/m", runpath="@/m", needed=["libmid.so"])
    L.lib("m/libmid.so", caller=True)
    L.main(needed=["@/o/libouter.so"])
    L.caller_path = L.path("m/libmid.so")


@layout("rpath")
def rpath_of_a_dependency_finds_its_neighbours(L):
    L.lib("n/libx.so.1", rpath="$ORIGIN", needed=["libdep.so.1"])
    L.lib("n/libdep.so.1", rpath="$ORIGIN", needed=["libdep2.so.1"])
    L.lib("n/libdep2.so.1")
    L.lib("l/libdep.so.1")
    L.caller(runpath="@/n")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("rpath")
def rpath_program_by_the_linker_with_a_needed(L):
    copies(L, "r")
    L.main(rpath="$ORIGIN/../r", needed=["libx.so.1"])


# --- RUNPATH

@layout("runpath")
def runpath_loses_to_ld_library_path(L):
    copies(L, "n", "l")
    L.caller(runpath="@/n")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("runpath")
def runpath_of_the_caller(L):
    copies(L, "n")
    L.caller(runpath="@/n")


@layout("runpath")
def runpath_of_the_program_is_not_for_the_caller(L):
    copies(L, "n")
    L.main(runpath="@/n")
    L.caller()


@layout("runpath")
def runpath_of_the_program_when_it_asks_itself(L):
    copies(L, "n")
    L.main(runpath="@/n")


@layout("runpath")
def runpath_is_not_for_dependencies(L):
    L.lib("n/libx.so.1", needed=["libdep.so.1"])
    L.lib("n/libdep.so.1")
    L.caller(runpath="@/n")


@layout("runpath")
def runpath_of_the_dependency_itself(L):
    L.lib("n/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.lib("n/libdep.so.1")
    L.caller(runpath="@/n")


@layout("runpath", "runpath-before-the-cache", ("private",))
def _runpath_before_the_cache(L):
    copies(L, "n", "k")
    L.caller(runpath="@/n")
    L.cache(("libx.so.1", "@/k/libx.so.1"))


@layout("runpath", "runpath-empty-of-it-then-the-cache", ("private",))
def _runpath_then_cache(L):
    copies(L, "k")
    L.caller(runpath="@/n")
    L.cache(("libx.so.1", "@/k/libx.so.1"))


@layout("runpath", "runpath-before-default", ("overlay",))
def _runpath_before_default(L):
    copies(L, "n")
    L.lib(L.default(1, "libx.so.1"))
    L.caller(runpath="@/n")


@layout("runpath")
def runpath_second_element(L):
    copies(L, "n2", "n3")
    L.dir_("n1")
    L.caller(runpath="@/n1:@/absent:@/n2:@/n3")


@layout("runpath")
def runpath_of_an_unrelated_loaded_library(L):
    copies(L, "n")
    L.lib("o/libother.so", runpath="@/n")
    L.main(needed=["@/o/libother.so"])
    L.caller()


@layout("runpath")
def runpath_first_finder_satisfies_the_second(L):
    L.lib("x/libx.so.1", runpath="$ORIGIN/../p:$ORIGIN/../q", needed=["liba.so", "libb.so"])
    L.lib("p/liba.so", runpath="@/one", needed=["libshared.so.1"])
    L.lib("q/libb.so", runpath="@/two", needed=["libshared.so.1"])
    L.lib("one/libshared.so.1")
    L.lib("two/libshared.so.1")
    L.caller(runpath="@/x")


# --- LD_LIBRARY_PATH

@layout("ld-library-path")
def first_directory_wins(L):
    copies(L, "a", "b")
    L.env(LD_LIBRARY_PATH="@/a:@/b")


@layout("ld-library-path")
def second_directory(L):
    copies(L, "b")
    L.dir_("a")
    L.env(LD_LIBRARY_PATH="@/a:@/b")


@layout("ld-library-path")
def nowhere(L):
    L.dir_("a")
    L.env(LD_LIBRARY_PATH="@/a:@/b")


@layout("ld-library-path")
def empty_is_nothing(L):
    copies(L, ".")
    L.env(LD_LIBRARY_PATH="")


@layout("ld-library-path")
def a_file_as_element(L):
    copies(L, "b")
    L.raw("a", b"file")
    L.env(LD_LIBRARY_PATH="@/a:@/b")


@layout("ld-library-path")
def a_very_long_element(L):
    copies(L, "b")
    L.env(LD_LIBRARY_PATH="@/" + "n" * 300 + ":@/b")


@layout("ld-library-path")
def a_path_beyond_the_limit(L):
    copies(L, "b")
    L.env(LD_LIBRARY_PATH="@" + "/nnnnnnnnn" * 500 + ":@/b")


@layout("ld-library-path")
def many_elements(L):
    copies(L, "b")
    L.env(LD_LIBRARY_PATH=":".join(f"@/d{i}" for i in range(200)) + ":@/b")


@layout("ld-library-path")
def serves_dependencies_too(L):
    L.lib("a/libx.so.1", needed=["libdep.so.1"])
    L.lib("b/libdep.so.1")
    L.env(LD_LIBRARY_PATH="@/a:@/b")


@layout("ld-library-path")
def for_the_program_and_for_the_caller(L):
    copies(L, "a")
    L.caller()
    L.env(LD_LIBRARY_PATH="@/a")


@layout("ld-library-path")
def another_soname_of_the_same_stem(L):
    L.lib("a/libx.so.2")
    L.lib("a/libx.so")
    L.env(LD_LIBRARY_PATH="@/a")


@layout("ld-library-path", "before-the-cache", ("private",))
def _llp_before_cache(L):
    copies(L, "a", "k")
    L.env(LD_LIBRARY_PATH="@/a")
    L.cache(("libx.so.1", "@/k/libx.so.1"))


# --- default directories and NODEFLIB

for _n in range(4):
    @layout("default-dirs", f"default-directory-{_n}", ("overlay",))
    def _default(L, n=_n):
        L.lib(L.default(n, "libx.so.1"))
        L.caller()


@layout("default-dirs", "first-default-directory-wins", ("overlay",))
def _default_order(L):
    L.lib(L.default(0, "libx.so.1"))
    L.lib(L.default(2, "libx.so.1"))


@layout("default-dirs", "cache-before-default", ("overlay", "private"))
def _cache_before_default(L):
    copies(L, "k")
    L.lib(L.default(0, "libx.so.1"))
    L.cache(("libx.so.1", "@/k/libx.so.1"))


@layout("default-dirs", "no-cache-file", ("overlay", "private"))
def _no_cache(L):
    L.lib(L.default(0, "libx.so.1"))
    L.preload_file("\n")


@layout("default-dirs", "hwcaps-below-a-default-directory", ("overlay",))
def _default_hwcaps(L):
    L.lib(L.default(0, "libx.so.1"))
    L.lib(L.default(1, "glibc-hwcaps/x86-64-v2/libx.so.1"))


@layout("nodeflib", "no-default-directories", ("overlay",))
def _nodeflib_default(L):
    L.lib(L.default(0, "libx.so.1"))
    L.caller(flags_1=DF_1_NODEFLIB)


@layout("nodeflib", "cache-entry-in-a-default-directory-is-ignored", ("overlay", "private"))
def _nodeflib_cache_default(L):
    L.lib(L.default(1, "libx.so.1"))
    L.caller(flags_1=DF_1_NODEFLIB)
    L.cache(("libx.so.1", L.default(1, "libx.so.1")))


@layout("nodeflib", "cache-entry-elsewhere-is-used", ("private",))
def _nodeflib_cache(L):
    copies(L, "k")
    L.caller(flags_1=DF_1_NODEFLIB)
    L.cache(("libx.so.1", "@/k/libx.so.1"))


@layout("nodeflib", "the-flag-of-the-asker-counts", ("overlay",))
def _nodeflib_dep(L):
    L.lib("n/libx.so.1", needed=["libdep.so.1"])
    L.lib(L.default(0, "libdep.so.1"))
    L.caller(flags_1=DF_1_NODEFLIB, runpath="@/n")


@layout("nodeflib", "a-dependency-with-the-flag", ("overlay",))
def _nodeflib_dep2(L):
    L.lib("n/libx.so.1", needed=["libdep.so.1"], flags_1=DF_1_NODEFLIB)
    L.lib(L.default(0, "libdep.so.1"))
    L.caller(runpath="@/n")


@layout("nodeflib")
def libc_is_matched_as_loaded(L):
    L.ask = "libc.so.6"
    L.caller(flags_1=DF_1_NODEFLIB)


@layout("nodeflib")
def libm_is_not_found(L):
    L.ask = "libm.so.6"
    L.caller(flags_1=DF_1_NODEFLIB)


@layout("nodeflib")
def libm_is_found_without_the_flag(L):
    L.ask = "libm.so.6"
    L.caller()


@layout("nodeflib")
def ld_library_path_still_counts(L):
    copies(L, "l")
    L.caller(flags_1=DF_1_NODEFLIB)
    L.env(LD_LIBRARY_PATH="@/l")


@layout("nodeflib")
def runpath_still_counts(L):
    copies(L, "n")
    L.caller(flags_1=DF_1_NODEFLIB, runpath="@/n")


@layout("nodeflib")
def rpath_still_counts(L):
    copies(L, "n")
    L.caller(flags_1=DF_1_NODEFLIB, rpath="@/n")


@layout("nodeflib", "the-programs-flag-does-not-bind-the-caller", ("overlay",))
def _nodeflib_main(L):
    L.main(more=["-Wl,-z,nodefaultlib"], runpath=L.default(0, ""))
    L.lib(L.default(0, "libx.so.1"))
    L.caller()
