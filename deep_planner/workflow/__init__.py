"""Intent and plan as a public API of their own (seed 003): ask what a request is, make its plan, check it, run it.

``schema`` says what a workflow is, ``validate`` what makes one valid, ``create`` has a model write one, ``running``
carries one out on the planner's graph.
"""
