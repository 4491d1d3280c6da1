#!/bin/bash
# progenitors.sh - haloes of a universe of particles from snapshot to snapshot: groups of each by scipy's tree and their links by numpy, from
# the snapshots alone; the mass of those of the end along their main branches; the same bytes on 1, 2, 3 and 4 ranks; in the ensemble, the report,
# the Python reader and `inspect`; what is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >recipe.yaml <<'YAML'
campaign: grow
problem: cosmology
sweep: {seed: [5, 6]}
mesh: {cells: [32, 32, 32], box: [[0, 40], [0, 40], [0, 40]]}
fluid: {eos: none}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, normalise: sigma8, sigma8: 0.9}
ic: {redshift: 19, species: dark_matter}
particles: {spacing: 1}
time: {end: 0, unit: redshift, steps: 20, stepping: bullfrog}
output: {redshift: [2, 1, 0.5, 0]}
statistics: {haloes: 0.2, halo_particles: 10, progenitors: true}
YAML
expect 0 sluice run recipe.yaml
# what status, a table and the report tell of particles and haloes
expect 0 sluice status grow
shows ' haloes in the last snapshots of 2 members, '
expect 0 sluice status grow --json
cp out status
expect 0 sluice export grow --csv -
/usr/bin/python3 - <<'PY' || failed=1
import csv, glob, json
from check import check, near
s, rows = json.load(open('status')), list(csv.DictReader(open('out')))
found = []
for m, row in zip(s['list'], rows):
    last = sorted(glob.glob(f"grow/members/{m['id']}/stats/haloes_*.csv"))[-1]
    found.append(sum(l[0] != '#' for l in open(last)) - 1)
    check(f"{m['id']} has {m['haloes']} haloes, {found[-1]} in {last}", m['haloes'] == found[-1])
    p = json.load(open(f"grow/members/{m['id']}/progress.json"))
    steps = p['particle_steps_per_s'] * (p['elapsed_s'] + 0.05) / (p['particles'] * p['step'])
    check(f'steps of its particles, over those that there were: {steps}', 1 <= steps < 50 and p['particles'] == 32**3)
    check('none of cells', p['cells_per_s'] == 0 and p['scale_factor'] == 1 / (1 + p['redshift_end']))
    check('in the table', float(row['particle_steps_per_s']) == p['particle_steps_per_s'] > 0)
want = {'members': 2, 'least': min(found), 'most': max(found), 'sum': sum(found)}
check(f"{s['haloes']} of all", s['haloes'] == want)
PY
grep -q '10<sup>6</sup> particle-steps/s' grow/report/index.html || bad 'the report has no rate of particles'
for ranks in 2 3 4; do
    cp -r grow/members/0000 on$ranks
    rm -r on$ranks/stats on$ranks/stats.h5
    (cd on$ranks && mpirun -n $ranks sluice-stats run.yaml) 2>log || bad "on $ranks ranks: $(cat log)"
    for t in grow/members/0000/stats/halo*.csv; do
        cmp "$t" "on$ranks/stats/${t##*/}" || bad "other bytes of ${t##*/} on $ranks ranks"
    done
done

PYTHONPATH=$PYTHONPATH:$SLUICE_TOP/examples/python /usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
import sluice
from check import check, near
campaign = sluice.open('grow')
member = campaign[0]
last = len(member.snapshots) - 1

def groups(k):  # as in the catalogue: (name, ids) by falling number, then name
    with h5py.File(f'grow/members/0000/snapshots/grow_hdf5_plt_cnt_{k:04d}') as f:
        p, g = f['tracer particles'][...], f['sluice']
        x = p[:, :3] / float(np.ravel(g.attrs['cgs_length'])[0]) % 40
    n, number = len(x), p[:, 7].astype(int)
    pairs = cKDTree(x, boxsize=40).query_pairs(0.2 * 40 / n**(1 / 3), output_type='ndarray')
    name = connected_components(coo_matrix((np.ones(len(pairs)), pairs.T), (n, n)), False)[1]
    all = [number[name == g] for g in np.flatnonzero(np.bincount(name) >= 10)]
    return sorted(((min(i), set(i)) for i in all), key=lambda g: (-len(g[1]), g[0]))

def link(own, others):  # the one that shares most, then the least name
    def best(ids):
        shared = [(-len(ids & o), name, k) for k, (name, o) in enumerate(others) if ids & o]
        return (min(shared)[2], -min(shared)[0]) if shared else (-1, 0)
    return [best(ids) for _, ids in own]

found = [groups(k) for k in range(last + 1)]
before = [None]
links = turns = 0
for k in range(1, last + 1):
    back, on = link(found[k], found[k - 1]), link(found[k - 1], found[k])
    main = [p >= 0 and on[p][0] == i for i, (p, _) in enumerate(back)]
    before.append([p if m else -1 for (p, _), m in zip(back, main)])
    for what, other, own, others, way, is_main in (
            (f'halo_progenitors', 'progenitor', found[k], found[k - 1], back, main),
            (f'halo_descendants', 'descendant', found[k - 1], found[k], on, [d >= 0 and back[d][0] == i for i, (d, _) in enumerate(on)])):
        t = member.statistic(what, k if other == 'progenitor' else k - 1)
        check(f'{what} of {k}: {len(t["id"])} lines, {len(own)}', len(t['id']) == len(own))
        for i, (name, ids) in enumerate(own):
            o, shared = way[i]
            check(f'{what} {i}', t['id'][i] == name and t['particles'][i] == len(ids) and t['shared'][i] == shared and t['main'][i] == is_main[i])
            check(f'{what} {i}: the other', np.isnan(t[other][i]) if o < 0 else t[other][i] == others[o][0])
            check(f'{what} {i}: parts', t['of_halo'][i] == shared / len(ids) and (o < 0 or t['of_' + other][i] == shared / len(others[o][1])))
            links += o >= 0
            turns += o >= 0 and not is_main[i]
        near('scale factor', t.attributes['scale_factor'], member.snapshots[t.number].scale_factor if hasattr(member.snapshots[t.number], 'scale_factor') else 1 / (1 + member.snapshots[t.number].redshift), 1e-6)
check(f'{links} links, {turns} of them off the main branch', links > 100 and turns > 5)

t = member.statistic('halo_accretion')
at, end = list(range(len(found[last]))), np.array([len(g) for _, g in found[last]])
classes = np.digitize(end, [100, 300, 1000, 3000])
check(f'haloes to follow: {np.bincount(classes)}', (classes == 1).sum() >= 3)
near('redshifts', t['redshift'], np.array([s.redshift for s in member.snapshots]), 1e-6)
for k in range(last, -1, -1):
    mass = np.array([len(found[k][i][1]) if i >= 0 else 0 for i in at]) / end
    for c, name in ((1, '100'), (2, '300'), (3, '1000'), (4, '3000')):
        here = np.sort(mass[classes == c])
        check(f'followed to {k}', t['haloes_' + name][k] == (here > 0).sum())
        for part, q in (('p16', 16), ('median', 50), ('p84', 84)):
            lost = len(here) == 0 or here[int(q / 100 * (len(here) - 1))] == 0
            got = t[f'{part}_{name}'][k]
            check(f'{part}_{name} at {k}: {got}', np.isnan(got) if lost else abs(got - np.percentile(here, q)) < 1e-9)
    if k:
        at = [before[k][i] if i >= 0 else -1 for i in at]

mean = campaign.groups[0].statistic('halo_accretion')
two = [m.statistic('halo_accretion') for m in campaign]
near('mean of members', mean['median_100_mean'][-2:], np.mean([m['median_100'][-2:] for m in two], 0), 1e-9)
drawn = np.genfromtxt('grow/report/figures/halo_accretion_100.csv', delimiter=',', names=True)
near('drawn', drawn['median'][-2:], mean['median_100_mean'][-2:], 1e-8)
PY
grep -q '<figure id="figure-halo_accretion">' grow/report/index.html || bad 'no figure of accretion'
sluice inspect grow/members/0000/stats.h5 >out 2>&1
shows halo_progenitors_0003
shows halo_accretion

# what is asked for only
expect 0 sluice run recipe.yaml --dir plain statistics.progenitors=false seed=5
ls plain/members/0000/stats/halo_[pda][re]*[s_]0* 2>/dev/null | grep -q 'progenitors\|descendants\|accretion' && bad 'progenitors that nobody asked for'
for t in haloes halo_mass_function halo_profiles halo_bias; do
    grep -v '^#' "grow/members/0000/stats/${t}_0003.csv" >want
    grep -v '^#' "plain/members/0000/stats/${t}_0003.csv" | cmp - want || bad "other $t without progenitors"
done
expect 65 sluice check recipe.yaml statistics.haloes=0
says 'statistics.progenitors: true needs haloes; nearest: statistics.haloes: 0.2'
expect 65 sluice check recipe.yaml fluid.eos=ideal ic.species=one_fluid time.unit=code time.end=0 output.redshift=[] time.steps=adaptive time.stepping=kdk
says 'statistics.progenitors: true needs dark matter that moves'
[ $failed = 0 ] && echo ok
exit $failed
