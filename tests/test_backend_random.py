"""Random IR: the text for readers, the text that is compiled, and the machine code do what the interpreter does."""

from __future__ import annotations

import copy
from typing import Any

import interpreter
import numpy as np
import pytest
from random_ir import random_arguments, random_function

from srcgrad.backend.numba_jit import compile_function
from srcgrad.backend.python_source import module_of
from srcgrad.ir.core import Function
from srcgrad.ir.types import Scalar
from srcgrad.ir.verify import verify
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

PLAIN = Options(jit=False)
JITTED = Options(fastmath=False, cache=False)


def flat(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else () if result is None else (result,)


def outcome(run: Any, seed: int) -> tuple[Any, ...]:
    """Results and the arrays as they are afterwards."""
    arguments = copy.deepcopy(random_arguments(seed))
    results = flat(run(*arguments))
    return (*results, *arguments[:3])


def readable(function: Function) -> Any:
    """The text for readers, run as plain Python."""
    module = module_of(function, "readable")
    namespace: dict[str, Any] = {}
    exec(module.text(), namespace)
    kinds = [p.type.dtype.numpy.type if isinstance(p.type, Scalar) else None for p in function.parameters]

    def run(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            given = [a if kind is None else kind(a) for a, kind in zip(arguments, kinds, strict=True)]
            return namespace[module.entry](*given)

    return run


def assert_same(found: tuple[Any, ...], wanted: tuple[Any, ...], rtol: float) -> None:
    for a, b in zip(found, wanted, strict=True):
        tolerance = max(rtol, 1e-5) if rtol and np.asarray(b).dtype == np.float32 else rtol
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def check_plain(seed: int) -> None:
    function = random_function(seed)
    verify(function, infer)
    wanted = outcome(lambda *a: interpreter.run(function, *a), seed)
    assert_same(outcome(compile_function(function, PLAIN), seed), wanted, 0.0)
    assert_same(outcome(readable(function), seed), wanted, 0.0)


def check_jitted(seed: int) -> None:
    function = random_function(seed)
    wanted = outcome(lambda *a: interpreter.run(function, *a), seed)
    assert_same(outcome(compile_function(function, JITTED), seed), wanted, 1e-9)


@pytest.mark.parametrize("seed", range(150))
def test_plain(seed: int) -> None:
    check_plain(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_plain_many(first: int) -> None:
    for seed in range(first, first + 100):
        check_plain(seed)


@pytest.mark.parametrize("seed", [7, 11, 23])
def test_jitted(seed: int) -> None:
    check_jitted(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 230))
def test_jitted_many(seed: int) -> None:
    check_jitted(seed)
