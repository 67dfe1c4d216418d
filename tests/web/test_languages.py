"""All languages, complete: a message without a translation fails here, not at somebody's table."""

from __future__ import annotations

import ast
import re
from datetime import datetime
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from flask import Flask, g
from flask.testing import FlaskClient

import companion.hall
import companion.web
from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from companion.rules.reasons import words_of
from companion.rules.violations import Violation
from companion.web.languages import LANGUAGES, TRANSLATIONS, catalogue, locale_of, show_day
from companion.web.messages import COMPANION, KEYWORDS, ROOMS, messages, texts_in
from companion.web.wording import rules_name
from tests.lanes import nightly

WEB = Path(companion.web.__file__).parent
HALL = Path(companion.hall.__file__).parent
OTHERS = tuple(code for code in LANGUAGES if code != "en")
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


@cache
def read(language: str) -> Catalog:
    with (TRANSLATIONS / f"{language}.po").open("rb") as po:
        return read_po(po, locale=locale_of(language))


def entries(language: str) -> dict[str | tuple[str, str], Message]:
    return {
        tuple(message.id) if isinstance(message.id, list | tuple) else message.id: message
        for message in read(language)
        if message.id
    }


def forms(message: Message) -> tuple[str, ...]:
    return tuple(message.string) if isinstance(message.string, list | tuple) else (message.string,)


def test_there_is_something_to_translate() -> None:
    assert len(messages()) > 400


def test_texts_in_a_file_are_found_by_their_keys_with_the_line() -> None:
    content = 'title = "One"\nwords = "none"\n[a.rules]\nfirst = "Two \\"2\\""\n[[b]]\nspecial = ["Three"]\n'
    assert list(texts_in(content, ("title", "rules", "special"))) == [(1, "One"), (4, 'Two "2"'), (6, "Three")]


def test_no_sentence_of_the_code_escapes_the_collector() -> None:
    """It does not look into f-strings."""
    files = [path.read_text(encoding="utf-8") for room in ROOMS for path in (COMPANION / room).rglob("*.py")]
    calls = [one for file in files for one in ast.walk(ast.parse(file)) if isinstance(one, ast.Call) and one.args]
    said = [one.args[0] for one in calls if getattr(one.func, "id", "") in KEYWORDS]
    first = {one.value for one in said if isinstance(one, ast.Constant)}
    assert len(first) > 300
    assert first - {one if isinstance(one, str) else one[0] for one in messages()} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_no_message_lacks_a_translation(language: str) -> None:
    known = entries(language)
    missing = [message for message in messages() if message not in known]
    empty = [message for message, entry in known.items() if not all(forms(entry))]
    assert missing == [] and empty == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_is_left_over_or_unsure(language: str) -> None:
    assert [message for message in entries(language) if message not in messages()] == []
    assert [entry.id for entry in entries(language).values() if entry.fuzzy] == []


@pytest.mark.parametrize("language", OTHERS)
def test_translations_fill_in_the_same_things(language: str) -> None:
    for message, entry in entries(language).items():
        source = message if isinstance(message, str) else message[1]
        for form in forms(entry):
            assert set(PLACEHOLDER.findall(form)) == set(PLACEHOLDER.findall(source)), form
            assert form.count("%(") == len(PLACEHOLDER.findall(form)), form


@pytest.mark.parametrize("language", OTHERS)
def test_every_plural_form_is_there(language: str) -> None:
    for message, entry in entries(language).items():
        if isinstance(message, tuple):
            assert len(forms(entry)) == read(language).num_plurals, message


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("uk", {1: "1 гравець", 3: "3 гравці", 5: "5 гравців", 21: "21 гравець"}),
        ("ru", {1: "1 игрок", 2: "2 игрока", 11: "11 игроков"}),
        ("cs", {1: "1 hráč", 4: "4 hráči", 5: "5 hráčů"}),
        ("bn", {1: "1 জন খেলোয়াড়", 4: "4 জন খেলোয়াড়"}),
        ("de", {0: "0 Spieler", 1: "1 Spieler", 4: "4 Spieler"}),
        ("ko", {1: "플레이어 1명", 4: "플레이어 4명"}),
        ("es", {0: "0 jugadores", 1: "1 jugador", 4: "4 jugadores"}),
        ("fr", {0: "0 joueur", 1: "1 joueur", 4: "4 joueurs"}),
        ("zh", {1: "1 个人", 4: "4 个人"}),
        ("zh-TW", {1: "1 個人", 4: "4 個人"}),
        ("en", {1: "1 player", 4: "4 players"}),
    ],
)
def test_numbers_take_their_plural(language: str, sentences: dict[int, str]) -> None:
    for number, sentence in sentences.items():
        assert catalogue(language).ngettext("%(num)s player", "%(num)s players", number) % {"num": number} == sentence


def test_names_in_a_row_have_the_commas_of_the_writing(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.match_over() | {"winner": ["Ann", "Ben"]})
    for language, told in (("en", "Ann, Ben"), ("zh-TW", "Ann、Ben"), ("zh", "Ann、Ben"), ("cs", "Ann, Ben")):
        for path in ("/", "/scores"):
            shown = anyone.get(f"{path}?lang={language}").text
            assert told in shown and (", Ben" in shown) is (", " in told), (language, path)


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "Ann and Ben share"), ("de", "Ann und Ben führen"), ("zh", "Ann 和 Ben 并列"), ("cs", "Ann a Ben vedou")],
)
def test_the_last_of_several_names_in_a_sentence_has_its_and(
    anyone: FlaskClient, session: FakeSession, language: str, told: str
) -> None:
    session.show(tables.midgame(phase="waiting", turn=None, totals={"Ann": 5, "Ben": 5, "Cyril": 9, "Dorothea": 12}))
    assert told in anyone.get(f"/?lang={language}").text


def test_every_violation_has_a_title_and_a_rule() -> None:
    assert all(words_of(code).title and words_of(code).rule for code in Violation)


def text_of(page: str) -> str:
    """All that a person reads or hears: text, labels and titles."""
    spoken = " ".join(re.findall(r'(?:aria-label|alt|title|data-lost)="([^"]*)"', page))
    return unescape(re.sub(r"<[^>]+>", " ", page) + " " + spoken)


@pytest.mark.parametrize("language", [one if one in ("ru", "zh-TW") else nightly(one) for one in OTHERS])
def test_no_english_is_left_on_any_page(keeper: FlaskClient, session: FakeSession, language: str) -> None:
    english = [m for m in messages() if isinstance(m, str) and len(m) > 10 and "%(" not in m]
    for table in (tables.illegal, tables.uncovered_double, tables.question, tables.chinese_line, tables.match_over):
        session.show(table())
        for path in ("/", "/tv", "/scores", "/ask", "/games", "/setup", "/setup?rules=cz", "/play/32", "/round-end"):
            sign = "&" if "?" in path else "?"
            shown = text_of(keeper.get(f"{path}{sign}lang={language}").text)
            assert [m for m in english if m in shown and re.search(rf"(?<!\w){re.escape(m)}(?!\w)", shown)] == [], path


@pytest.mark.parametrize(
    ("language", "other"),
    [("uk", r"\bкіст(ь|к\w+)\b|\bкості\b"), ("bn", "ঘুঁটি"), ("cs", "kostk"), ("fr", "tuile"), ("ko", "타일")],
)
def test_a_tile_has_one_name(language: str, other: str) -> None:
    """Not the one of another region or game beside it."""
    named = [form for message in entries(language).values() for form in forms(message) if re.search(other, form, re.I)]
    assert named == []


@pytest.mark.parametrize(
    ("language", "other"),
    [
        ("cs", r"krabič|lokomotiv|zápas|\bklepn"),
        ("es", r"móvil|\bel companion"),
        ("ru", r"базар|матч|значением вниз|взял\(а\)"),
        ("uk", r"потяг[иіу]?\b|потягів"),
        ("zh-TW", "演算法|列車"),
    ],
)
def test_no_other_thing_has_two_names(language: str, other: str) -> None:
    """The words of docs/terms.md, where a catalogue once had a second one."""
    named = [form for message in entries(language).values() for form in forms(message) if re.search(other, form, re.I)]
    assert named == []


def test_no_bengali_ending_leaves_its_name() -> None:
    """A word joiner behind the hyphen keeps both in one line."""
    said = [form for message in entries("bn").values() for form in forms(message)]
    assert [one for one in said if re.search(r"\)s-[\u0980-\u09ff]", one)] == []
    assert any("s-\u2060" in one for one in said)


def test_no_french_sign_begins_a_line() -> None:
    said = [form for message in entries("fr").values() for form in forms(message)]
    assert [one for one in said if re.search(r" [:;?!»](?=\s|$)|« ", one)] == []


@pytest.mark.parametrize(("language", "colon"), [("fr", "\u00a0: "), ("zh", "："), ("cs", ": ")])
def test_a_ruling_has_the_colon_of_the_writing(
    anyone: FlaskClient, session: FakeSession, language: str, colon: str
) -> None:
    session.show(tables.illegal())
    shown = anyone.get(f"/?lang={language}").text
    assert re.search(rf"<summary><h3>Ben{colon}\w", shown)


def test_the_browsers_preference_is_followed_until_a_language_is_chosen(anyone: FlaskClient) -> None:
    assert 'lang="cs"' in anyone.get("/", headers={"Accept-Language": "fi, cs;q=0.8, en;q=0.5"}).text
    assert 'lang="bn"' in anyone.get("/?lang=bn").text
    assert 'lang="bn"' in anyone.get("/", headers={"Accept-Language": "cs"}).text


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("zh-TW, zh-HK", "zh-TW"),
        ("zh-HK, zh;q=0.9, en;q=0.8", "zh-TW"),
        ("zh-Hant", "zh-TW"),
        ("zh_MO", "zh-TW"),
        ("zh", "zh"),
        ("zh-CN, zh-TW;q=0.5", "zh"),
        ("zh-Hans-HK", "zh"),
        ("cs-CZ, en;q=0.5", "cs"),
        ("en;q=0.5, zh-CN", "zh"),
        ("fi, zh-TW;q=0", "en"),
        ("*", "en"),
    ],
)
def test_a_browsers_tag_finds_its_language_and_writing(anyone: FlaskClient, wanted: str, language: str) -> None:
    assert f'<html lang="{language}"' in anyone.get("/", headers={"Accept-Language": wanted}).text


@pytest.mark.parametrize(("language", "day"), [("zh", "2026年3月1日星期日"), ("zh-TW", "2026年3月1日 星期日")])
def test_dates_are_written_as_the_chosen_language_writes_them(language: str, day: str) -> None:
    with Flask(__name__).test_request_context():
        g.language = language
        assert show_day(datetime(2026, 3, 1, 12)) == day


@pytest.mark.parametrize(
    ("language", "kkori", "jielong"),
    [("en", "Kkori-butigi 꼬리붙이기", "Jielong 接龍"), ("ko", "꼬리붙이기", "제룽(용 잇기) 接龍"),
     ("zh", "接尾（꼬리붙이기）", "接龙"), ("zh-TW", "接尾（꼬리붙이기）", "接龍")],
)  # fmt: skip
def test_a_game_is_not_named_twice_in_its_own_language(language: str, kkori: str, jielong: str) -> None:
    with Flask(__name__).test_request_context():
        g.language = language
        assert (rules_name("kkori"), rules_name("jielong")) == (kkori, jielong)
        assert rules_name("none such") == "none such"


def test_an_unknown_language_is_english(anyone: FlaskClient) -> None:
    assert '<html lang="en"' in anyone.get("/?lang=tlh", headers={"Accept-Language": "tlh"}).text
