#!/bin/bash
# response.sh - derivatives of the tables of an ensemble to the numbers that a campaign sweeps, and ratios between its groups, over the
# same seeds: against numpy on tables that are made up, with pairs, seeds that are missing, tables that do not match; read in Python.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

# made up: seeds and halves of pairs that move P(k) by half of it, odd in the half; what keys do is far less than that
cat >make.py <<'PY'
import itertools, os, numpy as np
k = 0.1 * np.arange(1, 9)
def power(omega, tilt, seed, half, scheme='roe'):
    chance = np.random.default_rng(seed).normal(size=8)
    even = np.random.default_rng(100 + seed).normal(size=8)
    return ((1 + 0.5 * np.tanh(even)) * (1 + (1 - 2 * half) * 0.4 * np.tanh(chance)) * (100 + 30 * omega - 20 * omega**2 + 5 * omega * np.tanh(chance))
            * (k / 0.3)**(tilt - 1) * (1.1 if scheme == 'hllc' else 1))
def member(campaign, name, omega, tilt, seed, half=0, scheme='roe', rows=8, wide=1):
    home = f'{campaign}/members/{name}'
    os.makedirs(home + '/stats')
    with open(home + '/run.yaml', 'w') as f:
        f.write(f'campaign: toy\nproblem: cosmology\nseed: {seed}\nrun.member: "{name}"\nic.fixed: false\nic.paired: {"true" if half else "false"}\n'
                f'ic.low_modes: 0\nfluid.riemann: {scheme}\ncosmology.n_s: {tilt}\ncosmology.omega_m: {omega}\n')
    with open(home + '/stats/summary.csv', 'w') as f: f.write(f'quantity,value,error,unit\nhaloes,{100 + seed},0,1\n')
    p = power(omega, tilt, seed, half, scheme)
    with open(home + '/stats/matter_particles_0001.csv', 'w') as f:
        f.write('# P(k)\n# unit k: h/Mpc\n# unit modes: 1\n# unit power: (Mpc/h)^3\nk,modes,power\n')
        for i in range(rows): f.write(f'{wide * k[i]:.10g},{6 * (i + 1)},{p[i]:.14g}\n')
    with open(home + '/stats/decay.csv', 'w') as f: f.write('# decay\n# unit time: code time\ntime,kinetic_energy_ratio\n' + f'0,1\n{1 + 0.01 * omega},{0.5 * omega}\n')
    return p
PY
/usr/bin/python3 - <<'PY' || exit 1
from make import *
n = itertools.count()
for omega, tilt, seed in itertools.product((0.2, 0.3, 0.45), (0.9, 1.0), (1, 2, 3, 4)):
    if (omega, tilt, seed) != (0.45, 0.9, 3): member('grid', f'{next(n):04d}', omega, tilt, seed)
for omega, seed, half in itertools.product((0.3, 0.31), (1, 2, 3), (0, 1)): member('pairs', f'{next(n):04d}', omega, 1.0, seed, half)
for scheme, seed in itertools.product(('roe', 'hllc'), (1, 2, 3)): member('words', f'{next(n):04d}', 0.3, 1.0, seed, 0, scheme)
for omega, seed in itertools.product((0.2, 0.3, 0.45), (1, 2)): member('rows', f'{next(n):04d}', omega, 1.0, seed, rows=8 - (omega == 0.45))
for omega, seed in itertools.product((0.2, 0.3, 0.45), (1, 2)): member('boxes', f'{next(n):04d}', omega, 1.0, seed, wide=1 + (omega == 0.45))
for omega, seed in ((0.2, 1), (0.2, 2), (0.3, 3), (0.3, 4)): member('strangers', f'{next(n):04d}', omega, 1.0, seed)
for omega, tilt, seed in itertools.product((0.2,), (0.9,), (1, 2)): member('both', f'{next(n):04d}', omega, tilt, seed)
for seed in (1, 2): member('both', f'{next(n):04d}', 0.3, 1.0, seed)
PY
for c in grid pairs words rows boxes strangers both; do sluice-stats --ensemble $c 2>err >out || bad "$c: $(cat err)"; done

PYTHONPATH=$PYTHONPATH:$SLUICE_TOP/examples/python /usr/bin/python3 - <<'PY' || failed=1
import os, sys, numpy as np
from make import *
from check import check
import sluice
def read(path): return np.genfromtxt([l for l in open(path) if l[0] != '#'], delimiter=',', names=True)
def error(x): return x.std(0, ddof=1) / np.sqrt(len(x))
def P(omega, tilt, seeds): return np.array([power(omega, tilt, s, 0) for s in seeds])
t = read('grid/ensemble/response_cosmology.omega_m_matter_particles_0001.csv')
check('columns', t.dtype.names == ('group', 'value', 'order', 'members', 'k', 'modes_mean', 'modes_response', 'modes_error', 'power_mean', 'power_response', 'power_error'))
check('the middle alone has a derivative', set(t['value']) == {0.3} and set(t['order']) == {2} and len(t) == 16)
for group, tilt, seeds in (3, 0.9, (1, 2, 4)), (4, 1.0, (1, 2, 3, 4)):
    rows = t[t['group'] == group]
    y = [P(o, tilt, seeds) for o in (0.2, 0.3, 0.45)]
    # the parabola through three values that are not even, by numpy
    slope = np.array([[np.polyval(np.polyder(np.polyfit([-.1, 0, .15], [v[i, j] for v in y], 2)), 0) for j in range(8)] for i in range(len(seeds))])
    check(f'seeds of group {group}', set(rows['members']) == {len(seeds)})
    check(f'derivative to omega_m, {tilt}', np.allclose(rows['power_response'], slope.mean(0), rtol=1e-8) and np.allclose(rows['power_error'], error(slope), rtol=1e-6))
    check(f'mean, {tilt}', np.allclose(rows['power_mean'], y[1].mean(0), rtol=1e-8) and np.allclose(rows['k'], k))
    check('what does not answer', (rows['modes_response'] == 0).all() and (rows['modes_error'] == 0).all())
    # that of a quadratic is exact
    exact = np.array([(30 - 12) + 5 * np.tanh(np.random.default_rng(s).normal(size=8)) for s in seeds]) * y[1] / np.array([100 + 9 - 1.8 + 1.5 * np.tanh(np.random.default_rng(s).normal(size=8)) for s in seeds])
    check(f'exact, {tilt}', np.allclose(rows['power_response'], exact.mean(0), rtol=1e-7))
t = read('grid/ensemble/response_cosmology.n_s_matter_particles_0001.csv')
check('of two values the lower one, of first order', set(t['value']) == {0.9} and set(t['order']) == {1} and list(t['group'][::8]) == [1, 3, 5])
for group, omega, seeds in (1, 0.2, (1, 2, 3, 4)), (5, 0.45, (1, 2, 4)):
    rows, slope = t[t['group'] == group], (P(omega, 1.0, seeds) - P(omega, 0.9, seeds)) / 0.1
    check(f'derivative to n_s, {omega}', np.allclose(rows['power_response'], slope.mean(0), rtol=1e-6, atol=1e-9) and np.allclose(rows['power_error'], error(slope), rtol=1e-6, atol=1e-9))
t = read('grid/ensemble/ratio_matter_particles_0001.csv')
check('ratios of all groups to the first', t.dtype.names[:4] == ('group', 'over', 'members', 'k') and list(t['group'][::8]) == [2, 3, 4, 5, 6] and set(t['over']) == {1})
rows, ratio = t[t['group'] == 5], P(0.45, 0.9, (1, 2, 4)) / P(0.2, 0.9, (1, 2, 4))
check('ratio', np.allclose(rows['power_ratio'], ratio.mean(0), rtol=1e-8) and np.allclose(rows['power_error'], error(ratio), rtol=1e-6, atol=1e-11))
rows = t[t['group'] == 2]
check('chance cancels', np.allclose(rows['power_ratio'], (k / 0.3)**0.1, rtol=1e-8) and rows['power_error'].max() < 1e-9)
whole = read('grid/ensemble/group-2/matter_particles_0001.csv')
check('where it does not in the mean', (whole['power_error'] / whole['power_mean']).min() > 0.01)
# pairs are averaged first, seed by seed
mean = {o: np.array([(power(o, 1.0, s, 0) + power(o, 1.0, s, 1)) / 2 for s in (1, 2, 3)]) for o in (0.3, 0.31)}
t = read('pairs/ensemble/ratio_matter_particles_0001.csv')
ratio = mean[0.31] / mean[0.3]
check('ratio of pairs', set(t['members']) == {3} and np.allclose(t['power_ratio'], ratio.mean(0), rtol=1e-9) and np.allclose(t['power_error'], error(ratio), rtol=1e-4, atol=1e-11))
t = read('pairs/ensemble/response_cosmology.omega_m_matter_particles_0001.csv')
slope = (mean[0.31] - mean[0.3]) / 0.01
check('derivative of pairs', np.allclose(t['power_response'], slope.mean(0), rtol=1e-6) and np.allclose(t['power_error'], error(slope), rtol=1e-5))
pairs = read('pairs/ensemble/group-1/matter_particles_0001.csv')
check('mean and scatter of pair means', np.allclose(pairs['power_mean'], mean[0.3].mean(0), rtol=1e-8) and np.allclose(pairs['power_error'], error(mean[0.3]), rtol=1e-6))
# words have ratios alone
check('words', not any('response' in f for f in os.listdir('words/ensemble')) and np.allclose(read('words/ensemble/ratio_matter_particles_0001.csv')['power_ratio'], 1.1))
# a group whose table has other rows is left out, and its neighbour has no other side then
for c in 'rows', 'boxes':
    t = read(f'{c}/ensemble/ratio_matter_particles_0001.csv')
    check(f'other {c}', set(t['group']) == {2} and not any('response' in f for f in os.listdir(f'{c}/ensemble')))
check('no seeds in common', not any('response' in f or 'ratio' in f for f in os.listdir('strangers/ensemble')))
check('two keys at once', not any('response' in f for f in os.listdir('both/ensemble')) and os.path.exists('both/ensemble/ratio_matter_particles_0001.csv'))
check('tables against time', not any('decay' in f for c in ('grid', 'pairs') for f in os.listdir(c + '/ensemble')))
# the reader
os.makedirs('grid/slots')
open('grid/slots/0.tsv', 'w').write('# toy\ttoy\n# id\tlabel\n')
try: c = sluice.Campaign('grid')
except Exception as e: check(f'the reader: {e}', False); sys.exit(1)
check('names', c.responses == {'cosmology.omega_m': ['matter_particles_0001'], 'cosmology.n_s': ['matter_particles_0001']} and c.ratios == ['matter_particles_0001'])
r = c.response('cosmology.omega_m', 'matter_particles_0001')
t = read('grid/ensemble/response_cosmology.omega_m_matter_particles_0001.csv')
check('numbers', (r['power_response'] == t['power_response']).all() and r['power_response'].unit == '(Mpc/h)^3 per value' and (c.ratio('matter_particles_0001')['over'] == 1).all())
PY
# what was made once and is not any more is taken away
rm -r grid/members/*
/usr/bin/python3 -c 'from make import *
for s in (1, 2): member("grid", f"9{s}", 0.3, 1.0, s)'
sluice-stats --ensemble grid 2>err || bad "one group: $(cat err)"
ls grid/ensemble | grep 'ratio\|response' && bad 'answers of groups that are gone'
[ $failed = 0 ] && echo ok
exit $failed
