#!/bin/bash
# single.sh - a universe in single precision (resources.precision: single) beside the same in double precision: dark matter alone, gas alone,
# with and without a magnetic field, both together: energies, powers, the temperature of voids and haloes, the balance of energies; no
# cell is repaired because its heat is lost beside its motion; the same bits on 1 and 2 ranks and after a stop; gas without dual energy, and with fluid.mhd: ct, is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<YAML
campaign: single
problem: cosmology
seed: 3
mesh: {cells: [16, 16, 16], box: [[0, 50], [0, 50], [0, 50]], block: 8}
cosmology: {normalise: sigma8, h: 0.7, omega_m: 0.3, omega_b: 0.045}
ic: {redshift: 49, fixed: true}
fluid: {dual_energy: true}
time: {end: 0, unit: redshift}
output: {redshift: [5, 1, 0], history: 0.05, precision: double}
YAML

declare -A keys=([alone]='fluid.eos=none fluid.dual_energy=false ic.species=dark_matter mesh.cells=[32,32,32] statistics.matter=[particles] statistics.haloes=0.2'
    [gas]='ic.species=baryons time.end=1 output.redshift=[5,1] statistics.matter=[gas] statistics.spectra=[density,velocity]'
    [both]='ic.species=one_fluid time.end=1 output.redshift=[5,1] statistics.matter=[gas,particles]'
    [field]='ic.species=baryons fluid.mhd=glm cosmology.field=[0,1e-9,0] time.end=1 output.redshift=[5,1] statistics.matter=[gas]')
# with FOLDER CASE PRECISION RANKS
with() {
    local program=sluice-sim
    [ "$3" = single ] && program=sluice-sim-f32
    mkdir -p "$1"
    cp run.yaml "$1"
    # shellcheck disable=SC2086
    mpirun -n "$4" $program "$1/run.yaml" ${keys[$2]} resources.precision="$3" >"$1.out" 2>"$1.log" || bad "$1: $(tail -n 2 "$1.log")"
}
for case in alone gas both field; do
    for precision in double single; do
        with "$case.$precision" "$case" $precision 1
        # shellcheck disable=SC2086
        (cd "$case.$precision" && sluice-stats run.yaml ${keys[$case]} resources.precision=$precision) >log 2>&1 || bad "statistics of $case: $(tail -n 2 log)"
    done
done
with both.two both single 2
cmp -s both.single.out both.two.out || bad "two ranks: $(cat both.single.out both.two.out)"
cmp -s both.single/history.tsv both.two/history.tsv || bad 'the history on two ranks differs'
mkdir both.stopped
cp run.yaml both.stopped
# shellcheck disable=SC2086
sluice-sim-f32 both.stopped/run.yaml ${keys[both]} resources.precision=single >out 2>log &
until [ -e both.stopped/progress.json ] && grep -q '"step":[1-9][0-9]' both.stopped/progress.json; do
    kill -0 $! 2>/dev/null || break
    sleep 0.1
done
kill -TERM $! 2>/dev/null
wait $!
ls both.stopped/checkpoints >/dev/null 2>&1 || bad 'no checkpoint'
with both.stopped both single 2
cmp -s both.single.out both.stopped.out || bad "after a stop: $(cat both.single.out both.stopped.out)"

sluice-sim-f32 gas.single/run.yaml ic.species=baryons resources.precision=single fluid.dual_energy=false >out 2>err && bad 'gas without dual energy'
grep -q 'resources.precision: single: .*nearest: double, or fluid.dual_energy: true' err || bad "refused: $(cat err)"
sluice-sim-f32 gas.single/run.yaml ic.species=baryons resources.precision=single fluid.mhd=ct >out 2>err && bad 'gas with fluid.mhd: ct'
grep -q 'resources.precision: single: .*nearest: double, or fluid.mhd: glm' err || bad "refused: $(cat err)"

/usr/bin/python3 - <<'PY' || failed=1
import csv, glob, numpy as np
from check import check
def history(folder):
    lines = [l for l in open(folder + '/history.tsv') if l[0] != '#']
    names = [n.split('[')[0].strip() for n in lines[0].rstrip('\n').split('\t')]
    return dict(zip(names, np.array([[float(x) for x in l.split('\t')] for l in lines[1:]]).T))
def table(path):
    rows = [l for l in open(path) if l.strip() and l[0] != '#']
    return dict(zip(rows[0].strip().split(','), np.array([[float(x) for x in l.split(',')] for l in rows[1:]]).T))
def off(a, b):
    return np.max(np.abs(a / b - 1))
limits = {'alone': dict(power=1e-6, energy_potential=1e-6, particle_energy_kinetic=1e-6),
          'gas': dict(power=1e-4, energy_potential=1e-4, energy_kinetic=1e-4, energy_thermal=1e-3, pressure_min=5e-3, density_max=1e-3),
          'both': dict(power=1e-4, energy_potential=1e-4, energy_kinetic=1e-4, energy_thermal=1e-3, pressure_min=5e-3, particle_energy_kinetic=1e-4),
          'field': dict(power=1e-4, energy_potential=1e-4, energy_kinetic=1e-4, energy_thermal=1e-3, pressure_min=5e-3, energy_magnetic=1e-3)}
for case, most in limits.items():
    a, b = history(case + '.single'), history(case + '.double')
    check(f'{case}: {len(a["time"])} and {len(b["time"])} lines', len(a['time']) == len(b['time']))
    for name, limit in most.items():
        if name == 'power':
            files = sorted(glob.glob(case + '.single/stats/matter_*.csv'))
            check(f'{case}: {len(files)} tables', len(files) >= 3)
            for f in files:
                x, y = table(f), table(f.replace('single', 'double'))
                worst = off(x['power'], y['power'])
                check(f'{f}: P(k) {worst:.1e}', worst < limit)
        else:
            worst = off(a[name], b[name])
            check(f'{case}: {name} {worst:.1e}', worst < limit)
    check(f'{case}: cells repaired', a['cells_repaired'][-1] == b['cells_repaired'][-1] and a['cells_floored'][-1] == 0)
    if 'energy_balance' in a:
        check(f'{case}: balance of energies {a["energy_balance"][-1]} {b["energy_balance"][-1]}', abs(a['energy_balance'][-1] - b['energy_balance'][-1]) < 1e-4)
    if 'mass' in a:
        check(f'{case}: mass {off(a["mass"], a["mass"][0]):.1e}', off(a['mass'], a['mass'][0]) < 1e-6)
PY
exit $failed
