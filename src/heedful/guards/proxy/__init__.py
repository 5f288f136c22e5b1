"""The guard as an MCP proxy, between any client and any robot's server; only here is `mcp` imported."""
