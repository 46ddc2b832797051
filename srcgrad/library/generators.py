"""Draws from NumPy's generator objects: ``rng = np.random.default_rng(seed)``, given or made inside.

The numbers are NumPy's, in compiled code too (`pcg64`). Plain Python sets a generator of NumPy's to the state in
memory, draws, and puts the state back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.boundary.generators import FIELDS
from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.frontend.calls.routines import routine
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import FrontValue, TupleValue
from srcgrad.library import pcg64
from srcgrad.library.random import number_of, put_in_order, shape_of_draw
from srcgrad.primitives.library import library

Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Generator = np.random.Generator

BITS = (pcg64.PRODUCT, pcg64.STEP, pcg64.NEXT)
BOUNDED = (*BITS, pcg64.NEXT_HALF, pcg64.BELOW)
UNIT = """def pcg64_units(words, half, words_after, half_after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = pcg64_unit(words_after)
"""
NORMAL = """def pcg64_normals(words, half, words_after, half_after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = pcg64_normal(words_after)
"""
EXPONENTIAL = """def pcg64_exponentials(words, half, words_after, half_after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = pcg64_exponential(words_after)
"""
INTEGER = """def pcg64_integers(words, half, low, last, words_after, half_after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = low + np.int64(pcg64_up_to(words_after, half_after, last - low))
"""
ORDER = """def pcg64_order(words, half, words_after, half_after, drawn):
    for i in range(drawn.shape[0]):
        drawn[i] = i
    for q in range(drawn.shape[0] - 1):
        i = drawn.shape[0] - 1 - q
        j = np.int64(pcg64_masked(words_after, half_after, i))
        drawn[i], drawn[j] = drawn[j], drawn[i]
"""
SUBSET = """def pcg64_subset(words, half, count, words_after, half_after, drawn):
    size = drawn.shape[0]
    if count > 10000 and size > count // 50:
        everything = np.arange(count)
        for q in range(count - max(count - size, 1)):
            i = count - 1 - q
            j = np.int64(pcg64_up_to(words_after, half_after, i))
            everything[i], everything[j] = everything[j], everything[i]
        drawn[:] = everything[count - size :]
        return
    for k in range(size):
        j = count - size + k
        picked = np.int64(pcg64_up_to(words_after, half_after, j))
        for other in range(k):
            if drawn[other] == picked:
                picked = j
                break
        drawn[k] = picked
    for q in range(size - 1):
        i = size - 1 - q
        j = np.int64(pcg64_up_to(words_after, half_after, i))
        drawn[i], drawn[j] = drawn[j], drawn[i]
"""
SEED = """def seed_words(seed, words, half):
    pcg64_seed(seed, words, half)
"""


@routine(reads=1, fills=2, aids=2, compiled=SEED, helpers=(pcg64.PRODUCT, pcg64.STEP, pcg64.SEED))
def seed_words(seed: int, words: Words, half: Words) -> None:
    from srcgrad.library.generators import keep

    keep(np.random.default_rng(seed), words, half)


@routine(reads=2, fills=3, aids=3, compiled=UNIT, helpers=(*BITS, pcg64.UNIT))
def pcg64_units(words: Words, half: Words, words_after: Words, half_after: Words, drawn: Floats) -> None:
    from srcgrad.library.generators import keep, restored

    rng = restored(words, half)
    drawn[...] = rng.random(drawn.shape)
    keep(rng, words_after, half_after)


@routine(reads=2, fills=3, aids=3, compiled=NORMAL, helpers=(pcg64.TABLES, *BITS, pcg64.UNIT, pcg64.NORMAL))
def pcg64_normals(words: Words, half: Words, words_after: Words, half_after: Words, drawn: Floats) -> None:
    from srcgrad.library.generators import keep, restored

    rng = restored(words, half)
    drawn[...] = rng.standard_normal(drawn.shape)
    keep(rng, words_after, half_after)


@routine(reads=2, fills=3, aids=3, compiled=EXPONENTIAL, helpers=(pcg64.TABLES, *BITS, pcg64.UNIT, pcg64.EXPONENTIAL))
def pcg64_exponentials(words: Words, half: Words, words_after: Words, half_after: Words, drawn: Floats) -> None:
    from srcgrad.library.generators import keep, restored

    rng = restored(words, half)
    drawn[...] = rng.standard_exponential(drawn.shape)
    keep(rng, words_after, half_after)


@routine(reads=4, fills=3, aids=3, compiled=INTEGER, helpers=BOUNDED)
def pcg64_integers(
    words: Words, half: Words, low: int, last: int, words_after: Words, half_after: Words, drawn: Integers
) -> None:
    from srcgrad.library.generators import keep, restored

    rng = restored(words, half)
    drawn[...] = rng.integers(low, last, drawn.shape, endpoint=True)
    keep(rng, words_after, half_after)


@routine(reads=2, fills=3, aids=3, compiled=ORDER, helpers=(*BITS, pcg64.NEXT_HALF, pcg64.INTERVAL))
def pcg64_order(words: Words, half: Words, words_after: Words, half_after: Words, drawn: Integers) -> None:
    from srcgrad.library.generators import keep, restored

    rng = restored(words, half)
    drawn[...] = rng.permutation(drawn.shape[0])
    keep(rng, words_after, half_after)


@routine(reads=3, fills=3, aids=3, compiled=SUBSET, helpers=BOUNDED)
def pcg64_subset(words: Words, half: Words, count: int, words_after: Words, half_after: Words, drawn: Integers) -> None:
    from srcgrad.library.generators import keep, restored

    rng = restored(words, half)
    drawn[...] = rng.choice(count, drawn.shape[0], replace=False)
    keep(rng, words_after, half_after)


def restored(words: Words, half: Words) -> Generator:
    """A generator of NumPy's with this state."""
    state, low, increment, increment_low = (int(words[k]) for k in (1, 0, 3, 2))
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": state << 64 | low, "inc": increment << 64 | increment_low},
        "has_uint32": int(half[0]) & 1,
        "uinteger": int(half[0]) >> 32,
    }
    return Generator(bits)


def keep(rng: Generator, words: Words, half: Words) -> None:
    """Put the state of a generator into memory."""
    state: Any = rng.bit_generator.state
    for k, number in enumerate((state["state"]["state"], state["state"]["inc"])):
        words[2 * k], words[2 * k + 1] = number & (2**64 - 1), number >> 64
    half[0] = state["has_uint32"] | state["uinteger"] << 32


# -- generators made inside ---------------------------------------------------------------------------------------


def generator_of(words: Words, half: Words) -> Generator:
    """In library code: the generator with this memory."""
    raise AssertionError("it is lowered, never called")


@function(generator_of, least=2, most=2)
def _generator_of(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return TupleValue(tuple(arguments), Generator, FIELDS)


@library(np.random.default_rng)
def default_rng(seed: Any = None) -> Any:
    if isinstance(seed, Generator):
        return seed
    if seed is None:
        refuse("default_rng() without a seed", "Give it an integer, or pass a generator as an argument.")
    if np.ndim(seed) > 0:
        refuse("default_rng() of several numbers", "Give it an integer, or pass a generator as an argument.")
    if seed < 0:
        raise ValueError("expected non-negative integer")
    words = np.empty(4, np.uint64)
    half = np.empty(1, np.uint64)
    seed_words(int(seed), words, half)
    return generator_of(words, half)


# -- draws: numbers, or arrays of a shape -----------------------------------------------------------------------


def filled(rng: Any, fill: Any, shape: Any) -> Any:
    if len(shape) == 0:
        one = np.empty(1)
        fill(rng.words, rng.half, rng.words, rng.half, one)
        return float(one[0])
    many = np.empty(number_of(shape))
    fill(rng.words, rng.half, rng.words, rng.half, many)
    return many.reshape(shape)


@library(Generator.random)
def random(self: Any, size: Any = None) -> Any:
    return filled(self, pcg64_units, shape_of_draw(size, 0.0))


@library(Generator.uniform)
def uniform(self: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return low + (high - low) * filled(self, pcg64_units, shape_of_draw(size, low + high))


@library(Generator.standard_normal)
def standard_normal(self: Any, size: Any = None) -> Any:
    return filled(self, pcg64_normals, shape_of_draw(size, 0.0))


@library(Generator.normal)
def normal(self: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return loc + scale * filled(self, pcg64_normals, shape_of_draw(size, loc + scale))


@library(Generator.lognormal)
def lognormal(self: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    return np.exp(normal(self, mean, sigma, size))


@library(Generator.standard_exponential)
def standard_exponential(self: Any, size: Any = None) -> Any:
    return filled(self, pcg64_exponentials, shape_of_draw(size, 0.0))


@library(Generator.exponential)
def exponential(self: Any, scale: Any = 1.0, size: Any = None) -> Any:
    return scale * filled(self, pcg64_exponentials, shape_of_draw(size, scale))


@library(Generator.integers)
def integers(self: Any, low: Any, high: Any = None, size: Any = None, *, endpoint: Any = False) -> Any:
    first, behind = (0, low) if high is None else (low, high)
    last = int(behind) if endpoint else int(behind) - 1
    if last < first:
        raise ValueError("low >= high")
    if last - first > 0xFFFFFFFF:
        raise ValueError("integers() over more than 2**32 numbers")
    shape = shape_of_draw(size, 0.0)
    drawn = np.empty(number_of(shape), np.int64)
    pcg64_integers(self.words, self.half, int(first), last, self.words, self.half, drawn)
    return int(drawn[0]) if len(shape) == 0 else drawn.reshape(shape)


def permuted(rng: Any, n: Any) -> Any:
    drawn = np.empty(n, np.int64)
    pcg64_order(rng.words, rng.half, rng.words, rng.half, drawn)
    return drawn


@library(Generator.permutation)
def permutation(self: Any, x: Any) -> Any:
    return permuted(self, x) if np.ndim(x) == 0 else np.asarray(x)[permuted(self, len(x))]


@library(Generator.shuffle)
def shuffle(self: Any, x: Any) -> None:
    put_in_order(x, permuted(self, len(x)))


@library(Generator.choice)
def choice(self: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    n = a if np.ndim(a) == 0 else len(a)
    shape = shape_of_draw(size, 0.0)
    if p is not None:
        if not replace:
            refuse("choice() with weights and without replacement", "Draw with replacement, or without weights.")
        ends = np.cumsum(p)
        picked = np.searchsorted(ends / ends[-1], filled(self, pcg64_units, shape), "right")
    elif replace:
        picked = integers(self, 0, n, size)
    else:
        count = number_of(shape)
        if count > n:
            raise ValueError("cannot take a larger sample than there are items when replace is False")
        drawn = np.empty(count, np.int64)
        pcg64_subset(self.words, self.half, n, self.words, self.half, drawn)
        picked = drawn.reshape(shape) if len(shape) > 0 else drawn[0]
    return picked if np.ndim(a) == 0 else np.asarray(a)[picked]
