"""Pages of our own writing, in the markup of real systems, with what extraction must make of them."""
