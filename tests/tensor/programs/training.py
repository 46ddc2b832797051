"""Modules, losses and optimizers, a few steps of each."""

import numpy as np


def values(torch, dtype, *shape, seed=0):
    return torch.tensor(np.random.default_rng(seed).normal(size=shape), dtype=dtype)


def with_weights(torch, model, dtype):
    """The same weights under both."""
    model = model.to(dtype)
    for k, parameter in enumerate(model.parameters()):
        parameter.data = values(torch, dtype, *parameter.shape, seed=k) * 0.3
    return model


def steps(torch, model, optimizer, loss_of, count=4, between=None):
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        if between:
            between()
        optimizer.step()
        losses.append(loss.detach())
    return (*losses, *(p.detach() for p in model.parameters()))


def network(torch, dtype):
    nn = torch.nn
    return with_weights(torch, nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)), dtype)


def regression(torch, dtype, make):
    x, y = values(torch, dtype, 7, 3), values(torch, dtype, 7, 2, seed=1)
    model = network(torch, dtype)
    return steps(torch, model, make(model.parameters()), lambda m: torch.nn.MSELoss()(m(x), y))


def sgd(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.SGD(p, lr=0.1))


def sgd_with_momentum(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01))


def sgd_nesterov(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True))


def adam(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.1))


def adam_amsgrad(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True))


def adamw(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.AdamW(p, lr=0.01))


def rmsprop(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True))


def adagrad(torch, dtype):
    return regression(torch, dtype, lambda p: torch.optim.Adagrad(p, lr=0.05, lr_decay=0.1))


def scheduled(torch, dtype):
    x, y = values(torch, dtype, 7, 3), values(torch, dtype, 7, 2, seed=1)
    model = network(torch, dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    result = steps(torch, model, optimizer, lambda m: ((m(x) - y) ** 2).mean(), 5, first.step)
    other = torch.optim.SGD(model.parameters(), lr=0.1)
    second = torch.optim.lr_scheduler.CosineAnnealingLR(other, T_max=4)
    for _ in range(3):
        other.step()
        second.step()
    return (*result, torch.tensor(first.get_last_lr() + second.get_last_lr(), dtype=dtype))


def classification(torch, dtype):
    x, target = values(torch, dtype, 6, 3), torch.tensor([0, 1, 1, 0, 1, 0])
    model = network(torch, dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loss = torch.nn.CrossEntropyLoss()
    norms = []

    def clip():
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.2))

    return (*steps(torch, model, optimizer, lambda m: loss(m(x), target), 3, clip), *norms)


def clipped_values(torch, dtype):
    x, target = values(torch, dtype, 6, 3), torch.tensor([0, 1, 1, 0, 1, 0])
    model = network(torch, dtype)
    torch.nn.functional.cross_entropy(model(x), target, reduction="sum").backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), 0.3)
    return tuple(p.grad for p in model.parameters())


def images(torch, dtype):
    nn = torch.nn
    layers = [nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(3, 2, 2, stride=2, bias=False)]
    model = with_weights(torch, nn.Sequential(*layers, nn.AvgPool2d(1), nn.Flatten(), nn.Linear(2, 2)), dtype)
    x = values(torch, dtype, 2, 2, 5, 4, seed=9).requires_grad_()
    y = model(x)
    (y * y).sum().backward()
    return (y, x.grad, *(p.grad for p in model.parameters()))


def convolutions(torch, dtype):
    nnf = torch.nn.functional
    x = values(torch, dtype, 2, 4, 6, 6).requires_grad_()
    w = values(torch, dtype, 4, 2, 3, 3, seed=1).requires_grad_()
    y = nnf.conv2d(x, w, padding=1, dilation=2, groups=2)
    y.square().mean().backward()
    return y, x.grad, w.grad


def normalised(torch, dtype):
    nn = torch.nn
    model = with_weights(torch, nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.GELU(), nn.Linear(4, 1)), dtype)
    x = values(torch, dtype, 5, 3, seed=9)
    y = model(x)
    y.exp().sum().backward()
    return (y, *(p.grad for p in model.parameters()))


def batch_normalised(torch, dtype):
    nn = torch.nn
    model = with_weights(torch, nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)), dtype)
    x = values(torch, dtype, 5, 3, seed=9)
    y = model(x)
    y.exp().sum().backward()
    model.eval()
    return (y, model(x), *(p.grad for p in model.parameters()), *model.buffers())


def embedded(torch, dtype):
    nn = torch.nn
    model = with_weights(torch, nn.Sequential(nn.Embedding(6, 3), nn.Flatten(), nn.Linear(6, 1), nn.Sigmoid()), dtype)
    y = model(torch.tensor([[0, 2], [2, 5], [1, 1]]))
    target = torch.tensor([[1.0], [0.0], [1.0]], dtype=dtype)
    nn.BCELoss()(y, target).backward()
    return (y, *(p.grad for p in model.parameters()))


def losses(torch, dtype):
    nnf = torch.nn.functional
    x, y = values(torch, dtype, 4, 3).requires_grad_(), values(torch, dtype, 4, 3, seed=1)
    k = torch.tensor([0, 2, 1, 1])
    weight = torch.tensor([1.0, 2.0, 0.5], dtype=dtype)
    total = (
        nnf.mse_loss(x, y, reduction="sum")
        + nnf.l1_loss(x, y)
        + nnf.smooth_l1_loss(x, y)
        + nnf.huber_loss(x, y, delta=0.5)
    )
    total = (
        total + nnf.binary_cross_entropy_with_logits(x, torch.sigmoid(y)) + nnf.nll_loss(nnf.log_softmax(x, dim=1), k)
    )
    total = total + nnf.cross_entropy(x, k, weight=weight) + nnf.cross_entropy(x, torch.softmax(y, 1))
    total = total + nnf.cross_entropy(x, k, label_smoothing=0.1)
    total.backward()
    return total, x.grad


def activations(torch, dtype):
    nnf = torch.nn.functional
    x = values(torch, dtype, 8).requires_grad_()
    y = (
        nnf.relu(x)
        + nnf.leaky_relu(x, 0.2)
        + nnf.elu(x)
        + nnf.softplus(x)
        + nnf.gelu(x)
        + nnf.silu(x)
        + nnf.logsigmoid(x)
    )
    y = y + nnf.softmax(x, dim=0) + nnf.normalize(x.reshape(2, 4)).reshape(8) + nnf.pad(x[:6], (1, 1))
    (y * torch.arange(8).to(dtype)).sum().backward()
    return y, x.grad


def own_module(torch, dtype):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 3)
            self.gain = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            for _ in range(2):
                x = x + torch.relu(self.inner(x)) * self.gain
            return x

    model = with_weights(torch, Block(), dtype)
    assert [name for name, _ in model.named_parameters()] == ["gain", "inner.weight", "inner.bias"]
    y = model(values(torch, dtype, 4, 3, seed=5))
    y.sum().backward()
    return (y, *(p.grad for p in model.parameters()))


PROGRAMS = [
    sgd,
    sgd_with_momentum,
    sgd_nesterov,
    adam,
    adam_amsgrad,
    adamw,
    rmsprop,
    adagrad,
    scheduled,
    classification,
    clipped_values,
    images,
    convolutions,
    normalised,
    batch_normalised,
    embedded,
    losses,
    activations,
    own_module,
]
