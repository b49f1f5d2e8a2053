"""One file a vendor, with all it sells."""
