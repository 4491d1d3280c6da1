#!/bin/bash
# cosmology_tables.sh - starts of 256^3 cells in 100 Mpc/h from every layout of tables: power of each species within 1e-3 of the
# table below half the Nyquist frequency, with fixed amplitudes, by numpy from the table itself; sigma8; the same bits on 1, 2
# and 3 ranks, to second order with particles, too; fields of 128^3 are the low modes of those of 256^3. cosmology.sh does it on
# smaller grids. long: ten to twenty minutes, 4 GB.
#   SLUICE_CELLS   along each axis (default 256)
set -u
data=$SLUICE_TOP/tests/data/cosmo
cells=${SLUICE_CELLS:-256}
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: tables
problem: cosmology
seed: 5
mesh: {box: [[0, 100], [0, 100], [0, 100]]}
time: {end: 0}
ic: {transfer: table, order: 1, particles: false, fixed: true}
YAML
# make OUT RANKS CELLS TABLE KEYS...
make_ic() {
    local out=$1 ranks=$2 n=$3 table=$4
    shift 4
    mpirun -n "$ranks" sluice-ic run.yaml "run.input=$out.h5" "mesh.cells=[$n, $n, $n]" "ic.table=$table" "$@" 2>log ||
        bad "$out: $(cat log)"
}

# the layouts that are not kept: CMBFAST with massive neutrinos, of which there are none, and tables without names
bare() { grep -v '^#' "$data/$1_z99.dat"; }
cp "$data"/*_z99.dat .
bare cmbfast5_layout | sed 's/$/  0.000000E+00/' >cmbfast6_layout_z99.dat
for t in cmbfast5_layout camb7_transfer camb13_transfer; do bare $t >${t}_bare_z99.dat; done
{ echo '#          k/h    CDM            baryon         photon         nu             mass_nu        total'; bare camb7_transfer; } \
    >camb7_transfer_named_z99.dat

for t in cmbfast5_layout cmbfast5_layout_bare cmbfast6_layout camb7_transfer camb7_transfer_bare camb7_transfer_named \
    camb13_transfer camb13_transfer_bare class_tk_sync class_tk_newt class_tk_cambformat camb_matterpower class_pk; do
    keys=()
    case $t in *power | *pk) keys=(cosmology.normalise=table) ;; esac
    for n in 1 2 3; do make_ic $n $n "$cells" ${t}_z99.dat "${keys[@]}"; done
    make_ic half 1 $((cells / 2)) ${t}_z99.dat "${keys[@]}"
    /usr/bin/python3 - $t <<'PY' || failed=1
import h5py, numpy as np, sys
from scipy.interpolate import CubicSpline
from check import check
from tables import table
name, box = sys.argv[1], 100.
def get(path, dataset):
    with h5py.File(path + '.h5', 'r') as f: return f[dataset][...]
def modes(v):
    f = np.fft.rfftn(v) / v.size
    for axis, n in enumerate(v.shape):  # from the corner, where cells of all sizes begin
        k = np.fft.rfftfreq(n, 1 / n) if axis == 2 else np.fft.fftfreq(n, 1 / n)
        f *= np.exp(-1j * np.pi * k / n).reshape([-1 if d == axis else 1 for d in range(3)])
    return f
def low(f, keep):
    i = np.concatenate([np.arange(keep + 1), np.arange(-keep, 0)])
    return f[np.ix_(i, i, np.arange(keep + 1))]
k, *power = table(f'{name}_z99.dat')
for dataset, share, p in (('density', 0.15, power[0]), ('dark_matter_density', 0.85, power[1])):
    v = get('1', dataset)
    for ranks in '23':
        check(f'{name} {dataset}: the same bits on 1 and {ranks} ranks', np.array_equal(v, get(ranks, dataset)))
    n = v.shape[0]
    f, coarse = modes(v / share - 1), modes(get('half', dataset) / share - 1)
    keep = n // 4 - 1
    off = np.abs(low(f, keep) - low(coarse, keep)).max() / np.abs(low(f, keep)).max()
    check(f'{name} {dataset}: fields of {n // 2}^3 are off low modes by {off:.1e}', off < 1e-13)
    axis = np.fft.fftfreq(n, 1 / n).astype(int)
    square = axis[:, None, None]**2 + axis[None, :, None]**2 + np.arange(n // 2 + 1)[None, None, :]**2
    times = np.where((np.arange(n // 2 + 1) > 0) & (np.arange(n // 2 + 1) < n // 2), 2., 1.)
    inside = np.arange(1, (n // 4 + 1)**2)
    found = np.bincount(square.ravel(), (np.abs(f)**2 * times).ravel() * box**3, inside[-1] + 1)[inside]
    many = np.bincount(square.ravel(), np.broadcast_to(times, square.shape).ravel(), inside[-1] + 1)[inside]
    want = many * np.exp(CubicSpline(np.log(k), np.log(p))(np.log(2 * np.pi / box * np.sqrt(inside))))
    shell = np.floor(np.sqrt(inside) + 0.5).astype(int)
    off = [abs(found[shell == s].sum() / want[shell == s].sum() - 1) for s in range(1, n // 4 + 1)]
    print(f'{name} {dataset}: power within {max(off):.1e} of the table')
    check(f'{name} {dataset}: power within {max(off):.1e} of the table', max(off) < 1e-3)
with h5py.File('1.h5', 'r') as f:
    today, start = f.attrs['sigma8_today'][()], f.attrs['sigma8_start'][()]
check(f'{name}: sigma8 {today}, {start} at the start', abs(today / 0.85183 - 1) < 5e-4 and abs(start / 0.011139 - 1) < 3e-4)
PY
done

for n in 1 2 3; do make_ic $n $n "$cells" camb13_transfer_z99.dat ic.order=2 ic.particles=true ic.fixed=false; done
/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check
with h5py.File('1.h5', 'r') as a, h5py.File('2.h5', 'r') as b, h5py.File('3.h5', 'r') as c:
    names = [n for n in a if n not in ('particles',) and isinstance(a[n], h5py.Dataset)] + ['particles/' + n for n in a['particles']]
    check(f'all fields are there: {names}', len(names) == 13)
    for n in names:
        v = a[n][...]
        check(f'{n} of second order: the same bits on 1, 2 and 3 ranks', all(np.array_equal(v, f[n][...]) for f in (b, c)))
PY
[ $failed = 0 ] && echo ok
exit $failed
