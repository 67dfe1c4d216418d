"""Export trained weights as ONNX, fit the reader's temperature and write the manifest.

    python -m models.export reader --weights work/reader/best.pt --held DIR
    python -m models.export detector --weights work/detector/best.pt
    python -m models.export markers --weights work/markers/best.pt --held DIR [DIR ...]
    python -m models.export backs --weights work/backs/best.pt --held DIR [DIR ...]
    python -m models.export covers --weights work/covers/best.pt
    python -m models.export ncnn                          (of the detector's ONNX file, for vision/runtimes.py)

The weights in the file are stored in half precision and cast when they are loaded: half the size in git, and the
readings are compared with the trained model's before the file replaces the shipped one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from models.calibrate import expected_error, fitted_temperature
from models.crops import CLASSES, Crops, collect, plain_views
from models.judge_crops import Subject
from vision.hidden import CELL_PX, MASK_WH
from vision.inference import load_runtime
from vision.weights import MANIFEST, WEIGHTS, file_sha256

DETECTOR_CLASSES = ("tile_face_up", "tile_face_down", "marker", "hub")


def reader_onnx(weights: Path, target: Path) -> None:
    import torch

    from models.reader_network import Answering, TileReader

    network = TileReader()
    network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    to_onnx(Answering(network.eval()), (96, 48), target, "tile", "p")


def judge_onnx(subject: Subject, weights: Path, target: Path) -> None:
    import torch

    from models.judge_network import JudgeNetwork

    network = JudgeNetwork(subject.size_wh)
    network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    to_onnx(network, subject.size_wh, target, "thing", "logit")


def to_onnx(network: Any, size_wh: tuple[int, int], target: Path, given: str, answered: str) -> None:
    """A network of any number of cuts of one size, its input and output under these names."""
    import torch

    torch.onnx.export(
        network.eval(),
        (torch.zeros(2, 3, *size_wh[::-1]),),
        str(target),
        input_names=[given],
        output_names=[answered],
        dynamic_axes={given: {0: "n"}, answered: {0: "n"}},
        opset_version=17,
        dynamo=False,
    )


def detector_onnx(weights: Path, target: Path) -> None:
    from models.ultralytics_here import YOLO

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tiles.pt"
        copy.write_bytes(weights.read_bytes())
        made = YOLO(str(copy)).export(format="onnx", dynamic=True, simplify=True, imgsz=512)
        target.write_bytes(Path(made).read_bytes())


def halve_storage(path: Path) -> None:
    """Store the large float32 weights of an ONNX file as float16 with a cast in front of their first use, and leave out
    the shapes between, which the runtime works out: written as formulas they may be as large as the weights."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > 256 and np.abs(values).max() < 6e4:
            name = tensor.name
            small = numpy_helper.from_array(values.astype(np.float16), name + "_half")
            tensor.CopyFrom(small)
            casts.append(helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))
    for node in reversed(casts):
        model.graph.node.insert(0, node)
    del model.graph.value_info[:]
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def session(path: Path):
    onnxruntime = load_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def probabilities(path: Path, crops: Crops) -> np.ndarray:
    """(n, 2, classes): what an exported reader says about crops cut as the product cuts them, offsets left out."""
    run = session(path)
    out = []
    for start in range(0, len(crops), 256):
        views = plain_views(crops, np.arange(start, min(start + 256, len(crops))))
        blob = np.ascontiguousarray(views.transpose(0, 3, 1, 2), np.float32) / np.float32(255)
        out.append(run.run(None, {"tile": blob})[0][..., : len(CLASSES)])
    return np.concatenate(out)


def enter(name: str, path: Path, entry: dict) -> None:
    """Write one network's entry into the manifest beside it."""
    manifest = path.parent / MANIFEST
    content = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {"weights": {}}
    facts = {"file": path.name, "bytes": path.stat().st_size, "sha256": file_sha256(path)}
    content["weights"][name] = facts | entry
    manifest.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def export_reader(weights: Path, held: list[Path], into: Path, seed: int) -> dict:
    """Export, fit the temperature on held tables and enter the result; returns the figures."""
    target = into / "pips.onnx"
    reader_onnx(weights, target)
    crops = Crops.together([collect(folder, seed) for folder in held])
    exact = probabilities(target, crops)
    halve_storage(target)
    p = probabilities(target, crops)
    labels = crops.labels
    known = labels >= 0
    temperature = fitted_temperature(p[known], labels[known])
    figures = {
        "halves": int(known.sum()),
        "ece_before": round(expected_error(p[known], labels[known], 1.0), 4),
        "ece": round(expected_error(p[known], labels[known], temperature), 4),
        "same_as_trained": round(float((p.argmax(2) == exact.argmax(2)).mean()), 6),
    }
    entry = {
        "classes": list(CLASSES),
        "temperature": round(temperature, 3),
        "input": {
            "name": "tile",
            "shape": ["n", 3, 48, 96],
            "size": 48,
            "format": "BGR / 255, half 0 at the left, 6 % of a tile width around it",
        },
        "output": {
            "name": "p",
            "shape": ["n", 2, len(CLASSES) + 4],
            "format": "of each half the probabilities, then its outer corners' offsets in tile widths (see vision)",
        },
        "calibration": figures,
        "trained_on": "rendered tables only, see the card",
        "card": "CARD-pips.md",
    }
    enter("pips", target, entry)
    return figures | {"temperature": entry["temperature"]}


def export_judge(name: str, weights: Path, held: list[Path], into: Path) -> dict:
    """Export, fit how much the judge, the detector and the size weigh on held tables and enter the result."""
    from models.train_judge import SUBJECTS

    subject, target = SUBJECTS[name], into / f"{name}.onnx"
    judge_onnx(subject, weights, target)
    halve_storage(target)
    confidence, figures = weighed(name, target, held)
    entry = {
        "classes": ["none", name.removesuffix("s")],
        "temperature": 1.0,
        "confidence": confidence,
        "input": {
            "name": "thing",
            "shape": ["n", 3, *subject.size_wh[::-1]],
            "size": subject.size_wh[1],
            "format": f"BGR / 255, {subject.shows}",
        },
        "output": {
            "name": "logit",
            "shape": ["n", 1],
            "format": "confidence = logistic(judged * logit + found * the detector's + misfit * what else + offset)",
        },
        "held": {key: round(value, 4) for key, value in figures.items()},
        "trained_on": "rendered tables only, see the card",
        "card": "CARD-tiles.md",
    }
    enter(name, target, entry)
    return confidence | figures


def weighed(name: str, target: Path, held: list[Path]) -> tuple[dict, dict]:
    """How much judge, detector and size say on held tables (folders), and how often they are right together."""
    from models.weigh_judges import BELIEVED_FROM, MOST_MISTAKEN, cautious, evidence, fitted, shares

    rows = evidence(name, held, target, most=400, workers=2)
    confidence = fitted(rows)
    if name in MOST_MISTAKEN:
        confidence = cautious(rows, confidence, BELIEVED_FROM[name], MOST_MISTAKEN[name])
    return confidence, shares(rows, confidence, BELIEVED_FROM[name])


def export_covers(weights: Path, into: Path) -> dict:
    """Export the network that sees what is hidden and enter it."""
    import torch

    from models.cover_network import CoverNetwork

    target, (wide, high) = into / "covers.onnx", MASK_WH
    network = CoverNetwork()
    network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    to_onnx(network, MASK_WH, target, "tile", "logit")
    halve_storage(target)
    entry = {
        "classes": ["shown", "hidden"],
        "temperature": 1.0,
        "input": {
            "name": "tile",
            "shape": ["n", 3, high, wide],
            "size": high,
            "format": "BGR / 255, half 0 at the left, 30 % of a tile width around it",
        },
        "output": {
            "name": "logit",
            "shape": ["n", high // CELL_PX, wide // CELL_PX],
            "format": "of every cell of 4 x 4 px the log-odds that something hides it",
        },
        "trained_on": "rendered tiles and things only, see the card",
        "card": "CARD-covers.md",
    }
    enter("covers", target, entry)
    return {"bytes": target.stat().st_size}


def export_detector(weights: Path, into: Path) -> dict:
    target = into / "tiles.onnx"
    detector_onnx(weights, target)
    halve_storage(target)
    entry = {
        "classes": list(DETECTOR_CLASSES),
        "temperature": 1.0,
        "input": {
            "name": "images",
            "shape": ["batch", 3, "height", "width"],
            "size": 512,
            "format": "RGB / 255, height and width multiples of 32, tiles 25 to 110 px long",
        },
        "output": {
            "name": "output0",
            "shape": ["batch", 5 + len(DETECTOR_CLASSES), "anchors"],
            "format": "cx, cy, w, h in input px, one probability a class, angle in radians; not yet suppressed",
        },
        "trained_on": "rendered tables only, see the card",
        "card": "CARD-tiles.md",
    }
    enter("tiles", target, entry)
    return {"bytes": target.stat().st_size}


def export_ncnn(into: Path) -> dict:
    """The detector of this folder for ncnn, entered beside it with the file that it was made from."""
    from models.ncnn_export import ncnn_files

    manifest, source = into / MANIFEST, into / "tiles.onnx"
    files = ncnn_files(source, into)
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content["weights"]["tiles"]["ncnn"] = {file.name: file_sha256(file) for file in (source, *files)}
    manifest.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return {"ncnn_bytes": sum(file.stat().st_size for file in files)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["reader", "detector", "markers", "backs", "covers", "ncnn"])
    parser.add_argument("--weights", type=Path, help="what was trained (.pt)")
    parser.add_argument("--held", type=Path, nargs="+", help="folders of rendered tables that are fitted on")
    parser.add_argument("--into", type=Path, default=WEIGHTS)
    parser.add_argument("--seed", type=int, default=99)
    options = parser.parse_args()
    if options.what in ("reader", "markers", "backs") and not options.held:
        parser.error(f"{options.what}: fitted on rendered tables, expected --held DIR")
    if options.what != "ncnn" and not options.weights:
        parser.error(f"{options.what}: expected --weights FILE")
    options.into.mkdir(parents=True, exist_ok=True)
    for folder in options.held or ():
        if not any((folder / "images").glob("*.jpg")):
            parser.error(f"--held {folder}: no tables there, expected a folder that datasets.render has written")
    if options.what == "reader":
        print(json.dumps(export_reader(options.weights, options.held, options.into, options.seed)))
    elif options.what in ("markers", "backs"):
        print(json.dumps(export_judge(options.what, options.weights, options.held, options.into)))
    elif options.what == "covers":
        print(json.dumps(export_covers(options.weights, options.into)))
    elif options.what == "detector":
        print(json.dumps(export_detector(options.weights, options.into)))
    else:
        print(json.dumps(export_ncnn(options.into)))


if __name__ == "__main__":
    main()
