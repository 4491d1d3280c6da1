#!/bin/bash
# stats_memory.sh - sluice-stats takes no more memory than the plan tells, with everything that needs most of it.
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
told = json.loads(run('sluice', 'plan', 'run.yaml', '--json'))['largest_member']['rank_memory_bytes']
run('sluice-ic', 'run.yaml')
run('sluice-sim', 'run.yaml')
run('sluice-stats', 'run.yaml')
used = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # the most of all of them
if not 0.5 * told < used < told:
    print(f'FAIL: {used / 1e6:.0f} MB were used, the plan tells {told / 1e6:.0f} MB'); sys.exit(1)
PY
echo ok
