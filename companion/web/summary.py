"""A round that is over, as everybody wants to see it first: who went out, what each had left, who leads by how much."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.game.game_view import GameView, RoundScores, TileShown
from companion.game.seat import Seat
from companion.rules.chinese.settlement import KKORI, WINNER_CHIP, Payment, payments, pays_double_from
from companion.rules.ruleset import SHIPPED, RuleSet, load_ruleset
from companion.web.languages import gettext as _
from companion.web.languages import ngettext
from companion.web.wording import ended_text, gone_texts, rules_name, show_tile

MOST_SHARING = 3
"""So many players are named for one best round; of more it says nothing about anybody."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A player after a round: `left` the tiles of the hand that was shown, None where nobody showed it; `points` of the
    round, `total` and `rank` (1 leads) of the match so far; `sum` how payments to and from the others make the points,
    "" where nobody pays."""

    seat: Seat
    left: tuple[TileShown, ...] | None
    points: int | None
    total: int
    rank: int
    sum: str = ""

    @property
    def pips(self) -> int:
        return sum(tile.inner + tile.outer for tile in self.left or ())


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """The last round that has points. `rows` by rank; `ahead` is what parts the leaders from the next one, None where
    nobody comes after them; `best` (points, names, round) is the best round of the match, None where too many share
    it; `why` says why a payment counts twice, or who pays."""

    number: int
    how: str
    out: Seat | None
    rows: tuple[SummaryRow, ...]
    leaders: tuple[str, ...]
    ahead: int | None
    best: tuple[int, tuple[str, ...], int] | None
    why: tuple[str, ...] = ()


def summary_of(board: GameView) -> RoundSummary | None:
    """None while a round is being played, and before the first has points."""
    if board.phase not in ("waiting", "match_over") or not board.rounds_played:
        return None
    last = board.rounds_played[-1]
    # The hands are those of the round that was played last: without points it is not the one that is told of.
    shown = dict(board.shown) if board.round == last.round else {}
    if board.round == last.round and last.out:
        shown.setdefault(last.out, ())
    rules = load_ruleset(board.rules, dict(board.options)) if board.rules in SHIPPED else None
    paid = () if rules is None else _paid(board, rules, last, shown)
    rows = tuple(
        SummaryRow(
            row.seat,
            None if row.seat.name not in shown else tuple(TileShown((low, high)) for low, high in shown[row.seat.name]),
            last.scores.get(row.seat.name),
            row.total,
            row.rank,
            _sum_text(row.seat, board.seats, paid),
        )
        for row in sorted(board.scores, key=lambda row: row.rank)
    )
    leaders = tuple(row.seat.name for row in rows if row.rank == 1)
    others = [abs(row.total - rows[0].total) for row in rows if row.rank > 1]
    return RoundSummary(
        number=last.round,
        how=ended_text(last, board.family),
        out=board.seat(last.out),
        rows=rows,
        leaders=leaders,
        ahead=min(others, default=None),
        best=_best(board),
        why=_why(board, rules, last, shown, paid) if rules is not None and paid else (),
    )


def _paid(
    board: GameView, rules: RuleSet, last: RoundScores, shown: Mapping[str, Sequence[Sequence[int]]]
) -> tuple[Payment, ...]:
    """The payments of the deal; none where they do not follow from the hands that were shown."""
    players = [seat.name for seat in board.seats]
    if not board.pays or set(shown) != set(players):
        return ()
    pips = {name: sum(map(sum, tiles)) for name, tiles in shown.items()}
    counts = {name: len(tiles) for name, tiles in shown.items()}
    first = _leader(board, last)
    paid = payments(rules, players[first:] + players[:first], pips, discards=counts)
    net = dict.fromkeys(players, 0)
    for one in paid:
        net[one.payer] -= one.total
        net[one.receiver] += one.total
    return paid if net == last.scores else ()


def _leader(board: GameView, last: RoundScores) -> int:
    """The place of whoever began the round among the seats."""
    return next((n for n, seat in enumerate(board.seats) if seat.name == last.starter), 0)


def _sum_text(seat: Seat, seats: Sequence[Seat], paid: Sequence[Payment]) -> str:
    """`Ben +8, Cy -5 × 2 = -2`: what each of the others pays this player and gets, in the order of seats."""
    parts, total = list[str](), 0
    for other in seats:
        for one in paid:
            if {one.payer, one.receiver} == {seat.name, other.name}:
                sign = 1 if one.receiver == seat.name else -1
                parts.append(f"{other.name} {sign * one.amount:+d}" + (f" × {one.factor}" if one.factor > 1 else ""))
                total += sign * one.total
    # A line ends between two payments only.
    return ", ".join(part.replace(" ", "\xa0") for part in parts) + f" =\xa0{total:+d}" if parts else ""


def _why(
    board: GameView,
    rules: RuleSet,
    last: RoundScores,
    shown: Mapping[str, Sequence[Sequence[int]]],
    paid: Sequence[Payment],
) -> tuple[str, ...]:
    if rules.settlement == KKORI:
        return (_("The most pips pay the winner one chip; anybody else pays only with more than 30 pips."),)
    if rules.settlement == WINNER_CHIP:
        return (_("Everybody pays the winner one chip."),)
    told = list[str]()
    doubled = [one for one in paid if one.factor > 1]
    for n, seat in enumerate(board.seats):
        count = len(shown[seat.name])
        if count == 0 and any(one.receiver == seat.name for one in doubled):
            told.append(_("× 2: %(name)s put nothing away and gets twice as much.", name=seat.name))
        leads = n == _leader(board, last)
        if count >= pays_double_from(rules, leads) and any(one.payer == seat.name for one in doubled):
            words = ngettext(
                "× 2: %(name)s put one tile away and pays twice as much.",
                "× 2: %(name)s put %(num)s tiles away and pays twice as much.",
                count,
                name=seat.name,
            )
            told.append(words)
    return tuple(told)


def _best(board: GameView) -> tuple[int, tuple[str, ...], int] | None:
    """The best round of anybody: the fewest points that anybody wrote down for tiles left, or the most points."""
    rounds = [(one.round, name, points) for one in board.rounds_played for name, points in one.scores.items()]
    if not board.most_points_win:
        # Whoever goes out has none: that is told of every round anyway.
        rounds = [one for one in rounds if one[2] > 0]
    if len(board.rounds_played) < 2 or not rounds:
        return None
    best = (max if board.most_points_win else min)(points for _round, _name, points in rounds)
    those = [(number, name) for number, name, points in rounds if points == best]
    names = tuple(dict.fromkeys(name for _number, name in those))
    return (best, names, those[0][0]) if len(those) <= MOST_SHARING and len(names) == 1 else None


def ahead_text(summary: RoundSummary) -> str:
    """Who leads, and by how much."""
    if not summary.ahead:
        return _("It is a tie.")
    names = ", ".join(summary.leaders)
    if len(summary.leaders) > 1:
        return _("%(names)s share the lead, %(points)s ahead.", names=names, points=summary.ahead)
    return _("%(name)s leads by %(points)s.", name=names, points=summary.ahead)


def as_text(board: GameView, day: str) -> str:
    """The standing as a message to friends: title, how the last round ended, a line for each player."""
    lines = [f"{rules_name(board.rules)}{f', {day}' if day else ''}"]
    if board.rounds_played:
        last = board.rounds_played[-1]
        lines.append(f"{_('Round %(number)s', number=last.round)}: {ended_text(last, board.family)}")
    if board.winners:
        lines.append(_("Winner: %(names)s", names=", ".join(board.winners)))
    for row in sorted(board.scores, key=lambda row: row.rank):
        place = f"{row.rank}. " if row.rank else ""
        lines.append(f"{place}{row.seat.name}: {row.total}{'' if row.last is None else f' ({row.last:+d})'}")
    return "\n".join([*lines, *gone_texts(board)])


def as_csv(board: GameView) -> bytes:
    """The score sheet for a spreadsheet, in UTF-8 with the mark by which those know it: a line for each round, then the
    totals."""
    text = io.StringIO()
    sheet = csv.writer(text)
    names = [*(seat.name for seat in board.seats), *board.left]
    sheet.writerow([_("Round"), _("Engine"), _("How it ended"), *map(_plain, names)])
    if board.brought or board.left:
        before = {**board.brought, **board.left}
        sheet.writerow([_("Brought over"), "", "", *(before.get(name, 0) for name in names)])
    for one in board.rounds_played:
        engine = show_tile(one.engine, board.family) if one.engine else ""
        points = [one.scores.get(name, "") for name in names]
        sheet.writerow([one.round, _plain(engine), _plain(ended_text(one, board.family)), *points])
    totals = {row.seat.name: row.total for row in board.scores} | dict(board.left)
    sheet.writerow([_("Total"), "", "", *(totals[name] for name in names)])
    return text.getvalue().encode("utf-8-sig")


def _plain(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell
