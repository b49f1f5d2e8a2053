"""`python -m bench [name ...]`: run the benchmarks and print one Markdown table for each.

Each module of this package with a `run() -> list[dict]` is a benchmark; results go to
`bench/results/<name>.json` with the machine they were measured on.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

NAMES = (
    "start",
    "guard",
    "read",
    "mixed",
    "extract",
    "hedging",
    "hostile",
    "search",
    "cached",
    "state",
    "soak",
)
RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return {
        "cpu": f"{os.cpu_count()} x {model}",
        "python": platform.python_version(),
        "system": platform.system(),
        "date": datetime.now(UTC).date().isoformat(),
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def table(rows: list[dict[str, object]]) -> str:
    """Rows of equal keys as a Markdown table."""
    keys = list(rows[0])
    lines = [keys, ["---"] * len(keys), *([str(row[key]) for key in keys] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Run what the command line names, or everything."""
    names = sys.argv[1:] or NAMES
    RESULTS.mkdir(exist_ok=True)
    for name in names:
        rows = importlib.import_module(f"bench.{name}").run()
        result = {"machine": machine(), "rows": rows}
        (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        print(
            f"\n### {name} ({', '.join(f'{k} {v}' for k, v in machine().items())})\n\n{table(rows)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
