"""Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt decides.

    python3 filter.py robots.txt MyCrawler <urls.txt

With ctypes, for programs that have the C library. The package robotsieve for Python does more, and faster.
"""

import ctypes as c
import sys

lib = c.CDLL("librobotsieve.so.0.1")


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("message", c.c_char * 508)]


class Slice(c.Structure):
    _fields_ = [("data", c.c_void_p), ("len", c.c_size_t)]


class Decision(c.Structure):
    _fields_ = [("verdict", c.c_int), ("reason", c.c_int), ("line", c.c_uint32), ("rule", Slice)]


# Without these, ctypes would cut addresses to 32 bits.
for name, result, arguments in [
    ("crawler_named", c.c_void_p, [c.c_char_p, c.c_size_t, c.c_uint32, c.POINTER(Error)]),
    ("robots_parse", c.c_void_p, [c.c_char_p, c.c_size_t, c.c_uint32, c.POINTER(Error)]),
    ("policy_new", c.c_void_p, [c.c_void_p, c.c_void_p, c.POINTER(Error)]),
    ("policy_decide", c.c_int, [c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(Decision), c.POINTER(Error)]),
    ("policy_delay", c.c_double, [c.c_void_p]),
    ("crawler_free", None, [c.c_void_p]),
    ("robots_free", None, [c.c_void_p]),
    ("policy_free", None, [c.c_void_p]),
]:
    function = getattr(lib, "robotsieve_" + name)
    function.restype, function.argtypes = result, arguments


def made(function, *arguments):
    error = Error()
    handle = function(*arguments, c.byref(error))
    if not handle:
        raise ValueError(error.message.decode())
    return handle


RFC9309, ALLOW = 0, 1
with open(sys.argv[1], "rb") as robots_txt:
    file = robots_txt.read()
name = sys.argv[2].encode()
crawler = made(lib.robotsieve_crawler_named, name, len(name), RFC9309)
robots = made(lib.robotsieve_robots_parse, file, len(file), RFC9309)
policy = made(lib.robotsieve_policy_new, robots, crawler)
lib.robotsieve_robots_free(robots)
lib.robotsieve_crawler_free(crawler)
for line in sys.stdin:
    url = line.rstrip("\n").encode()
    decision = Decision()
    status = lib.robotsieve_policy_decide(policy, url, len(url), c.byref(decision), None)
    verdict = "invalid" if status else "allow" if decision.verdict == ALLOW else "disallow"
    print(verdict, decision.line, url.decode())
print(f"delay {lib.robotsieve_policy_delay(policy):g}")
lib.robotsieve_policy_free(policy)
