"""The examples run as scripts, and print what a right gradient gives."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parent.parent / "examples"


def printed(name: str) -> str:
    done = subprocess.run([sys.executable, str(EXAMPLES / name)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_greeks():
    pairs = re.findall(r"(-?[\d.]+)  \(by bumping on the same paths (-?[\d.]+)\)", printed("greeks.py"))
    assert len(pairs) == 3
    for gradient, bumped in pairs:
        assert float(gradient) == pytest.approx(float(bumped), rel=5e-3)


def test_diffusivity():
    (error,) = re.findall(r"largest relative error of the diffusivity ([\d.]+)%", printed("diffusivity.py"))
    assert float(error) < 5.0


def test_network():
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", printed("network.py"))]
    assert losses[-1] < 0.05 * losses[0]
