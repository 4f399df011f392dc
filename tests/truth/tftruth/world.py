# SPDX-License-Identifier: Apache-2.0
"""One mutation made real: changes in a hard-linked copy of an environment, files around it, a loader cache and a driver double of
its own. Everything that is touched in the copy is put back afterwards; the environment itself is never written to.

Verbs (a verb's value may be a list; paths may have wildcards and the variables of World.vars):
  rm PATH             empty PATH           keep {PATH: bytes}   cut to so many bytes (a negative number: so many off the end)
  poke {PATH: {offset: byte}}              text {PATH: content} link {PATH: target}
  copy {TO: FROM}     file or folder; TO/ means into it; hard links where possible
  move {TO: FROM}     mode {PATH: "0644"}  elf {PATH: keywords of elfw.write}
  zip {PATH: {member: content}}            append {PATH: text} to what is there
  restate PATTERN   sizes in TensorFlow's RECORD are one too big for these files
  merge {TO: FROM}    a folder's contents over another's, as an installer does
  env {NAME: value or null}                cwd PATH             caps "-dac_override,…" (dropped in the child)
  path [DIR…]         LD_LIBRARY_PATH; what an environment needs there as installed (raw: true: not even that) comes behind it
  driver {key: value} lines of the double's script; null: no driver's libraries at all
  driver_at PATH      folder of the driver's libraries (else ${W}/driver); driver_rm NAME  driver_in cache|path|none
  cache [DIR…]        folders in ld.so.cache before the driver's       system {PATH: FROM}  file put into a folder of the system
"""
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TESTS, 'lib'), os.path.join(TESTS, 'differential')]
import elfw  # noqa: E402
from difftest import namespace  # noqa: E402


class Skip(Exception):
    """The mutation does not apply here."""


def needed_path(original, site):
    """Folders of installed nvidia packages that this TensorFlow finds by LD_LIBRARY_PATH only: 2.21.0 lacks one in its RUNPATH."""
    framework = glob.glob(os.path.join(original, 'lib/python3*/site-packages/tensorflow/libtensorflow_framework.so.2'))
    if not framework:
        return []
    dynamic = subprocess.run(['readelf', '-d', framework[0]], capture_output=True, text=True, check=True).stdout
    packages = [os.path.join('nvidia', p, 'lib') for p in ('cuda_runtime', 'cublas', 'cufft', 'cusolver', 'cusparse', 'cudnn')]
    return [os.path.join(site, p) for p in packages if f'$ORIGIN/../../{p}' not in dynamic and f'$ORIGIN/../{p}' not in dynamic]


def aslist(v):
    return v if isinstance(v, list) else [v]


def link_copy(src, dst):
    """Like cp -al; other file systems get a real copy."""
    if os.path.isdir(src) and not os.path.islink(src):
        if subprocess.run(['cp', '-al', '--no-target-directory', src, dst], stderr=subprocess.DEVNULL, check=False).returncode:
            subprocess.run(['cp', '-a', '--no-target-directory', src, dst], check=True)
    elif os.path.islink(src):
        os.symlink(os.readlink(src), dst)
    else:
        try:
            os.link(src, dst)
        except OSError:
            shutil.copy2(src, dst)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


class World:
    def __init__(self, original, copy, scratch, doubles, others, parts):
        self.original, self.copy, self.scratch = original, copy, scratch
        self.touched, self.env, self.cwd, self.caps = [], {}, scratch, None
        self.driver, self.driver_at, self.driver_in, self.driver_rm = {}, os.path.join(scratch, 'driver'), 'cache', []
        self.cache, self.system, self.doubles, self.parts = [], {}, doubles, parts
        self.path, self.raw = [], False
        site = glob.glob(os.path.join(copy, 'lib/python3*/site-packages'))[0]
        self.vars = {'ENV': copy, 'SP': site, 'W': scratch, 'DRIVER': self.driver_at, 'HOME': os.path.join(scratch, 'home'),
                     'PY': os.path.basename(os.path.dirname(site)), 'CUDA': '/usr/local/cuda/lib64', 'DOUBLES': doubles, **others}

    def expand(self, text):
        def one(m):
            name = m.group(1)
            if name.startswith('PART:'):
                return self.parts(name[5:].replace('VERSION', os.path.basename(self.original)[3:]))
            if name not in self.vars:
                raise Skip(f'no {name} here')
            return self.vars[name]
        return re.sub(r'\$\{([^}]+)\}', one, text) if isinstance(text, str) else text

    def paths(self, pattern):
        """Existing paths; a pattern that matches nothing makes the mutation void."""
        p = os.path.join(self.vars['SP'], self.expand(pattern))
        found = sorted(glob.glob(p)) if any(c in p for c in '*?[') else [p] * os.path.lexists(p)
        if not found:
            raise Skip(f'no {pattern}')
        return found

    def touch(self, path):
        """The copy's path is about to change: break hard links, remember to put it back."""
        path = os.path.normpath(path)
        if path.startswith(self.copy + '/') and path not in self.touched:
            self.touched.append(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def own(self, path):
        """A file with an inode of its own."""
        self.touch(path)
        data = os.path.realpath(path)
        tmp = path + '.own'
        shutil.copy2(data, tmp)
        os.replace(tmp, path)
        return path

    def restore(self):
        for p in reversed(self.touched):
            remove(p)
        for p in self.touched:
            src = self.original + p[len(self.copy):]
            if os.path.lexists(src) and not os.path.lexists(p):
                os.makedirs(os.path.dirname(p), exist_ok=True)
                link_copy(src, p)

    # -- verbs ---------------------------------------------------------------------------------------------------------
    def do_rm(self, v):
        for pattern in aslist(v):
            for p in self.paths(pattern):
                remove(self.touch(p))

    def do_empty(self, v):
        for pattern in aslist(v):
            for p in self.paths(pattern):
                remove(self.touch(p))
                with open(p, 'wb'):
                    pass

    def do_keep(self, v):
        for pattern, size in v.items():
            for p in self.paths(pattern):
                size = size if size >= 0 else os.path.getsize(p) + size
                self.touch(p)
                with open(p, 'rb') as src, open(p + '.cut', 'wb') as dst:
                    dst.write(src.read(size))
                os.replace(p + '.cut', p)

    def do_poke(self, v):
        for pattern, changes in v.items():
            for p in self.paths(pattern):
                with open(self.own(p), 'r+b') as f:
                    for offset, byte in changes.items():
                        f.seek(int(offset))      # keys are text once they went through JSON
                        f.write(bytes([byte]))

    def do_text(self, v):
        for path, content in v.items():
            p = self.touch(os.path.join(self.vars['SP'], self.expand(path)))
            remove(p)
            with open(p, 'w', encoding='utf-8') as f:
                f.write(self.expand(content))

    def do_zip(self, v):
        """{ARCHIVE: {member: content}}; a member that ends in a slash is a folder."""
        for path, members in v.items():
            p = self.touch(os.path.join(self.vars['SP'], self.expand(path)))
            remove(p)
            with zipfile.ZipFile(p, 'w', zipfile.ZIP_DEFLATED) as z:
                for name, content in members.items():
                    z.writestr(name, self.expand(content))

    def do_append(self, v):
        for pattern, content in v.items():
            for p in self.paths(pattern):
                with open(self.own(p), 'a', encoding='utf-8') as f:
                    f.write(content)

    def do_restate(self, v):
        for p in self.paths('tensorflow*.dist-info/RECORD'):
            with open(self.own(p), 'r+', encoding='utf-8', newline='') as f:
                lines = [x.split(',') for x in f.read().splitlines()]
                f.seek(0)
                f.writelines(','.join(x[:-1] + [str(int(x[-1]) + 1)] if len(x) == 3 and x[-1] and fnmatch.fnmatch(x[0], v) else x) + '\r\n' for x in lines)

    def do_link(self, v):
        for path, target in v.items():
            p = self.touch(os.path.join(self.vars['SP'], self.expand(path)))
            remove(p)
            os.symlink(self.expand(target), p)

    def do_copy(self, v, then_remove=False):
        for path, source in v.items():
            for source_pattern in aslist(source):
                for src in self.paths(source_pattern):
                    dst = os.path.join(self.vars['SP'], self.expand(path))
                    dst = os.path.join(dst, os.path.basename(src)) if dst.endswith('/') else dst
                    self.touch(dst)
                    remove(dst)
                    link_copy(src, dst)
                    if then_remove:
                        remove(self.touch(src))

    def do_move(self, v):
        self.do_copy(v, True)

    def do_merge(self, v):
        """Unpack a folder's contents over another, as an installer does."""
        for path, source in v.items():
            for src in self.paths(source):
                dst = os.path.join(self.vars['SP'], self.expand(path))
                for name in os.listdir(src):
                    self.merge(os.path.join(src, name), os.path.join(dst, name))

    def merge(self, src, dst):
        if os.path.isdir(src) and os.path.isdir(dst):
            for name in os.listdir(src):
                self.merge(os.path.join(src, name), os.path.join(dst, name))
        else:
            self.touch(dst)
            remove(dst)
            link_copy(src, dst)

    def do_mode(self, v):
        for pattern, mode in v.items():
            for p in self.paths(pattern):
                if os.path.isdir(p):
                    self.touch(p)
                    os.chmod(p, int(mode, 8))
                else:
                    os.chmod(self.own(p), int(mode, 8))

    def do_elf(self, v):
        for path, kw in v.items():
            p = self.touch(os.path.join(self.vars['SP'], self.expand(path)))
            remove(p)
            with open(p, 'wb') as f:
                f.write(elfw.build(**kw))
            os.chmod(p, 0o755)

    def do_env(self, v):
        self.env.update({k: None if x is None else self.expand(str(x)) for k, x in v.items()})

    def do_path(self, v):
        self.path += [self.expand(x) for x in aslist(v)]

    def do_raw(self, v):
        self.raw = v

    def do_shown(self, v):
        """The environment by another name: a link to it."""
        p = self.vars['SHOWN'] = self.expand(v)
        os.symlink(self.copy, p)

    def do_cwd(self, v):
        self.cwd = self.expand(v)
        os.makedirs(self.cwd, exist_ok=True)

    def do_caps(self, v):
        self.caps = v

    def do_driver(self, v):
        if v is None:
            self.driver_in = 'none'
        else:
            self.driver.update(v)

    def do_driver_at(self, v):
        self.driver_at = self.vars['DRIVER'] = self.expand(v)

    def do_driver_in(self, v):
        self.driver_in = v

    def do_driver_rm(self, v):
        self.driver_rm += aslist(v)

    def do_cache(self, v):
        self.cache += [self.expand(x) for x in aslist(v)]

    def do_system(self, v):
        self.system.update({self.expand(k): self.expand(x) for k, x in v.items()})

    def apply(self, mutation):
        order = list(mutation.items())
        for early in ('driver_at',):
            order.sort(key=lambda kv: kv[0] != early)
        for verb, value in order:
            if verb not in ('for', 'why'):
                getattr(self, 'do_' + verb)(value)
        behind = [] if self.raw else needed_path(self.original, self.vars['SP'])
        if 'LD_LIBRARY_PATH' not in self.env and (self.path or behind):
            self.env['LD_LIBRARY_PATH'] = ':'.join(self.path + behind)

    # -- surroundings --------------------------------------------------------------------------------------------------
    def place_driver(self):
        os.makedirs(self.vars['HOME'], exist_ok=True)
        conf = os.path.join(self.scratch, 'driver-double.conf')
        with open(conf, 'w', encoding='utf-8') as f:
            f.writelines(f'{k} = {v}\n' for k, v in self.driver.items())
        self.env.setdefault('TFGPU_DRIVER_DOUBLE', conf)
        if self.driver_in == 'none':
            return
        os.makedirs(self.driver_at, exist_ok=True)
        version = str(self.driver.get('driver', '550.54.14'))
        for name in ('libcuda.so', 'libnvidia-ml.so'):
            if name + '.1' in self.driver_rm:
                continue
            full = os.path.join(self.driver_at, f'{name}.{version}')
            if not os.path.lexists(full):
                shutil.copy2(os.path.join(self.doubles, name + '.1'), full)
            for link in (name + '.1', name):
                if not os.path.lexists(os.path.join(self.driver_at, link)) and link not in self.driver_rm:
                    os.symlink(os.path.basename(full), os.path.join(self.driver_at, link))

    def surround(self):
        """Mounts of this process only: the loader's cache, files in the system's folders."""
        folders = self.cache + [self.driver_at] * (self.driver_in == 'cache')
        why, overlay = namespace.enter(self.scratch)
        in_system = self.driver_at.startswith('/') and not self.driver_at.startswith((self.scratch, self.copy))
        if why and (self.cache or self.system or in_system):
            raise Skip(why)
        if (self.system or in_system) and not overlay:
            raise Skip('no overlay mounts here')
        if in_system:
            namespace.Overlay(os.path.join(self.scratch, 'ov'), '/usr/lib').__enter__()
        self.place_driver()
        if why or self.driver_in == 'path':     # without mounts the driver's folder is a matter of the search path
            self.prepend_path(self.driver_at if folders or self.driver_in == 'path' else None)
        if why:
            return
        for path, src in self.system.items():
            self.put_into_system(path, src)
        private_cache(folders, self.scratch)

    def prepend_path(self, folder):
        if folder:
            old = self.env.get('LD_LIBRARY_PATH')
            self.env['LD_LIBRARY_PATH'] = folder + (':' + old if old else '')

    def put_into_system(self, path, src):
        folder = os.path.realpath(os.path.dirname(path))
        if not os.path.isdir(folder):
            raise Skip(f'no {folder} here')
        ov = namespace.Overlay(os.path.join(self.scratch, 'ov'), folder)
        ov.__enter__()
        for s in sorted(glob.glob(src)) or [src]:
            dst = path + os.path.basename(s) if path.endswith('/') else path
            if os.path.islink(s):
                os.symlink(os.readlink(s), dst)
            else:
                shutil.copy2(s, dst)


def conf_folders(path='/etc/ld.so.conf'):
    """Folders that the host's ld.so.conf names."""
    out = []
    try:
        with open(path, encoding='utf-8', errors='replace') as f:
            lines = [x.split('#')[0].strip() for x in f]
    except OSError:
        return out
    for x in lines:
        if x.startswith('include '):
            for sub in sorted(glob.glob(x[8:].strip())):
                out += conf_folders(sub)
        elif x and not x.startswith('hwcap'):
            out.append(x)
    return out


def private_cache(folders, scratch):
    """An ld.so.cache (and ld.so.conf) of the host's own folders without its CUDA, and of `folders` before them."""
    host = [d for d in conf_folders() if not glob.glob(d + '/libcu*') and not glob.glob(d + '/libnvidia-ml*')]
    conf, cache = os.path.join(scratch, 'ld.so.conf'), os.path.join(scratch, 'ld.so.cache')
    with open(conf, 'w', encoding='utf-8') as f:
        f.write('\n'.join(folders + host) + '\n')
    ldconfig = shutil.which('ldconfig') or '/sbin/ldconfig'
    subprocess.run([ldconfig, '-X', '-f', conf, '-C', cache], check=True, stderr=subprocess.DEVNULL)
    namespace.mount(cache, '/etc/ld.so.cache', None, namespace.MS_BIND)
    namespace.mount(conf, '/etc/ld.so.conf', None, namespace.MS_BIND)
