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


def loaded():
    """Paths of the loaded objects as the loader opened them; /proc/self/maps shows other paths on an overlay of an overlay."""
    class Info(ctypes.Structure):
        _fields_ = [("addr", ctypes.c_void_p), ("name", ctypes.c_char_p)]
    names = []
    visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)
    seen = visit(lambda info, size, data: names.append((info.contents.name or b"").decode()) or 0)
    ctypes.CDLL(None).dl_iterate_phdr(seen, None)
    return names


def opened_framework():
    return next(n for n in loaded() if "libtensorflow_framework.so" in n)


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
    folders = {os.path.realpath(os.path.dirname(n)) for n in loaded() if "/libcudnn.so." in n}
    for folder in sorted(folders):
        for name in sorted(n for n in os.listdir(folder) if n.startswith("libcudnn_") and ".so." in n):
            try:
                ctypes.CDLL(os.path.join(folder, name), mode=os.RTLD_NOW)
                os.write(2, f"\n@@SIBLING {name} ok\n".encode())
            except OSError as e:
                os.write(2, f"\n@@SIBLING {name} {e}\n".encode())


main()
