"""Every refusal: its class, what was found, what to write instead, and the user's very line (marked ``# here``)."""

from __future__ import annotations

import ast
import linecache
import logging
import math
import statistics
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.special
import scipy.stats

import srcgrad
from srcgrad import (
    ArgumentTypeError,
    Error,
    ShapeError,
    SourceError,
    UnboundError,
    UnsupportedError,
    UnsupportedSyntaxError,
    grad,
    hessian,
    hvp,
    jacobian,
    jit,
    jvp,
    vjp,
)
from srcgrad.testing import check_grads


@dataclass(frozen=True)
class Refused:
    function: Callable[..., object]
    arguments: tuple[object, ...]
    error: type[Exception]
    found: str
    instead: str = ""


REFUSED: list[Refused] = []


def refused(*arguments: object, error: type[Exception], found: str, instead: str = "") -> Callable[..., object]:
    def add(function):
        REFUSED.append(Refused(function, arguments, error, found, instead))
        return function

    return add


# -- syntax ----------------------------------------------------------------------------------------------


@refused(1.0, error=UnsupportedSyntaxError, found="leaving the `finally` of a try", instead="Leave behind it")
def leaves_try(x):
    try:
        x = x * x
    finally:
        return 1.0 / x  # noqa: B012  # here


@refused(1.0, error=UnsupportedError, found="this context", instead="Only np.errstate")
def uses_with(x):
    with open("nothing"):  # here
        return x * x


@refused(1.0, error=UnsupportedError, found="returns a generator", instead="Return numbers")
def uses_yield(x):  # here
    yield x


@refused(1.0, error=UnsupportedSyntaxError, found="class inside a function", instead="module level")
def defines_class(x):
    class Local:  # here
        pass

    return x


@refused(1.0, error=UnsupportedError, found="del of a part of this", instead="new container")
def deletes(x):
    y = (x, 2.0)
    del y[0]  # here
    return x


@refused(1.0, error=UnsupportedSyntaxError, found="a pattern of a dict", instead="if and elif")
def matches(x):
    match {"a": x}:
        case {"a": y}:  # here
            return y
    return x * x


COUNT = 0


@refused(1.0, error=UnsupportedSyntaxError, found="the global 'COUNT' is assigned to", instead="Return the value")
def assigns_global(x):
    global COUNT
    COUNT = 1  # here
    return x


# -- functions without a rule ----------------------------------------------------------------------------


@refused(np.ones(4), error=UnsupportedError, found="np.spacing has no rule", instead="docs/language.md")
def calls_unknown_function(x):
    y = np.spacing(x)  # here
    return y[0]


@refused(1.0, error=UnsupportedError, found="has no rule", instead="Python function")
def calls_builtin(x):
    return hash(x) * x  # here


@refused(np.ones(3), error=ArgumentTypeError, found="math.erf() of an array", instead="scipy.special.erf,")
def calls_scalar_function(x):
    return np.sum(math.erf(x))  # here


@refused(np.ones(3), error=UnsupportedError, found="scipy.special.kolmogorov has no rule", instead="docs/arrays.md")
def calls_unknown_ufunc(x):
    return np.sum(scipy.special.kolmogorov(x))  # here


@refused(1.0, error=UnsupportedError, found="erf of a complex number", instead="Take z.real")
def calls_real_function(x):
    return scipy.special.erf(1j * x).real  # here


@refused(1.0, error=UnsupportedError, found="scipy.integrate.dblquad has no rule", instead="Python function")
def calls_function_of_scipy(x):
    return scipy.integrate.dblquad(np.exp, 0.0, x)[0]  # here


@refused(1.0, error=UnsupportedError, found="scipy.stats.rv_continuous.cdf has", instead="scipy.special, such as ndtr")
def calls_method_of_scipy(x):
    return scipy.stats.levy.cdf(x)  # here


@refused(np.ones(3), error=UnsupportedError, found="np.polynomial.laguerre.lagval has no rule", instead="")
def calls_function_of_numpy(x):
    return np.polynomial.laguerre.lagval(x[0], x)  # here


@refused(np.ones(3), error=UnsupportedError, found="scipy.linalg.qr has no rule", instead="Call np.linalg.qr,")
def calls_function_that_numpy_has(x):
    return scipy.linalg.qr(np.outer(x, x))[0]  # here


@refused(np.ones(3), error=UnsupportedError, found="statistics.fmean has no rule", instead="Python function")
def calls_standard_library(x):
    return statistics.fmean(x)  # here


@refused(1.0, error=UnsupportedError, found="logging.getLogger has no rule", instead="more or less often than once")
def makes_a_logger(x):
    logging.getLogger("calls")  # here
    return x


@refused(1.0, error=UnsupportedError, found="print() to a file", instead="return the value")
def prints_to_a_file(x):
    print(f"{x:.3f}", file=sys.stderr)  # here
    return x


@refused(1.0, error=UnsupportedError, found="np.random.gamma has no rule", instead="Draw outside")
def draws(x):
    return x * np.random.gamma(2.0)  # here


@refused(1.0, error=UnsupportedError, found="gamma has no rule", instead="Draw outside")
def draws_from_a_generator(x):
    return x * np.random.default_rng(0).gamma(2.0)  # here


@refused(np.ones(3), error=Error, found="'tofile'", instead="")
def calls_unknown_method(x):
    x.tofile("f")  # here
    return x[0]


@refused(1.0, error=Error, found="undefined_name", instead="")
def names_nothing(x):
    return x * undefined_name  # noqa: F821  # here


@refused(1.0, error=Error, found="numpy has no attribute 'no_such_thing'", instead="")
def names_no_attribute(x):
    return np.no_such_thing(x)  # here


# -- types -----------------------------------------------------------------------------------------------


@refused(1.0, error=Error, found="a number", instead="")
def indexes_number(x):
    return x[0]  # here


@refused(1.0, error=Error, found="called", instead="")
def calls_number(x):
    return x(1.0)  # here


@refused(np.ones(3), error=Error, found="index", instead="")
def indexes_with_float(x):
    return x[1.0]  # here


@refused(np.ones(3), error=Error, found="indices", instead="")
def too_many_indices(x):
    return x[0, 1]  # here


@refused(1.0, error=Error, found="str", instead="")
def adds_text(x):
    return x + "a"  # here


@refused(np.ones(3), error=UnsupportedError, found="or 0.0", instead="the same type on every path")
def changes_type(x):
    y = 0.0
    if x[0] > 0.5:  # here
        y = x
    return np.sum(y)


@refused(1.0, 2.0, error=Error, found="arguments", instead="")
def wrong_number_of_arguments(x, y):
    return indexes_number(x, y)  # here


# -- arrays ----------------------------------------------------------------------------------------------


@refused(np.ones(3), error=ShapeError, found="extents 2 and 3", instead="")
def static_shapes_differ(x):
    a = np.zeros(2)
    b = np.zeros(3)
    c = a + b  # here
    return c[0] + x[0]


@refused(np.ones(3), error=ArgumentTypeError, found="length is known only at run time", instead="np.empty(n)")
def makes_array_of_ranges(x):
    return x[0] * np.sum(np.array([range(int(x[0])), range(2)]))  # here


@refused(np.ones(3), error=ArgumentTypeError, found="* between a list and a number", instead="np.zeros(n)")
def scales_list(x):
    y = [x[0], x[1]] * 2.5  # here
    return y[0] * x[0]


@refused(1.0, error=ArgumentTypeError, found="math.exp() of a list", instead="np.exp")
def exponential_of_list(x):
    return math.exp([x, 2.0])  # here


@refused(1.0, error=ArgumentTypeError, found="complex numbers have no order", instead="abs(z)")
def larger_complex_number(x):
    return x if np.exp(1j * x) > 1j else 0.0  # here


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.function.__name__)
def test_refused(case: Refused) -> None:
    with pytest.raises(case.error) as caught:
        grad(case.function, jit=False)(*case.arguments)
    error = caught.value
    assert isinstance(error, Error)
    assert case.found in error.message
    assert case.instead in error.hint
    assert error.file == __file__
    assert linecache.getline(__file__, error.line).rstrip().endswith("# here"), str(error)
    assert f'File "{__file__}", line {error.line}' in str(error)


def test_every_refusal_has_a_python_class() -> None:
    """So that ``except TypeError`` and its kin work as users expect."""
    for error, base in (
        (UnsupportedSyntaxError, SyntaxError),
        (UnsupportedError, NotImplementedError),
        (ArgumentTypeError, TypeError),
        (ShapeError, ValueError),
        (UnboundError, UnboundLocalError),
        (SourceError, OSError),
    ):
        assert issubclass(error, Error)
        assert issubclass(error, base)


# -- sources ---------------------------------------------------------------------------------------------


def test_missing_source_says_how_to_register_it() -> None:
    namespace: dict[str, object] = {}
    exec("def f(x):\n    return x * x\n", namespace)
    with pytest.raises(SourceError, match=r"cannot be found[\s\S]*linecache"):
        grad(namespace["f"])(1.0)


def test_registered_source_works() -> None:
    text = "def f(x):\n    return x * x\n"
    linecache.cache["<made>"] = (len(text), None, text.splitlines(True), "<made>")
    namespace: dict[str, object] = {}
    exec(compile(text, "<made>", "exec"), namespace)
    assert grad(namespace["f"], jit=False)(3.0) == 6.0


def test_numba_dispatcher_whose_source_is_gone() -> None:
    namespace: dict[str, object] = {}
    exec("def f(x):\n    return x * x\n", namespace)
    with pytest.raises(SourceError):
        grad(numba.njit(namespace["f"]))(1.0)


def test_file_that_has_changed(tmp_path) -> None:
    path = tmp_path / "changing.py"
    path.write_text("def f(x):\n    return x * x\n")
    namespace: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    path.write_text("\n\ndef g(x):\n    return x\n")
    with pytest.raises(SourceError, match="changed"):
        grad(namespace["f"], jit=False)(1.0)


# -- what only shows at run time -------------------------------------------------------------------------


def unequal(x, y):
    return np.sum(x * y)


def pick(x, i):
    return x[i]


def maybe(x, c):
    if c:
        y = x * x
    return y


def positive(x):
    if x <= 0.0:
        raise ValueError("x must be positive")
    assert x < 10.0, "too large"
    return x * x


def helped(x):
    return 2.0 * calls_builtin(x)


def test_calls_that_lead_to_a_refusal_are_notes() -> None:
    with pytest.raises(UnsupportedError, match="hash has no rule") as caught:
        grad(helped, jit=False)(1.0)
    line = helped.__code__.co_firstlineno + 1
    assert caught.value.__notes__ == [f'called from File "{__file__}", line {line}']


def of_integer(x):
    return 3


def test_integer_result() -> None:
    with pytest.raises(ArgumentTypeError, match=r"int64[\s\S]*Return a float"):
        grad(of_integer, jit=False)(1.0)


@pytest.mark.parametrize("lone", [np.ones(3), 1.0], ids=["array", "number"])
def test_arguments_that_are_no_tuple(lone) -> None:
    """An array would otherwise be taken for one argument per row."""
    for call in (jvp, hvp, lambda f, x, _: check_grads(f, x)):
        with pytest.raises(ArgumentTypeError, match=r"not a tuple[\s\S]*\(x,\)"):
            call(positive, lone, lone)


def test_extents_are_named_as_the_operands_stand() -> None:
    for f in (unequal, lambda x, y: np.sum(np.zeros(2) * y), lambda x, y: np.sum(x * np.zeros(3))):
        with pytest.raises(ValueError, match="extents 2 and 3"):
            grad(f, jit=False)(np.ones(2), np.ones(3))


def test_reshape_with_an_unknown_extent() -> None:
    with pytest.raises(ValueError, match="of 4 elements cannot be reshaped to one of 5 times -1"):
        grad(lambda x: np.sum(x.reshape(5, -1)), jit=False)(np.ones(4))


@pytest.mark.parametrize("jitted", [True, False], ids=["jit", "plain"])
@pytest.mark.parametrize(
    ("f", "arguments", "error", "found"),
    [
        (unequal, (np.ones(2), np.ones(3)), ValueError, "extents"),
        (pick, (np.ones(2), 2), IndexError, "2"),
        (pick, (np.ones(2), -3), IndexError, "-3"),
        (maybe, (1.0, False), UnboundLocalError, "y"),
        (positive, (-1.0,), ValueError, "x must be positive"),
        (positive, (11.0,), AssertionError, "too large"),
    ],
)
def test_run_time_errors(f, arguments, error, found, jitted) -> None:
    for function in (grad(f, jit=jitted), jit(f, jit=jitted)):
        with pytest.raises(error, match=found):
            function(*arguments)


def test_numba_never_shows(monkeypatch) -> None:
    """A failure of Numba's on generated code is reported as a fault of ours, with the file."""
    from srcgrad.backend import numba_jit

    generate = numba_jit.generate

    def broken(function, options):
        made = generate(function, options)
        tree = ast.parse(made.text)
        tree.body[-1].body.insert(0, ast.parse("x = 'text' + 1").body[0])
        return numba_jit.Generated(ast.unparse(tree) + "\n# broken on purpose\n", made.entry, made.scalars)

    monkeypatch.setattr("srcgrad.api.program.generate", broken)
    for f in (lambda x: x * x, lambda x: (x * x, {"a": x})):
        with pytest.raises(srcgrad.InternalError, match=r"please report") as caught:
            grad(f, has_aux=f(1.0) != 1.0)(1.0)
        assert ".py" in caught.value.message


def test_read_only_arguments() -> None:
    """A copy is written to where the caller's array would not be; else the array has to be writeable."""

    def doubled(x):
        x[0] = 2.0 * x[0]
        return x[0] * x[1]

    x = np.array([1.0, 2.0])
    x.flags.writeable = False
    assert np.array_equal(grad(doubled, jit=False)(x), [4.0, 2.0])
    for function in (jit(doubled, jit=False), grad(doubled, jit=False, mutates=True)):
        with pytest.raises(srcgrad.ArgumentTypeError, match="'x', which is read-only"):
            function(x)


@pytest.mark.parametrize(
    "call",
    [
        lambda: grad(lambda x: 2.0 * x)(np.ones(2)),
        lambda: hessian(lambda x: 2.0 * x)(np.ones(2)),
        lambda: jacobian(lambda x: {"a": x})(np.ones(2)),
        lambda: jvp(lambda x: x, (np.ones(2),), (1.0,)),
        lambda: hvp(lambda x: 2.0 * x, (np.ones(2),), (np.ones(2),)),
        lambda: vjp(lambda x: x, np.ones(2))[1](1.0),
        lambda: grad(lambda x: np.summ(x))(np.ones(2)),
        lambda: grad(lambda x: np.summ(x)).backward_source(np.ones(2)),
        lambda: grad(lambda x: np.summ(x)).explain(np.ones(2)),
        lambda: grad(lambda x: x.sum())(np.ma.array([1.0, 2.0])),
    ],
)
def test_refusals_show_no_frames_of_ours(call) -> None:
    with pytest.raises(Error) as caught:
        call()
    files = {entry.filename for entry in traceback.extract_tb(caught.value.__traceback__)}
    assert files == {__file__}
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_misspelt_attribute() -> None:
    with pytest.raises(ArgumentTypeError, match="Did you mean 'sum'"):
        grad(lambda x: np.summ(x))(np.ones(2))
