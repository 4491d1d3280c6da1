#!/bin/bash
# mhd - a run with a magnetic field as its files show it: the columns of the history, the fields that yt reads and their
# units, the same bits after a restart on other ranks, a start from fields in a file, and what is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"

recipe() { # folder
    mkdir -p "$1"
    cat >"$1/run.yaml" <<YAML
campaign: mhd
problem: orszag_tang
mesh: {cells: [64, 64], box: [[0, 1], [0, 1]], block: [16, 16]}
fluid: {mhd: glm, riemann: hlld}
time: {end: 0.2}
output: {snapshot: 0.1, history: 0.05, checkpoint: 1e-9, precision: double}
YAML
}
run() { # ranks, folder, keys...
    local n=$1 dir=$2
    shift 2
    mpirun -n "$n" sluice-sim "$dir/run.yaml" "$@" 2>"$work/err" | tail -n 1
}

recipe "$work/a"
recipe "$work/b"
want=$(run 1 "$work/a")
case $want in hash*) ;; *) cat "$work/err"; fail "the run printed: $want" ;; esac
run 2 "$work/b" time.max_steps=17 >/dev/null
got=$(run 3 "$work/b")
grep -q 'goes on from checkpoint' "$work/err" || { cat "$work/err"; fail "it began anew"; }
[ "$got" = "$want" ] || fail "after a restart: $got, without: $want"
cmp "$work/a/history.tsv" "$work/b/history.tsv" || fail "history.tsv differs"

/usr/bin/python3 - "$work" <<'PY' || fail "files are not what they should be"
import sys, math
import h5py, numpy as np, yt
yt.set_log_level(50)
top = sys.argv[1]
lines = [l.rstrip("\n") for l in open(top + "/a/history.tsv")]
head = [l for l in lines if l.startswith("time[")][0].split("\t")
last = dict(zip((h.split("[")[0] for h in head), map(float, lines[-1].split("\t"))))
ds = yt.load(top + "/a/snapshots/mhd_hdf5_plt_cnt_0002")
ad = ds.covering_grid(0, [0, 0, 0], ds.domain_dimensions)
b2 = sum(np.array(ad["flash", "mag" + x]) ** 2 for x in "xyz")
energy = 0.5 * b2.mean()
assert abs(energy - last["energy_magnetic"]) < 1e-13, (energy, last["energy_magnetic"])
# the magnetic pressure that yt makes of it is B^2 / 2
pressure = np.array(ad["gas", "magnetic_energy_density"].in_units("code_mass/code_length/code_time**2"))
assert abs(pressure.mean() - energy) < 1e-6 * energy, (pressure.mean(), energy)
total = last["energy_kinetic"] + last["energy_thermal"] + last["energy_magnetic"]
assert abs(total - last["energy_total"]) < 1e-13
bx, by = (np.array(ad["flash", f]).squeeze().T for f in ("magx", "magy"))
div = (np.roll(bx, -1, 1) - np.roll(bx, 1, 1) + np.roll(by, -1, 0) - np.roll(by, 1, 0)) * 64 / 2
assert abs(abs(div).max() - last["divergence_max"]) < 1e-10, (abs(div).max(), last["divergence_max"])
assert abs(last["magnetic_flux_x"]) < 1e-14 and last["psi_max"] > 0
# fields for the start from a file
rng = np.random.default_rng(1)
with h5py.File(top + "/start.h5", "w") as out:
    for name in ("velocity_x", "velocity_y", "magnetic_field_x", "magnetic_field_y", "magnetic_field_z"):
        out[name] = rng.standard_normal((64, 64))
    out["density"] = out["pressure"] = np.ones((64, 64)) + 3
with h5py.File(top + "/start.h5") as out:
    np.save(top + "/bz.npy", out["magnetic_field_z"][()])
PY

recipe "$work/c"
cp "$work/start.h5" "$work/c/"
run 2 "$work/c" problem=array array.file=start.h5 time.end=1e-9 >/dev/null || fail "no start from fields"
/usr/bin/python3 - "$work" <<'PY' || fail "the start is not that of the file"
import sys
import numpy as np, yt
yt.set_log_level(50)
ds = yt.load(sys.argv[1] + "/c/snapshots/mhd_hdf5_plt_cnt_0000")
ad = ds.covering_grid(0, [0, 0, 0], ds.domain_dimensions)
assert (np.array(ad["flash", "magz"]).squeeze().T == np.load(sys.argv[1] + "/bz.npy")).all()
assert abs(np.array(ad["flash", "pres"]) - 4).max() < 1e-12
PY

refused() { # text, keys...
    local text=$1
    shift
    sluice-sim "$work/a/run.yaml" "$@" >"$work/out" 2>&1 && fail "not refused: $*"
    grep -q "$text" "$work/out" || { cat "$work/out"; fail "no '$text': $*"; }
}
refused 'nearest: hlld' fluid.riemann=hllc
refused 'needs a magnetic field' fluid.mhd=none fluid.riemann=hllc
echo "the same after a restart: $got"
