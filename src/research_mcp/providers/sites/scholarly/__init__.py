"""Scholarly papers: their full text from where it is open, never from the publisher's landing page."""

from research_mcp.providers.sites.scholarly.reader import ScholarlyRead

__all__ = ["ScholarlyRead"]
