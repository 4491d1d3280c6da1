#!/bin/bash
# stats.sh - sluice-stats as a user meets it: the same files on any number of ranks, one message and nothing half-written
# for what is missing or damaged, ensembles and their target.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
# refused EXIT TEXT COMMAND...: fails with this exit code and one line on stderr that holds TEXT
refused() {
    local code=$1 text=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got = "$code" ] || bad "exit $got, not $code: $*"
    grep -qF -- "$text" err || bad "'$(head -n 1 err)' does not say '$text'"
    [ "$(wc -l <err)" = 1 ] || bad "more than one line: $*"
}
member() { # campaign, name, seed, extra lines, end, Mach number
    mkdir -p "$1/members/$2"
    cat >"$1/members/$2/run.yaml" <<YAML
campaign: decay
problem: turbulence
seed: $3
run.member: $2
mesh.cells: [16, 16, 16]
time.end: ${5:-0.1}
time.unit: crossing
output.snapshot: 0.05
turbulence.mach: ${6:-2}
turbulence.kmax: 4
ensemble.target: mach_rms
ensemble.min: 2
ensemble.relative_error: 0.5
$4
YAML
    sluice-ic "$1/members/$2/run.yaml" >log 2>&1 && sluice-sim "$1/members/$2/run.yaml" >>log 2>&1 || bad "$2: $(cat log)"
}
for s in 1 2 3; do member one m$s $s 'statistics.decay: [0.03, 0]'; done

# one run: bits do not depend on ranks
for n in 1 2 3; do
    cp -r one/members/m1 r$n
    mpirun -n $n sluice-stats r$n/run.yaml 2>log || bad "on $n ranks: $(cat log)"
    diff -r r1/stats r$n/stats >log || bad "1 and $n ranks differ: $(head -n 3 log)"
    cmp r1/stats.h5 r$n/stats.h5 >log 2>&1 || bad "stats.h5 on 1 and $n ranks differ: $(head -n 3 log)"
done
for f in summary decay energies spectrum_{velocity,density,energy}_000{0,1,2} pdf_density_0002 structure_velocity_0002 \
    slice_density_z_0002 projection_density_z_0002; do
    [ -s r1/stats/$f.csv ] || bad "stats/$f.csv is missing"
done
grep -q '^quantity,value,error,unit$' r1/stats/summary.csv || bad 'summary.csv has other columns'
awk -F, '$1 == "mach_rms_start" && ($2 - 2)^2 < 1e-20 { found = 1 } END { exit !found }' r1/stats/summary.csv || bad 'the start is not at Mach 2'
awk -F, '$1 == "mass_drift" && ($2 > 1e-12 || $2 < -1e-12) { exit 1 }' r1/stats/summary.csv || bad 'mass drifts'
grep -q '^# range ' r1/stats/slice_density_z_0002.csv || bad 'the slice has no range'
[ "$(grep -vc '^#' r1/stats/slice_density_z_0002.csv)" = 16 ] || bad 'the slice does not have 16 lines'
find r1 | grep -q part && bad 'a part of a file is left'

for size in 60K 100K 150K; do
    small $size || break
    cp one/members/m1/{run.yaml,history.tsv} small/
    ln -s "$work/one/members/m1/snapshots" small/snapshots
    sluice-stats small/run.yaml >out 2>err
    [ $? = 73 ] && [ "$(wc -l <err)" = 1 ] || bad "a full disk: $(cat err)"
    [ -e small/stats/summary.csv ] && bad 'a full disk left a summary'
    ls -A small small/stats | grep -qE 'tmp|part' && bad 'a full disk left a part of a file'
    umount small
done

# what is missing or damaged
cp -r one/members/m1 broken && rm broken/history.tsv
refused 65 'history.tsv' sluice-stats broken/run.yaml
cp one/members/m2/ic.h5 broken/history.tsv
refused 65 'not a history' sluice-stats broken/run.yaml
head -n 20 one/members/m1/history.tsv | sed '$s/\t.*//' >broken/history.tsv
refused 65 'history.tsv:20: 19 numbers expected, 1 found' sluice-stats broken/run.yaml
cp one/members/m1/history.tsv broken/
/usr/bin/python3 - <<'PY'
p = 'broken/snapshots/decay_hdf5_plt_cnt_0001'
b = bytearray(open(p, 'rb').read())
b[len(b) // 2] ^= 0x10
open(p, 'wb').write(b)
PY
refused 65 'decay_hdf5_plt_cnt_0001' sluice-stats broken/run.yaml
mpirun -n 2 sluice-stats broken/run.yaml 2>err && bad 'a damaged snapshot was accepted on 2 ranks'
head -c 20000 one/members/m1/snapshots/decay_hdf5_plt_cnt_0001 >broken/snapshots/decay_hdf5_plt_cnt_0001
refused 65 'decay_hdf5_plt_cnt_0001' sluice-stats broken/run.yaml
rm -r broken/snapshots
refused 65 'snapshots' sluice-stats broken/run.yaml
mkdir broken/snapshots
refused 65 'no snapshot of decay' sluice-stats broken/run.yaml
[ -e broken/stats ] || [ -e broken/stats.h5 ] && bad 'a refused run left statistics'
refused 2 'usage' sluice-stats
refused 2 '--frob' sluice-stats --frob
refused 2 'usage' sluice-stats --members x run.yaml
refused 65 'nowhere.yaml' sluice-stats nowhere.yaml

# ensembles
refused 65 'no member with finished' sluice-stats --ensemble one
[ "$(sluice-stats --check-target --ensemble one)" = '{"reached":false,"relative_error":null,"members":0}' ] || bad 'target of nothing'
sluice-stats one/members/m1/run.yaml 2>log || bad "m1: $(cat log)"
[ -e one/ensemble ] && bad 'a refused ensemble left files'
sluice-stats --ensemble one 2>log || bad "one member alone: $(cat log)"
[ "$(ls one/ensemble)" = groups.csv ] || bad "one member alone has error bars: $(ls one/ensemble)"
rm -r one/ensemble
sluice-stats --check-target --ensemble one | grep -q '"reached":false,"relative_error":null,"members":1' || bad 'target of one'
for s in 2 3; do sluice-stats one/members/m$s/run.yaml 2>log || bad "m$s: $(cat log)"; done
sluice-stats --ensemble one 2>log || bad "ensemble: $(cat log)"
sluice-stats --check-target --ensemble one >target || bad 'check-target failed'
/usr/bin/python3 - <<'PY' || failed=1
import csv, h5py, json, math, numpy as np, sys
from check import check
def table(path):
    rows = list(csv.reader(x for x in open(path) if x[0] != '#'))
    return rows[0], rows[1:]
head, rows = table('one/ensemble/summary.csv')
check('columns', head == 'quantity,mean,standard_error,median,p16,p84,bootstrap_lo,bootstrap_hi,members,unit'.split(','))
ends = []
for m in (1, 2, 3):
    ends.append(float({r[0]: r[1] for r in table(f'one/members/m{m}/stats/summary.csv')[1]}['mach_rms_end']))
row = {r[0]: r for r in rows}['mach_rms_end']
check('mean', abs(float(row[1]) - np.mean(ends)) < 1e-9)
check('standard error', abs(float(row[2]) - np.std(ends, ddof=1) / math.sqrt(3)) < 1e-9)
check('median', abs(float(row[3]) - np.median(ends)) < 1e-9)
check('percentiles', abs(float(row[4]) - np.percentile(ends, 16)) < 1e-9)
check('bootstrap', min(ends) - 1e-9 <= float(row[6]) <= float(row[1]) <= float(row[7]) <= max(ends) + 1e-9)
check('members', row[8] == '3')
s = [np.array([[float(x) for x in r] for r in table(f'one/members/m{m}/stats/spectrum_velocity_0002.csv')[1]]) for m in (1, 2, 3)]
head, rows = table('one/ensemble/spectrum_velocity_0002.csv')
e = np.array([[float(x) for x in r] for r in rows])
t = head.index('total_mean')
totals = np.array([x[:, 3] for x in s])
check('spectrum', np.allclose(e[:, t], totals.mean(0), rtol=1e-8) and np.allclose(e[:, t + 1], totals.std(0, ddof=1) / math.sqrt(3), rtol=1e-7))
cov = np.array([[float(x) for x in r.split(',')] for r in open('one/ensemble/covariance_velocity_0002.csv') if r[0] != '#'])
check('covariance', np.allclose(cov, np.cov(totals.T), rtol=1e-7, atol=1e-12 * np.abs(cov).max()))
check('singular', 'singular' in open('one/ensemble/covariance_velocity_0002.csv').readline())
decay = [table(f'one/members/m{m}/stats/decay.csv') for m in (1, 2, 3)]
t, *energy = [np.array([float(r[d[0].index(c)]) for r in d[1]]) for d, c in zip([decay[0], *decay], ['time', *3 * ['kinetic_energy_ratio']])]
late = np.array([float(r[decay[0][0].index('time_unit')]) for r in decay[0][1]]) >= 0.03
def exponent(some): return -np.polyfit(np.log(t[late]), np.log(sum(some)[late]), 1)[0]
less = np.array([exponent(energy[:i] + energy[i + 1:]) for i in range(3)])
row = {r[0]: r for r in table('one/ensemble/jackknife.csv')[1]}['decay_exponent_of_mean']
check('jackknife', abs(float(row[1]) - exponent(energy)) < 1e-8 and abs(float(row[2]) - math.sqrt(2 / 3 * ((less - less.mean())**2).sum())) < 1e-8)
h = h5py.File('one/ensemble/ensemble.h5', 'r')
check('ensemble.h5', h.attrs['members'] == 3 and 'units' in h['decay/mach_rms_mean'].attrs)
# energies of the snapshots: whole as in the history, and the parts add up to it with the mean of sqrt(rho) v
def mean_mode(i, n):
    return next(float(x.split(':')[1]) for x in open(f'one/members/m{i}/stats/spectrum_energy_{n:04d}.csv') if x.startswith('# mean_mode:'))
m = [table(f'one/members/m{i}/stats/energies.csv') for i in (1, 2, 3)]
column = lambda d, c: np.array([float(r[d[0].index(c)]) for r in d[1]])
check('energies at', np.allclose(column(m[0], 'time_unit'), [0, 0.05, 0.1]))
for i, d, of in zip((1, 2, 3), m, decay):
    e = [np.array([float(r[of[0].index(c)]) for r in of[1]]) for c in ('time_unit', 'kinetic_energy_ratio')]
    kinetic, parts = column(d, 'kinetic'), column(d, 'kinetic_solenoidal') + column(d, 'kinetic_compressive')
    check('energies as in the history', np.allclose(kinetic / kinetic[0], np.interp(column(d, 'time_unit'), *e), rtol=1e-8))
    check('parts add up', np.allclose(parts + [mean_mode(i, n) for n in range(3)], kinetic, rtol=1e-8) and column(d, 'kinetic_compressive')[0] < 1e-12 < column(d, 'kinetic_compressive')[1])
e, all = table('one/ensemble/energies.csv'), np.array([column(d, 'velocity_compressive') for d in m])
check('energies of the ensemble', np.allclose(column(e, 'velocity_compressive_mean'), all.mean(0)) and np.allclose(column(e, 'velocity_compressive_error'), all.std(0, ddof=1) / 3**0.5))
check('members.csv', [r[0] for r in table('one/ensemble/members.csv')[1]] == ['m1', 'm2', 'm3'])
j = json.load(open('target'))
check('target', set(j) == {'reached', 'relative_error', 'members'} and j['members'] == 3 and 0 < j['relative_error'])
check('target reached', j['reached'] == (j['relative_error'] <= 0.5))
PY
# the mean curve is fitted where its members are: statistics.decay
cp -r one later && rm -r later/ensemble
for m in later/members/m?; do
    sed -i 's/^statistics.decay:.*/statistics.decay: [0.05, 0.08]/' $m/run.yaml
    sluice-stats $m/run.yaml 2>log && sluice-stats --ensemble later 2>log || bad "statistics.decay: $(cat log)"
done
/usr/bin/python3 - <<'PY' || failed=1
import csv, numpy as np
from check import check
read = lambda p: list(csv.DictReader(x for x in open('later/' + p) if x[0] != '#'))
curves = [read(f'members/m{m}/stats/decay.csv') for m in (1, 2, 3)]
t = np.array([float(r['time_unit']) for r in curves[0]])
e = sum(np.interp(t, [float(r['time_unit']) for r in c], [float(r['kinetic_energy_ratio']) for r in c]) for c in curves)
use = (t >= 0.05) & (t <= 0.08)
found = {r['quantity']: float(r['value']) for r in read('ensemble/jackknife.csv')}['decay_exponent_of_mean']
want = -np.polyfit(np.log(t[use]), np.log(e[use]), 1)[0]
check('exponent of the mean in the range of the recipe', abs(found - want) < 1e-6)
PY
# an end of 0.7 is noted as 0.69999... and its row is printed with ten digits: the row is in the fit all the same
for s in 1 2 3; do member end m$s $s 'statistics.decay: [0.2, 0]' 0.7 5 && sluice-stats end/members/m$s/run.yaml 2>log || bad "m$s: $(cat log)"; done
sluice-stats --ensemble end 2>log || bad "end: $(cat log)"
/usr/bin/python3 - <<'PY' || failed=1
import csv, numpy as np
from check import check
def read(p): return list(csv.DictReader(x for x in open('end/' + p) if x[0] != '#'))
to = next(float(x.split(':')[1]) for x in open('end/members/m1/stats/decay.csv') if x.startswith('# fit_to:'))
curves = [[(float(r['time_unit']), float(r['kinetic_energy_ratio'])) for r in read(f'members/m{m}/stats/decay.csv')] for m in (1, 2, 3)]
t = np.array([x for x, _ in curves[0]])
e = sum(np.interp(t, *zip(*c)) for c in curves)
check('the end as noted is before that of the row', t[-1] - 1e-12 < to < t[-1] == 0.7)
use = t >= 0.2 * (1 - 1e-9)
found = {r['quantity']: float(r['value']) for r in read('ensemble/jackknife.csv')}['decay_exponent_of_mean']
check('the last row is in the fit of the mean', abs(found + np.polyfit(np.log(t[use]), np.log(e[use]), 1)[0]) < 1e-6)
PY
# means are over rows: members whose first columns differ are told so, with its name
cp -r one apart && rm -r apart/ensemble
table=apart/members/m2/stats/spectrum_velocity_0002.csv
sed -i '/^k,/{n;s/^[^,]*,/1.5,/}' $table
refused 65 'row 1 of spectrum_velocity_0002.csv has k 1 in one member, 1.5 in another: means are over rows, whose first column must be the same in all members' \
    sluice-stats --ensemble apart
sed -i '/^k,/{n;d}' $table
refused 65 'in another: means are over rows, whose first column, k, must be the same in all members' sluice-stats --ensemble apart
# a member of an earlier version, whose table lacks the last column: the others are reduced as before
cp -r one older && rm -r older/ensemble
sed -i '/^[^#]/s/,[^,]*$//' older/members/m2/stats/spectrum_velocity_0002.csv older/members/m2/stats/decay.csv
expect 0 sluice-stats --ensemble older
for t in spectrum_velocity_0002 decay; do
    grep -v '^#' older/ensemble/$t.csv >older.csv
    grep -v '^#' one/ensemble/$t.csv | sed 's/,[^,]*,[^,]*$//' | cmp - older.csv || bad "other means of $t with a member that has fewer columns"
done
rm -r older
# a target that the members do not have is named, with what they have instead, nearest first
mkdir lacking; cp -r one/members lacking/
sed -i 's/target: mach_rms/target: density_sigma/' lacking/members/m?/run.yaml
sed -i '/^density_sigma,/d' lacking/members/m?/stats/summary.csv
sluice-stats --check-target --ensemble lacking >target
grep -qxF '{"reached":false,"relative_error":null,"members":3,"lacks":{"quantity":"density_sigma","members":3,"have":["mach_rms","kinetic_energy","decay_exponent"]}}' target ||
    bad "a target that is in no member: $(cat target)"
cp one/members/m1/stats/summary.csv lacking/members/m1/stats/
sluice-stats --check-target --ensemble lacking | grep -q lacks && bad 'a target that one member has is said to be in none'
rm -r lacking
for m in one/members/m?; do echo 'ensemble.stop: sequence' >>$m/run.yaml; done
sluice-stats --check-target --ensemble one | grep -q '"reached":false,"relative_error":null,"members":3' || bad 'a confidence sequence of 3 members ends'
sed -i '/ensemble.stop/d' one/members/m?/run.yaml
printf 'members/m1\n\n%s/one/members/m3\n' "$work" >list
sluice-stats --ensemble one --members list 2>log || bad "list: $(cat log)"
grep -q '^mach_rms_end,.*,2,1$' one/ensemble/summary.csv || bad 'the list of members was not heeded'
printf 'members/m1\nmembers/m7\n' >list
refused 65 'm7' sluice-stats --ensemble one --members list
grep -q '^mach_rms_end,.*,2,1$' one/ensemble/summary.csv || bad 'a refused ensemble changed files'
cp one/members/m2/stats/decay.csv keep
sed -i '$s/,.*//' one/members/m2/stats/decay.csv
refused 65 'decay.csv' sluice-stats --ensemble one
cp keep one/members/m2/stats/decay.csv

# members that differ in more than their seed are not averaged
for s in 1 2; do
    member two a$s $s 'fluid.cfl: 0.2'
    member two b$s $s 'fluid.cfl: 0.25'
    for m in a b; do sluice-stats two/members/$m$s/run.yaml 2>log || bad "$m$s: $(cat log)"; done
done
sluice-stats --ensemble two 2>log || bad "two groups: $(cat log)"
[ -e two/ensemble/summary.csv ] && bad 'members of two groups were averaged'
grep -q '^mach_rms_end,.*,2,1$' two/ensemble/group-2/summary.csv || bad 'no second group'
grep -q '^2,b1,fluid.cfl: 0.25$' two/ensemble/groups.csv || bad 'groups.csv does not say what differs'
# of a sweep over two keys every group is named by both, and by the default among their values, too
for m in 2 4; do
    for z in 0 1; do
        for s in 1 2; do
            cp -r two/members/a$s grid-$m$z$s
            mkdir -p grid/members && mv grid-$m$z$s grid/members/
            sed -i "s/^fluid.cfl: .*/fluid.cfl: 0.$m/; s/^turbulence.solenoidal: .*/turbulence.solenoidal: $z/" grid/members/grid-$m$z$s/run.yaml
            grep -q "^turbulence.solenoidal: $z" grid/members/grid-$m$z$s/run.yaml || echo "turbulence.solenoidal: $z" >>grid/members/grid-$m$z$s/run.yaml
        done
    done
done
sluice-stats --ensemble grid 2>log || bad "four groups: $(cat log)"
for g in '1,grid-201,fluid.cfl: 0.2; turbulence.solenoidal: 0' '2,grid-211,fluid.cfl: 0.2; turbulence.solenoidal: 1' \
    '3,grid-401,fluid.cfl: 0.4; turbulence.solenoidal: 0' '4,grid-411,fluid.cfl: 0.4; turbulence.solenoidal: 1'; do
    grep -qx "$g" grid/ensemble/groups.csv || bad "not '$g' in: $(cat grid/ensemble/groups.csv)"
done
# pairs are of one group, each one realisation: means over all, errors from the means of pairs; of one pair from its two members
mkdir -p pairs/members
for s in 1 2; do
    cp -r two/members/a$s pairs/members/p$s
    cp -r two/members/a$s pairs/members/q$s
    echo 'ic.paired: true' >>pairs/members/q$s/run.yaml
    awk -F, -v OFS=, '/^mach_rms_end,/ { $2 += 0.25 } { print }' two/members/a$s/stats/summary.csv >pairs/members/q$s/stats/summary.csv
    awk -F, -v OFS=, '/^[0-9]/ { $3 += 0.5 } { print }' two/members/a$s/stats/decay.csv >pairs/members/q$s/stats/decay.csv
done
sluice-stats --ensemble pairs 2>log || bad "pairs: $(cat log)"
[ ! -e pairs/ensemble/groups.csv ] || bad "pairs are of several groups: $(cat pairs/ensemble/groups.csv)"
/usr/bin/python3 - <<'PY' || bad "means of pairs"
import csv
def rows(path):
    return list(csv.DictReader(l for l in open(path) if l[0] != "#"))
a, b = (next(float(r["value"]) for r in rows(f"two/members/a{s}/stats/summary.csv") if r["quantity"] == "mach_rms_end") for s in (1, 2))
r = next(r for r in rows("pairs/ensemble/summary.csv") if r["quantity"] == "mach_rms_end")
assert abs(float(r["mean"]) - ((a + b) / 2 + 0.125)) < 1e-5 and abs(float(r["standard_error"]) - abs(a - b) / 2) < 1e-5 and r["members"] == "2", (a, b, r)
one, two = (rows(f"two/members/a{s}/stats/decay.csv")[-1] for s in (1, 2))
last = rows("pairs/ensemble/decay.csv")[0]
assert abs(float(last["kinetic_energy_ratio_mean"]) - 1.25) < 1e-5 and float(last["kinetic_energy_ratio_error"]) < 1e-5, last
PY
rm -r pairs/members/?2 pairs/ensemble
sluice-stats --ensemble pairs 2>log || bad "one pair: $(cat log)"
awk -F, '$1 == "mach_rms_end" && ($3 - 0.125)^2 < 1e-10 { found = 1 } END { exit !found }' pairs/ensemble/summary.csv || bad "the scatter of a pair: $(grep mach_rms_end pairs/ensemble/summary.csv)"
# by what means a member was run makes no group, unless the means are what is swept: then seeds come twice
cp -r two three && rm -r three/ensemble three/members/b?
echo 'resources.walltime: 7200' >>three/members/a2/run.yaml
sluice-stats --ensemble three 2>log || bad "other means: $(cat log)"
grep -q '^mach_rms_end,.*,2,1$' three/ensemble/summary.csv || bad 'other means make another group'
for s in 1 2; do cp -r three/members/a$s three/members/c$s && echo 'slurm.qos: "high"' >>three/members/c$s/run.yaml; done
sed -i '/resources.walltime: 7200/d' three/members/*/run.yaml
sluice-stats --ensemble three 2>log || bad "means that are swept: $(cat log)"
[ "$(grep -c '^[12],[ac]' three/ensemble/groups.csv)" = 4 ] && grep -q '^mach_rms_end,.*,2,1$' three/ensemble/group-2/summary.csv ||
    bad 'one member counted as two'
rm -r two/members/b2 two/ensemble
sluice-stats --ensemble two 2>err || bad "a member alone: $(cat err)"
grep -q 'b1: no other member' err || bad 'nothing said about the member that is alone'
[ -e two/ensemble/group-1/summary.csv ] && [ ! -e two/ensemble/group-2 ] || bad 'groups with a member alone'
[ $failed = 0 ] && echo ok
exit $failed
