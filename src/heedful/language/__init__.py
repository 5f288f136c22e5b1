"""What words say: claims in a model's replies. Tables and grammar, no model."""
