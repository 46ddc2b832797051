"""Every module that adds rows to the registry; importing this one fills it."""

from srcgrad.frontend import attributes, call_expressions, expressions

__all__ = ["attributes", "call_expressions", "expressions"]
