#!/bin/bash
# inputs.sh - a path in a recipe is relative to the recipe; the campaign keeps a copy, so that it may be moved and the
# original may go; a file that is not there is refused with its place before anything is made. `check` reads every table as the
# stages will: spectra, curves of cooling in their units, tables made for another universe or redshift; what is to be known of
# them is said by check and by run.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
mkdir recipes work
printf '1 1\n2 0.5\n4 0.1\n' >recipes/spectrum.txt
cat >recipes/table.yaml <<'END'
campaign: table
problem: turbulence
turbulence: {mach: 2, kmax: 4, table: spectrum.txt}
mesh: {cells: [16, 16, 16]}
time: {end: 0.01, unit: crossing}
statistics: {spectra: [], pdf: [], structure: []}
END
cd work || exit 1
sluice run ../recipes/table.yaml >out 2>&1 || { cat out; fail "the campaign did not run"; }
rm ../recipes/spectrum.txt
mv table moved
grep -q 'turbulence.table: .*\.\./\.\./inputs/[0-9a-f]*-spectrum.txt' moved/members/0000/run.yaml || fail "run.yaml does not name the copy"
rm -r moved/members/0000
sluice run moved >out 2>&1 || { cat out; fail "the moved campaign did not run without the original"; }
for verb in check run submit; do
    sluice $verb ../recipes/table.yaml >out 2>&1
    [ $? = 65 ] || fail "$verb: a file that is not there: exit code"
    grep -q 'table.yaml:3:[0-9]*: turbulence.table: cannot read .*spectrum.txt: No such file' out || { cat out; fail "$verb: message"; }
done
[ ! -e table ] || fail "a campaign was made without its input"
mkdir ../recipes/spectrum.txt
sluice run ../recipes/table.yaml >out 2>&1
[ $? = 65 ] && grep -q 'not a regular file' out || { cat out; fail "a directory as input"; }

# checked CODE TEXT RECIPE KEYS...: what check says of it
checked() {
    local code=$1 text=$2
    shift 2
    sluice check "$@" >out 2>&1
    [ $? = "$code" ] && grep -q "$text" out || { cat out; fail "check $*: not $code, $text"; }
}
cd ..
checked 65 'turbulence.table: the table of the spectrum covers k = 2 .. 4' recipes/table.yaml "turbulence.table=$(printf '2 1\n4 0.25\n' >short && echo short)"
checked 65 'turbulence.table: comma:1: 1,1 is not a number' recipes/table.yaml "turbulence.table=$(printf '1,1\n8,0.1\n' >comma && echo comma)"
checked 0 table: recipes/table.yaml "turbulence.table=$(printf '1 1.0D0\n8 1.0D-1\n' >d && echo d)"

# cooling: a curve in K and erg cm^3/s cools gas of 1.5e4 K, and is refused where the run has no units
cat >kelvin.yaml <<'END'
campaign: kelvin
problem: driven_turbulence
mesh: {cells: [8, 8, 8]}
driving: {acceleration: 1}
driven_turbulence: {pressure: 100}
units: {length: 1 pc, density: 2.0e-24, velocity: 1 km/s, weight: 1.27}
cooling: {table: kelvin.txt}
time: {end: 0.01}
statistics: {spectra: [], pdf: [], structure: []}
END
printf '# T in K, Lambda in erg cm^3/s\n8e3 1e-24\n2e4 6e-23\n1e5 4e-22\n1e8 6e-23\n' >kelvin.txt
checked 0 kelvin: kelvin.yaml
checked 65 'kelvin.yaml:7:18: cooling.table: .*has no physical units' kelvin.yaml units.length=0 units.density=0 units.velocity=0 units.weight=0
checked 65 'kelvin.yaml:7:18: cooling.table: .*needs units.weight' kelvin.yaml units.weight=0
for i in 1 2 3; do printf '%s -22.%s -23\n' $i $i; done >three.txt
checked 0 'note: .*2 of its columns can be Lambda, and column 2 is taken' kelvin.yaml cooling.table=three.txt
printf '1 1\n2\n' >bad.txt
checked 65 'cooling.table: bad.txt:2: 1 columns' kelvin.yaml cooling.table=bad.txt
sluice-sim kelvin.yaml >out 2>&1 || { cat out; fail "a run that cools"; }
energy() { awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^cooling_energy/) c = i } END { print ($c > 0) }' history.tsv; }
[ "$(energy)" = 1 ] || { head -c 900 history.tsv; fail "a curve in K cools nothing"; }
grep -q 'none of the gas' out && { cat out; fail "gas within the curve"; }
sluice-sim kelvin.yaml cooling.units=code cooling.table=three.txt >out 2>&1 && fail "log10 as code units"
printf '1e9 1\n1e10 1\n' >hot.txt
rm -f history.tsv progress.json
sluice-sim kelvin.yaml cooling.table=hot.txt >out 2>&1
grep -q 'warning: .*hot.txt is of T = 1e+09 to 1e+10 in code units, and none of the gas' out || { cat out; fail "a curve beside the gas"; }
# check and plan tell it before anything runs, of 256^3 cells by a coarser start, too, and nothing of gas within the curve
checked 0 'note: command line:1:15: cooling.table: .*hot.txt is of T = 1e+09 to 1e+10 in code units, and none of the gas' kelvin.yaml cooling.table=hot.txt
checked 0 'note: .*hot.txt is of T = .* none of the gas' kelvin.yaml cooling.table=hot.txt 'mesh.cells=[256, 256, 256]'
sluice plan kelvin.yaml cooling.table=hot.txt >out 2>&1
grep -q '^note .*hot.txt is of T = 1e+09' out || { cat out; fail "plan: a curve beside the gas"; }
sluice check kelvin.yaml >out 2>&1
grep -q 'none of the gas' out && { cat out; fail "check: gas within the curve"; }
mkdir here && cp kelvin.yaml hot.txt here
(cd here && sed -i 's/kelvin.txt/hot.txt/' kelvin.yaml) && rm hot.txt # beside the recipe, not where the shell is
checked 0 'note: here/kelvin.yaml:7:18: cooling.table: .*hot.txt is of T = ' here/kelvin.yaml
cp here/hot.txt .
for table in kelvin.txt:PASS hot.txt:FAIL; do
    sluice run kelvin.yaml cooling.table=${table%:*} --dir ${table%.*} >out 2>&1 || { cat out; fail "a campaign with $table"; }
    grep -q "^The cooling table covers temperatures of the gas.${table#*:}" ${table%.*}/report/checks.txt || { cat ${table%.*}/report/checks.txt; fail "the check of $table"; }
done

# potentials: a table of r and phi is read by check, with its line, and copied to the campaign
cat >halo.yaml <<'END'
campaign: halo
problem: kelvin_helmholtz
mesh: {cells: [16, 16]}
potential: {kind: table, strength: 1, table: halo.txt}
time: {end: 0.01}
END
for i in 0 1 2 3 4 5 6 7; do echo "0.$i -1.$((9 - i))"; done >halo.txt
checked 0 halo halo.yaml
printf '0 -1\n1 -0.9\n1 -0.8\n2 -0.7\n' >fall.txt
checked 65 'potential.table: fall.txt:3: r = 1, after 1 in the line before' halo.yaml potential.table=fall.txt
sluice run halo.yaml >out 2>&1 || { cat out; fail "a campaign in a table of a potential"; }
grep -q 'potential.table: .*\.\./\.\./inputs/[0-9a-f]*-halo.txt' halo/members/0000/run.yaml || fail "run.yaml does not name the copy of the potential"

# universes
data=$SLUICE_TOP/tests/data/cosmo
cat >u.yaml <<END
campaign: u
problem: cosmology
mesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96}
ic: {redshift: 99, transfer: table, table: $data/camb13_transfer_z99.dat, fixed: true}
time: {end: 0}
END
checked 0 'note: sigma8 is 0.85[0-9]* today' u.yaml
checked 65 'u.yaml:5:44: ic.table: .*made for Omega_m h^2 about' u.yaml cosmology.h=0.73
checked 65 'command line:4:10: ic.table: .*class_tk_newt_z99.dat: its acoustic waves .*made for another one' u.yaml cosmology.h=0.674 cosmology.omega_m=0.315 cosmology.omega_b=0.04725 "ic.table=$data/class_tk_newt_z99.dat"
checked 65 'u.yaml:5:44: ic.table: .*with Omega_b / Omega_m = 0.14: made for other' u.yaml cosmology.omega_b=0.042
p="ic.table=$data/camb_matterpower_z99.dat"
checked 0 'note: .*one spectrum for baryons and dark matter' u.yaml "$p" cosmology.normalise=table
checked 65 'its amplitude is that of z = 9.*it is taken for z = 79' u.yaml "$p" cosmology.normalise=table ic.redshift=79
checked 65 'cosmology.sigma8 says 0.7' u.yaml "$p" cosmology.normalise=table cosmology.sigma8=0.7
checked 0 'note: .*sigma8 is 0.5 today: outside 0.6 to 1.0' u.yaml cosmology.normalise=sigma8 cosmology.sigma8=0.5
checked 65 'ic.species: distinct needs transfer functions of ic.redshift, 99.*nearest: one_fluid' u.yaml ic.species=distinct ic.mode=back_scaled "ic.table=$data/camb13_transfer_z0.dat"
checked 65 'ic.species: distinct needs .*a fit is of all matter' u.yaml ic.species=distinct ic.transfer=bbks 'ic.table=""'
checked 0 'note: .*gas and dark matter start alike' u.yaml ic.transfer=bbks 'ic.table=""'
sluice plan u.yaml >out 2>&1
grep -q '^note .*sigma8 is 0.85' out || { cat out; fail "plan: sigma8"; }
sluice run u.yaml "$p" cosmology.normalise=table 'mesh.cells=[8, 8, 8]' >out 2>&1 || { cat out; fail "a universe of P(k)"; }
for verb in plan status why; do
    sluice $verb u >out 2>&1
    grep -q 'note.* one spectrum for baryons and dark matter' out || { cat out; fail "$verb does not say what is to be known"; }
done
grep -q 'Notes on the inputs.*one spectrum for baryons' u/report/index.html || fail "the report does not say what is to be known"
# the mesh of a start that hangs on a table beside a recipe in another folder
mkdir beside
cp "$data/camb_matterpower_z99.dat" beside/power.dat
cat >beside/fine.yaml <<'END'
campaign: fine
problem: cosmology
mesh: {cells: [16, 16, 16], box: [[0, 500], [0, 500], [0, 500]], block: 8, levels: 1, refine: [{by: jump, of: density, above: 0.001}]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96, normalise: table}
ic: {redshift: 99, transfer: table, table: power.dat, species: baryons, level: 1}
time: {end: 50, unit: redshift}
END
checked 0 'as at the start of member 0000' beside/fine.yaml
printf 'hubble = 70\nombh2 = 0.02205\nomch2 = 0.12495\nscalar_amp = 2.1e-9\nscalar_spectral_index = 0.96\n' >params.ini
checked 0 'note: sigma8 is 0.85[0-9]* today' u.yaml cosmology.file=params.ini cosmology.h=0.5
said="$(sluice check u.yaml time.unit=redshift fluid.dual_energy=true ic.species=one_fluid)"
grep -q '512 of [0-9.e+]* Msun/h, 12.5 Mpc/h apart' <<<"$said" || fail "no mass of particles: $said"
# densities of the keys are not those of the file
said="$(sluice check u.yaml time.unit=redshift fluid.dual_energy=true ic.species=one_fluid cosmology.file=params.ini)"
grep -q '  512, 12.5 Mpc/h apart' <<<"$said" || fail "a mass of particles by keys that a file replaces: $said"
sluice check --json u.yaml time.unit=redshift fluid.dual_energy=true ic.species=one_fluid cosmology.file=params.ini >out
grep -q '"mass": *null' out || fail "JSON of it: $(cat out)"
printf 'omega_b = 0.02205\nomega_cdm = 0.12495\nH0 = 74\n' >class.ini
checked 65 'ic.table: .*h 0.74.*made for another one' u.yaml cosmology.file=class.ini
printf 'hubble = 70\nombh2 = 0.02\n' >bad.ini
checked 65 'cosmology.file: bad.ini: baryons and dark matter must both be given' u.yaml cosmology.file=bad.ini
echo ok
