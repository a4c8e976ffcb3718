"""The offline world: models, shops and search agents whose truth is known."""
