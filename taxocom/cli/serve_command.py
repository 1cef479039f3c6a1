"""Answer programs over HTTP."""

from __future__ import annotations

import click


@click.command()
@click.option("--api", "wanted", is_flag=True, help="Serve the HTTP interface for programs.")
@click.option("--port", type=click.IntRange(1, 65535), default=8600, show_default=True, help="The port.")
@click.option("--address", default="127.0.0.1", show_default=True, help="Which address of this machine it answers on.")
@click.option(
    "--per-minute", type=click.IntRange(1), help="Requests that each caller may make a minute; 120 by default."
)
@click.option("--new-token", is_flag=True, help="Make a new token; the old one stops working.")
def serve(wanted: bool, port: int, address: str, per_minute: int | None, new_token: bool) -> None:
    """Serve topics, changes, releases, tagging and decisions to programs over HTTP.

    Every request needs a token: the one in the file `api-token` of the home, or $TAXOCOM_TOKEN. The page at the
    address describes every request. With TAXOCOM_API=on, the app answers the same requests on its own port.
    """
    from dataclasses import replace

    from taxocom.serving.api import PREFIX
    from taxocom.serving.limits import Limits
    from taxocom.serving.server import serve as run
    from taxocom.store.homes.api_token import SETTING, api_token, token_place
    from taxocom.store.homes.logs import start_logging

    if not wanted:
        raise click.UsageError("Say what to serve: taxocom serve --api. The app is started by `make app`.")
    of_server = api_token(fresh=new_token)
    start_logging(for_server=True)
    limits = Limits() if per_minute is None else replace(Limits(), per_minute=per_minute)
    click.echo(f"What can be asked: http://{_shown(address)}:{port}{PREFIX}/ (Ctrl-C ends it)")
    click.echo(f"The token: {token_place() if not _is_given(SETTING) else f'as {SETTING} says'}")
    run(address, port, of_server, limits)


@click.command()
@click.argument("person")
def token(person: str) -> None:
    """Print the token by which a person reads and decides over HTTP; their role in a project says how far it reaches.

    `serve --new-token` ends the tokens of all people.
    """
    from taxocom.serving.callers import token_of
    from taxocom.store.homes.api_token import api_token

    click.echo(token_of(person, api_token()))


def _shown(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _is_given(setting: str) -> bool:
    import os

    return bool(os.environ.get(setting, "").strip())
