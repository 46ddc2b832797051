"""Random well-typed programs over loops, branches, views and aliases, reproducible from a seed.

``program(seed)`` gives source text with a function ``f`` and a maker of its arguments. Sizes are tiny and known
to the generator, so that every index is in range and a program runs in milliseconds; the text spells them in the
ways people do (``x.shape[0]``, ``n``, a literal).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from random_parts.containers import BOX
from random_parts.expressions import Shape
from random_parts.functions import TWICE
from random_parts.habits import CLASSES, RECURSIONS, Habits
from random_parts.patterns import HELPERS

TEXTS = {**HELPERS, **CLASSES, **RECURSIONS, "Box": BOX, "twice": TWICE}


@dataclass(frozen=True)
class Program:
    """Source text with a function ``f``; ``make_args`` makes fresh arguments at each call."""

    seed: int
    source: str
    make_args: Callable[[], tuple[Any, ...]]
    dtype: type[np.floating[Any]]


def program(seed: int, rows: int = 7) -> Program:
    """The program of that number; a matrix of so many rows has those that independent iterations work on."""
    return _Writer(seed, rows).program()


def program_of_iterations(seed: int, rows: int = 7) -> Program:
    """One that has a loop of independent iterations in any case, and little around it."""
    return _IterationWriter(seed, rows).program()


def program_of_habits(seed: int) -> Program:
    """One of idioms of array code, functions that change what is around them, and states that loops hand on."""
    return _HabitWriter(seed, 7).program()


def program_of_arrays(seed: int) -> Program:
    """One whose result is a tuple of arrays and a number, some of them the same memory or that of an argument."""
    return _ArrayWriter(seed, 7).program()


def laid_out(x: Any, layout: int) -> Any:
    """An array with these elements that is not contiguous, or not in C's order."""
    if not isinstance(x, np.ndarray) or layout == 0:
        return x
    if layout == 1:
        return np.asfortranarray(x)
    return np.repeat(x, 2, axis=0)[::2] if layout == 2 else x[::-1].copy()[::-1]


class _Writer(Habits):
    """Writes one program, statement by statement, keeping in ``scope`` what is bound."""

    share_of_rows = 0.35  # of the programs that have a matrix for independent iterations

    def __init__(self, seed: int, rows: int) -> None:
        super().__init__(Random(seed))
        self.seed = seed
        self.row_count = rows
        self.single = seed % 17 == 3
        self.complex = seed % 5 == 4 and not self.single
        statements: list[tuple[Callable[[], None], float]] = [
            (self.assign_scalar, 2),
            (self.rotate_scalars, 0.7),
            (self.write_element, 4),
            (self.allocate, 1.5),
            (self.alias, 0.7),
            (self.take_view, 1.5),
            (self.rebind_view, 1),
            (self.swap_arrays, 1.2),
            (self.choose_array, 0.8),
            (self.write_slice, 1),
            (self.loop, 3),
            (self.while_loop, 1),
            (self.loop_over_array, 0.5),
            (self.branch, 1.5),
            (self.leave_loop, 0.5),
            (self.leave_function, 0.15),
            (self.call_helper, 1),
            (self.time_steps, 0.7),
            (self.use_scratch, 0.5),
            (self.exchange_rows, 0.2),
            (self.exchange_elements, 0.4),
            (self.write_any_part, 0.4),
            (self.loop_over_references, 0.4),
            (self.track_best, 0.3),
            (self.wander, 0.4),
            (self.flagged, 0.3),
            (self.closure, 0.3),
            (self.apply, 0.3),
            (self.independent, 0.8),
            *((s, 0.4) for s in (self.gather, self.scatter, self.mask, self.broadcast, self.along_an_axis)),
            *((s, 0.3) for s in (self.overlap, self.call_numpy, self.stack, self.box, self.turn_box, self.record)),
            *((s, 0.3) for s in (self.grow_list, self.use_list, self.carry_tuple, self.leave_variables)),
            *((s, 0.25) for s in (self.permute, self.count, self.replace_argument, self.newton)),
        ]
        if self.complex:
            statements += [
                (self.assign_complex, 3),
                (self.make_complex_array, 2),
                (self.write_complex_element, 4),
                (self.take_apart, 2),
                (self.write_complex_slice, 1.5),
                (self.rotate_complexes, 0.7),
            ]
        # A program concentrates on some features, so that they meet each other often.
        self.statements = [s for s, _ in statements]
        self.weights = [w * self.rng.choice([0.1, 0.6, 1, 1, 3]) for _, w in statements]

    def program(self) -> Program:
        parameters, make = self.parameters()
        self.body()
        self.result()
        body = "\n".join(self.lines)
        helpers = "\n\n".join(TEXTS[name] for name in sorted(self.helpers))
        source = f"{helpers}\n\ndef f({', '.join(parameters)}):\n{body}\n".lstrip("\n")
        dtype = np.float32 if self.single else np.float64

        def make_args() -> tuple[Any, ...]:
            rng = np.random.default_rng(self.seed)
            made = [m(rng, dtype) for m in make]
            return tuple(laid_out(x, rng.integers(4)) if self.seed % 3 == 1 else x for x in made)

        return Program(self.seed, source, make_args, dtype)

    def body(self) -> None:
        for _ in range(self.rng.randint(4, 9)):
            if len(self.lines) < self.long:
                self.statement()

    def parameters(self) -> tuple[list[str], list[Callable[[np.random.Generator, Any], Any]]]:
        """The parameters' names and how to make each argument."""
        n, m = self.rng.choice([1, 2, 3, 4, 5]), self.rng.choice([1, 2, 2, 3, 4])
        made: dict[str, Callable[[np.random.Generator, Any], Any]] = {}

        def array(name: str, shape: Shape) -> None:
            made[name] = lambda rng, dtype: rng.uniform(-1.0, 1.0, shape).astype(dtype)
            self.scope.arrays[name] = shape
            for axis, size in enumerate(shape):
                self.extents.setdefault(size, []).append(f"{name}.shape[{axis}]")

        array("x", (n,))
        if self.rng.random() < 0.6:
            array("y", (self.rng.choice([n, n, m]),))
        if self.rng.random() < 0.4:
            array("A", (n, m))
        if self.rng.random() < 0.15:
            array("T", (n, m, 2))
        if self.rng.random() < self.share_of_rows:
            array(self.rows, (self.row_count, self.rng.randint(2, 3)))
        if self.single and self.rng.random() < 0.5:
            made["B"] = lambda rng, dtype: rng.uniform(-1.0, 1.0, n)
            self.scope.readable["B"] = (n,)
        for name in self.rng.sample(["c", "d"], self.rng.randint(1, 2)):
            made[name] = lambda rng, dtype: float(rng.uniform(-1.0, 1.0))
            self.scope.scalars.append(name)
        if self.complex:
            made["z"] = lambda rng, dtype: rng.uniform(-1.0, 1.0, n) + 1j * rng.uniform(-1.0, 1.0, n)
            self.scope.complex_arrays["z"] = n
        if self.rng.random() < 0.4:
            made["n"] = lambda rng, dtype: n
            self.extents.setdefault(n, []).append("n")
        if self.rng.random() < 0.2:
            made["idx"] = lambda rng, dtype: rng.integers(0, min(n, m), 3)
            self.indirect["idx"] = (0, min(n, m) - 1)
        return list(made), list(made.values())

    def result(self) -> None:
        """A sum in which every array and some scalars count."""
        terms = [f"np.sin({s})" for s in self.rng.sample(self.scope.scalars, min(3, len(self.scope.scalars)))]
        terms += self.complex_terms()
        names = list(self.scope.arrays)
        for k, name in enumerate(self.rng.sample(names, min(len(names), 4))):
            rank = len(self.scope.arrays[name])
            if self.rng.random() < 0.4 or rank == 3:
                terms.append(f"np.sum({name} * {name} + {k + 1}.0 * {name})")
                continue
            self.write(f"total{k} = 0.0")
            self.write(f"for i in range({name}.shape[0]):")
            if rank == 2:
                self.write(f"    for j in range({name}.shape[1]):")
            index = "i, j" if rank == 2 else "i"
            weight = "(i + 2.0 * j + 0.5)" if rank == 2 else "(i + 0.5)"
            self.write("    " * rank + f"total{k} += {weight} * {name}[{index}] * np.cos({name}[{index}])")
            terms.append(f"total{k}")
        self.write(f"return {' + '.join(terms)}")


class _IterationWriter(_Writer):
    share_of_rows = 1.0

    def body(self) -> None:
        for _ in range(self.rng.randint(0, 2)):
            self.assign_scalar()
            self.write_element()
        self.independent()
        if self.rng.random() < 0.3:
            self.statement()
            self.independent()


class _HabitWriter(_Writer):
    """Of these statements half or more are of the kinds that the others have not."""

    def __init__(self, seed: int, rows: int) -> None:
        super().__init__(seed, rows)
        more = [self.both_sides, self.through_views, self.duplicates, self.masked, self.in_place, self.keep_axes]
        more += [self.product, self.chain, self.exchange_whole, self.changer, self.on_array, self.insist, self.find]
        more += [self.hand_on, self.remember, self.backlog, self.recur, self.items, self.draw]
        more += [self.attempt, self.ragged]
        self.statements += more
        self.weights += [self.rng.choice([0.2, 1, 2, 5]) for _ in more]
        self.long = self.rng.choice([8, 14, 24])

    def body(self) -> None:
        for _ in range(self.rng.randint(2, 5)):
            if len(self.lines) < self.long:
                self.statement()


class _ArrayWriter(_Writer):
    def leave_function(self) -> None:
        """Never: all results are of one structure."""

    def result(self) -> None:
        arrays = list(self.scope.arrays)
        chosen = [self.rng.choice(arrays) for _ in range(self.rng.randint(1, 4))]
        results = [self.rng.choice([name, name, self.view(name)[0], f"0.5 * {name}"]) for name in chosen]
        self.write(f"return ({', '.join([*results, self.scalar(1)])})")
