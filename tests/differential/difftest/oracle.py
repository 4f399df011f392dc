# SPDX-License-Identifier: Apache-2.0
"""What the real loader does with a layout: run the program under LD_DEBUG and read what it says."""
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

LINE = re.compile(rb"^ +\d+:\t(.*)$")
SOURCES = ((b"(LD_LIBRARY_PATH)", "ld_library_path"), (b"(RPATH from file ", "rpath"), (b"(RUNPATH from file ", "runpath"),
           (b"(system search path)", "default"))
HANG_AFTER, GIVE_UP_AFTER = 0.25, 20.0


@dataclass
class Search:
    """One `find library=` of the log."""
    name: str
    asker: str = None
    tries: list = field(default_factory=list)       # (path, source)


@dataclass
class Real:
    outcome: str = None         # found | missing | fails | kills
    path: str = None            # as opened (l_name)
    rule: str = None            # source of the winner; None: the log does not say
    signal: str = None
    message: str = None         # the loader's own text
    culprit: str = None         # soname that cannot be had, when the text or the log names one
    culprit_file: str = None    # file the text blames
    searches: list = field(default_factory=list)    # within the request
    added: list = field(default_factory=list)
    value: int = None
    started: bool = True
    log: str = ""

    def search_for(self, name):
        return next((s for s in self.searches if s.name == name), None)


def _in_open(pid):
    """Is the process asleep in openat(2)? That is where a FIFO holds the loader."""
    try:
        with open(f"/proc/{pid}/syscall") as f:
            return f.read().split()[0] in ("257", "2")
    except (OSError, IndexError):
        return False


def _wait(proc):
    """Return code, or None when the process hangs."""
    start, asleep = time.monotonic(), 0
    while True:
        try:
            return proc.wait(0.05 if time.monotonic() - start > HANG_AFTER / 2 else HANG_AFTER / 2)
        except subprocess.TimeoutExpired:
            asleep = asleep + 1 if _in_open(proc.pid) else 0
            if asleep >= 4 or time.monotonic() - start > GIVE_UP_AFTER:
                proc.kill()
                proc.wait()
                return None


def execute(layout, argv, extra_env):
    """(return code or None for a hang, stdout, stderr)"""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        ids = dict(user=layout.user, group=layout.user, extra_groups=[]) if layout.user else {}
        proc = subprocess.Popen(argv, cwd=layout.cwd, env={**layout.environment(), **extra_env}, stdin=subprocess.DEVNULL,
                                stdout=out, stderr=err, **ids)
        rc = _wait(proc)
        out.seek(0)
        err.seek(0)
        return rc, out.read(), err.read()


def parse_searches(lines):
    """Searches and mapped files from LD_DEBUG=libs,files lines."""
    searches, mapped, asker, source, cur = [], [], {}, None, None
    for raw in lines:
        m = LINE.match(raw)
        if not m:
            continue
        s = m.group(1)
        if (n := re.match(rb"file=(.*) \[\d+\];  (?:needed|dynamically loaded) by (.*) \[\d+\]$", s)):
            asker[n.group(1)] = n.group(2)
        elif (n := re.match(rb"find library=(.*) \[\d+\]; searching$", s)):
            cur = Search(os.fsdecode(n.group(1)), os.fsdecode(asker.get(n.group(1), b"")))
            searches.append(cur)
        elif s.startswith(b" search path="):
            source = next((k for mark, k in SOURCES if mark in s), None)
        elif s.startswith(b" search cache="):
            source = "cache"
        elif s.startswith(b"  trying file=") and cur:
            cur.tries.append((os.fsdecode(s[len(b"  trying file="):]), source))
        elif (n := re.match(rb"file=(.*) \[\d+\];  generating link map$", s)):
            name = os.fsdecode(n.group(1))
            mapped.append((name, cur.tries[-1][0] if cur and cur.name == name and cur.tries else name))
    return searches, mapped


def read_message(text):
    """(outcome, culprit soname or None, blamed file or None) from dlerror() or a start-up message."""
    m = re.match(r"(.*?): cannot open shared object file(?::|$)", text)
    if m:
        return "missing", m.group(1), None
    m = re.match(r"(.*?): wrong ELF class: ", text)
    if m:
        return "missing", m.group(1), None
    m = re.match(r"(.*?): (?:weak )?version `.*' not found \(required by .*\)", text)
    if m:
        return "fails", None, m.group(1)
    name = text.split(": ", 1)[0]
    return ("fails", None, name) if "/" in name else ("fails", name, None)


def _startup_text(stderr, program):
    """The loader's message when the program could not start."""
    text = stderr.decode(errors="surrogateescape")
    for line in text.splitlines():
        for head in (f"{program}: error while loading shared libraries: ", f"{program}: symbol lookup error: ", f"{program}: "):
            if line.startswith(head):
                return line[len(head):]
        if line.endswith(": CPU ISA level is lower than required"):
            return line
    return None


SIGNALS = {-6: "SIGABRT", -7: "SIGBUS", -11: "SIGSEGV", -4: "SIGILL", -8: "SIGFPE"}


def run(layout):
    rc, out, err = execute(layout, [layout.program, layout.caller_path or "-", layout.ask], {"LD_DEBUG": "libs,files,reloc"})
    r = Real(log=err.decode(errors="replace"))
    lines = err.split(b"\n")
    begin = next((i for i, s in enumerate(lines) if s == b"@@BEGIN"), None)
    end = next((i for i, s in enumerate(lines) if s == b"@@END"), len(lines))
    r.started = begin is not None
    r.searches, mapped = parse_searches(lines[begin if r.started else 0:end])
    said = [s.decode(errors="surrogateescape").split(" ", 1) for s in out.split(b"\n") if b" " in s]
    before = [p for w, p in said if w == "before"]
    r.added = [p for w, p in said if w == "after"][len(before):]
    if any(w == "nocaller" for w, _ in said):
        raise RuntimeError("the caller cannot be loaded: " + next(p for w, p in said if w == "nocaller"))
    ok = next((p for w, p in said if w == "ok"), None)
    if ok is not None:
        r.outcome, (value, r.path) = "found", ok.split(" ", 1)
        r.value = int(value)
        s = r.search_for(layout.ask)
        r.rule = ("path" if r.path in r.added else "loaded") if not s else s.tries[-1][1]
        if s and r.path not in r.added:
            r.rule = None       # a search found the inode of an object that was there already
        return r
    if rc is None or rc < 0 or b"Inconsistency detected by ld.so" in err:
        r.outcome = "kills"
        r.signal = "hang" if rc is None else SIGNALS.get(rc, str(rc)) if rc < 0 else "abort"
        if layout.blame:
            r.culprit_file = layout.path(layout.blame)
        elif r.signal != "abort":       # an assertion of the loader names no file
            r.culprit_file = _faulted(layout, out, lines) or _last_touched(r, lines[begin or 0:end])
        return r
    r.message = next((p for w, p in said if w == "error"), None) if r.started else _startup_text(err, layout.program)
    if r.message is None:
        raise RuntimeError(f"no answer from the program, exit {rc}: {out!r} {err[-300:]!r}")
    r.outcome, r.culprit, r.culprit_file = read_message(r.message)
    return r


def _faulted(layout, out, lines):
    """The file whose page was not there, under the name it was opened by; None where maps shows other paths (nested overlays)."""
    m = re.search(rb"^fault (0x[0-9a-f]+)$", out, re.M)
    if not m:
        return None
    addr = int(m.group(1), 16)
    _, mapped = parse_searches(lines)
    if addr < 4096:     # a null pointer: taken from a dynamic section of zeros
        zeroed = {os.path.realpath(z) for z in layout.zeroed}
        return next((p for _, p in reversed(mapped) if os.path.realpath(os.path.join(layout.cwd, p)) in zeroed), None)
    for a, b, path in re.findall(rb"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \d+ +(/.*)$", out, re.M):
        if int(a, 16) <= addr < int(b, 16):
            real = os.fsdecode(path)
            return next((p for _, p in mapped if os.path.realpath(os.path.join(layout.cwd, p)) == real), None)
    return None


def _last_touched(r, lines):
    """The file that the loader was busy with when the process died."""
    for s in reversed(lines):
        m = LINE.match(s)
        at = m and re.match(rb"relocation processing: (.*?)(?: \(lazy\))?$", m.group(1))
        if at:
            return os.fsdecode(at.group(1))
        if m and m.group(1).startswith(b"  trying file="):
            return os.fsdecode(m.group(1)[len(b"  trying file="):])
        m = m and re.match(rb"file=(/.*) \[\d+\];  (?:needed|dynamically loaded) by", m.group(1))
        if m:
            return os.fsdecode(m.group(1))
    return None
