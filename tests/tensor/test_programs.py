"""The same small programs under PyTorch and srcgrad give the same values and gradients.

What PyTorch gave is kept in ``programs/expected.npz``, so that the comparison needs no PyTorch; where it is installed,
it is asked again, and ``pytest --update`` rewrites the file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad
from tests.tensor.programs import basics, flow, operations, training

EXPECTED = Path(__file__).parent / "programs" / "expected.npz"
TOLERANCE = {"float64": 1e-10, "float32": 1e-5}
PROGRAMS = {
    f"{module.__name__.rpartition('.')[2]}-{program.__name__}": program
    for module in (basics, operations, flow, training)
    for program in module.PROGRAMS
}


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(srcgrad, "tensor_jit", "never")


def results(program: Callable[..., Any], torch: Any, dtype: str) -> list[np.ndarray]:
    return [tensor.detach().numpy() for tensor in program(torch, getattr(torch, dtype))]


def compare(found: list[np.ndarray], expected: list[np.ndarray], dtype: str) -> None:
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, TOLERANCE[dtype], TOLERANCE[dtype])


def expected(name: str, dtype: str) -> list[np.ndarray]:
    with np.load(EXPECTED) as kept:
        count = int(kept[f"{name}-{dtype}"])
        return [kept[f"{name}-{dtype}-{k}"] for k in range(count)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_pytorch_did(name: str, dtype: str) -> None:
    compare(results(PROGRAMS[name], srcgrad, dtype), expected(name, dtype), dtype)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PROGRAMS)[::4])
def test_jitted_as_pytorch_did(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(srcgrad, "tensor_jit", "always")
    compare(results(PROGRAMS[name], srcgrad, "float64"), expected(name, "float64"), "float64")


def test_pytorch_says_what_is_expected(request: pytest.FixtureRequest) -> None:
    torch = pytest.importorskip("torch")
    asked = {
        f"{name}-{dtype}": results(program, torch, dtype) for name, program in PROGRAMS.items() for dtype in TOLERANCE
    }
    if request.config.getoption("--update"):
        kept: dict[str, Any] = {key: np.array(len(found)) for key, found in asked.items()}
        kept |= {f"{key}-{k}": array for key, found in asked.items() for k, array in enumerate(found)}
        np.savez_compressed(EXPECTED, **kept)
    for key, found in asked.items():
        name, _, dtype = key.rpartition("-")
        compare(found, expected(name, dtype), dtype)


def test_there_are_enough() -> None:
    assert len(PROGRAMS) >= 60
