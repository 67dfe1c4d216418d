"""Train the tile detector (YOLO26-OBB, narrower than nano, one head) on rendered tables.

    python -m models.train_detector --data DIR [DIR ...] --minutes M [--start weights.pt | --resume]

On a GPU when there is one, else on the CPU with `--threads`. `--resume` starts from the work folder's last weights
with a fresh descent of the learning rate over the given minutes. Four things make it bearable on a CPU: small crops
instead of mosaics, one head instead of two (the rotated-box loss took as long as the network), crops at the tile sizes
the product looks at, and bfloat16 in the network (never in the loss) where the processor has it.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path

from datasets.folder_argument import RENDERED, folder_with
from models.detector_crops import CropSettings, cut_folder, describe
from models.export import DETECTOR_CLASSES

MODEL = """nc: 4
end2end: False
reg_max: 1
scales:
  q: [0.50, 0.17, 512]
"""


def has_fast_bfloat16() -> bool:
    try:
        return "amx_bf16" in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False


def narrow_network(work: Path, ultralytics_folder: Path) -> Path:
    """The architecture file: ultralytics' YOLO26-OBB at 0.17 of its width with a single dense head."""
    body = (ultralytics_folder / "cfg/models/26/yolo26-obb.yaml").read_text(encoding="utf-8")
    path = work / "yolo26q-obb.yaml"
    path.write_text(MODEL + body[body.index("# YOLO26n backbone") :], encoding="utf-8")
    return path


def network_in_bfloat16() -> None:
    """Run the network in bfloat16 on the CPU while the loss stays in float32, where it does not turn to NaN."""
    import torch
    from ultralytics.nn.tasks import OBBModel

    def as_float(value):
        if torch.is_tensor(value):
            return value.float() if value.is_floating_point() else value
        if isinstance(value, dict):
            return {key: as_float(one) for key, one in value.items()}
        return type(value)(as_float(one) for one in value) if isinstance(value, list | tuple) else value

    def loss(self, batch, preds=None):
        if getattr(self, "criterion", None) is None:
            self.criterion = self.init_criterion()
        if preds is None:
            with torch.autocast("cpu", torch.bfloat16):
                preds = self.forward(batch["img"])
            preds = as_float(preds)
        return self.criterion(preds, batch)

    OBBModel.loss = loss


def keep_best(work: Path):
    """A callback that copies the averaged weights to the work folder after every epoch."""

    def keep(trainer) -> None:
        for name in ("last", "best"):
            made = Path(getattr(trainer, name))
            if made.is_file():
                (work / f"{name}.pt").write_bytes(made.read_bytes())

    return keep


def descend_by_the_clock(rate: float, minutes: float, warm: int = 20):
    """A callback that sets the learning rate from the time that is left.

    ultralytics plans by epochs; on a busy machine nobody knows how many fit into the given minutes.
    """
    begun: list[float] = []

    def descend(trainer) -> None:
        begun.append(time.monotonic())
        share = min(1.0, (begun[-1] - begun[0]) / (60 * minutes))
        now = rate * min(1.0, len(begun) / warm) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * share)))
        for group in trainer.optimizer.param_groups:
            group["lr"] = now

    return descend


def train(options: argparse.Namespace) -> None:
    work: Path = options.work.resolve()
    settings = CropSettings(size=options.size, copies=options.copies)
    for folder in options.data:
        cut_folder(folder, work / "train", settings, options.threads)
    held_settings = CropSettings(size=options.size, copies=1, spoilt=0.0, seed=5)
    for folder in options.held:
        cut_folder(folder, work / "held", held_settings, options.threads)
    data = describe(work, DETECTOR_CLASSES, "train/images", "held/images")

    import torch

    from models.ultralytics_here import ULTRALYTICS, YOLO

    on_gpu = torch.cuda.is_available()
    if not on_gpu and has_fast_bfloat16():
        network_in_bfloat16()
    last = work / "last.pt"
    start = last if options.resume and last.is_file() else options.start
    batch = 64 if on_gpu else 16
    model = YOLO(str(start or narrow_network(work, ULTRALYTICS)), task="obb")
    # ultralytics takes all cores but one; on a shared machine the caller knows better.
    model.add_callback("on_train_start", lambda trainer: torch.set_num_threads(options.threads))
    # Such narrow layers train half as fast again on a CPU when a pixel's channels lie side by side.
    model.add_callback("on_train_start", lambda trainer: trainer.model.to(memory_format=torch.channels_last))
    model.add_callback("on_train_batch_start", descend_by_the_clock(options.rate, options.minutes))
    model.add_callback("on_model_save", keep_best(work))
    model.train(
        data=str(data),
        epochs=200,
        time=options.minutes / 60,
        imgsz=options.size,
        batch=batch,
        nbs=batch,
        device=0 if on_gpu else "cpu",
        workers=8 if on_gpu else 0,
        cache="ram",
        plots=False,
        verbose=False,
        project=str(work / "runs"),
        name="tiles",
        exist_ok=True,
        pretrained=bool(start),
        amp=False,
        mosaic=0.0,
        close_mosaic=0,
        degrees=180,
        flipud=0.5,
        fliplr=0.5,
        scale=0.3,
        translate=0.1,
        hsv_h=0.05,
        hsv_s=0.6,
        hsv_v=0.4,
        optimizer="AdamW",
        lr0=options.rate,
        warmup_epochs=0,
        max_det=400,
        seed=options.seed,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=folder_with(RENDERED), nargs="+", required=True, help="folders of rendered tables"
    )
    parser.add_argument(
        "--held", type=folder_with(RENDERED), nargs="+", required=True, help="folders of other rendered tables"
    )
    parser.add_argument("--work", type=Path, default=Path("work/detector"))
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", type=Path, help="weights to start from")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--size", type=int, default=416)
    parser.add_argument("--copies", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.001)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    train(options)


if __name__ == "__main__":
    main()
