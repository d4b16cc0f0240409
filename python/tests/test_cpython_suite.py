"""CPython's own tests of ``urllib.robotparser``, run against ``robotsieve.robotparser``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

#: What fails here, by name, for the tests of CPython 3.10 to 3.13.0.
DIFFERENT = {
    "UserAgentGoogleMobileTest.test_bad_urls": (
        "RFC 9309 §2.2.1: the group that names Googlebot-Mobile counts, not that of Googlebot, which "
        "is a part of the name and comes first"
    ),
    "UseFirstUserAgentWildcardTest.test_good_urls": (
        "RFC 9309 §2.2.1: groups for the same product token are merged"
    ),
    "NetworkTestCase.test_can_fetch": (
        "RFC 9309 §2.2.2: of 'Disallow: /' and 'Allow: /brian/' the longer one counts"
    ),
}


def test_differences_are_those_listed() -> None:
    suite = Path(__file__).with_name("cpython_suite.py")
    done = subprocess.run([sys.executable, str(suite)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert results["not run"] == []
    assert {name for name, ok in results["passed"].items() if not ok} == set(DIFFERENT)
    assert len(results["passed"]) > 40
