#!/bin/bash
# readers - what sluice-sim writes, opened by yt and by ParaView: tests/cli/readers.py makes the numbers.
set -u
here=$(dirname "$0")
. "$SLUICE_TOP/tests/scratch.sh"

one() { # name, cells, block, box, boundary, override...
    local dir="$work/done-$1"
    mkdir -p "$dir"
    cat >"$dir/run.yaml" <<YAML
campaign: $1
problem: riemann
mesh: {cells: $2, block: $3, box: $4, boundary: $5}
fluid: {gamma: 1.4, scalars: 1}
time: {end: 0.02}
output: {snapshot: 0}
YAML
    shift 5
    mpirun -n 2 sluice-sim "$dir/run.yaml" "$@" >/dev/null || fail "sluice-sim"
}

one d1 '[64]' '[16]' '[[-0.5, 0.5]]' outflow riemann.x0=0.1
one d2 '[32, 16]' '[8, 16]' '[[-0.5, 0.5], [0, 0.5]]' '[outflow, reflecting]' 'riemann.normal=[1, 2, 0]' riemann.x0=0.22
one d3 '[32, 16, 16]' '[8, 8, 16]' '[[-0.5, 0.5], [0, 0.5], [-1, -0.5]]' '[outflow, periodic, reflecting]' \
    'riemann.normal=[1, 2, 3]' riemann.x0=-0.47
one d3f64 '[16, 16, 16]' '[16, 16, 16]' '[[0, 1], [0, 1], [0, 1]]' periodic output.precision=double \
    'riemann.normal=[1, 2, 3]' riemann.x0=0.8
one cgs '[16, 16, 16]' '[8, 8, 8]' '[[0, 1], [0, 1], [0, 1]]' periodic units.length=3.0857e18 units.density=1e-24 \
    units.velocity=1e5 units.weight=0.6 'riemann.normal=[1, 2, 3]' riemann.x0=0.8
rules='mesh.refine=[{by: gradient, of: density, above: 0.1}]'
one a1 '[64]' '[8]' '[[-0.5, 0.5]]' outflow riemann.x0=0.1 mesh.levels=3 "$rules"
one a2 '[32, 16]' '[8, 8]' '[[-0.5, 0.5], [0, 0.5]]' '[outflow, reflecting]' 'riemann.normal=[1, 2, 0]' riemann.x0=0.22 \
    mesh.levels=2 "$rules"
one a3 '[32, 16, 16]' '[8, 8, 8]' '[[-0.5, 0.5], [0, 0.5], [-1, -0.5]]' '[outflow, periodic, reflecting]' \
    'riemann.normal=[1, 2, 3]' riemann.x0=-0.47 mesh.levels=2 "$rules"
one all '[16, 16, 16]' '[8, 8, 8]' '[[0, 1], [0, 1], [0, 1]]' periodic output.precision=double mesh.levels=1 \
    'riemann.normal=[1, 2, 3]' riemann.x0=0.8 'mesh.refine=[{by: box, lo: [0, 0, 0], hi: [1, 1, 1]}]'
# particles alone, on two ranks
mkdir "$work/swarm"
cat >"$work/swarm/run.yaml" <<'YAML'
campaign: swarm
problem: cosmology
mesh: {cells: [16, 16, 16], block: [8, 8, 8], box: [[0, 100], [0, 100], [0, 100]]}
fluid: {eos: none}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, normalise: sigma8, sigma8: 0.8}
ic: {redshift: 49, transfer: eisenstein_hu, species: dark_matter}
time: {end: 9, unit: redshift}
output: {snapshot: 0}
YAML
mpirun -n 2 sluice-sim "$work/swarm/run.yaml" >/dev/null || fail "sluice-sim with particles"
if /usr/bin/python3 -c 'import yt' 2>/dev/null; then
    /usr/bin/python3 "$here/readers.py" yt "$work" || fail "yt"
else
    echo "SKIP: python3-yt is not installed"
fi
if command -v pvpython >/dev/null; then
    pvpython "$here/readers.py" paraview "$work" || fail "ParaView"
else
    echo "SKIP: pvpython is not installed"
fi
