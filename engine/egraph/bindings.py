"""egglog's extension module, loaded alone and with one thread.

The package around it brings a language of its own, whose imports take a third of a second. With
more threads egglog matches in an order that depends on their number, and with it results.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any, Final

from eggrad.engine.errors import not_installed

if TYPE_CHECKING:
    from types import ModuleType

NAME: Final = "egglog.bindings"
# egglog's pool of threads begins when its module is loaded, and reads this.
THREADS: Final = "RAYON_NUM_THREADS"


def _load() -> "ModuleType":
    package = find_spec("egglog")
    spec = package and PathFinder.find_spec(NAME, package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(not_installed("eggrad needs", "egglog"), name="egglog")
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        del os.environ[THREADS]
        if before is not None:
            os.environ[THREADS] = before
    sys.modules[NAME] = module
    return module


bindings: Any = sys.modules.get(NAME) or _load()
