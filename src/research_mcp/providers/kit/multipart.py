"""A file in a form, as `multipart/form-data` (RFC 7578)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class File:
    """What is uploaded: the field, the name that tells its format, its type and octets."""

    field: str
    name: str
    media_type: str
    body: bytes


def multipart(fields: Mapping[str, str], file: File) -> tuple[str, bytes]:
    """The content type and the body of a form. Values must be free of line ends: they are our own."""
    boundary = hashlib.sha256(file.body).hexdigest()
    lines = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    lines.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{file.field}"; filename="{file.name}"\r\n'
        f"Content-Type: {file.media_type}\r\n\r\n"
    )
    body = "".join(lines).encode() + file.body + f"\r\n--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", body
