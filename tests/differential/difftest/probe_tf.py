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
        import tensorflow
        mark("IMPORTED")
        mark(f"GPUS {len(tensorflow.config.list_physical_devices('GPU'))}")
        framework = opened_framework()
    lib = ctypes.CDLL(framework, mode=os.RTLD_NOW)
    mark("IMPORTED")
    for name in sys.argv[3:]:
        scratch = (ctypes.c_void_p * 16)()
        fn = getattr(lib, name)
        fn.restype = ctypes.c_void_p
        mark(f"CALL {name}")
        fn(ctypes.byref(scratch))
    mark("SIBLINGS")
    siblings()
    mark("DONE")


def siblings():
    """Open what libcudnn opens when it is first used: its sub-libraries, from its own folder."""
    with open("/proc/self/maps") as f:
        folders = {os.path.dirname(s.split(None, 5)[5].strip()) for s in f if "/libcudnn.so." in s}
    for folder in sorted(folders):
        for name in sorted(n for n in os.listdir(folder) if n.startswith("libcudnn_") and ".so." in n):
            try:
                ctypes.CDLL(os.path.join(folder, name), mode=os.RTLD_NOW)
                os.write(2, f"\n@@SIBLING {name} ok\n".encode())
            except OSError as e:
                os.write(2, f"\n@@SIBLING {name} {e}\n".encode())


main()
