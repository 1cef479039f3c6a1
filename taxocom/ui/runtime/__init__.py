"""A session of Streamlit: its state, its one door for writing, who may come in, how it ends."""
