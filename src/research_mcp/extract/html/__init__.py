"""Web pages as Markdown: the parts of a document and how each is written."""
