"""Readers that know their own urls."""
