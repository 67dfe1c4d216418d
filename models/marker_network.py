"""The judge of markers: a small convolutional network with one answer, is the thing in the middle a marker?"""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTHS = (24, 48, 80, 112)


class MarkerNetwork(nn.Module):
    """(n, 3, 64, 64) BGR / 255 -> (n, 1) logits."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = WIDTHS
        self.trunk = nn.Sequential(
            *layer(3, a, 5, 2), *layer(a, b, 3, 2), *layer(b, b, 3, 1), *layer(b, c, 3, 2), *layer(c, c, 3, 1),
            *layer(c, d, 3, 2),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(3 * d, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x: Tensor) -> Tensor:
        f = self.trunk(x)
        # What lies in the middle, what is around it, and whatever stands out most anywhere.
        answer: Tensor = self.head(torch.cat([f[..., 1:3, 1:3].mean((2, 3)), f.mean((2, 3)), f.amax((2, 3))], 1))
        return answer


def layer(wide_in: int, wide_out: int, size: int, stride: int) -> list[nn.Module]:
    return [
        nn.Conv2d(wide_in, wide_out, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(wide_out),
        nn.ReLU(inplace=True),
    ]
