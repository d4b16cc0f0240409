from urllib.robotparser import RobotFileParser

from suite import run


def judge(robots, name, url):
    parser = RobotFileParser()
    parser.parse(robots.splitlines())
    return parser.can_fetch(name, url)


run(judge)
