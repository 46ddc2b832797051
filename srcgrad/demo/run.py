"""The demonstration: value and gradient of a mixture of Gaussians, checked and timed."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from srcgrad.api import value_and_grad
from srcgrad.demo.gmm import Array, log_likelihood, log_likelihood_arrays, njit
from srcgrad.demo.problem import DATA, DataFileError, read_problem
from srcgrad.demo.reference import directional_error
from srcgrad.demo.timing import medians, one_core

WRT = (0, 1, 2)  # alphas, means, icf
TOLERANCE = 1e-10
LINES_SHOWN = 45


def main(data: Path | None = None) -> int:
    """Run the demonstration on a file, or on the one that comes with srcgrad; 0 if all is right."""
    path = data or DATA
    try:
        problem = read_problem(path)
    except DataFileError as fault:
        print(f"srcgrad demo: {fault}", file=sys.stderr)
        return 2
    print(f"Mixture of Gaussians, {problem.size} ({path.name}); gradient with respect to alphas, means and icf")

    of_loops = value_and_grad(log_likelihood, argnums=WRT)
    start = time.perf_counter()
    value, gradient = of_loops(*problem)
    first_call = time.perf_counter() - start
    _, gradient_of_arrays = value_and_grad(log_likelihood_arrays, argnums=WRT)(*problem)
    complex_step_error = directional_error(problem, gradient)
    style_error = largest_difference(gradient, gradient_of_arrays)
    show("value", f"{value:.7f}")
    show("norm of the gradient", f"{norm(gradient):.7f}")
    show("error against complex step", f"{complex_step_error:.1e}  (relative, 4 random directions)")
    show("loop against array style", f"{style_error:.1e}  (relative to the largest component)")

    primal = njit(log_likelihood)
    with one_core():
        times = medians({"primal": lambda: primal(*problem), "gradient": lambda: of_loops(*problem)})
    show("primal, numba.njit", f"{1e3 * times['primal']:.3f} ms")
    show("value and gradient", f"{1e3 * times['gradient']:.3f} ms  (first call {first_call:.1f} s)")
    show("ratio", f"{times['gradient'] / times['primal']:.2f}")

    source = of_loops.backward_source(*problem).splitlines()
    print(f"\nThe generated function begins ({len(source)} lines in all):\n")
    print("\n".join(source[:LINES_SHOWN]))
    if max(complex_step_error, style_error) > TOLERANCE:
        print(f"srcgrad demo: the errors should be below {TOLERANCE:g}", file=sys.stderr)
        return 1
    return 0


def show(label: str, text: str) -> None:
    print(f"  {label:<28}{text}")


def norm(gradient: Sequence[Array]) -> float:
    return float(np.sqrt(sum(np.sum(g * g) for g in gradient)))


def largest_difference(one: Sequence[Array], other: Sequence[Array]) -> float:
    """Of two gradients, relative to the largest component."""
    largest = max(float(np.max(np.abs(g))) for g in one)
    return max(float(np.max(np.abs(a - b))) for a, b in zip(one, other, strict=True)) / largest
