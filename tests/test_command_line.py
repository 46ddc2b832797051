"""The command line: what it prints, and its exit status."""

from __future__ import annotations

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

def broken(w):
    try:
        return w
    except ValueError:
        return 0.0
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
        (["show", "MODEL:broken", "1.0"], "try is not in the language"),
    ],
)
def test_refused_commands(model: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([a.replace("MODEL", model) for a in arguments]) == 2
    assert said in capsys.readouterr().err
