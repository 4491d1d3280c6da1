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
