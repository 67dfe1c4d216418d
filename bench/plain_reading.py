"""A second reading of docs/rules.md 7.1 and 9, as plain as can be: the oracle of `test_plain_reading`.

Nothing of the referee is used here: tables are dicts, tiles are pairs, rule sets the few words that matter. Acts are
("play", (a, b), train), ("draw",), ("mark", player), ("unmark", player), ("flip", train).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any

Table = dict[str, Any]
Act = tuple[Any, ...]

HOUSES: dict[str, dict[str, Any]] = {
    "poltava": {"long": True, "extra": "anywhere", "order": "any", "off": "any", "must_off": True, "dead": "flip"},
    "cz": {"long": True, "extra": "this", "order": "any", "off": "own", "must_off": True, "dead": "blocks"},
    "reeves": {"long": False, "extra": "first", "order": "fifo", "off": "own", "must_off": False, "dead": "release"},
    "tactic": {"long": False, "extra": "anywhere", "order": "fifo", "off": "own", "must_off": True, "dead": "release"},
}


def judge(rules: str, table: Table, acts: list[Act], ended: bool = False) -> tuple[set[str], set[str], Table]:
    """Codes, may, and the table afterwards with the next player to move."""
    house, highest, me = HOUSES[rules], table["set"], table["turn"]
    trains = {name: list(chain) for name, chain in table["trains"].items()}
    markers, opened, flipped = set(table["markers"]), list(table["open"]), set(table["flipped"])
    boneyard, hand = table["boneyard"], table["hands"].get(me)

    def visible() -> set[tuple[int, int]]:
        return {_key(table["engine"]), *(_key(t) for chain in trains.values() for t in chain)}

    def exhausted(value: int) -> bool:
        return sum(value in t and max(t) <= highest for t in visible()) == highest + 1

    def doubtful(name: str) -> bool:
        """cz: whether this train ends in the double of a first train; no text says whether that is open."""
        chain = trains.get(name)
        ends_double = bool(chain) and chain[-1][0] == chain[-1][1]
        return rules == "cz" and ends_double and name not in opened and name not in flipped

    def due(name: str) -> int:
        return trains[name][-1][1] if trains.get(name) else table["engine"][1]

    def blocked() -> bool:
        """Poltava: whether no tile that nobody sees would fit where somebody may play. Source: docs/rules.md 7.3."""
        bound = [] if long else [t for t in opened if t not in flipped and not exhausted(due(t))]
        ends = {due(t) for t in bound or (*table["players"], "MX") if t not in flipped}
        seen = visible()
        fitting = any((a, b) not in seen and {a, b} & ends for b in range(highest + 1) for a in range(b + 1))
        return not fitting and max(ends, default=0) <= highest

    long = house["long"] and table["first_turn"]
    live = [t for t in opened if t not in flipped and (house["dead"] == "blocks" or not exhausted(due(t)))]
    live = [] if long else live
    locked = rules == "cz" and bool(live) and all(exhausted(due(t)) for t in live)
    codes: set[str] = set()
    may: set[str] = set()
    doubles: list[tuple[str, int]] = []
    laid: list[str] = []
    complete = False
    drawn = drawn_ever = took_off = double_last = False
    for act in acts:
        if act[0] == "play":
            (a, b), name = act[1], act[2]
            stranger = name not in (me, "MX", "MX2")
            faults = [
                (max(a, b) > highest, "TILE_NOT_IN_SET"),
                (name in flipped, "DEAD_TRAIN"),
                (_key((a, b)) in visible(), "DUPLICATE_TILE"),
                (name == "MX2", "SECOND_MEXICAN"),
                (long and name == "MX", "MX_TOO_EARLY"),
                (long and stranger, "FIRST_TURN_OWN_ONLY"),
                (complete and not long, "EXTRA_TILE"),
            ]
            unsure: list[tuple[bool, str]] = []
            closes = False
            perhaps = stranger and doubtful(name)
            if live and not laid:
                allowed = live[:1] if house["order"] == "fifo" else live
                closes = name in allowed
                (unsure if perhaps or locked else faults).append((name not in live, "OPEN_DOUBLE_IGNORED"))
                faults.append((name in live and not closes, "DOUBLE_ORDER"))
            elif doubles:
                several = len(doubles) > 1 and a != b
                alive = [t for t, v in doubles if trains[t][-1] == (v, v) and not exhausted(v)]
                first_only = house["extra"] == "first" and several
                faults.append((house["extra"] == "this" and name != doubles[-1][0], "EXTRA_NOT_ON_DOUBLE"))
                many, one = len(alive) > 1, len(alive) == 1
                faults.append((first_only and many and name != alive[0], "EXTRA_NOT_ON_FIRST_DOUBLE"))
                unsure.append((first_only and one and name != alive[0], "EXTRA_NOT_ON_FIRST_DOUBLE"))
                unsure.append((rules == "tactic" and several and name in alive and name != alive[0], "DOUBLE_ORDER"))
            own_double = name in [t for t, _ in doubles] and trains[name][-1][0] == trains[name][-1][1]
            refused = stranger and name not in markers and not closes and not own_double
            (unsure if perhaps else faults).append((refused, "CLOSED_TRAIN"))
            wrong_root = (a != due(name), "MISMATCH" if trains.get(name) else "WRONG_ROOT")
            (unsure if rules == "cz" and name == "MX" and not trains.get(name) else faults).append(wrong_root)
            named = [code for holds, code in faults if holds]
            codes.update(named[:1])
            may.update(named[1:])
            may.update(code for holds, code in unsure if holds)
            trains.setdefault(name, []).append((a, b))
            laid.append(name)
            opened = [t for t in opened if t != name]
            hand = None if hand is None else hand - 1
            double_last = a == b and not long
            if a == b and (not long or rules == "poltava"):
                opened.append(name)
            if double_last:
                doubles.append((name, a))
                drawn = False
            complete = complete or long or a != b or hand == 0
        elif act[0] == "draw":
            if long:
                before_all = rules == "poltava" and not complete
                (may if (before_all or doubtful(me)) and not drawn else codes).add("DRAW_FIRST_TURN")
            elif complete or drawn:
                codes.add("EXTRA_DRAW")
            if boneyard == 0:
                codes.add("DRAW_FROM_EMPTY")
            if rules == "poltava" and blocked():
                may.add("DRAW_WHEN_BLOCKED")
            boneyard = boneyard - 1 if boneyard else boneyard
            hand = None if hand is None else hand + 1
            drawn, drawn_ever, double_last = True, True, False
        elif act[0] == "flip":
            if house["dead"] != "flip":
                codes.add("FLIP_NOT_IN_RULES")
            elif act[1] not in opened or not exhausted(due(act[1])):
                codes.add("WRONG_FLIP")
            flipped.add(act[1])
            opened = [t for t in opened if t != act[1]]
        else:
            if act[1] != me:
                codes.add("MARKER_WRONG_TRAIN")
            took_off = took_off or (act == ("unmark", me) and me in markers)
            (markers.add if act[0] == "mark" else markers.discard)(act[1])
    before, after = me in table["markers"], me in markers
    if not complete:
        missing = set()
        if not long and not drawn and boneyard != 0:
            declining = rules == "cz" and (not live or locked) and not doubles
            redraw = rules == "poltava" and drawn_ever
            (may if boneyard is None or declining or redraw else missing).add("NO_DRAW")
        if not after and took_off:
            missing.add("MARKER_REMOVED_WRONGLY")
        elif not after and not (rules == "cz" and boneyard == 0 and not drawn_ever):
            unsure = rules == "cz" and boneyard is None and not drawn_ever
            (may if unsure else missing).add("MARKER_MISSING")
        if double_last and not drawn and not after and boneyard is None:
            may.add("DOUBLE_NOT_FOLLOWED")
        elif double_last and not drawn and not after and boneyard > 0:
            may |= missing
            missing = {"DOUBLE_NOT_FOLLOWED"}
        codes |= missing
    else:
        qualifies = house["off"] == "any" or me in laid
        if after and not before:
            ordered = rules == "tactic" and drawn_ever and me not in laid
            (may if ordered or (long and doubtful(me)) else codes).add("MARKER_UNEARNED")
        if before and not after and not qualifies:
            earlier = rules == "reeves" and table["trains"].get(me)
            (may if earlier else codes).add("MARKER_REMOVED_WRONGLY")
        if before and after and qualifies:
            (codes if house["must_off"] and hand != 0 else may).add("MARKER_NOT_REMOVED")
    players = table["players"]
    following = {
        **table,
        "trains": {name: tuple(chain) for name, chain in trains.items()},
        "markers": frozenset(markers),
        "open": tuple(opened),
        "flipped": frozenset(flipped),
        "boneyard": boneyard,
        "hands": table["hands"] if hand is None else {**table["hands"], me: hand},
        "turn": players[(players.index(me) + 1) % len(players)],
    }
    if ended and laid:
        return {"PLAY_AFTER_END"}, set(), following
    return codes, may - codes, following


def explanations(
    rules: str, table: Table, tiles: list[list[Act]], draws: int, marks: list[Act], expected: str
) -> tuple[bool, set[str]]:
    """Every row of turns of section 9, one after the other; only for ordinary turns (no first lap) and few tiles."""
    players = table["players"]
    start = players.index(expected)
    order = players[start:] + players[:start]
    good: set[str] = set()
    faulty: set[tuple[tuple[str, frozenset[str]], ...]] = set()
    for length in range(1, len(players) + 1):
        row = order[:length]
        marks_of: list[list[Act]] = [[] for _ in row]
        for mark in marks:
            marks_of[row.index(mark[1]) if mark[1] in row else -1].append(mark)
        for cuts in product(*(_cuts(chain, length) for chain in tiles)):
            for draws_of in product(range(draws + 1), repeat=length):
                if sum(draws_of) != draws:
                    continue
                shares = [([cut[n] for cut in cuts], draws_of[n], marks_of[n], n == length - 1) for n in range(length)]
                for told, blamed in _rows(rules, {**table, "turn": expected}, shares, False):
                    if blamed:
                        faulty.add(blamed)
                    else:
                        good.add(told)
    if good:
        return True, good
    for other in order[1:]:
        for plays in _mixed(tiles):
            if not _tell(rules, {**table, "turn": other}, plays, draws, marks, False)[1]:
                faulty.add(((other, frozenset({"OUT_OF_TURN"})),))
    return False, _cheapest(faulty)


def _cheapest(faulty: set[tuple[tuple[str, frozenset[str]], ...]]) -> set[str]:
    """The faulty stories with the fewest faulty turns, without those that only blame the same players for more."""
    fewest = min(map(len, faulty))
    cheapest = [dict(blamed) for blamed in faulty if len(blamed) == fewest]
    kept = [one for one in cheapest if not any(_includes(one, other) for other in cheapest if other != one)]
    return {"; ".join(f"!{'+'.join(sorted(c))} by {p}" for p, c in one.items()) for one in kept}


def explanations_together(
    table: Table, tiles: list[list[Act]], draws: int, marks: list[Act], expected: str
) -> tuple[bool, set[str]]:
    """cz while first trains are laid and somebody will not have begun: every way to share out what is nobody's own."""
    players = table["players"]
    start = players.index(expected)
    order = players[start:] + players[:start]
    own = {name: [chain for chain in tiles if chain[0][2] == name] for name in order}
    loose = [act for chain in tiles if chain[0][2] not in order for act in chain] + [("draw",)] * draws
    good: set[str] = set()
    faulty: set[tuple[tuple[str, frozenset[str]], ...]] = set()
    for whose in product(order, repeat=len(loose)):
        ways: list[list[tuple[str, list[Act], set[str]]]] = []
        for name in order:
            mine = [act for act, player in zip(loose, whose, strict=True) if player == name]
            laid = [act for act in mine if act[0] == "play"]
            trains = [[act for act in laid if act[2] == train] for train in dict.fromkeys(act[2] for act in laid)]
            moved = [mark for mark in marks if mark[1] == name]
            if not (own[name] or mine or moved):
                continue
            told = [
                _tell("cz", {**table, "turn": name, "first_turn": True}, plays, mine.count(("draw",)), moved, False)
                for plays in _mixed([*own[name], *trains])
            ]
            ways.append([(name, acts, codes) for acts, codes, _ in told])
        for turns in product(*ways):
            blamed = tuple((name, frozenset(codes)) for name, _, codes in turns if codes)
            if blamed:
                faulty.add(blamed)
            else:
                good.add("; ".join(f"{name}: {_words(name, acts)}" for name, acts, _ in turns))
    return (True, good) if good else (False, _cheapest(faulty))


def _rows(
    rules: str, table: Table, shares: list[Any], ended: bool
) -> Iterator[tuple[str, tuple[tuple[str, frozenset[str]], ...]]]:
    (segments, draws, marks, last), *later = shares
    player = table["turn"]
    if last and not (any(segments) or draws or marks):
        return
    for plays in _mixed(segments):
        acts, codes, following = _tell(rules, table, plays, draws, marks, ended)
        told = f"{player}: {_words(player, acts)}"
        blamed = ((player, frozenset(codes)),) if codes else ()
        if last:
            yield told, blamed
            continue
        over = ended or following["hands"].get(player) == 0
        for rest, more in _rows(rules, following, later, over):
            yield f"{told}; {rest}", (*blamed, *more)


def _tell(
    rules: str, table: Table, plays: list[Act], draws: int, marks: list[Act], ended: bool
) -> tuple[list[Act], set[str], Table]:
    """The turn with its draws at the earliest legal place, else at the place with the fewest codes."""
    tried = []
    for count in range(5) if table["boneyard"] is None else [draws]:
        for places in combinations_with_replacement(range(len(plays) + 1), count):
            acts: list[Act] = []
            for n in range(len(plays) + 1):
                acts += [("draw",)] * places.count(n) + plays[n : n + 1]
            acts += marks
            codes, may, following = judge(rules, table, acts, ended)
            if not codes and not (table["boneyard"] is None and "NO_DRAW" in may):
                return acts, codes, following
            tried.append(((len(codes), len(may)), len(tried), acts, codes, following))
    return min(tried, key=lambda each: each[:2])[2:]


def _words(player: str, acts: list[Act]) -> str:
    words = [act[0] if act[0] in ("mark", "unmark") and act[1] == player else written(act) for act in acts]
    return ", ".join(words if any(act[0] in ("play", "mark") for act in acts) else [*words, "pass"])


def written(act: Act) -> str:
    if act[0] == "play":
        return f"play {act[1][0]}-{act[1][1]}@{act[2]}"
    return " ".join(act)


def _mixed(chains: list[list[Act]]) -> Iterator[list[Act]]:
    if not any(chains):
        yield []
    for n, chain in enumerate(chains):
        if chain:
            for rest in _mixed([*chains[:n], chain[1:], *chains[n + 1 :]]):
                yield [chain[0], *rest]


def _cuts(chain: list[Act], parts: int) -> Iterator[list[list[Act]]]:
    for ends in combinations_with_replacement(range(len(chain) + 1), parts - 1):
        bounds = (0, *ends, len(chain))
        yield [chain[bounds[n] : bounds[n + 1]] for n in range(parts)]


def _includes(one: dict[str, frozenset[str]], other: dict[str, frozenset[str]]) -> bool:
    return one.keys() == other.keys() and all(one[player] >= other[player] for player in one)


def _key(tile: tuple[int, int]) -> tuple[int, int]:
    return min(tile), max(tile)
