"""A cluster on this machine: a scheduler and workers, for work that falls into pieces."""

from __future__ import annotations

import os
import signal
import threading

import click

from taxocom.cli.console import counted


@click.command()
@click.option("--workers", type=click.IntRange(1), help="How many workers.", show_default="one a core")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8786, show_default=True, help="The port; 0 picks a free one."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address it listens at. It asks for no password."
)
@click.option("--memory", default="auto", show_default=True, help="The memory limit of each worker, such as 4GiB.")
def cluster(workers: int | None, port: int, host: str, memory: str) -> None:
    """Start a Dask cluster on this machine and keep it until Ctrl-C.

    Give its address to commands and to the app as TAXOCOM_SCHEDULER: their work is then done there. Workers on other
    machines join with `dask worker ADDRESS`; they need the same version and the same home.
    """
    from taxocom.jobs.local_cluster import running

    n_workers = workers or len(os.sched_getaffinity(0))
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    with running(n_workers, host=host, port=port, memory=memory) as address:
        click.echo(f"{counted(n_workers, 'worker')}. TAXOCOM_SCHEDULER={address}")
        try:
            over.wait()
        except KeyboardInterrupt:
            click.echo("The cluster ends.")
