"""What stands between a model and the motors: the spec, enforced on sensed state; never ground truth."""
