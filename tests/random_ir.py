"""Random well-typed IR with loops, branches, aliases, views and stacks, reproducible from a seed.

Every value in scope may be used anywhere and carried in any order, far beyond what a front end would write:
names repeat on purpose, so that a wrong decision about whose lives overlap gives a wrong number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import Block, Function, Operand, Value, constant, index, truth
from srcgrad.ir.types import BOOL, F32, F64, I64, Array, DType, Scalar, Type
from srcgrad.primitives.table import infer

EXTENT = 4  # of every array, so that any index taken modulo it is in range
NAMES = ["s", "t", "u", "v", "", "", ""]
VECTOR = Array(F64, 1)


def random_arguments(seed: int) -> list[Any]:
    """Fresh arguments for a random function."""
    rng = np.random.default_rng(seed)
    single = rng.normal(size=EXTENT).astype(np.float32)
    return [rng.normal(size=EXTENT), rng.normal(size=EXTENT), single, 0.7, np.float32(0.3), 5]


def random_function(seed: int) -> Function:
    rng = Random(seed)
    parameters = [
        Value(VECTOR, "x"),
        Value(VECTOR, "u"),
        Value(Array(F32, 1), "z"),
        Value(Scalar(F64), "s"),
        Value(Scalar(F32), "t"),
        Value(Scalar(I64), "k"),
    ]
    return build_function(infer, "f", parameters, lambda builder: _Writer(rng, builder).function(parameters))


@dataclass
class _Writer:
    rng: Random
    b: Builder
    scope: list[Operand] = field(default_factory=list)
    depth: int = 0

    def function(self, parameters: list[Value]) -> list[Operand]:
        self.scope = [constant(0.5), constant(2.0), constant(0.25, F32), index(1), index(3), truth(True), *parameters]
        self.statements(self.rng.randint(4, 10))
        scalars = [v for v in self.scope if isinstance(v, Value) and isinstance(v.type, Scalar)]
        arrays = [v for v in self.scope if isinstance(v, Value) and isinstance(v.type, Array)]
        total = [self.b("load", a, index(k)) for a in arrays[-3:] for k in range(EXTENT) if a.type.dtype == F64]
        return [*self.rng.sample(scalars, min(4, len(scalars))), *total]

    def statements(self, count: int) -> None:
        for _ in range(count):
            kinds = [self.scalar, self.scalar, self.scalar, self.load, self.store, self.fresh, self.compare, self.cast]
            if self.depth < 3:
                kinds += [self.loop, self.ranged, self.ranged, self.branch, self.branch, self.while_, self.stacked]
            kinds += [self.view, self.checked, self.relaxed]
            self.rng.choice(kinds)()

    def pick(self, type_: Type) -> Operand:
        known = [v for v in self.scope if v.type == type_]
        # Mostly what was made last, so that chains are long.
        return self.rng.choice(known[-4:] if self.rng.random() < 0.6 else known)

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def add(self, value: Operand) -> None:
        self.scope.append(value)

    def add_all(self, values: tuple[Value, ...]) -> None:
        self.scope += values

    def array(self) -> Value:
        arrays = [v for v in self.scope if isinstance(v, Value) and isinstance(v.type, Array)]
        return self.rng.choice(arrays)

    def index(self) -> Operand:
        if self.rng.random() < 0.4:
            return index(self.rng.randrange(EXTENT))
        return self.b("mod", self.pick(Scalar(I64)), index(EXTENT))

    # -- statements

    def scalar(self) -> None:
        dtype = self.rng.choice([F64, F64, F64, F32, I64])
        kinds = ["add", "sub", "mul", "max", "min"] + (
            ["sin", "neg", "abs", "tanh", "div"] if dtype != I64 else ["mod"]
        )
        kind = self.rng.choice(kinds)
        arity = 1 if kind in ("sin", "neg", "abs", "tanh") else 2
        operands = [self.pick(Scalar(dtype)) for _ in range(arity)]
        if kind == "mod":
            operands[1] = index(self.rng.choice([2, 3, 5]))
        value = self.b(kind, *operands, name=self.name())
        if kind in ("mul", "sub", "add") and dtype == I64:  # products of products would overflow
            value = self.b("mod", value, index(1009), name=self.name())
        self.add(value)

    def compare(self) -> None:
        dtype = self.rng.choice([F64, I64])
        kind = self.rng.choice(["lt", "le", "gt", "ge", "eq", "ne"])
        c = self.b(kind, self.pick(Scalar(dtype)), self.pick(Scalar(dtype)), name=self.rng.choice(["c", ""]))
        kind = self.rng.choice(["and_", "or_", "not_", ""])
        if kind:
            c = self.b(kind, *([c] if kind == "not_" else [c, self.pick(Scalar(BOOL))]))
        self.add(c)
        if self.rng.random() < 0.5:
            self.add(self.b("select", c, self.pick(Scalar(F64)), self.pick(Scalar(F64)), name=self.name()))

    def cast(self) -> None:
        source, target = self.rng.choice([(F32, F64), (F64, F32), (I64, F64), (BOOL, F64), (I64, F32)])
        self.add(self.b("cast", self.pick(Scalar(source)), dtype=target, name=self.name()))

    def load(self) -> None:
        array = self.array()
        self.add(self.b("load", array, self.index(), name=self.name()))

    def store(self) -> None:
        array = self.array()
        dtype: DType = array.type.dtype  # type: ignore[union-attr]
        self.b.emit(self.rng.choice(["store", "accumulate"]), array, self.index(), self.pick(Scalar(dtype)))

    def fresh(self) -> None:
        self.add(self.b("alloc", index(EXTENT), dtype=F64, fill="zeros", name=self.rng.choice(["a", "u", ""])))

    def view(self) -> None:
        array = self.array()
        start, step = self.rng.choice([(index(0), index(1)), (index(EXTENT - 1), index(-1))])
        self.add(self.b("slice", array, start, index(EXTENT), step, axes="s", name=self.rng.choice(["a", "u", ""])))

    def relaxed(self) -> None:
        self.add(self.b("relax", self.array()))

    def checked(self) -> None:
        i = self.b("sub", self.b("mod", self.pick(Scalar(I64)), index(EXTENT)), index(self.rng.choice([0, EXTENT])))
        self.add(self.b("check_index", i, self.b("dim", self.array(), axis=0)))

    def carried(self) -> list[Operand]:
        """What a loop carries: any types, with repetitions."""
        return [self.rng.choice(self.scope) for _ in range(self.rng.randint(0, 4))]

    def inside(self, types: list[Type], size: int) -> list[Operand]:
        """A block's statements, and one value in scope for each type."""
        outer, self.depth = list(self.scope), self.depth + 1
        self.statements(self.rng.randint(1, size))
        yields = [self.pick(t) for t in types]
        self.scope, self.depth = outer, self.depth - 1
        return yields

    def body(self, parameters: tuple[Value, ...]) -> list[Operand]:
        outer = list(self.scope)
        self.scope += parameters
        yields = self.inside([p.type for p in parameters], 5)
        self.scope = outer
        return yields

    def loop(self) -> None:
        initial = self.carried()
        names = [self.name() for _ in initial]

        def emit(i: Value, *parameters: Value) -> list[Operand]:
            outer = list(self.scope)
            self.scope.append(i)
            yields = self.body(parameters)
            self.scope = outer
            return yields

        trips = self.rng.choice([index(0), index(2), index(3), self.b("mod", self.pick(Scalar(I64)), index(4))])
        self.add_all(self.b.for_(trips, initial, emit, names))

    def ranged(self) -> None:
        """The count and the index of ``for i in range(low, high, step)``, as a front end or its reversal makes them."""
        b, step = self.b, self.rng.choice([1, 1, 2, 3, -1, -1, -2])
        bounds = [index(self.rng.randint(-1, 5)), b("mod", self.pick(Scalar(I64)), index(5)), index(1), index(0)]
        low, high = self.rng.sample(bounds, 2)
        span = b("sub", high, low) if step > 0 else b("sub", low, high)
        if abs(step) != 1:
            span = b("floordiv", b("add", span, index(abs(step) - 1)), index(abs(step)))
        trips = b("max", span, index(0))
        mirrored = self.rng.random() < 0.4
        names = [self.name() for _ in range(self.rng.randint(0, 2))]
        initial = [self.pick(Scalar(self.rng.choice([F64, I64]))) for _ in names]

        def emit(q: Value, *parameters: Value) -> list[Operand]:
            outer = list(self.scope)
            place = b("sub", b("sub", trips, index(1)), q) if mirrored else q
            scaled: Operand = b("mul", place, index(abs(step))) if abs(step) != 1 else place
            i = b("add" if step > 0 else "sub", low, scaled, name=self.rng.choice(["i", "i", ""]))
            b.emit("store", self.vector(), b("mod", i, index(EXTENT)), b("cast", i, dtype=F64))
            self.scope += [i] * 3
            if self.rng.random() < 0.3:
                self.scope.append(q)
            yields = self.body(parameters)
            self.scope = outer
            return yields

        self.add_all(b.for_(trips, initial, emit, names))

    def vector(self) -> Operand:
        return self.rng.choice([v for v in self.scope if v.type == VECTOR])

    def branch(self) -> None:
        types = [x.type for x in self.carried()]
        condition = self.pick(Scalar(BOOL))
        side = lambda: self.inside(types, 4)  # noqa: E731
        self.add_all(self.b.if_(condition, side, side, [self.name() for _ in types]))

    def while_(self) -> None:
        initial = [index(0), *self.carried()]
        names = [self.name() for _ in initial]
        blocks: list[Block] = []
        for part in range(2):
            parameters = tuple(Value(x.type, n) for x, n in zip(initial, names, strict=True))
            self.b.open(parameters)
            count = parameters[0]
            if part == 0:
                blocks.append(self.b.close([self.b("lt", count, index(self.rng.randint(0, 3)))]))
                continue
            yields = self.body(parameters[1:])
            blocks.append(self.b.close([self.b("add", count, index(1)), *yields]))
        self.add_all(self.b.emit("while", *initial, blocks=blocks, names=names)[1:])

    def stacked(self) -> None:
        """Push in one loop, pop in the next."""
        stack = self.b("stack", element=(Scalar(F64),), name="s")
        trips = index(self.rng.choice([0, 3, 40]))

        def push(i: Value) -> list[Operand]:
            self.b.emit("push", stack, self.b("cast", i, dtype=F64))
            self.b.emit("push", stack, self.pick(Scalar(F64)))
            return []

        def pop(i: Value, s: Value) -> list[Operand]:
            return [self.b("sub", self.b("mul", s, self.b("pop", stack)), self.b("pop", stack))]

        self.b.for_(trips, [], push)
        self.add_all(self.b.for_(trips, [constant(0.5)], pop, ["s"]))
