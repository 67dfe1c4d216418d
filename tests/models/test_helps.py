"""Every tool that takes arguments says what they are."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TRAINING = ("torch", "ultralytics", "ncnn")
"""Packages that only the training environment has."""


def tools() -> list[str]:
    found = []
    for folder in ("models", "datasets", "hardware", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            needs = any(f"\nimport {name}" in text or f"\nfrom {name}" in text for name in TRAINING)
            if "argparse.ArgumentParser(" in text and "\ndef main(" in text and not needs:
                found.append(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return found


@pytest.mark.parametrize("name", tools())
def test_help_is_printed(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    main = importlib.import_module(name).main
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0 and "usage:" in capsys.readouterr().out
