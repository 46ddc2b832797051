"""Python's control flow on values: each path is an expression of its own."""

import numpy as np


def branch(torch, dtype):
    results = []
    for start in (0.5, -0.5):
        x = torch.tensor(start, dtype=dtype, requires_grad=True)
        y = x * x if x > 0 else -3 * x
        y.backward()
        results += [y, x.grad]
    return tuple(results)


def newton(torch, dtype):
    a = torch.tensor(2.0, dtype=dtype, requires_grad=True)
    x = torch.tensor(1.0, dtype=dtype)
    while abs(x * x - a) > 1e-5:
        x = (x + a / x) / 2
    x.backward()
    return x, a.grad


def recurrence(torch, dtype):
    w = torch.tensor([[0.5, -0.3], [0.2, 0.1]], dtype=dtype, requires_grad=True)
    h = torch.tensor([0.1, 0.2], dtype=dtype, requires_grad=True)
    state = h
    for _ in range(6):
        state = torch.tanh(w @ state)
    state.sum().backward()
    return state, w.grad, h.grad


def iterated(torch, dtype):
    x = torch.tensor(np.linspace(0.1, 1.0, 5), dtype=dtype, requires_grad=True)
    total = 0.0
    for k, v in enumerate(x):
        total = total + v**k
    total.backward()
    return total, x.grad


def value_between(torch, dtype):
    x = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    y = (x * 3).sum()
    scale = float(y)
    z = y * scale
    z.backward()
    return z, x.grad


def changed_after_use(torch, dtype):
    """The value used is the old one, in the reverse sweep too."""
    w = torch.tensor([1.0, 2.0], dtype=dtype, requires_grad=True)
    x = torch.tensor([3.0, 4.0], dtype=dtype)
    y = (w * x).sum() + 0.0
    y.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
    (w * w).sum().backward()
    return w, w.grad, y


PROGRAMS = [branch, newton, recurrence, iterated, value_between, changed_after_use]
