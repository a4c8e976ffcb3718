"""`pricebench simulate serve`: the offline world on this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pricebench import console


def serve_world(port: int, latency_s: float, files: Path | None) -> None:
    """Serve scripted models, shops and search agents until the person ends it.

    Parameters
    ----------
    port
        Of loopback; 0 for one that is free.
    latency_s
        How long a model takes to answer.
    files
        Folder for the tables that a search run on this world is given; None: none.

    Raises
    ------
    LoadError
        Where the port is taken or a file cannot be written.
    """
    from ingest.whole_file import write_whole
    from ingest.world.door import Door
    from ingest.world.place import ADDRESS
    from ingest.world.server import SHOWN, listen, server, world_app
    from ingest.world.sources import source_files

    door = Door()
    with listen(port) as listener:
        address = f"http://{ADDRESS}:{listener.getsockname()[1]}"
        if files is not None:
            for name, content in source_files(address).items():
                write_whole(files / name, content)
        console.note("the offline world, end with ctrl-C; ask a model of it with")
        console.note(
            "  pricebench run purchase --model simulated/rational --api-base "
            f"{address}/v1"
        )
        console.note(f"search agents: {address}/seats.yaml; calls: {address}/calls")
        for name, host in SHOWN.items():
            if name != host:
                console.note(f"shop: {address.replace(ADDRESS, name)}/")
        console.emit(f"{address}/v1")
        # the way it is ended
        with suppress(KeyboardInterrupt):
            server(world_app(door, latency_s)).run(sockets=[listener])
    console.note(
        f"ended after {sum(door.calls.values()):,} questions to models and agents"
    )
