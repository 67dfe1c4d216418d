"""What the page answers when the disk refuses: in words for people, never with the place of a file."""

from __future__ import annotations

import errno

from werkzeug.exceptions import HTTPException, ServiceUnavailable

from companion.log.journal import JournalError
from companion.web.languages import gettext as _

FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(HTTPException):
    """Nothing was changed, since there was no room for it."""

    code = 507
    description = "Insufficient storage."


def why_of(fault: Exception) -> str:
    """The reason without the place."""
    if isinstance(fault, JournalError):
        return fault.why
    if isinstance(fault, OSError):
        return fault.strerror or type(fault).__name__
    return str(fault)


def disk_is_full(fault: Exception) -> bool:
    return fault.disk_full if isinstance(fault, JournalError) else getattr(fault, "errno", None) in FULL


def disk_fault(fault: Exception, sentence: str, retry_after: int | None = None) -> HTTPException:
    """The answer to a JournalError or OSError. `sentence` is translated already and has a place for `%(why)s`."""
    if disk_is_full(fault):
        return DiskFull(
            _("The disk is full, so nothing was changed. Delete pictures on the Games page, then try again.")
        )
    return ServiceUnavailable(sentence % {"why": why_of(fault)}, retry_after=retry_after)
