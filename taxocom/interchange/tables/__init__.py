"""Rows and columns: CSV and spreadsheets, in and out."""
