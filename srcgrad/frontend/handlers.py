"""Every module that adds rows to the registry; importing this one fills it."""

from srcgrad.frontend import (
    assignment,
    attributes,
    builtin_functions,
    call_expressions,
    container_methods,
    expressions,
    iteration,
    loops,
    number_functions,
    statements,
    subscripts,
)

__all__ = [
    "assignment",
    "attributes",
    "builtin_functions",
    "call_expressions",
    "container_methods",
    "expressions",
    "iteration",
    "loops",
    "number_functions",
    "statements",
    "subscripts",
]
