"""Tensors as PyTorch's users know them: printed form, attributes, errors, memory that is shared."""

from __future__ import annotations

import pickle
from copy import deepcopy

import numpy as np
import pytest

import srcgrad as torch


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    monkeypatch.setattr(torch, "tensor_jit", "never")


# What PyTorch 2.13 prints, but for the module's name.
PRINTED = [
    (lambda: torch.tensor([1.0, 1.0]), "tensor([1., 1.])"),
    (lambda: torch.tensor([1.5, 2.0], requires_grad=True), "tensor([1.5000, 2.0000], requires_grad=True)"),
    (lambda: torch.tensor(3), "tensor(3)"),
    (lambda: torch.tensor([True, False]), "tensor([ True, False])"),
    (lambda: torch.tensor([1.5, 1e-6]), "tensor([1.5000e+00, 1.0000e-06])"),
    (lambda: torch.tensor([1.0, float("nan"), float("inf")]), "tensor([1., nan, inf])"),
    (lambda: torch.zeros(2, 2, dtype=torch.float64), "tensor([[0., 0.],\n        [0., 0.]], dtype=srcgrad.float64)"),
    (lambda: torch.tensor([]), "tensor([])"),
    (lambda: torch.tensor([1.0], requires_grad=True) * 2, "tensor([2.], grad_fn=<MulBackward0>)"),
    (lambda: torch.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (lambda: torch.tensor([-1, 10]), "tensor([-1, 10])"),
]


@pytest.mark.parametrize(("make", "text"), PRINTED)
def test_printed(make, text):
    assert repr(make()) == text


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


ERRORS = [
    (lambda: (leaf(1.0, 2.0) * 2).backward(), "grad can be implicitly created only for scalar outputs"),
    (lambda: torch.tensor([1.0]).backward(), "element 0 of tensors does not require grad and does not have a grad_fn"),
    (lambda: torch.tensor([1, 2], requires_grad=True), "Only Tensors of floating point"),
    (lambda: leaf(1.0).add_(1), "a leaf Variable that requires grad is being used in an in-place operation."),
    (lambda: leaf(1.0)[0:1].mul_(2), "a view of a leaf Variable that requires grad"),
    (lambda: leaf(1.0).numpy(), "Can't call numpy() on Tensor that requires grad."),
    (lambda: bool(torch.zeros(2)), "Boolean value of Tensor with more than one value is ambiguous"),
    (lambda: torch.zeros(2).item(), "a Tensor with 2 elements cannot be converted to Scalar"),
    (
        lambda: torch.zeros(2, 3) + torch.zeros(2, 4),
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
    ),
    (lambda: torch.zeros(2, 3) @ torch.zeros(2, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    (lambda: torch.zeros(6).view(4, -1), "shape '[4, -1]' is invalid for input of size 6"),
    (lambda: torch.zeros(2).expand(3, 2).add_(1), "Please clone() the tensor before performing the operation."),
    (lambda: torch.tensor([1]).add_(1.5), "can't be cast to the desired output type"),
    (lambda: (leaf(1.0) * 2).requires_grad_(False), "you can only change requires_grad flags of leaf variables."),
    (lambda: torch.autograd.grad(leaf(1.0).sum(), leaf(1.0)), "appears to not have been used in the graph"),
    (lambda: leaf(1.0, 2.0).backward(torch.ones(3)), "Mismatch in shape"),
]


@pytest.mark.parametrize(("fails", "text"), ERRORS)
def test_errors(fails, text):
    with pytest.raises(RuntimeError) as caught:
        fails()
    assert text in str(caught.value)


def test_index_errors():
    with pytest.raises(IndexError, match="index 5 is out of bounds for dimension 0 with size 3"):
        torch.zeros(3)[5]
    with pytest.raises(IndexError, match="too many indices"):
        torch.zeros(3)[0, 0]
    with pytest.raises(IndexError, match=r"Target 3 is out of bounds."):
        torch.nn.functional.cross_entropy(torch.zeros(1, 3), torch.tensor([3]))
    with pytest.raises(IndexError, match="out of bounds"):
        torch.nn.Embedding(3, 2)(torch.tensor([3]))


def test_second_backward_through_freed_graph():
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    z = (x + 1).sum()  # keeps nothing
    z.backward()
    z.backward()


def test_views_share_memory_both_ways():
    x = torch.zeros(2, 3)
    row, turned, part = x[1], x.T, x.view(6)[2:5]
    row += 1
    part[0] = 7
    turned[0, 0] = 5
    assert x.tolist() == [[5, 0, 7], [1, 1, 1]]
    assert row.tolist() == [1, 1, 1]
    assert part.tolist() == [7, 1, 1]
    x.zero_()
    assert not turned.any()


def test_detached_shares_memory():
    w = leaf(1.0, 2.0)
    w.detach()[0] = 9.0
    w.data.mul_(2)
    assert w.tolist() == [18, 4]
    assert w.is_leaf and w.requires_grad
    w.data = torch.tensor([1.0, 1.0])
    assert w.tolist() == [1, 1]
    y = w * 2
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.detach().zero_()


def test_values_used_in_reverse_are_those_of_the_time():
    w = leaf(3.0)
    y = w * w
    w.data.fill_(100.0)
    y.sum().backward()
    assert w.grad.tolist() == [6.0]  # PyTorch has 6 as well where it notices, and else 200
    a = torch.ones(3)
    z = leaf(1.0, 2.0, 3.0) * a
    a.mul_(5)
    assert z.tolist() == [1, 2, 3]


def test_later_updates_do_not_reach_recorded_values():
    x = torch.tensor([1.0, 2.0])
    w = leaf(1.0, 1.0)
    y = (w * x).sum()
    x[0] = 50.0
    assert y.item() == 3.0


def test_numpy_is_read_only_and_copied_in():
    array = np.array([1.0, 2.0])
    x = torch.from_numpy(array)
    array[0] = 9.0
    assert x.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        x.numpy()[0] = 1.0


def test_numpy_functions():
    x = leaf(1.0, 4.0)
    y = np.sum(np.sqrt(x) * np.array([1.0, 2.0], np.float32)) + np.mean(x, axis=0) + np.maximum(x, 2.0)[1]
    assert y.item() == pytest.approx(11.5)
    y.backward()
    np.testing.assert_allclose(x.grad, [1.0, 2.0])
    assert np.concatenate([x.detach(), x.detach()]).shape == (4,)
    with pytest.raises(TypeError, match=r"np\.histogram takes no tensors"):
        np.histogram(x)


def test_default_types():
    assert torch.tensor([1.0]).dtype is torch.float32
    assert torch.tensor(np.array([1.0])).dtype is torch.float64
    assert torch.tensor([1, 2]).dtype is torch.int64
    assert (torch.tensor([1, 2]) / 2).dtype is torch.float32
    assert (torch.ones(2) * torch.tensor(1.0, dtype=torch.float64)).dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.zeros(1).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_pickle_and_deepcopy():
    x = leaf(1.0, 2.0)
    for other in (pickle.loads(pickle.dumps(x)), deepcopy(x)):
        assert other.requires_grad and other.tolist() == [1, 2]
        (other * 2).sum().backward()
        assert other.grad.tolist() == [2, 2] and x.grad is None


def test_modes():
    x = leaf(1.0)
    with torch.no_grad():
        assert not (x * 2).requires_grad
        with torch.enable_grad():
            assert (x * 2).requires_grad

    @torch.no_grad()
    def plain(v):
        return v * 2

    assert not plain(x).requires_grad
    with torch.set_grad_enabled(False):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    with torch.inference_mode():
        assert not (x * 2).requires_grad


def test_norm_and_spread_at_their_kinks():
    x = torch.zeros(3, requires_grad=True)
    (x.norm() + x.std()).backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_random_numbers_start_anew():
    torch.manual_seed(3)
    a = torch.randn(3)
    torch.manual_seed(3)
    assert torch.equal(a, torch.randn(3))
    assert sorted(torch.randperm(5).tolist()) == [0, 1, 2, 3, 4]
    assert torch.randint(0, 4, (100,)).max() < 4


def test_gradients_are_tensors_of_their_own():
    class Plus(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, g):
            return g, g

    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    given = torch.ones(2)
    Plus.apply(a, b).backward(given)
    a.grad.zero_()
    assert b.grad.tolist() == [1, 1] and given.tolist() == [1, 1]
    c = leaf(1.0)
    seed = torch.ones(1)
    c.backward(seed)
    c.grad.zero_()
    assert seed.tolist() == [1]


def test_a_held_gradient_sees_the_sum():
    x = leaf(1.0, 2.0)
    x.sum().backward()
    held = x.grad
    x.sum().backward()
    assert held.tolist() == [2, 2]


def test_backward_into_some_leaves_only():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    z = x * y
    z.sum().backward(inputs=[x], retain_graph=True)
    assert x.grad.tolist() == [3, 4] and y.grad is None
    torch.autograd.backward([z.sum(), (z * 2).sum()], retain_graph=True)
    assert y.grad.tolist() == [3, 6]
    zeros = torch.autograd.grad(z.sum(), [leaf(1.0)], materialize_grads=True)
    assert zeros[0].tolist() == [0]


def test_a_leaf_alone():
    x = leaf(2.0)
    x.sum().backward()
    x.backward(torch.tensor([3.0]))
    assert x.grad.tolist() == [4]
    x.requires_grad_(False)
    x.add_(1)
    assert x.tolist() == [3] and not x.requires_grad
    (x.requires_grad_() * 2).backward()
    assert x.grad.tolist() == [6]


def test_views_follow_a_leaf_that_starts_to_require_a_gradient():
    x = torch.zeros(3)
    part = x[1:]
    x.requires_grad_()
    assert part.requires_grad
    with torch.no_grad():
        part.add_(1)
    assert x.tolist() == [0, 1, 1]


def test_hooks_can_be_removed_and_run_on_leaves():
    x = leaf(1.0, 2.0)
    handle = x.register_hook(lambda g: g * 10)
    x.sum().backward()
    handle.remove()
    x.sum().backward()
    assert x.grad.tolist() == [11, 11]
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        torch.ones(1).register_hook(print)


def test_names_that_are_not_there():
    with pytest.raises(AttributeError, match="module 'srcgrad' has no attribute 'no_such_function'"):
        torch.no_such_function  # noqa: B018
    with pytest.raises(RuntimeError, match="on the CPU only"):
        torch.zeros(1).to("cuda")
    assert not torch.cuda.is_available()
