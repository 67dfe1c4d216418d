"""Names that nobody can tell apart on a screen: the same shapes of another script, a one for an l, blanks nobody sees.

A part of Unicode's confusables (UTS 39): the letters that look the same in the page's own fonts. A name that is refused
can be written otherwise, so only what really looks the same counts.
"""

from __future__ import annotations

import unicodedata

TWINS = {
    "Cyrillic": ("АВЕКМНОРСТУХІЈЅаеорсухіјѕ", "ABEKMHOPCTYXIJSaeopcyxijs"),
    "Greek": ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧον", "ABEZHIKMNOPTYXov"),
    "strokes": ("I1|ı0", "lllıO"),
}
"""Letters, and what they look like; both rows of one length."""

_LATIN = str.maketrans(*TWINS["Cyrillic"]) | str.maketrans(*TWINS["Greek"])
_STROKES = str.maketrans(*TWINS["strokes"])
_UNSEEN = ("Cf", "Zs", "Cc", "Mn")


def skeleton(name: str) -> str:
    """What two names have in common that look the same.

    >>> skeleton("Аnn") == skeleton("Ann"), skeleton("Bil1") == skeleton("Bill"), skeleton("Ali") == skeleton("All")
    (True, True, False)
    """
    seen = "".join(sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign) not in _UNSEEN)
    return seen.translate(_LATIN).translate(_STROKES).casefold()
