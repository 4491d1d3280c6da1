#!/bin/bash
# scipy_tree.sh - the tree of clumps within clumps against one made with scipy by labelling the cells above every level anew,
# in periodic boxes and in one with walls, of three and two dimensions; the same numbers on 1 and 3 ranks; in the report.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# compare CELLS BOX BOUNDARY FLOOR DELTA LEAST
compare() {
    cat >run.yaml <<YAML
campaign: noise
problem: array
array: {file: fields.h5}
mesh: {cells: $1, box: $2, boundary: $3}
time: {end: 0}
output: {precision: double}
statistics: {spectra: [], pdf: [], structure: [], tree: $4, tree_delta: $5, clump_cells: $6}
YAML
    /usr/bin/python3 - "$1" <<'PY'
import h5py, json, numpy as np, sys
from scipy import ndimage
r = np.random.default_rng(11)
shape = json.loads(sys.argv[1])[::-1]
smooth = lambda width: ndimage.gaussian_filter(r.standard_normal(shape), width, mode='wrap')
with h5py.File('fields.h5', 'w') as f:
    s = smooth(1)
    f['density'] = np.exp(s / s.std() + 0.3 * r.standard_normal(shape))
    f['pressure'] = np.ones(shape)
    for c in 'xyz':
        f['velocity_' + c] = r.standard_normal(shape)
PY
    rm -rf snapshots stats
    sluice-sim run.yaml >out 2>err || bad "sluice-sim: $(cat err)"
    mpirun -n 3 sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
    mv stats three
    sluice-stats run.yaml >out 2>err || bad "sluice-stats: $(cat err)"
    diff -r stats three >out || bad "other numbers on 1 rank than on 3: $(head -n 3 out)"
    rm -r three
    /usr/bin/python3 - "$@" <<'PY' || failed=1
import h5py, json, numpy as np, sys
from scipy import ndimage
from check import check, near
n, box = json.loads(sys.argv[1]), json.loads(sys.argv[2])
around, dim = sys.argv[3] == 'periodic', len(n)
g, h = h5py.File('fields.h5', 'r'), h5py.File('stats.h5', 'r')
rho, v = g['density'][...], [g['velocity_' + c][...] for c in 'xyz']
floor, delta, least = float(sys.argv[4]) * rho.mean(), float(sys.argv[5]) * rho.mean(), int(sys.argv[6])
side = [b - a for a, b in box]
cell = np.prod([b / a for a, b in zip(n, side)])

def region(dense, at):
    """all dense cells that cell `at` is joined with, over periodic faces too"""
    label, count = ndimage.label(dense)
    names, more = {label[at]}, True
    while more:
        mask, size = np.isin(label, list(names)), len(names)
        for axis in range(dim if around else 0):
            for a, b in (0, -1), (-1, 0):
                names |= set(label.take(b, axis)[mask.take(a, axis)]) - {0}
        more = len(names) > size
    return np.isin(label, list(names))

class Node:
    def __init__(self, children, top): self.children, self.top, self.base = children, top, floor
    def peak(self): return max([self.top] + [c.peak() for c in self.children])
    def nodes(self): return [self] + [x for c in self.children for x in c.nodes()]
# every connected set is known by the node that it is, with its cells; levels are all densities there are
sets = []  # (mask, node)
for flat in np.argsort(-rho, axis=None):
    at = np.unravel_index(flat, rho.shape)
    level = rho[at]
    if level <= floor: break
    now = region(rho >= level, at)
    inside, sets = [s for s in sets if now[s[0]].any()], [s for s in sets if not now[s[0]].any()]
    weak = [s for s in inside if not s[1].children and (s[1].top - level < delta or s[0].sum() < least)]
    strong = [s for s in inside if not any(s is w for w in weak)]
    if len(inside) == 1 or len(strong) == 1: node = (inside if len(inside) == 1 else strong)[0][1]
    elif len(strong) > 1:
        node = Node([s[1] for s in strong], level)
        for mask, child in strong: child.base, child.mask = level, mask
    else: node = max((s[1] for s in inside), key=lambda x: x.top) if inside else Node([], level)
    if not node.children: node.top = max([node.top] + [s[1].top for s in inside])
    sets.append((now, node))
roots = []
for mask, node in sets:
    node.mask = mask
    if node.children or (node.top - floor >= delta and mask.sum() >= least): roots.append(node)
mass = lambda x: rho[x.mask].sum() * cell
want, leaves = [], 0
def walk(x, parent, depth):
    global leaves
    row = len(want)
    want.append([parent, len(x.children), depth, x.base, x.top, None, x])
    if not x.children:
        leaves += 1
        want[row][5] = leaves
    else: want[row][5] = np.mean([walk(c, row + 1, depth + 1) for c in sorted(x.children, key=lambda c: -mass(c))])
    return want[row][5]
for x in sorted(roots, key=lambda x: -mass(x)): walk(x, 0, 0)
t = h['tree_0000']
check(f'{len(t["node"])} nodes of {len(want)}, {leaves} leaves', len(t['node']) == len(want) > 8 and t.attrs['leaves'] == leaves)
check(f'depth {max(w[2] for w in want)}', max(w[2] for w in want) > 1)
for i, name in enumerate(('parent', 'children', 'depth', 'base', 'top', 'place')):
    near(name, t[name][...], [float(w[i]) for w in want], 1e-14)
near('mass', t['mass'][...], [mass(w[6]) for w in want], 1e-13)
near('volume', t['volume'][...], [w[6].mask.sum() * cell for w in want], 1e-13)
near('peak', t['peak'][...], [w[6].peak() for w in want], 1e-14)
mean = lambda q, w: np.average(q[w[6].mask], weights=rho[w[6].mask])
near('velocity', t['velocity_y'][...], [mean(v[1], w) for w in want])
near('dispersion', t['dispersion'][...]**2, [sum(mean(q**2, w) - mean(q, w)**2 for q in v) for w in want])
share = np.array([np.log10(mass(w[6]) / (rho.sum() * cell)) for w in want if w[1] == 0])
m = h['tree_masses_0000']
near('leaf masses', m['leaves'][...], np.histogram(share, -8 + 0.25 * np.arange(33))[0].astype(float))
near('leaves above', m['above'][...], [float((share >= -8 + 0.25 * i).sum()) for i in range(32)])
PY
}
compare '[16, 12, 10]' '[[0, 2], [0, 1], [-1, 1]]' periodic 0.6 0.2 3
compare '[12, 10, 14]' '[[0, 1], [0, 1], [0, 1]]' outflow 0.5 0 1
compare '[40, 30]' '[[0, 4], [0, 6]]' periodic 1 0.2 2

# the report draws the tree and the masses of its leaves, of a mean over members too
sed 's/^time:/sweep: {seed: 1..2}\ntime:/' run.yaml >campaign.yaml
sluice run campaign.yaml --dir campaign >out 2>&1 || bad "sluice run: $(cat out)"
for f in tree leaf_masses; do
    grep -q "<figure id=\"figure-$f\">" campaign/report/index.html || bad "no figure $f: $(grep -o "$f[^<]*" campaign/report/index.html | head -n 3)"
done
grep -q '^leaves,' campaign/members/0000/stats/summary.csv || bad "no leaves in the summary"
[ -s campaign/ensemble/tree_masses_0000.csv ] || bad "no mean masses of leaves"
[ $failed = 0 ] && echo ok
exit $failed
