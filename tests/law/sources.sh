#!/bin/bash
# sources - source terms with bodies of their own give the processor's bits and history on a device, which a processor
# emulates (tests/emulate), on 1 and 2 ranks, and after a restart on the other backend.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
top=$SLUICE_TOP
cd "$work" || exit 1
device=$top/build/emulate/sluice-sim
[ -x "$device" ] || fail "it is not built"
cat >run.yaml <<'YAML'
campaign: gas
problem: driven_turbulence
mesh: {cells: [16, 16, 16], block: [8]}
driving: {power: 30, correlation: 0.2}
cooling: {rate: 3, heating: 0.2}
potential: {kind: point, strength: 2, softening: 0.1}
time: {end: 0.1}
output: {history: 0.02}
YAML
results() { # hash and history of a new run
    rm -rf snapshots checkpoints history.tsv
    "$@" >out 2>err || fail "exit code $?: $*"
    tail -n 1 out
    grep -v '^#' history.tsv
}
for keys in 'fluid.scalars=1 diffusion.viscosity=0.02 diffusion.heat=0.01' 'fluid.dual_energy=true' \
    'fluid.mhd=ct fluid.riemann=hlld diffusion.viscosity=0.01 diffusion.resistivity=0.02' 'fluid.mhd=glm fluid.riemann=hlld'; do
    # shellcheck disable=SC2086
    results sluice-sim run.yaml resources.backend=cpu $keys >want
    grep -q '^hash' want || fail "no hash"
    # shellcheck disable=SC2086
    results "$device" run.yaml resources.backend=cuda $keys | cmp - want || fail "a device: $keys"
done
results mpirun -n 2 "$device" run.yaml resources.backend=cuda fluid.mhd=glm fluid.riemann=hlld | cmp - want || fail "two ranks"
cat >shock.yaml <<'YAML'
campaign: shock
problem: radiative_shock
mesh: {cells: [64], boundary: fixed}
cooling: {rate: 0.07, slope: 1, floor: 0.006}
time: {end: 0.5}
output: {history: 0.1}
YAML
results sluice-sim shock.yaml resources.backend=cpu >want
results "$device" shock.yaml resources.backend=cuda | cmp - want || fail "a radiative shock on a device"
echo ok
