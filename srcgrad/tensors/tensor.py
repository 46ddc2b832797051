"""The tensor: a name for a node of the recorded expression, with PyTorch's attributes.

An in-place update lets the tensor point to another node; a view knows what it looks into, and a write to one is a
write to the other. The arithmetic is put on the class by the modules of `srcgrad.tensors.operations`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.attributes import Device, GradFn, Size
from srcgrad.tensors.evaluate import value_of
from srcgrad.tensors.graph import Node, Value, given
from srcgrad.tensors.hooks import Handle
from srcgrad.tensors.modes import modes, no_grad
from srcgrad.tensors.views import View, detaching

Hook = Callable[["Tensor"], "Tensor | None"]
Number = bool | int | float


class Cell:
    """What tensors that share memory have in common: the present node, and how often it was replaced."""

    __slots__ = ("node", "version")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.version = 0


class Tensor:
    """An array whose operations are recorded; see `srcgrad.tensor`.

    Attributes
    ----------
    grad : Tensor or None
        The accumulated gradient of a leaf.
    requires_grad : bool
    is_leaf : bool
    """

    _cell: Cell
    _base: Tensor | None = None
    _step: View | None = None
    _seen: int = -1
    _view_node: Node | None = None
    _grad: Tensor | None = None
    _hooks: dict[int, Hook] | None = None

    def __init__(self, data: object = ()) -> None:
        array = np.array(data.numpy() if isinstance(data, Tensor) else data, dtypes.default_dtype())
        self._cell = Cell(given(array))

    if TYPE_CHECKING:
        # The operations are registered by name, one table for methods and functions.
        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, key: Any) -> Tensor: ...
        def __setitem__(self, key: Any, value: Any) -> None: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __neg__(self) -> Tensor: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...

    # -- the node -----------------------------------------------------------------------------------------

    @property
    def node(self) -> Node:
        """What the tensor is now."""
        if self._base is None:
            return self._cell.node
        if self._seen != self._cell.version:
            assert self._step is not None
            self._view_node = self._step.read(self._base.node)
            self._seen = self._cell.version
        assert self._view_node is not None
        return self._view_node

    def view_as_step(self, step: View) -> Tensor:
        """A tensor that looks into this one."""
        made = Tensor.__new__(Tensor)
        made._cell = self._cell
        made._base = self
        made._step = step
        node = made.node
        if node.value is None:
            node.holder = weakref.ref(made)
        return made

    def become(self, node: Node) -> Tensor:
        """The tensor after an in-place update: from now on it is ``node``."""
        if self._is_detached():
            with no_grad():
                self._replace(node)
            return self
        root = self._root()
        if root.is_leaf and root.requires_grad and modes.grad:
            view = "" if self._base is None else "view of a "
            raise RuntimeError(f"a {view}leaf Variable that requires grad is being used in an in-place operation.")
        self._replace(node)
        return self

    def _is_detached(self) -> bool:
        """Whether this looks into another tensor as constant to derivatives."""
        return self._base is not None and (
            (self._step is not None and self._step.detaches) or self._base._is_detached()
        )

    def _root(self) -> Tensor:
        root = self
        while root._base is not None:
            root = root._base
        return root

    def _replace(self, node: Node) -> None:
        if self._base is not None:
            assert self._step is not None
            self._base._replace(self._step.write(self._base.node, node))
            return
        before = self._cell.node
        if before.owner is not None and not modes.grad:
            node = given(value_of(node), before.owner)
        elif before.needs_grad and not modes.grad:
            raise RuntimeError(
                "a tensor that has a grad_fn is modified in place under no_grad, which would change its value and "
                "not its gradient. Use .detach().clone() and modify that."
            )
        if node.value is None:
            node.holder = weakref.ref(self)
        self._cell.node = node
        self._cell.version += 1

    def set_value(self, value: Value) -> None:
        """Another array in the same place, without a record: for optimizers and initialisation."""
        node = self.node
        if self._base is not None:
            with no_grad():
                self._replace(given(value))
            return
        self._cell.node = given(value, node.owner)
        self._cell.version += 1

    # -- attributes ---------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        return Size(self.node.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the extent of one axis."""
        return self.shape if dim is None else self.node.shape[dim]

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.NUMPY[self.node.dtype]

    @property
    def device(self) -> Device:
        return Device()

    @property
    def ndim(self) -> int:
        return len(self.node.shape)

    def dim(self) -> int:
        return len(self.node.shape)

    def numel(self) -> int:
        return self.shape.numel()

    nelement = numel

    def element_size(self) -> int:
        return self.dtype.itemsize

    def is_floating_point(self) -> bool:
        return bool(self.node.dtype.kind == "f")

    def is_contiguous(self) -> bool:
        return True

    @property
    def is_leaf(self) -> bool:
        node = self.node
        return not node.needs_grad or node.owner is not None

    @property
    def grad_fn(self) -> GradFn | None:
        """What made the tensor, if it carries a derivative and is no leaf."""
        return None if self.is_leaf else GradFn(self.node)

    @property
    def _version(self) -> int:
        return self._cell.version

    @property
    def requires_grad(self) -> bool:
        return self.node.needs_grad

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Make this a leaf that wants a gradient, or one that wants none."""
        node = self.node
        if not self.is_leaf:
            if requires_grad:
                return self
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        if requires_grad and node.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if requires_grad != node.needs_grad:
            leaf_node = given(value_of(node), self if requires_grad else None)
            if self._base is None:
                self._cell.node = leaf_node
                self._cell.version += 1
            else:
                self._base = None  # a leaf stands for itself
                self._cell = Cell(leaf_node)
        return self

    @property
    def grad(self) -> Tensor | None:
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value)}")
            if value.shape != self.shape:
                raise RuntimeError(
                    f"assigned grad has data of a different size: {list(value.shape)}, not {list(self.shape)}"
                )
        self._grad = value

    @property
    def data(self) -> Tensor:
        """The same memory without a derivative."""
        return self.detach()

    @data.setter
    def data(self, value: Tensor) -> None:
        array = value_of(value.node)
        if self._base is None and array.dtype == self.node.dtype:
            self._cell.node = given(array, self.node.owner)
            self._cell.version += 1
            return
        self.set_value(np.asarray(array, self.node.dtype))

    # -- values -------------------------------------------------------------------------------------------

    def numpy(self, force: bool = False) -> Value:
        """The value as an array, read-only: what is written there would not reach the tensor."""
        if self.requires_grad and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        view = value_of(self.node).view()
        view.flags.writeable = False
        return view

    def array(self) -> Value:
        """The value for use inside srcgrad; not to be written to."""
        return value_of(self.node)

    def item(self) -> Any:
        """The only element, as a Python number."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return value_of(self.node).reshape(-1)[0].item()

    def tolist(self) -> Any:
        return value_of(self.node).tolist()

    def detach(self) -> Tensor:
        """The same values and memory, without a derivative."""
        return self.view_as_step(detaching())

    def detach_(self) -> Tensor:
        """Forget how this tensor was made."""
        if not self.is_leaf:
            self._base = None
            self._cell = Cell(given(value_of(self.node)))
        return self

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError(
                f"Boolean value of Tensor with {'more than one value' if self.numel() else 'no values'} is ambiguous"
            )
        return bool(self.item())

    def _only(self) -> Any:
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __float__(self) -> float:
        return float(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def __index__(self) -> int:
        if self.node.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __len__(self) -> int:
        if not self.node.shape:
            raise TypeError("len() of a 0-d tensor")
        return int(self.node.shape[0])

    __hash__ = object.__hash__  # comparison is elementwise

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if not self.node.shape else format(str(self), spec)

    def __repr__(self) -> str:
        from srcgrad.tensors.printing import text_of

        return text_of(self)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Value:
        array = self.numpy()
        return array if dtype is None and not copy else np.array(array, dtype)  # type: ignore[call-overload]  # NumPy's object

    def __deepcopy__(self, memo: dict[int, object]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user support the deepcopy protocol at the moment."
            )
        made = type(self).__new__(type(self))
        made.__dict__.update({k: v for k, v in self.__dict__.items() if not k.startswith("_")})
        made._cell = Cell(given(value_of(self.node).copy(), made if self.requires_grad else None))
        made._grad = None if self._grad is None else wrap(given(self._grad.array().copy()))
        memo[id(self)] = made
        return made

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return restored, (type(self), value_of(self.node), self.requires_grad)

    # -- backward -----------------------------------------------------------------------------------------

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: object = None,
    ) -> None:
        """Add the derivatives of this tensor to ``.grad`` of the leaves it was computed from.

        Parameters
        ----------
        gradient : Tensor, optional
            Of this tensor's shape, with which its Jacobian is multiplied; needed unless it has one element.
        retain_graph : bool, optional
            Allow another backward pass through the same expression; by default as ``create_graph``.
        create_graph : bool
            Record the gradients themselves, so that they can be differentiated.
        inputs : tensor or tensors, optional
            The only ones to accumulate into.

        Examples
        --------
        >>> x = srcgrad.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
        """
        from srcgrad.tensors.backward import backward

        backward(self, gradient, retain_graph, create_graph, inputs)

    def backward_source(self, level: str = "readable") -> str:
        """The generated adjoint of this number with respect to the leaves it was computed from."""
        from srcgrad.tensors.source import backward_source

        return backward_source(self, level)

    def retain_grad(self) -> None:
        """Let a backward pass set ``.grad`` of this tensor too, though it is no leaf."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if not self.is_leaf:
            self.node.retained = self

    @property
    def retains_grad(self) -> bool:
        return not self.is_leaf and self.node.retained is self

    def register_hook(self, hook: Hook) -> Handle:
        """Call ``hook`` with the gradient of this tensor, in a backward pass; what it returns replaces that."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.is_leaf:
            self._hooks = hooks = self._hooks if self._hooks is not None else {}
        else:
            self.node.hooks = hooks = self.node.hooks if self.node.hooks is not None else {}
        return Handle(hooks, hook)


def wrap(node: Node) -> Tensor:
    """A tensor for a node."""
    made = Tensor.__new__(Tensor)
    made._cell = Cell(node)
    if node.value is None:
        node.holder = weakref.ref(made)
    return made


def restored(cls: type[Tensor], value: Value, requires_grad: bool) -> Tensor:
    """A tensor from what pickle kept."""
    made = cls.__new__(cls)
    made._cell = Cell(given(value, made if requires_grad else None))
    return made


def leaf(value: Value, requires_grad: bool = False) -> Tensor:
    """A tensor for an array that nobody else writes to."""
    made = wrap(given(value))
    return made.requires_grad_() if requires_grad else made
