"""What a person sees: session, pages, charts and components. The only importer of streamlit and plotly."""
