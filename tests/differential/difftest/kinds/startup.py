# SPDX-License-Identifier: Apache-2.0
"""Programs that cannot start, names with a slash, and files made by this machine's own compiler and linker."""
from ..elfwriter import DF_1_NOW, Undef
from ..layout import layout


@layout("startup")
def needed_library_missing(L):
    L.main(needed=["libx.so.1"])


@layout("startup")
def needed_library_of_a_needed_library_missing(L):
    L.lib("a/libmid.so", needed=["libx.so.1"])
    L.main(rpath="@/elsewhere", needed=["@/a/libmid.so"])


@layout("startup")
def needed_library_damaged(L):
    L.raw("a/libx.so.1", b"short")
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def needed_library_foreign(L):
    L.lib("a/libx.so.1", ehdr={4: 1}, machine=3)
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def needed_library_lacks_a_version(L):
    L.lib("a/libdep.so.1", verdef=["V1"])
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], verneed={"libdep.so.1": ["V2"]})
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def needed_library_cut(L):
    L.raw("a/libx.so.1", L.bytes_of("libx.so.1", pad=9000)[:4096])
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def needed_library_is_a_fifo(L):
    L.fifo("a/libx.so.1")
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def needed_library_is_an_executable(L):
    L.lib("a/libx.so.1", e_type=2)
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def needed_library_found_second(L):
    L.lib("a/libx.so.1", machine=183)
    L.lib("b/libx.so.1")
    L.main(runpath="@/a:@/b", needed=["libx.so.1"])


@layout("startup")
def needed_library_by_relative_path(L):
    L.lib("cwd/t/libx.so.1")
    L.main(needed=["t/libx.so.1"])
    L.cwd = L.path("cwd")
    L.ask = "t/libx.so.1"


@layout("startup")
def program_with_ld_library_path_over_runpath(L):
    L.lib("a/libx.so.1")
    L.lib("l/libx.so.1")
    L.main(runpath="@/a", needed=["libx.so.1"])
    L.env(LD_LIBRARY_PATH="@/l")


@layout("startup")
def undefined_function_is_found_out_later(L):
    L.lib("a/libx.so.1", undef=["nowhere"])
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def undefined_data_at_start(L):
    L.lib("a/libx.so.1", undef=[Undef("nowhere", data=True)])
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def undefined_function_with_bind_now(L):
    L.lib("a/libx.so.1", undef=["nowhere"], flags_1=DF_1_NOW)
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def zeroed_library_at_start(L):
    data = L.bytes_of("libx.so.1", pad=9000)
    L.raw("a/libx.so.1", data[:4096] + b"\0" * (len(data) - 4096))
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("startup")
def higher_level_at_start(L):
    L.lib("a/libx.so.1", isa=16)
    L.main(runpath="@/a", needed=["libx.so.1"])


@layout("transitive")
def relocation_order_in_a_cycle(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["liby.so", "libz.so"], undef=["nowhere_x"])
    L.lib("a/liby.so", runpath="$ORIGIN", needed=["libx.so.1"], undef=["nowhere_y"])
    L.lib("a/libz.so", runpath="$ORIGIN", needed=["liby.so"], undef=["nowhere_z"])
    L.caller(runpath="@/a")


# --- names with a slash

def slash(fn):
    return layout("slash-names")(fn)


@slash
def absolute(L):
    L.lib("a/libx.so.1")
    L.ask = L.path("a/libx.so.1")


@slash
def relative_to_the_current_directory(L):
    L.lib("cwd/libx.so.1")
    L.lib("l/libx.so.1")
    L.cwd = L.path("cwd")
    L.ask = "./libx.so.1"
    L.env(LD_LIBRARY_PATH="@/l")


@slash
def relative_deeper(L):
    L.lib("cwd/a/b/libx.so.1")
    L.cwd = L.path("cwd")
    L.ask = "a/b/libx.so.1"
    L.caller()


@slash
def relative_upwards(L):
    L.lib("libx.so.1")
    L.dir_("cwd/deep")
    L.cwd = L.path("cwd/deep")
    L.ask = "../../libx.so.1"


@slash
def missing(L):
    L.ask = L.path("a/libx.so.1")


@slash
def missing_relative_is_not_searched(L):
    L.lib("l/sub/libx.so.1")
    L.ask = "sub/libx.so.1"
    L.env(LD_LIBRARY_PATH="@/l")


@slash
def trailing_slash(L):
    L.lib("a/libx.so.1")
    L.ask = L.path("a/libx.so.1") + "/"


@slash
def through_a_file(L):
    L.lib("a/libx.so.1")
    L.ask = L.path("a/libx.so.1") + "/y.so"


@slash
def with_double_slashes_and_dots(L):
    L.lib("a/libx.so.1")
    L.ask = L.path("a") + "//./../a//libx.so.1"


@slash
def a_link(L):
    L.lib("store/libx.so.1.2", soname="libx.so.1")
    L.link("a/libx.so.1", "../store/libx.so.1.2")
    L.ask = L.path("a/libx.so.1")


@slash
def brings_its_dependencies(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.lib("a/libdep.so.1")
    L.ask = L.path("a/libx.so.1")


# --- made by the compiler

def real(fn):
    return layout("toolchain")(fn)


@real
def a_plain_library(L):
    L.tool_lib("a/libx.so.1")
    L.caller(runpath="@/a")


@real
def runpath_of_the_linker(L):
    L.tool_lib("a/libx.so.1", runpath="$ORIGIN/../b", needed=["libdep.so.1"])
    L.tool_lib("b/libdep.so.1")
    L.caller(runpath="@/a")


@real
def rpath_of_the_linker(L):
    L.tool_lib("a/libx.so.1", rpath="$ORIGIN/../b", needed=["libdep.so.1"])
    L.tool_lib("b/libdep.so.1")
    L.tool_lib("l/libdep.so.1")
    L.caller(runpath="@/a")
    L.env(LD_LIBRARY_PATH="@/l")


@real
def dependency_of_the_linker_missing(L):
    L.tool_lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.caller(runpath="@/a")


@real
def nodefaultlib_flag(L):
    L.tool_lib("a/libx.so.1", needed=["libm.so.6"], more=["-Wl,-z,nodefaultlib"])
    L.caller(runpath="@/a")


@real
def origin_flag_and_now(L):
    L.tool_lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"], more=["-Wl,-z,origin,-z,now"])
    L.tool_lib("a/libdep.so.1")
    L.caller(runpath="@/a")


@real
def nodlopen_flag(L):
    L.tool_lib("a/libx.so.1", more=["-Wl,-z,nodlopen"])
    L.caller(runpath="@/a")


@real
def executable_stack_flag(L):
    L.tool_lib("a/libx.so.1", more=["-Wl,-z,execstack", "-Wl,--no-warn-execstack"])
    L.caller(runpath="@/a")


@real
def level_flag(L):
    L.tool_lib("a/libx.so.1", more=["-Wl,-z,x86-64-v3"])
    L.caller(runpath="@/a")


@real
def both_hash_styles(L):
    L.tool_lib("a/libx.so.1", more=["-Wl,--hash-style=both"])
    L.caller(runpath="@/a")


@real
def old_hash_style(L):
    L.tool_lib("a/libx.so.1", more=["-Wl,--hash-style=sysv"])
    L.caller(runpath="@/a")


@real
def packed_relative_relocations(L):
    L.tool_lib("a/libx.so.1", needed=["libc.so.6"], more=["-Wl,-z,separate-code,-z,relro"])
    L.caller(runpath="@/a")


@real
def the_program_itself_as_a_library(L):
    L.main()
    L.ask = L.path("bin/main")
    L.caller()


def _cut(name, cut):
    @layout("toolchain", name)
    def fn(L):
        L.tool_lib("a/libx.so.1", needed=["libm.so.6"])
        with open(L.path("a/libx.so.1"), "rb") as f:
            data = f.read()
        L.raw("a/libx.so.1", data[:cut(len(data))])
        L.caller(runpath="@/a")


_cut("cut-section-headers", lambda n: n - 1000)
_cut("cut-to-one-page", lambda n: 4096)
_cut("cut-to-two-pages", lambda n: 8192)
_cut("cut-in-the-data-page", lambda n: 0x3000 - 256)
