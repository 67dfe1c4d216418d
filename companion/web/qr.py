"""The page's numeric address as a QR code: names like `box.local` do not work on every phone."""

from __future__ import annotations

import io

import segno


def qr_svg(address: str) -> bytes:
    """An SVG with the code in black on white, quiet zone included, its squares as large as can be: what is free in it
    goes into correcting errors."""
    out = io.BytesIO()
    segno.make(address, error="l").save(out, kind="svg", border=2, scale=4, dark="#14110c", light="#ffffff")
    return out.getvalue()
