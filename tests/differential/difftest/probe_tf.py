# SPDX-License-Identifier: Apache-2.0
"""Runs inside a real environment's Python under LD_DEBUG: call the exported functions by which TensorFlow opens its GPU libraries.
No driver and no GPU is needed.

    probe_tf.py import|framework FRAMEWORK FUNCTION...

import: `import tensorflow` first, then take the framework library it loaded. framework: open the library by the path under which
the import opens it, nothing else. Each function gets a scratch area for its returned object as hidden first argument. Marks
between the loader's lines on stderr say where each call begins.
"""
import ctypes
import os
import sys


def mark(text):
    os.write(2, f"\n@@{text}\n".encode())


def opened_framework():
    with open("/proc/self/maps") as f:
        return next(s.split(None, 5)[5].strip() for s in f if "libtensorflow_framework.so" in s)


def main():
    how, framework = sys.argv[1:3]
    mark("IMPORT")
    if how == "import":
        import tensorflow  # noqa: F401
        framework = opened_framework()
    lib = ctypes.CDLL(framework, mode=os.RTLD_NOW)
    mark("IMPORTED")
    for name in sys.argv[3:]:
        scratch = (ctypes.c_void_p * 16)()
        fn = getattr(lib, name)
        fn.restype = ctypes.c_void_p
        mark(f"CALL {name}")
        fn(ctypes.byref(scratch))
    mark("DONE")


main()
