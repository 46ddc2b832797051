"""Loops with checkpoints: the same numbers as without, for every count and budget, within the budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interpreter import run

import srcgrad
from srcgrad import check_grads, checkpoint, grad, hessian, jacfwd, jacrev, vjp
from srcgrad.ir.core import Function
from srcgrad.watch import watching

RNG = np.random.default_rng(5)
BUDGETS = (1, 200, 300, 500, 10**7)
Made = Callable[[int], Callable[..., float]]


# -- programs, each with the budget of its loop ---------------------------------------------------------------


def swapped(budget: int) -> Callable[..., float]:
    def f(u0: Any, c: float, trips: int) -> float:
        u, v = u0.copy(), np.empty_like(u0)
        n = u.shape[0]
        for t in checkpoint(range(trips), budget):
            v[0], v[n - 1] = u[0] * c, u[n - 1] + 0.01 * t
            for i in range(1, n - 1):
                v[i] = u[i] + c * np.sin(u[i - 1] - 2 * u[i] + u[i + 1])
            u, v = v, u
        return float(np.sum(u * u))

    return f


def fresh(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        previous = u
        for _ in checkpoint(range(trips), budget=budget):
            previous, u = u, np.tanh(c * u) + 0.1 * previous
        return float(np.sum(u * previous))

    return f


def in_place(budget: int) -> Callable[..., float]:
    def f(u0: Any, c: float, trips: int) -> float:
        u, seen, sums = u0.copy(), np.zeros(trips), np.zeros(3)
        for t in checkpoint(range(trips), budget):
            for i in range(1, u.shape[0]):
                u[i] += c * np.sin(u[i - 1])
            seen[t] = u[2] * u[1]
            sums[t % 3] += u[0] * u[3]
        return float(np.sum(u) + np.sum(seen * seen) + sums[0] * sums[1] + sums[2])

    return f


def numbers(budget: int) -> Callable[..., float]:
    def f(a: Any, b: float, trips: int) -> float:
        x, y, k = 1.0, 0.5, 0
        for _ in checkpoint(range(trips), budget):
            if x > y:
                x, y = x * 0.9 + a[0] * y, y + 0.1 * b * x
                k += 1
            else:
                x = x + 0.05 * k * a[1]
        return x * y

    return f


def through_views(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        m = np.outer(u, u) * c
        column, corner = m[:, 1], m[:2, :2]
        for _ in checkpoint(range(trips), budget):
            for i in range(column.shape[0]):
                column[i] = np.sin(column[i]) + 0.1 * corner[0, 1]
        return float(np.sum(m * m))

    return f


def inner_while(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        x = u[0]
        for t in checkpoint(range(trips), budget):
            k = 0
            while x > 1.0 and k < 5:
                x = x * 0.6 + 0.1 * c
                k += 1
            x = x * 1.9 + 0.01 * k * u[t % 4]
        return x

    return f


def inside_another(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        s = 0.0
        for k in range(3):
            for _ in checkpoint(range(trips), budget):
                u = np.sin(u) * c + 0.1 * k
            s += np.sum(u)
        return s

    return f


def around_another(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        for k in checkpoint(range(trips), budget):
            v = u * 1.0
            for _ in checkpoint(range(trips), budget=100):
                v = np.sin(v) * c + 0.1 * k
            u = u + 0.1 * v
        return float(np.sum(u * u))

    return f


def over_items(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        s = 0.2
        for i, x in checkpoint(enumerate(u[:trips]), budget):
            s = np.sin(s * x) + c * i
        return s

    return f


def with_solve(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        a = np.outer(u, u) + 5.0 * np.eye(u.shape[0])
        for _ in checkpoint(range(trips), budget):
            u = np.linalg.solve(a, c * u) + a @ u * 0.1
        return float(np.sum(u))

    return f


def power(n: int, x: Any) -> Any:
    return x if n < 2 else power(n - 1, x) * np.cos(x) + power(n - 2, x)


@srcgrad.custom_vjp
def squared(x: Any) -> Any:
    return x * x


squared.defvjp(lambda x: (x * x, x), lambda x, ct: (2.0 * x * ct,))


def with_calls(budget: int) -> Callable[..., float]:
    """Of a recursive function, and of one that says itself what its derivative is."""

    def f(u: Any, c: float, trips: int) -> float:
        x = u[0]
        for _ in checkpoint(range(trips), budget):
            x = 0.3 * power(4, x) + 0.2 * squared(c * x)
        return x

    return f


def left_early(budget: int) -> Callable[..., float]:
    def f(u0: Any, c: float, trips: int) -> float:
        u, v = u0.copy(), np.zeros_like(u0)
        t = -1
        for t in checkpoint(range(trips), budget):
            v[:] = c * np.sin(u) + 0.3 * u[::-1]
            u, v = v, u
            if u[1] * u[2] < 0.05:
                break
            u[0] += 0.1 * t
        return float(np.sum(u * u) * (t + 2) + v[1])

    return f


def returned_early(budget: int) -> Callable[..., float]:
    def f(u: Any, c: float, trips: int) -> float:
        x = u[0] + 1.0
        for t in checkpoint(range(trips), budget):
            if t == 1:
                continue
            x = np.sin(x) * c + u[t % 4]
            if x > 1.2 or t > 8:
                return float(x * x * t)
        return float(x)

    return f


PROGRAMS: tuple[Made, ...] = (
    swapped,
    fresh,
    in_place,
    numbers,
    through_views,
    inner_while,
    inside_another,
    around_another,
    over_items,
    with_solve,
    with_calls,
    left_early,
    returned_early,
)
U, C = RNG.normal(size=4), 0.7


@pytest.fixture
def few_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    """As few snapshots as the budget says, down to one: short loops then go through all of the schedule."""
    monkeypatch.setattr("srcgrad.differentiate.checkpoints.schedule.FEWEST_SLOTS", 1)


@pytest.mark.usefixtures("few_slots")
@pytest.mark.parametrize("made", PROGRAMS)
def test_same_as_without(made: Made) -> None:
    plainly = grad(made(1), argnums=(0, 1), jit=False, checkpoint="off")
    for budget in BUDGETS if made in (swapped, numbers) else (1, 300):
        sparingly = grad(made(budget), argnums=(0, 1), jit=False)
        for trips in (0, 1, 2, 3, 4, 7, 12):
            value, wanted = plainly.value_and_grad(U, C, trips)
            assert value == pytest.approx(made(1)(U.copy(), C, trips), rel=1e-12)
            found, gradients = sparingly.value_and_grad(U, C, trips)
            assert found == value
            for ours, theirs in zip(gradients, wanted, strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("start", [0.4, 1.1])
@pytest.mark.parametrize("made", [left_early, returned_early])
def test_loops_that_stop(made: Made, start: float) -> None:
    """The unmarked form takes the same way through the front end: so by differences, too."""
    u = start * np.array([1.0, 0.9, 0.8, -0.7])
    for trips in (1, 3, 12):
        check_grads(lambda u, c, trips=trips: made(20)(u, c, trips), (u, C), order=2, modes=("rev",), jit=False)


@pytest.mark.parametrize("made", [fresh, in_place, numbers])
def test_with_respect_to_a_part(made: Made) -> None:
    """What no derivative goes through is no part of the adjoint state."""
    f = made(200)
    for argnums in (0, 1):
        wanted = grad(f, argnums=argnums, jit=False, checkpoint="off")(U, C, 6)
        np.testing.assert_allclose(grad(f, argnums=argnums, jit=False)(U, C, 6), wanted, rtol=1e-13, atol=1e-15)


@pytest.mark.usefixtures("few_slots")
@pytest.mark.parametrize("made", [swapped, fresh, in_place, numbers, inside_another, with_calls])
def test_second_order(made: Made) -> None:
    f = made(200)
    wanted = hessian(f, jit=False, checkpoint="off")(U, C, 5)
    np.testing.assert_allclose(hessian(f, jit=False)(U, C, 5), wanted, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("made", [swapped, in_place, left_early])
def test_jitted(made: Made) -> None:
    f = made(300)
    wanted = grad(f, argnums=(0, 1), jit=False, checkpoint="off")
    found = grad(f, argnums=(0, 1))
    for trips in (0, 1, 12):
        for ours, theirs in zip(found(U, C, trips), wanted(U, C, trips), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-13)


def rolled(u: Any, c: float) -> Any:
    for _ in checkpoint(range(20), budget=300):
        u = np.sin(u) * c + 0.1
    return u


def test_pullbacks_run_again() -> None:
    out, pullback = vjp(rolled, U, C, jit=False)
    np.testing.assert_array_equal(out, rolled(U, C))
    jacobian = jacfwd(rolled, jit=False)(U, C)
    for ct in (RNG.normal(size=4), RNG.normal(size=4)):
        np.testing.assert_allclose(pullback(ct)[0], ct @ jacobian, rtol=1e-11, atol=1e-18)
    np.testing.assert_allclose(jacrev(rolled, jit=False)(U, C), jacobian, rtol=1e-11, atol=1e-18)


@pytest.mark.usefixtures("few_slots")
def test_interpreted() -> None:
    """Each step's program by the meaning of the IR, apart from the back end."""
    steps: dict[str, Function] = {}
    with watching(steps.__setitem__):
        wanted = grad(swapped(300), argnums=(0, 1), jit=False, cache=False)(U, C, 7)
    for step in ("recall", list(steps)[-1]):
        for ours, theirs in zip(run(steps[step], U.copy(), np.float64(C), np.int64(7)), wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_dtypes_of_the_state() -> None:
    def f(u: Any, c: Any, z: complex) -> Any:
        k, flag = 0, False
        for t in checkpoint(range(7), budget=100):
            u = np.tanh(u) * c
            z = z * z * 0.3 + (0.1 + 0.2j)
            k, flag = k + t, not flag
            if flag:
                u = u + np.float32(k)
        return np.sum(u) + np.float32((z * z.conjugate()).real)

    args = (U.astype(np.float32), np.float32(0.7), 0.4 + 0.3j)
    wanted = grad(f, argnums=(0, 1, 2), jit=False, checkpoint="off")(*args)
    for ours, theirs in zip(grad(f, argnums=(0, 1, 2), jit=False)(*args), wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_layouts(order: str) -> None:
    m = RNG.normal(size=(8, 6))[::2, ::2] if order == "A" else np.asarray(RNG.normal(size=(4, 3)), order=order)

    def f(m: Any) -> Any:
        for _ in checkpoint(range(7), budget=700):
            m[1:] = np.sin(m[:-1]) + m[1:] * 0.5
        return np.sum(m * m)

    wanted = grad(f, jit=False, checkpoint="off")(m.copy(order="K"))
    before = m.copy()
    np.testing.assert_allclose(grad(f, jit=False)(m), wanted, rtol=1e-13)
    np.testing.assert_array_equal(m, before)


def test_a_gradient_of_python_itself() -> None:
    """Against differences of the plain function, without the compiler."""
    f, h = swapped(300), 1e-6
    found = grad(f, argnums=1, jit=False)(U, C, 9)
    assert found == pytest.approx((f(U, C + h, 9) - f(U, C - h, 9)) / (2 * h), rel=1e-7)


def without_marks(u: Any, c: float, trips: int) -> float:
    s = 0.0
    for k in range(3):
        for _ in range(trips):
            u = np.sin(u) * c + 0.1 * k
        s += np.sum(u)
    total = 0.0
    for k in range(trips):
        total += np.exp(-u[k % 3] * k)
    return s + total


def test_everywhere() -> None:
    """A budget of the derivative is for all loops that carry a state; independent iterations keep nothing anyway."""
    plainly, sparingly = grad(without_marks, jit=False), grad(without_marks, jit=False, checkpoint=100)
    for trips in (0, 1, 9):
        np.testing.assert_allclose(sparingly(U, C, trips), plainly(U, C, trips), rtol=1e-13, atol=1e-16)
    assert "snapshots" not in plainly.backward_source(U, C, 9)
    assert "u_snapshots" in sparingly.backward_source(U, C, 9)
    assert "total_snapshots" not in sparingly.backward_source(U, C, 9)
    with pytest.raises(ValueError, match="no size of memory"):
        grad(without_marks, jit=False, checkpoint="many")(U, C, 9)


def test_explained() -> None:
    said = grad(swapped(10**6), jit=False).explain(U, C, 9)
    assert "u_snapshots" in said and "8 * slots * u.shape[0]" in said and "at most 1,000,000 bytes" in said
