"""The panel: what was found, as pages, judged blind by models of several labs."""
