"""Watching the compiler: each step by name, printed, diffed or timed."""

from __future__ import annotations

import pytest

from srcgrad import grad, jvp, vjp
from srcgrad.compiler import STEPS
from srcgrad.ir.core import Function
from srcgrad.watch import anyone, watching


def square(x):
    return x * x


def test_every_step_is_announced_in_order() -> None:
    seen: list[str] = []

    def note(step: str, function: Function) -> None:
        assert function.name == "square"
        seen.append(step)

    with watching(note):
        grad(square, jit=False)(3.0)
        assert anyone()
    assert seen[0] == "lower"
    assert seen.index("reverse") < seen.index("recall") < seen.index("copy_arguments")


@pytest.mark.parametrize(
    ("variable", "value", "shown"),
    [
        ("SRCGRAD_PRINT", "lower,reverse", "# after reverse\ndef square(x: f64):"),
        ("SRCGRAD_PRINT", "diff", "+++ reverse"),
        ("SRCGRAD_TIME", "1", "square: lower"),
    ],
)
def test_environment(
    variable: str, value: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(variable, value)
    assert grad(square, jit=False)(3.0) == 6.0
    assert shown in capsys.readouterr().err


def test_unknown_step_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRCGRAD_PRINT", "revers, lower")
    with pytest.warns(UserWarning, match="no step is called revers; it takes diff or lower, .*reverse"):
        assert grad(square, jit=False)(3.0) == 6.0


@pytest.mark.parametrize("options", [{}, {"boundscheck": False, "check_nan": True}])
def test_every_step_has_a_known_name(options) -> None:
    seen: set[str] = set()
    with watching(lambda step, _: seen.add(step)):
        grad(square, jit=False, **options)(3.0)
        jvp(square, (3.0,), (1.0,), jit=False, **options)
        vjp(square, 3.0, jit=False, **options)
    assert {"lower", "reverse", "forward"} <= seen <= set(STEPS)


def test_the_cost_of_numba_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SRCGRAD_TIME", "1")
    native, general = grad(square, cache=False), grad(lambda pair: pair["x"] * pair["x"], cache=False)
    assert native(3.0) == 6.0
    told = capsys.readouterr().err
    assert "square: emit" in told and "square: numba" in told
    general({"x": 3.0})
    assert ": numba" in capsys.readouterr().err
    assert native(4.0) == 8.0
    assert capsys.readouterr().err == ""


def test_steps_that_are_not_asked_for_stay_silent(capsys: pytest.CaptureFixture[str]) -> None:
    grad(square, jit=False)(3.0)
    assert capsys.readouterr().err == ""
