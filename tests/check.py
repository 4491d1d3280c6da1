"""What the Python parts of the shell tests share: the first thing that is not so ends them with its name."""
import sys


def check(what, ok):
    if not ok:
        print('FAIL:', what)
        sys.exit(1)


def near(what, a, b, tol=1e-10):
    """Arrays, or numbers, of one shape: the largest difference over the largest value of b."""
    import numpy as np
    a, b = np.asarray(a), np.asarray(b)
    largest = np.abs(a - b).max() if a.shape == b.shape else f'shape {a.shape}, not {b.shape}'
    check(f'{what}: {largest} of {np.abs(b).max()}', a.shape == b.shape and largest <= tol * np.abs(b).max())
