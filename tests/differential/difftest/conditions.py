# SPDX-License-Identifier: Apache-2.0
"""What is done to a real environment, or around it, before TensorFlow is asked for its libraries."""
import glob
import os
import shutil

table = []      # (name, function, changes the environment's files)


class Skip(Exception):
    """The condition does not apply to this environment or machine."""


class Setting:
    """One condition on one environment. `site` is its site-packages."""

    def __init__(self, prefix, scratch, toolkit):
        self.prefix, self.scratch, self.toolkit = prefix, scratch, toolkit
        self.site = glob.glob(os.path.join(prefix, "lib/python3*/site-packages"))[0]
        self.vars, self.cwd, self.how, self.binds, self.shown = {}, scratch, "framework", [], prefix

    def nv(self, *parts):
        p = os.path.join(self.site, "nvidia", *parts)
        if not os.path.lexists(p):
            raise Skip("no " + os.path.join("nvidia", *parts))
        return p

    def nv_any(self, package, pattern):
        """The library of a package by pattern: its major version is the environment's own."""
        found = [p for p in sorted(glob.glob(os.path.join(self.site, "nvidia", package, "lib", pattern)))]
        if not found:
            raise Skip(f"no nvidia/{package}/lib/{pattern}")
        return found[0]

    def tk(self, name=""):
        p = os.path.join(self.toolkit, name)
        if not os.path.exists(p):
            raise Skip(f"no {p}")
        return p

    def empty_cache(self):
        p = os.path.join(self.scratch, "empty")
        with open(p, "wb"):
            pass
        self.binds.append((p, "/etc/ld.so.cache"))

    def replace(self, path, data):
        os.unlink(path)
        with open(path, "wb") as f:
            f.write(data)


def condition(changes=False):
    def wrap(fn):
        table.append((fn.__name__.replace("_", "-"), fn, changes))
        return fn
    return wrap


def head(path, n):
    with open(path, "rb") as f:
        return f.read(n)


@condition()
def as_installed(s):
    s.how = "import"


@condition()
def cusolver_on_ld_library_path(s):
    s.vars["LD_LIBRARY_PATH"] = s.nv("cusolver/lib")


@condition()
def all_packages_on_ld_library_path(s):
    s.vars["LD_LIBRARY_PATH"] = ":".join(sorted(glob.glob(os.path.join(s.site, "nvidia/*/lib"))))


@condition()
def toolkit_on_ld_library_path(s):
    s.vars["LD_LIBRARY_PATH"] = s.tk()


@condition()
def toolkit_then_cusolver_on_ld_library_path(s):
    s.vars["LD_LIBRARY_PATH"] = s.tk() + ":" + s.nv("cusolver/lib")


@condition()
def empty_cache(s):
    s.empty_cache()


@condition()
def empty_cache_and_cusolver(s):
    s.empty_cache()
    s.vars["LD_LIBRARY_PATH"] = s.nv("cusolver/lib")


@condition()
def empty_cache_and_toolkit_on_ld_library_path(s):
    s.empty_cache()
    s.vars["LD_LIBRARY_PATH"] = s.tk()


@condition()
def toolkit_cudnn_preloaded(s):
    s.vars["LD_PRELOAD"] = s.tk("libcudnn.so.9")


@condition()
def text_file_in_the_current_directory(s):
    s.cwd = os.path.join(s.scratch, "cwd")
    os.makedirs(s.cwd)
    with open(os.path.join(s.cwd, os.path.basename(s.nv_any("cuda_runtime", "libcudart.so.*"))), "w") as f:
        f.write("not a library\n")
    s.vars["LD_LIBRARY_PATH"] = s.nv("cusolver/lib") + ":"


@condition()
def libcuda_that_is_a_text_file(s):
    d = os.path.join(s.scratch, "drv")
    os.makedirs(d)
    with open(os.path.join(d, "libcuda.so.1"), "w") as f:
        f.write("not a library, but longer than a header, so that its magic number is what the loader objects to\n")
    s.vars["LD_LIBRARY_PATH"] = d


@condition()
def environment_behind_a_symlink(s):
    s.shown = os.path.join(s.scratch, "link")
    os.symlink(s.prefix, s.shown)


@condition(True)
def cudnn_removed(s):
    shutil.rmtree(s.nv("cudnn"))


@condition(True)
def cudnn_removed_and_empty_cache(s):
    shutil.rmtree(s.nv("cudnn"))
    s.empty_cache()


@condition(True)
def nvjitlink_removed(s):
    shutil.rmtree(s.nv("nvjitlink"))
    s.vars["LD_LIBRARY_PATH"] = s.nv("cusolver/lib")


@condition(True)
def nvjitlink_and_cusparse_removed(s):
    shutil.rmtree(s.nv("nvjitlink"))
    shutil.rmtree(s.nv("cusparse"))
    s.vars["LD_LIBRARY_PATH"] = s.nv("cusolver/lib")


@condition(True)
def cusparse_removed(s):
    shutil.rmtree(s.nv("cusparse"))


@condition(True)
def cusparse_removed_and_empty_cache(s):
    shutil.rmtree(s.nv("cusparse"))
    s.empty_cache()


@condition(True)
def cudart_removed(s):
    shutil.rmtree(s.nv("cuda_runtime"))


@condition(True)
def cublaslt_removed(s):
    os.unlink(s.nv_any("cublas", "libcublasLt.so.*"))


@condition(True)
def cudart_cut(s):
    s.how = "import"
    p = s.nv_any("cuda_runtime", "libcudart.so.*")
    s.replace(p, head(p, 300000))


@condition(True)
def cublas_cut_and_listing(s):
    s.how = "import"
    p = s.nv_any("cublas", "libcublas.so.*")
    s.replace(p, head(p, 8 << 20))


@condition(True)
def cublaslt_cut(s):
    p = s.nv_any("cublas", "libcublasLt.so.*")
    s.replace(p, head(p, 8 << 20))


@condition(True)
def cublaslt_cut_on_a_page(s):
    p = s.nv_any("cublas", "libcublasLt.so.*")
    s.replace(p, head(p, 4096))


@condition(True)
def cudnn_cut_of_its_last_bytes(s):
    p = s.nv_any("cudnn", "libcudnn.so.*")
    data = head(p, 1 << 30)
    s.replace(p, data[:-5000])


@condition(True)
def cublas_is_an_lfs_pointer(s):
    s.replace(s.nv_any("cublas", "libcublas.so.*"),
              b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a" * 16 + b"\nsize 109000000\n")


@condition(True)
def cufft_is_empty(s):
    s.replace(s.nv_any("cufft", "libcufft.so.*"), b"")


@condition(True)
def cufft_is_a_directory(s):
    p = s.nv_any("cufft", "libcufft.so.*")
    os.unlink(p)
    os.mkdir(p)


@condition(True)
def cudart_of_another_machine(s):
    p = s.nv_any("cuda_runtime", "libcudart.so.*")
    data = bytearray(head(p, 1 << 30))
    data[18] = 183
    s.replace(p, bytes(data))


@condition(True)
def cudart_of_the_wrong_class(s):
    p = s.nv_any("cuda_runtime", "libcudart.so.*")
    data = bytearray(head(p, 1 << 30))
    data[4] = 1
    s.replace(p, bytes(data))


@condition(True)
def cusolver_is_a_dangling_link(s):
    p = s.nv_any("cusolver", "libcusolver.so.*")
    os.unlink(p)
    os.symlink("/nowhere/libcusolver.so", p)
    s.vars["LD_LIBRARY_PATH"] = s.nv("cusolver/lib")


@condition(True)
def nccl_removed(s):
    shutil.rmtree(s.nv("nccl"))


@condition(True)
def cudnn_ops_of_the_toolkit(s):
    p = s.nv("cudnn/lib/libcudnn_ops.so.9")
    s.replace(p, head(s.tk("libcudnn_ops.so.9"), 1 << 30))


@condition(True)
def cudnn_of_the_toolkit_among_the_packages(s):
    p = s.nv("cudnn/lib/libcudnn.so.9")
    s.replace(p, head(s.tk("libcudnn.so.9"), 1 << 30))


@condition(True)
def cublas_linked_from_a_store(s):
    p = s.nv_any("cublas", "libcublas.so.*")
    store = os.path.join(s.site, "store")
    os.makedirs(store)
    shutil.move(p, store)
    os.symlink(os.path.join(store, os.path.basename(p)), p)


@condition(True)
def packages_reached_through_links(s):
    src = s.nv()
    dst = os.path.join(s.prefix, "store-nvidia")
    os.makedirs(dst)
    for pkg in os.listdir(src):
        lib = os.path.join(src, pkg, "lib")
        if os.path.isdir(lib):
            os.symlink(lib, os.path.join(dst, pkg))
    s.vars["LD_LIBRARY_PATH"] = os.path.join(dst, "cusolver")
