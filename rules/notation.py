"""What a file of rules is written with: `from eggrad.rules.notation import ...`.

>>> rules = Ruleset("mine", "what I know about logarithms", "the number of functions")
>>> @rules.rule(cite="arithmetic")
... def log_of_exp(a: Tensor) -> Statement:
...     '''log exp a = a.'''
...     return fn("log", fn("exp", a)) >> a
>>> log_of_exp.text
"fn('log', fn('exp', a)) >> a"
"""

from eggrad.rules.common import notation
from eggrad.rules.common.notation import *

__all__: list[str] = []
__all__ += notation.__all__
