"""Values that several expressions share, of which each takes those that it has."""

from collections.abc import Mapping
from typing import Any

import eggrad as eg
from eggrad.frontend.expression.merged import Merged


def evaluated(f: Any, values: Mapping[str, Any], **options: Any) -> Any:
    """The value of an expression, of an array with merged axes, or of a definition."""
    if isinstance(f, Merged):
        known = f.entries.known
    else:
        known = f.expression.known if isinstance(f, eg.Definition) else f.known
    return f.evaluate({n: v for n, v in values.items() if n in known}, **options)
