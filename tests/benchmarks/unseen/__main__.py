"""eggrad on problems that nobody tuned on: its code by turns with NumPy by hand, and with JAX.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.unseen --half tuned --sizes 30,300 [--jax]

prints a line for each figure: eggrad's time as a multiple of the fastest by hand, seconds to
derive and to compile, and peak memory as a multiple; then a summary for each half. With `--jax`
jitted JAX's own derivative is compared as well, on one processor and one thread.
"""

import sys

from tests.benchmarks.unseen.figures import main

sys.exit(main(sys.argv[1:]))
