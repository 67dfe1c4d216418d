"""Train the judge of markers: python -m models.train_markers --data DIR [DIR ...] --held DIR --minutes M

On a GPU when there is one, else on the CPU with `--threads`. The squares are cut once, with the shipped detector, and
kept in the work folder. The best weights on the held tables are kept as best.pt; `python -m models.export markers`
exports them.
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

from models.marker_crops import ROOM_PX, Squares, collect
from models.marker_network import MarkerNetwork
from models.shipped import shipped_weights
from models.train_reader import average_into, descend, photographed, to_network
from vision.markers import CUT_PX, JudgeSettings, log_odds

BATCH = 128
EMA = 0.997
SECONDS_BETWEEN_LOOKS = 120


def load(folder: Path, work: Path, detector: Path, seed: int, workers: int) -> Squares:
    kept = work / f"{folder.name}.npz"
    if kept.is_file():
        return Squares.load(kept)
    squares = collect(folder, detector, seed, workers)
    squares.save(kept)
    return squares


def turned(squares: Squares, chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(n, CUT_PX, CUT_PX, 3): the chosen squares turned, moved, mirrored and a little larger or smaller."""
    out = np.empty((len(chosen), CUT_PX, CUT_PX, 3), np.uint8)
    for row, n in enumerate(chosen):
        angle, size = rng.uniform(0, 2 * math.pi), math.exp(rng.normal(0, 0.1))
        c, s = math.cos(angle) * size, math.sin(angle) * size
        matrix = np.array([[c, -s], [s, c]]) @ np.diag([rng.choice([-1.0, 1.0]), 1.0])
        middle = np.array([ROOM_PX / 2, ROOM_PX / 2]) + rng.normal(0, 1.6, 2)
        shift = middle - matrix @ np.array([CUT_PX / 2, CUT_PX / 2])
        cv2.warpAffine(
            squares.images[n],
            np.column_stack([matrix, shift]),
            (CUT_PX, CUT_PX),
            dst=out[row],
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return out


def plain(squares: Squares) -> np.ndarray:
    """The middle of every square, as the product cuts it."""
    edge = (ROOM_PX - CUT_PX) // 2
    return np.ascontiguousarray(squares.images[:, edge : edge + CUT_PX, edge : edge + CUT_PX])


def answers(network: MarkerNetwork, squares: Squares, device: torch.device) -> np.ndarray:
    """(n,) logits of all squares as the product would cut them."""
    network.eval()
    views = plain(squares)
    with torch.inference_mode():
        parts = [network(to_network(views[n : n + 512], device))[:, 0].cpu() for n in range(0, len(views), 512)]
    return torch.cat(parts).numpy()


def combined(logits: np.ndarray, squares: Squares) -> tuple[float, float, float]:
    """(judged, found, offset) of `vision.markers.JudgeSettings`, by logistic regression on what the detector found."""
    picked = squares.found > 0
    x = torch.tensor(np.stack([logits[picked], log_odds(squares.found[picked]), np.ones(picked.sum())], 1)).double()
    y = torch.tensor(squares.marker[picked]).double()
    w = torch.tensor([1.0, 0.0, 0.0], dtype=torch.double, requires_grad=True)
    fit = torch.optim.LBFGS([w], max_iter=200)

    def loss() -> Tensor:
        fit.zero_grad()
        value = functional.binary_cross_entropy_with_logits(x @ w, y) + 1e-4 * (w * w).sum()
        value.backward()
        return value

    fit.step(loss)
    judged, found, offset = (round(v, 3) for v in w.detach().tolist())
    return judged, found, offset


def figures(logits: np.ndarray, squares: Squares) -> dict[str, float]:
    """Shares of the detector's finds: markers known at the threshold, and finds that are none taken for some."""
    real = squares.found > 0
    judged, found, offset = combined(logits, squares)
    total = JudgeSettings(judged=judged, found=found, offset=offset).total(logits, squares.found)
    return {
        "loss": float(np.logaddexp(0, np.where(squares.marker, -total, total))[real].mean()),
        "known": float((total > 0)[real & squares.marker].mean()),
        "known_alone": float((logits > 0)[squares.marker].mean()),
        "mistaken": float((total > 0)[real & ~squares.marker].mean()),
        "judged": judged,
        "found": found,
        "offset": offset,
    }


def train(squares: Squares, held: Squares, options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = MarkerNetwork().to(device, memory_format=torch.channels_last)
    kept = MarkerNetwork().to(device)
    if options.start is not None:
        network.load_state_dict(torch.load(options.start, map_location=device, weights_only=True))
    kept.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), options.rate, weight_decay=0.02)
    yes, no = np.flatnonzero(squares.marker), np.flatnonzero(~squares.marker)
    start, step, best, shown = time.monotonic(), 0, math.inf, time.monotonic()
    while True:
        share = (time.monotonic() - start) / (60 * options.minutes)
        warm = min(1.0, (step + 1) / 100)
        for group in optimiser.param_groups:
            group["lr"] = options.rate * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0))))
        chosen = np.concatenate([rng.choice(yes, BATCH * 2 // 5), rng.choice(no, BATCH - BATCH * 2 // 5)])
        network.train()
        logits = network(photographed(to_network(turned(squares, chosen, rng), device)))[:, 0]
        wanted = torch.from_numpy(squares.marker[chosen]).float().to(device)
        loss = functional.binary_cross_entropy_with_logits(logits, wanted * 0.98 + 0.01)
        descend(network, optimiser, loss)
        average_into(kept, network, min(EMA, (1 + step) / (10 + step)))
        step += 1
        if time.monotonic() - shown > SECONDS_BETWEEN_LOOKS or share >= 1:
            shown = time.monotonic()
            found = figures(answers(kept, held, device), held)
            row = {"minutes": round((shown - start) / 60, 1), "step": step, "training": round(loss.item(), 4)}
            print(json.dumps(row | {k: round(v, 4) for k, v in found.items()}), flush=True)
            torch.save(kept.state_dict(), options.work / "last.pt")
            if found["loss"] < best:
                best = found["loss"]
                torch.save(kept.state_dict(), options.work / "best.pt")
        if share >= 1:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of rendered tables")
    parser.add_argument("--held", type=Path, nargs="+", required=True, help="folders of other rendered tables")
    parser.add_argument("--work", type=Path, default=Path("work/markers"))
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", type=Path, help="weights to start from")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    detector = shipped_weights("tiles")
    parts = [load(folder, options.work, detector, options.seed, options.threads) for folder in options.data]
    held = [load(folder, options.work, detector, options.seed, options.threads) for folder in options.held]
    squares, others = Squares.together(parts), Squares.together(held)
    counts = {"squares": len(squares), "markers": int(squares.marker.sum()), "held": len(others)}
    print(json.dumps(counts | {"held_markers": int(others.marker.sum())}), flush=True)
    train(squares, others, options)


if __name__ == "__main__":
    main()
