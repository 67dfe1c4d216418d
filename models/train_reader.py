"""Train the tile reader on rendered tables: python -m models.train_reader --data DIR [DIR ...] --minutes M

On a GPU when there is one, else on the CPU with `--threads`. `--resume` goes on from the last checkpoint in `--work`
(its weights, not its schedule: the given minutes are one new descent of the learning rate). The best weights on the
validation tables are kept as best.pt and exported with `python -m models.export`.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from models.crops import CLASSES, IGNORED, ILLEGIBLE, NONE, Crops, collect, jittered_views, one_pass, plain_views
from models.reader_network import TileReader

BATCH = 192
EMA = 0.995

LEFT_TO_SEE = 0.3
"""Of the contrast of a crop that is overexposed at least this part is left."""


def load(source: Path, work: Path, seed: int) -> Crops:
    """The crops of a folder of rendered tables, cut once and kept in the work folder, or of a file of close-ups."""
    if source.suffix == ".npz":
        return Crops.load(source)
    kept = work / f"{source.name}.npz"
    if kept.is_file():
        return Crops.load(kept)
    crops = collect(source, seed)
    crops.save(kept)
    return crops


def to_network(views: np.ndarray, device: torch.device) -> Tensor:
    x = torch.from_numpy(views).to(device).permute(0, 3, 1, 2).float().div_(255)
    return x.contiguous(memory_format=torch.channels_last)


def smeared(x: Tensor, length: float, angle: float) -> Tensor:
    """(n, 3, h, w) as a camera or a table that moves by `length` px under `angle` (radians) would take it."""
    reach = math.ceil(length / 2)
    at = torch.arange(-reach, reach + 1, dtype=x.dtype)
    down, along = torch.meshgrid(at, at, indexing="ij")
    ahead, aside = along * math.cos(angle) + down * math.sin(angle), down * math.cos(angle) - along * math.sin(angle)
    line = (length / 2 + 0.5 - ahead.abs()).clamp(0, 1) * (1 - aside.abs()).clamp(0, 1)
    kernel = (line / line.sum()).to(x.device).expand(x.shape[1], 1, -1, -1)
    return functional.conv2d(functional.pad(x, (reach,) * 4, mode="replicate"), kernel, groups=x.shape[1])


def overexposed(x: Tensor) -> Tensor:
    """(n, 3, h, w) in 0..1, overexposed as by a camera that measured a dark table: white faces burn out and their light
    spreads over the pips, which get smaller and pale. A crop that would lose nearly everything stays as it was."""
    n = len(x)
    spread = functional.max_pool2d(x, 3, 1, 1)
    wide = torch.lerp(x, spread, 0.8 * torch.rand(n, 1, 1, 1, device=x.device))
    gain = torch.empty(n, 1, 1, 1, device=x.device).uniform_(1.0, 1.7)
    power = torch.empty(n, 1, 1, 1, device=x.device).uniform_(1.0, 3.5)
    burnt = 1 - (1 - (wide * gain).clamp(0, 1)) ** power
    shows = burnt.std((1, 2, 3), keepdim=True) > LEFT_TO_SEE * x.std((1, 2, 3), keepdim=True)
    return torch.where(shows, burnt, x)


def photographed(x: Tensor) -> Tensor:
    """(n, 3, h, w) in 0..1 as other cameras and other dyes would show it: colour, contrast, blur, movement,
    overexposure, noise."""
    n, _, h, w = x.shape
    u = torch.rand(n, 1, 1, 1, device=x.device)
    x = torch.where(u < 0.2, x[:, torch.randperm(3).tolist()], x)
    x = torch.where((u > 0.2) & (u < 0.32), x.mean(1, keepdim=True).expand_as(x), x)
    x = torch.where(u > 0.95, 1 - x, x)
    gain = torch.exp(0.18 * torch.randn(n, 1, 1, 1)) * (1 + 0.07 * torch.randn(n, 3, 1, 1))
    contrast = torch.exp(0.22 * torch.randn(n, 1, 1, 1))
    x = x * gain.to(x.device)
    middle = x.mean((1, 2, 3), keepdim=True)
    x = (x - middle) * contrast.to(x.device) + middle + 0.03 * torch.randn(n, 1, 1, 1).to(x.device)
    few = torch.rand(n) < 0.3
    if few.any():
        factor = float(torch.empty(1).uniform_(0.3, 0.85))
        small = functional.interpolate(x[few], size=(max(12, int(h * factor)), max(24, int(w * factor))), mode="area")
        x[few] = functional.interpolate(small, size=(h, w), mode="bilinear", align_corners=False)
    moved = torch.rand(n) < 0.12
    if moved.any():
        x[moved] = smeared(x[moved], float(torch.empty(1).uniform_(0.03, 0.13)) * h, float(torch.rand(1)) * math.pi)
    burnt = torch.rand(n) < 0.15
    if burnt.any():
        x[burnt] = overexposed(x[burnt])
    noise = torch.rand(n, 1, 1, 1) ** 2 * 0.045
    return (x + torch.randn_like(x) * noise.to(x.device)).clamp_(0, 1)


def answers(network: TileReader, crops: Crops, device: torch.device) -> Tensor:
    """(n, 2, classes) logits of all crops as the product would cut them."""
    network.eval()
    out = []
    with torch.inference_mode():
        for start in range(0, len(crops), 512):
            picked = np.arange(start, min(start + 512, len(crops)))
            out.append(network(to_network(plain_views(crops, picked), device))[0].float().cpu())
    return torch.cat(out)


def figures(logits: Tensor, crops: Crops) -> dict[str, float]:
    """Shares of halves read right: all, those of 20 and of 40 px, and how often a non-half is called a value."""
    labels = torch.from_numpy(crops.labels.astype(np.int64))
    side = torch.from_numpy(crops.side_px)[:, None].expand(-1, 2)
    right = logits.argmax(2) == labels
    value = (labels >= 0) & (labels < NONE)
    other = labels >= NONE
    p, best = logits.softmax(2).max(2)
    claimed = (best < NONE) & (p > 0.9)
    return {
        "values": float(right[value].float().mean()),
        "values_20px": float(right[value & (side >= 20)].float().mean()),
        "values_40px": float(right[value & (side >= 40)].float().mean()),
        "rejected": float((~claimed)[other].float().mean()),
        "claimed": float(claimed[value].float().mean()),
        "claimed_wrong": float((claimed & ~right)[value].float().sum() / claimed[value].float().sum().clamp(min=1)),
    }


def class_weights(labels: np.ndarray) -> Tensor:
    """The weight of each class in the loss, by how often it comes among `labels` (n, 2)."""
    count = np.bincount(labels[labels >= 0], minlength=len(CLASSES)).astype(np.float32)
    weight = (count.sum() / len(CLASSES) / np.maximum(count, 1)) ** 0.5
    return torch.from_numpy(np.clip(weight, 0.4, 2.5))


def told(logits: Tensor, wanted: Tensor, weight: Tensor) -> Tensor:
    """The loss over all halves whose class is known."""
    known = torch.where(wanted == ILLEGIBLE, torch.full_like(wanted, IGNORED), wanted)
    return functional.cross_entropy(
        logits.flatten(0, 1), known.flatten(), weight=weight, ignore_index=IGNORED, label_smoothing=0.01
    )


def undecided(logits: Tensor, wanted: Tensor) -> Tensor:
    """The loss of halves that nobody can read, per half of the batch: cross entropy to equal shares of every value, and
    to its being neither *none* nor *back*, for it is a half of a tile all the same."""
    none_knows = (wanted == ILLEGIBLE).flatten()
    unread = logits.flatten(0, 1)[none_knows]
    shares = unread[:, :NONE].log_softmax(1)
    a_half = unread.log_softmax(1)[:, :NONE].logsumexp(1)
    return -(shares.mean(1) + a_half).sum() / max(1, len(none_knows))


def pace(optimiser: torch.optim.Optimizer, rate: float, share: float, warm: float) -> None:
    """The learning rate after a `share` of the time: it rises while `warm` is below 1 and falls along a cosine."""
    falling = 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(share, 1.0)))
    for group in optimiser.param_groups:
        group["lr"] = rate * min(1.0, warm) * falling


def descend(network: torch.nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    """One step of the optimiser, no longer than is safe."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimiser.step()


def average_into(kept: torch.nn.Module, network: torch.nn.Module, keep: float) -> None:
    """Move the weights of `kept` towards those of `network`, keeping so much of them."""
    with torch.no_grad():
        for averaged, now in zip(kept.state_dict().values(), network.state_dict().values(), strict=True):
            if averaged.dtype.is_floating_point:
                averaged.lerp_(now, 1 - keep)
            else:
                averaged.copy_(now)


def train(crops: Crops, held: Crops, options: argparse.Namespace) -> None:
    work, minutes, rate, seed = options.work, options.minutes, options.rate, options.seed
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = TileReader().to(device, memory_format=torch.channels_last)
    kept = TileReader().to(device)
    last, best_file = work / "last.pt", work / "best.pt"
    begin = last if options.resume and last.is_file() else options.start
    if begin is not None:
        network.load_state_dict(torch.load(begin, map_location=device, weights_only=True))
    kept.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=0.02)
    start, step, best, shown = time.monotonic(), 0, -1.0, time.monotonic()
    order, place = one_pass(crops, rng), 0
    weight = class_weights(crops.labels[order]).to(device)
    while True:
        share = (time.monotonic() - start) / (60 * minutes)
        pace(optimiser, rate, share, warm=(step + 1) / 150)
        if place + BATCH > len(order):
            order, place = one_pass(crops, rng), 0
        chosen = order[place : place + BATCH]
        views, labels, corners = jittered_views(crops, chosen, rng)
        place += BATCH
        network.train()
        logits, offsets = network(photographed(to_network(views, device)))
        wanted = torch.from_numpy(labels.astype(np.int64)).to(device)
        loss = told(logits, wanted, weight) + undecided(logits, wanted)
        straight = torch.from_numpy(crops.straight[chosen]).to(device)
        askew = functional.smooth_l1_loss(offsets[straight], torch.from_numpy(corners).to(device)[straight], beta=0.03)
        loss = loss + 2 * askew
        descend(network, optimiser, loss)
        average_into(kept, network, min(EMA, (1 + step) / (10 + step)))
        step += 1
        if time.monotonic() - shown > 120 or share >= 1:
            shown = time.monotonic()
            found = figures(answers(kept, held, device), held)
            print(
                json.dumps(
                    {
                        "minutes": round((shown - start) / 60, 1),
                        "step": step,
                        "loss": round(loss.item(), 4),
                        "askew": round(askew.item(), 5),
                    }
                    | {k: round(v, 4) for k, v in found.items()}
                ),
                flush=True,
            )
            torch.save(kept.state_dict(), last)
            score = found["values_20px"] + 0.5 * found["rejected"]
            if score > best:
                best = score
                torch.save(kept.state_dict(), best_file)
        if share >= 1:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, help="folders of rendered tables, files of close-ups"
    )
    parser.add_argument("--held", type=Path, nargs="*", help="validation tables (default: every 20th of the data)")
    parser.add_argument("--work", type=Path, default=Path("work/reader"))
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", type=Path, help="weights to start from")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.work.mkdir(parents=True, exist_ok=True)
    crops = Crops.together([load(folder, options.work, options.seed + i) for i, folder in enumerate(options.data)])
    if options.held:
        held = Crops.together([load(folder, options.work, 99) for folder in options.held])
    else:
        picked = np.random.default_rng(0).permutation(len(crops))
        cut = len(crops) // 20
        crops, held = crops.part(picked[cut:]), crops.part(picked[:cut])
    print(json.dumps({"crops": len(crops), "held": len(held)}), flush=True)
    train(crops, held, options)


if __name__ == "__main__":
    main()
