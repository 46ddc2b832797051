"""Every step of every compilation in the suite is verified; goldens are rewritten with ``pytest --update``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from srcgrad.analysis.verify_sites import verify_sites
from srcgrad.frontend import handlers
from srcgrad.frontend.registry import FUNCTIONS
from srcgrad.ir.core import Function, Op
from srcgrad.ir.verify import verify
from srcgrad.primitives.table import infer
from srcgrad.watch import watching


class Verifier:
    """What each step left behind is a program, and all memory in it is known.

    After reversal a program names forward values that are out of scope, until ``recall`` brings them back.
    """

    def __init__(self) -> None:
        self.open = False
        self.typed: dict[int, Op] = {}
        self.before: Function | None = None

    def __call__(self, step: str, function: Function) -> None:
        self.open = step == "reverse" or (self.open and step != "recall")
        if self.open or function is self.before:
            return
        self.before = function
        try:
            verify(function, infer, self.typed)
            verify_sites(function)
        except AssertionError as fault:
            raise AssertionError(f"after the step {step}: {fault}") from fault


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the generated text in tests/cases")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory from ``np.empty`` is NaN in plain execution: whoever reads it too early is found. Not for Numba."""

    def empty(*args: Any, **kwargs: Any) -> Any:
        array = original(*args, **kwargs)
        if array.dtype.kind in "fc":
            array[...] = np.nan
        return array

    original = np.empty
    assert handlers
    monkeypatch.setitem(FUNCTIONS, empty, FUNCTIONS[original])  # in a program it is what it was
    monkeypatch.setattr(np, "empty", empty)


@pytest.fixture(autouse=True)
def _verified(request: pytest.FixtureRequest) -> Iterator[None]:
    """In all but the slow tests, which are many programs of kinds that others are examples of."""
    if request.node.get_closest_marker("slow"):
        yield
        return
    with watching(Verifier()):
        yield
