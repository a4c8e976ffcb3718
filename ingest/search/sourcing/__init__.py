"""Finding the products of a search bank: ranked lists, every third item, frozen."""
