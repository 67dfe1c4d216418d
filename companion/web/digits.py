"""What keyboards of other scripts type in numbers and hands, as the plain signs that are read."""

from __future__ import annotations

import unicodedata

SIGNS = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
    "\uff1a": ":", "\uff0c": ",", "\u3001": ",", "\u060c": ",", "\uff1b": ";", "\u061b": ";",
}  # fmt: skip
"""Dashes that stand for a hyphen, and the signs between tiles in other scripts."""


def plain_digits(text: str) -> str:
    """The same text with the digits of every script as 0 to 9.

    >>> plain_digits("১২")
    '12'
    """
    return "".join(sign if (value := unicodedata.decimal(sign, None)) is None else str(value) for sign in text)


def plain_signs(text: str) -> str:
    """The same with what stands between the digits of a hand too.

    >>> plain_signs("১২–৫，３：４")
    '12-5,3:4'
    """
    return "".join(SIGNS.get(sign, sign) for sign in plain_digits(text))
