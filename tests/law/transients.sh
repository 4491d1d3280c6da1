#!/bin/bash
# transients.sh - what particles of sluice-ic lack of the motion that gravity gives them: u' + (2 + H'/H) u of the displacement,
# its divergence in space and the density that it makes, derivatives by ln a from starts at near redshifts. Linear motions solve it;
# what is left, and has to decay after a start, is of the second order in the amplitude after Zel'dovich's start and of the third
# after that of second order (Crocce et al. 2006). At z = 0.5, where Lambda matters to the growth of both orders.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# a spectrum that ends at a quarter of the grid, so that the second order fits into it
/usr/bin/python3 -c "from tables import cut; cut('$SLUICE_TOP/tests/data/cosmo/camb_matterpower_z0.dat', 7)" || exit 1
cat >run.yaml <<'YAML'
campaign: transients
problem: cosmology
mesh: {cells: [32, 32, 32], box: [[0, 20], [0, 20], [0, 20]]}
cosmology: {normalise: sigma8}
ic: {transfer: table, table: power.dat, species: one_fluid, mode: back_scaled}
time: {end: 0}
YAML
for step in -2 -1 0 1 2; do
    z=$(/usr/bin/python3 -c "import math; print(repr(1.5 * math.exp(-0.02 * ($step)) - 1))")
    for size in 0.001 0.004 0.016; do
        for order in 1 2; do
            sluice-ic run.yaml ic.redshift=$z ic.order=$order cosmology.sigma8=$size run.input=$size.$order.$step.h5 2>log ||
                { cat log; exit 1; }
        done
    done
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check
n, L, h = 32, 20., 0.02
k = np.array(np.meshgrid(*[2 * np.pi * np.fft.fftfreq(n, L / n)] * 3, indexing='ij'))[::-1]  # x, y, z of arrays [z][y][x]
def slopes(f):
    """df_i/dq_j of fields on the lattice, as matrices"""
    return np.moveaxis([[np.fft.ifftn(1j * q * np.fft.fftn(c)).real for q in k] for c in f], (0, 1), (-2, -1))
def get(name):
    with h5py.File(name, 'r') as f:
        x, v = [np.array([f[f'particles/{what}_{c}'][...] for c in 'xyz']) for what in ('position', 'velocity')]
        a = {key: float(f.attrs[key]) for key in ('scale_factor', 'hubble_km_s_mpc', 'h', 'omega_m', 'omega_r', 'omega_k', 'omega_de')}
    z, y, x0 = np.meshgrid(*[(np.arange(n) + 0.5) * L / n] * 3, indexing='ij')
    return (x - np.array([x0, y, z]) + L / 2) % L - L / 2, v / (a['scale_factor'] * a['hubble_km_s_mpc']) * a['h'], a
def lacks(size, order):
    """rms of what is left of the equation of motion, over that of its source"""
    near = {s: get(f'{size}.{order}.{s}.h5') for s in (-2, -1, 0, 1, 2)}
    psi, u, c = near[0]
    a = c['scale_factor']
    parts = np.array([c['omega_m'] / a**3, c['omega_r'] / a**4, c['omega_k'] / a**2, c['omega_de']])
    slope = parts @ [-3, -4, -2, 0] / parts.sum() / 2  # d ln H / d ln a
    def rate(i):
        return (near[-2][i] - 8 * near[-1][i] + 8 * near[1][i] - near[2][i]) / (12 * h)
    moving = np.abs(rate(0) - u).max() / np.abs(u).max()
    check(f'{size}, order {order}: velocities are those of the displacements: {moving:.1e}', moving < 1e-6)
    force = rate(1) + (2 + slope) * u
    F = np.eye(3) + slopes(psi)
    source = 1.5 * parts[0] / parts.sum() * (1 / np.linalg.det(F) - 1)
    left = np.trace(slopes(force) @ np.linalg.inv(F), axis1=-2, axis2=-1) + source
    return np.sqrt((left**2).mean() / (source**2).mean())
for order in 1, 2:
    left = [lacks(size, order) for size in ('0.001', '0.004', '0.016')]
    power = np.log(np.divide(left[1:], left[:-1])) / np.log(4)
    print(f'order {order}: {left} of the source is left, as its amplitude to the {power}')
    check(f'order {order}: as the amplitude to the {power}', (abs(power - order) < 0.05).all())
PY
[ $failed = 0 ] && echo ok
exit $failed
