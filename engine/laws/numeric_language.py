"""The notation of rules, continued: operations that only lowered terms have."""

from eggrad.engine.laws.language import Dims, Name, Node, Spec, Tensor

__all__ = [
    "Variable",
    "cholesky",
    "declared",
    "exp_difference",
    "expm1",
    "extreme",
    "hypot",
    "inverse_from_cholesky",
    "log1p",
    "logdet",
    "logdet_from_cholesky",
    "logsumexp",
    "norm",
    "sigmoid",
    "softplus",
    "solve",
]


# A variable with its declared properties.
Variable = tuple[str, Dims, tuple[str, ...]]


def declared(x: Variable) -> Tensor:
    """The variable with that name, those axes and those properties."""
    return Node("variable", (x,))


def expm1(a: Tensor) -> Tensor:
    """`exp(a) - 1`."""
    return Node("numeric", ("expm1", None, a))


def log1p(a: Tensor) -> Tensor:
    """`log(1 + a)`."""
    return Node("numeric", ("log1p", None, a))


def softplus(a: Tensor) -> Tensor:
    """`log(1 + exp(a))`."""
    return Node("numeric", ("softplus", None, a))


def sigmoid(a: Tensor) -> Tensor:
    """`1 / (1 + exp(-a))`."""
    return Node("numeric", ("sigmoid", None, a))


def exp_difference(a: Tensor, b: Tensor) -> Tensor:
    """`exp(a - b)`, where b is no less than a."""
    return Node("numeric2", ("exp_difference", None, a, b))


def hypot(a: Tensor, b: Tensor) -> Tensor:
    """`√(a² + b²)`."""
    return Node("numeric2", ("hypot", None, a, b))


def extreme(f: Name, s: Spec, a: Tensor) -> Tensor:
    """The maximum or minimum, by its name, along the axes that the unary spec takes away."""
    return Node("numeric", (f, s, a))


def logsumexp(s: Spec, a: Tensor) -> Tensor:
    """The log of what the unary spec makes of `exp(a)`."""
    return Node("numeric", ("logsumexp", s, a))


def norm(s: Spec, a: Tensor) -> Tensor:
    """The root of what the unary spec makes of `a²`."""
    return Node("numeric", ("norm", s, a))


def logdet(known: str, a: Tensor) -> Tensor:
    """The log of the determinant of a matrix that is `known` to be "positive definite", or ""."""
    return Node("numeric", ("logdet", known, a))


def cholesky(a: Tensor) -> Tensor:
    """The lower triangular L with `L L' = a`."""
    return Node("numeric", ("cholesky", None, a))


def inverse_from_cholesky(a: Tensor) -> Tensor:
    """The inverse of `a a'`, for a lower triangular a."""
    return Node("numeric", ("inverse_from_cholesky", None, a))


def logdet_from_cholesky(a: Tensor) -> Tensor:
    """The log of the determinant of `a a'`, for a lower triangular a."""
    return Node("numeric", ("logdet_from_cholesky", None, a))


def solve(a: Tensor, b: Tensor) -> Tensor:
    """The inverse of `a` times the first axis of `b`."""
    return Node("numeric2", ("solve", None, a, b))
