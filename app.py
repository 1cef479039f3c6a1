"""The home page: projects, the sample, a new project, a backup to restore; and the server around all pages."""

from starlette.middleware import Middleware
from streamlit.starlette import App

from taxocom.serving.beside_pages import routes_beside_pages
from taxocom.serving.guard import Guard
from taxocom.store.homes.logs import start_logging
from taxocom.ui.home import home_page
from taxocom.ui.runtime import access, health, sign_in
from taxocom.ui.shared.bootstrap import page

if __name__ == "__main__":
    with page("Projects"):
        home_page.show()
else:
    access.refuse_other_machines()
    start_logging(for_server=True)
    # `streamlit run app.py` finds this and imports it; without it there would be no place for the guard.
    routes = [*health.routes(), *routes_beside_pages()]
    app = App(
        __file__, routes=routes, middleware=[Middleware(Guard, with_sign_in=sign_in.is_on)], lifespan=access.serving
    )
