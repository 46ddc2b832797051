"""Random numbers drawn inside: NumPy's own streams, each draw made once and in its place, parameters differentiated."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, grad, hessian, jit, vjp

V = np.array([1.3, 2.1, 0.4])
CALLS = [
    *("random(n)", "rand(n, 2)", "randn(2)", "standard_normal((2, n))", "normal()", "normal(1.0, np.ones(3))"),
    *("uniform(1.0, 3.0)", "exponential(1.5, n)", "laplace(0.5, 2.0, n)", "logistic(0.5, 1.0, n)", "gumbel(size=n)"),
    *("lognormal(0.1, 0.2, n)", "weibull(2.0, n)", "rayleigh(1.5, n)", "pareto(2.0, n)", "randint(0, 10, n)"),
    *("randint(7)", "choice(7, n)", "choice(9, n, False)", "choice(np.arange(3.0), n, p=np.array([0.2, 0.3, 0.5]))"),
    *("permutation(n)", "permutation(np.arange(n) * 2.0)", "choice(5)"),
]


def twice(call):
    """A function that seeds and makes the call two times."""
    text = f"def drawn(k, n):\n    np.random.seed(k)\n    a = np.random.{call}\n    return a, np.random.{call}\n"
    linecache.cache[call] = (len(text), None, text.splitlines(True), call)
    names = {"np": np}
    exec(compile(text, call, "exec"), names)
    return names["drawn"]


@pytest.mark.parametrize("call", CALLS)
def test_the_stream_is_that_of_numpy(call):
    f = twice(call)
    for ours, theirs in zip(jit(f, jit=False)(3, 5), f(3, 5), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
        assert np.shape(ours) == np.shape(theirs)


@pytest.mark.parametrize("call", ["normal(1.0, 2.0, n)", "uniform(1.0, 3.0)", "randint(0, 10, n)", "permutation(n)"])
def test_the_stream_is_the_same_jitted(call):
    f = twice(call)
    for ours, theirs in zip(jit(f)(3, 5), f(3, 5), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def with_parameters(m, s):
    np.random.seed(5)
    total = np.random.normal(m, s) * np.random.uniform(m, m + s) + np.random.exponential(s) * np.random.laplace(m, s)
    total += np.random.gumbel(m, s) * np.random.logistic(m, s) + np.random.lognormal(m, s) * np.random.rayleigh(s)
    return total + np.random.weibull(s) * np.random.pareto(s) + np.sum(np.random.normal(m, s, 4) ** 2)


def paths(s, n):
    """Independent iterations: their draws must not be made again in the reverse sweep."""
    np.random.seed(7)
    total = 0.0
    for _ in range(n):
        z = np.random.normal()
        total += np.exp(s * z) * z + np.sin(s * np.random.rand())
    return total / n


def walk(x, s):
    np.random.seed(1)
    for i in range(20):
        if np.random.rand() < 0.5:
            x = x * x * 0.5 + s * np.random.normal()
        elif i % 3 == 0:
            x += s
    return x * s


def until(x):
    np.random.seed(2)
    k = 0
    while np.random.rand() < 0.9 and k < 50:
        x = np.sin(x) + 0.1 * x * np.random.randn()
        k += 1
    return x


def unused_draws(x):
    np.random.seed(3)
    np.random.rand()
    z = np.random.rand(4)
    np.random.normal(size=3)
    z[0] = 2.0
    return x * np.random.rand() * x + z[1] * x


def dropout(x):
    np.random.seed(4)
    h = np.zeros_like(x)
    for i in range(len(x)):
        keep = np.random.uniform(0.0, 1.0, len(x)) < 0.7
        h += np.where(keep, x * x[i], 0.0)
    return np.sum(h * h)


def shuffled(x):
    np.random.seed(6)
    y = x * x
    np.random.shuffle(y)
    w = np.random.choice(3, 2, False)
    return y[0] * y[1] + y[w[0]] * 2.0 + np.random.permutation(x)[1] + x[np.random.randint(3)] ** 3


def shuffled_lists(x):
    grown, given, pairs = [], [x[0], x[1], x[2]], []
    for i in range(len(x)):
        grown.append(x[i] * x[i])
        pairs.append((x[i], i))
    np.random.seed(6)
    np.random.shuffle(grown)
    np.random.shuffle(given)
    rng = np.random.default_rng(5)
    rng.shuffle(pairs)
    rng.shuffle(grown)
    return grown[0] + 2.0 * grown[1] + given[0] * given[1] + pairs[0][0] * pairs[0][1] + pairs[1][0]


def helper(x):
    return x * np.random.normal()


def in_helpers(x):
    np.random.seed(8)
    return helper(helper(x)) + sum([helper(x) for _ in range(3)])


def test_parameters_are_differentiated():
    confirm(with_parameters, 0.3, 0.7)


@pytest.mark.parametrize("f", [until, unused_draws, in_helpers])
def test_each_draw_is_made_once(f):
    confirm(f, 0.7)


def test_loops():
    confirm(lambda s: paths(s, 30), 0.4)
    confirm(walk, 0.7, 0.3)


@pytest.mark.parametrize("f", [dropout, shuffled, shuffled_lists])
def test_arrays(f):
    confirm(f, V)


def test_jitted():
    confirm(lambda s: paths(s, 200), 0.4, jitted=True)
    confirm(walk, 0.7, 0.3, jitted=True, order=1)
    confirm(dropout, V, jitted=True, order=1)
    assert grad(paths, parallel=True)(0.4, 200) == pytest.approx(grad(paths)(0.4, 200))


def unseeded(x):
    z = np.random.normal(size=3)
    return np.sum(z * z) * x * x


def test_without_a_seed_the_stream_goes_on():
    np.random.seed(11)
    first, second = grad(unseeded, jit=False)(1.0), grad(unseeded, jit=False)(1.0)
    np.random.seed(11)
    assert [first, second] == pytest.approx([2 * unseeded(1.0), 2 * unseeded(1.0)])


def test_a_pullback_uses_the_numbers_of_its_forward_run():
    np.random.seed(12)
    value, pullback = vjp(unseeded, 0.5, jit=False)
    assert pullback(1.0) == pytest.approx((4 * value,))
    assert pullback(2.0) == pytest.approx((8 * value,))


def test_second_derivatives():
    assert hessian(paths, jit=False)(0.4, 20) == pytest.approx(
        (grad(paths, jit=False)(0.4 + 1e-5, 20) - grad(paths, jit=False)(0.4 - 1e-5, 20)) / 2e-5, rel=1e-6
    )


def of_a_gamma(a):
    return np.random.gamma(a)


def test_refused():
    with pytest.raises(Error, match=r"np.random.\w+ has no rule"):
        grad(of_a_gamma, jit=False)(0.7)
