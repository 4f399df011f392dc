# SPDX-License-Identifier: Apache-2.0
"""PyPI's own library `packaging`, of a released version, for comparisons: from PyPI into a virtual environment in the development cache."""
import os, subprocess, sys, venv

CACHE = os.environ.get('TFGPU_DEV_CACHE') or os.path.expanduser('~/.cache/tfgpu-dev')
PACKAGING = 'packaging==25.0'


def skip(why):
    print(f'skipped: {why}\n0 passed, 0 failed, 1 skipped')
    sys.exit(77)


def load_packaging():
    home = os.path.join(CACHE, 'truth', PACKAGING.replace('==', '-'))
    py = os.path.join(home, 'bin', 'python')
    if not os.path.exists(os.path.join(home, 'ok')):
        try:
            venv.create(home, with_pip=True)
            subprocess.run([py, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', PACKAGING], check=True, capture_output=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as e:
            skip(f'{PACKAGING} cannot be had: {getattr(e, "stderr", b"") or e}')
        open(os.path.join(home, 'ok'), 'w').close()
    site = subprocess.run([py, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'], check=True, capture_output=True, text=True).stdout.strip()
    sys.path.insert(0, site)
