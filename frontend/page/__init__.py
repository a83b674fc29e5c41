"""The page on which one types a formula and reads its derivative: `eggrad serve`.

Others import `server.application`. A question is answered by one pure function, `answers.answer`,
in processes that `workers` limits; `static/` is what the browser loads, KaTeX among it.
"""
