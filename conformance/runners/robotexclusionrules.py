from robotexclusionrulesparser import RobotExclusionRulesParser

from suite import run


def judge(robots, name, url):
    parser = RobotExclusionRulesParser()
    parser.parse(robots)
    return parser.is_allowed(name, url)


run(judge)
