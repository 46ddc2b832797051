"""Exceptions of the user's own classes: raised as they are, or as the nearest base that can be made of a text."""

from __future__ import annotations

import pytest

from srcgrad import grad


class NoRootError(Exception):
    """Made as built-in exceptions are."""


class NumberedError(ArithmeticError):
    """Made of more than a text."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


def needs_root(x: float) -> float:
    if x < 0.0:
        raise NoRootError(f"no root of {x}")
    return x * x


def numbered(x: float) -> float:
    if x < 0.0:
        raise NumberedError("negative", 3)
    return x * x


def caught(x: float) -> float:
    try:
        y = needs_root(x)
    except NoRootError:
        y = 3.0 * x
    return y


@pytest.mark.parametrize("jit", [False, True])
def test_own_class_is_raised(jit: bool) -> None:
    derivative = grad(needs_root, jit=jit)
    assert derivative(3.0) == 6.0
    with pytest.raises(NoRootError, match=r"no root of -2\.0"):
        derivative(-2.0)


def test_class_made_of_more_is_raised_as_its_base() -> None:
    assert grad(numbered, jit=False)(3.0) == 6.0
    with pytest.raises(ArithmeticError, match="negative, 3"):
        grad(numbered, jit=False)(-2.0)


def test_local_class_is_raised_as_its_base() -> None:
    class LocalError(KeyError):
        pass

    def f(x: float) -> float:
        if x < 0.0:
            raise LocalError
        return x * x

    with pytest.raises(KeyError):
        grad(f, jit=False)(-2.0)


def test_own_class_is_caught() -> None:
    derivative = grad(caught, jit=False)
    assert derivative(3.0) == 6.0
    assert derivative(-2.0) == 3.0
