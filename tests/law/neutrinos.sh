#!/bin/bash
# neutrinos.sh - massive neutrinos beside numpy and scipy (neutrinos.py): H(a), growth and the start from a table with them; waves of dark
# matter, and of gas with it, grow as H(a) and the force of cold matter say; masses of particles; the same bits on three ranks; what a
# table, a recipe or an export does not say or have is refused by name. Without them no bit depends on how many could share a mass.
set -u
data=$SLUICE_TOP/tests/data/cosmo
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
export PYTHONPATH=$PYTHONPATH:$SLUICE_TOP/tests/law
nu() { /usr/bin/python3 "$SLUICE_TOP/tests/law/neutrinos.py" "$@" || bad "neutrinos.py $*"; }
nu tables "$data"
keys() { # MASS: of the universe and its table
    local omega kinds
    read -r _ kinds omega < <(grep "^$1 " "$work/omegas")
    echo "cosmology.m_nu=$1 cosmology.massive_neutrinos=$kinds cosmology.omega_m=$omega ic.table=$work/z99_$1.dat"
}

cat >run.yaml <<'YAML'
campaign: heavy
problem: cosmology
mesh: {cells: [16, 16, 16], box: [[0, 400], [0, 400], [0, 400]]}
cosmology: {h: 0.7, omega_m: 0.3, omega_b: 0.045, n_s: 0.96}
fluid: {eos: none}
ic: {redshift: 99, transfer: table, species: dark_matter, fixed: true}
particles: {spacing: 1}
time: {end: 9, unit: redshift}
output: {redshift: [9], precision: double, history: 0}
statistics: {matter: [particles], structure: []}
YAML

# the start
for m in 0.06 0.3 0.6; do
    sluice-ic run.yaml ic.write=true run.input="ic_$m.h5" $(keys $m) >log 2>&1 || bad "start of $m eV: $(tail -n 3 log)"
done
grep -q 'neutrinos of 0.6 eV in all are in H(a) and do not cluster: dark matter and baryons, Omega 0.3, are the matter of the box' log ||
    bad "it is not said: $(cat log)"
sluice-ic run.yaml ic.write=true run.input=ic_back.h5 $(keys 0.6) ic.table=z0_0.6.dat ic.mode=back_scaled >log 2>&1 || bad "back: $(cat log)"
grep -q 'right at the redshift of the table' log || bad "it is not said: $(cat log)"
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from check import check, near
from neutrinos import Universe
for mass, kinds in ((0.06, 1), (0.3, 3), (0.6, 3)):
    u = Universe(mass, kinds)
    d, f = u.growth([99, 0])
    with h5py.File(f'ic_{mass}.h5') as h:
        a = {k: float(v) for k, v in h.attrs.items() if np.ndim(v) == 0 and isinstance(v, (float, np.floating)) or k in ('omega_nu', 'm_nu_ev')}
    near(f'{mass} eV: H', a['hubble_km_s_mpc'], 70 * np.sqrt(u.square(0.01)), 1e-8)
    near(f'{mass} eV: Omega_nu', a['omega_nu'], u.nu, 1e-8)
    near(f'{mass} eV: Omega_m', a['omega_m'], u.omega_m, 1e-9)
    near(f'{mass} eV: dark energy', a['omega_de'], u.dark, 1e-9)
    near(f'{mass} eV: D', a['growth_over_today'], d[0] / d[1], 1e-6)
    near(f'{mass} eV: f', a['growth_rate'], f[0], 1e-6)
check('of 0.05 eV or so an Omega_nu h^2 is 93 eV', abs(0.06 / Universe(0.06, 1).nu / 0.49 - 93.0) < 0.1)
PY

# a run, beside one of the same dark matter without them, which tells what the mesh lacks of the force
run() { # DIR RANKS OPTIONS: the hash
    rm -rf "$1" && mkdir "$1" && cp run.yaml "$1"
    (cd "$1" && mpirun -n "$2" sluice-sim run.yaml "${@:3}" 2>&1) | tee "$1/log" | sed -n 's/^hash \([0-9a-f]*\) .*/\1/p'
}
want=$(run heavy 1 $(keys 0.6))
[ -n "$want" ] || bad "no run: $(tail -n 3 heavy/log)"
[ "$(run three 3 $(keys 0.6))" = "$want" ] || bad 'other bits on three ranks'
light=$(run light 1 ic.table="$data/camb13_transfer_z99.dat")
[ -n "$light" ] || bad "no run: $(tail -n 3 light/log)"
[ "$(run one 1 ic.table="$data/camb13_transfer_z99.dat" cosmology.massive_neutrinos=1)" = "$light" ] || bad 'without a mass their number counts'
run few 1 $(keys 0.6) time.steps=8 time.stepping=bullfrog >/dev/null
run few_light 1 ic.table="$data/camb13_transfer_z99.dat" time.steps=8 time.stepping=bullfrog >/dev/null
gas=(fluid.eos=ideal fluid.dual_energy=true ic.species=one_fluid 'statistics.matter=[gas, particles]')
run gas 1 $(keys 0.6) "${gas[@]}" >/dev/null
run gas_light 1 ic.table="$data/camb13_transfer_z99.dat" "${gas[@]}" >/dev/null
for d in heavy light few few_light gas gas_light; do
    more=()
    case $d in gas*) more=("${gas[@]}") ;; esac
    case $d in *light) more+=(ic.table="$data/camb13_transfer_z99.dat") ;; *) more+=($(keys 0.6)) ;; esac
    (cd $d && sluice-stats run.yaml "${more[@]}" >stats.log 2>&1) || bad "$d: $(tail -n 3 $d/stats.log)"
done
/usr/bin/python3 - <<'PY' || failed=1
import h5py
import numpy as np
from check import check, near
from scipy.optimize import brentq
from neutrinos import BARYONS, COLD, Universe
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
def grown(folder, kind='particles'):
    p = [read(f'{folder}/stats/matter_{kind}_{n:04d}.csv') for n in range(2)]
    return np.sqrt(p[1]['power'][:3] / p[0]['power'][:3]), np.sqrt(p[1]['input'] / p[0]['input'])
u, plain = Universe(0.6), Universe(0)
d, d0 = u.growth([99, 9])[0], plain.growth([99, 9])[0]
want = d[1] / d[0] / (d0[1] / d0[0])
check(f'they matter: {want}', 0.9 < want < 0.96)
near('linear theory', grown('heavy')[1], 0 * grown('heavy')[1] + d[1] / d[0], 1e-6)
for a, b, kind in (('heavy', 'light', 'particles'), ('gas', 'gas_light', 'particles'), ('gas', 'gas_light', 'gas')):
    got, without = grown(a, kind)[0], grown(b, kind)[0]
    force = [brentq(lambda f: plain.evolved(f, 99, 9) - g, 0.5, 1.2) for g in without]
    law = np.array([u.evolved(f, 99, 9) for f in force])
    most = 5e-4 if kind == 'particles' else 1e-3
    check(f'{a}: growth of {kind}: {got / law} of the law, with {force} of the force', np.abs(got / law - 1).max() < most)
near('8 steps', grown('few')[0] / grown('few_light')[0], grown('heavy')[0] / grown('light')[0], 1e-3)
critical, mpc = 1.87834e-29 * 0.49, 3.0856775814913673e24 / 0.7
for folder, share in (('heavy', 1), ('gas', 1 - BARYONS / COLD)):
    with h5py.File(f'{folder}/snapshots/heavy_hdf5_plt_cnt_0001') as f:
        near('mass of all particles', f['tracer particles'][:, 6].sum() / (critical * (400 * mpc)**3), COLD * share, 1e-4)
        real = {k.decode().strip(): v for k, v in f['real runtime parameters'][...].tolist()}
        near('Omega_m of the file', real['omegamatter'], u.omega_m, 1e-9)
        near('Omega_nu of the file', f['sluice'].attrs['omega_nu'], u.nu, 1e-8)
PY

# what is refused
refused() { # WORDS OPTIONS
    expect 65 sluice check run.yaml "${@:2}"
    says "$1"
}
heavy=($(keys 0.3))
expect 0 sluice check run.yaml "${heavy[@]}"
grep -q 'up to .* % too low today, by growth from the start' out err || bad "check does not say what is left out: $(cat out err)"
refused 'cosmology.m_nu, the sum of their masses in eV, is 0; nearest: cosmology.m_nu: 0.3,' ic.table=z99_0.3.dat "${heavy[2]}"
refused 'its total was made with neutrinos of 0.3 eV in all, if 3 share that, and cosmology.m_nu is 0.31' "${heavy[@]}" cosmology.m_nu=0.31
refused 'no massive neutrinos are in it, and cosmology.m_nu is 0.3' "${heavy[@]}" ic.table="$data/camb13_transfer_z99.dat"
refused 'one spectrum does not tell dark matter and baryons from massive neutrinos' "${heavy[@]}" ic.table="$data/camb_matterpower_z99.dat" \
    cosmology.normalise=table
refused 'ic.transfer: eisenstein_hu knows no massive neutrinos (cosmology.m_nu: 0.3); nearest: table' cosmology.m_nu=0.3 ic.transfer=eisenstein_hu
refused 'massive neutrinos have the temperature that cosmology.t_cmb and n_eff tell' "${heavy[@]}" cosmology.t_cmb=0
refused 'do not follow a box that is a universe of its own' "${heavy[@]}" ic.mean_overdensity=0.05
refused 'leaves no dark matter beside cosmology.omega_b' "${heavy[@]}" cosmology.omega_m=0.05
refused 'is the start of another code, which does not say' ic.transfer=eisenstein_hu ic.file=x.hdf5 cosmology.m_nu=0.3
expect 65 sluice-ic --export gadget ic_0.3.h5 start.hdf5
says 'is of a universe with massive neutrinos (cosmology.m_nu)'

# the parameter file of the table says it all
cat >params.ini <<'INI'
hubble = 70
ombh2 = 0.02205
omch2 = 0.12495
omnuh2 = 0.00322601
massless_neutrinos = 0
massive_neutrinos = 3.046
scalar_spectral_index(1) = 0.96
scalar_amp(1) = 2.1e-9
INI
expect 0 sluice inspect params.ini
shows 'neutrinos 0.3 eV in all (cosmology.m_nu), shared by 3: Omega_nu 0.006584, part of Omega_m'
expect 0 sluice check run.yaml ic.table=z99_0.3.dat cosmology.file=params.ini
refused 'knows no massive neutrinos' ic.transfer=eisenstein_hu cosmology.file=params.ini
[ $failed = 0 ] && echo ok
exit $failed
