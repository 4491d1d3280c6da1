#!/bin/bash
# growth.sh - what sluice-stats and a report tell of gas in an expanding universe: growth of the lowest shells beside tabulated D(a),
# both sides of the equation of Layzer and Irvine from the history, the scale factor as time; the figures are there.
set -u
data=$SLUICE_TOP/tests/data/cosmo
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >recipe.yaml <<'YAML'
campaign: growth
problem: cosmology
sweep: {seed: 1..2}
mesh: {cells: [16, 16, 16], box: [[0, 200], [0, 200], [0, 200]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96, normalise: sigma8, sigma8: 0.4}
ic: {redshift: 49, transfer: eisenstein_hu, species: baryons, fixed: true}
fluid: {integrator: vl2, dual_energy: true}
time: {end: 5, unit: redshift}
output: {redshift: [9, 5]}
statistics: {spectra: [velocity, energy], matter: [gas], structure: []}
YAML
sluice run recipe.yaml >log 2>&1 || { bad "sluice run: $(tail -n 3 log)"; exit 1; }

/usr/bin/python3 - "$data" <<'PY' || failed=1
import sys
import numpy as np
from check import check, near
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
grown = {l.split()[0]: float(l.split()[8]) for l in open(sys.argv[1] + '/background_growth.txt') if l[0] != '#'}
base = 'growth/members/0000/stats/'
t = read(base + 'growth.csv')
near('scale factor', t['scale_factor'], [0.02, 0.1, 1 / 6], 1e-9)
near('redshift', t['redshift'], [49.0, 9, 5], 1e-8)
near('D(a)', t['linear'], [1, grown['9'] / grown['49'], grown['5'] / grown['49']], 1e-5)
power = [read(f'{base}matter_gas_{n:04d}.csv') for n in range(3)]
for s in range(3):
    near(f'shell {s + 1}', t[f'shell_{s + 1}'], [np.sqrt(p['power'][s] / power[0]['power'][s]) for p in power], 1e-8)
check(f"the longest wave grows: {t['shell_1'] / t['linear']}", abs(t['shell_1'][2] / t['linear'][2] - 1) < 0.05)
near('input', power[2]['input'] / power[0]['input'], 0 * power[0]['k'] + t['linear'][2]**2, 1e-8)
near('energies against a', read(base + 'energies.csv')['time_unit'], t['scale_factor'], 1e-9)
# the history
lines = open('growth/members/0000/history.tsv').read().split('\n')
head = lines[0].split('\t')
h = {n.split('[')[0]: v for n, v in zip(head, np.array([l.split('\t') for l in lines[1:] if l and l[0] != '#'], float).T)}
near('decay against a', read(base + 'decay.csv')['time_unit'], h['scale_factor'], 1e-9)
e = read(base + 'expansion.csv')
both = h['energy_total'] + h['energy_potential']
near('gained', e['gained'], both - both[0], 1e-8)
near('integral', e['integral_of_potential'][-1], np.trapz(h['energy_potential'], np.log(h['scale_factor'])), 1e-3)
ours = float(next(l for l in open(base + 'summary.csv') if l.startswith('layzer_irvine,')).split(',')[1])
near('balance', ours, np.abs(e['gained'] - e['integral_of_potential']).max() / np.abs(e['potential']).max(), 1e-6)
check(f'energies balance as well as waves of a few cells can: {ours}', ours < 0.1)
check('no decay is reported', 'decay_exponent' not in open(base + 'summary.csv').read())
PY
for f in growth power_growth expansion energies mach matter_power; do
    grep -q "<figure id=\"figure-$f\">" growth/report/index.html || bad "no figure $f"
done
grep -q 'Not drawn' growth/report/index.html && bad "$(grep -A3 'Not drawn' growth/report/index.html)"
grep -q 'cells, to redshift 5: 2 finished' growth/report/index.html || bad "the end of the run"
grep -q '<dt>Power of the input</dt><dd>eisenstein_hu</dd>' growth/report/index.html || bad "where the power comes from"
grep -q '<span>z = 9</span>' growth/report/index.html || bad "images without redshift"
[ $failed = 0 ] && echo ok
exit $failed
