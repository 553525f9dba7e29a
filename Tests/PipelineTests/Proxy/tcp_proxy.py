"""A TCP proxy that a test may cut: tcp_proxy.py PORT TARGET_PORT.

SIGUSR1 breaks every connection and refuses new ones, SIGUSR2 lets them through again. A stopped process (SIGSTOP) is a network that
swallows everything. Standard library only.
"""

import asyncio
import signal
import sys

# Whoever started us may have blocked signals for itself.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
PORT, TARGET = int(sys.argv[1]), int(sys.argv[2])
writers = set()


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writers.discard(writer)
        writer.transport.abort()


async def serve(reader, writer):
    try:
        back_reader, back_writer = await asyncio.open_connection("127.0.0.1", TARGET)
    except OSError:
        writer.transport.abort()
        return
    writers.update((writer, back_writer))
    await asyncio.gather(copy(reader, back_writer), copy(back_reader, writer))


async def main():
    changed = asyncio.Event()
    wanted = True

    def want(value):
        nonlocal wanted
        wanted = value
        changed.set()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, want, False)
    loop.add_signal_handler(signal.SIGUSR2, want, True)
    server = await asyncio.start_server(serve, "127.0.0.1", PORT)
    print("listening", flush=True)
    while True:
        await changed.wait()
        changed.clear()
        if not wanted and server is not None:
            server.close()
            server = None
            for writer in list(writers):
                writer.transport.abort()
        elif wanted and server is None:
            server = await asyncio.start_server(serve, "127.0.0.1", PORT, reuse_address=True)


asyncio.run(main())
