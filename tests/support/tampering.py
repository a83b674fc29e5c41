"""Certificates changed so that they prove nothing, or by chance."""

import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

JSON = Any


def tampered(text: str, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    """Changes of a certificate that a checker has to see, each with its name."""
    whole = json.loads(text)
    for name, change in CHANGES.items():
        changed = copy.deepcopy(whole)
        if change(changed, rng):
            yield name, json.dumps(changed)


def mutated(text: str, rng: np.random.Generator) -> str:
    """A certificate in which one number or word, chosen by chance, is another."""
    whole = json.loads(text)
    places = [*_leaves(whole)]
    holder, key = places[int(rng.integers(len(places)))]
    value = holder[key]
    values = [h[k] for h, k in places if type(h[k]) is type(value) and h[k] != value]
    holder[key] = values[int(rng.integers(len(values)))] if values else None
    return json.dumps(whole)


def _leaves(data: JSON) -> Iterator[tuple[JSON, JSON]]:
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from _leaves(value)
        else:
            yield data, key


def _another(whole: JSON, number: int, rng: np.random.Generator) -> int:
    """A variable or number that is not a term; the same axes are not asked for."""
    others = [k for k in range(len(whole["terms"])) if k != number]
    return others[int(rng.integers(len(others)))] if others else number


def _claim(whole: JSON, rng: np.random.Generator) -> bool:
    """Another right side."""
    claim = whole["claim"]
    key = next(k for k in ("right", "is", "form") if k in claim)
    before = claim[key]
    claim[key] = _another(whole, before, rng)
    return claim[key] != before and bool(whole["chains"])


def _end(whole: JSON, rng: np.random.Generator) -> bool:
    """A step that leads elsewhere."""
    if not whole["chains"]:
        return False
    step = whole["chains"][0]["steps"][-1]
    before = step["to"]
    step["to"] = _another(whole, before, rng)
    return step["to"] != before


def _first(whole: JSON, key: str) -> JSON:
    return next(iter(whole[key].values()), None)


def _law(whole: JSON, _rng: np.random.Generator) -> bool:
    """A law that says that everything is itself, twice."""
    law = next((law for law in whole["laws"].values() if "right" in law), None)
    if law is None:
        return False
    law["right"] = ["node", "scale", ["value", "number", "2"], law["right"]]
    return True


def _condition(whole: JSON, _rng: np.random.Generator) -> bool:
    """A law without its conditions."""
    law = next((law for law in whole["laws"].values() if law["when"]), None)
    if law is None:
        return False
    law["when"] = []
    return True


def _domain(whole: JSON, _rng: np.random.Generator) -> bool:
    """Nothing assumed, where facts begin with what is assumed."""
    assumed = whole["claim"]["assumed"]
    whole["claim"]["assumed"] = []
    return bool(assumed)


def _fact(whole: JSON, _rng: np.random.Generator) -> bool:
    """No facts, where a law or the claim asks for them."""
    asks = any(c[0] == "known" for law in whole["laws"].values() for c in law["when"])
    needed = bool(whole["facts"]) and (asks or whole["claim"]["kind"] in ("has", "curved"))
    whole["facts"] = []
    return needed


def _number(whole: JSON, _rng: np.random.Generator) -> bool:
    """Twice as much of one instance of a law."""
    for chain in whole["chains"]:
        for step in chain["steps"]:
            for part in step.get("parts", ()):
                part["number"] = str(2 * Fraction(part["number"]))
                return True
    return False


def _step(whole: JSON, _rng: np.random.Generator) -> bool:
    """A step by a law that only arithmetic was said to make, or none."""
    for chain in whole["chains"]:
        for step in chain["steps"]:
            if step["by"] == "law":
                step["backwards"] = not step["backwards"]
                return True
            if step.get("parts"):
                step["parts"] = []
                return True
    return False


def _letter(whole: JSON, _rng: np.random.Generator) -> bool:
    """A letter of a law that stands for a variable which occurs nowhere."""
    for chain in whole["chains"]:
        for step in chain["steps"]:
            for said in (step, *step.get("parts", ())):
                for kind_and_value in said.get("bound", {}).values():
                    if kind_and_value[0] == "term":
                        dims = whole["terms"][kind_and_value[1]]["dims"]
                        data = {"name": "nowhere", "assume": []}
                        whole["terms"].append(
                            {"op": "variable", "data": data, "args": [], "dims": dims}
                        )
                        kind_and_value[1] = len(whole["terms"]) - 1
                        return True
    return False


def _factor(whole: JSON, _rng: np.random.Generator) -> bool:
    """An instance of a law times 0 instead of its factor."""
    for chain in whole["chains"]:
        for step in chain["steps"]:
            for part in step.get("parts", ()):
                dims = whole["terms"][part["times"]]["dims"]
                whole["terms"].append({"op": "constant", "data": "0", "args": [], "dims": dims})
                part["times"] = len(whole["terms"]) - 1
                return True
    return False


def _order(whole: JSON, _rng: np.random.Generator) -> bool:
    """Facts before their premises, where the first has one."""
    first = next(iter(whole["facts"]), None)
    asks = first is not None and any(c[0] == "known" for c in whole["laws"][first["law"]]["when"])
    known = first is not None and not whole["claim"]["assumed"]
    whole["facts"].reverse()
    return bool(asks and known)


def _record(whole: JSON, _rng: np.random.Generator) -> bool:
    """Something else known of a function."""
    record = _first(whole, "functions")
    if record is None:
        return False
    record["total"] = not record["total"]
    return True


CHANGES: dict[str, Callable[[JSON, np.random.Generator], bool]] = {
    "claim": _claim,
    "end": _end,
    "law": _law,
    "condition": _condition,
    "domain": _domain,
    "fact": _fact,
    "number": _number,
    "step": _step,
    "record": _record,
    "letter": _letter,
    "factor": _factor,
    "order": _order,
}
