"""Users' own rules: what is accepted, what is refused and how that reads."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import eggrad as eg
from eggrad.engine.errors import RuleError, UnsoundRules
from eggrad.engine.laws.language import Claim
from eggrad.engine.laws.properties import positive
from eggrad.frontend.cli.main import main
from eggrad.frontend.interface.own_rules import Checker, accepted, read_rules, rules_to_check
from eggrad.rules.notation import (
    Ruleset,
    Spec,
    Statement,
    Tensor,
    add,
    divide,
    ein,
    fn,
    is_elementwise,
    scale,
    subtract,
)

TRUE = '''
from eggrad.rules.notation import Ruleset, Statement, Tensor, add, divide, fn, scale, subtract

mine = Ruleset("mine", "hyperbolic functions", "the number of functions", stage="simplify")


@mine.rule(cite="definition of tanh")
def quotient_is_tanh(a: Tensor) -> Statement:
    """(exp a - exp(-a)) / (exp a + exp(-a)) = tanh a."""
    plus, minus = fn("exp", a), fn("exp", scale(-1, a))
    return divide(subtract(plus, minus), add(plus, minus)) >> fn("tanh", a)
'''
FALSE = '''
from eggrad.rules.notation import *

mine = Ruleset("mine", "wishes", "nothing")


@mine.rule(cite="wishful thinking")
def log_of_any_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """log(a·b) = log a + log b."""
    return fn("log", ein(s, a, b)) >> add(fn("log", a), fn("log", b)), is_elementwise(s)
'''
REFUTED = """\
  where  s = ,->
         a = -1
         b = -1
  left   log(a *(,->) b)
         = 0
  right  log(a) + log(b)
         = undefined"""
TANH = "(exp(x) - exp(-x)) / (exp(x) + exp(-x))"


@pytest.fixture
def true(tmp_path: Path) -> Path:
    path = tmp_path / "true.py"
    path.write_text(TRUE, "utf-8")
    return path


@pytest.fixture
def false(tmp_path: Path) -> Path:
    path = tmp_path / "false.py"
    path.write_text(FALSE, "utf-8")
    return path


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.stdout, done.stderr


def test_rules_of_a_file_are_used(true: Path) -> None:
    f = eg.parse(f"declare x 1 expression {TANH}").expression
    assert str(eg.simplify(f)) != str(eg.simplify(f, rules=true))
    assert eg.simplify(f, rules=str(true)) is eg.tanh(eg.variable("x", f.shape))
    assert "tanh(x)" in str(eg.derivative(f, "x", rules=[true]))
    assert "tanh(x)" not in str(eg.derivative(f, "x"))


def test_rulesets_of_a_program_are_used_as_they_grow() -> None:
    own = Ruleset("own", "hyperbolic functions", "none: ended by the budget of its stage")
    f = eg.parse(f"declare x 1 expression {TANH}").expression
    before = eg.simplify(f, rules=own)

    @own.rule(cite="definition of tanh")
    def quotient_is_tanh(a: Tensor) -> Statement:
        """(exp a - exp(-a)) / (exp a + exp(-a)) = tanh a."""
        plus, minus = fn("exp", a), fn("exp", scale(-1, a))
        return divide(subtract(plus, minus), add(plus, minus)) >> fn("tanh", a)

    assert before is eg.simplify(f)
    assert eg.simplify(f, rules=[own]) is eg.tanh(eg.variable("x", f.shape))


def test_false_rules_are_refused(false: Path) -> None:
    x = eg.variable("x")
    for function in (lambda: eg.simplify(x, rules=false), lambda: eg.gradient(x, "x", rules=false)):
        with pytest.raises(UnsoundRules) as caught:
            function()
        law = "log(a·b) = log a + log b."
        assert str(caught.value) == f"rule 'log_of_any_product' is false: {law}\n{REFUTED}"


def test_false_rulesets_are_refused() -> None:
    own = Ruleset("own", "wishes", "nothing")

    @own.rule(cite="wishful thinking")
    def sums_at_once(s: Spec, a: Tensor, b: Tensor) -> Statement:
        """exp(a·b) = exp a·exp b."""
        return fn("exp", ein(s, a, b)) >> ein(s, fn("exp", a), fn("exp", b)), is_elementwise(s)

    with pytest.raises(UnsoundRules, match="rule 'sums_at_once' is false"):
        accepted([own])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x = 1\nmine = Rulset()\n",
            "line 2: NameError: name 'Rulset' is not defined\n  mine = Rulset()",
        ),
        ("\nx = (1\n", "line 2: SyntaxError: '(' was never closed\n  x = (1"),
        ("import nothing_of_that_name\n", "line 1: ModuleNotFoundError: No module named"),
        ("x = 1\n", " makes no Ruleset; see docs/writing_rules.md"),
        (
            FALSE.replace('    """log(a·b) = log a + log b."""\n', ""),
            "line 7: rule 'log_of_any_product' needs a one-line docstring that states its law\n"
            '  @mine.rule(cite="wishful thinking")',
        ),
        (
            TRUE.replace('stage="simplify"', 'stage="later"'),
            "its stage is 'differentiate', 'simplify' or",
        ),
        (
            TRUE.replace("quotient_is_tanh", "log_of_exp"),
            "there is a rule called 'log_of_exp' already",
        ),
        (TRUE.replace('"mine"', '"sums"'), "there is a ruleset called 'sums' already"),
        (TRUE.replace('"mine"', '"my own"'), "a ruleset's name is one word, not 'my own'"),
        (TRUE + 'other = Ruleset("mine", "", "")\n', "a ruleset called 'mine' already"),
    ],
)
def test_mistakes_are_shown_with_their_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.py"
    path.write_text(text, "utf-8")
    with pytest.raises(RuleError) as caught:
        accepted(path)
    assert message in str(caught.value)
    status, out, err = run("simplify", "declare x 1 expression x", "--rules", str(path))
    assert (status, out) == (2, "")
    assert message in err


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"cannot read .*: No such file or directory"):
        accepted(tmp_path / "nothing.py")
    (tmp_path / "latin.py").write_bytes(b"# \xe4\n")
    with pytest.raises(RuleError, match="is not UTF-8 text: byte 2"):
        accepted(tmp_path / "latin.py")
    with pytest.raises(RuleError, match="rules are files and rulesets, not 5"):
        accepted([5])


def test_a_rule_without_instances_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text(
        FALSE.partition("    return")[0] + '    return fn("log", a) >> a, is_integer(HALF)\n',
        "utf-8",
    )
    with pytest.raises(RuleError, match="no instance of its left side was found"):
        accepted(path)


def test_names_of_the_notation_before_work_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text(
        """from eggrad.rules.notation import *

mine = Ruleset("mine", "signs", "the number of functions")


@mine.rule(cite="definition")
def mirrored(f: Name, a: Tensor) -> Statement:
    \"""f(-(-a)) = -f(-a) for odd functions.\"""
    return fn(f, negate(negate(a))) >> negate(fn(f, negate(a))), is_odd(f)


@mine.rule(cite="definition")
def product_of_ones(n: Dims, m: Dims) -> Statement:
    \"""Ones times ones are ones.\"""
    return ein(outer(n, m), const(1, n), const(1, m)) >> const(1, join(n, m))
""",
        "utf-8",
    )
    with pytest.warns(FutureWarning) as hints:
        (rules,) = accepted(path)
    assert [r.name for r in rules.rules] == ["mirrored", "product_of_ones"]
    assert [str(h.message).partition(": ")[2] for h in hints] == [
        'write f.parity == "odd"',
        'write ein("A,B->AB", a, b)',
        "write n + m",
    ]


def test_the_same_text_is_read_once(true: Path) -> None:
    assert read_rules(true) is read_rules(true)
    assert accepted(true)[0] is accepted(true)[0]


def test_check_reports_on_a_file(true: Path, false: Path) -> None:
    status, out, err = run("rules", "check", str(true), "--instances", "100")
    assert (status, err) == (0, "")
    assert out.splitlines()[:3] == [
        "quotient_is_tanh: (exp a - exp(-a)) / (exp a + exp(-a)) = tanh a.",
        "  true on 100 instances",
        "  fires",
    ]
    status, out, err = run("rules", "check", str(false))
    assert status == 1
    assert REFUTED in out
    assert err == "1 of 1 rules false: log_of_any_product\n"


def test_check_takes_names() -> None:
    status, out, err = run("rules", "check", "functions.log_of_exp", "--instances", "20", "--json")
    assert (status, err) == (0, "")
    (found,) = json.loads(out)
    assert (found["name"], found["instances"], found["sound"]) == ("log_of_exp", 20, True)
    assert (found["fires"], found["ends"]) == (True, True)
    assert found["follows_from"] == ["normal_forms.same_rational_function"]
    status, out, err = run("rules", "check", "root_of_sum")
    assert status == 1
    assert "FALSE" in out
    status, out, err = run("rules", "check", "root_of_everything")
    assert (status, out) == (2, "")
    assert "no rule, ruleset or rejected law is called 'root_of_everything'" in err


@pytest.mark.parametrize(
    ("law", "follows"),
    [
        ("sin(a) * cos(b) + cos(a) * sin(b) >> sin(a + b)", True),
        ("exp(log(a) + b) >> a * exp(b)", True),
        ("(log(a * b) >> log(a) + log(b)).when(positive(a), positive(b))", True),
        ("sin(arccos(a)) >> (1 - a ** 2) ** HALF", True),
        ("arctan(a) >> arcsin(a * (1 + a**2) ** -HALF)", False),
    ],
)
def test_what_equal_proves_follows(law: str, follows: bool, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from eggrad.rules.notation import *\n"
        'mine = Ruleset("mine", "", "nothing")\n'
        f'mine.state("none", law=({law}).noted("A law.", widens=True))\n',
        "utf-8",
    )
    status, out, err = run("rules", "check", str(path), "--instances", "50")
    assert (status, err) == (0, ""), out
    assert ("\n  follows from " in out) == follows, out


def test_check_takes_laws_on_whole_sums() -> None:
    status, out, _ = run("rules", "check", "like_terms", "--instances", "5")
    assert status == 0
    assert out.splitlines()[1:] == ["  true on 5 instances", "  fires"]


def test_false_rules_prove_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    law = "log(exp a·exp b) = a + b."
    more = FALSE.partition("\n\n@mine")[2].replace("log_of_any_product", "log_of_exponentials")
    more = more.replace("log(a·b) = log a + log b.", law)
    more = more.replace("ein(s, a, b)", 'ein(s, fn("exp", a), fn("exp", b))')
    more = more.replace('add(fn("log", a), fn("log", b))', "add(a, b)")
    path.write_text(f"{FALSE}\n\n@mine{more}", "utf-8")
    status, out, err = run("rules", "check", str(path), "--instances", "100")
    assert (status, err) == (1, "1 of 2 rules false: log_of_any_product\n")
    assert f"log_of_exponentials: {law}" in out
    assert "follows from functions.log_of_exp, functions.product_of_exp" in out


def test_diff_and_simplify_take_rules(true: Path) -> None:
    text = f"declare x 1 expression {TANH}"
    _, out, _ = run("simplify", text, "--rules", str(true))
    assert out == "declare x 1 expression tanh(x)\n"
    _, out, _ = run("diff", text, "--wrt", "x", "--rules", str(true))
    assert "tanh(x)" in out


def test_facts_are_no_rules() -> None:
    own = Ruleset("own", "facts of one's own", "nothing")

    @own.fact(cite="wishful thinking")
    def positive_sine(a: Tensor) -> Claim:
        """sin a > 0."""
        return positive(fn("sin", a))

    with pytest.raises(eg.EggradError, match="only rules can be added"):
        eg.simplify(eg.variable("x"), rules=own)


UNCHECKED = """from eggrad.rules.notation import *
mine = Ruleset("mine", "laws of a reader", "nothing")
@mine.rule(cite="a name of NumPy's")
def rounded(a: Tensor) -> Statement:
    \"\"\"rint a = a.\"\"\"
    return fn("rint", a) >> a
@mine.rule(cite="a number for a spec")
def product(a: Tensor, b: Tensor) -> Statement:
    \"\"\"a b = a.\"\"\"
    return ein(5, a, b) >> a
@mine.rule(cite="a number for a tensor")
def shifted(a: Tensor) -> Statement:
    \"\"\"a + 2 = a.\"\"\"
    return add(a, 2) >> a
@mine.rule(cite="a computed spec")
def size_and_sign(a: Tensor) -> Statement:
    \"\"\"sign a |a| = a.\"\"\"
    return ein(elementwise(dims(a)), fn("sign", a), fn("abs", a)) >> a
"""


def test_a_law_that_cannot_be_checked_is_named_and_the_others_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(UNCHECKED)
    checker = Checker(read_rules(path), instances=20)
    found = [checker.findings(r, s) for s, r in rules_to_check(str(path))]
    assert [bool(f.mistake) for f in found] == [True, True, True, False]
    for f, line, wrong in zip(found, (3, 7, 11), ("'rint'", "no spec", "no tensor"), strict=False):
        assert f"rule '{f.rule.name}' ({path}, line {line})" in f.mistake
        assert wrong in f.mistake
    assert (found[-1].soundness.counterexample, found[-1].soundness.compared) == (None, 20)
    with pytest.raises(RuleError, match="no element-wise function of 1 operand is called 'rint'"):
        accepted(path)
