"""Hooks: functions that are called with a gradient, until their handle takes them away."""

from __future__ import annotations

from typing import Any


class Handle:
    """Takes a hook away again."""

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self._hooks = hooks
        self._key = max(hooks, default=0) + 1
        hooks[self._key] = hook

    def remove(self) -> None:
        self._hooks.pop(self._key, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()
