"""Checking offers: what a page asks, what shipping costs, whether it can be bought."""
