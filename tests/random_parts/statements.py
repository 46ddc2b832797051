"""Random statements on scalars and arrays: assignments, allocations, aliases, views and swaps."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from random_parts.expressions import Expressions, Shape


class Statements(Expressions):
    """Writes lines, keeping in ``scope`` what is bound."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.lines: list[str] = []
        self.indent = 1
        self.trips = 1  # how often the current line runs
        self.in_loop = 0
        self.names = 0
        self.long = rng.choice([12, 20, 40])  # lines; compiling takes long where a program is long
        self.statements: list[Callable[[], None]] = [self.assign_scalar]
        self.weights = [1.0]

    def write(self, line: str) -> None:
        target, _, rest = line.partition(" ")
        if target in self.scope.fixed and target.endswith("]") and rest.partition(" ")[0].endswith("="):
            line = f"{target}[:] {rest}"  # an item of a tuple: its elements may be assigned to, it may not
        self.lines.append("    " * self.indent + line)

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def statement(self) -> None:
        before = len(self.lines)
        for _ in range(8):
            self.rng.choices(self.statements, self.weights)[0]()
            if len(self.lines) > before:
                return
        self.assign_scalar()

    def block(self, trips: int, size: int) -> None:
        """An indented block of statements; what it binds ends with it."""
        outer = self.scope
        self.scope = outer.copy()
        self.indent += 1
        self.trips *= trips
        for _ in range(self.rng.randint(1, size)):
            self.statement()
        self.trips //= trips
        self.indent -= 1
        self.scope = outer

    def deep(self) -> bool:
        """Whether no further block should begin here: too deep, too often run, or the program is long enough."""
        return self.indent >= 5 or self.trips > 40 or len(self.lines) > self.long

    def array_name(self, rank: int | None = None, least: int = 1) -> str | None:
        names = [a for a, s in self.scope.arrays.items() if rank in (None, len(s)) and s[0] >= least]
        return self.rng.choice(names) if names else None

    def same_shape(self, name: str) -> list[str]:
        return [a for a, s in self.scope.arrays.items() if s == self.scope.arrays[name] and a != name]

    def assign_scalar(self) -> None:
        local = [s for s in self.scope.scalars if s not in self.scope.fixed]
        if not local or self.rng.random() < 0.3:
            name = self.fresh("s")
            self.write(f"{name} = {self.scalar()}")
            self.scope.scalars.append(name)
            return
        name = self.rng.choice(local)
        update = self.rng.choice(["{0} = {1}", "{0} += {1}", "{0} -= {1}", "{0} *= {2}"])
        self.write(update.format(name, self.scalar(), self.factor()))

    def rotate_scalars(self) -> None:
        local = [s for s in self.scope.scalars if s not in self.scope.fixed]
        if len(local) < 2:
            return
        a, b = self.rng.sample(local, 2)
        self.write(self.rng.choice([f"{a}, {b} = {b}, {a}", f"{a}, {b} = {b}, {self.scalar()}"]))

    def write_element(self) -> None:
        name = self.array_name()
        if name is None:
            return
        target = self.element_of(name)
        form = self.rng.choice(["{0} = {1}", "{0} = {1}", "{0} += {1}", "{0} -= {1}", "{0} *= {2}", "{0} = 0.0"])
        self.write(form.format(target, self.scalar(), self.factor()))

    def allocate(self) -> None:
        source = self.array_name()
        if source is None:
            return
        shape = self.scope.arrays[source]
        zeros = self.new("zeros", shape)
        choices = [zeros, f"{source}.copy()", f"np.zeros_like({source})", self.array(shape) or zeros]
        name = self.target(shape)
        self.write(f"{name} = {self.rng.choice(choices)}")
        self.scope.arrays[name] = shape

    def target(self, shape: Shape) -> str:
        """A new name, or a name of that shape to rebind."""
        known = self.bindable(shape)
        if known and self.rng.random() < 0.4:
            return self.rng.choice(known)
        return self.fresh("a")

    def bindable(self, shape: Shape) -> list[str]:
        return [a for a, s in self.scope.arrays.items() if s == shape and a not in self.scope.fixed]

    def alias(self) -> None:
        source = self.array_name()
        if source is None:
            return
        name = self.target(self.scope.arrays[source])
        if name != source:
            self.write(f"{name} = {source}")
            self.scope.arrays[name] = self.scope.arrays[source]

    def take_view(self) -> None:
        source = self.array_name()
        if source is None:
            return
        text, shape = self.view(source)
        name = self.fresh("v")
        self.write(f"{name} = {text}")
        self.scope.arrays[name] = shape
        if self.rng.random() < 0.6:
            self.write(f"{self.element_of(name)} {self.rng.choice(['=', '+='])} {self.scalar()}")

    def rebind_view(self) -> None:
        """A name bound outside gets another view here: a reference carried by the loop around."""
        source = self.array_name(least=2)
        if source is None:
            return
        text, shape = self.view(source)
        known = [a for a in self.bindable(shape) if a != source]
        if known:
            self.write(f"{self.rng.choice(known)} = {text}")

    def swap_arrays(self) -> None:
        a = self.array_name()
        others = [b for b in self.bindable(self.scope.arrays[a]) if b != a] if a else []
        if a is None or a in self.scope.fixed or not others:
            return
        b = self.rng.choice(others)
        third = [c for c in others if c != b]
        lines = [f"{a}, {b} = {b}, {a}"]
        if third and self.rng.random() < 0.4:
            lines = [f"{a}, {b}, {third[0]} = {b}, {third[0]}, {a}"]
        if self.rng.random() < 0.3:
            lines = [f"if {self.test()}:", f"    {lines[0]}"]
        for line in lines:
            self.write(line)

    def choose_array(self) -> None:
        a = self.array_name()
        if a is None:
            return
        shape = self.scope.arrays[a]
        other = self.rng.choice([*self.same_shape(a), f"{a}.copy()", f"{a} * 0.5"])
        test, name = self.test(), self.target(shape)
        if self.rng.random() < 0.5:
            self.write(f"{name} = {a} if {test} else {other}")
        else:
            for line in (f"if {test}:", f"    {name} = {other}", "else:", f"    {name} = {a}"):
                self.write(line)
        self.scope.arrays[name] = shape

    def write_slice(self) -> None:
        name = self.array_name()
        if name is None:
            return
        text, shape = self.view(name)
        same = [self.view(a) for a in self.scope.arrays for _ in range(3)]
        sources = [t for t, s in same if s == shape]
        value = f"np.tanh({self.leaf()})"
        is_target = text.endswith("]")
        if sources and is_target:
            value = f"0.5 * {self.rng.choice(sources)} + 0.25 * {self.rng.choice(sources)} * {value}"
        if not is_target:
            text = f"{name}[:]"
        if self.rng.random() < 0.3:
            whole = self.array(self.scope.arrays[name]) or value
            self.write(self.rng.choice([f"{name} += {whole}", f"{name} *= {self.factor()}", f"{name}[:] = {whole}"]))
            return
        self.write(f"{text} {self.rng.choice(['=', '=', '+=', '-='])} {value}")

    def exchange_elements(self) -> None:
        """Elements and numbers that change places; all of the right side is read before anything is written."""
        names = [self.array_name(), self.array_name()]
        a, b = (self.element_of(name) if name else "" for name in names)
        if not a or not b:
            return
        local = [s for s in self.scope.scalars if s not in self.scope.fixed]
        s = self.rng.choice(local) if local else b
        forms = ["{0}, {1} = {1}, {0}", "{0}, {1} = {1} * 0.5, {3}", "{0}, {2} = {2}, {0}", "{2} = {0} = {3}"]
        self.write(self.rng.choice(forms).format(a, b, s, self.scalar(1)))

    def write_any_part(self) -> None:
        """A slice whose extent is known at run time, and may be nothing."""
        name = self.array_name(rank=1)
        if name is None:
            return
        part = self.any_part(name)
        forms = ["{0} *= {1}", "{0} += {2}", "{0} = {2}", "{0} -= 0.5 * {0}", "{0} = np.sin({0}) * {2}"]
        self.write(self.rng.choice(forms).format(part, self.factor(), self.scalar(1)))

    def exchange_rows(self) -> None:
        """Both sides are views, so the second assignment reads what the first has written."""
        name = self.array_name(rank=2)
        if name is not None:
            i, j = self.index(self.scope.arrays[name][0]), self.index(self.scope.arrays[name][0])
            self.write(f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]")
