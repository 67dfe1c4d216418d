"""One ONNX network, opened with few threads and its input and output checked, so a wrong file is refused by name."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class WeightsError(Exception):
    """A model file that is missing, damaged or not what was expected; the message is one line."""


class Network:
    """An ONNX model with one input and one output."""

    def __init__(self, path: Path, threads: int = 2) -> None:
        import onnxruntime

        if not path.is_file():
            raise WeightsError(f"{path}: no such model file")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Pictures come in many shapes: arenas grown for the largest would never be given back.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime raises many kinds, all meaning: not a model
            raise WeightsError(f"{path}: not a model that can be run ({first_line(error)})") from None
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1:
            raise WeightsError(f"{path}: {len(inputs)} inputs and {len(outputs)} outputs, expected one of each")
        self.path = path
        self._input = str(inputs[0].name)
        self.input_shape: tuple[Any, ...] = tuple(inputs[0].shape)
        self.output_shape: tuple[Any, ...] = tuple(outputs[0].shape)
        self.metadata: Mapping[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)

    def __call__(self, values: Floats) -> Floats:
        return np.asarray(self._session.run(None, {self._input: values})[0], np.float32)


def give_back_memory() -> None:
    """What the networks took for a large picture goes back to the system, which the C library alone does not do; where
    it cannot (it is not glibc), nothing happens."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        return


def first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:160] if text else type(error).__name__
