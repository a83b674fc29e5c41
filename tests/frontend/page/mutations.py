"""Questions that no reader would send, and what becomes of them.

`python -m tests.frontend.page.mutations 10000` asks so many of a pool, several at a time; it prints
how they ended, the slowest, what memory the workers took, and how long first answers take.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from eggrad.engine.errors import EggradError
from eggrad.frontend.page.answers import mistake
from eggrad.frontend.page.question import PARTS, Question
from eggrad.frontend.page.workers import Pool
from tests.support.places import ROOT

EXAMPLES = ROOT / "frontend/page/static/examples.json"
_CHARACTERS = (
    "()[]{}'*+-/^.,;:_=<>|\\$&\"`#%~!?@ \n\t0123456789abcxyzABXδΣλ∑√‖⊙ᵀ²ᵢⱼ\x00\u202e\ud83d😀"
)
_PIECES = (
    *("inv(", "det(", "sum(", "exp(", "softmax(", "norm2(", "'*", ".^", "^-1", "^(1/0)", "/0"),
    *("\\frac{", "\\sum_{i=1}^n ", "\\top", "\\\\", "_{ij}", "<script>", "</pre>", "${x}", "e^"),
    *("9" * 40, "1e999", "nan", "declare ", " expression ", " derivative wrt ", "*(ij,j->i)"),
    *("x[0]", "x[1:n]", "sum{k<K} (", "\\begin{aligned}", "{{{", "__import__('os')", "lambda x:"),
)


def mutated(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Questions about the page's examples, each changed in a few places."""
    rng = random.Random(seed)
    texts = [e["link"]["f"] for e in json.loads(EXAMPLES.read_text("utf-8"))]
    for _ in range(count):
        text = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 2, 3, 8))):
            text = _changed(text, rng, texts)
        found: dict[str, Any] = {"part": rng.choice(PARTS), "text": text}
        if rng.random() < 0.2:
            found["dims"] = {rng.choice("xAXwyS"): rng.choice(("n", "3", "m, n", "n n n", "", "?"))}
        if rng.random() < 0.2:
            found["wrt"] = [rng.choice("xAXwSq") for _ in range(rng.choice((1, 1, 2, 3)))]
        if found["part"] == "compare":
            found["other"] = _changed(rng.choice(texts), rng, texts)
        if rng.random() < 0.05:
            found[rng.choice(("dims", "wrt", "assume", "notation"))] = rng.choice(
                (None, 7, [1], {"x": "symmetric"}, "x", {"": ""}, ["x"] * 9)
            )
        yield found


def _changed(text: str, rng: random.Random, texts: list[str]) -> str:
    at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    match rng.randrange(12):
        case 0:
            return text[:at] + rng.choice(_CHARACTERS) + text[at:]
        case 1:
            return text[:at] + text[at + 1 :]
        case 2:
            return text[:at] + rng.choice(_PIECES) + text[at:]
        case 3:
            return text[:at] + text[end:]
        case 4:
            return text[:end] + text[at:end] * rng.choice((1, 2, 5)) + text[end:]
        case 5:
            other = rng.choice(texts)
            return text[:at] + other[rng.randrange(len(other)) :]
        case _:
            return _exchanged(text, rng)


def _exchanged(text: str, rng: random.Random) -> str:
    """The text with one operator, name or number exchanged for another: often a formula still."""
    groups = ("+-*/", "xywvzc", "ABSXW", "0123456789", ("sin", "exp", "log", "tanh", "abs", "sum"))
    places = [
        (at, found, group)
        for group in groups
        for found in group
        for at in range(len(text))
        if text.startswith(found, at)
    ]
    if not places:
        return text
    at, found, group = rng.choice(places)
    return text[:at] + rng.choice(group) + text[at + len(found) :]


def is_answer(found: Any) -> bool:
    """Whether an answer is one, or a message that shows nothing of Python's insides."""
    if "error" not in found:
        return bool(found)
    message = found["error"]["message"]
    return bool(message) and "Traceback" not in message and "should not" not in message


def ended(pool: Pool, sent: Mapping[str, Any]) -> tuple[str, float]:
    """How a question ended, and after how many seconds."""
    began = time.perf_counter()
    try:
        found = pool.answer(Question.of(sent))
    except EggradError as error:
        found = {"error": mistake(error)}
    # What the server would send.
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    seconds = time.perf_counter() - began
    if not is_answer(found):
        print("FAILED", json.dumps(sent), found, flush=True)
        return "failed", seconds
    if "error" not in found:
        return "answered", seconds
    message = found["error"]["message"]
    known = ("longer than", "memory", "deeply", "other questions")
    return next((words for words in known if words in message), "mistake"), seconds


def _megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _first_answers(pool: Pool) -> Iterator[float]:
    """The seconds of first answers for textbook formulas that were never asked before."""
    for k, e in enumerate(json.loads(EXAMPLES.read_text("utf-8"))):
        text = (
            e["link"]["f"].replace("x", f"x{k}") if "declare" in e["link"]["f"] else e["link"]["f"]
        )
        began = time.perf_counter()
        pool.answer(Question("derivative", text + " "))
        yield time.perf_counter() - began


def main(count: int) -> None:
    """Ask, and print what was found."""
    pool = Pool()
    pool.answer(Question("derivative", "x"))
    firsts = sorted(_first_answers(pool))
    print(f"first answers: median {firsts[len(firsts) // 2]:.3f} s, slowest {firsts[-1]:.3f} s")
    ends: Counter[str] = Counter()
    times: list[float] = []
    most = 0.0
    with ThreadPoolExecutor(10) as users:
        asked = users.map(lambda sent: ended(pool, sent), mutated(count, seed=1))
        for k, (end, seconds) in enumerate(asked, 1):
            ends[end] += 1
            times.append(seconds)
            if k % 500 == 0:
                most = max([most, *(_megabytes(p.pid or 0) for p in active_children())])
                print(f"{k}: {dict(ends)}, workers' memory at most {most:.0f} MB", flush=True)
    print(f"{count}: {dict(ends)}; the longest, waiting included, {max(times):.1f} s")
    pool.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
