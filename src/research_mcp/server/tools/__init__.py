"""The tools: arguments in, answers out."""
