"""Language models behind one `Model` protocol: served ones, and scripted reference models."""
