"""The count of lines tells code from prose."""

from bench.size import kinds_of

MODULE = '''"""A module.

Two lines of text and a blank one between."""

NAME = """text that is a value
and code"""
"""A text under a constant."""

# A comment.
x = 1  # beside code
'''


def test_code_prose_and_blank_lines_are_told_apart() -> None:
    assert kinds_of(MODULE) == {"prose": 5, "code": 3, "blank": 2}
