"""deploy/nginx/edge.conf in a real nginx, in front of servers that tell what reached them. Standard library only."""

import http.client
import json
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CONFIGURATION = Path(__file__).resolve().parents[2] / "nginx/edge.conf"
NGINX = "/usr/sbin/nginx"


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if self.server.away:
            # As a service that dies: no answer, and the connection closed.
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        answer = json.dumps({
            "server": self.server.role,
            "path": self.path,
            "forwarded_for": self.headers.get_all("X-Forwarded-For"),
            "encoding": self.headers.get("Content-Encoding"),
            "bytes": len(body),
        }).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def serve(role):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.role, server.away = role, False
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def adapted(ports, port, folder):
    """Ours, for here: no Docker name server, files below a folder, and without `resolve`, which Debian's nginx lacks."""
    text = CONFIGURATION.read_text()
    for role, upstream in ports.items():
        text, count = re.subn(rf"server {role}:\d+ resolve\b", f"server 127.0.0.1:{upstream}", text)
        assert count == 1, f"edge.conf should have one upstream server named {role}, with resolve"
    text = re.sub(r"^\s*resolver .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"listen 8000\b[^;]*", f"listen 127.0.0.1:{port}", text)
    # A started process must not outlive us.
    return f"daemon off;\nmaster_process off;\n{text}".replace("/tmp/", f"{folder}/") \
        .replace("/dev/stdout", f"{folder}/access.log").replace("/dev/stderr", f"{folder}/error.log")


class Edge:
    def __init__(self, ports, folder):
        self.folder, self.port = folder, free_port()
        (folder / "edge.conf").write_text(adapted(ports, self.port, folder))
        command = [NGINX, "-e", "stderr", "-p", str(folder), "-c", str(folder / "edge.conf")]
        subprocess.run([*command, "-t"], check=True)
        self.process = subprocess.Popen(command)

    def wait(self):
        for _ in range(100):
            assert self.process.poll() is None, "nginx ended right after its start"
            try:
                return self.ask("GET", "/edge/healthz")
            except ConnectionError:
                time.sleep(0.05)
        raise AssertionError("nginx does not listen")

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def check_passing(edge):
    _, _, body = edge.ask("POST", "/v1/events?app_key=pk_hidden", b"x" * 1_500_000,
                          {"X-Forwarded-For": "203.0.113.9", "Content-Encoding": "gzip"})
    seen = json.loads(body)
    assert seen["server"] == "ingest" and seen["path"] == "/v1/events?app_key=pk_hidden", seen
    assert seen["forwarded_for"] == ["127.0.0.1"], f"a client chose its own address: {seen}"
    assert seen["encoding"] == "gzip" and seen["bytes"] == 1_500_000, f"the body was changed: {seen}"
    for path, server in (("/v1/apps", "reader"), ("/", "console"), ("/v1/events/x", "reader"), ("/docs", "console")):
        assert json.loads(edge.ask("GET", path)[2])["server"] == server, path
    session = "__Host-fg_session=hidden"
    for headers, server in (
        ({"Cookie": session}, "console"),
        ({"Cookie": "theme=dark; fg_session=hidden"}, "console"),
        ({"Cookie": session, "Authorization": "Bearer sk_hidden"}, "reader"),
        ({"Cookie": "not_fg_session=hidden"}, "reader"),
    ):
        seen = json.loads(edge.ask("GET", "/v1/apps?x=hidden", headers=headers)[2])
        assert (seen["server"], seen["path"]) == (server, "/v1/apps?x=hidden"), (headers, seen)


def check_refusals(edge, servers):
    status, headers, body = edge.ask("POST", "/v1/events", b"x" * 2_200_000)
    assert (status, json.loads(body)["error"]["code"]) == (413, "payload_too_large"), (status, body)
    assert headers["Access-Control-Allow-Origin"] == "*", headers
    for server in servers:
        server.away = True
    for method, path in (("POST", "/v1/events"), ("GET", "/v1/apps/a/profiles/u:somebody?q=hidden")):
        status, headers, body = edge.ask(method, path)
        error = json.loads(body)["error"]
        assert (status, error["code"]) == (503, "storage_unavailable"), (status, body)
        assert headers["Retry-After"] == "5" and headers["X-Request-Id"] == error["request_id"], headers


def check_logs(folder):
    logs = "".join(path.read_text() for path in folder.glob("*.log"))
    lines = [json.loads(line) for line in (folder / "access.log").read_text().splitlines()]
    assert len(lines) == 12, f"expected a line for each request but the health check:\n{logs}"
    for word in ("hidden", "somebody", "127.0.0.1", "203.0.113.9"):
        assert word not in logs, f"the logs say {word}:\n{logs}"


def main():
    servers = [serve(role) for role in ("ingest", "reader", "console")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        edge = Edge({server.role: server.server_port for server in servers}, folder)
        try:
            edge.wait()
            check_passing(edge)
            check_refusals(edge, servers)
        finally:
            edge.stop()
        check_logs(folder)


if __name__ == "__main__":
    sys.exit(main())
