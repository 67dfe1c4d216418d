"""The documents on the page, without the internet."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from companion.web.archive import documents


def test_the_foot_of_every_page_leads_to_the_manual(anyone: FlaskClient) -> None:
    assert 'href="/manual"' in anyone.get("/games").get_data(as_text=True)
    page = anyone.get("/manual").get_data(as_text=True)
    for name in ("first-evening", "camera-and-light", "mqtt", "deploy", "parts"):
        assert f'href="/manual/{name}"' in page


def test_whoever_reads_another_language_is_told_that_it_is_english(anyone: FlaskClient) -> None:
    assert "Das Handbuch ist auf Englisch." in anyone.get("/manual?lang=de").text
    assert "The manual is in English." not in anyone.get("/manual?lang=en").text


@pytest.mark.parametrize("name", documents())
def test_every_document_is_a_page_whose_links_lead_somewhere(anyone: FlaskClient, name: str) -> None:
    answer = anyone.get(f"/manual/{name}")
    page = answer.get_data(as_text=True)
    article = page.partition('<article class="card manual"')[2].partition("</article>")[0]
    assert (
        answer.status_code == 200 and "<h1>" in article and ".md" not in "".join(re.findall(r'href="[^"]*"', article))
    )
    for path in set(re.findall(r'href="(/manual[^"#]*)', article)):
        assert anyone.get(path).status_code == 200, path


def test_a_sample_of_text_is_never_scrolled_sideways(anyone: FlaskClient) -> None:
    """Without a mouse nobody could: what scrolls has to take the keyboard's focus, and a block of text does not."""
    with anyone.get("/static/sheet.css") as answer:
        [rule] = re.findall(r"[.]manual pre {([^}]*)}", answer.text)
    assert "white-space: pre-wrap" in rule and "overflow" not in rule


def test_what_is_no_document_is_none(anyone: FlaskClient) -> None:
    assert anyone.get("/manual/..%2F..%2Fpyproject").status_code == 404
    assert anyone.get("/manual/nothing").status_code == 404
