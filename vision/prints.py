"""Where the pips of each value stand in a half, as makers print them: points (along, across) in -1..1, the outer end at
-1."""

from __future__ import annotations

from functools import cache

from vision.high_values import known_prints

Points = tuple[tuple[float, float], ...]

_CORNERS: Points = ((-1, -1), (-1, 1), (1, -1), (1, 1))
_SIX: Points = (*_CORNERS, (0, -1), (0, 1))
_RING: Points = (*_SIX, (-1, 0), (1, 0))
_TEN: Points = (*((a, b) for b in (-1, 1) for a in (-1, -1 / 3, 1 / 3, 1)), (-1, 0), (1, 0))
_TEN_RING: Points = tuple((a, b) for b in (-1, 1) for a in (-1, 0, 1)) + tuple((a, 0) for a in (-1, -1 / 3, 1 / 3, 1))
_FIVES: Points = tuple((a, b) for b in (-1, 1) for a in (-1, -0.5, 0, 0.5, 1))
_LOW: dict[int, tuple[Points, ...]] = {
    0: ((),),
    1: (((0, 0),),),
    2: (((-1, -1), (1, 1)), ((-1, 1), (1, -1)), ((-1, 0), (1, 0)), ((0, -1), (0, 1))),
    3: (((-1, -1), (0, 0), (1, 1)), ((-1, 1), (0, 0), (1, -1))),
    4: (_CORNERS,),
    5: ((*_CORNERS, (0, 0)),),
    6: (_SIX, tuple((b, a) for a, b in _SIX)),
    7: ((*_SIX, (0, 0)), tuple((b, a) for a, b in (*_SIX, (0, 0)))),
    8: (_RING, tuple((b, a) for a, b in _RING)),
    9: ((*_RING, (0, 0)),),
    10: tuple(way for one in (_TEN, _TEN_RING, _FIVES) for way in (one, tuple((b, a) for a, b in one))),
    11: tuple(way for one in ((*_TEN, (0, 0)), (*_FIVES, (0, 0))) for way in (one, tuple((b, a) for a, b in one))),
}


@cache
def prints_of(value: int) -> tuple[Points, ...]:
    """All prints of a value that are known."""
    if value in _LOW:
        return _LOW[value]
    return tuple(tuple((float(a), float(b)) for a, b in points) for points in known_prints(value))
