"""What other rooms say, said in the viewer's language: rejected commands, troubles of camera and disk.

Those rooms know no language. A rejected command comes as a code. The troubles come as English sentences, listed in
`texts/refusals.toml` as templates; a sentence that fits one is translated, with what stood in the places of its
`%(name)s`; any other is shown as it is, never swallowed.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain

from companion.game.rejected import CommandRejected
from companion.rules.written import written
from companion.web.languages import gettext

REFUSALS = "web/texts/refusals.toml"


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    known = written(REFUSALS)
    same = tuple((_pattern(template), template) for template in chain(*known["troubles"].values()))
    return same + tuple((_pattern(english), template) for english, template in known["plainer"].items())


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", template)
    written = [re.escape(part) if n % 2 == 0 else f"(?P<{part}>.+?)" for n, part in enumerate(parts)]
    return re.compile("".join(written), re.DOTALL)


def why(refusal: Exception) -> str:
    """Why a command was refused, in the viewer's language; "" where it does not say."""
    if isinstance(refusal, CommandRejected):
        sentence = written(REFUSALS)["refusals"].get(refusal.code)
        if sentence is not None:
            return _capital(gettext(sentence, **refusal.params))
        return _capital(str(refusal.params["fault"]))
    text = str(refusal.args[0]) if refusal.args else ""
    return translated(text) if text else ""


def translated(sentence: str) -> str:
    """The sentence in the viewer's language, beginning with a capital; a detail in brackets stays as it is."""
    for pattern, template in _patterns():
        match = pattern.fullmatch(sentence)
        if match is not None:
            return _capital(gettext(template, **match.groupdict()))
    plain, bracket, detail = sentence.partition(" (")
    if bracket and any(pattern.fullmatch(plain) for pattern, _template in _patterns()):
        return f"{translated(plain)} ({detail}"
    return _capital(sentence)


def status_text(code: int) -> str | None:
    sentence = written(REFUSALS)["status"].get(str(code))
    return None if sentence is None else gettext(sentence)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
