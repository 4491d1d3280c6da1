#!/bin/bash
# stats_memory.sh - sluice-stats, sluice-ic to second order, and a run that measures itself take no more memory than the plan
# tells, with everything that needs most of it; the tree of clumps of a box that is dense everywhere takes no more of rank 0 than
# of the others but for the planes at which pieces of it meet; no rank holds what all others add to clumps, plane by plane.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
cat >run.yaml <<'YAML'
campaign: start
problem: cosmology
mesh: {cells: [96, 96, 96], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {normalise: sigma8}
ic: {order: 1}
time: {end: 0}
resources: {precision: single}
statistics: {spectra: [velocity], matter: [gas, particles, cross, correlation], interlace: true, tree: 1, tree_delta: 0}
YAML
/usr/bin/python3 - <<'PY' || exit 1
import json, resource, subprocess, sys
def run(*words): return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
def plan(*keys): return json.loads(run('sluice', 'plan', 'run.yaml', '--json', *keys))['largest_member']['rank_memory_bytes']
def check(planned):
    used = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # the most of all of them
    if not 0.5 * planned < used < planned:
        print(f'FAIL: {used / 1e6:.0f} MB were used, the plan tells {planned / 1e6:.0f} MB'); sys.exit(1)
    print(f'{used / 1e6:.0f} MB were used, the plan tells {planned / 1e6:.0f} MB')
run('sluice-ic', 'run.yaml')
run('sluice-sim', 'run.yaml')
run('sluice-stats', 'run.yaml')
check(plan())
second = ('mesh.cells=[128, 128, 128]', 'ic.order=2', 'ic.redshift=39', 'statistics.matter=[]', 'statistics.tree=0',
          'statistics.interlace=false')  # and displacements of many cells
run('sluice-ic', 'run.yaml', 'run.input=second.h5', *second)
check(plan(*second))
PY
# particles alone that the run measures itself
cat >mock.yaml <<'YAML'
campaign: mock
problem: cosmology
mesh: {cells: [128, 128, 128], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {normalise: sigma8}
ic: {species: dark_matter, order: 1, redshift: 49}
fluid: {eos: none}
time: {end: 0, unit: redshift, steps: 2, stepping: bullfrog}
output: {snapshot: 0, history: 10}
statistics: {matter: [particles], haloes: 0.2, structure: [], in_run: true}
YAML
/usr/bin/python3 - <<'PY' || exit 1
import json, resource, subprocess, sys
def run(*words): return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
planned = json.loads(run('sluice', 'plan', 'mock.yaml', '--json'))['largest_member']['rank_memory_bytes']
run('sluice-sim', 'mock.yaml')
used = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f'{used / 1e6:.0f} MB were used in the run, the plan tells {planned / 1e6:.0f} MB')
sys.exit(not 0.4 * planned < used < planned)
PY
cat >tree.yaml <<'YAML'
campaign: noise
problem: array
array: {file: fields.h5}
mesh: {cells: [64, 64, 512], box: [[0, 1], [0, 1], [0, 8]]}
time: {end: 0}
output: {precision: double}
resources: {ranks: 4}
statistics: {spectra: [], pdf: [], structure: [], tree: 0.001, tree_delta: 0.1, clump_cells: 8}
YAML
cat >rank.py <<'PY'
import os, resource, subprocess, sys
subprocess.run(['sluice-stats', 'tree.yaml'] + sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, file=open('used.' + os.environ['OMPI_COMM_WORLD_RANK'], 'w'))
PY
/usr/bin/python3 - <<'PY' || exit 1
import h5py, json, numpy as np, subprocess, sys
from scipy import ndimage
def run(*words): return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
def start(density):
    with h5py.File('fields.h5', 'w') as f:
        f['density'] = density
        for name in 'pressure', 'velocity_x', 'velocity_y', 'velocity_z':
            f[name] = np.ones(density.shape)
    run('sluice-sim', 'tree.yaml')
def stats(*keys):
    """bytes of each rank, and how many rows of a table"""
    run('mpirun', '-n', '4', '/usr/bin/python3', 'rank.py', *keys)
    return [float(open(f'used.{i}').read()) for i in range(4)], {k: len(t[list(t)[0]]) for k, t in h5py.File('stats.h5', 'r').items() if len(t)}
r = np.random.default_rng(5)
s = ndimage.gaussian_filter(r.standard_normal((512, 64, 64)), 3, mode='wrap')
start(np.exp(s / s.std()))
used, rows = stats()
planned = json.loads(run('sluice', 'plan', 'tree.yaml', '--json'))['largest_member']['rank_memory_bytes']
planes = 4 * 64 * 64 * (180 + 92)
print(*(f'{u / 1e6:.1f}' for u in used), f'MB were used by 4 ranks, the plan tells {planned / 1e6:.0f} MB; {rows["tree_0000"]} regions')
if rows['tree_0000'] < 500 or max(used) > planned or used[0] > max(used[1:]) + planes:
    print(f'FAIL: rank 0 may have {planes / 1e6:.1f} MB more than the others'); sys.exit(1)
s = np.ones((512, 64, 64))
s[:, ::2, ::2] = 3  # 1024 clumps through all planes
start(s)
less, rows = stats('statistics.tree=0')
used, rows = stats('statistics.tree=0', 'statistics.clumps=1.5')
more, pieces = max(used) - max(less), 120 * 1024 * 512
print(f'{more / 1e6:.1f} MB more for {rows["clumps_0000"]} clumps, whose sums of planes are {pieces / 1e6:.1f} MB on all ranks')
if rows['clumps_0000'] != 1024 or more > 0.6 * pieces:
    print('FAIL: a rank holds them all'); sys.exit(1)
PY
echo ok
