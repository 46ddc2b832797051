"""Every module that adds rows to the registry; importing this one fills it."""

from srcgrad.frontend.arrays import attributes as array_attributes
from srcgrad.frontend.arrays import (
    contraction,
    creation,
    formulas,
    index_tricks,
    joining,
    parts,
    reductions,
    selection,
    stopped,
    ufuncs,
    views,
)
from srcgrad.frontend.calls import (
    builtin_functions,
    builtin_queries,
    c_functions,
    checkpoints,
    numba_gufuncs,
    numba_ufuncs,
    outer,
    ruled,
    stencils,
    vectorized,
)
from srcgrad.frontend.containers import comprehensions, methods, new_lists, sequences, typed
from srcgrad.frontend.control import consuming, iteration, loops
from srcgrad.frontend.nodes import assignment, attributes, calls, exceptions, expressions, statements, subscripts
from srcgrad.frontend.numbers import complex_functions, functions

__all__ = [
    "array_attributes",
    "assignment",
    "attributes",
    "builtin_functions",
    "builtin_queries",
    "c_functions",
    "calls",
    "checkpoints",
    "complex_functions",
    "comprehensions",
    "consuming",
    "contraction",
    "creation",
    "exceptions",
    "expressions",
    "formulas",
    "functions",
    "index_tricks",
    "iteration",
    "joining",
    "loops",
    "methods",
    "new_lists",
    "numba_gufuncs",
    "numba_ufuncs",
    "outer",
    "parts",
    "reductions",
    "ruled",
    "selection",
    "sequences",
    "statements",
    "stencils",
    "stopped",
    "subscripts",
    "typed",
    "ufuncs",
    "vectorized",
    "views",
]
