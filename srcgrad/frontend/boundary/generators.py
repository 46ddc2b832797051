"""NumPy's random generators as a program sees them: the memory of their state.

A program that draws from a `numpy.random.Generator` reads and writes the generator's own words, so that the numbers are
NumPy's, and the caller finds the generator where the draws left it. Only the bit generator of
``numpy.random.default_rng``, PCG64, is known.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

import numpy as np
from numpy.typing import NDArray

from srcgrad.errors import ArgumentTypeError

Words = NDArray[np.uint64]
FIELDS = ("words", "half")
MASK = 2**64 - 1


def memory_of(generator: np.random.Generator) -> tuple[Words, Words]:
    """The state and the increment, lower words first; and the half of a number that is left over, above its flag."""
    if type(generator.bit_generator) is not np.random.PCG64 or not _is_laid_out():
        raise ArgumentTypeError(
            f"a random generator is of kind {type(generator.bit_generator).__name__}.",
            hint="Make it by numpy.random.default_rng(seed).",
        )
    return _views(generator)


def _views(generator: np.random.Generator) -> tuple[Words, Words]:
    address = generator.bit_generator.ctypes.state_address
    head = (ctypes.c_uint64 * 2).from_address(address)
    words = np.ctypeslib.as_array((ctypes.c_uint64 * 4).from_address(head[0]))
    half = np.ctypeslib.as_array((ctypes.c_uint64 * 1).from_address(address + 8))
    return words, half


@cache
def _is_laid_out() -> bool:
    """Whether the memory is as expected, on this machine and in this version of NumPy."""
    probe = np.random.Generator(np.random.PCG64(1))
    probe.integers(10)
    expected = probe.bit_generator.state
    if sys.byteorder != "little":
        return False
    words, half = _views(probe)
    state, increment = expected["state"]["state"], expected["state"]["inc"]
    wanted = [state & MASK, state >> 64, increment & MASK, increment >> 64]
    return bool(words.tolist() == wanted and int(half[0]) == expected["has_uint32"] | expected["uinteger"] << 32)
