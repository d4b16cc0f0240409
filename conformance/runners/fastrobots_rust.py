from fastrobots import Robots, url_path

from suite import run

run(lambda robots, name, url: Robots.parse(robots).allowed(url_path(url), name))
