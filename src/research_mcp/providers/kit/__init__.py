"""What every provider type is built on."""
