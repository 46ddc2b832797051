"""Whole arrays in random programs: gathers and scatters, masks, broadcasting, and functions of NumPy."""

from __future__ import annotations

from random_parts.patterns import Patterns

PICKED = 3  # elements of an integer array


class WholeArrays(Patterns):
    """Statements in which NumPy does the loops."""

    def places(self, size: int) -> str:
        """Integers that are indices of an axis of that size, some of them more than once."""
        known = [name for name, (_, last) in self.indirect.items() if last < size]
        literal = [self.rng.randrange(-size, size) for _ in range(PICKED)]
        return self.rng.choice([f"np.array({literal})", *known * 2])

    def gather(self) -> None:
        source = self.array_name()
        if source is None:
            return
        shape = self.scope.arrays[source]
        places, name = self.places(shape[0]), self.fresh("g")
        text, result = f"{source}[{places}]", (PICKED, *shape[1:])
        if len(shape) == 2 and self.rng.random() < 0.5:
            text, result = self.rng.choice(
                [
                    (f"{source}[:, {self.places(shape[1])}]", (shape[0], PICKED)),
                    (f"{source}[{places}, {self.places(shape[1])}]", (PICKED,)),
                    (f"{source}[{places}, {self.index(shape[1])}]", (PICKED,)),
                ]
            )
        self.write(f"{name} = {text}{self.rng.choice(['', '', f' * {self.leaf()}'])}")
        self.scope.arrays[name] = result

    def scatter(self) -> None:
        """Of several values for one element the last counts, but in `np.add.at`."""
        name = self.array_name(rank=1)
        if name is None:
            return
        values = self.array((PICKED,)) or f"np.tanh({self.leaf()})"
        places = self.places(self.scope.arrays[name][0])
        forms = ["{0}[{1}] = {2}", "{0}[{1}] += {2}", "{0}[{1}] *= {3}", "np.add.at({0}, {1}, {2})"]
        self.write(self.rng.choice(forms).format(name, places, values, self.factor()))

    def mask(self) -> None:
        name = self.array_name()
        if name is None:
            return
        other = self.rng.choice([name, *self.same_shape(name)])
        test = f"{other} {self.rng.choice('<>')} {self.rng.choice(['0.137', '-0.411', '0.713'])}"
        if self.rng.random() < 0.3:
            test = f"({test}) & ({name} < 0.829)"
        forms = ["{0}[{1}] = {2}", "{0}[{1}] *= {3}", "{0}[{1}] += {2}", "{0} = np.where({1}, {4}, {0})"]
        whole = self.array(self.scope.arrays[name]) or name
        form = self.rng.choice(forms[:3] if name in self.scope.fixed else forms)
        self.write(form.format(name, test, self.scalar(1), self.factor(), whole))

    def broadcast(self) -> None:
        """Between a matrix and its rows, columns or a number."""
        name = self.array_name(rank=2)
        if name is None:
            return
        n, m = self.scope.arrays[name]
        rows, columns = (self.array((size,)) for size in (m, n))
        forms = [f"{name}[...] = {self.scalar(1)}", f"{name}[{self.index(n)}] *= {self.factor()}"]
        if rows:
            forms += [f"{name} += {rows}", f"{name} *= 0.5 * np.tanh({rows})", f"{name}[{self.index(n)}] = {rows}"]
        if columns:
            forms += [f"{name} -= ({columns})[:, None]", f"{name}[:, {self.index(m)}] += {columns}"]
        if rows and columns:
            forms.append(f"{name}[:] = np.outer({columns}, {rows}) * 0.5")
        if n == m:
            forms += [f"{name} += 0.5 * {name}.T", f"{name} = np.tanh({name} @ {name})"]
        self.write(self.rng.choice(forms))

    def along_an_axis(self) -> None:
        name = self.array_name(rank=2)
        if name is None:
            return
        n, m = self.scope.arrays[name]
        axis, size = self.rng.choice([(0, m), (1, n)])
        forms = ["np.sum({0}, axis={1})", "{0}.mean(axis={1})", "np.max({0}, axis={1})", "np.tanh({0}).sum(axis={1})"]
        target = self.target((size,))
        self.write(f"{target} = {self.rng.choice(forms).format(name, axis)} * 0.7")
        self.scope.arrays[target] = (size,)

    def overlap(self) -> None:
        """Both sides are the same memory: what is written must not be read."""
        name = self.array_name(rank=1, least=2)
        if name is None:
            return
        forms = ["{0} += 0.5 * {0}[::-1]", "{0}[1:] += 0.5 * {0}[:-1]", "{0}[:-1] = {0}[1:]", "{0}[:] = {0}[::-1]"]
        forms += ["{0}[1:] = np.sin({0}[:-1]) * {0}[1:]", "{0}[:-1] *= {0}[1:]", "{0}[::-1] -= 0.3 * {0}"]
        self.write(self.rng.choice(forms).format(name))

    def call_numpy(self) -> None:
        name = self.array_name(rank=1)
        if name is None:
            return
        n = self.scope.arrays[name][0]
        other = self.rng.choice([name, *self.same_shape(name)])
        forms = ["np.cumsum({0}) * 0.5", "np.sort({0} * 1.1)", "np.flip({0}) * {1}", "np.cumprod(np.tanh({0}))"]
        forms += ["np.concatenate(({0}[1:], {1}[:1]))", "np.minimum({0}, 0.5 * {1})", "{0}.copy()[::-1]", "np.abs({0})"]
        forms += ["np.array([np.sin(v) * {2} for v in {0}])", "np.outer({0}, {1}).sum(axis=0)"]
        target = self.target((n,))
        self.write(f"{target} = {self.rng.choice(forms).format(name, other, self.leaf())}")
        self.scope.arrays[target] = (n,)

    def stack(self) -> None:
        """A matrix made of vectors, and a vector made of a matrix."""
        matrix = self.array_name(rank=2)
        if matrix is not None and self.rng.random() < 0.4:
            n, m = self.scope.arrays[matrix]
            name = self.target((n * m,))
            self.write(f"{name} = {matrix}.copy().reshape({self.rng.choice([str(n * m), '-1'])}) * 0.5")
            self.scope.arrays[name] = (n * m,)
            return
        a = self.array_name(rank=1)
        if a is None:
            return
        n = self.scope.arrays[a][0]
        b = self.rng.choice([a, *self.same_shape(a)])
        form, shape = self.rng.choice([("np.stack(({}, {}))", (2, n)), ("np.stack(({}, {}), axis=1)", (n, 2))])
        name = self.target(shape)
        self.write(f"{name} = {form.format(a, b)}")
        self.scope.arrays[name] = shape
