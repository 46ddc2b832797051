"""Whole programs: the value of Python, and the derivatives of differences or the complex step, in both modes."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
import programs
import pytest
from programs.program import PROGRAMS, Program

import srcgrad
from srcgrad.frontend.boundary.pytree import flatten
from srcgrad.testing import check_grads

for module in pkgutil.iter_modules(programs.__path__):
    importlib.import_module(f"programs.{module.name}")

pytestmark = pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")  # where the complex step cannot go

ALL = [pytest.param(p, id=p.name) for p in PROGRAMS]
# Numba takes seconds for each: every third and the marked ones, in the default suite those that are both.
JITTED = [
    pytest.param(p, id=p.name, marks=[] if p.jitted and k % 3 == 0 else pytest.mark.slow)
    for k, p in enumerate(PROGRAMS)
    if p.jitted or k % 3 == 0
]


def _plain(program: Program) -> Any:
    return getattr(program.function, "py_func", program.function)


def _agree(got: object, expected: object) -> None:
    for g, e in zip(flatten(got), flatten(expected), strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("program", ALL)
def test_value_and_derivatives(program: Program) -> None:
    expected = _plain(program)(*program.arguments())
    _agree(srcgrad.jit(program.function, jit=False)(*program.arguments()), expected)
    check_grads(program.function, program.arguments(), rtol=program.rtol, jit=False)


@pytest.mark.parametrize("program", JITTED)
def test_jitted(program: Program) -> None:
    _agree(srcgrad.jit(program.function)(*program.arguments()), _plain(program)(*program.arguments()))
    check_grads(program.function, program.arguments(), rtol=program.rtol)


@pytest.mark.slow
@pytest.mark.parametrize("program", ALL)
def test_second_derivatives(program: Program) -> None:
    if not isinstance(_plain(program)(*program.arguments()), float):
        pytest.skip("several results")
    check_grads(program.function, program.arguments(), order=2, rtol=max(program.rtol, 1e-5), jit=False)
