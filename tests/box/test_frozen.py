"""`bench.frozen` keeps the same twice, and reports a difference as text."""

from __future__ import annotations

import copy

import pytest

from bench.frozen import Asked, Hashes, compare, content, hashes

pytestmark = pytest.mark.tools

ASKED = Asked(rounds=1, scenes=4, every=40, recorded=None)
CORPUS = "told/tactic-7700"


class OtherCommit:
    """A commit at which the journal of one round was another one."""

    def __init__(self, kept: Hashes, answer: bytes) -> None:
        self.kept, self.answer = kept, answer

    def hashes(self) -> Hashes:
        return self.kept

    def asked(self, *_: str) -> bytes:
        return self.answer


def test_the_same_product_answers_the_same_twice() -> None:
    once = hashes(ASKED, CORPUS)
    assert {"state after change 1", "journal"} < {what for what, _ in once[CORPUS]}
    assert [what for what, _ in once[CORPUS] if what.endswith("/ in bn")]
    assert list(compare(ASKED, hashes(ASKED, CORPUS), OtherCommit(once, b""))) == []


def test_the_first_difference_is_told_as_text() -> None:
    now = hashes(ASKED, CORPUS)
    before = copy.deepcopy(now)
    before[CORPUS][0][1] = before[CORPUS][-1][1] = "another"
    was = content(ASKED, CORPUS, "state after change 1").replace(b'"phase":"playing"', b'"phase":"waiting"')
    told = list(compare(ASKED, now, OtherCommit(before, was)))
    assert told[0] == f"{CORPUS}: 2 of {len(now[CORPUS])} answers differ, first: state after change 1"
    assert [line.strip() for line in told if line.lstrip().startswith(("-", "+"))][2:] == [
        '- "phase": "waiting",',
        '+ "phase": "playing",',
    ]


def test_a_corpus_that_one_side_lacks_is_named() -> None:
    assert list(compare(ASKED, {}, OtherCommit({"refusals": []}, b""))) == ["refusals: only there"]
