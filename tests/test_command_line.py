"""The command line: what it prints, and its exit status."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from srcgrad.__main__ import main

MODEL = """
import numpy as np
from srcgrad import grad

def loss(w, x):
    return np.sin(w) * x

@grad
def decorated(w):
    return w * w

def beyond(x):
    return x[5] * 2.0

def printing(x):
    print(x, file=None)
    return x

def broken(w):
    class Local:
        pass
    return w
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["show", "MODEL:loss", "1.0", "2.0"], "np.cos(w)"),
        (["show", "MODEL:loss", "1.0", "2.0", "--argnums", "0,1"], "np.sin(w)"),
        (["show", "MODEL:loss", "1.0", "2.0", "--primal"], "np.sin(w)"),
        (["show", "MODEL:decorated", "1.0", "--level", "compiled"], "2.0 * w"),
        (["explain", "MODEL:loss", "1.0", "2.0"], "The gradient of loss()"),
        (["check", "MODEL:loss", "1.0", "np.float64(2)"], "agree"),
    ],
)
def test_commands(model: str, arguments: list[str], shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([a.replace("MODEL", model) for a in arguments]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "MODEL"], "should read FILE.py:FUNCTION"),
        (["show", "nothing.py:loss"], "no file 'nothing.py'"),
        (["show", "MODEL:los"], "no function 'los'; it has grad, loss"),
        (["show", "MODEL:loss", "1.0"], "missing a required argument"),
        (["show", "MODEL:loss", "1.0", "y"], "'y' is not a Python expression that works"),
        (["show", "MODEL:broken", "1.0"], "a class inside a function is not in the language"),
        (["check", "MODEL:beyond", "np.ones(2)"], "IndexError: index 5 is out of bounds"),
    ],
)
def test_refused_commands(model: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([a.replace("MODEL", model) for a in arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_file_finds_what_lies_in_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "beside_the_model.py").write_text("def square(x):\n    return x * x\n")
    path = tmp_path / "model.py"
    path.write_text("from beside_the_model import square\n\ndef f(x):\n    return square(x)\n")
    before = sys.path[:]
    assert main(["show", f"{path}:f", "1.0"]) == 0
    assert "2.0 * x" in capsys.readouterr().out
    assert sys.path == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(x:\n", "'(' was never closed"),
        ("import there_is_no_such_module\n", "No module named 'there_is_no_such_module'"),
        ("1 / 0\n", "line 1, in <module>"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
    ],
)
def test_a_file_that_fails_shows_only_its_own_lines(
    tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.py"
    path.write_text(text)
    assert main(["show", f"{path}:f", "1.0"]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "__main__.py" not in shown
    assert "runpy" not in shown


def test_argnums_that_are_no_numbers(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["show", f"{model}:loss", "1.0", "2.0", "--argnums", "a"])
    assert "'a' should be the number of an argument" in capsys.readouterr().err


def test_check_refuses_before_the_function_runs(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{model}:printing", "1.0"]) == 2
    shown = capsys.readouterr()
    assert "print() to a file" in shown.err
    assert shown.out == ""
