"""Average two detectors, or two readers, that grew from the same weights.

    python -m models.average FIRST.pt SECOND.pt --share 0.6 --out AVERAGE.pt

A short fine-tuning on new kinds of pictures makes a network better on those and a little worse on what it no longer
sees. Half-way between the two it keeps most of both; what it is worth is measured, not assumed (see runs-tiles.md).
"""

from __future__ import annotations

import argparse
from pathlib import Path


def averaged(first: Path, second: Path, share: float, out: Path) -> None:
    """Write the checkpoint of `second` with `share` of its weights and the rest of `first`'s."""
    import torch

    from models.ultralytics_here import YOLO  # noqa: F401  (the checkpoints hold its classes)

    kept, checkpoint = (torch.load(path, map_location="cpu", weights_only=False) for path in (first, second))
    is_reader = "model" not in kept
    one, two = (c if is_reader else (c.get("ema") or c["model"]).float() for c in (kept, checkpoint))
    mine, other = (c if is_reader else c.state_dict() for c in (one, two))
    if mine.keys() != other.keys():
        raise SystemExit(f"{first} and {second} are not the same network")
    with torch.no_grad():
        for name, value in other.items():
            if value.dtype.is_floating_point:
                value.copy_(torch.lerp(mine[name].to(value.dtype), value, share))
    if not is_reader:
        checkpoint |= {"ema": None, "optimizer": None, "model": two.half()}
    torch.save(checkpoint, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="the part of the second")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    averaged(options.first, options.second, options.share, options.out)


if __name__ == "__main__":
    main()
