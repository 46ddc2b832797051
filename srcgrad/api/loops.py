"""What becomes of each loop of the user: how it is reversed, whether it runs in lanes and in threads; if not, why.

One line for each, under the line of the loop. A loop of the user may have become several, forward and reverse, which
need not share their fate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from srcgrad.ir.core import LOOPS, Block, Function, Location, Op, walk
from srcgrad.optimize import run_in_threads
from srcgrad.optimize.lanes import decision
from srcgrad.optimize.lanes.facts import program_of
from srcgrad.optimize.unroll_for_lanes import unroll_for_lanes
from srcgrad.settings import Options

RUNS = "runs in "
Place = tuple[str, int]  # a file and a line
Fates = Mapping[Place, Sequence[str]]
Steps = Sequence[tuple[str, Function]]


def loop_lines(steps: Steps, options: Options) -> Iterator[str]:
    """The lines, from what each step of the compiler has made."""
    names = [step for step, _ in steps]
    reversal = _gathered(_reversals(steps[names.index("reverse")][1].body))
    lanes, threads = unroll_for_lanes.__name__, run_in_threads.run_in_threads.__name__
    in_lanes = _best(_in_lanes(steps[names.index(lanes) - 1][1])) if lanes in names else {}
    in_threads = _best(_in_threads(steps[names.index(threads) - 1][1])) if threads in names else {}
    for place in sorted({*reversal, *in_lanes, *in_threads}):
        yield f"the loop at {Path(place[0]).name}:{place[1]}"
        for fates in (reversal, in_lanes, in_threads):
            if place in fates:
                yield f"    {'; elsewhere '.join(fates[place])}"
    if lanes not in names and reversal:
        yield f"No loop runs in lanes: {_no_lanes(options)}."


def _no_lanes(options: Options) -> str:
    if not options.jit:
        return "the option jit=False leaves them as they are"
    return "the option lanes=False" if not options.lanes else "the option fastmath does not let sums be reordered"


def _gathered(fates: Iterable[tuple[Location | None, str]]) -> Fates:
    found: dict[Place, dict[str, None]] = {}
    for location, fate in fates:
        if location is not None:
            found.setdefault((location.file, location.line), {})[fate] = None
    return {place: list(told) for place, told in found.items()}


def _best(fates: Iterable[tuple[Location | None, str]]) -> Fates:
    """Of what has become of a loop: that some of it runs side by side or at once, or the first reason why none does."""
    return {
        place: ([fate for fate in told if fate.startswith(RUNS)] or told)[:1]
        for place, told in _gathered(fates).items()
    }


def _reversals(block: Block) -> Iterator[tuple[Location | None, str]]:
    for op in walk(block):
        if "repeats" in op.attributes:
            yield op.location, "is reversed in place"
        elif "because" in op.attributes:
            yield op.location, f"is reversed from its last iteration to its first: {op.text('because')}"


def _in_lanes(function: Function) -> Iterator[tuple[Location | None, str]]:
    for one in (function, *function.callees.values()):
        yield from _in_lanes_of_one(one)


def _in_lanes_of_one(function: Function) -> Iterator[tuple[Location | None, str]]:
    program = program_of(function)

    def inside(block: Block) -> Iterator[tuple[Location | None, str]]:
        for op in block.ops:
            if op.primitive not in LOOPS:
                for inner in op.blocks:
                    yield from inside(inner)
                continue
            forbidden = decision.unworthy(op) or decision.refusal(op, program)
            if forbidden is None:
                yield op.location, f"{RUNS}lanes, 64 iterations side by side"
                around = f"the loop at line {op.location.line} does" if op.location else "the loop around it does"
                for loop in walk(op.blocks[0]):
                    if loop.primitive in LOOPS:
                        yield loop.location, f"does not run in lanes itself: {around}"
            else:
                yield op.location, f"does not run in lanes: {forbidden}"
                for inner in op.blocks:
                    yield from inside(inner)

    return inside(function.body)


def _in_threads(function: Function) -> Iterator[tuple[Location | None, str]]:
    def inside(block: Block, around: Op | None) -> Iterator[tuple[Location | None, str]]:
        for op in block.ops:
            if op.primitive in LOOPS:
                forbidden = run_in_threads.refusal(function, op, around is not None)
                if forbidden is None:
                    yield op.location, f"{RUNS}threads, in 32 chunks"
                    continue
                yield op.location, f"does not run in threads: {forbidden}"
            for inner in op.blocks:
                yield from inside(inner, op if op.primitive in LOOPS else around)

    return inside(function.body, None)
