"""Errors that point at the user's line and say what to write instead."""

from __future__ import annotations

import linecache
from contextlib import ContextDecorator


class Error(Exception):
    """Base of everything srcgrad refuses.

    Parameters
    ----------
    message : str
        What was found.
    hint : str
        What to write instead.
    file : str, optional
    line : int, optional
        The user's line, from 1.
    column, end_column : int, optional
        The part of the line meant, from 0.

    Attributes
    ----------
    message, hint, file, line, column, end_column
    raised
        The exception that Python is sure to raise there, if it is: a handler in the program would catch it.
    changes_type
        Whether a number or array gets another type, which the first iteration of a loop may do, lowered by itself.
    in_a_block
        Whether a branch or loop around may not have reached it.
    of_none
        Whether a number is needed where there is None: in a branch or loop this is raised only if it is reached.
    """

    raised: type[Exception] | None = None
    changes_type: bool = False
    in_a_block: bool = False
    of_none: bool = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        end_column: int | None = None,
    ) -> None:
        self.message = message
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column
        self.end_column = end_column
        super().__init__(message)

    def __str__(self) -> str:
        text = self.message
        if self.hint:
            text += f"\n    {self.hint}"
        if self.file is None or self.line is None:
            return text
        return f"{text}\n{excerpt(self.file, self.line, self.column, self.end_column)}"


def excerpt(file: str, line: int, column: int | None, end_column: int | None) -> str:
    """The user's line with a caret under the part meant."""
    text = linecache.getline(file, line).rstrip("\n")
    shown = text.lstrip()
    head = f'  File "{file}", line {line}'
    if not shown:
        return head
    if column is None:
        return f"{head}\n    {shown}"
    start = max(column - (len(text) - len(shown)), 0)
    end = max((end_column or column + 1) - (len(text) - len(shown)), start + 1)
    caret = " " * start + "^" * (min(end, len(shown)) - start)
    return f"{head}\n    {shown}\n    {caret}"


class UnsupportedSyntaxError(Error, SyntaxError):
    """A construct that is outside the language."""


class UnsupportedError(Error, NotImplementedError):
    """A function, or a use of one, for which there is no rule."""


class ArgumentTypeError(Error, TypeError):
    """A value of a type that the operation does not take."""


class ShapeError(Error, ValueError):
    """Shapes that do not fit, known before the program runs."""


class UnboundError(Error, UnboundLocalError):
    """A name that may be used before it has a value."""


class SourceError(Error, OSError):
    """A function whose source text cannot be found."""


class AtTheCall(ContextDecorator):
    """With or under this, a refusal shows the user's call and nothing of how srcgrad came to refuse."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if isinstance(error, Error):
            error.__traceback__ = None


class InternalError(Error, RuntimeError):
    """A fault of srcgrad's own that shows only in generated code: to be reported."""
