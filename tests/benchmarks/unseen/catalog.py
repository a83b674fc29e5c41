"""The problems of both halves.

Nobody tunes on those that are held out: they are measured and reported, and their files are for
those who mend a problem itself. Which are held out was drawn by chance from all names.
"""

import random

from tests.benchmarks.problems.problem import Problem
from tests.benchmarks.unseen.held_out.attention import ATTENTION
from tests.benchmarks.unseen.held_out.autoregressive import AUTOREGRESSIVE
from tests.benchmarks.unseen.held_out.kuramoto import KURAMOTO
from tests.benchmarks.unseen.held_out.pendulum import PENDULUM
from tests.benchmarks.unseen.held_out.portfolio import PORTFOLIO
from tests.benchmarks.unseen.tuned.camera_pose import CAMERA_POSE, CAMERA_RESIDUALS
from tests.benchmarks.unseen.tuned.gaussian_process_kernel import GAUSSIAN_PROCESS_KERNEL
from tests.benchmarks.unseen.tuned.negative_binomial import NEGATIVE_BINOMIAL
from tests.benchmarks.unseen.tuned.optimal_transport import OPTIMAL_TRANSPORT
from tests.benchmarks.unseen.tuned.tensor_factorization import TENSOR_FACTORIZATION

# A problem has one function or two: of the camera there is the loss, and its residuals.
TUNED: dict[str, tuple[Problem, ...]] = {
    "camera_pose": (CAMERA_POSE, CAMERA_RESIDUALS),
    "gaussian_process_kernel": (GAUSSIAN_PROCESS_KERNEL,),
    "negative_binomial": (NEGATIVE_BINOMIAL,),
    "optimal_transport": (OPTIMAL_TRANSPORT,),
    "tensor_factorization": (TENSOR_FACTORIZATION,),
}
HELD_OUT: dict[str, tuple[Problem, ...]] = {
    "attention": (ATTENTION,),
    "autoregressive": (AUTOREGRESSIVE,),
    "kuramoto": (KURAMOTO,),
    "pendulum": (PENDULUM,),
    "portfolio": (PORTFOLIO,),
}
HALVES = {"tuned": TUNED, "held-out": HELD_OUT}
SEED = 27

UNSEEN: dict[str, Problem] = {
    problem.name: problem
    for half in HALVES.values()
    for functions in half.values()
    for problem in functions
}


def drawn() -> set[str]:
    """The names that chance held out."""
    return set(random.Random(SEED).sample(sorted(TUNED | HELD_OUT), len(HELD_OUT)))
