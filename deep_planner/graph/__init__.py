"""The planner's graph: triage -> planner <-> dispatch -> sub-agents -> respond, with questions in between.

``state`` says what flows, one module a node says what happens in it, ``build`` wires them.
"""
