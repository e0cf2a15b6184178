"""Simulates a distant server on this machine: a TCP proxy that delays every piece of data by half a round-trip, and counts it."""
import asyncio
import multiprocessing


def relay(port, target, one_way, ready, count):
    """A TCP proxy that delivers everything `one_way` seconds later, and adds the number of bytes to `count`."""

    async def pump(reader, writer):
        loop = asyncio.get_running_loop()
        try:
            while data := await reader.read(65536):
                with count.get_lock():
                    count.value += len(data)
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
    """Adds a round-trip of this many milliseconds. If it is 0, the proxy is there only to count."""

    def __init__(self, target, delay, counts=False):
        self.port, self.process, self.count = target, None, multiprocessing.Value("q", 0)
        if not delay and not counts:
            return
        ready = multiprocessing.Event()
        self.port = 1 + target if target < 65000 else target - 1
        self.process = multiprocessing.Process(target=relay, args=(self.port, target, delay / 2000, ready, self.count), daemon=True)
        self.process.start()
        ready.wait(10)

    @property
    def bytes(self):
        """The number of bytes that went through in both directions."""
        return self.count.value

    def end(self):
        if self.process:
            self.process.terminate()
