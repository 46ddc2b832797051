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
from random_ir import EXTENT, random_function

from srcgrad.ir.core import Function
from srcgrad.ir.text import parse, to_text
from srcgrad.ir.verify import verify
from srcgrad.primitives.table import infer

Pass = Callable[[Function], Function]
NAMES = ["resolve_extents", "decide_comparisons", "hoist_invariants", "fold_constants", "remove_dead", "share_common"]
PASSES: dict[str, Pass] = {n: getattr(importlib.import_module(f"srcgrad.optimize.{n}"), n) for n in NAMES}


def outcome(function: Function, seed: int) -> tuple[object, ...]:
    """Results and arguments afterwards, or the error raised."""
    rng = np.random.default_rng(seed)
    arguments = [rng.normal(size=EXTENT), rng.normal(size=EXTENT), rng.normal(size=EXTENT).astype(np.float32)]
    arguments += [rng.normal(), np.float32(rng.normal()), int(rng.integers(-3, 9))]
    arguments = copy.deepcopy(arguments)
    try:
        return (*run(function, *arguments), *arguments[:3])
    except (IndexError, ValueError) as error:
        return (type(error),)


def assert_same(function: Function, changed: Function, seed: int) -> None:
    verify(changed, infer)
    before, after = outcome(function, seed), outcome(changed, seed)
    assert len(before) == len(after)
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=f"seed {seed}")


@pytest.mark.parametrize("name", NAMES)
def test_passes_keep_the_value_of_random_programs(name: str) -> None:
    for seed in range(60):
        function = random_function(seed)
        assert_same(function, PASSES[name](function), seed)


def test_passes_keep_the_value_in_any_order() -> None:
    for seed in range(60, 120):
        function = changed = random_function(seed)
        order = Random(seed).choices(NAMES, k=8)
        for name in order:
            changed = PASSES[name](changed)
        assert_same(function, changed, seed)


@pytest.mark.parametrize("name", NAMES)
def test_examples_in_the_documentation(name: str) -> None:
    module = importlib.import_module(f"srcgrad.optimize.{name}")
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0
