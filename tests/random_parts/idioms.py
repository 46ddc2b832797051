"""Idioms of array code in random programs: slices on both sides, duplicates, `out=`, kept axes, products."""

from __future__ import annotations

from random_parts.complexes import Complexes
from random_parts.expressions import Shape

PRODUCTS = {  # of a matrix of n rows and m columns: einsum's text, what other operand it takes, and the result
    "ij,j->i": ("m", "n"),
    "ij,i->j": ("n", "m"),
    "ij,ij->i": ("nm", "n"),
    "ij,kj->ik": ("nm", "nn"),
    "ij,ij->ji": ("nm", "mn"),
    "ij,i->ij": ("n", "nm"),
    "ij,j->ij": ("m", "nm"),
    "...j,j->...": ("m", "n"),
}


class Idioms(Complexes):
    """Statements in which memory is read and written in one go, under several names."""

    def any_slice(self, size: int) -> tuple[str, int]:
        """A slice with literal bounds and any step, and how many elements it has: perhaps none."""
        bounds = [None, None, *range(-size - 1, size + 2)]
        start, stop, step = self.rng.choice(bounds), self.rng.choice(bounds), self.rng.choice([None, -1, -1, -2, 2, 3])
        text = ":".join("" if x is None else str(x) for x in (start, stop))
        return text + ("" if step is None else f":{step}"), len(range(size)[start:stop:step])

    def both_sides(self) -> None:
        """Slices with negative steps on both sides, of the same memory often."""
        name = self.array_name(rank=1, least=2)
        if name is None:
            return
        target, n = self.any_slice(self.scope.arrays[name][0])
        others = [a for a, s in self.scope.arrays.items() if len(s) == 1]
        sources = []
        for other in [name, name, *others] * 4:
            text, m = self.any_slice(self.scope.arrays[other][0])
            if m in (n, 1):
                sources.append(f"{other}[{text}]")
        if not sources:
            return
        a, b = self.rng.choice(sources), self.rng.choice(sources)
        forms = ["{0} = {1}", "{0} += 0.5 * {1}", "{0} = 0.5 * {1} - 0.3 * {2}", "{0} *= np.tanh({1})"]
        forms += ["{0} = np.sin({1}) * {3}", "{0} -= {1} * {2} * 0.5", "{0} = np.where({1} > 0.137, {1}, {2})"]
        self.write(self.rng.choice(forms).format(f"{name}[{target}]", a, b, self.leaf()))

    def through_views(self) -> None:
        """A view of a view of a view, written through; then its base is read or written."""
        name = self.array_name()
        if name is None:
            return
        base, shape = name, self.scope.arrays[name]
        for _ in range(self.rng.randint(2, 3)):
            text, shape = self.view(name)
            name = self.fresh("v")
            self.write(f"{name} = {text}")
            self.scope.arrays[name] = shape
        forms = ["{0} *= {1}", "{0}[...] = {2}", "{0} += {2}", "{0}[:] = np.sin({0})", "{0} -= 0.5 * {0}[::-1]"]
        self.write(self.rng.choice(forms).format(name, self.factor(), self.scalar(1)))
        if self.rng.random() < 0.5:
            self.write(f"{self.element_of(base)} {self.rng.choice(['=', '+='])} {self.element_of(name)} * 0.5")

    def duplicates(self) -> None:
        """Writes to places of which some are the same: the last counts, and a sum is added to once."""
        name = self.array_name()
        if name is None or len(self.scope.arrays[name]) > 2:
            return
        shape, rows = self.scope.arrays[name], self.places(self.scope.arrays[name][0])
        values = self.array((3,)) or f"np.array([{self.scalar(1)}, {self.leaf()}, {self.leaf()}])"
        if len(shape) == 1:
            forms = ["{0}[{1}] = {3}", "{0}[{1}] += {3}", "{0}[{1}] = {0}[{2}] * 0.5", "{0}[{1}] -= 0.5 * {0}[{1}]"]
            forms += ["np.add.at({0}, {1}, {3})", "np.subtract.at({0}, {1}, 0.5 * {0}[{2}])", "{0}[{1}] *= {4}"]
            columns = self.places(shape[0])
        else:
            forms = [
                "{0}[{1}, {2}] = {3}",
                "{0}[{1}, {2}] += {3}",
                "{0}[{1}] *= {4}",
                "{0}[:, {2}] = {0}[:, {2}] * 0.5",
            ]
            forms += ["{0}[{1}] = 0.5 * {0}[{1}]", "np.add.at({0}, ({1}, {2}), {3})", "{0}[{1}] += {0}[0] * 0.3"]
            columns = self.places(shape[1])
        self.write(self.rng.choice(forms).format(name, rows, columns, values, self.factor()))

    def masked(self) -> None:
        """Elements chosen by a mask, on both sides."""
        name = self.array_name()
        if name is None:
            return
        other = self.rng.choice([name, *self.same_shape(name)])
        mask = self.fresh("mask")
        self.write(f"{mask} = {other} > {self.rng.choice(['0.137', '-0.411', '0.713'])}")
        forms = ["{0}[{1}] = {2}[{1}] * 0.5", "{0}[~{1}] += 0.3 * {2}[~{1}]", "{0}[{1}] = np.sin({0}[{1}])"]
        forms += ["{0}[{1}] -= {2}[{1}]", "{0} *= {1}", "{0}[:] = np.where({1}, {0}, 0.5 * {2})"]
        self.write(self.rng.choice(forms).format(name, mask, other))

    def in_place(self) -> None:
        """Functions that write to an array which they are given, part of which they may read."""
        name = self.array_name()
        if name is None:
            return
        shape = self.scope.arrays[name]
        same = [name, *self.same_shape(name)]
        a, b = self.rng.choice(same), self.rng.choice(same)
        forms = ["np.multiply({0}, {3}, out={2})", "np.add({0}, 0.5 * {1}, out={2})", "np.subtract({0}, {1}, out={2})"]
        forms += ["np.sin({0}, out={2})", "np.tanh({1}, {2})", "np.maximum({0}, {1}, out={2})", "np.cos({0}, {2})"]
        forms += ["np.negative({2}, out={2})", "np.copyto({2}, {0})", "np.divide({0}, 1.5 + {1} * {1}, out={2})"]
        forms += ["{2}.fill({4})", "np.clip({0}, -0.411, 0.713, out={2})"]
        if len(shape) == 1:
            forms += ["np.add({0}[1:], {1}[:-1], out={2}[1:])", "np.multiply({2}[::-1], 0.5 * {1}, out={2})"]
            forms += ["np.cumsum(0.5 * {0}, out={2})", "np.minimum({2}[:-1], {2}[1:], out={2}[:-1])"]
        text = self.rng.choice(forms).format(a, b, name, self.factor(), self.scalar(1))
        self.write(text)

    def keep_axes(self) -> None:
        """Reductions along an axis that stays, as of extent 1."""
        name = self.array_name(rank=2)
        if name is None:
            return
        axis, target = self.rng.choice([0, 1, -1]), self.target(self.scope.arrays[name])
        forms = [
            "{1} - np.mean({1}, axis={2}, keepdims=True)",
            "{1} / (1.5 + np.sum({1} * {1}, axis={2}, keepdims=True))",
        ]
        forms += ["np.exp({1} - np.max({1}, axis={2}, keepdims=True))", "{1} * {1}.min(axis={2}, keepdims=True)"]
        forms += ["np.tanh({1} - {1}.sum(axis={2}, keepdims=True))", "np.cumsum({1} * 0.3, axis={2})"]
        forms += ["{1} * np.prod(np.tanh({1}), axis={2}, keepdims=True)", "np.flip({1}, axis={2}) * 0.5"]
        forms += ["np.roll({1}, 1, axis={2}) * 0.7", "np.sort(1.1 * {1}, axis={2})"]
        in_place = self.rng.random() < 0.3
        text = self.rng.choice(forms).format(target, name, axis)
        self.write(f"{name}[:] = {text}" if in_place else f"{target} = {text}")
        if not in_place:
            self.scope.arrays[target] = self.scope.arrays[name]

    def product(self) -> None:
        """Products of small matrices."""
        name = self.array_name(rank=2)
        if name is None:
            return
        n, m = self.scope.arrays[name]
        sizes = {"n": n, "m": m}
        text, (operand, result) = self.rng.choice(list(PRODUCTS.items()))
        other = self.array(tuple(sizes[c] for c in operand))
        shape: Shape = tuple(sizes[c] for c in result)
        forms = [(f"{name}.T @ {name}", (m, m)), (f"np.dot({name}, {name}.T)", (n, n)), (f"{name}.T * 0.5", (m, n))]
        if other is not None:
            forms += [(f"np.einsum('{text}', {name}, {other})", shape)] * 4
        if n == m:
            forms += [(f"np.einsum('ii->i', {name})", (n,)), (f"np.diag({name})", (n,))]
        vector = self.array((n,))
        if vector is not None:
            forms += [(f"({vector}) @ {name}", (m,)), (f"np.outer({vector}, {name}[:, 0])", (n, n))]
        chosen, shape = self.rng.choice(forms)
        target = self.target(shape)
        self.write(f"{target} = np.tanh({chosen})")
        self.scope.arrays[target] = shape

    def chain(self) -> None:
        """Two names at once for an array, one of which then goes on alone."""
        source = self.array_name()
        if source is None:
            return
        a, b = self.fresh("a"), self.fresh("a")
        self.write(f"{a} = {b} = {self.rng.choice([source, f'{source}.copy()', f'0.5 * {source}'])}")
        self.write(self.rng.choice([f"{a} = {a} * 0.5", f"{a} += 0.25", f"{b} *= {self.factor()}", f"{a} = {a}[::-1]"]))
        self.scope.arrays |= {a: self.scope.arrays[source], b: self.scope.arrays[source]}

    def exchange_whole(self) -> None:
        """The elements of two arrays change places; of views the second reads what the first has written."""
        name = self.array_name()
        if name is None:
            return
        other = self.rng.choice([name, *self.same_shape(name)])
        forms = ["{0}[:], {1}[:] = {1}, {0}", "{0}[:], {1}[:] = {1}.copy(), {0}.copy()", "{0}[...] = {1}[::-1]"]
        forms += ["{0}[:1], {1}[-1:] = {1}[-1:], {0}[:1].copy()", "{0}[0], {1}[-1] = {1}[-1] * 0.5, {0}[0] + {1}[0]"]
        self.write(self.rng.choice(forms).format(name, other))
