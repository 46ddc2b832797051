"""Lists that grow, objects, dicts and tuples in random programs; what is in them takes part as a name does."""

from __future__ import annotations

from random_parts.whole_arrays import WholeArrays

BOX = (
    "class Box:\n    def __init__(self, s, a):\n        self.s = s\n        self.a = a\n\n"
    "    def turn(self, t):\n        self.a[0] += 0.5 * self.s\n        self.s = np.sin(self.s * t)\n"
    "        return self.s + self.a[-1]\n"
)


class Containers(WholeArrays):
    """Statements that make containers, and some of what is done with them only."""

    def grow_list(self) -> None:
        """A list of numbers, appended to in a loop, in some iterations only."""
        if self.deep():
            return
        name, i, n = self.fresh("l"), self.fresh("i"), self.rng.randint(0, 3)
        self.write(f"{name} = {self.rng.choice(['[]', f'[{self.scalar(1)}]'])}")
        known = int(not self.lines[-1].endswith("[]"))
        self.write(f"for {i} in range({n}):")
        self.scope.counters[i] = (0, max(n - 1, 0))
        guarded = self.rng.random() < 0.4
        if guarded:
            self.write(f"    if {self.test()}:")
        self.write(("        " if guarded else "    ") + f"{name}.append({self.scalar(1)})")
        del self.scope.counters[i]
        self.scope.lists[name] = known if guarded else known + n

    def use_list(self) -> None:
        if not self.scope.lists:
            self.grow_list()
            return
        name = self.rng.choice(list(self.scope.lists))
        known, result, v = self.scope.lists[name], self.fresh("s"), self.fresh("e")
        kind = self.rng.choice(["append", "pop", "store", "sum", "loop", "array"])
        if kind == "append":
            self.write(f"{name}.append({self.scalar(1)})")
        elif kind == "store" and known:
            target = self.element_at(name, (known,))
            self.write(self.rng.choice([f"{target} = {self.scalar(1)}", f"{target} *= {self.factor()}"]))
        elif kind == "pop":
            self.write(f"{name}.append({self.scalar(1)})")
            self.write(f"{result} = {name}.pop()")
            self.scope.scalars.append(result)
        elif kind == "sum":
            self.write(f"{result} = {self.rng.choice([f'sum({name})', f'np.sum(np.array({name}))'])} * 0.3")
            self.scope.scalars.append(result)
        elif kind == "loop":
            self.write(f"{result} = 0.0")
            self.write(f"for {v} in {name}:")
            self.write(f"    {result} += {v} * np.cos({v})")
            self.scope.scalars.append(result)
        elif kind == "array" and known:
            self.write(f"{result} = np.array({name})[:{known}] * 0.5")
            self.scope.arrays[result] = (known,)

    def box(self) -> None:
        """An object with a number and an array, under whose names both may be assigned to."""
        a = self.array_name(rank=1)
        if a is None:
            return
        self.helpers.add("Box")
        name = self.fresh("o")
        array = self.rng.choice([a, f"{a}.copy()", f"{a} * 0.5"])
        self.write(f"{name} = Box({self.scalar(1)}, {array})")
        self.scope.scalars.append(f"{name}.s")
        self.scope.arrays[f"{name}.a"] = self.scope.arrays[a]

    def turn_box(self) -> None:
        boxes = [s[:-2] for s in self.scope.scalars if s.startswith("o") and s.endswith(".s")]
        if not boxes:
            self.box()
            return
        result = self.fresh("s")
        self.write(f"{result} = {self.rng.choice(boxes)}.turn({self.scalar(1)})")
        self.scope.scalars.append(result)

    def record(self) -> None:
        """A dict, whose entries may be assigned to, or a tuple, whose entries may not."""
        a = self.array_name()
        if a is None:
            return
        shape = self.scope.arrays[a]
        b = self.rng.choice([f"{a}.copy()", *self.same_shape(a), a])
        name = self.fresh("d")
        if self.rng.random() < 0.5:
            self.write(f'{name} = {{"s": {self.scalar(1)}, "a": {b}}}')
            number, array = f'{name}["s"]', f'{name}["a"]'
        else:
            self.write(f"{name} = ({self.scalar(1)}, {b})")
            number, array = f"{name}[0]", f"{name}[1]"
            self.scope.fixed |= {number, array}
        self.scope.scalars.append(number)
        self.scope.arrays[array] = shape

    def carry_tuple(self) -> None:
        """A state of two numbers as one tuple, which a loop hands on."""
        if self.deep():
            return
        t, i, u, v = (self.fresh(stem) for stem in "tiuv")
        n = self.rng.randint(0, 3)
        self.write(f"{t} = ({self.leaf()}, {self.scalar(1)})")
        self.write(f"for {i} in range({n}):")
        self.write(f"    {u}, {v} = {t}")
        swapped, turned = f"({v}, {u} * {self.factor()})", f"(np.sin({u} * {v}), {u})"
        self.write(f"    {t} = {self.rng.choice([swapped, turned, f'({u} + 0.5 * {v}, np.cos({u}))'])}")
        names = f"{t}[0]", f"{t}[1]"
        self.scope.scalars += names
        self.scope.fixed |= {*names}
