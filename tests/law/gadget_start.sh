#!/bin/bash
# gadget_start.sh - starts of dark matter from HDF5 files of Gadget: what sluice exports comes back to the bit of each place and id; the same
# particles in another order, in several files, in Mpc/h, with a list of masses, on 1 to 4 ranks are the same start; of single precision within
# that; a campaign takes it; what is damaged, foreign or of another universe is refused by name.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
say_start() { /usr/bin/python3 "$SLUICE_TOP/tests/law/gadget_start.py" "$@" || bad "gadget_start.py $*"; }

cat >run.yaml <<'YAML'
campaign: mocks
problem: cosmology
mesh: {cells: [32, 32, 32], box: [[5, 45], [5, 45], [5, 45]]}
fluid: {eos: none}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045}
ic: {redshift: 49, species: dark_matter}
time: {end: 9, unit: redshift, steps: 3, stepping: bullfrog}
output: {redshift: [9], history: 0, precision: double}
statistics: {matter: [particles], structure: []}
YAML

# the way out and back: the snapshot of the start
expect 0 sluice run run.yaml --dir own
expect 0 sluice export own --ic gadget --snapshot 0
out=$work/mocks-gadget/0000-snapshot-0000/snapshot.hdf5
[ -s "$out" ] || bad "no file: $(find mocks-gadget)"
rm -rf back && mkdir back && cp run.yaml back
(cd back && sluice-sim run.yaml ic.file="$out") >back.log 2>&1 || bad "back: $(tail -n 2 back.log)"
cp "$out" foreign.hdf5
say_start make "$out" mixed.hdf5
say_start make "$out" mpc.hdf5 "unit='Mpc', masses=True"
say_start make "$out" part.0.hdf5 "files=3"
say_start make "$out" single.hdf5 "single=True"
i=0
for start in mixed.hdf5:1 mixed.hdf5:2 mixed.hdf5:4 part.0.hdf5:1 part.0.hdf5:3 part.0.hdf5:4 mpc.hdf5:2 single.hdf5:2; do
    i=$((i + 1))
    rm -rf "s$i" && mkdir "s$i" && cp run.yaml "s$i"
    (cd "s$i" && mpirun -n "${start##*:}" sluice-sim run.yaml ic.file="../${start%%:*}") >"s$i/log" 2>&1 || bad "$start: $(tail -n 2 "s$i/log")"
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from check import check
def read(folder, k):
    with h5py.File(f'{folder}/snapshots/mocks_hdf5_plt_cnt_{k:04d}') as f:
        t = f['tracer particles'][...]
    return t[np.argsort(t[:, 7])]
own = [read('own/members/0000', k) for k in range(2)]
speed = np.abs(own[0][:, 3:6]).max()
for name in ['back'] + [f's{i}' for i in range(1, 9)]:
    t = read(name, 0)
    off = np.abs(t[:, 3:6] - own[0][:, 3:6]).max() / speed
    cells = np.abs(t[:, :3] - own[0][:, :3]).max() / own[0][:, :3].max()
    if name == 's8':
        check(f'single precision: places {cells}, velocities {off} off', 0 < cells < 2e-7 and 0 < off < 2e-7)
        continue
    same = name if name != 's7' else 'Mpc/h'
    check(f'{same}: places {cells} off', np.array_equal(t[:, :3], own[0][:, :3]) if name != 's7' else cells < 1e-9)
    check(f'{same}: ids, masses', np.array_equal(t[:, 6:8], own[0][:, 6:8]))
    check(f'{same}: velocities {off} off', off < 1e-15)
    late = read(name, 1)
    check(f'{same} at the end', np.abs(late[:, :3] - own[1][:, :3]).max() < (1e-12 if name != 's7' else 1e-8) * own[1][:, :3].max())
for i in range(2, 7):  # any order, files, ranks: the same bits at the end
    check(f's{i} is s1', np.array_equal(read(f's{i}', 1), read('s1', 1)))
PY

# a campaign: the file is taken over, of several the first is named where it is; P(k) beside linear theory; statistics as of any start
sed 's/^ic: {/ic: {file: mixed.hdf5, /' run.yaml >recipe.yaml
sed 's/^ic: {/ic: {file: part.0.hdf5, /' run.yaml >many.yaml
expect 0 sluice check recipe.yaml
expect 0 sluice run recipe.yaml --dir taken
mv mixed.hdf5 elsewhere.hdf5
expect 0 sluice verify taken
expect 0 sluice run many.yaml --dir several
ls taken/inputs | grep -q 'mixed.hdf5$' || bad "no copy of the start: $(ls taken/inputs)"
ls several/inputs 2>/dev/null | grep -q part && bad 'one of several files was copied'
[ -e taken/members/0000/ic.h5 ] && bad 'a stage ic beside ic.file'
expect 65 sluice export taken --ic gadget
says 'member 0000 begins from the file of another code (ic.file), '; says 'mixed.hdf5'; says 'nearest: that file, or --snapshot 0'
cmp <(grep -v '^#' taken/members/0000/stats/matter_particles_0001.csv) <(grep -v '^#' several/members/0000/stats/matter_particles_0001.csv) || bad 'other statistics from several files'
grep -q 'mixed.hdf5' taken/members/0000/attempts/sim.end.json taken/members/0000/run.yaml || bad 'the start is not named in the run'
/usr/bin/python3 - <<'PY' || failed=1
import numpy as np
from check import check
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
a, b = (read(f'{d}/members/0000/stats/matter_particles_0000.csv') for d in ('taken', 'own'))
off = np.abs(a['input'] / b['input'] - 1)[4:12].max()
check(f'linear theory beside P(k): {off} off', off < 0.1)
check('P(k)', np.allclose(a['power'], b['power'], rtol=1e-9))
PY

# what is wrong with it, in a run and before it
mv elsewhere.hdf5 mixed.hdf5
refused() { # FILE WHAT MESSAGE
    say_start spoil "$1" "$2"
    rm -rf bad && mkdir bad && cp run.yaml bad
    for ranks in 1 3; do
        (cd bad && mpirun -n $ranks sluice-sim run.yaml ic.file=../spoilt.hdf5) >out 2>err && bad "$2 was taken on $ranks ranks"
        says "$3"
        [ "$(grep -c 'error: ' err)" = 1 ] || { bad "$2 on $ranks ranks: not one message"; cat err; }
    done
}
refused mixed.hdf5 outside 'particle 11 is at 40040 along y, the box goes from 0 to 40000'
refused mixed.hdf5 nowhere 'particle 12 is at nan along z'
refused mixed.hdf5 fast 'particle 13 has a velocity of inf along x'
refused mixed.hdf5 twice ' comes twice'
refused mixed.hdf5 id 'particle 5 has the id 1152921504606846976: snapshots hold ids up to 2^53'
refused mixed.hdf5 mass 'the masses of its particles add up to Omega_m = 0.255, the run has cosmology.omega_m: 0.3'
refused mpc.hdf5 masses 'a start is read of one mass'
refused mixed.hdf5 redshift 'is of redshift 50 (Time 0.01960784314), the run begins at 49; nearest: ic.redshift: 50'
refused mixed.hdf5 omega 'is of Omega0 = 0.3089, the run has cosmology.omega_m: 0.3'
refused mixed.hdf5 h 'is of HubbleParam = 0.6774, the run has cosmology.h: 0.7'
refused mixed.hdf5 box 'has a BoxSize of 50000, which is the box of the run, 40 Mpc/h, neither in kpc/h nor in Mpc/h'
refused mixed.hdf5 inch 'UnitLength_in_cm), mesh.box one of 40'
refused mixed.hdf5 gas 'has 4096 particles of gas'
refused mixed.hdf5 zoom 'has 8 particles of dark matter of type 5'
refused mixed.hdf5 fewer 'has 4095 particles of dark matter, mesh.cells and particles.spacing are for 4096, 16 along each axis'
refused mixed.hdf5 rows 'PartType1/Velocities is no list of numbers, 3 for each of 4096 particles (NumPart_ThisFile)'
refused mixed.hdf5 total 'its 1 files have 4000 particles of dark matter, NumPart_Total tells of 4096'
refused mixed.hdf5 list 'PartType1/ParticleIDs is missing'
refused mixed.hdf5 floats 'PartType1/ParticleIDs is no list of whole numbers, 1 for each'
refused mixed.hdf5 group 'the group PartType1 is missing'
refused mixed.hdf5 header 'has no group Header: it is no start of Gadget'
refused mixed.hdf5 attribute 'its Header has no usable Time'
refused mixed.hdf5 swift 'is of SWIFT'
refused mixed.hdf5 many 'is one of 4 files, the first of which is to be named: NAME.0.hdf5'
cut() { # FILE MESSAGE: two thirds of it
    head -c $(($(stat -c %s "$1") * 2 / 3)) "$1" >cut.hdf5
    (cd bad && sluice-sim run.yaml ic.file=../cut.hdf5) >out 2>err && bad "a file that was cut was taken"
    grep -qE "$2" err || { bad "no '$2'"; cat err; }
}
cut mixed.hdf5 'cut.hdf5.*(damaged|cut short|truncated)'
mv part.1.hdf5 gone.hdf5
(cd bad && sluice-sim run.yaml ic.file=../part.0.hdf5) >out 2>err && bad 'a file is missing and nobody missed it'
says 'part.1.hdf5'
say_start make "$out" other.0.hdf5 "files=2"
cp other.1.hdf5 part.1.hdf5
(cd bad && sluice-sim run.yaml ic.file=../part.0.hdf5) >out 2>err && bad 'a file of another start was taken'
says 'part.1.hdf5 is of another start than ../part.0.hdf5'
say_start spoil mixed.hdf5 redshift
expect 65 sluice check recipe.yaml ic.file=spoilt.hdf5
says 'nearest: ic.redshift: 50'
expect 65 sluice check recipe.yaml ic.file=nothing.hdf5
says 'nothing.hdf5'
expect 65 sluice check recipe.yaml fluid.eos=ideal ic.species=one_fluid time.steps=adaptive time.stepping=kdk
says 'ic.file: is the start of a run of dark matter alone'
expect 65 sluice check recipe.yaml ic.write=true
says 'ic.write: true: the start is that of ic.file'
expect 65 sluice check recipe.yaml ic.order=1 time.begin=zero
says 'time.begin: zero is for starts that sluice makes'
sed 's/^campaign:.*/&\nsweep: {seed: [1, 2]}/' recipe.yaml >seeds.yaml
expect 0 sluice check seeds.yaml
cat err >>out
shows 'members that differ in seed alone are the same run; nearest: sweep ic.file'
expect 65 sluice-ic recipe.yaml
says 'there is nothing for sluice-ic to make'
[ $failed = 0 ] && echo ok
exit $failed
