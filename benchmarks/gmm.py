"""The mixture of Gaussians: generated gradients beside the primal and beside adjoints written by hand."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks import gmm_hand, gmm_lanes
from benchmarks.figures import Figure, milliseconds
from benchmarks.flags import njit, plain_njit
from srcgrad import value_and_grad
from srcgrad.demo.gmm import Array, log_likelihood, log_likelihood_arrays
from srcgrad.demo.problem import DATA, read_problem
from srcgrad.demo.reference import directional_error
from srcgrad.demo.timing import medians, one_core

TITLE = "Mixture of Gaussians, d=10 K=25 n=1000: value and gradient"
WRT = (0, 1, 2)


def figures() -> list[Figure]:
    problem = read_problem(DATA)
    of_loops = value_and_grad(log_likelihood, argnums=WRT, cache=False)
    of_arrays = value_and_grad(log_likelihood_arrays, argnums=WRT, cache=False)
    primal, primal_with_flags = plain_njit(log_likelihood), njit(log_likelihood)
    compile_primal, _ = first_call(lambda: primal(*problem))
    compile_loops, loops = first_call(lambda: of_loops(*problem))
    compile_arrays, arrays = first_call(lambda: of_arrays(*problem))
    hand = gmm_hand.value_and_gradient(*problem)
    lanes = gmm_lanes.value_and_gradient(*problem)
    errors = [
        Figure(f"error against complex step: {name}", directional_error(problem, gradient), "", 1e-10)
        for name, gradient in (
            ("loops", loops[1]),
            ("arrays", arrays[1]),
            ("by hand", hand[1:]),
            ("by hand in lanes", lanes[1:]),
        )
    ]
    compiling = [
        Figure("first call of the primal, numba.njit", compile_primal, "s"),
        Figure("first call of the gradient, loops", compile_loops, "s"),
        Figure("first call of the gradient, arrays", compile_arrays, "s"),
    ]
    calls: dict[str, Callable[[], object]] = {
        "primal": lambda: primal(*problem),
        "primal with flags": lambda: primal_with_flags(*problem),
        "hand": lambda: gmm_hand.value_and_gradient(*problem),
        "lanes": lambda: gmm_lanes.value_and_gradient(*problem),
        "loops": lambda: of_loops(*problem),
        "arrays": lambda: of_arrays(*problem),
        "NumPy": lambda: log_likelihood_arrays(*problem),
    }
    return [*timings(calls), *errors, *compiling]


def first_call(call: Callable[[], object]) -> tuple[float, tuple[float, tuple[Array, ...]]]:
    """How long it takes this thread, and what it returns."""
    start = time.thread_time()
    result = call()
    return time.thread_time() - start, result  # type: ignore[return-value]  # a value and its gradient


def timings(calls: dict[str, Callable[[], object]]) -> list[Figure]:
    with one_core():
        t = medians(calls, seconds=6.0)
    return [
        milliseconds("primal, numba.njit", t["primal"]),
        milliseconds("primal, numba.njit with the flags of generated code", t["primal with flags"]),
        milliseconds("primal in array style, NumPy", t["NumPy"]),
        milliseconds("gradient of the loop style", t["loops"]),
        milliseconds("gradient of the array style", t["arrays"]),
        milliseconds("gradient by hand, scalar", t["hand"]),
        milliseconds("gradient by hand, lanes", t["lanes"]),
        Figure("by hand / primal", t["hand"] / t["primal"], "", 2.0),
        Figure("loops / primal", t["loops"] / t["primal"], "", 3.0),
        Figure("loops / by hand", t["loops"] / t["hand"], "", 1.3),
        Figure("loops / lanes", t["loops"] / t["lanes"], "", 8.0),
        Figure("arrays / primal", t["arrays"] / t["primal"], ""),
    ]
