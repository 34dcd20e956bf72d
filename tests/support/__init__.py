"""Servers and doubles that several tests share."""
