"""A scheduler and workers of Dask on this machine, each worker a process with one thread."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from taxocom.errors import JobError
from taxocom.jobs.cluster import ONE_THREAD
from taxocom.subprocesses import environment


@contextmanager
def running(n_workers: int, *, host: str, port: int, memory: str) -> Iterator[str]:
    """Start a cluster, yield its address, and end it."""
    try:
        from distributed import LocalCluster
    except ImportError as error:
        raise JobError("A cluster takes Dask: pip install 'taxocom[cluster]'") from error
    # Both: what a nanny is told reaches its worker, but too late for what the interpreter loads first.
    os.environ.update({**environment(), **ONE_THREAD})
    try:
        cluster = LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host=host,
            scheduler_port=port,
            dashboard_address=None,
            memory_limit=memory,
            env=ONE_THREAD,
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise JobError(f"The cluster could not be started at {host}:{port} ({error!s:.200}).") from error
    with cluster:
        yield str(cluster.scheduler_address)
