"""What all of Deep Planner shares, and what its sub-agents can do.

This is the lowest of the three packages (``deep_planner`` -> ``subagents`` -> ``tools``), so everything that more
than one of them needs lives here, on five floors; each floor imports only those below it:

* ``toolkits``  LangChain tools: parse the call, call one service method, return a ``ToolResult``
* ``services``  the rules applied to real rows: tasks, calendar, weather, notifications
* ``store``     tables, migrations, repositories, the effect log: all SQL
* ``domain``    the rules themselves: plain Python values and functions, no I/O
* ``core``      errors, results, the run's context, the clock, the text catalogue
"""
