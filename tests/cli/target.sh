#!/bin/bash
# target.sh - recipes/halo-mass-function.yaml stops at an error bar of its number of haloes: what the numbers are, by numpy from the
# catalogues; how many members it took; the same for sigma8; what has no effect is told.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

sed 's/relative_error: .*/relative_error: 0.15/; s/min: .*/min: 3/' "$SLUICE_TOP/recipes/halo-mass-function.yaml" >hmf.yaml
expect 0 sluice run hmf.yaml --dir hmf
sed 's/target: .*/target: sigma8/' hmf.yaml >sigma.yaml
expect 0 sluice run sigma.yaml --dir sigma
/usr/bin/python3 - <<'PY' || failed=1
import glob, json, numpy as np
from check import check
def read(path): return np.genfromtxt([l for l in open(path) if l[0] != '#'], delimiter=',', names=True)
def summary(path): return {r[0]: [float(x) for x in r[1:-1]] for r in (l.strip().split(',') for l in open(path) if l[0] != '#') if r[0] != 'quantity'}
def stopped(campaign): return [f for f in map(json.loads, open(f'{campaign}/journal.jsonl')) if f['what'] == 'target' and f.get('code') == 1]
above, function = [], []
for home in sorted(glob.glob('hmf/members/*')):
    if not glob.glob(home + '/stats/summary.csv'): continue
    mass, s, k = read(home + '/stats/haloes_0001.csv')['mass'], summary(home + '/stats/summary.csv'), read(home + '/stats/matter_particles_0001.csv')
    check(f'haloes of {home}', s['haloes'][0] == len(mass) and s['haloes_above'][0] == (mass >= 1e14).sum() and 0 < s['haloes_above'][0] < len(mass))
    ball = 3 * (np.sin(8 * k['k']) - 8 * k['k'] * np.cos(8 * k['k'])) / (8 * k['k'])**3
    check(f'sigma8 of {home}', abs(s['sigma8'][0] / np.sqrt((k['modes'] * k['power'] * ball**2).sum() / 1e6) - 1) < 1e-8)
    above.append(s['haloes_above'][0])
    function.append(read(home + '/stats/halo_mass_function_0001.csv')['dn_dlnm'])
mean = summary('hmf/ensemble/summary.csv')['haloes_above']
check('mean and error of the number', abs(mean[0] - np.mean(above)) < 1e-8 and abs(mean[1] - np.std(above, ddof=1) / len(above)**0.5) < 1e-6)
# of the bins before the first that is empty in all members
text = open('hmf/ensemble/covariance_halo_mass_function_0001.csv').read()
rows = np.append(np.array(function).max(0), 0).argmin()
matrix = lambda text: np.array([[float(x) for x in l.split(',')] for l in text.split('\n') if l and l[0] != '#'])
want = np.cov(np.array(function)[:, :rows].T)
check('covariance of the mass function', 2 < rows < len(function[0]) and matrix(text).shape == want.shape and np.allclose(matrix(text), want, rtol=1e-6, atol=1e-9 * want.max()))
check('and what it is of', f'of the bins 1 .. {rows} of halo_mass_function_0001' in text)
check('its error', matrix(open('hmf/ensemble/covariance_error_halo_mass_function_0001.csv').read()).shape == want.shape)
check(f'it stopped early, after {len(above)} members', 3 <= len(above) < 20 and len(stopped('hmf')) == 1 and stopped('hmf')[0]['value'] <= 0.15)
check('sigma8 as well', len(stopped('sigma')) == 1 and len(glob.glob('sigma/members/*/stats/summary.csv')) < 20)
PY
grep -q 'haloes of statistics.halo_mass or more' hmf/report/index.html || bad "the report does not have the number"
# what has no effect, and what is not measured
sed 's/haloes: 0.2/haloes: 0/' hmf.yaml >none.yaml
sluice check none.yaml >out 2>&1
grep -q 'statistics.halo_mass.*statistics.haloes' out || bad "a mass without haloes: $(cat out)"
never() { # TARGET KEY OPTIONS
    sluice check none.yaml ensemble.target=$1 "${@:3}" >out 2>&1
    grep -qF "ensemble.target: $1 is never met: members have it with $2, which is not given" out || bad "$1 without $2: $(cat out)"
}
never haloes statistics.haloes
never haloes_above statistics.haloes
never haloes_above statistics.halo_mass statistics.haloes=0.2 statistics.halo_mass=0
never sigma8 statistics.matter 'statistics.matter=[]'
sluice check hmf.yaml 2>&1 | grep 'never met' && bad "a target that is measured is never met"
[ $failed = 0 ] && echo ok
exit $failed
