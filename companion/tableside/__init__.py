"""The button pod joined to the game: presses become verbs of the session, the state of the game becomes a light."""

from companion.tableside.buttons import Tableside, is_accused, light_of
from companion.tableside.pod import ButtonPod

__all__ = ["ButtonPod", "Tableside", "is_accused", "light_of"]
