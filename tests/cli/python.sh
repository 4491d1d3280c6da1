#!/bin/bash
# python.sh - examples/python/sluice.py reads what the programs wrote: the numbers are those of history.tsv, of the CSV files, of
# `sluice export` and of `sluice status`, snapshots of blocks and of levels come out cell by cell; tests/cli/python_reader.py
# compares.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
export PYTHONPATH=$PYTHONPATH:$SLUICE_TOP/examples/python
reader=$SLUICE_TOP/examples/python/sluice.py compare=$SLUICE_TOP/tests/cli/python_reader.py
cd "$work" || exit 1
cat >small.yaml <<'END'
campaign: small
problem: turbulence
sweep: {seed: 1..2, turbulence.mach: [1, 3]}
turbulence: {kmin: 1, kmax: 3}
mesh: {cells: [16, 8, 8], block: [8, 8, 8], box: [[0, 2], [0, 1], [0, 1]]}
time: {end: 0.1, unit: crossing}
output: {snapshot: 0.05}
END
cat >tube.yaml <<'END'
campaign: tube
problem: sod
verify: true
mesh: {cells: [32, 8], block: [8, 8], box: [[-0.5, 0.5], [0, 0.25]], boundary: [outflow, periodic]}
sod: {x0: 0.0625}
units: {length: 3e18, density: 1e-24, velocity: 1e5}
time: {end: 0.1}
output: {precision: double}
END
expect 0 sluice run small.yaml
expect 0 sluice run tube.yaml
cat >universe.yaml <<'END'
campaign: universe
problem: cosmology
mesh: {cells: [8, 8, 8], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, normalise: sigma8, sigma8: 0.8, helium: 0}
ic: {redshift: 99, transfer: eisenstein_hu, species: baryons}
time: {end: 49, unit: redshift}
statistics: {spectra: [velocity], clumps: 1.1, clump_cells: 1, maps: [density, temperature, speed], structure: [], pdf: []}
END
expect 0 sluice run universe.yaml
cat >swarm.yaml <<'END'
campaign: swarm
problem: cosmology
mesh: {cells: [32, 32, 32], block: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}
fluid: {eos: none}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, normalise: sigma8, sigma8: 0.8}
ic: {redshift: 49, transfer: eisenstein_hu, species: dark_matter}
particles: {spacing: 2}
time: {end: 0, unit: redshift}
output: {redshift: [9, 0]}
statistics: {haloes: 0.25, halo_particles: 10}
END
expect 0 sluice run swarm.yaml
expect 0 sluice extend small seed=1..3 # two that have not begun
expect 0 sluice cancel small 0004
expect 0 sluice status small --json
mv out status.json
expect 0 sluice export small --csv rows.csv
for seed in 1 2 3 4 5 6; do
    "$SLUICE_TOP/tests/cli/fake_campaign.py" "fake-$seed" --members 8
    expect 0 /usr/bin/python3 "$compare" journal "fake-$seed" "$seed"
    expect 0 sluice status "fake-$seed" --json
    mv out "fake-$seed/status.json"
done
expect 0 /usr/bin/python3 "$compare" compare
cat out
expect 0 /usr/bin/python3 "$reader" small
shows "small: 6 members, 4 done"
shows "0004  cancelled  seed=3 turbulence.mach=1"
shows "ensemble 2: turbulence.mach: 3, 2 members"
awk '/^```/ { inside = /python$/; next } inside' "$SLUICE_TOP/examples/README.md" >readme.py
expect 0 /usr/bin/python3 readme.py
shows "(16, 8, 8) code density"
expect 1 /usr/bin/python3 "$reader" small/members
says "is no campaign"
expect 2 /usr/bin/python3 "$reader"
[ $failed = 0 ] && echo ok
exit $failed
