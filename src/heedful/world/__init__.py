"""Worlds that produce true and sensed state; they know no model, no protocol and no rule."""
