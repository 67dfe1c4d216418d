"""Train the network that sees what of a tile is hidden:

    python -m models.train_covers --data TILES.npz --things CUTOUTS.npz --held TILES.npz --held-things CUTOUTS.npz

The best weights on the held views are kept as best.pt; `python -m models.export covers` exports them.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.cover_crops import bare_tiles, covered_views, whole_tiles
from models.cover_cutouts import Cutouts
from models.cover_network import CoverNetwork
from models.crops import Crops
from models.train_reader import average_into, descend, pace, photographed, to_network
from vision.hidden import TILE_CELLS

BATCH = 48
EMA = 0.995
BESIDE = 0.3
"""The weight in the loss of a cell around the tile; one on it has 1."""
STEPS_BETWEEN_LOOKS = 200


def loss_of(logits: Tensor, wanted: Tensor) -> Tensor:
    weight = torch.full(logits.shape[1:], BESIDE)
    weight[TILE_CELLS] = 1.0
    each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    return (each * weight).sum() / (weight.sum() * len(logits))


def load(source: Path) -> Crops:
    """The whole tiles of a file of close-ups, or of a folder of rendered tables those on which nothing lies."""
    return bare_tiles(source) if source.is_dir() else whole_tiles(Crops.load(source))


def figures(logits: np.ndarray, wanted: np.ndarray) -> dict[str, float]:
    """Of halves of which from 5 to 70 % are hidden the share that is noticed, of bare tiles that which is not doubted,
    each at the threshold of one half and with two cells at least."""
    tile, truth = logits[:, TILE_CELLS[0], TILE_CELLS[1]] > 0, wanted[:, TILE_CELLS[0], TILE_CELLS[1]]
    along = tile.shape[2] // 2
    halves = np.concatenate([tile[:, :, :along], tile[:, :, along:]])
    shares = np.concatenate([truth[:, :, :along], truth[:, :, along:]]).mean((1, 2))
    noticed = halves.sum((1, 2)) >= 2
    some, bare = (shares > 0.05) & (shares < 0.7), shares == 0
    inside = (tile & (truth > 0.5)).sum() / max((tile | (truth > 0.5)).sum(), 1)
    return {"noticed": float(noticed[some].mean()), "bare": float((~noticed)[bare].mean()), "iou": float(inside)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--things", type=Path, required=True)
    parser.add_argument("--held", type=Path, required=True)
    parser.add_argument("--held-things", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("work/covers"))
    parser.add_argument("--minutes", type=float, required=True, help="of the processor's time, on a busy machine too")
    parser.add_argument("--start", type=Path)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=17)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    options.work.mkdir(parents=True, exist_ok=True)
    crops = Crops.together([load(path) for path in options.data])
    held = load(options.held)
    things = Cutouts.load(options.things)
    views, truth = covered_views(
        held, np.arange(len(held)), Cutouts.load(options.held_things), np.random.default_rng(3)
    )
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    network, kept = CoverNetwork().to(memory_format=torch.channels_last), CoverNetwork()
    if options.start is not None:
        network.load_state_dict(torch.load(options.start, map_location="cpu", weights_only=True))
    kept.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), options.rate, weight_decay=0.02)
    held_x, held_y = to_network(views, torch.device("cpu")), torch.from_numpy(truth)
    print(json.dumps({"crops": len(crops), "things": len(things), "held": len(held)}), flush=True)
    start, step, best = time.process_time(), 0, math.inf
    while True:
        share = (time.process_time() - start) / (60 * options.minutes)
        pace(optimiser, options.rate, share, warm=(step + 1) / 100)
        batch, wanted = covered_views(crops, rng.integers(0, len(crops), BATCH), things, rng)
        network.train()
        loss = loss_of(network(photographed(to_network(batch, torch.device("cpu")))), torch.from_numpy(wanted))
        descend(network, optimiser, loss)
        average_into(kept, network, min(EMA, (1 + step) / (10 + step)))
        step += 1
        if step % STEPS_BETWEEN_LOOKS == 0 or share >= 1:
            kept.eval()
            with torch.inference_mode():
                logits = torch.cat([kept(held_x[n : n + 256]) for n in range(0, len(held_x), 256)])
            at = float(loss_of(logits, held_y))
            row = {"minutes": (time.process_time() - start) / 60, "step": step, "training": loss.item(), "loss": at}
            row |= figures(logits.numpy(), truth)
            print(json.dumps({k: round(v, 4) for k, v in row.items()}), flush=True)
            torch.save(kept.state_dict(), options.work / "last.pt")
            if at < best:
                best = at
                torch.save(kept.state_dict(), options.work / "best.pt")
        if share >= 1:
            return


if __name__ == "__main__":
    main()
