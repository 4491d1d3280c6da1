#!/bin/bash
# sample - the text tables of a run's last state: the line against the exact solution and the converged density, shells
# around a blast, the current of a field loop; the same bytes on two ranks; heads that say time and units.
set -u
. "$SLUICE_TOP/tests/scratch.sh"

run() { # folder, ranks, keys...
    local dir=$work/$1 n=$2
    shift 2
    mkdir -p "$dir"
    printf 'campaign: sample\nproblem: sod\noutput: {snapshot: 0, history: 1e9}\n' >"$dir/run.yaml"
    mpirun -n "$n" sluice-sim "$dir/run.yaml" "$@" >"$work/out" 2>&1 || { cat "$work/out"; fail "$*"; }
}
run sod 1 'mesh.cells=[100]' mesh.boundary=outflow fluid.gamma=1.4 time.end=0.14 verify=true 'output.sample=[line]'
run brio 1 problem=brio_wu 'mesh.cells=[256]' 'mesh.box=[[-0.5,0.5]]' mesh.boundary=outflow fluid.gamma=2 fluid.mhd=glm \
    fluid.riemann=hlld time.end=0.1 verify=true 'output.sample=[line]'
sedov=(problem=sedov 'mesh.cells=[16,16,16]' 'mesh.block=[8]' 'mesh.boundary=[reflecting,outflow,reflecting,outflow,reflecting,outflow]'
    time.end=0.3 'output.sample=[radius]')
run sedov 1 "${sedov[@]}"
run sedov2 2 "${sedov[@]}"
run loop 2 problem=field_loop 'mesh.cells=[64,32]' 'mesh.block=[16]' 'mesh.box=[[-1,1],[-0.5,0.5]]' fluid.mhd=glm \
    fluid.riemann=hlld time.end=0 'output.sample=[plane,line]'
cmp "$work/sedov/sample_radius.csv" "$work/sedov2/sample_radius.csv" || fail "other bytes on two ranks"
[ -e "$work/sedov/sample_line.csv" ] && fail "a table that nobody asked for"

/usr/bin/python3 - "$work" <<'PY' || fail "the tables are not what they should be"
import sys
import numpy as np
def table(name):
    return np.genfromtxt([l for l in open(f"{sys.argv[1]}/{name}.csv") if l[0] != "#"], delimiter=",", names=True)
def head(name, *units):
    """Time; units of some columns, and one unit for each column."""
    lines = open(f"{sys.argv[1]}/{name}.csv").read().splitlines()
    notes = [l[2:] for l in lines if l.startswith("# ")]
    names = lines[len(notes)].split(",")
    assert [n.split(":")[0] for n in notes[1:]] == ["time"] + ["unit " + n for n in names], notes
    assert all("unit " + u in notes for u in units), (units, notes)
    return float(notes[1].split(": ")[1])
def verify(name):
    return {l.split()[0]: float(l.split()[1]) for l in open(f"{sys.argv[1]}/{name}/verify.tsv") if l[0] != "#" and not l.startswith("variable")}
t = table("sod/sample_line")
assert t.size == 100 and abs(t["x"][0] - 0.005) < 1e-12
assert abs(abs(t["density"] - t["exact_density"]).mean() - verify("sod")["density"]) < 1e-9
assert abs(abs(t["pressure"] - t["exact_pressure"]).mean() - verify("sod")["pressure"]) < 1e-9
assert abs(head("sod/sample_line", "x: code length", "exact_pressure: code pressure") - 0.14) < 1e-12
t = table("brio/sample_line")
error = abs(t["density"] - t["exact_density"]).sum() / t["exact_density"].sum()
assert abs(error - verify("brio")["density_error"]) < 1e-9 and np.isnan(t["exact_pressure"]).all()
assert abs(t["magnetic_x"] - 0.75).max() < 1e-12
t = table("sedov/sample_radius")
assert t["cells"].sum() == 16**3 and (np.diff(t["radius"]) > 0).all()
inside = t["radius"] < 0.3
assert abs((t["pressure"] / t["exact_pressure"])[inside][2:].mean() - 1) < 0.2
assert (t["velocity"][inside] > 0).all() and (t["density_deviation"] >= 0).all()
assert abs(head("sedov/sample_radius", "cells: 1", "velocity_deviation: code velocity") - 0.3) < 1e-12
t = table("loop/sample_plane")
assert t.size == 64 * 32 and t["x"][1] > t["x"][0] and t["y"][64] > t["y"][0]
assert head("loop/sample_plane", "current_z: code field / code length") == 0
r = np.hypot(t["x"], t["y"])  # A = 1e-3 (R - r): j_z = 1e-3 / r inside
ring = (r > 0.12) & (r < 0.22)
assert abs(t["current_z"][ring] * r[ring] / 1e-3 - 1).max() < 0.3 and abs(t["current_z"][r > 0.45]).max() == 0
PY
