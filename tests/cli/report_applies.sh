#!/bin/bash
# report_applies.sh - a report says and draws what applies to its runs: captions of one member, of one dimension and of two, of a gas
# without a field or on one level, labels that fit, units of a universe, methods that ran; and says which groups have no ensemble.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
cd "$work" || exit 1
# gnuplot that draws nothing: what is asked here stands in scripts and on the page
mkdir empty_drawings
cat >empty_drawings/gnuplot <<'SH'
#!/bin/bash
while IFS= read -r line; do
    case $line in "set output '"*) name=${line#*\'} && echo '<svg viewBox="0 0 1 1"><desc></desc></svg>' >"${name%\'}" ;; esac
done <"$2"
SH
chmod +x empty_drawings/gnuplot
export PATH=$work/empty_drawings:$PATH
recipes=$SLUICE_TOP/recipes
run() { # name, settings: a shipped recipe
    name=$1
    shift
    expect 0 sluice run "$recipes/$name.yaml" resources.ranks=1 "$@" --dir "$work/$name"
    figures=$work/$name/report/figures
    words
}
words() { # the page without the manual of all keys
    page=$work/$name.html
    sed '/<summary>All parameters/,/<.details>/d' "$work/$name/report/index.html" >"$page"
}
has() { grep -qF -- "$1" "$page" || bad "$name without '$1'"; }
lacks() { grep -qF -- "$1" "$page" && bad "$name with '$1'"; true; }
draws() { grep -qF -- "$2" "$figures/$1.gp" || bad "$name: $1 without '$2': $(grep -F "${2%% *}" "$figures/$1.gp" | head -3)"; }

# one member in each group, in one dimension; nothing positive has an axis below zero
run brio-wu 'sweep.fluid.riemann=[hlle, hlld]' mesh.cells=[64]
grep -q ' with [a-z]*lines pt' "$figures/across_1.gp" && bad "a line from word to word"
lacks 'Thin lines are members'
lacks 'if there is one'
lacks 'Members that differ in their seed'
has 'Each group is one member.'
has 'Grey: a converged solution of many cells.'
has 'The line is a converged one of many cells.'
lacks 'first member'
lacks 'id="figure-thermal"' # gas comes in at the ends
draws profile_field 'title "B_y"'
draws profile_across 'title "v_y"'
grep -q '"B_z"' "$figures/profile_field.gp" && bad "a component that is zero"
has 'there are no slopes, and solvers exchange transverse momentum in shocks'
has '>Error of the density (relative L1)<' # what its verification measures, in table and figure
has '>Density error</th>'
draws profile_pressure 'set yrange [0:*]'
draws profile_pressure 'set xlabel "x (code units)"'

# a tube with all components, beside the exact ones
run ryu-jones 'sweep.mesh.cells=[[32], [64]]'
has 'Grey: the exact solution.'
[ "$(grep -o 'using 1:3' "$figures/beside_profile.gp" | wc -l)" = 1 ] || bad "one solution, drawn twice"
has 'The line is the exact solution.'
draws profile_field_2 'title "exact"'
/usr/bin/python3 - "$work/ryu-jones" <<'PY' || bad "the field along x"
import sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(sys.argv[1] + p) if l[0] != '#'], delimiter=',', names=True)
line = read('/members/0001/sample_line.csv')
for figure, what in ('profile_field_2', 'magnetic'), ('profile_across_2', 'velocity'):
    for axis, suffix in ('y', ''), ('z', '_z'):
        drawn = read(f'/report/figures/{figure}{suffix}.csv')
        assert np.ptp(line[f'{what}_{axis}']) > 0.1 and np.allclose(drawn[f'{what}_{axis}'], line[f'{what}_{axis}'], rtol=1e-9), (figure, axis)
        assert np.allclose(drawn['exact'], line[f'exact_{what}_{axis}'], rtol=1e-9), (figure, axis)
PY

# a cloud that falls in on itself: energies with the potential one; cells and shells by their radius, without being asked for
run evrard mesh.cells=[16,16,16] time.end=0.2
lacks 'id="figure-thermal"'
draws budget 'title "potential"'
has 'The potential one is that of its own gravity.'
lacks 'external potential'
draws radius_density 'set logscale x'
grep -q yerrorbars "$figures/radius_density.gp" && bad "points in boxes that hide what lies beside them"
/usr/bin/python3 - "$work/evrard" <<'PY' || bad "energies with gravity"
import sys
import numpy as np
head = open(sys.argv[1] + '/members/0000/history.tsv').readline().split()
h = dict(zip([c.split('[')[0] for c in head], np.genfromtxt(sys.argv[1] + '/members/0000/history.tsv', comments='#', skip_header=1).T))
drawn = np.genfromtxt(sys.argv[1] + '/report/figures/budget.csv', delimiter=',', names=True)
for name in 'kinetic', 'thermal', 'potential':
    assert np.allclose(drawn[name + '_energy'], h['energy_' + name], rtol=1e-9), name
assert np.allclose(drawn['energy_with_potential'], h['energy_total'] + h['energy_potential'], rtol=1e-9)
assert h['energy_potential'].max() < -0.1
PY

# a star at rest beside the exact one
run polytrope mesh.cells=[16,16,16] sweep.mesh.levels=[0] time.end=0.1 output.snapshot=0.1
draws radius_density 'title "exact"'

# an explosion whose recipe says nothing of samples
run tvd mesh.cells=[16,16,16] time.end=0.3 output.snapshot=0.3 output.history=0.3
draws radius_density 'title "exact"'
has 'The line is the exact solution.'

# what verification measures of a problem without an exact solution stands in the table of groups
run orszag-tang 'sweep.mesh.cells=[[16, 16], [32, 32]]' time.end=0.1 output.snapshot=0.1
has '>Asymmetry</th>'
lacks 'id="figure-across_1"' # a figure of zeros

# one dimension: all motion is along it; gas falls as if it were alone until it meets
run caustic mesh.cells=[32] time.end=0.4
has 'The line is the exact solution.'
lacks 'olenoidal'
/usr/bin/python3 - "$work/caustic" <<'PY' || bad "the exact flow of a caustic"
import sys
import numpy as np
t = np.genfromtxt([l for l in open(sys.argv[1] + '/members/0000/sample_line.csv') if l[0] != '#'], delimiter=',', names=True)
time, pi2, n = 0.4, 2 * np.pi, 4000
q = (np.arange(32 * n) + 0.5) / (32 * n)  # gas of equal masses where it was at the start
x, u, rho = (q + time * np.sin(pi2 * q) / pi2) % 1, np.sin(pi2 * q) / pi2, 1 / (1 + time * np.cos(pi2 * q))
mass, _ = np.histogram(x, 32, (0, 1))
mean = lambda v: np.histogram(x, 32, (0, 1), weights=v)[0] / mass
assert np.allclose(t['exact_density'], mass / n, rtol=1e-3)
assert np.allclose(t['exact_velocity_x'], mean(u), atol=1e-4)
assert np.allclose(t['exact_pressure'], mass / n * mean(1e-10 * rho**(2 / 3)), rtol=2e-3)
assert np.all(t['exact_velocity_y'] == 0) and np.abs(t['density'] / t['exact_density'] - 1).max() < 0.03
PY
grep -q solenoidal "$figures/energies.gp" && bad "solenoidal motion along a line"

# rows that alternate: central differences see nothing of them, velocities do
run mhd-odd-even mesh.cells=[32,8] 'sweep.fluid.riemann=[hlle, hlld]' time.end=0.1 output.snapshot=0.1
lacks 'orticity'
lacks 'Not drawn'
has '>Velocity x<'
draws across_1 'set yrange [0:*]'
lacks 'would give them error bars'

# a universe with a field and gas that is no monatomic one
run expanding-box 'zip.mesh.cells=[[16]]' 'zip.time.max_expansion=[0.02]' time.end=10 output.redshift=[]
draws expansion 'title "magnetic"'
has 'The gain is beside what the expansion gives to heat and field'
draws profile_field 'set ylabel "B (G)"'
/usr/bin/python3 - "$work/expanding-box" <<'PY' || bad "a field in gauss"
import sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(sys.argv[1] + p) if l[0] != '#'], delimiter=',', names=True)
raw, drawn = read('/members/0000/sample_line.csv'), read('/report/figures/profile_field.csv')
unit = (4 * np.pi * 1.87834e-29 * 0.5**2)**0.5 * 1e7 * 11**2.5  # z = 10, h = 0.5, Omega_m = 1
assert np.ptp(drawn['magnetic_y']) > 1e-7 and np.allclose(drawn['magnetic_y'], unit * raw['magnetic_y'], rtol=1e-5)
PY

# proper gauss of a universe whose waves have hardly grown: a^2 B is what it was
run cosmology sweep.ic.paired=[false] mesh.cells=[8,8,8] time.end=20 output.redshift=[] ic.redshift=49 cosmology.field=[0,0,1e-9] fluid.mhd=glm \
    statistics.profiles=[magnetic] statistics.maps=[magnetic] statistics.spectra=[magnetic] statistics.clumps=0
has 'rms magnetic field at z = 20, proper, in G</dt><dd>4.4 × 10<sup>−7</sup>'
has 'width σ of ln ρ at the end' # what it became
draws radial_magnetic 'set ylabel "|B| (G)"'
draws magnetic_spectrum 'set ylabel "E(k) of B, erg/cm^3"'
draws map_slice_magnetic_z '(G)"'
grep -q '^# unit magnetic: (4 pi rho_m / a^3)^(1/2) 2100 km/s' "$(ls cosmology/members/0000/stats/profile_0*.csv | tail -n 1)" || bad "the unit of a field"
/usr/bin/python3 - "$work/cosmology" <<'PY' || bad "gauss of a universe"
import sys
import numpy as np
shells = np.genfromtxt(sys.argv[1] + '/report/figures/radial_magnetic.csv', delimiter=',', names=True)
assert np.allclose(shells['magnetic'][-3:], 1e-9 * 21**2, rtol=0.2), shells['magnetic']
PY

# levels in one group of two; a plane is no slice of a box
run hubble-flow mesh.cells=[16,16] sweep.mesh.levels=[0,1] sweep.hubble_flow.rate=[1]
lacks 'its mesh has one level'
lacks 'across z'
grep -A3 'id="results"' "$page" | grep -q . || bad "no results"
lacks 'mean of the members'
lacks 'Means of the members'
draws level_mass_2 'with linespoints'
draws level_mass_2 'set yrange [*<0.1:1]'
[ "$(grep -c '>Against time<' "$page")" = 1 ] || bad "a heading without a figure"

# an explosion in the corner of its box: slices go along its walls, and say so
run sedov mesh.cells=[16,16,16] time.end=0.2 output.snapshot=0.2
has 'The plane z = 0.0375 at t = 0.2'
lacks 'middle plane'
grep -qF 'in the plane at z = 0.0375;' sedov/members/0000/stats/slice_density_z_0001.csv || bad "which plane: $(head -1 sedov/members/0000/stats/slice_density_z_0001.csv)"
/usr/bin/python3 - "$work/sedov" <<'PY' || bad "a slice beside the explosion"
import sys
import numpy as np
read = lambda p, **more: np.genfromtxt([l for l in open(sys.argv[1] + p) if l[0] != '#'], delimiter=',', **more)
rho, cells = 10**read('/members/0000/stats/slice_density_z_0001.csv'), read('/report/figures/radius_density_cells.csv', names=True)
assert rho.shape == (16, 16) and rho[0, 0] == rho.min() < 0.5 and np.allclose(rho, rho.T), 'the hollow is in the corner'
assert np.isclose(cells['radius'].min(), 0.0375 * 3**0.5, rtol=1e-4) and np.isclose(cells['value'][0], rho[0, 0], rtol=1e-4), 'cells have their radius'
PY

# the numbers of cells of a group are its own
run cpaw-adaptive time.end=0.02 output.snapshot=0.02
grep -q '^ *2048 with lines dt 2' "$figures/levels.gp" && grep -q '^ *8192 with lines dt 2' "$figures/levels_2.gp" || bad "cells of a uniform grid: $(grep -h 'dt 2' "$figures"/levels*.gp)"
run kelvin-helmholtz 'sweep.mesh.cells=[[16,16],[32,32]]' time.end=0.05 output.snapshot=0.05
lacks 'eans of the groups'
draws across_1 'with linespoints'
grep -q 'to first 2, graph 1' "$figures/spectrum.gp" && grep -q 'to first 4, graph 1' "$figures/spectrum_2.gp" || bad "N/8: $(grep -h 'set object' "$figures"/spectrum*.gp)"

# a field in a uniform flow: motion without modes, a field that is nothing but diffusion over most of the box
run field-loop-adaptive mesh.cells=[32,16] sweep.mesh.levels=[0] time.end=0.1 output.snapshot=0.05 output.history=0.05
lacks 'olenoidal'
grep -q 'title "solenoidal"\|title "compressive"' "$figures/energies.gp" && bad "modes of a uniform flow"
draws map_slice_magnetic_z 'set cblabel "|B| / 10'
draws map_slice_magnetic_z 'set cbrange [0:' # else its tics have eight digits
has '>magnetic energy left (start: 1)</dt><dd>0.'

# two pressures of which one is a hundred times the other: on one scale of colours neither would be more than one colour
run gresho mesh.cells=[16,16] 'sweep.fluid.riemann=[hllc]' time.end=0.1 output.snapshot=0.1 output.history=0.1
[ "$(grep -oF 'The colours are its own: those of all groups do not show it.' "$page" | wc -l)" -ge 2 ] || bad "pressures on one scale of colours: $(grep -h 'set cbrange' "$figures"/map_slice_pressure_z*.gp)"

# heat that does not change, no field, two snapshots that the recipe asked for
run decay zip.mesh.cells=[[8,8],[16,16]] sweep.decay.mode=[shear]
lacks 'id="figure-thermal"'
lacks 'there is no field'
lacks 'Not drawn'
draws across_1 'set xtics ("8" 8, "16" 16)'
has 'Dotted and dashed: errors that fall as the size of a cell and as its square'

# maps alone
run riemann mesh.cells=[32,16]
has 'This problem is looked at in its maps'
lacks '1e+'

# a wide box: the name of the colours has room, their ends have three digits
run double-mach mesh.cells=[32,8] time.end=0.02
grep -qE '^set cbtics \("[-+.e0-9]{1,6}" [^ ]*, "[-+.e0-9]{1,6}" ' "$figures/map_slice_density_z.gp" || bad "digits of colours: $(grep cbtics "$figures/map_slice_density_z.gp")"

# labels that are wider than a figure give way to the numbers of groups
run toro mesh.cells=[32]
draws across_1 'set xlabel "group"'
draws across_1 'with points'
grep -q '"group 1"' "$figures/across_1.gp" && bad "five curves of a point each"
draws beside_profile 'title "group 5"'
has 'Grey: the exact solution of each group.'
[ "$(grep -o 'using 1:3' "$figures/beside_profile.gp" | wc -l)" = 5 ] || bad "five problems with $(grep -o 'using 1:3' "$figures/beside_profile.gp" | wc -l) exact solutions"

# a universe: Mpc/h, km/s and K; no notes on a power that its start does not take
run pancake 'zip.mesh.cells=[[16], [32]]' time.end=5
draws profile_velocity 'set ylabel "v_x (km/s)"'
draws profile_velocity 'set xlabel "x (Mpc/h)"'
draws profile_velocity 'set xrange [0:64]' # not 70
draws beside_profile 'set xrange [0:64]'
draws profile_pressure 'set ylabel "T (K)"'
has '>Temperature along x<'
lacks 'sigma8'
lacks 'gas is behind'
lacks 'The gain is beside'
lacks 'multigrid'
for unit in 'x: Mpc/h' 'density: rho_m' 'velocity_x: 600 km/s' 'pressure: rho_m (600 km/s)^2'; do
    grep -qx "# unit $unit" pancake/members/0000/sample_line.csv || bad "sample_line.csv without the unit of $unit"
done
/usr/bin/python3 - "$work/pancake" <<'PY' || bad "the profiles of a universe"
import sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(sys.argv[1] + p) if l[0] != '#'], delimiter=',', names=True)
raw, v, t = (read(p) for p in ('/members/0000/sample_line.csv', '/report/figures/profile_velocity.csv', '/report/figures/profile_pressure.csv'))
assert np.allclose(v['velocity_x'], 600 * raw['velocity_x']), 'z = 5: 600 km/s'
assert np.allclose(t['pressure'], 600**2 * raw['pressure'] / raw['density'] / 8.2501e-3), 'helium: 0'
PY

# shells in a universe: Mpc/h and km/s; no error bars of one member
run bertschinger mesh.levels=0 output.redshift=[] time.end=3
draws radial_density 'set xlabel "distance from the centre (Mpc/h)"'
draws radial_velocity 'set ylabel "v_r (km/s)"'
draws radial_pressure 'set ylabel "p/⟨ρ_m⟩ ((km/s)^2)"'
lacks 'standard error of the mean over the members'
/usr/bin/python3 - "$work/bertschinger" <<'PY' || bad "shells of a universe"
import glob, sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
table, drawn = read(sorted(glob.glob(sys.argv[1] + '/members/0000/stats/profile_0*.csv'))[-1]), read(sys.argv[1] + '/report/figures/radial_velocity.csv')
assert np.allclose(drawn['radial_velocity'], 400 * table['radial_velocity'], rtol=1e-6), 'z = 3: 400 km/s'
PY

# a pair: phases, not seeds
run cosmology-ic mesh.cells=[16,16,16]
lacks 'differ in their random seed'
has 'differ in their phases, which are opposite'
lacks 'grown by D'
has 'σ<sub>8</sub> of the gas at z = 99, measured'
has 'σ<sub>8</sub> of the dark matter at z = 99, measured'
draws spectrum 'set xlabel "k (h/Mpc)"'
draws map_slice_density_z 'set cblabel "(1 + δ)'
/usr/bin/python3 - "$work/cosmology-ic" <<'PY' || bad "the gas of a universe"
import sys
import numpy as np
read = lambda p, **more: np.genfromtxt([l for l in open(sys.argv[1] + p) if l[0] != '#'], delimiter=',', **more)
assert np.isclose(read('/report/figures/map_slice_density_z.csv').mean(), 1, atol=0.02), 'over its own mean'
drawn, table = read('/report/figures/spectrum.csv', names=True), read('/ensemble/spectrum_velocity_0000.csv', names=True)
assert np.allclose(drawn['k'], 2 * np.pi / 100 * table['k'], rtol=1e-6), 'h/Mpc'
PY

# turbulence of one member beside its Alfven Mach number, at rest at the start, in two dimensions
run driven-turbulence-adaptive mesh.cells=[16,16] sweep.mesh.levels=[0] time.end=0.1 fluid.mhd=ct driven_turbulence.magnetic=0.1 fluid.riemann=hlld sweep.seed=1..2
lacks 'Dashed: the total at the start'
grep -q '"b = ' "$figures/dispersion.gp" && bad "b of three dimensions"
lacks 'Federrath et al. (2008, 2010) found it'

# a field narrows the densities: the law of gas without one is drawn as such, or not at all; a run that ends at 0.11
run decaying-mhd-turbulence mesh.cells=[8,8,8] mesh.block=8 turbulence.kmax=3 time.end=0.11 output.snapshot=0.11 sweep.turbulence.beta=[0.2] sweep.seed=[1]
lacks 'Federrath et al. (2008, 2010) found it'
has 'They are of gas without a magnetic field, which makes σ smaller (Molina et al. 2012).'
draws energy 'set autoscale xfix'

# a velocity whose mean along a line of sight is rounding
run mhd-wave 'sweep.mesh.cells=[[8, 4, 4]]' 'sweep.wave.mode=[right_fast]'
has '<li>Velocity x, mean by mass along z: zero everywhere, but for rounding</li>'

# two lines of a history are no balance; particles alone have no heat, and an input of their own
run mocks mesh.cells=[16,16,16] sweep.seed=1..2 statistics.haloes=0
grep -q 'gain of T' "$figures/expansion.gp" && bad "a curve of one point"
lacks 'both sides are drawn'
draws matter_power 'title "input"'
draws sigma 'title "input"'
# the power beside both theories, and over the nonlinear one; the table of the universe (8^3 particles in 100 Mpc/h)
draws matter_redshifts 'title "nonlinear"'
draws matter_redshifts 'title "z = 0"'
draws matter_ratio 'title "z = 0"'
/usr/bin/python3 - mocks "$figures" <<'PY' || bad "the power over theory"
import sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True)
mean = read(sys.argv[1] + '/ensemble/matter_particles_0001.csv')
drawn, ratio = (read(f'{sys.argv[2]}/matter_{n}_0001.csv') for n in ('redshifts', 'ratio'))
assert np.allclose(drawn['nonlinear'], mean['nonlinear_mean']) and np.allclose(drawn['power'], mean['power_mean'])
assert np.allclose(ratio['ratio'], mean['power_mean'] / mean['nonlinear_mean'])
assert np.allclose(ratio['ratio_hi'] - ratio['ratio'], mean['power_error'] / mean['nonlinear_mean'])
assert (mean['nonlinear_mean'] != mean['input_mean']).all()
PY
for row in '>σ<sub>8</sub> today, of the recipe<.td><td class="n">0.8<' '>mass of a particle<.td><td class="n">1.626e+14<' \
    '>Nyquist wave number of the particles<.td><td class="n">0.2513<' '>n<sub>s</sub>, tilt of the primordial power<.td><td class="n">0.96<'; do
    grep -q "$row" "$page" || bad "no row $row in the table of the universe"
done

# a table of seven errors: what is wider than its sheet makes all of the print smaller
run jeans 'zip.mesh.cells=[[8,4,4],[16,8,8]]'
"$SLUICE_TOP/tests/cli/browser.py" "$work/jeans/report/index.html" >seen.json
grep -q '"paper": 0[,}]' seen.json || bad "the page is wider than its paper: $(cat seen.json)"

# groups whose members are missing
"$SLUICE_TOP/tests/cli/fake_campaign.py" many --members 4 --fail
rm -r many/ensemble
for i in 0 1 2 3; do printf 'turbulence.mach: %d\nensemble.min: 2\n' $((1 + i / 2)) >>"many/members/000$i/run.yaml"; done
expect 0 sluice report many
name=many
words
has '2 of 2 groups have no error bars yet: an ensemble needs 2 members (<code>ensemble.min</code>), 1 is finished where fewest are.'
has 'for 1 crossing time:'
[ $failed = 0 ] && echo ok
exit $failed
