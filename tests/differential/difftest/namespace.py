# SPDX-License-Identifier: Apache-2.0
"""Private mounts, so that a layout can have its own /etc (ld.so.cache, ld.so.preload) and files in the default directories."""
import ctypes
import os

MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 8, 4096, 16384, 1 << 18, 2
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
_libc = ctypes.CDLL(None, use_errno=True)


def _check(rc, what):
    if rc != 0:
        e = ctypes.get_errno()
        raise OSError(e, f"{what}: {os.strerror(e)}")


def mount(source, target, fstype=None, flags=0, data=None):
    def enc(s):
        return s.encode() if s is not None else None
    _check(_libc.mount(enc(source), enc(target), enc(fstype), ctypes.c_ulong(flags), enc(data)), f"mount {target}")


def umount(target):
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def _as_own_root():
    """Root of a user namespace of our own; enough for mounts, not for other users."""
    uid, gid = os.getuid(), os.getgid()
    _check(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as f:
            f.write(text)


def enter(base, write_to=()):
    """Move this process into its own mount namespace. Returns (why not, or None; an overlay of /usr/lib can be made and written
    to in these folders)."""
    try:
        if os.geteuid() == 0:
            _check(_libc.unshare(CLONE_NEWNS), "unshare")
        else:
            _as_own_root()
        mount("none", "/", None, MS_REC | MS_PRIVATE)
    except OSError as e:
        return f"no private mounts: {e}", False
    ov = os.path.join(base, "ov")
    try:
        os.mkdir(ov)
        mount("tmpfs", ov, "tmpfs")
        with Overlay(ov, "/usr/lib"):
            for d in write_to:      # root of a user namespace may mount it and still not write there
                with open(os.path.join(d, ".tfgpu-overlay"), "w"):
                    pass
    except OSError:
        return None, False
    return None, True


class Overlay:
    """A writable copy-on-write view of `target`, gone afterwards."""
    serial = 0

    def __init__(self, ov, target):
        Overlay.serial += 1
        self.dir, self.target = os.path.join(ov, str(Overlay.serial)), target

    def __enter__(self):
        os.makedirs(self.dir + "/up")
        os.makedirs(self.dir + "/work")
        mount("overlay", self.target, "overlay", 0,
              f"lowerdir={self.target},upperdir={self.dir}/up,workdir={self.dir}/work")

    def __exit__(self, *exc):
        umount(self.target)


class Bind:
    def __init__(self, source, target):
        self.source, self.target = source, target

    def __enter__(self):
        mount(self.source, self.target, None, MS_BIND)

    def __exit__(self, *exc):
        umount(self.target)


class Noexec:
    """A folder turned into a mount without permission to execute; what it holds stays."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        mount(self.path, self.path, None, MS_BIND)
        try:
            mount("none", self.path, None, MS_BIND | 32 | MS_NOEXEC)  # MS_REMOUNT
        except OSError:
            umount(self.path)
            raise

    def __exit__(self, *exc):
        umount(self.path)
