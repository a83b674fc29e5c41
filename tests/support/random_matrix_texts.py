"""Random texts of the matrix language whose shapes fit."""

from random import Random

DIMS: dict[str, tuple[str, ...]] = {
    **{"A": ("m", "n"), "B": ("m", "n"), "S": ("n", "n"), "T": ("n", "m")},
    **{"x": ("n",), "y": ("m",), "z": ("n",), "a": (), "b": ()},
}
Shape = tuple[str, str]
ENTRYWISE = ("sin", "tanh", "exp", "relu", "abs", "sigmoid", "softplus", "sign", "arctan")


def random_text(random: Random, depth: int = 4) -> str:
    """A text of a scalar, a column, a row or a matrix."""
    sizes = ("1", "m", "n")
    return _text(random, (random.choice(sizes), random.choice(sizes)), depth)


def _text(random: Random, shape: Shape, depth: int) -> str:
    if depth == 0 or random.random() < 0.1:
        return _leaf(random, shape)
    rows, columns = shape

    def part(*wanted: str) -> str:
        own = (wanted[0], wanted[1]) if wanted else shape
        return _text(random, own, depth - 1)

    def product() -> str:
        inner = random.choice(("1", "m", "n"))
        return f"{_factor(part(rows, inner))}*{_factor(part(inner, columns))}"

    choices = [
        product,
        product,
        lambda: f"{part()} {random.choice('+-')} {_factor(part())}",
        lambda: f"{_factor(part())}.*{_factor(part())}",
        lambda: f"{_factor(part())}'" if rows == columns == "1" else f"({part(columns, rows)})'",
        lambda: f"{random.choice(ENTRYWISE)}({part()})",
        lambda: f"-{_factor(part())}",
        lambda: f"{random.choice(('2', '0.5', 'a'))}*{_factor(part())}",
        lambda: f"({part()}).^{random.choice(('2', '3'))}",
        lambda: f"{_factor(part())}./(1 + exp({part()}))",
        lambda: f"{part()} + {random.choice(('1', 'b'))}",
    ]
    if shape == ("1", "1"):
        choices += [
            lambda: f"sum({part('m', 'n')})",
            lambda: f"norm2({part('n', '1')})",
            lambda: f"tr({part('n', 'n')})",
            lambda: f"logsumexp({part('n', '1')})",
        ]
    if columns == "1" != rows:
        choices += [lambda: f"softmax({part()})", lambda: f"sum({part(rows, 'n')}, 2)"]
    if rows == columns != "1":
        choices += [lambda: f"diag({part(rows, '1')})", lambda: f"eye({rows})*a"]
    return random.choice(choices)()


def _factor(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def _leaf(random: Random, shape: Shape) -> str:
    turned = shape[::-1]
    known = {name: (*dims, "1", "1")[:2] for name, dims in DIMS.items()}
    names = [name for name, own in known.items() if own == shape]
    names += [f"{name}'" for name, own in known.items() if own == turned != shape]
    if names:
        return random.choice(names)
    rows, columns = shape
    return f"ones({rows}, {columns})" if "1" not in shape else "1"
