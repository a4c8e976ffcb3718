"""Speed, as ratios against other packages and as the cost of a whole build."""
