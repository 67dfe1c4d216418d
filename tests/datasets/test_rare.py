"""Rare sets: drawn from wide ranges, and still sets that a careful eye can read."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.render.faces import FaceMaker
from datasets.render.rare import rare_style
from datasets.render.styles import TileStyle, make_style


def rare_sets(family: str, count: int, set_max: int | None = None) -> list[TileStyle]:
    rng = np.random.default_rng(11)
    return [rare_style(make_style(rng, family, set_max), rng) for _ in range(count)]


@pytest.mark.parametrize("set_max", [6, 12, 18])
def test_pips_keep_their_number_and_stand_out_from_the_body(set_max: int) -> None:
    for style in rare_sets("western", 25, set_max):
        if style.pips.numerals or style.pips.moulded:
            continue
        faces = FaceMaker(style, 12.0, np.random.default_rng(1))
        for value in range(set_max + 1):
            count, _ = cv2.connectedComponents((faces._half_layer(value).paint > 0.5).astype(np.uint8))
            assert count - 1 == value
        apart = np.abs(np.sqrt(style.pips.palette) - np.sqrt(style.body.colour)).sum(1)
        assert apart[1:].min() > 0.3


def test_chinese_pips_keep_their_number_though_the_edge_may_cut_them() -> None:
    for style in rare_sets("chinese", 25):
        faces = FaceMaker(style, 12.0, np.random.default_rng(1))
        paint = faces._chinese_layer(6, 5).paint
        count, _ = cv2.connectedComponents((paint > 0.5).astype(np.uint8))
        assert count - 1 == 11
        whole = np.pi * (style.pips.radius * 12.0) ** 2
        assert (paint > 0.5).sum() > 0.3 * 11 * whole


def test_numbers_are_written_in_many_letterings_and_within_their_half() -> None:
    written = [style for style in rare_sets("western", 80, 12) if style.pips.numerals]
    assert len({style.pips.lettering.font for style in written}) >= 3
    for style in written:
        faces = FaceMaker(style, 12.0, np.random.default_rng(1))
        for value in (1, 6, 9, 12):
            paint = faces._half_layer(value).paint
            assert 0.01 < (paint > 0.5).mean() < 0.5
            assert max(paint[0].max(), paint[-1].max(), paint[:, 0].max(), paint[:, -1].max()) == 0
        assert not (faces._half_layer(0).paint > 0).any()


def test_an_underlined_six_is_no_nine_upside_down() -> None:
    style = next(one for one in rare_sets("western", 80, 12) if one.pips.numerals and one.pips.lettering.underlined)
    faces = FaceMaker(style, 12.0, np.random.default_rng(1))
    six, nine = (faces._half_layer(value).paint > 0.5 for value in (6, 9))
    assert (six != nine[::-1, ::-1]).mean() > 0.01


@pytest.mark.slow
def test_some_bodies_are_marbled_and_their_spots_are_fainter_than_pips() -> None:
    styles = [style for style in rare_sets("western", 120, 9) if not style.pips.moulded]
    speckled = [style for style in styles if style.body.specks is not None]
    assert len(speckled) > 10 and any(style.body.swirl > 0.1 and style.body.specks is None for style in styles)
    for style in speckled:
        specks = style.body.specks
        assert specks is not None
        largest = style.pips.radius / 0.75  # pips are made smaller afterwards, by a quarter at most
        assert specks.size <= largest and specks.strength <= 0.75
        assert specks.size < 0.4 * largest or specks.strength <= 0.5
        plain = FaceMaker(replace(style, body=replace(style.body, specks=None)), 12.0, np.random.default_rng(1))
        spotted = FaceMaker(style, 12.0, np.random.default_rng(1))
        face, clean = (one.face(0, 0, np.random.default_rng(2)).albedo for one in (spotted, plain))
        share = float((np.abs(face[..., :3] - clean[..., :3]).max(2) > 1e-4).mean())
        assert share < 0.5
        if np.abs(specks.colour - style.body.colour).max() > 0.02:
            assert share > 0.3 * specks.share
