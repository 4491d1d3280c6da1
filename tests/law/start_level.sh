#!/bin/bash
# start_level.sh - a cosmological start that is finer than the root grid (ic.level): where all of the box is refined it is the
# start of a uniform run of as many cells, in density, power and heat; a root grid that is not refined has the means of the file
# and no heat of motions that it cannot hold; mass is kept, a restart has the same bits, check and plan tell of it; a run that makes it
# itself has the bits of the file on 1 to 3 ranks, after stops too; what makes no sense is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
. "$SLUICE_TOP/tests/start.sh"

cat >run.yaml <<YAML
campaign: fine
problem: cosmology
seed: 3
mesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]], block: [8]}
cosmology: {normalise: sigma8, h: 0.7, omega_m: 0.3}
ic: {species: baryons, fixed: true, write: true}
fluid: {dual_energy: true}
time: {end: 60, unit: redshift}
output: {precision: double, history: 0.05}
statistics: {matter: [gas], structure: [], spectra: [density]}
YAML
all='{by: box, lo: [0, 0, 0], hi: [100, 100, 100], level: 1}'
low='{by: box, lo: [0, 0, 0], hi: [40, 40, 100], level: 1}'
sets() { # the overrides of a run, one a line
    case $1 in
    whole) printf '%s\n' ic.level=1 mesh.levels=1 "mesh.refine=[$all]" statistics.level=1 ;;
    coarse) printf '%s\n' ic.level=1 mesh.levels=1 "mesh.refine=[$all]" ;; # its statistics are those of the root grid
    finer) printf '%s\n' ic.level=1 mesh.levels=2 "mesh.refine=[{by: box, lo: [0, 0, 0], hi: [100, 100, 100], level: 2}]" statistics.level=2 ;;
    part) printf '%s\n' ic.level=1 mesh.levels=1 "mesh.refine=[$low]" ;;
    uniform) printf '%s\n' 'mesh.cells=[32, 32, 32]' ;;
    esac
}
for n in whole coarse finer part uniform; do
    mkdir $n
    cp run.yaml $n
    mapfile -t set < <(sets $n)
    sluice-ic $n/run.yaml "${set[@]}" 2>log || bad "sluice-ic $n: $(cat log)"
    mpirun -n 2 sluice-sim $n/run.yaml "${set[@]}" time.max_steps=2 >out 2>log || bad "sluice-sim $n: $(cat log)"
    sluice-stats $n/run.yaml "${set[@]}" >out 2>log || bad "sluice-stats $n: $(cat log)"
done
/usr/bin/python3 - <<'PY' || failed=1
import csv, h5py, numpy as np
from check import check
fields = ('density', 'velocity_x', 'velocity_y', 'velocity_z', 'pressure')
ic = {n: {k: h5py.File(f'{n}/ic.h5')[k][...] for k in fields} for n in ('whole', 'uniform', 'part', 'finer')}
for n in 'whole', 'part', 'finer':
    check(f'{n}: the file is that of a uniform run with twice the cells', all(np.array_equal(ic[n][k], ic['uniform'][k]) for k in fields))
def grid(n, level):
    """leaves of a level; other cells are nan"""
    h, cells = h5py.File(f'{n}/snapshots/fine_hdf5_plt_cnt_0000'), 16 << level
    out, leaf = {k: np.full((cells,) * 3, np.nan) for k in ('dens', 'pres', 'velx')}, h['node type'][...] == 1
    at = np.rint((h['coordinates'][...] - h['block size'][...] / 2) / h['block size'][...]).astype(int) * 8
    for i in np.nonzero(leaf & (h['refine level'][...] == 1 + level))[0]:
        x, y, z = at[i]
        for k in out: out[k][z:z + 8, y:y + 8, x:x + 8] = h[k][i]
    return out
def means(v): return v.reshape(16, 2, 16, 2, 16, 2).mean((1, 3, 5))
def off(a, b): return np.abs(a / b - 1).max()
w, p0, p1, f = grid('whole', 1), grid('part', 0), grid('part', 1), grid('finer', 2)
uniform = h5py.File('uniform/snapshots/fine_hdf5_plt_cnt_0000')
def join(h):
    out = {k: np.zeros((32,) * 3) for k in ('dens', 'pres', 'velx')}
    at = np.rint((h['coordinates'][...] - h['block size'][...] / 2) / h['block size'][...]).astype(int) * 8
    for i in range(len(at)):
        x, y, z = at[i]
        for k in out: out[k][z:z + 8, y:y + 8, x:x + 8] = h[k][i]
    return out
u = join(uniform)
for k in u: check(f'whole: {k} is that of the uniform run to {off(w[k], u[k])}', off(w[k], u[k]) < (1e-10 if k == 'pres' else 1e-13))
here, fine = ~np.isnan(p0['dens']), ~np.isnan(p1['dens'])
check(f'part: {fine.sum()} fine cells and {here.sum()} of the root grid', fine.sum() > 0 and here.sum() * 8 + fine.sum() == 32**3)
check('part: the fine level has the values of the file', off(p1['dens'][fine], u['dens'][fine]) < 1e-13)
check('part: the root grid has their means', off(p0['dens'][here], means(u['dens'])[here]) < 1e-13)
warm = off(p0['pres'][here], means(u['pres'])[here])
check(f'part: no heat of motions within cells of the root grid: {warm}', warm < 1e-9)
v = [ic['part'][f'velocity_{c}'] for c in 'xyz']
rho, heat = ic['part']['density'], ic['part']['pressure'] * 1.5
lost = (means(sum(0.5 * rho * c**2 for c in v)) - sum(0.5 * means(rho * c)**2 for c in v) / means(rho)).mean() / heat.mean()
check(f'those motions are {lost:.3g} of the heat: a test', lost > 1)
def table(path):
    with open(path) as file: rows = list(csv.reader(l for l in file if l[0] != '#'))
    return {c: np.array([float(r[i]) for r in rows[1:]]) for i, c in enumerate(rows[0])}
power = {n: table(f'{n}/stats/matter_gas_0000.csv') for n in ('uniform', 'whole', 'coarse', 'finer')}
check('P(k) of the refined start is that of the uniform one', off(power['whole']['power'], power['uniform']['power']) < 1e-10)
check('and so is its input', np.array_equal(power['whole']['input'], power['uniform']['input']) and power['whole']['input'].min() > 0)
check(f'statistics of the root grid have the input of their shells', np.array_equal(power['coarse']['input'], power['whole']['input'][:7]))
check('statistics of a finer level have none beyond that', np.array_equal(power['finer']['input'][:15], power['whole']['input']) and
      len(power['finer']['input']) == 31 and np.isnan(power['finer']['input'][15:]).all())
check('the level beyond the file keeps the means', off(f['dens'].reshape(32, 2, 32, 2, 32, 2).mean((1, 3, 5)), u['dens']) < 1e-12)
for n in 'whole', 'part', 'finer', 'uniform':
    lines = open(f'{n}/history.tsv').read().split('\n')
    names, rows = [x.split('[')[0] for x in lines[0].split('\t')], [l.split('\t') for l in lines[1:] if l and l[0] != '#']
    mass = [float(r[names.index('mass')]) for r in rows]
    check(f'{n}: mass {mass}', max(abs(m / 1e6 - 1) for m in mass) < 1e-13)
PY

# ---- a stop, and another number of ranks
mapfile -t set < <(sets part)
mkdir once twice
cp run.yaml part/ic.h5 once
cp run.yaml part/ic.h5 twice
sluice-sim once/run.yaml "${set[@]}" time.max_steps=6 >once.out 2>log || bad "a run: $(cat log)"
sluice-sim twice/run.yaml "${set[@]}" time.max_steps=3 output.checkpoint=1e-9 >out 2>log || bad "a run of 3 steps: $(cat log)"
rm -f twice/progress.json
mpirun -n 2 sluice-sim twice/run.yaml "${set[@]}" time.max_steps=6 >twice.out 2>log || bad "going on: $(cat log)"
grep -q 'goes on from checkpoint' log || bad "it does not go on: $(cat log)"
cmp -s <(tail -n 1 once.out) <(tail -n 1 twice.out) || bad "after a stop: $(cat once.out twice.out)"

# ---- without the file
mkdir here && cd here || exit 1
sed 's/, write: true//; s/time: {/time: {max_steps: 4, /; s/^mesh: .*/mesh: {cells: [16, 16, 24], box: [[0, 100], [0, 100], [0, 150]], block: [8]}/' ../run.yaml >run.yaml
all150='{by: box, lo: [0, 0, 0], hi: [100, 100, 150], level: 1}'
deep='{by: value, of: density, above: 1.02, level: 3}'
ranks_of='1 2 3' compare whole ic.level=1 mesh.levels=1 "mesh.refine=[$all150]"
ranks_of='1 2 3' compare part ic.level=1 mesh.levels=1 "mesh.refine=[$low]"
# a smaller box, as level 3 takes eight times the steps of the root grid
ranks_of='1 3' compare two 'mesh.cells=[16, 8, 8]' 'mesh.box=[[0, 100], [0, 50], [0, 50]]' ic.level=2 mesh.levels=3 "mesh.refine=[$low, $deep]" ic.precision=single
compare field ic.level=1 ic.order=1 mesh.levels=2 "mesh.refine=[$low, {by: box, lo: [0, 0, 0], hi: [20, 20, 20], level: 2}]" fluid.mhd=ct fluid.riemann=hlld 'cosmology.field=[0, 1e-9, 0]'
for other in whole two field; do [ "$(cat $other/out)" != "$(cat part/out)" ] || bad "$other and part have the same bits"; done
part=(ic.level=1 mesh.levels=1 "mesh.refine=[$low]")
run stops 3 time.max_steps=2 output.checkpoint=1e-9 "${part[@]}" >/dev/null
[ "$(run stops 2 "${part[@]}")" = "$(run part2 2 "${part[@]}")" ] || bad 'other bits after a stop'
grep -q 'goes on from checkpoint' stops/err || bad "no checkpoint: $(cat stops/err)"
cd ..

# ---- what check and plan say: before there is a file, and with it
{ sed 's/^mesh: {/mesh: {levels: 2, /; s/^ic: {/ic: {level: 1, /' run.yaml; echo "mesh.refine: [$all, {by: value, of: density, above: 0.9, level: 2}]"; } >two.yaml
expect 0 sluice check two.yaml ic.write=false
shows 'as at the start of member 0000'
expect 0 sluice check two.yaml
shows 'ic.level                 1'
grep -Eq '^ +1 +[0-9]+ +[0-9]+ +70 %$' out || bad "all of the box is on level 1 or finer: $(cat out)"
expect 0 sluice plan two.yaml --json --offline
/usr/bin/python3 - <<'PY' || failed=1
import json
from check import check
plan = json.load(open('out'))
got = json.dumps(plan)
open('plan_fine', 'w').write(got)
PY
expect 0 sluice plan two.yaml ic.level=0 ic.write=true --json --offline
/usr/bin/python3 - <<'PY' || failed=1
import json
from check import check
fine, coarse = json.load(open('plan_fine')), json.load(open('out'))
def find(o, key):
    if isinstance(o, dict):
        for k, v in o.items():
            if k == key: return v
            got = find(v, key)
            if got is not None: return got
fields = [find(o['disk'] if 'disk' in o else o, 'ic') or find(o, 'ic_bytes') for o in (fine, coarse)]
check(f'plan: ic.h5 has 8 times the cells: {fields}', fields[0] == 8 * fields[1])
PY
cp part/ic.h5 ic.h5
expect 0 sluice check two.yaml run.input=ic.h5
shows 'the start is as fine as level 1, up to which each level has its own values: levels 2 to 2 begin'

# ---- refusals
refuse() { # TEXT OVERRIDE...
    local text=$1
    shift
    expect 65 sluice check run.yaml "$@"
    says "$text"
}
refuse '1 is finer than the mesh, mesh.levels: 0; nearest: 0' ic.level=1
refuse 'a start with particles is as fine as the root grid; nearest: 0, or ic.species: baryons' ic.species=one_fluid ic.level=1 mesh.levels=1 "mesh.refine=[$all]" time.unit=code time.end=0
refuse 'the start has more cells along an axis than mesh.cells can be; nearest: 1' 'mesh.cells=[524288, 16, 16]' 'mesh.box=[[0, 3276800], [0, 100], [0, 100]]' ic.level=2 mesh.levels=2 "mesh.refine=[$all]"
mkdir old && cp run.yaml old
sluice-ic old/run.yaml 2>log || bad "sluice-ic: $(cat log)"
mapfile -t set < <(sets part)
expect 65 sluice-sim old/run.yaml "${set[@]}"
says 'ic.h5 has 16 cells along axis 0, coarser than level 1 of the mesh, which begins with 32; make it again with sluice-ic'
exit $failed
