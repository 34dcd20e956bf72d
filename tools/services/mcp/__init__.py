"""Tools of outside servers by the Model Context Protocol (B11, B15).

* ``configuration``  ``mcp.json``, read and checked
* ``faults``      what can go wrong, as sentences
* ``naming``      the name under which a model sees a server's tool
* ``trust``       fingerprints, pinned on first use, and characters that nobody sees
* ``process``     a server's process and all that it started, until the last is gone
* ``leash``       ends what a planner that was killed has left
* ``connection``  one server: a session that stays open, in a task of its own
* ``servers``     all servers of a file, and which of their tools may be used
* ``calls``       one call: the user's yes, at most once, its answer as a result

Of these only ``process`` and ``connection`` import the protocol's SDK, and they are imported when a file names servers.
"""
