"""Files from strangers, read in a process of their own with limits on memory and time; `files` is what others call."""
