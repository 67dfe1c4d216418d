"""Questions written from the five source texts alone, each with the words that decide it; nothing here was computed.

000: Poltava, 001: Czech, 002: the connecting games, 003: Reeves, 004: the boxed game.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.judge_api.questions import answer

BASE = {
    "set": 12, "players": ["Ann", "Ben", "Cy"], "engine": "12-12",
    "trains": {"Ann": "12-4 4-9", "Ben": "12-10", "Cy": "12-1 1-8", "MX": "12-6"},
    "markers": [], "open": [], "turn": "Ann", "first_turn": False, "boneyard": 31,
}  # fmt: skip
EMPTY = {**BASE, "trains": {"Ann": "", "Ben": "", "Cy": "", "MX": ""}, "first_turn": True}
DEAD = {
    "set": 6, "players": ["Ann", "Ben", "Cy"], "engine": "6-6",
    "trains": {"Ann": "6-2 2-1 1-5 5-2 2-3 3-4 4-2 2-2", "Ben": "6-0 0-2", "Cy": "6-4", "MX": ""},
    "markers": [], "open": ["Ann"], "turn": "Cy", "first_turn": False, "boneyard": 5,
}  # fmt: skip


def said(kind: str, rules: str, **fields: Any) -> dict[str, Any]:
    found = answer({"id": 1, "kind": kind, "rules": rules, **fields})
    assert "error" not in found, found
    return found


OPEN_MX = {"trains": {**BASE["trains"], "MX": "12-6 6-6"}, "open": ["MX"]}
TWO_OPEN = {"trains": {**BASE["trains"], "Ben": "12-10 10-10", "MX": "12-6 6-6"}, "open": ["MX", "Ben"]}

TURNS: list[tuple[str, str, dict[str, Any], str, set[str], set[str]]] = [
    # 000: «Гравець не може зробити інший хід, якщо у викладці є відкритий дубль»
    ("000", "poltava", OPEN_MX, "play 9-2@Ann; end", {"OPEN_DOUBLE_IGNORED"}, set()),
    ("000", "poltava", OPEN_MX, "play 6-2@MX; end", set(), set()),
    # 000: «то ставить монетку на свій поїзд і пропускає хід»
    ("000", "poltava", OPEN_MX, "draw; mark Ann; end", set(), set()),
    # 000: «докласти плитку до відкритого дубля ... незалежно від того, якому поїзду він належить»
    ("000", "poltava", TWO_OPEN, "play 10-3@Ben; end", set(), set()),
    # 004: «их нужно закрыть (по одной за ход) в том порядке, как они были выложены»
    ("004", "tactic", TWO_OPEN, "play 10-3@Ben; end", {"DOUBLE_ORDER"}, {"CLOSED_TRAIN"}),
    ("004", "tactic", TWO_OPEN, "play 6-3@MX; play 10-2@Ben; end", {"EXTRA_TILE"}, {"CLOSED_TRAIN"}),
    # 003, variant: «বিপরীতে বন্ধ করা যেতে পারে», and a house that makes a rule of it
    ("003", "reeves", {**TWO_OPEN, "options": {"order": "either"}}, "play 10-3@Ben; end", set(), set()),
    ("003", "reeves", {**TWO_OPEN, "options": {"order": "either"}}, "play 6-3@MX; end", set(), {"DOUBLE_ORDER"}),
    ("003", "reeves", {**TWO_OPEN, "options": {"order": "lifo"}}, "play 10-3@Ben; end", set(), set()),
    ("003", "reeves", {**TWO_OPEN, "options": {"order": "lifo"}}, "play 6-3@MX; end", {"DOUBLE_ORDER"}, set()),
    # 000: «він не зобов'язаний перекривати власний щойно викладений дубль»
    ("000", "poltava", {"markers": ["Ben"]}, "play 9-9@Ann; play 10-2@Ben; end", set(), set()),
    ("000", "poltava", {}, "play 9-9@Ann; play 6-6@MX; play 9-1@Ann; end", set(), set()),
    # 001: «přiložit kámen ze své ruky k právě položenému dablu»
    ("001", "cz", {}, "play 9-9@Ann; play 6-2@MX; end", {"EXTRA_NOT_ON_DOUBLE"}, set()),
    ("001", "cz", {}, "play 9-9@Ann; draw; play 9-2@Ann; end", set(), set()),
    ("001", "cz", {}, "play 9-9@Ann; draw; mark Ann; end", set(), set()),
    # 003: «অতিরিক্ত টাইলটি শুধুমাত্র প্রথম দ্বৈতে বাজানো যেতে পারে»
    ("003", "reeves", {}, "play 9-9@Ann; play 6-2@MX; end", set(), set()),
    ("003", "reeves", {}, "play 9-9@Ann; play 6-6@MX; play 9-2@Ann; end", set(), set()),
    ("003", "reeves", {}, "play 9-9@Ann; play 6-6@MX; play 6-2@MX; end", {"EXTRA_NOT_ON_FIRST_DOUBLE"}, set()),
    # 003: «যদি আপনি একটি খেলার যোগ্য ডাবল আঁকেন, খেলুন এবং আবার আঁকুন»; 004 says the same
    ("003", "reeves", {}, "draw; play 9-9@Ann; draw; play 9-2@Ann; end", set(), set()),
    ("004", "tactic", {}, "draw; play 9-9@Ann; draw; mark Ann; end", set(), set()),
    ("004", "tactic", {}, "draw; draw; mark Ann; end", {"EXTRA_DRAW"}, set()),
    # 004: «кроме тех случаев, когда дубль-кость домино является Вашей последней»; 001: «není potřeba ho již krmit»
    ("004", "tactic", {"hands": {"Ann": 1}}, "play 9-9@Ann; end", set(), set()),
    ("001", "cz", {"hands": {"Ann": 1}}, "play 9-9@Ann; end", set(), set()),
    ("004", "tactic", {}, "play 9-9@Ann; end", {"DOUBLE_NOT_FOLLOWED"}, {"NO_DRAW", "MARKER_MISSING"}),
    # 001: «musí pasovat», of a marker nothing is said; 000, 003 and 004 put one
    ("001", "cz", {"boneyard": 0}, "end", set(), set()),
    ("003", "reeves", {"boneyard": 0}, "end", {"MARKER_MISSING"}, set()),
    ("004", "tactic", {"boneyard": 0}, "end", {"MARKER_MISSING"}, set()),
    ("000", "poltava", {"boneyard": 0}, "end", {"MARKER_MISSING"}, set()),
    ("004", "tactic", {"boneyard": 0}, "draw; mark Ann; end", {"DRAW_FROM_EMPTY"}, set()),
    # 004: the rest is a pile, so a draw leaves no count behind
    ("004", "tactic", {"boneyard": None}, "end", {"MARKER_MISSING"}, {"NO_DRAW"}),
    ("004", "tactic", {"boneyard": None}, "mark Ann; end", set(), {"NO_DRAW"}),
    # 001: «nebo nechce zahrát, položí do výřezu pro svou trať figurku vlaku»
    ("001", "cz", EMPTY, "mark Ann; end", set(), set()),
    ("001", "cz", EMPTY, "end", {"MARKER_MISSING"}, set()),
    ("001", "cz", EMPTY, "draw; mark Ann; end", {"DRAW_FIRST_TURN"}, set()),
    # 001: «V prvním kole ho ovšem pokládá normálně»
    ("001", "cz", EMPTY, "play 12-5@Ann; play 5-5@Ann; play 5-1@Ann; end", set(), set()),
    ("000", "poltava", EMPTY, "play 12-5@Ann; play 5-5@Ann; end", set(), set()),
    # 000: «можуть будувати лише їх»; 001: «Od druhého kola»
    ("000", "poltava", {**EMPTY, "markers": ["Ben"]}, "play 12-5@Ben; end", {"FIRST_TURN_OWN_ONLY"}, set()),
    ("001", "cz", EMPTY, "play 12-5@MX; end", {"MX_TOO_EARLY"}, set()),
    # 000: «Починаючи з другого ходу його суперники зможуть почати будувати його поїзд»
    ("000", "poltava", {**EMPTY, "first_turn": False, "markers": ["Cy"]}, "play 12-5@Cy; end", set(), set()),
    # 004: «вводит в игру свой поезд или же мексиканский поезд»; one tile
    ("004", "tactic", EMPTY, "play 12-5@MX; end", set(), set()),
    ("003", "reeves", EMPTY, "play 12-5@Ann; play 5-1@Ann; end", {"EXTRA_TILE"}, set()),
    ("004", "tactic", {**EMPTY, "markers": ["Cy"]}, "play 12-5@Cy; end", set(), set()),
    # 000: «не залежить від того - куди, монетка з його поїзда знімається»
    ("000", "poltava", {"markers": ["Ann"]}, "play 6-2@MX; end", {"MARKER_NOT_REMOVED"}, set()),
    ("000", "poltava", {"markers": ["Ann"]}, "play 6-2@MX; unmark Ann; end", set(), set()),
    # 001: «kámen k vlastní trati která je otevřená, znovu jí pro ostatní uzavře»; 003: «সরাতে পারেন», may
    ("001", "cz", {"markers": ["Ann"]}, "play 6-2@MX; end", set(), set()),
    ("001", "cz", {"markers": ["Ann"]}, "play 9-2@Ann; end", {"MARKER_NOT_REMOVED"}, set()),
    ("003", "reeves", {"markers": ["Ann"]}, "play 9-2@Ann; end", set(), {"MARKER_NOT_REMOVED"}),
    ("004", "tactic", {"markers": ["Ann"]}, "play 6-2@MX; unmark Ann; end", {"MARKER_REMOVED_WRONGLY"}, set()),
    ("004", "tactic", {"markers": ["Ann"]}, "draw; unmark Ann; end", {"MARKER_REMOVED_WRONGLY"}, set()),
    ("004", "tactic", {}, "draw; play 9-2@Ann; mark Ann; end", {"MARKER_UNEARNED"}, set()),
    ("003", "reeves", {}, "draw; mark Ann; mark Ben; end", {"MARKER_WRONG_TRAIN"}, set()),
    # 000: «Поїзд до Полтави може бути лише один»
    ("000", "poltava", {}, "play 12-5@MX2; end", {"SECOND_MEXICAN"}, set()),
    # 001 does not tie the Mexican track's first tile to the engine: an option
    ("001", "cz", {"trains": {**BASE["trains"], "MX": ""}}, "play 3-5@MX; end", set(), {"WRONG_ROOT"}),
    (
        "001", "cz", {"trains": {**BASE["trains"], "MX": ""}, "options": {"mx_root": "any"}}, "play 3-5@MX; end",
        set(), set(),
    ),
    # 000: «дубль варто перевернути - до цього поїзда докладати вже неможливо»
    ("000", "poltava", DEAD, "flip Ann; play 4-0@Cy; end", set(), set()),
    ("000", "poltava", DEAD, "play 4-0@Cy; end", set(), set()),
    ("000", "poltava", OPEN_MX, "flip MX; play 9-2@Ann; end", {"WRONG_FLIP", "OPEN_DOUBLE_IGNORED"}, set()),
    ("003", "reeves", DEAD, "play 4-0@Cy; end", set(), set()),
    ("004", "tactic", DEAD, "flip Ann; play 4-0@Cy; end", {"FLIP_NOT_IN_RULES"}, set()),
    # 001: «Dokud není posledně položený dabl nakrmený nemůže žádný hráč hrát na jiné tratě»
    ("001", "cz", OPEN_MX, "play 9-2@Ann; end", {"OPEN_DOUBLE_IGNORED"}, set()),
    # 001 does not say what becomes of a double that nobody can feed any more
    ("001", "cz", DEAD, "play 4-0@Cy; end", set(), {"OPEN_DOUBLE_IGNORED"}),
    ("001", "cz", DEAD, "draw; mark Cy; end", set(), set()),
    ("001", "cz", DEAD, "flip Ann; play 4-0@Cy; end", {"FLIP_NOT_IN_RULES"}, {"OPEN_DOUBLE_IGNORED"}),
    # 000 names the coin only, for who cannot lay a first train
    ("000", "poltava", EMPTY, "draw; mark Ann; end", set(), {"DRAW_FIRST_TURN"}),
    ("000", "poltava", EMPTY, "draw; play 12-5@Ann; end", set(), {"DRAW_FIRST_TURN"}),
    ("000", "poltava", EMPTY, "draw; draw; mark Ann; end", {"DRAW_FIRST_TURN"}, set()),
    ("000", "poltava", EMPTY, "play 12-5@Ann; draw; end", {"DRAW_FIRST_TURN"}, set()),
    # 000 does not say whether one draws again after a drawn double; 001: the double must be fed
    ("000", "poltava", {}, "draw; play 9-9@Ann; mark Ann; end", set(), {"NO_DRAW"}),
    ("000", "poltava", {}, "draw; play 9-9@Ann; draw; mark Ann; end", set(), set()),
    ("000", "poltava", {}, "play 9-9@Ann; mark Ann; end", {"NO_DRAW"}, set()),
    ("001", "cz", {}, "draw; play 9-9@Ann; mark Ann; end", {"NO_DRAW"}, set()),
]  # fmt: skip


@pytest.mark.parametrize(("source", "rules", "table", "action", "codes", "may"), TURNS)
def test_a_turn(source: str, rules: str, table: dict[str, Any], action: str, codes: set[str], may: set[str]) -> None:
    state = {**BASE, **table}
    found = said("turn", rules, state=state, action=action, options=state.pop("options", {}))
    assert (set(found["codes"]), set(found["may"])) == (codes, may)
    assert found["verdict"] == ("illegal" if codes else "legal")


DEALS = [
    ("poltava", 9, 4, 10, 14, "ok"),
    ("poltava", 9, 6, 9, 0, "ok_empty_boneyard"),
    ("poltava", 9, 7, 7, 5, "ok"),
    ("poltava", 9, 8, 7, -2, "impossible"),
    ("poltava", 9, 9, None, None, "unsupported"),
    ("poltava", 12, 10, 8, 10, "ok"),
    ("poltava", 12, 11, None, None, "unsupported"),
    ("cz", 12, 8, 8, 26, "ok"),
    ("cz", 12, 5, 11, 35, "ok"),
    ("cz", 6, 2, 15, -3, "impossible"),
    ("reeves", 9, 3, 13, 15, "ok"),
    ("reeves", 9, 5, None, None, "unsupported"),
    ("reeves", 15, 10, None, None, "unsupported"),
    ("reeves", 12, 7, 10, 20, "ok"),
    ("tactic", 12, 8, 9, 18, "ok"),
    ("tactic", 9, 2, 15, 24, "ok_quick"),
    ("tactic", 9, 5, None, None, "unsupported"),
    ("tactic", 12, 1, None, None, "unsupported"),
]


@pytest.mark.parametrize(("rules", "tile_set", "players", "hand", "boneyard", "verdict"), DEALS)
def test_a_deal(rules: str, tile_set: int, players: int, hand: int | None, boneyard: int | None, verdict: str) -> None:
    found = said("setup", rules, set=tile_set, players=players)
    assert (found["hand"], found["boneyard"], found["verdict"]) == (hand, boneyard, verdict)


CZECH = {"A": [], "B": ["6-5", "4-2"], "C": ["2-1", "3-3", "9-11"]}
SCORES: list[tuple[str, dict[str, Any], dict[str, int]]] = [
    ("cz", {"hands": CZECH, "mode": "winner_takes"}, {"A": 46, "B": 0, "C": 0}),
    ("cz", {"hands": CZECH}, {"A": 0, "B": 17, "C": 29}),
    ("cz", {"hands": {"A": ["0-0"], "B": ["9-9"]}, "end": "blocked"}, {"A": 50, "B": 0}),
    ("cz", {"hands": {"A": ["1-2"], "B": ["0-3"], "C": ["4-4"]}, "end": "blocked"}, {"A": 0, "B": 0, "C": 8}),
    ("reeves", {"hands": {"A": ["0-0"], "B": ["9-9"]}, "end": "blocked"}, {"A": 50, "B": 18}),
    ("tactic", {"hands": {"A": ["5-7"], "B": ["9-9"], "C": []}}, {"A": 12, "B": 18, "C": 0}),
    ("tactic", {"hands": {"A": ["0-0", "0-1"], "B": []}}, {"A": 1, "B": 0}),
    ("poltava", {"hands": {"A": ["0-0", "6-6"], "B": ["1-1"]}, "end": "blocked"}, {"A": 12, "B": 2}),
]


@pytest.mark.parametrize(("rules", "fields", "scores"), SCORES)
def test_a_score(rules: str, fields: dict[str, Any], scores: dict[str, int]) -> None:
    assert said("score", rules, **fields)["scores"] == scores


OTHERS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("match", "tactic", {"totals": {"A": 90, "B": 33, "C": 60}}, {"winner": "B"}),
    ("match", "cz", {"totals": {"A": 90, "B": 33, "C": 60}, "mode": "winner_takes"}, {"winner": "A"}),
    ("match", "cz", {"totals": {"C": 33, "B": 33, "A": 60}}, {"winner": ["B", "C"]}),
    # 000: «ті гравці, що ще не походили роблять свої перші ходи і тоді гра завершується»
    (
        "round_end", "poltava", {"order": ["A", "B", "C"], "lap": 1, "moved": ["A", "B"], "out": "B"},
        {"ends_now": False, "remaining_turns": ["C"]},
    ),
    (
        "round_end", "poltava", {"order": ["A", "B", "C"], "lap": 1, "moved": ["A", "B", "C"], "out": "C"},
        {"ends_now": True, "remaining_turns": []},
    ),
    (
        "round_end", "poltava", {"order": ["A", "B", "C"], "lap": 2, "moved": ["A"], "out": "A"},
        {"ends_now": True, "remaining_turns": []},
    ),
    (
        "round_end", "tactic", {"order": ["A", "B", "C"], "lap": 1, "moved": ["A"], "out": "A"},
        {"ends_now": True, "remaining_turns": []},
    ),
    (
        "round_end", "cz", {"order": ["A", "B"], "lap": 2, "moved": ["A"], "out": None},
        {"ends_now": False, "remaining_turns": []},
    ),
    ("announce", "tactic", {"hand_after": 1}, {"required": True, "form": "tap"}),
    ("announce", "reeves", {"hand_after": 1}, {"required": True, "form": "tap_or_say"}),
    ("announce", "cz", {"hand_after": 1}, {"required": False, "form": None}),
    ("announce", "tactic", {"hand_after": 0}, {"required": False, "form": None}),
    # 001: «pokud může a chce»
    (
        "audit", "cz", {"ends": [6], "later_played": ["6-1"], "declared": ["6-2"], "draws_after": 0},
        {"code": "PASSED_WITH_PLAYABLE", "status": "certain", "offence": False},
    ),
    (
        "audit", "tactic", {"ends": [6], "later_played": ["6-1"], "declared": ["6-2"], "draws_after": 2},
        {"code": "PASSED_WITH_PLAYABLE", "status": "possible", "offence": True},
    ),
    (
        "audit", "reeves",
        {"decision": "draw", "ends": [0, 9], "later_played": ["1-2"], "declared": ["3-4"], "draws_after": 1},
        {"code": "NEEDLESS_DRAW", "status": "clear", "offence": True},
    ),
    ("dead", "tactic", {"state": DEAD, "train": "Ann"}, {"status": "certain"}),
    ("dead", "tactic", {"state": {**BASE, **OPEN_MX}, "train": "MX"}, {"status": "possible"}),
    ("dead", "tactic", {"state": {**BASE, **OPEN_MX}, "train": "Ann"}, {"status": "no"}),
    # 001 has no rule for a dead double: it locks the table; elsewhere it does not
    ("block", "cz", {"state": DEAD}, {"provable": True}),
    ("block", "reeves", {"state": DEAD}, {"provable": False}),
    ("block", "poltava", {"state": BASE}, {"provable": False}),
    (
        "state", "tactic", {"state": {**BASE, "engine": "12-11"}},
        {"verdict": "illegal", "codes": ["ENGINE_NOT_DOUBLE"], "may": []},
    ),
    # 004: «12, потом 11, потом 10»
    ("state", "tactic", {"state": {**BASE, "round": 2}}, {"codes": ["WRONG_ENGINE"]}),
    ("state", "tactic", {"state": {**BASE, "round": 1}}, {"verdict": "legal", "codes": []}),
    ("state", "reeves", {"state": {**BASE, "trains": {"MX": "12-6", "MX2": "12-7"}}}, {"codes": ["SECOND_MEXICAN"]}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "rules", "fields", "expected"), OTHERS)
def test_another_question(kind: str, rules: str, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    found = said(kind, rules, **fields)
    assert {name: found[name] for name in expected} == expected


STORIES: list[tuple[str, dict[str, Any], list[str], str, set[str]]] = [
    ("tactic", {}, ["boneyard-1", "mark Ben"], "Ben", {"Ben: draw, mark"}),
    ("tactic", {}, ["mark Ben"], "Ben", {"!NO_DRAW by Ben"}),
    ("cz", {"boneyard": 0}, ["+10-3@Ben"], "Ann", {"Ann: pass; Ben: play 10-3@Ben"}),
    ("poltava", {"markers": ["Ann"]}, ["-mark Ann", "+6-2@MX"], "Ann", {"Ann: play 6-2@MX, unmark"}),
    ("tactic", {"markers": ["Ann"]}, ["-mark Ann", "+6-2@MX"], "Ann", {"!MARKER_REMOVED_WRONGLY by Ann"}),
    ("reeves", {}, ["+9-3@Ann", "+10-5@Ben"], "Ann", {"Ann: play 9-3@Ann; Ben: play 10-5@Ben"}),
    ("poltava", {}, ["-12-10@Ben"], "Cy", {"!TILE_MOVED by ?"}),
    ("tactic", {}, ["+9-9@Ann", "+9-1@Ann"], "Ann", {"Ann: play 9-9@Ann, play 9-1@Ann"}),
    (
        "tactic", {"boneyard": None, "markers": ["Ann"]}, ["+10-3@Ben"], "Ann",
        {"Ann: draw, pass; Ben: play 10-3@Ben"},
    ),
    # 000: the long first trains, one after the other; who has no tile puts the coin
    (
        "poltava", EMPTY, ["+12-5@Ann", "+5-3@Ann", "+12-2@Ben"], "Ann",
        {"Ann: play 12-5@Ann, play 5-3@Ann; Ben: play 12-2@Ben"},
    ),
    ("poltava", EMPTY, ["mark Ann", "+12-2@Ben"], "Ann", {"Ann: mark; Ben: play 12-2@Ben"}),
    (
        "poltava", EMPTY, ["+12-2@Ben"], "Ann",
        {"!MARKER_MISSING by Ann", "!FIRST_TURN_OWN_ONLY by Ann", "!OUT_OF_TURN by Ben"},
    ),
    # The last tile ends the round: what comes after it is too late, or one tile too many
    (
        "tactic", {"hands": {"Ann": 1}}, ["+9-3@Ann", "+10-3@Ben"], "Ann",
        {"!EXTRA_TILE by Ann", "!PLAY_AFTER_END by Ben"},
    ),
    # The whole lap has passed with its markers, and an open double is still to be covered
    (
        "tactic", {**OPEN_MX, "markers": ["Ann", "Ben", "Cy"], "boneyard": 0}, ["+6-2@MX"], "Ann",
        {"Ann: play 6-2@MX", "Ann: pass; Ben: play 6-2@MX", "Ann: pass; Ben: pass; Cy: play 6-2@MX"},
    ),
    # A stranger's tile on a closed train: his fault, or the owner's who was not to move yet
    (
        "reeves", {}, ["+8-3@Cy"], "Ann",
        {"!CLOSED_TRAIN by Ann", "!OUT_OF_TURN by Cy"},
    ),
    ("cz", {}, ["+9-9@Ann", "+9-1@Ann", "+10-3@Ben"], "Ann", {"Ann: play 9-9@Ann, play 9-1@Ann; Ben: play 10-3@Ben"}),
    # Somebody else's coin is not taken away
    (
        "poltava", {"markers": ["Ben"]}, ["+9-3@Ann", "-mark Ben"], "Ann",
        {"!MARKER_WRONG_TRAIN by Ann", "!MARKER_REMOVED_WRONGLY+NO_DRAW by Ben"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "table", "delta", "expected", "stories"), STORIES)
def test_what_happened(rules: str, table: dict[str, Any], delta: list[str], expected: str, stories: set[str]) -> None:
    found = said("inference", rules, before={**BASE, **table}, delta=delta, expected_player=expected)
    assert set(found["explanations"]) == stories
    assert found["explainable"] == (not any(story.startswith("!") for story in stories))


FOUR = ["Ann", "Ben", "Cy", "Dee"]
LINES: list[tuple[str, dict[str, Any], list[str], str, str, set[str], set[str]]] = [
    # 002: «Першим ходом гравець може викласти будь яку плитку»
    ("jielong", {}, FOUR, "", "play 2:5@R", set(), set()),
    ("jielong", {}, FOUR, "", "discard", {"LEAD_MUST_PLAY"}, set()),
    # 002: «кладе одну зі своїх плиток цятками донизу і пасує»
    ("kkori", {}, FOUR, "2:5", "discard", set(), set()),
    ("kkori", {}, FOUR, "2:5", "pass", {"PASS_WITHOUT_DISCARD"}, set()),
    ("chedeng", {}, FOUR, "2:5", "discard faceup", {"DISCARD_FACE_UP"}, set()),
    ("chedeng", {}, FOUR, "2:5", "play 5:6@R; play 6:6@R", {"EXTRA_TILE"}, set()),
    # 002: «граються строго в одну сторону»; «варіант як з одним рукавом, так і з двома»
    ("chedeng", {}, FOUR, "2:5", "play 6:2@L", {"CLOSED_END"}, set()),
    ("chedeng", {}, FOUR, "2:5", "play 6:1@L", {"CLOSED_END"}, {"MISMATCH"}),
    ("jielong", {"arms": 2}, FOUR, "2:5", "play 6:2@L", set(), set()),
    ("jielong", {}, FOUR, "2:5", "play 6:2@L", {"CLOSED_END"}, set()),
    # 002: «Дублі можна докладати одне до одного»
    ("jielong", {}, FOUR, "2:6 6:6", "play 6:6@R", set(), set()),
    ("jielong", {}, FOUR, "6:6 6:6", "play 6:6@R", {"MULTIPLICITY"}, set()),
    ("jielong", {}, FOUR, "3:4", "play 4:3@R", {"MULTIPLICITY"}, set()),
    ("jielong", {}, FOUR, "1:3", "play 3:1@R", set(), set()),
    # 002: «забираються дублі від [3:3] до [6:6]»
    ("kkori", {}, FOUR[:3], "2:3", "play 3:3@R", {"TILE_NOT_IN_SET"}, set()),
    ("kkori", {}, FOUR, "2:3", "play 3:3@R", set(), set()),
    ("kkori", {}, FOUR[:2], "1:2", "play 2:2@R", set(), set()),
    ("jielong", {}, FOUR, "2:3", "play 3:0@R", {"TILE_NOT_IN_SET"}, set()),
]


@pytest.mark.parametrize(("rules", "options", "players", "line", "action", "codes", "may"), LINES)
def test_a_turn_at_the_line(
    rules: str, options: dict[str, Any], players: list[str], line: str, action: str, codes: set[str], may: set[str]
) -> None:
    found = said("cn_turn", rules, options=options, state={"players": players, "line": line}, action=action)
    assert (set(found["codes"]), set(found["may"])) == (codes, may)


SEVEN = ["1:1", "2:2", "3:3", "4:4", "5:5", "6:6", "6:6", "1:2"]
LINE_QUESTIONS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("cn_setup", "jielong", {"players": 2}, {"verdict": "ok", "hand": 16, "tiles": 32, "unused": 0}),
    # 002: «2 лишається закритими і не грають»
    ("cn_setup", "jielong", {"players": 3}, {"verdict": "ok", "hand": 10, "tiles": 32, "unused": 2}),
    ("cn_setup", "jielong", {"players": 5}, {"verdict": "unsupported", "hand": None, "tiles": None, "unused": None}),
    # 002: «чотири і ні більше ні менше»
    ("cn_setup", "chedeng", {"players": 3}, {"verdict": "players_must_be_4", "hand": None}),
    ("cn_setup", "kkori", {"players": 2}, {"verdict": "ok", "hand": 12, "tiles": 24, "unused": 0}),
    ("cn_setup", "kkori", {"players": 3}, {"verdict": "ok", "hand": 8, "tiles": 24, "unused": 0}),
    # 002: «попало сім дублів, то йде перездача»
    ("cn_setup", "chedeng", {"hand": SEVEN}, {"verdict": "redeal"}),
    ("cn_setup", "chedeng", {"hand": [*SEVEN[:6], "1:2", "1:3"]}, {"verdict": "play"}),
    ("cn_setup", "jielong", {"hand": SEVEN}, {"verdict": "play"}),
    # 002: Катерина, Сергій, Андрій, Ганна
    (
        "cn_settle", "jielong", {"order": ["K", "S", "A", "H"], "pips": {"K": 2, "S": 12, "A": 34, "H": 18}},
        {"result": {"K": 58, "S": 18, "A": -70, "H": -6}, "winner": "K"},
    ),
    # 002: «переможець отримає по одній фішці від кожного переможеного»; the lower hand on a tie
    (
        "cn_settle", "jielong",
        {"order": ["A", "B", "C"], "pips": {"A": 9, "B": 4, "C": 4}, "mode": "winner_chip"},
        {"result": {"A": -1, "B": 2, "C": -1}, "winner": "B"},
    ),
    # 002: «лише гравець, що набрав найбільшу кількість очок платить», others «більше ніж 30 очок»
    (
        "cn_settle", "kkori", {"order": ["A", "B", "C", "D"], "pips": {"A": 30, "B": 5, "C": 29, "D": 28}},
        {"result": {"A": -1, "B": 1, "C": 0, "D": 0}, "winner": "B"},
    ),
    (
        "cn_settle", "kkori", {"order": ["A", "B", "C", "D"], "pips": {"A": 31, "B": 5, "C": 32, "D": 31}},
        {"result": {"A": -1, "B": 3, "C": -1, "D": -1}, "winner": "B"},
    ),
    (
        "cn_settle", "kkori", {"order": ["A", "B", "C"], "pips": {"A": 20, "B": 5, "C": 20}},
        {"result": {"A": 0, "B": 1, "C": -1}, "winner": "B"},
    ),
    # 002: head-7, tail-8, and the stricter 6 and 7
    (
        "cn_settle", "chedeng",
        {"order": ["A", "B"], "pips": {"A": 40, "B": 10}, "discards": {"A": 7, "B": 1}},
        {"result": {"A": -60, "B": 60}},
    ),
    (
        "cn_settle", "chedeng",
        {"order": ["B", "A"], "pips": {"A": 40, "B": 10}, "discards": {"A": 7, "B": 1}},
        {"result": {"A": -30, "B": 30}},
    ),
    (
        "cn_settle", "chedeng",
        {
            "order": ["B", "A"], "pips": {"A": 40, "B": 10}, "discards": {"A": 7, "B": 0},
            "options": {"head_tail": [6, 7]},
        },
        {"result": {"A": -120, "B": 120}},
    ),
    (
        "cn_audit", "kkori", {"ends": [6], "later_played": [], "declared": ["1:2", "4:6"], "draws_after": 0},
        {"code": "DISCARD_WITH_PLAYABLE", "status": "certain"},
    ),
    (
        "cn_audit", "jielong", {"ends": [6, 2], "later_played": ["1:3"], "declared": ["4:5"], "draws_after": 0},
        {"code": "DISCARD_WITH_PLAYABLE", "status": "clear"},
    ),
    ("cn_block", "kkori", {"line": "3:1 1:3 3:2 2:4 4:3 3:5 5:6 6:3", "players": 3}, {"provable": True}),
    ("cn_block", "kkori", {"line": "3:1 1:3 3:2 2:4 4:3 3:5 5:6 6:3", "players": 4}, {"provable": False}),
    (
        "cn_block", "jielong", {"line": "1:3 3:1 1:4 4:3 3:3 3:3 3:2 2:5 5:3 3:6 6:6", "arms": 2},
        {"provable": False},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "rules", "fields", "expected"), LINE_QUESTIONS)
def test_another_question_at_the_line(kind: str, rules: str, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    found = said(kind, rules, **fields)
    assert {name: found[name] for name in expected} == expected
