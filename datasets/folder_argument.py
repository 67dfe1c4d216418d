"""A folder named on a command line: it holds what the program reads, or the program says so in one line and ends."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

RECORDED, LABELLED, RENDERED, RENDERER = "*.jsonl", "labels.jsonl", "images/*.jpg", "scene.py"
"""Files of `bench.corpus`, labelled photographs, files of `datasets.render`, another renderer."""


def folder_with(pattern: str) -> Callable[[str], Path]:
    """For argparse's `type`: a folder with at least one file of this pattern."""

    def folder(text: str) -> Path:
        path = Path(text)
        if not path.is_dir():
            raise argparse.ArgumentTypeError(f"{text}: no such folder")
        if not any(path.glob(pattern)):
            raise argparse.ArgumentTypeError(f"{text}: expected {pattern} in it")
        return path

    return folder
