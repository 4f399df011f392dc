# SPDX-License-Identifier: Apache-2.0
"""linktree - a copy of an environment by hard links: what is changed in it is replaced, never written over."""
import os


def link_tree(of, to):
    """Without what no test needs: most of an environment's files are C++ headers, tests and compiled files."""
    os.mkdir(to)
    for x in os.scandir(of):
        if x.is_symlink():
            os.symlink(os.readlink(x.path), os.path.join(to, x.name))
        elif not x.is_dir():
            os.link(x.path, os.path.join(to, x.name))
        elif x.name not in ('include', 'tests', '__pycache__'):
            link_tree(x.path, os.path.join(to, x.name))
