"""People of primitive shapes: how they stand, walk and look, placed in the simulated room as ghosts."""
