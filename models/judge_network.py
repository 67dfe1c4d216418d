"""The network of a judge: a small convolutional one with one answer, does the asked thing lie in the middle?"""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTHS = (24, 48, 80, 112)
STRIDE = 16


class JudgeNetwork(nn.Module):
    """(n, 3, high, wide) BGR / 255 -> (n, 1) logits; `size_wh` is in multiples of STRIDE."""

    def __init__(self, size_wh: tuple[int, int]) -> None:
        super().__init__()
        a, b, c, d = WIDTHS
        wide, high = (side // STRIDE for side in size_wh)
        self.middle = (..., slice(1, high - 1), slice(1, wide - 1))
        self.trunk = nn.Sequential(
            *layer(3, a, 5, 2), *layer(a, b, 3, 2), *layer(b, b, 3, 1), *layer(b, c, 3, 2), *layer(c, c, 3, 1),
            *layer(c, d, 3, 2),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(3 * d, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x: Tensor) -> Tensor:
        f = self.trunk(x)
        # The middle, its surroundings, and the strongest response anywhere.
        answer: Tensor = self.head(torch.cat([f[self.middle].mean((2, 3)), f.mean((2, 3)), f.amax((2, 3))], 1))
        return answer


def layer(wide_in: int, wide_out: int, size: int, stride: int) -> list[nn.Module]:
    return [
        nn.Conv2d(wide_in, wide_out, size, stride, size // 2, bias=False),
        nn.BatchNorm2d(wide_out),
        nn.ReLU(inplace=True),
    ]
