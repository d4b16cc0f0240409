from robotstxt import RobotsMatcher

from suite import run

run(lambda robots, name, url: RobotsMatcher().is_allowed(robots, name, url))
