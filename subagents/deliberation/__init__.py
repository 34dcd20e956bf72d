"""The deliberation (seed 002): a moderator, an expert and a critic weigh a question in rounds.

* ``schemas``   what the three say to each other: the framing, the answer, the review, the judgement
* ``state``     what the graph keeps: the question, the answers, the reviews, the round
* ``quotes``    every criticism quotes the answer, or it is dropped
* ``stopping``  when it is enough: the hard stop and the soft ones
* ``records``   what is told of an answer from round to round: the best one, what stands against it, the result
* ``roles``     the four steps
* ``lookups``   what the expert may look up: reading tools alone
* ``graph``     the wiring, alone and as the fifth sub-agent (X16)

Later (C18): a choice among several experts, and a person who joins in, have their place in ``roles`` and in ``graph``;
neither is here.
"""
