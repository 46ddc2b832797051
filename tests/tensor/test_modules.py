"""Modules and optimizers beyond a few steps: saving, options, what is printed, errors."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

import srcgrad as torch
from srcgrad import nn


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    monkeypatch.setattr(torch, "tensor_jit", "never")


def network():
    return nn.Sequential(OrderedDict(first=nn.Linear(2, 3), act=nn.Tanh(), last=nn.Linear(3, 1, bias=False)))


def test_state_is_saved_and_loaded(tmp_path):
    a, b = network(), network()
    torch.save(a.state_dict(), tmp_path / "model.npz")
    b.load_state_dict(torch.load(tmp_path / "model.npz"))
    assert list(a.state_dict()) == ["first.weight", "first.bias", "last.weight"]
    for p, q in zip(a.parameters(), b.parameters(), strict=True):
        assert torch.equal(p, q) and q.requires_grad
    with pytest.raises(RuntimeError, match=r"Missing key\(s\) in state_dict: 'last\.weight'"):
        b.load_state_dict({k: v for k, v in a.state_dict().items() if k != "last.weight"})
    with pytest.raises(RuntimeError, match="size mismatch for first"):
        b.load_state_dict({**a.state_dict(), "first.bias": torch.zeros(4)})


def test_printed():
    assert repr(network()) == (
        "Sequential(\n"
        "  (first): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (act): Tanh()\n"
        "  (last): Linear(in_features=3, out_features=1, bias=False)\n"
        ")"
    )


def test_modes_and_dropout():
    model = nn.Sequential(nn.Dropout(0.5))
    x = torch.ones(1000)
    dropped = model(x)
    assert 300 < int((dropped == 0).sum()) < 700 and set(dropped.tolist()) == {0.0, 2.0}
    assert torch.equal(model.eval()(x), x)
    with pytest.raises(ValueError, match="dropout probability"):
        nn.functional.dropout(x, 1.5)


def test_clipping_to_a_norm():
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    (x * x / 2).sum().backward()
    before = torch.nn.utils.clip_grad_norm_([x], max_norm=1.0)
    assert before.item() == 5.0
    assert x.grad.norm().item() == pytest.approx(1.0, abs=1e-5)
    x.grad.fill_(float("nan"))
    with pytest.raises(RuntimeError, match="non-finite"):
        torch.nn.utils.clip_grad_norm_(x, 1.0, error_if_nonfinite=True)
    assert torch.nn.utils.clip_grad_norm_(torch.zeros(2), 1.0).item() == 0


def test_lbfgs_reaches_the_minimum():
    x = torch.tensor([-1.0, 1.5], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], max_iter=100)

    def closure():
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss

    first = optimizer.step(closure)
    assert first.item() > 1 and closure().item() < 1e-8
    np.testing.assert_allclose(x.detach(), [1, 1], atol=1e-4)


def test_optimizers_keep_their_state():
    model = network()
    optimizer = torch.optim.Adam([{"params": model.first.parameters(), "lr": 0.1}, {"params": model.last.parameters()}])
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    other = torch.optim.Adam([{"params": model.first.parameters()}, {"params": model.last.parameters()}])
    other.load_state_dict(optimizer.state_dict())
    assert [g["lr"] for g in other.param_groups] == [0.1, 1e-3]
    assert all(s["step"] == 1 for s in other.state.values()) and len(other.state) == 3
    with pytest.raises(ValueError, match="empty parameter list"):
        torch.optim.SGD([], lr=0.1)
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        torch.optim.SGD([model.first.weight * 2], lr=0.1)


def test_vector_of_parameters():
    model = network()
    vector = torch.nn.utils.parameters_to_vector(model.parameters())
    assert vector.shape == (12,)
    torch.nn.utils.vector_to_parameters(torch.arange(12).float(), model.parameters())
    assert model.last.weight.tolist() == [[9, 10, 11]]


def test_errors():
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(4x3 and 2x3\)"):
        nn.Linear(2, 3)(torch.zeros(4, 3))
    with pytest.raises(RuntimeError, match="to have 2 channels, but got 1 channels instead"):
        nn.Conv2d(2, 1, 3)(torch.zeros(1, 1, 5, 5))
    with pytest.raises(RuntimeError, match="Kernel size can't be greater"):
        nn.Conv2d(1, 1, 7)(torch.zeros(1, 1, 5, 5))
    with pytest.raises(AttributeError, match="has no attribute 'absent'"):
        getattr(network(), "absent")  # noqa: B009  mypy knows it is not there


def test_an_attribute_may_become_a_parameter():
    model = nn.Module()
    model.gain = None
    model.gain = nn.Parameter(torch.ones(1))
    assert [name for name, _ in model.named_parameters()] == ["gain"] and model.gain is not None
    model.gain = None
    assert list(model.parameters()) == []
