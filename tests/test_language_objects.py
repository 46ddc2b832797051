"""Objects: named tuples, dataclasses, plain classes and jitclass, as arguments, captured and made inside."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import types
import typing

import numba
import numpy as np
import pytest
from agreement import confirm
from numba.experimental import jitclass

from srcgrad import Error, UnsupportedError, grad, jit, value_and_grad
from srcgrad.testing import check_grads

V = np.array([1.3, 2.1, 0.4])
Pair = collections.namedtuple("Pair", "a b", defaults=(2.0,))


class Typed(typing.NamedTuple):
    a: float
    b: float = 3.0

    def total(self, k=1.0):
        return self.a * k + self.b

    @property
    def product(self):
        return self.a * self.b


@dataclasses.dataclass(frozen=True)
class Particle:
    m: float
    v: np.ndarray
    BIAS: typing.ClassVar[float] = 0.5

    def energy(self):
        return 0.5 * self.m * np.sum(self.v**2) + self.BIAS

    @property
    def speed(self):
        return np.sqrt(np.sum(self.v**2))

    @functools.cached_property
    def momentum(self):
        return self.m * self.speed

    @staticmethod
    def half(x):
        return 0.5 * x

    @classmethod
    def make(cls, m, v):
        return cls(m, v)

    def heavier(self, k):
        return dataclasses.replace(self, m=self.m * k)

    def __call__(self, x):
        return self.m * x

    def __add__(self, other):
        if isinstance(other, Particle):
            return Particle(self.m + other.m, self.v + other.v)
        return Particle(self.m + other, self.v)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return Particle(-self.m, self.v)

    def __lt__(self, other):
        return self.m < other.m

    def __getitem__(self, k):
        return self.v[k]

    def __len__(self):
        return 7


@dataclasses.dataclass
class State:
    x: float
    y: float = 1.0

    def step(self, dt):
        self.x = self.x + dt * self.y
        self.y -= dt * self.x
        return self


@dataclasses.dataclass
class Wider(State):
    z: float = 2.0

    def step(self, dt):
        super().step(dt)
        self.z *= self.x
        return self


@dataclasses.dataclass
class Finished:
    a: float
    b: float = dataclasses.field(init=False)
    c: list = dataclasses.field(default_factory=list)
    d: np.ndarray = dataclasses.field(default_factory=lambda: np.ones(2), kw_only=True)

    def __post_init__(self):
        self.b = self.a * 2.0
        self.c.append(self.b)


@dataclasses.dataclass(frozen=True)
class FrozenFinished:
    a: float

    def __post_init__(self):
        object.__setattr__(self, "a", self.a * self.a)


class Plain:
    K = 2.0

    def __init__(self, a, b=1.0):
        self.a = a
        self.b = b * self.K
        self.n = 0

    def f(self, x):
        self.n += 1
        return self.a * x + self.b

    def g(self, x):
        return self.a * x * x + self.b

    @property
    def twice(self):
        return 2 * self.a

    @twice.setter
    def twice(self, value):
        self.a = value / 2

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def scaled(cls, x):
        return x * cls.K

    def set(self, a):
        self.a = a
        return self


class Derived(Plain):
    K = 3.0

    def __init__(self, a):
        super().__init__(a, 4.0)
        self.extra = a * a

    def g(self, x):
        return super().g(x) + self.extra

    def factorial(self, n):
        return 1.0 if n <= 1 else n * self.factorial(n - 1)


@jitclass([("a", numba.float64), ("v", numba.float64[:]), ("n", numba.int64)])
class Jitted:
    def __init__(self, a, v):
        self.a = a
        self.v = v
        self.n = 0

    def f(self, x):
        return self.a * x + np.sum(self.v)

    @property
    def two(self):
        return 2 * self.a

    def bump(self, d):
        self.a += d
        self.n += 1

    @staticmethod
    def square(x):
        return x * x


PLAIN, DERIVED, STATE = Plain(3.0, 2.0), Derived(2.0), State(1.5, 2.5)
PARTICLE = Particle(2.0, np.array([1.0, 2.0]))
JITTED = Jitted(2.0, np.array([1.0, 2.0]))


# -- named tuples and frozen dataclasses --------------------------------------------------------------------


def named_tuples(x):
    p = Pair(x)
    q = p._replace(b=x * x)
    r = Typed(x)
    return q.a * q.b + p.b + q[0] + r.total(2.0) * r.product + Typed(a=x, b=x).total() + q._asdict()["b"]


def methods(p):
    return p.energy() + p.speed * p.momentum + p.half(p.m) + Particle.half(p.m) + p.BIAS * p.m + p(2.0)


def made_inside(x):
    p = Particle.make(x, np.array([x, 2.0]))
    q = p.heavier(3.0)
    return q.energy() + p.m * Particle.BIAS + dataclasses.astuple(q)[0] * dataclasses.asdict(p)["m"]


def operators(x):
    p = Particle(x, np.array([x, 2.0]))
    r = p + p
    r += 1.0
    r = 2.0 + r
    return r.energy() + (-p).m * p[0] + len(p) * x + (x if p < r else 0.0)


def after_init(x):
    p = Finished(x)
    q = Finished(x, d=np.array([x, x]))
    return p.b * p.a * p.c[0] + np.sum(q.d) * FrozenFinished(x).a


# -- objects that change ------------------------------------------------------------------------------------


def stepped(x):
    s = State(x)
    for _ in range(10):
        s.step(0.1)
    return s.x * s.y


def stepped_at_run_time(x, n):
    s = State(x)
    for i in range(n):
        if i % 2 == 0:
            s = s.step(0.1)
        else:
            s.y *= x
    return s.x * s.y


def replaced_in_a_loop(x, n):
    s = State(x)
    for _ in range(n):
        s = State(s.x + 0.1 * s.y, s.y - 0.1 * s.x)
    return s.x * s.y


def assigned(x):
    s = State(x, 2.0)
    s.y = x * x
    if x > 0.5:
        s.x *= 2.0
    for i in range(3):
        s.x += s.y * i
    return s.x


def aliased(x):
    s = State(x)
    t = s
    pair = (s, 1.0)
    for _ in range(3):
        t.x = t.x * x
        pair[0].y += s.x
    return s.x * s.y


def with_array(x):
    s = State(x[0], x * 2.0)
    for i in range(len(x)):
        s.y[i] += s.x
        s.x = s.x * x[i]
        if i == 1:
            s.y = s.y * 2.0
    return np.sum(s.y) * s.x


def inherited(x):
    s = Wider(x)
    for _ in range(3):
        s.step(0.1)
    return s.z + s.x


def plain(x):
    p = Plain(x)
    p.twice = p.twice + x
    return p.f(x) + p.g(2.0) + p.twice + p.square(x) + p.scaled(x) + Plain.square(x) + p.n


def plain_state(x):
    p = Plain(x, 3.0)
    for _ in range(4):
        p.a = p.a * x
    p.set(p.a * 2.0).set(p.a + 1.0)
    return p.f(x) + p.n


def derived(x):
    d = Derived(x)
    return d.g(x) + d.factorial(4) * x + (x if isinstance(d, Plain) else 0.0)


def namespace(x):
    s = types.SimpleNamespace(a=x, b=2.0)
    for _ in range(3):
        s.b *= s.a
    return s.b


def list_of_objects(x):
    bodies = [State(x * k, 1.0) for k in (1.0, 2.0, 3.0)]
    for _ in range(4):
        for b in bodies:
            b.step(0.1)
    return sum(b.x * b.y for b in bodies)


def dict_of_objects(x):
    d = {"p": State(x), "q": 1.0, "no name": 1.0, 7: x}
    for _ in range(3):
        d["p"].x *= x * d[7]
        d["no name"] += d["p"].x
        d[7] *= d["no name"]
        d["q"] += d["p"].x
        d["q"] *= 0.5
    return d["q"]


def swapped_arrays(x, n):
    pair = [x * 1.0, x * 2.0]
    for _ in range(n):
        pair[0], pair[1] = pair[1], pair[0]
        pair[0][0] += 1.0
    return np.sum(pair[0]) * 2.0 + np.sum(pair[1] ** 2)


def copies(x):
    s = State(x)
    t = copy.copy(s)
    u = copy.deepcopy(s)
    t.x *= x
    u.x = t.x * s.x
    return s.x + t.x + u.x


def chosen_and_changed(x):
    a, b = State(x), State(2.0 * x)
    s = a if x > 0.0 else b
    s.x = 5.0 * x
    return a.x + b.x


def merged_and_read(x, n):
    a = State(x)
    s = State(x)
    for _ in range(n):
        s, a = a, s
        a.x += 1.0
    return s.x * a.x


# -- captured and passed ------------------------------------------------------------------------------------


def captured(x):
    own = PLAIN.a * x + PLAIN.twice * x + PLAIN.b + PLAIN.square(x) + PLAIN.g(x) + DERIVED.g(x) + DERIVED.K * x
    return own + STATE.x * x + PARTICLE.energy() * x + PARTICLE(x) + PARTICLE.v[0] * x + (PARTICLE + PARTICLE).m * x


def changes_captured(x):
    return PLAIN.f(x)


def changes_its_argument(s, k):
    for _ in range(5):
        s.step(k)
    return s.x * s.y


def of_jitclass(x):
    return JITTED.f(x) * x + JITTED.two * x + JITTED.a * x + Jitted.square(x)


def makes_jitclass(x):
    o = Jitted(x, np.array([x, 1.0]))
    for _ in range(2):
        o.bump(x)
    return o.f(x) + o.two + o.square(x) + o.n


def takes_jitclass(o, x):
    return o.f(x) * o.a


def makes_objects(x):
    return {"s": State(x * x, 2.0), "p": Pair(x, (x,)), "n": None, "l": [x, 1.0]}


FUNCTIONS = (
    *(named_tuples, made_inside, operators, after_init, stepped, assigned, aliased, inherited, plain, plain_state),
    *(derived, namespace, list_of_objects, dict_of_objects, copies, captured, of_jitclass, makes_jitclass),
)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_derivatives(f):
    confirm(f, 0.7)


@pytest.mark.parametrize("f", [stepped_at_run_time, replaced_in_a_loop])
def test_a_number_of_steps_at_run_time(f):
    confirm(lambda x, n: f(x, n), 0.7, 5)
    assert jit(f, jit=False)(0.7, 0) == f(0.7, 0)


@pytest.mark.parametrize("n", [0, 3])
def test_a_list_of_arrays_that_are_swapped(n):
    assert jit(swapped_arrays, jit=False)(V, n) == pytest.approx(swapped_arrays(V, n))
    check_grads(lambda x, n: swapped_arrays(x, n), (V, n), jit=False)


def test_an_object_with_an_array():
    confirm(with_array, V)


def test_arguments():
    confirm(methods, Particle(1.2, V))
    confirm(lambda p: p.total(2.0) * p.product, Typed(1.0, 2.0))
    given = grad(methods, jit=False)(Particle(1.2, V))
    assert isinstance(given, Particle)
    assert given.v.shape == V.shape


def test_an_argument_that_is_changed():
    state = State(1.0, 2.0)
    check_grads(lambda x, y, k: changes_its_argument(State(x, y), k), (1.0, 2.0, 0.1), order=2, jit=False)
    value, slope = value_and_grad(changes_its_argument, jit=False)(state, 0.1)
    assert (state.x, state.y) == (1.0, 2.0)
    assert value == changes_its_argument(State(1.0, 2.0), 0.1)
    step = 1e-6
    numeric = (changes_its_argument(State(1.0 + step, 2.0), 0.1) - value) / step
    assert slope.x == pytest.approx(numeric, rel=1e-4)
    with pytest.raises(UnsupportedError, match="'s' other items"):
        jit(changes_its_argument, jit=False)(state, 0.1)


def test_a_plain_object_as_an_argument():
    def f(p, x):
        return p.g(x) * p.a

    given = grad(f, jit=False)(PLAIN, 0.7)
    assert isinstance(given, Plain)
    assert given.n is None
    assert given.a == pytest.approx(2 * 3.0 * 0.49 + PLAIN.b)
    assert grad(f, 1, jit=False)(PLAIN, 0.7) == pytest.approx(2 * 3.0 * 3.0 * 0.7)
    changed = types.SimpleNamespace(a=1.0, b=np.ones(2))
    assert grad(lambda s: s.a * np.sum(s.b), jit=False)(changed).b.tolist() == [1.0, 1.0]


def test_a_jitclass_as_an_argument():
    given = grad(takes_jitclass, jit=False)(JITTED, 0.5)
    assert given.a == pytest.approx(2 * 2.0 * 0.5 + 3.0)
    assert given.v.tolist() == [2.0, 2.0]
    assert grad(takes_jitclass, 1)(JITTED, 0.5) == 4.0
    JITTED.a = 3.0
    assert grad(of_jitclass, jit=False)(0.5) == pytest.approx(2 * 3.0 * 0.5 + 3.0 + 6.0 + 3.0 + 1.0)
    JITTED.a = 2.0


def test_a_method_of_an_object():
    assert grad(PLAIN.g, jit=False)(0.7) == pytest.approx(2 * 3.0 * 0.7)
    assert grad(DERIVED.g, jit=False)(0.7) == pytest.approx(2 * 2.0 * 0.7)
    assert grad(PARTICLE, jit=False)(0.7) == 2.0


def test_results():
    ours, theirs = jit(makes_objects, jit=False)(0.5), makes_objects(0.5)
    assert ours == theirs
    assert type(ours["p"]) is Pair


def test_a_changed_field_of_a_captured_object(monkeypatch):
    slope = grad(captured, jit=False)
    before = slope(0.5)
    monkeypatch.setattr(STATE, "x", 11.5)
    assert slope(0.5) == pytest.approx(before + 10.0)


def test_replaced_methods(monkeypatch):
    slope = grad(plain, jit=False)
    before = slope(0.5)
    monkeypatch.setattr(Plain, "scaled", staticmethod(lambda x: x))
    monkeypatch.setattr(Plain, "g", lambda self, x: 0.0)
    assert slope(0.5) != before
    monkeypatch.undo()
    assert slope(0.5) == before


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (changes_captured, "an attribute is assigned to, of a Plain from outside"),
        (chosen_and_changed, "changed inside a branch or loop|may be one of several"),
        (lambda x: merged_and_read(x, int(5.0 * x)), "may be one of several|changed inside"),
        (lambda x: setattr(PARTICLE, "m", x), "setattr has no rule"),
    ],
)
def test_refused(f, message):
    with pytest.raises(Error, match=message):
        grad(f, jit=False)(0.7)


def test_objects_change_places_in_a_loop_that_is_unrolled():
    confirm(lambda x: merged_and_read(x, 3), 0.7)


def frozen_field(x):
    p = Particle(x, V)
    p.m = 2.0
    return p.m


def test_a_frozen_field_is_refused():
    with pytest.raises(Error, match="a field of a Particle cannot be assigned to"):
        grad(frozen_field, jit=False)(0.7)


def test_jitted():
    confirm(stepped_at_run_time, 0.7, 5, jitted=True)
    confirm(list_of_objects, 0.7, jitted=True)
    confirm(makes_jitclass, 0.7, jitted=True, order=1)
