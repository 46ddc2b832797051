"""Random programs about indices: nested counted loops, branches on integers, carried positions, views, scratch memory.

An index may be negative or out of range: the program then wraps around or raises, and must go on doing so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import Block, Function, Operand, Value, constant, index
from srcgrad.ir.types import F64, INDEX, Array
from srcgrad.primitives.table import infer


def random_index_function(seed: int) -> Function:
    rng = Random(seed)
    parameters = [Value(Array(F64, 1), "x"), Value(Array(F64, 2), "a"), Value(INDEX, "n"), Value(INDEX, "m")]
    return build_function(infer, "f", parameters, lambda builder: _Writer(rng, builder).function(parameters))


@dataclass
class _Writer:
    rng: Random
    b: Builder
    arrays: list[Value] = field(default_factory=list)
    integers: list[Operand] = field(default_factory=list)
    depth: int = 0

    def function(self, parameters: list[Value]) -> list[Operand]:
        self.arrays, self.integers = parameters[:2], [*parameters[2:], index(2)]
        self.integers.append(self.b("dim", self.arrays[0], axis=0))
        total = self.statements(constant(0.0), self.rng.randint(2, 4))
        return [total]

    def statements(self, total: Operand, count: int) -> Operand:
        for _ in range(count):
            kinds = [self.access, self.access, self.access, self.write, self.fresh, self.view, self.arithmetic]
            if self.depth < 3:
                kinds += [self.loop, self.loop, self.loop, self.branch, self.while_]
            total = self.rng.choice(kinds)(total)
        return total

    def integer(self) -> Operand:
        return self.rng.choice(self.integers[-3:] if self.rng.random() < 0.7 else self.integers)

    def affine(self) -> Operand:
        x = self.integer()
        for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
            kind = self.rng.choice(["add", "sub", "sub", "mul", "add"])
            other = index(self.rng.choice([1, 1, 2])) if kind == "mul" or self.rng.random() < 0.6 else self.integer()
            x = self.b(kind, *((other, x) if kind == "sub" and self.rng.random() < 0.3 else (x, other)))
        return x

    def arithmetic(self, total: Operand) -> Operand:
        kind = self.rng.choice(["max", "min", "mod", "floordiv", "select"])
        if kind == "select":
            value = self.b("select", self.condition(), self.affine(), self.affine())
        elif kind in ("mod", "floordiv"):
            value = self.b(kind, self.affine(), index(self.rng.choice([2, 3])))
        else:
            value = self.b(kind, self.affine(), self.rng.choice([index(0), self.affine()]))
        self.integers.append(value)
        return total

    def condition(self) -> Operand:
        c = self.b(self.rng.choice(["lt", "le", "gt", "ge", "eq", "ne"]), self.affine(), self.affine())
        return self.b("not_", c) if self.rng.random() < 0.2 else c

    def checked(self) -> tuple[Value, list[Operand]]:
        array = self.rng.choice(self.arrays)
        assert isinstance(array.type, Array)
        dims = [self.b("dim", array, axis=k) for k in range(array.type.rank)]
        found = [self.b("check_index", self.affine(), n) for n in dims]
        if self.rng.random() < 0.3:
            self.integers.append(found[0])
        return array, list(found)

    def access(self, total: Operand) -> Operand:
        array, indices = self.checked()
        return self.b("add", total, self.b("load", array, *indices))

    def write(self, total: Operand) -> Operand:
        if self.rng.random() < 0.7:
            return self.access(total)
        array, indices = self.checked()
        self.b.emit(self.rng.choice(["store", "accumulate"]), array, *indices, constant(1.5))
        return self.used(total, *indices)

    def used(self, total: Operand, *indices: Operand) -> Operand:
        """Indices that the result depends on: a check that nobody needs may go."""
        for i in indices:
            total = self.b("add", total, self.b("cast", i, dtype=F64))
        return total

    def fresh(self, total: Operand) -> Operand:
        extent = self.b("min", self.b("max", self.affine(), index(0)), index(9))
        self.arrays.append(self.b("alloc", extent, dtype=F64, fill="zeros"))
        self.integers.append(self.b("dim", self.arrays[-1], axis=0))
        return total

    def view(self, total: Operand) -> Operand:
        a = self.arrays[1]
        kind = self.rng.choice(["transpose", "row", "tail"])
        if kind == "transpose":
            self.arrays.append(self.b("transpose", a, permutation=(1, 0)))
        elif kind == "row":
            i = self.b("check_index", self.affine(), self.b("dim", a, axis=0))
            self.arrays.append(self.b("slice", a, i, axes="i:"))
            return self.used(total, i)
        else:
            n = self.b("dim", self.arrays[0], axis=0)
            count = self.b("max", self.b("sub", n, index(1)), index(0))
            self.arrays.append(self.b("slice", self.arrays[0], index(1), count, index(1), axes="s"))
        return total

    def inside(self, total: Operand, *integers: Value) -> Operand:
        saved = list(self.arrays), list(self.integers)
        self.integers += integers
        self.depth += 1
        total = self.statements(total, self.rng.randint(1, 3))
        self.depth -= 1
        self.arrays, self.integers = saved
        return total

    def trips(self) -> Operand:
        if self.rng.random() < 0.4:
            array = self.rng.choice(self.arrays)
            assert isinstance(array.type, Array)
            return self.b("dim", array, axis=self.rng.randrange(array.type.rank))
        return self.b("min", self.b("max", index(0), self.affine()), index(6))

    def loop(self, total: Operand) -> Operand:
        if self.rng.random() < 0.4:
            return self.b.for_(self.trips(), [total], lambda i, t: [self.inside(t, i)], ["t"])[0]

        def body(i: Value, t: Value, k: Value) -> list[Operand]:
            t2 = self.inside(t, i, k)
            step = index(self.rng.choice([0, 1, 1, 2, -1]))
            if self.rng.random() < 0.5:
                return [t2, self.b("add", k, step)]
            (moved,) = self.b.if_(self.condition(), lambda: [self.b("add", k, step)], lambda: [k])
            return [t2, moved]

        total, position = self.b.for_(self.trips(), [total, self.affine()], body, ["t", "k"])
        self.integers.append(position)
        return total

    def branch(self, total: Operand) -> Operand:
        then, otherwise = (lambda: [self.inside(total)]), (lambda: [total])
        return self.b.if_(self.condition(), then, otherwise)[0]

    def while_(self, total: Operand) -> Operand:
        """Counting up to a bound by 1 or 2, or down; with the test in front, or carried from the end of the body."""
        down = self.rng.random() < 0.2
        start = self.rng.choice([index(0), self.b("max", self.integer(), index(-2))])
        limit = index(0) if down else self.b("min", self.affine(), index(7))
        if down:
            start = self.b("min", self.integer(), index(5))
        kind = self.rng.choice(["gt", "ge"] if down else ["lt", "le"])
        step = self.rng.choice([1, 2])

        def goes_on(k: Operand, t: Operand) -> Operand:
            c = self.b({"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[kind], limit, k)
            return self.b("and_", self.b("lt", t, constant(1e3)), c) if also else c

        also, carried = self.rng.random() < 0.3, self.rng.random() < 0.5
        initial = [start, total]
        if carried:  # sometimes by another test than the one in the loop
            initial.append(goes_on(start, total) if self.rng.random() < 0.7 else self.condition())
        names = [[Value(x.type, n) for x, n in zip(initial, "wtc", strict=False)] for _ in range(2)]
        self.b.open(names[0])
        test: Block = self.b.close([names[0][2] if carried else goes_on(*names[0])])
        w, t = names[1][:2]
        self.b.open(names[1])
        t2 = self.inside(t, w)
        moved = self.b("sub" if down else "add", w, index(step))
        body = self.b.close([moved, t2, *([goes_on(moved, t2)] if carried else [])])
        position, result = self.b.emit("while", *initial, blocks=[test, body])[:2]
        self.integers.append(position)
        return result
