"""From extracted terms to NumPy functions: one intermediate form, and passes over it in order.

Others import `compiled` (a function, its text), `factored_code` (functions whose results are
factored tensors), `variants` (forms for sizes), and of `views` what says whether a product
with an indicator is a slice. `passes` has the list of passes, `program` the intermediate form.
"""
