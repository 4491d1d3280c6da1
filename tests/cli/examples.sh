#!/bin/bash
# examples.sh - the recipes of all examples mean something; the tables of examples/decay-of-turbulence say what its kept curves
# say, which are within the bounds that other codes' runs set, as far as their errors tell; those of examples/glm-or-ct say what its
# curves say, which agree to little more than their error bars; the tables of examples/blast-on-gpus say what its times say, that of
# examples/mach-6 what its numbers say, which are near those of other codes.
set -u
. "$SLUICE_TOP/tests/check.sh"

for recipe in "$SLUICE_TOP"/examples/*/*.yaml; do
    said=$(sluice check "$recipe" 2>&1 >/dev/null) || bad "${recipe#"$SLUICE_TOP"/}: $said"
done
/usr/bin/python3 - "$SLUICE_TOP/examples/decay-of-turbulence" <<'PY' || failed=1
import numpy as np, re, sys
from check import check
top = sys.argv[1]
def curve(name):
    lines = [l for l in open(f'{top}/{name}.csv') if l[0] != '#']
    t = np.genfromtxt(lines, delimiter=',', names=True)
    return t['time_unit'], t['kinetic_energy_ratio_mean'], t['kinetic_energy_ratio_error']
def slope(t, e, lo, hi):
    some = (t >= lo) & (t <= hi)
    return -np.polyfit(np.log(t[some]), np.log(e[some]), 1)[0]
text = open(f'{top}/README.md').read()
rows = re.findall(r'^\| (flat|steep) \| ([0-9.]+)(?: to ([0-9.]+))? \| ([0-9.]+)(?: ± ([0-9.]+))? \| ', text, re.M)
check(f'{len(rows)} rows', len(rows) == 12)
for name, lo, hi, said, error in rows:
    t, e, s = curve(name)
    found = slope(t, e, float(lo), float(hi)) if hi else np.interp(float(lo), t, e)
    check(f'{name} {lo} {hi}: {found:.4f}, the page says {said}', abs(found / float(said) - 1) < 0.01)
    if error: check(f'{name} {lo}: error {np.interp(float(lo), t, s):.4f}, the page says {error}',
                    abs(np.interp(float(lo), t, s) - float(error)) < 6e-5)
# flat: Mac Low et al. 1998; steep: Athena++ with another limiter and three other seeds
t, e, s = curve('flat')
for hi in 3, 5:
    eta, error = slope(t, e, 1, hi), np.hypot(*np.interp((1, hi), t, s / e)) / np.log(hi)
    check(f'exponent of the flat start to {hi}: {eta:.3f} ± {error:.3f}', 0.85 - error < eta < 1.2 + error)
t, e, s = curve('steep')
for at, low, high in (0.5, 0.34, 0.36), (1, 0.18, 0.19), (2, 0.065, 0.073):
    now, error = np.interp(at, t, e), np.interp(at, t, s)
    check(f'steep start at {at}: {now:.4f} ± {error:.4f}', 0.9 * low - 2 * error < now < 1.1 * high + 2 * error)
PY
/usr/bin/python3 - "$SLUICE_TOP/examples/glm-or-ct" <<'PY' || failed=1
import numpy as np, re, sys
from check import check
top = sys.argv[1]
def curve(name):
    return np.genfromtxt([l for l in open(f'{top}/{name}.csv') if l[0] != '#'], delimiter=',', names=True)
glm, ct = curve('glm'), curve('ct')
names = {'kinetic energy over that of the start': 'kinetic_energy_ratio', 'rms Mach number': 'mach_rms',
         'magnetic energy': 'magnetic_energy'}
number = r'([0-9.]+) ± ([0-9.]+)'
rows = re.findall(rf'^\| ([0-9.]+) \| ([a-zA-Z ]+) \| {number} \| {number} \|', open(f'{top}/README.md').read(), re.M)
check(f'{len(rows)} rows', len(rows) == 9)
for at, what, *said in rows:
    for c, mean, error in (glm, *said[:2]), (ct, *said[2:]):
        for part, value in ('_mean', mean), ('_error', error):
            found = np.interp(float(at), c['time_unit'], c[names[what] + part])
            check(f'{what} at {at}: {found:.4f}, the page says {value}', abs(found - float(value)) < 6e-5)
late = glm['time_unit'] > 0.1  # before, all members are alike
check('both have the same times', np.array_equal(glm['time_unit'], ct['time_unit']))
for name in names.values():
    off = abs(glm[name + '_mean'] - ct[name + '_mean'])[late]
    bar = np.hypot(glm[name + '_error'], ct[name + '_error'])[late]
    check(f'{name}: {max(off / bar):.2f} error bars apart', max(off / bar) < 1.2)
PY
/usr/bin/python3 - "$SLUICE_TOP/examples/blast-on-gpus" <<'PY' || failed=1
import re, sys
from check import check
top = sys.argv[1]
step, part = {}, -1 # by part of the file: a remark begins one
for line in open(f'{top}/times.txt'):
    if line[0] == '#':
        part += 1
        continue
    v = dict(pair.split('=') for pair in line.split())
    where, field = v['scheme'].split('+')
    step[part, where, field, v['precision'], int(v['cells'].split(',')[0]), int(v['ranks'])] = float(v['seconds_per_step'])
text = open(f'{top}/README.md').read()
kinds = {'gas': 'none', 'field': 'glm'}
rows = re.findall(r'^\| (gas|field) \| (\d+) \| (.*) \|$', text, re.M)
check(f'{len(rows)} rows on a core and on a device', len(rows) == 10)
for what, cells, rest in rows:
    for i, precision in enumerate(('double', 'single')):
        core, device, ratio = (float(x) for x in rest.split(' | ')[3 * i:3 * i + 3])
        measured = [step[0, where, kinds[what], precision, int(cells), 1] for where in ('core', 'device')]
        check(f'{what} {cells} {precision}: {measured}, the page says {core}, {device}, {ratio}',
              all(abs(a / b - 1) < 0.012 for a, b in zip((core, device, ratio), (*measured, measured[0] / measured[1]))))
rows = re.findall(r'^\| (gas|field) \| (double|single) ' + r'\| (\S+) ' * 5 + r'\|$', text, re.M)
check(f'{len(rows)} rows on several devices', len(rows) == 4)
for what, precision, *said in rows:
    one, *more = (step.get((1, 'device', kinds[what], precision, 128, n)) for n in (1, 2, 4))
    measured = [one, *more, *(n and one / n for n in more)]
    check(f'{what} {precision}: {measured}, the page says {said}',
          all(a == '-' if b is None else abs(float(a) / b - 1) < 0.006 for a, b in zip(said, measured)))
PY
/usr/bin/python3 - "$SLUICE_TOP/examples/mach-6" <<'PY' || failed=1
import numpy as np, re, sys
from check import check
top = sys.argv[1]
found = np.genfromtxt(f'{top}/numbers.csv', delimiter=',', names=True)
number = r'([-0-9.]+) ± ([0-9.]+)'
rows = re.findall(rf'^\| ([0-9.]+) \| {number} \| {number} \| {number} \| ([0-9.]+) \|.*\| {number} \| {number} \|$',
                  open(f'{top}/README.md').read(), re.M)
check(f'{len(rows)} rows', len(rows) == len(found) == 3)
for row, member in zip(rows, found):
    wide = member['sigma_rho'] / member['mach']
    measured = [*list(member)[:7], wide, *list(member)[7:]]
    check(f'{measured}, the page says {row}', all(abs(float(a) - b) < 0.0051 for a, b in zip(row, measured)))
half = found[found['solenoidal'] == 0.5][0] # Kritsuk et al. 2007
for name, value in ('velocity', -1.95), ('cascade', -1.69):
    off = half[f'slope_{name}'] - value
    check(f'slope of the {name} spectrum: {off:.3f} off', abs(off) < 0.1)
curves = np.genfromtxt(f'{top}/spectra.csv', delimiter=',', names=True)
for member in found: # slope of the mean of the spectra, the mean of the slopes
    some = (curves['solenoidal'] == member['solenoidal']) & (curves['k'] >= 5) & (curves['k'] <= 15)
    for name in 'velocity', 'cascade':
        slope = np.polyfit(np.log(curves['k'][some]), np.log(curves[name][some]), 1)[0]
        check(f'slope of the mean {name} spectrum: {slope:.3f}', abs(slope - member[f'slope_{name}']) < 0.05)
PY
# the problem of the tutorial, beside the others: its rows are taken, and it compiles
. "$SLUICE_TOP/tests/scratch.sh"
mkdir -p "$work/core/problem" "$work/gen"
cp "$SLUICE_TOP/examples/add-a-problem/bubble.c" "$work/core/problem/"
files=$(cd "$SLUICE_TOP" && ls core/problem/*.c core/source/*.c)
for f in $files; do mkdir -p "$work/$(dirname "$f")" && ln -sf "$SLUICE_TOP/$f" "$work/$f"; done
for what in names:h keys:def rules:def; do
    # shellcheck disable=SC2086
    (cd "$work" && "$SLUICE_TOP/.ci/generate" problem-${what%:*} $files core/problem/bubble.c) >"$work/gen/problem_${what%:*}.${what#*:}" || bad "problem-${what%:*} of bubble.c"
done
cp "$SLUICE_TOP"/build/gen/source_bodies.h "$SLUICE_TOP"/build/gen/build_info.h "$work/gen"
gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -I"$work/gen" -I"$SLUICE_TOP" "$work/core/problem/bubble.c" || bad "bubble.c does not compile"
[ $failed = 0 ] && echo ok
exit $failed
