"""The page's languages: gettext catalogues, read from the committed .po files into memory; nothing is written.

Tiles in sentences stay in one line: `8-` at a line's end is read as something else.

Browsers may break a line after the hyphen. So every tile in the text of an answer is wrapped, wherever it was written.
"""

from __future__ import annotations

import gettext as gettext_module
import io
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from babel.dates import format_date, format_datetime, format_time
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from flask import Flask, Request, Response, g, has_request_context
from markupsafe import Markup

LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "uk": "Українська",
    "cs": "Čeština",
    "ru": "Русский",
    "bn": "বাংলা",
    "de": "Deutsch",
    "ko": "한국어",
    "es": "Español",
    "fr": "Français",
    "zh": "简体中文",
    "zh-TW": "繁體中文",
}
"""Code -> the language's own name. English is the language of the message ids."""

TRANSLATIONS = Path(__file__).parent / "translations"

TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
"""The parts of a browser's Chinese tag that ask for traditional characters, unless `hans` stands there too."""

_catalogues: dict[str, gettext_module.NullTranslations] = {"en": gettext_module.NullTranslations()}
_loading = threading.Lock()


def locale_of(language: str) -> str:
    """Babel's name for one of LANGUAGES."""
    return language.replace("-", "_")


def catalogue(language: str) -> gettext_module.NullTranslations:
    """The catalogue of one of LANGUAGES, read on first use."""
    with _loading:
        if language not in _catalogues:
            with (TRANSLATIONS / f"{language}.po").open("rb") as po:
                messages = read_po(po, locale=locale_of(language))
            compiled = io.BytesIO()
            write_mo(compiled, messages)
            compiled.seek(0)
            _catalogues[language] = gettext_module.GNUTranslations(compiled)
        return _catalogues[language]


def choose_language(request: Request) -> str:
    """The language that the viewer asked for last, else the one that the browser prefers."""
    asked = request.args.get("lang") or request.cookies.get("lang") or ""
    if asked in LANGUAGES:
        return asked
    wanted = (_spoken(tag) for tag, quality in request.accept_languages if quality > 0)
    return next((language for language in wanted if language in LANGUAGES), "en")


def _spoken(tag: str) -> str:
    """The code of the language that a browser's tag means: `cs` for `cs-CZ`, `zh-TW` for `zh-HK`."""
    language, *parts = tag.lower().replace("_", "-").split("-")
    traditional = language == "zh" and "hans" not in parts and not TRADITIONAL.isdisjoint(parts)
    return "zh-TW" if traditional else language


def current_language() -> str:
    if not has_request_context():
        return "en"
    language = g.get("language", "en")
    assert isinstance(language, str)
    return language


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Within, everything is said in this one of LANGUAGES instead of the viewer's. Only while a request is answered."""
    viewers, g.language = current_language(), language
    try:
        yield
    finally:
        g.language = viewers


def gettext(message: str, **values: object) -> str:
    """`message` in the viewer's language, `%(name)s` filled in."""
    translated = catalogue(current_language()).gettext(message)
    return translated % values if values else translated


def ngettext(singular: str, plural: str, num: int, **values: object) -> str:
    """The right plural form; `%(num)s` is the number itself."""
    translated = catalogue(current_language()).ngettext(singular, plural, num)
    return translated % {"num": num, **values}


def listed(words: Iterable[object]) -> str:
    """The words one after the other, with the commas of the viewer's writing between them."""
    return ("、" if current_language().startswith("zh") else ", ").join(map(str, words))


def in_a_sentence(words: Iterable[object]) -> str:
    """The same with an "and" before the last."""
    parts = [str(word) for word in words]
    if len(parts) < 2:
        return "".join(parts)
    return gettext("%(first)s and %(last)s", first=listed(parts[:-1]), last=parts[-1])


def with_colon(what: object, said: object) -> str:
    """Both, with the colon of the viewer's writing between them."""
    return gettext("%(act)s: %(why)s", act=what, why=said)


def marked(message: str) -> str:
    """Marks a text of a constant for the catalogues; it is translated where it is shown."""
    return message


def show_time(at: datetime) -> str:
    """A moment in the viewer's own writing, in the box's time zone."""
    return format_datetime(at.astimezone(), "medium", locale=locale_of(current_language()))


def show_day(at: datetime) -> str:
    """A day as people say it, in the box's time zone."""
    return format_date(at.astimezone(), "full", locale=locale_of(current_language()))


def show_decimal(number: float) -> str:
    """A number with one digit behind the point, as the reader writes it."""
    return format_decimal(number, format="#,##0.0", locale=locale_of(current_language()))


def show_clock(at: datetime) -> str:
    """The time of day, to the minute."""
    return format_time(at.astimezone(), "short", locale=locale_of(current_language()))


def speak_languages(app: Flask) -> None:
    """Give the templates `_`, `ngettext` and the list of languages."""
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda message: catalogue(current_language()).gettext(message),
        lambda one, many, num: catalogue(current_language()).ngettext(one, many, num),
        newstyle=True,
    )
    app.jinja_env.globals["languages"] = LANGUAGES
    app.jinja_env.filters |= {"listed": listed, "colon": with_colon, "signed": signed}


PARTS = re.compile(
    r'(?P<whole><span class="(?:whole|unseen)">[^<]*</span>)'
    r"|(?P<plain><(?P<of>title|option|textarea|text)\b.*?</(?P=of)>)"
    r"|(?P<tag><[^>]*>)"
    r"|(?P<tile>(?<![\w.:-])(?:\d{1,2}[-:]|[^\W\d_]+-)\d{1,2}(?![\w.:-]*\d)|(?<![\w-])--[a-z][a-z-]+)"
    r"|(?P<minus>(?<![\w.:)-])-(?=\d))",
    re.DOTALL,
)
"""Parts left as they are (whole already or only heard; elements that hold text alone; tags with their attributes), the
parts to wrap (tiles, sets like `Double-12`, options like `--host`), and the hyphen of a number below zero."""

MINUS = "\N{MINUS SIGN}"


def signed(points: int, *, plus: bool = True) -> str:
    """As people write it: `+8`, `−5`, `0`."""
    return f"{points:{'+' if plus and points else ''}d}".replace("-", MINUS)


def whole_tiles(page: str) -> Markup:
    """HTML with each tile of its text in an element of its own, which no line's end parts, and with minus signs."""
    return Markup(PARTS.sub(_wrapped, page))


def _wrapped(part: re.Match[str]) -> str:
    if part["minus"]:
        return MINUS
    return part[0] if part["tile"] is None else f'<span class="whole">{part[0]}</span>'


def keep_tiles_whole(app: Flask) -> None:
    @app.after_request
    def keep(response: Response) -> Response:
        if response.mimetype == "text/html" and not response.is_streamed:
            response.set_data(whole_tiles(response.get_data(as_text=True)))
        return response
