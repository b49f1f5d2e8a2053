"""Events, logs and redaction."""
