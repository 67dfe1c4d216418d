"""The shipped detector for ncnn, for a picture of any size: needs the packages onnx and pnnx, and no torch.

    python -m models.export ncnn [--into DIR]

pnnx knows one size of picture only. So the network ends at its last convolutions, whose answers `vision.runtimes` puts
together, and where its attention folds a map into a row and back, the fold is told by the map itself.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np

from vision.runtimes import STRIDES, files_of

HEAD = "/model.23/cv{part}.{level}/cv{part}.{level}.2/Conv_output_0"
"""The last convolutions, as ultralytics names them: part 2 the sides, 3 the kinds, 4 the turns."""
SIZE = 512


def ncnn_files(onnx_file: Path, into: Path) -> tuple[Path, Path]:
    """Write ncnn's layers and weights of a detector beside one another; returns both."""
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder) / "short.onnx"
        shorten(onnx_file, short)
        subprocess.run(["pnnx", short.name, f"inputshape=[1,3,{SIZE},{SIZE}]", "fp16=1"], cwd=folder, check=True)
        layers, weights = files_of(into / onnx_file.name)
        layers.write_text(any_size(short.with_suffix(".ncnn.param").read_text(encoding="utf-8")), encoding="utf-8")
        weights.write_bytes(short.with_suffix(".ncnn.bin").read_bytes())
    return layers, weights


def shorten(onnx_file: Path, target: Path) -> None:
    """The network up to its last convolutions, its weights no longer stored in half precision behind a cast."""
    import onnx
    from onnx import numpy_helper, shape_inference, utils

    model = shape_inference.infer_shapes(onnx.load(str(onnx_file)))
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    others = []
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in stored:
            tensor = stored[node.input[0]]
            whole = numpy_helper.to_array(tensor).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(whole, node.output[0]))
        else:
            others.append(node)
    del graph.node[:]
    graph.node.extend(others)
    ends = [HEAD.format(part=part, level=level) for part in (2, 3, 4) for level in range(len(STRIDES))]
    onnx.save(utils.Extractor(model).extract_model([graph.input[0].name], ends), str(target))


def any_size(layers: str) -> str:
    """ncnn's layers for one size of picture -> for any: a map of (c, h, w) is folded into a row of h x w, and a row
    back into a map as large as the one that was folded."""
    head, counts, *lines = layers.splitlines()
    total = [int(count) for count in counts.split()]
    folds, told = [], []
    for line in lines:
        kind, name, _inputs, _outputs, blob, *rest = line.split()
        if kind != "Reshape":
            told.append(line)
        elif "2=1" in rest:
            copies = [f"{blob}_{number}" for number in range(3)]
            told.append(f"Split again_{blob} 1 3 {blob} {' '.join(copies)}")
            told.append(" ".join([kind, name, "1 1", copies[0], rest[0], "0=-1", *rest[2:]]))
            folds += copies[1:]
            total = [total[0] + 1, total[1] + 3]
        else:
            channels = rest[-1].removeprefix("2=")
            told.append(f'{kind} {name} 2 1 {blob} {folds.pop(0)} {rest[0]} 6="1w,1h,{channels}"')
    if folds:
        raise SystemExit(f"ncnn: {len(folds)} maps were folded and not unfolded again, expected none")
    return "\n".join([head, f"{total[0]} {total[1]}", *told]) + "\n"
