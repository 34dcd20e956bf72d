"""The demonstration: three requests carried out by the real planner in a world of samples."""
