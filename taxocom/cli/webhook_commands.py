"""Commands about webhooks: addresses that every decision is posted to."""

from __future__ import annotations

import click

from taxocom.cli.console import counted, print_table
from taxocom.cli.curation_commands import project_argument
from taxocom.cli.topic_lookup import author_option


@click.command()
@project_argument
@click.argument("url")
@click.option("--remove", is_flag=True, help="Stop posting there.")
@author_option
def webhook(name: str, url: str, remove: bool, author: str) -> None:
    """Post every decision to an address, as JSON signed with the secret that is printed.

    The header X-Taxocom-Signature is `sha256=` and the HMAC of X-Taxocom-Timestamp, a dot and the body by this secret.
    The app posts while it runs. What an address did not accept is tried again later.
    """
    from taxocom.jobs.webhooks import add_webhook, remove_webhook
    from taxocom.store import open_project

    with open_project(name) as project:
        if remove:
            remove_webhook(project, url, by=author)
            click.echo(f"Nothing is posted to {url} any more.")
        else:
            click.echo(add_webhook(project, url, by=author).secret)


@click.command("webhooks")
@project_argument
def webhooks_(name: str) -> None:
    """List the addresses that decisions are posted to, and how far each has got."""
    from taxocom.jobs.webhooks import webhooks
    from taxocom.store import open_project

    with open_project(name) as project:
        found, last = webhooks(project), project.sequence
    print_table(
        ["address", "told up to", "of", "failures", "last failure"],
        ([hook.url, hook.delivered, last, hook.failures, hook.said] for hook in found),
    )


@click.command()
@project_argument
def deliver(name: str) -> None:
    """Post what is due to the webhooks of a project now, for example where the app is not running."""
    from taxocom.jobs.webhooks import deliver
    from taxocom.store import open_project

    with open_project(name) as project:
        click.echo(f"{counted(deliver(project), 'post')} taken.")
