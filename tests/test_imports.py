"""No module of the project imports itself by way of others."""

from __future__ import annotations

import grimp

ROOTS = ("companion", "vision", "hardware", "datasets", "models", "deploy", "bench")


def circles(graph: grimp.ImportGraph) -> list[list[str]]:
    """The groups of modules of which each imports every other, directly or by way of others."""
    below = {module: graph.find_upstream_modules(module) for module in graph.modules}
    groups = {
        frozenset({other for other in imported if module in below[other]} | {module})
        for module, imported in below.items()
    }
    return sorted(sorted(group) for group in groups if len(group) > 1)


def test_nothing_imports_itself_by_way_of_others() -> None:
    """Imports for types alone do not count: they run nothing."""
    assert circles(grimp.build_graph(*ROOTS, exclude_type_checking_imports=True)) == []


def test_a_circle_is_seen() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
        graph.add_import(importer=importer, imported=imported)
    assert circles(graph) == [["a", "b", "c"]]
