"""Where generated code calls srcgrad.vector_math: in innermost loops that may vectorise, unless told otherwise."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from srcgrad import grad, jit, value_and_grad
from srcgrad.backend import numba_jit
from srcgrad.backend.numba_jit import Generated, load
from srcgrad.settings import Options

IMPORT = "from srcgrad.vector_math import"


def of_elements(x: Any) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.exp(x[i]) * np.sin(x[i])
    return total


def straight(x: float) -> float:
    return math.exp(x) * math.sin(x)


def recurrence(x: Any) -> float:
    u = x[0]
    for i in range(1, x.shape[0]):
        u = math.tanh(u + x[i])
    return u  # type: ignore[no-any-return]


def until(x: Any) -> float:
    u, i = 0.0, 0
    while u < 3.0:
        u += math.exp(x[i])
        i += 1
    return u


def in_array_style(x: Any) -> float:
    return np.sum(np.log1p(x * x) + np.arctan(x) ** 2)  # type: ignore[no-any-return]


def nested(x: Any) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        scale = np.cos(x[i])
        for j in range(x.shape[0]):
            total += scale * np.tanh(x[j])
    return total


def powers(x: Any) -> float:
    """By whole numbers of the run time, also negative ones and of negative numbers."""
    total = 0.0
    for i in range(x.shape[0]):
        total += (x[i] - 0.45) ** (x.shape[0] // 2 - i)
    return total


X = np.linspace(0.1, 0.9, 11)


def compiled_text(function: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    return str(grad(function, **options).backward_source(*arguments, level="compiled"))


@pytest.mark.parametrize("function", [of_elements, in_array_style, nested, powers])
def test_loops_over_elements_call_it(function: Callable[..., Any]) -> None:
    assert IMPORT in compiled_text(function, X)


def test_what_is_outside_the_innermost_loop_does_not() -> None:
    text = compiled_text(nested, X)
    assert "np.cos(" in text and " tanh(" in text


@pytest.mark.parametrize(("function", "argument"), [(straight, 0.5), (recurrence, X), (until, X)])
def test_other_code_calls_the_c_library(function: Callable[..., Any], argument: Any) -> None:
    assert IMPORT not in str(jit(function).source(argument, level="compiled"))


def test_the_option_takes_it_away() -> None:
    assert IMPORT not in compiled_text(of_elements, X, vector_math=False)


def test_what_is_meant_to_be_read_is_numpy() -> None:
    text = grad(of_elements).backward_source(X)
    assert IMPORT not in text and "np.exp(" in text


@pytest.mark.parametrize("function", [of_elements, in_array_style, nested, powers])
def test_the_values_are_those_of_plain_python(function: Callable[..., Any]) -> None:
    value, gradient = value_and_grad(function)(X)
    plain, plain_gradient = value_and_grad(function, jit=False)(X)
    assert value == pytest.approx(plain, rel=1e-14)
    np.testing.assert_allclose(gradient, plain_gradient, rtol=1e-14)


def test_without_it_and_without_fastmath_they_are_the_same_bits() -> None:
    gradient = grad(of_elements, vector_math=False, fastmath=False)(X)
    np.testing.assert_allclose(gradient, grad(of_elements, jit=False)(X), rtol=2e-16)


def test_float32_stays_float32() -> None:
    x = X.astype(np.float32)
    gradient = grad(of_elements)(x)
    assert gradient.dtype == np.float32
    assert "expf" in compiled_text(of_elements, x)
    np.testing.assert_allclose(gradient, grad(of_elements)(X), rtol=1e-6)


def test_variables_of_the_same_names() -> None:
    def clashing(x: Any) -> float:
        exp, log = 0.0, 2.0
        for sin in range(x.shape[0]):
            exp += log * np.exp(x[sin])
        return exp

    np.testing.assert_allclose(grad(clashing)(X), 2.0 * np.exp(X), rtol=1e-14)


def hypot(x: Any) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        total += np.hypot(x[i], 1.0)
    return total


def test_a_function_of_the_same_name() -> None:
    assert "def hypot(x)" in jit(hypot).source(X)
    text = jit(hypot).source(X, level="compiled")
    assert "def hypot_1(x)" in text and f"{IMPORT} hypot" in text
    assert jit(hypot)(X) == pytest.approx(hypot(X), rel=1e-14)


PROCESS = """
import sys
import linecache
import numpy as np
from srcgrad import grad
from srcgrad.vector_math import expf

body = f"    t = 0.0\\n    for i in range(x.shape[0]):\\n        t += {sys.argv[1]} * np.exp(x[i])\\n    return t\\n"
text = "def f(x):\\n" + body
linecache.cache["kernel"] = len(text), None, text.splitlines(True), "kernel"
names = {"np": np}
exec(compile(text, "kernel", "exec"), names)
grad(names["f"])(np.ones(3, np.float32))
print(sum(expf.stats.cache_hits.values()), sum(expf.stats.cache_misses.values()))
"""


def test_another_process_links_the_machine_code_that_one_has_made_unless_it_is_damaged(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))

    def process(factor: str) -> str:
        command = [sys.executable, "-c", PROCESS, factor]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.strip()

    assert process("2.0") == "0 1"
    assert process("3.0") == "1 0"
    for path in (tmp_path / "vector_math").iterdir():
        path.write_bytes(path.read_bytes()[:40])
    assert process("4.0") == "0 1", "what is damaged is compiled again"


@pytest.mark.parametrize("imported", [f"{IMPORT} exp", "from srcgrad.memory import buffer"])
def test_modules_that_import_it_are_named_after_its_text_too(
    imported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    made = Generated(f"import numpy as np\n{imported}\n\n\ndef f(x):\n    return x\n", "f", ("float64",))
    unjitted = Options(jit=False)
    before = load(made, unjitted).path
    monkeypatch.setattr(numba_jit, "fingerprint", lambda package: "another text")
    assert load(made, unjitted).path != before


def product(x: Any) -> float:
    total = 1.0
    for i in range(x.shape[0]):
        total *= 1.0 + math.exp(x[i])
    return total


def some_large(x: Any) -> float:
    found, total = False, 0.0
    for i in range(x.shape[0]):
        y = math.exp(x[i])
        found = (y > 2.0) | found
        total += y
    return total if found else 0.0


def largest(x: Any) -> float:
    top = 0.0
    for i in range(x.shape[0]):
        top = max(top, math.exp(x[i]))
    return top


@pytest.mark.parametrize(("function", "vectorised"), [(product, True), (some_large, True), (largest, False)])
def test_what_a_loop_carries_decides(function: Callable[..., Any], vectorised: bool) -> None:
    assert (IMPORT in str(jit(function).source(X, level="compiled"))) == vectorised
    assert jit(function)(X) == pytest.approx(function(X), rel=1e-13)
