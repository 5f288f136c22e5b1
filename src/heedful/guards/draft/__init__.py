"""Drafting a tool map from a server's own schemas; what is unsure does not pass."""
