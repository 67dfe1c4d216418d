"""The options of commands that film: how large, and by lamps of which mains frequency."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hardware.camera.source import CameraSettings

Command = TypeVar("Command", bound=Callable[..., Any])

LEAST_PX, MOST_PX = 160, 10_000


def parsed_size(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """`1920x1080` as (1920, 1080)."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{3,5})\s*[x×]\s*(\d{3,5})", text.strip().lower())
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(LEAST_PX <= length <= MOST_PX for length in size):
        raise click.BadParameter(f"{text}: expected width x height in pixels, such as 1920x1080")
    return size


def camera_options(command: Command) -> Command:
    """Adds `camera_size` and `mains` to a command."""
    size = click.option(
        "--camera-size",
        metavar="WxH",
        callback=parsed_size,
        help="Pixels of a live camera's picture.  [default: the largest that comes 5 times a second]",
    )
    mains = click.option(
        "--mains",
        type=click.Choice(["50", "60", "auto"]),
        default="auto",
        show_default=True,
        help="The lamps' mains frequency in Hz; auto: measured, else by the time zone's country.",
    )
    return size(mains(command))


def camera_settings(camera_size: tuple[int, int] | None, mains: str) -> CameraSettings:
    from hardware.camera.source import CameraSettings

    return CameraSettings(size_wh=camera_size, mains_hz=None if mains == "auto" else int(mains))
