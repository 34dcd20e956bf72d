"""Evaluation: cases, a world for each, what happened there, and how it compares with what should have happened."""
