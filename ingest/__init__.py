"""Getting observations into the warehouse; nothing here computes a result."""
