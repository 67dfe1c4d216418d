"""Photographs that people send: how large a request may be for one, and what is one."""

from __future__ import annotations

from flask import Request
from markupsafe import Markup
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from companion.web.forms import FieldError
from companion.web.languages import gettext as _

PHOTO_LIMIT = 16 * 1024 * 1024
"""Bytes; a phone's full photograph is 3 to 8 MB."""

FORM_LIMIT = PHOTO_LIMIT + 64 * 1024
"""Bytes of the whole form: the photograph, the fields beside it and the lines between them."""

STARTS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF", b"BM", b"II*\0", b"MM\0*")
"""JPEG, PNG, WebP, BMP, TIFF; a HEIC or AVIF has `ftyp` from its fifth byte on."""

PHOTOGRAPH_ROUTES = frozenset({"/round-end", "/round-end/photo", "/learn", "/hand"})
"""Where a form may bring one. `/round-end` does nothing with it: it was chosen and not read."""


def expect_photograph(request: Request) -> None:
    """Let this request be as large as a photograph. To be called before anything of it is read.

    Raises RequestEntityTooLarge with the sentence for the person.
    """
    request.max_content_length = FORM_LIMIT
    if (request.content_length or 0) > FORM_LIMIT:
        raise RequestEntityTooLarge(too_large_text())


def too_large_text() -> str:
    return _("The photograph is larger than %(most)s MB. Choose a smaller one.", most=PHOTO_LIMIT // 2**20)


def photograph_limit() -> Markup:
    """Attributes of a file field by which the page refuses too large a file before anything typed is sent away."""
    return Markup(' data-most="{}" data-too-large="{}"').format(PHOTO_LIMIT, too_large_text())


def read_photograph(request: Request) -> bytes | None:
    """The photograph of the form; None where no file was chosen. Raises FieldError for a file that is no photograph."""
    picture = request.files.get("photo") if request.mimetype == "multipart/form-data" else None
    if not isinstance(picture, FileStorage) or not picture.filename:
        return None
    raw = picture.stream.read(PHOTO_LIMIT + 1)
    if not raw.startswith(STARTS) and raw[4:8] != b"ftyp":
        raise FieldError("photo", _("That is not a photograph (JPEG, PNG, WebP, BMP, TIFF, HEIC or AVIF)."))
    return raw
