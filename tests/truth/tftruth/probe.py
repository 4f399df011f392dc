# SPDX-License-Identifier: Apache-2.0
"""Runs in the environment's own Python: import TensorFlow, list the GPUs, say which libraries are mapped. Answers go to
descriptor 3, one line of JSON each, so that what was known before a crash is known afterwards."""
import os


def say(**what):
    import json
    os.write(3, (json.dumps(what) + '\n').encode())


def mapped():
    with open('/proc/self/maps', encoding='utf-8', errors='surrogateescape') as f:
        return sorted({line.split(None, 5)[5].rstrip('\n') for line in f if '.so' in line and line.count(' /')})


def main():
    try:
        import tensorflow
        list_devices = tensorflow.config.list_physical_devices
    except BaseException as e:      # an import may raise anything, SystemExit included
        say(import_ok=False, error=f'{type(e).__name__}: {e}'[:600])
        return
    say(import_ok=True, file=str(getattr(tensorflow, '__file__', None)))
    try:
        say(gpus=len(list_devices('GPU')))
    except BaseException as e:
        say(gpus=0, raises=f'{type(e).__name__}: {e}'[:600])
    say(maps=mapped())


if __name__ == '__main__':
    main()
