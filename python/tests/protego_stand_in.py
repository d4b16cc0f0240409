"""A plugin for pytest: whoever imports Protego gets robotsieve's drop-in."""

import sys
import types

import robotsieve.protego


def _not_public(*_: object, **__: object) -> None:
    raise NotImplementedError("a private function of Protego, which the drop-in has not")


_utils = types.ModuleType("protego._utils")
for _name in ("_hexescape", "_parse_time_period", "_quote_path", "_quote_pattern", "_unquote"):
    setattr(_utils, _name, _not_public)

sys.modules["protego"] = robotsieve.protego
sys.modules["protego._utils"] = _utils
