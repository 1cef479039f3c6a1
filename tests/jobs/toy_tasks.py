"""Kinds of jobs for the tests, imported by workers through TAXOCOM_TASKS."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from taxocom.errors import CancelledError, InputError
from taxocom.jobs import task
from taxocom.jobs.pieces import do_pieces, piece
from taxocom.progress import Progress
from taxocom.store import Project


@task("toy.count")
def count(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    n, pause = int(params.get("n", 5)), float(params.get("pause", 0.0))
    for done in range(n):
        progress.report("Counting", done / n)
        time.sleep(pause)
    return {"counted": n, "niceness": os.nice(0), "session": os.getsid(0), "pid": os.getpid()}


@task("toy.deaf")
def deaf(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    progress.report("Not listening", 0.1)
    time.sleep(60)
    return {}


@task("toy.holds_the_interpreter")
def holds_the_interpreter(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    import ctypes

    progress.report("Holding on", 0.1)
    # PyDLL keeps the interpreter lock during the call, as a badly written extension would.
    ctypes.PyDLL(None).sleep(60)
    return {}


@task("toy.fails")
def fails(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    progress.report("About to fail", 0.4)
    match params["how"]:
        case "politely":
            raise InputError("line 3 of news.csv has no text. Remove it.")
        case "unexpectedly":
            raise ZeroDivisionError("a detail")
        case "with an odd result":
            return {"result": {1, 2}}
        case "memory":
            raise MemoryError
        case _:
            os.kill(os.getpid(), 9)
    return {}


@task("toy.marks_time")
def marks_time(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    with Path(params["file"]).open("a") as file:
        print("in", params["name"], file=file, flush=True)
        time.sleep(0.1)
        print("out", params["name"], file=file, flush=True)
    return {}


@task("toy.publishes")
def publishes(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    """Build a directory piece by piece and let it serve as "toy", as real work does."""
    n = int(params.get("n", 20))
    with project.working_place("toy") as place:
        place.mkdir()
        for piece in range(n):
            progress.report("Building", piece / n)
            (place / f"{piece}.txt").write_text(f"{params.get('text', 'piece')} {piece}\n" * 1000)
            time.sleep(float(params.get("pause", 0.0)))
        artifact = project.publish_directory(place, "toy", made_from="nothing")
        project.use("toy", artifact)
    return {"artifact": artifact.name, "pieces": n}


@task("toy.waits_for_ever")
def waits_for_ever(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    import threading

    progress.report("Waiting for a lock", 0.1)
    threading.Event().wait()
    return {}


@task("toy.works_in_silence")
def works_in_silence(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    progress.report("Working in silence", 0.1)
    until = time.monotonic() + float(params["seconds"])
    while time.monotonic() < until:
        pass
    return {}


@task("toy.works_elsewhere")
def works_elsewhere(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    import subprocess
    import sys

    progress.report("Working elsewhere", 0.1)
    busy = f"import time; until = time.monotonic() + {params['seconds']}\nwhile time.monotonic() < until: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    return {}


@task("toy.needs_memory")
def needs_memory(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    progress.report("Filling memory", 0.1)
    held = [bytearray(2**26) for _ in range(int(params["mib"]) // 64)]
    return {"held": len(held)}


@task("toy.pieces")
def pieces(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    with project.working_place("pieces") as place:
        place.mkdir()
        asked = [{"number": number, "folder": params["folder"]} for number in range(int(params["n"]))]
        files = do_pieces(project, "toy.waits", asked, place, progress)
        return {"found": [file.read_text() for file in files]}


@piece("toy.waits")
def waits(project: Project, params: Mapping[str, Any], place: Path, progress: Progress) -> None:
    """Say who begins it, wait until it may end, and say what it was."""
    folder = Path(params["folder"])
    with (folder / "begun").open("a") as file:
        file.write(f"{params['number']} {os.getpid()} {os.environ['OMP_NUM_THREADS']}\n")
    try:
        while not (folder / "go").exists():
            progress.report("Waiting", 0.5)
            time.sleep(0.02)
    except CancelledError:
        (folder / "heard").touch()
        raise
    place.write_text(f"{project.name} {params['number']}")


@task("toy.first", then="toy.second")
def first(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    if params.get("fails"):
        raise InputError("The first of two failed.")
    return {"found": 7, "pid": os.getpid()}


@task("toy.second")
def second(project: Project, params: Mapping[str, Any], progress: Progress) -> Mapping[str, Any]:
    return {"given": params["found"], "pid": os.getpid(), "while": project.job_table.get(1).state}
