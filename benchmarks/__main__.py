"""Run benchmarks and keep what they measured: `python -m benchmarks [--corpora DIR] [NAME…]`.

A benchmark is a module of this package with `run(corpora) -> str`: it is given the directory of corpora (None if there
is none), and the number of `--count` if it takes a `count`, and returns Markdown. The result is written to
`benchmarks/results/NAME.md` under the machine and the date.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import pkgutil
import platform
import re
import sys
import time
import traceback
from collections.abc import Callable
from datetime import date
from pathlib import Path

import psutil

RESULTS = Path(__file__).with_name("results")
# Quality and fuzz take an hour or two, and quality has requirements of its own; faults measures no speed.
ONLY_BY_NAME = frozenset({"faults", "fuzz", "quality"})


def main(arguments: list[str] | None = None) -> int:
    """Run the named benchmarks, or all but those that must be asked for; return how many failed."""
    names = benchmark_names()
    parser = argparse.ArgumentParser("python -m benchmarks", description="Run benchmarks and keep what they measured.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(names) or 'none yet'}")
    parser.add_argument("--corpora", type=Path, help="the directory of corpora, for benchmarks on real ones")
    parser.add_argument("--count", type=int, help="how many inputs, for benchmarks that are run on a number of them")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write (default: %(default)s)")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(names)):
        parser.error(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(names)}")
    if options.corpora is not None and not options.corpora.is_dir():
        parser.error(f"--corpora {options.corpora}: there is no such directory")
    chosen = options.names or [name for name in names if name not in ONLY_BY_NAME]
    return sum(not _run(name, options.corpora, options.results, options.count) for name in chosen)


def benchmark_names() -> list[str]:
    """Return the modules of this package that can be run, by name."""
    modules = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return sorted(name for name in modules if not name.startswith("_") and _is_benchmark(name))


def _is_benchmark(name: str) -> bool:
    # Read rather than imported: the list must not need gensim, nor compile anything.
    source = Path(__file__).with_name(f"{name}.py")
    return source.exists() and re.search(r"^def run\(", source.read_text(encoding="utf-8"), re.MULTILINE) is not None


def _run(name: str, corpora: Path | None, results: Path, count: int | None = None) -> bool:
    print(f"== {name}", flush=True)
    started = time.perf_counter()
    try:
        run: Callable[..., str] = importlib.import_module(f"benchmarks.{name}").run
        counted = {"count": count} if count is not None and "count" in inspect.signature(run).parameters else {}
        table = run(corpora, **counted).strip()
    # One benchmark that fails must not cost the hours of those after it.
    except Exception:
        traceback.print_exc()
        print(f"{name} failed; its earlier result, if any, is left as it was.\n", file=sys.stderr)
        return False
    command = f"python -m benchmarks{' --corpora DIR' if corpora else ''} {name}"
    command += f" --count {count}" if counted else ""
    write_result(name, table, command, results, seconds=time.perf_counter() - started)
    print(table + "\n", flush=True)
    return True


def write_result(name: str, table: str, command: str, results: Path = RESULTS, *, seconds: float) -> None:
    """Keep a table under the command, the machine, the date and how long it took."""
    heading = f"# {name}\n\n`{command}` on {machine()}, {date.today().isoformat()}, {seconds:.0f} s in all.\n\n"
    results.mkdir(parents=True, exist_ok=True)
    (results / f"{name}.md").write_text(heading + table + "\n", encoding="utf-8")


def machine() -> str:
    """Describe what the measurements were made on, as far as it bears on them."""
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, "
        f"{platform.system()}, Python {platform.python_version()}"
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", information.read_text(), re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
