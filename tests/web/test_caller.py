"""The caller: who played what, faults first, in the listener's language, and never twice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from bench.stand_ins import tables
from bench.stand_ins.browser import once_at_rest, served
from bench.stand_ins.fakes import FakeSession
from bench.stand_ins.views import view_of
from companion.game.game import Game
from companion.log.event_fields import Header
from companion.web.wording import calls_of
from tests.shown import state_of


def keys(table: Mapping[str, Any]) -> list[str]:
    return [one["key"] for one in calls_of(view_of(table))]


def test_a_fault_comes_first_and_has_a_key_of_its_own() -> None:
    before, after = keys(tables.midgame()), keys(tables.illegal())
    assert after[0] == "32!" and "32!" not in before
    assert set(after[1:]) <= set(before), "what was called keeps its key, so that it is not called again"


def test_a_tapped_fault_is_called_once_somebody_has_said_that_it_was_so(tmp_path: Path) -> None:
    session = Game.create(tmp_path / "game.jsonl", Header("tactic", "double-9", ("Ann", "Ben", "Cy")))
    session.start_round((9, 9), "Ann")
    session.play((9, 1), "Ann", "Ann")
    seq = session.play((1, 4), "Ann", "Ben")[0].seq
    [question] = state_of(session)["questions"]
    assert not any(key.endswith(("!", "?")) for key in keys(state_of(session))), "whoever tapped is asked in silence"
    session.answer(question["seq"], [one.get("kind") for one in question["candidates"]].index("so"), "Ben")
    assert [key for key in keys(state_of(session)) if key.endswith("!")] == [f"{seq}!"]
    session.close()


def test_what_was_taken_back_is_not_called() -> None:
    table = tables.illegal()
    table["plays"][-1]["taken_back"] = True
    assert not [key for key in keys(table) if key.startswith("32")]


def test_who_leads_is_called_after_each_round_and_where_a_correction_changes_it() -> None:
    def lead(**changes: Any) -> list[str]:
        return [key for key in keys(tables.midgame(**changes)) if key.startswith("lead")]

    totals = {"Ann": 37, "Ben": 55, "Cyril": 61, "Dorothea": 73}
    assert lead(totals=totals) == ["lead2:1"]
    assert lead(totals=totals | {"Ann": 56}) == ["lead2:2"] and lead(totals=totals | {"Ann": 55}) == ["lead2:1.2"]
    assert lead(rounds_played=[]) == [] == lead(phase="match_over")


SPEECH = """window.said = [];
Object.defineProperty(window, 'speechSynthesis', {value: {
  speak: (words) => said.push([words.lang, words.text]), cancel() {}, getVoices: () => [], addEventListener() {}}});"""


@pytest.mark.browser
def test_the_screen_calls_and_remembers_that_it_does(browser: Browser, app: Flask, session: FakeSession) -> None:
    session.show(tables.midgame())
    with served(app) as address:
        context = browser.new_context(base_url=address)
        context.add_init_script(SPEECH)
        page = context.new_page()
        page.goto("/tv?lang=cs", wait_until="domcontentloaded")
        page.locator("#voice").click()
        session.show(tables.illegal())
        seen = once_at_rest(page, lambda: page.evaluate("said"), bool)
        assert len(seen) == 2 and seen[0][0] == "cs" and "0-11" in seen[0][1]
        session.show(tables.illegal() | {"seq": 40, "boneyard": 20})
        expect(page.locator("#region-head")).to_contain_text("20")
        assert len(page.evaluate("said")) == 2, "nothing is said twice"
        page.goto("/", wait_until="domcontentloaded")
        expect(page.locator("#voice")).to_have_attribute("aria-pressed", "true")
        context.close()


@pytest.mark.browser
def test_the_screen_says_who_leads_now_that_the_points_were_put_right(
    browser: Browser, app: Flask, session: FakeSession
) -> None:
    session.show(tables.midgame())
    with served(app) as address:
        page = browser.new_page(base_url=address)
        page.goto("/tv", wait_until="domcontentloaded")
        another = tables.midgame()["rounds_played"]
        totals = {"Ann": 99, "Ben": 55, "Cyril": 61, "Dorothea": 73}
        session.show(tables.midgame(seq=40, rounds_played=[*another, another[-1] | {"round": 3}], boneyard=20))
        expect(page.locator("#region-head")).to_contain_text("20")
        expect(page.locator("#lead")).to_be_hidden()
        session.show(tables.midgame(seq=41, rounds_played=[*another, another[-1] | {"round": 3}], totals=totals))
        expect(page.locator("#lead")).to_have_text("Ben leads by 6.")
        page.close()
