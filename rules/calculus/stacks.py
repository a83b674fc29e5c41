"""Functions of each matrix of a stack: what they pass on in reverse mode.

Products are written as in einsum, where L stands for the axes that come before those of the node,
and B for those of the stack. All is made of the same functions, so there is every derivative.
"""

from eggrad.rules.notation import *

GILES = "Giles 2008, Collected Matrix Derivative Results"

stacks = Ruleset(
    "stacks",
    "functions of each matrix of a stack: contributions to the adjoints of operands",
    "the number of contributions that have no value yet",
)

single = Ruleset(
    "single", "stacks of one matrix", "the number of functions of each matrix of a stack"
)


class _Products:
    """Products of cotangents, which have axes before those of a node, and of stacks like `a`."""

    def __init__(self, node: Tensor, a: Tensor, g: Tensor) -> None:
        self.lead, self.stack = leading(dims(g), dims(node)), stack_dims(dims(a))

    def __call__(self, text: str, a: Tensor, b: Tensor) -> Tensor:
        return ein(stacked(text, self.lead, self.stack), a, b)

    def turned(self, a: Tensor) -> Tensor:
        """The transposes of the matrices of a cotangent."""
        return ein1(stacked("LBij->LBji", self.lead, self.stack), a)

    def turn(self, g: Tensor, x: Tensor) -> Tensor:
        """The skew matrices x'g - g'x."""
        inner = self("Bml,LBmk->LBlk", x, g)
        return subtract(inner, self.turned(inner))

    def identity(self, a: Tensor) -> Tensor:
        """The identity as often as there are matrices, as long as the last axis of `a`."""
        return self("B,ij->Bij", const(1, self.stack), delta(last_dims(dims(a))))

    def spread(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors as the rows and as the columns of matrices."""
        ones = const(1, last_dims(dims(values)))
        return self("Bj,i->Bij", values, ones), self("Bi,j->Bij", values, ones)

    def gaps(self, values: Tensor) -> Tensor:
        """1 / (v_j - v_i), and 1 on the diagonal, where what it multiplies is 0."""
        rows, columns = self.spread(values)
        return power(add(subtract(rows, columns), self.identity(values)), -1)

    def sums(self, values: Tensor) -> Tensor:
        """1 / (v_j + v_i)."""
        return power(add(*self.spread(values)), -1)

    def rotation(self, g: Tensor, x: Tensor, y: Tensor, values: Tensor) -> Tensor:
        """What singular vectors x pass on within their span; y are those on the other side."""
        gaps = self("Blk,Blk->Blk", self.gaps(values), self.sums(values))
        scaled = self("LBlk,Bk->LBlk", self("LBlk,Blk->LBlk", self.turn(g, x), gaps), values)
        return self("LBik,Bjk->LBij", self("Bil,LBlk->LBik", x, scaled), y)

    def without(self, g: Tensor, x: Tensor) -> Tensor:
        """What is orthogonal to the columns of x."""
        return subtract(g, self("Bil,LBlk->LBik", x, self("Bml,LBmk->LBlk", x, g)))

    def departure(self, g: Tensor, x: Tensor, y: Tensor, values: Tensor) -> Tensor:
        """What singular vectors x pass on beside their span."""
        scaled = self("LBmk,Bk->LBmk", g, power(values, -1))
        return self("LBik,Bjk->LBij", self.without(scaled, x), y)


def _svd(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    names = ("left_singular_vectors", "singular_values", "right_singular_vectors")
    return tuple(of_each(name, a) for name in names)  # pyright: ignore[reportReturnType]


@stacks.rule(cite=f"{GILES}, section 3.1", domain="a symmetric, eigenvalues distinct")
def pull_eigenvalues(a: Tensor, g: Tensor) -> Statement:
    """Eigenvalues pass on V·diag(g)·V'."""
    node, v = of_each("eigenvalues", a), of_each("eigenvectors", a)
    p = _Products(node, a, g)
    return pullback(node, 0, g) >> p("LBik,Bjk->LBij", p("LBk,Bik->LBik", g, v), v)


@stacks.rule(cite=f"{GILES}, section 3.1", domain="a symmetric, eigenvalues distinct")
def pull_eigenvectors(a: Tensor, g: Tensor) -> Statement:
    """Eigenvectors pass on V·(F∘(V'g - g'V))·V'/2, Fᵢⱼ = 1/(λⱼ - λᵢ)."""
    node = of_each("eigenvectors", a)
    p = _Products(node, a, g)
    turn = p("LBlk,Blk->LBlk", p.turn(g, node), p.gaps(of_each("eigenvalues", a)))
    whole = p("LBik,Bjk->LBij", p("Bil,LBlk->LBik", node, turn), node)
    return pullback(node, 0, g) >> scale(Number(1, 2), whole)


@stacks.rule(
    cite="Murray 2016, Differentiation of the Cholesky decomposition, equation 10",
    domain="a symmetric and positive definite",
)
def pull_cholesky(a: Tensor, g: Tensor) -> Statement:
    """A factor L passes on L⁻ᵀ·H·L⁻¹/2; the symmetric H has the lower triangle of L'g."""
    node = of_each("cholesky", a)
    p = _Products(node, a, g)
    inner, inverse = p("Bki,LBkj->LBij", node, g), of_each("inverses", node)
    lower, below = (
        p("LBij,ij->LBij", inner, indicator(square_dims(dims(a)), below_diagonal(dims(a), k)))
        for k in (0, 1)
    )
    whole = p("Bli,LBlk->LBik", inverse, add(lower, p.turned(below)))
    return pullback(node, 0, g) >> scale(Number(1, 2), p("LBik,Bkj->LBij", whole, inverse))


@stacks.rule(cite=f"{GILES}, section 3.2", domain="singular values distinct and not 0")
def pull_singular_values(a: Tensor, g: Tensor) -> Statement:
    """Singular values pass on U·diag(g)·V'."""
    u, s, v = _svd(a)
    p = _Products(s, a, g)
    return pullback(s, 0, g) >> p("LBik,Bjk->LBij", p("LBk,Bik->LBik", g, u), v)


@stacks.rule(
    cite="Townsend 2016, Differentiating the Singular Value Decomposition",
    domain="singular values distinct and not 0",
)
def pull_left_singular_vectors(a: Tensor, g: Tensor) -> Statement:
    """Of a basis U passes on U·(F∘(U'g - g'U))·S·V', Fᵢⱼ = 1/(sⱼ² - sᵢ²)."""
    u, s, v = _svd(a)
    p = _Products(u, a, g)
    return pullback(u, 0, g) >> p.rotation(g, u, v, s), spans_all(dims(u))


@stacks.rule(
    cite="Townsend 2016, Differentiating the Singular Value Decomposition",
    domain="singular values distinct and not 0",
)
def pull_few_left_singular_vectors(a: Tensor, g: Tensor) -> Statement:
    """Where U is no basis it passes on (1 - U·U')·g·S⁻¹·V' as well."""
    u, s, v = _svd(a)
    p = _Products(u, a, g)
    return pullback(u, 0, g) >> add(p.rotation(g, u, v, s), p.departure(g, u, v, s))


@stacks.rule(
    cite="Townsend 2016, Differentiating the Singular Value Decomposition",
    domain="singular values distinct and not 0",
)
def pull_right_singular_vectors(a: Tensor, g: Tensor) -> Statement:
    """Of a basis V passes on the transpose of V·(F∘(V'g - g'V))·S·U'."""
    u, s, v = _svd(a)
    p = _Products(v, a, g)
    return pullback(v, 0, g) >> p.turned(p.rotation(g, v, u, s)), spans_all(dims(v))


@stacks.rule(
    cite="Townsend 2016, Differentiating the Singular Value Decomposition",
    domain="singular values distinct and not 0",
)
def pull_few_right_singular_vectors(a: Tensor, g: Tensor) -> Statement:
    """Where V is no basis it passes on the transpose of (1 - V·V')·g·S⁻¹·U' as well."""
    u, s, v = _svd(a)
    p = _Products(v, a, g)
    both = add(p.rotation(g, v, u, s), p.departure(g, v, u, s))
    return pullback(v, 0, g) >> p.turned(both)


@stacks.rule(
    cite="Golub, Pereyra 1973, The differentiation of pseudo-inverses, equation 4.12",
    domain="matrices of the rank of a",
)
def pull_pseudoinverse(a: Tensor, g: Tensor) -> Statement:
    """A pseudoinverse P passes on -P'g·P' + (1 - a·P)·g'·P·P' + P'·P·g'·(1 - P·a)."""
    node = of_each("pseudoinverse", a)
    p = _Products(node, a, g)
    within = p("LBij,Bkj->LBik", p("Bki,LBkj->LBij", node, g), node)
    turned = p.turned(g)
    left = p("LBij,Bkj->LBik", p("LBij,Bjk->LBik", turned, node), node)
    left = subtract(left, p("Bij,LBjk->LBik", a, p("Bij,LBjk->LBik", node, left)))
    right = p("Bji,LBjk->LBik", node, p("Bij,LBjk->LBik", node, turned))
    right = subtract(right, p("LBij,Bjk->LBik", p("LBij,Bjk->LBik", right, node), a))
    return pullback(node, 0, g) >> subtract(add(left, right), within)


@stacks.rule(
    cite="Walter, Lehmann 2018, Algorithmic Differentiation of Linear Algebra Functions",
    domain="a of full column rank",
)
def pull_orthonormal_factor(a: Tensor, g: Tensor) -> Statement:
    """A factor Q passes on (g - Q·Q'g + Q·T)·R⁻ᵀ, T the part of Q'g - g'Q below the diagonal."""
    node = of_each("orthonormal_factor", a)
    p = _Products(node, a, g)
    inverse = of_each("inverses", p("Bmi,Bmj->Bij", node, a))
    inner = p("Bmi,LBmj->LBij", node, g)
    below = indicator(square_dims(dims(a)), below_diagonal(dims(a), 1))
    turn = p("LBij,ij->LBij", p.turn(g, node), below)
    whole = add(g, p("Bmi,LBij->LBmj", node, subtract(turn, inner)))
    return pullback(node, 0, g) >> p("LBmk,Bjk->LBmj", whole, inverse)


@stacks.rule(cite="Van Loan 1978; Higham 2008, Functions of Matrices, equation 3.16")
def pull_matrix_exponential(a: Tensor, g: Tensor) -> Statement:
    """exp passes on the upper right block of exp([[a', g], [0, a']])."""
    node = of_each("matrix_exponential", a)
    p = _Products(node, a, g)
    upper, lower = (indicator(twice_as_long(dims(a)), half(dims(a), k)) for k in (0, 1))
    turned = p("Bji,L->LBij", a, const(1, p.lead))

    def placed(m: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
        return p("LBpj,qj->LBpq", p("pi,LBij->LBpj", rows, m), columns)

    diagonal = add(placed(turned, upper, upper), placed(turned, lower, lower))
    whole = of_each("matrix_exponential", add(diagonal, placed(g, upper, lower)))
    block = p("LBiq,qj->LBij", p("pi,LBpq->LBiq", upper, whole), lower)
    return pullback(node, 0, g) >> block


@stacks.rule(cite=f"{COOKBOOK}, equation 59", domain="a invertible")
def pull_inverses(a: Tensor, g: Tensor) -> Statement:
    """Inverses pass on -inv(a)'·g·inv(a)'."""
    node = of_each("inverses", a)
    p = _Products(node, a, g)
    return pullback(node, 0, g) >> negate(p("LBij,Bkj->LBik", p("Bki,LBkj->LBij", node, g), node))


@stacks.rule(cite=f"{COOKBOOK}, equation 46", domain="a invertible")
def pull_determinants(a: Tensor, g: Tensor) -> Statement:
    """Determinants pass on g·det(a)·inv(a)'."""
    node = of_each("determinants", a)
    p = _Products(node, a, g)
    return pullback(node, 0, g) >> p("LB,Bji->LBij", p("LB,B->LB", g, node), of_each("inverses", a))


stacks.state(
    f"{COOKBOOK}, equation 43",
    pull_logabsdets=(
        pullback(of_each("logabsdets", a), 0, g)
        >> ein(
            stacked(
                "LB,Bji->LBij",
                leading(dims(g), dims(of_each("logabsdets", a))),
                stack_dims(dims(a)),
            ),
            g,
            of_each("inverses", a),
        )
    ).noted("Logarithms of determinants pass on g·inv(a)'.", domain="a invertible"),
    pull_signdets=(
        pullback(of_each("signdets", a), 0, g)
        >> const(0, join(leading(dims(g), dims(of_each("signdets", a))), dims(a)))
    ).noted("Signs of determinants pass on 0.", cite="it is constant where a is invertible"),
)

single.state(
    "a stack of one matrix",
    inverse_of_one_matrix=(of_each("inverses", a) >> inv(a))
    .when(is_one_matrix(dims(a)))
    .noted("The inverse of one matrix is inv.", replaces=True),
)
