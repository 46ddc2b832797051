"""`autograd.Function`: an operation whose gradient the user writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.tensors.forms import Form
from srcgrad.tensors.graph import Node, part_of
from srcgrad.tensors.modes import modes, no_grad
from srcgrad.tensors.tensor import Tensor, wrap


class FunctionContext:
    """What ``forward`` leaves for ``backward``.

    Attributes
    ----------
    saved_tensors : tuple of Tensor
        What ``forward`` gave to ``save_for_backward``.
    needs_input_grad : tuple of bool
        For each argument of ``apply``, whether its gradient is wanted.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Tensor | None, ...] = ()
        self._not_differentiable: tuple[Tensor, ...] = ()
        self._dirty: tuple[Tensor, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        self.saved_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """These results carry no derivative."""
        self._not_differentiable = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        raise RuntimeError("a Function here makes new tensors: return a clone instead of one that was written to")

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros, or None, for results that nobody used."""
        self._materialize = value


class Function:
    """An operation with a gradient of one's own: subclasses define ``forward`` and ``backward``.

    Examples
    --------
    >>> class Cube(srcgrad.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x**2 * grad_output
    >>> x = srcgrad.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Defined by a subclass whose ``forward`` takes no context."""

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """The result of ``forward``, with ``backward`` as its gradient."""
        ctx = FunctionContext(tuple(isinstance(a, Tensor) and a.requires_grad for a in args))
        with no_grad():
            if cls.setup_context is Function.setup_context:
                outputs = cls.forward(ctx, *args)
            else:
                outputs = cls.forward(*args)
                cls.setup_context(ctx, args, outputs)
        if not (modes.grad and any(ctx.needs_input_grad)):
            return outputs
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        made = _recorded(cls, ctx, args, several)
        return made if isinstance(outputs, tuple) else made[0]


def _recorded(
    cls: type[Function], ctx: FunctionContext, args: Sequence[Any], outputs: Sequence[Any]
) -> tuple[Any, ...]:
    """The results as tensors that remember how they were made."""
    positions = [k for k, a in enumerate(args) if isinstance(a, Tensor)]
    tensors = [o for o in outputs if isinstance(o, Tensor)]
    zeros = [(o.shape, o.dtype) for o in tensors]

    def backward(cotangents: Sequence[Tensor | None]) -> list[Tensor | None]:
        from srcgrad.tensors.creation import zeros as made_of_zeros

        given = [
            made_of_zeros(*shape, dtype=dtype) if c is None and ctx._materialize else c
            for c, (shape, dtype) in zip(cotangents, zeros, strict=True)
        ]
        found = cls.backward(ctx, *given)
        gradients = list(found) if isinstance(found, tuple) else [found]
        if len(gradients) < len(args):
            raise RuntimeError(
                f"function {cls.__name__}Backward returned an incorrect number of gradients (expected {len(args)}, got "
                f"{len(gradients)})"
            )
        return [_checked(cls, k, gradients[k], args[k]) for k in positions]

    node = Node(
        Form(cls.__name__, "", functions=(backward,), parts=len(tensors)),
        tuple(args[k].node for k in positions),
        tuple(t.node.shape for t in tensors),
        tuple(t.node.dtype for t in tensors),
    )
    node.value = tuple(t.array() for t in tensors)  # type: ignore[assignment]
    node.needs_grad = True
    parts = iter(range(len(tensors)))
    made = []
    for output in outputs:
        if not isinstance(output, Tensor):
            made.append(output)
            continue
        part = part_of(node, next(parts))
        plain = any(output is other for other in ctx._not_differentiable)
        made.append(output if plain else wrap(part))
    # What forward saved of its own results is those results, through which second derivatives go.
    renamed = {id(old): new for old, new in zip(outputs, made, strict=True)}
    ctx.saved_tensors = tuple(renamed.get(id(t), t) for t in ctx.saved_tensors)
    return tuple(made)


def _checked(cls: type[Function], k: int, gradient: Tensor | None, argument: Tensor) -> Tensor | None:
    if gradient is None or not argument.requires_grad:
        return None
    if gradient.shape != argument.shape:
        raise RuntimeError(
            f"Function {cls.__name__}Backward returned an invalid gradient at index {k} - got {list(gradient.shape)} "
            f"but expected shape compatible with {list(argument.shape)}"
        )
    return gradient.to(argument.dtype)  # type: ignore[no-any-return]  # a tensor
