"""A thin door: `python main.py` is `python -m research_mcp`."""

from research_mcp.__main__ import main

if __name__ == "__main__":
    main()
