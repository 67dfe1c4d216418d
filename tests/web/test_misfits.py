"""A tap that does not fit: whose phone asks, with which keys, and what an answer does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.publish.publisher import FAULT, Happenings, summary
from companion.tableside import light_of
from companion.web.access import SHARED
from companion.web.misfits import Acts, key_text, keys_of, question_text
from hardware.panel import Light
from tests.web.forms import Page
from tests.web.reading import leaps
from tests.web.real_table import Table
from tests.web.test_whose import phone

FOUR = ("Ann", "Ben", "Cy", "Dee")


class Evening:
    """A game of four, each with a phone of their own."""

    def __init__(self, path: Path) -> None:
        self.table = Table(path, "tactic", "double-9", FOUR)
        self.phones = {name: phone(self.table, name) for name in (*FOUR, SHARED)}

    @property
    def state(self) -> dict[str, Any]:
        return dict(self.table.client.get("/api/state").get_json())

    def lay(self, by: str, train: str, outer: int, **more: str) -> None:
        fields = {"train": train, "outer": str(outer), "by": by, **more}
        assert self.phones[by].post("/api/play", data=fields).status_code == 303

    def begun(self) -> None:
        """Everybody has laid a first tile, and Ann a second."""
        for name, outer in zip(FOUR, (5, 4, 3, 2), strict=True):
            self.lay(name, name, outer)
        self.lay("Ann", "Ann", 1)

    def jumped(self) -> int:
        """Cy and Dee have laid before Ben; the number of the question about Cy's tile."""
        self.begun()
        self.lay("Cy", "Cy", 8)
        self.lay("Dee", "Dee", 7)
        [question] = self.state["questions"]
        return int(question["seq"])

    def choice(self, kind: str) -> str:
        [question] = self.state["questions"]
        return str([one["kind"] for one in question["candidates"]].index(kind))

    def answer(self, by: str, seq: int, kind: str) -> None:
        fields = {"seq": str(seq), "choice": self.choice(kind)}
        assert self.phones[by].post("/api/answer", data=fields).status_code == 303

    def findings(self) -> list[dict[str, Any]]:
        return [one for play in self.state["plays"] for one in play.get("violations") or ()]

    def asked(self, name: str) -> str:
        return region(self.phones[name], "asked")


def words(page: str) -> str:
    """The text of a page, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?span[^>]*>", "", page))).split())


def region(client: FlaskClient, name: str, path: str = "/") -> str:
    page = unescape(client.get(path).text)
    start = page.index(f'id="region-{name}"')
    return page[start : page.index("</section>", start)]


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    made.table.session.close()


def test_the_phone_that_tapped_asks_and_the_others_only_count(evening: Evening) -> None:
    seq = evening.jumped()
    for name in ("Cy", SHARED):
        shown = words(evening.asked(name))
        assert "Cy's 3-8: Ben's turn before it is not tapped yet" in shown
        assert "Ben's turn is not tapped yet" in shown
        assert "We forgot to tap Ben's draw and the marker put on Ben's train" in shown
        assert "It was really so Cy: Out of turn" in shown and "Another order or name" in shown and "Later" in shown
        assert f'<article class="alert settle" id="question-{seq}"' in evening.asked(name)
    for name in ("Ann", "Ben", "Dee"):
        assert '<details class="alert settle' in evening.asked(name) and "<article" not in evening.asked(name)
        assert "One thing to settle" in words(evening.asked(name))
    watcher = evening.table.client.application.test_client()
    assert "One thing to settle" in words(region(watcher, "asked")) and "Cy" not in words(region(watcher, "asked"))


def test_the_question_keeps_to_the_double_it_is_about_when_others_lay_theirs(evening: Evening) -> None:
    evening.begun()
    evening.lay("Ben", "Ben", 4)
    assert evening.phones["Cy"].post("/api/draw", data={"by": "Cy"}).status_code == 303
    about_ben = "Cy's draw: Ben's double has no second tile"
    assert about_ben in words(evening.asked("Cy"))
    evening.lay("Cy", "Cy", 3)
    evening.lay("Dee", "Dee", 2)
    assert about_ben in words(evening.asked("Cy"))


def test_an_open_finding_is_no_fault_anywhere(evening: Evening) -> None:
    happenings = Happenings()
    evening.begun()
    happenings.new(evening.table.session.snapshot())
    evening.lay("Cy", "Cy", 8)
    evening.lay("Dee", "Dee", 7)
    assert evening.findings() == [{"code": "OUT_OF_TURN", "certain": False, "open": True}]
    view = evening.table.session.snapshot()
    assert light_of(view, camera_lost=False) is Light.READING
    assert not summary(view)["illegal"]
    assert [one for one in happenings.new(view) if one[0] == FAULT] == []
    calls = evening.phones["Cy"].get("/regions").get_json()["calls"]
    assert {call["tone"] for call in calls} == {"play"}
    for path in ("/", "/play/7", "/scores"):
        page = evening.phones["Cy"].get(path).text
        assert 'class="alert fault"' not in page and 'class="flag' not in page and "tag bad" not in page, path
    tv = evening.table.client.get("/tv").text
    assert "One thing to settle" in tv
    assert "Out of turn" not in tv and "to settle</span>" not in tv and "is not tapped yet" not in unescape(tv)


def test_it_was_really_so_makes_a_fault_with_who_said_it_and_no_it_was_not_opens_it_again(evening: Evening) -> None:
    seq = evening.jumped()
    evening.answer("Cy", seq, "so")
    [finding] = evening.findings()
    assert finding["certain"] and finding["confirmed_by"] == "Cy"
    assert evening.state["questions"] == []
    alerts = region(evening.phones["Ben"], "alerts")
    assert "Out of turn" in words(alerts) and "Cy said that it was really so." in words(alerts)
    assert "No, it was not" in words(alerts.rpartition("</details>")[2]), "it stays when the ruling folds"
    assert "Cy said that it was really so." in unescape(evening.phones["Ben"].get("/play/7").text)
    undo = {"seq": str(finding["confirmed_in"])}
    assert evening.phones["Ben"].post("/api/undo", data=undo).status_code == 303
    assert evening.findings() == [{"code": "OUT_OF_TURN", "certain": False, "open": True}]
    assert [one["seq"] for one in evening.state["questions"]] == [seq], "the same question is asked again"
    page = unescape(evening.phones["Ben"].get("/play/7").text)
    assert "Answered: It was really so" in page and "taken back" in page
    trail = unescape(evening.phones["Ben"].get("/games/game/changes").text)
    assert "It was really so" in trail


def test_nobody_is_said_to_have_corrected_anything_where_nobody_has(evening: Evening) -> None:
    evening.jumped()
    evening.lay("Ben", "MX", 1, **{"own_turn:Ben": "2"})
    assert evening.state["questions"] == []
    for path in ("/", *(f"/play/{seq}" for seq in range(2, evening.table.session.seq + 1))):
        assert leaps(evening.phones["Ann"].get(path).text) == [], path
        page = unescape(evening.phones["Ben"].get(path).text)
        assert "Somebody has corrected" not in page and "Corrected" not in page, path


def test_whoever_has_a_turn_to_come_taps_for_it(evening: Evening) -> None:
    evening.jumped()
    assert evening.state["to_come"] == [["Ben", 2, 7]]
    keys = region(evening.phones["Ben"], "act")
    assert "Your turn before Cy's 3-8" in words(keys) and "I am further on" in words(keys)
    assert 'name="own_turn:Ben" value="2"' in keys
    assert 'name="own_turn:Cy" value="3"' in region(evening.phones["Cy"], "act")
    assert "own_turn" not in region(evening.phones[SHARED], "act")
    evening.phones["Ben"].post("/further", data={"own_turn": "2"})
    keys = region(evening.phones["Ben"], "act")
    assert 'name="own_turn:Ben" value="3"' in keys and "Back to that turn" in words(keys)
    evening.phones["Ben"].post("/further", data={})
    form = next(one for one in Page(evening.phones["Ben"].get("/").text).forms if one.action == "/api/play")
    sent = {**form.sent(), "train": "MX", "outer": "1"}
    assert evening.phones["Ben"].post("/api/play", data=sent).status_code == 303
    assert evening.state["questions"] == [] and evening.findings() == []
    [(late, before)] = evening.state["put_before"]
    assert before == 7 and evening.state["to_come"] == []
    [told] = [play for play in evening.state["plays"] if play["seq"] == late]
    assert (told["turn"], told["end"], told["outer_only"]) == (2, 9, True)


def test_a_late_turn_in_which_somebody_has_drawn_offers_no_second_draw(evening: Evening) -> None:
    evening.jumped()
    ben = evening.phones["Ben"]
    assert "Draw a tile" in words(region(ben, "act"))
    form = next(one for one in Page(ben.get("/").text).forms if one.action == "/api/draw")
    assert ben.post("/api/draw", data=form.sent()).status_code == 303
    keys = words(region(ben, "act"))
    assert "Cannot play: marker" in keys and "Draw a tile" not in keys
    form = next(one for one in Page(ben.get("/").text).forms if one.action == "/api/cannot-play")
    assert ben.post("/api/cannot-play", data=form.sent()).status_code == 303
    told = [play["event"] for play in evening.state["plays"] if play.get("by") == "Ben"][-2:]
    assert told == ["drew", "marker_placed"] and evening.state["to_come"] == []
    assert evening.state["questions"] == [] and evening.findings() == []


def test_a_tap_that_was_put_before_another_says_so_with_two_keys(evening: Evening) -> None:
    evening.jumped()
    evening.lay("Ben", "MX", 1, **{"own_turn:Ben": "2"})
    shown = evening.asked("Ben")
    assert "Ben's 9-1 was tapped late. It now stands before Cy's 3-8." in words(shown)
    assert "was tapped late" in words(evening.asked("Cy")) and "was tapped late" not in words(evening.asked("Dee"))
    assert "No, Cy was out of turn" in words(shown)
    assert evening.phones["Dee"].post("/api/was-so", data={"seq": "6"}).status_code == 400
    assert evening.phones["Cy"].post("/api/was-so", data={"seq": "7"}).status_code == 303
    assert [(one["code"], one.get("confirmed_by")) for one in evening.findings()] == [("OUT_OF_TURN", "Cy")]
    assert "was tapped late" not in words(evening.asked("Ben"))


def test_undo_of_a_tap_put_before_another_asks_again(evening: Evening) -> None:
    seq = evening.jumped()
    evening.lay("Ben", "MX", 1, **{"own_turn:Ben": "2"})
    form = next(one for one in Page(evening.phones["Ben"].get("/").text).forms if one.action == "/api/correct")
    assert evening.phones["Ben"].post("/api/correct", data=form.sent()).status_code == 303
    assert [one["about"] for one in evening.state["questions"]] == [7] and seq
    assert ["Ben", "MX", [9, 1]] not in [list(one) for one in evening.table.plays()]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("name", "It was Ben, not Cy"),
        ("missing", "We forgot to tap Ben's draw and the marker put on Ben's train"),
        ("later", "Ben's turn is not tapped yet"),
    ],
)
def test_undo_names_the_answer_as_its_key_did(evening: Evening, kind: str, says: str) -> None:
    evening.begun()
    evening.lay("Cy", "Ben", 8)
    [question] = evening.state["questions"]
    assert says in words(evening.asked("Cy"))
    evening.answer("Cy", question["seq"], kind)
    act = words(region(evening.phones["Cy"], "act"))
    assert f"Undo: {says} " in act, act[-200:]


def test_later_folds_it_on_that_phone_until_the_next_tap(evening: Evening) -> None:
    evening.jumped()
    assert evening.phones["Cy"].post("/later").status_code == 303
    assert "<article" not in evening.asked("Cy") and "One thing to settle" in words(evening.asked("Cy"))
    assert "<article" in evening.asked(SHARED)
    evening.lay("Ann", "Ann", 6)
    assert "<article" in evening.asked("Cy")


@pytest.mark.parametrize("answers", ["Cy", "Ann", SHARED])
@pytest.mark.parametrize("one_phone", [True, False])
def test_the_rest_of_a_turn_takes_its_place_though_something_else_was_settled_before(
    evening: Evening, answers: str, one_phone: bool
) -> None:
    if one_phone:
        evening.phones = dict.fromkeys(evening.phones, evening.phones[SHARED])
    for by, outer in (("Ann", 5), ("Cy", 3), ("Ben", 4), ("Dee", 2), ("Ann", 1), ("Ben", 7), ("Cy", 3), ("Dee", 6)):
        evening.lay(by, by, outer)
    [question] = evening.state["questions"]
    evening.answer(answers, int(question["seq"]), "later")
    assert [by for by, _turn, _before in evening.state["to_come"]] == ["Cy"], "more of the turn with 3-3"
    for by, outer in (("Ann", 0), ("Cy", 8), ("Ben", 1)):
        evening.lay(by, by, outer)
    assert evening.state["questions"] == [] and evening.state["to_come"] == [] and evening.findings() == []


def test_an_order_is_sent_with_the_lines_of_the_acts(evening: Evening) -> None:
    evening.begun()
    evening.lay("Cy", "Cy", 8)
    evening.lay("Ben", "Ben", 0)
    evening.lay("Dee", "Dee", 7)
    evening.lay("Cy", "Cy", 0)
    [question] = evening.state["questions"]
    seq, cy = str(question["seq"]), evening.phones["Cy"]
    page = unescape(cy.get(f"/question/{seq}/order").text)
    assert [f'data-line="{one}"' in page for one in question["order"]] == [True] * len(question["order"])
    lines = " ".join(map(str, question["order"]))
    for bad in ("1000", f"{question['order'][0]} {question['order'][0]}", "two", "-1"):
        answer = cy.post("/api/answer", json={"seq": int(seq), "order": bad})
        assert answer.status_code == 400 and answer.get_json()["error"].startswith("order: expected numbers of acts")
    assert cy.post("/api/answer", json={"seq": int(seq), "choice": int(evening.choice("order"))}).status_code == 409
    assert cy.post("/api/answer", json={"seq": int(seq), "choice": -1}).status_code == 409
    assert cy.post("/api/answer", json={"seq": int(seq), "choice": 50}).status_code == 409
    assert cy.post("/api/answer", data={"seq": seq, "order": lines}).status_code == 303
    assert seq not in [str(one["seq"]) for one in evening.state["questions"]]
    assert "In this order: " in unescape(cy.get("/games/game/changes").text)


def test_the_list_moves_without_scripts(evening: Evening) -> None:
    seq = evening.jumped()
    [question] = evening.state["questions"]
    first, second, *rest = question["order"]
    swapped = " ".join(map(str, [second, first, *rest]))
    page = evening.phones["Cy"].get(f"/question/{seq}/order").text
    assert f'href="?order={swapped.replace(" ", "%20")}"' in page
    moved = evening.phones["Cy"].get(f"/question/{seq}/order", query_string={"order": swapped}).text
    assert f'name="order" value="{swapped}"' in moved
    strange = evening.phones["Cy"].get(f"/question/{seq}/order", query_string={"order": "1 2 3"}).text
    assert f'name="order" value="{" ".join(map(str, question["order"]))}"' in strange
    assert evening.phones["Cy"].get("/question/2/order").status_code == 404


def test_what_is_open_stands_before_the_hands_and_holds_nothing_up(evening: Evening) -> None:
    evening.jumped()
    evening.table.send("end-round", how="blocked_declared")
    for path in ("/", "/round-end"):
        answer = evening.phones["Ann"].get(path)
        page = words(answer.text)
        assert leaps(answer.text) == [], path
        assert "Cy's 3-8: Ben's turn before it is not tapped yet" in page, path
        assert "It may stay open. The points do not depend on it." in page
    assert "Cy's 3-8" not in words(unescape(evening.table.client.get("/tv").text))
    for name, hand in zip(FOUR, ("1-1", "2-2", "3-3", "4-4"), strict=True):
        evening.table.send("show-hand", by=name, tiles=hand)
    assert evening.table.session.phase == "scored"
    assert evening.state["totals"] == {"Ann": 2, "Ben": 4, "Cy": 6, "Dee": 8}


def test_another_engine_is_asked_about_with_two_keys_where_the_round_was_begun(tmp_path: Path) -> None:
    table = Table(tmp_path, "tactic", "double-9", FOUR)
    ann, ben = phone(table, "Ann"), phone(table, "Ben")
    table.session.undo()
    assert ann.post("/api/start-round", data={"engine": "8-8", "starter": "Ann"}).status_code == 303
    begun = table.session.seq - 1
    page = region(ann, "asked")
    assert "8-8 lies in the middle, but 9-9 belongs there in round 1." in words(page)
    keys = re.findall(r'name="choice" value="\d" class="[^"]+">(.+?)</button>', page)
    assert [words(key) for key in keys] == ["The round began with 9-9", "It was really so Wrong engine"]
    assert "/order" not in page and ann.get(f"/question/{begun + 1}/order").status_code == 404
    assert "One thing to settle" in region(ben, "asked") and "alert fault" not in ann.get("/").text
    assert "8-8 lies in the middle" in words(ann.get(f"/play/{begun}").text)
    assert ann.post("/api/answer", data={"seq": str(begun + 1), "choice": "0"}).status_code == 303
    assert table.session.snapshot().engine == (9, 9)
    assert "The round began with 9-9" in words(ann.get(f"/play/{begun}").text)
    assert "things to settle" not in region(ann, "asked") and "lies in the middle" not in ann.get("/").text


def told(seq: int, by: str, event: str = "tile_played", **more: Any) -> dict[str, Any]:
    return {"seq": seq, "event": event, "by": by, **more}


ROUND = Acts(
    [
        told(2, "Ann", tile=[9, 5], train="Ann"),
        told(3, "Ben", tile=[9, 4], train="Ben"),
        told(4, "Ben", "drew"),
        told(5, "Cy", tile=[9, 3], train="Cy"),
        told(6, "Ann", tile=[5, 1], train="Ann"),
        told(7, "Cy", tile=[3, 8], train="Cy", violations=[{"code": "CLOSED_TRAIN", "certain": False, "open": True}]),
    ]
)
OVER = Acts([*ROUND.row, told(8, "Dee", "passed", done=True)])


@pytest.mark.parametrize(
    ("kind", "events", "text"),
    [
        ("so", [], "It was really so"),
        ("later", [{"by": "Ben", "before": 7}], "Ben's turn is not tapped yet"),
        ("later", [{"by": "Ann", "before": 7}], "More of Ann's turn is not tapped yet"),
        ("later", [{"by": "Cy", "before": 7}], "A turn of Cy's before it is not tapped yet"),
        ("later", [{"by": "Dee"}, {"by": "Ann"}, {"by": "Ben"}], "The turns of Dee, Ann and Ben are not tapped yet"),
        ("earlier", [{"seq": 7, "before": 6}], "It belongs to Cy's turn before"),
        ("earlier", [{"seq": 7, "before": 3}], "It was laid before Ben's 9-4"),
        ("earlier", [{"seq": 6, "before": 3}], "Ann's 5-1: that belongs to Ann's turn before"),
        ("earlier", [{"seq": 5, "before": 3}], "Cy's 9-3 came before Ben's 9-4"),
        ("earlier", [{"seq": 4, "after": 7}, {"seq": 3, "after": 7}], "Ben's 9-4 and Ben's draw came only after it"),
        ("missing", [{"event": "drew", "by": "Ben"}, {"event": "passed", "by": "Cy"}],
         "We forgot to tap Ben's draw and Cy's pass"),
        ("name", [{"seq": 7, "by": "Dee"}], "It was Dee, not Cy"),
        ("name", [{"seq": 4, "by": "Dee"}], "Ben's draw: it was Dee"),
        ("twice", [{"seq": 7, "withdrawn": True}], "Tapped twice: it happened once"),
        ("boneyard", [{"boneyard": 0}], "The boneyard was empty"),
        ("boneyard", [{"boneyard": None}], "The boneyard was not empty"),
        ("start", [{"event": "round_started", "starter": "Dee"}], "Dee began this round"),
        ("order", [], "It was in another order"),
        ("new", [], "as the journal says"),
    ],
)  # fmt: skip
def test_each_answer_is_a_sentence_of_the_game(
    evening: Evening, kind: str, events: list[dict[str, Any]], text: str
) -> None:
    with evening.table.client.application.test_request_context():
        candidate = {"kind": kind, "events": events, "story": "as the journal says"}
        assert key_text(candidate, {"about": 7}, ROUND) == text


def test_of_a_turn_that_was_ended_more_may_be_to_come(evening: Evening) -> None:
    with evening.table.client.application.test_request_context():
        candidate = {"kind": "later", "events": [{"by": "Dee", "before": 8}]}
        assert key_text(candidate, {"about": 8}, OVER) == "More of Dee's turn is not tapped yet"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("CLOSED_TRAIN", "Cy's 3-8: Cy's train is closed to Cy"),
        ("EXTRA_TILE", "Cy's 3-8: Cy has laid a tile in this turn already"),
        ("OUT_OF_TURN", "Cy's 3-8: it is not Cy's turn"),
        ("DUPLICATE_TILE", "Cy's 3-8: this tile lies on the table already"),
        ("MISMATCH", "Cy's 3-8: it does not fit at that end"),
        ("MARKER_REMOVED_WRONGLY", "Cy's 3-8: Cy's marker is off already"),
        ("DEAD_TRAIN", "Cy's 3-8: This train is closed for good"),
    ],
)
def test_what_does_not_fit_is_one_sentence(evening: Evening, code: str, text: str) -> None:
    question = {"about": 7, "candidates": [{"kind": "so", "codes": [code]}]}
    with evening.table.client.application.test_request_context():
        assert question_text(question, ROUND) == text


@pytest.mark.parametrize(
    ("by", "text"),
    [
        ("Ben", "Ben's draw: Ben has drawn in this turn already"),
        ("Cy", "Cy's draw: Cy has laid a tile in this turn already"),
    ],
)
def test_a_draw_too_many_says_what_was_done_before_it(evening: Evening, by: str, text: str) -> None:
    question = {"about": 8, "candidates": [{"kind": "so", "codes": ["EXTRA_DRAW"]}]}
    with evening.table.client.application.test_request_context():
        assert question_text(question | {"by": by}, Acts([*ROUND.row, told(8, by, "drew")])) == text


def test_five_keys_stand_before_more_and_what_fits_no_longer_goes(evening: Evening) -> None:
    names = [
        {"kind": "name", "events": [{"seq": 7, "by": name}]} for name in ("Ann", "Ben", "Dee", "Eve", "Fay", "Gus")
    ]
    question = {
        "about": 7,
        "candidates": [*names, {"kind": "so", "codes": ["CLOSED_TRAIN"]}, {"kind": "order"}],
        "alive": [0, 1, 3, 4, 5],
    }
    with evening.table.client.application.test_request_context():
        keys = keys_of(question, ROUND)
    assert [one.choice for one in keys] == [0, 1, 3, 4, 6, 5]
    assert [one.more for one in keys] == [False] * 5 + [True]


def test_the_key_that_the_heading_names_stands_before_more(evening: Evening) -> None:
    names = [{"kind": "name", "events": [{"seq": 7, "by": name}]} for name in ("Ann", "Ben", "Dee", "Eve", "Fay")]
    later = {"kind": "later", "events": [{"by": "Dee"}]}
    with evening.table.client.application.test_request_context():
        keys = keys_of({"about": 7, "candidates": [*names, later]}, ROUND)
    assert [one.choice for one in keys if not one.more] == [0, 1, 2, 5]
    assert [one.choice for one in keys if one.more] == [3, 4]


def test_a_turn_that_has_been_tapped_since_is_no_longer_to_come(evening: Evening) -> None:
    question = {"about": 7, "candidates": [{"kind": "later", "events": [{"by": "Ben", "before": 7}]}], "came": [[0, 3]]}
    with evening.table.client.application.test_request_context():
        assert [one.text for one in keys_of(question, ROUND)] == ["Ben's 9-4 came before Cy's 3-8"]
