"""The table of the suite's problems: srcgrad's gradient beside the primal and beside the adjoints by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.peers.systems import ABSENT, TITLES
from benchmarks.problem import Measured, measure
from benchmarks.problems import problem

AGAINST_BEST, AGAINST_MECHANICAL, AGAINST_HAND = 1.1, 1.1, 0.45
AGAINST_PEER, AGAINST_PEERS = 0.8, 0.33  # each problem's best peer, and the geometric mean
TINY, MARGIN = 5e-6, 5e-7  # a call shorter than this may take so much longer than the best by hand
COMPILING = 3.0
EXPLANATION = """\
Problems: ms a call, of the best adjoint by hand and of the mechanical form (benchmarks/mechanical) among others; the
gradient in times of others; seconds of its first call, and in times of the primal's by numba.njit; MB that a call needs
at most, beyond what there was; the gradients of other systems, ms a call.
"""
HEAD = (
    "problem",
    "primal",
    "gradient",
    "by hand",
    "best",
    "mech.",
    "/primal",
    "/by hand",
    "/best",
    "/mech.",
    "/peer",
    "first",
    "/njit",
    "MB",
)
FORMAT = "  {:<47}" + 5 * "{:>10}" + 5 * "{:>9}" + "{:>7}{:>7}{:>7}"
WIDTHS = *5 * (".4g",), *5 * (".2f",), ".1f", ".1f", ".3g"


def run(names: Sequence[str], interpreter: str) -> list[Measured]:
    """Measures one after the other, and prints a line as soon as it is known."""
    print(EXPLANATION)
    print(FORMAT.format(*HEAD) + "  peers")
    found = []
    for name in names:
        found.append(measure(name, problem(name), interpreter))
        print(line(found[-1]), flush=True)
    of_hand = mean([m.gradient / m.hand for m in found])
    print(f"  geometric mean of gradient to plain adjoint by hand: {of_hand:.2f}, at most {AGAINST_HAND}")
    of_peers = [m.to_best_peer for m in found if m.to_best_peer is not None]
    if of_peers:
        print(f"  and to the best peer: {mean(of_peers):.2f}, at most {AGAINST_PEERS}")
    print()
    return found


def mean(ratios: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def line(m: Measured) -> str:
    forms = (m.primal, m.gradient, m.hand, m.best, m.mechanical)
    times = (None if t is None else 1e3 * t for t in forms)
    ratios = (m.gradient / m.primal, m.gradient / m.hand, m.gradient / m.best, m.to_mechanical, m.to_best_peer)
    compiling = (m.compile_gradient, m.compile_gradient / m.compile_primal)
    values = (*times, *ratios, *compiling, m.peak)
    shown = ("-" if v is None else format(v, width) for v, width in zip(values, WIDTHS, strict=True))
    missed = "" if all(figure.met for figure in figures(m)) else "   MISSED"
    return FORMAT.format(m.title, *shown) + f"  {peers(m)}{missed}"


def peers(m: Measured) -> str:
    there = [f"{TITLES[system]} {1e3 * p.seconds:.4g}" for system, p in m.peers.items() if not p.absent]
    why = [f"{TITLES[system]} {p.absent}" for system, p in m.peers.items() if p.absent not in ("", ABSENT)]
    return ", ".join((*there, *why))


def figures(m: Measured) -> list[Figure]:
    """What a problem is held to."""
    compiling = Figure(f"{m.name}: first gradient / first primal", m.compile_gradient / m.compile_primal, "", COMPILING)
    if m.best < TINY:
        return [Figure(f"{m.name}: gradient", 1e6 * m.gradient, "us", 1e6 * (m.best + MARGIN)), compiling]
    to_peer, mechanical = m.to_best_peer, m.to_mechanical
    return [
        *([] if to_peer is None else [Figure(f"{m.name}: gradient / best peer", to_peer, "", AGAINST_PEER)]),
        Figure(f"{m.name}: gradient / best by hand", m.gradient / m.best, "", AGAINST_BEST),
        *(
            []
            if mechanical is None
            else [Figure(f"{m.name}: gradient / mechanical", mechanical, "", AGAINST_MECHANICAL)]
        ),
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

    forms = ("srcgrad", "by hand", "best by hand", "best peer")
    figure, axes = pyplot.subplots(figsize=(8.0, 0.6 * len(found) + 1.5))
    for k, (label, colour) in enumerate(zip(forms, ("C0", "C7", "C2", "C1"), strict=True)):
        values = [(m.gradient, m.hand, m.best, m.best_peer or math.nan)[k] / m.primal for m in found]
        axes.barh([i + 0.2 * (k - 1.5) for i in range(len(found))], values, 0.19, label=label, color=colour)
    axes.set_yticks(range(len(found)), [m.title for m in found])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("time of the gradient / time of the primal (numba.njit)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)
