#!/bin/bash
# mass_function.sh - the mass function of clumps in a universe as sluice-stats tells it: clumps counted from their list, theory from
# a table of power at z = 0 and tabulated growth by numpy; on 1 and 2 ranks; in the ensemble and its report, with Poisson bars.
set -u
data=$SLUICE_TOP/tests/data/cosmo
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >recipe.yaml <<YAML
campaign: haloes
problem: cosmology
sweep: {seed: 5..7}
mesh: {cells: [32, 32, 32], box: [[0, 80], [0, 80], [0, 80]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, normalise: table}
ic: {redshift: 9, transfer: table, table: $data/camb_matterpower_z0.dat, mode: back_scaled, table_redshift: 0, species: baryons}
time: {end: 0}
statistics: {spectra: [], matter: [gas], structure: [], clumps: 1.3, clump_cells: 3}
YAML
sluice run recipe.yaml >log 2>&1 || { bad "sluice run: $(tail -n 3 log)"; exit 1; }
cp -r haloes/members/0000 haloes/members/two
mpirun -n 2 sluice-stats haloes/members/two/run.yaml 2>log || bad "on 2 ranks: $(cat log)"
cmp haloes/members/two/stats/mass_function_0000.csv haloes/members/0000/stats/mass_function_0000.csv || bad "other bytes on 2 ranks"

/usr/bin/python3 - "$data" <<'PY' || failed=1
import sys
import numpy as np
from check import check, near
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
found = [read(f'haloes/members/{i:04d}/stats/mass_function_0000.csv') for i in range(3)]
volume, rho = 80.0**3, 2.77536627e11 * 0.3
t = found[0]
edges = 10**(np.log10(t['mass'] / (rho * volume)) - 0.125)
cell = rho * volume / 32**3
check(f"from a cell on: {t['mass'][0] / cell}, {len(t)} rows", cell <= t['mass'][0] < cell * 10**0.25 and len(t) == 18)
for i, f in enumerate(found):
    clumps = np.atleast_1d(read(f'haloes/members/{i:04d}/stats/clumps_0000.csv'))
    summary = open(f'haloes/members/{i:04d}/stats/summary.csv').read()
    share = clumps['mass'] / volume
    n = np.histogram(np.log10(share), np.append(np.log10(edges), 0.125))[0]
    near(f'clumps of {i}', f['clumps'], n.astype(float))
    near(f'dn/dlnM of {i}', f['dn_dlnm'], n / (volume * 0.25 * np.log(10)), 1e-9)
    check('there are clumps', n.sum() > 20 and f'clumps,{n.sum()},' in summary)
# theory: sigma(M) at z = 0 by numpy, grown back
k, p = np.loadtxt(sys.argv[1] + '/camb_matterpower_z0.dat', unpack=True)[:2]
growth = {l.split()[0]: float(l.split()[8]) for l in open(sys.argv[1] + '/background_growth.txt') if l[0] != '#'}['9']
lnk = np.linspace(np.log(k[0]), np.log(k[-1]), 60001)
power = np.exp(np.interp(lnk, np.log(k), np.log(p)))
def sigma(mass):
    x = np.exp(lnk) * (3 * mass / (4 * np.pi * rho))**(1 / 3)
    w = np.where(x < 1e-2, 1 - x**2 / 10, 3 * (np.sin(x) - x * np.cos(x)) / x**3)
    f = np.exp(3 * lnk) * power * w**2 / (2 * np.pi**2)
    return growth * np.sqrt(((f[1:] + f[:-1]) / 2).sum() * (lnk[1] - lnk[0]))
for row in t[:8]:
    s = sigma(row['mass'])
    slope = np.log(sigma(row['mass'] * 1.05) / sigma(row['mass'] / 1.05)) / np.log(1.05**2)
    unit, nu = rho / row['mass'] * abs(slope), 1.686 / s
    past = 3.5
    a, b = 1.47 * past**-0.06, 2.57 * past**-(10**-(0.75 / np.log10(200 / 75))**1.2)
    f = {'press_schechter': np.sqrt(2 / np.pi) * nu * np.exp(-nu**2 / 2),
         'sheth_tormen': 0.3222 * np.sqrt(2 * 0.707 / np.pi) * (1 + (0.707 * nu**2)**-0.3) * nu * np.exp(-0.707 * nu**2 / 2),
         'tinker': 0.186 * past**-0.14 * ((s / b)**-a + 1) * np.exp(-1.19 / s**2)}
    for name in f:
        near(f"{name} at {row['mass']:.3g}", np.log(row[name]), np.log(f[name] * unit), 1e-3)
# the power by revised HALOFIT (Takahashi et al. 2012) of the same table, over the linear one
# beyond the end of the table it goes on as dark matter does (Eisenstein & Hu 1998, eq. 18 to 20)
def smooth(k):
    q = k * 0.7 / (13.41 * 7.46e-2 * 0.3 * 0.49)
    l = np.log(np.e + 1.8 * q)
    return k**0.96 * (l / (l + (14.2 + 386 / (1 + 69.9 * q**1.08)) * q**2))**2
step, end = lnk[1] - lnk[0], np.exp(lnk[-1])
lnk = np.append(lnk, np.arange(lnk[-1] + step, np.log(1e4), step))
power = growth**2 * np.append(power, power[-1] * smooth(np.exp(lnk[len(power):])) / smooth(end))
def sums(r):
    y = np.exp(2 * lnk) * r**2
    f = np.exp(3 * lnk - y) * power / (2 * np.pi**2) * (lnk[1] - lnk[0])
    return f.sum(), (2 * y * f).sum(), (4 * y * (1 - y) * f).sum()
lo, hi = np.log(1e-3), np.log(10)
for i in range(50):
    lo, hi = ((lo + hi) / 2, hi) if sums(np.exp((lo + hi) / 2))[0] > 1 else (lo, (lo + hi) / 2)
r = np.exp(lo)
one, slope, bend = sums(r)
n, C = slope - 3, slope**2 + bend
a, b = np.polyval([0.225, 0.9903, 2.3706, 2.8553, 1.5222], n) - 0.6038 * C, np.polyval([0.5716, 0.5864, -0.5642], n) - 1.5474 * C
c, gamma = np.polyval([0.8161, 2.0404, 0.3698], n) + 0.5869 * C, 0.1971 - 0.0843 * n + 0.846 * C
alpha, beta = abs(6.0835 + 1.3373 * n - 0.1959 * n**2 - 5.5274 * C), np.polyval([0.398, 1.249, 0.3157, -0.7354, 2.0379], n) - 0.1682 * C
om = 0.3 * 1000 / (0.3 * 1000 + 0.7 + 8.5e-5 * 1e4)
m = read('haloes/members/0000/stats/matter_gas_0000.csv')
d2, y = m['k']**3 * np.exp(np.interp(np.log(m['k']), lnk, np.log(power))) / (2 * np.pi**2), m['k'] * r
h = 10**a * y**(3 * om**-0.0307) / (1 + 10**b * y**om**-0.0585 + (10**c * om**0.0743 * y)**(3 - gamma)) / (1 + 10**(5.2105 + 3.6902 * n) / y**2)
ratio = (1 + d2)**beta / (1 + alpha * d2) * np.exp(-y / 4 - y**2 / 8) + h / d2
check(f'nonlinear is more than linear: {ratio[-1]}', 1.05 < ratio[-1] < 1.5)
near('nonlinear power', m['nonlinear'], m['input'] * ratio, 1e-3)
mean = read('haloes/ensemble/mass_function_0000.csv')
near('mean', mean['dn_dlnm_mean'], sum(f['dn_dlnm'] for f in found) / 3, 1e-9)
# the figure: counts of all members with the error of Poisson, and theory
drawn = read('haloes/report/figures/mass_function.csv')
near('drawn', drawn['found'], mean['dn_dlnm_mean'], 1e-9)
all = 3 * mean['clumps_mean']
use = all > 0
near('Poisson', (drawn['found_hi'] - drawn['found'])[use], (mean['dn_dlnm_mean'] / np.sqrt(np.where(use, all, 1)))[use], 1e-8)
near('theory drawn', drawn['tinker'], mean['tinker_mean'], 1e-9)
PY
grep -q '<figure id="figure-mass_function">' haloes/report/index.html || bad "no figure of the mass function"
sum=$(/usr/bin/python3 -c 'import h5py; print(h5py.File("haloes/members/0000/ic.h5").attrs["table_crc32c"].decode())')
[ ${#sum} = 8 ] && grep -q "<dt>Power of the input</dt><dd>CAMB, power spectrum, CRC-32C $sum</dd>" haloes/report/index.html || bad "where the power comes from: $(grep -o 'Power of the input.*' haloes/report/index.html)"
grep -q '<dt>ic.mode</dt><dd>back_scaled</dd>' haloes/report/index.html || bad "the universe is not described"
[ $failed = 0 ] && echo ok
exit $failed
