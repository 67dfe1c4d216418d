"""One ONNX network, its input and output checked, so a wrong file is refused by name; and several answers at once.

Small networks gain little from sharing one answer among threads (nothing at all on a table's changed region), so each
thread works out answers of its own.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from vision import telemetry
from vision.weights import WeightsError

Floats = NDArray[np.float32]
Thing = TypeVar("Thing")
Answer = TypeVar("Answer")
Scalar = TypeVar("Scalar", bound=np.generic)

THREADS = 2
"""How many answers are worked out at once."""
_ARENA_MAX = -8
"""M_ARENA_MAX of glibc's malloc.h."""


def load_runtime() -> Any:
    """The module onnxruntime, which reports nothing to anybody. The only place that imports it. Raises ImportError."""
    telemetry.switch_off()
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


class Network:
    """An ONNX model with one input and one output. Safe to ask from several threads."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        onnxruntime = load_runtime()
        if not path.is_file():
            raise WeightsError(f"{path}: no such model file")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        _open_arena()
        options.add_session_config_entry("session.use_env_allocators", "1")
        # Pictures come in many shapes, and a plan of the memory would be kept for each.
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

    def shaped(self, taken: tuple[Any, ...], given: tuple[Any, ...]) -> Network:
        """The same; WeightsError where it takes or gives arrays of another shape, the number of things aside."""
        if tuple(self.input_shape[1:]) != taken or tuple(self.output_shape[1:]) != given:
            raise WeightsError(
                f"{self.path}: input {self.input_shape} and output {self.output_shape}, expected (n, "
                f"{', '.join(map(str, taken))}) and (n, {', '.join(map(str, given))})"
            )
        return self

    def __call__(self, values: Floats) -> Floats:
        return np.asarray(self._session.run(None, {self._input: values})[0], np.float32)


@cache
def _open_arena() -> None:
    """One arena for all networks of this process: it grows to what the largest answer needs and is kept. Without one
    each answer asks the system for its pages anew, a fifth of a picture's time; one for each network holds more."""
    onnxruntime = load_runtime()
    kind, memory = onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, onnxruntime.OrtMemType.DEFAULT
    onnxruntime.create_and_register_allocator(onnxruntime.OrtMemoryInfo("Cpu", kind, 0, memory), None)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """The threads of all who work with so many. All are started now, so that a long evening begins no more."""
    pool, together = ThreadPoolExecutor(threads, "eye"), threading.Barrier(threads)
    list(pool.map(lambda _: together.wait(), range(threads)))
    return pool


class Workers:
    """Some threads that take one thing after the other, for work that lets others run (OpenCV, networks). Such work
    may not have its own parts worked on by them: it would wait for itself."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = _pool(threads) if threads > 1 else None

    def each(self, work: Callable[[Thing], Answer], things: Sequence[Thing]) -> list[Answer]:
        """The answers in the order of the things; the first things are begun first. Raises what the work raises."""
        answers: Iterable[Answer]
        answers = map(work, things) if self._pool is None or len(things) < 2 else self._pool.map(work, things)
        return list(answers)

    def batches(self, things: NDArray[Scalar], least: int = 4, most: int = 64) -> list[NDArray[Scalar]]:
        """(n, ...) -> the same in parts of `least` to `most`, the last perhaps smaller: one to a thread, if it can be;
        as many as go well through a network at once, if nobody says how many."""
        size = min(max(-(-len(things) // self.threads), least), most)
        return [things[start : start + size] for start in range(0, len(things), size)]


def share_one_heap() -> None:
    """All threads take their memory from one heap, where the C library lets them: what one gives back another uses,
    and `give_back_memory` reaches all of it."""
    try:
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)
    except (OSError, AttributeError, TypeError):
        return


def give_back_memory() -> None:
    """Give memory that the networks took for a large picture back to the system, which the C library alone does not do.
    Without glibc nothing happens."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, AttributeError, TypeError):
        return


def as_input(pictures: NDArray[np.uint8]) -> Floats:
    """(n, h, w, 3) uint8 BGR as a network takes them: (n, 3, h, w), 0 to 1."""
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), np.float32) / np.float32(255)


def first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:160] if text else type(error).__name__
