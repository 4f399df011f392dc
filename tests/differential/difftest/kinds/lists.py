# SPDX-License-Identifier: Apache-2.0
"""How a list of directories is read: separators, empty and relative elements, tokens, sub-directories of the CPU."""
from ..layout import layout

LEVELS = ("x86-64-v4", "x86-64-v3", "x86-64-v2")


def llp(name, value, *dirs, kind="separators", **kw):
    """A layout with copies in `dirs` and this LD_LIBRARY_PATH."""
    @layout(kind, name)
    def fn(L):
        for d in dirs:
            L.lib(f"{d}/libx.so.1")
        L.env(LD_LIBRARY_PATH=value)
        if "cwd" in kw:
            L.dir_(kw["cwd"])
            L.cwd = L.path(kw["cwd"])


def tag(name, which, value, *dirs, kind="separators", cwd=None):
    @layout(kind, name)
    def fn(L):
        for d in dirs:
            L.lib(f"{d}/libx.so.1")
        L.caller(**{which: value})
        if cwd:
            L.dir_(cwd)
            L.cwd = L.path(cwd)


llp("semicolon-in-ld-library-path", "@/a;@/b", "b")
llp("semicolon-and-colon-mixed", "@/a;@/n:@/b;@/c", "b", "c")
tag("semicolon-in-runpath-is-literal", "runpath", "@/a;@/b", "b")
tag("semicolon-in-rpath-is-literal", "rpath", "@/a;@/b", "b")
tag("directory-named-with-a-semicolon", "runpath", "@/a;b", "a;b")
llp("directory-named-with-a-semicolon-in-ld-library-path", "@/a;b", "a;b")
llp("leading-empty-is-the-current-directory", ":@/b", "cwd", "b", cwd="cwd")
llp("trailing-empty-is-the-current-directory", "@/b:", "cwd", cwd="cwd")
llp("double-colon-is-the-current-directory", "@/a::@/b", "cwd", "b", cwd="cwd")
llp("only-a-colon", ":", "cwd", cwd="cwd")
llp("empty-semicolon", "@/a;;@/b", "cwd", "b", cwd="cwd")
tag("empty-in-runpath", "runpath", "@/a::@/b", "cwd", "b", cwd="cwd")
tag("trailing-empty-in-runpath", "runpath", "@/a:", "cwd", cwd="cwd")
tag("leading-empty-in-rpath", "rpath", ":@/a", "cwd", cwd="cwd")
tag("trailing-empty-in-rpath", "rpath", "@/a:", "cwd", cwd="cwd")
tag("empty-runpath-as-a-whole", "runpath", "", "cwd", cwd="cwd")
tag("empty-rpath-as-a-whole", "rpath", "", "cwd", cwd="cwd")
tag("runpath-of-one-colon", "runpath", ":", "cwd", cwd="cwd")
llp("relative-element", "sub/lib", "cwd/sub/lib", cwd="cwd")
llp("relative-element-with-dots", "../b:./c", "b", cwd="cwd")
llp("dot-element", ".", "cwd", cwd="cwd")
tag("relative-element-in-runpath", "runpath", "sub", "cwd/sub", cwd="cwd")
tag("relative-element-in-rpath", "rpath", "./sub/", "cwd/sub", cwd="cwd")
llp("trailing-slashes-are-trimmed", "@/a///", "a")
llp("equal-elements-once", "@/a:@/a/:@/a//:@/b", "b")
llp("dot-in-the-middle-is-another-text", "@/./a:@/a", "a")
llp("double-slash-in-the-middle", "@//a", "a")
llp("slash-alone", "/:@/a", "a")
llp("tilde-is-literal", "~/a:@/b", "b")
llp("spaces-are-literal", "@/a b:@/c", "a b", "c")
llp("leading-space-is-literal", " @/a:@/b", "b")
llp("quotes-are-literal", "\"@/a\":'@/b':@/c", "a", "c")
tag("quotes-in-runpath", "runpath", "'@/a':@/c", "c")
llp("newline-is-literal", "@/a\n:@/c", "c")
tag("spaces-in-runpath-are-literal", "runpath", "@/a b", "a b")

# --- tokens

llp("origin-in-ld-library-path", "$ORIGIN/../a", "a", kind="tokens")
llp("origin-with-braces-in-ld-library-path", "${ORIGIN}/../a", "a", kind="tokens")
tag("origin-in-runpath", "runpath", "$ORIGIN/../a", "a", kind="tokens")
tag("origin-with-braces-in-runpath", "runpath", "${ORIGIN}/../a", "a", kind="tokens")
tag("origin-in-rpath", "rpath", "$ORIGIN/../a", "a", kind="tokens")
tag("origin-alone", "runpath", "$ORIGIN", "c", kind="tokens")
tag("origin-with-trailing-slash", "runpath", "$ORIGIN/", "c", kind="tokens")
tag("origin-not-at-the-start", "runpath", "@/x/$ORIGIN:@/a", "a", kind="tokens")
tag("unknown-token-is-literal", "runpath", "@/$FOO:@/a", "$FOO", "a", kind="tokens")
tag("longer-name-is-literal", "runpath", "@/$ORIGINX:@/a", "a", kind="tokens")
tag("longer-name-directory", "runpath", "@/$LIBX", "$LIBX", kind="tokens")
tag("origin-followed-by-text-after-brace", "runpath", "${ORIGIN}x:@/a", "cx", "a", kind="tokens")
tag("unclosed-brace-is-literal", "runpath", "@/${ORIGIN:@/a", "a", kind="tokens")
tag("dollar-alone-is-literal", "runpath", "@/$/a:@/b", "$/a", "b", kind="tokens")
tag("two-tokens", "runpath", "$ORIGIN/../$LIB:@/b", "lib", "lib64", "lib/x86_64-linux-gnu", "b", kind="tokens")
tag("lib", "runpath", "@/$LIB:@/b", "lib", "lib64", "lib/x86_64-linux-gnu", "b", kind="tokens")
llp("lib-in-ld-library-path", "@/${LIB}", "lib", "lib64", "lib/x86_64-linux-gnu", kind="tokens")
PLATFORMS = ("haswell", "xeon_phi", "x86_64", "$PLATFORM")
tag("platform", "runpath", "@/p/$PLATFORM", *[f"p/{p}" for p in PLATFORMS], kind="tokens")
llp("platform-in-ld-library-path", "@/p/$PLATFORM", *[f"p/{p}" for p in PLATFORMS], kind="tokens")
tag("platform-with-braces-in-rpath", "rpath", "@/p/${PLATFORM}/y", *[f"p/{p}/y" for p in PLATFORMS], kind="tokens")
tag("tokens-that-give-equal-texts-once", "runpath", "$ORIGIN/../a:@/c/../a:@/b", "b", kind="tokens")


@layout("tokens")
def origin_of_the_program_is_its_real_file(L):
    L.lib("real/libs/libx.so.1")
    L.lib("libs/libx.so.1")
    L.main("real/bin/main", runpath="$ORIGIN/../libs")
    L.link("bin/main", "@/real/bin/main")
    L.program = L.path("bin/main")


@layout("tokens")
def origin_in_ld_library_path_is_the_programs_real_file(L):
    L.lib("real/libs/libx.so.1")
    L.lib("libs/libx.so.1")
    L.main("real/bin/main")
    L.link("bin/main", "@/real/bin/main")
    L.program = L.path("bin/main")
    L.env(LD_LIBRARY_PATH="$ORIGIN/../libs")


@layout("tokens")
def origin_of_a_caller_opened_through_a_symlink(L):
    L.lib("real/libx.so.1")
    L.caller("real/libcaller.so", runpath="$ORIGIN")
    L.link("alias/libcaller.so", "@/real/libcaller.so")
    L.caller_path = L.path("alias/libcaller.so")


@layout("tokens")
def origin_is_the_directory_of_the_symlink(L):
    L.lib("alias/libx.so.1")
    L.caller("real/libcaller.so", runpath="$ORIGIN")
    L.link("alias/libcaller.so", "@/real/libcaller.so")
    L.caller_path = L.path("alias/libcaller.so")


@layout("tokens")
def origin_through_a_symlinked_directory(L):
    L.lib("real/libx.so.1")
    L.lib("x/libx.so.1")
    L.caller("real/sub/libcaller.so", runpath="$ORIGIN/../x:$ORIGIN/..")
    L.link("alias", "@/real/sub")
    L.caller_path = L.path("alias/libcaller.so")


@layout("tokens")
def origin_keeps_dot_dot(L):
    L.lib("a/libx.so.1")
    L.caller("a/libcaller.so", runpath="$ORIGIN")
    L.dir_("b")
    L.caller_path = L.path("b/.././a/libcaller.so")


@layout("tokens")
def origin_dot_dot_through_a_symlinked_directory(L):
    L.lib("deep/libx.so.1")
    L.lib("libx.so.1")
    L.caller("deep/sub/libcaller.so", runpath="$ORIGIN/../sub/..")
    L.link("alias", "@/deep/sub")
    L.caller_path = L.path("alias/libcaller.so")


@layout("tokens")
def origin_of_a_caller_with_a_relative_path(L):
    L.lib("a/libx.so.1")
    L.caller("a/libcaller.so", runpath="$ORIGIN")
    L.caller_path = "a/libcaller.so"


@layout("tokens")
def origin_of_a_dependency(L):
    L.lib("a/libx.so.1", runpath="$ORIGIN/../b", needed=["libdep.so.1"])
    L.lib("b/libdep.so.1", runpath="${ORIGIN}/../c2", needed=["libdep2.so.1"])
    L.lib("c2/libdep2.so.1")
    L.caller(runpath="$ORIGIN/../a")


@layout("tokens")
def origin_in_a_needed_path(L):
    L.lib("a/libx.so.1", needed=["$ORIGIN/../b/libdep.so.1"])
    L.lib("b/libdep.so.1")
    L.caller(runpath="@/a")


@layout("tokens")
def origin_in_the_asked_path(L):
    L.lib("b/libx.so.1")
    L.caller()
    L.ask = "$ORIGIN/../b/libx.so.1"


@layout("tokens")
def origin_of_a_library_found_through_the_current_directory(L):
    L.lib("cwd/libx.so.1", runpath="$ORIGIN/deps", needed=["libdep.so.1"])
    L.lib("cwd/deps/libdep.so.1")
    L.cwd = L.path("cwd")
    L.env(LD_LIBRARY_PATH=":")


# --- glibc-hwcaps and the older sub-directories

def hwcaps(name, place, dirs, levels):
    """Copies below dirs/level; levels: (dir, sub) pairs."""
    @layout("hwcaps", name)
    def fn(L):
        for d, sub in levels:
            L.lib(f"{d}/{sub}/libx.so.1" if sub else f"{d}/libx.so.1")
        text = ":".join("@/" + d for d in dirs)
        if place == "llp":
            L.env(LD_LIBRARY_PATH=text)
        else:
            L.caller(**{place: text})


def sub(level):
    return f"glibc-hwcaps/{level}"


for _place in ("llp", "rpath", "runpath"):
    for _level in LEVELS:
        hwcaps(f"{_level[-2:]}-before-plain-in-{_place}", _place, ["a"], [("a", sub(_level)), ("a", "")])
    hwcaps(f"best-level-first-in-{_place}", _place, ["a"], [("a", sub(v)) for v in LEVELS])
    hwcaps(f"earlier-directory-beats-better-level-in-{_place}", _place, ["a", "b"], [("a", ""), ("b", sub("x86-64-v4"))])
    hwcaps(f"legacy-platform-in-{_place}", _place, ["a"], [("a", "x86_64"), ("a", "haswell"), ("a", "")])
    hwcaps(f"legacy-tls-in-{_place}", _place, ["a"], [("a", "tls"), ("a", "")])
    hwcaps(f"new-before-legacy-in-{_place}", _place, ["a"], [("a", "tls"), ("a", sub("x86-64-v2"))])
hwcaps("legacy-all", "llp", ["a"], [("a", s) for s in (
    "tls/haswell/avx512_1/x86_64", "tls/haswell/avx512_1", "tls/haswell/x86_64", "tls/haswell", "tls/avx512_1/x86_64",
    "tls/avx512_1", "tls/x86_64/x86_64", "tls/x86_64", "tls", "haswell/avx512_1/x86_64", "haswell", "avx512_1", "x86_64/x86_64",
    "x86_64", "")])
for _s in ("tls/x86_64/x86_64", "tls/x86_64", "x86_64/x86_64", "haswell/x86_64", "tls/haswell/x86_64", "avx512_1", "avx512_1/x86_64",
           "haswell/avx512_1", "xeon_phi", "x86_64/tls", "i686", "glibc-hwcaps"):
    hwcaps("legacy-" + _s.replace("/", "-").replace("_", "-"), "runpath", ["a"], [("a", _s)])
hwcaps("unknown-level", "llp", ["a"], [("a", sub("x86-64-v9")), ("a", "")])
hwcaps("level-v1-does-not-exist", "llp", ["a"], [("a", sub("x86-64-v1")), ("a", "")])


@layout("hwcaps")
def foreign_file_in_the_best_level(L):
    L.lib("a/glibc-hwcaps/x86-64-v3/libx.so.1", machine=183)
    L.lib("a/glibc-hwcaps/x86-64-v2/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/a")


@layout("hwcaps")
def damaged_file_in_the_best_level(L):
    L.raw("a/glibc-hwcaps/x86-64-v2/libx.so.1", b"too short")
    L.lib("a/libx.so.1")
    L.env(LD_LIBRARY_PATH="@/a")


@layout("hwcaps")
def level_of_a_dependency_only(L):
    L.lib("a/libx.so.1", needed=["libdep.so.1"])
    L.lib("a/glibc-hwcaps/x86-64-v3/libdep.so.1")
    L.lib("a/libdep.so.1")
    L.env(LD_LIBRARY_PATH="@/a")


@layout("hwcaps")
def origin_of_a_library_in_a_level(L):
    L.lib("a/glibc-hwcaps/x86-64-v3/libx.so.1", runpath="$ORIGIN", needed=["libdep.so.1"])
    L.lib("a/glibc-hwcaps/x86-64-v3/libdep.so.1")
    L.lib("a/libdep.so.1")
    L.caller(runpath="@/a")


@layout("hwcaps")
def level_directory_that_is_a_symlink(L):
    L.lib("store/libx.so.1")
    L.link("a/glibc-hwcaps/x86-64-v3", "@/store")
    L.lib("a/libx.so.1")
    L.caller(rpath="@/a")


@layout("hwcaps")
def level_directory_is_a_file(L):
    L.raw("a/glibc-hwcaps", b"a file")
    L.lib("a/libx.so.1")
    L.caller(rpath="@/a")
