"""The command `companion` (also `python -m companion`).

A command's module is imported only when it is called, so `companion judge` never loads OpenCV
and `companion --help` starts at once. Commands: docs/commands.md. stdout carries answers only,
exit status 0 done, 1 "no" or refused input, 2 wrong usage.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from vision import telemetry
from vision.weights import OWN, WeightsError, names_in

COMMANDS: Mapping[str, str] = {
    "demo": "A made-up game on a rendered table, seen by the real camera path, on the live page.",
    "serve": "The product: the live page over a real camera.",
    "watch": "Frames in, events out, no page.",
    "read": "The tiles in photographs.",
    "score": "The pips of a hand laid open, by the rule set's scoring.",
    "judge": "Questions to the referee: JSON lines in, answers out.",
    "schema": "JSON Schema of questions, events and set-up file; OpenAPI of the page.",
    "replay": "A journal played again: every ruling and the scores.",
    "explain": "Why a play is named as it is: the hypotheses and what each rests on.",
    "convert": "A journal of an earlier version, made anew as facts.",
    "report": "A game packed for whoever looks into a fault, without the names in it.",
    "cameras": "The cameras of this machine, and the size each would be used with.",
    "calibrate": "Set up table and camera.",
    "teach": "Let the reader learn your own set.",
    "sheets": "Printable corner markers, rulers and cards.",
    "hall": "One page with all tables of a club.",
    "doctor": "What works on this machine and what does not, and the mend.",
}
"""Command -> one line for `companion --help`."""

MODULES: Mapping[str, str] = {
    **dict.fromkeys(("demo", "serve", "hall"), "serve"),
    **dict.fromkeys(("read", "score", "teach"), "photographs"),
    **dict.fromkeys(("judge", "schema"), "judging"),
    **dict.fromkeys(("replay", "explain", "convert"), "journals"),
    "report": "reporting",
    **dict.fromkeys(("cameras", "calibrate", "sheets"), "cameras"),
}
"""Command -> its module in `companion.cli`, where that has another name. The object has the command's name."""


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"companion.cli.{MODULES.get(name, name)}")
        command = getattr(module, name)
        assert isinstance(command, click.Command), f"companion.cli has no click command {name!r}"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tabletop-companion", prog_name="companion")
@click.option("--eye", metavar="FOLDER", envvar=OWN, help="Read with your own networks: docs/training.md.")
def companion(eye: str | None) -> None:
    """Reads the dominoes on your table, referees the game and keeps the score."""
    if eye:
        try:
            names_in(Path(eye))
        except WeightsError as problem:
            raise click.ClickException(str(problem)) from None
        os.environ[OWN] = str(Path(eye).absolute())


def main() -> None:
    """Entry point. A pipe that closes early (`companion read ... | head`) is no error worth a traceback."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Files and programs get UTF-8; what a terminal of another alphabet cannot show is a question mark there.
            stream.reconfigure(encoding=stream.encoding if stream.isatty() else "utf-8", errors="replace")
    telemetry.switch_off()
    telemetry.delete_queue()
    # The products of matrices here are a few numbers wide; more threads would only wait for one another, at full load.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        companion(prog_name="companion")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as full:
        if full.errno != errno.ENOSPC:
            raise
        print(f"Error: {full.strerror}: not everything could be written", file=sys.stderr)
        sys.exit(1)
    except ImportError as missing:
        line = what_is_missing(missing)
        if line is None:
            raise
        print(f"Error: {line}", file=sys.stderr)
        sys.exit(1)


def _open_what_is_closed() -> None:
    """Started without an input or an output (`<&-`, `>&-`), the program reads nothing there, and writes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


UNIX_ONLY = frozenset({"fcntl", "resource", "termios", "pwd", "grp"})


def what_is_missing(missing: ImportError) -> str | None:
    """The mend for a machine that lacks something, in one line; None where the fault is our own."""
    said = (str(missing).strip().splitlines() or [""])[0]
    name = (missing.name or "").partition(".")[0]
    if name in UNIX_ONLY:
        kept = "read, score, judge and sheets work here"
        return f"this command needs Linux or macOS ({name} is missing on this system); {kept}, and all of it in WSL"
    if "libGL" in said or "libgthread" in said:
        return f"OpenCV lacks a system library ({said}): sudo apt install libgl1 libglib2.0-0"
    if name and name not in ("companion", "vision", "hardware", "datasets", "models", "deploy"):
        extras = "with the extra [eye] for pictures or [box] for everything"
        return f"the package {name} is missing or cannot be loaded ({said}): install the program again, {extras}"
    return None


if __name__ == "__main__":
    main()
