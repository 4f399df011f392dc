#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""genlog - a log like those of long training jobs, for measuring. The same arguments give the same bytes.

usage: genlog.py KIND MIB >LOG       KIND: plain | ansi (the same job on a terminal: colours, progress bars that overwrite themselves) | oneline (no newline at all)

A job of some megabytes (packages installed, a start of TensorFlow, epochs of progress lines, the program's own log, warnings,
tracebacks of ordinary errors, kernel lines of the machine between them) is made anew for each MiB up to POOL; then the pool repeats.
A fault of the GPU stack stands in it once in four MiB. All lines are worded here; they follow how the programs print.
"""
import random, sys

POOL = 32   # MiB of different text; more than any cache holds
PACKAGES = ('absl-py astunparse certifi charset-normalizer flatbuffers gast google-pasta grpcio h5py idna keras libclang markdown ml-dtypes namex numpy opt-einsum optree '
            'packaging pandas pillow protobuf pygments requests rich scikit-learn scipy six tensorboard termcolor tqdm typing-extensions urllib3 werkzeug wheel wrapt').split()
DEBS = 'binutils cpp gcc-12 libc6-dev libgomp1 libjpeg62-turbo libpng16-16 libssl3 make openssl patch perl python3-dev tzdata xz-utils zlib1g-dev'.split()
FILES = 'train.py data/pipeline.py models/resnet.py models/layers/attention.py utils/metrics.py utils/checkpoint.py run.py'.split()
ERRORS = ('ValueError: could not convert string to float: \'n/a\'', 'KeyError: \'label\'', 'FileNotFoundError: [Errno 2] No such file or directory: \'data/val.tfrecord\'',
          'TypeError: unsupported operand type(s) for +: \'int\' and \'str\'', 'IndexError: list index out of range', 'ConnectionResetError: [Errno 104] Connection reset by peer')
FAULTS = ("2026-{d} {t}: W external/local_xla/xla/tsl/platform/default/dso_loader.cc:59] Could not load dynamic library 'libcudnn.so.{n}'; dlerror: libcudnn.so.{n}: cannot open shared object file: No such file or directory",
          'kernel: NVRM: Xid (PCI:0000:{n:02d}:00): 79, pid={n}, name=python, GPU has fallen off the bus.',
          "2026-{d} {t}: W tensorflow/core/framework/op_kernel.cc:1839] OP_REQUIRES failed at conv_ops.cc:1120 : RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[{n},256,56,56] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
          '2026-{d} {t}: E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error',
          "ImportError: libcublas.so.{n}: cannot open shared object file: No such file or directory")


class Job:
    def __init__(self, seed, ansi):
        self.r, self.ansi, self.sec, self.up = random.Random(seed), ansi, seed * 977 % 80000, 100.0 + seed * 3600

    def clock(self):
        self.sec += self.r.randrange(3)
        return f'{self.sec // 3600 % 24:02d}:{self.sec // 60 % 60:02d}:{self.sec % 60:02d}'

    def tf_time(self):
        return f'2026-{self.r.randrange(1, 13):02d}-{self.r.randrange(1, 29):02d} {self.clock()}.{self.r.randrange(1000000):06d}'

    def colour(self, code, text):
        return f'\x1b[{code}m{text}\x1b[0m' if self.ansi else text

    def pip(self, n):
        r = self.r
        for _ in range(n):
            p, v, k = r.choice(PACKAGES), f'{r.randrange(9)}.{r.randrange(40)}.{r.randrange(9)}', r.randrange(5)
            w = f'{p.replace("-", "_")}-{v}-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl'
            if k == 0:
                yield f'Collecting {p}>={v} (from -r requirements.txt (line {r.randrange(60)}))'
            elif k == 1:
                yield f'  Downloading {w} ({r.randrange(90)}.{r.randrange(9)} MB)'
                if self.ansi:
                    yield ''.join(f'\r     {self.colour(32, "━" * i + "╸")}{self.colour(90, "━" * (40 - i))} {i * 2.1:.1f}/84.0 MB {r.randrange(90)}.2 MB/s eta 0:00:{40 - i:02d}' for i in range(0, 41, 4))
                else:
                    yield f'     ---------------------------------------- {r.randrange(90)}.{r.randrange(9)}/90.0 MB {r.randrange(99)}.{r.randrange(9)} MB/s eta 0:00:00'
            elif k == 2:
                yield f'  Using cached {p.replace("-", "_")}-{v}-py3-none-any.whl ({r.randrange(900)} kB)'
            else:
                yield f'Requirement already satisfied: {p}!=4.21.0,<{r.randrange(9)}.{r.randrange(9)},>={v} in /usr/local/lib/python3.11/site-packages (from -r requirements.txt) ({v})'

    def apt(self, n):
        r = self.r
        for i in range(n):
            p, v = r.choice(DEBS), f'{r.randrange(20)}.{r.randrange(9)}-{r.randrange(9)}+deb12u{r.randrange(9)}'
            yield r.choice((f'Get:{i} http://deb.example.org/debian bookworm/main amd64 {p} amd64 {v} [{r.randrange(900)} kB]', f'Selecting previously unselected package {p}:amd64.',
                            f'Preparing to unpack .../{i:03d}-{p}_{v}_amd64.deb ...', f'Unpacking {p}:amd64 ({v}) ...', f'Setting up {p}:amd64 ({v}) ...'))

    def start(self):
        r, t = self.r, self.tf_time
        yield f'{t()}: I tensorflow/core/util/port.cc:153] oneDNN custom operations are on. You may see slightly different numerical results due to floating-point round-off errors from different computation orders. To turn them off, set the environment variable `TF_ENABLE_ONEDNN_OPTS=0`.'
        yield f'{t()}: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.'
        yield 'To enable the following instructions: AVX2 AVX512F AVX512_VNNI FMA, in other operations, rebuild TensorFlow with the appropriate compiler flags.'
        yield 'WARNING: All log messages before absl::InitializeLog() is called are written to STDERR'
        for i in range(4):
            yield f'I0000 00:00:17{r.randrange(10**8):08d}.{r.randrange(10**6):06d}    {r.randrange(9999)} gpu_device.cc:2020] Created device /job:localhost/replica:0/task:0/device:GPU:{i} with {r.randrange(80000)} MB memory:  -> device: {i}, name: NVIDIA A100-SXM4-80GB, pci bus id: 0000:0{i}:00.0, compute capability: 8.0'
        yield f'{t()}: I external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:473] Loaded cuDNN version 90300'

    def own_log(self, n):
        r = self.r
        for _ in range(n):
            k, level = r.randrange(6), r.choice(('INFO', 'INFO', 'INFO', 'DEBUG', 'WARNING'))
            head = f'2026-03-{r.randrange(1, 29):02d} {self.clock()},{r.randrange(1000):03d} {self.colour(33 if level == "WARNING" else 36, level)} [{r.choice(FILES)[:-3].replace("/", ".")}:{r.randrange(400)}] '
            if k == 0:
                yield head + f'saved checkpoint to runs/exp{r.randrange(99)}/ckpt-{r.randrange(100000)} in {r.random() * 9:.2f}s'
            elif k == 1:
                yield head + f'step={r.randrange(10**6)} lr={r.random() / 1000:.3e} grad_norm={r.random() * 10:.4f} loss={r.random() * 4:.5f} tokens/s={r.randrange(90000)}'
            elif k == 2:
                yield head + f'batch of {r.choice((32, 64, 128))} read from shard {r.randrange(1024):05d}-of-01024, queue depth {r.randrange(64)}'
            elif k == 3:
                yield head + f'validation: top1={r.random():.4f} top5={r.random():.4f} over {r.randrange(50000)} images'
            elif k == 4:
                yield head + f'worker {r.randrange(64)} heartbeat ok, rss={r.randrange(40000)} MiB, open files={r.randrange(900)}'
            else:
                yield head + f'skipping sample {r.randrange(10**7)}: caption shorter than {r.randrange(9)} words'

    def epoch(self, e, n):
        r, steps = self.r, 1563
        loss = 2.5 / (e + 1)
        yield f'Epoch {e + 1}/90'
        for i in range(n):
            at, s = steps * (i + 1) // n, f' {r.randrange(20)}s {r.randrange(40)}ms/step - accuracy: {r.random():.4f} - loss: {loss + r.random() / 9:.4f}'
            if not self.ansi:
                k = 20 * at // steps
                yield f'{at}/{steps} [{"=" * k}{">" if k < 20 else ""}{"." * (19 - k)}] -{s}'
            elif r.randrange(2):   # with the colours that Keras 3 writes to a file too
                k = 20 * at // steps
                yield f'\x1b[1m{at}/{steps}\x1b[0m \x1b[32m{"━" * k}\x1b[0m\x1b[37m{"━" * (20 - k)}\x1b[0m \x1b[1m{r.randrange(20)}s\x1b[0m {r.randrange(40)}ms/step{s}'
            else:                  # a bar that overwrites itself, as tqdm does
                yield ''.join(f'\rtrain: {10 * j:3d}%|{"█" * j}{" " * (10 - j)}| {at + j}/{steps} [00:{j:02d}<00:{10 - j:02d}, {r.randrange(90)}.{r.randrange(99):02d}it/s]' for j in range(11))

    def trouble(self, n):
        r = self.r
        for _ in range(n):
            yield 'Traceback (most recent call last):'
            for _ in range(r.randrange(2, 7)):
                yield f'  File "/home/user/project/{r.choice(FILES)}", line {r.randrange(900)}, in {r.choice(("main", "fit", "train_step", "__call__", "load", "next_batch"))}'
                yield f'    {r.choice(("return self.fn(*args, **kwargs)", "batch = next(it)", "loss = model.train_on_batch(x, y)", "for k, v in sorted(row.items()):"))}'
            yield r.choice(ERRORS)

    def kernel(self, n):
        r = self.r
        for _ in range(n):
            self.up += r.random() * 9
            yield f'[{self.up:12.6f}] ' + r.choice((f'usb 1-{r.randrange(9)}: new high-speed USB device number {r.randrange(99)} using xhci_hcd', f'EXT4-fs (nvme0n1p{r.randrange(9)}): mounted filesystem with ordered data mode',
                f'docker0: port {r.randrange(9)}(veth{r.randrange(16**7):07x}) entered blocking state', f'perf: interrupt took too long ({r.randrange(9999)} > {r.randrange(9999)}), lowering kernel.perf_event_max_sample_rate to {r.randrange(99)}000',
                f'audit: type=1400 audit(17{r.randrange(10**8):08d}.{r.randrange(1000):03d}:{r.randrange(99999)}): apparmor="STATUS" operation="profile_load" profile="unconfined" name="snap.lxd.activate" pid={r.randrange(99999)} comm="apparmor_parser"',
                f'eth0: renamed from veth{r.randrange(16**7):07x}', f'mce: CPU{r.randrange(64)}: Core temperature above threshold, cpu clock throttled (total events = {r.randrange(99)})'))

    def lines(self):
        r = self.r
        yield from self.apt(40)
        yield from self.pip(80)
        yield from self.start()
        for e in range(4):
            yield from self.epoch(e, 900 if not self.ansi else 500)
            yield from self.own_log(500)
            yield from self.kernel(100)
            yield from self.trouble(12)


def mib(kind, i):
    """The i-th MiB."""
    parts, size, job = [], 0, 0
    while size < 1 << 20:
        p = '\n'.join(Job(i * 100 + job, kind == 'ansi').lines()) + '\n'
        parts.append(p)
        size += len(p.encode())
        job += 1
    lines = ''.join(parts).split('\n')
    if i % 4 == 0:
        r = random.Random(i)
        lines.insert(len(lines) // 2, FAULTS[i // 4 % len(FAULTS)].format(d=f'{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}', t='10:11:12.131415', n=r.randrange(7, 13)))
    text = ('\t' if kind == 'oneline' else '\n').join(lines).encode()
    return text[:1 << 20] if kind == 'oneline' else text[:text.rfind(b'\n', 0, 1 << 20) + 1]


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ('plain', 'ansi', 'oneline'):
        sys.exit(__doc__)
    n, out, pool = int(sys.argv[2]), sys.stdout.buffer, []
    try:
        for i in range(n):
            if len(pool) < POOL:
                pool.append(mib(sys.argv[1], i))
            out.write(pool[i % POOL])
        out.flush()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


if __name__ == '__main__':
    main()
