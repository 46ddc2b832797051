"""Random generators of NumPy as arguments, outside and made inside: its own streams, plain and compiled."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, grad, hessian, jit, value_and_grad, vjp

CALLS = [
    *(
        "random()",
        "random(n)",
        "uniform(1.0, 3.0, (2, n))",
        "normal()",
        "normal(1.0, np.ones(3))",
        "lognormal(0.1, 0.2)",
    ),
    *("standard_normal((2, 400))", "exponential(1.5, 400)", "standard_exponential()", "integers(0, 10, n)"),
    *("integers(7)", "integers(-3, 3, 5, endpoint=True)", "integers(0, 2**32, 3)", "permutation(n)"),
    *("permutation(np.arange(n) * 2.0)", "choice(7, n)", "choice(9, n, False)", "choice(20000, 900, replace=False)"),
    *("choice(np.arange(3.0), n, p=np.array([0.2, 0.3, 0.5]))", "choice(5)"),
]
SHARED = np.random.default_rng(11)


def drawing(call):
    """A function that makes a generator and the call two times, with a draw of half a word between."""
    text = f"def drawn(k, n):\n    rng = np.random.default_rng(k)\n    a = rng.{call}\n    rng.integers(9)\n"
    text += f"    return a, rng.{call}, rng.random()\n"
    linecache.cache[f"rng.{call}"] = (len(text), None, text.splitlines(True), f"rng.{call}")
    names = {"np": np}
    exec(compile(text, f"rng.{call}", "exec"), names)
    return names["drawn"]


@pytest.mark.parametrize("call", CALLS)
def test_the_stream_is_that_of_numpy(call):
    f = drawing(call)
    for seed in (0, 2**40 + 5):
        for ours, theirs in zip(jit(f, jit=False)(seed, 5), f(seed, 5), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)
            assert np.shape(ours) == np.shape(theirs)


def everything(rng, n):
    a = rng.normal(1.0, 2.0, n)
    b = rng.exponential(2.0, n)
    c = rng.integers(0, 1000, 7)
    d = rng.permutation(11)
    e = rng.choice(30, 9, False)
    f = rng.choice(20000, 900, replace=False)
    return a, b, c, d, e, f, rng.random(), rng.integers(5)


def made(k, n):
    return everything(np.random.default_rng(k), n)


@pytest.mark.parametrize("seed", [0, 3, 2**63 - 1])
def test_the_stream_is_the_same_jitted(seed):
    for ours, theirs in zip(jit(made)(seed, 3000), made(seed, 3000), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.parametrize("jitted", [False, True])
def test_the_callers_generator_goes_on(jitted):
    ours, theirs = np.random.default_rng(4), np.random.default_rng(4)
    f = jit(everything, jit=jitted)
    for _ in range(2):
        for one, other in zip(f(ours, 5), everything(theirs, 5), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-14)
        assert ours.bit_generator.state == theirs.bit_generator.state


def noisy(x, rng):
    total = 0.0
    for i in range(5):
        if rng.random() < 0.7:
            x = np.sin(x) + 0.1 * x * rng.normal() * (i + 1)
        total += x * rng.exponential(x * x)
    return total


def test_a_derivative_leaves_it_alone():
    """As it leaves all arguments; so value and gradient are of the numbers that come next."""
    rng = np.random.default_rng(6)
    before = rng.bit_generator.state
    value, gradient = value_and_grad(noisy, jit=False)(0.7, rng)
    assert rng.bit_generator.state == before
    assert value == pytest.approx(noisy(0.7, np.random.default_rng(6)), rel=1e-13)
    ahead, behind = (noisy(0.7 + h, np.random.default_rng(6)) for h in (1e-6, -1e-6))
    assert gradient == pytest.approx((ahead - behind) / 2e-6, rel=1e-7)
    assert grad(noisy)(0.7, rng) == pytest.approx(gradient, rel=1e-12)
    assert grad(noisy, mutates=True, jit=False)(0.7, rng) == pytest.approx(gradient, rel=1e-13)
    assert rng.bit_generator.state != before
    assert grad(lambda x, r: x[1] * r.random(), jit=False)((1.0, 2.0), rng)[0] == 0.0


def seeded(x):
    return noisy(x, np.random.default_rng(8))


def test_all_modes():
    confirm(seeded, 0.7)
    assert np.isfinite(hessian(seeded, jit=False)(0.7))


def test_a_generator_outside():
    def f(x):
        return x * SHARED.normal() + SHARED.normal()

    SHARED.bit_generator.state = np.random.default_rng(11).bit_generator.state
    expected = np.random.default_rng(11)
    assert jit(f, jit=False)(2.0) == pytest.approx(2.0 * expected.normal() + expected.normal())
    assert SHARED.bit_generator.state == expected.bit_generator.state


def test_a_pullback_uses_the_numbers_of_its_run():
    rng = np.random.default_rng(3)
    _, pullback = vjp(lambda x: noisy(x, rng), 0.4, jit=False)
    assert pullback(1.0) == pullback(1.0)


def test_what_is_refused():
    with pytest.raises(Error, match="without a seed"):
        jit(lambda x: np.random.default_rng().random() * x, jit=False)(1.0)
    with pytest.raises(Error, match="of kind MT19937"):
        jit(lambda x, r: r.random() * x, jit=False)(1.0, np.random.Generator(np.random.MT19937(1)))
    with pytest.raises(Error, match="gamma"):
        jit(lambda x: np.random.default_rng(1).gamma(x), jit=False)(1.0)
