"""Random nests of two loops over a table: neighbours in all directions, both counters up or down, sums over rows.

Loops may not run at all. All indices are in range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import Function, Operand, Value, constant, index
from srcgrad.ir.types import F64, INDEX, Array
from srcgrad.primitives.table import infer

WIDEST = 2  # offsets go from 0 to this


def random_table(seed: int) -> Function:
    """``f(x, y, a, n, m)`` changes its arrays, of n + 2, m + 2 and both extents, and returns a number."""
    rng = Random(seed)
    parameters = [Value(Array(F64, r), name) for r, name in ((1, "x"), (1, "y"), (2, "a"))]
    parameters += [Value(INDEX, "n"), Value(INDEX, "m")]
    return build_function(infer, "f", parameters, lambda builder: _Writer(rng, builder, parameters).function())


@dataclass
class _Writer:
    rng: Random
    b: Builder
    given: list[Value]
    tables: list[Value] = field(default_factory=list)
    numbers: list[Operand] = field(default_factory=list)

    def function(self) -> list[Operand]:
        *_, a, n, m = self.given
        extents = [self.b("add", k, index(WIDEST)) for k in (n, m)]
        table = self.b("alloc", *extents, dtype=F64, fill=self.rng.choice(["zeros", "empty"]), name="t")
        self.b.nest(extents, lambda at: self.b.emit("store", table, *at, self.weight(*at)))
        self.tables = [table, self.rng.choice([table, a])]
        if self.rng.random() < 0.3:
            self.b.emit("store", table, index(0), index(1), constant(0.7))
        total: Operand = constant(0.25)
        for _ in range(self.rng.randint(1, 3)):
            total = self.nest(total)

        def row(i: Value, s: Operand) -> list[Operand]:
            def cell(j: Value, s: Operand) -> list[Operand]:
                return [self.b("add", s, self.b("mul", self.weight(i, j), self.b("load", table, i, j)))]

            return list(self.b.for_(self.b("dim", table, axis=1), [s], cell, ["s"]))

        return list(self.b.for_(self.b("dim", table, axis=0), [total], row, ["total"]))

    def weight(self, i: Operand, j: Operand) -> Value:
        """A number that differs from element to element."""
        place = self.b("add", self.b("mul", i, index(3)), self.b("mul", j, index(7)))
        return self.b("sub", self.b("cast", self.b("mod", place, index(11)), dtype=F64), constant(4.5))

    def nest(self, total: Operand) -> Operand:
        """Rows of cells, or columns of cells; sums over them go to an element or on to the next."""
        trips = self.given[3:]
        x, y = self.given[:2]
        swapped = self.rng.random() < 0.3
        outer, inner = trips[::-1] if swapped else trips
        kind = self.rng.choice(["none", "row", "total", "added"])

        def along(i: Value, *carried: Operand) -> list[Operand]:
            row = self.counter(i, outer)
            start = [constant(0.0)] if kind in ("row", "added") else list(carried)

            def cell(j: Value, *sums: Operand) -> list[Operand]:
                at = [row, self.counter(j, inner)]
                self.body(at[::-1] if swapped else at)
                return [self.b("add", s, self.number()) for s in sums]

            self.down = self.rng.random() < 0.5
            results = self.b.for_(inner, start, cell, ["s"] * len(start))
            if kind == "row":
                self.b.emit("accumulate", y if swapped else x, row, self.b("neg", *results))
            return [self.b("add", *carried, *results)] if kind == "added" else list(results) if kind == "total" else []

        self.down = self.rng.random() < 0.5
        initial = [total] if kind in ("total", "added") else []
        results = self.b.for_(outer, initial, along, ["total"] * len(initial))
        return results[0] if results else total

    def counter(self, i: Value, trips: Operand) -> Operand:
        return self.b("sub", self.b("sub", trips, index(1)), i) if self.down else i

    def body(self, at: list[Operand]) -> None:
        self.numbers = [constant(0.5), self.b("load", self.given[0], at[0]), self.b("load", self.given[1], at[1])]
        skewed = self.rng.random() < 0.5  # else neighbours lie before, or behind, in both directions
        for _ in range(self.rng.randint(2, 4)):
            self.load(self.rng.choice(self.tables), self.near(at, skewed))
        for _ in range(self.rng.randint(1, 2)):
            self.change(self.rng.choice(self.tables), self.near(at, skewed))

    def change(self, table: Value, places: list[Operand]) -> None:
        if self.rng.random() < 0.15:
            self.b.if_(self.b("lt", self.number(), constant(0.2)), lambda: self.write(table, places))
        else:
            self.write(table, places)

    def near(self, at: list[Operand], skewed: bool) -> list[Operand]:
        offsets = self.rng.choice([(0, 0), (0, 1), (1, 0), (1, 1), *([(0, 2), (2, 1)] if skewed else [])])
        return [self.b("add", i, index(k)) if k else i for i, k in zip(at, offsets, strict=True)]

    def load(self, table: Value, places: list[Operand]) -> None:
        self.numbers.append(self.b("load", table, *places))

    def write(self, table: Value, places: list[Operand]) -> tuple[Operand, ...]:
        kinds: list[Callable[[], object]] = [
            lambda: self.b.emit("store", table, *places, self.number()),
            lambda: self.b.emit("accumulate", table, *places, self.number()),
        ]
        self.rng.choice(kinds)()
        return ()

    def number(self) -> Operand:
        a, b = self.rng.choice(self.numbers[-3:]), self.rng.choice(self.numbers)
        return self.b("mul", constant(0.3), self.b(self.rng.choice(["add", "sub"]), a, b))
