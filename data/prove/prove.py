# SPDX-License-Identifier: Apache-2.0
# prove.py - does this TensorFlow compute, where, rightly, and how fast? Run by `tfgpu check --prove` in the examined environment:
#     python -B -c SCRIPT fd=3 quick=0 budget=120 gpu_free=0
# Every step writes one JSON line to the descriptor when it begins and one when it ends (docs/formats/proof-lines.md), so that a
# crash or a hang still names its step. Runs on Python 3.7 and later and on TensorFlow 2.4 and later; imports nothing that
# TensorFlow does not bring, and writes no file.
#
# Results are compared with a float64 reference from NumPy, at tolerances that follow from the arithmetic, not from experience:
#   float32  The inputs are multiples of 2**-10 in [-1, 1]: 11 significant bits, so they are exact in TensorFloat-32 (which Ampere
#            and later GPUs use for float32 matmul and convolution unless told otherwise), and their products are exact in
#            float32. Only the sum of K products rounds: at most K * u * sum|a*b|, in whatever order. u is 2**-24 for IEEE
#            float32; tensor cores cut instead of rounding and keep few bits beyond, so 2**-22 is allowed.
#   float16  The inputs are -1, 0 and 1, and K <= 2048: every partial sum is a whole number of at most 2048, which float16 holds
#            exactly, in whatever order and with whatever accumulator. The tolerance is 0.
# The convolution has stride 2: neither Winograd's nor Fourier's transform applies, whose own rounding would need another bound.
import json
import os
import sys
import time

START = time.monotonic()
TEXT_MAX = 2000
U_SUM = 2.0 ** -22
K = 1024                          # compared matmul: M x K times K x N, with M = N
M_OF = {'float32': 512, 'float16': 128}   # old versions compute float16 slowly on the CPU
IMAGES, SIDE, CHANNELS, TAPS, STRIDE = 8, 32, 64, 3, 2   # compared convolution: SIDE x SIDE pixels, TAPS x TAPS filters
GPU_SIZES, CPU_SIZES = (16384, 8192, 4096, 2048, 1024), (2048, 1024, 512, 256)   # edge of the timed square matrices
CONV_IMAGES, CONV_SIDE, CONV_CHANNELS = (256, 64, 16, 4), 56, 256           # timed convolution
PARTS = 6                         # matrices of the timed size that must fit into the free memory at once

options = dict(a.split('=', 1) for a in sys.argv[1:] if '=' in a)
FD = int(options.get('fd', '3'))
QUICK = options.get('quick') == '1'
BUDGET_S = float(options.get('budget', '120'))
GPU_FREE = int(options.get('gpu_free', '0'))   # bytes; 0: not known
BLOCK_S, SUSTAIN_S = (0.4, 1.5) if QUICK else (1.0, 5.0)


def say(stage, event, **more):
    more.update(stage=stage, event=event, ms=int((time.monotonic() - START) * 1000))
    data = (json.dumps(more) + '\n').encode('ascii')
    while data:
        data = data[os.write(FD, data):]


def left():
    return BUDGET_S - (time.monotonic() - START)


class Step:
    """One step: a line before, a line behind. An exception becomes the step's error and is not passed on."""

    def __init__(self, stage, **what):
        self.stage, self.what, self.done = stage, what, {}

    def __enter__(self):
        say(self.stage, 'begin', **self.what)
        return self.done

    def __exit__(self, kind, error, trace):
        if kind is None:
            say(self.stage, 'end', **dict(self.what, **self.done))
        else:
            say(self.stage, 'error', **dict(self.what, error_type=kind.__name__, error_text=str(error)[-TEXT_MAX:], **self.done))
        self.failed = kind is not None
        return True


def no_new_files():
    """Keras writes ~/.keras/keras.json when it is not there; it must not because of us."""
    home = os.environ.get('KERAS_HOME') or os.path.join(os.path.expanduser('~'), '.keras')
    if not os.path.exists(os.path.join(home, 'keras.json')):
        os.environ['KERAS_HOME'] = '/proc/self/none'


def import_tensorflow():
    global tf, np
    step = Step('import', python=sys.version.split()[0])
    with step as done:
        no_new_files()
        import tensorflow as tf
        import numpy as np
        done.update(version=str(tf.__version__), file=str(getattr(tf, '__file__', None)), numpy=str(np.__version__))
    return not step.failed


def find_gpus():
    """The GPUs that TensorFlow lists, each with memory growth switched on; None when listing failed."""
    gpus = None
    with Step('devices') as done:
        tf.config.set_soft_device_placement(False)   # an operation that cannot run where it is told must fail
        listed = tf.config.list_physical_devices('GPU')
        build = dict(tf.sysconfig.get_build_info())
        done.update(gpus=len(listed), cuda_build=bool(tf.test.is_built_with_cuda()),
                    cuda=str(build.get('cuda_version')), cudnn=str(build.get('cudnn_version')))
        try:
            done['tf32'] = bool(tf.config.experimental.tensor_float_32_execution_enabled())
        except AttributeError:
            pass
        gpus = listed
    for i, gpu in enumerate(gpus or []):
        with Step('device', device='GPU:%d' % i) as done:
            try:
                tf.config.experimental.set_memory_growth(gpu, True)
                done['growth'] = True
            except (ValueError, RuntimeError) as e:   # this process still computes, with the memory taken at once
                done.update(growth=False, growth_error=str(e)[:TEXT_MAX])
            details = getattr(tf.config.experimental, 'get_device_details', lambda g: {})(gpu)
            done['name'] = str(details.get('device_name'))
            cc = details.get('compute_capability')
            if cc:
                done['cc'] = int(cc[0]) * 10 + int(cc[1])
    return gpus


def start_context():
    """The first operation makes all devices: the driver's context, memory, libraries."""
    step = Step('context')
    with step:
        with tf.device('/CPU:0'):
            tf.reduce_sum(tf.ones([4])).numpy()
    return not step.failed


class Problem:
    """What is compared: inputs, the reference, the largest sum of absolute products, the number of products in a sum."""

    def __init__(self, op, dtype):
        self.op, self.dtype = op, dtype
        rs = np.random.RandomState(12345)
        if op == 'matmul':
            m = M_OF[dtype]
            shapes, self.k, self.size = ((m, K), (K, m)), K, '%dx%dx%d' % (m, K, m)
        else:
            shapes = (IMAGES, SIDE, SIDE, CHANNELS), (TAPS, TAPS, CHANNELS, CHANNELS)
            self.k, self.size = TAPS * TAPS * CHANNELS, '%dx%dx%dx%d, %dx%dx%d' % (*shapes[0], TAPS, TAPS, CHANNELS)
        if dtype == 'float16':
            self.inputs = [rs.randint(-1, 2, s).astype(dtype) for s in shapes]
        else:
            self.inputs = [(rs.randint(-1024, 1025, s) / 1024.0).astype(dtype) for s in shapes]
        a, b = (x.astype('float64') for x in self.inputs)
        self.reference = reference(op, a, b)
        self.tolerance = 0.0 if dtype == 'float16' else self.k * U_SUM * float(reference(op, abs(a), abs(b)).max())

    def run(self):
        a, b = (tf.constant(x) for x in self.inputs)
        return run_op(self.op, a, b)


def reference(op, a, b):
    if op == 'matmul':
        return a @ b
    out = (SIDE - TAPS) // STRIDE + 1
    end = STRIDE * (out - 1) + 1
    return sum(np.tensordot(a[:, i:i + end:STRIDE, j:j + end:STRIDE, :], b[i, j], 1) for i in range(TAPS) for j in range(TAPS))


def run_op(op, a, b):
    return tf.matmul(a, b) if op == 'matmul' else tf.nn.conv2d(a, b, STRIDE, 'VALID')


def worst(a, b):
    """Largest difference; text 'nan' or 'inf' where a result is no number (JSON has none for them)."""
    if a.shape != b.shape:
        return 'shape'
    d = float(np.max(np.abs(a - b))) if a.size else 0.0
    return d if np.isfinite(d) else str(d)


def compare(device, problem, cpu):
    """The result on `device` against the reference and against the CPU's result; gives it back when it lies there."""
    got = None
    with Step('compute', device=device, op=problem.op, dtype=problem.dtype, size=problem.size, tolerance=problem.tolerance) as done:
        with tf.device('/' + device):
            y = problem.run()
        done['placed'] = str(y.device)
        done['backing'] = str(getattr(y, 'backing_device', None))
        value = y.numpy().astype('float64')
        done['max_error'] = worst(value, problem.reference)
        if cpu is not None:
            done['cpu_error'] = worst(value, cpu)
        if done['placed'].endswith(device):
            got = value
    return got


def fetch(y):
    """Wait until y is there: a scalar of it has to reach Python."""
    return float(tf.reduce_sum(tf.cast(y, 'float32')).numpy())


def timed_inputs(op, dtype, size):
    """Random values, a block of them repeated on the device: made fast, and no zeros, which draw less power."""
    rs = np.random.RandomState(54321)

    def some(*shape):
        return tf.constant((rs.randint(-1024, 1025, shape) / 1024.0).astype(dtype))
    if op == 'matmul':
        edge = min(size, 1024)
        a = tf.tile(some(edge, edge), [size // edge, size // edge])
        return a, a, 2.0 * size ** 3, '%dx%dx%d' % (size, size, size)
    x = tf.tile(some(1, CONV_SIDE, CONV_SIDE, CONV_CHANNELS), [size, 1, 1, 1])
    out = (CONV_SIDE - TAPS) // STRIDE + 1
    flops = 2.0 * size * out * out * CONV_CHANNELS * TAPS * TAPS * CONV_CHANNELS
    shape = '%dx%dx%dx%d, %dx%dx%d' % (size, CONV_SIDE, CONV_SIDE, CONV_CHANNELS, TAPS, TAPS, CONV_CHANNELS)
    return x, some(TAPS, TAPS, CONV_CHANNELS, CONV_CHANNELS), flops, shape


def one_run(op, a, b):
    t = time.perf_counter()
    fetch(run_op(op, a, b))
    return time.perf_counter() - t


def measure(op, a, b, one, seconds):
    """So many runs that they take about `seconds` when each takes `one`: time until they are launched, time until they are done."""
    runs = max(1, min(200, int(seconds / max(one, 1e-6))))
    t0 = time.perf_counter()
    for _ in range(runs):
        y = run_op(op, a, b)
    t1 = time.perf_counter()      # where the popular way stops the clock
    fetch(y)
    t2 = time.perf_counter()
    return runs, (t1 - t0) / runs, (t2 - t0) / runs


def fits(dtype, size):
    return not GPU_FREE or PARTS * size * size * (2 if dtype == 'float16' else 4) <= GPU_FREE


def is_out_of_memory(e):
    return type(e).__name__ == 'ResourceExhaustedError' or isinstance(e, MemoryError)


def time_op(device, op, dtype):
    """Time the largest size that fits and takes reasonable time; gives (inputs, operation) for the sustained run."""
    gpu = device.startswith('GPU')
    sizes = CONV_IMAGES if op == 'conv2d' else GPU_SIZES if gpu else CPU_SIZES
    if gpu and op == 'matmul':
        sizes = [s for s in sizes if fits(dtype, s) and s <= (8192 if QUICK else s)] or sizes[-1:]
    if not gpu:
        sizes = sizes[-2:] if op == 'conv2d' else sizes[-1:] if dtype == 'float16' else sizes[-3:]   # old versions compute float16 slowly
    kept = None
    with Step('time', device=device, op=op, dtype=dtype) as done:
        with tf.device('/' + device):
            for size in sizes:
                try:
                    a, b, flops, shape = timed_inputs(op, dtype, size)
                    first = one_run(op, a, b)   # cold: libraries load, code is compiled
                    second = one_run(op, a, b)
                    if size != sizes[-1] and second * 4 > max(BLOCK_S, 0.1):
                        continue                # too slow for this device: a smaller one tells as much
                    runs, launch, whole = measure(op, a, b, second, min(BLOCK_S, max(left() / 8, 0.05)))
                except Exception as e:
                    a = b = None
                    if size == sizes[-1] or not is_out_of_memory(e):
                        raise
                    continue
                done.update(size=shape, flops=flops, runs=runs, first_us=first * 1e6, async_us=launch * 1e6, sync_us=whole * 1e6)
                kept = op, a, b, flops
                break
    return kept


def sustain(device, dtype, kept):
    """The same without a pause: a GPU that gets too hot or too little power slows down."""
    op, a, b, flops = kept
    with Step('sustain', device=device, op=op, dtype=dtype, flops=flops) as done:
        rates, end = [], time.perf_counter() + min(SUSTAIN_S, max(left() / 3, 0.2))
        one_run(op, a, b)
        with tf.device('/' + device):
            while time.perf_counter() < end and len(rates) < 100000:
                rates.append(one_run(op, a, b))
        part = max(1, len(rates) // 4)
        done.update(runs=len(rates), first_us=sorted(rates[:part])[part // 2] * 1e6, last_us=sorted(rates[-part:])[part // 2] * 1e6)


def main():
    if not import_tensorflow():
        return
    gpus = find_gpus()
    if gpus is None or not start_context():
        return
    devices = ['CPU:0'] + ['GPU:%d' % i for i in range(len(gpus))]
    problems = [Problem(op, dtype) for dtype in ('float32', 'float16') for op in ('matmul', 'conv2d')]
    cpu, computes = {}, set()
    for device in devices:
        for p in problems:
            got = compare(device, p, cpu.get((p.op, p.dtype)))
            if got is not None:
                computes.add((device, p.op, p.dtype))
            if device == 'CPU:0':
                cpu[p.op, p.dtype] = got
    timed = devices[:2] if QUICK else devices
    for device in reversed(timed):          # the GPUs first: they are what was asked
        for dtype in ('float32', 'float16'):
            for op in ('matmul', 'conv2d'):
                if (device, op, dtype) not in computes:
                    continue
                if left() < 1.0:
                    say('time', 'skip', device=device, op=op, dtype=dtype)
                    continue
                kept = time_op(device, op, dtype)
                if kept and op == 'matmul' and dtype == 'float32' and device != 'CPU:0' and left() > 1.0:
                    sustain(device, dtype, kept)
                del kept
    say('end', 'end')


main()
os._exit(0)   # no teardown: whether the driver's own goes well was not asked
