"""Products, transposes and sums as people write them in NumPy."""

from eggrad.engine.indices.spec import Indices
from eggrad.frontend.text.precedence import Text, bracketed, levels

__all__ = ["binary", "unary"]

SUM, PRODUCT, SIGN, POWER, ATOM = levels("python")


def unary(part: Indices, out: Indices, operand: Text, spec: str, total: str = "np.sum") -> Text:
    """A transpose, diagonal, trace or sum; `total` is called for the latter."""
    if len(set(part)) == len(part):
        gone = tuple(k for k, i in enumerate(part) if i not in out)
        kept = tuple(i for i in part if i in out)
        if gone:
            axis = "" if not out else f", axis={gone[0] if len(gone) == 1 else gone}"
            return _turned((f"{total}({operand[0]}{axis})", ATOM), kept, out)
        return _turned(operand, kept, out)
    if spec in ("ii->", "ii->i"):
        return f"np.{'diag' if out else 'trace'}({operand[0]})", ATOM
    return f'np.einsum("{spec}", {operand[0]})', ATOM


def _turned(a: Text, own: Indices, wanted: Indices) -> Text:
    """An array with its axes in another order."""
    if own == wanted:
        return a
    if own == wanted[::-1]:
        return f"{bracketed(a, ATOM)}.T", ATOM
    return f"np.transpose({a[0]}, {tuple(own.index(i) for i in wanted)})", ATOM


def binary(first: tuple[Text, Indices], second: tuple[Text, Indices], out: Indices) -> Text | None:
    """A product by `*`, `@` or `np.outer`; None where only `np.einsum` has it."""
    (a, p), (b, q) = first, second
    if len(set(p)) < len(p) or len(set(q)) < len(q):
        return None
    if not p or not q:
        a, b = (unary(own, out, v, "") if own else v for v, own in (first, second))
        return _infix(a, "*", b)
    alone = [i for i in (*p, *q) if i not in out and (i in p) != (i in q)]
    summed = [i for i in p if i in q and i not in out]
    if alone or max(len(p), len(q)) > 2:
        return None
    if not summed:
        return _without_sum(a, p, b, q, out)
    if len(summed) == 2 or len([i for i in p if i in q]) == 2:
        product = _infix(a, "*", _turned(b, q, p))[0]
        axis = f", axis={p.index(summed[0])}" if out else ""
        return f"np.sum({product}{axis})", ATOM
    (s,) = summed
    if out and out[0] not in p:
        (a, p), (b, q) = (b, q), (a, p)
    if len(p) == 2 and len(q) == 1 and p[0] == s:
        # A vector from the left needs no transpose.
        return _infix(b, "@", a)
    left = a if p[-1] == s else _turned(a, p, p[::-1])
    right = b if q[0] == s else _turned(b, q, q[::-1])
    return _infix(left, "@", right)


def _without_sum(a: Text, p: Indices, b: Text, q: Indices, out: Indices) -> Text | None:
    if set(p) == set(q):
        return _infix(_turned(a, p, out), "*", _turned(b, q, out))
    if len(p) == len(q) == 1:
        first, second = (a, b) if p == out[:1] else (b, a)
        return f"np.outer({first[0]}, {second[0]})", ATOM
    if len(out) > 2:
        return None
    (matrix, own), (vector, (i,)) = ((a, p), (b, q)) if len(p) == 2 else ((b, q), (a, p))
    scale = vector if (i,) == out[1:] else (f"{bracketed(vector, ATOM)}[:, None]", ATOM)
    return _infix(_turned(matrix, own, out), "*", scale)


def _infix(a: Text, sign: str, b: Text) -> Text:
    """A product of two; one sign in front is that of the whole."""
    return f"{bracketed(a, PRODUCT)} {sign} {bracketed(b, SIGN)}", PRODUCT
