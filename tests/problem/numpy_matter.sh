#!/bin/bash
# numpy_matter.sh - power of matter, cross power, all matter, correlation functions and deposits of particles against plain estimators
# in numpy, in a box and on a grid that are not cubes; beside the power of the input; on 1 and 3 ranks; in the report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: start
problem: cosmology
seed: 4
mesh: {cells: [32, 16, 24], box: [[-10, 90], [0, 50], [5, 80]]}
cosmology: {normalise: sigma8}
ic: {redshift: 9, order: 2}
time: {end: 0}
output: {precision: double}
statistics: {spectra: [], pdf: [], structure: [], matter: [gas, particles, cross, total, correlation]}
YAML
sluice-ic run.yaml >out 2>err || bad "sluice-ic: $(cat err)"
# particles anywhere, some on faces and edges of cells, some at the ends of the box
/usr/bin/python3 - <<'PY'
import h5py, numpy as np
r = np.random.default_rng(8)
with h5py.File('ic.h5', 'r+') as f:
    for name, lo, side in ('x', -10., 100.), ('y', 0., 50.), ('z', 5., 75.):
        p = f['particles/position_' + name]
        x = p[...]
        x[:4] = lo + side * r.random(x[:4].shape)
        x[5, :4] = lo + side * r.integers(0, 48, x[5, :4].shape) / 48
        x[6, 0] = lo
        p[...] = x
PY
sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
for scheme in ngp cic tsc pcs interlaced_cic interlaced_tsc interlaced_pcs; do
    case $scheme in interlaced_*) interlace=true ;; *) interlace=false ;; esac
    mpirun -n 3 sluice-stats run.yaml statistics.deposit=${scheme#interlaced_} statistics.interlace=$interlace >out 2>err || bad "sluice-stats: $(cat err)"
    mv stats.h5 $scheme.h5
done
mkdir three && cp stats/*_total_0000.csv stats/matter_cross_0000.csv three
sluice-stats run.yaml statistics.deposit=pcs statistics.interlace=true >out 2>err || bad "sluice-stats: $(cat err)"
for f in three/*; do cmp "$f" "stats/${f#*/}" || bad "other numbers on 1 rank than on 3"; done

/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np, sys
from check import check, near
ic = h5py.File('ic.h5', 'r')
rho = ic['density'][...]
shape = np.array(rho.shape)
L, lo = np.array([75., 50., 100.]), np.array([5., 0., -10.])
n = [np.fft.fftfreq(m, 1 / m) for m in shape]
k = np.array(np.meshgrid(*[2 * np.pi * a / l for a, l in zip(n, L)], indexing='ij'))
kk = np.sqrt((k**2).sum(0))
unit = 2 * np.pi / L.max()
rows = int(min(shape / 2 * L.max() / L) + 1e-9) - 1
shells = [(kk >= (i - .5) * unit) & (kk < (i + .5) * unit) for i in range(1, rows + 1)]
dx = L / shape
def deposit(x, order):
    """weights of every particle in every cell along each axis by the formula of its shape, periodic"""
    w = []
    for d in range(3):
        s = np.abs((x[d][:, None] - lo[d]) / dx[d] - (np.arange(shape[d]) + 0.5)[None, :])
        s = np.minimum(s, shape[d] - s)
        if order == 1:
            cell = np.floor((x[d] - lo[d]) / dx[d]).astype(int) % shape[d]
            w.append(np.eye(shape[d])[cell])
        elif order == 2: w.append(np.clip(1 - s, 0, None))
        elif order == 3: w.append(np.where(s < 0.5, 0.75 - s**2, np.where(s < 1.5, 0.5 * (1.5 - s)**2, 0)))
        else: w.append(np.where(s < 1, 4 - 6 * s**2 + 3 * s**3, np.where(s < 2, (2 - s)**3, 0)) / 6)
    return np.einsum('pi,pj,pk->ijk', *w, optimize=True)
def shells_of(p): return np.array([p[s].mean() for s in shells]) * L.prod()
def window(order): return np.sinc(k[0] * dx[0] / 2 / np.pi)**order * np.sinc(k[1] * dx[1] / 2 / np.pi)**order * np.sinc(k[2] * dx[2] / 2 / np.pi)**order
lag = np.array(np.meshgrid(*[np.minimum(np.arange(m), m - np.arange(m)) * d for m, d in zip(shape, dx)], indexing='ij'))
r = np.sqrt((lag**2).sum(0)) / dx.min()
bins = [(r >= i - .5) & (r < i + .5) for i in range(1, int(L.min() / 2 / dx.min() + 1e-9) + 1)]
x = [ic['particles/position_' + c][...].ravel() for c in 'zyx']
check('particles lie on faces too', any(((a - b) / d % 1 == 0).sum() > 20 for a, b, d in zip(x, lo, dx)))
gas = rho / rho.mean() - 1
g = np.fft.fftn(gas) / gas.size
share = rho.mean()  # of all matter: Omega_b over Omega_m
check(f'the share of gas, {share}', abs(share / (0.045 / 0.3) - 1) < 1e-9)
# modes of the particles themselves, without a grid, and the factor that shifts modes by half a cell
waves = [np.exp(-1j * a[:, None] * (q[None, :] - l - d / 2)) for a, q, l, d in zip((k[0][:, 0, 0], k[1][0, :, 0], k[2][0, 0, :]), x, lo, dx)]
true = np.einsum('ip,jp,kp->ijk', *waves, optimize=True) / len(x[0])
turn = np.prod([np.where(np.abs(q) == np.abs(q).max(), 0, np.exp(0.5j * q * d)) for q, d in zip(k, dx)], axis=0)
far = {}
for order, interlaced in (1, 0), (2, 0), (3, 0), (4, 0), (2, 1), (3, 1), (4, 1):
    scheme = interlaced * 'interlaced_' + ('ngp', 'cic', 'tsc', 'pcs')[order - 1]
    dark = deposit(x, order)
    check('all particles', abs(dark.sum() / len(x[0]) - 1) < 1e-12)
    dark = dark / dark.mean() - 1
    p = np.fft.fftn(dark) / dark.size
    if interlaced:
        moved = deposit([q + d / 2 for q, d in zip(x, dx)], order)
        p = (p + np.fft.fftn(moved / moved.mean() - 1) / dark.size * turn) / 2
        dark = (np.fft.ifftn(p) * dark.size).real
    far[scheme] = np.mean([(np.abs(p / window(order) - true)[s]**2).mean() for s in shells[-3:]])
    h = h5py.File(scheme + '.h5', 'r')
    W = window(order)
    # what Poisson points have on the grid: the window of all aliases, summed one by one
    images = np.arange(-2000, 2001)
    along = [np.sinc(np.fft.fftfreq(m)[:, None] + images)**(2 * order) for m in shape]
    alias = np.einsum('i,j,k->ijk', *[a.sum(1) for a in along]) if order > 1 else 1 + 0 * kk
    if interlaced: alias = (alias + np.einsum('i,j,k->ijk', *[(a * (-1.)**images).sum(1) for a in along])) / 2
    both, corrected = share * g + (1 - share) * p, share * g + (1 - share) * p / W
    for name, a, b, product in (('gas', g, g, g * g.conj()), ('particles', p, p, p * p.conj() / W**2), ('cross', g, p, g * p.conj() / W),
                                ('total', both, both, corrected * corrected.conj())):
        t = h[f'matter_{name}_0000']
        power = (a * b.conj()).real
        near(f'{scheme} {name} k', t['k'][...], [kk[s].mean() for s in shells])
        near(f'{scheme} {name} modes', t['modes'][...], [float(s.sum()) for s in shells])
        near(f'{scheme} {name} raw', t['raw'][...], shells_of(power))
        near(f'{scheme} {name} power', t['power'][...], shells_of(product.real))
        near(f'{scheme} {name} delta2', t['delta2'][...], t['k'][...]**3 * t['power'][...] / 2 / np.pi**2)
        near(f'{scheme} {name} error', t['error'][...], np.sqrt((t['power'][...]**2 + h['matter_gas_0000/power'][...] * h['matter_particles_0000/power'][...]
             if name == 'cross' else 2 * t['power'][...]**2) / t['modes'][...]))
        check(f'{name}: units', t['power'].attrs['units'] == b'(Mpc/h)^3')
        xi = (np.fft.ifftn(np.conj(a) * b) * dark.size).real
        c = h[f'correlation_{name}_0000']
        near(f'{scheme} {name} lags', c['lags'][...], [float(s.sum()) for s in bins])
        near(f'{scheme} {name} r', c['r'][...], [r[s].mean() * dx.min() for s in bins])
        near(f'{scheme} {name} xi', c['xi'][...], [xi[s].mean() for s in bins])
        if name == 'cross': near('a correlation by hand', xi[1, 2, 3], (gas * np.roll(dark, (-1, -2, -3), (0, 1, 2))).mean())
    near('coefficient', h['matter_cross_0000/coefficient'][...],
         h['matter_cross_0000/power'][...] / np.sqrt(h['matter_gas_0000/power'][...] * h['matter_particles_0000/power'][...]))
    for name, part in ('particles', 1), ('total', 1 - share):
        near(f'shot noise of {name}', h[f'matter_{name}_0000/shot'][...], part**2 * shells_of(alias / W**2) / len(x[0]))
    near('gas_share', [h['matter_total_0000'].attrs['gas_share']], [share])
    check('interlacing is written', ('interlaced' in h['matter_particles_0000'].attrs) == interlaced)
    inputs = {'gas': ic['spectrum_gas/input'][...], 'particles': ic['spectrum_dark_matter/input'][...]}
    inputs['total'] = (share * inputs['gas']**0.5 + (1 - share) * inputs['particles']**0.5)**2
    for name in ('gas', 'particles', 'total'):
        near(f'{name}: input', h[f'matter_{name}_0000/input'][...], inputs[name])
        t, s = h[f'matter_{name}_0000'], h[f'sigma_{name}_0000']
        ball = lambda x: 3 * (np.sin(x) - x * np.cos(x)) / x**3
        for column, to in (('power', 'sigma'), ('input', 'input')):
            near(f'{name}: {to} in spheres', s[to][...], [np.sqrt((t['modes'][...] * t[column][...] * ball(t['k'][...] * r)**2).sum() / L.prod()) for r in s['r'][...]])
        near('sigma8', [s.attrs['sigma8']], [np.sqrt((t['modes'][...] * t['power'][...] * ball(t['k'][...] * 8)**2).sum() / L.prod())])
    inside = np.add.reduce(shells)  # and mode by mode, in spheres that do not see how wide shells are
    power = np.where(inside, np.abs(g)**2, 0)
    smooth = [np.sqrt((power * ball(np.where(inside, kk, 1) * r)**2).sum()) for r in h['sigma_gas_0000/r'][:8]]
    off = np.abs(h['sigma_gas_0000/sigma'][:8] / smooth - 1).max()
    check(f'sigma of spheres, {off:.1e} off that of the modes', off < 0.02)
for a, b in (('interlaced_cic', 'cic'), ('interlaced_tsc', 'tsc'), ('interlaced_pcs', 'pcs'), ('pcs', 'tsc'), ('tsc', 'cic')):
    check(f'{a}: {far[a]} from the particles\' own modes, {b}: {far[b]}', far[a] < 0.7 * far[b])
near('gas as sluice-ic measured it', h['matter_gas_0000/power'][...], ic['spectrum_gas/measured'][...])
PY

# Poisson points: shot is what they have
/usr/bin/python3 - <<'PY'
import h5py, numpy as np
r = np.random.default_rng(9)
with h5py.File('ic.h5', 'r+') as f:
    for name, lo, side in ('x', -10., 100.), ('y', 0., 50.), ('z', 5., 75.):
        f['particles/position_' + name][...] = lo + side * r.random(f['particles/position_' + name].shape)
PY
for scheme in ngp cic tsc pcs 'tsc statistics.interlace=true'; do
    # shellcheck disable=SC2086
    sluice-stats run.yaml statistics.deposit=$scheme 2>err || bad "sluice-stats: $(cat err)"
    /usr/bin/python3 - "$scheme" <<'PY' || failed=1
import numpy as np, sys
t = np.genfromtxt([l for l in open('stats/matter_particles_0000.csv') if l[0] != '#'], delimiter=',', names=True)
z = (t['power'] / t['shot'] - 1) / np.sqrt(2 / t['modes'])
if abs(z.mean()) > 4 / np.sqrt(len(z)) or not 0.5 < z.std() < 1.6:
    print('FAIL: Poisson points with', sys.argv[1], z.mean(), z.std()); sys.exit(1)
PY
done

# what cannot be measured is refused
sluice-stats run.yaml ic.species=baryons 2>err && bad "particles without dark matter were accepted"
grep -q 'statistics.matter.*dark matter' err || bad "no clear message without dark matter: $(cat err)"
mv ic.h5 away.h5
sluice-stats run.yaml 2>err && bad "a missing ic.h5 was accepted"
grep -q 'ic.h5' err || bad "no clear message without ic.h5: $(cat err)"

# a universe of both measures all matter by itself; theory, sigma8 and growth are of it
mkdir both
cat >both/run.yaml <<'YAML'
campaign: both
problem: cosmology
mesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {normalise: sigma8}
ic: {redshift: 9, species: one_fluid}
fluid: {dual_energy: true}
time: {end: 7, unit: redshift}
output: {redshift: [7]}
statistics: {spectra: [], pdf: [], structure: [], maps: []}
YAML
(cd both && sluice-sim run.yaml && sluice-stats run.yaml) >out 2>&1 || bad "a universe of both: $(tail -n 5 out)"
/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check, near
h = h5py.File('both/stats.h5', 'r')
for n in '0000', '0001':
    of = lambda name, column: h[f'matter_{name}_{n}/{column}'][...]
    f = h[f'matter_total_{n}'].attrs['gas_share']
    near('the share of gas', [f], [0.15])
    for column in 'raw', 'power':
        near(f'{n}: {column}', of('total', column), f**2 * of('gas', column) + 2 * f * (1 - f) * of('cross', column) + (1 - f)**2 * of('particles', column))
    near('one input', of('total', 'input'), of('gas', 'input'))
    near('and one theory', of('total', 'nonlinear'), of('particles', 'nonlinear'))
summary = dict(l.split(',')[:2] for l in open('both/stats/summary.csv') if l[0] != '#')
near('sigma8', [float(summary['sigma8'])], [h['sigma_total_0001'].attrs['sigma8']])
near('growth', h['growth/shell_1'][-1:], np.sqrt(h['matter_total_0001/power'][:1] / h['matter_total_0000/power'][:1]))
check('other sigma8 than of the parts', len({h[f'sigma_{s}_0001'].attrs['sigma8'] for s in ('gas', 'particles', 'total')}) == 3)
PY
(cd both && sluice-stats run.yaml fluid.eos=none fluid.dual_energy=false ic.species=dark_matter 'statistics.matter=[total]') 2>err && bad "all matter without gas"
grep -q 'statistics.matter: total needs gas' err || bad "no clear message without gas: $(cat err)"

# the report draws it, of a mean over members too
sed 's/^seed: 4/sweep: {seed: 1..3}/; s/, cross, total,/,/' run.yaml >campaign.yaml
sluice run campaign.yaml --dir campaign >out 2>&1 || bad "sluice run: $(cat out)"
for f in matter_power correlation sigma; do
    grep -q "<figure id=\"figure-$f\">" campaign/report/index.html || bad "no figure $f"
done
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np, sys
def read(path): return np.genfromtxt([l for l in open(path) if l[0] != '#'], delimiter=',', names=True)
members = [read(f'campaign/members/000{i}/stats/matter_gas_0000.csv') for i in range(3)]
mean = np.mean([m['power'] for m in members], axis=0)
drawn = read('campaign/report/figures/matter_power_gas.csv')
inputs = read('campaign/report/figures/matter_power_gas_input.csv')
if not (np.allclose(drawn['power'], mean, rtol=1e-8) and np.allclose(inputs['input'], members[0]['input'], rtol=1e-8)):
    print('FAIL: the numbers of the figure'); sys.exit(1)
PY

# the covariance of its power, and what it is not
head -n 1 campaign/ensemble/covariance_matter_gas_0000.csv | grep -q 'singular' || bad "a singular covariance does not say so"
sluice extend campaign seed=1..20 >out 2>&1 && sluice run campaign >out 2>&1 || bad "sluice extend: $(cat out)"
sed 's/ic: {/ic: {fixed: true, /; s/1\.\.3/1..14/' campaign.yaml >fixed.yaml
sed 's/ic: {/ic: {low_modes: 2, low_seed: 9, /; s/1\.\.3/1..2/' campaign.yaml >shared.yaml
sed 's/1\.\.3}/1..3, ic.paired: [false, true]}/' campaign.yaml >paired.yaml
# members that are tied: means and the scatter, no covariance, and why
why() { # CAMPAIGN TEXT
    sluice run $1.yaml --dir $1 >out 2>&1 || bad "sluice run: $(cat out)"
    ls $1/ensemble | grep 'covariance\|correlation_matrix' && bad "$1: a covariance"
    [ -s $1/ensemble/matter_gas_0000.csv ] && [ -s $1/ensemble/scatter_matter_gas_0000.csv ] || bad "$1: no means"
    /usr/bin/python3 -c 'import h5py, sys; sys.exit(any("covariance" in k for k in h5py.File(sys.argv[1], "r")))' $1/ensemble/ensemble.h5 || bad "$1: a covariance in HDF5"
    [ "$(grep -h 'no covariance is made' $1/logs/ensemble.* | grep -cF "$2")" = 1 ] || bad "$1: the log does not say why there is no covariance once"
    grep -F "$2" $1/report/index.html | grep -q 'No covariance is made: members .*(Klypin, Prada &amp; Byun 2020)' || bad "$1: the report does not say why there is no covariance"
}
why fixed 'have fixed amplitudes, so that their scatter is not that of the field (Klypin'
why fixed 'nearest: ic.fixed: false'
why shared 'nearest: ic.low_modes: 0'
why paired 'are pairs of opposite phases'
grep -q 'No covariance is made' campaign/report/index.html && bad "a report with a covariance says there is none"
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np, sys
def read(path): return np.genfromtxt([l for l in open(path) if l[0] != '#'], delimiter=',', names=True)
members = [read(f'campaign/members/{i:04d}/stats/matter_gas_0000.csv') for i in range(20)]
power = np.array([m['power'] for m in members])
text = open('campaign/ensemble/covariance_matter_gas_0000.csv').read()
def matrix(text): return np.array([[float(x) for x in l.split(',')] for l in text.split('\n') if l and l[0] != '#'])
cov = matrix(text)
error, correlation = (matrix(open(f'campaign/ensemble/{name}_matter_gas_0000.csv').read()) for name in ('covariance_error', 'correlation_matrix'))
scatter = read('campaign/ensemble/scatter_matter_gas_0000.csv')
n, p = power.shape
want = power.var(0, ddof=1) / (2 * power.mean(0)**2 / members[0]['modes'])
for what, ok in (('covariance', np.allclose(cov, np.cov(power.T), rtol=1e-6, atol=1e-9 * cov.max())),
                 ('factor', n > p + 2 and abs(float(text.split('hartlap_factor: ')[1].split()[0]) / ((n - p - 2) / (n - 1)) - 1) < 1e-9),
                 ('error of the covariance', np.allclose(error, np.sqrt((np.cov(power.T)**2 + np.outer(power.var(0, ddof=1), power.var(0, ddof=1))) / (n - 1)), rtol=1e-6)),
                 ('correlation', np.allclose(correlation, np.corrcoef(power.T), atol=1e-6)),
                 ('scatter', np.allclose(scatter['ratio'], want, rtol=1e-6)),
                 ('a Gaussian field', abs(scatter['ratio'].mean() - 1) < 5 * scatter['uncertainty'][0] / np.sqrt(p))):
    if not ok: print('FAIL:', what); sys.exit(1)
drawn = read('campaign/report/figures/shells.csv')
if not np.allclose(drawn['correlation'], np.corrcoef(power.T).ravel(), atol=2e-6): print('FAIL: the figure of the covariance'); sys.exit(1)
PY
grep -q 'id="figure-shells"' campaign/report/index.html && [ -s campaign/report/figures/shells.svg ] || bad "no figure of the covariance"
for f in fixed shared; do grep -q 'figure-shells' $f/report/index.html && bad "$f: a figure of what is no covariance"; done
# the response to sigma8, from which first-order displacements grow as such; the ratio is of the same seeds
sed 's/order: 2/order: 1/; s/particles,/&total,/; s/sweep: {seed: 1..3}/sweep: {cosmology.sigma8: [0.4, 0.5, 0.6], seed: 1..3}/' campaign.yaml >swept.yaml
sluice run swept.yaml --dir swept >out 2>&1 || bad "sluice run: $(cat out)"
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np, sys
def read(path): return np.genfromtxt([l for l in open(path) if l[0] != '#'], delimiter=',', names=True)
p = np.array([read(f'swept/members/{i:04d}/stats/matter_gas_0000.csv')['power'] for i in range(9)]).reshape(3, 3, -1)
t, ratio, drawn = read('swept/ensemble/response_cosmology.sigma8_matter_gas_0000.csv'), read('swept/ensemble/ratio_matter_gas_0000.csv'), read('swept/report/figures/ratio.csv')
slope = (p[2] - p[0]) / 0.2
shown, answer = read('swept/ensemble/ratio_matter_total_0000.csv'), read('swept/ensemble/response_cosmology.sigma8_matter_total_0000.csv')  # of which the figures are
for what, ok in (('derivative', np.allclose(t['power_response'], slope.mean(0), rtol=1e-6)), ('its error', np.allclose(t['power_error'], slope.std(0, ddof=1) / 3**0.5, rtol=1e-5)),
                 ('power of sigma8 squared', np.allclose(t['power_response'] * t['value'] / t['power_mean'], 2, atol=1e-3)),
                 ('the same seeds', np.allclose(ratio['power_ratio'].reshape(2, -1), [[(0.5 / 0.4)**2], [(0.6 / 0.4)**2]], rtol=1e-3) and ratio['power_error'].max() < 1e-3),
                 ('the figures', np.allclose(drawn['ratio'], shown['power_ratio'][shown['group'] == 2], rtol=1e-8) and
                  np.allclose(read('swept/report/figures/response.csv')['response'], answer['power_response'] * 0.5 / answer['power_mean'], rtol=1e-8))):
    if not ok: print('FAIL:', what); sys.exit(1)
PY
for f in response ratio; do grep -q "id=\"figure-$f\"" swept/report/index.html && [ -s swept/report/figures/$f.svg ] || bad "no figure $f"; done
grep -q 'matter_power_cross' campaign/report/figures/matter_power.gp && bad "a curve that was not measured is drawn"
sed 's/matter: \[.*\]/matter: []/' campaign.yaml >plain.yaml
sluice run plain.yaml --dir plain >out 2>&1 || bad "sluice run: $(cat out)"
grep -q 'figure-matter_power\|figure-correlation' plain/report/index.html && bad "figures of what was not asked for"
[ $failed = 0 ] && echo ok
exit $failed
