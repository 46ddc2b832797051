"""Random programs about memory: few elements, many names for them, so that every write matters to some load."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import Function, Operand, Value, constant, index
from srcgrad.ir.types import F64, INDEX, Array, Scalar
from srcgrad.primitives.table import infer

ANY = Array(F64, 1, "A")
SIZE = 2  # of every array
CALLEE = "swap"


def random_memory_function(seed: int) -> Function:
    """A function of two arrays, a number and a trip count."""
    rng = Random(seed)
    parameters = [Value(ANY, "x"), Value(ANY, "y"), Value(Scalar(F64), "s"), Value(INDEX, "n")]
    return build_function(infer, "f", parameters, lambda b: _Writer(rng, b).function(parameters), {CALLEE: _callee()})


def _callee() -> Function:
    """Swaps the elements of its first argument and returns one of the second."""
    p, q = Value(ANY, "p"), Value(ANY, "q")

    def body(b: Builder) -> list[Operand]:
        first, second = b("load", p, index(0)), b("load", p, index(1))
        b.emit("store", p, index(0), second)
        b.emit("store", p, index(1), first)
        return [b("load", q, index(1))]

    return build_function(infer, CALLEE, [p, q], body)


@dataclass
class _Writer:
    rng: Random
    b: Builder

    def function(self, parameters: list[Value]) -> list[Operand]:
        x, y, s, n = parameters
        arrays, numbers = self.block([x, y], [s, constant(2.0)], n, 3)
        return [*numbers[-2:], self.load(arrays[-1]), self.load(arrays[0])]

    def element(self) -> Operand:
        return index(self.rng.randrange(SIZE))

    def load(self, array: Value) -> Operand:
        return self.b("load", array, self.element())

    def block(
        self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int
    ) -> tuple[list[Value], list[Operand]]:
        """Statements; what is in scope after them."""
        arrays, numbers = list(arrays), list(numbers)
        kinds = [self.read, self.read, self.read, self.write, self.write, self.name, self.fresh, self.call]
        kinds += [self.loop, self.loop, self.branch] if depth else []
        for _ in range(self.rng.randint(3, 7)):
            self.rng.choice(kinds)(arrays, numbers, n, depth)
        return arrays, numbers

    def read(self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int) -> None:
        kind = self.rng.choice(["add", "sub", "mul", "max"])
        numbers.append(self.b(kind, self.load(self.rng.choice(arrays)), self.rng.choice(numbers)))

    def write(self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int) -> None:
        kind = self.rng.choice(["store", "accumulate"])
        self.b.emit(kind, self.rng.choice(arrays), self.element(), self.rng.choice(numbers[-3:]))

    def name(self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int) -> None:
        """A second name for memory: the same elements in the other order, or just so."""
        array = self.rng.choice(arrays)
        if self.rng.random() < 0.3:
            arrays.append(self.b("relax", array))
        else:
            arrays.append(self.b("slice", array, index(SIZE - 1), index(SIZE), index(-1), axes="s"))

    def fresh(self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int) -> None:
        arrays.append(self.b("relax", self.b("alloc", index(SIZE), dtype=F64, fill="zeros")))

    def call(self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int) -> None:
        operands = [self.rng.choice(arrays) for _ in range(2)]
        numbers.append(self.b("call", *operands, callee=CALLEE, types=(Scalar(F64),)))

    def loop(self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int) -> None:
        initial = [self.rng.choice(numbers), *self.rng.choices(arrays, k=2)]

        def body(i: Value, t: Value, p: Value, q: Value) -> list[Operand]:
            inner, made = self.block([*arrays, p, q], [*numbers, t], n, depth - 1)
            return [made[-1], *(self.rng.choice([[q, p], [p, inner[-1]], [p, q], [inner[-1], p]]))]

        trips = self.rng.choice([n, index(0), index(1), index(2)])
        number, *references = self.b.for_(trips, initial, body, ["t", "p", "q"])
        numbers.append(number)
        arrays += references

    def branch(self, arrays: list[Value], numbers: list[Operand], n: Operand, depth: int) -> None:
        def side() -> list[Operand]:
            inner, made = self.block(arrays, numbers, n, depth - 1)
            return [made[-1], self.rng.choice(inner)]

        condition = self.b("lt", self.rng.choice(numbers), self.rng.choice(numbers))
        number, reference = self.b.if_(condition, side, side)
        numbers.append(number)
        arrays.append(reference)
