"""The page as it stands, as HTML: read in a world of its own, where the page's scripts change nothing."""

from __future__ import annotations

from typing import Any

from playwright.async_api import CDPSession

_TEXT_LENGTH = "(document.body ? document.body.innerText.length : 0)"

_HTML = """
(() => {
  const hosts = [];
  const find = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) { hosts.push(element); find(element.shadowRoot); }
    }
  };
  find(document);
  for (const host of hosts.reverse()) {
    const shadow = host.shadowRoot;
    for (const style of shadow.querySelectorAll("style, link")) style.remove();
    for (const slot of shadow.querySelectorAll("slot")) {
      const shown = slot.assignedNodes();
      const inside = document.createDocumentFragment();
      for (const node of shown.length ? shown : [...slot.childNodes]) inside.appendChild(node);
      slot.replaceWith(inside);
    }
    const shown = document.createDocumentFragment();
    for (const node of [...shadow.childNodes]) shown.appendChild(node);
    host.replaceChildren(shown);
  }
  const html = document.documentElement ? document.documentElement.outerHTML : "";
  return [html.slice(0, MOST), html.length > MOST];
})()
"""
"""Text in open shadow trees takes the place that it is shown at; the page is not used afterwards."""


class Snapshots:
    """Reads one page through its debugging session. Raises the driver's error when the page is gone."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    async def text_length(self) -> int:
        """How many characters the page shows."""
        return int(await self._ask(_TEXT_LENGTH))

    async def html(self, most: int) -> tuple[str, bool]:
        """The first `most` characters of the page's tree, and whether there are more."""
        text, cut = await self._ask(_HTML.replace("MOST", str(most)))
        return str(text), bool(cut)

    async def _ask(self, expression: str) -> Any:
        frames = await self._session.send("Page.getFrameTree")
        world = await self._session.send(
            "Page.createIsolatedWorld", {"frameId": frames["frameTree"]["frame"]["id"], "worldName": "reader"}
        )
        answer = await self._session.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": world["executionContextId"], "returnByValue": True},
        )
        return answer["result"]["value"]
