# SPDX-License-Identifier: Apache-2.0
"""One layout: a folder of files, a program, an environment and a question. "@" in any text stands for the folder."""
import contextlib
import os
import shutil
import socket
import subprocess

from . import elfwriter, ldcache, namespace

registry = []   # (kind, name, function, needs)


def layout(kind, name=None, needs=()):
    """Decorator: register a function that fills a Layout. needs: of "private" (mounts), "overlay", "root"."""
    def wrap(fn):
        registry.append((kind, name or fn.__name__.replace("_", "-"), fn, tuple(needs)))
        return fn
    return wrap


class Shop:
    """What is shared by all layouts of a run: the work folder, the compiled program, the linked variants."""

    def __init__(self, base, source_dir):
        self.base, self.work, self.cache = base, os.path.join(base, "w"), os.path.join(base, "built")
        os.makedirs(self.cache)
        self.main_o, self.lib_o = os.path.join(self.cache, "main.o"), os.path.join(self.cache, "lib.o")
        subprocess.run(["gcc", "-O1", "-fPIE", "-c", os.path.join(source_dir, "main.c"), "-o", self.main_o], check=True)
        code = "int who(void){return 4711;}"
        subprocess.run(["gcc", "-x", "c", "-O1", "-fPIC", "-c", "-", "-o", self.lib_o], input=code.encode(), check=True)
        self.linked = {}
        self.overlay = None     # folder for overlays, when they work
        self.default_dirs = []

    def fresh(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        os.chmod(self.work, 0o755)

    def link(self, key, args):
        """gcc ARGS -o FILE, once for each key. Returns the file."""
        if key not in self.linked:
            out = os.path.join(self.cache, f"b{len(self.linked)}")
            subprocess.run(["gcc", *args, "-o", out], check=True)
            self.linked[key] = out
        return self.linked[key]

    def stub(self, soname):
        """A library to link against, so that the program gets a DT_NEEDED of this text."""
        path = os.path.join(self.cache, "stub" + soname.replace("/", "_"))
        if not os.path.exists(path):
            with open(path, "wb") as f:
                f.write(elfwriter.build(elfwriter.Lib(soname=soname)))
        return path


class Layout:
    def __init__(self, shop, kind, name):
        self.shop, self.kind, self.name, self.dir = shop, kind, name, shop.work
        self.vars, self.ask, self.caller_path = {}, "libx.so.1", None
        self.program, self.cwd, self.user = None, shop.work, None
        self.zeroed = []            # files whose dynamic section is zero: they crash the loader at address 0
        self.blame = None           # expected culprit file where the loader's message names none
        self.cache_entries, self.cache_raw, self.preload_text = None, None, None
        self.mounts = []
        self.lists = {"rpath": [], "runpath": []}   # every list written into a file: (text, folder of the file)
        self.value = 100

    # --- texts and files
    def t(self, text):
        return text.replace("@", self.dir) if isinstance(text, str) else text

    def path(self, p):
        p = self.t(p)
        return p if p.startswith("/") else os.path.join(self.dir, p)

    def _parent(self, p):
        p = self.path(p)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        return p

    def dir_(self, p):
        os.makedirs(self.path(p), exist_ok=True)

    def raw(self, p, data):
        p = self._parent(p)
        with open(p, "wb") as f:
            f.write(data)
        return p

    def link(self, p, target):
        os.symlink(self.t(target), self._parent(p))

    def hardlink(self, p, source):
        os.link(self.path(source), self._parent(p))

    def fifo(self, p):
        os.mkfifo(self._parent(p))

    def socket(self, p):
        p = self._parent(p)
        here = os.getcwd()
        os.chdir(os.path.dirname(p))    # a socket's path is at most 107 bytes
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(os.path.basename(p))
        finally:
            os.chdir(here)

    def chmod(self, p, mode):
        os.chmod(self.path(p), mode)

    # --- libraries
    def bytes_of(self, name, at=None, **kw):
        self.value += 1
        for k in ("rpath", "runpath"):
            kw[k] = self.t(kw.get(k))
            if at and kw[k] is not None:
                self.lists[k].append((kw[k], os.path.dirname(self.path(at))))
        kw["needed"] = [self.t(n) for n in kw.get("needed", [])]
        return elfwriter.build(elfwriter.Lib(**{"soname": name, "value": self.value, **kw}))

    def lib(self, p, soname="=", **kw):
        """A good library; its SONAME is the file's name unless said otherwise (None: none)."""
        return self.raw(p, self.bytes_of(os.path.basename(p) if soname == "=" else soname, at=p, **kw))

    def caller(self, p="c/libcaller.so", **kw):
        """The library that makes the request; --from."""
        kw.setdefault("soname", None)
        self.lib(p, caller=True, **kw)
        self.caller_path = self.path(p)

    def tool_lib(self, p, soname="=", rpath=None, runpath=None, needed=(), more=()):
        """A library made by the compiler and linker of this machine."""
        soname = os.path.basename(p) if soname == "=" else soname
        self._note_lists(p, rpath, runpath)
        args = ["-shared", self.shop.lib_o] + ([f"-Wl,-soname,{soname}"] if soname else [])
        args += self._tags(rpath, runpath) + [self.shop.stub(n) for n in needed] + list(more)
        built = self.shop.link(("lib", *args), ["-Wl,--no-as-needed", *args])
        shutil.copyfile(built, self._parent(p))

    def _note_lists(self, p, rpath, runpath):
        for k, text in (("rpath", rpath), ("runpath", runpath)):
            if text is not None:
                self.lists[k].append((self.t(text), os.path.dirname(self.path(p))))

    def folders_of(self, source):
        """Real paths of the folders that a kind of list names anywhere in this layout."""
        lists = self.lists.get(source, [])
        if source == "ld_library_path":
            lists = [(self.vars.get("LD_LIBRARY_PATH", "").replace(";", ":"), os.path.dirname(os.path.realpath(self.program)))]
        out = set()
        for text, origin in lists:
            for e in text.split(":"):
                e = e.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
                out.add(os.path.realpath(os.path.join(self.cwd, e)))
        return out

    def _tags(self, rpath, runpath):
        if rpath is not None:
            return ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{self.t(rpath)}"]
        return ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{self.t(runpath)}"] if runpath is not None else []

    def main(self, p="bin/main", rpath=None, runpath=None, needed=(), more=()):
        self._note_lists(p, rpath, runpath)
        args = [self.shop.main_o] + self._tags(rpath, runpath) + [self.shop.stub(self.t(n)) for n in needed] + list(more)
        built = self.shop.link(("main", *args),
                               ["-pie", "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", *args, "-Wl,--as-needed", "-ldl"])
        shutil.copy(built, self._parent(p))
        self.program = self.path(p)

    # --- surroundings
    def env(self, **kw):
        self.vars.update({k: self.t(v) for k, v in kw.items()})

    def cache(self, *entries, fmt="new"):
        """A private /etc/ld.so.cache with these (soname, path[, level]) entries; bytes: the file itself."""
        self.cache_entries = [ldcache.Entry(*[self.t(f) for f in e]) for e in entries]
        self.cache_raw = ldcache.build(self.cache_entries, fmt)

    def preload_file(self, text):
        self.preload_text = self.t(text)

    def noexec(self, p):
        self.mounts.append(namespace.Noexec(self.path(p)))

    def default(self, n, name):
        """Path of `name` in the n-th default directory (an overlay lies over it while this layout runs)."""
        return os.path.join(self.shop.default_dirs[n], name)

    @contextlib.contextmanager
    def surroundings(self):
        """Private /etc and other mounts around both runs."""
        with contextlib.ExitStack() as stack:
            if self.cache_raw is not None or self.preload_text is not None:
                etc = os.path.join(self.dir, "etc")
                os.makedirs(etc, exist_ok=True)
                for f in ("passwd", "group", "os-release"):
                    with contextlib.suppress(OSError):
                        shutil.copy(f"/etc/{f}", etc)
                if self.cache_raw is not None:
                    self.raw("etc/ld.so.cache", self.cache_raw)
                if self.preload_text is not None:
                    self.raw("etc/ld.so.preload", self.preload_text.encode())
                stack.enter_context(namespace.Bind(etc, "/etc"))
            for m in self.mounts:
                stack.enter_context(m)
            yield

    def environment(self):
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", **self.vars}
