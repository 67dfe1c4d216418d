"""The look of a set of dominoes: its body, its pips, its divider, its back. One style is one maker's set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.chance import aside, pick
from datasets.render.colour import Rgb, any_colour, from_hsv, linear, luminance
from datasets.render.palettes import make_palette
from datasets.render.pips import ChinesePrint, Maker, make_chinese_print, make_maker


@dataclass(frozen=True, slots=True, eq=False)
class Specks:
    """Spots in the body itself: their size in mm, the share of the face they cover, their colour and its strength."""

    size: float
    share: float
    colour: Rgb
    strength: float


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """The blank tile; lengths in mm, colours linear; `scratches` on a face on average."""

    material: str
    length: float
    width: float
    thickness: float
    colour: Rgb
    corner: float
    bevel: float
    bevel_slope: float
    framed: bool
    gloss: float
    roughness: float
    dirt: float
    swirl: float
    speckled: bool
    tile_spread: float
    scratches: float
    back_colour: Rgb
    two_tone: bool
    back_pattern: str
    side_split: float
    specks: Specks | None = None
    film: float = 0.0
    """How much grey (linear) dust, grease and years have laid on a dark face, thicker here and thinner there."""

    @property
    def dark(self) -> bool:
        return luminance(self.colour) < 0.13

    @property
    def grained(self) -> bool:
        return self.material in ("wood", "bamboo")


TYPESET = -1
"""Pillow's own typeface. Nothing was trained on it, so that it can be measured with."""


@dataclass(frozen=True, slots=True)
class Lettering:
    """How numbers are printed: an OpenCV font or `TYPESET`, the height of its digits as a share of the half's shorter
    side, the stroke's weight as a share of that height, how much narrower than drawn, and whether 6 and 9 are
    underlined."""

    font: int
    height: float
    weight: float
    narrow: float
    underlined: bool


PLAIN_LETTERING = Lettering(cv2.FONT_HERSHEY_DUPLEX, height=0.55, weight=0.09, narrow=1.0, underlined=False)


@dataclass(frozen=True, slots=True, eq=False)
class Pips:
    """`relief` is how a pip is made: dimple, flat (drilled and filled), print or dome. `moulded` is a black plastic set
    with nine dimples in every half; only the painted ones count. `across` and `along` are the half extents of a
    pattern in mm; `drill_mark` is the share of the radius that the drill's tip left dark; `palette` (19, 3) the colour
    of each value."""

    palette: NDArray[np.float32]
    palette_name: str
    red: Rgb
    relief: str
    radius: float
    along: float
    across: float
    slope: float
    paint_share: float
    paint_offset: float
    rim: float
    gloss: float
    numerals: bool
    moulded: bool
    painted_dome: bool
    drill_mark: float
    lettering: Lettering = PLAIN_LETTERING
    by_hand: float = 0.0
    """How unevenly somebody dotted the pips with a pen: in pip radii, how far each is off its place and its shape."""


@dataclass(frozen=True, slots=True, eq=False)
class Divider:
    """The bar in the middle and the metal spinner pin on it; `pin_radius` 0 is no pin."""

    shown: bool
    width: float
    length: float
    colour: Rgb
    engraved: bool
    pin_radius: float
    pin_colour: Rgb


@dataclass(frozen=True, slots=True, eq=False)
class TileStyle:
    family: str
    set_max: int
    body: Body
    pips: Pips
    divider: Divider
    maker: Maker
    chinese: ChinesePrint

    def summary(self) -> dict[str, object]:
        """The style as the labels describe it."""
        return {
            "kind": self.family,
            "base": self.body.material,
            "nmax": self.set_max,
            "palette": self.pips.palette_name,
            "geom": "moulded" if self.pips.moulded else self.pips.relief,
            "numerals": self.pips.numerals,
        }


FAMILIES = ("western", "chinese")
_SETS = ((6, 9, 12, 15, 18), (0.28, 0.15, 0.45, 0.07, 0.05))


def make_style(rng: np.random.Generator, family: str | None = None, set_max: int | None = None) -> TileStyle:
    """A random maker's set. `family` western or chinese (one in seven)."""
    family = family or ("chinese" if rng.random() < 0.14 else "western")
    maker, chinese = make_maker(rng), make_chinese_print(rng)
    if family == "chinese":
        body = _chinese_body(rng)
        pips = _chinese_pips(rng, body)
        return TileStyle(family, 6, body, pips, _no_divider(body), maker, chinese)
    set_max = set_max if set_max is not None else pick(rng, *_SETS)
    moulded = set_max <= 6 and rng.random() < 0.22
    body = _western_body(rng, "moulded" if moulded else None)
    pips = _western_pips(rng, body, set_max, moulded)
    divider = _divider(rng, body, pips)
    clear = body.length * 0.24 - pips.radius - (divider.width / 2 if divider.shown else 0)
    pips = replace(pips, along=min(pips.along, clear / 1.1))  # no pip on the bar
    if not divider.shown and not body.two_tone and body.back_pattern == "plain":
        body = replace(body, back_pattern="logo")  # otherwise a double blank and a tile face down are the same picture
    return TileStyle(family, set_max, body, pips, divider, maker, chinese)


def resized(style: TileStyle, length: float, width: float, thickness: float) -> TileStyle:
    """The same maker's print on tiles of another size (mm)."""
    scale = width / style.body.width
    along = style.pips.along * length / style.body.length
    pips = replace(style.pips, radius=style.pips.radius * scale, across=style.pips.across * scale, along=along)
    divider = replace(style.divider, pin_radius=style.divider.pin_radius * scale)
    body = replace(style.body, length=length, width=width, thickness=thickness, corner=style.body.corner * scale)
    return replace(style, body=body, pips=pips, divider=divider)


_MATERIALS = ("white", "ivory", "black", "wood", "colour", "pastel", "jade")
_MATERIAL_WEIGHTS = (0.40, 0.24, 0.14, 0.07, 0.07, 0.05, 0.03)


def _western_body(rng: np.random.Generator, material: str | None) -> Body:
    length = rng.uniform(38, 60)
    width = length / rng.uniform(1.85, 2.12)
    thickness = width * (rng.uniform(0.3, 0.52) if rng.random() < 0.75 else rng.uniform(0.14, 0.3))
    material = material or pick(rng, _MATERIALS, _MATERIAL_WEIGHTS)
    return _finish_body(rng, material, length, width, thickness)


def _chinese_body(rng: np.random.Generator) -> Body:
    length = rng.uniform(45, 75)
    width = length / rng.uniform(2.2, 2.7)
    material = pick(rng, ["black", "white", "ivory", "bamboo", "wood"], [0.66, 0.12, 0.1, 0.07, 0.05])
    return _finish_body(rng, material, length, width, width * rng.uniform(0.35, 0.6), plain_back=True)


def _finish_body(
    rng: np.random.Generator, material: str, length: float, width: float, thickness: float, plain_back: bool = False
) -> Body:
    colour = np.clip(_material_colour(rng, material), 0.004, 0.9).astype(np.float32)
    back = 0.0 if plain_back and rng.random() < 0.85 else rng.random()
    back_colour = colour
    if back >= 0.86:
        back_colour = linear(rng.uniform(0.05, 0.75, 3))
    elif back >= 0.72:
        back_colour = linear(np.array([0.08, 0.08, 0.09]) * rng.uniform(0.6, 2))
    return Body(
        material=material,
        length=length,
        width=width,
        thickness=thickness,
        colour=colour,
        corner=width * (rng.uniform(0.02, 0.09) if rng.random() < 0.45 else rng.uniform(0.09, 0.19)),
        bevel=rng.uniform(0.3, 1.0) if rng.random() < 0.4 else rng.uniform(1.0, 2.6),
        bevel_slope=rng.uniform(0.5, 1.5),
        framed=material == "moulded" or rng.random() < 0.07,
        gloss=rng.uniform(0.25, 1.2),
        roughness=rng.uniform(0.015, 0.09) if rng.random() < 0.6 else rng.uniform(0.09, 0.3),
        dirt=rng.uniform(0, 0.04) if rng.random() < 0.8 else rng.uniform(0.04, 0.14),
        swirl=0.0 if rng.random() < 0.92 and material != "jade" else rng.uniform(0.05, 0.3),
        speckled=rng.random() < 0.05,
        tile_spread=rng.uniform(0, 0.04),
        scratches=rng.uniform(1, 9) if rng.random() < 0.2 else 0.0,
        back_colour=back_colour,
        two_tone=back >= 0.72,
        back_pattern="plain"
        if plain_back
        else pick(rng, ["plain", "logo", "lines", "frame", "text", "emblem"], [0.55, 0.13, 0.08, 0.08, 0.08, 0.08]),
        side_split=rng.uniform(0.35, 0.6),
        film=_film(aside(rng)) if luminance(colour) < 0.13 else 0.0,
    )


def _film(rng: np.random.Generator) -> float:
    return rng.uniform(0.01, 0.12) if rng.random() < FILMED else 0.0


FILMED = 0.25
"""The share of dark sets whose faces are no longer clean."""


def _material_colour(rng: np.random.Generator, material: str) -> Rgb:
    if material == "white":
        return linear(np.array([0.93, 0.93, 0.92]) * rng.uniform(0.9, 1.03) + rng.normal(0, 0.012, 3))
    if material == "ivory":
        return linear(np.array([0.93, 0.88, 0.75]) * rng.uniform(0.85, 1.03) + rng.normal(0, 0.02, 3))
    if material in ("black", "moulded"):
        return linear(np.array([0.09, 0.09, 0.095]) * rng.uniform(0.5, 1.9))
    if material in ("wood", "bamboo"):
        return linear(np.array([0.80, 0.62, 0.40]) * rng.uniform(0.55, 1.12) + rng.normal(0, 0.03, 3))
    if material == "jade":  # translucent green plastic
        return from_hsv(rng.uniform(62, 85), rng.uniform(150, 240), rng.uniform(70, 150))
    if material == "pastel":  # pink, mint, sky and the like, bright plastic
        return from_hsv(rng.integers(0, 180), rng.uniform(60, 190), rng.uniform(190, 255))
    return any_colour(rng, (90, 240), (50, 230))


def _western_pips(rng: np.random.Generator, body: Body, set_max: int, moulded: bool) -> Pips:
    width = body.width
    palette, name = make_palette(rng, body.colour, body.material, set_max)
    share = {6: (0.075, 0.14), 9: (0.07, 0.128), 12: (0.055, 0.108)}.get(set_max, (0.043, 0.066))
    if set_max <= 6 and rng.random() < 0.12:  # pin-point pips, as some black sets have them
        share = (0.045, 0.07)
    radius = width * rng.uniform(*share)
    across = rng.uniform(0.27, 0.355) * width
    along = rng.uniform(0.26, 0.39) * body.length / 2
    if moulded:
        radius, across, along = width * rng.uniform(0.085, 0.115), width * rng.uniform(0.28, 0.34), body.length * 0.158
    along = min(max(along, across * 0.85), body.length / 4 - radius * 1.35)
    across = min(across, width / 2 - radius * 1.35)
    return Pips(
        palette=palette,
        palette_name=name,
        red=linear([0.75, 0.1, 0.1]),
        relief="dimple" if moulded else pick(rng, ["dimple", "flat", "print", "dome"], [0.58, 0.2, 0.2, 0.02]),
        radius=radius,
        along=along,
        across=across,
        slope=rng.uniform(0.45, 1.3),
        paint_share=rng.uniform(0.88, 1.02),
        paint_offset=rng.normal(0, 0.05),
        rim=rng.uniform(0.15, 0.55) if rng.random() < 0.5 else 0.0,
        gloss=rng.uniform(0.5, 2.8),
        numerals=set_max >= 9 and rng.random() < 0.03,
        moulded=moulded,
        painted_dome=moulded and rng.random() < 0.6,
        drill_mark=rng.uniform(0.15, 0.35) if rng.random() < 0.2 else 0.0,
    )


def _chinese_pips(rng: np.random.Generator, body: Body) -> Pips:
    if body.dark:
        plain = linear(np.array([0.92, 0.92, 0.9]) * rng.uniform(0.85, 1.05))
    else:
        plain = pick(
            rng, [linear([0.07, 0.07, 0.07]), linear([0.06, 0.1, 0.4]), linear([0.05, 0.3, 0.15])], [0.7, 0.15, 0.15]
        )
    if luminance(body.colour) < 0.25 and not body.dark:
        plain = linear([0.92, 0.92, 0.9])
    red = linear(np.clip(np.array([0.8, 0.1, 0.14]) * rng.uniform(0.75, 1.15), 0, 1))
    return Pips(
        palette=np.tile(plain, (19, 1)).astype(np.float32),
        palette_name="chinese",
        red=red,
        relief=pick(rng, ["dimple", "flat", "print", "dome"], [0.55, 0.1, 0.2, 0.15]),
        radius=body.width * rng.uniform(0.125, 0.185),
        along=0.0,
        across=0.0,
        slope=rng.uniform(0.4, 1.2),
        paint_share=rng.uniform(0.9, 1.02),
        paint_offset=rng.normal(0, 0.04),
        rim=rng.uniform(0.1, 0.4) if rng.random() < 0.3 else 0.0,
        gloss=rng.uniform(0.5, 2.0),
        numerals=False,
        moulded=False,
        painted_dome=False,
        drill_mark=0.0,
    )


def _divider(rng: np.random.Generator, body: Body, pips: Pips) -> Divider:
    shown = rng.random() < 0.95
    if pips.palette_name == "mono" and rng.random() < 0.8:
        colour = pips.palette[1]
    elif body.dark:
        colour = body.colour * 3 + 0.05
    else:
        colour = body.colour * rng.uniform(0.2, 0.75)
    if pips.palette_name == "colour" and rng.random() < 0.55:
        colour = linear([0.1, 0.1, 0.1])
    # most real bars are thick and black, whatever the pips; thin or pale ones are the exception
    if not body.dark and rng.random() < 0.5:
        colour = linear(np.full(3, rng.uniform(0.05, 0.2)))
    width = body.length * (rng.uniform(0.008, 0.025) if rng.random() < 0.35 else rng.uniform(0.025, 0.07))
    length = rng.uniform(0.62, 0.9) if rng.random() < 0.7 else rng.uniform(0.9, 1.02)
    if pips.moulded:  # a groove without paint
        colour, width, length = body.colour * rng.uniform(0.5, 1.5), rng.uniform(0.4, 0.9), rng.uniform(0.85, 1.0)
    pin = rng.random() < (0.36 if shown else 0.1) and not pips.moulded
    metal = pick(rng, [(0.72, 0.6, 0.32), (0.6, 0.6, 0.62), (0.62, 0.42, 0.2)], [0.6, 0.3, 0.1])
    return Divider(
        shown=shown,
        width=width,
        length=length,
        colour=np.asarray(colour, np.float32),
        engraved=rng.random() < 0.75 or pips.moulded,
        pin_radius=rng.uniform(0.045, 0.09) * body.width if pin else 0.0,
        pin_colour=linear(metal),
    )


def _no_divider(body: Body) -> Divider:
    return Divider(False, 0.5, 0.5, body.colour, False, 0.0, body.colour)
