"""Where the text of a page is: extractors find it, the blocks that vouch for it are kept."""
