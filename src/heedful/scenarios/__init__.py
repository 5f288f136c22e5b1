"""The operator's script: phases, turns, what each utterance asks for, what the world does meanwhile."""
