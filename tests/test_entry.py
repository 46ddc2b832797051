"""The two entries: Numba's dispatcher where it can, Python where it must; calls from njit code and from threads."""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

import numba
import numpy as np
import pytest

from srcgrad import Error, grad, jit, value_and_grad
from srcgrad.watch import watching


def product(x, y=2.0):
    return x * y


def norm2(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return total


def pick(x, i):
    return x[i] * x[i]


def inverse(x):
    return 1.0 / x


# -- specialisation --------------------------------------------------------------------------------------


def test_one_compilation_per_kind_of_arguments() -> None:
    compiled: list[str] = []
    f = grad(norm2)
    with watching(lambda step, function: compiled.append(step)):
        f(np.ones(3))
        first = len(compiled)
        f(np.ones(5))
        assert len(compiled) == first
        f(np.ones(6)[::2])
        f(np.ones(3, np.float32))
    assert compiled.count("lower") == 3


def test_native_entry_looks_at_nothing_in_python(monkeypatch) -> None:
    f = grad(product)
    f(1.0, 2.0)
    monkeypatch.setattr("srcgrad.api.specialise.Specialisations.find", None)
    assert f(3.0, 4.0) == 4.0


@pytest.mark.slow
def test_native_call_is_fast() -> None:
    f = grad(product)
    f(1.0, 2.0)
    best = min(_seconds_per_call(lambda: f(1.0, 2.0)) for _ in range(5))
    assert best < 3e-6


def _seconds_per_call(call) -> float:
    start = time.perf_counter()
    for _ in range(10_000):
        call()
    return (time.perf_counter() - start) / 10_000


def test_an_entry_that_declined_stays_general() -> None:
    f = grad(product)
    assert f(3.0, 4.0) == 4.0
    narrow = f(np.float32(3.0), np.float32(4.0))
    assert type(narrow) is np.float32
    assert f(3.0, 4.0) == 4.0
    assert type(f(np.float32(3.0), np.float32(4.0))) is np.float32


# -- from njit code --------------------------------------------------------------------------------------


class Point(NamedTuple):
    x: float
    y: float


def test_called_from_njit_code() -> None:
    f = grad(norm2)
    both = value_and_grad(product, argnums=(0, 1))
    primal = jit(product)

    @numba.njit
    def caller(x):
        value, (gx, gy) = both(x[0], x[1])
        return f(x)[1] + value + gx + gy + primal(2.0) + primal(y=1.0, x=3.0)

    assert caller(np.array([2.0, 3.0])) == 6.0 + 6.0 + 3.0 + 2.0 + 4.0 + 3.0


def test_handed_to_njit_code() -> None:
    @numba.njit
    def apply(f, x):
        return f(x, 5.0)

    assert apply(grad(product), 2.0) == 5.0


def test_tuples_and_constants_in_njit_code() -> None:
    def f(p, mode="sum"):
        return p.x * p.y if mode == "sum" else p.x - p.y

    g = grad(f)

    @numba.njit
    def caller(a, b):
        p = g(Point(a, b))
        q = g(Point(a, b), "difference")
        return p.x, p.y, q.x, q.y

    assert caller(2.0, 3.0) == (3.0, 2.0, 1.0, -1.0)


WEIGHTS = np.array([2.0, 3.0])


def test_captured_array_in_njit_code_is_not_a_copy() -> None:
    def f(x):
        return WEIGHTS[0] * x * WEIGHTS[1]

    g = grad(f)

    @numba.njit
    def caller(x):
        return g(x)

    assert caller(1.0) == 6.0
    WEIGHTS[0] = 5.0
    try:
        assert caller(1.0) == 15.0
    finally:
        WEIGHTS[0] = 2.0


def test_refusal_inside_njit_code_is_ours() -> None:
    f = grad(lambda x, y: x)

    @numba.njit
    def caller(x):
        return f(x, [1.0])

    with pytest.raises(Error, match="inside njit code"):
        caller(1.0)


# -- errors at run time ----------------------------------------------------------------------------------


@pytest.mark.parametrize("jitted", [True, False])
def test_run_time_errors_name_the_users_line(jitted) -> None:
    with pytest.raises(IndexError, match=f"test_entry.py.*{pick.__code__.co_firstlineno + 1}") as caught:
        grad(pick, jit=jitted)(np.ones(3), 3)
    assert not isinstance(caught.value, Error)
    with pytest.raises(ZeroDivisionError, match=f"test_entry.py.*{inverse.__code__.co_firstlineno + 1}"):
        grad(inverse, jit=jitted)(0.0)


def test_boundscheck_off_trusts_the_program() -> None:
    f = grad(pick, boundscheck=False)
    np.testing.assert_array_equal(f(np.arange(3.0), -1), [0.0, 0.0, 4.0])
    assert "IndexError" not in f.backward_source(np.arange(3.0), -1, level="compiled")


@pytest.mark.parametrize("jitted", [True, False])
def test_check_nan_names_the_line(jitted) -> None:
    def f(x):
        y = np.log(x)
        return y * y

    assert grad(f, check_nan=True, jit=jitted)(1.0) == 0.0
    with pytest.raises(FloatingPointError, match=f"y is -inf[\\s\\S]*{f.__code__.co_firstlineno + 1}"):
        grad(f, check_nan=True, jit=jitted)(0.0)


# -- threads ---------------------------------------------------------------------------------------------


def test_first_call_from_several_threads() -> None:
    f = grad(norm2)

    @numba.njit
    def caller(x):
        return f(x)[0]

    results: list[float] = []

    def work(k: int) -> None:
        x = np.full(4, float(k))
        results.append(f(x)[0] if k % 2 else caller(x))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert sorted(results) == [2.0 * k for k in range(8)]
