#!/bin/bash
# universe.sh - a run of gas in an expanding universe from its start on: the same bits on 1 and 2 ranks and after a stop;
# snapshots at the redshifts that were asked for, in units that yt reads; waves grow as linear theory says, also in the
# tables of the statistics; progress and log tell the redshift.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

cat >run.yaml <<YAML
campaign: gas
problem: cosmology
seed: 3
mesh: {cells: [32, 32, 32], box: [[0, 400], [0, 400], [0, 400]], block: [16]}
cosmology: {normalise: sigma8, h: 0.7, omega_m: 0.3}
ic: {species: baryons, fixed: true}
fluid: {dual_energy: true}
time: {end: 20, unit: redshift}
output: {redshift: [50, 30, 10], history: 0.1, precision: double}
statistics: {spectra: [density], structure: [], matter: [gas]}
YAML
sluice-ic run.yaml 2>log || bad "the start: $(cat log)"
for n in one two stopped; do
    mkdir $n
    cp run.yaml ic.h5 $n
done
sluice-sim one/run.yaml >one.out 2>log || bad "the run: $(cat log)"
mpirun -n 2 sluice-sim two/run.yaml >two.out 2>log || bad "on two ranks: $(cat log)"
cmp -s one.out two.out || bad "two ranks: $(cat one.out two.out)"

sluice-sim stopped/run.yaml >out 2>log &
until [ -e stopped/progress.json ] && grep -q '"step":[1-9][0-9]' stopped/progress.json; do
    kill -0 $! 2>/dev/null || break
    sleep 0.1
done
kill -TERM $! 2>/dev/null
wait $!
sluice-sim stopped/run.yaml >stopped.out 2>log || bad "going on: $(cat log)"
ls stopped/checkpoints >/dev/null 2>&1 && { grep -q 'goes on from checkpoint .*redshift' log || bad "no such message: $(cat log)"; }
cmp -s one.out stopped.out || bad "after a stop: $(cat one.out stopped.out)"
cmp -s one/history.tsv stopped/history.tsv || bad 'the history after a stop differs'
grep -q '"share":1.000000,"redshift":20' one/progress.json || bad "progress: $(cat one/progress.json)"
sluice-stats one/run.yaml >out 2>log || bad "statistics: $(cat log)"

/usr/bin/python3 - <<'PY' || failed=1
import glob, h5py, numpy as np
from check import check
names = open('one/history.tsv').read().split('\n')[0].split('\t')
h = np.loadtxt('one/history.tsv', skiprows=1)
column = {n.split('[')[0]: h[:, i] for i, n in enumerate(names)}
z, a = column['redshift'], column['scale_factor']
check('redshifts of the history', abs(z[0] - 99) < 1e-12 and abs(z[-1] - 20) < 1e-12 and np.allclose(a * (1 + z), 1))
check('every tenth of an e-fold', np.all(np.diff(np.log(a)) < 0.1 + 1e-9))
said = [l for l in open('one/history.tsv') if l.startswith('# units supercomoving: ')]
units = {w.split()[0]: float(w.split()[1]) for l in said for w in l.split(': ')[1].split(', ')}
mass = 0.3 * 1.87834e-29 * 0.49 * (3.0856776e24 / 0.7)**3
check(f'units of the history: {units}', np.allclose([units.get('energy', 0), units.get('time', 0)],
                                                    [mass * 1e14, 3.0856776e17 / 0.7], rtol=1e-4))
check('momentum', abs(column['momentum_x'][-1] - column['momentum_x'][0]) < 1e-9 * column['mass'][0])
grown = column['energy_potential'][-1] / column['energy_potential'][0] / (a[-1] / a[0])**3
check(f'potential energy grows as a D^2, waves of few cells less: {grown:.3f}', 0.75 < grown < 0.95)
files = sorted(glob.glob('one/snapshots/*[0-9]'))
check(f'{len(files)} snapshots', len(files) == 4)
density = 0.3 * 1.87834e-29 * 0.49  # g/cm^3, comoving
start = h5py.File('ic.h5')['velocity_x'][...].std() * 100 / 0.01  # km/s, proper; grows as the root of a
heat = []
for f, want in zip(files, (99, 50, 30, 20)):
    s = h5py.File(f)
    check(f'{f}: redshift', abs(s['sluice'].attrs['redshift'] - want) < 1e-10)
    check(f'{f}: density', abs(s['dens'][...].mean() / density - 1) < 1e-5)
    v = s['velx'][...] / 1e5 / (1 + want)  # km/s, proper
    check(f'{f}: {v.std():.3g} km/s', abs(v.std() / start * np.sqrt((1 + want) / 100) - 1) < (1e-9 if want == 99 else 0.15))
    heat.append(s['pres'][...].mean() / s['dens'][...].mean() / (1 + want)**4)  # T / (1 + z)^2
check(f'the gas cools as (1 + z)^2, whatever its motion through the mesh: {np.array(heat) / heat[0]}', np.ptp(heat) < 0.002 * heat[0])
try:
    import yt
    yt.set_log_level(50)
    for f, want in ((files[0], 99), (files[3], 20)):
        ds = yt.load(f)
        box = ds.domain_width.to('Mpccm/h').v
        check('yt: cosmology', abs(ds.current_redshift - want) < 1e-9 and ds.omega_matter == 0.3 and abs(ds.hubble_constant - 0.7) < 1e-6)
        check(f'yt: box {box}', np.allclose(box, 400, rtol=1e-6))
        rho = ds.all_data()['gas', 'density'].to('g/cm**3').v
        check('yt: proper density', abs(rho.mean() / density / (1 + want)**3 - 1) < 1e-5)
        speed = ds.all_data()['gas', 'velocity_x'].to('km/s').v
        check('yt: proper velocity', abs(speed.std() / start * np.sqrt((1 + want) / 100) - 1) < (1e-6 if want == 99 else 0.15))
        age = ds.current_time.to('Gyr').v  # 2 / (3 H0 sqrt(Omega_m)) a^(3/2), later with radiation
        check(f'yt: age {age:.4g} Gyr', abs(age / (17.0 * (1 + want)**-1.5) - 1) < 0.1)
except ImportError:
    print('SKIP: python3-yt is not installed')
for i, want in enumerate((99, 50, 30, 20)):
    lines = open(f'one/stats/matter_gas_{i:04d}.csv').read().split('\n')
    notes = dict(l[2:].split(': ', 1) for l in lines if l.startswith('# ') and ': ' in l)
    check(f'table {i} tells its redshift', abs(float(notes['redshift']) - want) < 1e-9)
    rows = [l for l in lines if l and not l.startswith('#')]
    t = {n: v for n, v in zip(rows[0].split(','), np.array([list(map(float, r.split(','))) for r in rows[1:]]).T)}
    off = (t['power'] / t['input'])[:3]
    check(f'power over linear theory at z = {want}: {off}', np.all(abs(off - 1) < 0.03))
PY
exit $failed
