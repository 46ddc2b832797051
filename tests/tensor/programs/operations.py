"""The surface of operations: elementwise, reductions, shapes, indexing, products, updates in place."""

import numpy as np


def data(torch, dtype, *shape, seed=0):
    values = np.random.default_rng(seed).uniform(0.2, 1.8, shape)
    return torch.tensor(values, dtype=dtype).requires_grad_()


def finish(y, *leaves):
    """The weighted sum of a result, differentiated."""
    weights = np.cos(np.arange(y.numel())).reshape(tuple(y.shape))
    loss = (y * type(y).new_tensor(y.detach(), weights)).sum()
    loss.backward()
    return (y.detach(), loss, *(leaf.grad for leaf in leaves))


def elementary(torch, dtype):
    x = data(torch, dtype, 6)
    y = torch.exp(x) + torch.log(x) + torch.sqrt(x) + x.sin() * x.cos() + torch.tan(x * 0.3) + torch.atan(x)
    return finish(y + torch.sinh(x) + torch.asinh(x) + torch.log1p(x) + torch.expm1(x) + torch.rsqrt(x), x)


def special(torch, dtype):
    x = data(torch, dtype, 6)
    return finish(torch.erf(x) + torch.sigmoid(x) + torch.lgamma(x) + torch.erfc(x) + x.square() + x.reciprocal(), x)


def kinks(torch, dtype):
    x = torch.tensor([-1.0, 0.0, 2.0], dtype=dtype, requires_grad=True)
    return finish(x.abs() + x.relu() + x.sign() + torch.clamp(x, -1.0, 2.0) + x.clamp(min=0.5), x)


def ties(torch, dtype):
    x = torch.tensor([1.0, 3.0, 3.0], dtype=dtype, requires_grad=True)
    y = torch.tensor([1.0, 2.0, 5.0], dtype=dtype, requires_grad=True)
    z = torch.maximum(x, y) + torch.minimum(x, y) * 2 + x.amax() + x.max()
    return finish(z, x, y)


def broadcasting(torch, dtype):
    a, b, c = data(torch, dtype, 3, 1), data(torch, dtype, 4, seed=1), data(torch, dtype, 2, 3, 4, seed=2)
    return finish(a * b + c / a - b, a, b, c)


def reflected(torch, dtype):
    x = data(torch, dtype, 4)
    return finish(2 - x + 3 / x + 2**x + (-x) * 1.5 + x**2.5 + x**-1 + abs(x - 1), x)


def remainders(torch, dtype):
    x = data(torch, dtype, 4)
    return finish((x * 7) % 2 + torch.fmod(x * 7, 2) + (x * 7).floor() + x.detach() // 0.3 + torch.frac(x), x)


def mixed_types(torch, dtype):
    x = data(torch, dtype, 3)
    n = torch.tensor([1, 2, 3])
    y = x * n + n / 2 + torch.tensor(2.0, dtype=torch.float64)
    assert (n / 2).dtype == torch.float32 and (n + 1).dtype == torch.int64 and (n * 1.5).dtype == torch.float32
    assert y.dtype == dtype
    return finish(y, x)


def sums(torch, dtype):
    x = data(torch, dtype, 2, 3, 4)
    y = x.sum(1) + x.mean(dim=1) + x.prod(1) + x.var(1) + x.std(dim=1) + x.norm(dim=1)
    return finish(y + x.sum() + x.mean((0, 2), keepdim=True).sum() + x.var(unbiased=False), x)


def norms(torch, dtype):
    x = data(torch, dtype, 3, 4)
    y = x.norm() + x.norm(1) + torch.linalg.vector_norm(x, 3.0) + x.norm(p=float("inf"))
    return finish(y.reshape(1) + x.norm(2, dim=1), x)


def extremes(torch, dtype):
    x = data(torch, dtype, 3, 5)
    values, indices = x.max(dim=1)
    low = x.min(0, keepdim=True)
    top = torch.topk(x, 2, dim=1)
    assert indices.tolist() == x.argmax(1).tolist()
    return finish(values * low.values.sum() + top.values.sum(1) + x.median(dim=1).values, x)


def sorting(torch, dtype):
    x = data(torch, dtype, 3, 4)
    ordered, where = torch.sort(x, dim=1, descending=True)
    return finish(ordered * torch.arange(4).to(dtype) + torch.gather(x, 1, where), x)


def softmaxes(torch, dtype):
    x = data(torch, dtype, 3, 4)
    return finish(torch.softmax(x, 1) + x.log_softmax(dim=0) + torch.logsumexp(x, 1, keepdim=True), x)


def cumulative(torch, dtype):
    x = data(torch, dtype, 3, 4)
    return finish(torch.cumsum(x, 0) * x.cumprod(dim=1), x)


def reshaping(torch, dtype):
    x = data(torch, dtype, 2, 3, 4)
    y = x.view(6, 4).t().reshape(-1, 3).permute(1, 0).contiguous().flatten().unsqueeze(0).squeeze(0)
    z = x.transpose(0, 2).flatten(1).movedim(0, 1)
    return finish(y[:24] * z.reshape(24), x)


def joining(torch, dtype):
    x, y = data(torch, dtype, 2, 3), data(torch, dtype, 2, 3, seed=1)
    parts = torch.cat([x, y * 2, x], dim=1).split(2, dim=1)
    z = torch.stack([parts[0], parts[2]], dim=0).sum(0) + torch.cat((x, y)).chunk(2)[1][:, :2]
    return finish(z * x.repeat(2, 2)[1:3, 1:3] + torch.tril(z) + x[:, :2].flip(0), x, y)


def expanding(torch, dtype):
    x = data(torch, dtype, 3, 1)
    return finish(x.expand(3, 4) * torch.arange(4) + x.expand_as(torch.zeros(2, 3, 4)).sum(0), x)


def slicing(torch, dtype):
    x = data(torch, dtype, 4, 5)
    y = x[1] + x[-1] * x[0, ::1] + x[..., 2].sum() + x[1:3, 1:4].sum() + x[:, None, 0].sum() + x[::2, 1].prod()
    return finish(y, x)


def gathering(torch, dtype):
    x = data(torch, dtype, 4, 5)
    k = torch.tensor([0, 2, 2, 1])
    y = x[k] + x[[1, 1, 0, 3]] + x.index_select(0, k) * x[k, k].reshape(-1, 1)
    return finish(y + torch.gather(x, 1, torch.tensor([[0, 1], [1, 1], [4, 0], [2, 3]])).sum(), x)


def masking(torch, dtype):
    x = data(torch, dtype, 3, 4)
    y = torch.where(x > 1, x * x, -x) + x.masked_fill(x < 0.5, 0.0)
    return finish(y + x[x > 0.8].sum() + (x > 1).sum(), x)


def scattering(torch, dtype):
    x = data(torch, dtype, 2, 3)
    index = torch.tensor([[0, 1, 0], [1, 2, 2]])
    y = torch.zeros(2, 4, dtype=dtype).scatter_add(1, index, x * x)
    return finish(y + torch.zeros(2, 4, dtype=dtype).scatter(1, torch.tensor([[3, 1, 2], [0, 1, 2]]), x), x)


def products(torch, dtype):
    a, b = data(torch, dtype, 3, 4), data(torch, dtype, 4, 2, seed=1)
    v = data(torch, dtype, 4, seed=2)
    y = a @ b + torch.mv(a, v).unsqueeze(1) + torch.outer(a[:, 0], b[0]) + v.dot(v) + (v @ b)
    return finish(y, a, b, v)


def batched_products(torch, dtype):
    a, b = data(torch, dtype, 2, 3, 4), data(torch, dtype, 2, 4, 2, seed=1)
    return finish(torch.bmm(a, b) + a @ b[0] + torch.einsum("bij,bjk->bik", a, b) * torch.matmul(a[0], b), a, b)


def linear_algebra(torch, dtype):
    x = data(torch, dtype, 3, 3)
    a = x @ x.T + 2 * torch.eye(3, dtype=dtype)
    y = torch.linalg.solve(a, x) + torch.linalg.inv(a) + torch.linalg.cholesky(a)
    return finish(y + torch.linalg.det(a) + torch.logdet(a) + torch.trace(a), x)


def update_in_place(torch, dtype):
    x = data(torch, dtype, 4)
    y = x * 2
    y.add_(1)
    y.mul_(x)
    y[1:3] = x[:2] * 3
    y[0] += 5
    return finish(y, x)


def filled(torch, dtype):
    x = data(torch, dtype, 3)
    out = torch.zeros(2, 3, dtype=dtype)
    out[0] = x
    out[1].copy_(x * x)
    out[:, 1].mul_(10)
    return finish(out, x)


def view_sees_update(torch, dtype):
    x = data(torch, dtype, 6)
    y = x.clone()
    v = y.view(2, 3)
    row = v[1]
    y.mul_(2)
    row.sub_(1)
    return (v.detach(), row.detach(), *finish(v * row, x))


def diagonals(torch, dtype):
    x = data(torch, dtype, 3, 3)
    return finish(torch.diagonal(x) * torch.diag(x) + torch.triu(x).sum(0) + torch.diag(x[0])[0], x)


def numbers(torch, dtype):
    x = torch.tensor(0.7, dtype=dtype, requires_grad=True)
    y = (x * 3).sigmoid() * x.exp() + torch.stack([x, x * x]).sum() + torch.maximum(x, x * x)
    y.backward()
    return y, x.grad


PROGRAMS = [
    elementary,
    special,
    kinks,
    ties,
    broadcasting,
    reflected,
    remainders,
    mixed_types,
    sums,
    norms,
    extremes,
    sorting,
    softmaxes,
    cumulative,
    reshaping,
    joining,
    expanding,
    slicing,
    gathering,
    masking,
    scattering,
    products,
    batched_products,
    linear_algebra,
    update_in_place,
    filled,
    view_sees_update,
    diagonals,
    numbers,
]
