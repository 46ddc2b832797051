"""Handwritten digits: a multilayer perceptron and a small convolutional network, trained the PyTorch way.

    pip install '.[examples]' && python examples/train_digits.py

The data are scikit-learn's: 1,797 images of 8 by 8 pixels, a fifth of them kept for the test. The first step of each
network compiles its gradient; the loss curve goes to ``train_digits.png``. ``--torch`` runs the same under PyTorch, for
comparison.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

BATCH = 64


def networks(nn: Any) -> dict[str, Any]:
    """Both take images of shape (n, 1, 8, 8)."""
    perceptron = nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    convolutional = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Flatten(),
        nn.Linear(512, 10),
    )
    return {"perceptron": perceptron, "convolutional": convolutional}


def train(torch: Any, model: Any, images: Any, labels: Any, epochs: int, name: str) -> tuple[list[float], float]:
    """Losses of all steps, and the median time of one, in seconds."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    criterion = torch.nn.CrossEntropyLoss()
    steps = len(images) // BATCH  # batches of one size, so that one structure is compiled
    losses, times = [], []
    with tqdm(total=epochs * steps, desc=name) as bar:
        for _ in range(epochs):
            order = np.random.permutation(len(images))
            for k in range(steps):
                chosen = order[k * BATCH : (k + 1) * BATCH]
                start = time.perf_counter()
                optimizer.zero_grad()
                loss = criterion(model(images[chosen]), labels[chosen])
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
                optimizer.step()
                times.append(time.perf_counter() - start)
                losses.append(loss.item())
                bar.update()
            schedule.step()
            bar.set_postfix(loss=f"{losses[-1]:.4f}")
    return losses, float(np.median(times))


def accuracy(torch: Any, model: Any, images: Any, labels: Any) -> float:
    model.eval()
    with torch.no_grad():
        return float((model(images).argmax(dim=1) == labels).float().mean())


def draw(curves: dict[str, list[float]], path: str) -> None:
    """The losses, averaged over the steps of an epoch."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for name, losses in curves.items():
        axes.semilogy(np.convolve(losses, np.ones(22) / 22, mode="valid"), label=name)
    axes.set(xlabel="step", ylabel="cross entropy")
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--torch", action="store_true", help="under PyTorch, with one thread")
    parser.add_argument("--plot", default="train_digits.png")
    options = parser.parse_args()
    torch = import_module("torch" if options.torch else "srcgrad")
    torch.manual_seed(0)
    np.random.seed(0)
    torch.set_num_threads(1)

    digits = load_digits()
    pixels = (digits.images / 16.0).astype(np.float32).reshape(-1, 1, 8, 8)
    parts = train_test_split(pixels, digits.target, test_size=0.2, random_state=0, stratify=digits.target)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)

    curves = {}
    for name, model in networks(torch.nn).items():
        start = time.perf_counter()
        curves[name], step = train(torch, model, x_train, y_train, options.epochs, name)
        reached = accuracy(torch, model, x_test, y_test)
        whole = time.perf_counter() - start
        print(f"{name}: {100 * reached:.1f} % of the test images, {whole:.1f} s, {1e3 * step:.2f} ms a step")
    draw(curves, options.plot)


if __name__ == "__main__":
    main()
