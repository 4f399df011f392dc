# SPDX-License-Identifier: Apache-2.0
"""What the file that was found needs in turn: libraries, versions, symbols."""
from ..elfwriter import Undef
from ..layout import layout


@layout("transitive")
def diamond(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libl.so", "libr.so"])
    L.lib("a/libl.so", runpath="$ORIGIN", needed=["libbase.so"])
    L.lib("a/libr.so", runpath="$ORIGIN", needed=["libbase.so"])
    L.lib("a/libbase.so")
    L.caller(runpath="@/a")


@layout("transitive")
def a_cycle(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["liby.so"])
    L.lib("a/liby.so", runpath="$ORIGIN", needed=["libx.so.1"])
    L.caller(runpath="@/a")


@layout("transitive")
def a_library_that_needs_itself(L):
    L.lib("a/libx.so.1", needed=["libx.so.1"])
    L.caller(runpath="@/a")


@layout("transitive")
def ten_deep(L):
    for i in range(10):
        L.lib(f"a/lib{i}.so", runpath="$ORIGIN", needed=[f"lib{i + 1}.so"])
    L.lib("a/lib10.so")
    L.ask = "lib0.so"
    L.caller(runpath="@/a")


@layout("transitive")
def ten_deep_with_the_last_missing(L):
    for i in range(10):
        L.lib(f"a/lib{i}.so", runpath="$ORIGIN", needed=[f"lib{i + 1}.so"])
    L.ask = "lib0.so"
    L.caller(runpath="@/a")


@layout("transitive")
def breadth_first_blames_the_nearer_one(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libl.so", "libgone.so"])
    L.lib("a/libl.so", runpath="$ORIGIN", needed=["libdeepgone.so"])
    L.caller(runpath="@/a")


@layout("transitive")
def damaged_before_missing(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libshort.so", "libgone.so"])
    L.raw("a/libshort.so", b"x")
    L.caller(runpath="@/a")


@layout("transitive")
def foreign_dependency_is_passed_over(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN:@/b", needed=["libdep.so"])
    L.lib("a/libdep.so", machine=183)
    L.lib("b/libdep.so")
    L.caller(runpath="@/a")


@layout("transitive")
def foreign_dependency_alone(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"])
    L.lib("a/libdep.so", ehdr={4: 1}, machine=3)
    L.caller(runpath="@/a")


@layout("transitive")
def cut_dependency_kills(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"])
    L.raw("a/libdep.so", L.bytes_of("libdep.so", pad=9000)[:4096])
    L.caller(runpath="@/a")


@layout("transitive")
def dependency_through_a_path(L):
    L.lib("a/libx.so.1", needed=["@/b/libdep.so"])
    L.lib("b/libdep.so")
    L.caller(runpath="@/a")


@layout("transitive")
def dependency_through_a_missing_path(L):
    L.lib("a/libx.so.1", needed=["@/b/libdep.so"])
    L.caller(runpath="@/a")


@layout("transitive")
def dependency_through_a_relative_path(L):
    L.lib("a/libx.so.1", needed=["t/libdep.so"])
    L.lib("cwd/t/libdep.so")
    L.cwd = L.path("cwd")
    L.caller(runpath="@/a")


@layout("transitive")
def dependency_through_a_relative_path_elsewhere(L):
    L.lib("a/libx.so.1", needed=["t/libdep.so"])
    L.lib("cwd/t/libdep.so")
    L.caller(runpath="@/a")


@layout("transitive")
def dependency_wrong_class_by_path(L):
    L.lib("a/libx.so.1", needed=["@/b/libdep.so"])
    L.lib("b/libdep.so", ehdr={4: 1}, machine=3)
    L.caller(runpath="@/a")


@layout("transitive")
def dependency_wrong_machine_by_path(L):
    L.lib("a/libx.so.1", needed=["@/b/libdep.so"])
    L.lib("b/libdep.so", machine=183)
    L.caller(runpath="@/a")


@layout("transitive")
def second_dependency_is_a_directory(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libone.so", "libtwo.so"])
    L.lib("a/libone.so")
    L.dir_("a/libtwo.so")
    L.caller(runpath="@/a")


@layout("transitive")
def dependency_is_loaded_already_by_the_program(L):
    L.lib("old/libdep.so.1")
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.lib("a/libdep.so.1")
    L.main(needed=["@/old/libdep.so.1"])
    L.caller(runpath="@/a")


@layout("transitive", "libc-is-never-searched-again")
def _libc(L):
    L.lib("a/libx.so.1", needed=["libc.so.6", "libm.so.6"])
    L.caller(runpath="@/a")


# --- versions

def ver(name, **kw):
    return layout("versions", name, **kw)


@ver("provider-of-an-older-release-loaded-first")
def _older_loaded(L):
    L.lib("old/libdep.so.1", verdef=["V1"], exports=["foo"])
    L.lib("a/libdep.so.1", verdef=["V1", "V2"], exports=["foo"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], verneed={"libdep.so.1": ["V2"]})
    L.main(needed=["@/old/libdep.so.1"])
    L.caller(runpath="@/a")


@ver("all-versions-there")
def _all(L):
    L.lib("a/libdep.so.1", verdef=["V1", "V2"], exports=["foo@V1", "bar@V2"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], verneed={"libdep.so.1": ["V1", "V2"]},
          undef=[Undef("foo", "V1"), Undef("bar", "V2")])
    L.caller(runpath="@/a")


@ver("second-of-two-versions-absent")
def _second(L):
    L.lib("a/libdep.so.1", verdef=["V1"], exports=["foo@V1"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], verneed={"libdep.so.1": ["V1", "V2"]})
    L.caller(runpath="@/a")


@ver("two-providers-second-lacks-one")
def _two(L):
    L.lib("a/libp.so.1", verdef=["P1"])
    L.lib("a/libq.so.1", verdef=["Q1"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libp.so.1", "libq.so.1"],
          verneed={"libp.so.1": ["P1"], "libq.so.1": ["Q2"]})
    L.caller(runpath="@/a")


@ver("lack-in-a-dependency")
def _in_dep(L):
    L.lib("a/libbase.so.1", verdef=["V1"])
    L.lib("a/libdep.so.1", runpath="$ORIGIN", needed=["libbase.so.1"], verneed={"libbase.so.1": ["V3"]})
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.caller(runpath="@/a")


@ver("verneed-of-a-library-that-is-not-needed")
def _not_needed(L):
    L.lib("a/libx.so.1", verneed={"libelse.so.1": ["V1"]})
    L.caller(runpath="@/a")


@ver("verneed-names-the-file-not-the-soname")
def _other_soname(L):
    L.lib("a/libdep.so.1", soname="libother.so.2", verdef=["V1"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], verneed={"libdep.so.1": ["V2"]})
    L.caller(runpath="@/a")


@ver("glibc-version-that-exists")
def _glibc(L):
    L.lib("a/libx.so.1", needed=["libc.so.6"], verneed={"libc.so.6": ["GLIBC_2.2.5", "GLIBC_2.14"]})
    L.caller(runpath="@/a")


@ver("glibc-private-that-does-not-exist")
def _glibc_private(L):
    L.lib("a/libx.so.1", needed=["libc.so.6"], verneed={"libc.so.6": ["GLIBC_2.2.5", "GLIBC_ABI_NEW"]})
    L.caller(runpath="@/a")


@ver("newer-glibc-asked-of-libm")
def _libm(L):
    L.lib("a/libx.so.1", needed=["libm.so.6"], verneed={"libm.so.6": ["GLIBC_2.99"]})
    L.caller(runpath="@/a")


@ver("weak-version-absent")
def _weak(L):
    L.lib("a/libdep.so.1", verdef=["V1"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], verneed={"libdep.so.1": ["V1", "V2?"]})
    L.caller(runpath="@/a")


@ver("symbol-not-at-that-version")
def _symbol(L):
    L.lib("a/libdep.so.1", verdef=["V1", "V2"], exports=["foo@V1"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], verneed={"libdep.so.1": ["V2"]}, undef=[Undef("foo", "V2")])
    L.caller(runpath="@/a")


@ver("libstdcxx-like-older-in-front")
def _stdcxx(L):
    L.lib("conda/libcxx.so.6", verdef=["CXX_3.4.19"], exports=["f"])
    L.lib("sys/libcxx.so.6", verdef=["CXX_3.4.19", "CXX_3.4.30"], exports=["f"])
    L.lib("a/libx.so.1", runpath="@/sys", needed=["libcxx.so.6"], verneed={"libcxx.so.6": ["CXX_3.4.30"]})
    L.caller(runpath="@/a")
    L.env(LD_LIBRARY_PATH="@/conda")


# --- symbols

@layout("symbols")
def function_from_a_dependency(L):
    L.lib("a/libdep.so", exports=["foo"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], undef=["foo"])
    L.caller(runpath="@/a")


@layout("symbols")
def function_from_a_dependency_of_a_dependency(L):
    L.lib("a/libbase.so", exports=["foo"])
    L.lib("a/libdep.so", runpath="$ORIGIN", needed=["libbase.so"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], undef=["foo"])
    L.caller(runpath="@/a")


@layout("symbols")
def function_from_the_programs_libraries(L):
    L.lib("a/libglobal.so", exports=["foo"])
    L.lib("a/libx.so.1", undef=["foo"])
    L.main(needed=["@/a/libglobal.so"])
    L.caller(runpath="@/a")


@layout("symbols")
def function_of_the_caller_is_not_in_scope(L):
    L.lib("a/libx.so.1", undef=["foo"])
    L.caller(runpath="@/a", exports=["foo"])


@layout("symbols")
def function_of_a_dependency_of_the_caller_is_not_in_scope(L):
    L.lib("a/libother.so", exports=["foo"])
    L.lib("a/libx.so.1", undef=["foo"])
    L.caller(runpath="@/a", needed=["libother.so"])


@layout("symbols")
def function_of_the_c_library(L):
    L.lib("a/libx.so.1", undef=["printf", "malloc"])
    L.caller(runpath="@/a")


@layout("symbols")
def undefined_in_a_dependency(L):
    L.lib("a/libdep.so", undef=["nowhere"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"])
    L.caller(runpath="@/a")


@layout("symbols")
def undefined_in_both_the_dependency_is_blamed(L):
    L.lib("a/libdep.so", undef=["nowhere_dep"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], undef=["nowhere_x"])
    L.caller(runpath="@/a")


@layout("symbols")
def dependency_uses_a_symbol_of_its_user(L):
    L.lib("a/libdep.so", undef=["foo"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], exports=["foo"])
    L.caller(runpath="@/a")


@layout("symbols")
def found_through_a_sysv_hash(L):
    L.lib("a/libdep.so", exports=["foo", "bar", "baz"], sysv_hash=True)
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], undef=["baz"])
    L.caller(runpath="@/a")


@layout("symbols")
def not_found_through_a_sysv_hash(L):
    L.lib("a/libdep.so", exports=["foo", "bar", "baz"], sysv_hash=True)
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], undef=["qux"])
    L.caller(runpath="@/a")


@layout("symbols")
def many_symbols_the_last_is_missing(L):
    names = [f"fn_{i}" for i in range(80)]
    L.lib("a/libdep.so", exports=names[:-1])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], undef=names)
    L.caller(runpath="@/a")


@layout("symbols")
def undefined_data_before_undefined_function(L):
    L.lib("a/libx.so.1", undef=["no_function", Undef("no_data", data=True)])
    L.caller(runpath="@/a")


@layout("symbols")
def undefined_with_a_version(L):
    L.lib("a/libx.so.1", needed=["libc.so.6"], verneed={"libc.so.6": ["GLIBC_2.2.5"]}, undef=[Undef("no_such", "GLIBC_2.2.5")])
    L.caller(runpath="@/a")


@layout("symbols")
def tls_of_two_libraries_together(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so"], tls=400)
    L.lib("a/libdep.so", tls=400)
    L.caller(runpath="@/a")


@layout("symbols")
def tls_needed_by_the_program_is_no_limit(L):
    L.lib("a/libx.so.1", tls=1 << 16)
    L.main(needed=["@/a/libx.so.1"])
