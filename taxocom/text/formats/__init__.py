"""The file formats documents are read from, each streamed; `taxocom.text.loading` chooses among them."""
