"""The page: parses, asks the session, renders. It holds no rule and reads only `session.snapshot()`.

Start reading at `app.create_app`; `board` turns a snapshot into what a template draws, `wording` into sentences.
"""
