#!/bin/bash
# inspect.sh - sluice inspect tells code, layout, redshift, sigma8 and range of every table, what is wrong with one, and
# what a parameter file of CMBFAST means.
set -u
data=$SLUICE_TOP/tests/data/cosmo
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# told CODE TEXT COMMAND...: exit code CODE, output or message holds TEXT
told() {
    local code=$1 text=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || bad "exit $got, not $code: $*: $(cat err)"
    cat out err | grep -qF -- "$text" || bad "'$*' does not say '$text': $(cat out err)"
}
for f in camb13_transfer camb7_transfer cmbfast5_layout class_tk_sync class_tk_newt class_tk_cambformat camb_matterpower class_pk; do
    told 0 'nothing is wrong' sluice inspect "$data/${f}_z99.dat" --redshift 99 --box 100 --cells 256
    told 0 '0.85183 at z = 0' sluice inspect "$data/${f}_z0.dat" --redshift 0
    grep -v '^#' "$data/${f}_z0.dat" >bare.dat
    case $f in class_tk_sync | class_tk_newt) told 65 'lines that begin with #' sluice inspect bare.dat ;;
        *) told 0 'nothing is wrong' sluice inspect bare.dat ;; esac
done
t=$data/camb13_transfer_z99.dat
told 65 'taken for z = 0' sluice inspect "$t" --redshift 0
told 65 'a longer table' sluice inspect "$t" --box 100 --cells 4096
told 0 'continued with' sluice inspect "$t" --box 100 --cells 4096 ic.extrapolate=true
told 65 'Omega_b / Omega_m' sluice inspect "$t" cosmology.omega_b=0.05
told 0 'D(z = 0) / D(z = 99) times this table' sluice inspect "$data/class_tk_sync_z0.dat" "$data/class_tk_newt_z99.dat"
awk '/^#/ { print; next } { printf "%s", $1; for (i = 2; i <= NF; i++) printf " %.9e", 1.05 * $i; print "" }' \
    "$data/class_tk_cambformat_z99.dat" >more.dat
told 0 'nothing is wrong' sluice inspect more.dat
told 65 'times this table to 4.8 %' sluice inspect "$data/class_tk_sync_z0.dat" more.dat
told 0 'times the table as it stands' sluice inspect "$t" --redshift 99 cosmology.normalise=sigma8
told 65 'is not a number' sluice inspect "$SLUICE_TOP/README.md"
told 73 'cannot open nowhere' sluice inspect nowhere
told 2 'usage' sluice inspect cosmology.h=0.7
printf 'omegab = 0.045\nomegac = 0.255\nomegav = 0.7\nh0 = 70\nan(1) = 0.96\ntcmb = 2.7255\nannur = 3.046\n' >cmb.par
told 0 'Omega_m 0.3 (baryons 0.045)' sluice inspect cmb.par
told 0 'nothing is wrong' sluice inspect "$t" --redshift 99 cosmology.file=cmb.par
sed -i 's/= 70/= 50/' cmb.par
told 65 'its amplitude is that of' sluice inspect "$t" --redshift 99 cosmology.file=cmb.par
printf '1\n7 5\n1 0\nt.dat\n1\n-1\n0.045 0.255 0.7 0\n70 2.726 0.24 3.04 0 10.75\n0\n0\n1\n' >answers
told 0 't.dat is at z = 0' sluice inspect answers
printf 'omegab = 0.045\nomegax = 1\n' >cmb.par
told 65 "did you mean 'omega" sluice inspect cmb.par
sluice inspect "$t" --redshift 99 --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
f = d["files"][0]
assert d["v"] == 1 and f["code"] == "CAMB" and f["ok"] and f["velocities"] and abs(f["sigma8"] - 0.011139) < 3e-6, f
' || bad 'json'
# check holds the table of a recipe against its universe before anything runs, and so does run
r=$SLUICE_TOP/recipes/cosmology-ic.yaml
told 0 '2 members' sluice check "$r" ic.transfer=table ic.table="$t"
told 65 'command line:2:10: ic.table: ' sluice check "$r" ic.transfer=table ic.table="$data/camb13_transfer_z0.dat"
told 65 'but it is taken for z = 50' sluice check "$r" ic.transfer=table ic.table="$t" ic.redshift=50
told 65 'Omega_b / Omega_m' sluice check "$r" ic.transfer=table ic.table="$t" cosmology.omega_b=0.06
told 65 'is not a number' sluice check "$r" ic.transfer=table ic.table="$SLUICE_TOP/README.md"
told 65 'but it is taken for z = 50' sluice run "$r" ic.transfer=table ic.table="$t" ic.redshift=50
[ -e cosmology-ic ] && bad "a campaign was made with a table that does not fit"
[ $failed = 0 ] && echo ok
exit $failed
