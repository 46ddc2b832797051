"""Random expressions that stay bounded and in range, over the names a random program has in scope."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields
from random import Random

Interval = tuple[int, int]  # both ends included
Shape = tuple[int, ...]


@dataclass
class Scope:
    """The names that are bound wherever the next statement stands."""

    scalars: list[str] = field(default_factory=list)
    arrays: dict[str, Shape] = field(default_factory=dict)
    counters: dict[str, Interval] = field(default_factory=dict)
    complexes: list[str] = field(default_factory=list)
    complex_arrays: dict[str, int] = field(default_factory=dict)  # vectors: their lengths
    fixed: set[str] = field(default_factory=set)  # loop variables and the like: never assigned
    readable: dict[str, Shape] = field(default_factory=dict)  # arrays of which elements are read, and no more
    lists: dict[str, int] = field(default_factory=dict)  # lists of numbers: how many there are at least
    functions: list[str] = field(default_factory=list)  # closures of one number

    def copy(self) -> Scope:
        return Scope(*(copy(getattr(self, f.name)) for f in fields(self)))


class Expressions:
    """Draws expressions; ``extents`` says how the program may spell a size."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.scope = Scope()
        self.single = False  # float32 throughout
        self.extents: dict[int, list[str]] = {}
        self.indirect: dict[str, Interval] = {}  # integer arrays of 3: the range of their elements

    def new(self, function: str, shape: Shape) -> str:
        """An allocation by ``np.zeros`` or ``np.empty``, of the program's dtype."""
        sizes = ", ".join(self.extent(n) for n in shape)
        dtype = ", dtype=np.float32" if self.single else ""
        return f"np.{function}({sizes if len(shape) == 1 else f'({sizes})'}{dtype})"

    def extent(self, size: int) -> str:
        return self.rng.choice([*self.extents.get(size, []), str(size)])

    def constant(self) -> str:
        return self.rng.choice(["0.25", "0.5", "-0.75", "1.5", "0.3", "-0.4", "0.9"])

    def index(self, size: int) -> str:
        """An index of an axis of that size: a counter with an offset, often, else a literal or a wrapped one."""
        choices = [str(self.rng.randrange(size)), str(-1 - self.rng.randrange(size))]
        for name, (low, high) in self.scope.counters.items():
            offsets = [c for c in range(-size, size + 1) if low + c >= 0 and high + c < size]
            wrapping = [c for c in (-1, -2) if low + c < 0 and low + c >= -size and high + c < size]
            near = [c for c in offsets if abs(c) <= 2]
            choices += [_offset(name, c) for c in near] * 2 + [_offset(name, c) for c in wrapping]
            if low >= 0 and high < size:
                choices += [f"{self.extent(size)} - 1 - {name}", f"{size - 1} - {name}"]
            choices.append(f"({self.rng.choice([name, f'2 * {name}', f'{name} + 1'])}) % {self.extent(size)}")
            inside = low >= 0 and high < 3
            choices += [f"{array}[{name}]" for array, (_, last) in self.indirect.items() if inside and last < size] * 2
        return self.rng.choice(choices)

    def element(self) -> str | None:
        """An element of some array or list."""
        shapes = {**self.scope.arrays, **self.scope.readable, **{a: (n,) for a, n in self.scope.lists.items() if n}}
        if not shapes:
            return None
        name, shape = self.rng.choice(list(shapes.items()))
        return self.element_at(name, shape)

    def element_of(self, name: str) -> str:
        return self.element_at(name, self.scope.arrays[name])

    def element_at(self, name: str, shape: Shape) -> str:
        return f"{name}[{', '.join(self.index(n) for n in shape)}]"

    def leaf(self) -> str:
        element = self.element()
        if element and self.rng.random() < 0.6:
            return element
        return self.rng.choice(self.scope.scalars)

    def scalar(self, depth: int = 2) -> str:
        """A bounded, mostly nonlinear expression: no chain of these can overflow."""
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf()
        a, b = self.scalar(depth - 1), self.scalar(depth - 1)
        form = self.rng.choice(
            [
                "np.sin({a})",
                "np.sin({a} * {b})",
                "np.cos({a} + {b})",
                "np.tanh({a})",
                "np.tanh({a} * {b} + {k})",
                "0.5 * {a} + 0.25 * {b}",
                "0.5 * {a} - {k} * np.sin({b})",
                "({a}) / (1.5 + {c} * {c})",
                "np.exp(-0.5 * {c} * {c}) * np.cos({a})",
                "np.sqrt(1.0 + {c} * {c}) * 0.3",
                "{k} * {c}",
                "({a} if {test} else {b})",
                "np.tanh({total})",
                "max({a}, {b})",
                "min({a}, {k})",
                "abs({a})",
                "(np.sqrt({c}) if {c} > 0.137 else {b})",
                "(np.log({c}) if {c} > 0.713 else {a})",
                "np.tanh({a}) ** 3",
                "np.tanh({a}) ** {power}",
                "{called}",
            ]
        )
        words = {"c": self.leaf(), "k": self.constant(), "test": self.test(), "total": self.reduction()}
        return form.format(a=a, b=b, **words, power=self.power(), called=self.called(b))

    def power(self) -> str:
        """An exponent, an integer that may be a counter."""
        return self.rng.choice(
            ["2", *(name for name, (low, high) in self.scope.counters.items() if low >= 0 and high < 6)]
        )

    def called(self, argument: str) -> str:
        """A closure's result, bounded as it is itself."""
        functions = self.scope.functions
        return f"{self.rng.choice(functions)}({argument})" if functions else f"np.cos({argument})"

    def reduction(self) -> str:
        """A number made of a whole array."""
        vectors = [name for name, s in self.scope.arrays.items() if len(s) == 1]
        if not vectors or self.rng.random() < 0.7:
            return self.leaf()
        a = self.rng.choice(vectors)
        b = self.rng.choice([name for name in vectors if self.scope.arrays[name] == self.scope.arrays[a]])
        forms = [f"np.sum({a} * {b})", f"{a}.sum()", f"np.dot({a}, {b})", f"np.sum({a}[1:])", f"np.max({a})"]
        forms += [f"np.prod(np.tanh({a}))", f"np.mean({b})", f"np.min({b} * {a})", f"{a}[::-1].sum()"]
        forms += [f"np.sum({self.any_part(a)})", f"np.sum(np.cos({self.any_part(a)}) * {self.leaf()})"]
        forms += [f"sum([np.sin(v) for v in {a}])", f"sum(u * v for u, v in zip({a}, {b}))"]
        return self.rng.choice(forms)

    def factor(self) -> str:
        """Between 0.2 and 1: what a product may be multiplied by many times."""
        return f"(0.6 + 0.4 * np.sin({self.leaf()}))"

    def test(self) -> str:
        """A condition whose two sides are never equal but by design."""
        active = f"{self.leaf()} {self.rng.choice('<>')} {self.rng.choice(['0.137', '-0.411', '0.713'])}"
        chained = f"-0.613 < {self.leaf()} < 0.829"
        options = [active, active, chained, f"not {active}"]
        for name, (low, high) in self.scope.counters.items():
            parity = f"{name} % 2 == {self.rng.randrange(2)}"
            called = f"{self.called(self.leaf())} > 0.137"
            options += [parity, f"{name} > {(low + high) // 2}", f"{parity} or {called}"]
            options += [f"{parity} and {active}", f"{parity} or {active}"]
        return self.rng.choice(options)

    def array(self, shape: Shape) -> str | None:
        """An elementwise expression of that shape."""
        same = [name for name, s in self.scope.arrays.items() if s == shape]
        if not same:
            return None
        a, b = self.rng.choice(same), self.rng.choice(same)
        form = self.rng.choice(
            [
                "{a} * {s}",
                "0.5 * {a} + 0.25 * {b}",
                "np.sin({a}) * {b} * 0.5",
                "np.tanh({a} + {k} * {b})",
                "{a} / (1.5 + {b} * {b})",
                "{k} * {a}",
                "np.cos({a} * {s})",
                "np.where({a} > 0.137, {b}, {k} * {a})",
                "np.where({b} > 0.137, np.sqrt({b}), {a})",
                "np.where({b} < -0.411, np.log(-{b}) * {s}, {a})",
                "np.maximum({a}, {b})",
                "np.clip({a}, -0.411, 0.713)",
                "np.roll({a}, 1) * {b} * 0.5",
            ]
        )
        single = [name for name, s in self.scope.arrays.items() if s == (1,)]
        if single and self.rng.random() < 0.4:  # of one element: it is broadcast
            return f"np.tanh({a} - {self.rng.choice(single)}) * {b}"
        matrices = [
            (A, x)
            for A, s in self.scope.arrays.items()
            for x, t in self.scope.arrays.items()
            if len(t) == 1 and (*shape, *t) == s
        ]
        if len(shape) == 1 and matrices and self.rng.random() < 0.3:
            matrix, vector = self.rng.choice(matrices)
            return f"np.tanh({matrix} @ {vector})"
        bounded = f"np.tanh({self.leaf()})"
        return form.format(a=a, b=b, k=self.constant(), s=bounded)

    def view(self, name: str) -> tuple[str, Shape]:
        """A view of an array, and its shape."""
        shape = self.scope.arrays[name]
        if len(shape) == 3:
            return self._view_of_stack(name, shape)
        if len(shape) == 2:
            return self._view_of_matrix(name, shape)
        text, n = self._span(shape[0])
        return f"{name}[{text}]", (n,)

    def _view_of_matrix(self, name: str, shape: Shape) -> tuple[str, Shape]:
        rows, columns = shape
        (row, n), (column, m) = self._span(rows), self._span(columns)
        return self.rng.choice(
            [
                (f"{name}[{self.index(rows)}]", (columns,)),
                (f"{name}[:, {self.index(columns)}]", (rows,)),
                (f"{name}[{self.index(rows)}, {column}]", (m,)),
                (f"{name}[{row}, {column}]", (n, m)),
                (f"{name}[{row}]", (n, columns)),
                (f"{name}.T", (columns, rows)),
            ]
        )

    def _view_of_stack(self, name: str, shape: Shape) -> tuple[str, Shape]:
        n, m, k = shape
        (span, count), i, j, last = self._span(n), self.index(n), self.index(m), self.index(k)
        return self.rng.choice(
            [
                (f"{name}[{i}]", (m, k)),
                (f"{name}[:, {j}]", (n, k)),
                (f"{name}[..., {last}]", (n, m)),
                (f"{name}[{i}, {j}]", (k,)),
                (f"{name}[{i}, :, {last}]", (m,)),
                (f"{name}[{span}, {j}]", (count, k)),
                (f"{name}.transpose(1, 2, 0)[{j}]", (k, n)),
                (f"{name}.swapaxes(0, 1)", (m, n, k)),
            ]
        )

    def any_part(self, name: str) -> str:
        """Some of a vector's elements, perhaps none, by bounds that may lie outside."""
        bounds = ["", "1", "-1", "2", "-2", *(_offset(i, self.rng.randint(-2, 2)) for i in self.scope.counters)]
        step = self.rng.choice(["", "", "", ":2", ":-1"])
        return f"{name}[{self.rng.choice(bounds)}:{self.rng.choice(bounds)}{step}]"

    def _span(self, size: int) -> tuple[str, int]:
        """A slice of an axis, and how many elements it has (at least one)."""
        options = [(":", size), ("::-1", size), ("::2", (size + 1) // 2)]
        if size > 1:
            options += [("1:", size - 1), (":-1", size - 1), ("1::2", size // 2), ("-2::-1", size - 1)]
            for name, (low, high) in self.scope.counters.items():
                if low >= 0 and high + 2 <= size:
                    options += [(f"{name}:{name} + 2", 2)] * 3
        return self.rng.choice(options)


def _offset(name: str, c: int) -> str:
    return name if c == 0 else f"{name} {'+' if c > 0 else '-'} {abs(c)}"
