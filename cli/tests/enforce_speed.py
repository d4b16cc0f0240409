"""Requests a second that nginx answers with the configuration of `enforce` and without, in turn.

    python3 cli/tests/enforce_speed.py PROGRAM [CORPUS]

CORPUS is a folder that has `robots/HOST`. Taken are the ten files with the most rules for which there is a configuration.
nginx answers with a page of 10 kB on loopback, over connections that stay open; asked are 40 paths of each file by one of the crawlers that the
file names, by one that it does not name, and by a browser: once before measuring, when each status is compared with what
`filter` says of the path. A round asks each server for a second, by wrk, and the median of the rounds' ratios is told.
"""

import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time

ROUNDS = 3
FILES = 10
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:136.0) Gecko/20100101 Firefox/136.0"
WORK = "/tmp/enforce_speed"


def paths_of(rules):
    paths = []
    for number in range(40):
        rule = rules[number * len(rules) // 40]
        path = re.sub(rb"[^!$&-;=?-Z_a-z~]", b"x", rule.replace(b"*", b"x").rstrip(b"$"))
        # Every other one differs at its end, and so is decided by a shorter rule or by none.
        path = path if number % 2 else path[:-1] + b"-"
        paths.append(b"/" + path.lstrip(b"/")[:500])
    return paths


def configured(program, corpus):
    counted = []
    for host in os.listdir(f"{corpus}/robots"):
        with open(f"{corpus}/robots/{host}", "rb") as file:
            body = file.read()[:512_000]
        rules = re.findall(rb"(?im)^[ \t]*(?:dis)?allow[ \t]*:[ \t]*(/[^\s#]*)", body)
        counted.append((len(rules), host, rules, body))
    sites = []
    for count, host, rules, body in sorted(counted, reverse=True):
        command = [program, "-q", "enforce", "--known", "--server", "nginx", "--name", f"site{len(sites)}", f"{corpus}/robots/{host}"]
        done = subprocess.run(command, capture_output=True)
        if done.returncode == 0:
            names = set(re.findall(rb"(?im)^user-agent[ \t]*:[ \t]*([A-Za-z-]+)", body)) & {b"Googlebot", b"bingbot", b"AhrefsBot", b"SemrushBot", b"GPTBot"}
            named = sorted(name.decode() for name in names)[0] if names else "Googlebot"
            sites.append((host, count, named, paths_of(rules), done.stdout))
        if len(sites) == FILES:
            return sites
    return sites


def verdicts(program, corpus, host, agent, paths):
    lines = b"".join(b"https://e.com" + path + b"\n" for path in paths)
    command = [program, "-q", "filter", "--robots", f"{corpus}/robots/{host}", "--agent", agent, "--format", "tsv", "-"]
    out = subprocess.run(command, input=lines, capture_output=True, check=True).stdout
    return [b"\tallow" in line or line.startswith(b"allow") for line in out.splitlines()]


def ask(port, agent, paths):
    statuses = []
    for path in paths:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: e.com\r\nConnection: close\r\nUser-Agent: " + agent.encode() + b"\r\n\r\n")
            statuses.append(int(connection.makefile("rb").readline().split()[1]))
    return statuses


def main():
    program = os.path.abspath(sys.argv[1])
    beside = os.path.join(os.path.dirname(__file__), "../../../shared/corpus")
    corpus = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("ROBOTSIEVE_CORPUS", beside)
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    sites = configured(program, corpus)
    with open(f"{WORK}/page.html", "w") as file:
        file.write("x" * 10_000)
    page = f"location / {{ root {WORK}; try_files /page.html =404; }}"
    servers = ""
    for number, (_, _, _, _, text) in enumerate(sites):
        with open(f"{WORK}/{number}.conf", "wb") as file:
            file.write(text)
        servers += f"include {WORK}/{number}.conf;\nserver {{ listen 127.0.0.1:{21000 + number}; if ($site{number}_refused) {{ return 403; }} {page} }}\n"
        servers += f"server {{ listen 127.0.0.1:{22000 + number}; {page} }}\n"
    with open(f"{WORK}/nginx.conf", "w") as file:
        file.write(
            f"daemon off; master_process off; pid {WORK}/pid; error_log {WORK}/error.log;\n"
            "events { worker_connections 512; }\nhttp {\n"
            f"client_body_temp_path {WORK}/b; proxy_temp_path {WORK}/p; fastcgi_temp_path {WORK}/f; uwsgi_temp_path {WORK}/u; scgi_temp_path {WORK}/s;\n"
            f"access_log off; sendfile on; keepalive_requests 100000000; variables_hash_max_size 4096; map_hash_max_size 8192;\n{servers}}}\n"
        )
    nginx = subprocess.Popen(["/usr/sbin/nginx", "-c", f"{WORK}/nginx.conf", "-p", WORK])
    try:
        time.sleep(2)
        measure(program, corpus, sites)
    finally:
        nginx.terminate()


def measure(program, corpus, sites):
    asked = 0
    for number, (host, _, named, paths, _) in enumerate(sites):
        for agent in (named, "CCBot"):
            wanted = [200 if allowed else 403 for allowed in verdicts(program, corpus, host, agent, paths)]
            found = ask(21000 + number, f"Mozilla/5.0 (compatible; {agent}/2.1)", paths)
            assert len(wanted) == len(paths) and found == wanted, (host, agent, [entry for entry in zip(paths, found, wanted) if entry[1] != entry[2]])
            asked += len(paths)
        assert set(ask(21000 + number, BROWSER, paths)) == {200}
    print(f"{asked} statuses as filter says, and none of the browser's refused")
    print(f"{'file':34} {'rules':>6} {'KiB':>5}   ratio of requests a second with rules: named crawler, other crawler, browser")
    everything = []
    for number, (host, count, named, paths, text) in enumerate(sites):
        ratios = []
        for agent in (f"Mozilla/5.0 (compatible; {named}/2.1)", "CCBot/2.0 (https://commoncrawl.org/faq/)", BROWSER):
            with open(f"{WORK}/wrk.lua", "w") as file:
                listed = ", ".join('"' + path.decode().replace('"', "x") + '"' for path in paths)
                file.write(
                    f'local paths = {{{listed}}}\nlocal at = 0\nrequest = function()\n  at = at % #paths + 1\n'
                    f'  return wrk.format("GET", paths[at], {{["User-Agent"] = "{agent}"}})\nend\n'
                )
            rounds = []
            for _ in range(ROUNDS):
                speeds = []
                for port in (21000 + number, 22000 + number):
                    out = subprocess.run(
                        ["wrk", "-t1", "-c8", "-d1s", "-s", f"{WORK}/wrk.lua", f"http://127.0.0.1:{port}"], capture_output=True, check=True
                    ).stdout.decode()
                    speeds.append(float(re.search(r"Requests/sec:\s*([\d.]+)", out)[1]))
                rounds.append(speeds[0] / speeds[1])
            ratios.append(statistics.median(rounds))
        everything += ratios
        print(f"{host:34} {count:6} {len(text) // 1024:5}   {ratios[0]:.2f} {ratios[1]:.2f} {ratios[2]:.2f}", flush=True)
    print(f"all: the lowest {min(everything):.2f}, the median {statistics.median(everything):.2f}")


main()
