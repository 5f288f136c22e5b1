"""What a robot can do: tools over a world, offered as an MCP server and used through one client role."""
