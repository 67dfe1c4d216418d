"""Speed, as ratios measured side by side in one run: machines are noisy, a ratio is less so."""
