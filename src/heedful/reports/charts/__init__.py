"""Charts as inline SVG, each with an accessible name and the table of its numbers beside it."""
