"""What the public functions promise: arguments, structures, dtypes, effects, options, metadata."""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import math
import pickle
import warnings
from collections import namedtuple
from typing import NamedTuple

import numba
import numpy as np
import pytest
import scipy.special

import srcgrad
from srcgrad import ArgumentTypeError, ShapeError, check_grads, grad, jit, jvp, value_and_grad, vjp


def product(x, y=2.0):
    """The product."""
    return x * y


def energy(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += 0.5 * k * x[i] ** 2
    return total


@pytest.fixture(params=[True, False], ids=["jit", "plain"])
def jitted(request) -> bool:
    return request.param


# -- how it is called ------------------------------------------------------------------------------------


def test_call_forms(jitted) -> None:
    f = grad(product, jit=jitted)
    assert f(3.0, 4.0) == 4.0
    assert f(3.0) == 2.0
    assert f(3.0, y=5.0) == 5.0
    assert f(y=5.0, x=3.0) == 5.0
    assert grad(argnums=1, jit=jitted)(product)(3.0, 4.0) == 3.0


def test_as_decorator() -> None:
    @grad
    def cube(x):
        return x * x * x

    @grad(argnums=(0, 1))
    def area(x, y):
        return x * y

    assert cube(2.0) == 12.0
    assert area(2.0, 3.0) == (3.0, 2.0)
    assert cube.value_and_grad(2.0) == (8.0, 12.0)
    assert cube.primal(2.0) == 8.0


def test_wrong_call_is_told_in_pythons_words() -> None:
    with pytest.raises(TypeError, match=r"product\(\) missing 1 required positional argument: 'x'"):
        grad(product)()
    with pytest.raises(TypeError, match=r"product\(\) got an unexpected keyword argument 'z'"):
        grad(product)(1.0, z=2.0)


@pytest.mark.parametrize(
    ("argnums", "expected"),
    [(0, 4.0), (1, 3.0), (-1, 3.0), ((0,), (4.0,)), ((1, 0), (3.0, 4.0)), ([0, 1], (4.0, 3.0)), ((-2,), (4.0,))],
)
def test_argnums(argnums, expected) -> None:
    assert grad(product, argnums)(3.0, 4.0) == expected
    assert value_and_grad(product, argnums)(3.0, 4.0) == (12.0, expected)


@pytest.mark.parametrize("argnums", [2, -3, (0, 5), (0, 0), (0, -2)])
def test_argnums_out_of_range_or_twice(argnums) -> None:
    with pytest.raises(ArgumentTypeError, match="argnums"):
        grad(product, argnums)(3.0, 4.0)


@pytest.mark.parametrize("argnums", ["x", 1.0, (), (0.0,), None, True])
def test_argnums_of_a_wrong_type(argnums) -> None:
    with pytest.raises(ArgumentTypeError, match="argnums"):
        grad(product, argnums)


def test_unknown_option() -> None:
    with pytest.raises(ArgumentTypeError, match=r"no option 'fast'[\s\S]*fastmath"):
        grad(product, fast=True)


def test_wrong_call_of_a_lambda() -> None:
    with pytest.raises(TypeError, match=r"<lambda>\(\) missing 1 required positional argument: 'y'"):
        grad(lambda x, y: x * y)(1.0)


def test_metadata() -> None:
    f = grad(product)
    assert f.__name__ == "product"
    assert f.__doc__ == "The product."
    assert f.__wrapped__ is product
    assert f.function is product


# -- dtypes and shapes -----------------------------------------------------------------------------------


def test_scalar_types(jitted) -> None:
    f = grad(product, jit=jitted)
    assert type(f(3.0, 2.0)) is float
    assert type(f(np.float64(3.0), 2)) is float
    narrow = f(np.float32(3.0), np.float32(2.0))
    assert type(narrow) is np.float32
    assert narrow == 2.0
    assert f(3.0, 2) == 2.0  # an integer that is not differentiated
    assert f(3.0, True) == 1.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_array_dtypes(dtype, jitted) -> None:
    x = np.arange(3, dtype=dtype)
    g = grad(energy, jit=jitted)(x, 2.0)
    assert g.dtype == dtype
    np.testing.assert_array_equal(g, 2 * x)


def test_zero_dimensional_array(jitted) -> None:
    g = grad(lambda x: x[()] * x[()], jit=jitted)(np.array(3.0))
    assert isinstance(g, np.ndarray)
    assert g.shape == ()
    assert g == 6.0


@pytest.mark.parametrize("make", [np.asfortranarray, lambda x: np.repeat(x, 2, 0)[::2], lambda x: x[::-1, ::-1]])
def test_layouts(make, jitted) -> None:
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                s += x[i, j] ** 2
        return s

    x = make(np.arange(6.0).reshape(2, 3))
    x.flags.writeable = False
    np.testing.assert_array_equal(grad(total, jit=jitted)(x), 2 * x)


def test_unused_argument_gives_zeros(jitted) -> None:
    def first(x, y):
        return x * 2.0

    gx, gy = grad(first, argnums=(0, 1), jit=jitted)(1.0, np.ones((2, 3), np.float32))
    assert gx == 2.0
    assert gy.dtype == np.float32
    np.testing.assert_array_equal(gy, np.zeros((2, 3)))


def test_int_and_float_arguments_are_told_apart() -> None:
    f = grad(lambda x, n: x**n)
    assert f(3.0, 2) == 6.0
    assert f(3.0, 2.0) == pytest.approx(6.0)
    assert f(-3.0, 2) == -6.0


# -- pytrees ---------------------------------------------------------------------------------------------

Point = namedtuple("Point", "x y")


class Pair(NamedTuple):
    a: float
    b: np.ndarray


@dataclasses.dataclass(frozen=True)
class Model:
    w: np.ndarray
    bias: float
    steps: int = 3

    def __post_init__(self) -> None:
        assert self.w is not None


def test_dict(jitted) -> None:
    def f(p, x):
        return p["w"][0] * x + p["b"]

    g = grad(f, jit=jitted)({"w": np.ones(2), "b": 1.0, "n": 3, "name": "m"}, 5.0)
    np.testing.assert_array_equal(g.pop("w"), [5.0, 0.0])
    assert g == {"b": 1.0, "n": None, "name": None}


def test_named_tuple_and_list(jitted) -> None:
    def f(p, q):
        return p.x * p.y + q[0] * q[1][0]

    gp, gq = grad(f, argnums=(0, 1), jit=jitted)(Point(2.0, 3.0), [4.0, (5.0, None)])
    assert type(gp) is Point
    assert gp == Point(3.0, 2.0)
    assert gq == [5.0, (4.0, None)]


def test_dataclass(jitted) -> None:
    def f(m, x):
        return m.w[0] * x * m.steps + m.bias

    g = grad(f, jit=jitted)(Model(np.ones(2), 1.0), 5.0)
    assert type(g) is Model
    np.testing.assert_array_equal(g.w, [15.0, 0.0])
    assert (g.bias, g.steps) == (1.0, None)


def test_empty_containers(jitted) -> None:
    f = grad(lambda x, extra: x * x, jit=jitted)
    assert f(3.0, []) == 6.0
    assert f(3.0, {}) == 6.0
    assert f(3.0, ()) == 6.0


def test_constants_choose_the_program(jitted) -> None:
    def f(x, mode="square", scale=None):
        y = x * x if mode == "square" else x * x * x
        if scale is not None:
            y = y * scale
        return y

    g = grad(f, jit=jitted)
    assert g(3.0) == 6.0
    assert g(3.0, "cube") == 27.0
    assert g(3.0, mode="cube", scale=2.0) == 54.0
    assert g(3.0) == 6.0


def test_function_arguments(jitted) -> None:
    def apply(f, x):
        return f(x) * 2.0

    g = grad(apply, argnums=1, jit=jitted)
    assert g(lambda x: x * x, 3.0) == 12.0
    for k in (2.0, 5.0):
        assert g(lambda x: k * x, 3.0) == 2.0 * k  # noqa: B023  # the value now is what is meant


def test_variadic(jitted) -> None:
    def f(x, *rest, **options):
        total = x * options["scale"]
        for r in rest:
            total += r * r
        return total

    g = grad(f, argnums=(0, 2), jit=jitted)
    assert g(1.0, 2.0, 3.0, scale=4.0) == (4.0, 6.0)
    assert g(1.0, 2.0, 3.0, 5.0, scale=4.0) == (4.0, 6.0)


# -- auxiliary results -----------------------------------------------------------------------------------


def test_has_aux(jitted) -> None:
    def f(x):
        return x * x, {"twice": 2 * x, "n": 1}

    assert grad(f, has_aux=True, jit=jitted)(3.0) == (6.0, {"twice": 6.0, "n": 1})
    assert value_and_grad(f, has_aux=True, jit=jitted)(3.0) == ((9.0, {"twice": 6.0, "n": 1}), 6.0)


def test_has_aux_needs_a_pair() -> None:
    with pytest.raises(ArgumentTypeError, match=r"has_aux=True[\s\S]*Return \(loss, aux\)"):
        grad(product, has_aux=True)(1.0, 2.0)


# -- results that have no gradient -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "found"),
    [
        (lambda x: (x, x), "a tuple of 2"),
        (lambda x: np.array([x, x]), "an array of 1 dimensions and dtype float64"),
        (lambda x: None, "None"),
        (lambda x: x > 1.0, "a scalar of dtype bool"),
        (lambda x: x * 1j, "a scalar of dtype complex128"),
    ],
)
def test_result_must_be_one_real_number(f, found) -> None:
    with pytest.raises(ArgumentTypeError, match=r"jacobian|Return a float|holomorphic=True") as caught:
        grad(f)(2.0)
    assert found in str(caught.value)
    assert caught.value.line == f.__code__.co_firstlineno
    assert caught.value.file == __file__


@pytest.mark.parametrize("x", [3, True, np.arange(3), None, "a"])
def test_integer_argument_is_refused(x) -> None:
    with pytest.raises(TypeError, match="gradient with respect to 'x'"):
        grad(lambda x: 1.0)(x)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.array(["a"]), "dtype <U1"),
        (np.zeros(3, ">f8"), "dtype >f8"),
        (np.zeros(3, np.longdouble), "dtype"),
        (np.ma.masked_array([1.0]), "not a plain NumPy array"),
        ({(1, 2): 2.0}, r"the key \(1, 2\)"),
        ({"a": object()}, r"the argument 'x'\['a'\] is of type builtins.object"),
        (2**70, "does not fit in 64 bits"),
        (object(), "cannot compile"),
    ],
)
def test_values_that_have_no_type(value, found) -> None:
    with pytest.raises(ArgumentTypeError, match=f"the argument 'x'.*{found}" if "argument" not in found else found):
        grad(lambda x, y: y, argnums=1)(value, 1.0)


# -- effects ---------------------------------------------------------------------------------------------


def scale_in_place(x, c):
    for i in range(x.shape[0]):
        x[i] *= c
    return x[0] * x[1]


def test_derivative_leaves_arguments_untouched(jitted) -> None:
    x = np.array([2.0, 3.0])
    np.testing.assert_array_equal(grad(scale_in_place, jit=jitted)(x, 2.0), [12.0, 8.0])
    np.testing.assert_array_equal(x, [2.0, 3.0])


def test_primal_and_mutates_keep_effects(jitted) -> None:
    x = np.array([2.0, 3.0])
    assert jit(scale_in_place, jit=jitted)(x, 2.0) == 24.0
    np.testing.assert_array_equal(x, [4.0, 6.0])
    assert grad(scale_in_place, jit=jitted).primal(x, 0.5) == 6.0
    np.testing.assert_array_equal(x, [2.0, 3.0])
    np.testing.assert_array_equal(grad(scale_in_place, mutates=True, jit=jitted)(x, 2.0), [12.0, 8.0])
    np.testing.assert_array_equal(x, [4.0, 6.0])


def test_overlap_is_refused_only_where_one_is_written_to(jitted) -> None:
    def add_into(z, y):
        z[0] += y[0]
        return z[0] * y[0]

    def dot(x, y):
        return x[0] * y[0]

    a = np.array([2.0, 3.0, 4.0])
    assert grad(dot, jit=jitted)(a, a)[0] == 2.0
    for derivative in (grad(add_into, jit=jitted), jit(add_into, jit=jitted)):
        with pytest.raises(ArgumentTypeError, match=r"'z' and 'y' overlap[\s\S]*y.copy\(\)"):
            derivative(a, a)
        with pytest.raises(ArgumentTypeError, match="overlap"):
            derivative(a[:2], a[1:])
        derivative(a[::2], a[1::2])
        derivative(a, a.copy())


# -- what is found outside the function ------------------------------------------------------------------

FACTOR = 3.0
TABLE = np.array([1.0, 2.0])


def scaled(x):
    return FACTOR * x * x


def weighted(x):
    return TABLE[0] * x * TABLE[1]


def test_changed_global_gives_a_new_answer(jitted, monkeypatch) -> None:
    f = grad(scaled, jit=jitted)
    assert f(1.0) == 6.0
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert f(1.0) == 10.0
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert f(1.0) == 6.0


def test_global_array_is_read_afresh(jitted, monkeypatch) -> None:
    f = grad(weighted, jit=jitted)
    assert f(1.0) == 2.0
    TABLE[0] = 4.0
    try:
        assert f(1.0) == 8.0
    finally:
        TABLE[0] = 1.0
    monkeypatch.setitem(globals(), "TABLE", np.array([1.0, 7.0], np.float32))
    assert f(1.0) == 7.0


def test_changed_closure(jitted) -> None:
    k = 2.0

    def f(x):
        return k * x

    g = grad(f, jit=jitted)
    assert g(1.0) == 2.0
    k = 3.0
    assert g(1.0) == 3.0


def test_changed_helper(jitted, monkeypatch) -> None:
    f = grad(lambda x: product(x, 3.0), jit=jitted)
    assert f(1.0) == 3.0
    monkeypatch.setitem(globals(), "product", lambda x, y: x * y * y)
    assert f(1.0) == 9.0


# -- vjp and jvp -----------------------------------------------------------------------------------------


def spread(x, n):
    return {"sum": x[0] + x[1], "pair": (x[0] * x[1], n)}


def test_vjp_of_a_structure(jitted) -> None:
    x = np.array([2.0, 3.0])
    result, pullback = vjp(spread, x, 7, jit=jitted)
    assert result == {"sum": 5.0, "pair": (6.0, 7)}
    x[:] = 100.0  # the pullback keeps what it needs
    for _ in range(2):
        gx, gn = pullback({"sum": 1.0, "pair": (10.0, None)})
        np.testing.assert_array_equal(gx, [31.0, 21.0])
        assert gn is None


def test_vjp_of_an_array(jitted) -> None:
    def square(x):
        y = np.empty_like(x)
        for i in range(x.shape[0]):
            y[i] = x[i] * x[i]
        return y

    result, pullback = vjp(square, np.array([2.0, 3.0]), jit=jitted)
    np.testing.assert_array_equal(result, [4.0, 9.0])
    result[:] = 0.0
    np.testing.assert_array_equal(pullback(np.array([1.0, 10.0]))[0], [4.0, 60.0])
    with pytest.raises(ShapeError, match=r"shape \(3,\)"):
        pullback(np.ones(3))


def test_jvp(jitted) -> None:
    x = np.array([2.0, 3.0])
    result, tangent = jvp(spread, (x, 7), (np.array([1.0, 0.0]), None), jit=jitted)
    assert result == {"sum": 5.0, "pair": (6.0, 7)}
    assert tangent == {"sum": 1.0, "pair": (3.0, None)}


def test_jvp_needs_matching_tangents() -> None:
    with pytest.raises(ArgumentTypeError, match="2 primals and 1 tangents"):
        jvp(product, (1.0, 2.0), (1.0,))
    with pytest.raises(ShapeError, match=r"tangents\[0\]"):
        jvp(product, (1.0, 2.0), (np.ones(2), 1.0))
    with pytest.raises(ArgumentTypeError, match=r"tangents\[1\]"):
        jvp(product, (1.0, 2), (1.0, 1.0))


# -- looking inside --------------------------------------------------------------------------------------


def test_sources_are_programs() -> None:
    f = grad(energy)
    args = (np.arange(3.0), 2.0)
    for text in (f.backward_source(*args), f.backward_source(*args, level="compiled"), f.primal_source(*args)):
        compile(text, "generated", "exec")
    assert "x_bar" in f.backward_source(*args)
    assert "x_bar" not in f.primal_source(*args)


def test_ir_after_a_step() -> None:
    f = grad(product)
    assert f.ir(1.0, 2.0, after="lower").startswith("def product(x: f64, y: f64):")
    with pytest.raises(ValueError, match="lower, "):
        f.ir(1.0, 2.0, after="nothing")


# -- pickling, copying, Numba's dispatchers --------------------------------------------------------------


@grad
def decorated(x):
    return x * x


@pytest.mark.parametrize("make", [lambda: grad(product), lambda: decorated, lambda: decorated.value_and_grad])
def test_pickle(make) -> None:
    f = make()
    again = pickle.loads(pickle.dumps(f))
    assert again(3.0) == f(3.0)
    assert copy.deepcopy(f)(3.0) == f(3.0)


def test_decorated_object_pickles_by_name() -> None:
    assert pickle.loads(pickle.dumps(decorated)) is decorated


def test_numba_dispatcher() -> None:
    assert grad(numba.njit(energy))(np.arange(3.0), 2.0)[2] == 4.0


def test_what_is_not_a_function() -> None:
    with pytest.raises(ArgumentTypeError, match="not a Python function"):
        grad(3.0)


def test_check_grads_finds_a_wrong_derivative(monkeypatch) -> None:
    check_grads(energy, (np.arange(1.0, 4.0), 2.0))
    check_grads(product, (np.float32(2.0), np.float32(3.0)))
    import srcgrad.testing

    monkeypatch.setattr(srcgrad.testing, "jvp", lambda f, x, v, **options: (0.0, 1e3))
    with pytest.raises(AssertionError, match=r"Forward mode of energy\(\)"):
        check_grads(energy, (np.arange(1.0, 4.0), 2.0))


def test_check_grads_shows_what_is_farthest_apart() -> None:
    @srcgrad.custom_jvp
    def wrong(x):
        return x * x

    wrong.defjvp(lambda primals, tangents: (primals[0] ** 2, 3.0 * primals[0] * tangents[0]))
    with pytest.raises(AssertionError, match=r"in 100 of 100 numbers, most in those at \[") as failure:
        check_grads(lambda x: wrong(x), (np.arange(1.0, 101.0),), modes=("fwd",), jit=False)
    assert len(str(failure.value)) < 600


def test_check_grads_of_a_function_that_stores_real_numbers() -> None:
    def stores(x):
        out = np.zeros(2)
        out[0] = x * x
        return out

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_grads(stores, (3.0,), jit=False)


def test_representations() -> None:
    assert repr(grad(product)) == "<grad of product>"
    assert repr(value_and_grad(product)) == "<value_and_grad of product>"
    assert repr(jit(product)) == "<jit of product>"


def test_functions_of_scipy_themselves() -> None:
    x = np.array([0.5, 1.5])
    np.testing.assert_allclose(grad(scipy.special.logsumexp, jit=False)(x), scipy.special.softmax(x))


def test_version() -> None:
    assert srcgrad.__version__


def test_constant_function(jitted) -> None:
    assert value_and_grad(lambda x: 3.0, jit=jitted)(2.0) == (3.0, 0.0)
    assert jit(lambda x: (3, x), jit=jitted)(2.0) == (3, 2.0)
    result, pullback = vjp(lambda x: (3.0, x), 2.0, jit=jitted)
    assert (result, pullback((5.0, 7.0))) == ((3.0, 2.0), (7.0,))


def stored(x, n):
    for _ in range(n):
        x = np.sin(x) * x
    return x


def test_explain_says_what_is_kept() -> None:
    text = grad(stored).explain(2.0, 5)
    assert "x " in text
    assert "8 * n" in text
    line = stored.__code__.co_firstlineno + 2
    assert f"test_api.py:{line}" in text
    text = grad(scale_in_place).explain(np.ones(2), 2.0)
    assert "'x' is copied" in text


class Box(NamedTuple):
    k: float

    def energy(self, x):
        return self.k * x * x

    @property
    def double(self):
        return 2.0 * self.k


def test_replaced_method(jitted, monkeypatch) -> None:
    f = grad(lambda box, x: box.energy(x) + box.double * x, argnums=1, jit=jitted)
    assert f(Box(2.0), 1.0) == 8.0
    monkeypatch.setattr(Box, "energy", lambda self, x: self.k * x)
    assert f(Box(2.0), 1.0) == 6.0
    monkeypatch.setattr(Box, "double", property(lambda self: 5.0 * self.k))
    assert f(Box(2.0), 1.0) == 12.0


class Spring:
    def __init__(self, k: float) -> None:
        self.k = k

    def energy(self, x):
        return self.k * x * x


@dataclasses.dataclass
class Well:
    depth: float

    @grad
    def force(self, x):
        return self.depth * x * x


def test_things_that_can_be_called() -> None:
    spring = Spring(3.0)
    f = grad(spring.energy, jit=False)
    assert f(2.0) == 12.0
    spring.k = 5.0
    assert f(2.0) == 20.0
    assert grad(functools.partial(product, y=3.0), jit=False)(2.0) == 3.0
    assert grad(functools.partial(product, 3.0), jit=False)(2.0) == 3.0
    assert grad(np.sin, jit=False)(0.0) == 1.0
    assert grad(math.exp, jit=False)(0.0) == 1.0
    np.testing.assert_array_equal(grad(np.sum, jit=False)(np.ones(3)), np.ones(3))
    assert Well(2.0).force(3.0) == Well(9.0)


def test_the_wrapper_of_a_decorator_is_differentiated() -> None:
    def doubled(f):
        @functools.wraps(f)
        def wrapper(*args):
            return 2.0 * f(*args)

        return wrapper

    @doubled
    def product(x, y):
        return x * y

    assert grad(product, argnums=(0, 1), jit=False)(3.0, 5.0) == (10.0, 6.0)


def test_members_of_an_int_enum_are_numbers() -> None:
    class Scheme(enum.IntEnum):
        EULER = 1
        HEUN = 2

    def step(x, scheme):
        return x * scheme if scheme == Scheme.EULER else x**scheme * scheme.value

    assert [grad(step, jit=False)(3.0, scheme) for scheme in Scheme] == [1.0, 12.0]
