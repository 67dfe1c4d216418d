"""The game and the product: rules, referee, journal, page. Knows tiles in millimetres, never pixels."""


def __getattr__(name: str) -> str:
    """`companion.__version__`, looked up when somebody asks."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("tabletop-companion")
