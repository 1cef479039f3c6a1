"""For people to read: the HTML report, its map, and what changed between two trees."""
