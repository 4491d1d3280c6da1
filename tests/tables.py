"""Power of the tables in tests/data/cosmo."""
import numpy as np

H, A_S, N_S = 0.7, 2.1e-9, 0.96
HUBBLE_99 = 38882.392634  # km/s/Mpc at z = 99


def table(path):
    """k in h/Mpc, P of baryons and of dark matter in (Mpc/h)^3"""
    t = np.loadtxt(path)
    k, name = t[:, 0], str(path)
    if 'power' in name or 'pk' in name:
        return k, t[:, 1], t[:, 1]
    if 'sync' in name:
        b, c = -t[:, 2] / (k * H)**2, -t[:, 3] / (k * H)**2
    elif 'newt' in name:  # to the synchronous gauge, where waves are inside the horizon
        shift = 3 * HUBBLE_99 / 100 / 299792.458 * t[:, 11] / (k * H)**4
        b, c = -t[:, 2] / (k * H)**2 - shift, -t[:, 3] / (k * H)**2 - shift
        k, b, c = k[k > 1e-3], b[k > 1e-3], c[k > 1e-3]
    else:
        b, c = t[:, 2], t[:, 1]
    unit = 2 * np.pi**2 * A_S * (k * H) * (k * H / 0.05)**(N_S - 1) * H**3
    return k, unit * b**2, unit * c**2


def cut(path, last, out='power.dat'):
    """A table of P(k) in a box of 20 Mpc/h that ends at its mode `last`, so that products of modes fit into the grid"""
    k, p = np.loadtxt(path).T
    with open(out, 'w') as f:
        f.write('#    k/h    P\n')
        for a, b in zip(k, p * np.maximum(np.exp(-(k / (last * 2 * np.pi / 20))**16), 1e-20)):
            f.write(f'{a:.9e} {b:.9e}\n')
