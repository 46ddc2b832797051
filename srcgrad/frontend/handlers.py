"""Every module that adds rows to the registry; importing this one fills it."""

from srcgrad.frontend.arrays import attributes as array_attributes
from srcgrad.frontend.arrays import (
    contraction,
    creation,
    formulas,
    index_tricks,
    joining,
    reductions,
    selection,
    ufuncs,
    views,
)
from srcgrad.frontend.calls import builtin_functions, numba_gufuncs, numba_ufuncs, outer, stencils
from srcgrad.frontend.containers import comprehensions, methods
from srcgrad.frontend.control import iteration, loops
from srcgrad.frontend.nodes import assignment, attributes, calls, expressions, statements, subscripts
from srcgrad.frontend.numbers import functions

__all__ = [
    "array_attributes",
    "assignment",
    "attributes",
    "builtin_functions",
    "calls",
    "comprehensions",
    "contraction",
    "creation",
    "expressions",
    "formulas",
    "functions",
    "index_tricks",
    "iteration",
    "joining",
    "loops",
    "methods",
    "numba_gufuncs",
    "numba_ufuncs",
    "outer",
    "reductions",
    "selection",
    "statements",
    "stencils",
    "subscripts",
    "ufuncs",
    "views",
]
