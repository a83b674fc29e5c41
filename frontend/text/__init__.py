"""The thesis's language on terms, read and written, and what all languages share.

Others import `parser` and `printer` for whole texts; `words`, `precedence`, `errors` and `phrases`
for other languages; `functions` that terms lack; `sizes`, made equal; `constraints`;
`json_nodes` for expressions without loss.
"""
