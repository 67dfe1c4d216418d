"""A tap that does not fit what was tapped before, in the words of the game: what does not fit, and what may have been.

Whoever tapped answers with one key. Nobody is accused by any of these sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from companion.game.game_view import GameView, OwnTurn
from companion.game.standing import open_findings
from companion.log.question import Question, QuestionKind
from companion.web import wording
from companion.web.code_texts import code_title
from companion.web.languages import gettext as _
from companion.web.languages import ngettext

MOST_KEYS = 4
"""Keys before *More*, besides *It was really so*."""

ACTS = frozenset(
    {"tile_played", "drew", "passed", "discarded", "marker_placed", "marker_removed", "double_flipped", "announced"}
)

Line = Mapping[str, Any]


class Key(NamedTuple):
    """One answer: `choice` is its place among the candidates; `more`: it stands behind *More*; `stands`: what then
    stands against somebody."""

    choice: int
    kind: str
    text: str
    more: bool = False
    stands: str = ""


class Acts:
    """The acts of a round by their lines, in the order in which they were told."""

    def __init__(self, lines: Iterable[Line], family: str = "mexican") -> None:
        self.row = [line for line in lines if line.get("event") in ACTS and not line.get("withdrawn")]
        self.family = family
        self._by_seq = {int(line["seq"]): n for n, line in enumerate(self.row)}

    def line(self, seq: Any) -> Line:
        """{} for none."""
        n = self._by_seq.get(seq)
        return {} if n is None else self.row[n]

    def whose(self, seq: Any) -> str | None:
        by = self.line(seq).get("by")
        return None if by is None else str(by)

    def whose_before(self, seq: Any) -> str | None:
        """Whose act was told right before that one."""
        n = self._by_seq.get(seq, 0)
        return str(self.row[n - 1].get("by")) if n else None

    def name(self, seq: Any, *, capital: bool = False) -> str:
        """`Ann's 5-4`, in the middle of a sentence or at its beginning."""
        name = act_name(self.line(seq), self.family)
        return _capital(name) if capital else name

    def names(self, seqs: Sequence[Any]) -> str:
        return _in_a_row([self.name(seq) for seq in seqs])


def acts_of(board: GameView) -> Acts:
    return Acts(board.lines, board.family)


def act_name(line: Line, family: str = "mexican") -> str:
    """One act as a part of a sentence."""
    by = wording.who(line.get("by"), line.get("maybe") or ())
    match line.get("event"):
        case "tile_played":
            return _("%(name)s's %(tile)s", name=by, tile=wording.show_tile(line.get("tile"), family))
        case "drew":
            return _("%(name)s's draw", name=by)
        case "passed":
            return _("the end of %(name)s's turn", name=by) if line.get("done") else _("%(name)s's pass", name=by)
        case "discarded":
            return _("the tile that %(name)s put away", name=by)
        case "marker_placed":
            return _("the marker put on %(owner)s's train", owner=line.get("train") or "?")
        case "marker_removed":
            return _("the marker taken off %(owner)s's train", owner=line.get("train") or "?")
    return wording.event_text(line, family) if line else _("an earlier entry")


def question_text(question: Line, acts: Acts) -> str:
    """What does not fit, in one sentence."""
    about = question.get("about")
    return _("%(act)s: %(why)s", act=acts.name(about, capital=True), why=_why(question, acts))


def _why(question: Line, acts: Acts) -> str:
    line, codes, missing = acts.line(question.get("about")), _codes(question), list[str]()
    by = wording.who(line.get("by"), line.get("maybe") or ())
    for one in question.get("candidates") or ():
        if one.get("kind") == "later" and not missing:
            missing = [str(event["by"]) for event in one.get("events") or () if event.get("by") != line.get("by")]
    if "OUT_OF_TURN" in codes:
        if missing:
            return ngettext(
                "%(names)s's turn before it is not tapped yet",
                "the turns of %(names)s before it are not tapped yet",
                len(missing),
                names=_in_a_row(missing),
            )
        return _("it is not %(name)s's turn", name=by)
    code = codes[0] if codes else ""
    whose = _at_fault(code, acts) or by
    texts = {
        "CLOSED_TRAIN": lambda: _("%(owner)s's train is closed to %(name)s", owner=line.get("train"), name=whose),
        "EXTRA_TILE": lambda: _("%(name)s has laid a tile in this turn already", name=whose),
        "EXTRA_DRAW": lambda: _("%(name)s has drawn in this turn already", name=whose),
        "NO_DRAW": lambda: _("%(name)s's draw was not tapped", name=whose),
        "MARKER_MISSING": lambda: _("%(name)s's marker was not tapped", name=whose),
        "MARKER_NOT_REMOVED": lambda: _("%(name)s's marker is still on", name=whose),
        "MARKER_UNEARNED": lambda: _("no marker was due for %(name)s", name=whose),
        "DOUBLE_NOT_FOLLOWED": lambda: _("%(name)s's double has no second tile", name=whose),
        "OPEN_DOUBLE_IGNORED": lambda: _("an open double must be covered first"),
        "DRAW_FROM_EMPTY": lambda: _("by the count the boneyard is empty"),
        "DUPLICATE_TILE": lambda: _("this tile lies on the table already"),
        "MISMATCH": lambda: _does_not_meet(line, acts.family),
        "WRONG_ROOT": lambda: _does_not_meet(line, acts.family),
    }
    return texts[code]() if code in texts else _fault_words(code, acts, line)


def _does_not_meet(line: Line, family: str) -> str:
    tile, end = wording.show_tile(line.get("tile"), family), line.get("end_was")
    if end is None:
        return _("it does not fit at that end")
    return _("%(tile)s does not fit at an end with %(end)s", tile=tile, end=end)


def _fault_words(code: str, acts: Acts, line: Line) -> str:
    whose = _at_fault(code, acts) or line.get("by")
    return _("%(name)s: %(fault)s", name=whose, fault=code_title(code)) if whose else code_title(code)


def _codes(question: Line) -> list[str]:
    return [str(code) for one in question.get("candidates") or () for code in one.get("codes") or ()]


def _at_fault(code: str, acts: Acts) -> str | None:
    """Of whom it is asked whether the rule was broken, where that is open."""
    for line in reversed(acts.row):
        for finding in open_findings(line):
            if finding["code"] == code and (finding.get("by") or line.get("by")):
                return str(finding.get("by") or line.get("by"))
    return None


def keys_of(question: Line, acts: Acts) -> list[Key]:
    """What may have been, the likeliest first, as far as it fits what was tapped since; *It was really so* is the last
    before *More*. Another order has no key of its own: it is a list."""
    alive = question.get("alive")
    found, so = list[Key](), list[Key]()
    for n, one in enumerate(question.get("candidates") or ()):
        kind = str(one.get("kind"))
        if kind == "so":
            so.append(Key(n, kind, key_text(one, question, acts), stands=so_text(one, question, acts)))
        elif kind != "order" and (alive is None or n in alive):
            found.append(Key(n, kind, key_text(one, question, acts), len(found) >= MOST_KEYS))
    return [*found[:MOST_KEYS], *so, *found[MOST_KEYS:]]


def key_text(candidate: Line, question: Line, acts: Acts) -> str:
    """One answer as a sentence."""
    events: Sequence[Line] = candidate.get("events") or ()
    about = question.get("about")
    texts: Mapping[str, Callable[[], str]] = {
        "so": lambda: _("It was really so"),
        "later": lambda: _later_text(events, about, acts),
        "earlier": lambda: _earlier_text(events, about, acts),
        "missing": lambda: _("Forgotten to tap: %(acts)s", acts=_forgotten(events)),
        "name": lambda: _name_text(events, about, acts),
        "start": lambda: _("%(name)s began this round", name=events[0]["starter"]),
        "twice": lambda: _("Tapped twice: it happened once"),
        "boneyard": lambda: (
            _("The boneyard was empty") if events[0].get("boneyard") == 0 else _("The boneyard was not empty")
        ),
        "order": lambda: _("It was in another order"),
    }
    kind = str(candidate.get("kind"))
    known = kind in texts and (events or kind in ("so", "order"))
    return texts[kind]() if known else str(candidate.get("story") or "?")


def _later_text(events: Sequence[Line], about: Any, acts: Acts) -> str:
    names = list(dict.fromkeys(str(event["by"]) for event in events))
    if len(names) > 1:
        return _("The turns of %(names)s are not tapped yet", names=_in_a_row(names))
    if names[0] == acts.whose(about) and acts.line(about).get("event") != "passed":
        return _("A turn of %(name)s's before it is not tapped yet", name=names[0])
    if names[0] in (acts.whose(about), acts.whose_before(about)):
        return _("More of %(name)s's turn is not tapped yet", name=names[0])
    return _("%(name)s's turn is not tapped yet", name=names[0])


def _earlier_text(events: Sequence[Line], about: Any, acts: Acts) -> str:
    seqs = [event["seq"] for event in events]
    if "after" in events[0]:
        return _("%(acts)s came only after it", acts=_capital(acts.names(sorted(seqs))))
    before = events[0]["before"]
    own = acts.whose_before(before)
    if own is not None and own == acts.whose(seqs[0]):
        if seqs == [about]:
            return _("It belongs to %(name)s's turn before", name=own)
        return _("%(acts)s: that belongs to %(name)s's turn before", acts=_capital(acts.names(seqs)), name=own)
    if seqs == [about] and acts.line(about).get("event") == "tile_played":
        return _("It was laid before %(act)s", act=acts.name(before))
    if seqs == [about]:
        return _("It was before %(act)s", act=acts.name(before))
    return _("%(acts)s came before %(act)s", acts=_capital(acts.names(seqs)), act=acts.name(before))


def _forgotten(events: Sequence[Line]) -> str:
    """`Ben – draw, marker on; Cy – pass`."""
    words = {
        "drew": _("draw"),
        "marker_placed": _("marker"),
        "marker_removed": _("marker off"),
        "discarded": _("a tile put away"),
        "passed": _("pass"),
    }
    acts: dict[str, list[str]] = {}
    for event in events:
        acts.setdefault(str(event.get("by")), []).append(words.get(str(event.get("event")), "?"))
    return "; ".join(f"{name} – {', '.join(told)}" for name, told in acts.items())


def _name_text(events: Sequence[Line], about: Any, acts: Acts) -> str:
    seqs, name = [event["seq"] for event in events], events[0]["by"]
    if seqs == [about]:
        return _("It was %(name)s, not %(other)s", name=name, other=wording.who(acts.whose(about)))
    return _("%(acts)s: it was %(name)s", acts=_capital(acts.names(seqs)), name=name)


def so_text(candidate: Line, question: Line, acts: Acts) -> str:
    """What then stands against one player, under *It was really so*."""
    line, held = acts.line(question.get("about")), candidate.get("events") or ()
    by = next((one["by"] for one in held if one.get("by")), line.get("by"))
    faults = " · ".join(code_title(str(code)) for code in candidate.get("codes") or ())
    return _("%(name)s: %(fault)s", name=by, fault=faults) if by else faults


def answer_text(question: Line, what: Line, acts: Acts) -> str:
    """What a person answered, as its key says it (wording.answer_text)."""
    if "answer" not in what or what.get("insert"):
        return ""
    candidates, choice = question.get("candidates") or (), what["answer"]
    asked = Question.of(str(question.get("reason") or "")).kind is QuestionKind.DOES_NOT_FIT
    if not asked or not isinstance(choice, int) or not 0 <= choice < len(candidates):
        return wording.answer_text(question, what, acts.family)
    if "order" in what:
        return _("In this order: %(acts)s", acts=", ".join(acts.name(seq) for seq in what["order"]))
    return key_text(candidates[choice], question, acts)


def turn_to_come_text(own: OwnTurn, acts: Acts) -> str:
    """Over the keys of whoever has a turn still to come."""
    if own.before is None:
        return _("Your turn that is not tapped yet")
    return _("Your turn before %(act)s", act=acts.name(own.before))


def put_before_text(late: int, before: int, acts: Acts) -> str:
    """That a late tap was put before another without a question."""
    return _("%(act)s was recorded before %(other)s.", act=acts.name(late, capital=True), other=acts.name(before))


def _in_a_row(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return _("%(first)s and %(last)s", first=", ".join(parts[:-1]), last=parts[-1])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
