"""Workers: ended when they take too much, replaced, and asked once for the same answer."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from eggrad.frontend.page.answers import answer
from eggrad.frontend.page.question import Question
from eggrad.frontend.page.workers import WARMING, Pool, Remembered, busy

QUICK = Question("derivative", "sin(x)")
# The second derivative of a product of sixty sums.
LONG = Question(
    "derivative", "*".join(f"(x + {i}*y + sin({i}*x))" for i in range(1, 60)), wrt=("x",) * 3
)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = Pool(1, seconds=4, answers=3, waiting=60)
    yield made
    made.close()


def test_what_takes_too_long_is_ended_and_others_are_answered(pool: Pool) -> None:
    ended = pool.answer(LONG)
    assert "longer than the 4 seconds" in ended["error"]["message"]
    assert pool.answer(QUICK)["derivative"]["latex"] == r"\cos\left(x\right)"
    # What was ended is asked again: another time there may be more.
    assert pool.remembered.get(LONG) is None


@pytest.mark.parametrize("text", WARMING)
def test_what_workers_begin_with_is_answered(text: str) -> None:
    assert "derivative" in answer(Question("derivative", text))


def test_who_waits_long_for_a_worker_is_told_so() -> None:
    pool = Pool(1, seconds=4, waiting=0.2)
    try:
        # The first may wait until the worker has started.
        assert "derivative" in pool.answer(QUICK)
        with ThreadPoolExecutor(3) as users:
            found = list(users.map(pool.answer, [LONG, LONG, LONG]))
        assert found.count(busy()) == 2
        # Who gave up is in nobody's way.
        assert "derivative" in pool.answer(Question("derivative", "exp(x)"))
    finally:
        pool.close()


def test_answers_are_remembered(pool: Pool) -> None:
    assert pool.answer(QUICK) is pool.answer(QUICK)


def test_workers_are_replaced_after_some_answers(pool: Pool) -> None:
    for k in range(1, 6):
        found = pool.answer(Question("derivative", f"x^{k + 1}", wrt=("x",)))
        assert found["wrt"] == ["x"]


def test_what_takes_too_much_memory_is_ended() -> None:
    pool = Pool(1, megabytes=48, waiting=60)
    try:
        sizes = (("A", (6000, 6000)), ("x", (6000,)))
        found = pool.answer(Question("check", "norm2(A*x)^2", dims=sizes, wrt=("A",)))
        assert "memory" in found["error"]["message"] or "entries" in found["error"]["message"]
        assert pool.answer(QUICK)["derivative"]["latex"] == r"\cos\left(x\right)"
    finally:
        pool.close()


def test_nobody_waits_for_many_who_came_later() -> None:
    pool, users = Pool(1, waiting=60), 4
    answered: list[Question] = []

    def longest_wait(user: int) -> int:
        waits: list[int] = []
        for k in range(25):
            question = Question("derivative", f"x^{k + 2} + {user}", wrt=("x",))
            before = len(answered)
            pool.answer(question)
            answered.append(question)
            waits.append(len(answered) - before)
        return max(waits)

    with ThreadPoolExecutor(users) as threads:
        waits = list(threads.map(longest_wait, range(users)))
    pool.close()
    assert max(waits) <= 3 * users


def test_deep_formulas_do_not_end_a_worker(pool: Pool) -> None:
    found = pool.answer(Question("derivative", "exp(" * 400 + "x" + ")" * 400))
    assert found.keys() & {"error", "derivative"}


def test_the_oldest_answers_are_forgotten() -> None:
    first, second, third = (Question("derivative", text) for text in "xyz")
    # Long questions with short answers take memory as well.
    remembered = Remembered(most=2 * len(str(first)) + 20)
    remembered.keep(first, {"n": 1})
    remembered.keep(second, {"n": 2})
    remembered.get(first)
    remembered.keep(third, {"n": 3})
    assert remembered.get(second) is None
    assert remembered.get(first) == {"n": 1}
    remembered.keep(second, {"n": "x" * 400})
    assert [remembered.get(q) for q in (first, second, third)] == [None] * 3
    remembered.keep(third, {"n": 4})
    remembered.keep(third, {"n": 5})
    remembered.keep(first, {"n": 1})
    assert remembered.get(third) == {"n": 5}
