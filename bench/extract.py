"""Page extraction against its peers: words, structure and CPU on the same pages in one run.

Each extractor runs in a process of its own and gets each page in turn, so that a busy machine is as busy
for all; figures are CPU time of the process, not time on the clock. `BENCH_PAGES` names one or more
folders (separated by `:`) in a form that `bench.corpus` knows; without it the project's own pages are read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import fmean, median

from bench.corpus import Page, Structure, kept, pages, plain, structure_of, word_f1
from bench.extractors import EXTRACTORS, OURS
from bench.peers import HOME

PASSES = 6
PASS_PAGES = 60
PACKAGES = (
    "trafilatura==2.3.1", "resiliparse==2.0.1", "html-to-markdown==3.21.2", "readability-lxml==0.9", "newspaper4k==0.9.6",
    "readabilipy==0.3.0", "markdownify==1.2.3", "lxml_html_clean",
)  # fmt: skip
SLOW = {"mcp-server-fetch's way": 6}
"""Extractors that start a program for each page: asked for every so many-th page only."""
KINDS = ("headings", "links", "rows", "code", "items")


class Extractor:
    """One extractor in its process, and what it made of the pages so far."""

    def __init__(self, name: str, python: str) -> None:
        self.name = name
        script = str(Path(__file__).parent / "extractors.py")
        self._process = subprocess.Popen(
            [python, script, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.clear()

    def clear(self) -> None:
        """Forget what was measured."""
        self.cpu: list[float] = []
        self.f1: list[float] = []
        self.parts: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.empty = 0

    def ask(self, page: Page) -> tuple[str, float, float]:
        """The text of a page, CPU ms, resident MB."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"html": page.html, "url": page.url}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return answer["text"], answer["cpu"], answer["rss"]

    def measure(self, page: Page, wanted: Structure) -> None:
        """Ask once and score the answer."""
        text, cpu, _ = self.ask(page)
        self.cpu.append(cpu)
        self.f1.append(word_f1(page.gold, plain(text)))
        self.empty += not text.strip()
        for kind, share in kept(wanted, text).items():
            self.parts[kind].append(share)

    def growth(self, some: list[Page]) -> float:
        """MB gained from the first pass over some pages to the last."""
        sizes = [max(self.ask(page)[2] for page in some) for _ in range(PASSES)]
        return sizes[-1] - sizes[0]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def _environment() -> str:
    """The Python of the peers' environment, made on first use."""
    folder = HOME / "extract"
    python = folder / "venv/bin/python"
    marker = folder / ".installed"
    if not marker.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        for packages in (("-U", "pip"), PACKAGES):  # the pip of old Pythons stumbles over lxml's extras
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        marker.touch()
    return str(python)


def run() -> list[dict[str, object]]:
    """A row for each set of pages and extractor."""
    peers = _environment()
    extractors = [Extractor(name, sys.executable if name in OURS else peers) for name in EXTRACTORS]
    rows: list[dict[str, object]] = []
    for folder in os.environ.get("BENCH_PAGES", "").split(":"):
        found = pages(folder)
        for extractor in extractors:
            extractor.clear()
            extractor.ask(found[0])  # imports and tables of the first page are not the page's
        for number, page in enumerate(found):
            wanted = structure_of(page)
            turn = number % len(extractors)
            for extractor in extractors[turn:] + extractors[:turn]:
                if number % SLOW.get(extractor.name, 1) == 0:
                    extractor.measure(page, wanted)
        name = Path(folder).name or "own pages"
        rows += [_row(name, extractor, found[:PASS_PAGES]) for extractor in extractors]
    for extractor in extractors:
        extractor.close()
    return rows


def _row(name: str, extractor: Extractor, some: list[Page]) -> dict[str, object]:
    ordered = sorted(extractor.cpu)
    shares = {
        kind: round(fmean(extractor.parts[kind]), 3) if extractor.parts[kind] else "-" for kind in KINDS
    }
    return {
        "pages": f"{name} ({len(ordered)})",
        "extractor": extractor.name,
        "word F1": round(fmean(extractor.f1), 3),
        **shares,
        "CPU ms": round(median(ordered), 1),
        "p95": round(ordered[int(len(ordered) * 0.95)], 1),
        "worst": round(ordered[-1]),
        "empty": extractor.empty,
        f"MB gained over {PASSES} passes": round(extractor.growth(some), 1)
        if extractor.name in OURS
        else "-",
    }
