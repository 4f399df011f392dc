# SPDX-License-Identifier: Apache-2.0
"""What `tfgpu why` says of a layout."""
import json
from dataclasses import dataclass, field

from . import oracle


@dataclass
class Said:
    outcome: str = None
    path: str = None
    rule: str = None
    signal: str = None
    message: str = None
    culprit: str = None
    culprit_file: str = None
    trail: list = field(default_factory=list)   # (path, source, result)
    added: list = None                          # None: not told
    exit: int = None


def run(layout, tfgpu):
    argv = [tfgpu, "why", layout.ask, "--program", layout.program]
    if layout.caller_path:
        argv += ["--from", layout.caller_path]
    rc, out, err = oracle.execute(layout, argv + ["--format", "json"], {})
    try:
        j = json.loads(out)
    except ValueError:
        raise RuntimeError(f"tfgpu why: exit {rc}, no JSON: {out[:200]!r} {err[-500:]!r}") from None
    return Said(outcome=j["outcome"], path=j["path"], rule=j["rule"], signal=j.get("signal"), message=j.get("message"),
                culprit=j["culprit"], culprit_file=j.get("culprit_file"),
                trail=[(t["path"], t["source"], t["result"]) for t in j["trail"]], added=j.get("added"), exit=rc)
