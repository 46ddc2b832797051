"""Names for the variables that rewriting adds to a function."""

from __future__ import annotations

import ast


class FreshNames:
    """Gives names that a function does not use, each once."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        self._taken |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}

    def __call__(self, name: str) -> str:
        """The name itself, or one like it."""
        candidates = (name if k == 0 else f"{name}_{k}" for k in range(len(self._taken) + 1))
        chosen = next(c for c in candidates if c not in self._taken)
        self._taken.add(chosen)
        return chosen
