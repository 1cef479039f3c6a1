"""The HTTP interface on the port of the app, if its admin asked for it."""

from __future__ import annotations

import os

from starlette.routing import Mount

SWITCH = "TAXOCOM_API"
ON = "on"


def routes_beside_pages() -> list[Mount]:
    """Return the interface for the server of the app if TAXOCOM_API is `on`, else nothing.

    What it needs is loaded only then: an app that does not serve it starts as quickly as before.
    """
    if os.environ.get(SWITCH, "").strip().lower() != ON:
        return []
    from taxocom.serving.api import PREFIX, api
    from taxocom.serving.callers import by_token
    from taxocom.store.homes.api_token import api_token

    return [Mount(PREFIX, app=api(by_token(api_token())))]
