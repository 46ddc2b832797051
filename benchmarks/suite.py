"""The table of the suite's problems: srcgrad's gradient beside the primal and beside the adjoints by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.problem import Measured, measure
from benchmarks.problems import problem

AGAINST_BEST, AGAINST_HAND = 1.1, 0.45
TINY, MARGIN = 5e-6, 5e-7  # a call shorter than this may take so much longer than the best by hand
COMPILING = 3.0
HEAD = "problem", "primal", "gradient", "by hand", "best", "/primal", "/by hand", "/best", "compile"


def run(names: Sequence[str]) -> list[Measured]:
    """Measures one after the other, and prints a line as soon as it is known."""
    print("Problems: ms a call, gradient to others, compile time of the gradient to that of the primal by numba.njit")
    print("  {:<52}{:>10}{:>10}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}".format(*HEAD))
    found = []
    for name in names:
        found.append(measure(name, problem(name)))
        print(line(found[-1]), flush=True)
    ratios = [m.gradient / m.hand for m in found]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"  geometric mean of gradient to plain adjoint by hand: {mean:.2f}, at most {AGAINST_HAND}\n")
    return found


def line(m: Measured) -> str:
    times = "".join(f"{1e3 * t:>10.4g}" for t in (m.primal, m.gradient, m.hand, m.best))
    ratios = (m.gradient / m.primal, m.gradient / m.hand, m.gradient / m.best, m.compile_gradient / m.compile_primal)
    missed = "" if all(figure.met for figure in figures(m)) else "   MISSED"
    return f"  {m.title:<52}{times}" + "".join(f"{ratio:>9.2f}" for ratio in ratios) + missed


def figures(m: Measured) -> list[Figure]:
    """What a problem is held to."""
    compiling = Figure(f"{m.name}: first gradient / first primal", m.compile_gradient / m.compile_primal, "", COMPILING)
    if m.best < TINY:
        return [Figure(f"{m.name}: gradient", 1e6 * m.gradient, "us", 1e6 * (m.best + MARGIN)), compiling]
    return [
        Figure(f"{m.name}: gradient / best by hand", m.gradient / m.best, "", AGAINST_BEST),
        Figure(f"{m.name}: gradient / primal", m.gradient / m.primal, "", m.ratio),
        compiling,
    ]


def as_json(found: Sequence[Measured]) -> list[dict[str, object]]:
    return [asdict(m) for m in found]


def plot(found: Sequence[Measured], path: Path) -> None:
    """A bar for each form of each problem, in times of the primal; needs the extra ``bench``."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8.0, 0.6 * len(found) + 1.5))
    for k, (label, colour) in enumerate((("srcgrad", "C0"), ("by hand", "C7"), ("best by hand", "C2"))):
        values = [(m.gradient, m.hand, m.best)[k] / m.primal for m in found]
        axes.barh([i + 0.27 * (k - 1) for i in range(len(found))], values, 0.25, label=label, color=colour)
    axes.set_yticks(range(len(found)), [m.title for m in found])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("time of the gradient / time of the primal (numba.njit)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)
