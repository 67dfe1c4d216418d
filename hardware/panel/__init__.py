"""Buttons and a lamp at the table's edge. Everything works without them; start reading at panel.py."""

from hardware.panel.panel import Done, Light, Panel, PanelError, PanelSettings, Press, load_settings, open_panel

__all__ = ["Done", "Light", "Panel", "PanelError", "PanelSettings", "Press", "load_settings", "open_panel"]
