"""A recurrent network: a scan over the sequence in JAX, a loop of Python elsewhere."""

from __future__ import annotations

from typing import Any


def sigmoid(xp: Any, x: Any) -> Any:
    return 1.0 / (1.0 + xp.exp(-x))


def advance(xp: Any, state: Any, signal: Any, parts: Any) -> tuple[list[tuple[Any, Any]], Any]:
    """``parts`` are the weights and biases of each layer, ``state`` its output and cell."""
    found = []
    for (hidden, cell), (weight, bias) in zip(state, parts, strict=True):
        forget = sigmoid(xp, signal * weight[0] + bias[0])
        ingate = sigmoid(xp, hidden * weight[1] + bias[1])
        outgate = sigmoid(xp, signal * weight[2] + bias[2])
        change = xp.tanh(hidden * weight[3] + bias[3])
        cell = cell * forget + ingate * change
        signal = outgate * xp.tanh(cell)
        found.append((signal, cell))
    return found, signal


def term(xp: Any, signal: Any, extra: Any, shown: Any) -> Any:
    y = signal * extra[1] + extra[2]
    return xp.sum(shown * (y - xp.log(2.0 + xp.sum(xp.exp(y)))))


def parts_of(main: Any, state: Any) -> tuple[Any, Any]:
    layers, b = main.shape[0] // 2, state.shape[1]
    rows = main.reshape(layers, 2, 4, b)
    return [(rows[k, 0], rows[k, 1]) for k in range(layers)], [(state[2 * k], state[2 * k + 1]) for k in range(layers)]


def looped(xp: Any, main: Any, extra: Any, state: Any, sequence: Any) -> Any:
    length, b = sequence.shape
    parts, now = parts_of(main, state)
    total = 0.0
    for t in range(length - 1):
        now, signal = advance(xp, now, sequence[t] * extra[0], parts)
        total = total + term(xp, signal, extra, sequence[t + 1])
    return -total / ((length - 1) * b)


def scanned(xp: Any, main: Any, extra: Any, state: Any, sequence: Any) -> Any:
    import jax

    length, b = sequence.shape
    parts, start = parts_of(main, state)

    def body(now: Any, given: Any) -> Any:
        now, signal = advance(xp, now, given[0] * extra[0], parts)
        return now, term(xp, signal, extra, given[1])

    _, totals = jax.lax.scan(body, start, (sequence[:-1], sequence[1:]))
    return -xp.sum(totals) / ((length - 1) * b)


FORMS = {"jax": scanned, "torch": looped, "autograd": looped}
