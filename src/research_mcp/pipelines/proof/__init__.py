"""What each provider is good for, proven by one small call."""
