"""`pricebench simulate serve`: the offline world on this machine."""

from __future__ import annotations

from contextlib import suppress

from pricebench import console


def serve_world(port: int, latency_s: float) -> None:
    """Serve scripted models until the person ends it.

    Parameters
    ----------
    port
        Of loopback; 0 for one that is free.
    latency_s
        How long a model takes to answer.

    Raises
    ------
    LoadError
        Where the port is taken.
    """
    from ingest.world.chat import Chat
    from ingest.world.place import ADDRESS
    from ingest.world.server import listen, server, world_app

    chat = Chat()
    with listen(port) as listener:
        address = f"http://{ADDRESS}:{listener.getsockname()[1]}"
        console.note("scripted models, end with ctrl-C; ask one with")
        console.note(
            "  pricebench run purchase --model simulated/rational --api-base "
            f"{address}/v1"
        )
        console.emit(f"{address}/")
        # the way it is ended
        with suppress(KeyboardInterrupt):
            server(world_app(chat, latency_s)).run(sockets=[listener])
    console.note(f"ended after {sum(chat.calls.values()):,} questions to models")
