# SPDX-License-Identifier: Apache-2.0
"""The hand-written layouts, by kind."""
import re
import subprocess

from . import candidates, dependencies, environments, lists, loaded, places, startup  # noqa: F401


def default_dirs():
    """The loader's default directories, in its order, as it says itself (glibc 2.33 and later)."""
    for ld in ("/lib64/ld-linux-x86-64.so.2",):
        try:
            text = subprocess.run([ld, "--help"], capture_output=True, text=True, check=False).stdout
        except OSError:
            continue
        dirs = re.findall(r"^  (/\S+) \(system search path\)$", text, re.M)
        if dirs:
            return dirs
    return ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"]
