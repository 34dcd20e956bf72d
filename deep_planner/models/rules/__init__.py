"""``offline:rules``: a chat model made of rules, for when there is no key or no network (N9).

It is a model like any other: it sees the messages and the tools bound to it, keeps nothing between calls, and answers
with tool calls or text. Which tools are bound tells it which role it plays.

* ``chat_model``  the LangChain face: invoke, stream, async
* ``reading``     what stands in a prompt: the situation, the item, the engine's records
* ``spelling``    slips, abbreviations and traditional characters, mended before anything is read
* ``marking``     time phrases; ``clauses`` the parts of a request; ``tables`` the compiled tables
* ``frames``      what a clause wants; ``grammar`` from a clause to a frame, by the tables ``zh.toml`` and ``en.toml``
* ``understanding``  all clauses together; ``following`` what goes on from the last turn
* ``conditions``  conditions on the weather; ``deciding`` whether they hold, and free slots
* ``journeys``    several days somewhere, as items; ``travelling`` what the sub-agents do of them
* ``way_out``     another plan for the case that the weather is bad
* ``sorting``     the roles of triage and of taking an answer
* ``planning``    the role of the planner
* ``working``     the roles of the sub-agents
* ``deliberating``  the roles of a deliberation; ``weighing`` what speaks for and against a day
* ``wording``     the roles of the note agent and of the reply
"""

from deep_planner.models.rules.chat_model import OfflineRules

__all__ = ["OfflineRules"]
