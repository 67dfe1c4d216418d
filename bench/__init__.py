"""Benches: speed as ratios measured side by side, and whole simulated rounds against their exact truth.

A bench measures and reports; what must hold is asserted in tests/. Runs against the box itself are in bench/attacks.
"""
