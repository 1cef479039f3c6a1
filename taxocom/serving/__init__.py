"""What programs ask over HTTP. Read `addresses.py` first: every address, once, for the server and its description."""
