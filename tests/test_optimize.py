"""Every pass keeps what a program computes, on random programs; and does what it is for, on small ones."""

from __future__ import annotations

import copy
import doctest
import importlib
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from interpreter import run
from random_indices import random_index_function
from random_ir import EXTENT, random_function
from random_memory import random_memory_function

from srcgrad.ir.core import Function
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.prove_indices import prove_indices
from srcgrad.primitives.table import infer

Pass = Callable[[Function], Function]
NAMES = [
    "resolve_extents",
    "prove_indices",
    "count_while",
    "simplify_loops",
    "decide_comparisons",
    "hoist_invariants",
    "fold_constants",
    "remove_dead",
    "share_common",
    "carry_in_buffers",
]
PASSES: dict[str, Pass] = {n: getattr(importlib.import_module(f"srcgrad.optimize.{n}"), n) for n in NAMES}


def arguments(seed: int) -> list[object]:
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=EXTENT), rng.normal(size=EXTENT), rng.normal(size=EXTENT).astype(np.float32)]
    return [*arrays, rng.normal(), np.float32(rng.normal()), int(rng.integers(-3, 9))]


def index_arguments(seed: int) -> list[object]:
    rng = np.random.default_rng(seed)
    length, *shape = rng.integers(0, 6, 3) + rng.choice([0, 5, 20])
    return [rng.normal(size=length), rng.normal(size=shape), *(int(k) for k in rng.integers(-2, 6, 2))]


def memory_arguments(seed: int) -> list[object]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=2), rng.normal(size=4)[::2], rng.normal(), int(rng.integers(0, 4))]


def outcome(function: Function, given: list[object]) -> tuple[object, ...]:
    """Results and arguments afterwards, or the error raised."""
    given = copy.deepcopy(given)
    try:
        return (*run(function, *given), *given)
    except (IndexError, ValueError) as error:
        return (type(error),)


def assert_same(function: Function, changed: Function, given: list[object], seed: int) -> None:
    verify(changed, infer)
    before, after = outcome(function, given), outcome(changed, given)
    if len(before) != len(after):
        assert before == after, f"seed {seed}"
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=f"seed {seed}")


@pytest.mark.parametrize("name", NAMES)
def test_passes_keep_the_value_of_random_programs(name: str) -> None:
    for seed in range(60):
        function = random_function(seed)
        assert_same(function, PASSES[name](function), arguments(seed), seed)


def test_passes_keep_the_value_in_any_order() -> None:
    for seed in range(60, 120):
        function = changed = random_function(seed)
        order = Random(seed).choices(NAMES, k=8)
        for name in order:
            changed = PASSES[name](changed)
        assert_same(function, changed, arguments(seed), seed)


@pytest.mark.parametrize("seeds", [range(300), pytest.param(range(300, 3000), marks=pytest.mark.slow)], ids=str)
def test_indices_stay_checked(seeds: range) -> None:
    for seed in seeds:
        function = changed = random_index_function(seed)
        order = Random(seed).choices(NAMES, k=5)
        for name in order:
            changed = PASSES[name](changed)
        for again in range(3):
            assert_same(function, changed, index_arguments(3 * seed + again), seed)


@pytest.mark.parametrize("seeds", [range(200), pytest.param(range(200, 3000), marks=pytest.mark.slow)], ids=str)
def test_memory_keeps_its_content(seeds: range) -> None:
    for seed in seeds:
        function = changed = random_memory_function(seed)
        for name in Random(seed).choices(NAMES, k=4):
            changed = PASSES[name](changed)
        assert_same(function, changed, memory_arguments(seed), seed)


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_the_documentation(name: str) -> None:
    module = importlib.import_module(f"srcgrad.optimize.{name}")
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0


GROWING = """
def f(x: f64[:], n: i64):
    with for_(n, x, 0.0) as (last, total):
        def _(i: i64, a: f64[:], s: f64):
            m: i64 = dim(a, axis=0)
            with for_(3, s) as (t,):
                def _(j: i64, r: f64):
                    k: i64 = check_index(j, m)
                    v: f64 = load(a, k)
                    r_1: f64 = add(r, v)
                    yield r_1
            m_1: i64 = add(m, 1)
            b: f64[:] = alloc(m_1, dtype=f64, fill='zeros')
            yield b, t
    return total
"""


@pytest.mark.parametrize("length", [2, 4])
def test_a_check_stays_where_its_extent_is_known(length: int) -> None:
    """The extent of a carried reference is out of scope in front of the loop that carries it."""
    function = parse(GROWING, infer)
    assert_same(function, prove_indices(function), [np.ones(length), 2], 0)
