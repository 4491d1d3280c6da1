#!/bin/bash
# report.sh - the page of a report as a browser sees it: all figures there, nothing asked from outside, no complaint on the
# console, hostile texts harmless, no sideways scrolling on a phone; and what it says when something is missing.
set -eu
. "$SLUICE_TOP/tests/scratch.sh"
is() { # what, found, wanted
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# most of a report's time goes into drawing: where a check reads words, scripts and numbers alone, gnuplot leaves empty drawings
mkdir "$work/empty_drawings"
cat >"$work/empty_drawings/gnuplot" <<'SH'
#!/bin/bash
while IFS= read -r line; do
    case $line in "set output '"*) name=${line#*\'} && echo '<svg viewBox="0 0 1 1"><desc></desc></svg>' >"${name%\'}" ;; esac
done <"$2"
SH
chmod +x "$work/empty_drawings/gnuplot"
undrawn() { PATH=$work/empty_drawings:$PATH sluice report "$1" >/dev/null; }
# of some reports PNG and PDF are drawn, too
all_drawn() { PATH=${PATH/"$SLUICE_TOP/tests/svg_alone:"/} sluice report "$1"; }

# a full campaign, with a name and a cause that try to be markup
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/c" --members 5 --fail --name '<script>alert(1)</script>"; `date`'
page=$(all_drawn "$work/c")
is "printed" "$page" "$work/c/report/index.html"
"$SLUICE_TOP/tests/cli/browser.py" "$page" "$work/shot" >"$work/seen.json"
seen() { /usr/bin/python3 -c 'import json, sys; v = json.load(open(sys.argv[1]))[sys.argv[2]]; print(v if isinstance(v, int) else " ".join(v))' "$work/seen.json" "$1"; }
is "complaints on the console" "$(seen console)" ""
is "asked from outside" "$(seen requests)" ""
is "figures" "$(seen svg)" 15
is "images" "$(seen img)" 24
is "images with a text" "$(seen alt)" 24
is "scripts" "$(seen scripts)" 0
is "width on a phone" "$(seen wide)" "$(seen screen)"
[ "$(seen colours)" -gt 100 ] || fail "the screenshot is blank"
[ -s "$work/shot.pdf" ] && [ -s "$work/shot-dark.png" ] || fail "no print or dark view"
grep -q 'Not drawn' "$page" && fail "$(grep -A3 'Not drawn' "$page")"
grep -q '&lt;at step 412&gt;' "$page" || fail "the cause of the failure is missing"
ids=$(grep -oE ' id=["'\''][^"'\'']*' "$page" | sort | uniq -d)
is "ids that occur twice" "$ids" ""
for f in "$work/c/report/figures"/*.gp; do
    name=$(basename "$f" .gp)
    for kind in svg png pdf csv; do
        [ "$name" = images ] || [ -s "$work/c/report/figures/$name.$kind" ] || fail "no $name.$kind"
    done
done
grep -q "gnuplot_plot_[0-9]*</title>" "$page" && fail "names of gnuplot beside curves"
grep -lE 'script|date' "$work/c/report/figures"/*.gp && fail "a text of the user reached gnuplot"

# on paper a row of figures stands where there is room for it: rows are lines, of which a browser wants two on a page unless told
pages=$(grep -ac '/Type /Page$' "$work/shot.pdf")
[ "$pages" -ge 4 ] && [ "$pages" -le 16 ] || fail "the print has $pages pages"

# without gnuplot: a page that says so, with all its tables, and the numbers and scripts of its figures, in a fortieth of the time
words() { PATH=$(dirname "$(command -v sluice)") sluice report "$1" >/dev/null 2>"$work/err"; }
words "$work/c"
grep -q gnuplot "$work/err" || fail "nothing said of gnuplot"
grep -q 'apt-get install gnuplot-nox' "$page" && grep -q '&lt;at step 412&gt;' "$page" || fail "the page without gnuplot"

# one member: no error bars, and it says so; of two snapshots, a row for each kind of image
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/one" --members 1
rm "$work"/one/members/0000/stats/*_0001.csv
sluice report "$work/one" >/dev/null
is "images of two snapshots" "$(grep -o '<img' "$work/one/report/index.html" | wc -l)" 4
grep -q '"planes" style="grid-template-columns:repeat(2,1fr)"' "$work/one/report/index.html" || fail "images of two snapshots in three columns"
grep -q '<p>First and last snapshots of each member' "$work/one/report/index.html" || fail "a middle snapshot of two"
grep -q 'would give them error bars' "$work/one/report/index.html" || fail "one member"
[ "$(grep -c '<svg' "$work/one/report/index.html")" = 15 ] || fail "figures of one member"

# of one snapshot with statistics: no curve of the start, and no word of one
cp -r "$work/one" "$work/last"
rm "$work"/last/members/0000/stats/*_0000.csv
undrawn "$work/last"
grep -q 'figure-spectrum' "$work/last/report/index.html" && ! grep -q 'Dashed: the total' "$work/last/report/index.html" || fail "a start that is not drawn"

# exponents of structure functions: slopes against order 3, of the mean and of one member, in the range of the spectra's fits
exponents() { # campaign, table, column of a moment, first and last shell
    /usr/bin/python3 - "$1/$2/structure_velocity_0002.csv" "$1/report/figures/structure_exponents.csv" "$3" "$4" "$5" <<'PY' || fail "exponents of $1"
import sys
import numpy as np
table, drawn = (np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True) for p in sys.argv[1:3])
cells = np.rint(32 * table['lag'])
use = (cells >= 32 / float(sys.argv[5])) & (cells <= 32 / float(sys.argv[4]))
for kind, name in ('along', 'long'), ('across', 'trans'):
    order = [np.log(table[f'{name}_{p}{sys.argv[3]}'][use]) for p in range(1, 7)]
    for p, y in enumerate(order):
        (slope, _), cov = np.polyfit(order[2], y, 1, cov=True)
        found = [drawn[kind + end][p] for end in ('', '_lo', '_hi')]
        assert np.allclose(found, slope + np.array([0, -1, 1]) * cov[0, 0]**0.5, rtol=1e-7), (kind, p + 1, found, slope, cov)
assert list(drawn['order']) == [1, 2, 3, 4, 5, 6]
PY
}
again() { # statistics.fit of the one member
    sed -i '/^statistics.fit/d' "$work/one/members/0000/run.yaml"
    echo "statistics.fit: $1" >>"$work/one/members/0000/run.yaml"
    words "$work/one"
}
exponents "$work/c" ensemble _mean 3 4
exponents "$work/one" members/0000/stats "" 3 4
again '[2, 8]'
exponents "$work/one" members/0000/stats "" 2 8
again '[6, 8]'
grep -q '2 lags lie between 0.125 and 0.1667; exponents need 3' "$work/one/report/index.html" || fail "exponents of two lags"
sed -i 's/^mesh.cells:.*/mesh.cells: [16, 16, 16]/' "$work/one/members/0000/run.yaml"
again '[0, 0]'
grep -q 'this grid resolves no lags' "$work/one/report/index.html" || fail "exponents of a grid of 16 cells"
sed -i 's/^mesh.cells:.*/mesh.cells: [32, 32, 32]/' "$work/one/members/0000/run.yaml"
# where the decay is fitted, and why there, or why not
fitted() { # what its caption says
    undrawn "$work/one"
    grep -qF -- "$1" "$work/one/report/index.html" || fail "the range of the decay: $1"
}
fitted 'from one to four half-lives of the energy'
note=$(grep '^# fit_to:' "$work/one/members/0000/stats/decay.csv")
sed -i "s/^# fit_to:.*/# fit_to: $(tail -n 1 "$work/one/members/0000/stats/decay.csv" | cut -d, -f1)/" "$work/one/members/0000/stats/decay.csv"
fitted 'to the end of the run, which comes before four half-lives'
sed -i "s/^# fit_to:.*/$note/" "$work/one/members/0000/stats/decay.csv"
echo 'statistics.decay: [0, 0.8]' >>"$work/one/members/0000/run.yaml"
fitted 'gives no beginning'
sed -i 's/^statistics.decay:.*/statistics.decay: [0.4, 0]/' "$work/one/members/0000/run.yaml"
fitted 'gives the beginning, the run the end'
sed -i 's/^statistics.decay:.*/statistics.decay: [0.4, 0.8]/' "$work/one/members/0000/run.yaml"
fitted '(statistics.decay).'
cp "$work/one/members/0000/stats/summary.csv" "$work/kept.csv"
sed -i '/^decay_exponent,/d' "$work/one/members/0000/stats/summary.csv"
fitted 'No law is fitted'
mv "$work/kept.csv" "$work/one/members/0000/stats/summary.csv"
sed -i 's/^statistics.structure:.*/statistics.structure: [density]/' "$work/one/members/0000/run.yaml"
undrawn "$work/one"
grep -qE 'structure_exponents|exponents need' "$work/one/report/index.html" && fail "exponents that nobody asked for"

# the legend of many curves stands in columns: one below the other would take the axes their height
columns() { # svg, label: where it begins
    grep -B4 "<tspan[^>]*>$2<" "$1" | sed -n 's/.*translate(\([0-9]*\).*/\1/p' | tail -n 1
}
svg=$work/c/report/figures/pdf.svg
[ -n "$(columns "$svg" 'by mass')" ] && [ "$(columns "$svg" 'by mass')" -gt "$(columns "$svg" log-normal)" ] || fail "the legend of the distribution is one column"

# the density beside the log-normal of b M, b of the start: 0.4 of a natural mixture; with a force that of the force
beside() { # campaign, b
    /usr/bin/python3 - "$1" "$2" <<'PY' || fail "the log-normal of b M in $1"
import sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(p) if l[0] != '#'], delimiter=',', names=True, dtype=None, encoding=None)
summary, drawn = read(sys.argv[1] + '/ensemble/summary.csv'), read(sys.argv[1] + '/report/figures/pdf.csv')
mach = summary['mean'][list(summary['quantity']).index('mach_rms_end')]
v = np.log(1 + (float(eval(sys.argv[2])) * mach)**2)
assert np.allclose(drawn['lognormal_bm'], np.exp(-(drawn['s'] + v / 2)**2 / 2 / v) / np.sqrt(2 * np.pi * v), rtol=1e-8)
assert f'"of b = {eval(sys.argv[2]):.2g}, M = {mach:.3g}"' in open(sys.argv[1] + '/report/figures/pdf.gp').read()
PY
}
beside "$work/c" 0.4

# energies of the snapshots with their parts, from three snapshots on; beside them the heat of the history, per volume
/usr/bin/python3 - "$work/c" <<'PY' || fail "the energies of the snapshots"
import sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(sys.argv[1] + p) if l[0] != '#'], delimiter=',', names=True)
table, drawn = read('/ensemble/energies.csv'), read('/report/figures/energies.csv')
for name, of in ('whole', 'kinetic'), ('solenoidal', 'kinetic_solenoidal'), ('compressive', 'kinetic_compressive'):
    assert np.allclose(drawn[name], table[of + '_mean']) and np.allclose(drawn[name + '_hi'], table[of + '_mean'] + table[of + '_error']), name
assert np.allclose(read('/report/figures/energies_thermal.csv')['thermal_energy'], read('/ensemble/decay.csv')['thermal_energy_mean'] / 0.5)
PY
# their axis begins at half of the least that is drawn: a part of the motion counts from 3e-4 of it on, a weak field from 1e-10 on
axis() { # campaign
    /usr/bin/python3 - "$1" <<'PY' || fail "the axis of the energies of $1"
import re, sys
import numpy as np
script = open(sys.argv[1] + '/report/figures/energies.gp').read()
drawn = np.genfromtxt(sys.argv[1] + '/report/figures/energies.csv', delimiter=',', names=True)
most, names = drawn['whole'].max(), [n for n in ('whole', 'solenoidal', 'compressive', 'magnetic') if f'"{n.replace("whole", "kinetic")}"' in script]
least = min(v for n in names for v in drawn[n] if v > (1e-10 if n == 'magnetic' else 3e-4) * most)
low = float(re.search(r'^low = (.*)$', script, re.M)[1])
assert abs(low / (least / 2) - 1) < 1e-3, (low, least)
PY
}
axis "$work/c"
sed -i '$d' "$work/one/members/0000/stats/energies.csv"
undrawn "$work/one"
grep -q 'Energies: 2 snapshots' "$work/one/report/index.html" || fail "the energies of two snapshots"

# nothing is said of figures that the recipe switched off, or that an open box has none of; of others that there are none
lacking() { # key, value: what is not drawn then
    sed -i "/^$1/d" "$work/one/members/0000/run.yaml"
    echo "$1: $2" >>"$work/one/members/0000/run.yaml"
    undrawn "$work/one"
    sed -n '/"missing">Not drawn/,/<.div>/s/^<li>\([^:]*\).*/\1/p' "$work/one/report/index.html" | tr '\n' ,
}
printf 's,volume,mass,lognormal,hopkins\n-0.05,5,5,4,4\n0.05,5,5,4,4\n0.15,0,0,0,0\n' >"$work/one/members/0000/stats/pdf_density_0002.csv"
undrawn "$work/one"
grep -q 'Density distribution: the distribution is narrower than its bins' "$work/one/report/index.html" || fail "a distribution in two bins"
rm "$work"/one/members/0000/stats/{spectrum,pdf,structure,energies}*
is "lacks" "$(lacking statistics.structure '[velocity]')" "Energies,Velocity spectrum,Compensated spectrum,Kinetic energy spectrum,Density spectrum,Density distribution,Structure functions,Exponents of structure functions,"
is "lacks without structure functions" "$(lacking statistics.structure '[]')" "Energies,Velocity spectrum,Compensated spectrum,Kinetic energy spectrum,Density spectrum,Density distribution,"
is "lacks without a distribution" "$(lacking statistics.pdf '[]')" "Energies,Velocity spectrum,Compensated spectrum,Kinetic energy spectrum,Density spectrum,"
is "lacks with one spectrum" "$(lacking statistics.spectra '[log_density, energy]')" "Energies,Kinetic energy spectrum,"
is "lacks with open boundaries" "$(lacking mesh.boundary '[periodic, outflow]')" ""

grep -q 'id="figure-thermal"' "$work/one/report/index.html" || fail "no thermal energy"
is "lacks in isothermal gas" "$(lacking fluid.eos isothermal)" ""
grep -q 'id="figure-thermal"' "$work/one/report/index.html" && fail "thermal energy of isothermal gas"

# correlation of shells: of eight members and more an image of all pairs, empty where a shell does not scatter
grep -q 'id="figure-shells"' "$work/c/report/index.html" && fail "a correlation matrix of five members"
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/eight" --members 8
rm "$work"/eight/members/*/stats/{slice,projection}*
awk -F, -v OFS=, '/^#/ { print; next } { n++; for (i = 1; i <= NF; i++) if (n == 1 || i == 1) $i = 0; print }' "$work/eight/ensemble/covariance_velocity_0002.csv" >"$work/zeros"
cp "$work/zeros" "$work/eight/ensemble/covariance_velocity_0002.csv"
sluice report "$work/eight" >/dev/null
is "pairs of shells" "$(grep -c '^[0-9]' "$work/eight/report/figures/shells.csv") $(grep -c 'NaN$' "$work/eight/report/figures/shells.csv")" "256 31"
grep -q '<image' "$work/eight/report/figures/shells.svg" || fail "no image of the correlations"
rm "$work"/eight/ensemble/covariance_*
words "$work/eight"
grep -q ': the ensemble holds no covariance of the last snapshot' "$work/eight/report/index.html" || fail "a covariance that was lost"
mv "$work/eight/ensemble" "$work/ensemble"
words "$work/eight"
grep -q ': a covariance needs two members that are done, of [0-9]* of this group' "$work/eight/report/index.html" || fail "no ensemble, no word why"
mv "$work/ensemble" "$work/eight/ensemble"

# the methods as a paragraph: what members chose, with whose it is; of a start its spectrum; of a universe its tables and its phases
methods() { # campaign, words that the paragraph holds
    words "$1"
    /usr/bin/python3 - "$@" <<'PY' || fail "the methods of $1"
import html, re, sys
text = re.search(r'<p class="methods">(.*?)</p>', open(sys.argv[1] + '/report/index.html').read(), re.S)[1]
text = re.sub(r'\(version .*?\)', '(version)', html.unescape(text)).strip()
lacking = [t for t in sys.argv[2:] if (t[1:] in text) == (t[0] == '!') and (t[0] == '!' or t not in text)]
assert not lacking, (lacking, text)
PY
}
give() { # campaign, member or *, lines of run.yaml
    for m in "$1"/members/$2; do
        for line in "${@:3}"; do
            sed -i "/^${line%%:*}:/d" "$m/run.yaml"
            echo "$line" >>"$m/run.yaml"
        done
    done
}
scheme=('fluid.eos: ideal' 'fluid.gamma: 1.4' 'fluid.integrator: rk2' 'fluid.reconstruct: plm' 'fluid.limiter: mc' 'fluid.cfl: 0.3' 'fluid.positivity: true')
start=('turbulence.mach: 5' 'turbulence.spectrum: -2' 'turbulence.kmin: 1' 'turbulence.kmax: 8')
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/says" --members 3
give "$work/says" '*' "${scheme[@]}" "${start[@]}"
methods "$work/says" 'We solve the equations of hydrodynamics of an ideal gas with γ = 1.4 with the finite-volume code sluice (version) on a uniform grid of 32 × 32 × 32 cells. Fluxes come from the HLLC Riemann solver (Toro, Spruce & Speares 1994; Batten et al. 1997) between states of piecewise linear reconstruction (van Leer 1979) with the monotonised central limiter (van Leer 1977), and steps are taken by a strong-stability-preserving Runge-Kutta method of second order (Shu & Osher 1988) at a Courant number of 0.3. Where the density or the pressure of a cell would become negative, fluxes are replaced by first-order ones (Lemaster & Stone 2009). The gas starts with uniform density and a Gaussian random velocity of rms Mach number 5 with E(k) ∝ k^-2 for k from 1 to 8 (2π/L), its modes projected with a weight of 0.5 for solenoidal ones (Federrath et al. 2010). Results are means over 3 realisations that differ in their random seed, given with the standard error of the mean; intervals are from the bootstrap (Efron 1979).'
# the limiter belongs to the reconstruction that has it, whichever members chose that
give "$work/says" 0000 'fluid.reconstruct: ppm'
give "$work/says" 0002 'fluid.reconstruct: wenoz'
methods "$work/says" 'piecewise parabolic reconstruction (Colella & Woodward 1984; Colella & Sekora 2008), piecewise linear reconstruction (van Leer 1979) with the monotonised central limiter (van Leer 1977) or fifth-order WENO-Z reconstruction (Borges et al. 2008), and steps'
# isothermal gas with a force, levels and constrained transport; a number that members differ in is left out
give "$work/says" '*' 'fluid.eos: isothermal' 'fluid.riemann: lhllc' 'fluid.mhd: ct' 'mesh.levels: 2' 'problem: driven_turbulence' 'driving.power: 8' 'driving.kmin: 1' 'driving.kmax: 3' 'driving.correlation: 0.25' 'potential.kind: plane'
give "$work/says" 0001 'fluid.cfl: 0.2'
methods "$work/says" 'of ideal magnetohydrodynamics of an isothermal gas' 'on a root grid of 32 × 32 × 32 cells that is refined' 'up to 2 times, to the resolution of 128 × 128 × 128 cells' \
    'the HLLC Riemann solver with HLLE fluxes of the transverse momentum at shocks' 'Constrained transport keeps' 'driven at wave numbers from 1 to 3 (2π/L)' 'a correlation time of 0.25' 'an external potential (plane)' '!Hockney' '!Courant' '!The gas starts'
# the expansion, gravity and the start of a universe
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/says_z" --members 2 --universe
give "$work/says_z" '*' "${scheme[@]}" 'fluid.gamma: 1.6666666666666667' 'ic.redshift: 99' 'ic.transfer: eisenstein_hu' 'ic.order: 2' 'ic.fixed: true' 'cosmology.omega_m: 0.3' 'cosmology.omega_b: 0.04' 'cosmology.h: 0.7' 'cosmology.n_s: 0.96' 'cosmology.normalise: sigma8' 'cosmology.sigma8: 0.8'
methods "$work/says_z" 'an ideal gas with γ = 5/3 with' 'by Fourier transforms (Hockney' 'supercomoving variables' \
    'Initial conditions at z = 99 follow from the transfer function of Eisenstein & Hu (1998) and second-order Lagrangian perturbation theory (Bouchet et al. 1995) in a universe with Ω_m = 0.3, Ω_b = 0.04, h = 0.7 and n_s = 0.96, normalised to σ_8 = 0.8; amplitudes are fixed, phases random (Angulo & Pontzen 2016).'

# what gravity took of the steps of all attempts stands beside the other costs, and in the export; empty where it is not known
grep -q 'Gravity, share of step time' "$work/says_z/report/index.html" && fail "gravity of runs that tell nothing of it"
sed -i '1s/{/{"steps_s": 40, "gravity_s": 10, /' "$work/says_z/members/0001/progress.json"
words "$work/says_z"
/usr/bin/python3 - "$work/says_z/report/index.html" <<'PY' || fail "the share of gravity"
import re, sys
table = re.search(r'id="cost".*?</table>', open(sys.argv[1]).read(), re.S)[0]
rows = [re.findall(r'<t[hd][^>]*?(?:/>|>(.*?)</t[hd]>)', r) for r in table.split('<tr>')[1:]]
at = rows[0].index('Gravity, share of step time')
assert [r[at] for r in rows[1:]] == ['', '25&nbsp;%', ''] and len({len(r) for r in rows}) == 1, rows
PY
sluice export "$work/says_z" --csv - | /usr/bin/python3 -c '
import csv, sys
assert [r["gravity_share"] for r in csv.DictReader(sys.stdin)] == ["", "0.25"]' || fail "the share of gravity in the export"
sluice export "$work/says_z" --sqlite "$work/says_z.db"
/usr/bin/python3 -c 'import sqlite3, sys
got = sqlite3.connect(sys.argv[1]).execute("select gravity_share from member order by id").fetchall()
assert got == [(None,), (0.25,)], got' "$work/says_z.db" || fail "the share of gravity in the database"

# without progress.json nobody knows of repaired and floored cells: no verdict; words of the sweep stand at the left of their column
rm "$work"/says/members/*/progress.json
words "$work/says"
grep -q 'No cell needed a floor</th><td class="soft">not known</td><td class="wide">no member measured it<' "$work/says/report/index.html" || fail "floors without progress.json: $(grep floor "$work/says/report/index.html")"
grep -q '<th scope="col">fluid.reconstruct</th>' "$work/says/report/index.html" && grep -q '<td>wenoz</td>' "$work/says/report/index.html" || fail "words at the right of their column"
grep -q '<th scope="col" class="n">fluid.cfl</th>' "$work/says/report/index.html" || fail "numbers at the left of their column"

# maps: each field of the statistics a figure with its axes, one about zero in two colours; slices of many times a film
maps="$work/maps"
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$maps" --members 1
rm "$maps"/members/0000/stats/projection*
/usr/bin/python3 - "$maps/members/0000/stats" <<'PY'
import sys
import numpy as np
y, x = np.mgrid[0:16, 0:16]
put = lambda name, v, t: open(f"{sys.argv[1]}/{name}.csv", "w").write(f"# map\n# time: {t}\n# cells: 1\n" + "".join(",".join("%.10g" % a for a in r) + "\n" for r in v))
for n in range(6):
    put(f"slice_density_z_{n:04d}", np.log10(1 + 0.5 * np.sin(x + n)), 0.1 * n)
put("slice_vorticity_z_0005", np.sin(x) * np.cos(y), 0.5)
put("slice_vorticity_x_0005", 10**(-1.4 + 0.9 * np.sin(x) * np.cos(y)), 0.5) # of one sign, over decades
put("slice_pressure_x_0005", 10.0 ** (x / 4 - 2), 0.5)
put("slice_scalar_z_0005", 10.0 ** (-8 * (x % 4)), 0.5) # a share, with what diffusion leaves of it
put("projection_density_z_0005", 1 + 0 * x, 0.5)
put("slice_magnetic_z_0005", 1 + 1e-6 * np.sin(x), 0.5) # a wave of small amplitude
put("slice_velocity_y_z_0005", 0.016 * np.sin(x), 0.5) # numbers of many letters
put("slice_velocity_x_z_0005", 1 / 3 + 1e-8 * np.sin(x), 0.5) # rounding of single precision
PY
all_drawn "$maps" >/dev/null
page=$maps/report/index.html
for f in slice_density_z slice_vorticity_z slice_pressure_x; do
    grep -q "<figure id=\"figure-map_$f\">" "$page" && [ -s "$maps/report/figures/map_$f.pdf" ] || fail "no map $f"
done
grep -q 'set cbrange \[-0.9.*:0.9' "$maps/report/figures/map_slice_vorticity_z.gp" && grep -q '#f5f4f2' "$maps/report/figures/map_slice_vorticity_z.gp" || fail "zero is not in the middle"
grep -qE 'set cbrange \[-2\.2[0-9]*:-0\.5' "$maps/report/figures/map_slice_vorticity_x.gp" || fail "logarithms of the vorticity: $(grep cbrange "$maps/report/figures/map_slice_vorticity_x.gp")"
grep -q 'log_{10} p' "$maps/report/figures/map_slice_pressure_x.gp" && grep -q 'set xlabel "y (code units)"' "$maps/report/figures/map_slice_pressure_x.gp" || fail "the pressure across x"
grep -q 'set cbrange \[0:1\]' "$maps/report/figures/map_slice_scalar_z.gp" || fail "a share in logarithms: $(grep cbrange "$maps/report/figures/map_slice_scalar_z.gp")"
grep -qF 'set cblabel "(|B| − 1) / 10^{-7}"' "$maps/report/figures/map_slice_magnetic_z.gp" || fail "the scale of a small wave: $(grep cblabel "$maps/report/figures/map_slice_magnetic_z.gp")"
/usr/bin/python3 - "$maps/report/figures" <<'PY' || fail "the label of a colour bar leaves its picture"
import re, sys
for name in 'map_slice_magnetic_z', 'map_slice_velocity_y_z':
    svg = open(f'{sys.argv[1]}/{name}.svg').read()
    width = float(re.search(r'viewBox="0 0 (\d+)', svg)[1])
    right = max(float(x) for x in re.findall(r'translate\(([\d.]+),[\d.]+\) rotate', svg))
    assert width / 2 < right < width - 8, (name, right, width) # its line of letters; an index hangs below it
PY
/usr/bin/python3 - "$maps/report" <<'PY' || fail "the film"
import base64, re, sys
film = open(sys.argv[1] + "/figures/film.gif", "rb").read()
assert film[:6] == b"GIF89a" and film.count(b"\x21\xf9\x04") == 6 and b"NETSCAPE2.0" in film
page = open(sys.argv[1] + "/index.html").read()
assert base64.b64encode(film).decode() in page
dark = open(sys.argv[1] + "/figures/film_dark.gif", "rb").read() # a GIF keeps its colours: another for dark pages
assert dark[:6] == b"GIF89a" and b"\x12\x17\x1b" in dark[:800] and b"\x12\x17\x1b" not in film[:800]
assert '<source media="(prefers-color-scheme: dark)" srcset="data:image/gif;base64,' + base64.b64encode(dark).decode() in page
assert '<td class="value soft">periodic</td><td class="soft">default' in page and '<td class="value">1.001</td>' in page, "no table of parameters"
assert "HLLC Riemann solver (Toro, Spruce &amp; Speares 1994" in page, "no methods"
assert 'href="../members/0000/history.tsv"' in page, "no links"
PY
ls "$maps"/report/figures/projection_*.png 2>/dev/null && fail "a picture of one colour"
cp "$maps/report/figures/slice_001_0005.png" "$maps/report/figures/projection_001_0005.png" # of an earlier report
undrawn "$maps"
grep -q 'alt="projection of' "$page" && fail "a picture of an earlier report"
grep -q '<li>Velocity x, slice across z: 0.333333 everywhere' "$page" && [ ! -e "$maps/report/figures/map_slice_velocity_x_z.csv" ] || fail "a map of rounding"

# with a field: its energy against time, with the members and their mean
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/mhd" --members 3 --mhd
sluice report "$work/mhd" >/dev/null
grep -q '<figure id="figure-magnetic">' "$work/mhd/report/index.html" || fail "no figure of the magnetic energy"
[ "$(head -n 1 "$work/mhd/report/figures/magnetic.csv")" = time_unit,magnetic_energy_ratio,magnetic_energy_ratio_lo,magnetic_energy_ratio_hi ] ||
    fail "the numbers of the magnetic energy"
[ "$(sed -n 1p "$work/mhd/report/figures/mach_alfven.csv")" = time_unit,alfven_mach,alfven_mach_lo,alfven_mach_hi ] && grep -q _alfven "$work/mhd/report/figures/mach.gp" ||
    fail "no Alfven Mach number"
grep -q 'title "magnetic"' "$work/mhd/report/figures/energies.gp" || fail "no magnetic energy among the energies"
# sentences under figures hold for what is shown: a strong field, a weak one, another flow than turbulence, no field
says() { grep -qF "$2" "$work/mhd/report/index.html" || fail "$1 without '$2'"; }
lacks() { grep -qF "$2" "$work/mhd/report/index.html" && fail "$1 with '$2'"; true; }
times() { # factor of what is magnetic in the means against time
    awk -F, -v OFS=, -v f="$1" '/^#/ { print; next } !n { n = NF; for (i = 1; i <= NF; i++) field[i] = $i ~ /^(magnetic|alfven)/; print; next }
        { for (i = 1; i <= n; i++) if (field[i]) $i *= f; print }' "$work/decay.csv" >"$work/mhd/ensemble/decay.csv"
    undrawn "$work/mhd"
}
cp "$work/mhd/ensemble/decay.csv" "$work/decay.csv"
says 'a strong field' 'In a closed box the gas gains what its motion and the field lose.'
says turbulence 'The darker background is k &lt; N/30, where an inertial range may be read; the lighter, k &lt; N/8'
says turbulence 'Dashed: the total at the start.'
deep() { grep -q '^set object 2 .* rgb deep' "$work/mhd/report/figures/spectrum.gp"; }
deep || fail "no inertial range of turbulence"
resize() { sed -i "s/^mesh.cells: .*/mesh.cells: [$1, $1, $1]/" "$work"/mhd/members/*/run.yaml; undrawn "$work/mhd"; }
resize 16
deep && fail "an inertial range of 16 cells"
lacks '16 cells' N/30
says '16 cells' 'The background, k &lt; N/8'
resize 4
lacks '4 cells' 'N/8, is free'
says '4 cells' 'Dashed: the total at the start.'
resize 32
times 2
lacks 'a strong field' 'a weak field'
times 0.01
says 'a weak field' 'a weak field first grows'
sed -i 's/^problem: .*/problem: orszag_tang/' "$work"/mhd/members/*/run.yaml
undrawn "$work/mhd"
lacks Orszag-Tang 'a weak field'
lacks Orszag-Tang inertial
says Orszag-Tang 'The background, k &lt; N/8, is free of grid diffusion'
deep && fail "an inertial range of Orszag-Tang"
sed -i 's/^problem: .*/problem: turbulence/' "$work"/mhd/members/*/run.yaml
times 0
says 'no field' 'In a closed box the gas gains what its motion loses.'
lacks 'no field' 'Magnetic energy'
grep -q _alfven "$work/mhd/report/figures/mach.gp" && fail "the Alfven Mach number of no field"
echo 'cooling.rate: 1' | tee -a "$work"/mhd/members/*/run.yaml >/dev/null
undrawn "$work/mhd"
lacks cooling 'In a closed box'
sed -i '/^cooling/d' "$work"/mhd/members/*/run.yaml
times 1
axis "$work/mhd"
cp "$work/mhd/ensemble/energies.csv" "$work/energies.csv"
awk -F, -v OFS=, '/^#/ { print; next } !n { n = NF; for (i = 1; i <= NF; i++) weak[i] = $i ~ /^magnetic/; print; next }
    { for (i = 1; i <= n; i++) if (weak[i]) $i *= 1e-7; print }' "$work/energies.csv" >"$work/mhd/ensemble/energies.csv"
words "$work/mhd"
axis "$work/mhd"
cp "$work/energies.csv" "$work/mhd/ensemble/energies.csv"
awk -F, -v OFS=, '/^#/ { print; next } !n { n = NF; for (i = 1; i <= NF; i++) drop[i] = $i ~ /^magnetic/ }
    { line = $1; for (i = 2; i <= NF; i++) if (!drop[i]) line = line OFS $i; print line }' \
    "$work/mhd/ensemble/energies.csv" >"$work/energies.csv" && cp "$work/energies.csv" "$work/mhd/ensemble/energies.csv" # not measured
words "$work/mhd"
grep -q "energies_magnetic.csv' using 1:.* title \"magnetic\"" "$work/mhd/report/figures/energies.gp" || fail "no magnetic energy of the history among the energies"
grep -qE '_alfven|"magnetic"' "$work/c/report/figures"/{mach,energies}.gp && fail "a field where there is none"
grep -q 'id="figure-magnetic"' "$work/c/report/index.html" && fail "magnetic energy without a field"

# with a force: what it did and where it went, in place of the decay
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/driven" --members 3 --driven
sluice report "$work/driven" >/dev/null
grep -q '<figure id="figure-balance">' "$work/driven/report/index.html" || fail "no figure of work and dissipation"
grep -qE 'id="figure-(decay|energy)"' "$work/driven/report/index.html" && fail "the decay of what is driven"
beside "$work/driven" 1/3
sed -i 's/^driving.solenoidal.*/driving.solenoidal: 0.25/' "$work"/driven/members/*/run.yaml
words "$work/driven"
beside "$work/driven" 0.7
grep -q 'id="figure-balance"' "$work/c/report/index.html" && fail "work without a force"

# a universe: its legend without that label; growth of shells over D(a), power over linear power, both sides of Layzer and Irvine; times are redshifts
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/universe" --members 3 --universe
for m in "$work"/universe/members/*; do echo 'cosmology.omega_m: 0.3' >>"$m/run.yaml"; done
sluice report "$work/universe" >/dev/null
page=$work/universe/report/index.html
for figure in thermal:E_{th} expansion:E; do
    grep -qF "set ylabel \"a^2 ${figure#*:} (ρ_m (Mpc/h)^3 (100 km/s)^2)\"" "$work/universe/report/figures/${figure%:*}.gp" || fail "the unit of energies of a universe: $(grep ylabel "$work/universe/report/figures/${figure%:*}.gp")"
done
grep -qF 'set ylabel "E_{th} (code units)"' "$work/c/report/figures/thermal.gp" || fail "code units of an energy are not said"
/usr/bin/python3 - "$work/universe" <<'PY' || fail "the figures of a universe"
import sys
import numpy as np
read = lambda p: np.genfromtxt([l for l in open(sys.argv[1] + p) if l[0] != '#'], delimiter=',', names=True)
growth, drawn = read('/ensemble/growth.csv'), read('/report/figures/growth.csv')
for s in ('shell_1', 'shell_2', 'shell_3'):
    assert np.allclose(drawn[s], growth[s + '_mean'] / growth['linear_mean']), s
    assert np.allclose(drawn[s + '_hi'] - drawn[s], growth[s + '_error'] / growth['linear_mean']), s
for n, z in (1, 4), (2, 0):
    power, drawn = read(f'/ensemble/matter_gas_{n:04d}.csv'), read(f'/report/figures/power_growth_{n:04d}.csv')
    assert np.allclose(drawn['ratio'], power['power_mean'] / power['input_mean']), n
    assert np.allclose(drawn['ratio_hi'] - drawn['ratio'], power['power_error'] / power['input_mean']), n
    assert f'power_growth_{n:04d}.csv' in open(sys.argv[1] + '/report/figures/power_growth.gp').read()
    assert f'title "z = {z}"' in open(sys.argv[1] + '/report/figures/power_growth.gp').read()
expansion, drawn = read('/ensemble/expansion.csv'), read('/report/figures/expansion.csv')
for name in ('potential', 'gained', 'integral_of_potential'):
    assert np.allclose(drawn[name], expansion[name + '_mean']), name
PY
[ -e "$work/universe/report/figures/power_growth_0000.csv" ] && fail "power over its own input"
for f in growth power_growth expansion mach thermal energies; do
    grep -q "<figure id=\"figure-$f\">" "$page" || fail "a universe without $f"
done
svg=$work/universe/report/figures/pdf.svg # as far from each other as the labels are wide
[ $(($(columns "$svg" 'by mass') - $(columns "$svg" log-normal))) -ge 105 ] || fail "labels of the distribution on each other: $(columns "$svg" 'by mass')"
grep -qE 'id="figure-(energy|decay|dispersion)"|what its motion loses' "$page" && fail "the decay of a universe"
grep -q '<dt>Ω<sub>m</sub> of all matter</dt>' "$page" || fail "no Omega_m at the top"
grep -q 'rms Mach number at the end' "$page" && fail "the Mach number of the coldest cells stands at the top"
is "images" "$(grep -oE '<span>z = [0-9]+' "$page" | sort -u | tr '\n' ,)" "<span>z = 0,<span>z = 4,<span>z = 49,"
grep -q 'scale factor a' "$work/universe/report/figures/mach.gp" || fail "Mach number against a time"
verdict() { sed -n "s/.*$1.*<td class=\"[a-z]*\">\([A-Za-z ]*\)<.td><td class=\"wide\">\([^<]*\).*/\1 \2/p" "$page"; }
is "Layzer and Irvine" "$(verdict Irvine)" "PASS 0.003, allowed 0.1"
sed -i 's/^layzer_irvine,[^,]*/layzer_irvine,0.5/' "$work/universe/members/0001/stats/summary.csv"
words "$work/universe"
is "Layzer and Irvine of one that failed" "$(verdict Irvine)" "FAIL 0.5, allowed 0.1"
sed -i 's/^time.unit: .*/time.unit: code/; s/^time.end: .*/time.end: 0/' "$work"/universe/members/*/run.yaml # the start alone
undrawn "$work/universe"
is "times of a start" "$(grep -oE '<span>[tz] = [0-9]+' "$page" | sort -u | tr '\n' ,)" "<span>z = 0,<span>z = 4,<span>z = 49,"
grep -qE 'id="figure-(growth|expansion|power_growth)"' "$work/c/report/index.html" && fail "growth without a universe"
# of a start its power beside that of the input, and sigma8 as sluice-ic found it, also of dark matter alone
grep -qE 'inertial|free of grid' "$page" && fail "what a grid does in time, of a start"
power() { # species
    printf '# power; input: bbks\n# redshift: 49\n# sigma8_start: 0.0223\n# sigma8_today: 0.8123\nk,modes,measured,input,input_scatter\n0.1,18,5,6,2\n0.2,60,2.5,2,0.4\n' \
        >"$work/universe/members/0000/spectrum_$1.csv"
}
power dark_matter
sluice report "$work/universe" >/dev/null
grep -q '<figure id="figure-start_spectrum">' "$page" && [ "$(sed -n 2p "$work/universe/report/figures/start_spectrum_dark_matter.csv")" = 0.1,5,6 ] || fail "no power of a start"
power gas
undrawn "$work/universe"
[ "$(sed -n 3p "$work/universe/report/figures/start_spectrum_gas.csv")" = 0.2,2.5,2 ] || fail "no power of the gas of a start"
grep -q '<dt>σ<sub>8</sub> today, by linear growth</dt><dd>0.8123<' "$page" && grep -q '<dt>σ<sub>8</sub> of the start</dt><dd>0.0223<' "$page" || fail "no sigma8 of a start"
# one value for all members only where their power is the same, whatever is left to chance
apart() { # key, its values in two members
    echo "$1: $2" >>"$work/universe/members/0000/run.yaml"
    echo "$1: $3" >>"$work/universe/members/0001/run.yaml"
    words "$work/universe"
}
apart ic.fixed false true
grep -q '<dt>σ<sub>8</sub> of the start</dt>' "$page" || fail "no sigma8 of starts with other phases"
apart ic.table_redshift 0 3
grep -q '<dt>σ<sub>8</sub> of the start</dt>' "$page" && fail "sigma8 of one member as that of all"
sed -i '/^ic.fixed/d; /^ic.table_redshift/d' "$work"/universe/members/*/run.yaml
# a table that is there and cannot be read is not taken for missing; before the statistics the page alone reads it
rm -r "$work"/universe/members/0000/{stats,attempts/stats.*}
ln -sf spectrum_gas.csv "$work/universe/members/0000/spectrum_gas.csv"
words "$work/universe" && fail "sigma8 of a table that cannot be read"

# with gravity the total energy takes from the potential one, and both together hold
falling() { # W over the energy of motion
    for m in "$work"/driven/members/*; do
        [ -e "$m/kept.tsv" ] || cp "$m/history.tsv" "$m/kept.tsv"
        awk -F'\t' -v OFS='\t' -v CONVFMT=%.17g -v OFMT=%.17g -v w="$1" '/^(# )?time/ { print $0, "energy_potential[code]"; next } /^#/ { print; next }
            { $10 = 1000 + $8; print $0, w * $8 }' "$m/kept.tsv" >"$m/history.tsv"
        sed -i '/^gravity/d' "$m/run.yaml"
        echo 'gravity.four_pi_g: 1' >>"$m/run.yaml"
    done
    words "$work/driven"
}
page=$work/driven/report/index.html
falling -1
case $(verdict 'that of gravity') in "PASS 0, allowed 0.02") ;; *) fail "energy that falls: $(verdict 'that of gravity')" ;; esac
falling -0.5
case $(verdict 'that of gravity') in "FAIL 0."*", allowed 0.02") ;; *) fail "energy that is lost: $(verdict 'that of gravity')" ;; esac

# what the driving force gives, or a floor of pressure, is in the balance; a constant acceleration, whose energy no column has, takes the verdict away
stirred() { # share of the gain that the history of the force tells, its column
    for m in "$work"/driven/members/*; do
        awk -F'\t' -v OFS='\t' -v CONVFMT=%.17g -v OFMT=%.17g -v f="$1" -v c="${2-driving_energy}" '/^(# )?time/ { print $0, c "[code]"; next } /^#/ { print; next }
            { $10 = 4 + n; print $0, f * n++ }' "$m/kept.tsv" >"$m/history.tsv"
        sed -i '/^gravity/d' "$m/run.yaml"
    done
    words "$work/driven"
}
stirred 1
is "energy of driven gas" "$(verdict 'Total energy is conserved')" "PASS 0, allowed 1e-10"
stirred 1 jeans_floor_energy
is "energy of gas with a floor" "$(verdict 'Total energy is conserved')" "PASS 0, allowed 1e-10"
stirred 0.5
case $(verdict 'Total energy is conserved') in "FAIL 0."*) ;; *) fail "energy from nowhere: $(verdict 'Total energy')" ;; esac
echo 'gravity.acceleration: [0, -0.1, 0]' | tee -a "$work"/driven/members/*/run.yaml >/dev/null
words "$work/driven"
is "energy of accelerated gas" "$(verdict 'Total energy is conserved')" ""

# a sweep over more than the seed: figures of every group
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/two" --members 2
mkdir "$work/two/ensemble/group-1"
mv "$work/two/ensemble"/*.csv "$work/two/ensemble/group-1"
printf '# groups\ngroup,member,what\n1,0000,turbulence.mach: <5>\n2,0001,turbulence.mach: 7\n' >"$work/two/ensemble/groups.csv"
echo 'turbulence.mach: 5' >>"$work/two/members/0000/run.yaml"
echo 'turbulence.mach: 7' >>"$work/two/members/0001/run.yaml"
sluice report "$work/two" >/dev/null
page=$work/two/report/index.html
is "figures of two groups" "$(grep -o '<svg' "$page" | wc -l)" 37
grep -q 'id="figure-across_1"' "$page" && grep -q 'title "mach 7"' "$work/two/report/figures/beside_spectrum.gp" || fail "figures across the sweep"
grep -q 'Group 1 .*turbulence.mach: &lt;5&gt;' "$page" || fail "the name of a group"
is "ids that occur twice" "$(grep -oE ' id=["'\''][^"'\'']*' "$page" | sort | uniq -d)" ""
# names of keys run no commands: one that sluice has not is refused
cp -r "$work/two" "$work/keys"
rm -r "$work/keys/report"
for i in 0 1; do sed -i "1i aaa.x\"; system(\"touch obeyed\"); y=\": $i" "$work/keys/members/000$i/run.yaml"; done
sluice report "$work/keys" >"$work/out" 2>"$work/err" && fail "a key that nobody knows"
grep -qF "members/0000/run.yaml:1: unknown key 'aaa.x\"" "$work/err" || fail "the place of a key that nobody knows"
[ -z "$(find "$work/keys" -name obeyed)" ] || fail "the name of a key is a command"

# the legend of four groups stays on its canvas
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/four" --members 4
echo '# groups' >"$work/groups"
echo 'group,member,what' >>"$work/groups"
for g in 1 2 3 4; do
    mkdir "$work/four/ensemble/group-$g"
    cp "$work/four/ensemble"/*.csv "$work/four/ensemble/group-$g"
    echo "$g,000$((g - 1)),turbulence.mach: $g" >>"$work/groups"
    echo "turbulence.mach: $g" >>"$work/four/members/000$((g - 1))/run.yaml"
done
constant() { # member, field, what it is everywhere
    printf '# map\n# time: 0.5\n# cells: 1\n%s,%s\n%s,%s\n' "$3" "$3" "$3" "$3" >"$work/four/members/000$1/stats/slice_$2_z_0002.csv"
}
for m in 0 1 2 3; do constant $m scalar 0; done
for m in 0 2; do constant $m velocity_x 1; done
constant 1 velocity_x 2
rm "$work"/four/ensemble/*.csv
cp "$work/groups" "$work/four/ensemble/groups.csv"
sluice report "$work/four" >/dev/null
/usr/bin/python3 - "$work/four/report/figures/beside_spectrum.svg" <<'PY' || fail "the legend of four groups"
import re, sys
at = [(float(x), len(t)) for x, t in re.findall(r'translate\(([\d.]+),[\d.]+\)" stroke="none"[^>]*>\s*<text>(mach \d)</text>', open(sys.argv[1]).read())]
assert len(at) == 4 and max(x + 6.9 * n for x, n in at) < 460, at
PY

# maps of one colour stand in one list below those of all groups, each with the groups that it is of
lacking=$(sed -n '/<h2 id="maps"/,/<h2 id="members"/s/^<li>\(.*\)<.li>$/\1/p' "$work/four/report/index.html")
is "maps of one colour" "$lacking" "Velocity x, slice across z (groups 1, 3): 1 everywhere, but for rounding
Scalar, slice across z (all groups): zero everywhere
Velocity x, slice across z (group 2): 2 everywhere, but for rounding"

# beside another ensemble: both means, their difference in standard errors of both, marked from 3 on; its curves
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/ours" --members 3
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/theirs" --members 4 --name 'theirs <&>'
numbers() { # mean and error of mach_rms_end, density_sigma
    for of in "mach_rms_end,$2,$3" "decay_exponent,$4,$5"; do
        sed -i "s/^${of%%,*},[^,]*,[^,]*,/$of,/" "$work/$1/ensemble/summary.csv"
        grep -q "^$of," "$work/$1/ensemble/summary.csv" || fail "no ${of%%,*} in $1"
    done
}
numbers ours 2.5 0.3 1.1 0.03
numbers theirs 2 0.4 1.3 0.04
page=$(sluice report "$work/ours" --against "$work/theirs")
/usr/bin/python3 - "$page" <<'PY' || fail "the comparison with another campaign"
import html, re, sys
page = open(sys.argv[1]).read()
table = re.search(r'All quantities against (.*?)</summary>(.*?)</table>', page, re.S)
assert html.unescape(table.group(1)) == 'theirs <&>', table.group(1)
rows = {}
for row in re.findall(r'<tr>(.*?)</tr>', table.group(2), re.S):
    cells = re.findall(r'<t[hd]([^>]*)>(.*?)</t[hd]>', row, re.S)
    rows[cells[0][1]] = [(c[1], 'bad' in c[0]) for c in cells[1:]]
assert rows['Quantity'][1][0] == 'theirs &lt;&amp;&gt;' and rows['Quantity'][2][0] == 'Difference', rows['Quantity']
assert rows['mach_rms_end'][2] == ('+1.0 σ', False), rows['mach_rms_end']
assert rows['decay_exponent'][2] == ('−4.0 σ', True), rows['decay_exponent']
PY
for f in energy spectrum pdf; do
    grep -q 'the other campaign' "$work/ours/report/figures/$f.gp" && [ -s "$work/ours/report/figures/${f}_against.csv" ] || fail "$f without the other's curve"
done
undrawn "$work/ours"
grep -qE 'theirs|Difference' "$page" && fail "the other campaign was not forgotten"
code=0
sluice report "$work/ours" --against "$work/nowhere" >/dev/null 2>"$work/err" || code=$?
[ $code != 0 ] && grep -q nowhere "$work/err" || fail "a campaign that is not there: $code, $(cat "$work/err")"

# nothing yet
mkdir "$work/empty"
cp -r "$work/c/recipe.yaml" "$work/c/slots" "$work/empty"
undrawn "$work/empty"
grep -q '5 members: 0 finished, 5 not finished yet' "$work/empty/report/index.html" || fail "empty campaign"
code=0
sluice report "$work" 2>"$work/err" || code=$?
[ $code != 0 ] && [ -s "$work/err" ] && [ ! -e "$work/report" ] || fail "a directory that is no campaign gave $code"

# of a shock tube: profiles beside the exact solution and its error; no law of turbulence, and no column without a number
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/tube" --members 1
for m in "$work"/tube/members/*; do
    sed -i 's/^problem: .*/problem: sod/; s/^mesh.cells: .*/mesh.cells: [64]/; s/^mesh.boundary: .*/mesh.boundary: [outflow, outflow]/' "$m/run.yaml"
    printf '# cells along x\n# time: 0.2\n# unit x: code length\nx,density,velocity_x,pressure,exact_density,exact_velocity_x,exact_pressure\n0.25,1,0,1,1,0,1\n0.5,0.5,0.4,0.6,0.4,0.5,0.6\n' >"$m/sample_line.csv"
    printf 'variable\tL1\tLinf\n# time: 0.2\ndensity\t0.05\t0.1\nrelative_l1\t0.0123\tnan\n' >"$m/verify.tsv"
done
sluice report "$work/tube" >/dev/null
page=$work/tube/report/index.html
for f in profile_density profile_velocity profile_pressure; do
    grep -q "id=\"figure-$f\"" "$page" || fail "a tube without $f"
    [ "$(head -n 1 "$work/tube/report/figures/$f.csv" | cut -d, -f1,3)" = x,exact ] || fail "$f.csv: $(head -n 1 "$work/tube/report/figures/$f.csv")"
done
grep -q 'relative L1)</dt><dd>0.01230' "$page" || fail "a tube without its error"
for f in energy mach decay dispersion pdf compensated structure_exponents; do
    grep -q "id=\"figure-$f\"" "$page" && fail "a tube with $f"
done
grep -qE 'rms Mach number|Exponent|kinetic energy left|0\.0000000' "$page" && fail "numbers of turbulence in a tube: $(grep -oE 'rms Mach number|Exponent|kinetic energy left|.{60}0\.0000000' "$page" | head -3)"
grep -qE 'Parseval|Memory used, of that requested' "$page" && fail "rows and columns of what a tube has not"

# numbers at the axis of a wave of small amplitude differ
for m in "$work"/tube/members/*; do
    printf 'x,density,velocity_x,pressure\n0.25,1.000001,0,1\n0.5,0.999999,0,1\n' >"$m/sample_line.csv"
done
sluice report "$work/tube" >/dev/null
/usr/bin/python3 - "$work/tube/report/figures/profile_density.svg" <<'PY' || fail "equal numbers at an axis"
import re, sys
seen = re.findall(r'<text><tspan[^>]*>\s*([01]\.\d{5,})\s*</tspan>', open(sys.argv[1]).read())
assert len(seen) > 2 and len(set(seen)) == len(seen), seen
PY

# a level line takes the axis of rounding, which other curves widen; of numbers that are none nothing is said to gnuplot
level() { # density and its exact value at two places
    for m in "$work"/tube/members/*; do printf 'x,density,velocity_x,pressure,exact_density\n0.25,%s,0,1,%s\n0.5,%s,0,1,%s\n' "$@" >"$m/sample_line.csv"; done
    words "$work/tube"
}
script=$work/tube/report/figures/profile_density.gp
level 1 1 1 1
grep -qF 'set yrange [*<0.9999:1.0001<*]' "$script" || fail "the axis of a level line: $(grep yrange "$script")"
level 1 1 1 0.5
grep -q 'set yrange' "$script" && fail "an axis that hides the exact solution: $(grep yrange "$script")"
level nan nan nan nan
grep -q 'set yrange' "$script" && fail "an axis of numbers that are none: $(grep yrange "$script")"

# of a problem that has no exact solution: what verify measured of each member; blocks follow the cells that were swept
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/known" --members 2
for m in 0 1; do
    sed -i "s/^mesh.cells: .*/mesh.cells: [$((32 << m)), 32, 32]/; /^mesh.block/d" "$work/known/members/000$m/run.yaml"
    echo "mesh.block: [$((32 << m)), 32, 32]" >>"$work/known/members/000$m/run.yaml"
    printf 'variable\tL1\tLinf\n# mode: height of a < b\nmode\t0.1%d\tnan\n' "$m" >"$work/known/members/000$m/verify.tsv"
done
words "$work/known"
page=$work/known/report/index.html
grep -q '<h2>Known answers</h2>' "$page" && grep -q '>mode</th>' "$page" && grep -q '>0.1100</td>' "$page" || fail "what verify measured: $(grep -A4 'Known answers' "$page" | head -c 600)"
grep -q '<li><code>mode</code>: height of a &lt; b</li>' "$page" || fail "what a column of verify.tsv means"
grep -q '<th scope="col" class="n">mesh.cells</th>' "$page" || fail "the cells are no column"
grep -q '<th scope="col" class="n">mesh.block</th>' "$page" && fail "blocks that nobody swept are a column"
# a member without them, here the first, hides nothing; names of all members are columns, of which the first are shown
rm "$work/known/members/0000/verify.tsv"
printf 'bound\t0.25\tnan\n' >>"$work/known/members/0001/verify.tsv"
words "$work/known"
[ "$(grep -c '<li><code>' "$page")" = 1 ] && grep -q '>mode</th>' "$page" && grep -q '>bound</th>' "$page" && grep -q '>0.2500</td>' "$page" || fail "what verify measured of the second member alone"
grep -q 'of 9 columns' "$page" && fail "columns are said to be cut"
for k in 3 4 5 6 7 8 9; do printf 'more%d\t0.%d\tnan\n' $k $k; done >>"$work/known/members/0001/verify.tsv"
words "$work/known"
grep -q 'first 8 of 9 columns' "$page" || fail "columns are cut in silence"
# orders of structure functions are named where their curves lie apart: at large lags, or of slow gas at small ones
orders() { grep -cE "^set label [1-6] \"p=[1-6]\" at $1, .* $2 offset" "$work/known/report/figures/structure.gp"; }
is "orders named at the right" "$(orders 0.5 left)" 6
for t in "$work"/known/members/*/stats/structure_velocity_0002.csv; do # velocities a thousand times smaller
    awk -F, -v OFS=, '/^#/ { print; next } !n { n = split($0, name) ; print; next }
        { for (i = 2; i <= n; i++) { p = name[i]; sub(/.*_/, "", p); $i *= 1000 ^ -p } print }' "$t" >"$work/slow.csv"
    cp "$work/slow.csv" "$t"
done
words "$work/known"
is "orders named at the left" "$(orders 0.03125 right)" 6
# of a mesh with levels: the cells of each against time, and the blocks that a slice cuts on its map and on the images
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/refined" --members 1
member=$work/refined/members/0000
echo 'mesh.levels: 2' >>"$member/run.yaml"
printf 'time_unit,level_0,level_1,level_2\n0,16384,65536,131072\n1,8192,131072,65536\n' >"$member/stats/levels.csv"
for n in 0 1 2; do printf 'x0,x1,y0,y1,level\n0,16,0,32,0\n16,32,0,16,0\n16,24,16,32,1\n24,32,16,32,1\n' >"$member/stats/blocks_z_000$n.csv"; done
sluice report "$work/refined" >/dev/null
page=$work/refined/report/index.html figures=$work/refined/report/figures
grep -q 'Cells of the levels' "$page" && grep -q 'level 2 (finest)' "$page" || fail "the figure of cells per level"
is "cells per level at the end" "$(tail -n 1 "$figures/levels.csv" | cut -d, -f1,2,5,8)" 1,8192,131072,65536
[ "$(grep -c 'level [0-2]' "$figures/levels.svg")" -ge 3 ] || fail "a level is missing in levels.svg"
is "blocks of the map" "$(tr '\n' ' ' <"$figures/map_slice_density_z_blocks.csv")" '0.25,0.5,0,0.5,0,1 0.75,0.25,0.5,1,0,0.5 0.625,0.75,0.5,0.75,0.5,1 0.875,0.75,0.75,1,0.5,1 '
is "blocks of an image" "$(head -n 1 "$figures/slice_001_0002_blocks.csv")" 7.5,15.5,-0.5,15.5,-0.5,31.5
shapes() { grep -c '<path' "$figures/map_slice_density_z.svg"; }
drawn=$(shapes)
rm "$member"/stats/blocks_z_*
sluice report "$work/refined" >/dev/null
[ "$drawn" -gt "$(shapes)" ] || fail "no blocks on the map"
grep -q 'cells and up to 2 finer levels, for 1 crossing time' "$page" || fail "no word on the levels: $(grep 'class="lead"' "$page")"
# groups that end at different times: each with the last of its own snapshots; long numbers in what tells them apart are cut
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/ends" --members 2
rm -rf "$work/ends/ensemble" "$work"/ends/members/0000/stats/*_0002.csv
for m in 0000 0001; do sed -i '/^time.end:/d' "$work/ends/members/$m/run.yaml"; done
echo 'time.end: 0.70710678118654757' >>"$work/ends/members/0000/run.yaml"
echo 'time.end: 1' >>"$work/ends/members/0001/run.yaml"
all_drawn "$work/ends" >/dev/null
page=$work/ends/report/index.html figures=$work/ends/report/figures
for f in map_slice_density_z map_slice_density_z_2 spectrum spectrum_2 slice_001_0001 slice_002_0002; do
    [ -s "$figures/$f.png" ] || fail "no $f of groups that end at different times"
done
grep -q 'time.end: 0.7071068<' "$page" || fail "what tells groups apart: $(grep -o 'time.end: [0-9.]*' "$page" | sort -u)"
# a check that failed stands in the head of the page, in `status` and in the exit code of `report --exit-code`; one that did not nowhere
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/drift" --members 1
PATH=$work/empty_drawings:$PATH sluice report "$work/drift" --exit-code >/dev/null 2>"$work/err" || fail "checks that all pass: $(cat "$work/err")"
sluice status "$work/drift" | grep -q 'check' && fail "status speaks of checks that pass"
/usr/bin/python3 - "$work/drift/members/0000/history.tsv" <<'PY'
import sys
lines = open(sys.argv[1]).read().splitlines()
column = lines[5].lstrip("# ").split("\t").index(next(c for c in lines[5].lstrip("# ").split("\t") if c.startswith("mass")))
row = lines[-1].split("\t")
row[column] = repr(float(row[column]) * (1 + 1e-6))
open(sys.argv[1], "w").write("\n".join([*lines[:-1], "\t".join(row)]) + "\n")
PY
code=0
PATH=$work/empty_drawings:$PATH sluice report "$work/drift" --exit-code >/dev/null 2>"$work/err" || code=$?
is "exit code of a check that failed" $code 1
grep -q '1 check failed: Mass is conserved: 1e-06, allowed 1e-11' "$work/err" || fail "which check failed: $(cat "$work/err")"
sed '/<nav/,$d' "$work/drift/report/index.html" | grep -q 'checks</a> failed:</strong> Mass is conserved (1e-06' || fail "no failed check in the head"
sluice status "$work/drift" >"$work/status"
grep -q '1 check of the report failed: Mass is conserved' "$work/status" || fail "no failed check in the status"
# the divergence of a field is a check: of cleaning its mean; the balance of energies in an expanding universe, with dual energy, too
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/field" --members 1 --mhd
for d in 0.01 0.9; do
    /usr/bin/python3 - "$work/field/members/0000/history.tsv" $d <<'PY'
import sys
lines = [l for l in open(sys.argv[1]).read().splitlines()]
head = [c.split("[")[0] for c in lines[5].lstrip("# ").split("\t")]
more = [c for c in ("energy_magnetic", "divergence_mean") if c not in head]
lines[5] += "".join(f"\t{c}[code]" for c in more)
add = {"energy_magnetic": "0.5", "divergence_mean": str(64 * float(sys.argv[2]))}
for i in range(6, len(lines)):
    row = dict(zip(head, lines[i].split("\t")))
    row.update(add)
    lines[i] = "\t".join(row[c] for c in head + more)
open(sys.argv[1], "w").write("\n".join(lines) + "\n")
PY
    undrawn "$work/field"
    grep -o 'div B is small[^<]*</th><td class="[a-z]*">[A-Z]*' "$work/field/report/index.html" | sed 's/.*>//'
done >"$work/verdicts"
is "verdicts on div B" "$(tr '\n' ' ' <"$work/verdicts")" 'PASS FAIL '
# one colour scale per quantity: groups of other densities have the range of both
"$SLUICE_TOP/tests/cli/fake_campaign.py" "$work/scales" --members 2
rm -rf "$work/scales/ensemble"
for m in 0 1; do sed -i "s/^turbulence.solenoidal:.*/turbulence.solenoidal: 0.$m/" "$work/scales/members/000$m/run.yaml"; done
sed -i '/^#/!s/-\?[0-9][0-9.e+-]*/1.5/' "$work/scales/members/0001/stats/slice_density_z_0002.csv"
undrawn "$work/scales"
ranges() { grep -h cbrange "$work/scales/report/figures/map_slice_density_z"{,_2}.gp | sort -u | wc -l; }
is "colour scales of one quantity" "$(ranges)" 1
true
