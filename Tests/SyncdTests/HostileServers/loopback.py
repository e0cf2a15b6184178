"""What the hostile HTTP servers have in common: a handler for requests of every method, and the start on a free port."""
import http.server


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every method with `serve`, and writes no log."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)


def run(handler):
    """Serves on a free port, prints the port, and does not return."""
    http.server.ThreadingHTTPServer.request_queue_size = 128
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()
