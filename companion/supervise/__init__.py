"""One process per danger: camera and inference each run in a child that may hang, crash or be killed.

Read camera.py first. A child's failure comes out as a value (`Health`) or as `AwayError`, never as a play. `parts.py`
does the same for threads: one that raises is reported and tried again, and one that hangs is named; `parts.py` tells
systemd that all is well only while camera, referee and page all live.
"""
