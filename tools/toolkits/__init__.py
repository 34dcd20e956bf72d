"""Tools as models see them: parse, call one service method, answer with a ``ToolResult``.

Every description has four parts (seed 000 section 5.3) and stands in ``text/<language>/tools.toml``. The domain tools
(task, calendar, weather, notification) carry code. The state tools (todos, notes, ask_user) are schemas only: the
graph itself carries them out, because they read and change its state.
"""
