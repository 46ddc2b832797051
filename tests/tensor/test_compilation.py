"""One structure for a training loop; hot ones are jitted; jitted functions are one operation; anomalies have a line."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as torch
from srcgrad.tensors import structures as module
from srcgrad.tensors.structures import structures


@pytest.fixture(autouse=True)
def _anew(monkeypatch):
    monkeypatch.setattr(torch, "tensor_jit", "never")
    structures.clear()


def test_a_training_loop_compiles_once():
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for k in range(5):
        optimizer.zero_grad()
        loss = (model(torch.randn(4, 2)) * (0.1 * k + 1.0) - 0.01 * k).square().mean()
        loss.backward()
        optimizer.step()
    assert len(structures) == 1
    loss = model(torch.randn(5, 2)).square().mean()  # another batch size
    loss.backward()
    assert len(structures) <= 2


def test_other_sizes_are_the_same_structure():
    for n in (3, 4, 5):
        x = torch.ones(n, 7, requires_grad=True)
        x.reshape(n * 7)[: n * 7 - 2].reshape(-1).sum().backward()
        w = torch.ones(7, requires_grad=True)
        (torch.ones(n, 7) * w).flatten().tanh().sum().backward()
    assert len(structures) <= 5


def test_hot_structures_are_jitted(monkeypatch):
    monkeypatch.setattr(torch, "tensor_jit", "auto")
    for k in range(4):
        x = torch.tensor([0.5, float(k)], requires_grad=True)
        (x.sin() * x).sum().backward()
        np.testing.assert_allclose(x.grad, np.cos(x.detach()) * x.detach().numpy() + np.sin(x.detach()), rtol=1e-6)
    (found,) = set(structures._by_key.values())
    assert found._jitted is not None and found._plain is not None


def test_choices(monkeypatch):
    monkeypatch.setattr(torch, "tensor_jit", "sometimes")
    x = torch.tensor(1.0, requires_grad=True)
    with pytest.raises(ValueError, match="the choices are auto, always, never"):
        (x * x).backward()


def test_too_many_structures_warn(monkeypatch):
    monkeypatch.setattr(structures, "limit", 3)

    def sines(count):
        x = torch.tensor(0.5, requires_grad=True)
        y = x
        for _ in range(count):
            y = y.sin()
        (y * x).backward()

    with pytest.warns(RuntimeWarning, match="differ in their number of operations, 4 and 5"):
        list(map(sines, range(1, 5)))
    assert len(structures) == 3
    assert "differ first in" in module.what_varies("def f():\n a\n b\n", "def f():\n a\n c\n")


@torch.jit
def logistic(rate, n):
    x = 0.3
    for _ in range(n):
        x = rate * x * (1.0 - x)
    return x


@torch.jit
def scan(x, decay):
    out = np.zeros_like(x)
    state = x[0] * 0.0
    for i in range(x.shape[0]):
        state = decay * state + x[i]
        out[i] = state
    return out, state


def test_a_jitted_function_is_one_operation():
    rate = torch.tensor(3.2, dtype=torch.float64, requires_grad=True)
    y = logistic(rate, 20)
    assert y.grad_fn.name() == "LogisticBackward0"
    (y * y).backward()
    expected = torch.grad(lambda r: logistic.function(r, 20) ** 2)(3.2)
    assert rate.grad.item() == pytest.approx(expected, rel=1e-12)
    assert torch.autograd.gradcheck(lambda r: logistic(r, 5), (rate,))


def test_a_jitted_function_of_arrays_with_two_results():
    x = torch.tensor(np.linspace(0.1, 1.0, 5), requires_grad=True)
    decay = torch.tensor(0.9, dtype=torch.float64, requires_grad=True)
    out, state = scan(x * 2, decay)
    assert out.shape == (5,) and state.item() == pytest.approx(out[-1].item())
    assert torch.autograd.gradcheck(lambda a, d: scan(a * 2, d), (x, decay))
    assert torch.autograd.gradgradcheck(lambda a, d: scan(a, d)[0], (x, decay))


def test_a_jitted_function_may_not_write_to_tensors():
    @torch.jit(jit=False)
    def spoil(x):
        x[0] = 5.0
        return x.sum()

    x = torch.ones(3)
    with pytest.raises(TypeError, match="writes to the argument 'x', which is read-only"):
        spoil(x)
    assert x.tolist() == [1, 1, 1]


def test_backward_source_reads_like_the_program():
    w = torch.tensor([0.5, 1.0], requires_grad=True)
    x, y = torch.ones(3, 2), torch.ones(3)
    loss = ((x @ w - y) ** 2).sum()
    source = loss.backward_source()
    assert "def expression(w, x, y" in source and "w_bar" in source
    namespace: dict[str, object] = {}
    exec(source, namespace)


def test_anomalies_have_a_line():
    with torch.autograd.detect_anomaly():
        x = torch.tensor([-1.0, 2.0], requires_grad=True)
        with pytest.raises(RuntimeError, match="'Log' returned nan values in its forward pass") as caught:
            (x * 2).log()
        assert "(x * 2).log()" in str(caught.value)
        x = torch.tensor([0.0, 4.0], requires_grad=True)
        loss = x.sqrt().sum()
        with pytest.raises(RuntimeError, match="'SqrtBackward0' returned inf values in its 0th output") as caught:
            loss.backward()
        assert "loss = x.sqrt().sum()" in str(caught.value)
        x = torch.tensor([1.0, 4.0], requires_grad=True)
        (x.sqrt() * x).sum().backward()
        np.testing.assert_allclose(x.grad, [1.5, 3.0])


def test_gradcheck_finds_a_wrong_gradient():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    with pytest.raises(torch.autograd.GradcheckError, match="Jacobian mismatch"):
        torch.autograd.gradcheck(Wrong.apply, (x,))
    assert not torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False)


def test_whole_derivatives():
    f = torch.autograd.functional
    x = torch.tensor([1.0, 2.0])
    assert f.jacobian(lambda v: v**2, x).tolist() == [[2, 0], [0, 4]]
    assert f.hessian(lambda v: (v**3).sum() * v[0], x).tolist() == [[12, 12], [12, 12]]
    assert f.hvp(lambda v: (v**3).sum(), x, torch.ones(2))[1].tolist() == [6, 12]
    assert f.vjp(lambda v: v**2, x, torch.ones(2))[1].tolist() == [2, 4]
