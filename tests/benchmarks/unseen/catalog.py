"""The problems of both halves.

Nobody tunes on those that are held out: they are measured and reported, and their files are for
those who mend a problem itself. Which are held out was drawn by chance from the names of a round.
"""

import random

from tests.benchmarks.problems.problem import Problem
from tests.benchmarks.unseen.held_out.attention import ATTENTION
from tests.benchmarks.unseen.held_out.autoregressive import AUTOREGRESSIVE
from tests.benchmarks.unseen.held_out.item_response import ITEM_RESPONSE
from tests.benchmarks.unseen.held_out.kuramoto import KURAMOTO
from tests.benchmarks.unseen.held_out.paired_comparison import PAIRED_COMPARISON
from tests.benchmarks.unseen.held_out.pendulum import PENDULUM
from tests.benchmarks.unseen.held_out.portfolio import PORTFOLIO
from tests.benchmarks.unseen.held_out.tagging_chain import TAGGING_CHAIN
from tests.benchmarks.unseen.held_out.total_variation import TOTAL_VARIATION
from tests.benchmarks.unseen.held_out.trend_filter import TREND_FILTER
from tests.benchmarks.unseen.held_out.weibull_survival import WEIBULL_SURVIVAL
from tests.benchmarks.unseen.tuned.camera_pose import CAMERA_POSE, CAMERA_RESIDUALS
from tests.benchmarks.unseen.tuned.gaussian_process_kernel import GAUSSIAN_PROCESS_KERNEL
from tests.benchmarks.unseen.tuned.independent_components import INDEPENDENT_COMPONENTS
from tests.benchmarks.unseen.tuned.matrix_completion import MATRIX_COMPLETION
from tests.benchmarks.unseen.tuned.negative_binomial import NEGATIVE_BINOMIAL
from tests.benchmarks.unseen.tuned.neural_ode import NEURAL_ODE
from tests.benchmarks.unseen.tuned.optimal_transport import OPTIMAL_TRANSPORT
from tests.benchmarks.unseen.tuned.option_prices import OPTION_PRICES
from tests.benchmarks.unseen.tuned.point_registration import POINT_REGISTRATION
from tests.benchmarks.unseen.tuned.tensor_factorization import TENSOR_FACTORIZATION
from tests.benchmarks.unseen.tuned.vector_autoregression import VECTOR_AUTOREGRESSION

# A problem has one function or two: of the camera there is the loss, and its residuals.
TUNED: dict[str, tuple[Problem, ...]] = {
    "camera_pose": (CAMERA_POSE, CAMERA_RESIDUALS),
    "gaussian_process_kernel": (GAUSSIAN_PROCESS_KERNEL,),
    "negative_binomial": (NEGATIVE_BINOMIAL,),
    "optimal_transport": (OPTIMAL_TRANSPORT,),
    "tensor_factorization": (TENSOR_FACTORIZATION,),
    "independent_components": (INDEPENDENT_COMPONENTS,),
    "matrix_completion": (MATRIX_COMPLETION,),
    "neural_ode": (NEURAL_ODE,),
    "option_prices": (OPTION_PRICES,),
    "point_registration": (POINT_REGISTRATION,),
    "vector_autoregression": (VECTOR_AUTOREGRESSION,),
}
HELD_OUT: dict[str, tuple[Problem, ...]] = {
    "attention": (ATTENTION,),
    "autoregressive": (AUTOREGRESSIVE,),
    "kuramoto": (KURAMOTO,),
    "pendulum": (PENDULUM,),
    "portfolio": (PORTFOLIO,),
    "item_response": (ITEM_RESPONSE,),
    "paired_comparison": (PAIRED_COMPARISON,),
    "tagging_chain": (TAGGING_CHAIN,),
    "total_variation": (TOTAL_VARIATION,),
    "trend_filter": (TREND_FILTER,),
    "weibull_survival": (WEIBULL_SURVIVAL,),
}
HALVES = {"tuned": TUNED, "held-out": HELD_OUT}
# The names of each round of problems, and the seed by which chance held out half of them.
ROUNDS = (
    (
        {
            "attention",
            "autoregressive",
            "camera_pose",
            "gaussian_process_kernel",
            "kuramoto",
            "negative_binomial",
            "optimal_transport",
            "pendulum",
            "portfolio",
            "tensor_factorization",
        },
        27,
    ),
    (
        {
            "independent_components",
            "item_response",
            "matrix_completion",
            "neural_ode",
            "option_prices",
            "paired_comparison",
            "point_registration",
            "tagging_chain",
            "total_variation",
            "trend_filter",
            "vector_autoregression",
            "weibull_survival",
        },
        2026,
    ),
)

UNSEEN: dict[str, Problem] = {
    problem.name: problem
    for half in HALVES.values()
    for functions in half.values()
    for problem in functions
}


def drawn() -> set[str]:
    """The names that chance held out: of each round one half."""
    return {
        name
        for names, seed in ROUNDS
        for name in random.Random(seed).sample(sorted(names), len(names) // 2)
    }
