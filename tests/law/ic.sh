#!/bin/bash
# ic.sh - the start of a turbulence run is a function of its recipe: the same bits on 1, 2 and 3 ranks, the same field on
# every grid, no net momentum, no divergence; ic.h5 is refused by the run it was not made for.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: start
problem: turbulence
seed: 12
mesh: {cells: [32, 32, 32]}
time: {end: 0}
turbulence: {mach: 5, kmax: 6, spectrum: -5/3}
YAML

for n in 1 2 3; do
    mpirun -n $n sluice-ic run.yaml run.input=r$n.h5 2>>log || bad "sluice-ic on $n ranks: $(cat log)"
done
sluice-ic run.yaml 'mesh.cells=[64, 64, 64]' run.input=fine.h5 2>>log || bad "finer grid: $(cat log)"
sluice-ic run.yaml seed=13 run.input=other.h5 2>>log || bad "other seed: $(cat log)"
sluice-ic run.yaml turbulence.solenoidal=0 run.input=comp.h5 2>>log || bad "compressive: $(cat log)"
sluice-ic run.yaml 'mesh.cells=[48, 32]' 'mesh.box=[[0, 1.5], [0, 1]]' run.input=flat.h5 2>>log || bad "2D: $(cat log)"
sluice-ic run.yaml 'mesh.cells=[64]' turbulence.solenoidal=0 run.input=line.h5 2>>log || bad "1D: $(cat log)"
sluice-ic run.yaml 2>>log || bad "default name: $(cat log)"

/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np, sys
names = ['velocity_x', 'velocity_y', 'velocity_z']
def field(path): return [h5py.File(path, 'r')[n][...] for n in names]
def modes(path, keep):
    """Fourier coefficients of the continuous field: phases moved from cell centres to the corner"""
    out = []
    for v in field(path):
        n = v.shape[0]
        f = np.fft.fftn(v) / n**3
        k = np.fft.fftfreq(n, 1 / n)
        shift = np.exp(-1j * np.pi * k / n)
        f = f * shift[:, None, None] * shift[None, :, None] * shift[None, None, :]
        i = np.concatenate([np.arange(keep + 1), np.arange(-keep, 0)])
        out.append(f[np.ix_(i, i, i)])
    return np.array(out)
from check import check
one = field('r1.h5')
for n in (2, 3):
    check(f'same bits on 1 and {n} ranks', all(np.array_equal(a, b) for a, b in zip(one, field(f'r{n}.h5'))))
low, fine = modes('r1.h5', 6), modes('fine.h5', 6)
check('same modes on 32^3 and 64^3', np.abs(low - fine).max() < 1e-13)
a, b = h5py.File('r1.h5', 'r'), h5py.File('fine.h5', 'r')
check('same hash of low modes', a.attrs['low_mode_hash'] == b.attrs['low_mode_hash'])
check('another seed, another field', a.attrs['low_mode_hash'] != h5py.File('other.h5', 'r').attrs['low_mode_hash'])
check('rms', abs(np.sqrt(sum((v**2).mean() for v in one)) - 5) < 1e-12)
check('no net momentum', max(abs(v.mean()) for v in one) < 1e-14)
k = np.concatenate([np.arange(7), np.arange(-6, 0)])
kz, ky, kx = np.meshgrid(k, k, k, indexing='ij')
check('solenoidal: no divergence', np.abs(kx * low[0] + ky * low[1] + kz * low[2]).max() < 1e-13)
comp = modes('comp.h5', 6)
check('compressive: no curl', np.abs(kx * comp[1] - ky * comp[0]).max() < 1e-13 and
      np.abs(ky * comp[2] - kz * comp[1]).max() < 1e-13)
k2 = kx**2 + ky**2 + kz**2
check('only modes in range', np.abs(low[:, (k2 > 36) | (k2 < 1)]).max() < 1e-13 < np.abs(low[:, k2 == 36]).max())
check('2D is flat', field('flat.h5')[0].shape == (1, 32, 48) and np.abs(field('flat.h5')[2]).max() == 0)
check('1D is a line', field('line.h5')[0].shape == (1, 1, 64))
s = a['spectrum']
check('spectrum: measured against numpy', all(
    abs(0.5 * (np.abs(low[:, (np.sqrt(k2) >= n - .5) & (np.sqrt(k2) < n + .5)])**2).sum() - s['measured'][n]) < 1e-13
    for n in range(1, 6)))
check('spectrum: close to the input', s.attrs['largest_deviation_sigma'] < 5)
check('provenance', all(x in a.attrs for x in ('recipe', 'seed', 'code_version', 'compiler', 'host', 'random_field')))
PY

# refused TEXT COMMAND...: fails with exit 65 and a message that holds TEXT
refused() {
    local text=$1 got
    shift
    "$@" >out 2>err
    got=$?
    [ $got = 65 ] || bad "exit $got, not 65: $*"
    grep -qF -- "$text" err || bad "'$(head -n 1 err)' does not say '$text'"
}
refused 'no random start' sluice-ic run.yaml problem=sod
refused 'one dimension' sluice-ic run.yaml 'mesh.cells=[64]'
refused '16 waves are more than mesh.cells can resolve; nearest: 15' sluice-ic run.yaml turbulence.kmax=16 run.input=none.h5
refused '6 is below turbulence.kmin, 7' sluice-ic run.yaml turbulence.kmin=7 run.input=none.h5
refused 'table' sluice-ic run.yaml turbulence.table=nowhere.txt run.input=none.h5
[ -e none.h5 ] && bad 'a refused start left a file'
ls | grep -q part && bad 'a part of a file is left'
refused 'seed: 12, the run has seed: 13' sluice-sim run.yaml seed=13
refused 'rms velocity' sluice-sim run.yaml turbulence.mach=6
refused 'cannot read absent.h5' sluice-sim run.yaml run.input=absent.h5
refused 'neither divide nor refine' sluice-sim run.yaml 'mesh.cells=[40, 40, 40]'
head -c 100000 ic.h5 >cut.h5
refused 'damaged' sluice-sim run.yaml run.input=cut.h5
/usr/bin/python3 - <<'PY'
import h5py, shutil
shutil.copy('ic.h5', 'nan.h5')
f = h5py.File('nan.h5', 'r+'); f['velocity_y'][3, 2, 1] = float('nan'); f.close()
shutil.copy('ic.h5', 'less.h5')
f = h5py.File('less.h5', 'r+'); del f['velocity_z']; f.close()
b = bytearray(open('ic.h5', 'rb').read())
b[h5py.File('ic.h5', 'r')['velocity_y'].id.get_chunk_info(5).byte_offset + 1000] ^= 1
open('flip.h5', 'wb').write(b)
PY
refused 'velocity_y is nan in cell x 1, y 2, z 3' sluice-sim run.yaml run.input=nan.h5
refused 'velocity_y: the file is damaged' sluice-sim run.yaml run.input=flip.h5
refused 'velocity_z is missing' sluice-sim run.yaml run.input=less.h5
if small 500K; then
    cp run.yaml small/
    sluice-ic small/run.yaml >out 2>err
    [ $? = 73 ] && grep -q 'no room' err || bad "a full disk: $(cat err)"
    [ "$(ls small)" = run.yaml ] || bad 'a full disk left a part of a file'
    umount small
fi
sluice-sim run.yaml >out 2>err || bad "the right ic.h5: $(cat err)"
# passive scalars mark the lower half of the box, along x, y, z in turn
mkdir dye
cp ic.h5 run.yaml dye/
mpirun -n 2 sluice-sim dye/run.yaml fluid.scalars=4 mesh.block=8 >out 2>err || bad "passive scalars: $(cat err)"
/usr/bin/python3 - <<'PY' || failed=1
import h5py, sys
with h5py.File('dye/snapshots/start_hdf5_plt_cnt_0000') as f:
    centre = f['coordinates'][...]
    for s, axis in enumerate((0, 1, 2, 0)):
        dye = f[f'sc{s + 1:02d}'][...]
        for block in range(len(dye)):
            want = 1.0 if centre[block][axis] < 0.5 else 0.0
            if not (dye[block] == want).all(): sys.exit(f'FAIL: scalar {s} of block {block}')
PY
# a random magnetic field: its size, no divergence, the same bits on any ranks and blocks
field='fluid.riemann=hlld turbulence.random_beta=4 turbulence.random_kmax=4 turbulence.random_helicity=1 time.end=0.002'
for mhd in ct glm; do
    for n in 1 2 3; do
        mkdir $mhd$n
        cp ic.h5 run.yaml $mhd$n/
        # shellcheck disable=SC2086
        mpirun -n $n sluice-sim $mhd$n/run.yaml fluid.mhd=$mhd mesh.block=$((n == 1 ? 32 : 8)) $field >out 2>err ||
            bad "random field, $mhd on $n ranks: $(cat err)"
        grep '^hash' out >$mhd$n.hash || bad "no hash of $mhd"
        cmp $mhd$n.hash ${mhd}1.hash || bad "random field: $mhd on $n ranks"
    done
    awk -F '\t' -v mhd=$mhd '
        /^time/ { for (i = 1; i <= NF; i++) { sub(/\[.*/, "", $i); at[$i] = i } next }
        /^#/ { next }
        { energy = $(at["energy_magnetic"]); div = $(at["divergence_max"]) / 32; rows++ }
        rows == 1 && !(energy > 0.14 && energy < 0.16) { print "FAIL: " mhd " starts with a magnetic energy of " energy; exit 1 }
        mhd == "ct" && !(div < 1e-14) { print "FAIL: div B dx is " div; exit 1 }
        END { if (rows < 2) { print "FAIL: no history of " mhd; exit 1 } }' ${mhd}1/history.tsv || failed=1
done
sluice-ic nowhere.yaml 2>/dev/null && bad 'a missing run was accepted'

# two at once: the second leaves the file of the first alone; a file that a killed one left is written anew
echo mine >taken.h5.part
flock taken.h5.part sluice-ic run.yaml run.input=taken.h5 >out 2>err && bad 'a file was written that another process writes'
grep -q 'another process writes taken.h5.part' err || bad "not said: $(cat err)"
[ "$(cat taken.h5.part)" = mine ] || bad 'the file of another process was emptied'
sluice-ic run.yaml run.input=taken.h5 2>>log || bad "after a killed one: $(tail -n 1 log)"
[ $failed = 0 ] && echo ok
exit $failed
