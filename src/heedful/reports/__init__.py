"""Estimates rendered: terminal, Markdown, HTML, JSON, JUnit, SARIF. No number is computed here."""
