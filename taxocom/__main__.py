"""`python -m taxocom` is the command `taxocom`."""

from taxocom.cli import main

if __name__ == "__main__":
    main(prog_name="taxocom")
