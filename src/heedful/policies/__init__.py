"""Manipulation policies behind one protocol: scripted references and learnt victims."""
