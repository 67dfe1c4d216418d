"""Which end of a Chinese line a tile was laid at, where the picture does not tell."""

from companion.game.reports import at_the_open_end
from companion.log.events import TableChange
from companion.rules.position import Play
from companion.rules.ruleset import load_ruleset
from companion.rules.tile import Laid

SIX = Laid(6, 6)


def test_an_equal_tile_beside_a_line_of_its_like_lies_at_the_open_end():
    rules = load_ruleset("jielong")
    seen = Play(SIX, "L")
    report = TableChange((seen,), arms={seen: {"Ann": 9}}, whose={seen: "Ben"})
    placed = at_the_open_end(report, rules, (SIX,))
    here = Play(SIX, "R")
    assert (placed.delta, placed.arms, placed.whose) == ((here,), {here: {"Ann": 9}}, {here: "Ben"})


def test_where_the_line_reads_otherwise_the_closed_end_is_what_was_seen():
    rules = load_ruleset("jielong")
    for line, tile in (((SIX, Laid(6, 5)), SIX), ((Laid(6, 5),), Laid(4, 6)), ((), SIX)):
        report = TableChange((Play(tile, "L"),))
        assert at_the_open_end(report, rules, line) is report
