"""A loopback site with article pages, hostile pages and slow ones, in a process of its own."""

from __future__ import annotations

import multiprocessing
import random
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

WORDS = [
    "the",
    "tide",
    "rises",
    "and",
    "a",
    "turbine",
    "in",
    "the",
    "barrage",
    "turns",
    "while",
    "engineers",
    "measure",
    "flow",
    "pressure",
    "cost",
    "output",
    "sediment",
    "fish",
    "passage",
    "grid",
    "demand",
    "storage",
    "concrete",
    "maintenance",
    "salt",
    "corrosion",
    "blades",
    "season",
    "storm",
]
ARTICLES = 40


def article(number: int) -> bytes:
    """One page of about 40 KB: navigation, a long text with structure, related links, a footer."""
    dice = random.Random(number)
    paragraphs = []
    for index in range(24):
        sentence = " ".join(dice.choices(WORDS, k=14)).capitalize()
        text = f"{sentence}. " + " ".join(
            f"{' '.join(dice.choices(WORDS, k=12)).capitalize()}." for _ in range(5)
        )
        if index % 6 == 0:
            paragraphs.append(f"<h2>Part {index // 6 + 1} of page {number}</h2>")
        paragraphs.append(f'<p>{text} <a href="/article/{(number + index) % ARTICLES}">More</a>.</p>')
    menu = "".join(f'<li><a href="/topic/{i}">Topic {i}</a></li>' for i in range(60))
    related = "".join(f'<li><a href="/article/{i}">Related story {i}</a></li>' for i in range(20))
    table = "".join(f"<tr><td>{i}</td><td>{dice.random():.3f}</td></tr>" for i in range(12))
    script = "window.state=" + repr([dice.random() for _ in range(500)]) + ";"
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Tides {number}</title>"
        f"<script>{script}</script></head><body><nav><ul>{menu}</ul></nav><main><article>"
        f"<h1>Tides {number}</h1>{''.join(paragraphs)}<table><tr><th>n</th><th>v</th></tr>{table}</table>"
        f"</article><aside><ul>{related}</ul></aside></main><footer>Imprint, privacy</footer></body></html>"
    ).encode()


def hostile(kind: int) -> bytes:
    """Pages of about a megabyte that keep a parser busy for many seconds."""
    if kind % 4 == 0:
        return b"<html><body><p>" + b'<a href="/x">link</a> ' * 30_000 + b"</p></body></html>"
    if kind % 4 == 1:
        return b"<html><body><p " + b" ".join(b'a%d="1"' % i for i in range(80_000)) + b">x</p></body></html>"
    if kind % 4 == 2:
        return b"<html><body><table><tr>" + b"<td>cell</td>" * 80_000 + b"</tr></table></body></html>"
    return b"<html><body>" + b"<div>" * 100_000 + b"text" + b"</body></html>"


@dataclass(frozen=True, slots=True)
class Served:
    """A page with its content type, sent after some seconds."""

    body: bytes
    media_type: str = "text/html; charset=utf-8"
    seconds: float = 0.0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pages: dict[str, Served]

    def do_GET(self) -> None:
        if self.path.startswith("/hang"):
            self.rfile.read(1)  # until the client leaves
            return
        if self.path.startswith("/reset"):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            return
        page = self.pages.get(self.path.partition("?")[0], Served(b""))
        time.sleep(page.seconds)
        self.send_response(200 if page.body else 404)
        self.send_header("Content-Type", page.media_type)
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        self.wfile.write(page.body)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def _serve(pipe: Connection, pages: Mapping[str, Served]) -> None:
    _Handler.pages = {f"/article/{n}": Served(article(n)) for n in range(ARTICLES)}
    _Handler.pages |= {f"/hostile/{n}": Served(hostile(n)) for n in range(8)}
    _Handler.pages |= pages
    server = _Server(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pipe.send(server.server_address[1])
    pipe.recv()


@contextmanager
def site(pages: Mapping[str, Served] | None = None) -> Iterator[str]:
    """The base address of a running site, with `pages` by path beside its own."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(there, pages or {}), daemon=True
    )
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}"
    finally:
        here.send("stop")
        process.join(5)
