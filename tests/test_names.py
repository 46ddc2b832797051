"""Names as Python resolves them: imports of all kinds, decorated and wrapped functions, tables, classes, partials."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from names import const, core

from srcgrad import UnboundError, grad, hessian, jit
from srcgrad.testing import check_grads

FUNCTIONS = (*core.__all__, "fixed", "jitted", "of_package")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_functions_of_a_package(name):
    check_grads(getattr(core, name), (0.7,), order=2, jit=False)


def test_a_wrapper_is_not_the_dispatcher_that_it_wraps():
    assert core.wrapped_dispatcher.py_func is not None  # functools.wraps has copied it
    assert jit(core.wrapped_dispatcher, jit=False)(0.5) == core.wrapped_dispatcher(0.5)
    assert grad(core.wrapped_dispatcher, jit=False)(0.5) == 3.0


def test_the_parameters_of_a_derivative_are_those_that_it_takes():
    assert hessian(core.wrapped, jit=False)(0.7) == pytest.approx(4.0)
    assert hessian(core.fixed, jit=False)(0.7) == pytest.approx(12.0)


def test_a_constant_of_another_module_that_changes(monkeypatch):
    slope = grad(core.local_relative, jit=False)
    before = slope(0.5)
    monkeypatch.setattr(const, "G", 1.0)
    assert before == pytest.approx(9.81 * 1.75)
    assert slope(0.5) == pytest.approx(1.75)


def missing_module(x):
    from .inner import nothing_of_the_kind

    return nothing_of_the_kind(x)


def test_an_import_that_fails_is_refused():
    with pytest.raises(UnboundError, match="relative import"):
        grad(missing_module, jit=False)(1.0)


@numba.cfunc("float64(float64)")
def callback(x):
    return x * x * x


def test_a_cfunc_through_its_source():
    assert grad(callback, jit=False)(2.0) == 12.0


def test_without_numbas_jit():
    """Then the decorators give the plain functions."""
    script = "import names.core as c, srcgrad; print(*[srcgrad.grad(getattr(c, n), jit=False)(0.5) for n in {!r}])"
    results = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        command = [sys.executable, "-c", script.format(FUNCTIONS)]
        here = Path(__file__).parent
        done = subprocess.run(command, env=environment, cwd=here, capture_output=True, text=True, check=True)
        results.append(done.stdout)
    assert results[0] == results[1] != ""
