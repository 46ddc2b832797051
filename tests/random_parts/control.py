"""Random loops and branches, and ways to leave them."""

from __future__ import annotations

from random_parts.expressions import Interval, Scope
from random_parts.statements import Statements


class ControlFlow(Statements):
    """Statements that hold a block."""

    def range(self) -> tuple[str, Interval, int]:
        """A range, the interval of its values, and at most how many there are."""
        size = self.rng.choice([n for s in self.scope.arrays.values() for n in s] or [3])
        n = self.extent(size)
        options: list[tuple[str, Interval, int]] = [
            (f"range({n})", (0, size - 1), size),
            (f"range(1, {n})", (1, size - 1), size - 1),
            (f"range({n} - 1)", (0, size - 2), size - 1),
            (f"range(1, {n} - 1)", (1, size - 2), size - 2),
            (f"range({n} - 1, -1, -1)", (0, size - 1), size),
            (f"range({n} - 2, 0, -1)", (1, size - 2), size - 2),
            (f"range(0, {n}, 2)", (0, size - 1), (size + 1) // 2),
            (f"range({n} - 1, -1, -2)", (0, size - 1), (size + 1) // 2),
            (f"range({n} - 3)", (0, max(size - 4, 0)), size - 3),
            (f"range({n}, 2)", (min(size, 2), 2), 2 - size),
            ("range(2)", (0, 1), 2),
            ("range(3)", (0, 2), 3),
        ]
        for name, (low, high) in self.scope.counters.items():
            if low < 0 or high >= size:
                continue
            options += [
                (f"range({name}, {n})", (low, size - 1), size - low),
                (f"range({name} + 1, {n})", (low + 1, size - 1), size - 1 - low),
                (f"range({name})", (0, max(high - 1, 0)), high),
                (f"range({name}, -1, -1)", (0, high), high + 1),
            ]
        text, (low, high), trips = self.rng.choice(options)
        return text, (min(low, high), max(low, high)), max(trips, 1)

    def loop(self) -> None:
        if self.deep():
            return
        text, interval, trips = self.range()
        name = "ijklpq"[sum(c in "ijklpq" for c in self.scope.counters)]
        self.write(f"for {name} in {text}:")
        outer = self.scope
        self.scope = outer.copy()
        self.scope.counters[name] = interval
        self.loop_body(trips, 4, outer)

    def loop_body(self, trips: int, size: int, outer: Scope) -> None:
        """The body, perhaps an ``else``, and back to the scope outside: what the loop binds may stay unbound."""
        self.in_loop += 1
        self.block(trips, size)
        self.in_loop -= 1
        self.scope = outer
        if self.rng.random() < 0.07:
            self.write("else:")
            self.block(1, 2)

    def while_loop(self) -> None:
        if self.deep():
            return
        k, limit = self.fresh("k"), self.rng.randint(0, 4)
        also = self.rng.choice(["", f" and ({self.test()})"])
        self.write(f"{k} = 0")
        self.write(f"while {k} < {limit}{also}:")
        outer = self.scope
        self.scope = outer.copy()
        # The count comes first, so that a `continue` cannot make the loop endless.
        self.indent += 1
        self.write(f"{k} += 1")
        self.indent -= 1
        self.scope.counters[k] = (1, max(limit, 1))
        self.loop_body(max(limit, 1), 3, outer)

    def loop_over_array(self) -> None:
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        v, w, i = self.fresh("e"), self.fresh("e"), self.fresh("i")
        size = self.scope.arrays[a][0]
        outer = self.scope
        self.scope = outer.copy()
        self.scope.scalars.append(v)
        self.scope.fixed.add(v)
        if self.rng.random() < 0.4:
            self.write(f"for {i}, {v} in enumerate({a}):")
            self.scope.counters[i] = (0, size - 1)
        elif self.same_shape(a) and self.rng.random() < 0.5:
            self.write(f"for {v}, {w} in zip({a}, {self.rng.choice(self.same_shape(a))}):")
            self.scope.scalars.append(w)
            self.scope.fixed.add(w)
        else:
            self.write(f"for {v} in {a}:")
        self.loop_body(size, 3, outer)

    def loop_over_references(self) -> None:
        """The rows of a matrix, or the arrays of a tuple: a name that means other memory in each iteration."""
        a = self.array_name()
        if a is None or self.deep():
            return
        name, shape = self.fresh("r"), self.scope.arrays[a]
        outer = self.scope
        self.scope = outer.copy()
        if len(shape) == 2:
            self.write(f"for {name} in {a}:")
            self.scope.arrays[name] = shape[1:]
        else:
            self.write(f"for {name} in ({a}, {self.rng.choice([a, *self.same_shape(a)])}):")
            self.scope.arrays[name] = shape
        # A tuple's loop is unrolled, so that its name may mean different things afterwards: it is not rebound.
        self.scope.fixed.add(name)
        self.block(shape[0], 2)
        self.scope = outer

    def branch(self) -> None:
        if self.deep():
            return
        self.write(f"if {self.test()}:")
        self.block(1, 3)
        if self.rng.random() < 0.2:
            self.write(f"elif {self.test()}:")
            self.block(1, 2)
        if self.rng.random() < 0.5:
            self.write("else:")
            self.block(1, 3)

    def leave_loop(self) -> None:
        if self.in_loop:
            self.write(f"if {self.test()}:")
            self.write(f"    {self.rng.choice(['break', 'continue'])}")

    def leave_function(self) -> None:
        self.write(f"if {self.test()}:")
        self.write(f"    return {self.scalar()}")
