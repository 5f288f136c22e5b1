"""The tabletop as data: workspace, objects, scenes, actions, the rules of the tasks; nothing runs here."""
