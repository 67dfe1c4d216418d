"""The README's pictures are of the page as it is."""

from __future__ import annotations

import pytest

import bench.page_pictures
from bench.page_pictures import MADE_OF, made_of


def test_the_pictures_are_no_older_than_the_page() -> None:
    assert made_of() == MADE_OF.read_text(encoding="utf-8").strip(), "make them anew: make pictures"


def test_another_word_or_element_makes_them_old(monkeypatch: pytest.MonkeyPatch) -> None:
    now = made_of()
    monkeypatch.setattr("companion.web.wording.who", lambda *names: f"{names}, as they were called before")
    assert made_of() != now
    assert bench.page_pictures._skeleton('<p class="a">b</p>') != bench.page_pictures._skeleton('<p class="c">b</p>')
