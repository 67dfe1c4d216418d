"""Forms of the page: what they carry, read with distrust, and given back where it is refused.

Signs that keyboards of other scripts type in numbers and hands, read as the plain ones.

Names that nobody can tell apart on a screen: the same shapes of another script, a one for an l, blanks nobody sees.

A part of Unicode's confusables (UTS 39): the letters that look the same in the page's own fonts. A name that is refused
can be written otherwise, so only what really looks the same counts.

Returned forms: what a person typed and why it was refused, shown again on the page it was typed on.

A refused form is answered by rendering its own page anew, with the entered values and the sentence at the field. The
page is rendered by its ordinary view, which finds the `Returned` in the request's environ.

The page that is shown, asked for again in another language or appearance, with what it was asked or sent.

Read a request with distrust: every fault is one clear sentence with a 4xx status, never a 5xx.

Names of people: of those who play, and of those who enter something on a phone.
"""

from __future__ import annotations

import io
import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import urlencode

from flask import Flask, Request, Response, current_app, g, request
from flask.sessions import SecureCookieSessionInterface
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge
from werkzeug.routing import RequestRedirect

from companion.log.event_fields import can_be_shown
from companion.log.events import SOURCES
from companion.web.guard import address_parts
from companion.web.languages import gettext as _

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


TWINS = {
    "Cyrillic": ("АВЕКМНОРСТУХІЈЅаеорсухіјѕ", "ABEKMHOPCTYXIJSaeopcyxijs"),
    "Greek": ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧον", "ABEZHIKMNOPTYXov"),
    "Armenian": ("ՕՍՏոսօհզց", "OUSnuohqg"),
    "Cherokee": ("ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᏀᏃᏏᏒᏔᏙᏚᏞᏟᏢᏦᏴ", "DRTiYAJEWMHGZbRWVSLCPKB"),
    "Lisu": ("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU"),
    "strokes": ("I1|ı0", "lllıO"),
}
"""Letters, and what they look like; both rows of one length."""

_TWINS = {sign: twin for row in TWINS.values() for sign, twin in str.maketrans(*row).items()}
_UNSEEN = ("Cf", "Zs", "Cc", "Mn")


def skeleton(name: str) -> str:
    """A form of a name that is equal for names that look the same.

    >>> skeleton("Аnn") == skeleton("Ann"), skeleton("Bil1") == skeleton("Bill"), skeleton("Ali") == skeleton("All")
    (True, True, False)
    """
    seen = "".join(sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign) not in _UNSEEN)
    return seen.translate(_TWINS).translate(_TWINS).casefold()


ENVIRON = "companion.returned"

RETURNED = frozenset({400, 403, 409, 422, 429, 503, 507})
"""Statuses of refusals that a person can put right on the form. Any other has a page of its own (a request that is too
large was not read, so nothing can come back)."""

SECRET = frozenset({"pin"})
"""Fields that are never written into a page again."""

LONGEST = 400
"""Characters of one entered value that come back."""


class FieldError(BadRequest):
    """A refusal that belongs to one field of the form; `plain` is the sentence for a person at the page."""

    def __init__(self, field: str, sentence: str, plain: str | None = None) -> None:
        super().__init__(sentence)
        self.field = field
        self.plain = plain or sentence


def at_field(fault: HTTPException, field: str) -> HTTPException:
    """The same refusal, told at this field of the form."""
    fault.field = field  # type: ignore[attr-defined]
    return fault


@dataclass(slots=True)
class Returned:
    """A form that came back."""

    sentence: str
    name: str | None
    """The field that was refused."""
    entered: Mapping[str, str]
    form: str
    """Which form, where a page has several."""
    choices: tuple[tuple[str, Mapping[str, str]], ...] = ()
    """Answers to a question put to it, each (words, fields that the answer adds)."""
    on_top: bool = False
    shown: set[str] = field(default_factory=set)


def returned() -> Returned | None:
    """The form that this page is rendered to give back, if any."""
    found = request.environ.get(ENVIRON)
    return found if isinstance(found, Returned) else None


def _mine(form: str | None) -> Returned | None:
    back = returned()
    return back if back is not None and form in (None, back.form) else None


def entered(name: str, default: Any = "", form: str | None = None) -> Any:
    """The text typed into the field, or `default` where this form was not returned."""
    back = _mine(form)
    return default if back is None or name not in back.entered else back.entered[name]


def wrong(name: str, form: str | None = None) -> Markup:
    """Attributes of a field that was refused: marked, described by its sentence and focused."""
    back = _mine(form)
    if back is None or back.name != name:
        return Markup("")
    return Markup(' aria-invalid="true" aria-describedby="wrong-{}" autofocus').format(name)


def complaint(name: str, form: str | None = None) -> Markup:
    """The sentence beside a field that was refused."""
    back = _mine(form)
    if back is None or back.name != name:
        return Markup("")
    back.shown.add(name)
    return Markup('<strong class="complaint" id="wrong-{}" role="alert">{}</strong>').format(name, back.sentence)


def opens(*starts: str) -> Markup:
    """The attribute of a folded part that holds a refused field, whose name begins with one of these: nobody would see
    the sentence in it."""
    back = returned()
    return Markup(" open") if back is not None and back.name and back.name.startswith(starts) else Markup("")


def refusal(form: str) -> Markup:
    """The sentence of a refusal that belongs to no field of this form, or to one that the form does not show."""
    back = _mine(form)
    if back is None or back.name in back.shown or back.choices:
        return Markup("")
    back.shown.add("")
    return Markup('<p class="complaint" role="alert">{}</p>').format(back.sentence)


def choices(form: str) -> Returned | None:
    """The question put to this form, if it came back with one."""
    back = _mine(form)
    if back is None or not back.choices:
        return None
    back.shown.add("")
    return back


def give_back(app: Flask, fault: HTTPException) -> Response | None:
    """The page of the refused form with everything that was typed; None where no page of ours holds that form."""
    if request.method not in ("POST", "GET") or fault.code not in RETURNED:
        return None
    try:
        fields = request.form if request.method == "POST" else request.args
    except HTTPException:  # larger than it may be: nothing of it was read
        return None
    if not fields or returned() is not None:
        return None
    page = _page_of_form()
    if page is None:
        return None
    back = _returned(fault, fields)
    answer = _rendered(app, page, back)
    if answer is not None and not back.shown:
        back.on_top = True
        answer = _rendered(app, page, back)
    if answer is not None:
        answer.status_code = 200 if back.choices else fault.code or 400
        _keep_retry(fault, answer)
    return answer


def send_again(app: Flask, target: str, fields: Mapping[str, str], session: Mapping[str, Any]) -> Response:
    """The answer to a form that had to wait for the PIN, sent again to `target` (path and query) in this session."""
    path, _sign, query = target.partition("?")
    signer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signer is not None
    name, body = app.config["SESSION_COOKIE_NAME"], urlencode(fields).encode()
    kept = {key: value for key, value in request.cookies.items() if key != name}
    cookies = "; ".join(f"{key}={value}" for key, value in {**kept, name: signer.dumps(dict(session))}.items())
    environ = {key: value for key, value in request.environ.items() if not key.startswith("werkzeug.")} | {
        "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_URI": target, "HTTP_COOKIE": cookies,
        "CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }  # fmt: skip
    with app.request_context(environ):
        return app.full_dispatch_request()


def _returned(fault: HTTPException, fields: Mapping[str, str]) -> Returned:
    sentence = str(getattr(fault, "plain", None) or fault.description)
    kept = {name: value[:LONGEST] for name, value in fields.items() if name not in SECRET}
    return Returned(
        sentence=sentence,
        name=getattr(fault, "field", None),
        entered=kept,
        form=kept.get("form") or request.path,
        choices=tuple(getattr(fault, "choices", ())),
    )


def _page_of_form() -> tuple[str, str] | None:
    """(path, query) of the page that the form stands on: the form's own address, its field `page`, the referrer."""
    came = address_parts(request.referrer)
    query = request.query_string.decode("ascii", "ignore") if request.method == "POST" else ""
    named = address_parts(str(request.form.get("page") or ""))
    for path, asked in ((request.path, query), (named.path, named.query), (came.path, came.query)):
        if path.startswith("/") and not path.startswith("/api/") and is_page(path):
            return path, asked
    return None


def is_page(path: str) -> bool:
    """Whether a link may lead there."""
    try:
        current_app.create_url_adapter(request).match(path, method="GET")  # type: ignore[union-attr]
    except (NotFound, MethodNotAllowed, RequestRedirect):
        return False
    return True


def _rendered(app: Flask, page: tuple[str, str], back: Returned) -> Response | None:
    environ = {name: value for name, value in request.environ.items() if not name.startswith("werkzeug.")}
    for name in ("CONTENT_TYPE", "HTTP_ACCEPT_ENCODING", "HTTP_TRANSFER_ENCODING", "HTTP_IF_NONE_MATCH"):
        environ.pop(name, None)
    environ |= {
        "REQUEST_METHOD": "GET", "PATH_INFO": page[0], "QUERY_STRING": page[1], "REQUEST_URI": page[0],
        "CONTENT_LENGTH": "0", "wsgi.input": io.BytesIO(), ENVIRON: back,
    }  # fmt: skip
    with app.request_context(environ):
        answer = app.full_dispatch_request()
    return answer if answer.status_code == 200 and answer.mimetype == "text/html" else None


def _keep_retry(fault: HTTPException, answer: Response) -> None:
    for name, value in fault.get_headers():
        if name.lower() == "retry-after":
            answer.headers[name] = value


def kept_by_form() -> dict[str, str]:
    """The fields that wait behind a PIN page that came back."""
    back = returned()
    fields = {} if back is None else back.entered
    return {name.removeprefix("waiting_"): value for name, value in fields.items() if name.startswith("waiting_")}


def helpers() -> dict[str, Any]:
    """The functions that templates with forms call."""
    return {
        "returned": returned(), "entered": entered, "wrong": wrong, "complaint": complaint, "refusal": refusal,
        "opens": opens, "choices": choices, "kept_by_form": kept_by_form,
    }  # fmt: skip


CHOSEN = frozenset({"lang", "theme"})

LONGEST_ADDRESS = 2000


def sent_again() -> None:
    """This answer to a form changes nothing: its form may be sent again for another language."""
    g.sent_again = {name: value for name, value in request.form.items() if name not in SECRET}


def asked_as(path: str, fields: Mapping[str, str]) -> None:
    """This answer to a form is the same page as `path` asked with these fields."""
    g.asked_as = path, {name: value for name, value in fields.items() if value}


def fields_sent_again() -> Mapping[str, str]:
    """The fields to send again to show this page again; {} where a link does."""
    found: Mapping[str, str] = g.get("sent_again", {})
    return found


def here(**chosen: str) -> str:
    """The address of this page with `lang` or `theme` chosen."""
    path, fields = g.get("asked_as") or (request.path if _may_be_asked() else "/", request.args.to_dict())
    kept = {name: value for name, value in fields.items() if name not in CHOSEN}
    address = f"{path}?{urlencode(kept | chosen)}"
    # It stands a dozen times on the page; one of ours is never so long.
    return address if len(address) <= LONGEST_ADDRESS else f"/?{urlencode(chosen)}"


def own_address() -> str:
    """Where a link shows this page, which answers a form; "" where it was asked for at its own, or none does."""
    if (request.method in ("GET", "HEAD") and returned() is None) or fields_sent_again():
        return ""
    return here().rstrip("?")


def _may_be_asked() -> bool:
    """Whether a link leads to this page: what only takes forms has no page of its own."""
    if request.method in ("GET", "HEAD") or g.get("sent_again"):
        return True
    return is_page(request.path)


MAX_DEPTH = 12
"""A correction is three levels deep; a hundred thousand levels exhaust the parser's stack."""

MAX_NAME = 24

HIGHEST = 18
"""Pips on a half, of the largest set."""

MOST_DIGITS = 18
"""The most digits of a whole number: no number in a game comes near, and one of four hundred digits fits no float."""

WHOLE = re.compile(r"-?[0-9]+")


def read_body(request: Request) -> dict[str, Any]:
    """The fields of a POST, from JSON or from a form. Raises BadRequest with the sentence for the person."""
    if request.mimetype == "application/json":
        return _json_object(_bytes(request))
    if request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data"):
        _bytes_limit(request)
        return {key: _checked(request.form[key], "the form") for key in request.form}
    if not request.content_length:
        return {}
    raise BadRequest(f"The request's type is {request.mimetype or 'missing'}; expected application/json or a form.")


def text(fields: Mapping[str, Any], name: str, *, longest: int = 200, default: str | None = None) -> str:
    """A non-empty text field, without control characters."""
    value = fields.get(name, default)
    if value is None or value == "":
        raise FieldError(name, _("The field '%(name)s' is missing.", name=name), _("Please fill this in."))
    if not isinstance(value, str):
        raise FieldError(name, f"The field '{name}' must be a text.")
    if len(value) > longest:
        raise FieldError(
            name,
            _("The field '%(name)s' is longer than %(most)s characters.", name=name, most=longest),
            _("That is too long: at most %(most)s characters.", most=longest),
        )
    return value


def number(fields: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`, written as a number or as digits."""
    value = fields.get(name)
    if value is None or value == "":
        raise FieldError(name, _("The field '%(name)s' is missing.", name=name), _("Please choose a number."))
    plain = _("Please enter a number from %(low)s to %(high)s.", low=low, high=high)
    if isinstance(value, str) and WHOLE.fullmatch(plain_signs(value.strip())):
        value = int(plain_signs(value.strip())) if len(value) < 12 else high + 1
    if isinstance(value, bool) or not isinstance(value, int):
        raise FieldError(name, _("The field '%(name)s' must be a whole number.", name=name), plain)
    if not low <= value <= high:
        raise FieldError(
            name, _("The field '%(name)s' must be between %(low)s and %(high)s.", name=name, low=low, high=high), plain
        )
    return value


FARTHEST = (-50, 150)
"""Percent of the picture: people at the table's edge may sit outside it."""


def share(fields: Mapping[str, Any], name: str) -> float:
    """A share of the camera's picture, of a form's field in percent, with a point or a comma."""
    low, high = FARTHEST
    try:
        value = float(str(fields.get(name) or "").strip().replace(",", "."))
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        plain = _("Please enter a number from %(low)s to %(high)s.", low=low, high=high)
        raise FieldError(name, f"The field '{name}' must be a share of the picture in percent.", plain)
    return value / 100


def person(fields: Mapping[str, Any], name: str, players: tuple[str, ...] | list[str]) -> str:
    """The name of somebody who plays."""
    value = text(fields, name, longest=MAX_NAME)
    if value not in players:
        raise FieldError(name, _("%(name)s is not playing in this game.", name=value))
    return value


def tile(value: Any, highest: int, name: str = "tile") -> tuple[int, int]:
    """`[5, 12]` or `"5-12"` (Chinese `"5:6"`), each half from 0 to `highest`; refusals name the field `name`."""
    halves: list[Any] = []
    if isinstance(value, str):
        halves = plain_signs(value).strip().replace(":", "-").split("-")
    elif isinstance(value, list):
        halves = value
    if len(halves) != 2:
        what = value.strip() if isinstance(value, str) else ""
        plain = _("“%(what)s” is not a tile. Write a tile like this: 12-5.", what=what[:20]) if what else None
        raise FieldError(name, _("A tile is written like 12-5."), plain)
    a, b = (_half(half, highest, name) for half in halves)
    return a, b


def _half(value: Any, highest: int, name: str) -> int:
    try:
        return number({"half of the tile": value}, "half of the tile", 0, highest)
    except FieldError as refused:
        half = str(value).strip()[:20]
        plain = _("A half of a tile has 0 to %(highest)s pips, not “%(half)s”.", highest=highest, half=half)
        missing = _("Half of a tile is missing. Write a tile like this: 12-5.")
        raise FieldError(name, str(refused.description), plain if half else missing) from None


def tiles(value: Any, highest: int, *, most: int = 40, name: str = "tiles") -> list[tuple[int, int]]:
    """A hand: a list of tiles, or `"1-2 5-5"`; None: no tile. Refusals name the field `name`."""
    if value is None:
        return []
    parts = plain_signs(value).replace(",", " ").replace(";", " ").split() if isinstance(value, str) else value
    if not isinstance(parts, list):
        raise FieldError(name, _("A hand is written like 12-5 3-3."))
    if len(parts) > most:
        raise FieldError(name, _("Nobody can hold more than %(most)s tiles.", most=most))
    return [tile(part, highest, name) for part in parts]


def _bytes_limit(request: Request) -> None:
    limit = request.max_content_length
    if limit is not None and (request.content_length or 0) > limit:
        raise RequestEntityTooLarge(_("The request is larger than %(most)s bytes.", most=limit))


def _bytes(request: Request) -> bytes:
    _bytes_limit(request)
    return request.get_data(cache=True)


def _json_object(raw: bytes) -> dict[str, Any]:
    try:
        document = raw.decode("utf-8-sig")  # programs on Windows begin with a mark of the encoding
    except UnicodeDecodeError as fault:
        raise BadRequest(f"The request is not UTF-8 (byte {fault.start}).") from None
    if depth_of(document) > MAX_DEPTH:
        raise BadRequest(f"The request is nested deeper than {MAX_DEPTH} levels.")
    try:
        value = json.loads(document, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_short)
    except (ValueError, RecursionError) as fault:
        raise BadRequest(f"The request is not JSON: {fault}.") from None
    if not isinstance(value, dict):
        raise BadRequest('The request must be a JSON object, like {"tile": [12, 5]}.')
    checked = _checked(value, "the request")
    assert isinstance(checked, dict)
    return checked


def depth_of(document: str) -> int:
    """The deepest nesting of brackets outside of strings, found without recursion."""
    deepest = depth = 0
    inside = escaped = False
    for sign in document:
        if inside:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                inside = False
        elif sign == '"':
            inside = True
        elif sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _short(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"{digits[:20]}... is longer than any number in a game")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is not a finite number")
    return value


def _checked(value: Any, where: str) -> Any:
    """The same value, with every text normalised and free of what no keyboard types (controls, lone surrogates)."""
    if isinstance(value, str):
        if any(unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\n\r\t" for sign in value):
            raise FieldError(
                where,
                f"A text in {where} holds control characters.",
                _("This holds signs that no keyboard types. Please type it again."),
            )
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list):
        return [_checked(item, where) for item in value]
    if isinstance(value, dict):
        return {str(_checked(key, where)): _checked(item, str(key)[:40]) for key, item in value.items()}
    return value


RESERVED = frozenset({"MX", "MX2", "R", "L", *(source.upper() for source in SOURCES)})
"""Trains and ends of a line, and who else says what is on record."""

_SOURCES = frozenset(map(skeleton, SOURCES))


def refuse_name(field: str, name: str, earlier: Sequence[str]) -> None:
    """Raises FieldError for an impossible name, or one that looks like one of the `earlier`."""
    if len(name) > MAX_NAME:
        raise FieldError(field, _("A player's name has at most 24 letters."))
    if not can_be_shown(name):
        raise FieldError(field, _("This holds signs that no keyboard types. Please type it again."))
    if name.upper() in RESERVED or skeleton(name) in _SOURCES or name.startswith("*"):
        raise FieldError(field, _("%(name)s cannot be a player's name here.", name=name))
    if name.casefold() in (other.casefold() for other in earlier):
        raise FieldError(field, _("Two players have the same name."))
    for other in earlier:
        if skeleton(name) == skeleton(other):
            sentence = _(
                "%(one)s and %(other)s look the same on the screen. Spell one of them differently.",
                one=other,
                other=name,
            )
            raise FieldError(field, sentence)


def name_of_phone(field: str, written: str, players: Sequence[str]) -> str:
    """The name under which a phone is signed in: one of the players' own, or one that nobody takes for theirs."""
    name = " ".join(written.split())
    if name in players or not name:
        return name
    refuse_name(field, name, players)
    return name
