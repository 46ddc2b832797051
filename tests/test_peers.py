"""What other systems are given to compute is the suite's problems, and a system that is not there is left out."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

from benchmarks.gradbench.ht import Model
from benchmarks.peers import SYSTEMS
from benchmarks.peers.client import measure, plain
from benchmarks.peers.forms import heston, kmeans, logistic, rosenbrock, soft_dtw
from benchmarks.peers.systems import ABSENT, absent, forms_of
from benchmarks.problems import PROBLEMS
from benchmarks.problems.heston import price
from benchmarks.problems.kmeans import cost
from benchmarks.problems.logistic import loss
from benchmarks.problems.rosenbrock import value
from benchmarks.problems.soft_dtw import soft_dtw as by_cells

RNG = np.random.default_rng(3)
SMALL = {
    "heston": (heston.price, price, (0.04, 1.5, 0.04, 0.3, -0.7, *RNG.standard_normal((2, 5, 4)))),
    "kmeans": (kmeans.cost, cost, (RNG.random((3, 2)), RNG.random((7, 2)))),
    "logistic": (logistic.loss, loss, (RNG.random(3), RNG.random((5, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0]))),
    "rosenbrock": (rosenbrock.value, value, (RNG.random(6),)),
    "soft_dtw": (soft_dtw.looped, by_cells, (RNG.random(5), RNG.random(4))),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_each_problem_has_forms(name) -> None:
    module = forms_of(name)
    systems = {**getattr(module, "FORMS", {}), **getattr(module, "DERIVATIVES", {})}
    assert systems and set(systems) <= set(SYSTEMS)


@pytest.mark.parametrize("name", SMALL)
def test_forms_are_the_problems(name) -> None:
    """With NumPy itself in the place of a system's."""
    form, primal, arguments = SMALL[name]
    assert form(np, *arguments) == pytest.approx(primal(*arguments), rel=1e-12)


def test_why_a_system_is_left_out() -> None:
    assert absent("ba", "autograd") == ABSENT
    assert absent("no such problem", "jax") == ABSENT


def test_a_process_that_has_no_part(tmp_path) -> None:
    given = tmp_path / "given"
    given.write_bytes(pickle.dumps(((1.0,), (0,))))
    peer = measure("ba", "autograd", sys.executable, given, tmp_path / "result", None, lambda: None)
    assert peer.absent == ABSENT


def test_a_process_that_fails(tmp_path) -> None:
    peer = measure("ba", "no such system", sys.executable, tmp_path / "missing", tmp_path, None, lambda: None)
    assert peer.absent
    gone = measure("ba", "autograd", "/bin/false", tmp_path, tmp_path, None, lambda: None)
    assert gone.absent == "it ended without a word"


def test_named_tuples_are_tuples() -> None:
    model = Model(*(np.zeros(2) for _ in range(5)), False)
    assert type(plain(model)) is tuple
