"""Sessions as films: a stored trace replayed, seen from the side, with what was said, asked and judged."""
