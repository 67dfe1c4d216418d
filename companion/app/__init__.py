"""The parts of the product put together: no command line, no web framework."""
