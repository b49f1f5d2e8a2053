"""CPU work on hostile bytes, in processes that can be killed."""
