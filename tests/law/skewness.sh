#!/bin/bash
# skewness.sh - the third moments of density and of the divergence of velocity that the particles of sluice-ic have at a small
# amplitude: 4 and 2 by Zel'dovich; 34/7 and 26/7 by the second order, which are those of gravity itself, so that nothing of
# second order has to decay after the start (Bernardeau et al. 2002, section 2 and 5; Crocce et al. 2006); after Zel'dovich's
# start it decays as 1/a and a^(-7/2), by known amounts. Per realisation against sums over its linear field, and on the
# average of eight against the exact numbers. A pair of opposite signs cancels what is odd.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# a spectrum of small amplitude that ends at a quarter of the grid: products of four modes fit into it
/usr/bin/python3 -c "from tables import cut; cut('$SLUICE_TOP/tests/data/cosmo/camb_matterpower_z99.dat', 9)" || exit 1
cat >run.yaml <<'YAML'
campaign: skewness
problem: cosmology
mesh: {cells: [48, 48, 48], box: [[0, 20], [0, 20], [0, 20]]}
cosmology: {normalise: sigma8, sigma8: 0.005}
ic: {transfer: table, table: power.dat, species: one_fluid}
time: {end: 0}
YAML
for seed in 1 2 3 4 5 6 7 8; do
    for paired in false true; do
        for order in 1 2; do
            sluice-ic run.yaml seed=$seed ic.paired=$paired ic.order=$order run.input=$seed.$order.$paired.h5 2>log ||
                { cat log; exit 1; }
        done
    done
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check
n, L = 48, 20.
k = np.array(np.meshgrid(*[2 * np.pi * np.fft.fftfreq(n, L / n)] * 3, indexing='ij'))[::-1]  # x, y, z of arrays [z][y][x]
def slopes(f):
    """df_i/dq_j of fields on the lattice"""
    return np.array([[np.fft.ifftn(1j * q * np.fft.fftn(c)).real for q in k] for c in f])
def get(name):
    with h5py.File(name, 'r') as f:
        x, u = [np.array([f[f'particles/{what}_{c}'][...] for c in 'xyz']) for what in ('position', 'velocity')]
        a = dict(f.attrs)
    z, y, x0 = np.meshgrid(*[(np.arange(n) + 0.5) * L / n] * 3, indexing='ij')
    psi = (x - np.array([x0, y, z]) + L / 2) % L - L / 2
    return psi, u / float(a['growth_rate'] * a['hubble_km_s_mpc'] / (1 + a['redshift'])) * 0.7, a
def moments(psi, u):
    """sums over space, each place as often as matter was spread to it: second and third of density and of -div u"""
    m = np.moveaxis(np.eye(3)[:, :, None, None, None] + slopes(psi), (0, 1), (-2, -1))
    J = np.linalg.det(m)
    theta = -np.trace(np.moveaxis(slopes(u), (0, 1), (-2, -1)) @ np.linalg.inv(m), axis1=-2, axis2=-1)
    return np.array([np.mean(f**p * J) for f in (1 / J - 1, theta) for p in (2, 3)])
found = {}
growth = get('1.1.false.h5')[2]
rate = growth['growth_second_rate'] / (2 * growth['growth_rate'])  # 1 with matter alone
check('growth nearly that of matter alone', abs(growth['growth_second'] / (-3 / 7) - 1) < 0.03 and abs(rate - 1) < 0.03)
for order, d2 in (1, 0.), (2, float(growth['growth_second'])):
    for seed in range(1, 9):
        pair = [get(f'{seed}.{order}.{sign}.h5') for sign in ('false', 'true')]
        m = np.mean([moments(*p[:2]) for p in pair], 0)
        s, t = m[1] / m[0]**2, m[3] / m[2]**2
        # the linear field, and what its displacement gives: J = 1 - d + (1 + d2) S, -div u = d + tr s^2 - 2 d2 rate S
        psi = get(f'{seed}.1.false.h5')[0]
        A = slopes(psi)
        d = -np.trace(A)
        square = (A**2).sum((0, 1))
        S = 0.5 * (d**2 - square)
        var = np.mean(d**2)
        want_s = (2 * np.mean(d**4) - 3 * (1 + d2) * np.mean(d**2 * S)) / var**2
        want_t = (3 * np.mean(d**2 * square) - 6 * d2 * rate * np.mean(d**2 * S) - np.mean(d**4)) / var**2
        check(f'order {order}, seed {seed}: {s}, {t} by sums {want_s}, {want_t}', abs(s - want_s) < 1e-3 and abs(t - want_t) < 1e-3)
        found.setdefault(order, []).append((s, t))
    mean, error = np.mean(found[order], 0), np.std(found[order], 0, ddof=1) / np.sqrt(8)
    exact = np.array([(4, 2), (34 / 7, 26 / 7)][order - 1])
    print(f'order {order}: {mean} +- {error}, exact {exact}')
    check('the exact numbers', (abs(mean - exact) < 4 * error).all() and (error < 0.03 * exact).all())
    # How transients fall. The second order y of a sphere in matter alone obeys y'' + y'/2 - 3/2 y = 17/6 a^2, derivatives by
    # ln a, so that after a start at a = 1 S3 = 6 y / a^2 = 34/7 + A / a + B / a^(7/2) and T3 = 6 (y' / a^2 - 1)
    # = 26/7 + A / a - 3/2 B / a^(7/2): both numbers at the start give what decays from there, -6/5 and 12/35 after Zel'dovich's
    # (Scoccimarro 1998), nothing after the second order.
    off = np.array(found[order]) - (34 / 7, 26 / 7)
    B = (off[:, 0] - off[:, 1]) / 2.5
    A = off[:, 0] - B
    for name, part, want in zip(('1 / a', 'a^(-7/2)'), (A, B), [(-6 / 5, 12 / 35), (0, 0)][order - 1]):
        mean, error = part.mean(), part.std(ddof=1) / np.sqrt(8)
        print(f'order {order}: the part of S3 that falls as {name}: {mean:.4f} +- {error:.4f}, gravity gives {want:.4f}')
        check(f'order {order}: what falls as {name}', abs(mean - want) < 4 * error and error < 0.06)
PY
[ $failed = 0 ] && echo ok
exit $failed
