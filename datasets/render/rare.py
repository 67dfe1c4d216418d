"""Sets that few shops sell, for training: any body, any ink, many letterings, pips that the edge cuts.

A reader that knows only white, ivory and black tiles does not read turquoise ones with pink pips. A rare set stays
legible by the same measure as every other; it is only drawn from much wider ranges.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from datasets.render.chance import pick
from datasets.render.colour import Rgb, any_colour, linear, luminance
from datasets.render.palettes import rare_palette
from datasets.render.styles import Body, Lettering, Pips, Specks, TileStyle

_FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)


def rare_style(style: TileStyle, rng: np.random.Generator) -> TileStyle:
    """`style` with its body, inks, pips or lettering replaced by rarer ones; moulded sets stay as they are."""
    if style.pips.moulded:
        return style
    printed_on = style.body.colour
    if rng.random() < 0.6:
        style = replace(style, body=_body(style.body, rng))
    if rng.random() < 0.4:
        style = replace(style, body=_mottled(style.body, style.pips.radius, rng))
    if style.family == "chinese":
        return _chinese(style, rng)
    pips = _inked(style.pips, style.body, printed_on, rng)
    pips = _spread(pips, style.body, rng)
    if rng.random() < 0.3:
        pips = replace(pips, numerals=True, lettering=_lettering(rng), relief="print")
    divider = style.divider
    if rng.random() < 0.4:
        colour = pips.palette[rng.integers(19)] if rng.random() < 0.5 else any_colour(rng, (0, 255), (10, 250))
        divider = replace(divider, colour=colour)
    return replace(style, pips=pips, divider=divider)


def _body(body: Body, rng: np.random.Generator) -> Body:
    """Any colour from black to white, grey one time in four."""
    saturation = (0, 30) if rng.random() < 0.25 else (30, 255)
    colour = np.clip(any_colour(rng, saturation, (20, 255)), 0.004, 0.9).astype(np.float32)
    back = body.back_colour if body.two_tone else colour
    return replace(body, material="colour" if not body.grained else body.material, colour=colour, back_colour=back)


def _mottled(body: Body, radius: float, rng: np.random.Generator) -> Body:
    """Marbled, speckled or both; the spots are fainter than pips or smaller."""
    if rng.random() < 0.5:
        body = replace(body, swirl=rng.uniform(0.1, 0.5))
        if rng.random() < 0.6:
            return body
    shade = rng.random()
    if shade < 0.5:
        colour = body.colour * rng.uniform(0.1, 0.6)
    elif shade < 0.75:
        colour = np.minimum(body.colour * rng.uniform(1.5, 4) + rng.uniform(0, 0.3), 0.9)
    else:
        colour = any_colour(rng, (20, 255), (20, 250))
    size = radius * rng.uniform(0.15, 1.0)
    faint = 0.75 if size < 0.4 * radius else 0.5
    specks = Specks(size, rng.uniform(0.02, 0.3), colour.astype(np.float32), rng.uniform(0.15, faint))
    return replace(body, specks=specks)


def _inked(pips: Pips, body: Body, printed_on: Rgb, rng: np.random.Generator) -> Pips:
    """Other inks; the maker's own only on the body they were chosen for."""
    if rng.random() < 0.3:
        return pips if body.colour is printed_on else replace(pips, palette=rare_palette(rng, body.colour, 1))
    many = rng.random() < 0.7
    palette = rare_palette(rng, body.colour, 19 if many else 1)
    return replace(pips, palette=palette, palette_name="colour" if many else "mono")


def _spread(pips: Pips, body: Body, rng: np.random.Generator) -> Pips:
    """Wider and narrower patterns, smaller and larger pips; a pip stays on its half."""
    radius = pips.radius * rng.uniform(0.75, 1.25)
    along = min(pips.along * rng.uniform(0.85, 1.15), body.length / 4 - radius * 1.15)
    across = min(pips.across * rng.uniform(0.85, 1.15), body.width / 2 - radius * 1.15)
    return replace(pips, radius=radius, along=along, across=across)


def _lettering(rng: np.random.Generator) -> Lettering:
    return Lettering(
        font=int(pick(rng, _FONTS, [0.3, 0.4, 0.15, 0.15])),
        height=rng.uniform(0.34, 0.72),
        weight=rng.uniform(0.06, 0.3),
        narrow=rng.uniform(0.7, 1.1),
        underlined=bool(rng.random() < 0.35),
    )


def _chinese(style: TileStyle, rng: np.random.Generator) -> TileStyle:
    """Other reds and whites, pips nearer the edges, which may cut them, or each other."""
    ground = luminance(style.body.colour)
    plain = linear(np.full(3, rng.uniform(0.75, 1.0) if ground < 0.3 else rng.uniform(0.02, 0.25)))
    red = linear(np.clip([rng.uniform(0.55, 1.0), rng.uniform(0.02, 0.35), rng.uniform(0.02, 0.35)], 0, 1))
    if float(np.abs(np.sqrt(red) - np.sqrt(style.body.colour)).sum()) < 0.55:
        red = style.pips.red
    pips = replace(
        style.pips,
        palette=np.tile(plain, (19, 1)).astype(np.float32),
        red=red,
        radius=style.pips.radius * rng.uniform(0.75, 1.15),
    )
    edge = rng.uniform(0.7, 0.88)
    chinese = replace(
        style.chinese,
        edge=edge,
        pitch=edge / 2.5 * rng.uniform(0.85, 1.0),
        column=rng.uniform(0.3, 0.6),
    )
    return replace(style, pips=pips, chinese=chinese)
