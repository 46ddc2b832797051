"""Random loops over neighbouring elements: offsets, strides, both directions, rows, views, in place and out of place.

Loops may be shorter than their stencils are wide, or not run at all. All indices are in range.
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

WIDEST = 5  # offsets of a stencil go from 0 to this
STEEPEST = 2


def extent(n: int) -> int:
    """What an array needs along an axis, so that loops of at most n iterations stay inside."""
    return STEEPEST * n + 2 * WIDEST + 2


def random_stencil(seed: int) -> Function:
    """``f(x, y, a, n)`` changes its arrays and returns a number."""
    rng = Random(seed)
    parameters = [Value(Array(F64, r), name) for r, name in ((1, "x"), (1, "y"), (2, "a"))] + [Value(INDEX, "n")]
    return build_function(infer, "f", parameters, lambda builder: _Writer(rng, builder).function(parameters))


@dataclass
class _Writer:
    rng: Random
    b: Builder
    arrays: list[Value] = field(default_factory=list)
    numbers: list[Operand] = field(default_factory=list)
    rows: Operand | None = None

    def function(self, parameters: list[Value]) -> list[Operand]:
        self.arrays, n = parameters[:3], parameters[3]
        self.given = parameters[1]
        if self.rng.random() < 0.4:
            self.arrays.append(self.view(self.arrays[0]))
        size = self.b("dim", self.arrays[0], axis=0)
        fresh = self.b("alloc", size, dtype=F64, fill=self.rng.choice(["zeros", "zeros", "empty"]), name="w")
        if self.b.ops[-1].text("fill") == "empty":
            self.b.nest((size,), lambda at: self.b.emit("store", fresh, *at, constant(0.0)))
        if self.rng.random() < 0.7:
            self.scatter(fresh, n)
        self.arrays.insert(self.rng.choice([0, 3]), fresh)
        total: Operand = constant(0.0)
        for _ in range(self.rng.randint(1, 3)):
            total = self.rng.choice([self.loop, self.loop, self.sweeps, self.swaps])(total, n)

        def add_up(i: Value, s: Operand) -> list[Operand]:
            factor = self.b("add", self.b("cast", i, dtype=F64), constant(0.3))
            return [self.b("add", s, self.b("mul", factor, self.b("load", fresh, i)))]

        return list(self.b.for_(size, [total], add_up, ["total"]))

    def scatter(self, array: Value, n: Operand) -> None:
        """A loop that only adds to neighbouring elements."""
        size = self.b("dim", array, axis=0)
        trips = self.rng.choice([n, self.b("max", index(0), self.b("sub", n, index(2))), size])
        offsets = [0] if trips is size else self.rng.choice([[0], [1], [0, 1], [1, 3], [0, 1, 2]])

        def iteration(i: Value) -> tuple[Operand, ...]:
            for offset in offsets:
                value = self.b("load", self.given, i)
                self.b.emit("accumulate", array, self.b("add", i, index(offset)) if offset else i, value)
            return ()

        self.b.for_(trips, (), iteration)

    def view(self, array: Value) -> Value:
        size = self.b("sub", self.b("dim", array, axis=0), index(1))
        start, step = self.rng.choice([(0, 1), (1, 1)])
        return self.b("slice", array, index(start), size, index(step), axes="s")

    def sweeps(self, total: Operand, n: Operand) -> Operand:
        """A loop around, whose counter may be the row."""

        def iteration(k: Value, s: Operand) -> list[Operand]:
            self.rows = k
            s = self.loop(s, n)
            self.rows = None
            return [s]

        return self.b.for_(index(self.rng.choice([1, 2, 3])), [total], iteration, ["total"])[0]

    def swaps(self, total: Operand, n: Operand) -> Operand:
        """Two arrays that change places after each iteration."""
        before = self.arrays

        def iteration(_: Value, u: Value, v: Value, s: Operand) -> list[Operand]:
            self.arrays = [u, v, *before[2:]]
            s = self.loop(s, n)
            return [v, u, s]

        *_, result = self.b.for_(index(2), [*before[:2], total], iteration, ["u", "v", "total"])
        self.arrays = before
        return result

    def loop(self, total: Operand, n: Operand) -> Operand:
        """An innermost loop, its elements in one or two stencils."""
        trips = self.rng.choice([n, self.b("max", index(0), self.b("sub", n, index(self.rng.randint(1, 3)))), index(7)])
        if trips == index(7):
            trips = self.b("min", n, index(self.rng.randint(1, 7)))
        step = self.rng.choice([1, 1, 1, -1, -1, 2, -2])
        arrays = self.rng.choices(self.arrays, k=self.rng.choice([1, 1, 2]))

        def iteration(i: Value, s: Operand) -> list[Operand]:
            self.numbers = [constant(0.5), self.b("load", self.given, i)]
            moving = i if step > 0 else self.b("sub", self.b("sub", trips, index(1)), i)
            moving = moving if abs(step) == 1 else self.b("mul", moving, index(2))
            for _ in range(self.rng.randint(2, 7)):
                self.access(self.rng.choice(arrays), moving)
            return [self.b("add", s, self.number())]

        return self.b.for_(trips, [total], iteration, ["s"])[0]

    def number(self) -> Operand:
        kind = self.rng.choice(["mul", "add", "sub", "one", "neg"])
        x = self.rng.choice(self.numbers[-3:])
        if kind == "one":
            return x
        if kind == "neg":
            return self.b("neg", x)
        if kind == "mul":
            return self.b("mul", x, constant(self.rng.choice([0.5, -0.75, 0.25])))
        return self.b("mul", constant(0.5), self.b(kind, x, self.rng.choice(self.numbers)))

    def access(self, array: Value, moving: Operand) -> None:
        places = self.place(array, moving)
        kinds: list[Callable[[Value, list[Operand]], None]] = [self.load, self.store, self.add, self.add, self.add]
        kind = self.rng.choice(kinds)
        if self.rng.random() < 0.06:
            self.b.if_(self.b("lt", self.number(), constant(0.2)), lambda: self.write(array, places))
        else:
            kind(array, places)

    def place(self, array: Value, moving: Operand) -> list[Operand]:
        at: Operand = self.b("add", moving, index(self.rng.randint(0, self.rng.choice([1, 2, WIDEST]))))
        assert isinstance(array.type, Array)
        if array.type.rank == 1:
            return [at]
        row: Operand = self.rows if self.rows is not None else index(2)
        row = self.b("add", row, index(self.rng.choice([0, 0, 0, 1, 2])))
        if self.rng.random() < 0.1:
            row = at
        return self.rng.choice([[row, at], [row, at], [at, row]])

    def load(self, array: Value, places: list[Operand]) -> None:
        self.numbers.append(self.b("load", array, *places))

    def store(self, array: Value, places: list[Operand]) -> None:
        self.b.emit("store", array, *places, constant(0.0) if self.rng.random() < 0.3 else self.number())

    def add(self, array: Value, places: list[Operand]) -> None:
        self.b.emit("accumulate", array, *places, self.number())

    def write(self, array: Value, places: list[Operand]) -> tuple[Operand, ...]:
        self.rng.choice([self.store, self.add])(array, places)
        return ()
