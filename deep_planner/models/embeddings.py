"""What titles mean, by the embeddings of DashScope; see ``tools.services.meaning`` for what it is good for."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence

from dashscope import AsyncClient

from deep_planner.models.errors import provider_error

#: From this cosine on two titles are offered for one another. Not measured on a real service.
ALIKE = 0.7
#: Texts in one request; the service takes no more.
_BATCH = 10
#: How many vectors are kept.
_KEPT = 2000

_log = logging.getLogger(__name__)


class DashScopeTitles:
    """Compares titles by their embeddings; whatever fails, nothing is alike, and the planner goes on with words alone.

    Args:
        client: DashScope's client; whoever made it closes it.
        model: Name of the embedding model.
        secret: The key, to be kept out of the log.
        patience: Seconds that the user waits for it at most.
    """

    def __init__(self, client: AsyncClient, model: str, secret: str, patience: float = 5.0) -> None:
        self._client = client
        self._model = model
        self._secret = secret
        self._patience = patience
        self._known: dict[str, list[float]] = {}

    async def alike(self, title: str, others: Sequence[str]) -> list[str]:
        """Those of the others whose cosine is :data:`ALIKE` or more, the nearest first."""
        try:
            async with asyncio.timeout(self._patience):
                await self._learn([title, *others])
            near = {other: _cosine(self._known[title], self._known[other]) for other in others}
        except Exception as error:  # noqa: BLE001 - a comfort must not cost anybody a run
            _log.warning("titles are compared by words alone: %s", provider_error(error, (self._secret,)))
            return []
        return sorted((other for other in others if near[other] >= ALIKE), key=lambda other: -near[other])

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.transport.http_client.aclose()

    async def _learn(self, titles: Sequence[str]) -> None:
        if len(self._known) + len(titles) > _KEPT:
            self._known.clear()
        new = [title for title in dict.fromkeys(titles) if title not in self._known]
        batches = [new[start : start + _BATCH] for start in range(0, len(new), _BATCH)]
        for batch, vectors in zip(batches, await asyncio.gather(*map(self._embedded, batches)), strict=True):
            self._known.update(zip(batch, vectors, strict=True))

    async def _embedded(self, batch: list[str]) -> list[list[float]]:
        answer = await self._client.embeddings.create(model=self._model, input=batch)
        return [row.embedding for row in sorted(answer.embeddings, key=lambda row: row.index)]


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0
