"""The hall's page speaks the viewer's language, and remembers which."""

from __future__ import annotations

import pytest

from companion.hall.page import create_hall_app
from companion.web.languages import LANGUAGES, catalogue
from tests.box.test_hall_page import told


class TwoTables:
    def snapshot(self) -> dict[str, object]:
        whole, gap = told([1, 2, 3, 4, 5]), told([1, 4])
        return {"connected": False, "tables": [table.as_json() for tables in (whole, gap) for table in tables]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_the_hall_is_said_in_the_viewers_language(language: str) -> None:
    client = create_hall_app(TwoTables()).test_client()
    page = client.get("/", headers={"Accept-Language": language}).text
    assert f'<html lang="{language}">' in page
    say = catalogue(language).gettext
    for sentence in ("All tables", "The broker cannot be reached: what is shown may be old.", "Catching up", "Player"):
        assert say(sentence) in page
        assert language == "en" or sentence not in page


def test_a_chosen_language_is_remembered() -> None:
    client = create_hall_app(TwoTables()).test_client()
    client.get("/?lang=cs")
    assert '<html lang="cs">' in client.get("/").text
