"""Questions that the shown hands leave open about a round: told once for each kind, with links that tell its plays
apart. A link says which act it shows and no name: a possible fault accuses nobody.

A tap that does not fit those before, in the words of the game: the misfit, and what may have happened.

The person who tapped answers with one key. None of these sentences accuses anybody.

The view of such a tap on each phone: whose question it is, *Later*, *I am further on*, and the list that puts acts in
order. All of it works without scripts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flask import Blueprint, redirect, render_template, request, session
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as AnyResponse

from companion.game.game_view import SHOWN_FOR, Examined, GameView, Line, OwnTurn, Seat
from companion.log.event_fields import Question, QuestionKind
from companion.web import wording
from companion.web.access import author_now, needs_pin, own_path, signed_in, who_changes
from companion.web.api import app_state, run_command
from companion.web.changing import changes, table_as_seen
from companion.web.forms import number, read_body
from companion.web.languages import gettext as _
from companion.web.languages import in_a_sentence, listed, ngettext
from companion.web.texts import code_title
from companion.web.wording import show_tile

SHOWN_AT_ONCE = 6
"""Links before the fold; more of them at once are also a sign that the record itself is wrong."""


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """One kind of finding that the shown hands leave open."""

    code: str
    count: int
    """How many acts it concerns."""
    links: tuple[tuple[int, str], ...]
    """(number, words) of those that have a page of their own."""

    @property
    def first(self) -> tuple[tuple[int, str], ...]:
        return self.links[:SHOWN_AT_ONCE]

    @property
    def more(self) -> tuple[tuple[int, str], ...]:
        return self.links[SHOWN_AT_ONCE:]

    @property
    def many(self) -> bool:
        return self.count > SHOWN_AT_ONCE


def only_possible(one: Examined) -> bool:
    return one.offence and one.status == "possible"


def left_open(board: GameView) -> list[LeftOpen]:
    """The kinds of what is only possible, in the order of the round."""
    found: dict[str, list[int | None]] = {}
    for one in board.audit:
        if only_possible(one):
            found.setdefault(one.code, []).append(one.seq)
    when = moments(board)
    return [LeftOpen(code, len(seqs), _links(seqs, when)) for code, seqs in found.items()]


def _links(seqs: list[int | None], when: dict[int, str]) -> tuple[tuple[int, str], ...]:
    seen: Counter[str] = Counter()
    links = list[tuple[int, str]]()
    for seq in dict.fromkeys(one for one in seqs if one is not None):
        words = when.get(seq) or _("Look at it")
        seen[words] += 1
        links.append((seq, words if seen[words] == 1 else f"{words} ({seen[words]})"))
    return tuple(links)


def moments(board: GameView) -> dict[int, str]:
    """The number of each act of the round -> when it was, told by the last tile on the table."""
    words, told = _("at the beginning"), dict[int, str]()
    for play in board.lines:
        if play["event"] == "tile_played" and not play.get("taken_back"):
            words = _("after %(tile)s", tile=show_tile(play.get("tile"), board.family))
        told[play["seq"]] = words
    return told


MOST_KEYS = 4
"""Keys before *More*, besides *It was really so*."""

ACTS = frozenset({
    "tile_played", "drew", "passed", "discarded", "marker_placed", "marker_removed", "double_flipped", "announced",
    "player_left",
})  # fmt: skip


class Key(NamedTuple):
    """One answer."""

    choice: int
    """Its place among the candidates."""
    kind: str
    text: str
    more: bool = False
    """It stands behind *More*."""
    stands: str = ""
    """The fault it leaves standing against somebody."""


class Acts:
    """The acts of a round by their lines, in the order in which they were told."""

    def __init__(self, lines: Iterable[Line], family: str = "mexican") -> None:
        told = list(lines)
        self.row = [line for line in told if line.get("event") in ACTS and not line.get("withdrawn")]
        self.starts = {line["seq"]: line for line in told if line.get("event") == "round_started"}
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
        """The player of the act told right before that one."""
        n = self._by_seq.get(seq, 0)
        return str(self.row[n - 1].get("by")) if n else None

    def drew_before(self, seq: Any, name: str) -> bool:
        """Whether this player's last draw or tile before that act was a draw."""
        row = self.row[: self._by_seq.get(seq, 0)]
        own = [line["event"] for line in row if line.get("by") == name and line["event"] in ("drew", "tile_played")]
        return own[-1:] == ["drew"]

    def name(self, seq: Any, *, capital: bool = False) -> str:
        """`Ann's 5-4`, in the middle of a sentence or at its beginning."""
        name = act_name(self.line(seq), self.family)
        return _capital(name) if capital else name

    def names(self, seqs: Sequence[Any]) -> str:
        return in_a_sentence([self.name(seq) for seq in seqs])


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
    """The misfit in one sentence."""
    about = question.get("about")
    if about in acts.starts:
        return wording.wrong_engine_text(acts.starts[about], acts.family)
    return _("%(act)s: %(why)s", act=acts.name(about, capital=True), why=_why(question, acts))


def _why(question: Line, acts: Acts) -> str:
    about = question.get("about")
    line, codes, missing = acts.line(about), _codes(question), list[str]()
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
                names=in_a_sentence(missing),
            )
        return _("it is not %(name)s's turn", name=by)
    code = codes[0] if codes else ""
    whose = _at_fault(code, question) or by
    laid = _("%(name)s has laid a tile in this turn already", name=whose)
    texts = {
        "CLOSED_TRAIN": lambda: _("%(owner)s's train is closed to %(name)s", owner=line.get("train"), name=whose),
        "EXTRA_TILE": lambda: laid,
        "EXTRA_DRAW": lambda: (
            _("%(name)s has drawn in this turn already", name=whose) if acts.drew_before(about, whose) else laid
        ),
        "NO_DRAW": lambda: _("%(name)s's draw was not tapped", name=whose),
        "MARKER_MISSING": lambda: _("%(name)s's marker was not tapped", name=whose),
        "MARKER_NOT_REMOVED": lambda: _("%(name)s's marker is still on", name=whose),
        "MARKER_REMOVED_WRONGLY": lambda: _("%(name)s's marker is off already", name=whose),
        "MARKER_UNEARNED": lambda: _("no marker was due for %(name)s", name=whose),
        "DOUBLE_NOT_FOLLOWED": lambda: _("%(name)s's double has no second tile", name=whose),
        "OPEN_DOUBLE_IGNORED": lambda: _("an open double must be covered first"),
        "DRAW_FROM_EMPTY": lambda: _("by the count the boneyard is empty"),
        "DUPLICATE_TILE": lambda: _("this tile lies on the table already"),
        "MISMATCH": lambda: _does_not_meet(line, acts.family),
        "WRONG_ROOT": lambda: _does_not_meet(line, acts.family),
    }
    return texts[code]() if code in texts else _fault_words(code, question, line)


def _does_not_meet(line: Line, family: str) -> str:
    tile, end = wording.show_tile(line.get("tile"), family), line.get("end_was")
    if end is None:
        return _("it does not fit at that end")
    return _("%(tile)s does not fit at an end with %(end)s", tile=tile, end=end)


def _fault_words(code: str, question: Line, line: Line) -> str:
    whose = _at_fault(code, question)
    other = whose is not None and whose != line.get("by")
    return _("%(name)s: %(fault)s", name=whose, fault=code_title(code)) if other else code_title(code)


def _codes(question: Line) -> list[str]:
    return [str(code) for one in question.get("candidates") or () for code in one.get("codes") or ()]


def _at_fault(code: str, question: Line) -> str | None:
    """The player of whom *It was really so* says it."""
    confirmed = [event for one in question.get("candidates") or () for event in one.get("events") or ()]
    return next((event["by"] for event in confirmed if event.get("violation") == code), None)


def keys_of(question: Line, acts: Acts) -> list[Key]:
    """The possible answers, the likeliest first, as far as they fit later taps; *It was really so* is the last before
    *More*. Another order has no key of its own: it is a list."""
    alive, came = question.get("alive"), dict(question.get("came") or ())
    found, so = list[Key](), list[Key]()
    for n, one in enumerate(question.get("candidates") or ()):
        kind = str(one.get("kind"))
        if kind == "so":
            so.append(Key(n, kind, key_text(one, question, acts), stands=so_text(one, question, acts)))
        elif kind != "order" and (alive is None or n in alive):
            found.append(
                Key(n, kind, _came_text(came[n], question, acts) if n in came else key_text(one, question, acts))
            )
    # Keep the key that the heading names in sight.
    named = next((n for n, key in enumerate(found) if key.kind == "later"), 0)
    if named >= MOST_KEYS:
        found.insert(MOST_KEYS - 1, found.pop(named))
    return [*found[:MOST_KEYS], *so, *(key._replace(more=True) for key in found[MOST_KEYS:])]


def key_text(candidate: Line, question: Line, acts: Acts) -> str:
    """One answer as a sentence."""
    events: Sequence[Line] = candidate.get("events") or ()
    about = question.get("about")
    texts: Mapping[str, Callable[[], str]] = {
        "so": lambda: _("It was really so"),
        "later": lambda: _later_text(events, about, acts),
        "earlier": lambda: _earlier_text(events, about, acts),
        "missing": lambda: _("We forgot to tap %(acts)s", acts=in_a_sentence([act_name(event) for event in events])),
        "name": lambda: _name_text(events, about, acts),
        "start": lambda: _start_text(events[0], acts.family),
        "twice": lambda: _("Tapped twice: it happened once"),
        "boneyard": lambda: (
            _("The boneyard was empty") if events[0].get("boneyard") == 0 else _("The boneyard was not empty")
        ),
        "order": lambda: _("It was in another order"),
    }
    kind = str(candidate.get("kind"))
    known = kind in texts and (events or kind in ("so", "order"))
    return texts[kind]() if known else str(candidate.get("story") or "?")


def _came_text(late: int, question: Line, acts: Acts) -> str:
    """A turn that was still to come and has been tapped by now."""
    return _("%(acts)s came before %(act)s", acts=acts.name(late, capital=True), act=acts.name(question.get("about")))


def _start_text(event: Line, family: str) -> str:
    if "engine" in event:
        return _("The round began with %(engine)s", engine=wording.show_tile(event["engine"], family))
    return _("%(name)s began this round", name=event["starter"])


def _later_text(events: Sequence[Line], about: Any, acts: Acts) -> str:
    names, before = list(dict.fromkeys(str(event["by"]) for event in events)), events[0].get("before", about)
    if len(names) > 1:
        return _("The turns of %(names)s are not tapped yet", names=in_a_sentence(names))
    if before != about and names[0] == acts.whose_before(before):
        return _("More of %(name)s's turn before %(act)s is not tapped yet", name=names[0], act=acts.name(before))
    if names[0] == acts.whose(about) and acts.line(about).get("event") != "passed":
        return _("A turn of %(name)s's before it is not tapped yet", name=names[0])
    if names[0] in (acts.whose(about), acts.whose_before(about)):
        return _("More of %(name)s's turn is not tapped yet", name=names[0])
    return _("%(name)s's turn is not tapped yet", name=names[0])


def _earlier_text(events: Sequence[Line], about: Any, acts: Acts) -> str:
    seqs = [event["seq"] for event in events]
    if "after" in events[0]:
        return _("%(acts)s came only after it", acts=_capital(acts.names(sorted(seqs))))
    before = events[0].get("before", about)
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


def _name_text(events: Sequence[Line], about: Any, acts: Acts) -> str:
    seqs, name = [event["seq"] for event in events], events[0]["by"]
    told = acts.whose(about)
    if seqs == [about] and told != name:
        return _("It was %(name)s, not %(other)s", name=name, other=wording.who(told))
    return _("%(acts)s: it was %(name)s", acts=_capital(acts.names(seqs)), name=name)


def so_text(candidate: Line, question: Line, acts: Acts) -> str:
    """The findings against one player that *It was really so* would leave."""
    line, held = acts.line(question.get("about")), candidate.get("events") or ()
    by = next((one["by"] for one in held if one.get("by")), line.get("by"))
    faults = " · ".join(code_title(str(code)) for code in candidate.get("codes") or ())
    return _("%(name)s: %(fault)s", name=by, fault=faults) if by else faults


def answer_text(question: Line, what: Line, acts: Acts) -> str:
    """A person's answer in the words of its key (wording.answer_text)."""
    if "answer" not in what or what.get("insert"):
        return ""
    candidates, choice = question.get("candidates") or (), what["answer"]
    asked = Question.of(str(question.get("reason") or "")).kind is QuestionKind.DOES_NOT_FIT
    if not asked or not isinstance(choice, int) or not 0 <= choice < len(candidates):
        return wording.answer_text(question, what, acts.family)
    if "order" in what:
        return _("In this order: %(acts)s", acts=listed(acts.name(seq) for seq in what["order"]))
    return key_text(candidates[choice], question, acts)


def turn_to_come_text(own: OwnTurn, acts: Acts) -> str:
    """Over the keys of a player whose turn is still to come."""
    if own.before is None:
        return _("Your turn that is not tapped yet")
    return _("Your turn before %(act)s", act=acts.name(own.before))


def put_before_text(late: int, before: int, acts: Acts) -> str:
    """The notice that a late tap was put before another without a question."""
    act, other = acts.name(late, capital=True), acts.name(before)
    return _("%(act)s was tapped late. It now stands before %(other)s.", act=act, other=other)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


settling = Blueprint("settling", __name__)


def settling_state() -> tuple[Any, ...]:
    """This phone's choices about questions: part of the key under which a drawn page is kept."""
    return tuple(session.get("later") or ()), tuple(session.get("further") or ())


def own_turn(board: GameView, me: Seat | None) -> OwnTurn | None:
    """The turn for which the phone of `me` shows its keys: one that is still to come first, unless they are further
    on."""
    if me is None:
        return None
    waiting = next((one for one in board.to_come if one.player == me.name), None)
    return board.turn_of(me.name) if waiting is None or is_further(board, waiting) else waiting


def turn_waiting(board: GameView, me: Seat | None) -> OwnTurn | None:
    """The turn of `me` that is still to come, whether or not they are further on."""
    return next((one for one in board.to_come if me is not None and one.player == me.name), None)


def is_further(board: GameView, waiting: OwnTurn) -> bool:
    return session.get("further") == [app_state().game, board.round, waiting.number]


def is_mine(board: GameView, seq: Any) -> bool:
    """Whether this phone entered that line, or nobody's in particular did, or this is nobody's in particular."""
    play, me = board.play(int(seq or 0)), who_changes()
    author = None if play is None else play.get("author")
    players = [seat.name for seat in board.seats]
    return signed_in() and (author == author_now() or author not in players or me not in players)


def misfits_here(board: GameView) -> tuple[Line | None, tuple[Line, ...]]:
    """The question that this phone asks now, and those that it only counts: another's, later ones, and all of them
    after *Later* until somebody taps again."""
    later = session.get("later") == [app_state().game, _last_tap(board)]
    mine = [] if later else [one for one in board.misfits if is_mine(board, one.get("about"))]
    first = mine[0] if mine else None
    return first, tuple(one for one in board.misfits if one is not first)


def put_before_here(board: GameView) -> tuple[tuple[int, int], ...]:
    """Late taps that were put before others, as long as that is news: for the person who tapped one of the two."""
    laid = [play["seq"] for play in board.lines if play["event"] == "tile_played"]
    return tuple(
        (late, before)
        for late, before in board.put_before
        if sum(seq > late for seq in laid) <= SHOWN_FOR and (is_mine(board, late) or is_mine(board, before))
    )


def _last_tap(board: GameView) -> int:
    return max((play["seq"] for play in board.lines if play["event"] in ACTS), default=0)


@settling.post("/later")
@needs_pin
def later() -> AnyResponse:
    """Fold the questions of this phone until the next tap."""
    fields = read_body(request)
    session["later"] = [app_state().game, _last_tap(app_state().session.snapshot())]
    return redirect(own_path(str(fields.get("next") or "/")), 303)


@settling.post("/further")
@needs_pin
def further() -> AnyResponse:
    """Tap for a later turn from now on than the one still to come; without a number for that one again."""
    fields = read_body(request)
    if fields.get("own_turn") in (None, ""):
        session.pop("further", None)
    else:
        board = app_state().session.snapshot()
        session["further"] = [app_state().game, board.round, number(fields, "own_turn", 1, 999)]
    return redirect(own_path(str(fields.get("next") or "/")), 303)


@settling.post("/api/was-so")
@changes
def was_so() -> AnyResponse:
    """Confirm that entry `seq` happened as it was tapped, although it was put in order without a question."""
    fields = read_body(request)
    seq = number(fields, "seq", 1, 10**9)
    with table_as_seen(fields) as game:
        known = [before for _late, before in game.snapshot().put_before]
        if seq not in known:
            raise BadRequest(_("seq: nothing was put before entry number %(number)s.", number=seq))
        return run_command("was_so", seq, by=who_changes())


@settling.get("/question/<int:seq>/order")
@needs_pin
def order(seq: int) -> str:
    """The acts around a tap that does not fit, to be put in order and sent."""
    board = app_state().session.snapshot()
    question = next((one for one in board.misfits if one["seq"] == seq), None)
    if question is None or "order" not in question:
        raise NotFound(_("no. %(seq)s is no open question: somebody answered it, or it settled itself", seq=seq))
    acts = acts_of(board)
    known = [one for one in question.get("order") or () if acts.line(one)]
    row = in_order(request.args.get("order"), known)
    moved = _moved(row)
    return render_template("order.html", board=board, question=question, acts=acts, row=row, moved=moved, tv=False)


def in_order(written: str | None, known: Sequence[int]) -> list[int]:
    """The lines `written` with spaces between, where they are all of the `known` ones; else these as they are."""
    found = [int(one) for one in str(written or "").split() if one.isascii() and one.isdigit() and len(one) < 10]
    return found if sorted(found) == sorted(known) else list(known)


def _moved(row: Sequence[int]) -> list[tuple[str, str]]:
    """For each act the order with it one place up, and one place down; "" where there is no such place."""
    return [(_swapped(row, n - 1), _swapped(row, n)) for n in range(len(row))]


def _swapped(row: Sequence[int], n: int) -> str:
    if not 0 <= n < len(row) - 1:
        return ""
    return " ".join(map(str, [*row[:n], row[n + 1], row[n], *row[n + 2 :]]))
