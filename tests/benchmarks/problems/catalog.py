"""All problems, in the order in which tables show them."""

from tests.benchmarks.problems.bottleneck_chain import BOTTLENECK_CHAIN
from tests.benchmarks.problems.gaussian_process import GAUSSIAN_PROCESS
from tests.benchmarks.problems.logistic_regression import LOGISTIC_REGRESSION
from tests.benchmarks.problems.matrix_factorization import (
    MATRIX_FACTORIZATION,
    MATRIX_FACTORIZATION_UNMASKED,
)
from tests.benchmarks.problems.network import NETWORK, NETWORK_BATCH
from tests.benchmarks.problems.problem import Problem
from tests.benchmarks.problems.quadratic import QUADRATIC
from tests.benchmarks.problems.recurrent import (
    RECURRENT_BY_STATE,
    RECURRENT_BY_WEIGHTS,
    RECURRENT_LOSS,
    RECURRENT_UNROLLED,
)
from tests.benchmarks.problems.softmax_regression import SOFTMAX_REGRESSION
from tests.benchmarks.problems.third_derivative import THIRD_DERIVATIVE

__all__ = ["PROBLEMS"]

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        QUADRATIC,
        LOGISTIC_REGRESSION,
        MATRIX_FACTORIZATION,
        MATRIX_FACTORIZATION_UNMASKED,
        NETWORK,
        NETWORK_BATCH,
        SOFTMAX_REGRESSION,
        GAUSSIAN_PROCESS,
        RECURRENT_BY_STATE,
        RECURRENT_BY_WEIGHTS,
        RECURRENT_LOSS,
        RECURRENT_UNROLLED,
        THIRD_DERIVATIVE,
        BOTTLENECK_CHAIN,
    )
}
