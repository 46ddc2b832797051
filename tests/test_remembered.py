"""A second process does not compile, and never runs what is no longer right."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from srcgrad.api.portable import NotPortable, described, follow, route_to
from srcgrad.frontend.boundary.places import Capture
from srcgrad.settings import Options

MODEL = """
from dataclasses import dataclass
import numpy as np

FACTOR = 3.0
WEIGHTS = np.array([1.0, 2.0])

@dataclass
class Model:
    k: float

    def energy(self, x):
        return self.k * x * x

def helper(x, by=FACTOR):
    return x * by

def loss(model, x):
    return model.energy(x) + helper(x) * WEIGHTS[0] + FACTOR * x
"""

RUN = """
import sys
import model
from srcgrad import grad
if len(sys.argv) > 1:
    model.FACTOR = float(sys.argv[1])
print(grad(model.loss, argnums=1)(model.Model(2.0), 1.0), "srcgrad.compiler" in sys.modules)
"""


def run(folder: Path, *arguments: str) -> list[str]:
    environment = {**os.environ, "SRCGRAD_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.slow
def test_processes(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(MODEL)
    assert run(tmp_path) == ["10.0", "True"]
    assert run(tmp_path) == ["10.0", "False"]
    # A constant with another value, a method and a helper with other text: compiled anew.
    assert run(tmp_path, "5.0") == ["12.0", "True"]
    model.write_text(MODEL.replace("self.k * x * x", "self.k + x * x"))
    assert run(tmp_path) == ["8.0", "True"]
    model.write_text(MODEL.replace("return x * by", "return x - by"))
    assert run(tmp_path) == ["8.0", "True"]
    model.write_text(MODEL)
    assert run(tmp_path) == ["10.0", "True"]
    for artifact in (tmp_path / "cache").glob("artifact_*"):
        artifact.write_text("damaged")
    assert run(tmp_path) == ["10.0", "True"]
    assert run(tmp_path) == ["10.0", "False"]


LIMIT = 2.0
SETTINGS = {"rate": 0.1}


def outer():
    inside = 3.0

    def f(x, y=(1.0, 2.0)):
        return x * inside * LIMIT

    return f


def test_routes_lead_back() -> None:
    f = outer()
    captures = [Capture("SETTINGS", globals(), "SETTINGS"), Capture("outer", globals(), "outer")]
    holders = [globals(), f.__closure__[0], sys.modules["numpy"], vars(sys.modules["math"]), SETTINGS]
    for holder in holders:
        assert follow(route_to(holder, f, captures), f, captures) is holder
    with pytest.raises(NotPortable):
        route_to({}, f, captures)


def test_descriptions_tell_values_apart() -> None:
    same = [1, 1.0, True, "1", None, np.float32(1.0), np.zeros(2), np.zeros(2, np.float32), [1], (1,), {"a": 1}, np.sin]
    texts = [repr(described(value)) for value in (*same, outer, np, float)]
    assert len(set(texts)) == len(texts)
    with pytest.raises(NotPortable):
        described(object())
    with pytest.raises(NotPortable):
        described(np.random.default_rng(0))


def test_each_option_is_part_of_what_is_asked() -> None:
    default = Options()
    changed = [replace(default, **{f.name: not getattr(default, f.name)}) for f in fields(default)]
    assert len({repr(options.described()) for options in (default, *changed)}) == len(changed) + 1
