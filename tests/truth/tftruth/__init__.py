# SPDX-License-Identifier: Apache-2.0
"""What run-tensorflow is made of: mutations.yaml (what is done), world (doing it), probe (asking TensorFlow), compare, cache."""
