"""Pages as tests read them."""

from __future__ import annotations

import itertools
import re


def words(page: str) -> str:
    """The page without the elements that only keep each tile in one line."""
    return re.sub(r'<span class="whole">([^<]*)</span>', r"\1", page)


def leaps(page: str) -> list[tuple[int, int]]:
    """The headings that leave a level out: the one before, none as 0, and the one that comes too deep after it."""
    levels = [0, *map(int, re.findall(r"<h([1-6])\b", page))]
    return [(above, below) for above, below in itertools.pairwise(levels) if below > above + 1]
