/* gas.c - figures of a report of the gas: densities, structure functions, clumps. */
#include "pipeline/report/across.h"
#include "pipeline/report/draw.h"
#include "pipeline/report/plot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { Q_MAX = 12, JOINT_BINS = 80 };

/* Range of x where any of the quantities is above `share` of the largest. */
static void x_range(struct sl_draw *d, const struct sl_draw_data *s, double fraction)
{
    double lo = INFINITY, hi = -INFINITY;
    for (long i = 0; i < s->rows; i++)
        for (int q = 0; q < s->q; q++)
            if (sl_draw_value(s, q)[i] > fraction * sl_draw_largest(s, q)) {
                lo = fmin(lo, sl_draw_column(s, 0)[i]);
                hi = fmax(hi, sl_draw_column(s, 0)[i]);
            }
    if (lo < hi) sl_buffer_add(&d->script, "set xrange [%.6g:%.6g]\n", lo, hi);
}

enum { BINS_LEAST = 5 };

/* How many bins are above `share` of the largest, by volume. */
static int bins_above(const struct sl_draw_data *s, double fraction)
{
    int n = 0;
    for (long i = 0; i < s->rows; i++)
        n += sl_draw_value(s, 0)[i] > fraction * sl_draw_largest(s, 0);
    return n;
}

/* b of sigma^2 = ln(1 + b^2 M^2) for a weight z of solenoidal modes in the force: 1 where all is
 * compressive, 0.4 of a natural mixture (z = 1/2), 1/3 where nothing is, straight between
 * (Federrath et al. 2008, 2010); of three dimensions. */
static double driving_b(double z)
{
    return z < 0.5 ? 1 - 1.2 * z : 0.4 - (z - 0.5) * 2 / 15;
}

/* A field narrows the distribution of the density (Molina et al. 2012). */
static bool magnetised(const struct sl_draw *d)
{
    struct sl_asked a;
    sl_figure_ask(d->r, &a);
    return a.field;
}

/* b of the force, or else of the start, and the rms Mach number at the end; false where there is
 * none of them, and of gas with a field, of which the law does not hold. */
static bool width_from(const struct sl_draw *d, double *b, double *mach)
{
    const struct sl_report_member *m = &d->r->member[sl_draw_group(d)->first];
    const char *problem = sl_report_key(m, "problem"), *key = "driving.solenoidal";
    double error;
    if (!sl_report_driven(m)) key = strcmp(problem, "turbulence") ? "" : "turbulence.solenoidal";
    *b = sl_draw_dimensions(d) == 3 ? driving_b(sl_report_list_number(sl_report_key(m, key), 0))
                                    : NAN;
    sl_report_mean(d->r, d->group, "mach_rms_end", mach, &error);
    return isfinite(*b) && *mach > 0 && !magnetised(d);
}

/* The log-normal of b M in place of quantity q, as a dashed line. */
static void lognormal_add(struct sl_draw *d, struct sl_draw_data *s, int q)
{
    double b, mach, pi = acos(-1);
    if (sl_draw_group(d)->first < 0 || !width_from(d, &b, &mach)) return;
    double variance = log(1 + b * b * mach * mach);
    snprintf(
        d->note, sizeof d->note,
        "Also that of σ² = ln(1 + b²M²) at the Mach number at the end; b of the %s as Federrath "
        "et al. (2008, 2010) found it: 1/3 solenoidal, 0.4 natural mixture, 1 compressive, "
        "straight between.",
        sl_report_driven(&d->r->member[sl_draw_group(d)->first]) ? "force" : "start");
    for (long i = 0; i < s->rows; i++) {
        double x = sl_draw_column(s, 0)[i] + variance / 2;
        sl_draw_value(s, q)[i] = exp(-x * x / (2 * variance)) / sqrt(2 * pi * variance);
        sl_draw_error(s, q)[i] = 0;
    }
    sl_buffer_add(
        &d->script,
        "  '%s.csv' using 1:%d with lines dt 4 lw 1.4 lc rgb gold title \"of b = %.2g, M = "
        "%.3g\", \\\n",
        d->name, 2 + 3 * q, b, mach);
}

/* Letters of the longest label. */
static int pdf_letters(const struct sl_draw *d)
{
    double b, mach;
    bool turbulent = sl_draw_group(d)->first >= 0 && width_from(d, &b, &mach);
    return (int)strlen(turbulent       ? "of b = 0.33, M = 4.41"
                       : d->r->against ? "the other campaign"
                                       : "log-normal");
}

SL_FIGURE(pdf, gas, "Density distribution",
          (a->turbulence || (a->universe && a->expands)) &&
              sl_figure_wants(a, "statistics.pdf", "density"),
          "s = ln(\u03c1/\u27e8\u03c1\u27e9) in the last snapshot by volume and by mass, with a "
          "log-normal of the measured width and a distribution with intermittency (Hopkins 2013).")
int sl_make_pdf(struct sl_draw *d)
{
    static const char *const from[] = {"volume", "mass", "lognormal", "hopkins", "lognormal"};
    static const char *const names[] = {"volume", "mass", "lognormal", "hopkins", "lognormal_bm"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "pdf_density", sl_draw_last(d), "s", from, 5, &s));
    if (!s.rows) return SL_OK;
    if (bins_above(&s, 1e-4) < BINS_LEAST)
        sl_draw_none(d, "the distribution is narrower than its bins");
    x_range(d, &s, 1e-4);
    double most = fmax(sl_draw_largest(&s, 0), sl_draw_largest(&s, 1));
    sl_plot_key(&d->script, pdf_letters(d));
    sl_buffer_add(
        &d->script,
        "set logscale y\nset format y \"10^{%%T}\"\nset yrange [%.4g:%.4g]\n"
        "set xlabel \"s = ln(ρ/⟨ρ⟩)\"\nset ylabel \"p(s)\"\n"
        "plot '%s.csv' using 1:8 with lines dt 2 lw 1.4 lc rgb soft title "
        "\"log-normal\", \\\n  '%s.csv' using 1:11 with lines dt 3 lw 1.4 lc rgb ink title "
        "\"Hopkins\", \\\n",
        most * 1e-4, most * 2, d->name, d->name);
    lognormal_add(d, &s, 4);
    int code = sl_draw_write(d, &s, ".csv", "s", names, true);
    sl_draw_bars(d, 0, "accent", "by volume", false);
    sl_draw_bars(d, 1, "warm", "by mass", true);
    if (!code) code = sl_draw_against(d, "pdf_density", "s", names[0]);
    free(s.data);
    return code;
}

SL_FIGURE(dispersion, gas, "Density contrast and Mach number", a->turbulence,
          "Each member at its end.")
int sl_make_dispersion(struct sl_draw *d)
{
    struct sl_buffer t = {0};
    int n = 0;
    sl_buffer_add(&t, "member,mach_rms,density_sigma\n");
    for (int i = 0; i < d->r->members; i++) {
        const struct sl_report_member *m = &d->r->member[i];
        double mach = sl_report_value(m, "mach_rms_end"),
               sigma = sl_report_value(m, "density_sigma");
        if (!isfinite(mach) || !isfinite(sigma)) continue;
        sl_buffer_add(&t, "%s,%.10g,%.10g\n", m->id, mach, sigma);
        n++;
    }
    int code = sl_draw_file(d, &t, ".csv");
    sl_buffer_release(&t);
    if (!n) return sl_draw_none(d, "no member has both mach_rms_end and density_sigma");
    sl_buffer_add(&d->script,
                  "set xlabel \"rms Mach number\"\nset ylabel \"σ of ln ρ\"\n"
                  "stats '%s.csv' using 2 nooutput\n"
                  "set xrange [0:1.4 * STATS_max]\nset yrange [0:*]\n"
                  "f(x, b) = sqrt(log(1 + (b * x)**2))\nplot ",
                  d->name);
    if (sl_draw_dimensions(d) == 3) {
        sl_draw_remark(d, "The lines are σ² = ln(1 + b²M²) for b = 1/3 (solenoidal), 0.4 and 1 "
                          "(compressive driving).");
        if (magnetised(d))
            sl_draw_remark(d, "They are of gas without a magnetic field, which makes σ smaller "
                              "(Molina et al. 2012).");
        sl_buffer_add(&d->script,
                      "f(x, 1) with lines dt 3 lw 1.4 lc rgb soft title \"b = 1\", \\\n"
                      "  f(x, 0.4) with lines dt 2 lw 1.4 lc rgb soft title \"b = 0.4\", \\\n"
                      "  f(x, 1.0 / 3) with lines lw 1.4 lc rgb soft title \"b = 1/3\", \\\n  ");
    }
    sl_buffer_add(&d->script,
                  "'%s.csv' using 2:3 with points pt 7 ps 0.7 lc rgb accent title \"members\"",
                  d->name);
    return code;
}

/* Names orders 1 to 6 at the end of the curves where they lie further apart, in room made beside
 * it. */
static void orders_name(struct sl_draw *d, const struct sl_draw_data *s)
{
    double apart[2]; /* of the first lag and of the last */
    for (int e = 0; e < 2; e++) {
        long row = e ? s->rows - 1 : 0;
        apart[e] = fabs(log(sl_draw_value(s, 5)[row] / sl_draw_value(s, 0)[row]));
    }
    bool left = apart[0] > apart[1];
    long row = left ? 0 : s->rows - 1;
    double x = sl_draw_column(s, 0)[row];
    sl_buffer_add(&d->script, left ? "set xrange [%.6g:*]\n" : "set rmargin 5\n", x / 1.4);
    for (int p = 0; p < 6; p++)
        if (sl_draw_value(s, p)[row] > 0)
            sl_buffer_add(&d->script,
                          "set label %d \"p=%d\" at %.6g, %.6g %s textcolor rgb soft font "
                          "\",11\"\n",
                          p + 1, p + 1, x, sl_draw_value(s, p)[row],
                          left ? "right offset -0.6,0" : "left offset 0.6,0");
}

static bool of_universe(const struct sl_draw *d)
{
    return sl_report_clock(sl_draw_member(d)) == 'z';
}

static void separation_axis(struct sl_draw *d)
{
    sl_draw_axis(d, 'x', "separation l", "code length", of_universe(d) ? "Mpc/h" : "code units");
    sl_buffer_add(&d->script, SL_DRAW_TICS);
}

/* Peculiar velocities of a universe to the orders 1 to 6, over and over, at the time of the
 * snapshot. */
static int in_kilometres(const struct sl_draw *d, const char *base, struct sl_draw_data *s)
{
    double a;
    if (!of_universe(d)) return SL_OK;
    SL_TRY(sl_draw_note(d, base, sl_draw_last(d), "scale_factor", &a));
    for (int q = 0; q < s->q; q++)
        for (long i = 0; i < s->rows; i++) {
            double unit = pow(sl_report_speed(sl_draw_member(d), a), q % 6 + 1);
            sl_draw_value(s, q)[i] *= unit;
            sl_draw_error(s, q)[i] *= unit;
        }
    return SL_OK;
}

/* Orders 1 to 6 of one kind, and of a second one (dashed) when q is 12. */
static int structure_figure(struct sl_draw *d, const char *base, const char *const *names, int q,
                            const char *label)
{
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, base, sl_draw_last(d), "lag", names, q, &s));
    if (!s.rows) return SL_OK;
    int code = !strcmp(base, "structure_velocity") ? in_kilometres(d, base, &s) : SL_OK;
    if (!code) code = sl_draw_write(d, &s, ".csv", "lag", names, true);
    separation_axis(d);
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\nset autoscale xfix\n"
                  "set ylabel %s offset 0.5,0\n",
                  sl_plot_text(label).s);
    orders_name(d, &s);
    for (int j = 0; j < q; j++)
        sl_buffer_add(&d->script, "%s'%s.csv' using 1:%d with lines lw %.1f%s lc rgb %s notitle",
                      j ? ", \\\n  " : "plot ", d->name, 2 + 3 * j, j < 6 ? 1.8 : 1.4,
                      j < 6 ? "" : " dt 2", j < 6 ? "accent" : "soft");
    free(s.data);
    return code;
}

static const char *const velocity_orders[Q_MAX] = {"long_1",  "long_2",  "long_3",  "long_4",
                                                   "long_5",  "long_6",  "trans_1", "trans_2",
                                                   "trans_3", "trans_4", "trans_5", "trans_6"};

SL_FIGURE(structure, gas, "Structure functions",
          sl_figure_wants(a, "statistics.structure", "velocity"),
          "Mean of |\u03b4v|^p over pairs of points at a distance l in the last snapshot, p from "
          "1 to 6: velocity parallel (full) and perpendicular (dashed) to the separation.")
int sl_make_structure(struct sl_draw *d)
{
    return structure_figure(d, "structure_velocity", velocity_orders, Q_MAX,
                            of_universe(d) ? "S_p(l), (km/s)^p" : "S_p(l)");
}

SL_FIGURE(structure_density, gas, "Structure functions of the density",
          sl_figure_wants(a, "statistics.structure", "density"),
          "Mean of |\u03b4\u03c1|^p/\u27e8\u03c1\u27e9^p over pairs of points at a distance l "
          "along the axes in the last snapshot, p from 1 to 6.")
int sl_make_structure_density(struct sl_draw *d)
{
    static const char *const names[] = {"order_1", "order_2", "order_3",
                                        "order_4", "order_5", "order_6"};
    return structure_figure(d, "structure_density", names, 6, "S_p(l) of ρ/⟨ρ⟩");
}

/* Order 2 of what there is: velocity, or else density. */
SL_FIGURE(structure_directions, gas, "Structure functions along axes and diagonals",
          sl_figure_wants(a, "statistics.structure", "diagonals"),
          "Order 2 along the axes and diagonals of the grid: velocity parallel (full) and "
          "perpendicular (dashed) to the separation, or density. Where curves differ, the grid or "
          "the box has an effect.")
int sl_make_structure_directions(struct sl_draw *d)
{
#define ALONG(table, quantity, style, title)                                                       \
    {                                                                                              \
        table, quantity, "_" table "_" quantity, "lines lw 1.6 " style, title                      \
    }
    static const struct sl_draw_curve curves[] = {
        ALONG("structure_velocity", "long_2", "lc rgb ink", "axes"),
        ALONG("structure_velocity_110", "long_2", "lc rgb accent", "(1,1,0)"),
        ALONG("structure_velocity_111", "long_2", "lc rgb warm", "(1,1,1)"),
        ALONG("structure_velocity", "trans_2", "dt 2 lc rgb ink", ""),
        ALONG("structure_velocity_110", "trans_2", "dt 2 lc rgb accent", ""),
        ALONG("structure_velocity_111", "trans_2", "dt 2 lc rgb warm", ""),
        ALONG("structure_density", "order_2", "lc rgb ink", "axes"),
        ALONG("structure_density_110", "order_2", "lc rgb accent", "(1,1,0)"),
        ALONG("structure_density_111", "order_2", "lc rgb warm", "(1,1,1)")};
#undef ALONG
    enum { VELOCITY = 6, ALL = sizeof curves / sizeof curves[0] };
    int drawn = 0;
    separation_axis(d);
    sl_buffer_add(&d->script, "set logscale xy\nset format y \"%%g\"\nset autoscale xfix\n"
                              "set ylabel \"S_2(l)\"\n");
    for (int i = 0; i < ALL && (i < VELOCITY || !drawn || i % 3); i++)
        SL_TRY(sl_draw_if_there(d, &curves[i], "lag", "1:2", &drawn));
    return drawn ? SL_OK : sl_draw_none(d, "no structure function was measured");
}

/* ---- exponents ---- */

enum { ORDERS = 6 };

/* The shells 3 .. N/8, or those of statistics.fit, as lengths L / k. */
static void resolved_lengths(const struct sl_draw *d, double *from, double *to)
{
    const struct sl_report_member *m = sl_draw_member(d);
    const char *box = sl_report_key(m, "mesh.box"), *fit = sl_report_key(m, "statistics.fit"),
               *cells = sl_report_key(m, "mesh.cells");
    double longest = 0, most = 0, low = sl_report_list_number(fit, 0),
           high = sl_report_list_number(fit, 1);
    for (int a = 0; isfinite(sl_report_list_number(cells, a)); a++) {
        double side = sl_report_list_number(box, 2 * a + 1) - sl_report_list_number(box, 2 * a);
        if (side > longest) {
            longest = side;
            most = sl_report_list_number(cells, a);
        }
    }
    *from = longest / (high > 0 ? high : most / 8);
    *to = longest / (low > 0 ? low : 3);
}

/* Least squares of ln y against ln x: the slope, and its standard error from the scatter about the
 * line. */
static void log_slope(long n, const double *x, const double *y, double *slope, double *spread)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (long i = 0; i < n; i++) {
        mx += log(x[i]) / (double)n;
        my += log(y[i]) / (double)n;
    }
    for (long i = 0; i < n; i++) {
        double dx = log(x[i]) - mx, dy = log(y[i]) - my;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    *slope = xy / xx;
    *spread = sqrt(fmax(yy - xy * xy / xx, 0) / (xx * (double)(n - 2)));
}

/* Exponents over that of order 3, of the rows first .. first + n of orders 1 to 6 along and across:
 * extended self-similarity (Benzi et al. 1993). */
static int exponents_write(struct sl_draw *d, const struct sl_draw_data *s, long first, long n)
{
    static const char *const names[] = {"along", "across"};
    double data[ORDERS * 5];
    struct sl_draw_data out = {.rows = ORDERS, .q = 2, .data = data};
    for (int i = 0; i < 2 * ORDERS; i++) {
        int kind = i / ORDERS, p = i % ORDERS;
        sl_draw_column(&out, 0)[p] = p + 1;
        log_slope(n, sl_draw_value(s, kind * ORDERS + 2) + first, sl_draw_value(s, i) + first,
                  sl_draw_value(&out, kind) + p, sl_draw_error(&out, kind) + p);
    }
    return sl_draw_write(d, &out, ".csv", "order", names, false);
}

SL_FIGURE(structure_exponents, gas, "Exponents of structure functions",
          a->turbulence &&sl_figure_wants(a, "statistics.structure", "velocity"),
          "Slopes of ln S_p against ln S_3 of the velocity in the last snapshot, parallel and "
          "perpendicular to the separation, by extended self-similarity (Benzi et al. 1993), "
          "fitted over lags L/k of the shells to which spectra are fitted (3 to N/8, or "
          "statistics.fit); bars: scatter about the line. Lines: p/3 (Kolmogorov 1941), p/9 + 2 "
          "\u2212 2 (2/3)^(p/3) (She & Leveque 1994), p/9 + 1 \u2212 (1/3)^(p/3) (Boldyrev 2002).")
int sl_make_structure_exponents(struct sl_draw *d)
{
    struct sl_draw_data s;
    SL_TRY(
        sl_draw_read(d, "structure_velocity", sl_draw_last(d), "lag", velocity_orders, Q_MAX, &s));
    if (!s.rows) return SL_OK;
    double from, to;
    resolved_lengths(d, &from, &to);
    long first = 0, n = 0;
    while (first < s.rows && !(sl_draw_column(&s, 0)[first] >= from * (1 - 1e-9)))
        first++;
    while (first + n < s.rows && sl_draw_column(&s, 0)[first + n] <= to * (1 + 1e-9))
        n++;
    int code = SL_OK;
    if (from > to)
        sl_draw_none(d, "this grid resolves no lags: those of the shells 3 to N/8; exponents need "
                        "3 of them");
    else if (n < 3)
        sl_draw_none(d, "%ld lags lie between %.4g and %.4g; exponents need 3", n, from, to);
    else
        code = exponents_write(d, &s, first, n);
    free(s.data);
    sl_buffer_add(
        &d->script,
        "set xlabel \"order p\"\nset ylabel \"ζ_p / ζ_3\"\n"
        "set xrange [0.5:6.5]\nset yrange [0:*]\n"
        "plot x / 3 with lines dt 3 lw 1.4 lc rgb soft title \"Kolmogorov\", \\\n"
        "  x / 9 + 2 * (1 - (2.0 / 3)**(x / 3)) with lines dt 2 lw 1.4 lc rgb soft title "
        "\"She, Leveque\", \\\n"
        "  x / 9 + 1 - (1.0 / 3)**(x / 3) with lines lw 1.4 lc rgb soft title \"Boldyrev\", \\\n"
        "  '%s.csv' using 1:2:3:4 with yerrorbars pt 7 ps 0.9 lc rgb accent title \"along\", \\\n"
        "  '%s.csv' using 1:5:6:7 with yerrorbars pt 6 ps 1.2 lc rgb warm title \"across\"",
        d->name, d->name);
    return code;
}

/* Adds one member's matrix of shares to sum. */
static int joint_sum(const struct sl_draw *d, int member, const char *of, double *sum, int *members)
{
    char path[PATH_MAX + 200];
    struct sl_csv t;
    snprintf(path, sizeof path, "%s/members/%s/stats/joint_density_%s_%04d.csv", d->r->dir,
             d->r->member[member].id, of, sl_draw_last(d));
    SL_TRY(sl_csv_try(&t, path, SL_CSV_MATRIX));
    bool fits = t.rows == JOINT_BINS && t.columns == JOINT_BINS;
    for (int i = 0; fits && i < JOINT_BINS * JOINT_BINS; i++)
        sum[i] += sl_csv_number(&t, i / JOINT_BINS, i % JOINT_BINS);
    *members += fits;
    sl_csv_release(&t);
    return SL_OK;
}

/* <name>.csv: x, y and the share of each bin; lines of one y together. */
static int joint_write(const struct sl_draw *d, const double *sum, int members)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "log_density,log_other,share\n");
    for (int i = 0; i < JOINT_BINS * JOINT_BINS; i++)
        if (sum[i] > 0)
            sl_buffer_add(&t, "%.4g,%.4g,%.6g\n", -4 + 0.1 * (i % JOINT_BINS + 0.5),
                          -4 + 0.1 * (i / JOINT_BINS + 0.5), sum[i] / members);
    int code = sl_draw_file(d, &t, ".csv");
    sl_buffer_release(&t);
    return code;
}

static int joint_figure(struct sl_draw *d, const char *of, const char *label, const char *lines)
{
    double *sum = calloc((size_t)JOINT_BINS * JOINT_BINS, sizeof *sum), most = 0;
    SL_CHECK(sum, SL_EMEM, "no memory for a figure");
    int members = 0, code = SL_OK;
    for (int m = 0; m < d->r->members && code == SL_OK; m++)
        if (d->r->member[m].group == d->group) code = joint_sum(d, m, of, sum, &members);
    if (code == SL_OK && !members)
        sl_draw_none(d, "no member has a joint distribution with %s", of);
    if (code == SL_OK && members) code = joint_write(d, sum, members);
    for (int i = 0; i < JOINT_BINS * JOINT_BINS && members; i++)
        most = fmax(most, sum[i] / members);
    if (members && !(most > 0)) sl_draw_none(d, "all of the volume lies outside of the bins");
    free(sum);
    sl_buffer_add(&d->script,
                  "set xlabel \"log_{10} ρ/⟨ρ⟩\"\nset ylabel %s\nunset key\nset palette "
                  "defined (0 deep, 1 accent)\nunset colorbox\nset logscale cb\n"
                  "set cbrange [%.4g:%.4g]\nset boxwidth 0.1\nset style fill solid noborder\n"
                  "plot '%s.csv' using 1:2:(0.05):(0.05):3 with boxxyerror lc palette%s",
                  sl_plot_text(label).s, 1e-4 * most, most, d->name, lines);
    return code;
}

SL_FIGURE(joint_speed, gas, "Density and speed", sl_figure_wants(a, "statistics.joint", "speed"),
          "Fraction of the volume per bin of density and speed in the last snapshot, mean of the "
          "members. Colours from dark to light cover four decades.")
int sl_make_joint_speed(struct sl_draw *d)
{
    return joint_figure(d, "speed", "log_{10} |v|/v_{rms}", "");
}

SL_FIGURE(joint_magnetic, gas, "Density and magnetic field",
          a->field &&sl_figure_wants(a, "statistics.joint", "magnetic"),
          "Fraction of the volume per bin of density and field strength in the last snapshot, "
          "mean of the members. Colours from dark to light cover four decades; the lines are B "
          "\u221d \u03c1^1/2 and \u03c1^2/3.")
int sl_make_joint_magnetic(struct sl_draw *d)
{
    return joint_figure(
        d, "magnetic", "log_{10} |B|/B_{rms}",
        ", \\\n  x / 2 with lines dt 2 lc rgb warm, 2 * x / 3 with lines lc rgb warm");
}

SL_FIGURE(joint_temperature, gas, "Density and temperature",
          sl_figure_wants(a, "statistics.joint", "temperature"),
          "Fraction of the volume per bin of density and pressure / density in the last snapshot, "
          "mean of the members. Colours from dark to light cover four decades.")
int sl_make_joint_temperature(struct sl_draw *d)
{
    double rms, a;
    char words[64];
    SL_TRY(sl_draw_note(d, "joint_density_temperature", sl_draw_last(d), "rms", &rms));
    SL_TRY(sl_draw_note(d, "joint_density_temperature", sl_draw_last(d), "scale_factor", &a));
    if (a > 0 && rms > 0) {
        snprintf(words, sizeof words, "T_rms of the first member is %.3g K.",
                 rms * sl_report_kelvin(sl_draw_member(d), a));
        sl_draw_remark(d, words);
    }
    return joint_figure(d, "temperature", "log_{10} T/T_{rms}", "");
}

static int masses_figure(struct sl_draw *d, const char *table, const char *what, const char *key)
{
    static const char *const names[] = {"above"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, table, sl_draw_last(d), "log_share", names, 1, &s));
    if (!s.rows) return SL_OK;
    int code = sl_draw_write(d, &s, ".csv", "log_share", names, false);
    if (!(sl_draw_largest(&s, 0) > 0)) sl_draw_none(d, "there are no %s above %s", what, key);
    long lightest = 0;
    while (lightest + 1 < s.rows && sl_draw_value(&s, 0)[lightest + 1] >= sl_draw_largest(&s, 0))
        lightest++;
    sl_buffer_add(&d->script, "set xrange [%.6g:0]\n",
                  sl_draw_column(&s, 0)[lightest > 0 ? lightest - 1 : 0]);
    sl_buffer_add(&d->script,
                  "set logscale y\nset xlabel \"log_{10} mass / mass of the box\"\n"
                  "set ylabel \"%s above\"\nset yrange [%.4g:%.4g]\nplot ",
                  what, 0.5, 2 * sl_draw_largest(&s, 0) + 1);
    sl_draw_bars(d, 0, "accent", sl_draw_mean_title(d), true);
    free(s.data);
    return code;
}

SL_FIGURE(clump_masses, gas, "Clump masses", sl_figure_wants(a, "statistics.clumps", NULL),
          "Number of clumps in the last snapshot heavier than a mass, in units of the mass of the "
          "box.")
int sl_make_clump_masses(struct sl_draw *d)
{
    return masses_figure(d, "clump_masses", "clumps", "statistics.clumps");
}

SL_FIGURE(leaf_masses, gas, "Leaf masses", sl_figure_wants(a, "statistics.tree", NULL),
          "Number of leaves of this tree, over all members, heavier than a mass, in units of the "
          "mass of the box.")
int sl_make_leaf_masses(struct sl_draw *d)
{
    return masses_figure(d, "tree_masses", "leaves", "statistics.tree");
}

/* <name>.csv: each node as two points, where it ends and its top, and one of its parent, then an
 * empty line. */
static int tree_write(struct sl_draw *d, const struct sl_csv *t)
{
    struct sl_buffer out = {0};
    double low = INFINITY, high = 0;
    int parent = sl_csv_column(t, "parent"), place = sl_csv_column(t, "place"),
        base = sl_csv_column(t, "base"), top = sl_csv_column(t, "top");
    sl_buffer_add(&out, "place,density\n");
    for (long i = 0; i < t->rows; i++) {
        double x = sl_csv_number(t, i, place), y = sl_csv_number(t, i, base),
               up = sl_csv_number(t, i, parent);
        sl_buffer_add(&out, "%.10g,%.10g\n%.10g,%.10g\n", x, sl_csv_number(t, i, top), x, y);
        low = fmin(low, y);
        high = fmax(high, sl_csv_number(t, i, top));
        if (up >= 1 && up <= (double)i)
            sl_buffer_add(&out, "%.10g,%.10g\n", sl_csv_number(t, (long)up - 1, place), y);
        sl_buffer_add(&out, "\n");
    }
    sl_buffer_add(&d->script, "set yrange [%.4g:%.4g]\n%s", 0.9 * low, 1.2 * high,
                  high > 20 * low ? "set logscale y\n" : "");
    int code = sl_draw_file(d, &out, ".csv");
    sl_buffer_release(&out);
    return code;
}

SL_FIGURE(tree, gas, "Clumps within clumps", sl_figure_wants(a, "statistics.tree", NULL),
          "Regions of the last snapshot of the first member, which merge as a density threshold "
          "falls. Each vertical line is a region: from the density where it joins others up to "
          "its peak, or to the density where the regions inside it join.")
int sl_make_tree(struct sl_draw *d)
{
    const struct sl_report_group *g = sl_draw_group(d);
    char path[PATH_MAX + 200];
    struct sl_csv t;
    if (g->first < 0) return sl_draw_none(d, "no member has statistics yet");
    snprintf(path, sizeof path, "%s/members/%s/stats/tree_%04d.csv", d->r->dir,
             d->r->member[g->first].id, sl_draw_last(d));
    if (access(path, F_OK)) return sl_draw_none(d, "the tree was not made");
    SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
    if (!t.columns) return sl_draw_none(d, "the tree is damaged");
    if (t.rows == 0) sl_draw_none(d, "there are no leaves above statistics.tree");
    int code = tree_write(d, &t);
    sl_buffer_add(&d->script,
                  "set format y \"%%g\"\nunset xtics\nunset key\n"
                  "set xlabel \"regions\"\nset ylabel \"density\"\nset offsets 1, 1, 0, 0\n"
                  "plot '%s.csv' using 1:2 with lines lw 1.2 lc rgb accent",
                  d->name);
    sl_csv_release(&t);
    return code;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* A quantity of sample_line.csv, and what it is drawn in: of a universe in units of its end. */
struct line {
    const char *quantity, *label, *unit, *otherwise;
    double factor;
    bool positive;        /* its axis begins at zero or above */
    bool over_density;    /* drawn is what it is over the density */
    int x, y, e, rho, ee; /* columns; e, ee: of the exact solution, or -1 */
};

static double line_value(const struct sl_csv *t, long i, const struct line *l, int column, int rho)
{
    double v = l->factor * sl_csv_number(t, i, column);
    return l->over_density ? v / sl_csv_number(t, i, rho) : v;
}

static void line_columns(const struct sl_csv *t, struct line *l)
{
    char exact[64];
    snprintf(exact, sizeof exact, "exact_%s", l->quantity);
    l->x = sl_csv_column(t, "x");
    l->y = sl_csv_column(t, l->quantity);
    l->e = sl_csv_any(t, exact);
    l->rho = sl_csv_column(t, "density");
    l->ee = sl_csv_column(t, "exact_density");
}

/* <name><suffix>: x, the cells, the exact solution. */
static int line_file(struct sl_draw *d, const struct sl_csv *t, const struct line *l,
                     const char *suffix, double *low, double *high)
{
    struct sl_buffer table = {0};
    sl_buffer_add(&table, l->e < 0 ? "x,%s\n" : "x,%s,exact\n", l->quantity);
    for (long i = 0; i < t->rows; i++) {
        double v = line_value(t, i, l, l->y, l->rho);
        double e = l->e < 0 ? v : line_value(t, i, l, l->e, l->ee);
        *low = fmin(*low, fmin(v, e));
        *high = fmax(*high, fmax(v, e));
        sl_buffer_add(&table, "%s,%.10g", sl_csv_text(t, i, l->x), v);
        sl_buffer_add(&table, l->e < 0 ? "\n" : ",%.10g\n", e);
    }
    int code = sl_draw_file(d, &table, suffix);
    sl_buffer_release(&table);
    return code;
}

static void line_axes(struct sl_draw *d, const struct line *l, double low, double high)
{
    bool universe = sl_report_clock(sl_draw_member(d)) == 'z';
    sl_draw_digits(d, low, high);
    sl_draw_axis(d, 'x', "x", "code length", universe ? "Mpc/h" : "code units");
    sl_draw_axis(d, 'y', l->label, l->unit, l->otherwise);
    sl_draw_box(d);
    if (l->positive) sl_draw_from_zero(d, low, high);
    sl_buffer_add(&d->script, "set offsets graph 0, graph 0, graph 0.08, graph %s\n",
                  l->positive ? "0" : "0.08");
}

static void exact_remark(struct sl_draw *d, const struct sl_csv *t)
{
    sl_draw_remark(d, sl_across_is_exact(t) ? "The line is the exact solution."
                                            : "The line is a converged one of many cells.");
}

/* The table of the first member of the group that has finished; its columns are 0 where the figure
 * says what is missing. */
static int line_read(struct sl_draw *d, struct sl_csv *t)
{
    char path[PATH_MAX + 200];
    int first = sl_draw_group(d)->first;
    *t = (struct sl_csv){0};
    if (first < 0) return sl_draw_none(d, "no member is finished");
    snprintf(path, sizeof path, "%s/members/%s/sample_line.csv", d->r->dir, d->r->member[first].id);
    if (access(path, R_OK)) return sl_draw_none(d, "sample_line.csv was not written");
    sl_draw_of_first(d);
    return sl_csv_read(t, path, SL_CSV_NAMED);
}

static int profile(struct sl_draw *d, struct line l)
{
    struct sl_csv t;
    double low = INFINITY, high = -INFINITY;
    SL_TRY(line_read(d, &t));
    if (!t.columns) return SL_OK;
    line_columns(&t, &l);
    int code = line_file(d, &t, &l, ".csv", &low, &high);
    line_axes(d, &l, low, high);
    sl_buffer_add(&d->script, "plot ");
    if (l.e >= 0) {
        sl_buffer_add(&d->script, "'%s.csv' using 1:3 with lines lw 1.6 lc rgb warm title \"%s\", ",
                      d->name, sl_across_is_exact(&t) ? "exact" : "converged");
        exact_remark(d, &t);
    }
    sl_buffer_add(&d->script,
                  "'%s.csv' using 1:2 with points pt 7 ps 0.35 lc rgb accent title "
                  "\"computed\"",
                  d->name);
    sl_csv_release(&t);
    return code;
}

/* The components of a vector across x, with the exact ones; those that are zero are left out. */
static int components(struct sl_draw *d, struct line l[2], const char *label)
{
    static const char *const ink[] = {"accent", "gold"}, *const suffix[] = {".csv", "_z.csv"};
    struct sl_csv t;
    struct sl_buffer curves = {0};
    double low = INFINITY, high = -INFINITY;
    int drawn = 0, code = SL_OK;
    bool exact = false;
    SL_TRY(line_read(d, &t));
    for (int c = 0; c < 2 && t.columns && code == SL_OK; c++) {
        double least = INFINITY, most = -INFINITY;
        line_columns(&t, &l[c]);
        code = line_file(d, &t, &l[c], suffix[c], &least, &most);
        if (!(most > 0 || least < 0)) continue;
        low = fmin(low, least);
        high = fmax(high, most);
        exact |= l[c].e >= 0;
        if (l[c].e >= 0) {
            sl_buffer_add(&curves, "%s'%s%s' using 1:3 with lines lw 1.6 lc rgb warm %s",
                          drawn ? ", \\\n  " : "plot ", d->name, suffix[c],
                          drawn ? "notitle" : "title \"exact\"");
            drawn++;
        }
        sl_buffer_add(&curves, "%s'%s%s' using 1:2 with points pt 7 ps 0.35 lc rgb %s title %s",
                      drawn++ ? ", \\\n  " : "plot ", d->name, suffix[c], ink[c],
                      sl_plot_text(l[c].label).s);
    }
    if (exact) exact_remark(d, &t);
    if (t.columns) sl_csv_release(&t);
    if (drawn) {
        l[0].label = label;
        line_axes(d, &l[0], low, high);
        sl_buffer_bytes(&d->script, curves.s, curves.n);
    } else if (!*d->missing) {
        sl_draw_skip(d);
    }
    d->script.failed |= curves.failed;
    sl_buffer_release(&curves);
    return code;
}

/* Scale factor at the end of a run in a universe, 0 of others. */
static double ends_at(const struct sl_draw *d)
{
    const struct sl_report_member *m = sl_draw_member(d);
    double z = sl_report_list_number(sl_report_key(m, "time.end"), 0);
    return sl_report_expands(m) && z > -1 ? 1 / (1 + z) : 0;
}

SL_FIGURE(profile_density, gas, "Density along x", a->line,
          "Cells along x through the middle of the box at the end.")
int sl_make_profile_density(struct sl_draw *d)
{
    bool universe = ends_at(d) > 0;
    return profile(d, (struct line){.quantity = "density",
                                    .label = universe ? "ρ/⟨ρ_m⟩" : "ρ",
                                    .unit = "code density",
                                    .otherwise = "",
                                    .factor = 1,
                                    .positive = true});
}

SL_FIGURE(profile_velocity, gas, "Velocity along x", a->line,
          "The velocity along x of the same cells.")
int sl_make_profile_velocity(struct sl_draw *d)
{
    double a = ends_at(d);
    return profile(d, (struct line){.quantity = "velocity_x",
                                    .label = "v_x",
                                    .unit = "code velocity",
                                    .otherwise = a > 0 ? "km/s" : "",
                                    .factor = sl_report_speed(sl_draw_member(d), a)});
}

SL_FIGURE(profile_pressure, gas, "Pressure along x", a->line, "That of the same cells.")
int sl_make_profile_pressure(struct sl_draw *d)
{
    struct line l = {.quantity = "pressure",
                     .label = "p",
                     .unit = "code pressure",
                     .otherwise = "",
                     .factor = 1,
                     .positive = true};
    if (ends_at(d) > 0) {
        snprintf(d->title, sizeof d->title, "Temperature along x");
        l.label = "T";
        l.otherwise = "K";
        l.factor = sl_report_kelvin(sl_draw_member(d), ends_at(d));
        l.over_density = true;
    }
    return profile(d, l);
}

SL_FIGURE(profile_field, gas, "Magnetic field along x", a->line && a->field,
          "The components of the field across x, of the same cells.")
int sl_make_profile_field(struct sl_draw *d)
{
    struct line l[2] = {{.quantity = "magnetic_y", .label = "B_y"},
                        {.quantity = "magnetic_z", .label = "B_z"}};
    double a = ends_at(d);
    for (int c = 0; c < 2; c++) {
        l[c].unit = "code field";
        l[c].otherwise = a > 0 ? "G" : "";
        l[c].factor = sl_report_gauss(sl_draw_member(d), a);
    }
    return components(d, l, "B");
}

SL_FIGURE(profile_across, gas, "Velocity across x", a->line && a->field,
          "The components of the velocity across x, of the same cells.")
int sl_make_profile_across(struct sl_draw *d)
{
    struct line l[2] = {{.quantity = "velocity_y", .label = "v_y"},
                        {.quantity = "velocity_z", .label = "v_z"}};
    double a = ends_at(d);
    for (int c = 0; c < 2; c++) {
        l[c].unit = "code velocity";
        l[c].otherwise = a > 0 ? "km/s" : "";
        l[c].factor = sl_report_speed(sl_draw_member(d), a);
    }
    return components(d, l, "v");
}
