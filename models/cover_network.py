"""The network that sees what of a tile is hidden: a grid of answers over the tile's crop."""

from __future__ import annotations

import torch
from torch import Tensor, nn

WIDTHS = (20, 32, 64)


class CoverNetwork(nn.Module):
    """(n, 3, 64, 104) BGR / 255 -> (n, 16, 26) logits that a cell is hidden."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c = WIDTHS
        self.near = nn.Sequential(*layer(3, a, 5, 2), *layer(a, b, 3, 2), *layer(b, b, 3, 1))
        self.far = nn.Sequential(*layer(b, c, 3, 2), *layer(c, c, 3, 1), *layer(c, c, 3, 1, 2), *layer(c, c, 3, 1))
        self.whole = nn.Linear(2 * c, b)
        self.down = nn.Conv2d(c, b, 1)
        self.answer = nn.Sequential(*layer(2 * b, b, 3, 1), *layer(b, b, 3, 1), nn.Conv2d(b, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        near = self.near(x)
        far = self.far(near)
        # A thing's body tells from the rest of the tile's: what is usual on this one counts everywhere.
        usual = self.whole(torch.cat([far.mean((2, 3)), far.amax((2, 3))], 1))[:, :, None, None]
        wide = nn.functional.interpolate(self.down(far), scale_factor=2.0, mode="bilinear", align_corners=False)
        answer: Tensor = self.answer(torch.cat([near, wide + usual], 1))
        return answer[:, 0]


def layer(wide_in: int, wide_out: int, size: int, stride: int, apart: int = 1) -> list[nn.Module]:
    return [
        nn.Conv2d(wide_in, wide_out, size, stride, size // 2 * apart, apart, bias=False),
        nn.BatchNorm2d(wide_out),
        nn.ReLU(inplace=True),
    ]
