"""What safe means: signals, invariants, one versioned spec, and its pure evaluation.

One file is compiled into the prompt's rules, the labels, the guard, generated boundary cases and
evidence rows. Nothing here knows a model, a robot's driver or a scenario.
"""
