"""Tiles seen straight on, painted without the scene around them: thousands of training crops a minute.

    python -m models.close_ups --out FILE.npz --sheets N --seed S --grounds DIR

A rendered table costs about a second and shows some ten tiles, mostly of one style. The reader needs many sets, every
pair of values as often as any other and hundreds of makers; for that the renderer's own textures are laid on a sheet
with touching neighbours, lit by a few simple lamps, and developed by the renderer's own camera. A sheet has no
perspective, walls, hands or other things' shadows: the reader sees these on the rendered tables.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.folder_argument import RENDERED, folder_with
from datasets.render.faces import FaceMaker
from datasets.render.gbuffer import Texture
from datasets.render.materials import plain, polka_dots
from datasets.render.rare import rare_style
from datasets.render.sensor import develop
from datasets.render.styles import TileStyle, make_style
from models.crops import BACK, CONTEXT_WH, NONE, UNIT, Crops

F = np.float32
Field = NDArray[np.float32]
COLUMNS, ROWS = 4, 4
GLARED = 0.2
"""The share of sheets over which something bright is mirrored."""
SEAMS, LIKE_AT_LIKE = 0.06, 0.8
"""The share of crops that show the end of one tile and the beginning of the next, and the share of these with like at
like, as the game wants it, where there are more: such a seam looks like a double's middle."""
_LENGTH, _WIDTH = 2 * UNIT, UNIT


@dataclass(frozen=True, slots=True)
class SheetSettings:
    rare: float = 0.0
    """The share of sheets with such sets as few shops sell."""
    seams: float = SEAMS
    """The share of the crops that show a seam, of a set with dividing lines."""
    high: float = 0.18
    """The share of double-15 and double-18 sets among the western ones."""
    chinese: float = 0.2
    """The share of sheets with a Chinese set."""
    dotted: float = 0.0
    """The share of sheets on a cloth with dots like pips, where every other place is bare."""


def sheets(count: int, seed: int, grounds: list[NDArray[np.uint8]], settings: SheetSettings = SheetSettings()) -> Crops:
    """`count` sheets of 16 context crops each, every sheet another maker's set on another ground."""
    rng = np.random.default_rng(seed)
    return Crops.together([sheet(rng, grounds[rng.integers(len(grounds))], settings) for _ in range(count)])


def grounds_of(folder: Path, most: int = 300) -> list[NDArray[np.uint8]]:
    """Pictures to cut the ground from: rendered tables, whatever lies on them."""
    pictures = [cv2.imread(str(path)) for path in sorted((folder / "images").glob("*.jpg"))[:most]]
    return [cv2.resize(p, (960, 720), interpolation=cv2.INTER_AREA) for p in pictures if p is not None]


def sheet(rng: np.random.Generator, ground: NDArray[np.uint8], settings: SheetSettings) -> Crops:
    """One set's tiles in rows of context crops."""
    style = make_style(rng, *_which_set(rng, settings))
    if rng.random() < settings.rare:
        style = rare_style(style, rng)
    maker = FaceMaker(style, _WIDTH / style.body.width, rng)
    wide, high = CONTEXT_WH
    dotted = settings.dotted > 0 and rng.random() < settings.dotted
    if dotted:
        ground = _dotted_cloth(max(wide * COLUMNS, high * ROWS) + 1, rng)
    canvas = _Canvas(wide * COLUMNS, high * ROWS, ground, rng, quiet=0.0 if dotted else 0.5)
    labels, straight = [], []
    touching = rng.random() < 0.75
    for row in range(ROWS):
        for column in range(COLUMNS):
            place = np.array([column * wide + wide / 2, row * high + high / 2])
            bare = dotted and rng.random() < 0.5
            pair, lies = _lay(canvas, maker, style, place, (wide, high), touching, settings.seams, bare, rng)
            labels.append(pair)
            straight.append(lies)
    picture, smaller = canvas.photograph(rng)
    context = [
        picture[r * high : (r + 1) * high, c * wide : (c + 1) * wide] for r in range(ROWS) for c in range(COLUMNS)
    ]
    n = len(labels)
    return Crops(
        np.array(context, np.uint8),
        np.array(labels, np.int16),
        np.full(n, UNIT * smaller, np.float32),
        np.full(n, not style.pips.numerals),
        np.array(straight, bool),
    )


def _which_set(rng: np.random.Generator, settings: SheetSettings) -> tuple[str, int | None]:
    """Chinese or, in the others, the sizes so that high values are not rare."""
    if rng.random() < settings.chinese:
        return "chinese", None
    high = settings.high
    low = np.array([0.36, 0.12, 0.34]) * (1 - high) / 0.82
    return "western", int(rng.choice([6, 9, 12, 15, 18], p=[*low, high / 3, high * 2 / 3]))


def _values(style: TileStyle, rng: np.random.Generator) -> tuple[int, int]:
    lowest = 1 if style.family == "chinese" else 0
    a, b = rng.integers(lowest, style.set_max + 1, 2)
    return int(a), int(b) if rng.random() > 0.06 else int(a)


def _lay(
    canvas: _Canvas,
    maker: FaceMaker,
    style: TileStyle,
    place: NDArray[np.float64],
    cell: tuple[int, int],
    touching: bool,
    seams: float,
    bare: bool,
    rng: np.random.Generator,
) -> tuple[tuple[int, int], bool]:
    """One crop's tile with its neighbours, or the `bare` ground between these; returns the labels and whether a tile
    lies straight in the crop."""
    window = (place - np.array(cell) / 2, place + np.array(cell) / 2)
    shift = np.zeros(2)
    askew = rng.random() < 0.1
    if askew:
        shift = np.array([rng.uniform(0.42, 1.05) * rng.choice([-1, 1]), rng.normal(0, 0.1)])
        if rng.random() < 0.3:
            shift = np.array([rng.normal(0, 0.3), rng.uniform(0.42, 0.7) * rng.choice([-1, 1])])
    seam = not askew and rng.random() < (seams if style.divider.shown else SEAMS)
    if seam:  # the end of one tile and the beginning of the next, which a chain without dividers makes look like one
        shift = np.array([rng.normal(1, 0.05) * rng.choice([-1, 1]), rng.normal(0, 0.03)])
    at = place + shift * UNIT
    pair = _values(style, rng)
    if not askew and not seam and rng.random() < 0.05:
        canvas.draw_board(window, rng)
        return (NONE, NONE), False
    down = rng.random() < 0.09
    for dx, dy, turned in ((-1, 0, False), (1, 0, False), (0, -1, False), (0, 1, False)):
        across = seam and dx * shift[0] < 0
        if not across and rng.random() > (0.5 if touching else 0.12):
            continue
        gap = rng.uniform(0, 0.05) if touching or across else rng.uniform(0.05, 0.35)
        turned = dx != 0 and not across and rng.random() < 0.35
        reach = (1.5 if turned else 2.0) if dx else 1.0
        beside = at + np.array([dx * (reach + gap), dy * (reach + gap)]) * UNIT
        if turned or (not across and rng.random() < 0.3):  # not flush
            beside = beside + np.array([0.0, rng.normal(0, 0.25)] if dx else [rng.normal(0, 0.4), 0.0]) * UNIT
        values = _values(style, rng)
        like = across and seams > SEAMS and style.divider.shown and rng.random() < LIKE_AT_LIKE
        if like:
            values = (values[0], pair[0]) if dx < 0 else (pair[1], values[1])
        face = maker.face(*values, rng)
        canvas.lay(face, beside, turned, rng.random() < 0.5 and not like, window)
    if bare:
        return (NONE, NONE), False
    own = maker.back(rng) if down else maker.face(*pair, rng)
    canvas.lay(own, at, False, False, window)
    if askew or seam:
        return (NONE, NONE), False
    return ((BACK, BACK) if down else pair), True


def _dotted_cloth(size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """(size, size, 3) uint8 BGR: dots as pips are seen, under any angle to the tiles."""
    large = math.ceil(size * 1.5)
    ground, ink = plain(large, _colour(rng)), plain(large, _colour(rng))
    cloth = polka_dots(rng, large, 1.0, ground, ink, UNIT * rng.uniform(0.14, 0.6))
    turn = cv2.getRotationMatrix2D((large / 2, large / 2), rng.uniform(0, 360) if rng.random() < 0.6 else 0.0, 1.0)
    turn[:, 2] -= (large - size) / 2
    return cv2.warpAffine(np.clip(cloth, 0, 255).astype(np.uint8), turn, (size, size), borderMode=cv2.BORDER_REFLECT)


def _colour(rng: np.random.Generator) -> NDArray[np.float32]:
    grey = rng.random() < 0.4
    return ((rng.uniform(12, 243) if grey else rng.uniform(8, 235, 3)) * np.ones(3)).astype(F)


def _sign(part: NDArray[np.uint8], at: NDArray[np.float64], pitch: float, rng: np.random.Generator) -> None:
    """A four-pointed star, a disc or a square with a digit or a letter in it, as board games print them."""
    centre, reach = at.round().astype(int), pitch * rng.uniform(0.3, 0.5)
    ink, kind = [float(c) for c in _colour(rng)], rng.integers(3)
    if kind == 0:
        around = np.arange(8) * math.pi / 4
        far = np.where(np.arange(8) % 2 == 0, reach, reach * rng.uniform(0.35, 0.65))
        star = np.stack([centre[0] + far * np.cos(around), centre[1] + far * np.sin(around)], 1)
        cv2.fillPoly(part, [star.round().astype(np.int32)], ink, cv2.LINE_AA)
    elif kind == 1:
        cv2.circle(part, centre.tolist(), round(reach * 0.8), ink, -1, cv2.LINE_AA)
    else:
        corner = (centre - round(reach * 0.8)).tolist()
        cv2.rectangle(part, corner, (centre + round(reach * 0.8)).tolist(), ink, -1)
    text, scale = str(rng.choice(list("0123456789ABDEMX"))), pitch / 45 * rng.uniform(0.5, 1.1)
    (w, h), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, 1)
    start = (int(centre[0] - w / 2), int(centre[1] + h / 2))
    cv2.putText(part, text, start, cv2.FONT_HERSHEY_DUPLEX, scale, [float(c) for c in _colour(rng)], 1, cv2.LINE_AA)


class _Canvas:
    """Linear colour and relief of a sheet seen from straight above."""

    def __init__(
        self, width: int, height: int, ground: NDArray[np.uint8], rng: np.random.Generator, quiet: float = 0.5
    ) -> None:
        y, x = rng.integers(0, ground.shape[0] - height), rng.integers(0, ground.shape[1] - width)
        part = ground[y : y + height, x : x + width, ::-1].astype(F) / 255
        # Of the grounds so many are `quiet`: most real tables are.
        if rng.random() < quiet:
            part = part.mean((0, 1), keepdims=True) * (1 + 0.04 * rng.standard_normal((height, width, 1)))
            part = np.broadcast_to(part, (height, width, 3)) * rng.uniform(0.3, 1.6)
        self.albedo = np.ascontiguousarray(np.clip(part, 0, 1) ** 2.2, F)
        self.relief = np.zeros((height, width, 4), F)
        self.relief[..., 3] = 1
        self.covered = np.zeros((height, width), F)

    def lay(
        self,
        texture: Texture,
        centre: NDArray[np.float64],
        upright: bool,
        reversed_: bool,
        window: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> None:
        """Blend a tile of _LENGTH x _WIDTH px over what lies there, inside its crop's window only."""
        size = (_LENGTH + 4, _WIDTH + 4)
        albedo = cv2.resize(texture.albedo, size, interpolation=cv2.INTER_AREA)
        relief = cv2.resize(texture.relief, size, interpolation=cv2.INTER_AREA)
        if reversed_:
            albedo, relief = albedo[::-1, ::-1], relief[::-1, ::-1] * np.array([-1, -1, 1, 1], F)
        if upright:
            albedo = albedo.transpose(1, 0, 2)
            relief = relief.transpose(1, 0, 2)[..., [1, 0, 2, 3]]
        h, w = albedo.shape[:2]
        x0, y0 = round(centre[0] - w / 2), round(centre[1] - h / 2)
        left, top = max(x0, int(window[0][0])), max(y0, int(window[0][1]))
        right, bottom = min(x0 + w, int(window[1][0])), min(y0 + h, int(window[1][1]))
        if right <= left or bottom <= top:
            return
        target = (slice(top, bottom), slice(left, right))
        source = (slice(top - y0, bottom - y0), slice(left - x0, right - x0))
        alpha = albedo[source][..., 3:]
        self.albedo[target] += (albedo[source][..., :3] - self.albedo[target]) * alpha
        self.relief[target] += (relief[source] - self.relief[target]) * alpha
        self.covered[target] = np.maximum(self.covered[target], alpha[..., 0])

    def draw_board(self, window: tuple[NDArray[np.float64], NDArray[np.float64]], rng: np.random.Generator) -> None:
        """Printed squares, two of which look like a blank tile: lines, and in some squares a sign or a digit."""
        (x0, y0), (x1, y1) = window[0].astype(int), window[1].astype(int)
        part = (self.albedo[y0:y1, x0:x1] ** (1 / 2.2) * 255).astype(np.uint8)
        if rng.random() < 0.7:
            part[:] = np.clip(_colour(rng) * (1 + 0.04 * rng.standard_normal((*part.shape[:2], 1))), 0, 255)
        pitch = UNIT * rng.uniform(0.85, 1.15)
        middle = np.array([x1 - x0, y1 - y0]) / 2 + rng.normal(0, 0.06, 2) * UNIT
        ink, thick = [float(c) for c in _colour(rng)], int(rng.integers(1, 4))
        columns = [middle[0] + k * pitch for k in (-2, -1, 0, 1, 2)]
        rows = [middle[1] + k * pitch for k in (-1.5, -0.5, 0.5, 1.5)]
        for x in columns:
            cv2.line(part, (round(x), 0), (round(x), y1 - y0), ink, thick, cv2.LINE_AA)
        for y in rows:
            cv2.line(part, (0, round(y)), (x1 - x0, round(y)), ink, thick, cv2.LINE_AA)
        for x in columns[:-1]:
            for y in rows[:-1]:
                if rng.random() < 0.25:
                    _sign(part, np.array([x, y]) + pitch / 2, pitch, rng)
        self.albedo[y0:y1, x0:x1] = (part.astype(F) / 255) ** F(2.2)

    def photograph(self, rng: np.random.Generator) -> tuple[NDArray[np.uint8], float]:
        """The developed sheet (h, w, 3) BGR and the factor by which it was smaller in the camera."""
        light = self._lit(rng)
        h, w = light.shape[:2]
        smaller = math.exp(rng.uniform(math.log(0.3), 0.15))
        if smaller < 1:
            light = cv2.resize(light, (round(w * smaller), round(h * smaller)), interpolation=cv2.INTER_AREA)
        picture, quality = develop(light, rng)
        coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        picture = cv2.imdecode(coded, cv2.IMREAD_COLOR)
        how = cv2.INTER_LINEAR if rng.random() < 0.5 else cv2.INTER_CUBIC
        return cv2.resize(picture, (w, h), interpolation=how), min(smaller, 1.0)

    def _lit(self, rng: np.random.Generator) -> Field:
        h, w = self.covered.shape
        gx, gy, gloss, openness = cv2.split(self.relief)
        nz = 1 / np.sqrt(gx * gx + gy * gy + 1)
        nx, ny = -gx * nz, -gy * nz
        x = (np.arange(w, dtype=F) / w - 0.5)[None]
        y = (np.arange(h, dtype=F) / w - 0.5 * h / w)[:, None]
        tint = 1 + np.array([0.1, 0, -0.14], F) * F(rng.uniform(-1, 1))
        light = (openness * (0.55 + 0.45 * nz) * F(rng.uniform(0.3, 1.3)))[..., None] * tint
        shine = np.zeros((h, w, 1), F)
        for _ in range(int(rng.integers(1, 4))):
            around, tall = rng.uniform(0, 2 * math.pi), rng.uniform(0.35, 1.4)
            lx, ly = F(math.cos(around) / tall) - x, F(math.sin(around) / tall) - y
            norm = 1 / np.sqrt(lx * lx + ly * ly + 1)
            shadow = 1 - self._shadow(-math.cos(around), -math.sin(around), rng)
            strength = F(rng.uniform(0.3, 1.0))
            received = np.maximum((nx * lx + ny * ly + nz) * norm, 0) * (0.35 + 0.65 * openness) * shadow
            light += received[..., None] * strength * tint
            # the mirrored lamp: half vector between the light and a camera straight above
            hx, hy, hz = lx * norm - x * 0.6, ly * norm - y * 0.6, norm + 1
            facing = np.maximum(nx * hx + ny * hy + nz * hz, 0) / np.sqrt(hx * hx + hy * hy + hz * hz)
            sharp = F(math.exp(rng.uniform(math.log(30), math.log(900))))
            shine += (facing**sharp * gloss * strength * F(rng.uniform(0.2, 3.0)))[..., None]
        veil = np.clip(F(rng.normal(0, 0.25)) * x + F(rng.normal(0, 0.25)) * y + 1, 0.4, 1.6)[..., None]
        haze = F(max(0.0, rng.normal(0.0, 0.02)))
        if rng.random() < GLARED:  # a window or a white ceiling, mirrored in the faces
            haze += F(rng.uniform(0.02, 0.18)) * self._cloud(rng)
        return np.asarray((self.albedo * light + shine + (haze * gloss)[..., None]) * veil, F)

    def _cloud(self, rng: np.random.Generator) -> Field:
        """(h, w) in 0..1: something bright and soft, here more and there less."""
        h, w = self.covered.shape
        few = rng.random((int(rng.integers(2, 6)), int(rng.integers(2, 6))), np.float32)
        return cv2.resize(few, (w, h), interpolation=cv2.INTER_CUBIC).clip(0, 1)

    def _shadow(self, dx: float, dy: float, rng: np.random.Generator) -> Field:
        """The shadow that the tiles cast on the ground around them."""
        reach = rng.uniform(0.02, 0.3) * UNIT
        moved = cv2.warpAffine(
            self.covered, np.array([[1, 0, dx * reach], [0, 1, dy * reach]], F), self.covered.shape[::-1]
        )
        soft = cv2.GaussianBlur(moved, (0, 0), rng.uniform(0.6, 6))
        return soft * (1 - self.covered) * F(rng.uniform(0.3, 0.95))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the .npz file to write")
    parser.add_argument("--sheets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--grounds", type=folder_with(RENDERED), required=True, help="rendered tables to cut the ground from"
    )
    usual = SheetSettings()
    parser.add_argument("--rare", type=float, default=usual.rare, help="the share of sheets with sets few shops sell")
    parser.add_argument("--seams", type=float, default=usual.seams, help="the share of seams where dividing lines show")
    parser.add_argument("--chinese", type=float, default=usual.chinese, help="the share of Chinese sets")
    parser.add_argument("--dotted", type=float, default=usual.dotted, help="the share of cloths with dots like pips")
    parser.add_argument("--high", type=float, default=usual.high, help="the share of double-15 and double-18 sets")
    options = parser.parse_args()
    settings = SheetSettings(options.rare, options.seams, options.high, options.chinese, options.dotted)
    sheets(options.sheets, options.seed, grounds_of(options.grounds), settings).save(options.out)


if __name__ == "__main__":
    main()
