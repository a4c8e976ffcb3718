"""Hearing ctrl-C, and the signal to terminate, through libraries that would not."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def heeded_interrupts() -> Iterator[None]:
    """Let ctrl-C end the block whatever the code in it makes of it.

    dbt and dlt catch ``KeyboardInterrupt`` and report a failed step, or go on with the
    next one; the interpreter drops it where the signal meets a clean-up.

    Raises
    ------
    KeyboardInterrupt
        At the end of the block if SIGINT came inside it, in the place of any other
        exception. Where the program ignores SIGINT or handles it in a way of its own,
        and outside the main thread, nothing is changed.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    heard = False

    def hear(_number: int, _frame: object) -> None:
        nonlocal heard
        heard = True
        raise KeyboardInterrupt

    complain = sys.unraisablehook

    def drop(dropped: sys.UnraisableHookArgs) -> None:
        # It is raised again below; a traceback would say nothing more.
        if dropped.exc_type is not KeyboardInterrupt:
            complain(dropped)

    signal.signal(signal.SIGINT, hear)
    sys.unraisablehook = drop
    try:
        yield
    finally:
        sys.unraisablehook = complain
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if heard:
            raise KeyboardInterrupt


@contextmanager
def termination_as_interrupt() -> Iterator[Callable[[], bool]]:
    """Let SIGTERM end the block as ctrl-C does, so that it leaves nothing half done.

    Yields
    ------
    callable
        Says whether SIGTERM came. Where the program handles it in a way of its own,
        where ctrl-C is ignored, as in the background of a script, and outside the main
        thread, nothing is changed.
    """
    came = False

    def hear(_number: int, _frame: object) -> None:
        nonlocal came
        came = True
        signal.raise_signal(signal.SIGINT)

    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield lambda: came
        return
    signal.signal(signal.SIGTERM, hear)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
