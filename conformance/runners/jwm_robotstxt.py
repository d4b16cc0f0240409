from jwm.robotstxt.googlebot import RobotsMatcher

from suite import run

run(lambda robots, name, url: RobotsMatcher().OneAgentAllowedByRobots(robots, name, url))
