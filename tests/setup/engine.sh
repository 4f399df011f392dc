#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A pretended engine: it makes an environment in two steps, in many small pieces, and refuses to work on a half-made one.
set -eu
env=$2
[ "$ENGINE_SAYS" = hello ]
case $1 in
create)
    mkdir "$env" "$env/bin" "$env/lib"
    echo python > "$env/bin/python"
    : > "$env/created"
    [ -z "${ENGINE_SLEEPS:-}" ] || sleep "$ENGINE_SLEEPS" ;;
install)
    [ -e "$env/created" ]
    [ ! -e "$env/half" ] || { echo "half-made" >&2; exit 1; }
    : > "$env/half"
    echo tensorflow > "$env/lib/tensorflow.py"
    ln -s tensorflow.py "$env/lib/tf.py"
    rm "$env/half" ;;
change) # as pip does it: files are replaced, not written over; twice it cannot be done
    [ ! -e "$env/new.py" ] || { echo "changed already" >&2; exit 1; }
    echo 2 > "$env/new.py"
    echo 2 > "$env/.tmp"
    mv "$env/.tmp" "$env/sub/version"
    rm "$env/gone" "$env/link"
    mkdir "$env/more"
    echo 2 > "$env/more/x" ;;
esac
