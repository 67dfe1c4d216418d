"""`companion sheets`: printable corner markers, lens board, ruler and cards."""

from __future__ import annotations

from pathlib import Path

import click

from hardware.sheets import SHEETS, SheetError, write_sheets
from hardware.sheets.paper import PAPERS


@click.command()
@click.option(
    "--paper",
    type=click.Choice(list(PAPERS), case_sensitive=False),
    default="A4",
    show_default=True,
    help="The paper in your printer.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("sheets"), show_default=True, help="Folder for the PDFs."
)
@click.option("--sheet", "names", multiple=True, type=click.Choice(list(SHEETS)), help="This sheet only; repeatable.")
@click.option("--address", metavar="URL", help="The page's address, printed with a QR code on the quick-start card.")
def sheets(paper: str, out: Path, names: tuple[str, ...], address: str | None) -> None:
    """Write the printable sheets as PDF, true to scale, and name the files."""
    if address is not None and (not address.isascii() or len(address) > 100 or not address.startswith("http")):
        raise click.UsageError(
            f"--address {address[:40]}: expected a short http address, such as http://192.168.1.7:8000"
        )
    try:
        for file in write_sheets(out, paper, names, address):
            click.echo(file)
    except SheetError as error:
        raise click.ClickException(str(error)) from None
