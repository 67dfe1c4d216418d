"""Zips at any hour: the format knows no year before 1980, and a box without a clock begins in 1970."""

from __future__ import annotations

import time
import zipfile
from pathlib import Path
from typing import IO, Any

FIRST, LAST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)
"""What a zip can say of a file's time."""


class NewZip(zipfile.ZipFile):
    """A zip that is written, compressed unless it is told otherwise. What time it cannot say is the nearest it can."""

    def __init__(self, into: str | Path | IO[bytes], compression: int = zipfile.ZIP_DEFLATED) -> None:
        super().__init__(into, "w", compression, strict_timestamps=False)

    def writestr(
        self,
        zinfo_or_arcname: str | zipfile.ZipInfo,
        data: Any,
        compress_type: int | None = None,
        compresslevel: int | None = None,
    ) -> None:
        """As ZipFile's; a mere name is of a file made now."""
        info = zinfo_or_arcname
        if not isinstance(info, zipfile.ZipInfo):
            info = zipfile.ZipInfo(info, min(max(time.localtime()[:6], FIRST), LAST))
            info.compress_type, info.external_attr = self.compression, 0o600 << 16
        super().writestr(info, data, compress_type, compresslevel)
