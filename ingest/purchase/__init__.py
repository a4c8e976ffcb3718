"""Purchase decisions: scenario bank, prompts, replies and published runs."""
