"""What stands around the page on a real box: buttons, lamp, broker, watchdog. Everything works without any of it."""

from companion.tableside.buttons import Tableside, is_accused, light_of
from companion.tableside.services import Services, ServiceSettings

__all__ = ["ServiceSettings", "Services", "Tableside", "is_accused", "light_of"]
