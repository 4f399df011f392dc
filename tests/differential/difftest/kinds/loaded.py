# SPDX-License-Identifier: Apache-2.0
"""What counts as loaded already, SONAME against file name, one file under two names."""
from ..layout import layout


@layout("loaded")
def needed_by_the_program(L):
    L.lib("a/libx.so.1")
    L.lib("l/libx.so.1")
    L.main(rpath="@/a", needed=["libx.so.1"])
    L.caller()
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def needed_by_the_program_through_a_path(L):
    L.lib("a/libx.so.1")
    L.lib("l/libx.so.1")
    L.main(needed=["@/a/libx.so.1"])
    L.caller()
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def path_and_no_soname_is_not_matched(L):
    L.lib("a/libx.so.1", soname=None)
    L.lib("l/libx.so.1")
    L.main(needed=["@/a/libx.so.1"])
    L.caller()
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def name_and_no_soname_is_matched_by_that_name(L):
    L.lib("a/libx.so.1", soname=None)
    L.lib("l/libx.so.1")
    L.main(rpath="@/a", needed=["libx.so.1"])
    L.caller()
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def other_soname_opened_by_name_answers_both(L):
    L.lib("a/libx.so.1", soname="libother.so.5")
    L.lib("l/libother.so.5")
    L.main(rpath="@/a", needed=["libx.so.1"])
    L.ask = "libother.so.5"
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def other_soname_opened_by_path_answers_only_that(L):
    L.lib("a/libx.so.1", soname="libother.so.5")
    L.lib("l/libx.so.1")
    L.main(needed=["@/a/libx.so.1"])
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def other_soname_opened_by_path_asked_by_it(L):
    L.lib("a/libx.so.1", soname="libother.so.5")
    L.lib("l/libother.so.5")
    L.main(needed=["@/a/libx.so.1"])
    L.ask = "libother.so.5"
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def a_dependency_of_the_caller(L):
    L.lib("a/libx.so.1")
    L.lib("l/libx.so.1")
    L.caller(rpath="@/a", needed=["libx.so.1"])
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def a_dependency_of_the_callers_dependency(L):
    L.lib("a/libmid.so", runpath="@/b", needed=["libx.so.1"])
    L.lib("b/libx.so.1")
    L.caller(runpath="@/a", needed=["libmid.so"])


@layout("loaded")
def the_caller_itself(L):
    L.caller("c/libx.so.1", soname="libx.so.1")
    L.lib("l/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def the_caller_itself_by_path(L):
    L.caller("c/libx.so.1", soname="libx.so.1")
    L.ask = L.path("c/libx.so.1")


@layout("loaded")
def the_same_path_written_otherwise(L):
    L.caller("c/libx.so.1", soname="libx.so.1")
    L.dir_("d")
    L.ask = L.path("d/../c/libx.so.1")


@layout("loaded")
def two_loaded_of_one_soname_the_first_answers(L):
    L.lib("a/liba.so", soname="libx.so.1")
    L.lib("b/libb.so", soname="libx.so.1")
    L.main(needed=["@/a/liba.so", "@/b/libb.so"])


@layout("loaded")
def a_copy_with_the_same_soname_by_path_is_a_second_object(L):
    L.lib("a/libx.so.1")
    L.lib("b/libx.so.1")
    L.main(needed=["@/a/libx.so.1"])
    L.ask = L.path("b/libx.so.1")


@layout("loaded")
def hard_link_is_the_same_object(L):
    L.lib("a/libx.so.1")
    L.hardlink("b/liby.so.1", "a/libx.so.1")
    L.main(needed=["@/a/libx.so.1"])
    L.ask = L.path("b/liby.so.1")


@layout("loaded")
def hard_link_found_by_name(L):
    L.lib("a/libx.so.1", soname=None)
    L.hardlink("l/liby.so.1", "a/libx.so.1")
    L.main(needed=["@/a/libx.so.1"])
    L.ask = "liby.so.1"
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def symlink_is_the_same_object(L):
    L.lib("a/libx.so.1.2.3", soname=None)
    L.link("l/libx.so.1", "@/a/libx.so.1.2.3")
    L.main(needed=["@/a/libx.so.1.2.3"])
    L.env(LD_LIBRARY_PATH="@/l")


@layout("loaded")
def the_first_path_of_an_inode_keeps_its_origin(L):
    L.lib("a/libx.so.1", soname=None, runpath="$ORIGIN", caller=True)
    L.hardlink("b/libx.so.1", "a/libx.so.1")
    L.lib("a/liby.so.1")
    L.lib("b/liby.so.1")
    L.main(needed=["@/a/libx.so.1"])
    L.caller_path = L.path("b/libx.so.1")
    L.ask = "liby.so.1"


@layout("loaded")
def a_dependency_twice_under_two_names_of_one_inode(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1", "libdep-alias.so.1"])
    L.lib("a/libdep.so.1", soname=None)
    L.hardlink("a/libdep-alias.so.1", "a/libdep.so.1")
    L.caller(runpath="@/a")


@layout("loaded")
def the_program_itself_by_its_name(L):
    L.ask = "main"
    L.main()


@layout("loaded")
def the_vdso_soname(L):
    L.ask = "linux-vdso.so.1"


@layout("loaded")
def the_loader_itself(L):
    L.ask = "ld-linux-x86-64.so.2"
    L.caller()


@layout("loaded")
def libc_with_another_on_ld_library_path(L):
    L.ask = "libdl.so.2"
    L.caller()


# --- symlinks

@layout("symlinks")
def versioned_file_behind_a_soname_link(L):
    L.lib("a/libx.so.1.2.3", soname="libx.so.1")
    L.link("a/libx.so.1", "libx.so.1.2.3")
    L.caller(runpath="@/a")


@layout("symlinks")
def chain_of_links(L):
    L.lib("a/libx.so.1.2.3", soname="libx.so.1")
    L.link("a/libx.so.1.2", "libx.so.1.2.3")
    L.link("a/libx.so.1", "libx.so.1.2")
    L.link("b/libx.so.1", "../a/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/b")


@layout("symlinks")
def directory_is_a_link(L):
    L.lib("real/libx.so.1")
    L.link("alias", "real")
    L.caller(runpath="@/alias")


@layout("symlinks")
def neighbours_of_the_target_are_missed(L):
    L.lib("store/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.lib("store/libdep.so.1")
    L.link("a/libx.so.1", "@/store/libx.so.1")
    L.caller(runpath="@/a")


@layout("symlinks")
def neighbours_of_the_link_are_found(L):
    L.lib("store/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.lib("a/libdep.so.1")
    L.link("a/libx.so.1", "@/store/libx.so.1")
    L.caller(runpath="@/a")


@layout("symlinks")
def dangling_directory_link(L):
    L.link("alias", "@/nowhere")
    L.lib("b/libx.so.1")
    L.caller(runpath="@/alias:@/b")


@layout("symlinks")
def directory_link_loop(L):
    L.link("alias", "alias")
    L.lib("b/libx.so.1")
    L.caller(runpath="@/alias:@/b")


@layout("symlinks")
def directory_link_loop_in_ld_library_path(L):
    L.link("alias", "alias")
    L.lib("b/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/alias:@/b")


@layout("symlinks")
def link_to_a_directory_with_the_librarys_name(L):
    L.dir_("store")
    L.link("a/libx.so.1", "@/store")
    L.lib("b/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/a:@/b")


@layout("symlinks")
def forty_links_are_too_many(L):
    L.lib("a/l0")
    for i in range(45):
        L.link(f"a/l{i + 1}", f"l{i}")
    L.link("a/libx.so.1", "l45")
    L.lib("b/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/a:@/b")


@layout("symlinks")
def thirty_links_are_fine(L):
    L.lib("a/l0", soname="libx.so.1")
    for i in range(30):
        L.link(f"a/l{i + 1}", f"l{i}")
    L.link("a/libx.so.1", "l30")
    L.env(LD_LIBRARY_PATH="@/a")


@layout("symlinks")
def absolute_and_relative_mixed(L):
    L.lib("x/y/libx.so.1")
    L.link("p", "@/x")
    L.link("q", "p/../x/./y")
    L.caller(rpath="@/q/")


@layout("symlinks")
def link_to_the_caller(L):
    L.caller("c/libcaller.so")
    L.link("a/libx.so.1", "@/c/libcaller.so")
    L.env(LD_LIBRARY_PATH="@/a")


@layout("symlinks")
def link_with_trailing_slash_target(L):
    L.lib("store/libx.so.1")
    L.link("a/libx.so.1", "@/store/libx.so.1/")
    L.lib("b/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/a:@/b")
