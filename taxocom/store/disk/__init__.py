"""The disk: whole writes, locks, the clock, arrays in files, downloads."""
