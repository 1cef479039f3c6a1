"""The home page: projects, the sample, a new project, a backup to restore."""

import streamlit as st

from taxocom.ui.bootstrap import page

with page("Projects"):
    st.title("Projects")
