"""Why something cannot be done now, as a sentence that a page can say in another language."""

from __future__ import annotations


class SessionError(ValueError):
    """One sentence that says why this cannot be done now; nothing has changed.

    `template` is the sentence with `%(name)s` where `values` go.
    """

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template % values if values else template)
        self.template, self.values = template, values
