"""All tables of a club in one place: listens to the broker, folds every table's journal, asks again for what it
missed."""

from companion.hall.tables import Hall

__all__ = ["Hall"]
