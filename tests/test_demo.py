"""The demonstration: its data file, its objective in two styles against the reference, and what it prints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from srcgrad import grad
from srcgrad.demo import run
from srcgrad.demo.gmm import log_likelihood, log_likelihood_arrays
from srcgrad.demo.problem import DATA, DataFileError, Problem, read_problem
from srcgrad.demo.reference import STEP, directional_error, objective

VALUE = -25649.6526212  # ADBench's value for the file
GOOD = "1 2 3\n0 0\n1\n2\n0.1\n0.2\n1\n2\n3\n1.0 0\n"


def small_problem(d: int, components: int, n: int, gamma: float, m: int) -> Problem:
    generator = np.random.default_rng(d)
    return Problem(
        generator.standard_normal(components),
        generator.standard_normal((components, d)),
        0.3 * generator.standard_normal((components, d * (d + 1) // 2)),
        generator.standard_normal((n, d)),
        gamma,
        m,
    )


def complex_step_gradient(problem: Problem) -> list[np.ndarray]:
    """Component by component."""
    parameters = [np.array(x, dtype=complex) for x in problem[:3]]
    gradient = [np.zeros(x.shape) for x in parameters]
    for x, g in zip(parameters, gradient, strict=True):
        for index in np.ndindex(x.shape):
            x[index] += 1j * STEP
            g[index] = objective(*parameters, problem).imag / STEP
            x[index] -= 1j * STEP
    return gradient


@pytest.mark.parametrize("f", [log_likelihood, log_likelihood_arrays])
@pytest.mark.parametrize("problem", [small_problem(3, 2, 4, 1.0, 0), small_problem(1, 3, 5, 0.7, 2)], ids=["d3", "d1"])
def test_gradient_is_that_of_the_reference(f, problem):
    value = objective(*(x + 0j for x in problem[:3]), problem).real
    assert f(*problem) == pytest.approx(value, rel=1e-13)
    gradient = grad(f, argnums=(0, 1, 2), jit=False)(*problem)
    for got, expected in zip(gradient, complex_step_gradient(problem), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)


def test_value_for_the_file_is_the_published_one():
    problem = read_problem(DATA)
    assert log_likelihood_arrays(*problem) == pytest.approx(VALUE, abs=1e-7)
    assert objective(*(x + 0j for x in problem[:3]), problem).real == pytest.approx(VALUE, abs=1e-7)


def test_a_wrong_gradient_is_noticed():
    problem = small_problem(3, 2, 4, 1.0, 0)
    gradient = complex_step_gradient(problem)
    assert directional_error(problem, gradient) < 1e-13
    gradient[2][1, 4] *= 1.0 + 1e-8
    assert directional_error(problem, gradient) > 1e-12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("1 2", "starts with '1 2'"),
        ("d K n", "starts with 'd K n'"),
        ("1 0 3\n", "starts with '1 0 3'"),
        (GOOD + "5", "holds 12 numbers after 'd K n', but 1 2 3 asks for 11"),
        (GOOD.replace("0.2", "zz"), "'zz' is not a finite number"),
        (GOOD.replace("0.2", "nan"), "'nan' is not a finite number"),
        (GOOD.replace("1.0 0", "-1 0"), "ends with gamma=-1 m=0"),
        (GOOD.replace("1.0 0", "1 0.5"), "ends with gamma=1 m=0.5"),
    ],
)
def test_malformed_file(tmp_path, text, message):
    path = tmp_path / "problem.txt"
    path.write_text(text)
    with pytest.raises(DataFileError, match=message):
        read_problem(path)


def test_file_in_the_format(tmp_path):
    path = tmp_path / "problem.txt"
    path.write_text(GOOD)
    problem = read_problem(path)
    assert problem.size == "d=1 K=2 n=3"
    assert (problem.gamma, problem.m) == (1.0, 0)
    np.testing.assert_array_equal(problem.icf, [[0.1], [0.2]])


def test_missing_file_is_said_and_gives_an_exit_code(tmp_path, capsys):
    assert run.main(tmp_path / "none.txt") == 2
    assert "No such file" in capsys.readouterr().err
    assert run.main(tmp_path) == 2


def test_bad_word_is_shown_with_its_line(tmp_path):
    path = tmp_path / "problem.txt"
    path.write_text(GOOD.replace("0.2", "0.2x"))
    with pytest.raises(DataFileError) as caught:
        read_problem(path)
    assert (caught.value.line, Path(str(caught.value.file))) == (6, path)


@pytest.mark.slow
def test_demonstration_on_the_file(capsys):
    assert run.main() == 0
    printed = capsys.readouterr().out
    assert f"{VALUE:.7f}" in printed
    assert "def log_likelihood" in printed
