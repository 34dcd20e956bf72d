"""A loopback server that speaks the wires of chat models, from a script.

In one line::

    with ModelServer(lambda request: Said("好的")) as server: ...

``server.url`` is the base URL of OpenAI's wire (chat completions, embeddings), ``server.dashscope_url`` that of
DashScope's own; both answer as JSON or as server-sent events, whichever the client asks for. A script is a callable of
the :class:`Request`, or a list of answers that are used up in order. An answer is a :class:`Said` (see
``scripted_model``: ``call(...)``, ``Said("...")``), a :class:`Failure` (an HTTP error), :class:`Raw` payloads, or a
:class:`Fault` (an answer that is spoilt in one of the ways in :data:`FAULTS`); ``spoiled(script, "cut", role="task",
times=1)`` spoils some of another script's answers. The script is called while its request counts as in flight, so it
may wait for others.

``ModelServer(script, strict=True)`` refuses (400) histories which vendors refuse, and keeps what it found in
``refusals``; ``echo="required"`` or ``"forbidden"`` adds what some vendors want of reasoning. ``tokens=counted``
reports token counts that follow from the prompt, cached ones included, instead of always the same.

Afterwards: ``requests`` (each with ``body``, ``role``, ``shared``, ``extends``), ``roles``, ``peak``, ``totals``.
"""

from tests.support.model_server.faults import FAULTS, Fault, spoiled
from tests.support.model_server.script import USAGE, Answer, Failure, Raw, Request, Tokens, counted
from tests.support.model_server.server import ModelServer

__all__ = [
    "FAULTS",
    "USAGE",
    "Answer",
    "Failure",
    "Fault",
    "ModelServer",
    "Raw",
    "Request",
    "Tokens",
    "counted",
    "spoiled",
]
