# SPDX-License-Identifier: Apache-2.0
"""machines - the base machines of the test cases: what a healthy machine of each kind has on disk, as far as it is looked at."""
import re, struct

KERNEL = '6.8.0-45-generic'
DRIVER = '550.54.14'
FIRST_GLIBC = ['2.2.5', '2.2.6', '2.3', '2.3.2', '2.3.3', '2.3.4'] + [f'2.{n}' for n in range(4, 20)] + [f'2.{n}' for n in range(22, 36)]
GLIBC = [f'GLIBC_{v}' for v in FIRST_GLIBC] + ['GLIBC_PRIVATE']
GLIBCXX = ['GLIBCXX_3.4'] + [f'GLIBCXX_3.4.{n}' for n in range(1, 31)]
CXXABI = ['CXXABI_1.3'] + [f'CXXABI_1.3.{n}' for n in range(1, 14)]
FLAGS = ('fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx pdpe1gb rdtscp lm '
         'constant_tsc rep_good nopl pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm abm '
         'fsgsbase bmi1 avx2 smep bmi2 erms').split()
LIBDIR = '/usr/lib/x86_64-linux-gnu'
INTERP = '/lib64/ld-linux-x86-64.so.2'
LIBC = {'libc.so.6': ['GLIBC_2.2.5', 'GLIBC_2.14']}
CXX = {'libstdc++.so.6': ['GLIBCXX_3.4', 'GLIBCXX_3.4.19', 'CXXABI_1.3.7'], 'libc.so.6': ['GLIBC_2.2.5', 'GLIBC_2.17']}
SUBLIBS = ('adv', 'cnn', 'engines_precompiled', 'engines_runtime_compiled', 'graph', 'heuristic', 'ops')

# nvidia-* distribution: version, folder, libraries (soname, version of the file)
NVIDIA = {
    'nvidia-cublas-cu12': ('12.9.1.4', 'cublas', ['libcublas.so.12', 'libcublasLt.so.12', 'libnvblas.so.12']),
    'nvidia-cuda-cupti-cu12': ('12.9.79', 'cuda_cupti', ['libcupti.so.12']),
    'nvidia-cuda-nvcc-cu12': ('12.9.86', 'cuda_nvcc', []),
    'nvidia-cuda-nvrtc-cu12': ('12.9.86', 'cuda_nvrtc', ['libnvrtc.so.12', 'libnvrtc-builtins.so.12.9']),
    'nvidia-cuda-runtime-cu12': ('12.9.79', 'cuda_runtime', ['libcudart.so.12']),
    'nvidia-cudnn-cu12': ('9.14.0.64', 'cudnn', ['libcudnn.so.9'] + [f'libcudnn_{s}.so.9' for s in SUBLIBS]),
    'nvidia-cufft-cu12': ('11.4.1.4', 'cufft', ['libcufft.so.11', 'libcufftw.so.11']),
    'nvidia-curand-cu12': ('10.3.10.19', 'curand', ['libcurand.so.10']),
    'nvidia-cusolver-cu12': ('11.7.5.82', 'cusolver', ['libcusolver.so.11', 'libcusolverMg.so.11']),
    'nvidia-cusparse-cu12': ('12.5.10.65', 'cusparse', ['libcusparse.so.12']),
    'nvidia-nccl-cu12': ('2.28.3', 'nccl', ['libnccl.so.2']),
    'nvidia-nvjitlink-cu12': ('12.9.86', 'nvjitlink', ['libnvJitLink.so.12']),
}
NV_ELF = {   # what the real libraries state: needed, rpath or runpath
    'libcublas.so.12': dict(needed=['libcublasLt.so.12'], rpath='$ORIGIN'),
    'libcublasLt.so.12': dict(rpath='$ORIGIN'),
    'libnvblas.so.12': dict(needed=['libcublas.so.12'], rpath='$ORIGIN'),
    'libcufft.so.11': dict(runpath='$ORIGIN/../../nvjitlink/lib:$ORIGIN'),
    'libcufftw.so.11': dict(needed=['libcufft.so.11'], runpath='$ORIGIN/../../nvjitlink/lib:$ORIGIN'),
    'libcurand.so.10': dict(runpath='$ORIGIN'),
    'libcusolver.so.11': dict(needed=['libnvJitLink.so.12', 'libcusparse.so.12', 'libcublas.so.12', 'libcublasLt.so.12'],
                              runpath='$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../nvjitlink/lib:$ORIGIN/../../cusparse/lib'),
    'libcusolverMg.so.11': dict(needed=['libnvJitLink.so.12', 'libcublas.so.12', 'libcublasLt.so.12'],
                                runpath='$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../nvjitlink/lib:$ORIGIN/../../cusparse/lib:'),
    'libcusparse.so.12': dict(needed=['libnvJitLink.so.12'], runpath='$ORIGIN/../../nvjitlink/lib:$ORIGIN'),
    'libcudnn.so.9': dict(rpath='$ORIGIN'),
}
CUDNN_RUNPATH = '$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../cuda_nvrtc/lib'
FAT = {'libcublas.so.12': 'cublas', 'libcublasLt.so.12': 'cublas', 'libcurand.so.10': 'cublas', 'libcusolver.so.11': 'cublas', 'libcusparse.so.12': 'cublas',
       'libcufft.so.11': 'cublas', 'libcudnn_ops.so.9': 'cudnn', 'libcudnn_cnn.so.9': 'cudnn', 'libcudnn_adv.so.9': 'cudnn'}
FAT_ARCH = {'cublas': ([50, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120], [120]), 'cudnn': ([75, 80, 86, 89, 90, 100, 120], [])}

BUILD_INFO = ("# Copyright 2020 The TensorFlow Authors. All Rights Reserved.\n\"\"\"Auto-generated module providing information about the build.\"\"\"\n"
              "import collections\n\nbuild_info = collections.OrderedDict([('cpu_compiler', 'clang 18'), ('cuda_compute_capabilities', "
              "['sm_60', 'sm_70', 'sm_80', 'sm_89', 'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), "
              "('is_cuda_build', True), ('is_rocm_build', False), ('is_tensorrt_build', False)])\n")
TF_VERSION = '2.20.0'
TF_REQUIRES = ['absl-py>=1.0.0', 'astunparse>=1.6.0', 'flatbuffers>=24.3.25', 'gast!=0.5.0,!=0.5.1,!=0.5.2,>=0.2.1', 'google_pasta>=0.1.1', 'libclang>=13.0.0',
               'opt_einsum>=2.3.2', 'packaging', 'protobuf>=5.28.0', 'requests<3,>=2.21.0', 'setuptools', 'six>=1.12.0', 'termcolor>=1.1.0',
               'typing_extensions>=3.6.6', 'wrapt>=1.11.0', 'grpcio<2.0,>=1.24.3', 'tensorboard~=2.20.0', 'keras>=3.10.0', 'numpy>=1.26.0',
               'h5py>=3.11.0', 'ml_dtypes<1.0.0,>=0.5.1']
TF_EXTRA = ['nvidia-cublas-cu12<13.0,>=12.5.3.2', 'nvidia-cuda-cupti-cu12<13.0,>=12.5.82', 'nvidia-cuda-nvcc-cu12<13.0,>=12.5.82',
            'nvidia-cuda-nvrtc-cu12<13.0,>=12.5.82', 'nvidia-cuda-runtime-cu12<13.0,>=12.5.82', 'nvidia-cudnn-cu12<10.0,>=9.3.0.75',
            'nvidia-cufft-cu12<12.0,>=11.2.3.61', 'nvidia-curand-cu12<11.0,>=10.3.6.82', 'nvidia-cusolver-cu12<12.0,>=11.6.3.83',
            'nvidia-cusparse-cu12<13.0,>=12.5.1.3', 'nvidia-nccl-cu12<3.0,>=2.25.1', 'nvidia-nvjitlink-cu12<13.0,>=12.5.82']
PURE = [('absl-py', '2.3.1', 'absl'), ('astunparse', '1.6.3', None), ('flatbuffers', '25.2.10', None), ('gast', '0.6.0', None),
        ('google_pasta', '0.2.0', 'pasta'), ('libclang', '18.1.1', 'clang'), ('opt_einsum', '3.4.0', None), ('packaging', '25.0', None),
        ('requests', '2.32.5', None), ('setuptools', '80.9.0', None), ('six', '1.17.0', None), ('termcolor', '3.1.0', None),
        ('typing_extensions', '4.15.0', None), ('grpcio', '1.75.0', 'grpc'), ('tensorboard', '2.20.0', None), ('keras', '3.11.3', None), ('pip', '24.0', None)]
SOABI = 'cpython-311-x86_64-linux-gnu'


def mov_ret(value):
    return b'\xf3\x0f\x1e\xfa\xb8' + struct.pack('<I', value) + b'\xc3'


def store(*values):
    """A function that stores numbers through its first (rdi) and second (rsi) argument; None: not."""
    code = b'\xf3\x0f\x1e\xfa'
    for op, v in zip((b'\xc7\x07', b'\xc7\x06'), values):
        code += b'' if v is None else op + struct.pack('<I', v)
    return code + b'\x31\xc0\xc3'


def version_code(soname, version):
    """(exported functions, read-only data) by which a library of NVIDIA states its version."""
    part = [int(x) for x in re.findall(r'\d+', version)] + [0, 0, 0]
    major, minor, patch = part[:3]
    short, wide = major * 1000 + minor * 100 + patch, major * 10000 + minor * 100 + patch
    data = bytes([patch & 255, minor & 255, major & 255, 0])
    cudnn = mov_ret(wide if major >= 9 else short)
    stem = soname.split('.so')[0]
    syms = {
        'libcudart': {'cudaRuntimeGetVersion': store(major * 1000 + minor * 10)},
        'libcublasLt': {'cublasLtGetVersion': mov_ret(wide)},
        'libcufft': {'cufftGetVersion': store(short)}, 'libcurand': {'curandGetVersion': store(short)},
        'libcusolver': {'cusolverGetVersion': store(short)}, 'libcusparse': {'cusparseGetVersion': store(None, short)},
        'libnvJitLink': {'nvJitLinkVersion': store(major, minor)}, 'libnvrtc': {'nvrtcVersion': store(major, minor)},
        'libnccl': {'ncclGetVersion': store(wide)},
        'libcudnn': {'cudnnGetVersion': cudnn, 'cudnnGetCudartVersion': mov_ret(12090)},
        'libcudnn_graph': {'cudnn_graph_version': data, 'cudnnGetVersion': cudnn, 'cudnnGetCudartVersion': mov_ret(12090)},
        'libcudnn_ops': {'cudnn_ops_infer_version': data}, 'libcudnn_adv': {'cudnn_adv_infer_version': data},
        'libcudnn_ops_infer': {'cudnn_ops_infer_version': data, 'cudnnGetVersion': cudnn},
    }.get(stem, {})
    return syms, f'{version}\0'.encode()


# -- distribution --------------------------------------------------------------------------------------------------------
def distro(t):
    for d in ('bin', 'sbin', 'lib', 'lib64'):
        t.mkdir(f'/usr/{d}')
        t.link(f'/{d}', f'usr/{d}')
    t.write('/etc/os-release', 'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\n'
            'VERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\n')
    t.write('/etc/passwd', 'root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n')
    t.write('/etc/group', 'root:x:0:\nvideo:x:44:\nrender:x:109:\nuser:x:1000:\n')
    t.write('/etc/ld.so.conf', 'include /etc/ld.so.conf.d/*.conf\n')
    t.write('/etc/ld.so.conf.d/libc.conf', '# libc default configuration\n/usr/local/lib\n')
    t.write('/etc/ld.so.conf.d/x86_64-linux-gnu.conf', '/usr/local/lib/x86_64-linux-gnu\n/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n')
    t.write('/home/user/.bashrc', '# ~/.bashrc\ncase $- in *i*) ;; *) return;; esac\nalias ll="ls -alF"\n')
    t.write('/home/user/.profile', 'if [ -d "$HOME/bin" ] ; then\n    PATH="$HOME/bin:$PATH"\nfi\n')
    t.mkdir('/tmp')
    L = LIBDIR
    t.lib(f'{L}/libc.so.6', 'libc.so.6', needed=['ld-linux-x86-64.so.2'], verdef=GLIBC,
          rodata=b'GNU C Library (Ubuntu GLIBC 2.35-0ubuntu3.8) stable release version 2.35.\n\0')
    t.elf(f'{L}/ld-linux-x86-64.so.2', soname='ld-linux-x86-64.so.2', verdef=['GLIBC_2.2.5', 'GLIBC_2.3', 'GLIBC_2.4', 'GLIBC_2.34', 'GLIBC_2.35', 'GLIBC_PRIVATE'])
    t.link('/usr/lib64/ld-linux-x86-64.so.2', '/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2')
    t.info['cache'].append(['ld-linux-x86-64.so.2', f'{L}/ld-linux-x86-64.so.2', None])
    for n in ('libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'librt.so.1', 'libutil.so.1'):
        t.lib(f'{L}/{n}', n, needed=['libc.so.6'], verdef=GLIBC)
    t.lib(f'{L}/libgcc_s.so.1', 'libgcc_s.so.1', needed=['libc.so.6'], verdef=['GCC_3.0', 'GCC_3.3', 'GCC_3.3.1', 'GCC_3.4', 'GCC_3.4.2', 'GCC_4.2.0', 'GCC_4.3.0'])
    t.lib(f'{L}/libstdc++.so.6.0.30', 'libstdc++.so.6', needed=['libm.so.6', 'libc.so.6', 'libgcc_s.so.1'], verdef=GLIBCXX + CXXABI)
    t.lib(f'{L}/libz.so.1.2.11', 'libz.so.1', needed=['libc.so.6'], verdef=['ZLIB_1.2.0', 'ZLIB_1.2.9'])
    t.lib(f'{L}/libexpat.so.1.8.7', 'libexpat.so.1', needed=['libc.so.6'])
    t.m['environment'] = {'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': '/home/user', 'USER': 'user', 'SHELL': '/bin/bash', 'LANG': 'C.UTF-8'}
    t.m['cwd'] = '/home/user'
    t.m['user'] = {'uid': 1000, 'gid': 1000, 'groups': [1000, 27, 44]}


def kernel(t, release=KERNEL, hypervisor=False, proc_version=None):
    flags = FLAGS + (['hypervisor'] if hypervisor else [])
    t.m['kernel'] = {'release': release, 'machine': 'x86_64'}
    t.m['cpu'] = {'vendor': 'GenuineIntel', 'model': 'Example CPU', 'flags': flags}
    t.write('/proc/cpuinfo', ''.join(f'processor\t: {i}\nvendor_id\t: GenuineIntel\nmodel name\t: Example CPU\nflags\t\t: {" ".join(flags)}\n\n' for i in range(2)))
    t.write('/proc/version', proc_version or f'Linux version {release} (buildd@host) (x86_64-linux-gnu-gcc-12 (Ubuntu 12.3.0) 12.3.0) #45-Ubuntu SMP\n')
    t.write('/proc/sys/kernel/osrelease', release + '\n')
    t.write('/sys/module/kernel/parameters/panic', '0\n')
    t.write('/proc/1/comm', 'systemd\n')
    t.write('/proc/1/cgroup', '0::/init.scope\n')
    t.write('/proc/self/cgroup', '0::/user.slice/user-1000.slice/session-2.scope\n')
    t.write('/proc/self/mountinfo', '29 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n')
    t.write('/proc/mounts', '/dev/nvme0n1p2 / ext4 rw,relatime 0 0\n')
    memory(t)
    t.write('/proc/self/limits', f'{"Limit":25} {"Soft Limit":20} {"Hard Limit":20} Units     \n{"Max open files":25} {"1024":20} {"1048576":20} files     \n'
            f'{"Max locked memory":25} {"8388608":20} {"8388608":20} bytes     \n')
    t.write('/proc/self/status', 'Name:\ttfgpu\nCpus_allowed:\tffff\nCpus_allowed_list:\t0-15\nMems_allowed_list:\t0\n')
    t.write('/proc/modules', 'ext4 1114112 1 - Live 0x0000000000000000\n')
    t.mkdir('/run/systemd/system')
    t.node('/dev/null', 1, 3)


def memory(t, total=64 << 30, available=None, shm=None):
    """MemTotal and MemAvailable of /proc/meminfo and the size of /dev/shm, in bytes."""
    t.write('/proc/meminfo', f'MemTotal:       {total >> 10:8} kB\nMemFree:        {total >> 12:8} kB\nMemAvailable:   {(available or total * 3 // 4) >> 10:8} kB\n'
            f'SwapTotal:       2097148 kB\n')
    t.m.setdefault('space', {})['/dev/shm'] = {'size': shm or total // 2, 'free': shm or total // 2}


def dmi(t, vendor='ASUS', product='System Product Name'):
    d = '/sys/class/dmi/id'
    for k, v in (('sys_vendor', vendor), ('product_name', product), ('board_vendor', vendor), ('bios_vendor', 'American Megatrends Inc.' if vendor == 'ASUS' else vendor),
                 ('chassis_vendor', vendor)):
        t.write(f'{d}/{k}', v + '\n')
    t.write('/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c', b'\x06\0\0\0\0')


def pci_dev(t, addr, vendor, device, cls, driver=None, parent='pci0000:00/0000:00:01.0'):
    d = f'/sys/devices/{parent}/{addr}' if parent else f'/sys/devices/pci0000:00/{addr}'
    for k, v in (('vendor', vendor), ('device', device), ('class', cls), ('subsystem_vendor', '0x1043'), ('subsystem_device', '0x87af'), ('revision', '0xa1'),
                 ('numa_node', '-1'), ('enable', '1')):
        t.write(f'{d}/{k}', v + '\n')
    v, dv, c = int(vendor, 16), int(device, 16), int(cls, 16)
    alias = f'pci:v{v:08X}d{dv:08X}sv00001043sd000087AFbc{c >> 16:02X}sc{c >> 8 & 255:02X}i{c & 255:02X}'
    t.write(f'{d}/modalias', alias + '\n')
    t.write(f'{d}/uevent', (f'DRIVER={driver}\n' if driver else '') + f'PCI_CLASS={c:X}\nPCI_ID={v:04X}:{dv:04X}\nPCI_SLOT_NAME={addr}\nMODALIAS={alias}\n')
    if driver:
        t.mkdir(f'/sys/bus/pci/drivers/{driver}')
        t.link(f'{d}/driver', '../' * (d.count('/') - 1) + f'bus/pci/drivers/{driver}')
    t.link(f'/sys/bus/pci/devices/{addr}', '../../../' + d[len('/sys/'):])


def pci_gpu(t, addr='0000:01:00.0', device='0x2204', cls='0x030000', driver='nvidia', vendor='0x10de'):
    pci_dev(t, addr, vendor, device, cls, driver)
    pcie(t, addr)


SPEED = ['2.5 GT/s PCIe', '5.0 GT/s PCIe', '8.0 GT/s PCIe', '16.0 GT/s PCIe', '32.0 GT/s PCIe']


def pcie(t, addr, width=16, width_max=16, width_port=16, gen=1, gen_max=4, gen_port=4, numa=-1, iommu=None):
    """The link of a GPU and of the port above it. Generation 1 is what an idle GPU has."""
    dev = t.real(f'/sys/bus/pci/devices/{addr}', True)
    for d, names in ((dev, {'current_link_width': width, 'max_link_width': width_max, 'current_link_speed': SPEED[gen - 1], 'max_link_speed': SPEED[gen_max - 1], 'numa_node': numa}),
                     (dev.rsplit('/', 1)[0], {'max_link_width': width_port, 'max_link_speed': SPEED[gen_port - 1]})):
        for k, v in names.items():
            t.write(f'{d}/{k}', f'{v}\n')
    if iommu:
        t.write(f'/sys/kernel/iommu_groups/{int(addr[5:7], 16)}/type', iommu + '\n')
        t.link(f'{dev}/iommu_group', f'/sys/kernel/iommu_groups/{int(addr[5:7], 16)}')


def pci_bus(t):
    pci_dev(t, '0000:00:00.0', '0x8086', '0x4660', '0x060000', None, None)
    pci_dev(t, '0000:00:02.0', '0x8086', '0x4680', '0x030000', 'i915', None)
    t.write('/usr/share/misc/pci.ids', '10de  NVIDIA Corporation\n\t1aef  GA102 High Definition Audio Controller\n\t2204  GA102 [GeForce RTX 3090]\n'
            '8086  Intel Corporation\n\t4680  AlderLake-S GT1\n')


def kmod(t, version=DRIVER, open_kernel=False, release=KERNEL):
    kind = 'Open Kernel Module for x86_64' if open_kernel else 'x86_64 Kernel Module'
    t.write('/proc/driver/nvidia/version', f'NVRM version: NVIDIA UNIX {kind}  {version}  Thu Feb 22 01:44:30 UTC 2024\nGCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n')
    t.write('/proc/driver/nvidia/gpus/0000:01:00.0/information', 'Model: \t\t NVIDIA GeForce RTX 3090\nIRQ:   \t\t 155\nVideo BIOS: \t 94.02.42.80.d5\nBus Type: \t PCIe\nDevice Minor: \t 0\n')
    t.write('/proc/driver/nvidia/params', 'ModifyDeviceFiles: 1\nDeviceFileUID: 0\nDeviceFileGID: 0\nDeviceFileMode: 438\n')
    t.write('/sys/module/nvidia/version', version + '\n')
    t.write('/sys/module/nvidia/initstate', 'live\n')
    for m in ('nvidia_uvm', 'nvidia_modeset', 'nvidia_drm'):
        t.write(f'/sys/module/{m}/initstate', 'live\n')
    t.write('/proc/modules', 'nvidia_uvm 4677632 0 - Live 0x0000000000000000 (POE)\nnvidia 54312960 2 nvidia_uvm,nvidia_modeset, Live 0x0000000000000000 (POE)\next4 1114112 1 - Live 0x0000000000000000\n')
    t.write('/proc/devices', 'Character devices:\n  1 mem\n195 nvidia\n195 nvidiactl\n234 nvidia-nvlink\n235 nvidia-caps\n510 nvidia-uvm\n\nBlock devices:\n259 blkext\n')
    import elfw
    t.write(f'/lib/modules/{release}/updates/dkms/nvidia.ko', elfw.kernel_module(version, release))
    t.write(f'/lib/modules/{release}/modules.dep', 'updates/dkms/nvidia.ko:\n')
    t.write(f'/usr/src/nvidia-{version}/dkms.conf', f'PACKAGE_NAME="nvidia"\nPACKAGE_VERSION="{version}"\n')
    t.mkdir(f'/var/lib/dkms/nvidia/{version}/{release}/x86_64')
    t.write('/etc/modprobe.d/nvidia-graphics-drivers-kms.conf', 'options nvidia_drm modeset=1\nblacklist nouveau\n')


def nodes(t):
    t.node('/dev/nvidia0', 195, 0)
    t.node('/dev/nvidiactl', 195, 255)
    t.node('/dev/nvidia-uvm', 510, 0)
    t.node('/dev/nvidia-uvm-tools', 510, 1)


def driver_libs(t, version=DRIVER, where=LIBDIR):
    base = ['libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'librt.so.1']
    t.lib(f'{where}/libcuda.so.{version}', 'libcuda.so.1', needed=base, verneed=LIBC, rodata=f'{version}\0'.encode())
    t.link(f'{where}/libcuda.so', 'libcuda.so.1')
    t.lib(f'{where}/libnvidia-ml.so.{version}', 'libnvidia-ml.so.1', needed=base, verneed=LIBC, rodata=f'{version}\0'.encode())
    t.lib(f'{where}/libnvidia-ptxjitcompiler.so.{version}', 'libnvidia-ptxjitcompiler.so.1', needed=base, verneed=LIBC)
    t.elf('/usr/bin/nvidia-smi', interp=INTERP, pie=True, needed=['libc.so.6'])


# -- Python and TensorFlow -----------------------------------------------------------------------------------------------
def python(t):
    t.elf('/usr/bin/python3.11', interp=INTERP, pie=True, needed=['libm.so.6', 'libz.so.1', 'libexpat.so.1', 'libc.so.6'],
          verneed={'libc.so.6': ['GLIBC_2.34', 'GLIBC_2.35']}, rodata=b'3.11.9\0')
    t.link('/usr/bin/python3', 'python3.11')
    stdlib(t, '/usr/lib/python3.11')
    t.mkdir('/usr/lib/python3/dist-packages')
    t.mkdir('/usr/local/lib/python3.11/dist-packages')


def stdlib(t, d):
    for n in ('os', 'site', 'random', 'types', 'typing', 'ctypes/__init__', 'encodings/__init__', 'collections/__init__', 'importlib/__init__', 'json/__init__', 'platform',
              'copy', 'enum', 'logging/__init__', 'socket', 'queue', 'string', 'token', 'inspect', 'tempfile'):
        t.write(f'{d}/{n}.py', f'# {n}\n')
    t.elf(f'{d}/lib-dynload/_ctypes.{SOABI}.so', needed=['libc.so.6'], verneed=LIBC)


def venv(t, prefix):
    t.write(f'{prefix}/pyvenv.cfg', f'home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.9\nexecutable = /usr/bin/python3.11\n'
            f'command = /usr/bin/python3.11 -m venv {prefix}\n')
    t.link(f'{prefix}/bin/python3.11', '/usr/bin/python3.11')
    t.link(f'{prefix}/bin/python3', 'python3.11')
    t.link(f'{prefix}/bin/python', 'python3.11')
    for n in ('pip', 'pip3', 'pip3.11'):
        t.write(f'{prefix}/bin/{n}', f'#!{prefix}/bin/python3.11\nfrom pip._internal.cli.main import main\n', 0o755)
    t.write(f'{prefix}/bin/activate', f'VIRTUAL_ENV={prefix}\nexport VIRTUAL_ENV\n')
    t.link(f'{prefix}/lib64', 'lib')
    t.m['environment'].update(VIRTUAL_ENV=prefix, PATH=f'{prefix}/bin:/usr/local/bin:/usr/bin:/bin')
    site(t, prefix)


def site(t, prefix):
    t.info.update(venv=prefix, sp=f'{prefix}/lib/python3.11/site-packages')
    t.mkdir(t.info['sp'])
    tensorflow(t, t.info['sp'])


def nv_lib(name, version):
    kw = {k: (list(v) if isinstance(v, list) else v) for k, v in NV_ELF.get(name, {}).items()}
    if name.startswith('libcudnn_'):
        kw['runpath'] = CUDNN_RUNPATH
        if name != 'libcudnn_graph.so.9':
            kw['needed'] = ['libcudnn_graph.so.9', 'libz.so.1']
    if name == 'libcudnn_cnn.so.9':
        kw['needed'] = ['libcudnn_ops.so.9'] + kw['needed']
    if name == 'libcudnn_engines_runtime_compiled.so.9':
        kw['needed'] = kw['needed'] + ['libcuda.so.1']
    kw['needed'] = kw.get('needed', []) + ['librt.so.1', 'libpthread.so.0', 'libdl.so.2', 'libm.so.6', 'libgcc_s.so.1']
    kw['verneed'] = LIBC
    if name in FAT:
        kw['sass'], kw['ptx'] = FAT_ARCH[FAT[name]]
    syms, ro = version_code(name, version)
    return dict(soname=name, symbols=syms, rodata=ro, **kw)


def nvidia_packages(t, sp):
    for dist, (ver, folder, libs) in NVIDIA.items():
        files = {f'nvidia/{folder}/__init__.py': '', f'nvidia/{folder}/lib/__init__.py': ''}
        for l in libs:
            files[f'nvidia/{folder}/lib/{l}'] = nv_lib(l, ver)
        if folder == 'cuda_nvcc':
            files = {'nvidia/cuda_nvcc/bin/ptxas': dict(interp=INTERP, needed=['libc.so.6'], verneed=LIBC, etype=2, rodata=b'Cuda compilation tools, release 12.9, V12.9.86\0'),
                     'nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc': b'BC\xc0\xde' + bytes(60)}
        t.dist(sp, dist, ver, files, wheel_tag='py3-none-manylinux_2_27_x86_64')
    t.write(f'{sp}/nvidia/__init__.py', '')


def tensorflow(t, sp, version=TF_VERSION):
    nv = ['cuda_cupti', 'cublas', 'cudnn', 'cufft', 'cusolver', 'cusparse', None, 'cuda_runtime']
    rp = ':'.join(f'$ORIGIN/{up}/nvidia/{d}/lib' if d else f'$ORIGIN/{up}/tensorrt' for d in nv for up in ('../..', '..'))
    sysl = ['libpthread.so.0', 'libdl.so.2', 'libm.so.6', 'librt.so.1', 'libstdc++.so.6', 'libgcc_s.so.1', 'libc.so.6', 'ld-linux-x86-64.so.2']
    sass, ptx = [60, 70, 80, 89, 90], [90]
    up = '$ORIGIN/../../_solib_local/x:$ORIGIN/:$ORIGIN/../:$ORIGIN/../../'
    files = {
        'tensorflow/__init__.py': f"from tensorflow.python import pywrap_tensorflow\nconfig = None\n__version__ = '{version}'\n",
        'tensorflow/libtensorflow_framework.so.2': dict(soname='libtensorflow_framework.so.2', needed=sysl, runpath=rp, verneed=CXX, sass=sass, ptx=ptx),
        'tensorflow/libtensorflow_cc.so.2': dict(soname='libtensorflow_cc.so.2', needed=['libtensorflow_framework.so.2'] + sysl,
                                                 runpath='$ORIGIN/../../_solib_local/x:$ORIGIN/:$ORIGIN/../../nvidia/nvshmem/lib', verneed=CXX, sass=sass, ptx=ptx, fat_containers=6),
        'tensorflow/python/__init__.py': '', 'tensorflow/python/platform/__init__.py': '',
        'tensorflow/python/pywrap_tensorflow.py': 'from tensorflow.python.platform import self_check\nfrom tensorflow.python._pywrap_tensorflow_internal import *\n',
        'tensorflow/python/platform/self_check.py': 'from tensorflow.python.platform import build_info\n',
        'tensorflow/python/platform/build_info.py': BUILD_INFO,
        'tensorflow/python/lib_pywrap_tensorflow_common.so': dict(soname='lib_pywrap_tensorflow_common.so', runpath=up, verneed=CXX,
                                                                   needed=['libtensorflow_framework.so.2', 'libtensorflow_cc.so.2', 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1', 'libc.so.6']),
    }
    for m in ('_pywrap_tensorflow_internal', 'platform/_pywrap_cpu_feature_guard', 'platform/_pywrap_tf2', '_pywrap_tfe', 'client/_pywrap_tf_session', 'util/_tf_stack',
              'framework/_dtypes', 'util/_pywrap_utils', 'util/_pywrap_nest', '_pywrap_dtensor_device', '_pywrap_mlir'):
        files[f'tensorflow/python/{m}.so'] = dict(runpath=up, verneed=CXX, needed=['libtensorflow_framework.so.2', 'libtensorflow_cc.so.2', 'lib_pywrap_tensorflow_common.so',
                                                                                 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1', 'libc.so.6'])
    t.dist(sp, 'tensorflow', version, files, TF_REQUIRES + [f'{r}; extra == "and-cuda"' for r in TF_EXTRA],
           [('Requires-Python', '>=3.9'), ('Provides-Extra', 'and-cuda'), ('Classifier', 'Programming Language :: Python :: 3.11')],
           wheel_tag='cp311-cp311-manylinux_2_17_x86_64')
    for name, ver, mod in PURE:
        t.dist(sp, name, ver, {f'{mod}/__init__.py': f"__version__ = '{ver}'\n"} if mod else {})
    ext = dict(needed=['libm.so.6', 'libc.so.6'], verneed=LIBC)
    t.dist(sp, 'numpy', '2.1.3', {'numpy/__init__.py': '', 'numpy/version.py': "version = '2.1.3'\n", 'numpy/_core/__init__.py': '', 'numpy/linalg/__init__.py': '',
                                  f'numpy/_core/_multiarray_umath.{SOABI}.so': dict(needed=['libscipy_openblas64_-6bb31eeb.so', 'libm.so.6', 'libc.so.6'], rpath='$ORIGIN/../../numpy.libs', verneed=LIBC),
                                  f'numpy/linalg/_umath_linalg.{SOABI}.so': dict(needed=['libscipy_openblas64_-6bb31eeb.so', 'libc.so.6'], rpath='$ORIGIN/../../numpy.libs', verneed=LIBC),
                                  'numpy.libs/libscipy_openblas64_-6bb31eeb.so': dict(soname='libscipy_openblas64_-6bb31eeb.so', **ext)}, wheel_tag='cp311-cp311-manylinux_2_17_x86_64')
    t.dist(sp, 'protobuf', '5.29.5', {'google/protobuf/__init__.py': "__version__ = '5.29.5'\n", 'google/protobuf/runtime_version.py': '', 'google/_upb/_message.abi3.so': ext},
           wheel_tag='cp38-abi3-manylinux2014_x86_64')
    t.dist(sp, 'h5py', '3.14.0', {'h5py/__init__.py': '', f'h5py/h5.{SOABI}.so': ext}, wheel_tag='cp311-cp311-manylinux_2_17_x86_64')
    t.dist(sp, 'ml_dtypes', '0.5.3', {'ml_dtypes/__init__.py': '', f'ml_dtypes/_ml_dtypes_ext.{SOABI}.so': dict(ext, verneed=CXX)}, wheel_tag='cp311-cp311-manylinux_2_17_x86_64')
    t.dist(sp, 'wrapt', '1.17.3', {'wrapt/__init__.py': '', f'wrapt/_wrappers.{SOABI}.so': ext}, wheel_tag='cp311-cp311-manylinux_2_17_x86_64')
    nvidia_packages(t, sp)


# -- the machines --------------------------------------------------------------------------------------------------------
def bare(t):
    distro(t)
    kernel(t)
    dmi(t)
    pci_bus(t)
    pci_gpu(t)
    pci_dev(t, '0000:01:00.1', '0x10de', '0x1aef', '0x040300', 'snd_hda_intel')
    kmod(t)
    nodes(t)
    driver_libs(t)
    python(t)
    venv(t, '/home/user/venv')


def nogpu(t):
    distro(t)
    kernel(t)
    dmi(t)
    pci_bus(t)
    python(t)
    venv(t, '/home/user/venv')


def vm(t):
    distro(t)
    kernel(t, hypervisor=True)
    dmi(t, 'QEMU', 'Standard PC (Q35 + ICH9, 2009)')
    t.write('/sys/hypervisor/type', 'kvm\n')
    pci_bus(t)
    pci_gpu(t)
    kmod(t)
    nodes(t)
    driver_libs(t)
    python(t)
    venv(t, '/home/user/venv')


def container(t):
    distro(t)
    kernel(t)
    dmi(t)
    pci_bus(t)
    pci_gpu(t)
    kmod(t)
    t.remove('/lib/modules')
    t.remove('/var/lib/dkms')
    t.remove(f'/usr/src/nvidia-{DRIVER}')
    t.remove('/run/systemd/system')
    nodes(t)
    driver_libs(t)
    t.write('/.dockerenv', '')
    t.write('/proc/1/comm', 'bash\n')
    t.write('/proc/1/cgroup', '0::/\n')
    t.write('/proc/self/cgroup', '0::/\n')
    ident = '5f3c1e0a' * 8
    t.write('/proc/self/mountinfo', f'600 500 0:51 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A,upperdir=/var/lib/docker/overlay2/x/diff\n'
            f'610 600 259:2 /var/lib/docker/containers/{ident}/hostname /etc/hostname rw,relatime - ext4 /dev/nvme0n1p2 rw\n')
    t.write('/proc/mounts', 'overlay / overlay rw,relatime 0 0\n')
    python(t)
    venv(t, '/home/user/venv')
    t.m['environment'].update(NVIDIA_VISIBLE_DEVICES='all', NVIDIA_DRIVER_CAPABILITIES='compute,utility')


def wsl2(t):
    distro(t)
    rel = '5.15.167.4-microsoft-standard-WSL2'
    kernel(t, rel, hypervisor=True, proc_version=f'Linux version {rel} (root@build) (gcc (GCC) 11.2.0, GNU ld (GNU Binutils) 2.37) #1 SMP\n')
    t.write('/proc/sys/fs/binfmt_misc/WSLInterop', 'enabled\ninterpreter /init\nflags: PF\noffset 0\nmagic 4d5a\n')
    t.write('/init', b'\x7fELF')
    t.mkdir('/run/WSL')
    t.write('/etc/wsl.conf', '[boot]\nsystemd=true\n')
    t.node('/dev/dxg', 10, 125)
    store = '/usr/lib/wsl/drivers/nv_dispi.inf_amd64_7c0a9ef3f1a6a8f4'
    W = '/usr/lib/wsl/lib'
    base = dict(needed=['libdl.so.2', 'libm.so.6', 'libpthread.so.0', 'librt.so.1'], verneed=LIBC)
    for d in (W, store):
        t.elf(f'{d}/libcuda.so.1.1', soname='libcuda.so.1', **base)
        t.elf(f'{d}/libnvidia-ml.so.1', soname='libnvidia-ml.so.1', **base)
        t.elf(f'{d}/nvidia-smi', interp=INTERP, pie=True, needed=['libc.so.6'])
    for n in ('libcuda.so.1', 'libcuda.so'):
        t.elf(f'{W}/{n}', soname='libcuda.so.1', **base)
    t.elf(f'{W}/libdxcore.so', soname='libdxcore.so', **base)
    t.elf(f'{W}/libd3d12.so', soname='libd3d12.so', **base)
    t.elf(f'{store}/libcuda_loader.so', soname='libcuda_loader.so', **base)
    t.elf(f'{store}/libnvidia-ml_loader.so', soname='libnvidia-ml_loader.so', **base)
    t.elf(f'{store}/libnvidia-ptxjitcompiler.so.1', soname='libnvidia-ptxjitcompiler.so.1', **base)
    t.write(f'{store}/nv_dispi.inf', '[Version]\r\nSignature = "$Windows NT$"\r\nDriverVer = 04/01/2024, 31.0.15.5222\r\n')
    t.write('/etc/ld.so.conf.d/ld.wsl.conf', '# This file was automatically generated by WSL. To stop automatic generation of this file, add the following entry to /etc/wsl.conf:\n'
            '# [automount]\n# ldconfig = false\n/usr/lib/wsl/lib\n')
    for s in ('libcuda.so.1', 'libcuda.so', 'libnvidia-ml.so.1', 'libdxcore.so', 'libd3d12.so'):
        t.info['cache'].append([s, f'{W}/{s}', None])
    t.write('/mnt/c/Users/user/.wslconfig', '[wsl2]\r\nmemory=16GB\r\n')
    python(t)
    venv(t, '/home/user/venv')
    t.m['environment'].update(WSL_DISTRO_NAME='Ubuntu-22.04', WSL_INTEROP='/run/WSL/11_interop', WSLENV='',
                              PATH='/home/user/venv/bin:/usr/local/bin:/usr/bin:/bin:/usr/lib/wsl/lib:/mnt/c/Windows/system32')


def conda(t):
    distro(t)
    kernel(t)
    dmi(t)
    pci_bus(t)
    pci_gpu(t)
    kmod(t)
    nodes(t)
    driver_libs(t)
    python(t)
    root, p = '/home/user/miniconda3', '/home/user/miniconda3/envs/tf'
    for pre in (root, p):
        t.elf(f'{pre}/bin/python3.11', interp=INTERP, pie=True, needed=['libpthread.so.0', 'libdl.so.2', 'libutil.so.1', 'libm.so.6', 'libc.so.6'], rpath='$ORIGIN/../lib', verneed=LIBC,
              rodata=b'3.11.9\0')
        t.link(f'{pre}/bin/python3', 'python3.11')
        t.link(f'{pre}/bin/python', 'python3.11')
        t.write(f'{pre}/bin/pip', f'#!{pre}/bin/python3.11\n', 0o755)
        stdlib(t, f'{pre}/lib/python3.11')
        t.write(f'{pre}/conda-meta/history', '==> 2024-05-01 10:00:00 <==\n# cmd: conda create -n tf python=3.11\n')
        t.write(f'{pre}/conda-meta/python-3.11.9-h955ad1f_0.json', '{"name": "python", "version": "3.11.9", "build": "h955ad1f_0", "files": ["bin/python3.11"]}\n')
        t.elf(f'{pre}/lib/libstdc++.so.6.0.33', soname='libstdc++.so.6', needed=['libm.so.6', 'libc.so.6', 'libgcc_s.so.1'],
              verdef=GLIBCXX + ['GLIBCXX_3.4.31', 'GLIBCXX_3.4.32', 'GLIBCXX_3.4.33'] + CXXABI + ['CXXABI_1.3.14', 'CXXABI_1.3.15'])
        t.link(f'{pre}/lib/libstdc++.so.6', 'libstdc++.so.6.0.33')
        t.elf(f'{pre}/lib/libgcc_s.so.1', soname='libgcc_s.so.1', needed=['libc.so.6'], verdef=['GCC_3.0', 'GCC_3.3', 'GCC_3.3.1', 'GCC_3.4', 'GCC_3.4.2', 'GCC_4.2.0', 'GCC_4.3.0'])
        t.write(f'{pre}/conda-meta/libstdcxx-14.2.0-h_0.json', '{"name": "libstdcxx", "version": "14.2.0", "files": ["lib/libstdc++.so.6.0.33"]}\n')
    t.elf(f'{root}/bin/conda', interp=INTERP, needed=['libc.so.6'])
    t.write('/home/user/.conda/environments.txt', f'{root}\n{p}\n')
    t.write('/home/user/.bashrc', f'# >>> conda initialize >>>\n. "{root}/etc/profile.d/conda.sh"\n# <<< conda initialize <<<\n')
    t.write(f'{root}/etc/profile.d/conda.sh', '# conda\n')
    site(t, p)
    t.m['environment'].update(CONDA_PREFIX=p, CONDA_DEFAULT_ENV='tf', CONDA_EXE=f'{root}/bin/conda', CONDA_SHLVL='2', PATH=f'{p}/bin:{root}/condabin:/usr/local/bin:/usr/bin:/bin')


BASES = {'bare': bare, 'wsl2': wsl2, 'container': container, 'vm': vm, 'conda': conda, 'nogpu': nogpu}
