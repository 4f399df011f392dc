# SPDX-License-Identifier: Apache-2.0
"""ordinary - logs in which nothing is wrong with the GPU's environment, made now by the programs that are here.

logs(full) yields (name, text, remarks): `remarks` is true where TensorFlow itself may say on its start that it finds no GPU here.
"""
import gettext, glob, os, re, subprocess, sys, tempfile

ENVS = os.environ.get('TFGPU_ENVS') or os.path.expanduser('~/.cache/tfgpu-dev/envs')

PYTHON = '''
1/0
int('x')
{}['a']
[][3]
None.foo
undefined_name
'a' + 1
open('/no/such/file')
open('/')
open('/proc/1/mem', 'wb')
import no_such_module
import no_such.sub.module
from os import nothing_of_this_name
import json; json.loads('{"a": ')
import json; json.dumps(object())
float('abc')
(1).append(2)
b'\\xff\\xfe'.decode('utf-8')
'\\u20ac'.encode('ascii')
assert 1 == 2, 'values differ'
raise RuntimeError('CUDA is a nice name, but this is only a test')
raise ValueError('Shapes (None, 10) and (None, 1) are incompatible')
raise MemoryError
raise KeyboardInterrupt
raise SystemExit(3)
raise TimeoutError('the job took too long')
raise ConnectionRefusedError(111, 'Connection refused')
raise PermissionError(13, 'Permission denied', '/srv/data')
raise NotImplementedError
raise StopIteration
raise UserWarning('careful')
def f(): f()\nf()
exec('x = ')
exec('if True:\\nprint(1)')
exec('def f(:\\n  pass')
exec('print "hello"')
exec('\\tx = 1\\n        y = 2')
import subprocess; subprocess.run(['false'], check=True)
import subprocess; subprocess.run(['no-such-program'])
import subprocess; subprocess.run(['sh', '-c', 'kill -15 $$'], check=True)
import socket; socket.create_connection(('127.0.0.1', 9), 1)
import socket; socket.gethostbyname('no-such-host.invalid')
import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')
import ssl; ssl.create_default_context(cafile='/no/such')
import sqlite3; sqlite3.connect(':memory:').execute('select x from y')
import sqlite3; sqlite3.connect('/no/such/dir/x.db')
import csv; list(csv.DictReader([])); next(csv.reader([]))
import zipfile; zipfile.ZipFile('/etc/passwd')
import tarfile; tarfile.open('/etc/passwd')
import gzip; gzip.open('/etc/passwd').read()
import pickle; pickle.loads(b'garbage')
import ctypes; ctypes.CDLL('libnosuchthing.so.1')
import struct; struct.unpack('<Q', b'abc')
import re; re.compile('(')
import datetime; datetime.datetime.strptime('x', '%Y')
import argparse; argparse.ArgumentParser(prog='train').parse_args(['--batch'])
import unittest; unittest.main(module=None, argv=['x', 'no.such.test'])
import logging; logging.basicConfig(level=10); logging.error('loss is nan at step 12'); logging.warning('GPU memory growth is on')
import warnings; warnings.warn('np.bool is deprecated', DeprecationWarning); warnings.warn('Your input ran out of data')
import threading; t = threading.Thread(target=lambda: 1/0); t.start(); t.join()
import asyncio; asyncio.run(asyncio.wait_for(asyncio.sleep(9), 0.01))
import concurrent.futures as c; list(c.ThreadPoolExecutor(2).map(lambda x: 1 // x, [1, 0]))
import multiprocessing as m; p = m.Pool(1); p.map(int, ['x'])
import traceback\ntry:\n    {}['k']\nexcept KeyError as e:\n    raise RuntimeError('training failed') from e
import faulthandler; print('fatal errors of Python are shown by faulthandler')
class A: pass\nA().fit(x_train, y_train)
class M(type): pass\nclass B(metaclass=M): pass\nB(1)
import os; os.kill(os.getpid(), 15)
import os; os.environ['CUDA_VISIBLE_DEVICES_LIST']
import os; os.mkdir('/proc/x')
import os; os.listdir('/no/such')
import shutil; shutil.copy('/no/a', '/no/b')
import decimal; decimal.Decimal('x')
import ipaddress; ipaddress.ip_address('300.1.1.1')
import uuid; uuid.UUID('x')
import base64; base64.b64decode('abc')
import importlib; importlib.import_module('tensorflowx')
import configparser; c = configparser.ConfigParser(); c.read_string('x'); 
import xml.etree.ElementTree as e; e.fromstring('<a>')
import email; import http.client; http.client.HTTPConnection('127.0.0.1', 9, timeout=1).request('GET', '/')
print('\\n'.join(f'Epoch {e}/5\\n{b}/100 [====>.....] - ETA: {100-b}s - loss: {1/(b+1):.4f}' for e in range(1, 6) for b in range(0, 100, 20)))
import time\nfor i in range(30): print(f'\\r{i}/30 [{"=" * i}>{"." * (29 - i)}] - loss: {1 / (i + 1):.3f}', end='')
'''

SHELL = '''
ls /no/such/folder
cat /no/such/file
cat /etc/shadow-copy
cp /no/such /tmp
mv
rm /no/such
rmdir /proc
mkdir /proc/x
cd /nowhere
touch /proc/x
chmod +x /no/such
nosuchcommand --help
./train.sh
bash -c 'if true'
bash -c 'echo $((1/0))'
bash -c 'exit 3'; echo "exit $?"
bash -c 'kill -TERM $$'
sh -c 'no_such_function 1 2'
tar xf /etc/passwd
tar czf /proc/x.tgz /etc/hostname
gzip -d /etc/hostname
unzip /etc/hostname
zcat /etc/hostname
grep -r pattern /no/such
grep '[' /etc/passwd
sed 's/a' /etc/passwd
awk 'BEGIN {' /etc/passwd
find /no/such
sort --bad-option
head -n x /etc/passwd
dd if=/no/such of=/dev/null
df /no/such
mount /dev/no /mnt
kill -0 999999
timeout 0.1 sleep 1; echo "exit $?"
env -i nosuch
test -f /no/such || echo 'no data set here'
curl -sS http://127.0.0.1:9/
curl -sS file:///no/such
wget -q http://127.0.0.1:9/ ; echo "exit $?"
ssh -o BatchMode=yes -p 9 127.0.0.1 true
git -C / status
git -C /tmp rev-parse HEAD
git clone /no/such/repository /tmp/none-such
git checkout no-such-branch
git log --oneline no..such
git -c user.name=x commit -m x --dry-run
gcc /no/such.c
echo 'int main(void) { return x; }' | gcc -xc - -o /dev/null
echo 'int main(void) { return 0 }' | gcc -xc - -o /dev/null
echo '#include <no/such.h>' | gcc -xc - -c -o /dev/null
echo 'int f(void); int main(void) { return f(); }' | gcc -xc - -o /dev/null
echo 'int main(void) { int x; return x; }' | gcc -Wall -Wextra -Wconversion -O2 -xc - -o /dev/null
echo 'template <class T> struct A { typename T::x y; }; A<int> a;' | g++ -xc++ - -c -o /dev/null
echo 'int main() { cudaMalloc(); }' | g++ -xc++ - -c -o /dev/null
echo 'int main(void) { return 0; }' | gcc -xc - -lnosuchlib -o /dev/null
ld /no/such.o
ar x /no/such.a
objdump -d /etc/passwd
readelf -h /etc/passwd
nm /etc/passwd
strip /etc/passwd.none
ldd /etc/passwd
ldd /bin/ls
ldconfig -p
make -C /no/such
printf 'all:\\n\\tfalse\\n' | make -f -
printf 'all: missing.o\\n\\ttrue\\n' | make -f -
printf 'all:\\n  spaces\\n' | make -f -
cmake /no/such
cmake -P /no/such.cmake
ninja -C /no/such
meson setup /no/such /tmp/none
node -e 'undefined.x'
node -e 'require("no-such-module")'
node -e 'throw new Error("boom")'
node -e 'JSON.parse("{")'
java -version
java NoSuchClass
javac /no/such.java
cargo --version
cargo build --manifest-path /no/such/Cargo.toml
rustc /no/such.rs
perl -e 'die "x"'
perl -e 'use No::Such;'
ruby -e 'raise "x"'
php -r 'undefined();'
docker --version
docker run --nosuchflag
docker ps
systemctl status nosuch.service
journalctl -n 200 --no-pager
dmesg
dpkg -l
dpkg -i /no/such.deb
dpkg -s nosuchpackage
apt-get -s install nosuchpackage-xyz
apt-get -s remove nosuchpackage-xyz
apt-cache policy bash
apt-cache show nosuchpackage-xyz
apt-get -s upgrade
apt list --installed
pip --version
pip list
pip check
pip show nosuchpackage-xyz
pip uninstall -y nosuchpackage-xyz
pip install --no-index nosuchpackage-xyz
pip install --no-index requests==99999
pip install /no/such/folder
pip install /no/such.whl
pip install --no-index -r /no/such/requirements.txt
pip install 'requests=='
pip install 'a b c'
pip install --nosuchoption
pip download --no-index numpy==0.0.1
pip config list
pip debug
pip freeze
pip cache list
python3 -m venv /proc/x
python3 -m nosuchmodule
python3 -m pytest /no/such
python3 -m pytest --version
python3 -m json.tool /etc/passwd
python3 -m compileall /no/such
python3 -m unittest no.such
python3 -m http.server --bind 300.1.1.1 9
python3 -c 'import sys; print(sys.path); print(sys.version)'
python3 -X importtime -c 'import json'
python3 -W error -c 'import warnings; warnings.warn("x")'
python3 -u -c 'print("step 1 loss 0.5"); print("step 2 loss nan")'
lspci
lscpu
lsmod
free -h
nproc
uname -a
uptime
ps aux
top -b -n 1
ip addr
ss -ltn
ulimit -a
env
mount
df -h
locale
cat /proc/cpuinfo
cat /proc/meminfo
cat /proc/modules
cat /etc/os-release
cat /var/log/dpkg.log
cat /var/log/apt/history.log
cat /var/log/apt/term.log
cat /var/log/alternatives.log
'''

# runs in one process of TensorFlow; each part is a log of its own, with what was printed at the start before it
TENSORFLOW = r'''
import sys, traceback
import numpy as np
import tensorflow as tf
def mark(name):
    sys.stdout.flush(); sys.stderr.flush()
    print(f'\n@@@@ {name}', file=sys.stderr, flush=True)
def attempt(name, f):
    mark(name)
    try:
        f()
    except BaseException:
        traceback.print_exc()
k = tf.keras
x, y = np.random.rand(64, 8).astype('float32'), np.random.rand(64, 1).astype('float32')
def model(loss='mse', units=1):
    m = k.Sequential([k.layers.Input((8,)), k.layers.Dense(4, activation='relu'), k.layers.Dense(units)])
    m.compile('adam', loss, metrics=['mae'])
    return m
attempt('devices', lambda: print(tf.config.list_physical_devices(), tf.__version__))
attempt('fit', lambda: model().fit(x, y, epochs=3, validation_split=0.2))
attempt('fit-dataset', lambda: model().fit(tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64).batch(8), epochs=2))
attempt('out-of-data', lambda: model().fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(8), epochs=2, steps_per_epoch=50))
attempt('object-array', lambda: tf.convert_to_tensor(np.array([[1], [1, 2]], dtype=object)))
attempt('incompatible-shapes', lambda: tf.ones([3]) + tf.ones([4]))
attempt('matmul', lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])))
attempt('matmul-graph', lambda: tf.function(lambda a: tf.matmul(a, a))(tf.ones([2, 3])))
attempt('gather', lambda: tf.function(lambda a: tf.gather(tf.range(3), a))(tf.constant([7])))
attempt('embedding', lambda: k.layers.Embedding(4, 2)(tf.constant([[9]])))
attempt('reshape', lambda: tf.reshape(tf.ones([6]), [4]))
attempt('layer-input', lambda: model()(tf.ones([2, 5])))
attempt('wrong-rank', lambda: k.layers.Conv2D(2, 3)(tf.ones([2, 5])))
attempt('loss-shape', lambda: model('sparse_categorical_crossentropy', 4).fit(x, y[:32]))
attempt('label-range', lambda: model('sparse_categorical_crossentropy', 2).fit(x, np.full((64,), 9)))
attempt('no-attribute', lambda: tf.placeholder(tf.float32))
attempt('contrib', lambda: tf.contrib)
attempt('load', lambda: k.models.load_model('/no/such/model.keras'))
attempt('saved-model', lambda: tf.saved_model.load('/no/such/model'))
attempt('weights', lambda: model().load_weights('/no/such.weights.h5'))
attempt('image', lambda: tf.io.decode_jpeg(tf.constant(b'not an image')))
attempt('file', lambda: tf.io.read_file('/no/such/file'))
attempt('record', lambda: list(tf.data.TFRecordDataset('/no/such.tfrecord')))
attempt('example', lambda: tf.io.parse_single_example(b'garbage', {'a': tf.io.FixedLenFeature([], tf.int64)}))
attempt('nan', lambda: tf.debugging.check_numerics(tf.constant([float('nan')]), 'loss'))
attempt('assert', lambda: tf.debugging.assert_equal(1, 2))
attempt('dtype', lambda: tf.constant(1) + tf.constant(1.0))
attempt('cast', lambda: tf.constant('a', dtype=tf.float32))
attempt('device', lambda: tf.function(lambda: tf.ones([2]))())
attempt('dataset-end', lambda: [next(i) for i in [iter(tf.data.Dataset.range(1))] for _ in range(3)])
attempt('generator', lambda: list(tf.data.Dataset.from_generator(lambda: iter([1, 'a']), output_signature=tf.TensorSpec([], tf.int32))))
attempt('map', lambda: list(tf.data.Dataset.range(2).map(lambda v: tf.strings.to_number('x'))))
attempt('xla', lambda: tf.function(lambda a: tf.nn.relu(a) * 2, jit_compile=True)(tf.ones([8])))
attempt('retracing', lambda: [tf.function(lambda a: a + 1)(tf.ones([i])) for i in range(1, 9)])
attempt('gradient', lambda: k.optimizers.Adam().apply_gradients([]))
attempt('variable', lambda: tf.Variable(tf.ones([2])).assign(tf.ones([3])))
attempt('string-op', lambda: tf.strings.regex_replace('a', '(', 'b'))
attempt('mixed', lambda: k.mixed_precision.Policy('no_such_policy'))
attempt('strategy', lambda: tf.distribute.MirroredStrategy())
attempt('summary', lambda: model().summary())
attempt('numpy', lambda: np.dot(np.ones((2, 3)), np.ones((2, 3))))
attempt('memory-growth', lambda: [tf.config.experimental.set_memory_growth(g, True) for g in tf.config.list_physical_devices('GPU')])
mark('end')
'''


def run(cmd, cwd, env=None, limit=60):
    try:
        r = subprocess.run(cmd, cwd=cwd, env={**os.environ, 'LC_ALL': 'C.UTF-8', 'HOME': cwd, 'PIP_NO_CACHE_DIR': '1', 'PIP_DISABLE_PIP_VERSION_CHECK': '1', **(env or {})},
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
        return r.stdout.decode('utf-8', 'replace')
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b'').decode('utf-8', 'replace')


def tensorflow(full, cwd):
    pythons = sorted(glob.glob(os.path.join(ENVS, 'tf-*/bin/python')))
    for n, python in enumerate(reversed(pythons)):
        for level in ('0', '1', '2', '3') if full else ('0',):
            if not full and n:
                continue
            text = run([python, '-c', TENSORFLOW], cwd, {'TF_CPP_MIN_LOG_LEVEL': level}, 300)
            name = f'{python.split("/")[-3]}, log level {level}'
            start, *parts = text.split('\n@@@@ ')
            for part in parts:
                title, _, body = part.partition('\n')
                if title != 'end':
                    yield f'{name}: {title}', start + '\n' + body, True


def written():
    """Logs of programs that are not here, in our own wording: ordinary-logs/*.logs, blocks headed by '===== name'."""
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ordinary/*.logs'))):
        name, lines = None, []
        for line in open(path, encoding='utf-8'):
            if line.startswith('===== '):
                if name:
                    yield name, ''.join(lines), False
                name, lines = line[6:].strip(), []
            elif name:
                lines.append(line)
        if name:
            yield name, ''.join(lines), False


# What package managers print when they install a driver and all goes well; their own catalogues put it into the user's language.
INSTALLED = {
    'dpkg': ['Selecting previously unselected package %s.\n', 'Preparing to unpack %s ...\n', 'Unpacking %s (%s) ...\n', 'Unpacking %s (%s) over (%s) ...\n',
             'Setting up %s (%s) ...\n', 'Removing %s (%s) ...\n', 'Purging configuration files for %s (%s) ...\n', 'Processing triggers for %s (%s) ...\n'],
    'apt': ['%s is already the newest version (%s).\n', 'The following NEW packages will be installed:', '%s set to manually installed.\n',
            "Note, selecting '%s' for regex '%s'\n", "Note, selecting '%s' instead of '%s'\n", 'Package %s is a virtual package provided by:\n',
            'The following packages were automatically installed and are no longer required:', 'Recommended packages:', 'Suggested packages:'],
}


def installed():
    for domain, messages in INSTALLED.items():
        for mo in sorted(glob.glob(f'/usr/share/locale/*/LC_MESSAGES/{domain}.mo')):
            with open(mo, 'rb') as f:
                catalogue = gettext.GNUTranslations(f)
            lines = []
            for m in messages:
                words = iter(['nvidia-driver-550', '550.90.07-0ubuntu1', '550.54.14-0ubuntu1'])
                lines.append(re.sub(r'%(?:\d\$)?s', lambda _: next(words), catalogue.gettext(m)).rstrip('\n') + ('' if '%' in m else ' nvidia-driver-550 cuda-drivers'))
            yield f'{domain} in {mo.split("/")[4]}', '\n'.join(lines) + '\n', False


def logs(full):
    yield from written()
    yield from installed()
    with tempfile.TemporaryDirectory() as cwd:
        snippets = [s.replace('\\n', '\n') if s.count('\\n') and not s.startswith(('print', 'exec')) else s for s in PYTHON.strip().split('\n')]
        for s in snippets if full else snippets[::6]:
            yield f'python: {s[:60]}', run([sys.executable, '-c', s], cwd), False
        commands = SHELL.strip().split('\n')
        for c in commands if full else commands[::6]:
            yield f'shell: {c}', run(['bash', '-c', c.replace('\\n', '\n') if c.startswith('printf') is False else c], cwd), False
        yield from tensorflow(full, cwd)
