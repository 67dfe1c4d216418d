"""One process per danger: camera and inference each run in a child that may hang, crash or be killed.

Read camera.py first. A child's failure comes out as a value (`Health`) or as `AwayError`, never as a play. `parts.py`
does the same for threads: it reports one that raises and tries it again, and it names one that hangs. It tells systemd
that all is well only while camera, referee and page all live.
"""
