"""The laws, one subject a file.

`standard` says which rulesets run in which stage, `rejected` keeps tempting false laws, `notation`
has the words that laws are written with. Others import these three, and rulesets by name.
"""

if __name__ != "eggrad.rules":
    raise ImportError("import eggrad.rules: as rules it would be a second copy of every class")
