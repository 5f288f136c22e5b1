"""The session loop: scenario, robot, model, context policy and guard together give a trace."""
