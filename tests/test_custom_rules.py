"""Functions whose derivative the user gives: custom_vjp, custom_jvp, stop_gradient."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from srcgrad import (
    ArgumentTypeError,
    Error,
    UnsupportedError,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    jit,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from srcgrad.ir.text import parse, to_text
from srcgrad.primitives.table import infer

X = np.linspace(0.2, 1.1, 4)
A = np.random.default_rng(0).normal(size=(3, 4))
SCALE = np.array([1.0, 2.0, 3.0, 4.0])


@custom_vjp
def tripled(x):  # its rule is wrong on purpose, so that one sees which was used
    return x * x


def tripled_fwd(x):
    return x * x, x


def tripled_bwd(x, ct):
    return (3.0 * x * ct,)


tripled.defvjp(tripled_fwd, tripled_bwd)


@custom_vjp
def product(a, x):
    return a @ x


def product_fwd(a, x):
    return a @ x, (a, x)


def product_bwd(kept, ct):
    a, x = kept
    return np.outer(ct, x), a.T @ ct


product.defvjp(product_fwd, product_bwd)


@custom_jvp
def exponential(x):
    return np.exp(x)


@exponential.defjvp
def exponential_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return exponential(x), exponential(x) * x_dot


@pytest.fixture(params=[True, False], ids=["jit", "plain"])
def jitted(request) -> bool:
    return request.param


def test_outside_it_is_the_function() -> None:
    assert tripled(3.0) == 9.0
    assert tripled.__name__ == "tripled"
    assert pickle.loads(pickle.dumps(tripled)) is tripled
    assert stop_gradient(X) is X


def test_the_rule_is_used(jitted) -> None:
    np.testing.assert_allclose(
        grad(lambda x: np.sum(np.sin(tripled(x))), jit=jitted)(X), np.cos(X * X) * 3 * X, rtol=1e-14
    )
    assert value_and_grad(lambda x: 2.0 * tripled(x), jit=jitted)(5.0) == (50.0, 30.0)
    assert jit(lambda x: 2.0 * tripled(x), jit=jitted)(5.0) == 50.0
    assert grad(tripled, jit=jitted)(5.0) == 15.0


def test_second_order_differentiates_the_rule(jitted) -> None:
    np.testing.assert_allclose(hessian(lambda x: np.sum(tripled(x)), jit=jitted)(X), 3.0 * np.eye(4))


def test_vjp_of_arrays(jitted) -> None:
    out, pull = vjp(product, A, X, jit=jitted)
    ct = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(out, A @ X)
    a_bar, x_bar = pull(ct)
    np.testing.assert_allclose(a_bar, np.outer(ct, X))
    np.testing.assert_allclose(x_bar, A.T @ ct)


def swept(multiply):
    """A loop that overwrites what the rule needs."""

    def loss(a, x):
        y = x.copy()
        total = 0.0
        for i in range(4):
            z = multiply(a, y)
            total += np.sum(z * z) * i
            y[:3] = np.sin(z)
            y[3] = y[0] * y[1]
        return total + np.sum(y)

    return loss


def plain_product(a, x):
    return a @ x


@pytest.mark.parametrize("jitted", [False])
@pytest.mark.parametrize("argnum", [0, 1])
def test_in_a_loop_that_overwrites_the_arguments(jitted, argnum) -> None:
    ours, known = (grad(swept(f), argnums=argnum, jit=jitted)(A, X) for f in (product, plain_product))
    np.testing.assert_allclose(ours, known, rtol=1e-12)
    ours, known = (hessian(swept(f), argnums=1, jit=jitted)(A, X) for f in (product, plain_product))
    np.testing.assert_allclose(ours, known, rtol=1e-10)


def test_in_independent_iterations() -> None:
    def loss(multiply):
        def f(a, x):
            total = 0.0
            for i in range(5):
                y = multiply(a, x * i)
                if y[0] > 0.0:
                    total += np.sum(y * y * y)
            return total

        return f

    for argnum in (0, 1):
        ours, known = (grad(loss(f), argnums=argnum, jit=False)(A, X) for f in (product, plain_product))
        np.testing.assert_allclose(ours, known, rtol=1e-12)


def test_under_a_while_loop() -> None:
    def loss(multiply):
        def f(a, x):
            y = x.copy()
            while np.sum(y * y) < 50.0:
                z = multiply(a, y)
                y[:3] += z * z
            return np.sum(y)

        return f

    ours, known = (grad(loss(f), argnums=1, jit=False)(A, X) for f in (product, plain_product))
    np.testing.assert_allclose(ours, known, rtol=1e-12)


def test_jvp_rule_in_both_modes(jitted) -> None:
    def f(x):
        return np.sum(exponential(x) ** 2)

    np.testing.assert_allclose(grad(f, jit=jitted)(X), 2 * np.exp(2 * X), rtol=1e-14)
    np.testing.assert_allclose(hessian(f, jit=jitted)(X), np.diag(4 * np.exp(2 * X)), rtol=1e-14)
    value, dot = jvp(f, (X,), (X,), jit=jitted)
    np.testing.assert_allclose([value, dot], [np.sum(np.exp(2 * X)), np.sum(2 * X * np.exp(2 * X))])


def test_fourth_derivative_by_the_same_rule() -> None:
    third = grad(grad(grad(exponential, jit=False), jit=False), jit=False)
    np.testing.assert_allclose(grad(third, jit=False)(1.0), np.e)


def test_jvp_rule_of_structures_and_loops() -> None:
    @custom_jvp
    def pair(p, n):
        total = 0.0
        for k in range(n):
            total += p["w"][k] * p["b"]
        return total, p["w"] * 2.0

    @pair.defjvp
    def pair_jvp(primals, tangents):
        (p, n), (p_dot, _) = primals, tangents
        out = pair(p, n)
        dot = 0.0
        for k in range(n):
            dot += p_dot["w"][k] * p["b"] + p["w"][k] * p_dot["b"]
        return out, (dot, p_dot["w"] * 2.0)

    def loss(p):
        s, w = pair(p, 3)
        return s * s + np.sum(w * w)

    p = {"w": np.array([1.0, 2.0, 3.0]), "b": 0.5}
    got = grad(loss, jit=False)(p)
    np.testing.assert_allclose(got["w"], 2 * 3.0 * 0.5 + 8 * p["w"])
    np.testing.assert_allclose(got["b"], 2 * 3.0 * 6.0)


def test_nondiff_argnums_come_first() -> None:
    @custom_vjp
    def plain(f, x, c):
        return f(x) * c

    powered = custom_vjp(plain.fun, nondiff_argnums=(0, 2))
    powered.defvjp(lambda f, x, c: (f(x) * c, x), lambda f, c, x, ct: (c * 10.0 * x * ct,))
    assert grad(lambda x: powered(np.sin, x, 7), jit=False)(2.0) == 140.0


def test_arrays_from_outside() -> None:
    @custom_vjp
    def projected(x):
        return x @ SCALE

    projected.defvjp(lambda x: (x @ SCALE, None), lambda kept, ct: (10.0 * ct * SCALE,))
    got = grad(lambda x: projected(x) ** 2, jit=False)(X)
    np.testing.assert_allclose(got, 20 * (X @ SCALE) * SCALE)


def test_none_is_no_derivative() -> None:
    @custom_vjp
    def first(x, y):
        return x * y

    first.defvjp(lambda x, y: (x * y, y), lambda y, ct: (y * ct, None))
    assert grad(lambda x, y: first(x, y) + y, argnums=(0, 1), jit=False)(2.0, 3.0) == (3.0, 1.0)


def test_results_are_no_aliases_of_arguments() -> None:
    @custom_vjp
    def same(x):
        return x

    same.defvjp(lambda x: (x, None), lambda kept, ct: (2.0 * ct,))

    def loss(x):
        y = same(x)
        y[0] = 5.0
        return np.sum(x * x) + np.sum(y)

    np.testing.assert_allclose(grad(loss, jit=False)(X), 2 * X + np.array([0.0, 2.0, 2.0, 2.0]))


def test_float32_stays() -> None:
    got = grad(lambda x: np.sum(tripled(x)), jit=False)(X.astype(np.float32))
    assert got.dtype == np.float32


def test_stop_gradient(jitted) -> None:
    assert grad(lambda x: x * stop_gradient(x), jit=jitted)(3.0) == 3.0
    np.testing.assert_allclose(grad(lambda x: np.sum(x * stop_gradient(x * x)), jit=jitted)(X), X * X)
    assert jvp(lambda x: x * stop_gradient(x), (3.0,), (1.0,), jit=jitted)[1] == 3.0
    second = grad(grad(lambda x: x * x * stop_gradient(x), jit=jitted), jit=jitted)
    assert second(3.0) == 6.0


def test_the_ir_says_which_rules_a_function_has() -> None:
    text = grad(lambda x: np.sum(tripled(x)), jit=False).ir(X, after="lower")
    assert "@rules(wrt=(0,), forward='tripled_fwd', backward='tripled_bwd', into=(0,))\ndef tripled(" in text
    assert to_text(parse(text, infer)) == text


# Refusals


def unruled(x):
    return x


def refused(rule, x=2.0, transform=grad) -> Error:
    with pytest.raises(Error) as caught:
        transform(lambda x: rule(x), jit=False)(x)
    return caught.value


def ruled_by(fwd, bwd, fun=unruled):
    f = custom_vjp(fun)
    f.defvjp(fwd, bwd)
    return f


def test_forward_mode_through_a_reverse_rule() -> None:
    with pytest.raises(UnsupportedError, match="has a rule for reverse mode only"):
        jvp(tripled, (1.0,), (1.0,), jit=False)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (custom_vjp(unruled), "has no derivative rule yet"),
        (custom_jvp(unruled), "has no derivative rule yet"),
        (ruled_by(lambda x: x, lambda k, ct: (ct,)), "the rule fwd returns a number"),
        (ruled_by(lambda x: (x, x, x), lambda k, ct: (ct,)), "the rule fwd returns a tuple of 3"),
        (ruled_by(lambda x: ((x, x), x), lambda k, ct: (ct,)), "where unruled() gives a number"),
        (ruled_by(lambda x: (x, x), lambda k, ct: ct), "returns a number (float64), and there are 1 arguments"),
        (ruled_by(lambda x: (x, x), lambda k, ct: ((ct, ct),)), "gives a tuple of 2 where a number"),
    ],
)
def test_refusals(rule, said) -> None:
    error = refused(rule)
    assert said in str(error)
    assert error.line is not None
    assert error.hint


def test_a_cotangent_of_another_shape_is_refused() -> None:
    rule = ruled_by(lambda x: (x.copy(), x), lambda x, ct: (ct[1:],), lambda x: x.copy())
    with pytest.raises(ValueError, match="gives a cotangent of extent 3 for an axis of extent 4"):
        grad(lambda x: np.sum(rule(x)), jit=False)(X)
    rule = ruled_by(lambda x: (x.copy(), x), lambda x, ct: (1.0,), lambda x: x.copy())
    with pytest.raises(ArgumentTypeError, match="where an array of rank 1"):
        grad(lambda x: np.sum(rule(x)), jit=False)(X)


def test_a_rule_that_writes_to_its_argument() -> None:
    def bwd(x, ct):
        ct[0] = 1.0
        return (ct,)

    rule = ruled_by(lambda x: (x.copy(), x), bwd, lambda x: x.copy())
    with pytest.raises(UnsupportedError, match="writes to its argument"):
        grad(lambda x: np.sum(rule(x)), jit=False)(X)


def test_what_the_rule_says_nothing_of() -> None:
    scaled = custom_vjp(lambda c, x: c * x, nondiff_argnums=(0,))
    scaled.defvjp(lambda c, x: (c * x, None), lambda c, kept, ct: (c * ct,))
    with pytest.raises(UnsupportedError, match="an argument among nondiff_argnums"):
        grad(lambda x: scaled(x, x), jit=False)(2.0)
    assert grad(lambda x: scaled(stop_gradient(x), x), jit=False)(2.0) == 2.0
