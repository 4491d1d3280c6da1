#!/bin/bash
# noise.sh - white noise of a file in place of own modes (ic.noise): own modes, brought back as noise, make the same start, of both orders,
# with gas and particles, paired and fixed, on 1 and 3 ranks and within a run; files that are not white noise of this mesh are refused,
# by sluice check already; members that differ in seed alone have no covariance.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >start.yaml <<'YAML'
campaign: start
problem: cosmology
seed: 7
mesh: {cells: [12, 16, 20], box: [[0, 60], [0, 90], [0, 100]]}
cosmology: {omega_m: 0.3, omega_b: 0.045}
ic: {redshift: 49, species: one_fluid, order: 1}
time: {end: 0}
YAML
make() { # DIR RANKS OPTIONS
    mkdir "$1" && cp start.yaml "$1"
    (cd "$1" && mpirun -n "$2" sluice-ic start.yaml "${@:3}") >log 2>&1 || bad "$1: $(tail -n 3 log)"
}
make own 1
make amplitude 1 ic.fixed=true
# every mode of `amplitude` has the modulus sqrt(P / V): no formula of the spectrum is needed. What waves at the Nyquist frequency are does
# not matter.
/usr/bin/python3 - <<'PY' || exit 1
import h5py
import numpy as np
read = lambda d: np.fft.fftn(h5py.File(f'{d}/ic.h5')['density'][:] - 1)
own, size = read('own'), np.abs(read('amplitude'))
count = own.size
n = [np.fft.fftfreq(m, 1 / m) for m in own.shape]
inside = np.all(np.abs(np.meshgrid(*n, indexing='ij')) * 2 < np.reshape(own.shape, (3, 1, 1, 1)), axis=0)
inside[0, 0, 0] = False
noise = np.fft.fftn(np.random.default_rng(1).standard_normal(own.shape))
noise[inside] = own[inside] / size[inside] * np.sqrt(count)
noise = np.fft.ifftn(noise).real
def put(name, data, set='noise'):
    with h5py.File(name, 'w') as f:
        f[set] = data
put('noise.h5', noise)
put('other.h5', noise.astype(np.float32), 'wn')
put('turned.h5', noise.T.copy())
put('flat.h5', noise.ravel())
put('whole.h5', np.arange(count).reshape(own.shape))
broken = noise.copy()
broken[3, 2, 1] = np.nan
put('nan.h5', broken)
put('loud.h5', 3 * noise)
put('tilted.h5', noise + 1)
put('quiet.h5', 0.1 * noise)
PY
noise="ic.noise=$work/noise.h5"
make back 1 "$noise" seed=8
make back3 3 "$noise"
make second 1 ic.order=2
make second_back 3 ic.order=2 "$noise"
make paired 1 ic.order=2 ic.paired=true
make paired_back 2 ic.order=2 ic.paired=true "$noise"
make fixed 1 ic.order=2 ic.fixed=true
make fixed_back 2 ic.order=2 ic.fixed=true "$noise"
make single 2 ic.noise="$work/other.h5" ic.noise_set=wn
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from check import check, near
def same(a, b, tol):
    with h5py.File(f'{a}/ic.h5') as f, h5py.File(f'{b}/ic.h5') as g:
        names = []
        f.visititems(lambda n, o: names.append(n) if isinstance(o, h5py.Dataset) and o.dtype.kind == 'f' else None)
        check(f'{b} has all of {len(names)} fields', len(names) > 10)
        for n in names:
            near(f'{n} of {b}', g[n][:], f[n][:], tol)
for a in ('second', 'paired', 'fixed'):
    same(a, f'{a}_back', 1e-12)
same('own', 'back', 1e-12)
same('own', 'back3', 1e-12)
same('own', 'single', 3e-6)
with h5py.File('back/ic.h5') as f, h5py.File('back3/ic.h5') as g:
    for n in ('density', 'velocity_x', 'particles/position_z'):
        check(f'the same {n} on three ranks', np.array_equal(f[n][:], g[n][:]))
with h5py.File('second/ic.h5') as f, h5py.File('paired/ic.h5') as g:
    check('pairs differ', np.abs(f['density'][:] - g['density'][:]).max() > 0.01)
PY

# a run of particles makes the same start
cat >run.yaml <<'YAML'
campaign: few
problem: cosmology
seed: 7
mesh: {cells: [12, 16, 20], block: [4], box: [[0, 60], [0, 90], [0, 100]]}
cosmology: {omega_m: 0.3, omega_b: 0.045}
ic: {redshift: 49, species: one_fluid, order: 2, write: auto}
gravity: {}
time: {end: 49, unit: redshift}
output: {snapshot: 0, history: 0, precision: double}
YAML
sed -i '/^gravity/d' run.yaml
for d in run run_back; do
    mkdir $d && cp run.yaml $d
    [ $d = run ] && from= || from=$noise
    (cd $d && mpirun -n 2 sluice-sim run.yaml $from) >log 2>&1 || bad "$d: $(tail -n 3 log)"
done
/usr/bin/python3 - <<'PY' || failed=1
import glob
import h5py
from check import check, near
a, b = (h5py.File(sorted(glob.glob(f'{d}/snapshots/*_hdf5_plt_cnt_0000'))[0]) for d in ('run', 'run_back'))
for n in ('dens', 'velx', 'vely', 'velz', 'tracer particles'):
    near(f'{n} of the run', b[n][:], a[n][:], 1e-12)
PY

refused() { # FILE WORDS OPTIONS
    rm -rf bad && mkdir bad && cp start.yaml bad
    (cd bad && mpirun -n 2 sluice-ic start.yaml ic.noise="$work/$1" "${@:3}") >log 2>&1 && bad "$1 is taken"
    grep -qF "$2" log || bad "$1: not '$2' in $(cat log)"
    [ "$(grep -cF "$2" log)" = 1 ] || bad "$1: told more than once"
    [ ! -e bad/ic.h5 ] || bad "$1: a file is left"
}
refused turned.h5 'noise has 12 x 16 x 20 numbers along z, y and x, and the start 20 x 16 x 12 cells'
refused flat.h5 'noise has 1 axes, and white noise has 3, [z][y][x]'
refused other.h5 'has no data set noise; ic.noise_set names that of the white noise'
refused whole.h5 'noise is no data set of real numbers'
refused nan.h5 'noise has numbers that are not finite'
refused loud.h5 'and the variance 8.909'
refused quiet.h5 'and the variance 0.0'
refused tilted.h5 'noise has the mean 0.9918'
refused none.h5 'none.h5'
refused noise.h5 'ic.low_modes: 2: all modes are those of ic.noise; nearest: 0' ic.low_modes=2
# sluice check says the same, with the place, before anything runs
unfit() { # FILE WORDS OPTIONS
    expect 65 sluice check start.yaml ic.noise="$work/$1" "${@:3}"
    says "ic.noise: $work/$1"
    says "$2"
}
unfit turned.h5 'noise has 12 x 16 x 20 numbers along z, y and x, and the start 20 x 16 x 12 cells'
unfit nan.h5 'noise has numbers that are not finite'
unfit loud.h5 'and the variance 8.909'
unfit other.h5 'has no data set noise'
unfit noise.h5 'has no data set wn' ic.noise_set=wn
unfit noise.h5 'and the start 20 x 16 x 24 cells' mesh.cells=[24,16,20]
cp noise.h5 good.h5 && cp start.yaml swept.yaml
expect 65 sluice check swept.yaml 'sweep.ic.noise=[good.h5, turned.h5]'
says 'turned.h5: noise has 12 x 16 x 20'
expect 0 sluice check swept.yaml 'sweep.ic.noise=[good.h5, noise.h5]'
expect 0 sluice check start.yaml "$noise" sweep.seed=1..3
shows 'ic.noise has the modes of all seeds'
# they are one run, whose covariance would be zero
sluice run run.yaml --dir tied sweep.seed=1..2 "$noise" 'statistics.matter=[gas]' 'statistics.structure=[]' >log 2>&1 || bad "tied: $(tail -n 3 log)"
[ -s tied/ensemble/matter_gas_0000.csv ] || bad "no mean of members that begin from one file"
ls tied/ensemble | grep covariance && bad "a covariance of members that begin from one file"
grep -qF 'no covariance is made: members begin from one file' tied/logs/ensemble.* || bad "the log does not say why"
grep -qF 'No covariance is made: members begin from one file' tied/report/index.html || bad "the report does not say why"
exit $failed
