"""The set on the table, as people type it: by name, or by its highest double alone."""

from __future__ import annotations

from typing import Any

import click

from companion.app.named_sets import set_name


class SetName(click.Choice[str]):
    """A choice among names of sets that takes `12` for `double-12`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(set_name(value) if isinstance(value, str) else value, param, ctx)
