"""PDF files as Markdown."""
