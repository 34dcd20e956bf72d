"""The sub-agents: each a small graph with a window, tools and limits of its own.

``spec`` says what a sub-agent is, ``registry`` which there are, ``runner`` how one works through one todo item,
``note_taker`` how its result becomes a shared note. ``task``, ``calendar``, ``weather`` and ``notification`` are specs
only: tools, prompt, limits.
"""
