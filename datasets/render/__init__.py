"""Rendered pictures of domino tables with exact labels.

A picture is made in three steps: a *plan* says what lies where in millimetres (`scenes`, `table`), the plan is drawn
into a geometry buffer through a perspective camera (`gbuffer`, `tiles`, `hubs`, `markers`, `hands`, `clutter`), and the
buffer is lit and passed through a camera model (`lighting`, `sensor`). Labels are projections of the same numbers.
Nothing here was cut from a photograph.
"""
