#!/bin/bash
# starts.sh - a start of a universe in the files of Gadget, SWIFT, RAMSES and Enzo: yt's readers and numpy find its mass, its
# places, its velocities in km/s and its temperature, and the power of the input; a box that a code cannot take is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >recipe.yaml <<'YAML'
campaign: u
problem: cosmology
seed: 7
sweep: {ic.species: [one_fluid, baryons]}
mesh: {cells: [16, 16, 16], box: [[5, 45], [5, 45], [5, 45]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045}
ic: {redshift: 49, transfer: eisenstein_hu}
time: {end: 0}
YAML
sluice run recipe.yaml >log 2>&1 || { cat log; exit 1; }
for code in gadget swift grafic enzo; do
    sluice export u --ic $code >out 2>err || bad "$code: $(cat err)"
    [ "$(cat out)" = "u-$code/0000
u-$code/0001" ] || bad "$code is at $(cat out)"
done
sluice-ic recipe.yaml run.input=single.h5 ic.species=one_fluid ic.precision=single 2>>log || bad "single: $(tail -n 1 log)"
sluice-ic --export gadget single.h5 single 2>err || bad "single: $(cat err)"

/usr/bin/python3 "$SLUICE_TOP/tests/law/starts.py" || failed=1

# the dark matter of a snapshot, as yt finds it in both
sed 's/^campaign: u/campaign: m/; /^sweep/d; s/^time: .*/time: {unit: redshift, end: 19}/' recipe.yaml >moving.yaml
echo 'particles: {spacing: 1}
output: {precision: double}' >>moving.yaml
sluice run moving.yaml >log 2>&1 || { cat log; exit 1; }
for code in gadget swift; do sluice export m --ic $code --snapshot last >out 2>err || bad "$code: $(cat err)"; done
grep -q '^% gas: that of a snapshot, if any, stays on its mesh' m-gadget/0000-snapshot-0002/parameters.txt || bad "the gas of a snapshot: $(cat m-gadget/*/parameters.txt)"
/usr/bin/python3 - <<'PY' || bad "the dark matter of a snapshot"
import h5py, numpy as np, sys, yt
yt.set_log_level(50)
f = h5py.File('m/members/0000/snapshots/m_hdf5_plt_cnt_0002', 'r')
t, head = f['tracer particles'][...], f['sluice'].attrs
t = t[np.argsort(t[:, 7])]
a, h, L = head['scale_factor'], 0.7, 40.
want = ((t[:, :3] / head['cgs_length'] - 5) % L, t[:, 3:6] / head['cgs_velocity'] * 100 / a)
for code, units in ('gadget', None), ('swift', {'length': (1.0, 'Mpccm'), 'mass': (1e10, 'Msun'), 'velocity': (1.0, 'km/s')}):
    ds = yt.load(f'm-{code}/0000-snapshot-0002/snapshot.hdf5', unit_base=units)
    ad = ds.all_data()
    order = np.argsort(ad['PartType1', 'particle_index'].v)
    x = ad['PartType1', 'particle_position'].to('Mpccm/h').v[order]
    v = ad['PartType1', 'particle_velocity'].to('km/s').v[order]
    m = ad['PartType1', 'particle_mass'].to('Msun').v * h
    off = [np.abs((x - want[0] + L / 2) % L - L / 2).max() / L, np.abs(v - want[1]).max() / np.abs(want[1]).max(),
           abs(m.sum() / (2.77536627e11 * (0.3 - 0.045) * L**3) - 1), abs(ds.current_redshift - 19)]
    ids = np.sort(ad['PartType1', 'particle_index'].v)
    if not (len(m) == 16**3 and max(off) < 2e-3 and off[0] < 1e-4 and np.array_equal(ids, t[:, 7])):
        print(code, off); sys.exit(1)
PY
sluice export m --ic enzo --snapshot last 2>err && bad "enzo took a snapshot"
grep -q 'for gadget and swift, not for enzo' err || bad "no clear message: $(cat err)"
sluice export m --ic gadget --snapshot 7 2>err && bad "a snapshot that is not there"
grep -q 'nearest: 2' err || bad "no clear message: $(cat err)"
sluice export m --csv - --snapshot 1 2>err && bad "--snapshot without --ic"

# gas as displaced particles: equal masses, the displacement and velocity of the matter half a cell beside the dark matter, and the
# density that the gas has on the grid
sluice export u 0 --ic gadget --gas particles --to moved >out 2>err || bad "displaced gas: $(cat err)"
sluice export u 0 --ic swift --gas particles --to moved-swift >out 2>err || bad "displaced gas: $(cat err)"
grep -q '^% gas: particles of equal mass, displaced' moved/0000/parameters.txt || bad "gadget does not say that gas is displaced"
grep -q '^# gas: particles of equal mass, displaced' moved-swift/0000/parameters.txt || bad "swift does not say that gas is displaced"
grep -q '^% gas: particles on a grid' u-gadget/0000/parameters.txt || bad "gadget does not say that gas is on a grid"
/usr/bin/python3 - <<'PY' || bad "displaced gas"
import h5py
import numpy as np
N, L = 16, 40e3
moved, grid = h5py.File("moved/0000/ic.hdf5"), h5py.File("u-gadget/0000/ic.hdf5")
gas, dark, old = moved["PartType0"], moved["PartType1"], grid["PartType0"]
mass = gas["Masses"][:]
assert np.ptp(mass) == 0 and abs(mass.sum() / old["Masses"][:].sum() - 1) < 1e-6
at = np.indices((N, N, N))[::-1].reshape(3, -1).T * (L / N) # corners of the cells, x fastest
wrap = lambda x: x - L * np.rint(x / L)
k = np.fft.fftfreq(N, 1 / N)
half = np.where(np.abs(k) == N / 2, 0, np.exp(-1j * np.pi * k / N))
def beside(field): # half a cell further down along each axis
    f = np.fft.fftn(field.reshape(N, N, N)) * half[:, None, None] * half[:, None] * half
    return np.fft.ifftn(f).real.ravel()
psi = wrap(dark["Coordinates"][:] - at - 0.5 * L / N)
got = wrap(gas["Coordinates"][:] - at)
assert np.abs(psi).max() > 20 # kpc/h: it moves at all
for d in range(3):
    assert np.abs(got[:, d] - beside(psi[:, d])).max() < 1e-5 * L / N, d
    v = beside(dark["Velocities"][:, d])
    assert np.abs(gas["Velocities"][:, d] - v).max() < 1e-5 * np.abs(v).max(), d
assert gas["Coordinates"][:].min() >= 0 and gas["Coordinates"][:].max() < L
# to first order the contrast is minus the divergence of the displacement
f = sum(1j * (2 * np.pi / L) * np.where(np.abs(k) == N / 2, 0, k).reshape([-1 if a == 2 - d else 1 for a in range(3)]) *
        np.fft.fftn(got[:, d].reshape(N, N, N)) for d in range(3))
there = old["Masses"][:] / old["Masses"][:].mean() - 1
assert np.corrcoef(-np.fft.ifftn(f).real.ravel(), there)[0, 1] > 0.98
u, before = gas["InternalEnergy"][:], old["InternalEnergy"][:]
assert np.ptp(u) == 0 and abs(u[0] / before.mean() - 1) < 0.01
PY

# refused CODE TEXT COMMAND...: nothing is left
refused() {
    local code=$1 text=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || bad "exit $got, not $code: $*: $(cat err)"
    grep -qF -- "$text" err || bad "'$*' does not say '$text': $(cat err)"
    [ ! -e new ] && [ ! -e new.part ] || bad "'$*' leaves something"
}
# dark matter alone: RAMSES takes the grid and the universe from the head of ic_deltab
sluice-ic recipe.yaml run.input=dark.h5 ic.species=dark_matter 2>>log || bad "dark: $(tail -n 1 log)"
sluice-ic --export grafic dark.h5 dark 2>err || bad "dark: $(cat err)"
/usr/bin/python3 -c 'import numpy as np
d = np.fromfile("dark/ic_deltab", np.float32, offset=52); assert np.isfinite(d).all() and d.std() > 1e-3' || bad "dark matter alone has no ic_deltab"
# gas as rough as this has no pressure between its cells
sluice-ic recipe.yaml run.input=rough.h5 ic.species=one_fluid ic.redshift=23 'mesh.box=[[0, 3], [0, 3], [0, 3]]' 2>>log || bad "rough: $(tail -n 1 log)"
refused 65 'a larger ic.redshift is needed' sluice-ic --export gadget rough.h5 new
mkdir old.part
echo mine >old.part/precious
sluice-ic --export enzo single.h5 old/ 2>err && bad 'an export went over the folder of another'
grep -q 'another export writes it' err || bad "two exports at once: $(cat err)"
[ -s old.part/precious ] || bad 'an export deleted a folder of the user'
refused 65 'is there already' sluice export u 0 --ic enzo
cp u/members/0001/ic.h5 kept.h5
cp u/members/0000/ic.h5 u/members/0001/ic.h5
refused 78 '0001 ic: ic.h5 ' sluice export u 1 --ic gadget --to new
refused 78 'sluice clean u --damaged && sluice run u' sluice export u 1 --ic swift --to new
mv kept.h5 u/members/0001/ic.h5
refused 2 'gadget, swift, grafic, enzo' sluice export u --ic gadgt
refused 2 'stands alone' sluice export u --ic enzo --csv -
refused 2 'goes with --ic' sluice export u --csv - --to new
refused 2 '--gas goes with --ic' sluice export u --csv - --gas particles
refused 2 '--gas mesh: grid or particles' sluice export u 0 --ic gadget --gas mesh --to new
refused 65 'RAMSES takes gas on its grid' sluice-ic --export grafic u/members/0000/ic.h5 new particles
refused 65 'Enzo takes gas on its grid' sluice-ic --export enzo u/members/0000/ic.h5 new particles
refused 65 'it has not both' sluice-ic --export gadget u/members/0001/ic.h5 new particles
refused 65 'not an HDF5 file' sluice-ic --export swift recipe.yaml new
printf 'campaign: t\nproblem: turbulence\nmesh: {cells: [8, 8, 8]}\ntime: {end: 1}\nturbulence: {mach: 1, kmin: 1, kmax: 3}\n' >t.yaml
sluice-ic t.yaml run.input=t.h5 2>>log || bad "turbulence: $(tail -n 1 log)"
refused 65 'no start of a universe' sluice-ic --export swift t.h5 new
for shape in '[16, 16, 8] [[0, 40], [0, 40], [0, 20]]' '[16, 16, 8] [[0, 40], [0, 40], [0, 40]]'; do
    sluice-ic recipe.yaml run.input=oblong.h5 ic.species=one_fluid "mesh.cells=${shape%] \[*}]" "mesh.box=[${shape#*] [}" 2>>log || bad "$shape: $(tail -n 1 log)"
    refused 65 'Gadget takes no other' sluice-ic --export gadget oblong.h5 new
done
refused 65 'grafic2 takes no others' sluice-ic --export grafic oblong.h5 new
sluice-ic recipe.yaml run.input=bare.h5 ic.species=one_fluid ic.particles=false 2>>log || bad "bare: $(tail -n 1 log)"
refused 65 'ic.particles: true' sluice-ic --export gadget bare.h5 new
grep -q 'a_begin: *0.02$' u-swift/0000/parameters.txt || bad "swift: $(cat u-swift/0000/parameters.txt)"
exit "${failed:-0}"
