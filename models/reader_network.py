"""The reader: a small residual network over a whole tile with one answer for each half.

An answer is the probabilities of the classes and, so that a box which lies a little askew can be put right and read
again, where the two outer corners of that half really are. Both halves are answered from the same features, so that
what the one half's print reaches into the other, where the divider lies and whether there is one are seen by both.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.crops import CLASSES

WIDTHS = (32, 64, 128)


class Block(nn.Module):
    """Two 3 x 3 convolutions, the first one reducing, with a short cut around them."""

    def __init__(self, wide_in: int, wide_out: int) -> None:
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(wide_in, wide_out, 3, 2, 1, bias=False),
            nn.BatchNorm2d(wide_out),
            nn.ReLU(inplace=True),
            nn.Conv2d(wide_out, wide_out, 3, 1, 1, bias=False),
            nn.BatchNorm2d(wide_out),
        )
        self.short = nn.Sequential(nn.Conv2d(wide_in, wide_out, 1, 2, bias=False), nn.BatchNorm2d(wide_out))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.main(x) + self.short(x))


class TileReader(nn.Module):
    """(n, 3, 48, 96) BGR / 255 -> (n, 2, classes) logits and (n, 2, 4) corner offsets in tile widths.

    Half 0 is the left one, its corners bottom left and top left; those of half 1 are top right and bottom right.
    """

    def __init__(self, classes: int = len(CLASSES)) -> None:
        super().__init__()
        a, b, c = WIDTHS
        # Halving at once costs the smallest pips nothing that was measured and is twice as fast to train on a CPU.
        self.trunk = nn.Sequential(
            nn.Conv2d(3, a, 5, 2, 2, bias=False), nn.BatchNorm2d(a), nn.ReLU(inplace=True), Block(a, b), Block(b, c)
        )
        # A few channels keep their place, beside the averages, which lose it.
        self.places = nn.Sequential(nn.Conv2d(c, 24, 1, bias=False), nn.BatchNorm2d(24), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(
            nn.Dropout(0.1), nn.Linear(3 * c + 24 * 72, 160), nn.ReLU(), nn.Linear(160, classes + 4)
        )
        self.classes = classes

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        f = self.trunk(x)
        left, right, whole = f[..., :6].mean((2, 3)), f[..., 6:].mean((2, 3)), f.mean((2, 3))
        # The right half is answered by the same head from the picture turned by 180 degrees.
        places, turned = self.places(f), self.places(f.flip(2).flip(3))
        first = torch.cat([left, right, whole, places], 1)
        second = torch.cat([right, left, whole, turned], 1)
        answer: Tensor = self.head(torch.stack([first, second], 1))
        offsets = answer[..., self.classes :]
        offsets = torch.stack([offsets[:, 0], -offsets[:, 1]], 1)
        return answer[..., : self.classes], offsets


class Answering(nn.Module):
    """The network as exported. Its one answer (n, 2, classes + 4): the probabilities, then the corner offsets."""

    def __init__(self, network: TileReader) -> None:
        super().__init__()
        self.network = network

    def forward(self, tile: Tensor) -> Tensor:
        logits, offsets = self.network(tile)
        return torch.cat([torch.softmax(logits, 2), offsets], 2)
