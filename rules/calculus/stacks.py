"""Functions of each matrix of a stack: what they pass on in reverse mode.

Products are written as in einsum, where L stands for the axes that come before those of the node,
B for those of the stack, and X for both. Singular vectors are the columns of U and V, as many as
there are singular values; g is symmetrised where a is. All is made
of the same functions, so there is every derivative.
"""

from eggrad.rules.notation import *

GILES = "Giles 2008, Collected Matrix Derivative Results"

DISTINCT = "singular values distinct and not 0"

stacks = Ruleset(
    "stacks",
    "functions of each matrix of a stack: contributions to the adjoints of operands",
    "the number of contributions that have no value yet",
)

single = Ruleset(
    "single", "stacks of one matrix", "the number of functions of each matrix of a stack"
)

VALUES, VECTORS = of_each("eigenvalues", a), of_each("eigenvectors", a)

LEFT, SINGULAR, RIGHT = (
    of_each(name, a)
    for name in ("left_singular_vectors", "singular_values", "right_singular_vectors")
)

FACTOR, INVERSES = of_each("cholesky", a), of_each("inverses", a)

PSEUDO, ORTHONORMAL = of_each("pseudoinverse", a), of_each("orthonormal_factor", a)

EXPONENTIAL, DETERMINANTS = of_each("matrix_exponential", a), of_each("determinants", a)


def _transposed(g: Tensor) -> Tensor:
    """The transposes of matrices."""
    return ein1("Xij->Xji", g)


def _skew(g: Tensor, u: Tensor) -> Tensor:
    """The skew matrices u'·g - g'·u."""
    inner = ein("Bml,LBmk->LBlk", u, g)
    return inner - _transposed(inner)


def _spread(v: Tensor) -> tuple[Tensor, Tensor]:
    """Vectors as the rows and as the columns of matrices."""
    ones = const(1, dims(v)[-1:])
    return ein("Bj,i->Bij", v, ones), ein("Bi,j->Bij", v, ones)


def _gaps(v: Tensor) -> Tensor:
    """1 / (vⱼ - vᵢ), and 1 on the diagonal, where what it multiplies is 0."""
    rows, columns = _spread(v)
    return (rows - columns + ein("B,ij->Bij", const(1, dims(v)[:-1]), delta(dims(v)[-1:]))) ** -1


def _sums(v: Tensor) -> Tensor:
    """1 / (vⱼ + vᵢ)."""
    rows, columns = _spread(v)
    return (rows + columns) ** -1


def _rotation(u: Tensor, v: Tensor) -> Tensor:
    """What singular vectors u pass on within their span; v are those on the other side."""
    gaps = ein("Blk,Blk->Blk", _gaps(SINGULAR), _sums(SINGULAR))
    scaled = ein("LBlk,Bk->LBlk", ein("LBlk,Blk->LBlk", _skew(g, u), gaps), SINGULAR)
    return ein("LBik,Bjk->LBij", ein("Bil,LBlk->LBik", u, scaled), v)


def _departure(u: Tensor, v: Tensor) -> Tensor:
    """What singular vectors u pass on beside their span."""
    scaled = ein("LBmk,Bk->LBmk", g, SINGULAR**-1)
    beside = scaled - ein("Bil,LBlk->LBik", u, ein("Bml,LBmk->LBlk", u, scaled))
    return ein("LBik,Bjk->LBij", beside, v)


def _below(k: int) -> Tensor:
    """1 below the diagonal of a matrix by k places or more."""
    return indicator(dims(a)[-1:] * 2, below_diagonal(dims(a), k))


def _by_cholesky() -> Tensor:
    """The symmetric H of `pull_cholesky` between two inverses of the factor."""
    inner, inverse = ein("Bki,LBkj->LBij", FACTOR, g), of_each("inverses", FACTOR)
    lower, below = (ein("Xij,ij->Xij", inner, _below(k)) for k in (0, 1))
    whole = ein("Bli,LBlk->LBik", inverse, lower + _transposed(below))
    return ein("LBik,Bkj->LBij", whole, inverse)


def _by_pseudoinverse() -> Tensor:
    """The three terms of `pull_pseudoinverse`."""
    within = ein("LBij,Bkj->LBik", ein("Bki,LBkj->LBij", PSEUDO, g), PSEUDO)
    left = ein("LBij,Bkj->LBik", ein("LBij,Bjk->LBik", _transposed(g), PSEUDO), PSEUDO)
    left -= ein("Bij,LBjk->LBik", a, ein("Bij,LBjk->LBik", PSEUDO, left))
    right = ein("Bji,LBjk->LBik", PSEUDO, ein("Bij,LBjk->LBik", PSEUDO, _transposed(g)))
    right -= ein("LBij,Bjk->LBik", ein("LBij,Bjk->LBik", right, PSEUDO), a)
    return left + right - within


def _by_orthonormal_factor() -> Tensor:
    """The product of `pull_orthonormal_factor`, with the inverse of R by that of Q'a."""
    inverse = of_each("inverses", ein("Bmi,Bmj->Bij", ORTHONORMAL, a))
    turn = ein("Xij,ij->Xij", _skew(g, ORTHONORMAL), _below(1))
    inner = ein("Bmi,LBmj->LBij", ORTHONORMAL, g)
    whole = g + ein("Bmi,LBij->LBmj", ORTHONORMAL, turn - inner)
    return ein("LBmk,Bjk->LBmj", whole, inverse)


def _by_exponential() -> Tensor:
    """The block of `pull_matrix_exponential`."""
    upper, lower = (indicator(twice_as_long(dims(a)), half(dims(a), k)) for k in (0, 1))
    lead = leading(dims(g), dims(EXPONENTIAL))

    def placed(m: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        return ein("Xpj,qj->Xpq", ein("pi,Xij->Xpj", rows, m), columns)

    turned = ein("Bji,L->LBij", a, const(1, lead))
    diagonal = placed(turned, upper, upper) + placed(turned, lower, lower)
    whole = of_each("matrix_exponential", diagonal + placed(g, upper, lower))
    return ein("Xiq,qj->Xij", ein("pi,Xpq->Xiq", upper, whole), lower)


stacks.state(
    f"{GILES}, sections 3.1 and 3.2",
    pull_eigenvalues=(
        pullback(VALUES, 0, g) >> ein("LBik,Bjk->LBij", ein("LBk,Bik->LBik", g, VECTORS), VECTORS)
    ).noted("Eigenvalues pass on V·diag(g)·V'.", domain="a symmetric, eigenvalues distinct"),
    pull_eigenvectors=(
        pullback(VECTORS, 0, g)
        >> HALF
        * ein(
            "LBik,Bjk->LBij",
            ein("Bil,LBlk->LBik", VECTORS, ein("LBlk,Blk->LBlk", _skew(g, VECTORS), _gaps(VALUES))),
            VECTORS,
        )
    ).noted(
        "Eigenvectors pass on V·(F∘(V'g - g'V))·V'/2, Fᵢⱼ = 1/(λⱼ - λᵢ).",
        domain="a symmetric, eigenvalues distinct",
    ),
    pull_singular_values=(
        pullback(SINGULAR, 0, g) >> ein("LBik,Bjk->LBij", ein("LBk,Bik->LBik", g, LEFT), RIGHT)
    ).noted("Singular values pass on U·diag(g)·V'.", domain=DISTINCT),
    pull_cholesky=(pullback(FACTOR, 0, g) >> HALF * _by_cholesky()).noted(
        "The L of a = L·L' passes on L'⁻¹·H·L⁻¹/2; the symmetric H has the lower triangle of L'g.",
        cite="Murray 2016, Differentiation of the Cholesky decomposition, equation 10",
        domain="a symmetric and positive definite",
    ),
    pull_pseudoinverse=(pullback(PSEUDO, 0, g) >> _by_pseudoinverse()).noted(
        "A pseudoinverse P passes on -P'g·P' + (1 - a·P)·g'·P·P' + P'·P·g'·(1 - P·a).",
        cite="Golub, Pereyra 1973, The differentiation of pseudo-inverses, equation 4.12",
        domain="matrices of the rank of a",
    ),
    pull_orthonormal_factor=(pullback(ORTHONORMAL, 0, g) >> _by_orthonormal_factor()).noted(
        "A factor Q passes on (g - Q·Q'g + Q·T)·R⁻ᵀ, T the part of Q'g - g'Q below the diagonal.",
        cite="Walter, Lehmann 2018, Algorithmic Differentiation of Linear Algebra Functions",
        domain="a of full column rank",
    ),
    pull_matrix_exponential=(pullback(EXPONENTIAL, 0, g) >> _by_exponential()).noted(
        "exp passes on the upper right block of exp([[a', g], [0, a']]).",
        cite="Van Loan 1978; Higham 2008, Functions of Matrices, equation 3.16",
    ),
)

# The laws of square matrices of vectors come first: of those of a node the first that applies is
# taken.

stacks.state(
    "Townsend 2016, Differentiating the Singular Value Decomposition",
    pull_left_singular_vectors=(pullback(LEFT, 0, g) >> _rotation(LEFT, RIGHT))
    .when(dims(LEFT)[-1] == dims(LEFT)[-2])
    .noted("A square U passes on U·(F∘(U'g - g'U))·S·V', Fᵢⱼ = 1/(sⱼ² - sᵢ²).", domain=DISTINCT),
    pull_few_left_singular_vectors=(
        pullback(LEFT, 0, g) >> _rotation(LEFT, RIGHT) + _departure(LEFT, RIGHT)
    ).noted(
        "A U of fewer columns passes on U·(F∘(U'g - g'U))·S·V' + (1 - U·U')·g·S⁻¹·V'.",
        domain=DISTINCT,
    ),
    pull_right_singular_vectors=(pullback(RIGHT, 0, g) >> _transposed(_rotation(RIGHT, LEFT)))
    .when(dims(RIGHT)[-1] == dims(RIGHT)[-2])
    .noted("A square V passes on the transpose of V·(F∘(V'g - g'V))·S·U'.", domain=DISTINCT),
    pull_few_right_singular_vectors=(
        pullback(RIGHT, 0, g) >> _transposed(_rotation(RIGHT, LEFT) + _departure(RIGHT, LEFT))
    ).noted(
        "A V of fewer columns passes on the transpose of that and of (1 - V·V')·g·S⁻¹·U'.",
        domain=DISTINCT,
    ),
)

stacks.state(
    COOKBOOK,
    pull_inverses=(
        pullback(INVERSES, 0, g)
        >> -ein("LBij,Bkj->LBik", ein("Bki,LBkj->LBij", INVERSES, g), INVERSES)
    ).noted(
        "Inverses pass on -inv(a)'·g·inv(a)'.",
        domain="a invertible",
        cite=f"{COOKBOOK}, equation 59",
    ),
    pull_determinants=(
        pullback(DETERMINANTS, 0, g)
        >> ein("LB,Bji->LBij", ein("LB,B->LB", g, DETERMINANTS), INVERSES)
    ).noted(
        "Determinants pass on g·det(a)·inv(a)'.",
        domain="a invertible",
        cite=f"{COOKBOOK}, equation 46",
    ),
    pull_logabsdets=(
        pullback(of_each("logabsdets", a), 0, g) >> ein("LB,Bji->LBij", g, INVERSES)
    ).noted(
        "Logarithms of determinants pass on g·inv(a)'.",
        domain="a invertible",
        cite=f"{COOKBOOK}, equation 43",
    ),
    pull_eigenvector_signs=(
        pullback(of_each("eigenvector_signs", a), 0, g)
        >> const(0, leading(dims(g), dims(of_each("eigenvector_signs", a))) + dims(a))
    ).noted("Signs of eigenvectors pass on 0.", cite="it is constant but for jumps"),
    pull_signdets=(
        pullback(of_each("signdets", a), 0, g)
        >> const(0, leading(dims(g), dims(of_each("signdets", a))) + dims(a))
    ).noted("Signs of determinants pass on 0.", cite="it is constant where a is invertible"),
)

single.state(
    "a stack of one matrix",
    inverse_of_one_matrix=(INVERSES >> inv(a))
    .when(is_matrix(dims(a)))
    .noted("The inverse of one matrix is inv.", replaces=True),
)
