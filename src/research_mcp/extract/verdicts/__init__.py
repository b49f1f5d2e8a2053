"""What a page is instead of its text: a wall, a teaser, an empty shell."""
