"""Simulates a distant server on this machine: a TCP proxy that delays every piece of data by half a round-trip."""
import asyncio
import multiprocessing


def relay(port, target, one_way, ready):
    """A TCP proxy that delivers everything `one_way` seconds later."""

    async def pump(reader, writer):
        loop = asyncio.get_running_loop()
        try:
            while data := await reader.read(65536):
                loop.call_later(one_way, lambda data=data: writer.is_closing() or writer.write(data))
            loop.call_later(one_way, writer.close)
        except ConnectionError:
            writer.close()

    tasks = set()

    async def accept(reader, writer):
        tasks.add(asyncio.current_task())
        # Setting up a connection takes a round-trip as well.
        await asyncio.sleep(2 * one_way)
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", target)
        await asyncio.gather(pump(reader, other_writer), pump(other_reader, writer))
        tasks.discard(asyncio.current_task())

    async def serve():
        server = await asyncio.start_server(accept, "127.0.0.1", port, backlog=512)
        ready.set()
        await server.serve_forever()

    asyncio.run(serve())


class LongWay:
    """Adds a round-trip of this many milliseconds; none if it is 0."""

    def __init__(self, target, delay):
        self.port, self.process = target, None
        if not delay:
            return
        ready = multiprocessing.Event()
        self.port = 1 + target if target < 65000 else target - 1
        self.process = multiprocessing.Process(target=relay, args=(self.port, target, delay / 2000, ready), daemon=True)
        self.process.start()
        ready.wait(10)

    def end(self):
        if self.process:
            self.process.terminate()
