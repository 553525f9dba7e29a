"""An HTTPS server on a free port: prints the port, then each request as a line of JSON. Standard library only.

server.py CERTIFICATE KEY

The path decides the answer: /status/N that status, /big a body of a megabyte, /redirect a redirect, /slow nothing for a minute.
"""

import json
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        print(json.dumps({"path": self.path, "type": self.headers.get("Content-Type"), "body": body}), flush=True)
        status, answer = 200, b'{"ok":true}'
        if self.path.startswith("/status/"):
            # /status/500/twice fails for the first two requests only.
            parts = self.path.split("/")
            failing = 2 if parts[3:4] == ["twice"] else sys.maxsize
            Handler.failed = getattr(Handler, "failed", 0) + 1
            status = int(parts[2]) if Handler.failed <= failing else 200
        elif self.path == "/big":
            answer = b"x" * (1 << 20)
        elif self.path == "/redirect":
            status = 302
        elif self.path == "/slow":
            time.sleep(60)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
