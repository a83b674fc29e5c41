"""Unicode formulas read: signs for fractions, which the reader lacks, as the numbers they are."""

from typing import Any

import eggrad as eg

NUMBERS = {sign: str((k + 1) / 8) for k, sign in enumerate("⅛¼⅜½⅝¾⅞")}


def read_unicode(text: str, *args: Any) -> eg.Expression:
    return eg.parse_matrix(text.translate(str.maketrans(NUMBERS)), *args)
