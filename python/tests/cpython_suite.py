"""Runs CPython's ``test.test_robotparser`` against robotsieve's drop-in, and writes the results as JSON."""

import importlib
import json
import sys
import threading
import unittest
import urllib
from http.server import BaseHTTPRequestHandler, HTTPServer

import robotsieve.robotparser

#: What www.pythontest.net has for CPython's tests, which are not to need the internet here.
ELSEWHERE = b"""\
User-agent: Nutch
Disallow: /
Allow: /brian/

User-agent: *
Disallow: /webstats/
"""


class PythonTest(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        is_found = self.path == "/elsewhere/robots.txt"
        self.send_response(200 if is_found else 404)
        self.end_headers()
        self.wfile.write(ELSEWHERE if is_found else b"")

    def log_message(self, format: str, *args: object) -> None:
        pass


class Results(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.passed: dict[str, bool] = {}

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        name = test.id().removeprefix(f"{type(test).__module__}.")
        # The parts of a test (``subTest``) have it in ``test_case``.
        failed = [getattr(case, "test_case", case) for case, _ in self.failures + self.errors]
        self.passed[name] = test not in failed


def main() -> None:
    sys.modules["urllib.robotparser"] = robotsieve.robotparser
    setattr(urllib, "robotparser", robotsieve.robotparser)
    suite = importlib.import_module("test.test_robotparser")
    server = HTTPServer(("127.0.0.1", 0), PythonTest)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    suite.NetworkTestCase.base_url = f"http://127.0.0.1:{server.server_port}/"
    suite.NetworkTestCase.robots_txt = f"{suite.NetworkTestCase.base_url}elsewhere/robots.txt"
    results = Results()
    unittest.defaultTestLoader.loadTestsFromModule(suite).run(results)
    outside = [str(case) for case, _ in results.errors if not isinstance(case, unittest.TestCase)]
    skipped = [case.id() for case, _ in results.skipped]
    json.dump({"passed": results.passed, "not run": outside + skipped}, sys.stdout)


main()
