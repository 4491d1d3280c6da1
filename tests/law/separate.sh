#!/bin/bash
# separate.sh - a box that is a universe of its own (ic.mean_overdensity): with 0 the bits are those without the key; the same bits on one and
# three ranks; snapshots at the ages of redshifts of the universe around, with the mean density of spherical collapse; waves grow by the
# response 26/21 of their power in an Einstein-de Sitter universe; what is refused.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<'YAML'
campaign: own
problem: cosmology
mesh: {cells: [32, 32, 32], block: [16], box: [[0, 2000], [0, 2000], [0, 2000]]}
cosmology: {h: 0.7, omega_m: 1, omega_b: 0.045, t_cmb: 0, n_s: 0.96, normalise: sigma8, sigma8: 0.5}
ic: {redshift: 49, transfer: eisenstein_hu, species: dark_matter, order: 1}
fluid: {eos: none}
time: {end: 0, unit: redshift, steps: 10, stepping: bullfrog, begin: zero}
output: {redshift: [1], history: 0, precision: double}
statistics: {matter: [particles], structure: []}
YAML
run() { # DIR RANKS OPTIONS: the hash
    mkdir -p "$1"
    cp -n run.yaml "$1"
    (cd "$1" && mpirun -n "$2" sluice-sim run.yaml "${@:3}" 2>&1) | sed -n 's/^hash \([0-9a-f]* [0-9]*\) .*/\1/p'
}
want=$(run plain 1)
[ -n "$want" ] || bad 'no run'
[ "$(run zero 2 ic.mean_overdensity=0)" = "$want" ] || bad '0 is not the run without the key'
dense=$(run dense 1 ic.mean_overdensity=0.05)
[ -n "$dense" ] && [ "$dense" != "$want" ] || bad "0.05 changes nothing: $dense"
[ "$(run three 3 ic.mean_overdensity=0.05)" = "$dense" ] || bad 'other bits on three ranks'
for steps in 1 4; do run stops 2 ic.mean_overdensity=0.05 time.max_steps=$steps output.checkpoint=0.001 >/dev/null; done
[ "$(run stops 1 ic.mean_overdensity=0.05)" = "$dense" ] || bad 'other bits after stops'

sed '/^ic:/a sweep: {ic.mean_overdensity: [-0.05, 0, 0.05]}' run.yaml >sweep.yaml
expect 0 sluice check sweep.yaml
sluice run sweep.yaml --dir sweep >log 2>&1 || bad "the sweep: $(tail -5 log)"
# what status tells is where time.end is told, also of a box that is older by its own clock
for member in 0 1 2; do
    grep -q '"redshift":0,"redshift_end":0,"scale_factor":1,' sweep/members/000$member/progress.json ||
        bad "progress of member $member: $(cat sweep/members/000$member/progress.json)"
done
# gas, its velocities and temperature, as a start alone
cat >start.yaml <<'YAML'
campaign: start
problem: cosmology
mesh: {cells: [16, 16, 16], box: [[0, 100], [0, 100], [0, 100]]}
cosmology: {omega_m: 1, omega_b: 0.045, t_cmb: 0, a_s: 1e-10}
ic: {redshift: 9, species: one_fluid, order: 1}
time: {end: 0}
YAML
for delta in 0 0.5; do
    (mkdir "ic$delta" && cd "ic$delta" && cp ../start.yaml . && sluice-ic start.yaml ic.mean_overdensity=$delta) >log 2>&1 || bad "$(cat log)"
    # power, and velocities of species, from tables of the universe around
    for table in camb_matterpower camb13_transfer; do
        keys=() && [ $table = camb_matterpower ] && keys=(cosmology.normalise=table)
        (mkdir "$table$delta" && cd "$table$delta" && cp ../start.yaml . && sluice-ic start.yaml ic.mean_overdensity=$delta cosmology.omega_m=0.3 \
            cosmology.t_cmb=2.7255 ic.redshift=99 ic.transfer=table ic.table="$SLUICE_TOP/tests/data/cosmo/${table}_z99.dat" ic.species=auto \
            cosmology.a_s=2.1e-9 ic.extrapolate=true "${keys[@]}") >log 2>&1 || bad "$table: $(cat log)"
    done
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import json
import numpy as np
from check import check, near

def spherical(delta):  # true density over the mean where linear theory has the contrast delta
    lo, hi = 1e-9, 2 * np.pi
    cycle = (lambda t: t - np.sin(t)) if delta > 0 else (lambda t: np.sinh(t) - t)
    for _ in range(200):
        t = (lo + hi) / 2
        lo, hi = (t, hi) if 0.6 * (0.75 * cycle(t)) ** (2 / 3) < abs(delta) else (lo, t)
    return 4.5 * cycle(t) ** 2 / (1 - np.cos(t) if delta > 0 else np.cosh(t) - 1) ** 3

def snapshot(member, n):
    with h5py.File(f'sweep/members/{member:04d}/snapshots/own_hdf5_plt_cnt_{n:04d}') as f:
        return {k: float(np.ravel(v)[0]) for k, v in f['sluice'].attrs.items() if k in
                ('scale_factor', 'redshift', 'redshift_around', 'scale_factor_around', 'mean_overdensity')}

deltas = (-0.05, 0, 0.05)
for n, z in enumerate((49, 1, 0)):
    for member, delta in enumerate(deltas):
        s = snapshot(member, n)
        a = 1 / (1 + z)
        if not delta:
            check('nothing is said of a box like all', set(s) == {'scale_factor', 'redshift'} and abs(s['scale_factor'] / a - 1) < 1e-12)
            continue
        near(f'redshift around, snapshot {n}', 1 + s['redshift_around'], 1 + z, 1e-9)
        near('scale factor around', s['scale_factor_around'], a, 1e-9)
        near('density', (a / s['scale_factor']) ** 3, spherical(delta * a), 1e-8)
        check('overdensity', s['mean_overdensity'] == delta)
read = lambda m, n: np.genfromtxt([l for l in open(f'sweep/members/{m:04d}/stats/matter_particles_{n:04d}.csv') if l[0] != '#'],
                                  delimiter=',', names=True)
said = open('sweep/members/0002/stats/matter_particles_0001.csv').read()
check('the table tells the redshift around', 'redshift_around: 1' in said or 'redshift_around: 0.99999' in said)
for n, a in ((1, 0.5), (2, 1)):
    less, none, more = (read(m, n)['power'][:3] for m in range(3))
    response = (more - less) / (0.1 * a * none)
    print(f'a = {a}: response of the power {response}, 26/21 = {26 / 21:.4f}')
    check(f'response at a = {a}: {response}', np.abs(response / (26 / 21) - 1).max() < 0.02)
own, none = h5py.File('ic0.5/ic.h5'), h5py.File('ic0/ic.h5')
a = own.attrs['scale_factor']
near('density of the start', (0.1 / a) ** 3, spherical(0.05), 1e-9)
growth = own['density'][:].std() / none['density'][:].std()
def ratio(table, of):
    with h5py.File(f'{table}0.5/ic.h5') as f, h5py.File(f'{table}0/ic.h5') as g:
        return of(f) / of(g)
power = ratio('camb_matterpower', lambda f: f.attrs['sigma8_start'])
for table in ('camb_matterpower', 'camb13_transfer'):
    near(f'density of {table}', ratio(table, lambda f: (f['density'][:] / f.attrs['gas_share'] - 1).std()), power, 1e-10)
    near(f'growth of {table}', power, 1 + 13 / 21 * 0.5 * 0.0128, 1e-3)  # matter alone: with radiation a fifth less of 0.004
    # u = a dx/dtau: its growth beside that of the density is that of f and of a^2 H
    rate = ratio(table, lambda f: f['velocity_x'][:].std()) / power
    f, h, a = (ratio(table, lambda f: f.attrs[n]) for n in ('growth_rate', 'hubble_km_s_mpc', 'scale_factor'))
    near(f'velocity of {table}', rate, f * h * a * a, 1e-10)
near('growth of the start', growth, 1 + 13 / 21 * 0.05, 3e-3)  # to first order in 0.05
PY

refused() { # WORDS OPTIONS
    expect 65 sluice check run.yaml "${@:2}"
    says "$1"
}
refused 'dark energy with w0 = -0.9' ic.mean_overdensity=0.05 cosmology.omega_m=0.3 cosmology.w0=-0.9
refused 'the box stops expanding' ic.mean_overdensity=0.99
expect 65 sluice-ic --export gadget ic0.5/ic.h5 start.hdf5
says 'is of a box that is a universe of its own'
expect 65 sluice check "$SLUICE_TOP/recipes/pancake.yaml" ic.mean_overdensity=0.1
says 'ic.mean_overdensity: 0.1 is of problem cosmology; nearest: 0'
exit $failed
