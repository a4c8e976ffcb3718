"""Reading product pages: what is sold, at what price, in what pack, and whether now."""
