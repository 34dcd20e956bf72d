"""Tasks and reminders as an iCalendar file (RFC 5545), out and in.

``writing`` and ``reading`` are mappings without I/O, ``planning`` compares what a file holds with what is stored,
``exporting`` and ``importing`` do it with rows. Nothing here is imported unless one of the two commands runs.
"""
