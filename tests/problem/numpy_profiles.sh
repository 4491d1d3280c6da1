#!/bin/bash
# numpy_profiles.sh - radial profiles of a run with levels, in a periodic box and in an open one, against sums over the leaves in numpy;
# shares of levels; the centre where the blast is and where mass is; beside the exact solution; on 1 and 3 ranks; of an ensemble and in its
# report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

recipe() { # directory, boundary, more of statistics, strength of gravity
    mkdir -p "$1"
    cat >"$1/run.yaml" <<YAML
campaign: ball
problem: sedov
sedov: {center: [0.4, -0.3, 0.1], radius: 0.2}
mesh:
  cells: [32, 32, 32]
  block: [8, 8, 8]
  box: [[-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]]
  levels: 1
  refine: [{by: sphere, center: [0.3, -0.2, 0], radius: 0.25}]
  boundary: $2
fluid: {gamma: 5/3, scalars: 1}
time: {end: 0.01}
${4:+gravity.four_pi_g: $4}
output: {snapshot: 0.01, precision: double, center: [0.1, 0.2, 0.3]${4:+, potential: true}}
statistics: {spectra: [], pdf: [], structure: [], profiles: [density, pressure, temperature, entropy, speed, radial_velocity, scalar${4:+, potential}], profile_bins: 8$3}
YAML
}
statistics() { # directory
    (cd "$1" && sluice-sim run.yaml >out 2>err) || bad "sluice-sim $1: $(cat "$1/err")"
    (cd "$1" && mpirun -n 3 sluice-stats run.yaml >out 2>err) || bad "sluice-stats $1: $(cat "$1/err")"
    cp "$1/stats/profile_0001.csv" "$1/three.csv"
    cp "$1/stats/level_shares.csv" "$1/shares.csv"
    (cd "$1" && sluice-stats run.yaml >out 2>err) || bad "sluice-stats $1: $(cat "$1/err")"
    cmp "$1/stats/profile_0001.csv" "$1/three.csv" || bad "$1: other profiles on 1 rank than on 3"
    cmp "$1/stats/level_shares.csv" "$1/shares.csv" || bad "$1: other shares on 1 rank than on 3"
}
recipe point periodic ", profile_center: point"
recipe mass periodic ", profile_center: mass"
recipe open outflow ", profile_center: mass" 0.1
recipe densest outflow ""
for d in point mass open densest; do statistics $d; done

/usr/bin/python3 - <<'PY' || failed=1
import h5py, numpy as np
from check import check, near
def leaves(path):
    """middle, side, level and values of the cells of all leaves"""
    f = h5py.File(path, 'r')
    leaf = f['node type'][...].ravel() == 1
    level = f['refine level'][...].ravel()[leaf]
    box = f['bounding box'][...][leaf]
    n = f['dens'].shape[1:]
    side = (box[:, :, 1] - box[:, :, 0]) / np.array(n[::-1])
    k, j, i = np.meshgrid(*[np.arange(m) + 0.5 for m in n], indexing='ij')
    x = np.stack([box[:, d, 0][:, None] + side[:, d][:, None] * a.ravel() for d, a in enumerate((i, j, k))], -1).reshape(-1, 3)
    cells = int(np.prod(n))
    value = {c: f[c][...][leaf].reshape(-1) for c in ('dens', 'velx', 'vely', 'velz', 'pres', 'sc01', 'gpot') if c in f}
    return x, np.repeat(side[:, 0], cells), np.repeat(level - level.min(), cells), value
def table(path):
    note = {l[2:].split(':')[0]: float(l.split(':')[1]) for l in open(path) if l.startswith('# center')}
    rows = [l.split(',') for l in open(path) if not l.startswith('#')]
    return note, {n.strip(): np.array([float(r[c]) for r in rows[1:]]) for c, n in enumerate(rows[0])}
def image(off, periodic):
    return off - np.round(off) if periodic else off
for name in 'point', 'mass', 'open', 'densest':
    periodic = name in ('point', 'mass')
    x, side, level, v = leaves(f'{name}/snapshots/ball_hdf5_plt_cnt_0001')
    note, t = table(f'{name}/stats/profile_0001.csv')
    check(f'{name}: both levels', set(level) == {0, 1})
    vol = side**3
    m = v['dens'] * vol
    centre = {'point': np.array([0.1, 0.2, 0.3]), 'open': (m[:, None] * x).sum(0) / m.sum()}.get(name)
    if name == 'mass':
        turn = np.angle((m[:, None] * np.exp(2j * np.pi * (x + 0.5))).sum(0)) / 2 / np.pi
        centre = turn % 1 - 0.5
    if name == 'densest':
        same = v['dens'] > v['dens'].max() * (1 - 1e-6)
        first = x[same][0]
        beside = np.abs(x[same] - first).max(1) < 2.1 * side[same].max()
        centre = x[same][beside].mean(0)
    near(f'{name}: centre', [note[f'center_{a}'] for a in 'xyz'], centre, 1e-8)
    # shells by the parts of cells: as many of an axis as profile.c says
    bins, edge0 = 8, np.ceil(np.log10(1 / 64) * 8 - 1e-9)
    off = image(x - centre, periodic)
    r = np.sqrt((off**2).sum(1))
    nearest = np.maximum(r - side * np.sqrt(0.75), 10**(edge0 / bins))
    parts = np.clip(np.ceil(2 * side / (nearest * (10**(1 / bins) - 1))), 1, 32).astype(int)
    nrow = len(t['radius'])
    away = off / np.maximum(r, 1e-300)[:, None]
    vel = np.stack([v['velx'], v['vely'], v['velz']], 1)
    q = {'density': (vol, v['dens']), 'pressure': (vol, v['pres']), 'temperature': (m, v['pres'] / v['dens']),
         'entropy': (m, v['pres'] / v['dens']**(5 / 3)), 'speed': (m, np.sqrt((vel**2).sum(1))),
         'radial_velocity': (m, (vel * away).sum(1)), 'scalar': (m, v['sc01'])}
    check(f'{name}: a potential', ('gpot' in v) == (name == 'open') == ('potential' in t))
    if 'gpot' in v: q['potential'] = (vol, v['gpot'])
    want = {'cells': np.zeros(nrow), 'volume': np.zeros(nrow), 'mass': np.zeros(nrow)}
    sums = {k: np.zeros((3, nrow)) for k in q}
    for n in np.unique(parts):
        c = np.flatnonzero(parts == n)
        grid = (np.arange(n) + 0.5) / n - 0.5
        sub = np.stack(np.meshgrid(grid, grid, grid, indexing='ij'), -1).reshape(-1, 3)
        for s in range(0, len(c), 200):
            part = c[s:s + 200]
            y = image(x[part][:, None, :] + side[part][:, None, None] * sub[None] - centre, periodic)
            d = np.sqrt((y**2).sum(-1))
            shell = np.maximum(np.ceil(np.log10(np.maximum(d, 1e-300)) * bins - edge0), 0).astype(int)
            inside = shell < nrow
            for a, b in ('cells', np.ones(len(x))), ('volume', vol), ('mass', m):
                want[a] += np.bincount(shell[inside], np.broadcast_to(b[part][:, None], d.shape)[inside], nrow) / n**3
            for k, (w, f) in q.items():
                for i, g in enumerate((w, w * f, w * f * f)):
                    sums[k][i] += np.bincount(shell[inside], np.broadcast_to(g[part][:, None], d.shape)[inside], nrow) / n**3
    near(f'{name}: radius', t['radius'], 10**((edge0 + np.arange(nrow) - 0.5) / bins), 1e-8)
    check(f'{name}: no empty shell inside', (t['cells'][t['radius'] < 0.5] > 0).all())
    # a part may lie on the edge of a shell, to rounding
    for k in want: near(f'{name}: {k}', t[k], want[k], 3e-3)
    near(f'{name}: all mass', t['mass_within'][-1:], [m.sum()], 1e-8)
    for k, (w, s, ss) in sums.items():
        good = w > 0
        mean = s[good] / w[good]
        near(f'{name}: {k}', t[k][good], mean, 3e-3)
        check(f'{name}: {k} is nan where nothing is', np.isnan(t[k][~good]).all())
        scatter = np.sqrt(np.maximum(ss[good] / w[good] - mean**2, 0))
        check(f'{name}: {k} deviation', (np.abs(t[f'{k}_deviation'][good] - scatter) < 5e-3 * (np.abs(mean).max() + scatter.max())).all())
    _, shares = table(f'{name}/stats/level_shares.csv')
    for l in 0, 1:
        near(f'{name}: volume of level {l}', shares[f'volume_level_{l}'][-1:], [vol[level == l].sum()], 1e-8)
        near(f'{name}: mass of level {l}', shares[f'mass_level_{l}'][-1:], [m[level == l].sum() / m.sum()], 1e-8)
PY

# with `verify: true` beside the exact solution, which is the start itself at the start
recipe exact outflow ", profile_center: point"
(cd exact && sluice-sim run.yaml verify=true >out 2>err && sluice-stats run.yaml verify=true >out 2>err) || bad "exact: $(cat exact/err)"
/usr/bin/python3 - <<'PY' || failed=1
from check import check
rows = [l.strip().split(',') for l in open('exact/stats/profile_0000.csv') if not l.startswith('#')]
for q in 'density', 'pressure', 'radial_velocity', 'scalar':
    a, b = rows[0].index(q), rows[0].index('exact_' + q)
    check(f'exact {q}', all(r[a] == r[b] or abs(float(r[a]) - float(r[b])) <= 1e-9 * abs(float(r[b])) for r in rows[1:]))
PY

sluice check point/run.yaml 'statistics.profiles=[magnetic]' >out 2>err && bad "a profile of no field was accepted"
grep -q 'magnetic needs a magnetic field' err || bad "no clear message: $(cat err)"
sluice check point/run.yaml fluid.eos=isothermal 'statistics.profiles=[entropy]' 2>&1 | grep -q 'entropy needs an energy equation' || bad "entropy of an isothermal gas"
sluice check point/run.yaml 'statistics.profiles=[potential]' 2>&1 | grep -q 'potential needs output.potential: true' || bad "a potential that no snapshot has"
sluice check point/run.yaml 'statistics.profiles=[densty]' 2>&1 | grep -q 'did you mean density' || bad "a slip in statistics.profiles"

# the mean over members, and the figures
sed 's/^campaign: ball/&\nsweep: {seed: 1..2}/' densest/run.yaml >campaign.yaml
sluice run campaign.yaml --dir campaign >out 2>&1 || bad "sluice run: $(cat out)"
for f in density velocity entropy; do
    grep -q "<figure id=\"figure-radial_$f" campaign/report/index.html && [ -s "campaign/report/figures/radial_$f.svg" ] || bad "no figure of the profile of $f"
done
awk -F, '/^radius,/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
    !/^#/ && $c["cells_mean"] > 0 && ($c["density_error"] != 0 || !($c["density_mean"] > 0)) { exit 1 }' campaign/ensemble/profile_0001.csv ||
    bad "the mean of two equal members"
[ -s campaign/report/figures/level_mass.svg ] || bad "no figure of the mass of levels"
[ $failed = 0 ] && echo ok
exit $failed
