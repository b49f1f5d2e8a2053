"""Provider types: the built-ins of this package, then third parties by entry point.

`load` imports every module below `vendors`, `sites` and `local`, whose classes register themselves,
and then whatever the entry-point group `research_mcp.providers` names. A third party's broken
package is named in the returned list and never stops the start.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import EntryPoint, entry_points

from research_mcp.core.errors import ConfigError

GROUP = "research_mcp.providers"
_ROOMS = ("vendors", "sites", "local")


def load(found: tuple[EntryPoint, ...] | None = None) -> list[str]:
    """Register all types. Returns one sentence for each third-party package that could not load."""
    for room in _ROOMS:
        package = importlib.import_module(f"{__name__}.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    failed = []
    for entry in found if found is not None else tuple(entry_points(group=GROUP)):
        try:
            entry.load()
        except ConfigError:
            raise
        except Exception as error:  # noqa: BLE001  a stranger's package may raise anything at import
            failed.append(
                f"provider package {entry.name} ({entry.value}) could not load: {type(error).__name__}"
            )
    return failed
