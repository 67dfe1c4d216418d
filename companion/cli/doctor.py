"""`companion doctor`: what works on this machine and what does not, and the mend."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import click

from companion.app.checkup import CheckResult, Machine, check_all, choose_runtime
from companion.cli.options import options, refusing
from companion.cli.serve import default_data_dir
from companion.storage.repairs import REPAIRS_FILE, Repair, reported
from companion.web.texts import in_english, repair_text
from hardware.optics import CameraModel, Outlook, cameras, highest_height, lowest_height, outlook


@click.command()
@options("doctor")
def doctor(
    as_json: bool, camera: str | None, port: int, data: Path | None, table: str, model: str | None, height: float | None
) -> None:
    """Check this machine, line by line, and say how to mend what is not right.

    Exit status 0: everything needed is there. 1: something needed is not.
    """
    views = optics(table, model, height)
    folder = data or default_data_dir()
    findings = [*check_all(Machine(data=folder, port=port, camera=camera)), choose_runtime(folder)]
    repairs = reported(folder / REPAIRS_FILE)
    healthy = all(finding.ok or not finding.needed for finding in findings)
    if as_json:
        answer = {
            "ok": healthy,
            "checks": [dataclasses.asdict(finding) for finding in findings],
            "repairs": [{"code": one.code, "since": one.since, "words": in_english(one)} for one in repairs],
            "optics": [_as_dict(view) for view in views],
        }
        click.echo(json.dumps(answer))
    else:
        for finding in findings:
            click.echo(as_line(finding))
        for one in repairs:
            click.echo(_repair_line(one))
        click.echo("\n".join(as_lines(views)))
        click.echo(_summary(findings, healthy))
    if not healthy:
        raise SystemExit(1)


def _repair_line(repair: Repair) -> str:
    """One trouble in a line: since when, what it means, and the one thing to do."""
    text = repair_text(repair)
    sentences = " ".join(part for part in (text.title, text.meaning, text.remedy) if part)
    return f"repair  {repair.since}  {sentences} -> {text.command or 'press its button on the page Help'}"


def optics(table: str, model: str | None, height: float | None) -> list[Outlook]:
    """How well each known camera (or `model` alone) sees the table, from `height` or its lowest height."""
    size_mm = table_size(table)
    known = cameras()
    if model is not None and model not in known:
        raise click.UsageError(f"--model {model}: no such camera; known are {', '.join(known)}")
    chosen: list[CameraModel] = list(known.values()) if model is None else [known[model]]
    with refusing(ValueError, about="--height", into=click.UsageError):
        return [
            outlook(camera, lowest_height(camera, size_mm) if height is None else height, size_mm) for camera in chosen
        ]


def table_size(text: str) -> tuple[float, float]:
    """`1200x900` as (1200.0, 900.0)."""
    match = re.fullmatch(r"(\d{2,4})\s*[x×]\s*(\d{2,4})", text.strip())
    if match is None or min(int(match[1]), int(match[2])) == 0:
        raise click.UsageError(f"--table {text}: expected width x depth in mm, for example 1200x900")
    return float(match[1]), float(match[2])


def as_line(finding: CheckResult) -> str:
    """One finding as one line; what is not needed reads `absent`, so that `not ok` always means: mend this."""
    mark = "ok" if finding.ok else "not ok" if finding.needed else "absent"
    mend = f" -> {finding.mend}" if finding.mend else ""
    return f"{mark:<7} {finding.name:<10} {finding.found}{mend}"


def as_lines(views: list[Outlook]) -> list[str]:
    """The optics, one camera a line."""
    width, depth = views[0].table_mm
    lines = [f"A table of {width:.0f} x {depth:.0f} mm, seen from above:"]
    for view in views:
        highest = highest_height(view.camera, view.table_mm)
        reach = "" if highest is None else f", usable up to {highest:.0f} mm"
        lines.append(
            f"  {view.verdict:<7} {view.camera.name:<20} at {view.height_mm:.0f} mm: "
            f"{view.nominal_px_per_mm:.2f} px/mm, {view.worst_px_per_mm:.2f}"
            f" in the worst corner{reach}; {view.sentence}"
        )
    return lines


def _as_dict(view: Outlook) -> dict[str, object]:
    return {
        "camera": view.camera.name,
        "height_mm": round(view.height_mm),
        "table_mm": list(view.table_mm),
        "px_per_mm": round(view.nominal_px_per_mm, 2),
        "worst_px_per_mm": round(view.worst_px_per_mm, 2),
        "verdict": view.verdict.value,
        "sentence": view.sentence,
    }


def _summary(findings: list[CheckResult], healthy: bool) -> str:
    if not healthy:
        wrong = [finding.name for finding in findings if finding.needed and not finding.ok]
        return f"Not ready: mend {', '.join(wrong)}."
    absent = [finding.name for finding in findings if not finding.ok]
    return "Ready." if not absent else f"Ready, though without: {', '.join(absent)}."
