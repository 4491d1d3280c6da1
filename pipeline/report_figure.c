/* report_figure.c - see report_figure.h. One function make_<name> per row of SL_FIGURE_LIST. */
#include "pipeline/report_figure.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/report_plot.h"

enum { Q_MAX = 12, CURVES_MAX = 200, JOINT_BINS = 80 };

const struct sl_figure sl_figures[SL_FIGURES] = {
#define FIGURE_ROW(name, section, title, about) {#name, title, about, SL_SECTION_##section},
    SL_FIGURE_LIST(FIGURE_ROW)};

/* One figure in the making. */
struct draw {
    const struct sl_report *r;
    char folder[PATH_MAX]; /* report/figures */
    int group;
    char name[64];
    struct sl_buffer script; /* what comes after the preamble */
    char *missing;           /* why there is no figure */
};

/* Values and errors of q quantities against x: data[column][row], columns x, v0, e0, v1, e1 ... */
struct series {
    long rows;
    int q;
    double *data; /* owned */
};

static double *column(const struct series *s, int c)
{
    return s->data + (size_t)c * (size_t)s->rows;
}

static double *value(const struct series *s, int q)
{
    return column(s, 1 + 2 * q);
}

static double *error(const struct series *s, int q)
{
    return column(s, 2 + 2 * q);
}

static int no_figure(struct draw *d, const char *fmt, ...) SL_PRINTF(2, 3);
static int no_figure(struct draw *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->missing, sizeof((struct sl_drawings *)0)->missing[0][0], fmt, args);
    va_end(args);
    return SL_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static const struct sl_report_group *group_of(const struct draw *d)
{
    return &d->r->group[d->group];
}

/* Takes x, q values and, in files of the ensemble, errors out of a table. */
static int series_fill(struct series *s, const struct sl_csv *t, const char *x,
                       const char *const *names, int q, bool ensemble)
{
    *s = (struct series){.rows = t->rows, .q = q};
    s->data = calloc((size_t)t->rows + 1, (1 + 2 * (size_t)q) * sizeof *s->data);
    SL_CHECK(s->data, SL_EMEM, "no memory for a figure");
    for (int c = 0; c <= 2 * q; c++) {
        char name[80];
        bool is_error = c && c % 2 == 0;
        snprintf(name, sizeof name, "%s%s", c ? names[(c - 1) / 2] : x,
                 c && ensemble ? (is_error ? "_error" : "_mean") : "");
        int from = is_error && !ensemble ? -1 : sl_csv_column(t, name);
        for (long i = 0; i < t->rows; i++)
            column(s, c)[i] = is_error && !ensemble ? 0 : sl_csv_number(t, i, from);
    }
    return SL_OK;
}

/* Reads <base>[_NNNN].csv of the ensemble, or without one of the first finished member. Leaves
 * s->rows 0 and says so in d->missing when there is none. */
static int series_read(struct draw *d, const char *base, int snapshot, const char *x,
                       const char *const *names, int q, struct series *s)
{
    char file[80], path[PATH_MAX + 200];
    *s = (struct series){0};
    snprintf(file, sizeof file, snapshot < 0 ? "%s.csv" : "%s_%04d.csv", base, snapshot);
    const struct sl_report_group *g = group_of(d);
    if (!*g->dir && g->first < 0) return no_figure(d, "no member has statistics yet");
    if (*g->dir)
        snprintf(path, sizeof path, "%s/%s/%s", d->r->dir, g->dir, file);
    else
        snprintf(path, sizeof path, "%s/members/%s/stats/%s", d->r->dir, d->r->member[g->first].id,
                 file);
    struct sl_csv t;
    if (access(path, F_OK)) return no_figure(d, "%s was not measured", base);
    if (sl_csv_read(&t, path, SL_CSV_NAMED)) return no_figure(d, "%s", sl_error_text());
    int code = series_fill(s, &t, x, names, q, *g->dir != '\0');
    bool empty = !code && (!s->rows || isnan(column(s, 0)[0]) || isnan(value(s, 0)[0]));
    if (empty) no_figure(d, "%s holds no %s", file, names[0]);
    if (code || empty) {
        free(s->data);
        *s = (struct series){0};
    }
    sl_csv_release(&t);
    return code;
}

static int last_snapshot(const struct sl_report *r)
{
    return r->snapshots ? r->snapshot[r->snapshots - 1] : 0;
}

/* ---- writing -------------------------------------------------------------------------------- */

static int file_write(const struct draw *d, const struct sl_buffer *t, const char *suffix)
{
    char path[SL_PATH_MAX];
    SL_TRY(sl_disk_join(path, "%s/%s%s", d->folder, d->name, suffix));
    return sl_buffer_write(t, path);
}

/* <name><suffix>: x, then value, value - error, value + error of each quantity. On a logarithmic
 * axis the lower end stays above zero. */
static int series_write(const struct draw *d, const struct series *s, const char *suffix,
                        const char *x, const char *const *names, bool logarithmic)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "%s", x);
    for (int q = 0; q < s->q; q++)
        sl_buffer_add(&t, ",%s,%s_lo,%s_hi", names[q], names[q], names[q]);
    for (long i = 0; i < s->rows; i++) {
        sl_buffer_add(&t, "\n%.10g", column(s, 0)[i]);
        for (int q = 0; q < s->q; q++) {
            double v = value(s, q)[i], e = error(s, q)[i], lo = v - e;
            if (logarithmic) lo = fmax(lo, 1e-3 * v);
            sl_buffer_add(&t, ",%.10g,%.10g,%.10g", v, lo, v + e);
        }
    }
    sl_buffer_add(&t, "\n");
    int code = file_write(d, &t, suffix);
    sl_buffer_release(&t);
    return code;
}

/* The same curve of the campaign to compare with, <name>_against.csv, as a dashed line at the end of
 * the plot command; nothing when it has none. */
static int against_add(struct draw *d, const char *base, const char *x, const char *quantity)
{
    char missing[256] = "";
    struct draw other = {.r = d->r->against, .missing = missing};
    struct series s;
    other.group = sl_report_counterpart(d->r, d->group);
    if (other.group < 0) return SL_OK;
    int snapshot = strcmp(base, "decay") ? last_snapshot(other.r) : -1;
    SL_TRY(series_read(&other, base, snapshot, x, &quantity, 1, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, "_against.csv", x, &quantity, false);
    sl_buffer_add(&d->script,
                  ", \\\n  '%s_against.csv' using 1:2 with lines dt 2 lw 1.8 lc rgb warm title "
                  "\"the other campaign\"",
                  d->name);
    free(s.data);
    return code;
}

/* One member's curve as lines "id,x,y", ended by an empty line, which breaks the drawn line. */
static void curve_add(const struct draw *d, struct sl_buffer *t, const char *id, const char *x,
                      const char *y)
{
    char path[PATH_MAX + 200];
    struct sl_csv table;
    snprintf(path, sizeof path, "%s/members/%s/stats/decay.csv", d->r->dir, id);
    if (sl_csv_read(&table, path, SL_CSV_NAMED)) return;
    int cx = sl_csv_column(&table, x), cy = sl_csv_column(&table, y);
    for (long i = 0; i < table.rows; i++)
        sl_buffer_add(t, "%s,%.10g,%.10g\n", id, sl_csv_number(&table, i, cx),
                      sl_csv_number(&table, i, cy));
    sl_buffer_add(t, "\n");
    sl_csv_release(&table);
}

/* <name>_members.csv; *curves is the number of members in it. */
static int curves_write(const struct draw *d, const char *x, const char *y, int *curves)
{
    struct sl_buffer t = {0};
    *curves = 0;
    sl_buffer_add(&t, "member,%s,%s\n", x, y);
    for (int i = 0; i < d->r->members && *curves < CURVES_MAX; i++) {
        size_t before = t.n;
        const struct sl_report_member *m = &d->r->member[i];
        if (m->group == d->group && m->summary.rows) curve_add(d, &t, d->r->member[i].id, x, y);
        *curves += t.n > before + 1;
    }
    int code = file_write(d, &t, "_members.csv");
    sl_buffer_release(&t);
    return code;
}

/* ---- against time --------------------------------------------------------------------------- */

static void time_label(struct draw *d)
{
    const char *unit = sl_report_key(sl_report_first(d->r), "time.unit");
    sl_buffer_add(&d->script, "set xlabel \"time %s\"\n",
                  !strcmp(unit, "crossing") ? "(crossing times)" : "(code units)");
}

static void band_add(struct draw *d, int curves, const char *mean)
{
    if (curves > 1)
        sl_buffer_add(&d->script,
                      "plot '%s_members.csv' using 2:3 with lines lc rgb faint lw 0.9 title "
                      "\"members\", \\\n",
                      d->name);
    else
        sl_buffer_add(&d->script, "plot ");
    sl_buffer_add(&d->script,
                  "  '%s.csv' using 1:3:4 with filledcurves fs transparent solid 0.25 noborder lc "
                  "rgb accent notitle, \\\n"
                  "  '%s.csv' using 1:2 with lines lw 2 lc rgb accent title \"%s\"",
                  d->name, d->name, mean);
}

static const char *mean_title(const struct draw *d)
{
    return *group_of(d)->dir ? "mean" : "member";
}

static int time_figure(struct draw *d, const char *quantity, const char *label)
{
    struct series s;
    int curves = 0;
    SL_TRY(series_read(d, "decay", -1, "time_unit", &quantity, 1, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, ".csv", "time_unit", &quantity, false);
    if (!code) code = curves_write(d, "time_unit", quantity, &curves);
    time_label(d);
    sl_buffer_add(&d->script, "set ylabel \"%s\"\n", label);
    band_add(d, curves, mean_title(d));
    if (!code) code = against_add(d, "decay", "time_unit", quantity);
    free(s.data);
    return code;
}

static int make_energy(struct draw *d)
{
    sl_buffer_add(&d->script, "set yrange [0:*]\n");
    return time_figure(d, "kinetic_energy_ratio", "E_K / E_K(0)");
}

static int make_mach(struct draw *d)
{
    sl_buffer_add(&d->script, "set yrange [0:*]\n");
    return time_figure(d, "mach_rms", "rms Mach number");
}

static int make_thermal(struct draw *d)
{
    sl_buffer_add(&d->script, "set key bottom right\n");
    return time_figure(d, "thermal_energy", "E_{th}");
}

static int make_magnetic(struct draw *d)
{
    sl_buffer_add(&d->script, "set yrange [0:*]\n");
    return time_figure(d, "magnetic_energy_ratio", "E_B / E_K(0)");
}

static int make_balance(struct draw *d)
{
    static const char *const names[] = {"driving_energy", "dissipated_energy", "kinetic_energy"};
    static const char *const titles[] = {"work", "dissipated", "E_K"}, *const ink[] = {"soft",
                                                                                       "warm",
                                                                                       "accent"};
    struct series s;
    SL_TRY(series_read(d, "decay", -1, "time_unit", names, 3, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, ".csv", "time_unit", names, false);
    time_label(d);
    sl_buffer_add(&d->script, "set ylabel \"energy\"\nset key top left\nplot ");
    for (int q = 0; q < 3; q++)
        sl_buffer_add(
            &d->script,
            "%s'%s.csv' using 1:%d:%d with filledcurves fs transparent solid 0.25 noborder "
            "lc rgb %s notitle, \\\n  '%s.csv' using 1:%d with lines lw 2 lc rgb %s title "
            "\"%s\"",
            q ? ", \\\n  " : "", d->name, 3 + 3 * q, 4 + 3 * q, ink[q], d->name, 2 + 3 * q, ink[q],
            titles[q]);
    free(s.data);
    return code;
}

/* The power law that ends where the mean ends. */
static void law_add(struct draw *d, const struct series *s)
{
    double n, n_error;
    sl_report_mean(d->r, d->group, "decay_exponent", &n, &n_error);
    double x = column(s, 0)[s->rows - 1], y = value(s, 0)[s->rows - 1];
    if (!isfinite(n) || !(x > 0) || !(y > 0)) return;
    if (n > 0) n = -n; /* a decay, however its sign is counted */
    sl_buffer_add(
        &d->script,
        ", \\\n  [%.6g:%.6g] %.10g * (x / %.10g)**(%.6g) with lines dt 2 lw 1.6 lc rgb warm "
        "title \"t^{%.2f}\"",
        x / 3, x, y, x, n, n);
}

static int make_decay(struct draw *d)
{
    struct series s;
    const char *quantity = "kinetic_energy_ratio";
    int curves = 0;
    SL_TRY(series_read(d, "decay", -1, "time_unit", &quantity, 1, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, ".csv", "time_unit", &quantity, true);
    if (!code) code = curves_write(d, "time_unit", quantity, &curves);
    time_label(d);
    sl_buffer_add(
        &d->script,
        "set logscale xy\nset xrange [%.6g:%.6g]\nset ylabel \"E_K / E_K(0)\"\n"
        "set yrange [%.4g:1.3]\nset ytics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, "
        "1)\n"
        "set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)\nset key bottom left\n",
        column(&s, 0)[s.rows - 1] / 50, column(&s, 0)[s.rows - 1], 0.5 * value(&s, 0)[s.rows - 1]);
    band_add(d, curves, mean_title(d));
    law_add(d, &s);
    if (!code) code = against_add(d, "decay", "time_unit", quantity);
    free(s.data);
    return code;
}

/* ---- against wave number -------------------------------------------------------------------- */

/* Cells along x of the first member, NAN when unknown. */
static double cells_x(const struct sl_report *r)
{
    return sl_report_list_number(sl_report_key(sl_report_first(r), "mesh.cells"), 0);
}

/* The ground that says how far the spectrum may be trusted. */
static void resolved_add(struct draw *d)
{
    double n = cells_x(d->r);
    if (!(n >= 8)) return;
    static const char rect[] =
        "set object %d rectangle from first 0.8, graph 0 to first %.6g, graph 1 "
        "behind fc rgb %s fs solid noborder\n";
    sl_buffer_add(&d->script, rect, 1, n / 8, "shade");
    if (n / 30 > 0.8) sl_buffer_add(&d->script, rect, 2, n / 30, "deep");
    sl_buffer_add(&d->script,
                  "set label 1 \"N/8\" at first %.6g, graph 0.96 right offset -0.4,0 "
                  "textcolor rgb soft font \",11\"\n",
                  n / 8);
}

static double largest(const struct series *s, int q)
{
    double most = 0;
    for (long i = 0; i < s->rows; i++)
        if (value(s, q)[i] > most) most = value(s, q)[i];
    return most;
}

/* headroom: factor above the largest value. */
static void log_axes(struct draw *d, const struct series *s, double decades, double headroom)
{
    double most = largest(s, 0), least = most;
    for (int q = 0; q < s->q; q++)
        for (long i = 0; i < s->rows; i++)
            if (value(s, q)[i] > 0 && value(s, q)[i] < least) least = value(s, q)[i];
    least = fmax(least, most * pow(10, -decades));
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\nset xrange [0.8:%.6g]\n"
                  "set yrange [%.4g:%.4g]\nset xlabel \"k (2π/L)\"\n"
                  "set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)\n",
                  1.1 * column(s, 0)[s->rows - 1], least / 2, most * headroom);
}

/* Curve j of <name>.csv with its error bars. */
static void curve_bars(struct draw *d, int j, const char *ink, const char *title, bool last)
{
    int c = 2 + 3 * j;
    sl_buffer_add(
        &d->script,
        "  '%s.csv' using 1:%d:(0):($%d-$%d) with vectors nohead lw 1.1 lc rgb %s notitle, "
        "\\\n  '%s.csv' using 1:%d with lines lw 1.8 lc rgb %s title \"%s\"%s",
        d->name, c + 1, c + 2, c + 1, ink, d->name, c, ink, title, last ? "" : ", \\\n");
}

/* ---- curves that may not be there ---- */

struct curve {
    const char *table, *quantity, *suffix, *style, *title;
};

/* One curve against x in a file of its own; one that was not measured is left out. */
static int curve_if_there(struct draw *d, const struct curve *c, const char *x, const char *using,
                          int *drawn)
{
    struct series s;
    SL_TRY(series_read(d, c->table, last_snapshot(d->r), x, &c->quantity, 1, &s));
    *d->missing = '\0';
    if (!s.rows) return SL_OK;
    char suffix[64];
    snprintf(suffix, sizeof suffix, "%s.csv", c->suffix);
    int code = series_write(d, &s, suffix, x, &c->quantity, false);
    sl_buffer_add(&d->script, "%s'%s%s' using %s with %s title \"%s\"",
                  (*drawn)++ ? ", \\\n  " : "plot ", d->name, suffix, using, c->style, c->title);
    free(s.data);
    return code;
}

static int spectrum_figure(struct draw *d, const char *base, const char *const *names, int q,
                           const char *const *titles, const char *label, double headroom)
{
    static const char *const ink[] = {"ink", "accent", "warm"};
    struct series s;
    SL_TRY(series_read(d, base, last_snapshot(d->r), "k", names, q, &s));
    if (!s.rows) return SL_OK;
    if (!(largest(&s, 0) > 0)) no_figure(d, "the spectrum is zero");
    int code = series_write(d, &s, ".csv", "k", names, true);
    log_axes(d, &s, 7, headroom);
    resolved_add(d);
    sl_buffer_add(&d->script, "set ylabel \"%s\"\nset key bottom left\nplot ", label);
    for (int j = 0; j < q; j++)
        curve_bars(d, j, q == 1 ? "accent" : ink[j], titles[j], j == q - 1);
    if (!code) code = against_add(d, base, "k", names[0]);
    free(s.data);
    return code;
}

/* The total of the first snapshot, <name>_start.csv, as a dashed line. */
static int start_add(struct draw *d)
{
    static const char *const names[] = {"total"};
    struct series s;
    if (d->r->snapshots < 2) return SL_OK;
    SL_TRY(series_read(d, "spectrum_velocity", d->r->snapshot[0], "k", names, 1, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, "_start.csv", "k", names, true);
    sl_buffer_add(&d->script,
                  ", \\\n  '%s_start.csv' using 1:2 with lines dt 2 lw 1.2 lc rgb soft title "
                  "\"total, start\"",
                  d->name);
    free(s.data);
    return code;
}

static int make_spectrum(struct draw *d)
{
    static const char *const names[] = {"total", "solenoidal", "compressive"};
    SL_TRY(spectrum_figure(d, "spectrum_velocity", names, 3, names, "E(k)", 15));
    return *d->missing ? SL_OK : start_add(d);
}

static int make_energy_spectrum(struct draw *d)
{
    static const char *const names[] = {"total", "solenoidal", "compressive"};
    return spectrum_figure(d, "spectrum_energy", names, 3, names, "E(k) of ρ^{1/2} v", 2);
}

static int make_magnetic_spectrum(struct draw *d)
{
    static const char *const names[] = {"total"}, *const titles[] = {""};
    return spectrum_figure(d, "spectrum_magnetic", names, 1, titles, "E(k) of B", 2);
}

static int make_density_spectrum(struct draw *d)
{
    static const char *const names[] = {"total"}, *const titles[] = {""};
    return spectrum_figure(d, "spectrum_density", names, 1, titles, "P(k)", 2);
}

/* Measured over input of one species of a member's start, "k,ratio,low,high"; without the file nothing. */
static int start_ratio(struct draw *d, const char *species, double *first, double *last)
{
    char path[PATH_MAX + 200], suffix[40];
    struct sl_csv t;
    struct sl_buffer out = {0};
    const char *id = d->r->member[group_of(d)->first].id;
    snprintf(path, sizeof path, "%s/members/%s/spectrum_%s.csv", d->r->dir, id, species);
    if (access(path, F_OK) || sl_csv_read(&t, path, SL_CSV_NAMED)) return SL_OK;
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
    int code = file_write(d, &out, suffix);
    sl_buffer_release(&out);
    return code;
}

static int make_start_power(struct draw *d)
{
    double gas = 0, dark = 0, first = 0;
    if (group_of(d)->first < 0) return no_figure(d, "no member is done yet");
    SL_TRY(start_ratio(d, "gas", &first, &gas));
    SL_TRY(start_ratio(d, "dark_matter", &first, &dark));
    if (!(gas > 0)) return no_figure(d, "there is no spectrum_gas.csv beside ic.h5");
    sl_buffer_add(&d->script,
                  "set logscale x\nset xlabel \"k (h/Mpc)\"\nset ylabel \"measured / input\"\n"
                  "set yrange [0.8:1.2]\nset xrange [%.6g:%.6g]\nset object 1 rectangle from first "
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

static bool in_megaparsecs(const struct draw *d)
{
    return !strcmp(sl_report_key(sl_report_first(d->r), "problem"), "cosmology");
}

static int make_matter_power(struct draw *d)
{
    static const struct curve curves[] = {
        {"matter_gas", "power", "_gas", "lines lw 1.8 lc rgb accent", "gas"},
        {"matter_particles", "power", "_particles", "lines lw 1.8 lc rgb warm", "particles"},
        {"matter_cross", "power", "_cross", "lines lw 1.2 lc rgb ink", "gas and particles"},
        {"matter_gas", "input", "_gas_input", "lines lw 1.2 dt 2 lc rgb soft", "input"},
        {"matter_particles", "input", "_particles_input", "lines lw 1.2 dt 2 lc rgb soft", ""}};
    int drawn = 0;
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\nset xlabel \"k (%s)\"\n"
                  "set ylabel \"P(k) (%s)\"\nset key bottom left\n",
                  in_megaparsecs(d) ? "h/Mpc" : "1/length",
                  in_megaparsecs(d) ? "Mpc^3/h^3" : "length^3");
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++)
        SL_TRY(curve_if_there(d, &curves[i], "k", "1:2", &drawn));
    return drawn ? SL_OK : no_figure(d, "the power of matter was not measured");
}

static int make_sigma(struct draw *d)
{
    static const struct curve curves[] = {
        {"sigma_gas", "sigma", "_gas", "lines lw 1.8 lc rgb accent", "gas"},
        {"sigma_particles", "sigma", "_particles", "lines lw 1.8 lc rgb warm", "particles"},
        {"sigma_gas", "input", "_gas_input", "lines lw 1.2 dt 2 lc rgb soft", "input"},
        {"sigma_particles", "input", "_particles_input", "lines lw 1.2 dt 2 lc rgb soft", ""}};
    int drawn = 0;
    sl_buffer_add(
        &d->script,
        "set logscale xy\nset autoscale xfix\nset format y \"%%g\"\nset xlabel \"R (%s)\"\n"
        "set ylabel \"σ(R)\"\n",
        in_megaparsecs(d) ? "Mpc/h" : "length");
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++)
        SL_TRY(curve_if_there(d, &curves[i], "r", "1:2", &drawn));
    return drawn ? SL_OK : no_figure(d, "the power of gas or particles was not measured");
}

static int make_correlation(struct draw *d)
{
    static const struct curve curves[] = {
        {"correlation_gas", "xi", "_gas", "lines lw 1.8 lc rgb accent", "gas"},
        {"correlation_particles", "xi", "_particles", "lines lw 1.8 lc rgb warm", "particles"},
        {"correlation_cross", "xi", "_cross", "lines lw 1.2 lc rgb ink", "gas and particles"}};
    int drawn = 0;
    const char *length = in_megaparsecs(d) ? "Mpc/h" : "length";
    sl_buffer_add(&d->script,
                  "set xlabel \"r (%s)\"\nset ylabel \"r^2 ξ(r) (%s)^2\"\n"
                  "set xzeroaxis\nset lmargin 10\n",
                  length, length);
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++)
        SL_TRY(curve_if_there(d, &curves[i], "r", "1:($1**2*$2)", &drawn));
    return drawn ? SL_OK : no_figure(d, "statistics.matter asks for no correlation");
}

/* Multiplies quantity q by k^power and divides by its mean for k up to kmax. */
static void compensate(struct series *s, int q, double power, double kmax)
{
    double sum = 0, n = 0;
    for (long i = 0; i < s->rows; i++) {
        double k = column(s, 0)[i], f = pow(k, power);
        value(s, q)[i] *= f;
        error(s, q)[i] *= f;
        if (k <= kmax && isfinite(value(s, q)[i])) sum += value(s, q)[i], n++;
    }
    for (long i = 0; i < s->rows && sum > 0; i++) {
        value(s, q)[i] *= n / sum;
        error(s, q)[i] *= n / sum;
    }
}

static int make_compensated(struct draw *d)
{
    static const char *const from[] = {"total", "total"};
    static const char *const names[] = {"k2_total", "k53_total"};
    struct series s;
    SL_TRY(series_read(d, "spectrum_velocity", last_snapshot(d->r), "k", from, 2, &s));
    if (!s.rows) return SL_OK;
    double n = cells_x(d->r), kmax = n >= 16 ? n / 8 : column(&s, 0)[s.rows - 1];
    compensate(&s, 0, 2, kmax);
    compensate(&s, 1, 5.0 / 3, kmax);
    int code = series_write(d, &s, ".csv", "k", names, true);
    log_axes(d, &s, 2, 3);
    resolved_add(d);
    sl_buffer_add(
        &d->script,
        "set ylabel \"E(k) k^p / mean\"\nset key bottom left\n"
        "set format y \"%%g\"\nset ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)\nplot ");
    curve_bars(d, 0, "accent", "p = 2", false);
    curve_bars(d, 1, "warm", "p = 5/3", true);
    free(s.data);
    return code;
}

enum { SHELLS_DRAWN = 48 }; /* a box for each pair */

static long shells_drawn(const struct sl_csv *covariance)
{
    return covariance->rows < SHELLS_DRAWN ? covariance->rows : SHELLS_DRAWN;
}

/* <name>.csv: two shells and their correlation. */
static int correlations_write(const struct draw *d, const struct sl_csv *covariance)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "shell,other,correlation\n");
    for (long i = 0; i < shells_drawn(covariance); i++)
        for (long j = 0; j < shells_drawn(covariance); j++) {
            double size =
                sqrt(sl_csv_number(covariance, i, (int)i) * sl_csv_number(covariance, j, (int)j));
            if (size > 0)
                sl_buffer_add(&t, "%ld,%ld,%.6g\n", i + 1, j + 1,
                              sl_csv_number(covariance, i, (int)j) / size);
        }
    int code = file_write(d, &t, ".csv");
    sl_buffer_release(&t);
    return code;
}

/* The covariance of the ensemble that there is: false without one. */
static bool covariance_read(const struct draw *d, struct sl_csv *out)
{
    static const char *const of[] = {"matter_gas", "matter_particles", "velocity"};
    for (int i = 0; i < 3 && *group_of(d)->dir; i++) {
        char path[PATH_MAX + 200];
        snprintf(path, sizeof path, "%s/%s/covariance_%s_%04d.csv", d->r->dir, group_of(d)->dir,
                 of[i], last_snapshot(d->r));
        if (!access(path, F_OK) && !sl_csv_read(out, path, SL_CSV_MATRIX)) return true;
    }
    return false;
}

static int make_shells(struct draw *d)
{
    struct sl_csv covariance;
    if (!covariance_read(d, &covariance)) return no_figure(d, "no covariance was made");
    int code = correlations_write(d, &covariance);
    sl_buffer_add(&d->script,
                  "set xlabel \"shell, k in 2π/L\"\nset ylabel \"shell\"\nunset key\n"
                  "set xrange [0.5:%ld.5]\nset yrange [0.5:%ld.5]\nset size ratio 1\n"
                  "set palette defined (-1 warm, 0 shade, 1 accent)\nset cbrange [-1:1]\n"
                  "set style fill solid noborder\n"
                  "plot '%s.csv' using 1:2:(0.5):(0.5):3 with boxxyerror lc palette",
                  shells_drawn(&covariance), shells_drawn(&covariance), d->name);
    sl_csv_release(&covariance);
    return code;
}

/* ---- gas ------------------------------------------------------------------------------------ */

/* Range of x where any of the quantities is above `share` of the largest. */
static void x_range(struct draw *d, const struct series *s, double share)
{
    double lo = INFINITY, hi = -INFINITY;
    for (long i = 0; i < s->rows; i++)
        for (int q = 0; q < s->q; q++)
            if (value(s, q)[i] > share * largest(s, q)) {
                lo = fmin(lo, column(s, 0)[i]);
                hi = fmax(hi, column(s, 0)[i]);
            }
    if (lo < hi) sl_buffer_add(&d->script, "set xrange [%.6g:%.6g]\n", lo, hi);
}

static int make_pdf(struct draw *d)
{
    static const char *const names[] = {"volume", "mass", "lognormal", "hopkins"};
    struct series s;
    SL_TRY(series_read(d, "pdf_density", last_snapshot(d->r), "s", names, 4, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, ".csv", "s", names, true);
    x_range(d, &s, 1e-4);
    double most = fmax(largest(&s, 0), largest(&s, 1));
    sl_buffer_add(
        &d->script,
        "set logscale y\nset format y \"10^{%%T}\"\nset yrange [%.4g:%.4g]\n"
        "set xlabel \"s = ln(ρ/⟨ρ⟩)\"\nset ylabel \"p(s)\"\n"
        "set key top left\nplot '%s.csv' using 1:8 with lines dt 2 lw 1.4 lc rgb soft title "
        "\"log-normal\", \\\n  '%s.csv' using 1:11 with lines dt 3 lw 1.4 lc rgb ink title "
        "\"Hopkins\", \\\n",
        most * 1e-4, most * 60, d->name, d->name);
    curve_bars(d, 0, "accent", "by volume", false);
    curve_bars(d, 1, "warm", "by mass", true);
    if (!code) code = against_add(d, "pdf_density", "s", names[0]);
    free(s.data);
    return code;
}

static int make_dispersion(struct draw *d)
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
    int code = file_write(d, &t, ".csv");
    sl_buffer_release(&t);
    if (!n) return no_figure(d, "no member has both mach_rms_end and density_sigma");
    sl_buffer_add(&d->script,
                  "set xlabel \"rms Mach number\"\nset ylabel \"σ of ln ρ\"\n"
                  "set key bottom right\nstats '%s.csv' using 2 nooutput\n"
                  "set xrange [0:1.4 * STATS_max]\nset yrange [0:*]\n"
                  "f(x, b) = sqrt(log(1 + (b * x)**2))\n"
                  "plot f(x, 1) with lines dt 3 lw 1.4 lc rgb soft title \"b = 1\", \\\n"
                  "  f(x, 0.4) with lines dt 2 lw 1.4 lc rgb soft title \"b = 0.4\", \\\n"
                  "  f(x, 1.0 / 3) with lines lw 1.4 lc rgb soft title \"b = 1/3\", \\\n"
                  "  '%s.csv' using 2:3 with points pt 7 ps 0.7 lc rgb accent title \"members\"",
                  d->name, d->name);
    return code;
}

/* Orders 1 to 6 of one kind, and of a second one (dashed) when q is 12. */
static int structure_figure(struct draw *d, const char *base, const char *const *names, int q,
                            const char *label)
{
    struct series s;
    SL_TRY(series_read(d, base, last_snapshot(d->r), "lag", names, q, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, ".csv", "lag", names, true);
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\nset xlabel \"separation l (L)\"\n"
                  "set ylabel \"%s\" offset 0.5,0\nset rmargin 5\n",
                  label);
    double x = column(&s, 0)[s.rows - 1];
    for (int p = 0; p < 6; p++)
        if (value(&s, p)[s.rows - 1] > 0)
            sl_buffer_add(&d->script,
                          "set label %d \"p=%d\" at %.6g, %.6g offset 0.6,0 textcolor rgb soft "
                          "font \",11\"\n",
                          p + 1, p + 1, x, value(&s, p)[s.rows - 1]);
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

static int make_structure(struct draw *d)
{
    return structure_figure(d, "structure_velocity", velocity_orders, Q_MAX, "S_p(l)");
}

static int make_structure_density(struct draw *d)
{
    static const char *const names[] = {"order_1", "order_2", "order_3",
                                        "order_4", "order_5", "order_6"};
    return structure_figure(d, "structure_density", names, 6, "S_p(l) of ρ/⟨ρ⟩");
}

/* Order 2 of what there is: velocity, or else density. */
static int make_structure_directions(struct draw *d)
{
#define ALONG(table, quantity, style, title)                                                       \
    {                                                                                              \
        table, quantity, "_" table "_" quantity, "lines lw 1.6 " style, title                      \
    }
    static const struct curve curves[] = {
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
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"%%g\"\nset xlabel \"separation l (L)\"\n"
                  "set ylabel \"S_2(l)\"\nset key bottom right\n");
    for (int i = 0; i < ALL && (i < VELOCITY || !drawn || i % 3); i++)
        SL_TRY(curve_if_there(d, &curves[i], "lag", "1:2", &drawn));
    return drawn ? SL_OK : no_figure(d, "no structure function was measured");
}

/* ---- exponents ---- */

enum { ORDERS = 6 };

/* The shells 3 .. N/8, or those of statistics.fit, as lengths L / k. */
static void resolved_lengths(const struct draw *d, double *from, double *to)
{
    const struct sl_report_member *m = sl_report_first(d->r);
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

/* Least squares of ln y against ln x: the slope, and its standard error from the scatter about the line. */
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

/* Exponents over that of order 3, of the rows first .. first + n of orders 1 to 6 along and across: extended
 * self-similarity (Benzi et al. 1993). */
static int exponents_write(struct draw *d, const struct series *s, long first, long n)
{
    static const char *const names[] = {"along", "across"};
    double data[ORDERS * 5];
    struct series out = {.rows = ORDERS, .q = 2, .data = data};
    for (int i = 0; i < 2 * ORDERS; i++) {
        int kind = i / ORDERS, p = i % ORDERS;
        column(&out, 0)[p] = p + 1;
        log_slope(n, value(s, kind * ORDERS + 2) + first, value(s, i) + first,
                  value(&out, kind) + p, error(&out, kind) + p);
    }
    return series_write(d, &out, ".csv", "order", names, false);
}

static int make_structure_exponents(struct draw *d)
{
    struct series s;
    SL_TRY(series_read(d, "structure_velocity", last_snapshot(d->r), "lag", velocity_orders, Q_MAX,
                       &s));
    if (!s.rows) return SL_OK;
    double from, to;
    resolved_lengths(d, &from, &to);
    long first = 0, n = 0;
    while (first < s.rows && !(column(&s, 0)[first] >= from * (1 - 1e-9)))
        first++;
    while (first + n < s.rows && column(&s, 0)[first + n] <= to * (1 + 1e-9))
        n++;
    int code = SL_OK;
    if (n < 3)
        no_figure(d, "%ld lags lie between %.4g and %.4g; exponents need 3", n, from, to);
    else
        code = exponents_write(d, &s, first, n);
    free(s.data);
    sl_buffer_add(
        &d->script,
        "set xlabel \"order p\"\nset ylabel \"ζ_p / ζ_3\"\nset key top left\n"
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
static int joint_sum(const struct draw *d, int member, const char *of, double *sum, int *members)
{
    char path[PATH_MAX + 200];
    struct sl_csv t;
    snprintf(path, sizeof path, "%s/members/%s/stats/joint_density_%s_%04d.csv", d->r->dir,
             d->r->member[member].id, of, last_snapshot(d->r));
    if (access(path, F_OK) || sl_csv_read(&t, path, SL_CSV_MATRIX)) return SL_OK;
    bool fits = t.rows == JOINT_BINS && t.columns == JOINT_BINS;
    for (int i = 0; fits && i < JOINT_BINS * JOINT_BINS; i++)
        sum[i] += sl_csv_number(&t, i / JOINT_BINS, i % JOINT_BINS);
    *members += fits;
    sl_csv_release(&t);
    return SL_OK;
}

/* <name>.csv: x, y and the share of each bin; lines of one y together. */
static int joint_write(const struct draw *d, const double *sum, int members)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "log_density,log_other,share\n");
    for (int i = 0; i < JOINT_BINS * JOINT_BINS; i++)
        if (sum[i] > 0)
            sl_buffer_add(&t, "%.4g,%.4g,%.6g\n", -4 + 0.1 * (i % JOINT_BINS + 0.5),
                          -4 + 0.1 * (i / JOINT_BINS + 0.5), sum[i] / members);
    int code = file_write(d, &t, ".csv");
    sl_buffer_release(&t);
    return code;
}

static int joint_figure(struct draw *d, const char *of, const char *label, const char *lines)
{
    double *sum = calloc((size_t)JOINT_BINS * JOINT_BINS, sizeof *sum), most = 0;
    SL_CHECK(sum, SL_EMEM, "no memory for a figure");
    int members = 0, code = SL_OK;
    for (int m = 0; m < d->r->members && code == SL_OK; m++)
        if (d->r->member[m].group == d->group) code = joint_sum(d, m, of, sum, &members);
    if (code == SL_OK && !members) no_figure(d, "no member has a joint distribution with %s", of);
    if (code == SL_OK && members) code = joint_write(d, sum, members);
    for (int i = 0; i < JOINT_BINS * JOINT_BINS && members; i++)
        most = fmax(most, sum[i] / members);
    if (members && !(most > 0)) no_figure(d, "all of the volume lies outside of the bins");
    free(sum);
    sl_buffer_add(&d->script,
                  "set xlabel \"log_{10} ρ/⟨ρ⟩\"\nset ylabel \"%s\"\nunset key\nset palette "
                  "defined (0 deep, 1 accent)\nunset colorbox\nset logscale cb\n"
                  "set cbrange [%.4g:%.4g]\nset boxwidth 0.1\nset style fill solid noborder\n"
                  "plot '%s.csv' using 1:2:(0.05):(0.05):3 with boxxyerror lc palette%s",
                  label, 1e-4 * most, most, d->name, lines);
    return code;
}

static int make_joint_speed(struct draw *d)
{
    return joint_figure(d, "speed", "log_{10} |v|/v_{rms}", "");
}

static int make_joint_magnetic(struct draw *d)
{
    return joint_figure(
        d, "magnetic", "log_{10} |B|/B_{rms}",
        ", \\\n  x / 2 with lines dt 2 lc rgb warm, 2 * x / 3 with lines lc rgb warm");
}

static int make_joint_temperature(struct draw *d)
{
    return joint_figure(d, "temperature", "log_{10} T/T_{rms}", "");
}

static int masses_figure(struct draw *d, const char *table, const char *what, const char *key)
{
    static const char *const names[] = {"above"};
    struct series s;
    SL_TRY(series_read(d, table, last_snapshot(d->r), "log_share", names, 1, &s));
    if (!s.rows) return SL_OK;
    int code = series_write(d, &s, ".csv", "log_share", names, false);
    if (!(largest(&s, 0) > 0)) no_figure(d, "there are no %s above %s", what, key);
    long lightest = 0;
    while (lightest + 1 < s.rows && value(&s, 0)[lightest + 1] >= largest(&s, 0))
        lightest++;
    sl_buffer_add(&d->script, "set xrange [%.6g:0]\n",
                  column(&s, 0)[lightest > 0 ? lightest - 1 : 0]);
    sl_buffer_add(&d->script,
                  "set logscale y\nset xlabel \"log_{10} mass / mass of the box\"\n"
                  "set ylabel \"%s above\"\nset yrange [%.4g:%.4g]\nplot ",
                  what, 0.5, 2 * largest(&s, 0) + 1);
    curve_bars(d, 0, "accent", mean_title(d), true);
    free(s.data);
    return code;
}

static int make_clump_masses(struct draw *d)
{
    return masses_figure(d, "clump_masses", "clumps", "statistics.clumps");
}

static int make_leaf_masses(struct draw *d)
{
    return masses_figure(d, "tree_masses", "leaves", "statistics.tree");
}

/* <name>.csv: each node as two points, where it ends and its top, and one of its parent, then an empty line. */
static int tree_write(struct draw *d, const struct sl_csv *t)
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
    sl_buffer_add(&d->script, "set yrange [%.4g:%.4g]\n", 0.9 * low, 1.2 * high);
    int code = file_write(d, &out, ".csv");
    sl_buffer_release(&out);
    return code;
}

static int make_tree(struct draw *d)
{
    const struct sl_report_group *g = group_of(d);
    char path[PATH_MAX + 200];
    struct sl_csv t;
    if (g->first < 0) return no_figure(d, "no member has statistics yet");
    snprintf(path, sizeof path, "%s/members/%s/stats/tree_%04d.csv", d->r->dir,
             d->r->member[g->first].id, last_snapshot(d->r));
    if (access(path, F_OK)) return no_figure(d, "the tree was not made");
    if (sl_csv_read(&t, path, SL_CSV_NAMED)) return no_figure(d, "%s", sl_error_text());
    if (t.rows == 0) no_figure(d, "there are no leaves above statistics.tree");
    int code = tree_write(d, &t);
    sl_buffer_add(&d->script,
                  "set logscale y\nset format y \"%%g\"\nunset xtics\nunset key\n"
                  "set xlabel \"regions\"\nset ylabel \"density\"\nset offsets 1, 1, 0, 0\n"
                  "plot '%s.csv' using 1:2 with lines lw 1.2 lc rgb accent",
                  d->name);
    sl_csv_release(&t);
    return code;
}

/* ---- making --------------------------------------------------------------------------------- */

void sl_figure_name(char name[64], int id, int group)
{
    if (group)
        snprintf(name, 64, "%s_%d", sl_figures[id].name, group + 1);
    else
        snprintf(name, 64, "%s", sl_figures[id].name);
}

/* Whether members give a covariance of power: three of each group, of which chance makes all amplitudes. */
static bool has_covariance(const struct sl_report *r)
{
    const struct sl_report_member *first = sl_report_first(r);
    const char *matter = sl_report_key(first, "statistics.matter"), *velocity = "velocity";
    bool tied = !strcmp(sl_report_key(first, "ic.fixed"), "true") ||
                sl_report_list_number(sl_report_key(first, "ic.low_modes"), 0) > 0;
    bool power = strstr(matter, "gas") || strstr(matter, "particles") ||
                 strstr(sl_report_key(first, "statistics.spectra"), velocity);
    return power && !tied && r->members >= 3 * r->groups;
}

bool sl_figure_applies(const struct sl_report *r, int id)
{
    const struct sl_report_member *first = sl_report_first(r);
    const char *mhd = sl_report_key(first, "fluid.mhd"), *joint = "joint_";
    const char *matter = sl_report_key(first, "statistics.matter"),
               *structure = sl_report_key(first, "statistics.structure");
    bool driven = sl_report_list_number(sl_report_key(first, "driving.power"), 0) > 0 ||
                  sl_report_list_number(sl_report_key(first, "driving.acceleration"), 0) > 0;
    if (id == SL_FIGURE_balance) return driven;
    if (id == SL_FIGURE_shells) return has_covariance(r);
    if (driven && (id == SL_FIGURE_energy || id == SL_FIGURE_decay || id == SL_FIGURE_magnetic))
        return false;
    bool start = !strcmp(sl_report_key(first, "problem"), "cosmology"); /* has one time alone */
    bool later = sl_figures[id].section == SL_SECTION_time || id == SL_FIGURE_compensated;
    if (id == SL_FIGURE_start_power || (start && later)) return start && !later;
    if (id == SL_FIGURE_matter_power) return *matter && strcmp(matter, "[]") != 0;
    if (id == SL_FIGURE_sigma) return strstr(matter, "gas") || strstr(matter, "particles");
    if (id == SL_FIGURE_correlation) return strstr(matter, "correlation");
    if (id == SL_FIGURE_magnetic_spectrum || id == SL_FIGURE_magnetic)
        return *mhd && strcmp(mhd, "none") != 0;
    if (id == SL_FIGURE_structure_exponents) return strstr(structure, "velocity") && !start;
    if (id == SL_FIGURE_structure_density) return strstr(structure, "density");
    if (id == SL_FIGURE_structure_directions) return strstr(structure, "diagonals");
    if (id == SL_FIGURE_clump_masses)
        return sl_report_list_number(sl_report_key(first, "statistics.clumps"), 0) > 0;
    if (id == SL_FIGURE_tree || id == SL_FIGURE_leaf_masses)
        return sl_report_list_number(sl_report_key(first, "statistics.tree"), 0) > 0;
    if (!strncmp(sl_figures[id].name, joint, strlen(joint)))
        return strstr(sl_report_key(first, "statistics.joint"),
                      sl_figures[id].name + strlen(joint));
    return true;
}

static int make(const struct sl_report *r, int id, int group, struct sl_drawings *out)
{
    static int (*const makers[])(struct draw *) = {
#define FIGURE_MAKER(name, section, title, about) make_##name,
        SL_FIGURE_LIST(FIGURE_MAKER)};
    struct draw d = {.r = r, .group = group, .missing = out->missing[group][id]};
    sl_figure_name(d.name, id, group);
    snprintf(d.folder, sizeof d.folder, "%.*s/report/figures", PATH_MAX - 32, r->dir);
    int code = makers[id](&d);
    if (!code && !*d.missing) {
        int drawn = sl_plot_draw(d.folder, d.name, &d.script);
        if (drawn == SL_EUNAVAIL) out->gnuplot = false;
        if (drawn) no_figure(&d, "%s", sl_error_text());
    }
    sl_buffer_release(&d.script);
    return code;
}

int sl_figures_make(const struct sl_report *r, struct sl_drawings *out)
{
    *out = (struct sl_drawings){.gnuplot = true};
    for (int group = 0; group < r->groups && group < SL_GROUPS_DRAWN; group++)
        for (int id = 0; id < SL_FIGURES; id++)
            if (sl_figure_applies(r, id)) SL_TRY(make(r, id, group, out));
    return out->gnuplot ? sl_images_make(r, &out->images) : SL_OK;
}
