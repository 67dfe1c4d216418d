"""The score of a match and of a round: as a chart, a picture, a text and a table.

The totals of a match as an SVG chart; its text equivalent is the score table beside it.

The standing of a match as a picture to send to friends: drawn on the box, with the box's own fonts.

A round that is over, as everybody wants to see it first: who went out, what each had left, who leads by how much.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from flask import render_template
from markupsafe import Markup
from PIL import Image, ImageDraw

from companion.app.fonts import in_fonts, is_written
from companion.game.game import Game
from companion.game.game_view import GameView, Seat, TileShown
from companion.game.match import RoundSheet
from companion.rules.chinese import KKORI, WINNER_CHIP, Payment, payments, pays_double_from
from companion.rules.ruleset import SHIPPED, RuleSet, load_ruleset
from companion.web.languages import current_language, listed, ngettext, show_day, signed, speaking, with_colon
from companion.web.languages import gettext as _
from companion.web.wording import ended_text, gone_texts, rules_name, show_tile, winners_text


@dataclass(frozen=True, slots=True)
class ChartSize:
    """A chart's measures in its own units."""

    width: float
    height: float
    left: float
    right: float
    """The least room for the labels."""
    bottom: float
    apart: float
    """Between two labels."""
    names: bool
    """Full names or initials."""
    css: str
    lines: int = 10
    """The most lines across."""


WIDE = ChartSize(900.0, 420.0, 64.0, 190.0, 46.0, 26.0, True, "wide")
NARROW = ChartSize(300.0, 260.0, 34.0, 76.0, 30.0, 17.0, False, "narrow")
"""For a phone: type of the same size on a third of the width, players by their initials."""
PAPER = ChartSize(900.0, 190.0, 64.0, 190.0, 30.0, 19.0, True, "paper", lines=5)
"""For a landscape page: low enough to stand under the table of a whole match."""
GLYPH = 11.5
"""The width of a letter of a name, bold, on the wide side."""

CHART_TOP = 24.0


def nice_step(span: float, most: int = 10) -> int:
    """The smallest step of 1, 2 or 5 times a power of ten that puts at most so many lines into `span`."""
    step = 1
    while span / step > most:
        step = {1: 2, 2: 5, 5: 10}[int(str(step)[0])] * 10 ** (len(str(step)) - 1)
    return step


def totals_chart(
    seats: Sequence[Seat],
    rounds: Sequence[RoundSheet],
    title: str,
    size: ChartSize = WIDE,
    brought: Mapping[str, int] = MappingProxyType({}),
) -> Markup:
    """One line for each player: colour, shape and name at its end, so that colour alone carries nothing.

    `brought` are the points with which the lines begin, else 0.
    `rounds` are in order; each has `totals` {player: points}, or only `scores`, which are then added up.
    """
    lines = {seat.name: _running(seat.name, rounds, brought) for seat in seats}
    values = [value for line in lines.values() for value in line]
    low = min(0, *values)
    high = max(10 if low == 0 else 2, *values)
    step = nice_step(high - low, size.lines)
    low, high = low // step * step, -(-high // step) * step
    count = max(1, len(rounds))
    widest = max(len(f"{seat.name} {lines[seat.name][-1]}") for seat in seats)
    edge = size.width - max(size.right, 12 + GLYPH * widest if size.names else 0.0)

    def x(i: float) -> float:
        return size.left + (edge - size.left) * i / count

    def y(value: float) -> float:
        return size.height - size.bottom - (size.height - CHART_TOP - size.bottom) * (value - low) / (high - low)

    labels = _spread([(y(lines[seat.name][-1]), seat) for seat in seats], size)
    numbers = [played.round for played in rounds] or [1]
    drawn = render_template(
        "chart.svg", size=size, title=title, grid=range(low, high + 1, step), count=count, edge=edge, seats=seats,
        numbers=numbers, lines=lines, labels=labels, x=x, y=y, signed=signed,
    )  # fmt: skip
    return Markup(drawn)


def _running(name: str, rounds: Sequence[RoundSheet], brought: Mapping[str, int]) -> list[int]:
    totals = [brought.get(name, 0)]
    for played in rounds:
        totals.append(played.totals.get(name, totals[-1] + played.scores.get(name, 0)))
    return totals


def _spread(wanted: list[tuple[float, Seat]], size: ChartSize) -> dict[str, float]:
    """Label heights as near as possible to the line ends, but never on one another."""
    placed: dict[str, float] = {}
    last = CHART_TOP - size.apart
    for height, seat in sorted(wanted, key=lambda pair: (pair[0], pair[1].index)):
        last = max(height, last + size.apart)
        placed[seat.name] = last
    over = last - (size.height - 8)
    return {name: height - max(0.0, over) for name, height in placed.items()}


WIDTH = 1080
MARGIN = 72
SHEET_TOP = 330
ROW = 118
GROUND, SHEET, INK, SOFT, LINE, ACCENT = "#f2ebdd", "#fcf8ef", "#1b1916", "#5f574b", "#d6cab4", "#0f4f3d"
PLAYERS = (
    "#b3261e", "#1b57a6", "#25713a", "#75369b", "#9a5200", "#0a6b78",
    "#ad2169", "#62620c", "#46566a", "#744425", "#3d43ab", "#861a3a",
)  # fmt: skip
"""The page's colours by day, in order of seats."""


def lines_of(board: GameView, day: str) -> tuple[str, str, str]:
    """Title, what is told large, and how the last round ended."""
    title = rules_name(board.rules)
    last = board.rounds_played[-1] if board.rounds_played else None
    if board.winners:
        told = winners_text(board.winners)
    elif last is not None:
        told = _("After round %(number)s", number=last.round)
    else:
        told = _("Scores")
    ended = "" if last is None else ended_text(last, board.family)
    return (f"{title} · {day}" if day else title), told, ended[:1].upper() + ended[1:]


def score_picture(board: GameView, begun: datetime | None) -> bytes:
    """A PNG, 1080 pixels wide; `begun` is the day above it. Where this machine has no font for the viewer's language it
    speaks English, and a letter of a name that it has no font for is left out."""
    with speaking(current_language() if is_written(_("Scores")) else "en"):
        return _drawn(board, "" if begun is None else show_day(begun))


def _drawn(board: GameView, day: str) -> bytes:
    rows = sorted(board.scores, key=lambda row: row.rank)
    picture = Image.new("RGB", (WIDTH, SHEET_TOP + ROW * len(rows) + MARGIN), GROUND)
    draw = ImageDraw.Draw(picture)
    title, told, ended = lines_of(board, day)
    _write(draw, (MARGIN, 84), title, 36, SOFT, "ls", WIDTH - 2 * MARGIN)
    _write(draw, (MARGIN, 184), told, 84, INK, "ls", WIDTH - 2 * MARGIN)
    _write(draw, (MARGIN, 252), ended, 40, SOFT, "ls", WIDTH - 2 * MARGIN)
    draw.line((MARGIN, SHEET_TOP - 24, WIDTH - MARGIN, SHEET_TOP - 24), INK, 4)
    for place, row in enumerate(rows):
        middle = SHEET_TOP + ROW * place + ROW // 2
        if row.rank == 1:
            draw.rounded_rectangle((MARGIN - 28, middle - 54, WIDTH - MARGIN + 28, middle + 54), 24, SHEET, LINE, 2)
        draw.ellipse((MARGIN, middle - 36, MARGIN + 72, middle + 36), PLAYERS[(row.seat.colour - 1) % len(PLAYERS)])
        _write(draw, (MARGIN + 36, middle), row.seat.initial, 36, "#fffdf8", "mm", 60)
        _write(draw, (MARGIN + 104, middle), row.seat.name, 52, INK, "lm", 480)
        if row.last is not None:
            _write(draw, (WIDTH - MARGIN - 250, middle), signed(row.last), 44, SOFT, "rm", 160)
        colour = ACCENT if row.rank == 1 else INK
        _write(draw, (WIDTH - MARGIN, middle), signed(row.total, plus=False), 72, colour, "rm", 230)
        if place and row.rank != 1 and rows[place - 1].rank != 1:
            draw.line((MARGIN, middle - ROW // 2, WIDTH - MARGIN, middle - ROW // 2), LINE, 2)
    made = io.BytesIO()
    picture.save(made, "PNG", optimize=True)
    return made.getvalue()


def _write(
    draw: ImageDraw.ImageDraw, at: tuple[int, int], text: str, size: int, colour: str, anchor: str, most: int
) -> None:
    """One line of text, smaller where it would be wider than `most` pixels."""
    width = sum(draw.textlength(part, font) for part, font in in_fonts(text, size))
    if width > most:
        size, width = max(12, int(size * most / width)), most
    x = at[0] - {"l": 0.0, "m": width / 2, "r": width}[anchor[0]]
    for part, font in in_fonts(text, size):
        draw.text((x, at[1]), part, colour, font, "l" + anchor[1])
        x += draw.textlength(part, font)


MOST_SHARING = 3
"""At most this many players are named for one best round; if more share it, it distinguishes nobody."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A player after a round."""

    seat: Seat
    left: tuple[TileShown, ...] | None
    """The tiles of the hand that was shown; None where nobody showed it."""
    points: int | None
    """Points of the round."""
    total: int
    """Points of the match so far."""
    rank: int
    """The place in the match so far; 1 leads."""
    sum: str = ""
    """How payments to and from the others make the points; "" where nobody pays."""

    @property
    def pips(self) -> int:
        return sum(tile.inner + tile.outer for tile in self.left or ())


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """The last round that has points."""

    number: int
    how: str
    out: Seat | None
    rows: tuple[SummaryRow, ...]
    """By rank."""
    best: tuple[int, tuple[str, ...], int] | None
    """The best round of the match (points, names, round); None where too many share it."""
    why: tuple[str, ...] = ()
    """Why a payment counts twice, or who pays."""


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
    return RoundSummary(
        number=last.round,
        how=ended_text(last, board.family),
        out=board.seat(last.out),
        rows=rows,
        best=_best(board),
        why=_why(board, rules, last, shown, paid) if rules is not None and paid else (),
    )


def _paid(
    board: GameView, rules: RuleSet, last: RoundSheet, shown: Mapping[str, Sequence[Sequence[int]]]
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


def _leader(board: GameView, last: RoundSheet) -> int:
    """The seat of the player who began the round."""
    return next((n for n, seat in enumerate(board.seats) if seat.name == last.starter), 0)


def _sum_text(seat: Seat, seats: Sequence[Seat], paid: Sequence[Payment]) -> str:
    """`Ben +8, Cy −5 × 2 = −2`: what each of the others pays this player and gets, in the order of seats. A payment
    that is the only one is told in words."""
    own = [one for other in seats for one in paid if {one.payer, one.receiver} == {seat.name, other.name}]
    if len(own) == 1:
        [one] = own
        points = f"{one.amount} × {one.factor} = {one.total}" if one.factor > 1 else str(one.amount)
        return _("%(payer)s pays %(points)s to %(receiver)s", payer=one.payer, receiver=one.receiver, points=points)
    parts, total = list[str](), 0
    for one in own:
        other, sign = (one.payer, 1) if one.receiver == seat.name else (one.receiver, -1)
        parts.append(f"{other} {signed(sign * one.amount)}" + (f" × {one.factor}" if one.factor > 1 else ""))
        total += sign * one.total
    # A line ends between two payments only.
    return listed(part.replace(" ", "\xa0") for part in parts) + f" =\xa0{signed(total)}" if parts else ""


def _why(
    board: GameView,
    rules: RuleSet,
    last: RoundSheet,
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
    rounds = [
        (one.round, name, points)
        for one in board.rounds_played
        for name, points in one.scores.items()
        if name not in one.gone
    ]
    if not board.most_points_win:
        # The player who goes out has none: that is told of every round anyway.
        rounds = [one for one in rounds if one[2] > 0]
    if len(board.rounds_played) < 2 or not rounds:
        return None
    best = (max if board.most_points_win else min)(points for _round, _name, points in rounds)
    those = [(number, name) for number, name, points in rounds if points == best]
    names = tuple(dict.fromkeys(name for _number, name in those))
    return (best, names, those[0][0]) if len(those) <= MOST_SHARING and len(names) == 1 else None


def left_texts(board: GameView) -> list[str]:
    """A sentence for everybody who left in the middle of a round that counts."""
    return [
        with_colon(_("Round %(number)s", number=one.round), _("%(by)s has left the round.", by=name))
        for one in board.rounds_played
        for name in one.gone
    ]


def summary_text(session: Game, day: str) -> str:
    """The standing as a message to friends: title, how the last round ended, a line for each player, who left."""
    board = session.snapshot()
    lines = [listed(filter(None, (rules_name(board.rules), day)))]
    if board.rounds_played:
        last = board.rounds_played[-1]
        lines.append(with_colon(_("Round %(number)s", number=last.round), ended_text(last, board.family)))
    if board.winners:
        lines.append(winners_text(board.winners))
    for row in sorted(board.scores, key=lambda row: row.rank):
        place = f"{row.rank}. " if row.rank else ""
        points = signed(row.total, plus=False) + ("" if row.last is None else f" ({signed(row.last)})")
        lines.append(place + with_colon(row.seat.name, points))
    return "\n".join([*lines, *left_texts(board), *gone_texts(board)])


def as_csv(board: GameView) -> bytes:
    """The score sheet for a spreadsheet, in UTF-8 with the mark by which those know it: a line for each round, then the
    totals."""
    text = io.StringIO()
    sheet = csv.writer(text)
    names = [*(seat.name for seat in board.seats), *board.left]
    sheet.writerow([_("Round"), _("Engine"), _("How it ended"), *map(plain_cell, names)])
    if board.brought or board.left:
        before = {**board.brought, **board.left}
        sheet.writerow([_("Brought over"), "", "", *(before.get(name, 0) for name in names)])
    for one in board.rounds_played:
        engine = show_tile(one.engine, board.family) if one.engine else ""
        points = [one.scores.get(name, "") for name in names]
        sheet.writerow([one.round, plain_cell(engine), plain_cell(ended_text(one, board.family)), *points])
    totals = {row.seat.name: row.total for row in board.scores} | dict(board.left)
    sheet.writerow([_("Total"), "", "", *(totals[name] for name in names)])
    return text.getvalue().encode("utf-8-sig")


def plain_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell
