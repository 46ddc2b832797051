"""Exceptions of the user's own: how a generated module names them, and imports them from where they are defined."""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.core import Function, walk


def exception_text(name: str) -> str:
    """What stands behind ``raise`` for the name that a ``check`` has.

    >>> exception_text("ValueError"), exception_text("np.linalg.LinAlgError"), exception_text("waves.errors.NoRoot")
    ('ValueError', 'np.linalg.LinAlgError', 'waves_errors_NoRoot')
    """
    return name.replace(".", "_") if _is_own(name) else name


def import_lines(names: Iterable[str]) -> str:
    """The lines that import these exceptions, as they are called in the module."""
    lines = []
    for name in sorted(set(names)):
        module, _, own = name.rpartition(".")
        lines.append(f"from {module} import {own} as {exception_text(name)}\n")
    return "".join(lines)


def own_exceptions(function: Function) -> set[str]:
    """The exceptions of the user's own that this function raises, by the names that its checks have."""
    checks = (op for op in walk(function.body) if op.primitive == "check")
    return {name for op in checks if _is_own(name := op.text("exception"))}


def _is_own(name: str) -> bool:
    return "." in name and not name.startswith("np.")
