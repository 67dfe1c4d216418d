"""Returned forms: what a person typed and why it was refused, shown again on the page it was typed on.

A refused form is answered by rendering its own page anew, with the entered values and the sentence at the field. The
page is rendered by its ordinary view, which finds the `Returned` in the request's environ.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import Flask, Response, current_app, request
from flask.sessions import SecureCookieSessionInterface
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import RequestRedirect

ENVIRON = "companion.returned"

RETURNED = frozenset({400, 403, 409, 422, 429, 503, 507})
"""Statuses of refusals that a person can put right on the form. Whatever else happens has a page of its own (of what
is too large nothing was read, so nothing can come back)."""

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
    """A form that came back. `name` is the refused field, `form` the form where a page has several.

    `choices` are answers to a question put to it, each (words, fields that the answer adds).
    """

    sentence: str
    name: str | None
    entered: Mapping[str, str]
    form: str
    choices: tuple[tuple[str, Mapping[str, str]], ...] = ()
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
    """What was typed into the field, or `default` where this form was not returned."""
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
    came = urlsplit(request.referrer or "")
    query = request.query_string.decode("ascii", "ignore") if request.method == "POST" else ""
    named = urlsplit(str(request.form.get("page") or ""))
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
    """What waits behind a PIN page that came back."""
    back = returned()
    fields = {} if back is None else back.entered
    return {name.removeprefix("waiting_"): value for name, value in fields.items() if name.startswith("waiting_")}


def helpers() -> dict[str, Any]:
    """What templates with forms call."""
    return {
        "returned": returned(), "entered": entered, "wrong": wrong, "complaint": complaint, "refusal": refusal,
        "opens": opens, "choices": choices, "kept_by_form": kept_by_form,
    }  # fmt: skip
