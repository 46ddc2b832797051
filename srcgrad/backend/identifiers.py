"""Identifiers: what is reserved, and the versions ``x``, ``x_1``, ``x_2`` of a variable."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator

SUFFIX = re.compile(r"_\d+$")
RESERVED = frozenset({*keyword.kwlist, *dir(builtins), "_", "math", "np", "njit"})


def base_of(name: str) -> str:
    """The variable that a name is a version of."""
    return SUFFIX.sub("", name)


def versions(name: str) -> Iterator[str]:
    yield name
    base, number = base_of(name), 1
    while True:
        yield f"{base}_{number}"
        number += 1
