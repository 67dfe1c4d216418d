"""The options of the commands, which stand in `options.toml`, and how a command refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from companion.rules.written import written

if TYPE_CHECKING:
    from hardware.camera.source import CameraSettings

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS = "cli/options.toml"

TYPES: dict[str, Any] = {
    "path": click.Path(path_type=Path),
    "folder": click.Path(path_type=Path, file_okay=False),
    "int": int,
    "float": float,
}

LEAST_PX, MOST_PX = 160, 10_000


def options(command: str, **code: Any) -> Callable[[Command], Command]:
    """Add the options of a command. `code` is what a file cannot say of one, by the name of its parameter: click's type
    of it, or the callback that checks it."""
    known = written(OPTIONS)

    def add(function: Command) -> Command:
        for name, told in reversed(known[command].items()):
            function = _option(name, known["shared"][told] if isinstance(told, str) else told, code)(function)
        return function

    return add


def _option(name: str, told: Mapping[str, Any], code: Mapping[str, Any]) -> Callable[[Command], Command]:
    given = {key: value for key, value in told.items() if key not in ("as", "type", "range", "choice", "flag")}
    parameter = told.get("as", name.replace("-", "_"))
    if "type" in told:
        given["type"] = TYPES[told["type"]]
    if "choice" in told:
        given["type"] = click.Choice(told["choice"])
    if limits := told.get("range"):
        given["type"] = (click.FloatRange if any(isinstance(one, float) for one in limits) else click.IntRange)(*limits)
    own = parsed_size if name == "camera-size" else code.get(parameter)
    if own is not None:
        given["type" if isinstance(own, click.ParamType) else "callback"] = own
    return click.option(f"--{name}", parameter, is_flag=told.get("flag", False), **given)


@contextmanager
def refusing(
    *faults: type[Exception],
    about: object = "",
    expected: str = "",
    into: type[click.ClickException] = click.ClickException,
) -> Iterator[None]:
    """End the command with one line for one of these faults: what it is `about`, what is wrong, what was `expected`."""
    try:
        yield
    except faults as fault:
        wrong = getattr(fault, "strerror", None) or fault
        raise into(f"{f'{about}: ' if about else ''}{wrong}{f', expected {expected}' if expected else ''}") from None


def parsed_size(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """`1920x1080` as (1920, 1080)."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{3,5})\s*[x×]\s*(\d{3,5})", text.strip().lower())
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(LEAST_PX <= length <= MOST_PX for length in size):
        raise click.BadParameter(f"{text}: expected width x height in pixels, such as 1920x1080")
    return size


def camera_settings(camera_size: tuple[int, int] | None, mains: str) -> CameraSettings:
    from hardware.camera.source import CameraSettings

    return CameraSettings(size_wh=camera_size, mains_hz=None if mains == "auto" else int(mains))
