"""Train a judge: python -m models.train_judge markers|backs --data DIR [DIR ...] --held DIR --minutes M

On a GPU when there is one, else on the CPU with `--threads`. The things are cut out once, found with the
detector in use, and kept in the work folder. The best weights on the held tables are kept as best.pt;
`python -m models.export markers|backs` exports them.
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

from datasets.folder_argument import RENDERED, folder_with
from models.back_crops import BACKS
from models.judge_crops import Cuts, Subject, collect
from models.judge_network import JudgeNetwork
from models.marker_crops import MARKERS
from models.train_reader import average_into, descend, pace, photographed, to_network
from vision.judging import JudgeSettings, log_odds
from vision.weights import folder_of, shipped_weights

SUBJECTS = {subject.name: subject for subject in (MARKERS, BACKS)}
BATCH = 128
EMA = 0.997
SECONDS_BETWEEN_LOOKS = 120
LIT = 0.4
"""The share of training cuts seen in another light, brighter or darker than the table was."""


def load(subject: Subject, folder: Path, work: Path, detector: Path, seed: int, workers: int) -> Cuts:
    kept = work / f"{folder.name}.npz"
    if kept.is_file():
        return Cuts.load(kept)
    cuts = collect(subject, folder, detector, seed, workers)
    cuts.save(kept)
    return cuts


def turned(subject: Subject, cuts: Cuts, chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(n, high, wide, 3): the chosen cuts turned, moved, mirrored and a little larger or smaller."""
    wide, high = subject.size_wh
    out = np.empty((len(chosen), high, wide, 3), np.uint8)
    middle = np.array(cuts.images.shape[2:0:-1]) / 2
    most = math.radians(subject.most_turn_deg)
    for row, n in enumerate(chosen):
        angle, size = rng.uniform(-most, most), math.exp(rng.normal(0, 0.1 if most > 1 else 0.03))
        c, s = math.cos(angle) * size, math.sin(angle) * size
        matrix = np.array([[c, -s], [s, c]]) @ np.diag(rng.choice([-1.0, 1.0], 2))
        shift = middle + rng.normal(0, 0.025 * high, 2) - matrix @ np.array([wide / 2, high / 2])
        cv2.warpAffine(
            cuts.images[n],
            np.column_stack([matrix, shift]),
            (wide, high),
            dst=out[row],
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return out


def lit(x: Tensor) -> Tensor:
    """(n, 3, h, w) in 0..1, some of them burnt out or in the dark."""
    some = torch.rand(len(x), device=x.device) < LIT
    gain = torch.exp(0.45 * torch.randn(len(x), 1, 1, 1, device=x.device))
    curve = torch.exp(0.35 * torch.randn(len(x), 1, 1, 1, device=x.device))
    return torch.where(some[:, None, None, None], (x.clamp(1e-3, 1) ** curve * gain).clamp(0, 1), x)


def answers(network: JudgeNetwork, subject: Subject, cuts: Cuts, device: torch.device) -> np.ndarray:
    """(n,) logits of all cuts as the product would cut them."""
    network.eval()
    views = subject.plain(cuts)
    with torch.inference_mode():
        parts = [network(to_network(views[n : n + 512], device))[:, 0].cpu() for n in range(0, len(views), 512)]
    return torch.cat(parts).numpy()


def combined(logits: np.ndarray, cuts: Cuts) -> tuple[float, float, float]:
    """(judged, found, offset) of `vision.judging.JudgeSettings`, by logistic regression on what the detector found."""
    picked = cuts.found > 0
    x = torch.tensor(np.stack([logits[picked], log_odds(cuts.found[picked]), np.ones(picked.sum())], 1)).double()
    y = torch.tensor(cuts.wanted[picked]).double()
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


def figures(logits: np.ndarray, cuts: Cuts) -> dict[str, float]:
    """Shares of the detector's finds: wanted things known at the threshold, and others taken for some."""
    real = cuts.found > 0
    judged, found, offset = combined(logits, cuts)
    total = JudgeSettings(judged=judged, found=found, offset=offset).total(logits, cuts.found)
    return {
        "loss": float(np.logaddexp(0, np.where(cuts.wanted, -total, total))[real].mean()),
        "known": float((total > 0)[real & cuts.wanted].mean()),
        "known_alone": float((logits > 0)[cuts.wanted].mean()),
        "mistaken": float((total > 0)[real & ~cuts.wanted].mean()),
        "judged": judged,
        "found": found,
        "offset": offset,
    }


def train(subject: Subject, cuts: Cuts, held: Cuts, options: argparse.Namespace) -> None:
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = JudgeNetwork(subject.size_wh).to(device, memory_format=torch.channels_last)
    kept = JudgeNetwork(subject.size_wh).to(device)
    if options.start is not None:
        network.load_state_dict(torch.load(options.start, map_location=device, weights_only=True))
    kept.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), options.rate, weight_decay=0.02)
    yes, no = np.flatnonzero(cuts.wanted), np.flatnonzero(~cuts.wanted)
    start, step, best, shown = time.monotonic(), 0, math.inf, time.monotonic()
    while True:
        share = (time.monotonic() - start) / (60 * options.minutes)
        pace(optimiser, options.rate, share, warm=(step + 1) / 100)
        chosen = np.concatenate([rng.choice(yes, BATCH * 2 // 5), rng.choice(no, BATCH - BATCH * 2 // 5)])
        network.train()
        logits = network(lit(photographed(to_network(turned(subject, cuts, chosen, rng), device))))[:, 0]
        wanted = torch.from_numpy(cuts.wanted[chosen]).float().to(device)
        loss = functional.binary_cross_entropy_with_logits(logits, wanted * 0.98 + 0.01)
        descend(network, optimiser, loss)
        average_into(kept, network, min(EMA, (1 + step) / (10 + step)))
        step += 1
        if time.monotonic() - shown > SECONDS_BETWEEN_LOOKS or share >= 1:
            shown = time.monotonic()
            found = figures(answers(kept, subject, held, device), held)
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
    parser.add_argument("judge", choices=sorted(SUBJECTS))
    parser.add_argument(
        "--data", type=folder_with(RENDERED), nargs="+", required=True, help="folders of rendered tables"
    )
    parser.add_argument(
        "--held", type=folder_with(RENDERED), nargs="+", required=True, help="folders of other rendered tables"
    )
    parser.add_argument("--work", type=Path, default=Path("work/judge"))
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", type=Path, help="weights to start from")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    subject, detector = SUBJECTS[options.judge], shipped_weights("tiles", folder=folder_of("tiles"))
    everywhere = (options.work, detector, options.seed, options.threads)
    cuts = Cuts.together([load(subject, folder, *everywhere) for folder in options.data])
    held = Cuts.together([load(subject, folder, *everywhere) for folder in options.held])
    counts = {"cuts": len(cuts), "wanted": int(cuts.wanted.sum()), "held": len(held)}
    print(json.dumps(counts | {"held_wanted": int(held.wanted.sum())}), flush=True)
    train(subject, cuts, held, options)


if __name__ == "__main__":
    main()
