"""From a guard's log to a trace that can be labelled and reported."""
