"""Every form gives back what was typed and says at the field, in the viewer's language, what was expected.

The forms are found by walking the pages from link to link, so that a new form is held to it without being listed here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from bench.stand_ins import tables
from bench.stand_ins.fakes import PIN, FakeDesk, FakeSession, FakeTable
from companion.app.state import AppState
from companion.web.forms import SECRET
from companion.web.languages import catalogue
from companion.web.messages import messages
from tests.web.forms import Form, Page
from tests.web.test_placing import LIVE
from tests.web.test_placing_browser import Filming

LANGUAGE = "cs"
BAD = ("kočka!", "Ann\u202eBen", "99999999", "")
"""No tile, no number and no name; what steers the direction of writing; too large; nothing."""

FREE = frozenset({"name", "title"})
"""Fields in which nearly everything may stand."""

BEGIN = ("/", "/setup?rules=tactic", "/setup", "/round-start", "/round-end", "/round-points/3", "/hand", "/learn")
NOT_WALKED = re.compile(
    r"^/(static|manual|source|api|tv|games/.*(/|\.)(export|pictures|png|csv)|hand/)|[?&](lang|theme)="
)
STATES = {
    "midgame": tables.midgame(rounds_played=[]),
    "round over": tables.round_over(),
    "a line": tables.chinese_line(),
    "waiting": tables.waiting(["Ann", "Ben", "Cyril", "Dorothea"]),
    "asked": tables.question(),
}


@cache
def said_in(language: str) -> list[re.Pattern[str]]:
    """A pattern for each sentence of this language, its names and numbers left open."""
    found = []
    for message in messages():
        one = message if isinstance(message, str) else message[1]
        known = catalogue(language)
        text = known.gettext(one) if isinstance(message, str) else known.ngettext(*message, 5)
        if text != one and len(re.sub(r"%\(\w+\)s", "", text)) > 8:
            parts = re.split(r"%\(\w+\)s", text.replace("%%", "%"))
            found.append(re.compile(".*".join(map(re.escape, parts)), re.DOTALL))
    return found


def same_kind(text: str) -> str:
    """A path, or the names of a form's fields, with its numbers left open."""
    return re.sub(r"\?.*|\d+", "N", text)


def pages(client: FlaskClient, seen: set[str]) -> Iterator[tuple[str, Page]]:
    """Every page that links lead to, each kind of them once."""
    ahead, here = list(BEGIN), set[str]()
    while ahead:
        path = ahead.pop(0)
        kind = same_kind(path)
        if kind in here or NOT_WALKED.search(path) or (kind in seen and kind not in ("/", "/round-end")):
            continue
        here.add(kind)
        answer = client.get(path, follow_redirects=True)
        if answer.status_code != 200 or answer.mimetype != "text/html":
            continue
        page = Page(answer.text)
        ahead += page.links
        if page.forms:
            seen.add(kind)
            yield path, page


@dataclass(slots=True)
class Walk:
    """The walk so far: the kinds of forms that were tried, and their faults."""

    client: FlaskClient
    begin: Callable[[], None]
    path: str = "/"
    tried: dict[tuple[str, ...], int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def form(self, form: Form, path: str) -> None:
        """Try every field of this form, by each way to send it."""
        self.path = path
        doors = {door[1]: door for door in form.doors or [(form.method, form.action, "", "")]}
        for method, address, name, value in doors.values():
            kind = same_kind(address or path), *sorted({same_kind(one) for one in form.fields if "option_" not in one})
            if kind in self.tried or not (form.typed or form.files):
                continue
            pressed = {name: value} if name else {}
            self.tried[kind] = 0
            alike = {same_kind(one.name): one for one in reversed(form.typed)}
            for one in [*alike.values(), *(other for other in form.typed[1:2] if other not in alike.values())]:
                answers = [self.typed(form, (method, address or path), one.name, bad, pressed, kind) for bad in BAD]
                if max(answers) < 400 and one.name not in FREE and address == form.action:
                    self.faults.append(f"{path} {address} {one.name}: takes everything")
            for one in form.files if form.doors and method == "post" else ():
                self.photographed(form, address or path, one.name, pressed)

    def typed(
        self, form: Form, door: tuple[str, str], name: str, bad: str, pressed: Mapping[str, str], kind: tuple[str, ...]
    ) -> int:
        """The status of the answer to this form with a bad value in one field."""
        method, address = door
        self.begin()
        sent = filled(form) | pressed | {name: bad}
        came = {"Referer": f"http://localhost{self.path}"}
        if method == "get":
            answer = self.client.get(address, query_string=sent, headers=came)
        else:
            answer = self.client.post(address, data=sent, headers=came)
        self.tried[kind] += 1
        if fault := judged(answer, name, bad):
            self.faults.append(f"{self.path} {address} {name}={bad!r}: {answer.status_code} {fault}")
        return answer.status_code

    def photographed(self, form: Form, address: str, name: str, pressed: Mapping[str, str]) -> None:
        """The page refuses a file that is no photograph at its field, and keeps the text typed beside it."""
        sent: dict[str, Any] = {**filled(form), **pressed, **{one.name: "12-1" for one in form.typed}}
        sent[name] = (io.BytesIO(b"no picture"), "hand.jpg")
        answer = self.client.post(address, data=sent, headers={"Referer": f"http://localhost{self.path}"})
        if answer.status_code < 400:
            return
        back = Page(answer.text)
        same = next((one for one in back.forms if name in one.fields), None)
        kept = same is not None and all(one.value == "12-1" for one in same.typed)
        if not kept or not (name in back.complaints or (address == form.action and back.complaints)):
            self.faults.append(f"{self.path} {address} {name}: {answer.status_code} {back.complaints} kept: {kept}")


def filled(form: Form) -> dict[str, str]:
    """The form as somebody fills it in who does everything right."""
    right = {"player_1": "Ann", "player_2": "Ben", "engine": "12-12", "value": "15"}
    right |= {"by": "Ann", "pin": PIN, "size": "1920x1080", "width_mm": "900"}
    right |= {one.name: "7" for one in form.typed if one.name.startswith("points_")}
    joins = {"player_4": "Eva"} if "points" in form.fields else {}  # The points are of whoever joins.
    return {name: value or right.get(name, "") for name, value in form.sent().items()} | joins


def judged(answer: TestResponse, name: str, typed: str) -> str:
    """The fault in how a refused form came back, or ""."""
    if answer.status_code < 400:
        return ""
    page = Page(answer.text)
    same = next((one for one in page.forms if name in one.fields and one.fields[name].kind != "hidden"), None)
    if same is None:
        return "the form did not come back"
    if same.fields[name].value != typed and name not in SECRET:
        return f"what was typed is lost: {same.fields[name].value!r}"
    # A missing entry may complain at the next free line; without a photograph nothing else is checked.
    no_photograph = any(one.name in page.complaints for one in same.files)
    elsewhere = [*page.complaints.values(), page.on_top] if not typed or no_photograph else []
    sentence = page.complaints.get(name) or next(iter(elsewhere), None)
    if not sentence:
        return f"not said at the field, but {page.complaints or page.on_top!r}"
    if not any(known.search(sentence) for known in said_in(LANGUAGE)):
        return f"not in the viewer's language: {sentence}"
    return ""


def test_every_form_gives_back_what_was_typed(
    app: Flask, app_state: AppState, keeper: FlaskClient, anyone: FlaskClient, session: FakeSession
) -> None:
    table = FakeTable()
    table.films = LIVE
    app_state.camera, app_state.table, app_state.learning = Filming(), table, FakeDesk()
    session.answers |= {"what_if": tables.midgame(), "judge": {"codes": [], "by": "Ben"}}

    def begin() -> None:
        """Put the first game back: an earlier form may have begun another one."""
        if app_state.session is not session:
            app_state.put_on_the_table(session, "tonight")

    seen: set[str] = set()
    host, _guest = walks = Walk(keeper, begin), Walk(anyone, begin)
    for client in (keeper, anyone):
        client.set_cookie("lang", LANGUAGE)
    for state, shown in STATES.items():
        begin()
        session.show(shown)
        if state == "round over":  # The link of this round lets everybody in.
            link = re.search(r'href="(/hand/[^"]+)"', keeper.get("/round-end").text)
            assert link and anyone.get(link[1]).status_code == 303
        for walk in walks if state == "round over" else (host,):
            for path, page in pages(walk.client, seen if walk is host else set()):
                for form in page.forms:
                    walk.form(form, path)
    begin()
    found = {kind[0] for walk in walks for kind in walk.tried}
    print(sum(sum(walk.tried.values()) for walk in walks), sorted(found))
    assert {"/pin", "/setupN", "/setup/rules", "/players", "/table", "/seats", "/api/filming", "/learn"} <= found
    assert {"/api/start-round", "/api/report", "/round-end", "/round-end/photo", "/round-points/N", "/hand"} <= found
    assert not [fault for walk in walks for fault in walk.faults]


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("<h1>Nelze</h1>", "the form did not come back"),
        ('<form><input name="hand" value=""></form>', "what was typed is lost"),
        ('<form><input name="hand" value="x"></form><p id="told-back">!Nelze</p>', "not said at the field"),
        ('<form><input name="hand" value="x"></form><p class="complaint" id="wrong-hand">No tile.</p>', "language"),
    ],
)
def test_the_measure_finds_what_it_is_for(page: str, fault: str) -> None:
    assert fault in judged(TestResponse(page.encode(), "400 BAD REQUEST", {}, None), "hand", "x")  # type: ignore[arg-type]
