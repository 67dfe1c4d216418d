"""What every test stands on: the inference runtime is silent before any test can load it."""

from __future__ import annotations

from vision import telemetry

telemetry.switch_off()
