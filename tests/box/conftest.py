"""The box makes apps of its own too."""

from __future__ import annotations

from tests.web.conftest import cheap_pin

__all__ = ["cheap_pin"]
