"""Forms as a browser finds them on a page: what they hold, where they go, and how they came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

TYPED = frozenset({"text", "number", "password", "search", "tel"})


@dataclass(slots=True)
class Field:
    """One field; of radio buttons and lists `value` is what is chosen, else the first of them."""

    name: str
    kind: str
    value: str = ""
    required: bool = False
    invalid: bool = False
    chosen: bool = False


@dataclass(slots=True)
class Form:
    """`doors`: (method, address, button's name, button's value) of each way to send it."""

    action: str
    method: str
    fields: dict[str, Field] = field(default_factory=dict)
    doors: list[tuple[str, str, str, str]] = field(default_factory=list)

    @property
    def typed(self) -> list[Field]:
        return [one for one in self.fields.values() if one.kind in TYPED]

    @property
    def files(self) -> list[Field]:
        return [one for one in self.fields.values() if one.kind == "file"]

    def sent(self) -> dict[str, str]:
        return {one.name: one.value for one in self.fields.values() if one.kind != "file" and one.name}


class Page(HTMLParser):
    """A page's forms, links and complaints, by the names of the fields at which these stand."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.complaints: dict[str, str] = {}
        self.on_top = ""
        self._form: Form | None = None
        self._select: Field | None = None
        self._said: str | None = None
        self._worded = False  # The words of the option are its value.
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        got = {name: value or "" for name, value in attributes}
        if tag == "a" and got.get("href", "").startswith("/"):
            self.links.append(got["href"])
        if tag in ("strong", "p") and "complaint" in got.get("class", "").split():
            self._said = got.get("id", "").removeprefix("wrong-")
            self.complaints[self._said] = ""
        if got.get("id") == "told-back":
            self._said = "told-back"
        if tag == "form":
            self._form = Form(got.get("action", ""), got.get("method", "get"))
            self.forms.append(self._form)
        if self._form is None:
            return
        if tag == "button":
            method, address = got.get("formmethod") or self._form.method, got.get("formaction") or self._form.action
            door = (method, address, got.get("name", ""), got.get("value", ""))
            if got.get("type") != "button":
                self._form.doors.append(door)
        elif tag == "select":
            self._select = self._form.fields.setdefault(got["name"], Field(got["name"], "select"))
        elif tag == "option" and self._select is not None and (not self._select.chosen or "selected" in got):
            self._select.value, self._select.chosen, self._worded = got.get("value", ""), True, "value" not in got
        elif tag == "input" and got.get("name"):
            self._input(got, self._form)

    def _input(self, got: dict[str, str], form: Form) -> None:
        kind = got.get("type", "text")
        if kind == "radio" and got["name"] in form.fields and "checked" not in got:
            return
        invalid, required = got.get("aria-invalid") == "true", "required" in got
        form.fields[got["name"]] = Field(got["name"], kind, got.get("value", ""), required, invalid)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        if tag == "select":
            self._select = None
        if tag in ("strong", "p"):
            self._said = None
        if tag == "option":
            self._worded = False

    def handle_data(self, data: str) -> None:
        if self._worded and self._select is not None:
            self._select.value += data
        if self._said == "told-back":
            self.on_top += data
        elif self._said is not None:
            self.complaints[self._said] += data
