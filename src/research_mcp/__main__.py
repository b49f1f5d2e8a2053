"""`python -m research_mcp`; `main.py` and the console script come through here too."""

import gc

gc.disable()  # what imports make lives until the end: looking for garbage among it costs a sixth of the start

from research_mcp.cli import main  # noqa: E402

__all__ = ["main"]

if __name__ == "__main__":
    main()
