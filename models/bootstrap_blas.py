"""One BLAS thread for the thin matrix products of a bootstrap.

Two threads on products of a few hundred columns gain nothing and are at times a hundred
times slower; workers share the cores better.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

# where NumPy's wheels keep their OpenBLAS, by platform
_FOLDERS = ("../numpy.libs", ".libs", ".dylibs")
_NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "scipy_openblas_{}_num_threads",
    "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold NumPy's OpenBLAS to one thread inside the block, then put it back.

    Yields
    ------
    None
        Does nothing where NumPy comes with another BLAS: results do not depend on it.
    """
    library = _openblas()
    if library is None:
        yield
        return
    read, write = library
    threads = read()
    write(1)
    try:
        yield
    finally:
        write(threads)


@cache
def _openblas() -> tuple[ctypes._NamedFuncPointer, ctypes._NamedFuncPointer] | None:
    home = Path(np.__file__).parent
    for folder in _FOLDERS:
        for path in sorted((home / folder).glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for name in _NAMES:
                if hasattr(library, name.format("set")):
                    return (
                        getattr(library, name.format("get")),
                        getattr(library, name.format("set")),
                    )
    return None
