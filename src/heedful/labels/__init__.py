"""The judge `judge-1`: a stored trace and a spec in, labels out. Pure, deterministic, no model involved."""
