"""Learning rates that change with the number of epochs: `torch.optim.lr_scheduler`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.optim.optimizer import Optimizer


class LRScheduler:
    """Sets the learning rate of each group at once, and after each `step`."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.base_lrs = [group.setdefault("initial_lr", group["lr"]) for group in optimizer.param_groups]
        self.last_epoch = -1
        self.step()

    def factor(self, epoch: int) -> float:
        """By what the first learning rate is multiplied in an epoch."""
        raise NotImplementedError

    def rate(self, base: float, epoch: int) -> float:
        return base * self.factor(epoch)

    def step(self) -> None:
        """The next epoch."""
        self.last_epoch += 1
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = self.rate(base, self.last_epoch)

    def get_last_lr(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        return {"last_epoch": self.last_epoch, "base_lrs": self.base_lrs}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.base_lrs = state_dict["base_lrs"]
        self.last_epoch = state_dict["last_epoch"] - 1
        self.step()


class StepLR(LRScheduler):
    """``gamma`` times the rate every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        return float(self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """``gamma`` times the rate at each milestone."""

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1) -> None:
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        return float(self.gamma ** sum(epoch >= m for m in self.milestones))


class ExponentialLR(LRScheduler):
    """``gamma`` times the rate every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma = gamma
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        return float(self.gamma**epoch)


class LambdaLR(LRScheduler):
    """The rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        return self.lr_lambda(epoch)


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to ``eta_min`` in ``T_max`` epochs; Loshchilov and Hutter, 2017."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:  # noqa: N803  PyTorch's name
        self.length, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def rate(self, base: float, epoch: int) -> float:
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * epoch / self.length)) / 2
