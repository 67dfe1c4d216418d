"""The commands, one module each; `companion.__main__` finds them by name and loads only the one that is called."""
