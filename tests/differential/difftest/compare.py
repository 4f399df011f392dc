# SPDX-License-Identifier: Apache-2.0
"""Hold the two answers against each other. Every difference is a failure; nothing is tolerated."""
import os


def _abs(layout, p):
    return os.path.join(layout.cwd, p)


def _same_file(layout, a, b):
    return os.path.realpath(_abs(layout, a)) == os.path.realpath(_abs(layout, b))


def _there(layout, p):
    return os.path.lexists(_abs(layout, p))


def differences(layout, real, said):
    """List of (what, real, tool)."""
    d = []

    def check(what, a, b):
        if a != b:
            d.append((what, a, b))

    check("outcome", real.outcome, said.outcome)
    check("exit code", 0 if real.outcome == "found" else 1, said.exit)
    if real.outcome != said.outcome:
        return d
    if real.outcome == "found":
        check("path", real.path, said.path)
        if said.path and not _same_file(layout, real.path, said.path):
            d.append(("file", os.path.realpath(_abs(layout, real.path)), os.path.realpath(_abs(layout, said.path))))
        if real.rule and not _other_label(layout, real.path, real.rule, said.rule):
            check("rule", real.rule, said.rule)
        check("added", real.added, said.added)
    elif real.outcome == "kills":
        check("signal", real.signal, said.signal)
        if real.culprit_file:
            check("culprit_file", real.culprit_file, said.culprit_file)
    else:
        check("message", real.message, said.message)
        if real.culprit:
            check("culprit", real.culprit, said.culprit)
        if real.culprit_file:
            check("culprit_file", real.culprit_file, said.culprit_file)
    _trail(layout, real, said, check)
    return d


def _trail(layout, real, said, check):
    """Candidates that exist, in the order tried."""
    s = real.search_for(layout.ask)
    if not s or not real.started:
        return
    tried = [t for t in s.tries if _there(layout, t[0])]
    told = [t[:2] for t in said.trail if _there(layout, t[0])]
    check("sources in order", sorted((t[1] for t in told), key=ORDER.index), [t[1] for t in told])
    if len(tried) == len(told):
        tried = [(p, t[1] if p == t[0] and _other_label(layout, p, src, t[1]) else src) for (p, src), t in zip(tried, told)]
    check("trail", tried, told)


ORDER = ["loaded", "path", "rpath", "ld_library_path", "runpath", "cache", "default"]


def _other_label(layout, path, real, tool):
    """LD_DEBUG labels a folder by the list that named it first in the process, not by the list being searched. Where the labels
    differ, the tool's is right if a list of that kind names the folder, too; the order of sources is checked besides."""
    if real == tool or not {real, tool} <= {"rpath", "ld_library_path", "runpath"}:
        return False
    folder = os.path.dirname(_abs(layout, path))
    return _list_folder(folder) in layout.folders_of(tool)


def _list_folder(folder):
    """The folder as a list names it, without a sub-directory of the processor."""
    parts = os.path.realpath(folder).split("/")
    for i, part in enumerate(parts):
        if part in ("glibc-hwcaps", "tls", "x86_64", "haswell", "avx512_1"):
            return "/".join(parts[:i])
    return "/".join(parts)
