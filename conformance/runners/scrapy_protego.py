from protego import Protego

from suite import run

run(lambda robots, name, url: Protego.parse(robots).can_fetch(url, name))
