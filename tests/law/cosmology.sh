#!/bin/bash
# cosmology.sh - the fields of problem cosmology: the same bits on 1, 2 and 3 ranks; the same modes on a finer grid; the
# power of every table, by numpy and from the table itself; species, velocities and units; fixed, paired and constrained
# realisations; the second order moves as its velocities say; wrong inputs are refused; the solver takes the gas.
set -u
data=$SLUICE_TOP/tests/data/cosmo
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<YAML
campaign: start
problem: cosmology
seed: 5
mesh: {cells: [32, 32, 32], box: [[0, 100], [0, 100], [0, 100]]}
time: {end: 0}
ic: {transfer: table, table: $data/camb13_transfer_z99.dat}
YAML
awk '/^#/ { next } { $3 = $2; print }' $data/cmbfast5_layout_z99.dat >same.dat
awk '/^#/ { next } { b = $3; $3 = $2; $2 = b; print }' $data/cmbfast5_layout_z99.dat >swapped.dat
# make OUT KEYS...
make_ic() {
    local out=$1
    shift
    sluice-ic run.yaml "run.input=$out.h5" "$@" 2>>log || bad "$out: $(tail -n 1 log)"
}
for n in 1 2 3; do
    mpirun -n $n sluice-ic run.yaml run.input=r$n.h5 2>>log || bad "$n ranks: $(tail -n 1 log)"
done
for file in now later; do
    sluice-ic run.yaml run.input=start.h5 2>>log || bad "$file: $(tail -n 1 log)"
    mv start.h5 $file.h5; sleep 1
done
cmp now.h5 later.h5 || bad 'a start made a second later has other bytes'
rm now.h5 later.h5
make_ic coarse ic.order=1
make_ic fine ic.order=1 'mesh.cells=[64, 64, 64]'
make_ic oblong ic.order=1 'mesh.cells=[32, 16, 24]' 'mesh.box=[[0, 100], [0, 50], [0, 75]]'
make_ic edges ic.order=1 'mesh.cells=[16, 16, 16]' 'mesh.box=[[0, 100], [0, 150], [10, 130]]' # modes on edges of shells
make_ic fixed ic.fixed=true
make_ic paired ic.fixed=true ic.paired=true
make_ic opposite ic.order=1 ic.paired=true
make_ic other ic.order=1 seed=6
make_ic low ic.order=1 seed=6 ic.low_seed=5 ic.low_modes=3
make_ic gas ic.species=baryons
make_ic alone ic.species=dark_matter ic.temperature=27255  # T_cmb (1 + z)^2: of gas that there is none of
make_ic together ic.species=one_fluid
make_ic flat ic.species=dark_matter ic.order=1 ic.particles=false cosmology.omega_b=0 ic.transfer=eisenstein_hu_smooth 'ic.table=""'
make_ic single ic.precision=single
make_ic edge ic.precision=single ic.order=1 'mesh.box=[[5e7, 50000100], [5e7, 50000100], [5e7, 50000100]]'
for z in 48.9 49 49.1; do make_ic z$z ic.transfer=eisenstein_hu ic.table='""' ic.species=one_fluid ic.redshift=$z cosmology.normalise=sigma8 cosmology.sigma8=0.1; done
small="ic.transfer=eisenstein_hu ic.species=one_fluid ic.redshift=24 ic.particles=true"
for o in 1 2; do
    # shellcheck disable=SC2086
    make_ic small$o $small 'ic.table=""' ic.order=$o 'mesh.cells=[12, 12, 12]' 'mesh.box=[[0, 20], [0, 20], [0, 20]]'
done
for t in camb13_transfer camb7_transfer cmbfast5_layout class_tk_sync class_tk_newt class_tk_cambformat; do
    make_ic "$t" ic.order=1 ic.fixed=true ic.particles=false 'mesh.cells=[64, 64, 64]' "ic.table=$data/${t}_z99.dat"
done
for t in camb_matterpower class_pk; do
    make_ic "$t" ic.order=1 ic.fixed=true ic.particles=false cosmology.normalise=table "ic.table=$data/${t}_z99.dat"
done
make_ic back ic.order=1 ic.fixed=true ic.mode=back_scaled ic.particles=false "ic.table=$data/class_tk_sync_z0.dat"

/usr/bin/python3 - "$data" <<'PY' || failed=1
import h5py, numpy as np, sys
from scipy.interpolate import CubicSpline
from tables import table
data = sys.argv[1]
bad = False
def check(what, ok):
    global bad
    if not ok: print('FAIL:', what); bad = True
def get(path, *names):
    with h5py.File(path + '.h5', 'r') as f: return [f[n][...] for n in names]
def attrs(path):
    with h5py.File(path + '.h5', 'r') as f: return dict(f.attrs)
def modes(v):
    """Fourier coefficients of the continuous field: phases moved from cell centres to the corner"""
    f = np.fft.fftn(v) / v.size
    for axis, n in enumerate(v.shape):
        shape = [1, 1, 1]; shape[axis] = n
        f = f * np.exp(-1j * np.pi * np.fft.fftfreq(n, 1 / n) / n).reshape(shape)
    return f
def low(f, keep):
    i = np.concatenate([np.arange(keep + 1), np.arange(-keep, 0)])
    return f[np.ix_(i, i, i)]
def waves(shape, box):
    k = [2 * np.pi * np.fft.fftfreq(n, l / n) for n, l in zip(shape, box)]
    kz, ky, kx = np.meshgrid(*k, indexing='ij')
    return kx, ky, kz
def shells(v, box=100.):
    n = v.shape[0]
    p = np.abs(np.fft.fftn(v) / v.size)**2 * box**3
    kx, ky, kz = waves(v.shape, (box,) * 3)
    s = np.floor(np.sqrt(kx**2 + ky**2 + kz**2) * box / (2 * np.pi) + 0.5).astype(int)
    return p, s, np.sqrt(kx**2 + ky**2 + kz**2)
gas = ['density', 'velocity_x', 'velocity_y', 'velocity_z', 'pressure', 'temperature']
dark = ['dark_matter_density'] + [f'particles/{a}_{b}' for a in ('position', 'velocity') for b in 'xyz']

# ---- the same bits on any number of ranks, the same modes on any grid
one = get('r1', *gas, *dark)
for n in '23':
    check(f'same bits on 1 and {n} ranks', all(np.array_equal(a, b) for a, b in zip(one, get('r' + n, *gas, *dark))))
check('single precision is the same, rounded', all(
    a.dtype == np.float32 and np.array_equal(a, b.astype(np.float32)) for a, b in zip(get('single', *gas, *dark), one)))
edge = np.array(get('edge', *dark[1:4]))
check('what is rounded to the end of the box begins it', edge.min() == 5e7 and edge.max() < 50000100)
for name in ('density', 'velocity_y', 'dark_matter_density', 'particles/velocity_z'):
    a, b = modes(get('coarse', name)[0]), modes(get('fine', name)[0])
    size = np.abs(low(a, 15)).max() if 'density' not in name else np.sort(np.abs(low(a, 15)).ravel())[-2]
    check(f'{name}: the low modes of the finer grid', np.abs(low(a, 15) - low(b, 15)).max() < 1e-13 * size)
check('same hash of low modes', attrs('coarse')['low_mode_hash'] == attrs('fine')['low_mode_hash'])

# ---- power by numpy against each table, interpolated here
h = 0.7
def against(path, name):
    k, p_b, p_c = table(f'{data}/{name}')
    for dataset, share, p in (('density', 0.15, p_b), ('dark_matter_density', 0.85, p_c)):
        v = get(path, dataset)[0] / share - 1
        measured, s, kk = shells(v)
        want = np.exp(CubicSpline(np.log(k), np.log(p))(np.log(np.where(kk > 0, kk, 1))))
        worst = max(abs(measured[s == i].sum() / want[s == i].sum() - 1) for i in range(1, v.shape[0] // 4 + 1))
        check(f'{path} {dataset}: power within {worst:.1e} of the table', worst < 1e-3)
for t in ('camb13_transfer', 'camb7_transfer', 'cmbfast5_layout', 'class_tk_sync', 'class_tk_newt', 'class_tk_cambformat',
          'camb_matterpower', 'class_pk'):
    against(t, t + '_z99.dat')
    check(f'{t}: sigma8', abs(attrs(t)['sigma8_today'][()] / 0.85183 - 1) < 5e-4)
    check(f'{t}: sigma8 at the start', abs(attrs(t)['sigma8_start'][()] / 0.011139 - 1) < 3e-4)
k, p, _ = table(f'{data}/class_pk_z0.dat')  # of z = 0: brought back by the growth
for dataset, share in (('density', 0.15), ('dark_matter_density', 0.85)):
    measured, s, kk = shells(get('back', dataset)[0] / share - 1)
    want = 0.013076007**2 * np.exp(CubicSpline(np.log(k), np.log(p))(np.log(np.where(kk > 0, kk, 1))))
    check(f'back-scaled {dataset}', max(abs(measured[s == i].sum() / want[s == i].sum() - 1) for i in range(1, 9)) < 2e-3)
check('mode is written', attrs('back')['mode'] == b'back_scaled' and attrs('r1')['mode'] == b'at_start')
with h5py.File('camb13_transfer.h5', 'r') as f:
    g = f['spectrum_gas']
    check('mode counts', list(g['modes'][:8]) == [18, 62, 98, 210, 350, 450, 602, 762])
    check('mean k', np.allclose(g['k'][:4] * 100 / (2 * np.pi), [1.2761, 2.2308, 3.1342, 4.0606], atol=5e-5))
    measured, s, kk = shells(f['density'][...] / 0.15 - 1)
    check('the file\'s own power', all(abs(measured[s == i].mean() / g['measured'][i - 1] - 1) < 1e-11 for i in range(1, 32)))
    check('its input', np.allclose(g['measured'][:31], g['input'][:31], rtol=1e-10))

# ---- Gaussian: power scatters as it should
with h5py.File('fine.h5', 'r') as f:
    g = f['spectrum_gas']
    z = (g['measured'][:] - g['input'][:]) / g['input_scatter'][:]
    check('scatter of power', abs(z.mean()) < 4 / np.sqrt(len(z)) and 0.6 < z.std() < 1.5)

# ---- velocities, species, units
a = 0.01
H = 38882.392634
kx, ky, kz = waves((32, 32, 32), (100.,) * 3)
k2 = np.where(kx**2 + ky**2 + kz**2 > 0, kx**2 + ky**2 + kz**2, 1)
t = np.loadtxt(f'{data}/camb13_transfer_z99.dat')
def rate(column, below): return CubicSpline(np.log(t[:, 0]), t[:, column] / t[:, below])(0.5 * np.log(k2))
inner = (np.abs(kx) < kx.max() * 0.99) & (np.abs(ky) < ky.max() * 0.99) & (np.abs(kz) < kz.max() * 0.99)
inner &= (kx > -kx.max() * 1.01) & (ky > -ky.max() * 1.01) & (kz > -kz.max() * 1.01)
d_b, vx, d_c, pvx = [np.fft.fftn(v) for v in get('coarse', 'density', 'velocity_x', 'dark_matter_density', 'particles/velocity_x')]
want = 1j * kx / k2 * rate(11, 2) * d_b / 0.15 * H * a * a / h / 100
check('velocity of the gas', np.abs(vx - want)[inner].max() < 2e-3 * np.abs(want).max())
want = 1j * kx / k2 * rate(10, 1) * d_c / 0.85 * H * a / h
check('velocity of dark matter', np.abs(pvx - want)[inner].max() < 2e-3 * np.abs(want).max())
x, = get('coarse', 'particles/position_x')
psi = (x - (np.arange(32) + 0.5) * 100 / 32 + 50) % 100 - 50
want = 1j * kx / k2 * d_c / 0.85
check('displacement of dark matter', np.abs(np.fft.fftn(psi) - want)[inner].max() < 1e-9 * np.abs(want).max())
rho, p, T = get('r1', 'density', 'pressure', 'temperature')
check('share of the gas', abs(rho.mean() / 0.15 - 1) < 1e-12)
mu = 1 / (1 - 0.75 * 0.245)
check('pressure', np.allclose(p, a**2 * rho * 1.380649e-23 / 1.6735328e-27 * T / mu / 1e10, rtol=1e-4))
check('temperature', abs(T.mean() / 165 - 1) < 0.02)
rho, = get('gas', 'density')
check('baryons alone', abs(rho.mean() - 1) < 1e-12)
for name in dark[1:]:
    check(f'dark matter alone: {name} of all matter', np.array_equal(*[get(n, name)[0] for n in ('alone', 'together')]))
d_b, d_c = [get('coarse', name)[0] / share - 1 for name, share in (('density', 0.15), ('dark_matter_density', 0.85))]
check('dark matter alone: density of all matter', np.abs(get('alone', dark[0])[0] - 1 - 0.15 * d_b - 0.85 * d_c).max() < 1e-9)
for name, fields in (('alone', {'dark_matter_density', 'particles', 'spectrum_dark_matter'}), ('flat', {'dark_matter_density', 'particles', 'spectrum_dark_matter'})):
    with h5py.File(name + '.h5', 'r') as f:
        check(f'{name}: no gas', set(f) == fields and f.attrs['gas_share'] == 0 and 'mean_temperature_k' not in f.attrs)
with h5py.File('gas.h5', 'r') as f: check('no dark matter', 'dark_matter_density' not in f and len(f['particles']) == 0)

# ---- kinds of realisations
plus, minus = get('coarse', 'density')[0] / 0.15 - 1, get('opposite', 'density')[0] / 0.15 - 1
check('paired', np.abs(plus + minus).max() < 1e-15)
check('another seed, another field', np.abs(plus - get('other', 'density')[0] / 0.15 + 1).max() > 0.01)
a_, b_, c_ = [modes(get(n, 'density')[0]) for n in ('coarse', 'other', 'low')]
check('constrained low modes', np.abs(low(c_, 3) - low(a_, 3)).max() < 1e-15)
rest = np.ones((32,) * 3, bool)
i = np.concatenate([np.arange(4), np.arange(-3, 0)]); rest[np.ix_(i, i, i)] = False
check('free high modes', np.abs(c_ - b_)[rest].max() < 1e-15 < np.abs(c_ - a_)[rest].max())

# ---- second order: a pair cancels what is odd, and its mean has the power of the input
k, p_b, p_c = table(f'{data}/camb13_transfer_z99.dat')
for dataset, share, p in (('density', 0.15, p_b), ('dark_matter_density', 0.85, p_c)):
    m = [shells(get(n, dataset)[0] / share - 1) for n in ('fixed', 'paired')]
    want = np.exp(CubicSpline(np.log(k), np.log(p))(np.log(np.where(m[0][2] > 0, m[0][2], 1))))
    s = m[0][1]
    off = [0.5 * (m[0][0][s == i].sum() + m[1][0][s == i].sum()) / want[s == i].sum() - 1 for i in range(1, 9)]
    check(f'{dataset} of second order, mean of a pair: {max(map(abs, off)):.1e}', max(map(abs, off)) < 3e-3)  # what is left is the square of the second order

# the two differ from it, by up to 5e-3, by what first and second order happen to have in common: 2 <d1 d2>, of zero mean and
# the scatter that the power of the second order, which is even in the signs, gives it
plus, minus = [modes(get(n, 'density')[0] / 0.15 - 1) for n in ('fixed', 'paired')]
kx, ky, kz = waves((32,) * 3, (100.,) * 3)
s = np.floor(np.sqrt(kx**2 + ky**2 + kz**2) * 100 / (2 * np.pi) + 0.5).astype(int)
z = []
for i in range(1, 9):
    even, odd = (plus + minus)[s == i] / 2, (plus - minus)[s == i] / 2
    common = ((np.abs(plus)**2 - np.abs(minus)**2)[s == i] / 2).sum()
    # modes n and -n are one: half as many chances
    z.append(common / (2 * np.sqrt((np.abs(even)**2 * np.abs(odd)**2).sum())))
check(f'first and second order have in common what chance gives: {np.round(z, 1)}', 0.3 < np.std(z) < 2 and max(map(abs, z)) < 4)

# ---- particles move as their velocities say: dx/dlna = u
lna = {z: -np.log(1 + float(z)) for z in ('48.9', '49', '49.1')}
dt = lna['48.9'] - lna['49.1']
H49 = 13651.675494
pos = {z: get('z' + z, 'particles/position_x')[0] for z in lna}
u = get('z49', 'particles/velocity_x')[0] * h / H49 * 50
moved = ((pos['48.9'] - pos['49.1'] + 50) % 100 - 50) / dt
check('particles move with their velocities', np.abs(moved - u).max() < 3e-6 * np.abs(u).max())

# ---- second order on a small grid, by direct sums over modes, Newton's method in place of steps, no splines
n, L = 12, 20.
box = attrs('small2')
g = {k: float(box[k]) for k in ('growth_rate', 'growth_second', 'growth_second_rate', 'redshift', 'hubble_km_s_mpc')}
delta = modes(get('small1', 'density')[0] / 0.15)
delta[0, 0, 0] = 0
kx, ky, kz = waves((n,) * 3, (L,) * 3)
k = np.array([kx, ky, kz])
k2 = np.where((k**2).sum(0) > 0, (k**2).sum(0), 1)
keep = (np.abs(k) * L / (2 * np.pi) < n / 2 - 0.5).all(0)
def onto(f, m):
    """modes onto a grid of m cells, at its corners"""
    i = np.concatenate([np.arange(n // 2), np.arange(1 - n // 2, 0)])
    out = np.zeros((m,) * 3, complex)
    out[np.ix_(i, i, i)] = f[np.ix_(i, i, i)]
    return np.fft.ifftn(out).real * m**3
def back(v):
    i = np.concatenate([np.arange(n // 2), np.arange(1 - n // 2, 0)])
    out = np.zeros((n,) * 3, complex)
    out[np.ix_(i, i, i)] = (np.fft.fftn(v) / v.size)[np.ix_(i, i, i)]
    return out
def hessian(phi, m): return {(a, b): onto(-k[a] * k[b] * phi, m) for a in range(3) for b in range(a, 3)}
h2 = hessian(-delta / k2, 16)
S = back(sum(h2[a, a] * h2[b, b] - h2[a, b]**2 for a, b in ((0, 1), (0, 2), (1, 2))))
d2, f1, f2 = g['growth_second'], g['growth_rate'], g['growth_second_rate']
check('growth of second order', abs(d2 / (-3 / 7) - 1) < 0.01 and abs(f2 / 2 / f1 - 1) < 0.01)
psi = [1j * c / k2 * (delta - d2 * S) for c in k]
vel = [1j * c / k2 * (f1 * delta - f2 * d2 * S) for c in k]
hp = hessian(-(delta - d2 * S) / k2, 16)
m = np.array([[hp[min(a, b), max(a, b)] for a in range(3)] for b in range(3)])
R = back(1 / np.linalg.det(np.eye(3) - np.moveaxis(m, (0, 1), (-2, -1))) - 1)
waves_in = np.array([c[keep] for c in k])
def at(points, fields): return np.real(np.array([f[keep] for f in fields]) @ np.exp(1j * waves_in.T @ points))
z, y, x = np.meshgrid(*[(np.arange(n) + 0.5) * L / n] * 3, indexing='ij')
cells = np.array([x.ravel(), y.ravel(), z.ravel()])
moved = at(cells, psi)
found = np.array([get('small2', f'particles/position_{c}')[0].ravel() for c in 'xyz']) - cells
found = (found + L / 2) % L - L / 2
check('particles: displacement of second order', np.abs(found - moved).max() < 1e-12 * L)
check('which matters', np.abs(moved - at(cells, [1j * c / k2 * delta for c in k])).max() > 1e-3 * np.abs(moved).max())
a_ = 1 / (1 + g['redshift'])
kms = a_ * g['hubble_km_s_mpc'] / 0.7
found = np.array([get('small2', f'particles/velocity_{c}')[0].ravel() for c in 'xyz'])
check('particles: velocity of second order', np.abs(found - kms * at(cells, vel)).max() < 1e-12 * np.abs(found).max())
q = cells - moved
for _ in range(40): q = cells - at(q, psi)
check('a place was found for every cell', np.abs(q + at(q, psi) - cells).max() < 1e-10 * L)
rho, want = get('small2', 'density')[0].ravel() / 0.15, 1 + at(q, [R])[0]
want /= want.mean()
check(f'gas: density carried, {np.abs(rho - want).max():.1e} of {np.abs(want - 1).max():.1e}',
      np.abs(rho - want).max() < 1e-2 * np.abs(want - 1).max())  # splines, steps of the inversion
found = np.array([get('small2', f'velocity_{c}')[0].ravel() for c in 'xyz'])
want = a_ * kms / 100 * at(q, vel)
check(f'gas: velocity carried, {np.abs(found - want).max() / np.abs(want).max():.1e}',
      np.abs(found - want).max() < 1e-2 * np.abs(want).max())
check('which matters', np.abs(want - a_ * kms / 100 * at(cells, vel)).max() > 0.02 * np.abs(want).max())
sys.exit(bad)
PY

# refused TEXT KEYS...: exit 65 and a message that holds TEXT
refused() {
    local text=$1 got
    shift
    sluice-ic run.yaml run.input=none.h5 "$@" >out 2>err
    got=$?
    [ $got = 65 ] || bad "exit $got, not 65: $*"
    grep -qF -- "$text" err || bad "'$(head -n 1 err)' does not say '$text'"
}
refused 'three dimensions' 'mesh.cells=[32, 32]' 'mesh.box=[[0, 1], [0, 1]]'
refused 'even numbers' 'mesh.cells=[32, 32, 31]' 'mesh.block=[32, 32, 31]'
refused 'taken for z = 50' ic.redshift=50
refused 'its header says z = 0' "ic.table=$data/class_tk_sync_z0.dat"
refused 'its amplitude is that of' "ic.table=$data/camb7_transfer_z0.dat"
refused 'longer table' 'mesh.box=[[0, 0.5], [0, 0.5], [0, 0.5]]'
refused 'has its own amplitude' "ic.table=$data/class_pk_z99.dat"
refused 'must be given with ic.transfer: table' 'ic.table=""'
refused 'is read with ic.transfer: table' ic.transfer=bbks
refused 'too late for perturbation theory' ic.transfer=eisenstein_hu 'ic.table=""' ic.redshift=1
refused 'there is no dark matter' cosmology.omega_b=0.3
refused 'h times each length in Mpc' units.length=3.0857e24 units.density=1e-29 units.velocity=1e7 'mesh.box=[[0, 100 Mpc], [0, 100 Mpc], [0, 100 Mpc]]'
refused 'units.length' 'mesh.box=[[0, 100 Mpc], [0, 100 Mpc], [0, 100 Mpc]]'
refused 'T_cmb (1 + z)^2' ic.temperature=7089 ic.transfer=eisenstein_hu 'ic.table=""' ic.redshift=50
refused 'T_cmb (1 + z)^2' ic.temperature=7089 ic.transfer=eisenstein_hu 'ic.table=""' ic.redshift=50 cosmology.t_cmb=0
refused 'one transfer function for both' "ic.table=$work/same.dat"
refused 'columns are swapped' "ic.table=$work/swapped.dat"
[ -e none.h5 ] && bad 'a refused start left a file'
ls | grep -q part && bad 'a part of a file is left'

# the solver holds the gas, and refuses to let it run
cp r1.h5 ic.h5
sluice-sim run.yaml >out 2>err || bad "the solver: $(cat err)"
sluice-sim run.yaml time.end=1 >out 2>err && bad 'a universe was run for a code time'
grep -q 'time.end: 1: a run follows the expansion with time.unit: redshift' err || bad "no such message: $(cat err)"
sluice-sim run.yaml time.unit=redshift ic.species=dark_matter >out 2>err && bad 'the solver ran without gas'
grep -q 'dark_matter has no gas: a run of particles alone says so with fluid.eos: none; nearest: distinct' err || bad "no such message: $(cat err)"
sluice-sim run.yaml seed=6 >out 2>err && bad 'the fields of another seed were taken'
sluice-sim run.yaml ic.species=dark_matter run.input=alone.h5 >out 2>err && bad 'the solver took particles for gas'
grep -q 'no gas to begin with' err || bad "no such message: $(cat err)"
sluice check run.yaml ic.species=dark_matter >out 2>err && bad 'a campaign of dark matter alone was accepted'
grep -q 'nearest: fluid.eos: none, particles alone, or one_fluid' err || bad "no such message: $(cat err)"

# a start in single precision is read by solver and statistics as one in double, rounded
for p in double single; do
    mkdir $p
    sed "s|^campaign.*|&\noutput: {precision: double}\nstatistics: {spectra: [density, velocity], structure: [], matter: [gas, particles, cross]}|" run.yaml >$p/run.yaml
    [ $p = double ] && cp r1.h5 $p/ic.h5 || cp single.h5 $p/ic.h5
    mpirun -n 2 sluice-sim $p/run.yaml ic.precision=$p >out 2>err || bad "the solver, $p: $(cat err)"
    mpirun -n 2 sluice-stats $p/run.yaml ic.precision=$p >out 2>err || bad "statistics, $p: $(cat err)"
done
/usr/bin/python3 - <<'PY' || failed=1
import csv, glob, h5py, numpy as np
from check import check
a, b = [h5py.File(f'{p}/snapshots/start_hdf5_plt_cnt_0000') for p in ('double', 'single')]
check('pressure of the solver', np.allclose(a['pres'], b['pres'], rtol=1e-4, atol=0))  # small beside the energy
for name in ('dens', 'velx', 'vely', 'velz'):
    check(f'{name} of the solver', np.allclose(a[name], b[name], rtol=2e-7, atol=0) and not np.array_equal(a[name][...], b[name][...]))  # units come after the rounding
names = sorted(glob.glob('double/stats/*.csv'))
check(f'statistics are there: {names}', len(names) >= 5)
for name in names:
    x, y = [np.genfromtxt(n, delimiter=',', comments='#', skip_header=0) for n in (name, name.replace('double', 'single', 1))]
    size = np.nanmax(np.abs(x), axis=0)
    off = np.nanmax(np.abs(x - y) / np.where(size > 0, size, 1))
    check(f'{name}: {off:.1e} off', off < 1e-5 and (off > 0 or 'decay' in name))
PY

# a campaign of starts: members, their ensemble and its page, with the table found beside the recipe
cp "$data/camb13_transfer_z99.dat" table.dat
sed 's|^ic:.*|ic: {transfer: table, table: table.dat, particles: false}|; s/^seed:.*/sweep: {seed: 1..2}/' run.yaml >starts.yaml
sluice run starts.yaml --dir starts 'mesh.cells=[16, 16, 16]' >out 2>&1 || bad "a campaign of starts: $(tail -n 3 out)"
for f in ensemble/spectrum_density_0000.csv report/figures/start_power.svg; do
    [ -s starts/$f ] || bad "the campaign has no $f"
done
grep -q 'Against time' starts/report/index.html && bad "the page of a start has a title without figures"
[ $failed = 0 ] && echo ok
exit $failed
