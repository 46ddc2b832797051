"""Messages of generated checks with their values: Numba raises exceptions with what was known while compiling."""

from __future__ import annotations


def reword(error: Exception) -> None:
    """Put the values that a generated check raised with into its message."""
    if len(error.args) > 1 and isinstance(error.args[0], str):
        template, *values = error.args
        error.args = (template.format(*values),)
