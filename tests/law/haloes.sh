#!/bin/bash
# haloes.sh - haloes of dark matter as sluice-stats tells them: particles of a start replaced by haloes of known profile among others on a
# lattice; groups by scipy's tree, masses and radii by theory, tables on 1, 2 and 4 ranks, in the ensemble, the report and `inspect`; what
# is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >recipe.yaml <<YAML
campaign: haloes
problem: cosmology
sweep: {seed: 1..2}
mesh: {cells: [32, 32, 32], box: [[10, 90], [0, 80], [0, 80]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, t_cmb: 0}
ic: {redshift: 9, species: one_fluid}
time: {end: 0}
statistics: {spectra: [], structure: [], haloes: 0.2, halo_particles: 20}
YAML
sluice run recipe.yaml >log 2>&1 || { bad "sluice run: $(tail -n 3 log)"; exit 1; }

cat >put.py <<'PY'
# haloes of concentration 8 with so many particles within r_200c, sampled to 1.3 r_200m; the others stay on a coarse lattice
import sys
import h5py
import numpy as np
N, L, omega, z = 32, 80.0, 0.3, 9.0
e2 = omega * (1 + z)**3 + 1 - omega
matter = omega * (1 + z)**3 / e2
density = N**3 / L**3
haloes = [((12.0, 78.5, 40.0), 6000, 1), ((70.0, 40.0, 1.0), 2000, 0), ((50.0, 20.0, 60.0), 1000, 0), ((30.0, 60.0, 20.0), 400, 0)]
m = lambda x: np.log1p(x) - x / (1 + x)
xs = np.geomspace(1e-6, 1e3, 400001)
c = 8.0
def radius(contrast):  # in r_200c
    return xs[np.searchsorted(-(m(c * xs) / m(c) / xs**3), -contrast / (200 / matter))]
if __name__ == '__main__':
    rng = np.random.default_rng(4)
    x, v = [], []
    for centre, n, turn in haloes:
        outer = 1.3 * radius(200)
        total = int(n * m(c * outer) / m(c))
        r200 = (n / (4 / 3 * np.pi * 200 / matter * density))**(1 / 3)
        r = np.interp((np.arange(total) + 0.5) / n * m(c), m(c * xs), xs) * r200
        d = rng.normal(size=(total, 3))
        d *= (r / np.sqrt((d**2).sum(1)))[:, None]
        x.append(np.array(centre) + d)
        v.append(rng.normal(size=(total, 3)) * 100 + [50, -20, 10] + turn * np.cross([0, 0, 300], d))
    placed = sum(map(len, x))
    rest = N**3 - placed
    lattice = np.stack(np.meshgrid(*[np.arange(29)] * 3, indexing='ij'), -1).reshape(-1, 3) * (L / 29) + [10, 0, 0]
    for centre, n, turn in haloes:  # not within them
        d = (lattice - centre + L / 2) % L - L / 2
        lattice = lattice[(d**2).sum(1) > (1.4 * radius(200))**2 * (n / (4 / 3 * np.pi * 200 / matter * density))**(2 / 3)]
    lattice = lattice[:rest]
    x, v = np.concatenate(x + [lattice]), np.concatenate(v + [np.zeros((rest, 3))])
    mix = rng.permutation(N**3)
    x, v = x[mix], v[mix]
    x = (x - [10, 0, 0]) % L + [10, 0, 0]
    for name in sys.argv[1:]:
        with h5py.File(name, 'r+') as f:
            for d in range(3):
                f['particles/position_' + 'xyz'[d]][...] = x[:, d].reshape(N, N, N)
                f['particles/velocity_' + 'xyz'[d]][...] = v[:, d].reshape(N, N, N)
PY
/usr/bin/python3 put.py haloes/members/000?/ic.h5 || bad "cannot put haloes into ic.h5"
for ranks in 1 2 4; do
    cp -r haloes/members/0000 on$ranks
    mpirun -n $ranks sluice-stats on$ranks/run.yaml 2>log || bad "on $ranks ranks: $(cat log)"
    for t in haloes halo_mass_function halo_profiles halo_bias; do
        cmp on1/stats/${t}_0000.csv on$ranks/stats/${t}_0000.csv || bad "other bytes of $t on $ranks ranks"
    done
done

/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from check import check, near
from put import N, L, c, density, haloes, m, matter, radius
read = lambda p: np.atleast_1d(np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True))
t = read('on1/stats/haloes_0000.csv')
with h5py.File('on1/ic.h5') as f:
    x = np.stack([f['particles/position_' + d][...].ravel() for d in 'xyz'], 1) - [10, 0, 0]
    v = np.stack([f['particles/velocity_' + d][...].ravel() for d in 'xyz'], 1)
x[x >= L] -= L
pairs = np.array(sorted(cKDTree(x, boxsize=L).query_pairs(0.2 * L / N)))
name = connected_components(coo_matrix((np.ones(len(pairs)), pairs.T), (N**3, N**3)), False)[1]
number = np.bincount(name)
groups = sorted(((number[g], np.flatnonzero(name == g)) for g in np.flatnonzero(number >= 20)), key=lambda g: (-g[0], g[1][0]))
check(f'{len(t)} haloes, {len(groups)} by scipy', len(t) == len(groups) >= 4)
near('ids', t['id'], np.array([g[1][0] for g in groups], float))
near('particles', t['particles'], np.array([g[0] for g in groups], float))
particle = 2.77536627e11 * 0.3 * L**3 / N**3
near('mass', t['mass'], t['particles'] * particle, 1e-9)
apart = lambda a, b: (a - b + L / 2) % L - L / 2
for row, (n, ids) in zip(t, groups):
    d = apart(x[ids], x[ids[0]])
    mean = (x[ids[0]] + d.mean(0)) % L
    check('centre of mass', np.abs(apart(np.array([row[k] for k in 'xyz']), mean)).max() < 1e-6)
    near('velocity', np.array([row['velocity_' + k] for k in 'xyz']), v[ids].mean(0), 1e-5)
    near('dispersion', row['dispersion'], np.sqrt(v[ids].var(0).sum()), 1e-5)
    d -= d.mean(0)
    depth = [(1 / np.sqrt(((d - q)**2).sum(1) + (0.05 * L / N)**2)).sum() for q in d]
    check('least potential', np.abs(apart(np.array([row['potential_' + k] for k in 'xyz']), x[ids[np.argmax(depth)]])).max() < 1e-6)
    e = np.sqrt(np.linalg.eigvalsh(d.T @ d)[::-1])
    near('axes', np.array([row['middle_axis'], row['short_axis']]), e[1:] / e[0], 1e-5)
bn = 18 * np.pi**2 + 82 * (matter - 1) - 39 * (matter - 1)**2
contrast = {'200c': 200 / matter, '200m': 200, '500c': 500 / matter, 'vir': bn / matter}
for row, (centre, n, turn) in zip(t, haloes):
    r200 = (n / (4 / 3 * np.pi * 200 / matter * density))**(1 / 3)
    at = apart(np.array([row['centre_' + k] for k in 'xyz']), np.array(centre) - [10, 0, 0])
    check(f'centre of {n}: {at} off', np.sqrt((at**2).sum()) < 0.03 * r200)
    for k, d in contrast.items():
        r = radius(d)
        near(f'M{k} of {n}', row['mass_' + k] / particle, n * m(c * r) / m(c), 0.01 if n >= 1000 else 0.03)
        near(f'r{k} of {n}', row['radius_' + k], r * r200, 0.01 if n >= 1000 else 0.03)
    near(f'concentration of {n}', row['concentration'], c, 0.1 if n >= 1000 else 0.3)
    x0 = np.array([row['centre_' + k] for k in 'xyz'])
    d = apart(x, x0)
    use = (d**2).sum(1) <= row['radius_vir']**2
    j = np.cross(d[use], v[use] - v[use].mean(0)).mean(0)
    speed = np.sqrt(4.30091727e-9 * row['mass_vir'] / (row['radius_vir'] / (1 + 9.0)))
    near(f'spin of {n}', row['spin'], np.sqrt((j**2).sum()) / (np.sqrt(2) * row['radius_vir'] * speed), 1e-3)
    r = np.sort(np.sqrt((d**2).sum(1)))
    r = r[r <= row['radius_200c']]
    most = np.max((np.arange(len(r)) + 0.5)[9:] / r[9:])
    near(f'vmax of {n}', row['vmax'], np.sqrt(4.30091727e-9 * particle * most * 10), 1e-4)
# the mass function, from the catalogue, and its errors; theory is that of the other table
f = read('on1/stats/halo_mass_function_0000.csv')
edges = np.append(np.log10(f['mass']) - 0.125, np.log10(f['mass'][-1]) + 0.125)
per = 1 / (L**3 * 0.25 * np.log(10))
for mass, column, end in ((t['mass'], 'haloes', ''), (t['mass_200m'], 'haloes_200m', '_200m')):
    n = np.histogram(np.log10(np.where(mass > 0, mass, 1)), edges)[0]
    near(column, f[column], n.astype(float))
    near('dn/dlnM', f['dn_dlnm' + end], n * per, 1e-8)
    near('Poisson', f['poisson' + end], np.sqrt(n) * per, 1e-8)
check('theory is there', (f['tinker'][:4] > 0).all() and (f['press_schechter'][:4] > 0).all())
# those of friends of friends: at the sigma that the ratio of the two oldest tells
nu = np.linspace(1.6, 12, 100001)
ps = np.sqrt(2 / np.pi) * nu * np.exp(-nu**2 / 2)
st = 0.3222 * np.sqrt(2 * 0.707 / np.pi) * (1 + (0.707 * nu**2)**-0.3) * nu * np.exp(-0.707 * nu**2 / 2)
use = slice(0, 4)
s = 1.686 / np.interp(np.log(f['sheth_tormen'] / f['press_schechter'])[use], np.log(st / ps), nu)
unit, z = f['sheth_tormen'][use] / np.interp(1.686 / s, nu, st), 1  # of redshift 9, beyond the fit
check(f'sigma of these masses {s}', (s < 1).all())
near('Crocce et al.', f['crocce'][use], unit * 0.58 * (1 + z)**-0.13 * (s**(-1.37 * (1 + z)**-0.15) + 0.3 * (1 + z)**-0.084) * np.exp(-1.036 * (1 + z)**-0.024 / s**2), 1e-5)
near('Watson et al.', f['watson'][use], unit * 0.282 * ((1.406 / s)**2.163 + 1) * np.exp(-1.21 / s**2), 1e-5)
# profiles: particles in shells about the centres of a stack; the nearest profile
p = read('on1/stats/halo_profiles_0000.csv')
row = t[0]
d = np.sqrt((apart(x, np.array([row['centre_' + k] for k in 'xyz']))**2).sum(1)) / row['radius_200c']
edges = 0.02**((20 - np.arange(21)) / 20)
check('shells', np.abs(p['particles_3000'] - np.histogram(d, edges)[0]).max() <= 1)
note = {l.split()[1][:-1]: float(l.split()[2]) for l in open('on1/stats/halo_profiles_0000.csv') if l.startswith('# ') and len(l.split()) == 3 and l.split()[1][-1] == ':'}
check(f'stacks {note}', [note[f'haloes_{k}'] for k in (100, 300, 1000, 3000)] == [0, 2, 1, 1] or [note[f'haloes_{k}'] for k in (100, 300, 1000, 3000)] == [0, 1, 2, 1])
near('concentration of the stack', note['concentration_3000'], c, 0.1)
PY
for t in haloes halo_mass_function halo_profiles halo_bias; do
    sluice inspect on1/stats.h5 2>&1 | grep -q "${t}_0000" || bad "inspect does not show $t: $(sluice inspect on1/stats.h5 2>&1 | head -n 5)"
done

# the ensemble and the report of a campaign whose starts have them
mkdir programs
ln -s "$SLUICE_TOP"/build/sluice* programs/
rm programs/sluice-ic
cat >programs/sluice-ic <<SH
#!/bin/bash
"$SLUICE_TOP/build/sluice-ic" "\$@" && exec /usr/bin/python3 "$work/put.py" "\$(dirname "\$1")/ic.h5"
SH
chmod +x programs/sluice-ic
SLUICE_PROGRAMS=$work/programs sluice run recipe.yaml --dir plain >log 2>&1 || bad "a campaign with haloes: $(tail -n 3 log)"
grep -q '^haloes,4,' plain/members/0000/stats/summary.csv || bad "no haloes in the summary: $(grep halo plain/members/0000/stats/summary.csv)"
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np
from check import check, near
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
one = [read(f'plain/members/{i:04d}/stats/halo_mass_function_0000.csv') for i in range(2)]
mean = read('plain/ensemble/halo_mass_function_0000.csv')
near('mean', mean['dn_dlnm_mean'], (one[0]['dn_dlnm'] + one[1]['dn_dlnm']) / 2, 1e-9)
drawn = read('plain/report/figures/halo_mass_function.csv')
near('drawn', drawn['dn_dlnm'], mean['dn_dlnm_mean'], 1e-9)
profile = read('plain/report/figures/halo_profiles_3000.csv')
bias = read('on1/stats/halo_bias_0000.csv')
t = read('on1/stats/haloes_0000.csv')
near('classes', bias['haloes'], np.histogram(t['particles'], [0, 100, 300, 1000, 3000, 1e9])[0].astype(float))
near('mean mass', bias['mass'][2], t['mass'][(t['particles'] >= 300) & (t['particles'] < 1000)].mean(), 1e-9)
check('bias', (bias['bias'][2:] != 0).all() and np.isnan(bias['bias'][1]) and (bias['error'][2:] > 0).all())
near('profile drawn', profile['density'], read('plain/ensemble/halo_profiles_0000.csv')['density_3000_mean'], 1e-8)
PY
for figure in halo_mass_function halo_profiles; do
    grep -q "<figure id=\"figure-$figure\">" plain/report/index.html || bad "no figure $figure"
done
grep -q 'haloes of dark matter' plain/report/index.html || bad "no number of haloes in the report"

sluice check recipe.yaml ic.species=baryons 2>err && bad "haloes without dark matter"
grep -q 'statistics.haloes: 0.2 needs dark matter.*nearest: 0' err || bad "haloes of gas: $(cat err)"
/usr/bin/python3 -c "
import h5py
f = h5py.File('on2/ic.h5', 'r+')
f['particles/position_y'][3, 2, 1] = float('nan')"
mpirun -n 2 sluice-stats on2/run.yaml 2>err && bad "a particle that is nowhere was taken"
grep -q 'particle 3137 has no finite particles/position_y' err || bad "a particle that is nowhere: $(cat err)"
/usr/bin/python3 -c "
import h5py
f = h5py.File('on2/ic.h5', 'r+')
del f['particles/velocity_z']"
sluice-stats on2/run.yaml 2>err && bad "velocities that are missing were not missed"
[ $failed = 0 ] && echo ok
exit $failed
