#!/bin/bash
# ranks.sh - what `verify: true` reports has the same bits on 1, 2 and 3 ranks, and says what it means.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
failed=0
common='campaign: ranks
verify: true
output.snapshot: 0
output.checkpoint: 0
'
same() { # name, keys...
    local name=$1 n
    shift
    for n in 1 2 3; do
        mkdir -p "$work/$name.$n"
        printf '%s' "$common" >"$work/$name.$n/run.yaml"
        mpirun -n $n sluice-sim "$work/$name.$n/run.yaml" "$@" >"$work/log" 2>&1 || { cat "$work/log"; failed=1; return; }
        cmp "$work/$name.1/verify.tsv" "$work/$name.$n/verify.tsv" || failed=1
    done
    # what is no variable says what it means
    for n in $(awk -F'\t' '$3 == "nan" { print $1 }' "$work/$name.1/verify.tsv"); do
        grep -q "^# $n: [a-z]" "$work/$name.1/verify.tsv" || { echo "$name: $n means nothing"; failed=1; }
    done
    awk 'NR > 1 && !/^#/ { n++ } END { exit !n }' "$work/$name.1/verify.tsv" || { echo "$name: nothing was measured"; failed=1; }
}
same wave problem=wave 'mesh.cells=[16,8,8]' 'mesh.block=[4,4,4]' 'mesh.box=[[0,3],[0,1.5],[0,1.5]]' 'wave.along=[1,1,1]' time.end=0.2
same tube problem=riemann 'mesh.cells=[48]' 'mesh.block=[8]' mesh.boundary=outflow fluid.gamma=1.4 time.end=0.2 fluid.scalars=1
same blast problem=sedov 'mesh.cells=[24,24]' 'mesh.block=[8]' mesh.boundary=reflecting time.end=0.1
same diamond problem=implosion 'mesh.cells=[16,16]' 'mesh.block=[8]' 'mesh.box=[[0,0.3],[0,0.3]]' mesh.boundary=reflecting time.end=0.1
same masses problem=masses 'mesh.cells=[16,16,16]' 'mesh.block=[8]' mesh.levels=2 'mesh.refine=[{by: sphere, center: [0.1,0.1,0.1], radius: 0.1}]' \
    'mesh.box=[[-0.5,0.5],[-0.5,0.5],[-0.5,0.5]]' mesh.boundary=outflow gravity.boundary=isolated 'gravity.four_pi_g=4*pi' fluid.eos=isothermal \
    fluid.sound_speed=1e-15 time.end=1e-15 'masses.at=[0.1,0.1,0.1]' output.potential=true
exit $failed
