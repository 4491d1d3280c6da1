/* scale.c - figures of a report across scales: spectra. */
#include "pipeline/report/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells along x, NAN when unknown. */
static double cells_x(const struct sl_draw *d)
{
    return sl_report_list_number(sl_report_key(sl_draw_member(d), "mesh.cells"), 0);
}

/* Figures of a universe are in h/Mpc; the shells of tables are in 2 pi / L, L the longest side. */
static bool of_universe(const struct sl_draw *d)
{
    return sl_report_clock(sl_draw_member(d)) == 'z';
}

static double wave_unit(const struct sl_draw *d)
{
    const char *box = sl_report_key(sl_draw_member(d), "mesh.box");
    double longest = 0;
    for (int a = 0; a < sl_draw_dimensions(d); a++)
        longest = fmax(longest,
                       sl_report_list_number(box, 2 * a + 1) - sl_report_list_number(box, 2 * a));
    return of_universe(d) && longest > 0 ? 2 * acos(-1) / longest : 1;
}

static void scale_waves(const struct sl_draw *d, struct sl_draw_data *s)
{
    double unit = wave_unit(d);
    for (long i = 0; i < s->rows; i++)
        sl_draw_column(s, 0)[i] *= unit;
}

/* Up to which k the background says how far the spectrum may be trusted, 0 where there is none. The
 * grid has spread nothing of a start yet, and only turbulence has an inertial range. */
struct trusted {
    double grid, inertial;
};

static struct trusted trusted_of(const struct sl_draw *d)
{
    double n = cells_x(d);
    struct sl_asked a;
    sl_figure_ask(d->r, &a);
    if (!(n >= 8) || a.start) return (struct trusted){0, 0};
    return (struct trusted){n / 8, a.turbulence && n / 30 > 0.8 ? n / 30 : 0};
}

static void resolved_add(struct sl_draw *d)
{
    struct trusted k = trusted_of(d);
    if (!(k.grid > 0)) return;
    static const char rect[] =
        "set object %d rectangle from first %.6g, graph 0 to first %.6g, graph 1 "
        "behind fc rgb %s fs solid noborder\n";
    double unit = wave_unit(d);
    sl_buffer_add(&d->script, rect, 1, 0.8 * unit, k.grid * unit, "shade");
    if (k.inertial > 0) sl_buffer_add(&d->script, rect, 2, 0.8 * unit, k.inertial * unit, "deep");
    sl_buffer_add(&d->script,
                  "set label 1 \"N/8\" at first %.6g, graph 0.96 right offset -0.4,0 "
                  "textcolor rgb soft font \",11\"\n",
                  k.grid * unit);
}

enum { LEAST_RANGE = 50 }; /* of a logarithmic axis: it has a label or two then */

/* reach: a value that is to be seen beside those of s. */
static void log_axes(struct sl_draw *d, const struct sl_draw_data *s, double decades, double reach)
{
    const double headroom = 2;
    double most = sl_draw_largest(s, 0), least = most;
    for (int q = 0; q < s->q; q++)
        for (long i = 0; i < s->rows; i++)
            if (sl_draw_value(s, q)[i] > 0 && sl_draw_value(s, q)[i] < least)
                least = sl_draw_value(s, q)[i];
    least = fmin(fmax(least, most * pow(10, -decades)), most * headroom / LEAST_RANGE);
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\nset xrange [%.6g:%.6g]\n"
                  "set yrange [%.4g:%.4g]\nset xlabel \"k (%s)\"\n%s",
                  0.8 * wave_unit(d), 1.1 * sl_draw_column(s, 0)[s->rows - 1], least / 2,
                  headroom * fmax(most, reach), of_universe(d) ? "h/Mpc" : "2π/L",
                  of_universe(d)
                      ? SL_DRAW_TICS
                      : "set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)\n");
}

/* Squares of peculiar velocities of a universe in (km/s)^2, and its magnetic energies in erg/cm^3,
 * at the time of the snapshot. */
static int in_universe(const struct sl_draw *d, const char *base, int snapshot,
                       struct sl_draw_data *s)
{
    double a, unit;
    if (!of_universe(d) || !strcmp(base, "spectrum_density")) return SL_OK;
    SL_TRY(sl_draw_note(d, base, snapshot, "scale_factor", &a));
    if (strcmp(base, "spectrum_magnetic") != 0)
        unit = pow(sl_report_speed(sl_draw_member(d), a), 2);
    else
        unit = pow(sl_report_gauss(sl_draw_member(d), a), 2) / (4 * acos(-1));
    for (int q = 0; q < s->q; q++)
        for (long i = 0; i < s->rows; i++) {
            sl_draw_value(s, q)[i] *= unit;
            sl_draw_error(s, q)[i] *= unit;
        }
    return SL_OK;
}

static int spectrum_figure(struct sl_draw *d, const char *base, const char *const *names, int q,
                           const char *const *titles, const char *label, double reach)
{
    static const char *const ink[] = {"ink", "accent", "warm"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, base, sl_draw_last(d), "k", names, q, &s));
    if (!s.rows) return SL_OK;
    if (!(sl_draw_largest(&s, 0) > 0)) sl_draw_none(d, "the spectrum is zero");
    scale_waves(d, &s);
    int code = in_universe(d, base, sl_draw_last(d), &s);
    if (!code) code = sl_draw_write(d, &s, ".csv", "k", names, true);
    log_axes(d, &s, 7, reach);
    resolved_add(d);
    sl_buffer_add(&d->script, "set ylabel %s\nplot ", sl_plot_text(label).s);
    for (int j = 0; j < q; j++)
        sl_draw_bars(d, j, q == 1 ? "accent" : ink[j], titles[j], j == q - 1);
    if (!code) code = sl_draw_against(d, base, "k", names[0]);
    free(s.data);
    return code;
}

/* The total of the start; no rows where it has no snapshot (output.start), or no other has. */
static int start_read(struct sl_draw *d, struct sl_draw_data *s)
{
    const char *total = "total";
    *s = (struct sl_draw_data){0};
    const struct sl_report_snapshots *all = &sl_draw_group(d)->snapshots;
    if (all->n < 2 || all->number[0] > 0) return SL_OK;
    SL_TRY(sl_draw_read(d, "spectrum_velocity", all->number[0], "k", &total, 1, s));
    *d->missing = '\0';
    if (!(sl_draw_largest(s, 0) > 0)) s->rows = 0; /* of a gas at rest */
    return in_universe(d, "spectrum_velocity", all->number[0], s);
}

/* The total of the start, <name>_start.csv, as a dashed line. */
static int start_add(struct sl_draw *d)
{
    static const char *const names[] = {"total"};
    struct sl_draw_data s;
    SL_TRY(start_read(d, &s));
    if (!s.rows) free(s.data);
    if (!s.rows) return SL_OK;
    scale_waves(d, &s);
    int code = sl_draw_write(d, &s, "_start.csv", "k", names, true);
    sl_buffer_add(&d->script,
                  ", \\\n  '%s_start.csv' using 1:2 with lines dt 2 lw 1.2 lc rgb soft title "
                  "\"total, start\"",
                  d->name);
    free(s.data);
    return code;
}

/* start: the total of the first snapshot is drawn. */
static void resolved_note(struct sl_draw *d, bool start)
{
    struct trusted k = trusted_of(d);
    snprintf(d->note, sizeof d->note, "%s%s%s%s", start ? "Dashed: the total at the start." : "",
             start && k.grid > 0 ? " " : "",
             k.inertial > 0 ? "The darker background is k < N/30, where an inertial range may be "
                              "read; the lighter,"
             : k.grid > 0   ? "The background,"
                            : "",
             k.grid > 0 ? " k < N/8, is free of grid diffusion; beyond it the slope is numerical."
                        : "");
}

SL_FIGURE(spectrum, scale, "Velocity spectrum",
          sl_figure_wants(a, "statistics.spectra", "velocity"),
          "E(k) in the last snapshot with its solenoidal and compressive parts.")
int sl_make_spectrum(struct sl_draw *d)
{
    static const char *const names[] = {"total", "solenoidal", "compressive"};
    struct sl_draw_data start;
    SL_TRY(start_read(d, &start));
    double reach = sl_draw_largest(&start, 0);
    free(start.data);
    const char *label = of_universe(d) ? "E(k), (km/s)^2" : "E(k)";
    SL_TRY(spectrum_figure(d, "spectrum_velocity", names, 3, names, label, reach));
    resolved_note(d, start.rows > 0);
    return *d->missing ? SL_OK : start_add(d);
}

/* Multiplies quantity q by k^power and divides by its mean for k up to kmax. */
static void compensate(struct sl_draw_data *s, int q, double power, double kmax)
{
    double sum = 0, n = 0;
    for (long i = 0; i < s->rows; i++) {
        double k = sl_draw_column(s, 0)[i], f = pow(k, power);
        sl_draw_value(s, q)[i] *= f;
        sl_draw_error(s, q)[i] *= f;
        if (k <= kmax && isfinite(sl_draw_value(s, q)[i])) sum += sl_draw_value(s, q)[i], n++;
    }
    for (long i = 0; i < s->rows && sum > 0; i++) {
        sl_draw_value(s, q)[i] *= n / sum;
        sl_draw_error(s, q)[i] *= n / sum;
    }
}

SL_FIGURE(compensated, scale, "Compensated spectrum",
          a->turbulence &&sl_figure_wants(a, "statistics.spectra", "velocity"),
          "The same E(k) times k\u00b2 and times k^5/3, each over its mean for k < N/8: the curve "
          "is flat where the slope is that of shocks (k\u00b2) or of Kolmogorov turbulence "
          "(k^5/3).")
int sl_make_compensated(struct sl_draw *d)
{
    static const char *const from[] = {"total", "total"};
    static const char *const names[] = {"k2_total", "k53_total"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "spectrum_velocity", sl_draw_last(d), "k", from, 2, &s));
    if (!s.rows) return SL_OK;
    double n = cells_x(d), kmax = n >= 16 ? n / 8 : sl_draw_column(&s, 0)[s.rows - 1];
    compensate(&s, 0, 2, kmax);
    compensate(&s, 1, 5.0 / 3, kmax);
    int code = sl_draw_write(d, &s, ".csv", "k", names, true);
    log_axes(d, &s, 2, 0);
    resolved_add(d);
    sl_buffer_add(
        &d->script,
        "set ylabel \"E(k) k^p / mean\"\n"
        "set format y \"%%g\"\nset ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)\nplot ");
    sl_draw_bars(d, 0, "accent", "p = 2", false);
    sl_draw_bars(d, 1, "warm", "p = 5/3", true);
    free(s.data);
    return code;
}

SL_FIGURE(energy_spectrum, scale, "Kinetic energy spectrum",
          sl_figure_wants(a, "statistics.spectra", "energy"),
          "Spectrum of \u221a\u03c1 v in the last snapshot; its sum over k is the kinetic energy.")
int sl_make_energy_spectrum(struct sl_draw *d)
{
    static const char *const names[] = {"total", "solenoidal", "compressive"};
    const char *label = of_universe(d) ? "E(k) of ρ^{1/2} v, ρ_m (km/s)^2" : "E(k) of ρ^{1/2} v";
    return spectrum_figure(d, "spectrum_energy", names, 3, names, label, 0);
}

SL_FIGURE(magnetic_spectrum, scale, "Magnetic energy spectrum",
          a->field &&sl_figure_wants(a, "statistics.spectra", "magnetic"),
          "Spectrum of the magnetic field in the last snapshot; its sum over k is the magnetic "
          "energy.")
int sl_make_magnetic_spectrum(struct sl_draw *d)
{
    static const char *const names[] = {"total"}, *const titles[] = {""};
    const char *label = of_universe(d) ? "E(k) of B, erg/cm^3" : "E(k) of B";
    return spectrum_figure(d, "spectrum_magnetic", names, 1, titles, label, 0);
}

SL_FIGURE(density_spectrum, scale, "Density spectrum",
          sl_figure_wants(a, "statistics.spectra", "density"),
          "Power spectrum of \u03c1/\u27e8\u03c1\u27e9 \u2212 1 in the last snapshot.")
int sl_make_density_spectrum(struct sl_draw *d)
{
    static const char *const names[] = {"total"}, *const titles[] = {""};
    return spectrum_figure(d, "spectrum_density", names, 1, titles, "P(k)", 0);
}
