"""Writes poisson-scipy.tsv: intervals and scores of the Poisson model as SciPy computes them.

Run it where SciPy is installed, in this directory:  python3 poisson-scipy.py > poisson-scipy.tsv
"""
from scipy.stats import chi2
import scipy

MEANS = [0, 0.001, 0.25, 0.5, 1, 1.25, 1.75, 2, 3, 5, 7.5, 10, 15.5, 16, 17, 20, 33.25, 50, 99, 100, 250.75,
         1000, 1023.5, 4096, 5000, 65536, 1e6, 1e7, 9.9e7, 1.1e8, 1e9]
print(f"# SciPy {scipy.__version__}: confidence, expectation, count, lower, upper, score")
for confidence in [0.5, 0.9, 0.99, 0.9999, 0.999999]:
    tail = (1 - confidence) / 2
    for mean in MEANS:
        if mean > 1e5 and confidence > 0.99:
            continue  # SciPy is off there: at a million by 1e-9, as mpmath with 40 digits shows, and more beyond
        lower = chi2.ppf(tail, 2 * mean) / 2 if mean > 0 else 0.0
        upper = chi2.isf(tail, 2 * mean + 2) / 2
        for count in {0, int(mean * 1.5) + 3}:
            score = (count - mean) / ((upper - lower) / 2)
            print(f"{confidence!r}\t{mean!r}\t{count}\t{lower:.17g}\t{upper:.17g}\t{score:.17g}")
