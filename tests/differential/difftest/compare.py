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
        if real.rule:
            check("rule", real.rule, said.rule)
        check("added", real.added, said.added)
    elif real.outcome == "kills":
        check("signal", real.signal, said.signal)
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
    check("trail", tried, told)
