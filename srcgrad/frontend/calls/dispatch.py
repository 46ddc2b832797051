"""Calls: who is called, and by which rule."""

from __future__ import annotations

import ast
import dataclasses
import functools
import types
from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np

from srcgrad.errors import ArgumentTypeError, Error, UnsupportedError
from srcgrad.frontend.arrays.delayed import expression
from srcgrad.frontend.arrays.ufuncs import into, only_where, target, with_dtype
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.boundary.places import Capture
from srcgrad.frontend.calls.constructors import construct
from srcgrad.frontend.calls.functions import call_closure, call_python
from srcgrad.frontend.calls.math_errors import checked
from srcgrad.frontend.calls.other_packages import LISTED, advice, element_by_element, is_of_other_package, spelled
from srcgrad.frontend.captures import from_python, record
from srcgrad.frontend.containers.as_arrays import as_expression
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.control.options import for_each_option, one_of_strings, with_and_without
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.effects import WRITING, before_later_writes
from srcgrad.frontend.nodes.operators import kind_of, number
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.conversions import converted_to
from srcgrad.frontend.registry import ARRAY_METHODS, FUNCTIONS, OBJECTS
from srcgrad.frontend.values import (
    Bound,
    Closure,
    FrontValue,
    MaybeNone,
    OneOf,
    ScalarValue,
    Static,
    TupleValue,
    is_array,
    is_list,
    is_number,
)
from srcgrad.ir.core import constant
from srcgrad.ir.types import F64, dtype_of
from srcgrad.primitives.library import LIBRARY
from srcgrad.primitives.scalar import FUNCTIONS as PRIMITIVES
from srcgrad.primitives.scalar import SCALARS

Arguments = Sequence[FrontValue]
Keywords = Mapping[str, FrontValue]

# What they say of None is as good an answer as any other.
OF_CLASSES = {isinstance, type, hasattr, callable, np.isscalar, bool}


@dataclasses.dataclass(frozen=True)
class Method:
    """A method of arrays or numbers, by name; its first argument is what it is called on."""

    name: str


def call(lowering: Lowering, function: FrontValue, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """The result of calling any value."""
    match function:
        case Bound():
            return call(
                lowering,
                function.function,
                [*function.arguments, *arguments],
                {**function.keywords, **keywords},
            )
        case Closure():
            return call_closure(lowering, function, arguments, keywords)
        case TupleValue(cls=cls) if isinstance(getattr(cls, "__call__", None), types.FunctionType):  # noqa: B004  # its source
            record(lowering, Capture("__call__", cls, "__call__"), cls.__call__)
            return call(lowering, Static(cls.__call__), [function, *arguments], keywords)
        case OneOf():
            held = [settle(lowering, a) for a in arguments]  # computed once, in front of the branch
            named = {k: settle(lowering, v) for k, v in keywords.items()}
            return for_each_option(lowering, function, lambda option: call(lowering, option, held, named))
        case Static(value=Method(name=name)):
            return call_method(lowering, name, arguments, keywords)
        case Static(value=value):
            return checked(lowering, value, arguments, call_object(lowering, value, arguments, keywords))
    lowering.refuse(None, f"{kind_of(function)} is called", error=ArgumentTypeError)


def call_object(lowering: Lowering, value: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """A call of a Python object: by its handler, as a primitive, through the library, or through its source."""
    known = _hashable(value)
    if known and value in OF_CLASSES and arguments and isinstance(arguments[0], MaybeNone):
        rest = arguments[1:]
        return with_and_without(
            lowering, arguments[0], lambda one: call_object(lowering, value, [one, *rest], keywords)
        )
    by_rule = python_function(value) is None or (known and (value in FUNCTIONS or value in LIBRARY))
    if by_rule and not _keeps(value, arguments):
        arguments = [lowering.given(a) for a in arguments]
        keywords = {name: lowering.given(a) for name, a in keywords.items()}
        chosen = one_of_strings((*arguments, *keywords.values()))
        if chosen is not None:
            return _for_each_string(lowering, chosen, value, arguments, keywords)
    of_arrays = isinstance(value, np.ufunc) or str(getattr(value, "__module__", "")).startswith("numpy")
    if known and (value in LIBRARY or of_arrays):
        read = _first_that_is_read(value)
        arguments = [*arguments[:read], *(as_expression(lowering, a) for a in arguments[read:])]
    if isinstance(value, np.ufunc):
        arguments = [elements(lowering, a) for a in arguments]
    if isinstance(value, np.ufunc) and {"where", "dtype"} & set(keywords):
        return _call_with_options(lowering, value, arguments, keywords)
    if known and "out" in keywords and (value in FUNCTIONS or value in PRIMITIVES or value in LIBRARY):
        others = {name: keyword for name, keyword in keywords.items() if name != "out"}
        return into(lowering, keywords["out"], call_object(lowering, value, arguments, others))
    if isinstance(value, np.ufunc) and value.nout == 1 and len(arguments) == value.nin + 1:
        return call_object(lowering, value, arguments[:-1], {**keywords, "out": arguments[-1]})
    if known and value in FUNCTIONS:
        return FUNCTIONS[value](lowering, tuple(arguments), keywords)
    if known and value in PRIMITIVES and not keywords and all(is_number(a) or is_array(a) for a in arguments):
        return call_primitive(lowering, value, arguments)
    if known and value in LIBRARY:
        return call_python(lowering, LIBRARY[value], arguments, keywords)
    rule = next((OBJECTS[cls] for cls in type(value).__mro__ if cls in OBJECTS), None)
    if rule is not None:
        return rule(lowering, value, tuple(arguments), keywords)
    function = python_function(value)
    if function is not None:
        return _call_source(lowering, function, arguments, keywords)
    if isinstance(value, types.MethodType):
        return call_object(lowering, value.__func__, [Static(value.__self__), *arguments], keywords)
    if isinstance(value, functools.partial):
        return _call_partial(lowering, value, arguments, keywords)
    made = construct(lowering, value, arguments, keywords) if isinstance(value, type) else None
    if made is not None:
        return made
    return _call_other(lowering, value, arguments, keywords)


def _for_each_string(
    lowering: Lowering, chosen: OneOf, function: object, arguments: Arguments, keywords: Keywords
) -> FrontValue:
    """A call that must know a string while compiling, for each of those that may be its argument."""
    held = [settle(lowering, a) for a in arguments]
    named = {name: settle(lowering, a) for name, a in keywords.items()}

    def with_option(option: FrontValue) -> FrontValue:
        given = [option if a is chosen else a for a in held]
        return call_object(lowering, function, given, {k: option if a is chosen else a for k, a in named.items()})

    return for_each_option(lowering, chosen, with_option)


def elements(lowering: Lowering, value: FrontValue) -> FrontValue:
    """What meets an array: of a list or tuple NumPy makes an array first."""
    is_sequence = isinstance(value, TupleValue) and issubclass(value.cls, tuple | list)
    return call_object(lowering, np.array, [value], {}) if is_sequence or is_list(value) else value


def _call_with_options(lowering: Lowering, ufunc: np.ufunc, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """A ufunc that computes in the ``dtype`` given, and of some elements only."""
    arguments = with_dtype(lowering, arguments, keywords.get("dtype", Static(None)))
    others = {name: v for name, v in keywords.items() if name not in ("where", "dtype", "out")}
    result = call_object(lowering, ufunc, arguments, others)
    out = target(lowering, keywords["out"]) if "out" in keywords else None
    result = only_where(lowering, keywords.get("where", Static(True)), out, result)
    return result if out is None else into(lowering, out, result)


def _call_source(
    lowering: Lowering, function: types.FunctionType, arguments: Arguments, keywords: Keywords
) -> FrontValue:
    """A call of a function of the user's own; one of another package is refused here, and not deep inside it."""
    if is_of_other_package(function):
        refuse_unknown(lowering, function)
    here = lowering.builder.location
    try:
        return call_python(lowering, function, arguments, keywords)
    except Error as refusal:
        if here is not None:
            refusal.add_note(f'called from File "{here.file}", line {here.line}')
        raise


def _first_that_is_read(value: object) -> int:
    """How many arguments come before: a function that writes to its first one is given that, be it a list."""
    if getattr(value, "__name__", "") not in WRITING:
        return 0
    return 2 if value is np.random.Generator.shuffle else 1  # behind ``self``


def _keeps(value: object, arguments: Arguments) -> bool:
    """Whether a call puts its arguments into a container, where None is as good as any other value."""
    if value is list.append:
        return isinstance(arguments[0], TupleValue)
    return isinstance(value, type) and value not in FUNCTIONS and not issubclass(value, np.generic)


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def call_primitive(lowering: Lowering, function: object, arguments: Arguments) -> FrontValue:
    """An elementary function: of numbers, or of every element of arrays."""
    primitive = PRIMITIVES[function]
    row = SCALARS[primitive]
    taken = row.template.count("{")
    if len(arguments) != taken:
        message = f"{spelled(function)}() takes {taken} arguments, got {len(arguments)}"
        lowering.refuse(None, message, error=ArgumentTypeError)
    of_math = getattr(function, "__module__", "") == "math"  # gives a Python number, whatever it is given
    if of_math and any(is_array(a) for a in arguments):
        hint = f"Use {element_by_element(function)}, which works element by element."
        lowering.refuse(None, f"{spelled(function)}() of an array", hint, ArgumentTypeError)
    if any(is_array(a) for a in arguments):
        return expression(lowering.builder, arguments, lambda builder, *xs: scalars.apply(builder, primitive, xs))
    folded = _folded(function, arguments)
    if folded is not None:
        return folded
    numbers = [number(lowering, a) for a in arguments]
    if of_math:
        converted = [converted_to(lowering, v, F64, weak=True) for v in numbers]
        return scalars.apply(lowering.builder, primitive, [number(lowering, v) for v in converted], weak=True)
    return scalars.apply(lowering.builder, primitive, numbers, weak=not isinstance(function, np.ufunc))


def _folded(function: object, arguments: Arguments) -> FrontValue | None:
    """The value of an elementary function of static numbers; None where it is not known or raises."""
    values = [a.value for a in arguments if isinstance(a, Static)]
    if len(values) < len(arguments):
        return None
    assert callable(function)
    with np.errstate(all="ignore"):
        try:
            result = function(*values)
        except (ArithmeticError, TypeError, ValueError):
            return None
    if isinstance(result, bool | int | float | complex) and not isinstance(result, np.generic):
        return Static(result)
    dtype = dtype_of(np.asarray(result).dtype)
    return None if dtype is None else ScalarValue(constant(np.asarray(result).item(), dtype))


def call_method(lowering: Lowering, name: str, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """A method of an array: by its handler, or as the NumPy function of that name."""
    if name in ARRAY_METHODS:
        return ARRAY_METHODS[name](lowering, tuple(arguments), keywords)
    function = getattr(np, name, None)
    if function in FUNCTIONS or function in LIBRARY or function in PRIMITIVES:
        return call_object(lowering, function, arguments, keywords)
    lowering.refuse(None, f"the array method {name!r} has no rule", LISTED)


def _call_partial(
    lowering: Lowering, function: functools.partial[object], arguments: Arguments, keywords: Keywords
) -> FrontValue:
    given = function.keywords
    fixed = [from_python(lowering, Capture("partial", function.args, k), a) for k, a in enumerate(function.args)]
    named = {k: from_python(lowering, Capture("partial", given, k), v) for k, v in given.items()}
    return call_object(lowering, function.func, [*fixed, *arguments], {**named, **keywords})


def _call_other(lowering: Lowering, value: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Methods of strings are evaluated now; objects may have a `__call__` in Python; all else is refused."""
    everything = [*arguments, *keywords.values()]
    if isinstance(getattr(value, "__self__", None), str) and all(isinstance(a, Static) for a in everything):
        assert callable(value)
        plain = [a.value for a in arguments if isinstance(a, Static)]
        return Static(value(*plain, **{k: v.value for k, v in keywords.items() if isinstance(v, Static)}))
    method = next((cls.__dict__["__call__"] for cls in type(value).__mro__ if "__call__" in cls.__dict__), None)
    if isinstance(method, types.FunctionType):
        return _call_source(lowering, method, [Static(value), *arguments], keywords)
    if not callable(value):
        lowering.refuse(None, f"{kind_of(Static(value))} is called", error=ArgumentTypeError)
    container = next((a for a in everything if isinstance(a, TupleValue)), None)
    if container is not None and _hashable(value) and value in PRIMITIVES:
        hint = f"Use {element_by_element(value)}, which works element by element."
        lowering.refuse(None, f"{spelled(value)}() of {kind_of(container)}", hint, ArgumentTypeError)
    refuse_unknown(lowering, value)


def refuse_unknown(lowering: Lowering, function: object) -> NoReturn:
    lowering.refuse(None, f"{spelled(function)} has no rule here", advice(function), UnsupportedError)


def matmul(lowering: Lowering, a: FrontValue, b: FrontValue) -> FrontValue:
    """``a @ b``."""
    return call_object(lowering, np.matmul, [a, b], {})


def evaluate_keywords(lowering: Lowering, nodes: Sequence[ast.keyword]) -> dict[str, FrontValue]:
    """The keyword arguments of a call, ``**`` of a dict unpacked."""
    keywords: dict[str, FrontValue] = {}
    for k, node in enumerate(nodes):
        later = [n.value for n in nodes[k + 1 :]]
        value = before_later_writes(lowering, lowering.evaluate_any(node.value), later)
        if node.arg is not None:
            keywords[node.arg] = value
            continue
        if not (isinstance(value, TupleValue) and value.cls is dict):
            lowering.refuse(node.value, "** takes a dict here", error=ArgumentTypeError)
        for key, item in zip(value.keys, value.items, strict=True):
            keywords[str(key)] = item
    return keywords
