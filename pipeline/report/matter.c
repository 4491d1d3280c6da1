/* matter.c - figures of a report of matter in the universe and of how shells scatter together. */
#include "pipeline/report/draw.h"
#include "pipeline/report/plot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measured over input of one species of a member's start, "k,ratio,low,high"; without the file
 * nothing. */
static int start_ratio(struct sl_draw *d, const char *species, double *first, double *last)
{
    char path[PATH_MAX + 200], suffix[40];
    struct sl_csv t;
    struct sl_buffer out = {0};
    const char *id = d->r->member[sl_draw_group(d)->first].id;
    snprintf(path, sizeof path, "%s/members/%s/spectrum_%s.csv", d->r->dir, id, species);
    SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
    if (!t.name) return SL_OK;
    int k = sl_csv_column(&t, "k"), m = sl_csv_column(&t, "measured");
    int n = sl_csv_column(&t, "input"), e = sl_csv_column(&t, "input_scatter");
    sl_buffer_add(&out, "k,ratio,low,high\n");
    for (long i = 0; i < t.rows; i++) {
        double input = sl_csv_number(&t, i, n), part = sl_csv_number(&t, i, e) / input;
        *last = sl_csv_number(&t, i, k);
        if (i == 0) *first = *last;
        sl_buffer_add(&out, "%.10g,%.10g,%.10g,%.10g\n", *last, sl_csv_number(&t, i, m) / input,
                      1 - part, 1 + part);
    }
    sl_csv_release(&t);
    snprintf(suffix, sizeof suffix, "_%s.csv", species);
    int code = sl_draw_file(d, &out, suffix);
    sl_buffer_release(&out);
    return code;
}

/* k, measured and input power of a species of a member's start, <name>_<species>.csv; *rows of it,
 * 0 without the file. */
static int start_curves(struct sl_draw *d, const char *species, long *rows)
{
    char path[PATH_MAX + 200], suffix[40];
    struct sl_csv t;
    struct sl_buffer out = {0};
    *rows = 0;
    snprintf(path, sizeof path, "%s/members/%s/spectrum_%s.csv", d->r->dir,
             d->r->member[sl_draw_group(d)->first].id, species);
    SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
    if (!t.name) return SL_OK;
    int k = sl_csv_column(&t, "k"), m = sl_csv_column(&t, "measured"),
        n = sl_csv_column(&t, "input");
    sl_buffer_add(&out, "k,measured,input\n");
    for (long i = 0; i < t.rows; i++)
        sl_buffer_add(&out, "%s,%s,%s\n", sl_csv_text(&t, i, k), sl_csv_text(&t, i, m),
                      sl_csv_text(&t, i, n));
    *rows = t.rows;
    sl_csv_release(&t);
    snprintf(suffix, sizeof suffix, "_%s.csv", species);
    int code = sl_draw_file(d, &out, suffix);
    sl_buffer_release(&out);
    return code;
}

SL_FIGURE(start_spectrum, scale, "Power P(k) of the start", a->start,
          "P(k) of gas and dark matter at the redshift of the start, measured on its grid. "
          "Dashed: the input, over the same modes.")
int sl_make_start_spectrum(struct sl_draw *d)
{
    static const char *const species[] = {"gas", "dark_matter"}, *const title[] = {"gas",
                                                                                   "dark matter"};
    static const char *const ink[] = {"accent", "warm"};
    int drawn = 0;
    if (sl_draw_group(d)->first < 0) return sl_draw_none(d, "no member is done yet");
    sl_draw_of_first(d);
    sl_buffer_add(&d->script, "set logscale xy\nset autoscale xfix\n" SL_DRAW_TICS
                              "set format y \"10^{%%T}\"\nset xlabel \"k (h/Mpc)\"\n"
                              "set ylabel \"P(k) (Mpc^3/h^3)\"\nplot ");
    for (int i = 0; i < 2; i++) {
        long rows;
        SL_TRY(start_curves(d, species[i], &rows));
        if (rows < 1) continue;
        sl_buffer_add(&d->script,
                      "%s'%s_%s.csv' using 1:2 with lines lw %.1f lc rgb %s title "
                      "\"%s\", \\\n  '' using 1:3 with lines lw 1.2 dt 2 lc rgb %s title \"%s\"",
                      drawn ? ", \\\n  " : "", d->name, species[i], drawn ? 1.4 : 3.4, ink[i],
                      title[i], drawn ? "soft" : "ink", drawn ? "" : "input");
        drawn++;
    }
    return drawn ? SL_OK : sl_draw_none(d, "there is no spectrum of the start");
}

SL_FIGURE(start_power, scale, "Power of the start over its input", a->universe && a->gas,
          "Power measured on the grid of the start, divided by that of the input. The "
          "band is the scatter of a Gaussian field, \u221a(2/modes) in each shell; fixed "
          "amplitudes have none. The darker background marks k above half the "
          "Nyquist frequency.")
int sl_make_start_power(struct sl_draw *d)
{
    double gas = 0, dark = 0, first = 0;
    if (sl_draw_group(d)->first < 0) return sl_draw_none(d, "no member is done yet");
    SL_TRY(start_ratio(d, "gas", &first, &gas));
    SL_TRY(start_ratio(d, "dark_matter", &first, &dark));
    if (!(gas > 0)) return sl_draw_none(d, "there is no spectrum_gas.csv of the start");
    sl_draw_of_first(d);
    sl_buffer_add(
        &d->script,
        "set logscale x\n" SL_DRAW_TICS
        "set xlabel \"k (h/Mpc)\"\nset ylabel \"measured / input\"\n"
        "set yrange [*<0.8:1.2<*]\nset xrange [%.6g:%.6g]\nset object 1 rectangle from first "
        "%.6g, graph 0 to first %.6g, graph 1 behind fc rgb shade fs solid noborder\n"
        "plot '%s_gas.csv' using 1:3:4 with filledcurves fs transparent solid 0.25 "
        "noborder lc rgb faint notitle, \\\n  '%s_gas.csv' using 1:2 with lines lw 1.8 "
        "lc rgb accent title \"gas\"",
        0.8 * first, gas, gas / 2, gas, d->name, d->name);
    if (dark > 0)
        sl_buffer_add(&d->script,
                      ", \\\n  '%s_dark_matter.csv' using 1:2 with lines lw 1.2 dt 2 lc rgb warm "
                      "title \"dark matter\"",
                      d->name);
    return SL_OK;
}

/* ---- matter ---- */

static bool in_megaparsecs(const struct sl_draw *d)
{
    return !strcmp(sl_report_key(sl_draw_member(d), "problem"), "cosmology");
}

/* Those of n curves that were measured; where none was, none says so. */
static int those_there(struct sl_draw *d, const struct sl_draw_curve *curve, size_t n,
                       const char *x, const char *columns, const char *none)
{
    int drawn = 0;
    for (size_t i = 0; i < n; i++)
        SL_TRY(sl_draw_if_there(d, &curve[i], x, columns, &drawn));
    return drawn ? SL_OK : sl_draw_none(d, "%s", none);
}

/* That of particles is named where there is none of gas, which looks alike; both come with cross
 * and total. */
static const char *input_title(const struct sl_asked *a)
{
    bool gas = sl_figure_wants(a, "statistics.matter", "gas") ||
               sl_figure_wants(a, "statistics.matter", "cross") || sl_figure_total(a);
    return gas ? "" : "input";
}

/* Says why a group of members has no covariance of its power. */
static void remark_tie(struct sl_draw *d)
{
    char sentence[SL_FIGURE_NOTE];
    enum sl_tie tie = sl_figure_tie(d->r, sl_draw_member(d));
    if (tie == SL_TIE_none || !*sl_draw_group(d)->dir) return;
    snprintf(sentence, sizeof sentence, "%s.", sl_tie_why(tie));
    sentence[0] = 'N'; /* no covariance .. */
    sl_draw_remark(d, sentence);
}

/* What theory is held against, which is of all matter: particles where the sum was not measured, or
 * gas where it is all. */
static const char *nonlinear_table(const struct sl_asked *a)
{
    if (sl_figure_total(a)) return "matter_total";
    return sl_figure_wants(a, "statistics.matter", "particles") ? "matter_particles" : "matter_gas";
}

SL_FIGURE(matter_power, scale, "Matter power spectra", sl_figure_power(a),
          "P(k) of the last snapshot.")
int sl_make_matter_power(struct sl_draw *d)
{
    struct sl_asked a;
    sl_figure_ask(d->r, &a);
    if (sl_figure_wants(&a, "statistics.matter", "particles"))
        sl_draw_remark(d, "That of particles is corrected for the window of their assignment to "
                          "the grid.");
    if (a.universe)
        sl_draw_remark(d, a.expands ? "Dashed: power of the input, grown by D\u00b2; dotted: by "
                                      "revised HALOFIT."
                                    : "Dashed: power of the input.");
    remark_tie(d);
    const struct sl_draw_curve curves[] = {
        {"matter_total", "power", "_total", "lines lw 3 lc rgb soft", "all matter"},
        {"matter_gas", "power", "_gas", "lines lw 1.8 lc rgb accent", "gas"},
        {"matter_particles", "power", "_particles", "lines lw 1.8 lc rgb warm", "particles"},
        {"matter_cross", "power", "_cross", "lines lw 1.2 lc rgb ink", "cross"},
        {"matter_gas", "input", "_gas_input", "lines lw 1.2 dt 2 lc rgb soft", "input"},
        {"matter_particles", "input", "_particles_input", "lines lw 1.2 dt 2 lc rgb soft",
         input_title(&a)},
        {"matter_total", "input", "_total_input", "lines lw 1.2 dt 2 lc rgb ink", ""},
        {nonlinear_table(&a), "nonlinear", "_nonlinear", "lines lw 1.4 dt 3 lc rgb ink",
         a.expands ? "nonlinear" : ""}};
    sl_buffer_add(&d->script,
                  "set logscale xy\nset autoscale xfix\n" SL_DRAW_TICS
                  "set format y \"10^{%%T}\"\nset xlabel \"k (%s)\"\n"
                  "set ylabel \"P(k) (%s)\"\n",
                  in_megaparsecs(d) ? "h/Mpc" : "1/length",
                  in_megaparsecs(d) ? "Mpc^3/h^3" : "length^3");
    return those_there(d, curves, sizeof curves / sizeof curves[0], "k", "1:2",
                       "the power of matter was not measured");
}

SL_FIGURE(sigma, scale, "Variance in spheres", sl_figure_power(a),
          "\u03c3(R): rms of \u03c1/\u27e8\u03c1\u27e9 in spheres of radius R in the last "
          "snapshot, from the modes of the box whose power was measured. Dashed: the same for the "
          "input.")
int sl_make_sigma(struct sl_draw *d)
{
    struct sl_asked a;
    sl_figure_ask(d->r, &a);
    const struct sl_draw_curve curves[] = {
        {"sigma_total", "sigma", "_total", "lines lw 3 lc rgb soft", "all matter"},
        {"sigma_gas", "sigma", "_gas", "lines lw 1.8 lc rgb accent", "gas"},
        {"sigma_particles", "sigma", "_particles", "lines lw 1.8 lc rgb warm", "particles"},
        {"sigma_gas", "input", "_gas_input", "lines lw 1.2 dt 2 lc rgb soft", "input"},
        {"sigma_particles", "input", "_particles_input", "lines lw 1.2 dt 2 lc rgb soft",
         input_title(&a)},
        {"sigma_total", "input", "_total_input", "lines lw 1.2 dt 2 lc rgb ink", ""}};
    sl_buffer_add(&d->script,
                  "set logscale xy\nset autoscale fix\n" SL_DRAW_TICS
                  "set ytics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)\n"
                  "set format y \"%%g\"\nset xlabel \"R (%s)\"\n"
                  "set ylabel \"σ(R)\"\n",
                  in_megaparsecs(d) ? "Mpc/h" : "length");
    return those_there(d, curves, sizeof curves / sizeof curves[0], "r", "1:2",
                       "the power of gas or particles was not measured");
}

SL_FIGURE(correlation, scale, "Correlation function",
          sl_figure_wants(a, "statistics.matter", "correlation"),
          "r\u00b2 \u03be(r) of the same fields on the grid, without correction for the window.")
int sl_make_correlation(struct sl_draw *d)
{
    static const struct sl_draw_curve curves[] = {
        {"correlation_total", "xi", "_total", "lines lw 3 lc rgb soft", "all matter"},
        {"correlation_gas", "xi", "_gas", "lines lw 1.8 lc rgb accent", "gas"},
        {"correlation_particles", "xi", "_particles", "lines lw 1.8 lc rgb warm", "particles"},
        {"correlation_cross", "xi", "_cross", "lines lw 1.2 lc rgb ink", "cross"}};
    const char *length = in_megaparsecs(d) ? "Mpc/h" : "length";
    sl_buffer_add(&d->script,
                  "set xlabel \"r (%s)\"\nset ylabel \"r^2 ξ(r) (%s)^2\"\n"
                  "set xzeroaxis\n",
                  length, length);
    return those_there(d, curves, sizeof curves / sizeof curves[0], "r", "1:($1**2*$2)",
                       "statistics.matter does not list correlation");
}

SL_FIGURE(
    bispectrum, scale, "Reduced bispectrum", sl_figure_wants(a, "statistics.matter", "bispectrum"),
    "Q = B / (P1 P2 + P2 P3 + P3 P1) of the last snapshot: equilateral triangles of side k, and "
    "squeezed ones, two sides k and one among the three longest waves of the box. Dotted: 4/7, "
    "equilateral triangles where gravity has grown small Gaussian fluctuations.")
int sl_make_bispectrum(struct sl_draw *d)
{
    static const struct sl_draw_curve curves[] = {
        {"bispectrum_gas", "reduced", "_gas", "lines lw 1.8 lc rgb accent", "gas, equilateral"},
        {"bispectrum_gas", "squeezed_reduced", "_gas_squeezed", "lines lw 1.2 dt 2 lc rgb accent",
         "gas, squeezed"},
        {"bispectrum_particles", "reduced", "_particles", "lines lw 1.8 lc rgb warm",
         "particles, equilateral"},
        {"bispectrum_particles", "squeezed_reduced", "_particles_squeezed",
         "lines lw 1.2 dt 2 lc rgb warm", "particles, squeezed"}};
    sl_buffer_add(&d->script,
                  "set logscale x\nset autoscale xfix\nset xlabel \"k (%s)\"\nset ylabel \"Q(k)\"\n"
                  "set arrow from graph 0, first 4.0/7 to graph 1, first 4.0/7 nohead dt 3 lc rgb "
                  "soft\n",
                  in_megaparsecs(d) ? "h/Mpc" : "1/length");
    return those_there(d, curves, sizeof curves / sizeof curves[0], "k", "1:2",
                       "the bispectrum was not measured");
}

SL_FIGURE(
    counts, scale, "Counts in cells", sl_figure_wants(a, "statistics.matter", "counts"),
    "Variance of the contrast in cells of each side, last snapshot; of particles less that of "
    "Poisson points.")
int sl_make_counts(struct sl_draw *d)
{
    static const struct sl_draw_curve curves[] = {
        {"counts_gas", "variance", "_gas", "linespoints pt 7 ps 0.5 lc rgb accent", "gas"},
        {"counts_particles", "variance", "_particles", "linespoints pt 7 ps 0.5 lc rgb warm",
         "particles"}};
    sl_buffer_add(&d->script,
                  "set logscale xy\nset xlabel \"side of a cell (%s)\"\nset ylabel \"<δ^2>\"\n",
                  in_megaparsecs(d) ? "Mpc/h" : "length");
    return those_there(d, curves, sizeof curves / sizeof curves[0], "side", "1:2",
                       "counts in cells were not measured");
}

SL_FIGURE(
    multipoles, scale, "Multipoles in redshift space",
    sl_figure_wants(a, "statistics.matter", "multipoles"),
    "k P(k) of the dark matter where its redshifts put it, last snapshot: monopole, quadrupole "
    "and hexadecapole, mean of three lines of sight. Dashed: linear theory (Kaiser 1987).")
int sl_make_multipoles(struct sl_draw *d)
{
    static const struct sl_draw_curve curves[] = {
        {"multipoles_particles", "monopole", "_0", "lines lw 1.8 lc rgb accent", "monopole"},
        {"multipoles_particles", "quadrupole", "_2", "lines lw 1.8 lc rgb warm", "quadrupole"},
        {"multipoles_particles", "hexadecapole", "_4", "lines lw 1.8 lc rgb ink", "hexadecapole"},
        {"multipoles_particles", "theory_0", "_theory_0", "lines lw 1.2 dt 2 lc rgb accent",
         "linear theory"},
        {"multipoles_particles", "theory_2", "_theory_2", "lines lw 1.2 dt 2 lc rgb warm", ""},
        {"multipoles_particles", "theory_4", "_theory_4", "lines lw 1.2 dt 2 lc rgb ink", ""}};
    sl_buffer_add(&d->script, "set logscale x\nset autoscale xfix\nset xzeroaxis\n"
                              "set xlabel \"k (h/Mpc)\"\nset ylabel \"k P(k) (Mpc^2/h^2)\"\n");
    return those_there(d, curves, sizeof curves / sizeof curves[0], "k", "1:($1*$2)",
                       "the multipoles were not measured");
}

/* ---- over linear power ---- */

enum { REDSHIFTS_DRAWN = 6 };

/* Snapshots before the first to show: that of the start, where there is one (output.start). */
static int before(const struct sl_report_snapshots *all)
{
    return all->n > 0 && all->number[0] == 0;
}

/* The i-th of n snapshots to show, the last among them and the start not. */
static int shown(const struct sl_draw *d, int i, int n)
{
    const struct sl_report_snapshots *all = &sl_draw_group(d)->snapshots;
    int first = before(all);
    return all->number[first - 1 + (i + 1) * (all->n - first) / n];
}

/* One snapshot's curve of the power in a table over a theory of it, in a file of its own; nothing
 * where one of both was not measured. */
static int ratio_add(struct sl_draw *d, const char *table, const char *over, int snapshot,
                     double part, int *drawn)
{
    const char *const from[] = {"power", over}, *const names[] = {"ratio"};
    struct sl_draw_data s;
    char suffix[24];
    double redshift;
    SL_TRY(sl_draw_note(d, table, snapshot, "redshift", &redshift));
    int code = SL_OK;
    SL_TRY(sl_draw_read(d, table, snapshot, "k", from, 2, &s));
    *d->missing = '\0';
    for (long i = 0; i < s.rows; i++) {
        sl_draw_value(&s, 0)[i] /= sl_draw_value(&s, 1)[i];
        sl_draw_error(&s, 0)[i] /= sl_draw_value(&s, 1)[i];
    }
    if (s.rows && isfinite(sl_draw_value(&s, 1)[0])) {
        s.q = 1; /* the other column is no more than what the first is over */
        snprintf(suffix, sizeof suffix, "_%04d.csv", snapshot);
        code = sl_draw_write(d, &s, suffix, "k", names, false);
        sl_buffer_add(
            &d->script,
            ", \\\n  '%s%s' using 1:3:(0):($4-$3) with vectors nohead lw 1.1 lc palette frac %.3f "
            "notitle, \\\n  '' using 1:2 with lines lw 1.8 dt %d lc palette frac %.3f title \"z "
            "= %.3g\"",
            d->name, suffix, part, sl_plot_dash(*drawn), part, redshift);
        ++*drawn;
    }
    free(s.data);
    return code;
}

/* Half the Nyquist frequency along x, in h/Mpc. */
static double half_nyquist(const struct sl_draw *d)
{
    const struct sl_report_member *m = sl_draw_member(d);
    const char *box = sl_report_key(m, "mesh.box"), *cells = sl_report_key(m, "mesh.cells");
    double side = sl_report_list_number(box, 1) - sl_report_list_number(box, 0);
    return acos(-1) * sl_report_list_number(cells, 0) / side / 2;
}

/* How many redshifts are drawn, 0 where there is the start alone. */
static int redshifts(const struct sl_draw *d)
{
    const struct sl_report_snapshots *all = &sl_draw_group(d)->snapshots;
    int n = all->n - before(all);
    return n > REDSHIFTS_DRAWN ? REDSHIFTS_DRAWN : n;
}

/* Where the i-th of n is on the palette from early to late. */
static double late(int i, int n)
{
    return n > 1 ? i / (n - 1.0) : 1;
}

static void redshift_axes(struct sl_draw *d)
{
    sl_buffer_add(&d->script,
                  SL_DRAW_TICS "set autoscale xfix\nset xlabel \"k (h/Mpc)\"\nset palette "
                               "defined (0 faint, 1 accent)\nunset colorbox\nset object 1 "
                               "rectangle from first %.6g, graph 0 to graph 1, graph 1 behind fc "
                               "rgb shade fs solid noborder\n",
                  half_nyquist(d));
}

SL_FIGURE(power_growth, scale, "Power over linear power",
          a->universe && a->expands &&
              (sl_figure_wants(a, "statistics.matter", "gas") || sl_figure_total(a)),
          "P(k, z) of all matter, of the gas where that was not measured, divided by the power of "
          "the input times D\u00b2(z): 1 where growth is "
          "linear. The darker background marks k above half the Nyquist frequency.")
int sl_make_power_growth(struct sl_draw *d)
{
    struct sl_asked a;
    int n = redshifts(d), drawn = 0;
    sl_figure_ask(d->r, &a);
    const char *table = sl_figure_total(&a) ? "matter_total" : "matter_gas";
    if (n < 1) return sl_draw_none(d, "there is only one snapshot");
    redshift_axes(d);
    sl_buffer_add(&d->script, "set logscale x\nset yrange [*<0.8:1.2<*]\n"
                              "set ylabel \"P / D^2 P_{linear}\"\n"
                              "plot 1 with lines dt 2 lw 1.2 lc rgb soft notitle");
    for (int i = 0; i < n; i++)
        SL_TRY(ratio_add(d, table, "input", shown(d, i, n), late(i, n), &drawn));
    return drawn ? SL_OK : sl_draw_none(d, "no snapshot has this power and its input");
}

/* ---- beside nonlinear power ---- */

/* Points and both theories of one snapshot, in a file of its own; of the last also the shot
 * noise. */
static int theories_add(struct sl_draw *d, const char *table, int snapshot, double part, bool last,
                        int *drawn)
{
    static const char *const names[] = {"power", "input", "nonlinear", "shot"};
    struct sl_draw_data s;
    char suffix[24];
    double redshift;
    SL_TRY(sl_draw_note(d, table, snapshot, "redshift", &redshift));
    SL_TRY(sl_draw_read(d, table, snapshot, "k", names, 4, &s));
    *d->missing = '\0';
    if (!s.rows) return SL_OK;
    snprintf(suffix, sizeof suffix, "_%04d.csv", snapshot);
    int code = sl_draw_write(d, &s, suffix, "k", names, true);
    sl_buffer_add(&d->script,
                  ", \\\n  '%s%s' using 1:5 with lines lw 1.1 dt 2 lc palette frac %.3f notitle, "
                  "\\\n  '' using 1:8 with lines lw 1.6 lc palette frac %.3f notitle, \\\n  '' "
                  "using 1:3:(0):($4-$3) with vectors nohead lw 1.1 lc palette frac %.3f notitle, "
                  "\\\n  '' using 1:2 with points pt 7 ps 0.8 lc palette frac %.3f title \"z = "
                  "%.3g\"",
                  d->name, suffix, part, part, part, part, redshift);
    if (last && isfinite(sl_draw_value(&s, 3)[0]))
        sl_buffer_add(&d->script,
                      ", \\\n  '' using 1:11 with lines lw 1.2 dt 3 lc rgb warm title \"shot "
                      "noise\"");
    ++*drawn;
    free(s.data);
    return code;
}

SL_FIGURE(
    matter_redshifts, scale, "Matter power beside theory", sl_figure_nonlinear(a),
    "Points: P(k) of all matter, else of the particles, of gas where there are none, corrected for "
    "the window of the grid; bars: standard error over members. Dashed: the power of the input, "
    "grown by D\u00b2(z). "
    "Lines: that by revised HALOFIT (Takahashi et al. 2012; 5 % for k below 1 h/Mpc, 10 % up to "
    "10; linear before z = 10). Dotted: shot noise, which is not taken away: less says little "
    "where particles have left their lattice. The darker background marks k above half the "
    "Nyquist frequency of the mesh, where its forces are too weak and the lattice of the "
    "particles shows.")
int sl_make_matter_redshifts(struct sl_draw *d)
{
    struct sl_asked a;
    int n = redshifts(d), drawn = 0;
    sl_figure_ask(d->r, &a);
    if (n < 1) return sl_draw_none(d, "there is only one snapshot");
    redshift_axes(d);
    d->height += 80; /* for the legend */
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\n"
                  "set ylabel \"P(k) (Mpc^3/h^3)\"\nplot NaN with lines lw 1.6 lc rgb ink title "
                  "\"nonlinear\", \\\n  NaN with lines lw 1.1 dt 2 lc rgb ink title \"linear\"");
    for (int i = 0; i < n; i++)
        SL_TRY(
            theories_add(d, nonlinear_table(&a), shown(d, i, n), late(i, n), i == n - 1, &drawn));
    return drawn ? SL_OK : sl_draw_none(d, "the power of matter was not measured");
}

SL_FIGURE(
    matter_ratio, scale, "Matter power over nonlinear theory", sl_figure_nonlinear(a),
    "Measured P(k, z) divided by that of revised HALOFIT of the input; bars: standard error over "
    "members. Between the dotted lines is the accuracy of HALOFIT, 5 % for k below 1 h/Mpc and 10 "
    "% above. On the longest waves a box has few modes. The darker background marks k above half "
    "the Nyquist frequency of the mesh, where its forces are too weak and the lattice of the "
    "particles shows.")
int sl_make_matter_ratio(struct sl_draw *d)
{
    struct sl_asked a;
    int n = redshifts(d), drawn = 0;
    sl_figure_ask(d->r, &a);
    if (n < 1) return sl_draw_none(d, "there is only one snapshot");
    redshift_axes(d);
    sl_buffer_add(&d->script, "set logscale x\nset yrange [0.4<*<0.8:1.2<*<1.6]\n"
                              "set ylabel \"P / P_{HALOFIT}\"\n"
                              "set samples 400\nplot 1 with lines dt 2 lw 1.2 lc rgb soft notitle");
    for (int sign = -1; sign <= 1; sign += 2)
        sl_buffer_add(&d->script,
                      ", \\\n  x < 1 ? %g : %g with lines dt 3 lw 1.2 lc rgb soft notitle",
                      1 + 0.05 * sign, 1 + 0.1 * sign);
    for (int i = 0; i < n; i++)
        SL_TRY(ratio_add(d, nonlinear_table(&a), "nonlinear", shown(d, i, n), late(i, n), &drawn));
    return drawn ? SL_OK
                 : sl_draw_none(d, "no snapshot has the power of matter and its nonlinear theory");
}

/* ---- mass function ---- */

/* Counts of all members have the error of Poisson. */
static void poisson(const struct sl_draw *d, struct sl_draw_data *s, int found, int count)
{
    int members = 0;
    for (int i = 0; i < d->r->members; i++)
        members += d->r->member[i].group == d->group && d->r->member[i].summary.rows > 0;
    if (!*sl_draw_group(d)->dir) members = 1;
    for (long i = 0; i < s->rows; i++) {
        double all = members * sl_draw_value(s, count)[i];
        sl_draw_error(s, found)[i] = all > 0 ? sl_draw_value(s, found)[i] / sqrt(all) : 0;
    }
}

/* Masses from the first to the last that has clumps, and a bin to either side; densities down to a
 * third of one clump. */
static void mass_axes(struct sl_draw *d, const struct sl_draw_data *s)
{
    double low = INFINITY, high = 0, least = INFINITY;
    for (long i = 0; i < s->rows; i++) {
        double mass = sl_draw_column(s, 0)[i], found = sl_draw_value(s, 0)[i];
        if (!(found > 0)) continue;
        low = fmin(low, mass);
        high = fmax(high, mass);
        least = fmin(least, found);
    }
    if (high > 0) sl_draw_log_axis(d, 'x', low / 2, high * 2);
    if (high > 0) sl_draw_log_axis(d, 'y', least / 3, 3 * sl_draw_largest(s, 0));
    sl_buffer_add(&d->script, "set xlabel \"M (M_☉/h)\"\n"
                              "set ylabel \"dn/dlnM (h^3/Mpc^3)\"\n");
}

SL_FIGURE(mass_function, gas, "Mass function",
          a->universe &&sl_figure_wants(a, "statistics.clumps", NULL),
          "Number of clumps in the last snapshot per comoving volume and ln M; the mass of a clump "
          "is that of its gas divided by the mean gas fraction; bars: \u221aN of all members. "
          "Lines: haloes expected from the linear power at that redshift (Press & Schechter 1974; "
          "Sheth & Tormen 1999; Tinker et al. 2008 for 200 times the mean density). Clumps above a "
          "threshold are not the same as these haloes.")
int sl_make_mass_function(struct sl_draw *d)
{
    static const char *const from[] = {"dn_dlnm", "press_schechter", "sheth_tormen", "tinker",
                                       "clumps"};
    static const char *const names[] = {"found", "press_schechter", "sheth_tormen", "tinker",
                                        "clumps"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "mass_function", sl_draw_last(d), "mass", from, 5, &s));
    if (!s.rows) return SL_OK;
    poisson(d, &s, 0, 4);
    if (!(sl_draw_largest(&s, 0) > 0))
        sl_draw_none(d, "there are no clumps above statistics.clumps");
    int code = sl_draw_write(d, &s, ".csv", "mass", names, true);
    mass_axes(d, &s);
    sl_buffer_add(
        &d->script,
        "plot '%s.csv' using 1:5 with lines dt 3 lw 1.4 lc rgb soft title \"Press, "
        "Schechter\", \\\n  '' using 1:8 with lines dt 2 lw 1.4 lc rgb ink title \"Sheth, "
        "Tormen\", \\\n  '' using 1:11 with lines lw 1.4 lc rgb warm title \"Tinker et "
        "al.\", \\\n  '' using 1:($2 > 0 ? $2 : NaN):3:4 with yerrorbars pt 7 ps 0.7 lw 1.4 "
        "lc rgb accent title \"clumps\"",
        d->name);
    free(s.data);
    return code;
}

/* ---- haloes ---- */

/* As sl_draw_read, of the last snapshot that has such a table: particles that do not move have one
 * with the first snapshot alone. */
static int read_last(struct sl_draw *d, const char *table, const char *x, const char *const *from,
                     int n, struct sl_draw_data *out)
{
    const struct sl_report_snapshots *s = &sl_draw_group(d)->snapshots;
    *out = (struct sl_draw_data){.rows = 0};
    for (int i = s->n - 1; i >= 0 && !out->rows; i--) {
        free(out->data);
        SL_TRY(sl_draw_read(d, table, s->number[i], x, from, n, out));
    }
    if (out->rows) *d->missing = '\0';
    return SL_OK;
}

/* Error bars are those over members; where there is one alone, those of Poisson. */
static void alone(const struct sl_draw *d, struct sl_draw_data *s, int found, int poisson)
{
    for (long i = 0; i < s->rows && !*sl_draw_group(d)->dir; i++)
        sl_draw_error(s, found)[i] = sl_draw_value(s, poisson)[i];
}

SL_FIGURE(halo_mass_function, scale, "Halo mass function",
          a->universe &&sl_figure_wants(a, "statistics.haloes", NULL),
          "Number of haloes of dark matter per comoving volume and ln M: groups of friends of "
          "friends, and spheres of 200 times the mean density around them; bars: standard error "
          "over members, or \u221aN of a single one. Lines: expected from the linear power at that "
          "redshift (Press & Schechter 1974; Sheth & Tormen 1999; Tinker et al. 2008 for these "
          "spheres; Crocce et al. 2010 and Watson et al. 2013 for friends of friends of 0.2, whose "
          "masses are less by the share N^-0.6 for N particles). The mesh softens haloes that are "
          "a few cells wide: spheres about them hold too little.")
int sl_make_halo_mass_function(struct sl_draw *d)
{
    static const char *const from[] = {"dn_dlnm",      "dn_dlnm_200m",    "poisson",
                                       "poisson_200m", "press_schechter", "sheth_tormen",
                                       "tinker",       "crocce",          "watson"};
    struct sl_draw_data s;
    SL_TRY(read_last(d, "halo_mass_function", "mass", from, 9, &s));
    if (!s.rows) return SL_OK;
    alone(d, &s, 0, 2);
    alone(d, &s, 1, 3);
    if (!(sl_draw_largest(&s, 0) > 0)) sl_draw_none(d, "there are no haloes");
    int code = sl_draw_write(d, &s, ".csv", "mass", from, true);
    mass_axes(d, &s);
    sl_buffer_add(
        &d->script,
        "plot '%s.csv' using 1:14 with lines dt 3 lw 1.4 lc rgb soft title \"Press, Schechter\", "
        "\\\n  '' using 1:17 with lines dt 2 lw 1.4 lc rgb ink title \"Sheth, Tormen\", \\\n  '' "
        "using 1:20 with lines lw 1.4 lc rgb warm title \"Tinker et al.\", \\\n  '' using 1:23 "
        "with lines lw 1.4 lc rgb accent title \"Crocce et al.\", \\\n  '' using 1:26 with lines "
        "lw 1.4 dt 2 lc rgb accent title \"Watson et al.\", \\\n  '' using 1:($5 > "
        "0 ? $5 : NaN):6:7 with yerrorbars pt 6 ps 0.7 lw 1.4 lc rgb warm title \"M_{200m}\", \\\n "
        " '' using 1:($2 > 0 ? $2 : NaN):3:4 with yerrorbars pt 7 ps 0.7 lw 1.4 lc rgb accent "
        "title \"friends of friends\"",
        d->name);
    free(s.data);
    return code;
}

/* Points and nearest profile of one stack of haloes, in a file of its own. */
static int profile_add(struct sl_draw *d, int least, int ink, int *drawn)
{
    static const char *const color[] = {"accent", "warm", "ink", "soft"};
    static const char *const names[] = {"density", "nfw"};
    char density[40], nfw[40], suffix[40];
    const char *const from[] = {density, nfw};
    struct sl_draw_data s;
    snprintf(density, sizeof density, "density_%d", least);
    snprintf(nfw, sizeof nfw, "nfw_%d", least);
    snprintf(suffix, sizeof suffix, "_%d.csv", least);
    SL_TRY(read_last(d, "halo_profiles", "r", from, 2, &s));
    *d->missing = '\0';
    int code = SL_OK;
    if (s.rows && sl_draw_largest(&s, 0) > 0) {
        code = sl_draw_write(d, &s, suffix, "r", names, true);
        sl_buffer_add(&d->script,
                      "%s'%s%s' using 1:($2 > 0 ? $2 : NaN):3:4 with yerrorbars pt 7 ps 0.6 lw 1.2 "
                      "lc rgb %s title \"from %d on\", \\\n  '' using 1:($5 > 0 ? $5 : NaN) with "
                      "lines lw 1.4 lc rgb %s notitle",
                      *drawn ? ", \\\n  " : "plot ", d->name, suffix, color[ink], least,
                      color[ink]);
        ++*drawn;
    }
    free(s.data);
    return code;
}

SL_FIGURE(
    halo_profiles, scale, "Profiles of haloes",
    a->universe &&sl_figure_wants(a, "statistics.haloes", NULL),
    "Density over the mean in shells around the centres of haloes, averaged over haloes with at "
    "least so many particles within r_200c; lines: best fit of Navarro, Frenk & White.")
int sl_make_halo_profiles(struct sl_draw *d)
{
    static const int least[] = {100, 300, 1000, 3000};
    int drawn = 0;
    sl_buffer_add(
        &d->script,
        "set logscale xy\n" SL_DRAW_TICS
        "set format y \"10^{%%T}\"\nset xlabel \"r / r_{200c}\"\nset ylabel \"ρ / ⟨ρ⟩\"\n");
    for (int i = 0; i < 4; i++)
        SL_TRY(profile_add(d, least[i], i, &drawn));
    return drawn ? SL_OK : sl_draw_none(d, "no halo has 100 particles within r_200c");
}

/* Median mass of one class over the mass at the end, in a file of its own with the percentiles
 * about it. */
static int accretion_add(struct sl_draw *d, int least, int ink, int *drawn)
{
    static const char *const color[] = {"accent", "warm", "ink", "soft"};
    static const char *const names[] = {"haloes", "median", "p16", "p84"};
    char from[4][40], suffix[40];
    const char *const column[] = {from[0], from[1], from[2], from[3]};
    struct sl_draw_data s;
    for (int i = 0; i < 4; i++)
        snprintf(from[i], sizeof from[i], "%s_%d", names[i], least);
    snprintf(suffix, sizeof suffix, "_%d.csv", least);
    SL_TRY(sl_draw_read(d, "halo_accretion", -1, "scale_factor", column, 4, &s));
    if (!s.rows) return SL_OK;
    int code = SL_OK;
    if (sl_draw_largest(&s, 0) > 0) {
        code = sl_draw_write(d, &s, suffix, "scale_factor", names, true);
        sl_buffer_add(&d->script,
                      "%s'%s%s' using (1/$1):8:11 with filledcurves fs transparent solid 0.15 "
                      "noborder lc rgb %s notitle, \\\n  '' using (1/$1):5:6:7 with yerrorbars pt "
                      "7 ps 0.6 lw 1.2 lc rgb %s notitle, \\\n  '' using (1/$1):5 with lines lw "
                      "1.6 lc rgb %s title \"from %d on\"",
                      *drawn ? ", \\\n  " : "plot ", d->name, suffix, color[ink], color[ink],
                      color[ink], least);
        ++*drawn;
    }
    free(s.data);
    return code;
}

SL_FIGURE(halo_accretion, scale, "How haloes grew",
          a->universe &&sl_figure_wants(a, "statistics.haloes", NULL) &&
              !strcmp(sl_report_key(a->member, "statistics.progenitors"), "true"),
          "M(z) over the mass in the last snapshot along the main branches of haloes that have at "
          "least so many particles there, and fewer than the next class: the median, bars: "
          "standard error over members, and the range of 68 % of the haloes. A halo whose branch "
          "has ended counts as lighter than all others.")
int sl_make_halo_accretion(struct sl_draw *d)
{
    static const int least[] = {100, 300, 1000, 3000};
    int drawn = 0;
    sl_buffer_add(&d->script, "set logscale xy\n" SL_DRAW_TICS "set ytics (0.01, 0.02, 0.05, 0.1, "
                              "0.2, 0.5, 1)\nset autoscale xfix\nset autoscale yfix\nset yrange "
                              "[*:1.2]\nset xlabel \"1 + z\"\n"
                              "set ylabel \"M(z) / M(last)\"\n");
    for (int i = 0; i < 4 && !*d->missing; i++)
        SL_TRY(accretion_add(d, least[i], i, &drawn));
    if (drawn || *d->missing) return SL_OK;
    return sl_draw_none(d, "no halo of the last snapshot has 100 particles");
}

enum { SHELLS_DRAWN = 48 };

static long shells_drawn(const struct sl_csv *covariance)
{
    return covariance->rows < SHELLS_DRAWN ? covariance->rows : SHELLS_DRAWN;
}

/* <name>.csv: two shells and their correlation. */
static int correlations_write(const struct sl_draw *d, const struct sl_csv *covariance)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "shell,other,correlation\n");
    for (long i = 0; i < shells_drawn(covariance); i++)
        for (long j = 0; j < shells_drawn(covariance); j++) {
            double size =
                sqrt(sl_csv_number(covariance, i, (int)i) * sl_csv_number(covariance, j, (int)j));
            sl_buffer_add(&t, "%ld,%ld,", i + 1, j + 1);
            if (size > 0)
                sl_buffer_add(&t, "%.6g\n", sl_csv_number(covariance, i, (int)j) / size);
            else
                sl_buffer_add(
                    &t, "NaN\n"); /* not the mark of what is missing: an image has all points */
        }
    int code = sl_draw_file(d, &t, ".csv");
    sl_buffer_release(&t);
    return code;
}

/* The covariance of the ensemble that there is: no rows without one. */
static int covariance_read(const struct sl_draw *d, struct sl_csv *out)
{
    static const char *const of[] = {"matter_total", "matter_gas", "matter_particles", "velocity"};
    for (int i = 0; i < 4; i++) {
        char path[PATH_MAX + 200];
        snprintf(path, sizeof path, "%s/%s/covariance_%s_%04d.csv", d->r->dir,
                 sl_draw_group(d)->dir, of[i], sl_draw_last(d));
        SL_TRY(sl_csv_try(out, path, SL_CSV_MATRIX));
        if (out->rows > 0) break;
        sl_csv_release(out);
    }
    return SL_OK;
}

/* How far chance moves the coefficients of n members. */
static void remark_scatter(struct sl_draw *d, double n)
{
    char sentence[160];
    if (!(n > 1)) return;
    snprintf(sentence, sizeof sentence,
             "Coefficients r are uncertain by (1 - r\u00b2) / sqrt(n - 1): %.2g at r = 0, with n = "
             "%g.",
             1 / sqrt(n - 1), n);
    sl_draw_remark(d, sentence);
}

SL_FIGURE(shells, scale, "Correlation between scales", sl_figure_covariance(a),
          "Correlation matrix of the power of the last snapshot (of matter, or else of the "
          "velocity) between members: +1 where two shells vary together, 0 where they are "
          "independent, as in a Gaussian field. The first 48 shells are shown.")
int sl_make_shells(struct sl_draw *d)
{
    struct sl_csv covariance;
    const struct sl_report_group *group = sl_draw_group(d);
    enum sl_tie tie = sl_figure_tie(d->r, sl_draw_member(d));
    if (!*group->dir)
        return sl_draw_none(d, "a covariance needs two members that are done, of %d of this group",
                            group->members);
    SL_TRY(covariance_read(d, &covariance));
    if (covariance.rows == 0)
        return sl_draw_none(d, "%s",
                            tie != SL_TIE_none
                                ? sl_tie_why(tie)
                                : "the ensemble holds no covariance of the last snapshot");
    remark_scatter(d, sl_csv_note(&covariance, "members"));
    int code = correlations_write(d, &covariance);
    sl_buffer_add(&d->script,
                  "set xlabel \"shell, k in 2π/L\"\nset ylabel \"shell\"\nunset key\n"
                  "set xrange [0.5:%ld.5]\nset yrange [0.5:%ld.5]\nset size ratio 1\n"
                  "set palette defined (-1 warm, 0 shade, 1 accent)\nset cbrange [-1:1]\n"
                  "plot '%s.csv' using 1:2:3 with image",
                  shells_drawn(&covariance), shells_drawn(&covariance), d->name);
    sl_csv_release(&covariance);
    return code;
}
