"""Time expressions, Chinese and English, read by hand-written tables: no language model, no language library.

``parse_when`` answers ``None`` rather than a guess. A text is cut into pieces (``scan``) by the rules of ``zh.toml``
and ``en.toml``, the pieces that belong together are joined (``assemble``), and each group is counted from the present
moment (``resolve``), by the conventions P1, P16, P19 and P24.
"""

from tools.domain.times.parse import find_whens, occurrences, parse_when, remove_spans
from tools.domain.times.when import Kind, When

__all__ = ["Kind", "When", "find_whens", "occurrences", "parse_when", "remove_spans"]
