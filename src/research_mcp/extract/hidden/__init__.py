"""What a reader of the page would not see, and its removal."""
