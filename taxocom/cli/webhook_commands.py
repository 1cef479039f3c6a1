"""Addresses that are told what is decided."""

from __future__ import annotations

import click

from taxocom.cli.console import counted, print_table
from taxocom.cli.curation_commands import project_argument
from taxocom.cli.topic_lookup import author_option


@click.command()
@project_argument
@click.argument("url")
@click.option("--remove", is_flag=True, help="Post nothing there any more.")
@author_option
def webhook(name: str, url: str, remove: bool, author: str) -> None:
    """Let what is decided be posted to an address: JSON, signed with the secret that is printed.

    The header X-Taxocom-Signature is `sha256=` and the HMAC of X-Taxocom-Timestamp, a dot and the body by this secret.
    The app posts while it runs, and again later what was not taken.
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
    """List the addresses that are told what is decided, and how far each has got."""
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
    """Post now what is due to the webhooks of a project, as where the app does not run."""
    from taxocom.jobs.webhooks import deliver
    from taxocom.store import open_project

    with open_project(name) as project:
        click.echo(f"{counted(deliver(project), 'post')} taken.")
