"""The server: what it sends, to whom, and to how many at once."""

import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest
from click.testing import CliRunner

from eggrad.frontend.cli import main as cli
from eggrad.frontend.page.answers import Answer
from eggrad.frontend.page.question import Question
from eggrad.frontend.page.server import LARGEST, STATIC
from eggrad.frontend.page.workers import Pool, Remembered, busy
from tests.frontend.page.mutations import is_answer, mutated
from tests.support.page_server import Served, serving
from tests.support.programs import python


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(Pool(2, waiting=60)) as found:
        yield found


def test_the_page_and_its_files(server: Served) -> None:
    page = server.request("/")
    assert page.status == 200
    assert b"eggrad" in page.body
    for file in (
        "page.js",
        "page.css",
        "katex/katex.min.js",
        "katex/fonts/KaTeX_Main-Regular.woff2",
    ):
        assert server.request(f"/static/{file}").body == (STATIC / file).read_bytes()
    assert server.request("/static/../server.py").status == 404
    assert server.request("/static/%2e%2e/server.py").status == 404


def test_nothing_but_own_files_may_run(server: Served) -> None:
    for path in ("/", "/static/page.js", "/nowhere"):
        policy = server.request(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
    # No file names another host where a browser would load something.
    for file in ("index.html", "page.css", "page.js", "katex/katex.min.css"):
        text = (STATIC / file).read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "//" not in text.replace("// ", "") or "http" not in text


def test_other_hosts_and_other_content_are_refused(server: Served) -> None:
    assert server.request("/", headers={"host": "evil.example"}).status == 400
    assert server.request("/answer", b"{}").status == 415
    sent = {"content-type": "application/json"}
    assert server.request("/answer", b"{", sent).status == 400
    assert server.request("/answer", b"[" * 30_000, sent).status == 400
    assert server.request("/answer", b"\xff\xfe", sent).status == 400
    large = server.request("/answer", b" " * (LARGEST + 1), sent)
    assert "at most 32,768 bytes" in large.json["error"]["message"]
    assert server.request("/answer").status == 405


def test_ten_at_once_get_their_own_answers(server: Served) -> None:
    def user(k: int) -> list[str]:
        parts = [
            server.ask(part="derivative", text=f"{k}*x'*A*x + sin({j})", wrt=["x", "x"])
            for j in range(3)
        ]
        return [p["derivative"]["latex"] for p in parts]

    with ThreadPoolExecutor(10) as users:
        found = list(users.map(user, range(2, 12)))
    assert found == [[rf"{k} \left(A + A^\top\right)"] * 3 for k in range(2, 12)]


class Stuck(Pool):
    """A pool of two places whose workers never come to an end before they may."""

    def __init__(self) -> None:
        self.remembered = Remembered()
        self.most = 2
        self.entered = Semaphore(0)
        self.may_end = Event()

    def answer(self, question: Question) -> Answer:
        self.entered.release()
        self.may_end.wait(60)
        return {"late": question.text}

    def close(self) -> None:
        pass


def test_who_finds_no_place_is_told_so_at_once_and_files_are_sent() -> None:
    pool = Stuck()
    pool.remembered.keep(Question("derivative", "known"), {"known": 1})
    with serving(pool) as full, ThreadPoolExecutor(2) as users:
        late = [users.submit(full.ask, part="derivative", text=text) for text in "xy"]
        for _ in late:
            pool.entered.acquire()
        assert full.ask(part="derivative", text="z") == busy()
        assert full.ask(part="derivative", text="known") == {"known": 1}
        assert full.request("/static/page.js").status == 200
        pool.may_end.set()
        assert [one.result() for one in late] == [{"late": "x"}, {"late": "y"}]


def test_mutated_questions_are_answered_without_a_traceback(server: Served) -> None:
    for sent in mutated(60, seed=0):
        reply = server.request(
            "/answer", json.dumps(sent).encode(), {"content-type": "application/json"}
        )
        assert is_answer(reply.json), sent


def test_names_that_look_like_markup_stay_text(server: Served) -> None:
    text = "declare `<img src=x onerror=alert(1)>` 1 expression `<img src=x onerror=alert(1)>`"
    assert is_answer(server.ask(part="derivative", text=text))
    assert is_answer(server.ask(part="picture", text=text))
    reply = server.request(
        "/answer",
        json.dumps({"part": "derivative", "text": "<script>alert(1)</script>"}).encode(),
        {"content-type": "application/json"},
    )
    assert reply.headers["content-type"] == "application/json"


def test_the_server_itself_loads_nothing_that_answers_need() -> None:
    program = (
        "import sys\n"
        "import eggrad.frontend.page.server\n"
        "print({'lark', 'eggrad.rules', 'eggrad.frontend.calculus'}.intersection(sys.modules))"
    )
    assert python("-c", program).stdout.strip() == "set()"


def test_the_first_answer_loads_no_library_that_it_can_do_without() -> None:
    # What a fresh process loads takes most of the time until its first answer.
    program = (
        "import sys\n"
        "from eggrad.frontend.page.answers import answer\n"
        "from eggrad.frontend.page.question import Question\n"
        "found = answer(Question('derivative', 'norm2(A*x - y)^2 + c*norm1(x)'))\n"
        "assert found['complete']\n"
        "heavy = {'scipy', 'sympy', 'mpmath', 'jax', 'torch', 'matplotlib', 'click', 'graphviz'}\n"
        "print(heavy.intersection(sys.modules))"
    )
    environment = {**os.environ, "EGGRAD_CACHE": "0"}
    assert python("-c", program, environment=environment).stdout.strip() == "set()"


def test_serve_says_what_is_missing() -> None:
    program = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from eggrad.frontend.cli.main import main\n"
        "main(['serve'])"
    )
    done = python("-c", program, check=False, environment={"COLUMNS": "100", **os.environ})
    assert done.returncode == 2
    assert "needs starlette and uvicorn: pip install starlette uvicorn" in done.stderr


def test_serve_says_that_the_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(cli.main, ["serve", "--port", str(port)])
    assert done.exit_code == 2
    assert f"cannot listen at 127.0.0.1, port {port}: Address already in use" in done.output


def test_serve_is_for_this_machine_where_nothing_is_said() -> None:
    done = CliRunner().invoke(cli.main, ["serve", "--help"])
    assert "[default: 127.0.0.1]" in done.output
