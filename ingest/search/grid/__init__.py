"""The grid of a search bank: how many products of which retailer and category."""
