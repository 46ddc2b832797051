"""The arguments of a ``print``: text and numbers by turns, as Numba takes them, without formats."""

from __future__ import annotations

import string
from collections.abc import Sequence


def shown(text: str, values: Sequence[str]) -> list[str]:
    """What stands between the parentheses; ``print`` itself puts a space between two of them.

    >>> shown("x = {0} after {1} steps", ["x", "k"])
    ["'x ='", 'x', "'after'", 'k', "'steps'"]
    """
    parts: list[str] = []
    for literal, name, _, _ in string.Formatter().parse(text):
        between = literal.removeprefix(" ") if parts else literal
        between = between.removesuffix(" ") if name is not None else between
        if between:
            parts.append(repr(between))
        if name is not None:
            parts.append(values[int(name)])
    return parts
