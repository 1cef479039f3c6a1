"""A real PostgreSQL server for tests: Debian's, on loopback, under a user that is not root, ended by its id."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

DEBIANS = "/usr/lib/postgresql/*/bin/postgres"


@contextlib.contextmanager
def running_server() -> Iterator[str]:
    """Start a server with an empty database and yield its address."""
    programs = _programs()
    # PostgreSQL refuses to run as root, and another user cannot enter the folders of pytest.
    user = "postgres" if os.getuid() == 0 else None
    as_user = {"user": user, "group": user, "extra_groups": []} if user else {}
    folder = Path(tempfile.mkdtemp(prefix="taxocom-postgres-"))
    if user:
        shutil.chown(folder, user, user)
    data, port = folder / "data", _free_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    made = ["-D", str(data), "-U", "taxocom", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"]
    subprocess.run([programs / "initdb", *made], check=True, **quiet, **as_user)
    # Nothing here has to survive a power cut, and waiting for the disk is most of what a small write takes.
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": "",
        "fsync": "off",
        "full_page_writes": "off",
        "max_connections": 60,
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = subprocess.Popen([programs / "postgres", "-D", str(data), *options], **quiet, **as_user)
    try:
        _wait_for(server, port)
        yield f"postgresql+psycopg://taxocom@127.0.0.1:{port}/postgres"
    finally:
        # At once: what it holds is thrown away.
        server.send_signal(signal.SIGQUIT)
        server.wait(60)
        shutil.rmtree(folder)


def _programs() -> Path:
    found = sorted(Path("/").glob(DEBIANS.lstrip("/")), key=lambda path: int(path.parts[-3]))
    if not found:
        raise RuntimeError("PostgreSQL is missing: make setup as root, or sudo apt-get install postgresql")
    return found[-1].parent


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    import psycopg

    while server.poll() is None:
        try:
            psycopg.connect(f"host=127.0.0.1 port={port} user=taxocom dbname=postgres").close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise RuntimeError(f"PostgreSQL ended at once with {server.returncode}")
