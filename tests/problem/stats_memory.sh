#!/bin/bash
# stats_memory.sh - sluice-stats, and sluice-ic to second order, take no more memory than the plan tells, with everything that
# needs most of it.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
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
def check(told):
    used = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # the most of all of them
    if not 0.5 * told < used < told:
        print(f'FAIL: {used / 1e6:.0f} MB were used, the plan tells {told / 1e6:.0f} MB'); sys.exit(1)
    print(f'{used / 1e6:.0f} MB were used, the plan tells {told / 1e6:.0f} MB')
run('sluice-ic', 'run.yaml')
run('sluice-sim', 'run.yaml')
run('sluice-stats', 'run.yaml')
check(plan())
second = ('mesh.cells=[128, 128, 128]', 'ic.order=2', 'ic.redshift=39', 'statistics.matter=[]', 'statistics.tree=0',
          'statistics.interlace=false')  # and displacements of many cells
run('sluice-ic', 'run.yaml', 'run.input=second.h5', *second)
check(plan(*second))
PY
echo ok
