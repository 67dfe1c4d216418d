"""`companion cameras`: which cameras are there, by names that last, and how each would be filmed with."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from companion.cli.live_camera import camera_options, camera_settings
from hardware.camera.listing import Listed, ribbon_cameras, usb_listed

THUMBNAIL_WIDTH = 320


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a camera instead of lines.")
@click.option(
    "--thumbnails",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Put a picture of each camera, {THUMBNAIL_WIDTH} pixels wide, into this folder.",
)
@camera_options
def cameras(as_json: bool, thumbnails: Path | None, camera_size: tuple[int, int] | None, mains: str) -> None:
    """List the cameras of this machine: what to type after --camera, and the size that will be used.

    Exit status 1: there is none. Cameras in the network have no list: type their address (rtsp://..., http://...).
    """
    found = [*ribbon_cameras_listed(ribbon_cameras()), *usb_listed()]
    if thumbnails is not None:
        try:
            thumbnails.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise click.ClickException(f"--thumbnails {thumbnails}: {fault.strerror}, expected a folder") from None
    for number, one in enumerate(found):
        told: dict[str, Any] = dataclasses.asdict(one)
        if thumbnails is not None:
            told |= thumbnail_of(one.source, thumbnails / f"camera-{number}.jpg", camera_size, mains)
        click.echo(json.dumps(told, ensure_ascii=False) if as_json else as_text(told))
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


def as_text(told: dict[str, Any]) -> str:
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
    """Where the small picture lies and what was filmed, or why there is none."""
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
