"""The layers and losses as functions: `torch.nn.functional`."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tensors import random
from srcgrad.tensors.forms import form
from srcgrad.tensors.formulas import elementwise, layers, products
from srcgrad.tensors.graph import given, record
from srcgrad.tensors.operations.operands import apply, broadcast, common, number_node
from srcgrad.tensors.operations.registry import FUNCTIONS
from srcgrad.tensors.tensor import Tensor, wrap

relu, sigmoid, tanh = FUNCTIONS["relu"], FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]
softmax, log_softmax = FUNCTIONS["softmax"], FUNCTIONS["log_softmax"]


Pair = tuple[int, int]


def _pair(value: Any) -> tuple[int, int]:
    return (int(value), int(value)) if isinstance(value, int) else (int(value[0]), int(value[1]))


def _of(name: str, function: Any, input: Tensor, *numbers: float) -> Tensor:
    """An elementwise function with numbers that are arguments."""
    places = "".join(f", {{{k + 1}}}" for k in range(len(numbers)))
    nodes = [number_node(number, input.node.dtype) for number in numbers]
    return apply(name, f"{{f0}}({{0}}{places})", input.node, *nodes, functions=(function,))


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return _of("LeakyRelu", elementwise.leaky_relu, input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0) -> Tensor:
    return _of("Elu", elementwise.elu, input, alpha)


def softplus(input: Tensor) -> Tensor:
    return _of("Softplus", elementwise.softplus, input)


def gelu(input: Tensor) -> Tensor:
    return _of("Gelu", layers.gelu, input)


def silu(input: Tensor) -> Tensor:
    return input * sigmoid(input)  # type: ignore[no-any-return]  # a tensor


def logsigmoid(input: Tensor) -> Tensor:
    return -softplus(-input)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``."""
    nodes, _ = common(input, weight) if bias is None else common(input, weight, bias)
    if nodes[0].shape[-1] != nodes[1].shape[1]:
        rows = int(np.prod(nodes[0].shape[:-1], dtype=np.int64))
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{nodes[0].shape[-1]} and "
            f"{nodes[1].shape[1]}x{nodes[1].shape[0]})"
        )
    if bias is None:
        return apply("Linear", "{f0}({0}, {1})", *nodes, functions=(products.linear_without_bias,))
    return apply("Linear", "{f0}({0}, {1}, {2})", *nodes, functions=(products.linear,))


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The correlation of images ``(n, c, h, w)`` with windows ``(out, c // groups, kh, kw)``."""
    if groups > 1:
        inputs, weights = input.chunk(groups, 1), weight.chunk(groups, 0)
        parts = [conv2d(x, w, None, stride, padding, dilation) for x, w in zip(inputs, weights, strict=True)]
        joined: Tensor = FUNCTIONS["cat"](parts, 1)
        return joined if bias is None else joined + bias.reshape(1, -1, 1, 1)
    if input.ndim == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding, dilation)[0]
    _check_channels(input, weight)
    if padding == "same":
        padding = tuple(d * (k - 1) // 2 for d, k in zip(_pair(dilation), weight.shape[2:], strict=True))
    padding = 0 if padding == "valid" else padding
    nodes, _ = common(input, weight) if bias is None else common(input, weight, bias)
    image, window = tuple(input.shape[1:]), (weight.shape[0], *weight.shape[2:])
    out = _places(image, window[1:], _pair(stride), _pair(padding), _pair(dilation))
    how = f"{image}, {window}, {out}, {_pair(stride)}, {_pair(padding)}, {_pair(dilation)}"
    if bias is None:
        return apply("Conv2D", f"{{f0}}({{0}}, {{1}}, {how})", *nodes, functions=(layers.conv2d,))
    return apply("Conv2D", f"{{f0}}({{0}}, {{1}}, {{2}}, {how})", *nodes, functions=(layers.conv2d_with_bias,))


def _places(
    image: tuple[int, ...], window: tuple[int, ...], stride: Pair, padding: Pair, dilation: Pair = (1, 1)
) -> Pair:
    """How many places there are for the window, down and across."""
    h, w = ((image[1 + k] + 2 * padding[k] - dilation[k] * (window[k] - 1) - 1) // stride[k] + 1 for k in range(2))
    if h < 1 or w < 1:
        raise RuntimeError(
            f"Calculated padded input size per channel: ({image[1] + 2 * padding[0]} x {image[2] + 2 * padding[1]}). "
            f"Kernel size: ({window[0]} x {window[1]}). Kernel size can't be greater than actual input size"
        )
    return h, w


def _check_channels(input: Tensor, weight: Tensor) -> None:
    if input.shape[1] != weight.shape[1]:
        raise RuntimeError(
            f"Given groups=1, weight of size {list(weight.shape)}, expected input{list(input.shape)} to have "
            f"{weight.shape[1]} channels, but got {input.shape[1]} channels instead"
        )


def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Tensor:
    """The largest element in each window; the derivative goes to the first of those that tie."""
    quick, by_element = layers.max_pool2d, layers.max_pool2d_by_element
    return _pooled("MaxPool2D", by_element, input, kernel_size, stride, padding, under_numpy=(quick,))


def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Tensor:
    """The mean of each window, the border counted as zeros."""
    return _pooled("AvgPool2D", layers.avg_pool2d, input, kernel_size, stride, padding)


def _pooled(
    name: str, function: Any, input: Tensor, kernel_size: Any, stride: Any, padding: Any, under_numpy: Any = ()
) -> Tensor:
    if input.ndim == 3:
        return _pooled(name, function, input.unsqueeze(0), kernel_size, stride, padding, under_numpy)[0]
    image, window, step = tuple(input.shape[1:]), _pair(kernel_size), _pair(stride or kernel_size)
    out = _places(image, window, step, _pair(padding))
    how = f"{image}, {window}, {out}, {step}, {_pair(padding)}"
    return apply(name, f"{{f0}}({{0}}, {how})", input.node, functions=(function,), under_numpy=under_numpy)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros with probability ``p``, the rest scaled up by as much, while training."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    keep = random.generator().random(input.shape) >= p
    scale = (keep / (1.0 - p) if p < 1.0 else np.zeros(input.shape)).astype(input.node.dtype)
    return input * wrap(given(scale))


def embedding(input: Tensor, weight: Tensor) -> Tensor:
    """The rows of ``weight`` at the indices ``input``."""
    return weight[input]


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Centred and scaled to variance 1 over the last axes."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if tuple(input.shape[input.ndim - len(sizes) :]) != sizes:
        raise RuntimeError(
            f"Given normalized_shape={list(sizes)}, expected input with shape [*, {', '.join(map(str, sizes))}], "
            f"but got input of size{list(input.shape)}"
        )
    axes = tuple(range(input.ndim - len(sizes), input.ndim))
    spelled = axes[0] if len(axes) == 1 else axes
    result = apply("NativeLayerNorm", f"{{f0}}({{0}}, {spelled}, {eps!r})", input.node, functions=(layers.layer_norm,))
    result = result if weight is None else result * weight
    return result if bias is None else result + bias


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    return input / input.norm(p, dim, True).clamp_min(eps).expand_as(input)  # type: ignore[no-any-return]  # a tensor


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    size = (x1.norm(2, dim) * x2.norm(2, dim)).clamp_min(eps)
    return (x1 * x2).sum(dim) / size  # type: ignore[no-any-return]  # a tensor


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A row with a one at the place of each index."""
    indices = tensor.array()
    count = int(indices.max()) + 1 if num_classes < 0 else num_classes
    return wrap(given(np.eye(count, dtype=np.int64)[indices]))


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float = 0.0) -> Tensor:
    """A border of ``value``: widths from the last axis backwards, before and after."""
    if mode != "constant":
        raise NotImplementedError(f"pad(mode={mode!r}): only 'constant' is supported")
    shape = list(input.shape)
    key: list[Any] = [slice(None)] * input.ndim
    for k in range(len(pad) // 2):
        axis = input.ndim - 1 - k
        shape[axis] += pad[2 * k] + pad[2 * k + 1]
        key[axis] = slice(pad[2 * k], pad[2 * k] + input.shape[axis])
    result = wrap(given(np.full(shape, value, input.node.dtype)))
    result[tuple(key)] = input
    return result


# -- losses -----------------------------------------------------------------------------------------------


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return losses.mean() if reduction == "mean" else losses.sum()  # type: ignore[no-any-return]  # a tensor


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The square of the difference."""
    difference = input - target
    return _reduced(difference * difference, reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return _reduced((input - target).abs(), reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    return _loss("SmoothL1Loss", layers.smooth_l1, input, target, reduction, beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    return _loss("HuberLoss", layers.huber, input, target, reduction, delta)


def _loss(name: str, function: Any, input: Tensor, target: Tensor, reduction: str, *numbers: float) -> Tensor:
    nodes, dtype = common(input, target)
    nodes += [number_node(number, dtype) for number in numbers]
    places = ", ".join(f"{{{k}}}" for k in range(len(nodes)))
    return _reduced(broadcast(form(name, f"{{f0}}({places})", functions=(function,)), nodes), reduction)


def binary_cross_entropy(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    return _loss("BinaryCrossEntropy", layers.binary_cross_entropy, input, target, reduction)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    name = "BinaryCrossEntropyWithLogits"
    return _loss(name, layers.binary_cross_entropy_with_logits, input, target, reduction)


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean") -> Tensor:
    """Minus the log-probabilities ``input`` at the classes ``target``."""
    return _classified("NllLoss", layers.nll, input, target, weight, reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Minus the log-probabilities of the classes ``target``, from logits; or with probabilities as the target."""
    if target.node.dtype.kind == "f":
        return _reduced_rows(-(target * log_softmax(input, 1)).sum(1), reduction)
    if label_smoothing:
        exact = cross_entropy(input, target, weight, reduction)
        smooth = _reduced_rows(-log_softmax(input, 1).mean(1), reduction)
        return (1 - label_smoothing) * exact + label_smoothing * smooth
    return _classified("CrossEntropyLoss", layers.cross_entropy, input, target, weight, reduction)


def _reduced_rows(losses: Any, reduction: str) -> Tensor:
    return _reduced(losses, reduction)


def _classified(
    name: str, function: Any, input: Tensor, target: Tensor, weight: Tensor | None, reduction: str
) -> Tensor:
    """A loss for each row of classes, weighted by that of its class."""
    if input.ndim == 1:
        input, target = input.unsqueeze(0), target.reshape(1)
    if input.ndim > 2:  # (n, c, ...) against (n, ...)
        input = input.movedim(1, -1).reshape(-1, input.shape[1])
        target = target.reshape(-1)
    if input.shape[0] != target.shape[0]:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]})."
        )
    known = target.node.value
    if known is not None and known.size and not (known.min() >= 0 and known.max() < input.shape[1]):
        bad = next(int(t) for t in known.flat if not 0 <= t < input.shape[1])
        raise IndexError(f"Target {bad} is out of bounds.")
    of = form(name, "{f0}({0}, {1})", functions=(function,))
    losses = wrap(record(of, input.node, target.node))
    if weight is None:
        return _reduced(losses, reduction)
    weights = weight[target]
    total = _reduced(losses * weights, "sum" if reduction == "mean" else reduction)
    return total / weights.sum() if reduction == "mean" else total
