"""The page that is shown, asked for again in another language or appearance, with what it was asked or sent."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from flask import g, request

from companion.web.returned import SECRET, is_page, returned

CHOSEN = frozenset({"lang", "theme"})


def sent_again() -> None:
    """This answer to a form changes nothing: its form may be sent again for another language."""
    g.sent_again = {name: value for name, value in request.form.items() if name not in SECRET}


def asked_as(path: str, fields: Mapping[str, str]) -> None:
    """This answer to a form is the same page as `path` asked with these fields."""
    g.asked_as = path, {name: value for name, value in fields.items() if value}


def fields_sent_again() -> Mapping[str, str]:
    """What has to be sent again for this page to be shown again; {} where a link does."""
    found: Mapping[str, str] = g.get("sent_again", {})
    return found


def here(**chosen: str) -> str:
    """The address of this page with `lang` or `theme` chosen."""
    path, fields = g.get("asked_as") or (request.path if _may_be_asked() else "/", request.args.to_dict())
    kept = {name: value for name, value in fields.items() if name not in CHOSEN}
    return f"{path}?{urlencode(kept | chosen)}"


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
