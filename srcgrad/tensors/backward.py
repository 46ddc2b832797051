"""``backward`` and ``autograd.grad``: what is asked of a sweep, and where its gradients go."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.tensors.graph import Node
from srcgrad.tensors.operations.operands import as_tensor
from srcgrad.tensors.sweep import Gradients, Sweep, Wanted
from srcgrad.tensors.tensor import Tensor, wrap

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors,
    gradients: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: object = None,
) -> None:
    """Add the derivatives of tensors to ``.grad`` of the leaves; `autograd.backward` of PyTorch.

    Parameters
    ----------
    tensors : tensor or tensors
    gradients : tensor or tensors, optional
        With which their Jacobians are multiplied; needed for those of more than one element.
    retain_graph, create_graph, inputs
        As for `Tensor.backward`.
    """
    outputs = _several(tensors)
    cotangents = _cotangents(outputs, _given(gradients, len(outputs)))
    targets = None if inputs is None else _several(inputs)
    wanted = Wanted(everything=True) if targets is None else _wanted(targets)
    found = _swept(outputs, cotangents, wanted, retain_graph, create_graph)
    for leaf, gradient in found.leaves.values():
        accumulate(leaf, gradient, create_graph)
    for target in targets or ():
        if not target.is_leaf and target.node in found.nodes:
            accumulate(target, found.nodes[target.node], create_graph)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: object = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The derivatives of ``outputs`` with respect to ``inputs``; nothing is accumulated.

    Parameters
    ----------
    outputs, inputs : tensor or tensors
    grad_outputs : tensor or tensors, optional
        With which the Jacobians of the outputs are multiplied.
    retain_graph, create_graph
        As for `Tensor.backward`.
    allow_unused : bool
        Give None for inputs that the outputs do not depend on, which is otherwise a RuntimeError.
    materialize_grads : bool
        Give zeros for them.

    Returns
    -------
    tuple of Tensor
        One for each input.

    Examples
    --------
    >>> x = srcgrad.tensor(3.0, requires_grad=True)
    >>> (first,) = srcgrad.autograd.grad(x**3, x, create_graph=True)
    >>> srcgrad.autograd.grad(first, x)
    (tensor(18.),)
    """
    several, targets = _several(outputs), _several(inputs)
    for target in targets:
        if not target.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    cotangents = _cotangents(several, _given(grad_outputs, len(several)))
    found = _swept(several, cotangents, _wanted(targets), retain_graph, create_graph)
    gradients = [_of(found, target) for target in targets]
    if any(g is None for g in gradients) and not (allow_unused or materialize_grads):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
            "this is the desired behavior."
        )
    if materialize_grads:
        from srcgrad.tensors.creation import zeros_like

        return tuple(zeros_like(t) if g is None else g for t, g in zip(targets, gradients, strict=True))
    return tuple(gradients)


def accumulate(leaf: Tensor, gradient: Tensor, create_graph: bool) -> None:
    """Add to ``.grad``: in place, so that who holds it sees the sum, unless it is to be differentiated.

    The first time it is a tensor of its own: the same gradient may go to several leaves, or be the user's.
    """
    if leaf.grad is None:
        leaf.grad = wrap(gradient.node)
    elif create_graph or leaf.grad.requires_grad:
        leaf.grad = leaf.grad + gradient
    else:
        leaf.grad.set_value(leaf.grad.array() + gradient.array())


def _swept(
    outputs: Sequence[Tensor],
    cotangents: list[Tensor | None],
    wanted: Wanted,
    retain_graph: bool | None,
    create_graph: bool,
) -> Gradients:
    retain = create_graph if retain_graph is None else retain_graph
    return Sweep(wanted, create_graph).run([t.node for t in outputs], cotangents, retain)


def _wanted(targets: Sequence[Tensor]) -> Wanted:
    nodes: set[Node] = {t.node for t in targets if t.node.owner is None}
    return Wanted(nodes, [t.node.owner for t in targets if t.node.owner is not None])


def _of(found: Gradients, target: Tensor) -> Tensor | None:
    if target.node.owner is not None:
        known = found.leaves.get(id(target.node.owner))
        return None if known is None else known[1]
    return found.nodes.get(target.node)


def _cotangents(outputs: Sequence[Tensor], gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
    """One for each output, checked; None stands for the 1 of a number."""
    for k, (output, gradient) in enumerate(zip(outputs, gradients, strict=True)):
        if not output.requires_grad:
            raise RuntimeError(f"element {k} of tensors does not require grad and does not have a grad_fn")
        if gradient is None and output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if gradient is not None and gradient.shape != output.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{k}] has a shape of {gradient.shape} and output[{k}] has a shape of "
                f"{output.shape}."
            )
    return [None if g is None else g.to(o.dtype) for o, g in zip(outputs, gradients, strict=True)]


def _several(tensors: object) -> list[Tensor]:
    if isinstance(tensors, Tensor):
        return [tensors]
    assert isinstance(tensors, Sequence)
    return list(tensors)


def _given(gradients: object, count: int) -> list[Tensor | None]:
    if gradients is None:
        return [None] * count
    several = list(gradients) if isinstance(gradients, tuple | list) else [gradients]
    if len(several) != count:
        raise RuntimeError(f"got {count} tensors and {len(several)} gradients")
    return [g if g is None or isinstance(g, Tensor) else as_tensor(g) for g in several]
