"""Habits of users in random programs: functions that change what is around, states handed on, ways to leave."""

from __future__ import annotations

from random_parts.idioms import Idioms

CLASSES = {
    "Pose": "from collections import namedtuple\n\nPose = namedtuple('Pose', ['s', 'a'])\n",
    "Body": "from dataclasses import dataclass\n\n\n@dataclass\nclass Body:\n    s: float\n    a: object\n\n"
    "    def kick(self, t):\n"
    "        self.s = 0.5 * self.s + 0.3 * np.sin(t)\n        self.a[-1] *= 0.5 + 0.2 * np.cos(t)\n",
}
RECURSIONS = {
    "descend": "def descend(a, k):\n    if k < 0:\n        return 0.0\n"
    "    return np.sin(a[k]) * 0.5 + 0.7 * descend(a, k - 1) * a[k]\n",
    "halve": "def halve(a, low, high):\n    if high - low == 1:\n        return a[low] * 0.5\n"
    "    m = (low + high) // 2\n    return np.sin(halve(a, low, m)) + halve(a, m, high) * a[low] * 0.5\n",
    "settle": "def settle(a, k):\n    if k > 0:\n        a[k - 1] = 0.5 * a[k] + 0.3 * np.sin(a[k - 1])\n"
    "        settle(a, k - 1)\n",
}


class Habits(Idioms):
    """Statements that belong together."""

    def local_names(self) -> list[str]:
        """Numbers that a function inside may declare ``nonlocal``."""
        return [s for s in self.scope.scalars if s.isidentifier() and s not in self.scope.fixed]

    def changer(self) -> None:
        """A function that assigns to numbers and arrays around it, called at once and perhaps later."""
        g, t, local = self.fresh("g"), self.fresh("t"), self.local_names()
        arrays = [a for a in self.scope.arrays if a.isidentifier() and a not in self.scope.fixed]
        kind = self.rng.choice(["number", "number", "array", "elements", "both"])
        if not local or not arrays:
            return
        s, a = self.rng.choice(local), self.rng.choice(arrays)
        self.write(f"def {g}({t}):")
        self.write(f"    nonlocal {s}" if kind in ("number", "elements") else f"    nonlocal {s}, {a}")
        guard = "        " if self.rng.random() < 0.4 else "    "
        if guard != "    ":
            self.write(f"    if {t} > 0.137 or {self.test()}:")
        self.write(f"{guard}{s} = 0.5 * {s} + 0.3 * np.sin({t} * {self.leaf()})")
        if kind in ("array", "both"):
            self.write(f"{guard}{a} = {self.rng.choice([f'0.5 * {a}', f'{a}[::-1]', f'{a}.copy()', f'np.sin({a})'])}")
        if kind in ("elements", "both"):
            self.write(f"    {self.element_of(a)} += 0.25 * {t}")
        self.write(f"    return np.tanh({t} + {s})")
        self.scope.functions.append(g)
        if self.rng.random() < 0.5 and not self.deep():
            i, n = self.fresh("i"), self.rng.randint(0, 3)
            self.write(f"for {i} in range({n}):")
            self.write(f"    {self.element_of(a)} = {g}({self.leaf()}) * 0.5")
        else:
            self.write(f"{s} = {g}({self.scalar(1)}) + 0.5 * {s}")

    def on_array(self) -> None:
        """A function that changes the array it is given, which is a view as often as not."""
        name = self.array_name()
        if name is None:
            return
        text, shape = self.view(name) if self.rng.random() < 0.6 else (name, self.scope.arrays[name])
        g, b, r = self.fresh("g"), self.fresh("b"), self.fresh("r")
        forms = ["{0} *= {1}", "{0}[0] += {2}", "{0}[-1] = {2}", "{0} += {0}[::-1] * 0.5", "{0}[:] = np.sin({0})"]
        self.write(f"def {g}({b}, scale=0.5):")
        self.write("    " + self.rng.choice(forms).format(b, self.factor(), self.scalar(1)))
        self.write(f"    return {self.rng.choice([b, f'{b} * scale', f'{b}[::-1]'])}")
        self.write(f"{r} = {g}({text}{self.rng.choice(['', f', {self.leaf()}', ', scale=0.3'])})")
        self.scope.arrays[r] = shape

    def insist(self) -> None:
        """A loop without end, left when a state says so."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        size, k, s, limit = self.scope.arrays[a][0], self.fresh("k"), self.fresh("s"), self.rng.randint(1, 4)
        self.write(f"{k}, {s} = 0, {self.scalar(1)}")
        self.write(f"while {self.rng.choice(['True', '1', f'{k} < 9'])}:")
        self.write(f"    {s} = np.sin({s} + {a}[{k} % {size}]) * 0.7 + 0.2")
        tests = [f"if {s} > 0.713:", f"if {self.test()} and {s} < 0.829:", f"if {k} == {limit - 1}:"]
        self.write(f"    {self.rng.choice(tests)}")
        self.write(f"        {self.rng.choice(['break', f'{s} *= 0.5', f'{a}[{k} % {size}] = {s}'])}")
        self.write(f"    {a}[{k} % {size}] {self.rng.choice(['=', '+=', '*='])} {s} * 0.5")
        self.write(f"    {k} += 1")
        self.write(f"    if {k} >= {limit}:")
        self.write("        break")
        if self.rng.random() < 0.3:
            self.write("else:")
            self.write(f"    {s} = 0.25 * {s}")
        self.scope.scalars.append(s)

    def find(self) -> None:
        """Loops inside one another, left by a `return` of the function that holds them, or of ``f`` itself."""
        a = self.array_name()
        if a is None or self.deep() or len(self.scope.arrays[a]) > 2:
            return
        shape, g, t = self.scope.arrays[a], self.fresh("g"), self.fresh("t")
        i, j, s = self.fresh("i"), self.fresh("j"), self.fresh("s")
        inside = self.rng.random() < 0.7
        pad = "    " if inside else ""
        here = f"{a}[{i}, {j}]" if len(shape) == 2 else f"{a}[({i} + {j}) % {shape[0]}]"
        if inside:
            self.write(f"def {g}({t}):")
        self.write(f"{pad}{s} = 0.0")
        self.write(f"{pad}for {i} in range({shape[0]}):")
        self.write(f"{pad}    for {j} in range({shape[-1]}):")
        self.write(f"{pad}        if {here} * {t if inside else self.leaf()} > {self.rng.choice(['0.137', '0.613'])}:")
        self.write(f"{pad}            return {s} * np.cos({here}) + 0.5 * {here}")
        change = self.rng.choice([f"{s} += 0.3 * {here}", f"{s} = np.sin({s} + {here})", f"{here} *= 0.7"])
        self.write(f"{pad}        {change}")
        if inside:
            self.write(f"{pad}return {s}")
            self.scope.functions.append(g)
            self.write(f"{s} = {g}({self.scalar(1)})")
        self.scope.scalars.append(s)

    def hand_on(self) -> None:
        """A named tuple or an object that each iteration changes or replaces."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        cls = self.rng.choice(sorted(CLASSES))
        self.helpers.add(cls)
        p, i, n = self.fresh("pose"), self.fresh("i"), self.rng.randint(0, 3)
        self.write(f"{p} = {cls}({self.scalar(1)}, {self.rng.choice([a, f'{a}.copy()', f'0.5 * {a}'])})")
        self.write(f"for {i} in range({n}):")
        turn = f"np.sin({p}.s + {self.leaf()})"
        if cls == "Pose":
            forms = [f"{p} = Pose({turn}, {p}.a)", f"{p} = {p}._replace(s={turn})", f"{p} = Pose({p}.s, {p}.a * 0.5)"]
            forms += [f"{p}.a[0] += 0.3 * {turn}", f"{p} = {p}._replace(a={p}.a[::-1])"]
        else:
            forms = [f"{p}.s = {turn}", f"{p}.kick({self.leaf()})", f"{p}.a = {p}.a * 0.5", f"{p}.a[0] += {turn}"]
            forms += [f"{p}.a = {p}.a[::-1]", f"{p}.s, {p}.a[0] = {p}.a[0], {p}.s"]
        for text in self.rng.sample(forms, 2):
            guarded = self.rng.random() < 0.3
            if guarded:
                self.write(f"    if {self.test()}:")
            self.write(("        " if guarded else "    ") + text)
        self.scope.scalars.append(f"{p}.s")
        self.scope.arrays[f"{p}.a"] = self.scope.arrays[a]
        if cls == "Pose":
            self.scope.fixed |= {f"{p}.s", f"{p}.a"}

    def remember(self) -> None:
        """A list of arrays, or of pairs, that grows; the last of them are read."""
        u = self.array_name(rank=1)
        if u is None or self.deep() or u in self.scope.fixed:
            return
        past, i, n, result = self.fresh("past"), self.fresh("i"), self.rng.randint(1, 3), self.fresh("a")
        shape = self.scope.arrays[u]
        first = self.rng.choice([f"[{u}.copy()]", f"[{u} * 0.5, {u}.copy()]"])
        self.write(f"{past} = {first}")
        self.write(f"for {i} in range({n}):")
        guarded = self.rng.random() < 0.3
        if guarded:
            self.write(f"    if {self.test()}:")
        pad = "        " if guarded else "    "
        self.write(f"{pad}{past}.append(np.sin({past}[-1]) * {self.factor()} + 0.3 * {past}[{i} // 2])")
        if self.rng.random() < 0.5:
            self.write(f"    {self.element_of(u)} = {past}[-1][0] * 0.5")
        texts = [f"{past}[-1] * {past}[0]", f"np.array({past}).sum(axis=0) * 0.3", f"{past}[len({past}) // 2] * 0.7"]
        self.write(f"{result} = {self.rng.choice(texts)}")
        self.scope.arrays[result] = shape

    def backlog(self) -> None:
        """A list of numbers used as a stack, until it is empty."""
        if self.deep():
            return
        todo, v, s, k = self.fresh("todo"), self.fresh("v"), self.fresh("s"), self.fresh("k")
        self.write(f"{todo}, {s}, {k} = [{self.leaf()}, {self.scalar(1)}], 0.0, 0")
        self.write(f"while {self.rng.choice([f'len({todo}) > 0', todo])} and {k} < 5:")
        self.write(f"    {v} = {todo}.pop()")
        self.write(f"    {s} += np.sin({v}) * 0.5")
        self.write(f"    {k} += 1")
        self.write(f"    if {v} > 0.137:")
        self.write(f"        {todo}.append(0.5 * {v} - {self.constant()})")
        self.scope.scalars.append(s)

    def recur(self) -> None:
        a = self.array_name(rank=1)
        if a is None:
            return
        size, helper = self.scope.arrays[a][0], self.rng.choice(sorted(RECURSIONS))
        self.helpers.add(helper)
        if helper == "settle":
            self.write(f"settle({a}, {self.rng.randrange(size)})")
            return
        s = self.fresh("s")
        self.write(f"{s} = {helper}({a}, " + (f"{size - 1})" if helper == "descend" else f"0, {self.extent(size)})"))
        self.scope.scalars.append(s)

    def items(self) -> None:
        """The arrays of a dict or tuple gone through, each of which is changed."""
        a = self.array_name()
        if a is None or self.deep():
            return
        b = self.rng.choice([f"{a}.copy()", *self.same_shape(a), f"0.5 * {a}"])
        d, k, v = self.fresh("d"), self.fresh("k"), self.fresh("v")
        if self.rng.random() < 0.6:
            self.write(f'{d} = {{"a": {a}, "b": {b}}}')
            self.write(self.rng.choice([f"for {k} in {d}:", f"for {k}, {v} in {d}.items():"]))
            forms = ["{0}[{1}] = {0}[{1}] * 0.5", "{0}[{1}] *= {2}", "{0}[{1}][0] += {3}"]
            self.write("    " + self.rng.choice(forms).format(d, k, self.factor(), self.scalar(1)))
            names = f'{d}["a"]', f'{d}["b"]'
        else:
            self.write(f"{d} = [{a}, {b}]")
            self.write(f"for {k}, {v} in enumerate({d}):")
            forms = ["{0}[{1}] = {4} * 0.5", "{4} *= {2}", "{0}[{1}] = np.sin({4})", "{4}[0] += {3}"]
            self.write("    " + self.rng.choice(forms).format(d, k, self.factor(), self.scalar(1), v))
            names = f"{d}[0]", f"{d}[1]"
        self.scope.arrays |= dict.fromkeys(names, self.scope.arrays[a])

    def draw(self) -> None:
        """A generator that reads, between its items, what its user changes."""
        a = self.array_name(rank=1)
        if a is None or self.deep():
            return
        g, i, v, s, size = self.fresh("g"), self.fresh("i"), self.fresh("v"), self.fresh("s"), self.scope.arrays[a][0]
        self.write(f"def {g}(m):")
        self.write(f"    for {i} in range(m):")
        self.write(f"        yield np.sin({a}[{i} % {size}]) + 0.3 * {i}")
        self.write(f"{s} = 0.0")
        self.write(f"for {v} in {g}({self.rng.randint(0, 3)}):")
        self.write(f"    {s} += {v} * {self.leaf()}")
        self.write(f"    {self.element_of(a)} = 0.5 * {v}")
        if self.rng.random() < 0.4:
            self.write(f"    if {self.test()}:")
            self.write(f"        {self.rng.choice(['break', 'continue', f'{s} *= 0.5'])}")
        self.scope.scalars.append(s)

    def attempt(self) -> None:
        """A `try` whose body may raise, or leave the loop around it, between assignments to a number."""
        if self.deep():
            return
        s, i, n = self.fresh("s"), self.fresh("i"), self.rng.randint(0, 3)
        self.write(f"{s} = {self.leaf()}")
        self.write(f"for {i} in range({n}):")
        self.write("    try:")
        self.write(f"        {s} = np.sin({s} + {self.leaf()})")
        self.write(f"        if {self.test()}:")
        caught = self.rng.random() < 0.6
        leaves = ["break", "continue", f"{s} *= 0.5"]
        self.write("            raise ValueError('no')" if caught else f"            {self.rng.choice(leaves)}")
        self.write(f"        {s} += 0.3 * {self.leaf()}")
        if caught:
            self.write("    except ValueError:")
            self.write(f"        {s} = 0.5 * {s} - {self.leaf()} * {self.constant()}")
        if not caught or self.rng.random() < 0.3:
            self.write("    finally:")
            self.write(f"        {s} *= {self.factor()}")
        self.scope.scalars.append(s)

    def ragged(self) -> None:
        """Lists in a list, of lengths that are found out."""
        if self.deep():
            return
        rows, i, j, s, v = (self.fresh(stem) for stem in ("rows", "i", "j", "s", "v"))
        n, count = self.rng.randint(1, 3), self.rng.randint(1, 3)
        self.write(f"{rows} = [[{self.leaf()}] for {i} in range({count})]")
        self.write(f"for {j} in range({n}):")
        guarded = self.rng.random() < 0.5
        if guarded:
            self.write(f"    if {self.test()}:")
        pad = "        " if guarded else "    "
        forms = ["{0}[{1} % {2}].append({3})", "{0}[{1} % {2}][0] = {3}", "{0}[{1} % {2}][-1] += 0.3 * {0}[0][0]"]
        self.write(pad + self.rng.choice(forms).format(rows, j, count, self.scalar(1)))
        self.write(f"{s} = 0.0")
        self.write(f"for {v} in {rows}:")
        self.write(f"    {s} += {self.rng.choice([f'sum({v})', f'{v}[-1] * {v}[0]', f'len({v}) * {v}[0]'])} * 0.4")
        self.scope.scalars.append(s)
