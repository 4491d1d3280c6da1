#!/bin/bash
# inspect.sh - sluice inspect tells code, layout, redshift, sigma8 and range of every table, what is wrong with one, and
# what a parameter file of CMBFAST means.
set -u
PATH=${PATH/"$SLUICE_TOP/tests/svg_alone:"/} # looks at PNG and PDF, too
data=$SLUICE_TOP/tests/data/cosmo
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# finds CODE TEXT COMMAND...: exit code CODE, output or message holds TEXT
finds() {
    local code=$1 text=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || bad "exit $got, not $code: $*: $(cat err)"
    cat out err | grep -qF -- "$text" || bad "'$*' does not say '$text': $(cat out err)"
}
for f in camb13_transfer camb7_transfer cmbfast5_layout class_tk_sync class_tk_newt class_tk_cambformat camb_matterpower class_pk; do
    case $f in camb_matterpower | class_pk) verdict='none: it is for you to judge what the warnings say' ;; *) verdict='nothing is wrong' ;; esac
    finds 0 "$verdict" sluice inspect "$data/${f}_z99.dat" --redshift 99 --box 100 --cells 256
    finds 0 '0.85183 at z = 0' sluice inspect "$data/${f}_z0.dat" --redshift 0
    grep -v '^#' "$data/${f}_z0.dat" >bare.dat
    case $f in class_tk_sync | class_tk_newt) finds 65 'lines that begin with #' sluice inspect bare.dat ;;
        *) finds 0 'nothing is wrong' sluice inspect bare.dat ;; esac
done
t=$data/camb13_transfer_z99.dat
finds 65 'taken for z = 0' sluice inspect "$t" --redshift 0
finds 65 'a longer table' sluice inspect "$t" --box 100 --cells 4096
finds 0 'continued with' sluice inspect "$t" --box 100 --cells 4096 ic.extrapolate=true
finds 65 'Omega_b / Omega_m' sluice inspect "$t" cosmology.omega_b=0.05
finds 0 'D(z = 0) / D(z = 99) times this table' sluice inspect "$data/class_tk_sync_z0.dat" "$data/class_tk_newt_z99.dat"
awk '/^#/ { print; next } { printf "%s", $1; for (i = 2; i <= NF; i++) printf " %.9e", 1.05 * $i; print "" }' \
    "$data/class_tk_newt_z99.dat" >more.dat
finds 0 'nothing is wrong' sluice inspect more.dat
finds 65 'times this table to 4.8 %' sluice inspect "$data/class_tk_sync_z0.dat" more.dat
finds 0 'times the table as it stands' sluice inspect "$t" --redshift 99 cosmology.normalise=sigma8
finds 65 'is not a number' sluice inspect "$SLUICE_TOP/README.md"
# no verdict on a recipe, which is for sluice check, and none beside a warning
printf 'campaign: c\nproblem: nothing\nmesh.cellz: 4\n' >wrong.yaml
finds 0 'none: sluice check has one' sluice inspect wrong.yaml
grep -q 'nothing is wrong' out && bad "a verdict on a recipe: $(cat out)"
sluice inspect wrong.yaml --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["files"][0]["ok"] is None' || bad 'a verdict on a recipe in JSON'
# groups of an HDF5 file in each other, thousands deep
/usr/bin/python3 - <<'END'
import h5py

with h5py.File("nested.h5", "w") as f:
    g = f
    for _ in range(3000):
        g = g.create_group("g")
END
finds 65 'its groups lie in each other deeper than any of ours' timeout 20 sluice inspect nested.h5
finds 73 'cannot open nowhere' sluice inspect nowhere
finds 73 'did you mean more.dat?' sluice inspect mroe.dat
finds 2 'usage' sluice inspect cosmology.h=0.7
printf 'omegab = 0.045\nomegac = 0.255\nomegav = 0.7\nh0 = 70\nan(1) = 0.96\ntcmb = 2.7255\nannur = 3.046\n' >cmb.par
finds 0 'Omega_m 0.3 (baryons 0.045)' sluice inspect cmb.par
finds 0 'nothing is wrong' sluice inspect "$t" --redshift 99 cosmology.file=cmb.par
sed -i 's/= 70/= 50/' cmb.par
finds 65 'its amplitude is that of' sluice inspect "$t" --redshift 99 cosmology.file=cmb.par
# what lies beside tables of CAMB and of CLASS
printf '# params.ini\noutput_root = test\nget_scalar_cls = T\nuse_physical = T\nombh2 = 0.0226\nomch2 = 0.112\nomnuh2 = 0\nomk = 0\nhubble = 70\nw = -1\ntemp_cmb = 2.7255\nhelium_fraction = 0.24\nmassless_neutrinos = 3.046\nscalar_amp(1) = 2.1e-9\nscalar_spectral_index(1) = 0.96\n' >params.ini
printf '# of CLASS\noutput = mTk\nh = 0.7\nomega_b = 0.0226\nomega_cdm = 0.112\nA_s = 2.1e-9\nn_s = 0.96\nYHe = BBN\nz_pk = 99\n' >class.ini
for ini in params.ini class.ini; do
    finds 0 'Omega_m 0.274694 (baryons 0.0461224)' sluice inspect $ini
    finds 0 'A_s 2.1e-09' sluice inspect $ini
done
sed -i '/^omega_cdm/d' class.ini
finds 65 'class.ini: baryons and dark matter must both be given' sluice inspect class.ini
printf '1\n7 5\n1 0\nt.dat\n1\n-1\n0.045 0.255 0.7 0\n70 2.726 0.24 3.04 0 10.75\n0\n0\n1\n' >answers
finds 0 't.dat is at z = 0' sluice inspect answers
printf 'omegab = 0.045\nomegax = 1\n' >cmb.par
finds 65 "did you mean 'omega" sluice inspect cmb.par
sluice inspect "$t" --redshift 99 --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
f = d["files"][0]
assert d["v"] == 1 and f["code"] == "CAMB" and f["ok"] and f["velocities"] and abs(f["sigma8"] - 0.011139) < 3e-6, f
' || bad 'json'
# check holds the table of a recipe against its universe before anything runs, and so does run
r=$SLUICE_TOP/recipes/cosmology-ic.yaml
finds 0 '2 members' sluice check "$r" ic.transfer=table ic.table="$t"
finds 65 'command line:2:10: ic.table: ' sluice check "$r" ic.transfer=table ic.table="$data/camb13_transfer_z0.dat"
finds 65 'but it is taken for z = 50' sluice check "$r" ic.transfer=table ic.table="$t" ic.redshift=50
finds 65 'Omega_b / Omega_m' sluice check "$r" ic.transfer=table ic.table="$t" cosmology.omega_b=0.06
finds 65 'is not a number' sluice check "$r" ic.transfer=table ic.table="$SLUICE_TOP/README.md"
finds 65 'but it is taken for z = 50' sluice run "$r" ic.transfer=table ic.table="$t" ic.redshift=50
[ -e cosmology-ic ] && bad "a campaign was made with a table that does not fit"

# files of a campaign: what they are, what they hold with units, and damage
cat >own.yaml <<'YAML'
campaign: own
problem: turbulence
turbulence: {mach: 2, kmin: 1, kmax: 3}
mesh: {cells: [8, 8, 8]}
time: {end: 0.2, unit: crossing}
YAML
sluice run own.yaml >log 2>&1 || bad "own: $(tail -n 3 log)"
m=own/members/0000 snapshot=own/members/0000/snapshots/own_hdf5_plt_cnt_0001
finds 0 'velocity_x               8 x 8 x 8          code velocity' sluice inspect $m/ic.h5
finds 0 'kind      snapshot' sluice inspect $snapshot
at=$(sluice inspect $m/stats.h5 | grep '^    ' | sed -E 's/^(    [^ ]+ +).*/\1/' | awk '{ print length($0) }' | sort -u | wc -l)
[ "$at" = 1 ] || bad "parts of a file with long names stand in $at columns"
finds 0 'kinetic_energy_ratio' sluice inspect $m/stats.h5
finds 0 'history of a run' sluice inspect $m/history.tsv
finds 0 '2 pi / longest side' sluice inspect $m/stats/spectrum_velocity_0001.csv
finds 0 'kind      map' sluice inspect $m/stats/slice_density_z_0001.csv
finds 0 'mach_rms' sluice inspect $m/history.tsv $m/stats/summary.csv
finds 0 'problem: turbulence' sluice inspect $m/run.yaml
finds 0 'stage: sim' sluice inspect $m/attempts/sim.end.json
finds 0 'journal of a campaign' sluice inspect own/journal.jsonl
finds 0 'members: 1' sluice inspect own
finds 0 '"shape": [' sluice inspect $m/ic.h5 --json
printf 'variable\tL1\tLinf\n# time: 0.2\ndensity\t0.05\t0.1\n' >verify.tsv
finds 0 'rows: 1' sluice inspect verify.tsv
sluice inspect verify.tsv | grep -q 'from:' && bad "times of a table that has none"
sluice inspect $m/history.tsv | grep -q 'from:' || bad "a history without its times"
printf 'infall,density\n0.5,1\n' >names.csv
finds 0 'infall' sluice inspect names.csv
printf -- '-0,1\n2,3\n' >numbers.csv
finds 0 'matrix of numbers' sluice inspect numbers.csv
sluice set own resources.walltime='1 h' >/dev/null
sluice export own --sqlite own.db >/dev/null
finds 0 'what sluice set has changed' sluice inspect own/slots/settings
finds 0 'SQLite' sluice inspect own.db
finds 0 'only its kind is known' sluice inspect own.db
sluice inspect own.db --json | grep -q '"ok": *null' || bad "a file that was not read is said to be whole"
printf '# cells along x\n# time: 0.2\n# unit x: code length\n# unit density: code density\nx,density\n0.5,1\n' >sample_line.csv
finds 0 'columns: 2' sluice inspect sample_line.csv
finds 0 'code density' sluice inspect sample_line.csv
python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<i3i8fi", 44, 4, 2, 3, *[1.0] * 8, 44) + 3 * (struct.pack("<i8fi", 32, *[0.5] * 8, 32)))' >ic_deltab
finds 0 'cells: [4, 2, 3]' sluice inspect ic_deltab
mkdir ic_delta && cp ic_deltab ic_delta/ic_velcx # its own name tells the unit, not that of its directory
finds 0 'units: km/s, proper peculiar' sluice inspect ic_delta/ic_velcx
head -c 100 ic_deltab >ic_velbx
finds 65 'cut short' sluice inspect ic_velbx
# what a run says of where it is, and what ParaView reads
finds 0 'state: done' sluice inspect $m/progress.json
finds 0 'progress of a run' sluice inspect $m/progress.json
finds 0 'unit_value: ' sluice inspect $m/progress.json
finds 0 'snapshots: ' sluice inspect $m/snapshots/own.vtkhdf.series
finds 0 'own_hdf5_plt_cnt_0001' sluice inspect $m/snapshots/own.vtkhdf.series
# starts for other codes: whose they are, and units
cat >start.yaml <<'YAML'
campaign: start
problem: cosmology
mesh: {cells: [8, 8, 8], box: [[0, 50], [0, 50], [0, 50]]}
ic: {redshift: 49}
time: {end: 0}
YAML
sluice-ic start.yaml run.input=start.h5 2>log || bad "start: $(cat log)"
for code in gadget swift grafic enzo; do sluice-ic --export $code start.h5 $code 2>log || bad "$code: $(cat log)"; done
units() { # file, dataset, unit
    sluice inspect "$1" --json | python3 -c 'import json, sys
parts = {p["name"]: p.get("units", "") for p in json.load(sys.stdin)["files"][0]["parts"]}
assert parts[sys.argv[1]] == sys.argv[2], parts' "$2" "$3" || bad "units of $2 in $1"
}
finds 0 'kind      particles as Gadget has them' sluice inspect gadget/ic.hdf5
units gadget/ic.hdf5 PartType1/Coordinates 'kpc/h, comoving'
units gadget/ic.hdf5 PartType0/Velocities 'sqrt(a) km/s, proper peculiar'
units gadget/ic.hdf5 PartType0/Masses '1e10 Msun/h'
finds 0 'kind      particles as SWIFT has them' sluice inspect swift/ic.hdf5
units swift/ic.hdf5 PartType0/SmoothingLength 'Mpc, comoving'
units swift/ic.hdf5 PartType0/InternalEnergy '(km/s)^2, physical'
units swift/ic.hdf5 PartType1/Masses '1e10 Msun'
units swift/ic.hdf5 PartType1/ParticleIDs ''
finds 0 'units: density contrast, 1' sluice inspect grafic/ic_deltab
finds 0 'units: km/s, proper peculiar' sluice inspect grafic/ic_velcx
finds 0 'units: Mpc/h, comoving' sluice inspect grafic/ic_poscz
finds 0 'field of a start as Enzo has it' sluice inspect enzo/GridDensity
units enzo/GridDensity GridDensity 'mean density of all matter'
units enzo/ParticlePositions ParticlePositions 'sides of the box'
sluice inspect enzo/GridVelocities | grep -qE 'GridVelocities .* [0-9.]+ km/s, proper peculiar' || bad "units of Enzo: $(sluice inspect enzo/GridVelocities)"
# a comparison with an exact solution
printf 'campaign: tube\nproblem: sod\nverify: true\nmesh: {cells: [16], boundary: outflow}\nfluid: {gamma: 1.4}\ntime: {end: 0.05}\n' >sod.yaml
sluice-sim sod.yaml >log 2>&1 || bad "tube: $(cat log)"
units verify.tsv L1 'code units of the row'
units verify.tsv Linf 'code units of the row'
find own -type f >all
while read -r f; do sluice inspect "$f" >out 2>err || bad "$f: $(cat out err)"; done <all # every file of a campaign
flip() { # a byte in the middle of a file
    python3 -c 'import os, sys; f = open(sys.argv[1], "r+b"); f.seek(int(sys.argv[2])); b = f.read(1); f.seek(-1, 1); f.write(bytes([b[0] ^ 255]))' "$1" "$2"
}
cp $m/ic.h5 $snapshot .
flip ic.h5 9000
flip own_hdf5_plt_cnt_0001 $(($(stat -c %s own_hdf5_plt_cnt_0001) / 2))
head -c 3000 $m/stats.h5 >cut.h5
finds 65 'checksum' sluice inspect ic.h5
finds 65 'wrong' sluice inspect own_hdf5_plt_cnt_0001
finds 65 'damaged' sluice inspect cut.h5
mkdir one
cp $m/run.yaml $m/ic.h5 one
sluice-sim one/run.yaml output.checkpoint=0.001 2>>log || bad "one: $(tail -n 3 log)"
c=$(find one/checkpoints -name 'ckpt.*' | head -n 1)
finds 0 'step: ' sluice inspect "$c"
cp "$c/MANIFEST" .
flip MANIFEST 20
finds 65 'checksum does not hold' sluice inspect MANIFEST
[ $failed = 0 ] && echo ok
exit $failed
