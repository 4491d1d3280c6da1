#!/bin/bash
# recipe.sh - recipes as a user meets them: sluice check, keys and help, and the message, place and exit code that every
# kind of wrong input gets.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
bad() { echo "FAIL: $*"; : >failed; } # a file, because what runs in a pipe cannot set a variable

good='campaign: demo
problem: sod
mesh: {cells: [64, 64]}
time: {end: 1}'

# wrong EXIT TEXT COMMAND...: the command fails with this code, and the first line on stderr is "sluice: TEXT" (TEXT is a
# shell pattern); nothing is printed to stdout, and nothing is left behind.
wrong() {
    local code=$1 text=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || bad "exit $got, not $code: $*"
    # shellcheck disable=SC2053
    [[ $(head -n 1 err) == sluice:\ $text ]] || bad "'$(head -n 1 err)' is not 'sluice: $text'"
    [ "$(wc -l <err)" = 1 ] || bad "more than one line on stderr: $*"
    [ -s out ] && bad "printed to stdout: $*"
    grep -qP '[\x00-\x08\x0b-\x1f]' err && bad "control characters on the terminal: $*"
}
# recipe EXIT TEXT: the recipe on stdin is refused by check
recipe() {
    cat >r.yaml
    wrong "$1" "$2" sluice check r.yaml
}
# line TEXT LINE: `good` with one more line
line() { printf '%s\n%s\n' "$good" "$2" | recipe 65 "$1"; }

# ---- files that are no recipe
wrong 65 'none.yaml: cannot be read: No such file or directory' sluice check none.yaml
wrong 65 '.: is not a regular file' sluice check .
wrong 65 '/dev/zero: is not a regular file' sluice check /dev/zero
mkfifo fifo && wrong 65 'fifo: is not a regular file' timeout 60 sluice check fifo
: >r.yaml && wrong 65 'r.yaml:1:1: the file is empty' sluice check r.yaml
printf '# nothing\n' | recipe 65 'r.yaml:1:1: nothing is written here'
head -c 4096 "$(command -v sluice)" | recipe 65 'r.yaml:1:*'
head -c 5000 /dev/urandom | recipe 65 'r.yaml:*'
printf 'a: 1\0\n' | recipe 65 'r.yaml:1:5: a zero byte: is this a binary file?'
printf '\xff\xfea\0' | recipe 65 'r.yaml:1:1: the text is UTF-16; save it as UTF-8'
head -c 1100000 /dev/zero | tr '\0' x | recipe 65 'r.yaml: 1100000 bytes, more than 1048576'
truncate -s 10G r.yaml && wrong 65 'r.yaml: 10737418240 bytes, more than 1048576' sluice check r.yaml
head -c 100000 /dev/zero | tr '\0' '[' | recipe 65 'r.yaml:1:65: nested more than 64 deep'
head -c 100000 /dev/zero | tr '\0' '{' | recipe 65 'r.yaml:1:2: a key must be a name, not a list or a mapping'
yes '{a: ' | head -n 25000 | tr -d '\n' | recipe 65 'r.yaml:1:*: nested more than 64 deep'
{ printf 'a: ['; yes '1,' | head -n 110000 | tr -d '\n'; printf ']'; } | recipe 65 'r.yaml:1:*: more than 100000 values*'
{ printf 'a: '; head -c 70000 /dev/zero | tr '\0' x; } | recipe 65 'r.yaml:1:4: a value of 70000 bytes, more than 65536'
if [ "$(id -u)" != 0 ]; then
    echo "$good" >r.yaml && chmod 000 r.yaml && wrong 65 'r.yaml: cannot be read: Permission denied' sluice check r.yaml
    rm -f r.yaml
fi

# ---- YAML that means different things to different readers
printf 'campaign: &a x\nproblem: *a\n' | recipe 65 "r.yaml:1:11: anchor '&a' is not allowed*"
line "r.yaml:5:7: alias '\*x' is not allowed*" 'seed: *x'
line "r.yaml:5:9: merge key '<<' is not allowed*" 'fluid: {<<: {cfl: 1}}'
line "r.yaml:5:7: tag '*' is not allowed*" 'seed: !!int 3'
line 'r.yaml:5:1: a second document starts here*' '---'
line "r.yaml:5:1: 'campaign' is given twice, first on line 1" 'campaign: again'
line "r.yaml:5:1: 'time.end' is given twice, first on line 4" 'time.end: 2'
line 'r.yaml:5:7: a control character' $'seed: \x1b[31m3'
line 'r.yaml:5:13: a character that changes the direction of text*' $'run.input: a\xe2\x80\xaeb'
line 'r.yaml:5:12: run.input: a text of one line*' 'run.input: "a\tb"'
line 'r.yaml:6:1: not valid YAML: *' 'seed: [1, 2'
line 'r.yaml:5:5: not valid YAML: *' 'a: b: c'
line 'r.yaml:6:1: *' $'fluid:\n\tcfl: 1'

# ---- keys and values
line "r.yaml:5:1: unknown key 'fluid.gama'; did you mean 'fluid.gamma'[?]" 'fluid.gama: 1.4'
line "r.yaml:5:9: unknown key 'fluid.gama'; did you mean 'fluid.gamma'[?]" 'fluid: {gama: 1.4}'
line "r.yaml:5:1: unknown key 'cells'; did you mean 'mesh.cells'[?]" 'cells: [4]'
# shellcheck disable=SC2016
line "r.yaml:5:1: unknown key '\$(reboot)'; \`sluice keys\` lists all" '$(reboot): 1'
line "r.yaml:5:8: 'fluid' is a group of keys: *" 'fluid: 3'
line "r.yaml:5:16: fluid.riemann: 'hlcc' is none of llf, *; did you mean hllc" 'fluid.riemann: hlcc'
printf 'campaign: r\nproblem: cosmolgy\nmesh: {cells: [4]}\ntime: {end: 0}\n' | recipe 65 "r.yaml:2:10: problem: 'cosmolgy' is none of *, wave; did you mean cosmology" # all of them
printf 'campaign: r\nproblem: sedov blast\nmesh: {cells: [4]}\ntime: {end: 0}\n' | recipe 65 "r.yaml:2:10: problem: 'sedov blast' is none of *, wave; did you mean sedov"
printf 'campaign: r\nproblem: sedov\nmesh: {cells: 16x16x16}\ntime: {end: 1}\n' | recipe 65 "r.yaml:3:15: mesh.cells: '16x16x16' is no list; write [[]16, 16, 16]"
printf 'campaign: r\nproblem: sedov\nmesh: {cells: 64^3}\ntime: {end: 1}\n' |
    recipe 65 "r.yaml:3:15: mesh.cells: '64^3' is one axis of 262144 cells; write [[]64, 64, 64], or 262144 if that is meant"
line 'r.yaml:5:12: fluid.cfl: 2 is outside 1e-06 .. 1; nearest: 1' 'fluid.cfl: 2'
line "r.yaml:5:12: fluid.cfl: 'no' is neither a number nor a key*" 'fluid.cfl: no'
line "r.yaml:5:9: verify: 'yes' is neither true nor false; nearest: true" 'verify: yes'
line "r.yaml:5:7: seed: '010': no leading zeros*" 'seed: 010'
line "r.yaml:5:7: seed: '0x1f': write the number in decimal" 'seed: 0x1f'
line "r.yaml:5:7: seed: '9223372036854775808' is too large*" 'seed: 9223372036854775808'
line "r.yaml:5:12: fluid.cfl: '.nan' is not a finite number" 'fluid.cfl: .nan'
line "r.yaml:5:12: fluid.cfl: '1e999' does not fit*" 'fluid.cfl: 1e999'
line "r.yaml:5:7: seed takes a number; remove the quotes around '1'" 'seed: "1"'
line 'r.yaml:5:6: seed has no value' 'seed:'
line 'r.yaml:5:14: output.keep takes a whole number, not a list; a member for each value: under sweep' 'output.keep: [2]'
line "r.yaml:5:22: output.checkpoint: 'mins' is not a unit of this key; use one of: ms, s, min, h, d; write 3 min" \
    'output.checkpoint: 3 mins'
line 'r.yaml:5:12: fluid.cfl hangs on itself: fluid.cfl -> sod.x0 -> fluid.cfl' $'fluid.cfl: sod.x0\nsod.x0: fluid.cfl'
line 'r.yaml:5:14: fluid.cfl: division by zero' 'fluid.cfl: 1 / (seed - 1)'
line 'r.yaml:5:12: fluid.cfl: 0.9: with fluid.integrator tvd sound waves are unstable above 0.8' $'fluid.cfl: 0.9\nfluid.integrator: tvd'
line 'r.yaml:5:19: fluid.integrator: tvd does not work with a magnetic field (fluid.mhd); nearest: rk2' \
    $'fluid.integrator: tvd\nfluid.mhd: glm\nfluid.riemann: hlld'
line 'r.yaml:5:16: fluid.riemann: lhllc does not work with a magnetic field (fluid.mhd); nearest: lhlld' \
    $'fluid.riemann: lhllc\nfluid.mhd: ct'
line 'r.yaml:5:23: gravity.acceleration: 1 along z, which the grid does not have' 'gravity.acceleration: [0, 0, 1]'
line 'r.yaml:5:13: mesh.block: 24 does not divide the 64 cells along x; nearest: 16 or 32' 'mesh.block: 24'
line 'r.yaml:5:16: mesh.boundary: only one face along x is periodic*' 'mesh.boundary: [periodic, fixed, fixed, fixed]'
line "r.yaml:5:7: seed: '*" "seed: $(head -c 900 /dev/zero | tr '\0' '1')"
line "r.yaml:5:7: seed: an expression of more than 1000 bytes" "seed: $(head -c 9000 /dev/zero | tr '\0' '(')"
# rules of refinement: see tests/unit/config.c for more
refine() { line "r.yaml:5:$1" "mesh.refine: $2"$'\nmesh.levels: 2'; }
refine '20: mesh.refine: *lohner* is none of loehner, *; did you mean loehner' '[{by: lohner, of: density}]'
refine "58: mesh.refine: of: 'densty' is none of *; did you mean density" '[{by: vorticity}, {by: value, above: 1, of: densty}]'
refine "39: mesh.refine: loehner takes of, above (0.8), below (0.2), filter (0.01), level, not 'abov'; did you mean above" \
    '[{by: loehner, of: mach, abov: 1}]'
refine '15: mesh.refine: a sphere outside mesh.box never refines' '[{by: sphere, center: [4, 4], radius: 1}]'
refine '38: mesh.refine: level: 0 is outside 1 .. 12; nearest: 1' '[{by: vorticity, level: 0}]'
line 'r.yaml:5:14: mesh.refine: needs mesh.levels*' 'mesh.refine: [{by: vorticity}]'
line 'r.yaml:5:14: mesh.levels: 2, but mesh.refine has no rule, so nothing is refined; nearest: 0*' 'mesh.levels: 2'
line 'r.yaml:6:19: fluid.integrator: ctu does not work with levels (mesh.levels); nearest: rk2' \
    $'mesh.levels: 1\nfluid.integrator: ctu\nmesh.refine: [{by: shear}]'
{ echo "$good"; echo 'mesh.refine: [{by: box, lo: [0, 0], hi: [0.5, 0.5]}, {by: loehner, of: density, level: 1}]'; } >r.yaml
sluice check r.yaml sweep.mesh.levels=0..2 --json >out 2>err || bad "a sweep of levels: $(cat err)"
python3 -c 'import json; d = json.load(open("out")); r = d["keys"]["mesh.refine"]
assert d["member_count"] == 3 and r[0]["hi"] == [0.5, 0.5] and r[1]["of"] == "density" and r[1]["level"] == 1' || bad "rules as JSON: $(cat out)"
rest='problem: sod\nmesh: {cells: [64]}\ntime: {end: 1}\n'
printf "$rest" | recipe 65 'r.yaml: campaign: must be given: *'
printf "campaign: ../../etc\n$rest" | recipe 65 "r.yaml:1:11: campaign: '../../etc' is no name: *"
printf "campaign: -rf\n$rest" | recipe 65 "r.yaml:1:*"

# ---- all that is wrong is reported at once, a line each, in the order of the file where that is known
cat >r.yaml <<'YAML'
campaign: demo
problem: turbulence
fluid: {mhd: ct, riemann: hllc, cfll: 0.1}
mesh: {cells: [16, 16, 16], blok: 3}
time: {end: soon, unit: crossing}
seed: -4
YAML
sluice check r.yaml >out 2>err; [ $? = 65 ] || bad "several faults: not exit 65"
[ -s out ] && bad "several faults: printed to stdout"
for text in "r.yaml:3:33: unknown key 'fluid.cfll'; did you mean 'fluid.cfl'?" "r.yaml:4:29: unknown key 'mesh.blok'; did you mean 'mesh.block'?" \
    "r.yaml:6:7: seed: -4 is outside" "r.yaml:5:13: time.end: 'soon' is neither a number nor a key" \
    "r.yaml:3:27: fluid.riemann: hllc does not work with a magnetic field" "r.yaml:2:10: turbulence.kmax: 8 waves"; do
    grep -qF "sluice: $text" err || bad "several faults: no '$text' in $(cat err)"
done
[ "$(wc -l <err)" = 6 ] || bad "several faults: $(cat err)"
sed -i 's/, cfll: 0.1//; s/, blok: 3//; s/soon/1/; s/-4/4/' r.yaml
sluice check r.yaml >out 2>err
grep -q "r.yaml:3:27: fluid.riemann: hllc does not work with a magnetic field" err || bad "several rules: $(cat err)"
grep -q "r.yaml:2:10: turbulence.kmax: 8 waves .*nearest: 7 (its default: the recipe does not give it)" err || bad "a default: $(cat err)"
[ "$(wc -l <err)" = 2 ] || bad "several rules: $(cat err)"
sluice check r.yaml fluid.riemann=auto turbulence.kmax=4 >out 2>err || bad "auto: $(cat err)"
sluice check r.yaml fluid.riemann=auto turbulence.kmax=4 --json | grep -q '"fluid.riemann": "hlld"' || bad "auto is not resolved"
yes 'a' | head -n 500 | awk '{ print $1 NR ": 1" }' >>r.yaml; sluice check r.yaml >out 2>err
[ "$(wc -l <err)" = 21 ] && tail -n 1 err | grep -q 'and more' || bad "500 faults: $(wc -l <err) lines"

# ---- sizes that no machine has, and keys that do nothing here
line 'r.yaml:5:18: resources.ranks: 1000000 ranks cannot share 4096 cells; nearest: 4096' 'resources.ranks: 1000000'
printf 'campaign: x\nproblem: turbulence\nmesh: {cells: [1048576, 1048576, 1048576]}\ntime: {end: 1}\n' |
    recipe 65 'r.yaml:3:15: mesh.cells: 1.153e+18 cells are *'
cat >r.yaml <<'YAML'
campaign: demo
problem: turbulence
sod.x0: 0.3
wave.amplitude: 1e-3
mesh: {cells: [16, 16, 16]}
fluid: {limiter: mc, theta: 1.2}
turbulence: {kmax: 4}
fluid.cfl: 100 * wave.amplitude
driving.slope: -2
time: {end: 1, unit: crossing}
YAML
sluice check r.yaml >out 2>err || bad "keys without effect: $(cat err)"
for text in 'r.yaml:3:1: sod.x0 has no effect here: it needs problem: sod' 'r.yaml:6:22: fluid.theta has no effect here: it needs fluid.limiter: minmod' \
    'r.yaml:9:1: driving.slope has no effect here: it needs driving.acceleration or driving.power'; do
    grep -qxF "note: $text" out || bad "no note '$text': $(grep note out)"
done
[ "$(grep -c '^note:' out)" = 3 ] || bad "notes: $(grep note out)"
sluice check r.yaml --json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["notes"]) == 3' || bad "notes in JSON"
levels='mesh.regrid=2 mesh.buffer=2 mesh.derefine_after=1 time.levels=each resources.filling=[0.5]'
# shellcheck disable=SC2086
sluice check r.yaml $levels >out 2>err || bad "keys of levels without levels: $(cat err)"
[ "$(grep -c '^note: .* has no effect here: it needs mesh.levels$' out)" = 5 ] || bad "keys of levels without levels: $(grep note out)"
# what a member of a sweep uses has an effect
for case in 'potential.values=acceleration potential.kind' 'gravity.tolerance=1e-4 gravity.four_pi_g or time.unit: redshift' \
    'cooling.slope=1 cooling.rate, cooling.table or cooling.heating' 'particles.kernel=tsc particles: ic.species, particles.file, nbody.profile or pancake.dark_matter' \
    'statistics.clump_cells=4 statistics.clumps or statistics.tree' 'ensemble.stop=sequence ensemble.target' \
    'gravity.between=1e-5 gravity.four_pi_g or time.unit: redshift'; do
    sluice check r.yaml "${case%% *}" >out 2>err || bad "$case: $(cat err)"
    grep -q "^note: command line:1:[0-9]*: ${case%%=*} has no effect here: it needs ${case#* }$" out || bad "no note of ${case%% *}: $(grep note out)"
done
for sweep in 'driving.power=[0,1]' 'fluid.limiter=[mc,minmod]'; do
    sluice check r.yaml "sweep.$sweep" >out 2>err || bad "a sweep of $sweep: $(cat err)"
    grep '^note:' out | grep -q "driving.slope\|fluid.theta" && [ "$(grep -c '^note:' out)" = 2 ] || bad "notes in a sweep of $sweep: $(grep note out)"
done
sluice check r.yaml 'sweep.statistics.profiles=[[],[density]]' statistics.profile_bins=30 >out 2>err || bad "a sweep of profiles: $(cat err)"
grep -q '^note:.*profile_bins' out && bad "profiles in a sweep: $(grep note out)"
between=(mesh.block=8 mesh.levels=1 'mesh.refine=[{by: gradient, of: density, above: 1}]' gravity.four_pi_g=1 gravity.between=1e-3)
sluice check r.yaml "${between[@]}" >out 2>err || bad "between without steps of levels: $(cat err)"
grep -q 'gravity.between has no effect here: it needs time.levels: each$' out || bad "no note of gravity.between: $(grep note out)"
sluice check r.yaml "${between[@]}" time.levels=each >out 2>err || bad "between with steps of levels: $(cat err)"
grep -q 'gravity.between' <(grep '^note:' out) && bad "gravity.between: $(grep note out)"
# blocks that no power of two divides make a tree each, those of a power of two make few
sluice check r.yaml 'mesh.cells=[680, 680, 680]' mesh.block=8 >out 2>err || bad "many trees: $(cat err)"
grep -q '^note: .*: 85 x 85 x 85 blocks of the root grid are 614125 octrees, of which every rank holds a list of 347 MB; nearest: ' out ||
    bad "no note of many trees: $(grep note out)"
for few in '1024, 1024, 1024' '672, 672, 672'; do
    sluice check r.yaml "mesh.cells=[$few]" mesh.block=8 >out 2>err || bad "few trees: $(cat err)"
    grep -q octrees out && bad "a note of few trees: $(grep octrees out)"
done
# notes stand beside what is wrong: an unknown key, a value, a rule
for wrong in mesh.cell=8 turbulence.kmax=-4 mesh.block=5; do
    sluice check r.yaml $wrong >out 2>err && bad "$wrong passes"
    [ "$(grep -c '^note:' out)" = 3 ] && grep -q "${wrong%%=*}" err || bad "notes beside $wrong: $(cat out err)"
done
# but none that follows from the default of what is wrong
for wrong in problem=turbulense driving.acceleration=-1 fluid.limiter=minmood fluid.dual_energy=maybe; do
    sluice check r.yaml $wrong >out 2>err && bad "$wrong passes"
    grep -q '^note:' out && bad "notes beside $wrong: $(grep ^note: out)"
done
sed '/^problem/d' r.yaml >nameless.yaml
sluice check nameless.yaml >out 2>err && bad "a recipe without a problem passes"
grep -q '^note:' out && bad "notes of a recipe without a problem: $(grep ^note: out)"
sluice check r.yaml turbulence.kmax=-4 --json >out 2>err && bad "a wrong value in JSON"
[ ! -s out ] && grep -q '"code"' err || bad "a wrong value in JSON: $(cat out err)"
printf 'campaign: x\nproblem: hubble_flow\nmesh: {cells: [32]}\nfluid: {integrator: tvd, dual_energy: true}\ntime: {end: 1}\n' >r.yaml
sluice check r.yaml | grep -q '^note: r.yaml:4:39: fluid.dual_energy does not keep cold gas that expands cold with fluid.integrator: tvd' ||
    bad "no note of dual energy with tvd: $(sluice check r.yaml)"
few() { # KEYS NOTE: of an ensemble that the members are too few for; "" for none
    # shellcheck disable=SC2086
    sluice check few.yaml $1 | grep '^note:' >out
    [ "$(cat out)" = "${2:+note: $2}" ] || bad "few members, $1: $(cat out)"
}
printf 'campaign: few\nproblem: sod\nmesh: {cells: [32]}\ntime: {end: 0.1}\nensemble: {min: 3, target: mach_rms}\nsweep: {seed: 1..4}\n' >few.yaml
never='few.yaml:5:28: ensemble.target is never met: it needs'
few sweep.seed=1..3 ''
few sweep.seed=1..2 "$never 3 members that differ in their seed alone (ensemble.min), and the recipe has 2; all of them run"
few ensemble.stop=sequence "$never 5 members that differ in their seed alone (ensemble.stop: sequence), and the recipe has 4; all of them run"
few 'sweep.time.end=[0.1,0.2] sweep.seed=1..2' "$never 3 members that differ in their seed alone (ensemble.min), and a group of the recipe has 2; all of them run"
few 'sweep.time.end=[0.1,0.2]' ''
sed -i 's/, target: mach_rms//' few.yaml
few '' ''; few 'sweep.time.end=[0.1,0.2] sweep.seed=1..2' ''
few sweep.seed=1..2 'few.yaml:5:17: ensemble.min is 3 and the recipe has 2 members: there is an ensemble only when none of them fails'
few seed=1 'few.yaml:5:17: ensemble.min is 3 and the recipe has 1 member: there is no ensemble of one'
sluice check r.yaml fluid.integrator=rk2 | grep -q '^note.*dual_energy' && bad "a note of dual energy with rk2"
printf 'campaign: x\nproblem: pulse\nmesh: {cells: [32], levels: 1, refine: [{by: box, lo: [0.2], hi: [0.6]}]}\nfluid: {integrator: rk3, reconstruct: ppm}\ntime: {end: 0.5}\n' >r.yaml
sluice check r.yaml | grep -q '^note: r.yaml:4:39: fluid.reconstruct: ppm sends back' || bad "no note of ppm on levels: $(sluice check r.yaml)"
for other in fluid.characteristic=true fluid.reconstruct=wenoz mesh.levels=0; do
    sluice check r.yaml $other | grep -q 'sends back' && bad "a note of ppm on levels with $other"
done
# what no node of the cluster has, of which the site file tells, is a note: the recipe may be meant for another machine
printf 'node_memory: 1000\n' >site.yaml
chmod 600 site.yaml
printf '%s\n' "$good" >r.yaml
SLUICE_SITE=$PWD/site.yaml sluice check r.yaml >out || bad "check with a site file: $?"
grep '^note:' out && bad "a note of a recipe that fits"
for key in resources.memory resources.ensemble.memory; do
    SLUICE_SITE=$PWD/site.yaml sluice check r.yaml $key=9TB >out 2>err || bad "$key: $(cat err)"
    grep -q "^note: sluice submit would refuse this recipe: .* requests .* MiB, but a node has 1000 MiB: " out || bad "$key=9TB: $(grep note out)"
done
SLUICE_SITE=$PWD/site.yaml sluice check r.yaml resources.ensemble.memory=9TB --json | python3 -c 'import json, sys; assert "resources.ensemble.memory" in json.load(sys.stdin)["notes"][0]' || bad "memory of the last job in JSON"
SLUICE_SITE=$PWD/site.yaml sluice plan r.yaml --slurm --offline resources.ensemble.memory=9TB >out 2>err && bad "a plan with a last job that never starts"
for r in "$SLUICE_TOP"/recipes/*.yaml; do sluice check "$r" | grep '^note: .*no effect' && bad "$r has keys without effect"; done

printf '[1, 2]\n' | recipe 65 "r.yaml:1:1: a recipe is a mapping: lines of 'key: value'"

# ---- what the problems and backends ask of the keys is found before anything runs
# rule TEXT KEYS...: a recipe of these lines, one axis of 64 cells unless they say more
rule() {
    local text=$1
    shift
    [[ $* == *mesh:* ]] || set -- "$@" 'mesh: {cells: [64]}'
    printf 'campaign: demo\ntime: {end: 1}\n' >r.yaml
    printf '%s\n' "$@" >>r.yaml
    for verb in check plan run submit; do wrong 65 "r.yaml:$text" sluice $verb r.yaml; done
    [ ! -e demo ] || bad "a campaign was made of $*"
}
rule '3:10: fluid.mhd: problem brio_wu needs a magnetic field; nearest: glm or ct' 'problem: brio_wu'
rule '4:14: fluid.mhd: problem brio_wu needs *' 'problem: brio_wu' 'fluid: {mhd: none}'
rule '4:14: fluid.eos: problem sedov needs an ideal gas; nearest: ideal' 'problem: sedov' 'fluid: {eos: isothermal}'
rule '4:28: fluid.gamma: the exact blast is singular at 2; nearest: 2.001' 'problem: sedov' 'sweep: {fluid.gamma: [1.4, 2]}'
rule '4:16: fluid.gamma: 9: the blast is hollow in 3 dimensions*' 'problem: sedov' 'fluid: {gamma: 9}' 'mesh: {cells: [8, 8, 8]}'
rule '4:15: mesh.cells: problem implosion needs two axes or three, not one' 'problem: implosion' 'mesh: {cells: [64]}'
rule '4:17: riemann.left: density 1 and pressure -1 must be positive' 'problem: riemann' 'riemann: {left: [1, 0, 0, 0, -1]}'
rule '4:18: riemann.right: needs five numbers*' 'problem: riemann' 'riemann: {right: [1, 0]}'
rule '4:19: riemann.normal: has no direction*' 'problem: riemann' 'riemann: {normal: [0, 0, 0]}'
rule '4:15: wave.along: is zero along every axis*' 'problem: wave' 'wave: {along: [0, 1, 0]}'
rule '4:14: wave.mode: right_slow needs a magnetic field (fluid.mhd)' 'problem: wave' 'wave: {mode: right_slow}'
rule '4:14: wave.mode: an isothermal gas has no entropy wave' 'problem: wave' 'wave: {mode: entropy}' 'fluid: {eos: isothermal}'
rule '4:19: wave.amplitude: must be below wave.density, 0.5*' 'problem: wave' 'wave: {amplitude: 0.5, density: 0.5}'
rule '3:10: turbulence.solenoidal: in one dimension*' 'problem: turbulence'
rule '5:20: turbulence.kmax: 9 waves are more than mesh.cells can resolve; nearest: 7' \
    'problem: turbulence' 'mesh: {cells: [16, 16]}' 'turbulence: {kmax: 9}'
rule '4:20: turbulence.kmax: 3 is below turbulence.kmin, 4*' \
    'problem: turbulence' 'turbulence: {kmax: 3, kmin: 4}' 'mesh: {cells: [16, 16]}'
rule '4:35: mesh.boundary: problem turbulence needs a periodic box*' \
    'problem: turbulence' 'mesh: {cells: [64, 64], boundary: outflow}'
rule '4:20: turbulence.beta: needs a magnetic field*' 'problem: turbulence' 'turbulence: {beta: 2}' 'mesh: {cells: [64, 64]}'
rule '2:13: time.end: 1 is above the redshift of the start, ic.redshift; nearest: 0.5' \
    'problem: cosmology' 'mesh: {cells: [32, 32, 32]}' 'time.unit: redshift' 'ic: {redshift: 0.5, species: baryons}'
rule '4:15: mesh.cells: problem cosmology needs three dimensions; nearest: [[]64, 64, 64]' 'problem: cosmology'
rule '4:15: mesh.cells: problem cosmology needs three dimensions; nearest: [[]32, 32, 32]' \
    'problem: cosmology' 'mesh: {cells: [32, 16]}'
rule '4:15: mesh.cells: problem cosmology needs even numbers of cells, not 31; nearest: 32' \
    'problem: cosmology' 'mesh: {cells: [32, 32, 31]}'
rule '4:39: mesh.boundary: problem cosmology needs a periodic box; nearest: periodic' \
    'problem: cosmology' 'mesh: {cells: [32, 32, 32], boundary: outflow}'
rule '5:14: fluid.mhd: problem cosmology has a magnetic field in a run alone (time.unit: redshift), from cosmology.field; nearest: none' \
    'problem: cosmology' 'mesh: {cells: [32, 32, 32]}' 'fluid: {mhd: glm, riemann: hlld}'
rule '5:18: fluid.scalars: problem cosmology sets no passive scalars; nearest: 0' \
    'problem: cosmology' 'mesh: {cells: [32, 32, 32]}' 'fluid: {scalars: 1}'
rule '5:22: cosmology.omega_b: 0: there is no gas; ic.species: dark_matter says *' \
    'problem: cosmology' 'mesh: {cells: [32, 32, 32]}' 'cosmology: {omega_b: 0}'
rule '5:22: cosmology.omega_b: 0.3 of cosmology.omega_m, 0.3: there is no dark matter; *' \
    'problem: cosmology' 'mesh: {cells: [32, 32, 32]}' 'cosmology: {omega_b: 0.3, omega_m: 0.3}'
standing=('problem: radiative_shock' 'mesh: {cells: [64], boundary: fixed}' 'cooling: {rate: 0.2, floor: 0.006}') # sound has the speed 0.1
room='problem radiative_shock needs two cells ahead of the shock and five behind it'
for x0 in 0 0.031 0.922 1; do # the sides of the box, and less than a tenth of a cell too near to them
    nearest=0.03125
    case $x0 in 0.9* | 1) nearest=0.921875 ;; esac
    rule "6:23: radiative_shock.x0: $x0: $room; nearest: $nearest" "${standing[@]}" "radiative_shock: {x0: $x0}"
    sluice check r.yaml "radiative_shock.x0=$nearest" >out 2>err || bad "the nearest place: $(cat err)"
done
rule "4:15: mesh.cells: $room, not 6 along x; nearest: 7" "${standing[0]}" 'mesh: {cells: [6], boundary: fixed}' "${standing[2]}"
rule '6:29: radiative_shock.velocity: 0.1009 is below Mach 1.01 at the temperature cooling.floor; for example 1, Mach 10' \
    "${standing[@]}" 'radiative_shock: {velocity: 0.1009}'
sluice check r.yaml radiative_shock.velocity=0.1011 >out 2>err || bad "a slow radiative shock: $(cat err)"
rule '3:10: array.file: must be given*' 'problem: array'
rule '4:15: array.file: cannot read none.h5: No such file or directory' 'problem: array' 'array: {file: none.h5}'
rule '4:48: fluid.characteristic: fluid.reconstruct constant has no slopes; nearest: plm' \
    'problem: sod' 'fluid: {reconstruct: constant, characteristic: true}'
rule '4:42: fluid.characteristic: fluid.integrator tvd reconstructs no faces; nearest: rk2' \
    'problem: sod' 'fluid: {integrator: tvd, characteristic: true}'
rule '4:17: fluid.shocks: flatten works with fluid.reconstruct ppm or wenoz, not with plm; nearest: limit' \
    'problem: sod' 'fluid: {shocks: flatten}'
rule '4:34: fluid.shocks: flatten works with fluid.reconstruct ppm or wenoz, not with plm; nearest: limit' \
    'problem: sod' 'fluid: {integrator: ctu, shocks: flatten}'

# ---- sweeps
line "r.yaml:5:15: 'seed' is swept over an empty list" 'sweep: {seed: []}'
line "r.yaml:5:9: unknown key 'sead'; did you mean 'seed'[?]" 'sweep: {sead: 1..4}'
line "r.yaml:5:15: '4..1' counts down; write 4..1 step -1" 'sweep: {seed: 4..1}'
line 'r.yaml:5:22: seed: this value is in the list already' 'sweep: {seed: [1, 2, 1]}'
line "r.yaml:5:19: zip: 'fluid.cfl' has 2 values but 'seed' has 3" 'zip: {seed: 1..3, fluid.cfl: [0.1, 0.2]}'
line "r.yaml:5:15: seed: '1-4' is no range; write 1..4" 'sweep: {seed: 1-4}' # no member of seed -3
line "r.yaml:5:24: driving.slope: '1-4' is no range; write 1..4" 'sweep: {driving.slope: 1-4}'
line "r.yaml:5:19: seed: '2 to 4' is no range; write 2..4" 'sweep: {seed: [1, 2 to 4]}'
line "r.yaml:5:15: seed: '1...4' is no range; write 1..4" 'sweep: {seed: 1...4}'
line "r.yaml:5:15: seed: '1:4' is no range; write 1..4" 'sweep: {seed: 1:4}'
line "r.yaml:5:15: seed: '1,2,3' is no list; write [[]1, 2, 3]" 'sweep: {seed: "1,2,3"}'
line "r.yaml:5:29: resources.walltime: '1:30' is no time here; write 1 h + 30 min or 1 min + 30 s" 'sweep: {resources.walltime: 1:30}'
line 'r.yaml:5:9: the sweep makes more than 1000000000 members' 'sweep: {seed: 1..1000000, fluid.cfl: 0.1..0.9 step 0.0001}'
line 'r.yaml:5:29: mesh.block: 24 does not divide*' 'sweep: {mesh.block: [16, 8, 24]}' # the last member is wrong

# ---- the command line
echo "$good" >r.yaml
wrong 2 "unknown verb 'chek'; did you mean 'check'[?]" sluice chek r.yaml
wrong 2 "unknown verb '\\\\x1b\[2J'; *" sluice $'\e[2J'
wrong 2 "unknown option '--jsno'; did you mean --json[?]" sluice check r.yaml --jsno
wrong 2 'usage: sluice check RECIPE *' sluice check
wrong 2 "unknown key 'mesh.bock'; did you mean 'mesh.block'[?]" sluice check r.yaml --explain mesh.bock
wrong 2 "no key begins with or speaks of 'fluidd.gamma'; did you mean *" sluice keys fluidd.gamma
wrong 65 "command line:1:1: unknown key 'sed'; did you mean 'seed'[?]" sluice check r.yaml sed=3
wrong 65 "command line:2:6: seed: 'x' is neither a number nor a key*" sluice check r.yaml fluid.cfl=0.1 seed=x
wrong 65 "command line:1:1: 'seed': write key=value" sluice check r.yaml seed
for section in sweep zip; do
    wrong 65 "command line:1:1: '$section' is no key but a section of the recipe, *: $section.seed=1..4" sluice check r.yaml "$section={seed: 1..3}"
    sluice keys $section >out
    # its example makes as many members as it says
    sed -n "s/^ *\\($section: {.*}\\)  .*/\\1/p" out | cat - r.yaml >swept.yaml
    members=$(sed -n 's/.* makes \([0-9]*\) members$/\1/p' out)
    sluice check swept.yaml --json | grep -q "\"member_count\": *$members," || bad "keys $section: $(cat out; sluice check swept.yaml)"
done
sluice >out 2>err; [ $? = 2 ] || bad "no verb: not exit 2"
sluice check r.yaml sweep.seed=1..10001 >out 2>err; [ $? = 78 ] || bad "10001 members: not exit 78"
grep -q '10001 members, more than 10000; if that is meant, say so with --yes' err || bad "no word of --yes: $(cat err)"
sluice check r.yaml sweep.seed=1..10001 --yes >out 2>err || bad "10001 members with --yes: $(cat err)"
grep -q 'members were looked at' out && bad "not all of 10001 members were looked at: $(cat out)"
timeout 120 sluice check r.yaml sweep.seed=1..1000000000 --yes >out 2>err || bad "a billion members with --yes: $? $(cat err)"
grep -q 'note: 99991 of 1000000000 members were looked at, every 10001th' out || bad "no word of how many were looked at: $(cat out)"
sluice check r.yaml >/dev/full 2>err; [ $? = 73 ] || bad "full disk: not exit 73"
grep -qx 'sluice: cannot write the output: No space left on device' err || bad "full disk: $(cat err)"
sluice check r.yaml resources.ranks=5 mesh.block=32 | grep -q '^note: 4 blocks for 5 ranks' || bad "no note about idle ranks"

# ---- what is right
cat >r.yaml <<'YAML'
campaign: demo
problem: sod
sweep: {seed: 1..3, fluid.cfl: [0.1, 0.2]}
zip: {sod.x0: [0.25, 0.5], time.end: [1, 2 / fluid.cfl]}
mesh: {cells: [64]}
YAML
sluice check r.yaml >out 2>err || bad "good recipe: $(cat err)"
[ -s err ] && bad "good recipe: talks on stderr"
grep -q '^demo: problem sod, 1D, 64 cells, 12 members$' out || bad "first line: $(head -n 1 out)"
grep -q '^  0001  seed=1 fluid.cfl=0.1 sod.x0=0.5 time.end=20$' out || bad "member 0001 is not there"
grep -q '^  ...   4 more' out || bad "12 members are not cut"
sluice check r.yaml --members | grep -c '^  00' | grep -qx 12 || bad "--members does not print all"
sluice check r.yaml --json --members | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["v"] == 1 and d["member_count"] == 12 and len(d["members"]) == 12 and d["all_members"]
assert d["members"][5] == {"id": "0005", "keys": {"seed": 2, "fluid.cfl": 0.1, "sod.x0": 0.5, "time.end": 20}}, d["members"][5]
assert d["keys"]["mesh.cells"] == [64] and d["keys"]["statistics.pdf"] == ["density"]' || bad "--json of check"
sluice check r.yaml mesh.boundary=outflow | grep -qx '  mesh.boundary            \[outflow, outflow\]' || bad "boundaries of axes that there are not"
sluice check r.yaml --explain fluid.cfl | grep -q '^from     the sweep, r.yaml:3$' || bad "--explain of a swept key"
sluice check r.yaml --explain time.unit | grep -q 'default code' || bad "--explain of a default"
sluice check r.yaml --explain seed seed=5 | grep -q '^from     command line:1:1$' || bad "--explain of an override"
(cd / && sluice check "$work/r.yaml" >/dev/null) || bad "check from another directory"
for r in "$SLUICE_TOP"/recipes/*.yaml; do
    sluice check "$r" >/dev/null 2>err || bad "recipes that ship: $(cat err)"
done
sluice keys fluid.riemann | grep -q 'hllc .*three waves' || bad "keys: no sentence of hllc"
sluice keys | grep -q '^mesh.cells: ' || bad "keys: no mesh.cells"
sluice keys problem | grep -q "^problem: .*by the name of a problem$" && sluice keys problem | grep -q "^    default none: must be given" || bad "keys problem: $(sluice keys problem | head -n 3)"
sluice keys slurm.account | grep -q "^    default none;" || bad "keys: a text that may be left out"
sluice keys magnetic FIELD | grep -q '^fluid.mhd: ' || bad "keys: words find no fluid.mhd"
sluice keys miyoshi | grep -q '^fluid.riemann: ' || bad "keys: words of choices find nothing"
[ "$(sluice keys rieman | sed -n 's/^\([a-z][a-z_.0-9]*\): .*/\1/p' | head -n 1)" = fluid.riemann ] || bad "keys: names do not come first"
sluice keys hllc 2>&1 >/dev/null | grep . && bad "keys hllc: a hint that none wants"
sluice keys snapshots 2>&1 >/dev/null | grep -qx "sluice: did you mean 'output.snapshot'?" || bad "keys snapshots: no hint"
wrong 2 "no key begins with or speaks of 'turbulance'; did you mean 'turbulence'[?]" sluice keys turbulance
sluice keys magnetic field | grep -q '^fluid.cfl' && bad "keys: words find what does not hold them"
sluice keys mesh.refine | grep -A1 '^      loehner ' | grep -q 'takes of, above (0.8), below (0.2), filter (0.01), level$' ||
    bad "keys mesh.refine: what loehner takes"
sluice keys mesh.refine | grep -q '^      radius ' || bad "keys mesh.refine: no parameters"
sluice keys mesh | grep -q '^fluid' && bad "keys mesh shows fluid"
sluice keys --markdown | awk -F'[^\\\\][|]' 'NR > 2 && NF != 5 { exit 1 }' || bad "keys --markdown: columns"
sluice keys --json | python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["v"] == 1 and any(k["key"] == "fluid.cfl" and k["max"] == 1 for k in d["keys"])' ||
    bad "keys --json"
for section in sweep zip; do # what the text says of a section, programs get, too
    sluice keys $section >text && sluice keys $section --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
text, section = open("text").read(), d["section"]
assert d["v"] == 1 and d["keys"] == [] and section["name"] == sys.argv[1] and set(section) == {"name", "about", "values", "word", "example", "makes"}
assert all(said in text for said in section.values())' $section || bad "keys $section --json"
done
sluice help check | grep -q '^usage: sluice check RECIPE' || bad "help check"
for verb in $(sluice --help 2>&1 | sed -n 's/^  \([a-z]*\) .*/\1/p'); do # one look for all: what is explained stands two columns in
    sluice help "$verb" | grep -E '^(--|[A-Z]+  )' && bad "help $verb"
    [ -n "$(sluice help "$verb" | tail -n 1)" ] || bad "help $verb ends with an empty line"
done
sluice check --help | cmp -s - <(sluice help check) || bad "check --help differs from help check"
sluice --help >out; for group in start watch mend results 'on a cluster'; do grep -qx "$group:" out || bad "--help has no group $group"; done
for p in $(sluice keys problem --json | python3 -c 'import json, sys; print(*[c["name"] for c in json.load(sys.stdin)["keys"][0]["choices"]])'); do
    sluice new "$p" 2>err | grep -q "next: sluice check $p.yaml" || bad "new $p: $(cat err)"
    # these want a file of the user
    if [ "$p" = array ] || [ "$p" = nbody ]; then
        sluice check "$p.yaml" >out 2>err && bad "new $p: no file is asked for"
        [ "$(grep -c ': error\|: [a-z.]*: ' err)" -le 1 ] && grep -q '\.file: cannot read [a-z]*.h5' err || bad "new $p: $(cat err)"
    else
        sluice check "$p.yaml" >out 2>err || bad "new $p is no recipe: $(cat err)"
    fi
    [ "$(grep -c "^campaign: $p$" "$p.yaml")" = 1 ] || bad "new $p: its campaign is not named after it"
    head -n 1 "$p.yaml" | grep -q '^# Change first: .*mesh.cells, time.end' || bad "new $p does not say what is changed first"
    grep -q "problem $p,\|^problem: $p$" "$p.yaml" || bad "new $p is of another problem"
    { [ "$p" = array ] || [ "$p" = nbody ]; } && continue
    sed '/^# ----/,$ s/^# \([a-z0-9_.]*: \)/\1/' "$p.yaml" >"$p-all.yaml" # each comment of a key may become one
    sluice check "$p-all.yaml" >out 2>err || bad "new $p: with all its keys: $(cat err)"
done
grep -q '^# sod.x0: 0.5$' sod.yaml && grep -q '^# fluid.eos: ideal$' sod.yaml || bad "new: no comments of the keys"
# a sweep is shown where the recipe has none: a second one would be an error
grep -q '^# sweep: ' sedov.yaml || bad "new: no sweep shown"
grep -l '^# sweep: ' turbulence.yaml sod.yaml && bad "new shows a second sweep"
wrong 2 'new PROBLEM: `sluice keys problem` lists the problems' sluice new
wrong 78 'sod.yaml is there already*' sluice new sod sod.yaml
sluice new sod 2>err | cat >out; [ ! -s out ] && grep -q 'sod.yaml is there already' err || bad "new replaces sod.yaml"
wrong 2 "unknown problem 'sodd'; did you mean 'sod'[?]" sluice new sodd
wrong 2 "unknown problem 'sedov blast'; did you mean 'sedov'[?]" sluice new 'sedov blast'
sluice new noh - | cmp -s - noh.yaml || bad "new - differs from the file"
# the shell has made the file of > before: the recipe goes there, and nothing else is made
mkdir fresh && (cd fresh && sluice new noh >noh.yaml 2>../err && sluice new sod >other.yaml && sluice new noh >>more.yaml) || bad "new >FILE: $(cat err)"
cmp -s fresh/noh.yaml noh.yaml && cmp -s fresh/more.yaml noh.yaml && cmp -s fresh/other.yaml sod.yaml && [ "$(ls fresh | wc -l)" = 3 ] || bad "new >FILE: $(ls fresh)"
sluice --help | grep -q '^  check  ' || bad "--help lists no check"
SLUICE_TRACE=1 sluice check none.yaml 2>&1 | grep -q '^sluice: passed through .*yaml.c:' || bad "SLUICE_TRACE"

# ---- a plan beyond this machine says so, a small one does not
sluice plan r.yaml 'mesh.cells=[100000, 100000, 100000]' >out 2>err || bad "a large plan: $(cat err)"
[ "$(grep -cE '^note .* no more than .* of (memory|free disk)' out)" = 2 ] || bad "a plan that does not fit: $(cat out err)"
sluice plan r.yaml | grep '^note .* no more than' && bad "a small plan does not fit"
there=$(df -B1 --output=avail /dev/shm | tail -n 1) here=$(df -B1 --output=avail . | tail -n 1)
if [ "$there" -lt $((here / 10 * 9)) ] || [ "$here" -lt $((there / 10 * 9)) ]; then # of the disk that --dir names
    sluice plan r.yaml 'mesh.cells=[100000, 100000, 100000]' --dir /dev/shm/none/of/these >out2
    grep -q 'free disk' out2 && [ "$(grep 'free disk' out)" != "$(grep 'free disk' out2)" ] || bad "--dir: $(cat out2)"
else
    echo "SKIP two file systems with different room"
fi

# ---- plan refuses what check refuses
printf '%s\n' 'campaign: dark' 'problem: cosmology' 'mesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}' \
    'time: {end: 0}' 'ic: {species: dark_matter}' >dark.yaml
for verb in check plan; do
    sluice $verb dark.yaml >out 2>err && bad "$verb takes a campaign without gas"
    grep -q 'ic.species: dark_matter leaves' err || bad "$verb: $(cat err)"
done

# ---- size (within the memory that is promised); times are printed, not judged: another process may be running
echo "$good" >r.yaml
start=$(date +%s%N)
limit=$( (ulimit -v 65536; sluice check r.yaml sweep.seed=1..100000 --yes >out 2>err; echo $?) )
ms=$((($(date +%s%N) - start) / 1000000))
[ "$limit" = 0 ] || bad "100,000 members within 64 MB: exit $limit, $(cat err)"
(ulimit -v 65536; sluice check r.yaml sweep.seed=1..100000 --yes --json --members | tail -n 1) >out
grep -qx '{"id": "99999", "keys": {"seed": 100000}}]}' out || bad "100,000 members as JSON: $(cat out)"
start=$(date +%s%N)
for _ in 1 2 3 4 5 6 7 8 9 10; do sluice --help >/dev/null; done
help_ms=$((($(date +%s%N) - start) / 10000000))
echo "100,000 members: $ms ms; --help: $help_ms ms"
[ ! -e failed ]
