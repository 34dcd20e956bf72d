"""What every other floor stands on: errors, results, the run's context, the clock, the text catalogue."""
