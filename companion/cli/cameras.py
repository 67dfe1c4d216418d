"""The commands that set a camera up.

`companion cameras` lists what is there, by names that last. `companion calibrate` finds the table's corners and the
lens, and says whether the picture is good enough to play by. `companion sheets` prints corner markers and rulers.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from companion.cli.options import camera_settings, options, refusing
from hardware.camera.address import is_address, shown
from hardware.camera.listing import Listed, ribbon_cameras, usb_listed
from hardware.camera.source import CameraSettings, LiveMode
from hardware.sheets import SHEETS, SheetError, write_sheets
from hardware.sheets.paper import PAPERS
from vision.calibration import Calibration, CalibrationError
from vision.fiducials import find_markers
from vision.frame import Frame, Image
from vision.inspection import HealthCheck, Inspection, inspect
from vision.lens import Lens, LensFit, calibrate_lens
from vision.pictures import PICTURE_SUFFIXES, PictureError, open_picture

THUMBNAIL_WIDTH = 320


@click.command()
@options("cameras")
def cameras(as_json: bool, thumbnails: Path | None, camera_size: tuple[int, int] | None, mains: str) -> None:
    """List the cameras of this machine: what to type after --camera, and the size that will be used.

    Exit status 1: no camera. Cameras in the network have no list: type their address (rtsp://..., http://...).
    """
    found = [*ribbon_cameras_listed(ribbon_cameras()), *usb_listed()]
    if thumbnails is not None:
        with refusing(OSError, about=f"--thumbnails {thumbnails}", expected="a folder"):
            thumbnails.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(found):
        told: dict[str, Any] = dataclasses.asdict(one)
        if thumbnails is not None:
            told |= thumbnail_of(one.source, thumbnails / f"camera-{number}.jpg", camera_size, mains)
        click.echo(json.dumps(told, ensure_ascii=False) if as_json else camera_text(told))
    if not found:
        if not as_json:
            click.echo(
                "No camera found. Plug one in, or give an address (rtsp://..., http://...). "
                "`companion doctor` says more."
            )
        raise SystemExit(1)


def ribbon_cameras_listed(found: list[str]) -> list[Listed]:
    """`picamera (imx708)` lines of the check-up as list entries."""
    names = [line.partition("(")[2].rstrip(")") for line in found]
    return [Listed("picamera", name, None, "the sensor's full size") for name in names[:1]]


def camera_text(told: dict[str, Any]) -> str:
    lines = [f"{told['source']}\n  {told['name']}: {told['words']}"]
    if told["users"]:
        lines.append(f"  in use by {', '.join(told['users'])}")
    if told["sizes"]:
        lines.append("  sizes: " + ", ".join(f"{w}x{h}" for w, h in told["sizes"]))
    if "thumbnail" in told:
        lines.append(f"  picture: {told['thumbnail']}")
    if "problem" in told:
        lines.append(f"  {told['problem']}")
    return "\n".join(lines)


def thumbnail_of(source: str, file: Path, camera_size: tuple[int, int] | None, mains: str) -> dict[str, str]:
    """The place of the small picture and the thing filmed, or why it is missing."""
    import cv2

    from hardware.camera import CameraError, open_camera
    from vision.frame import reduced

    try:
        with open_camera(source, camera_settings(camera_size, mains)) as camera:
            frame, filmed = camera.read(), camera.live_mode
    except CameraError as error:
        return {"problem": error.problem}
    if frame is None:
        return {"problem": "it gives no pictures"}
    w, h = frame.size_wh
    small, _ = reduced(frame.image, (THUMBNAIL_WIDTH, max(1, round(h * THUMBNAIL_WIDTH / w))))
    if not cv2.imwrite(str(file), small):
        return {"problem": f"{file} cannot be written"}
    return {"thumbnail": str(file), **({} if filmed is None else {"words": filmed.words})}


@click.command()
@click.argument("source")
@options("calibrate")
def calibrate(
    source: str,
    corners: str | None,
    size_text: str | None,
    tile_height: float,
    lens_file: Path | None,
    board: bool,
    as_json: bool,
    camera_size: tuple[int, int] | None,
    mains: str,
) -> None:
    """Find the table in a picture and say whether the picture is good enough to play by.

    SOURCE is a picture, or a camera: picamera, usb:N, /dev/v4l/by-id/..., rtsp://..., http://... The four printed
    markers are found by themselves (`companion sheets` prints them); without them, name the corners.

    \b
    companion calibrate picamera
    companion calibrate table.jpg --corners '102,80 1490,84 1502,1110 95,1104' --size 1200x900
    """
    if board:
        fit = lens_of(source)
        click.echo(json.dumps(lens_dict(fit)))
        return
    size = None if size_text is None else parsed_size(size_text)
    image, live_mode = picture_of(source, camera_settings(camera_size, mains))
    if live_mode is not None:
        click.echo(f"The camera films {live_mode.words}.", err=True)
        for note in live_mode.notes:
            click.echo(f"Note: {note}.", err=True)
    source = shown(source)
    with refusing(CalibrationError, about=source):
        calibration, error_mm = calibrated(image, corners, size, tile_height, lens_file)
    found = inspect(image, calibration, error_mm)
    click.echo(json.dumps(as_dict(calibration, found)) if as_json else calibration_text(source, calibration, found))
    if found.problems:
        raise SystemExit(1)


def calibrated(
    image: Image, corners: str | None, size: tuple[float, float] | None, tile_height: float, lens_file: Path | None
) -> tuple[Calibration, float | None]:
    """The calibration and its error in mm, None where no printed marker could measure it."""
    size_wh = (int(image.shape[1]), int(image.shape[0]))
    lens = None if lens_file is None else read_lens(lens_file).scaled(size_wh)
    if corners is not None:
        if size is None:
            raise click.UsageError("--corners needs --size: the table between its corners in mm, such as 1200x900")
        points = parsed_corners(corners)
        return Calibration.from_corners(points, size, tile_height, lens, size_wh), None
    markers = find_markers(image)
    try:
        calibration = Calibration.from_markers(markers, size, tile_height, lens, size_wh=size_wh)
    except CalibrationError as problem:
        picture = "".join(f"; {what}" for what in HealthCheck().see(Frame(image, 0.0, "picture")).problems)
        hint = "`companion sheets` prints them, --corners and --size do without"
        raise CalibrationError(f"{problem}{picture}; {hint}") from None
    return calibration, calibration.error_mm(markers)


def picture_of(source: str, settings: CameraSettings | None = None) -> tuple[Image, LiveMode | None]:
    """One picture: a file as it is, a camera's first settled frame, with what that camera does."""
    path = Path(source)
    if path.suffix.lower() in PICTURE_SUFFIXES and not is_address(source):
        with refusing(PictureError, about=source):
            return open_picture(path), None
    from hardware.camera import CameraError, open_camera

    with refusing(CameraError), open_camera(source, settings) as camera:
        frame, live_mode = camera.read(), camera.live_mode
    if frame is None:
        raise click.ClickException(f"{shown(source)}: the source ended before its first picture")
    return frame.image, live_mode


def lens_of(folder: str) -> LensFit:
    path = Path(folder)
    files = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES) if path.is_dir() else []
    if not files:
        raise click.ClickException(f"{shown(folder)}: expected a folder with pictures of the printed ChArUco board")
    with refusing(PictureError, ValueError, about=folder):
        return calibrate_lens([open_picture(file) for file in files])


def lens_dict(fit: LensFit) -> dict[str, Any]:
    lens = fit.lens
    return {
        "lens": {
            "size": list(lens.size_wh),
            "f": [round(lens.fx, 2), round(lens.fy, 2)],
            "center": [round(lens.cx, 2), round(lens.cy, 2)],
            "distortion": [round(k, 6) for k in lens.distortion],
        },
        "error_px": round(fit.error_px, 3),
        "pictures": fit.pictures,
    }


def read_lens(file: Path) -> Lens:
    """A lens as `--board` printed it. ClickException with one line for anything else."""
    try:
        lens = json.loads(file.read_text(encoding="utf-8"))["lens"]
        (w, h), (fx, fy), (cx, cy) = lens["size"], lens["f"], lens["center"]
        k1, k2, p1, p2, k3 = (float(k) for k in lens["distortion"])
        return Lens((int(w), int(h)), float(fx), float(fy), float(cx), float(cy), (k1, k2, p1, p2, k3))
    except OSError as problem:
        raise click.ClickException(f"{file}: {problem.strerror}, expected a lens file") from None
    except (ValueError, KeyError, TypeError):
        raise click.ClickException(f"{file}: no lens file, expected what calibrate --board prints") from None


def parsed_corners(text: str) -> list[tuple[float, float]]:
    try:
        points = [tuple(float(v) for v in part.split(",")) for part in text.split()]
        if len(points) == 4 and all(len(p) == 2 for p in points):
            return [(p[0], p[1]) for p in points]
    except ValueError:
        pass
    raise click.UsageError(f"--corners {text!r}: expected four points such as '10,20 900,25 890,700 15,690'")


def parsed_size(text: str) -> tuple[float, float]:
    try:
        w, h = (float(v) for v in text.lower().split("x"))
    except ValueError:
        raise click.UsageError(f"--size {text!r}: expected width x height in mm, such as 1200x900") from None
    return w, h


def as_dict(calibration: Calibration, found: Inspection) -> dict[str, Any]:
    return {
        "table": {
            "corners_px": [[round(float(x), 2), round(float(y), 2)] for x, y in calibration.corners_px],
            "size_mm": [round(v, 1) for v in calibration.size_mm],
        },
        "px_per_mm": round(found.px_per_mm, 3),
        "worst_px_per_mm": round(found.worst_px_per_mm, 3),
        "error_mm": None if found.error_mm is None else round(found.error_mm, 2),
        "problems": list(found.problems),
    }


def calibration_text(source: str, calibration: Calibration, found: Inspection) -> str:
    w, h = calibration.size_mm
    error = "" if found.error_mm is None else f", the markers fit within {found.error_mm:.2f} mm"
    lines = [
        f"{source}: a table of {w:.0f} x {h:.0f} mm, {found.px_per_mm:.2f} px/mm in the middle, "
        f"{found.worst_px_per_mm:.2f} in the farthest corner{error}"
    ]
    lines += [f"  {problem}" for problem in found.problems]
    if not found.problems:
        lines.append("  good to play")
    return "\n".join(lines)


@click.command()
@options("sheets", paper=click.Choice(list(PAPERS), case_sensitive=False), names=click.Choice(list(SHEETS)))
def sheets(paper: str, out: Path, names: tuple[str, ...], address: str | None) -> None:
    """Write the printable sheets as PDF, true to scale, and name the files."""
    if address is not None and (not address.isascii() or len(address) > 100 or not address.startswith("http")):
        raise click.UsageError(
            f"--address {address[:40]}: expected a short http address, such as http://192.168.1.7:8000"
        )
    with refusing(SheetError):
        for file in write_sheets(out, paper, names, address):
            click.echo(file)
