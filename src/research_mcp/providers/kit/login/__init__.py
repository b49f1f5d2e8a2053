"""The owner's own login in the place of a key."""
