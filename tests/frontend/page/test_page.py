"""The page in a browser: Debian's Chromium, driven by Playwright, as a reader would use it.

Screenshots are kept in build/screenshots.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from eggrad.frontend.page.workers import Pool
from tests.support.browser import CHROMIUM
from tests.support.page_server import Served, serving
from tests.support.places import ROOT

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

SCREENSHOTS = ROOT / "build" / "screenshots"
WIDE, NARROW = {"width": 1100, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving(Pool(2, seconds=60, waiting=60)) as found:
        # The workers are ready.
        assert found.ask(part="derivative", text="sin(x)")["wrt"] == ["x"]
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Reader:
    """Somebody who reads the page: what is shown, and whether anything went wrong."""

    def __init__(self, browser: "playwright.Browser", server: Served, **options: object) -> None:
        self.context = browser.new_context(**{"viewport": WIDE, **options})
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.url = server.url
        self.wrong: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda m: self.wrong.append(m.text))
        self.page.on("request", lambda r: self.hosts.add(r.url.split("/")[2]))

    def open(self, fragment: str) -> None:
        # Where the page is shown already, its last answer would be taken for the one that comes.
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}/{fragment}")
        self.answered()

    def answered(self) -> None:
        """Wait for the whole answer."""
        self.page.wait_for_selector("#check > span")
        playwright.expect(self.page.locator("#code")).not_to_be_empty(timeout=60_000)

    def type(self, text: str) -> None:
        self.page.fill("#text", text)
        self.page.press("#text", "Enter")

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector)

    def latex(self, selector: str) -> str:
        """The formula that is typeset there."""
        return self.page.text_content(f"{selector} annotation")

    def shows(self, selector: str, part: str) -> None:
        # What waits by evaluated code is refused by the page's own policy.
        playwright.expect(self.page.locator(selector).first).to_contain_text(part, timeout=60_000)

    def copied(self, label: str) -> str:
        """What a button with that label copies."""
        button = self.page.locator(f"[aria-label='{label}']")
        button.click()
        playwright.expect(button).to_have_text("Copied")
        return self.page.evaluate("navigator.clipboard.readText()")

    def keep(self, name: str) -> Path:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.evaluate("document.fonts.ready")
        self.page.screenshot(path=path, full_page=True)
        return path


@pytest.fixture
def reader(browser: "playwright.Browser", server: Served) -> Iterator[Reader]:
    found = Reader(browser, server)
    yield found
    found.context.close()
    assert not found.wrong
    assert found.hosts == {server.url.partition("//")[2]}


def test_type_a_formula_and_read_its_derivative(reader: Reader) -> None:
    reader.open("")
    reader.type("x'*A*x")
    reader.shows("#derivative annotation", r"\left(A + A^\top\right) x")
    reader.answered()
    assert "A vector of n entries. It takes 29,900 operations where n = 100" in reader.text(
        "#facts"
    )
    assert "✓ Checked" in reader.text("#check")
    reader.keep("typed")


def test_a_mistake_is_shown_in_place_and_corrected(reader: Reader) -> None:
    reader.open("")
    reader.type("sin(x + ) * x")
    reader.shows("#text-error", "an operand is missing")
    assert reader.text("#text-error pre") == "sin(x + ) * x\n        ^"
    assert reader.page.get_attribute("#text", "aria-invalid") == "true"
    assert reader.page.evaluate("document.activeElement.selectionStart") == 8
    assert not reader.page.is_visible("#answer")
    reader.keep("mistake")
    reader.page.keyboard.type("1")
    reader.page.keyboard.press("Enter")
    reader.shows("#derivative annotation", "cos")
    assert not reader.page.is_visible("#text-error")
    assert reader.page.is_visible("#answer")


def test_change_a_size(reader: Reader) -> None:
    reader.open("#f=norm2(A*x)^2&by=x")
    assert reader.page.input_value("[aria-label='sizes of A']") == "m, n"
    reader.page.fill("[aria-label='sizes of A']", "3, 5")
    reader.page.keyboard.press("Tab")
    reader.shows("#facts", "A vector of 5 entries.")
    assert reader.page.input_value("[aria-label='sizes of x']") == "5"
    assert "3%2C+5" in reader.page.url
    reader.page.fill("[aria-label='sizes of A']", "3, 5, 2")
    reader.page.keyboard.press("Tab")
    reader.page.wait_for_selector("#text-error:not([hidden])")
    reader.page.fill("[aria-label='sizes of A']", "k, 7")
    reader.page.keyboard.press("Tab")
    reader.shows("#facts", "A vector of 7 entries.")


def test_sizes_of_an_earlier_formula(reader: Reader) -> None:
    reader.open("#f=norm2(A*x)^2&by=x&dims=A: 3, 5; old: 2")
    # Those of names that the formula does not have are forgotten.
    assert "old" not in reader.page.url
    # Those that do not fit can be changed, also where the formula is another by now.
    reader.type("tr(A)")
    reader.page.wait_for_selector("#text-error:not([hidden])")
    reader.page.fill("[aria-label='sizes of A']", "5 x 5")
    reader.page.keyboard.press("Tab")
    reader.shows("#facts", "A matrix, 5 x 5.")


def test_declare_what_is_known_of_a_variable(reader: Reader) -> None:
    reader.open("#f=x'*S*x&by=x")
    reader.page.select_option("[aria-label='what is known of S']", "symmetric")
    reader.shows("#derivative annotation", "2 S x")


def test_differentiate_twice(reader: Reader) -> None:
    reader.open("#f=x'*A*x")
    reader.page.click("[aria-label='differentiate again by x']")
    reader.shows("#facts", "A matrix, n x n.")
    assert reader.latex("#derivative").endswith(r"A + A^\top")
    assert "by=x%2Cx" in reader.page.url


def test_compare_with_a_wrong_and_a_right_formula(reader: Reader) -> None:
    reader.open("#f=x'*A*x")
    reader.page.fill("#other", "2*A*x")
    reader.page.press("#other", "Enter")
    reader.shows("#verdict", "Different, for instance at these values")
    assert "yours  =" in reader.text("#verdict") or "yours =" in reader.text("#verdict")
    reader.keep("wrong")
    reader.page.fill("#other", "A*x + A'*x")
    reader.page.click("text=Compare >> nth=-1")
    reader.shows("#verdict", "Equal, proved.")
    assert reader.page.locator("#verdict .laws li").count() > 0
    reader.page.fill("#other", "A*x +")
    reader.page.press("#other", "Enter")
    reader.shows("#other-error", "missing")
    assert reader.page.evaluate("document.activeElement.id") == "other"


def test_copy_code_and_a_link(reader: Reader) -> None:
    reader.open("#f=sum(exp(A*x))&by=x")
    reader.page.select_option("#language", label="JAX")
    reader.page.click("#copy-code")
    reader.shows("#copy-code", "Copied")
    code = reader.page.evaluate("navigator.clipboard.readText()")
    assert "import jax.numpy as jnp" in code
    assert code == reader.page.text_content("#code")
    link = reader.copied("copy a link of the derivative")
    reader.page.goto("about:blank")
    reader.page.goto(link)
    reader.answered()
    assert reader.page.input_value("#text") == "sum(exp(A*x))"


def test_take_a_formula_away(reader: Reader) -> None:
    reader.open("#f=sum(exp(A*x)) + sqrt(x'*x)&by=x&layout=denominator".replace("+", "%2B"))
    latex = reader.copied("copy the LaTeX of the derivative")
    assert latex == r"A^\top \exp\left(A x\right) + \frac{x}{\left\lVert x \right\rVert_2}"
    assert reader.copied("copy the LaTeX of the function").startswith(r"\operatorname{sum}")
    link = reader.copied("copy a link of the derivative")
    assert "by=x" in link
    assert "layout=denominator" in link
    assert "by=" not in reader.copied("copy a link of the function")
    with reader.page.expect_download() as download:
        reader.page.click("[aria-label='save a picture, as SVG, of the derivative']")
    assert download.value.suggested_filename == "derivative.svg"
    picture = Path(download.value.path()).read_text("utf-8")
    assert reader.copied("copy a picture, as SVG, of the derivative") == picture
    assert "katex-html" in picture
    # It opens by itself: well-formed, with its fonts, and nothing that is fetched or run.
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.findtext("{http://www.w3.org/2000/svg}title") == latex
    sources = re.findall(r"url\(([^)]{0,20})", picture)
    assert sources
    assert all(s.startswith("data:font/woff2;base") for s in sources)
    assert "<script" not in picture


def test_a_picture_by_itself(browser: "playwright.Browser", reader: Reader) -> None:
    reader.open("#f=x'*A*x&by=x")
    picture = reader.copied("copy a picture, as SVG, of the derivative")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    file = SCREENSHOTS / "picture.svg"
    file.write_text(picture, "utf-8")
    alone = browser.new_page()
    alone.goto(file.as_uri())
    shown = alone.evaluate("document.querySelector('.katex').getBoundingClientRect().width")
    size = alone.evaluate("document.documentElement.getBoundingClientRect().width")
    assert 100 < shown <= size
    # The letters are KaTeX's, not those of the machine.
    assert alone.evaluate("document.fonts.ready.then((all) => all.size)") >= 2
    assert set(alone.evaluate("[...document.fonts].map((f) => f.status)")) == {"loaded"}
    alone.close()


def test_functions_are_found_and_inserted(reader: Reader) -> None:
    reader.open("#f=x'*x")
    reader.page.click("#guide summary")
    reader.page.wait_for_selector("#guide-list li")
    shown = reader.page.locator("#guide-list li:visible")
    assert shown.count() > 60
    reader.page.fill("#guide-search", "determinant logarithm")
    playwright.expect(shown).to_have_count(3)
    reader.keep("guide")
    reader.page.fill("#text", "")
    reader.page.click("[aria-label='insert logdet(S)']")
    assert reader.page.input_value("#text") == "logdet(S)"
    reader.page.keyboard.press("End")
    reader.page.fill("#guide-search", "diagonal")
    reader.page.click("[aria-label='insert tr(A*X*B)']")
    assert reader.page.input_value("#text") == "logdet(S) + tr(A*X*B)"
    # A function goes around what is selected.
    reader.page.fill("#text", "A*x")
    reader.page.locator("#text").select_text()
    reader.page.fill("#guide-search", "hyperbolic tangent of")
    reader.page.locator("#guide-list li:visible button", has_text="tanh(x)").first.click()
    assert reader.page.input_value("#text") in ("tanh(A*x)", "arctanh(A*x)")
    reader.page.fill("#guide-search", "nothing like it")
    reader.shows("#guide-count", "Nothing here has these words.")


def test_sizes_are_typed_where_they_are_asked_for(reader: Reader) -> None:
    reader.open("")
    reader.type("vec(A*X*B)")
    reader.shows("#text-error", "sizes")
    reader.shows("#sizes-remark", "how many rows and columns each has")
    reader.keep("sizes-asked-for")
    # The first field has the focus; Tab leads to the others.
    for sizes in ("2, 3", "3, 2", "2, 2"):
        reader.page.keyboard.type(sizes)
        reader.page.keyboard.press("Tab")
        reader.page.keyboard.press("Tab")
    reader.shows("#facts", "A tensor, 4 x ")
    assert not reader.page.is_visible("#text-error")
    assert reader.page.input_value("[aria-label='sizes of X']") == "3, 2"
    assert "dims=" in reader.page.url


def test_layouts_are_chosen(reader: Reader) -> None:
    reader.open("#f=tr(A*X*B)&by=X")
    reader.shows("#layout-sentence", "The axes of f come first")
    reader.shows("#facts", "A matrix, n x k.")
    reader.page.select_option("#layout", "numerator")
    reader.shows("#layout-sentence", "Numerator layout: rows belong to f")
    reader.shows("#facts", "A matrix, k x n.")
    assert "layout=numerator" in reader.page.url
    reader.open("#f=x'*A*x&by=x&layout=numerator")
    assert reader.page.input_value("#layout") == "numerator"
    reader.shows("#facts", "A row, 1 x n.")
    reader.keep("numerator")
    reader.page.select_option("#layout", "denominator")
    reader.shows("#facts", "A column, n x 1.")


def test_other_readings_are_clicked(reader: Reader) -> None:
    reader.open("#f=x'*x")
    assert not reader.page.is_visible("#reading")
    reader.type("sum(exp(Xw + b))")
    reader.shows("#read-as", "Read as: Xw is the product X*w")
    reader.answered()
    reader.keep("read-as")
    reader.page.click("#others button")
    reader.shows("#read-as", "Read as: Xw is one name")
    assert reader.page.is_visible("[aria-label='sizes of Xw']")
    reader.answered()
    reader.page.click("#others button")
    # Said so it is no choice.
    playwright.expect(reader.page.locator("#reading")).to_be_hidden(timeout=60_000)
    assert reader.page.input_value("#text") == "sum(exp(X*w + b))"
    reader.shows("#derivative annotation", r"X^\top \exp\left(X w + b\right)")
    reader.answered()


def test_steps_are_read_line_by_line(reader: Reader) -> None:
    reader.open(r"#f=\sum_{i=1}^N \log(1 %2B \exp(-y_i w^\top X_i))&by=w,w")
    reader.page.click("#steps summary")
    lines = reader.page.locator("#steps ol.lines > li")
    last = "The derivative is what each entry of dw is"
    playwright.expect(lines.last).to_contain_text(last, timeout=60_000)
    assert 8 <= lines.count() <= 14
    assert reader.page.locator("#steps ol.lines").bounding_box()["height"] < 1600
    assert reader.page.locator("#steps .result").count() == 2
    reader.keep("steps")
    reader.page.click("#log summary")
    reader.page.wait_for_selector("#log ol.steps li")
    assert reader.page.locator("#log ol.steps > li").count() > lines.count()
    reader.keep("log")
    # Where there are no lines there is the log.
    reader.page.goto("about:blank")
    reader.open("#f=" + "%2B".join(f"sin({k}*x)" for k in range(2, 30)))
    reader.page.click("#steps summary")
    reader.shows("#steps .body", "at most 60 nodes")
    reader.page.click("#log summary")
    reader.page.wait_for_selector("#log ol.steps li")


def test_follow_a_link_that_carries_a_formula(reader: Reader) -> None:
    reader.open(
        "#f=x'*S*x&by=x,x&assume=S: symmetric&dims=x: 4&other=2*S&notation=matrix".replace(
            " ", "%20"
        )
    )
    reader.shows("#verdict", "Equal, proved")
    assert reader.latex("#derivative").endswith("2 S")
    assert reader.page.input_value("[aria-label='sizes of S']") == "4, 4"
    # Another link on the same page is followed as well.
    reader.page.evaluate("location.hash = '#f=sin(y)'")
    reader.shows("#derivative annotation", r"\cos")


def test_keyboard_alone(reader: Reader) -> None:
    reader.open("")
    press = reader.page.keyboard.press

    def reach(wanted: str) -> None:
        for _ in range(90):
            press("Tab")
            if reader.page.evaluate(f"document.activeElement.matches({wanted!r})"):
                return
        raise AssertionError(f"{wanted} is not reached by Tab")

    # The formula has the focus from the start.
    press("Control+a")
    reader.page.keyboard.type("sum(exp(A*x))")
    press("Enter")
    reader.shows("#derivative annotation", r"A^\top \exp")
    reader.answered()
    reach('[aria-label="sizes of A"]')
    press("Control+a")
    reader.page.keyboard.type("2, 3")
    press("Enter")
    reader.shows("#facts", "of 3 entries")
    reach('[aria-label="differentiate again by x"]')
    press("Enter")
    reader.shows("#facts", "3 x 3")
    reader.answered()
    reach('[aria-label="copy the LaTeX of the derivative"]')
    press("Enter")
    reader.shows('[aria-label="copy the LaTeX of the derivative"]', "Copied")
    reach("#layout")
    press("ArrowDown")
    reader.shows("#layout-sentence", "Numerator layout")
    reader.answered()
    press("ArrowUp")
    reader.shows("#layout-sentence", "The axes of f come first")
    reader.answered()
    reach("#copy-code")
    press("Space")
    reader.shows("#copy-code", "Copied")
    reach("#other")
    reader.page.keyboard.type("A'*diag(exp(A*x))*A")
    press("Enter")
    reader.shows("#verdict", "Equal, proved")
    reach("#steps summary")
    press("Enter")
    reader.page.wait_for_selector("#steps ol.lines .laws li")
    reach("#log summary")
    press("Enter")
    reader.page.wait_for_selector("#log ol.steps .laws li")
    reach("#picture summary")
    press("Enter")
    reader.page.wait_for_selector("#picture img")
    assert reader.page.evaluate("[...document.images].every((i) => i.naturalWidth > 0)")
    # What has the focus is seen.
    assert reader.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    reader.keep("keyboard")


def test_functions_are_found_with_the_keyboard_alone(reader: Reader) -> None:
    reader.open("")
    press = reader.page.keyboard.press
    press("Control+a")
    press("Delete")
    for _ in range(30):
        press("Tab")
        if reader.page.evaluate("document.activeElement.matches('#guide summary')"):
            break
    press("Enter")
    reader.page.wait_for_selector("#guide-list li")
    press("Tab")
    reader.page.keyboard.type("adjugate")
    press("Tab")
    press("Enter")
    assert reader.page.evaluate("document.activeElement.id") == "text"
    assert reader.page.input_value("#text") == "adj(A)"
    press("Enter")
    reader.shows("#function annotation", r"\operatorname{adj}")
    reader.answered()


def test_whether_it_is_convex(reader: Reader) -> None:
    reader.open("#f=norm2(A*x - y)^2&by=x")
    reader.shows("#convexity summary", "As a function of x it is convex")
    reader.page.click("#convexity summary")
    reader.shows("#convexity pre", "curvature.")
    reader.open("#f=A*x&by=x")
    reader.page.wait_for_selector("#convexity", state="hidden")


def test_another_link_in_the_same_window(reader: Reader) -> None:
    reader.open("#f=x'*A*x")
    reader.page.evaluate("location.hash = 'f=sin(x)'")
    reader.shows("#derivative annotation", r"\cos")


def test_an_example_is_clicked(reader: Reader) -> None:
    reader.open("")
    reader.page.click("text=A curve")
    reader.page.wait_for_selector("#plot svg path.f")
    reader.answered()
    assert reader.page.locator("#plot path").count() == 2
    reader.keep("curve")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen(browser: "playwright.Browser", server: Served, scheme: str) -> None:
    reader = Reader(browser, server, viewport=NARROW, color_scheme=scheme)
    reader.open("#f=sin(x)^2/x")
    reader.page.wait_for_selector("#plot svg")
    assert reader.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    reader.keep(f"narrow-{scheme}")
    reader.open("#f=norm2(A*x - y)^2 %2B c*norm1(x)&other=x&layout=numerator")
    assert reader.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    for part in ("guide", "steps", "log"):
        reader.page.click(f"#{part} summary >> nth=0")
        reader.page.wait_for_selector(f"#{part} li")
        assert reader.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    reader.keep(f"narrow-open-{scheme}")
    reader.type("kron(A, B)")
    reader.page.wait_for_selector("#axes-A")
    assert reader.page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    reader.keep(f"narrow-sizes-{scheme}")
    reader.context.close()
    assert not reader.wrong


def test_dark(browser: "playwright.Browser", server: Served) -> None:
    reader = Reader(browser, server, color_scheme="dark")
    reader.open("#f=norm2(A*x - y)^2")

    def brightness(of: str) -> float:
        style = f"getComputedStyle(document.querySelector('{of}'))"
        ink, paper = (
            sum(map(int, reader.page.evaluate(f"{style}.{what}.match(/\\d+/g)")[:3]))
            for what in ("color", "backgroundColor")
        )
        return ink - paper

    for part in ("body", "button.main", "pre", "#text", "#language"):
        assert abs(brightness(part)) > 200
    assert brightness("body") > 400
    reader.keep("dark")
    reader.context.close()
    assert not reader.wrong


def test_what_is_typed_is_never_markup(reader: Reader) -> None:
    reader.open("")
    for text in (
        "<img src=x onerror=alert(1)>",
        "declare `<b>x</b>` 1 expression `<b>x</b>` derivative wrt `<b>x</b>`",
        r"\href{javascript:alert(1)}{x}",
        r"\html{<script>alert(1)</script>}",
    ):
        reader.type("x")
        reader.answered()
        reader.page.fill("#other", text)
        reader.page.press("#other", "Enter")
        reader.page.wait_for_selector("#other-error:not([hidden]), #verdict p")
        reader.type(text)
        playwright.expect(reader.page.locator("#status")).not_to_contain_text("Differentiating")
        assert reader.page.locator("img, b, a, main script").count() == 0
