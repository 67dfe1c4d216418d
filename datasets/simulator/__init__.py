"""Whole games on a made-up table, as a camera would see them. Reading order: plan, placing, tabletop, then camera."""
