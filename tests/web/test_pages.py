"""The pages of a table, and their words."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from bench.stand_ins import tables
from bench.stand_ins.fakes import FakeSession
from bench.stand_ins.tables import PAGES
from bench.stand_ins.views import view_of
from companion.app.state import AppState
from companion.game.game import Game
from companion.game.game_view import GameView
from companion.geometry import Trouble
from companion.log.event_fields import Header
from companion.rules.position import Play
from companion.rules.tile import Laid
from companion.web.app import PageSettings, create_app
from companion.web.languages import whole_tiles
from companion.web.texts import code_title
from companion.web.wording import calls_of, trouble_text
from datasets.bots.watching import table_change
from tests.web.reading import leaps, words

TABLES = (
    tables.midgame, tables.illegal, tables.uncovered_double, tables.question, tables.eight_players,
    tables.chinese_line, tables.waiting, tables.round_over, tables.match_over,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("signed_in", [False, True], ids=["watching", "with the PIN"])
def test_every_page_can_be_shown_for_every_table(
    anyone: FlaskClient, keeper: FlaskClient, session: FakeSession, signed_in: bool
) -> None:
    client = keeper if signed_in else anyone
    for table in TABLES:
        session.show(table())
        for path in PAGES:
            answer = client.get(path)
            assert answer.status_code == 200, (table.__name__, path)
            if answer.mimetype == "text/html":
                assert leaps(answer.text) == [], (table.__name__, path)


def test_the_turn_names_the_player_and_what_is_open(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.midgame())
    turn = anyone.get("/regions").json["regions"]["turn"]
    assert "Ben" in turn and "to play" in turn
    assert turn.index("<b>4</b>") < turn.index("<b>12</b>"), "their own train comes first"


def test_an_illegal_play_is_told_with_its_rule_and_its_certainty(anyone: FlaskClient) -> None:
    page = anyone.get("/").text
    assert "This train is closed" in page
    assert "only while it carries a marker" in page
    assert "Certain: the tiles on the table prove it." in page


def test_a_play_that_may_be_illegal_accuses_nobody(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    table["plays"][-3]["violations"] = [{"code": "CLOSED_TRAIN", "certain": False}]
    session.show(table)
    page = anyone.get("/").text
    assert "This train is closed" not in page
    assert "against the rules" not in page


def _with_findings(*findings: dict[str, object]) -> dict[str, object]:
    """The table in mid-game; the last tile of Ann's train has these findings."""
    table = tables.midgame()
    seq = table["trains"][0]["tiles"][-1]["seq"]
    table["plays"].append(tables.play(seq, None, (2, 12), "Ann", violations=list(findings)))
    return table


def test_what_is_only_possible_has_a_question_mark_at_its_tile(anyone: FlaskClient, session: FakeSession) -> None:
    for certain, sign in ((True, ">!</b>"), (False, ">?</b>")):
        session.show(_with_findings({"code": "CLOSED_TRAIN", "certain": certain, "by": "Ben"}))
        yard = anyone.get("/regions").json["regions"]["yard"]
        tile = next(part for part in yard.split("<li ") if "2-12" in part)
        assert sign in tile
        assert ("ruling open" in tile) is not certain


def test_the_page_of_a_play_that_is_only_possibly_illegal_says_so(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    session.show(table)
    seq = next(play["seq"] for play in table["plays"] if play["event"] == "tile_played")
    assert "Within the rules." in anyone.get(f"/play/{seq}").text
    for play in table["plays"]:
        if play["seq"] == seq:
            play["violations"] = [{"code": "CLOSED_TRAIN", "certain": False, "by": "Ben"}]
    session.show(table)
    page = anyone.get(f"/play/{seq}").text
    assert "Within the rules." not in page and "nobody is accused" in page and "This train is closed" in page


def test_an_accusation_that_fell_is_taken_back_aloud_and_why(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    last = table["plays"][-1]["seq"]
    gone = [{"code": "CLOSED_TRAIN", "by": "Ben"}]
    table["retractions"] = [{"seq": last + 1, "play": last, "retracts": gone, "because": "camera"}]
    session.show(table)
    page = anyone.get("/").text
    assert "No longer held against Ben: This train is closed." in page
    assert "another way to explain what the camera has seen since" in page
    for n in range(3):
        table["plays"].append(tables.play(last + 2 + n, "Ann", (1, n), "Ann"))
    session.show(table)
    assert "No longer held against Ben" not in anyone.get("/").text, "everybody has seen it"


def test_a_play_the_table_let_stand_is_no_accusation(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.illegal()
    table["plays"][-1]["overruled"] = True
    session.show(table)
    page = anyone.get("/").text
    assert "This train is closed" not in page
    assert "let stand" in page


def test_an_open_double_says_who_must_cover_it(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.uncovered_double())
    regions = anyone.get("/regions").json["regions"]
    assert "cover the double" in regions["turn"] and "Ann" in regions["turn"]
    assert "cover!" in regions["yard"]


def test_who_has_drawn_waits_for_the_double_too(anyone: FlaskClient, session: FakeSession) -> None:
    """Nothing has to be laid after a draw; what is laid has to cover the double: no train is called closed for it."""
    session.show(tables.uncovered_double() | {"must_cover": None})
    page = anyone.get("/").text
    assert page.count(">after the double</span>") == 4 and ">closed</span>" not in page


def test_counts_in_doubt_keep_their_column(anyone: FlaskClient, session: FakeSession) -> None:
    head = '<th scope="col" class="n">Hand</th>'
    begun = {"seq": 1, "event": "round_started", "round": 1, "engine": [12, 12], "starter": "Ann", "source": "person"}
    table = tables.midgame()
    session.show({**table, "plays": [begun, *table["plays"]], "hands": {}})
    assert head in anyone.get("/").text
    session.show({**table, "plays": [{**begun, "draws_seen": False}, *table["plays"]], "hands": {}})
    assert head not in anyone.get("/").text, "nobody counts in this round"


def test_an_unsure_tile_is_marked_in_words_too(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.midgame())
    yard = anyone.get("/regions").json["regions"]["yard"]
    assert yard.count("unsure reading") == 1
    assert "3-6, unsure reading" in words(yard)


def test_an_open_question_offers_its_stories_only_to_who_may_answer(
    anyone: FlaskClient, keeper: FlaskClient, session: FakeSession
) -> None:
    session.show(tables.question())
    assert "Ben played 4-0 on their own train." in words(anyone.get("/").text)
    assert 'action="/api/answer"' not in anyone.get("/").text
    assert keeper.get("/").text.count('name="choice"') == 3


def test_a_name_cannot_smuggle_markup_into_the_page(anyone: FlaskClient, session: FakeSession) -> None:
    evil = "<img src=x onerror=alert(1)>"
    table = tables.midgame(players=[evil, "Ben", "Cyril", "Dorothea"], turn=evil)
    table["trains"][0] = tables.train(evil, "10-5", marker=True, playable=True)
    table["plays"].append(tables.play(33, evil, (1, 2), evil, "CLOSED_TRAIN"))
    session.show(table)
    for path in ("/", "/tv", "/scores", "/round-start", "/ask"):
        assert evil not in anyone.get(path).text
    assert evil not in "".join(anyone.get("/regions").json["regions"].values())


def test_the_state_is_the_snapshot_with_the_camera(anyone: FlaskClient) -> None:
    state = anyone.get("/api/state").json
    assert state["turn"] == "Cyril" and state["camera"] == {"state": "read"} and state["game"] == "tonight"


def test_health_names_a_camera_that_is_gone(anyone: FlaskClient, app_state: AppState) -> None:
    health = anyone.get("/health").json
    assert (health["status"], health["reasons"]) == ("ok", [])
    app_state.camera.state, app_state.camera.message = "lost", "the cable is out"  # type: ignore[union-attr]
    health = anyone.get("/health").json
    assert (health["status"], health["reasons"]) == ("degraded", ["the cable is out"])


def test_health_names_a_game_that_cannot_be_shown(
    anyone: FlaskClient, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(at: int | None = None) -> GameView:
        raise KeyError("Dee")

    monkeypatch.setattr(session, "snapshot", broken)
    health = anyone.get("/health").json
    assert health["status"] == "degraded" and health["reasons"] == ["the game tonight cannot be shown ('Dee')"]


def test_health_does_not_wait_for_a_game_that_hangs(anyone: FlaskClient, session: FakeSession) -> None:
    session.free = False
    health = anyone.get("/health").json
    assert health["status"] == "degraded" and health["reasons"] == ["the game tonight does not answer"]


def test_without_a_game_the_page_leads_to_setting_one_up() -> None:
    client = create_app(AppState(), PageSettings(pin="1", testing=True)).test_client()
    assert "/setup" in client.get("/").text
    assert client.get("/api/state").json["phase"] == "no_game"
    assert client.get("/scores").status_code == 404


def test_the_first_view_is_lighter_than_150_kb(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.eight_players())
    page = anyone.get("/")
    files = [part.split('"')[0] for part in page.text.split("/static/")[1:] if not part.startswith("icon-512")]
    assert len(files) == 6, "the icon of home screens is fetched by whoever puts the page there"
    weight = len(page.data)
    for name in files:
        with anyone.get("/static/" + name) as file:
            weight += len(file.data)
    assert weight < 150_000


def test_the_pin_is_shown_on_the_boxes_own_screen_only(app, anyone: FlaskClient) -> None:
    for path in ("/", "/tv", "/tv?screen=", "/tv?screen=wrong", "/regions?tv=1"):
        assert "135790" not in anyone.get(path).text, "whoever comes from the box itself may come through a proxy"
    assert "135790" in anyone.get("/tv?screen=the-boxes-own").text
    assert "135790" in anyone.get("/tv").text, "the same browser later"
    assert "135790" not in app.test_client().get("/tv").text


def test_without_a_key_no_screen_shows_the_pin(app_state: AppState) -> None:
    app = create_app(app_state, PageSettings(pin="135790"))
    assert "135790" not in app.test_client().get("/tv?screen=", headers={"Host": "127.0.0.1"}).text


def test_a_play_page_shows_ruling_source_and_the_pictures_that_are_there(
    anyone: FlaskClient, app_state: AppState, tmp_path: Path
) -> None:
    folder = tmp_path / "games" / "tonight"
    folder.mkdir(parents=True)
    folder.joinpath("journal.jsonl").write_text("{}", encoding="utf-8")
    folder.joinpath("f30.jpg").write_bytes(b"\xff\xd8\xff")
    page = anyone.get("/play/32").text
    assert "This train is closed" in page and "CLOSED_TRAIN" not in page and "Leaflet of the boxed game" in page
    assert "/pictures/f30.jpg" in page and "/pictures/f32.jpg" not in page
    with anyone.get("/games/tonight/pictures/f30.jpg") as picture:
        assert picture.data == b"\xff\xd8\xff"


def test_a_play_that_never_was_is_not_found(anyone: FlaskClient) -> None:
    answer = anyone.get("/play/33")
    assert answer.status_code == 404 and "no entry number 33" in answer.text


def test_the_referee_answers_a_question_without_the_pin(anyone: FlaskClient, session: FakeSession) -> None:
    session.answers["judge"] = {"verdict": "illegal", "codes": ["CLOSED_TRAIN"], "may": []}
    page = words(anyone.get("/ask?train=Ann&low=12&high=3").text)
    assert "No, you may not play 12-3 there now." in page
    session.answers["judge"] = {"verdict": "legal", "codes": [], "may": []}
    assert "Yes, you may play 12-3 there now." in words(anyone.get("/ask?train=Ann&low=12&high=3").text)


def test_a_tile_that_does_not_fit_is_said_with_its_values(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.illegal()
    table["plays"][-1] = tables.play(32, "Ben", (11, 4), "Ann", "MISMATCH", end_was=8)
    session.show(table)
    for path in ("/", "/tv", "/play/32"):
        page = words(anyone.get(path).text)
        assert "The end was 8; 11 was laid against it. The camera read 11-4." in page, path
    table["plays"][-1]["violations"][0]["certain"] = False
    session.show(table)
    assert "It is open whether the camera read both tiles right." in anyone.get("/play/32").text


def test_the_page_of_a_decision_in_doubt_says_what_is_in_doubt(anyone: FlaskClient, session: FakeSession) -> None:
    examined = {"player": "Ann", "code": "PASSED_WITH_PLAYABLE", "offence": True, "seq": 30, "tiles": [[5, 9]]}
    session.show(tables.midgame(audit=[{**examined, "status": "possible"}]))
    assert 'href="/play/30"' in anyone.get("/scores").text
    page = words(anyone.get("/play/30").text)
    assert code_title("PASSED_WITH_PLAYABLE") in page and "Possible; nobody is accused. 5-9 would have fitted." in page
    session.show(tables.midgame(audit=[{**examined, "status": "certain", "offence": False}]))
    assert "These rules allow it all the same." in anyone.get("/play/30").text
    assert code_title("PASSED_WITH_PLAYABLE") not in anyone.get("/play/31").text


def test_what_somebody_else_owed_is_not_held_against_who_played_next(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.illegal()
    table["plays"][-1]["violations"] = [{"code": "MARKER_MISSING", "certain": True, "by": "Dorothea"}]
    session.show(table)
    title = f"Dorothea: {code_title('MARKER_MISSING')}"
    for path in ("/", "/tv", "/play/32"):
        assert title in anyone.get(path).text, path
    page = words(anyone.get("/").text)
    assert "It came out when this was played: Ben played 0-11" in page and "Dorothea: against the rules" in page
    assert 'class="flag"' not in page and 'class="fault"' not in page, "neither Ben's tile nor his play is marked"
    assert calls_of(view_of(table))[0]["text"].startswith(title)


def test_no_tile_is_parted_by_a_lines_end(keeper: FlaskClient, session: FakeSession) -> None:
    """Wherever a page writes a tile, in whatever sentence: in the text only elements that hold no others may."""
    parted = re.compile(r"(?<![\w.:-])\d{1,2}[-:]\d{1,2}(?![\w.:-]*\d)")
    seen = 0
    session.answers |= {"what_if": tables.midgame(), "judge": {"codes": ["DUPLICATE_TILE"], "by": "Ben"}}
    for table in (tables.illegal, tables.question, tables.chinese_line, tables.match_over, tables.off_record):
        session.show(table())
        for path in (*PAGES, "/play/32", "/ask?train=Ann&low=12&high=5", "/round-end"):
            answer = keeper.post("/play/32/preview", data={"tile": "11-0"}) if "pin" in path else keeper.get(path)
            page = re.sub(r"(?s)<(title|option|textarea|text)\b.*?</\1>", "", answer.text)
            seen += page.count('<span class="whole">')
            page = re.sub(r'<span class="(whole|unseen)">[^<]*</span>', "", page)
            assert not parted.findall(re.sub(r"(?s)<[^>]*>", " ", page)), path
        for region in keeper.get("/regions").get_json()["regions"].values():
            assert not parted.findall(re.sub(r'<span class="(whole|unseen)">[^<]*</span>|<[^>]*>', " ", region))
    assert seen > 30
    sentence = whole_tiles('<p title="8-3">8-3, <b>12:5</b> 2026-11-25 http://127.0.0.1:80 <i>1-2-3</i> --host -</p>')
    assert re.findall(r'whole">([^<]*)<', sentence) == ["8-3", "12:5", "--host"] and whole_tiles(sentence) == sentence


def test_a_number_below_zero_has_a_minus_sign() -> None:
    shown = whole_tiles('<td class="a-1">-12</td> (-5) Cy\xa0-3, 4-2, 2026-11-25 <textarea>-7</textarea>')
    assert re.findall(r"−\d+", shown) == ["−12", "−5", "−3"]


def test_the_referee_says_whom_it_answers_and_where_a_tile_lies(anyone: FlaskClient, session: FakeSession) -> None:
    session.show(tables.midgame())
    assert "It is for Ben, whose turn it is now." in anyone.get("/ask").text
    session.answers["judge"] = {"tile": [10, 5], "verdict": "illegal", "codes": ["DUPLICATE_TILE"], "by": "Ben"}
    page = words(anyone.get("/ask?train=Ben&low=5&high=10").text)
    assert "No, this tile has been played already." in page and "10-5 is already on the table: Ann&#39;s train." in page
    assert "twice" not in page and "for Ben, whose turn it is" in page


def test_the_sheet_names_nobody_for_what_is_only_possible(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    audit = {"player": "Ann", "code": "NEEDLESS_DRAW", "offence": True, "seq": None, "tiles": []}
    session.show({**table, "audit": [{**audit, "status": "possible"}]})
    page = anyone.get("/scores").text
    assert "Ann: " not in page and '<details class="noprint">' in page
    drew = {"event": "drew", "by": "Ann", "source": "camera", "violations": []}
    laid = {"event": "tile_played", "by": "Ben", "tile": [3, 12], "train": "Ben", "source": "camera", "violations": []}
    plays = [{**(laid if n == 91 else drew), "seq": n} for n in (*range(1, 31), 91, *range(31, 91))]
    many = [{**audit, "status": "possible", "seq": n} for n in range(1, 91)]
    session.show({**table, "plays": plays, "audit": many})
    page = anyone.get("/scores").text
    assert page.count("possible, nobody is accused") == 1 and "(90)" in page, "ninety lines alike say nothing"
    assert (
        page.count("A tile that came to light later") == 1 and "So many may also mean" in page and "and 84 more" in page
    )
    links = re.findall(r'<a href="/play/(\d+)">(.*?)</a>', re.sub("</?span[^>]*>", "", page))
    assert len(links) == len({words for _seq, words in links}) == 90, "no two links to two plays read alike"
    assert "Look at it" not in page and links[0][1] == "at the beginning" and links[-1][1] == "after 3-12 (60)"
    session.show({**table, "audit": [{**audit, "status": "certain"}]})
    assert "Ann: " in anyone.get("/scores").text


def test_that_a_wrong_engine_lies_there_is_no_fact_while_it_is_asked(anyone: FlaskClient, session: FakeSession) -> None:
    found = [{"code": "WRONG_ENGINE", "certain": True, "by": None}]
    started = {
        "event": "round_started",
        "round": 1,
        "engine": [11, 11],
        "engine_due": [12, 12],
        "seq": 1,
        "source": "person",
    }
    table = tables.midgame(plays=[{**started, "violations": found}])
    session.show(table)
    assert "11-11 lies in the middle, but 12-12 belongs there" in words(anyone.get("/").text)
    session.show(
        {
            **table,
            "questions": [{"seq": 2, "reason": "ANOTHER_ENGINE", "candidates": [{"story": "12-12", "events": []}]}],
        }
    )
    page = words(anyone.get("/").text)
    assert "Another double lies in the middle" in page and "belongs there" not in page and "alert fault" not in page


def test_the_score_sheet_says_in_a_table_what_its_chart_draws(anyone: FlaskClient) -> None:
    page = anyone.get("/scores").text
    assert '<svg class="chart wide"' in page
    for total in ("37", "55", "61", "73"):
        assert f'<td class="n total">{total}</td>' in page


def test_what_the_camera_cannot_make_out_is_asked_in_plain_words(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    reason = "LOOSE_TILE at (381, 156) mm; LOOSE_TILE at (461, 264) mm; LONE_MARKER at (3, 4) mm"
    table["questions"] = [{"seq": 31, "reason": reason, "candidates": []}]
    session.show(table)
    alerts = anyone.get("/regions").json["regions"]["alerts"]
    assert "A tile does not touch any train. A marker does not stand at any train." in alerts
    assert "LOOSE_TILE" not in alerts


def test_every_trouble_of_a_layout_has_its_words() -> None:
    assert all(trouble_text(trouble) for trouble in Trouble)


def test_what_may_have_happened_is_offered_in_words(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame()
    stories = [
        {"story": "12-6", "events": [tables.play(0, None, (12, 6), "Ann")]},
        {"story": "12-5", "events": [tables.play(0, None, (12, 5), "Ann")]},
    ]
    table["questions"] = [{"seq": 31, "reason": "several_stories", "candidates": stories}]
    session.show(table)
    alerts = anyone.get("/regions").json["regions"]["alerts"]
    assert "Somebody played 12-5 on Ann&#39;s train." in words(alerts)


def test_answers_are_packed_for_who_takes_it(anyone: FlaskClient) -> None:
    plain = anyone.get("/")
    packed = anyone.get("/", headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 3
    with anyone.get("/static/page.css", headers={"Accept-Encoding": "gzip"}) as style:
        assert b"--ground" in gzip.decompress(style.data)
        etag = style.headers["ETag"]
    with anyone.get("/static/page.css", headers={"Accept-Encoding": "gzip", "If-None-Match": etag}) as again:
        assert again.status_code == 304 and again.data == b""


def test_a_play_says_who_changed_it_and_when(anyone: FlaskClient, session: FakeSession) -> None:
    table = tables.illegal()
    table["plays"][-1] |= {"overruled": True, "changed_by": [33]}
    session.show(table)
    session.lines.append(
        {"seq": 33, "at": "2026-11-20T18:05:00Z", "event": "corrected", "corrects": 32, "by": "Olena",
         "source": "person", "what": {"overruled": True}}
    )  # fmt: skip
    page = anyone.get("/play/32").get_data(as_text=True)
    assert "You agreed to let it stand." in page and "a phone signed in as “Olena”, Nov 20, 2026" in page


def test_a_play_says_from_whose_side_the_arm_came(
    anyone: FlaskClient, keeper: FlaskClient, session: FakeSession
) -> None:
    table = tables.illegal()
    by, *others = [table["plays"][-1]["by"], *(name for name in table["players"] if name != table["plays"][-1]["by"])]
    table["plays"][-1] |= {"arm": by}
    certain = table["plays"][-1]["violations"]
    for arm in (None, by):  # It is two taps with a camera and without one.
        table["plays"][-1] |= {"arm": arm, "violations": []}
        session.show(table)
        assert "It was somebody else:" in keeper.get("/play/32").text
    words = f"The arm came from {by}'s side."
    assert words in anyone.get("/play/32").text and "It was somebody else" not in anyone.get("/play/32").text
    page = keeper.get("/play/32").text
    assert words in page and "It was somebody else:" in page
    for other in others:
        assert f'<input type="hidden" name="by" value="{other}">' in page
    assert f'<input type="hidden" name="by" value="{by}">' not in page
    form = page[page.index("It was somebody else:") :].split("</form>")[0]
    assert 'action="/api/correct"' in form, "one tap, and no page between"
    answer = keeper.post("/api/correct", data=dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/play/32")
    assert session.calls[-1][:2] == ("correct", (32, {"by": others[0]}))
    table["plays"][-1] |= {"violations": certain}
    session.show(table)
    form = keeper.get("/play/32").text.partition("It was somebody else:")[2].split("</form>")[0]
    assert 'action="/play/32/preview"' in form, "no certain fault falls by one tap"


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["tactic", "kkori"])
def test_a_round_of_which_nobody_said_who_began_names_nobody(tmp_path: Path, rules: str) -> None:
    box = "double-12" if rules == "tactic" else "chinese"
    session = Game.create(tmp_path / "g.jsonl", Header(rules, box, ("Ann", "Ben", "Cy")))
    session.start_round(guess=False)
    if rules == "kkori":
        session.observe(table_change([Play(Laid(5, 6), "R")]))
    client = create_app(AppState(session, data_dir=tmp_path), PageSettings(pin="1", testing=True)).test_client()
    for path in ("/", "/tv", "/scores", "/ask"):
        answer = client.get(path, headers={"Host": "127.0.0.1"})
        assert answer.status_code == 200, path
    page = client.get("/", headers={"Host": "127.0.0.1"}).get_data(as_text=True)
    assert "Who plays next?" in page
    assert client.get("/api/state", headers={"Host": "127.0.0.1"}).get_json()["turn"] is None


def test_a_line_that_tells_of_another_act_by_now_has_its_page(
    keeper: FlaskClient, session: FakeSession, tmp_path: Path
) -> None:
    folder = tmp_path / "games" / "tonight"
    folder.mkdir(parents=True)
    folder.joinpath("journal.jsonl").write_text("{}", encoding="utf-8")
    folder.joinpath("f30.jpg").write_bytes(b"\xff\xd8\xff")
    table = tables.midgame()
    session.show(table)
    written = {
        30: tables.play(30, "Ann", (10, 8), "MX") | {"frame": "f30.jpg"},
        26: {"seq": 26, "event": "drew", "by": "Ben", "source": "camera", "violations": []},
    }
    session.lines = [written.get(seq, {"seq": seq, "event": "passed", "by": "Ann"}) for seq in range(1, 32)]
    drew, laid = keeper.get("/play/30"), keeper.get("/play/26")
    assert drew.status_code == 200 and "Ann drew a tile." in drew.text and "It was this tile" not in drew.text
    assert "f30.jpg" not in drew.text, "it shows the act that was written"
    assert laid.status_code == 200 and "It was this tile" in laid.text and "it did not happen" not in laid.text.lower()


def test_why_a_hand_is_not_counted_is_said(anyone: FlaskClient, session: FakeSession) -> None:
    why = "so this hand is not counted."
    session.show(tables.midgame(hands={"Ann": 9, "Cyril": 8, "Dorothea": 11}))
    assert why in anyone.get("/").text and why not in anyone.get("/tv").text
    for hands in ({}, {"Ann": 9, "Ben": 10, "Cyril": 8, "Dorothea": 11}):
        session.show(tables.midgame(hands=hands))
        assert why not in anyone.get("/").text, "no column, or nothing missing in it"


def test_no_player_is_chosen_for_a_play_that_nobody_is_named_for(keeper: FlaskClient, session: FakeSession) -> None:
    table = tables.midgame(seq=32)
    table["plays"].append(tables.play(32, None, (2, 12), "Ann"))
    session.show(table)
    session.record(**table["plays"][-1])
    (chosen,) = re.findall(r'<select name="by" required>(.*?)</select>', keeper.get("/play/32").text)
    assert re.findall(r"<option([^>]*)selected", chosen) == [' value="" ']
    named = re.findall(r'<select name="by" required>(.*?)</select>', keeper.get("/play/18").text)
    assert "<option selected>Cyril" in named[0] and 'value=""' not in named[0]
