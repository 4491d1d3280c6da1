/* time.c - figures of a report against time. */
#include "pipeline/report/draw.h"
#include "pipeline/report/plot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/keys.h"

enum { CURVES_MAX = 200 };
#define WEAK_FIELD 0.1 /* energy over that of the motion: what motion can make more of */

/* One member's curve as lines "id,x,y", ended by an empty line, which breaks the drawn line. */
static int curve_add(const struct sl_draw *d, struct sl_buffer *t, const char *id, const char *x,
                     const char *y)
{
    char path[PATH_MAX + 200];
    struct sl_csv table;
    snprintf(path, sizeof path, "%s/members/%s/stats/decay.csv", d->r->dir, id);
    SL_TRY(sl_csv_try(&table, path, SL_CSV_NAMED));
    if (!table.columns) return SL_OK;
    int cx = sl_csv_column(&table, x), cy = sl_csv_column(&table, y);
    for (long i = 0; i < table.rows; i++)
        sl_buffer_add(t, "%s,%.10g,%.10g\n", id, sl_csv_number(&table, i, cx),
                      sl_csv_number(&table, i, cy));
    sl_buffer_add(t, "\n");
    sl_csv_release(&table);
    return SL_OK;
}

/* <name>_members.csv; *curves is the number of members in it. */
static int curves_write(const struct sl_draw *d, const char *x, const char *y, int *curves)
{
    struct sl_buffer t = {0};
    int code = SL_OK;
    *curves = 0;
    sl_buffer_add(&t, "member,%s,%s\n", x, y);
    for (int i = 0; i < d->r->members && *curves < CURVES_MAX && !code; i++) {
        size_t before = t.n;
        const struct sl_report_member *m = &d->r->member[i];
        if (m->group == d->group && m->summary.rows) code = curve_add(d, &t, m->id, x, y);
        *curves += t.n > before + 1;
    }
    if (!code) code = sl_draw_file(d, &t, "_members.csv");
    sl_buffer_release(&t);
    return code;
}

static void time_label(struct sl_draw *d)
{
    const struct sl_report_member *m = sl_draw_member(d);
    const char *unit = sl_report_key(m, "time.unit");
    sl_buffer_add(&d->script, "set autoscale xfix\n");
    if (sl_report_expands(m))
        sl_buffer_add(&d->script, "set xlabel \"scale factor a\"\nset logscale x\n" SL_DRAW_TICS);
    else if (!strcmp(unit, "crossing"))
        sl_buffer_add(&d->script, "set xlabel \"time (crossing times)\"\n");
    else
        sl_draw_axis(d, 'x', "time", "code time", "code units");
}

static void band_add(struct sl_draw *d, int curves, const char *mean)
{
    if (curves > 1)
        sl_buffer_add(&d->script,
                      "plot '%s_members.csv' using 2:3 with lines lc rgb faint lw 0.9 title "
                      "\"members\", \\\n",
                      d->name);
    else
        sl_buffer_add(&d->script, "plot ");
    if (curves > 1)
        sl_buffer_add(&d->script,
                      "  '%s.csv' using 1:3:4 with filledcurves fs transparent solid 0.25 noborder "
                      "lc rgb accent notitle, \\\n",
                      d->name);
    sl_buffer_add(&d->script, "  '%s.csv' using 1:2 with lines lw 2 lc rgb accent title %s",
                  d->name, sl_plot_text(mean).s);
}

/* Energies of a universe are a^2 times the proper ones, those of peculiar motion. */
static void value_axis(struct sl_draw *d, const char *label, const char *unit)
{
    char grown[64];
    bool universe = sl_report_expands(sl_draw_member(d)) && !strcmp(unit, "code energy");
    const char *otherwise = strncmp(unit, "code ", 5) ? "" : "code units";
    snprintf(grown, sizeof grown, "%s%s", universe ? "a^2 " : "", label);
    sl_draw_axis(d, 'y', grown, unit, universe ? "ρ_m (Mpc/h)^3 (100 km/s)^2" : otherwise);
}

/* unit: of `label`, "1" of a ratio. */
static int titled_figure(struct sl_draw *d, const char *quantity, const char *label,
                         const char *unit, const char *mean)
{
    struct sl_draw_data s;
    int curves = 0;
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", &quantity, 1, &s));
    if (!s.rows) return SL_OK;
    int code = sl_draw_write(d, &s, ".csv", "time_unit", &quantity, false);
    if (!code) code = curves_write(d, "time_unit", quantity, &curves);
    time_label(d);
    value_axis(d, label, unit);
    band_add(d, curves, mean);
    if (curves > 1)
        sl_draw_remark(d, "Thin lines are members; the band is one standard error of the mean.");
    if (!code) code = sl_draw_against(d, "decay", "time_unit", quantity);
    free(s.data);
    return code;
}

static int time_figure(struct sl_draw *d, const char *quantity, const char *label, const char *unit)
{
    return titled_figure(d, quantity, label, unit, sl_draw_mean_title(d));
}

SL_FIGURE(energy, time, "Kinetic energy", a->turbulence && !a->driven,
          "Kinetic energy over its value at the start.")
int sl_make_energy(struct sl_draw *d)
{
    sl_buffer_add(&d->script, "set yrange [0:*]\n");
    return time_figure(d, "kinetic_energy_ratio", "E_K / E_K(0)", "");
}

/* Digits that tell apart the tics of a mean that hardly changes; *level: it does not change by as
 * much as tables of ten digits tell. */
static int digits_add(struct sl_draw *d, const char *quantity, bool *level)
{
    const double told = 1e-6;
    struct sl_draw_data s;
    double low = INFINITY, high = -INFINITY;
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", &quantity, 1, &s));
    for (long i = 0; i < s.rows; i++) {
        low = fmin(low, sl_draw_value(&s, 0)[i]);
        high = fmax(high, sl_draw_value(&s, 0)[i]);
    }
    if (s.rows) sl_draw_digits(d, low, high);
    *level = s.rows && !(high - low > told * fmax(fabs(low), fabs(high)));
    free(s.data);
    return SL_OK;
}

/* *there: a column of the history is above zero at some time. MHD may go without a field. */
static int is_there(struct sl_draw *d, const char *quantity, bool *there)
{
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", &quantity, 1, &s));
    *d->missing = '\0';
    *there = sl_draw_largest(&s, 0) > 0;
    free(s.data);
    return SL_OK;
}

/* The Alfven Mach number beside it. */
static int alfven_add(struct sl_draw *d)
{
    static const char *const names[] = {"alfven_mach"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", names, 1, &s));
    int code = sl_draw_write(d, &s, "_alfven.csv", "time_unit", names, false);
    sl_draw_remark(d, "Alfvén's is √(E_K/E_B).");
    sl_buffer_add(&d->script,
                  ", \\\n  '%s_alfven.csv' using 1:3:4 with filledcurves fs transparent solid 0.25 "
                  "noborder lc rgb warm notitle, \\\n"
                  "  '%s_alfven.csv' using 1:2 with lines lw 2 dt 2 lc rgb warm title \"Alfvén's\"",
                  d->name, d->name);
    free(s.data);
    return code;
}

SL_FIGURE(mach, time, "Mach number", a->turbulence || (a->universe && a->expands && a->gas),
          "Volume-weighted rms Mach number.")
int sl_make_mach(struct sl_draw *d)
{
    bool field; /* one of MHD may be zero */
    SL_TRY(is_there(d, "alfven_mach", &field));
    const char *mean = sl_draw_mean_title(d);
    sl_buffer_add(&d->script, sl_report_expands(sl_draw_member(d))
                                  ? "set logscale y\nset format y \"10^{%%T}\"\n"
                                  : "set yrange [0:*]\n");
    SL_TRY(titled_figure(d, "mach_rms", "rms Mach number", "", field && !*mean ? "sonic" : mean));
    return *d->missing || !field ? SL_OK : alfven_add(d);
}

/* Whether something but the box's own motion and field changes its heat. */
static bool heat_from_outside(const struct sl_report_member *m)
{
    static const char *const rates[] = {"gravity.four_pi_g", "cooling.rate", "cooling.heating"};
    const char *potential = sl_report_key(m, "potential.kind");
    bool any = (*potential && strcmp(potential, "none") != 0) ||
               strpbrk(sl_report_key(m, "gravity.acceleration"), "123456789") ||
               *sl_report_key(m, "cooling.table");
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        any |= sl_report_list_number(sl_report_key(m, rates[i]), 0) > 0;
    return any;
}

/* What becomes heat in a closed box. */
static int heat_note(struct sl_draw *d)
{
    struct sl_asked a;
    bool field;
    sl_figure_ask(d->r, &a);
    if (!a.closed || a.driven || a.expands || heat_from_outside(a.member)) return SL_OK;
    SL_TRY(is_there(d, "magnetic_energy", &field));
    snprintf(d->note, sizeof d->note, "In a closed box the gas gains what its motion %s.",
             field ? "and the field lose" : "loses");
    return SL_OK;
}

SL_FIGURE(thermal, time, "Thermal energy",
          a->energies && a->gas && !a->isothermal && !a->bound && !a->flows,
          "Thermal energy of the box.")
int sl_make_thermal(struct sl_draw *d)
{
    bool level = false;
    if (sl_report_expands(sl_draw_member(d))) /* it rises by decades */
        sl_buffer_add(&d->script, "set logscale y\nset format y \"10^{%%T}\"\n");
    else
        SL_TRY(digits_add(d, "thermal_energy", &level));
    if (level) return sl_draw_skip(d);
    SL_TRY(heat_note(d));
    if (sl_report_expands(sl_draw_member(d)))
        sl_draw_remark(d, "ρ_m: mean density of matter today.");
    return time_figure(d, "thermal_energy", "E_{th}", "code energy");
}

SL_FIGURE(magnetic, time, "Magnetic energy",
          a->energies && a->field && !a->driven && !a->bound && !a->flows,
          "Energy of the magnetic field.")
int sl_make_magnetic(struct sl_draw *d)
{
    const char *ratio = "magnetic_energy_ratio";
    struct sl_draw_data s;
    struct sl_asked a;
    bool field;
    SL_TRY(is_there(d, "magnetic_energy", &field));
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", &ratio, 1, &s));
    if (!s.rows) return SL_OK;
    sl_figure_ask(d->r, &a);
    bool moved = sl_draw_largest(&s, 0) > 0,
         weak = a.turbulence && sl_draw_value(&s, 0)[0] < WEAK_FIELD;
    free(s.data);
    if (!field) return sl_draw_skip(d);
    sl_buffer_add(&d->script, "set yrange [0:*]\n");
    if (!moved || !a.turbulence) return time_figure(d, "magnetic_energy", "E_B", "code energy");
    snprintf(d->note, sizeof d->note, "Over the kinetic energy at the start%s.",
             weak ? " (as in Wang, Abel & Kaehler 2010, fig. 10): a weak field first grows, then "
                    "decays with the motion"
                  : "");
    return time_figure(d, ratio, "E_B / E_K(0)", "");
}

/* ---- energies in gravity or a potential ---- */

enum { BUDGET_KINETIC, BUDGET_THERMAL, BUDGET_MAGNETIC, BUDGET_POTENTIAL, BUDGET_ALL, BUDGET };

/* Whether a column has more than zeros. */
static bool is_some(const struct sl_draw_data *s, int q)
{
    for (long i = 0; i < s->rows; i++)
        if (fabs(sl_draw_value(s, q)[i]) > 0) return true;
    return false;
}

static void budget_plot(struct sl_draw *d, const struct sl_draw_data *s, bool isothermal)
{
    static const char *const titles[BUDGET] = {"kinetic", "thermal", "magnetic", "potential",
                                               "all"};
    static const char *const styles[BUDGET] = {"lw 1.8 lc rgb accent", "lw 1.8 lc rgb warm",
                                               "lw 1.8 lc rgb gold", "lw 1.8 lc rgb ink",
                                               "lw 1.6 dt 2 lc rgb soft"};
    int drawn = 0;
    for (int q = 0; q < BUDGET; q++) {
        if (!is_some(s, q) || (q == BUDGET_ALL && isothermal)) continue;
        sl_buffer_add(
            &d->script,
            "%s'%s.csv' using 1:%d:%d with filledcurves fs transparent solid 0.2 noborder "
            "%s notitle, \\\n  '' using 1:%d with lines %s title %s",
            drawn++ ? ", \\\n  " : "plot ", d->name, 3 + 3 * q, 4 + 3 * q, strstr(styles[q], "lc "),
            2 + 3 * q, styles[q], sl_plot_text(titles[q]).s);
    }
}

/* What the potential energy is of. */
static void potential_remark(struct sl_draw *d)
{
    const struct sl_report_member *m = sl_draw_member(d);
    const char *kind = sl_report_key(m, "potential.kind");
    bool own = sl_report_list_number(sl_report_key(m, "gravity.four_pi_g"), 0) > 0,
         other = (*kind && strcmp(kind, "none") != 0) ||
                 strpbrk(sl_report_key(m, "gravity.acceleration"), "123456789");
    sl_draw_remark(d, own && other ? "The potential one is that of its own gravity and of an "
                                     "external potential."
                      : own        ? "The potential one is that of its own gravity."
                                   : "The potential one is that of the external potential.");
}

SL_FIGURE(budget, time, "Energies", a->energies && a->gas && a->bound,
          "Energies of the gas in the box.")
int sl_make_budget(struct sl_draw *d)
{
    static const char *const names[BUDGET] = {"kinetic_energy", "thermal_energy", "magnetic_energy",
                                              "potential_energy", "energy_with_potential"};
    struct sl_draw_data s;
    struct sl_asked a;
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", names, BUDGET, &s));
    if (!s.rows) return SL_OK;
    sl_figure_ask(d->r, &a);
    int code = sl_draw_write(d, &s, ".csv", "time_unit", names, false);
    time_label(d);
    value_axis(d, "E", "code energy");
    budget_plot(d, &s, a.isothermal);
    potential_remark(d);
    if (a.isothermal)
        sl_draw_remark(d, "Isothermal gas gains and loses heat that is not counted.");
    else
        sl_draw_remark(d, "Dashed: all together, which a closed box keeps.");
    free(s.data);
    return code;
}

/* ---- energies of the snapshots ---- */

enum { SNAPSHOTS_LEAST = 3 };

/* Volume of the box, NAN when unknown. */
static double volume(const struct sl_draw *d)
{
    const struct sl_report_member *m = sl_draw_member(d);
    const char *box = sl_report_key(m, "mesh.box"), *cells = sl_report_key(m, "mesh.cells");
    double product = 1;
    for (int a = 0; isfinite(sl_report_list_number(cells, a)); a++)
        product *= sl_report_list_number(box, 2 * a + 1) - sl_report_list_number(box, 2 * a);
    return product;
}

/* In a universe the peculiar velocities, at the scale factor of each snapshot. */
static void in_kilometres(const struct sl_draw *d, struct sl_draw_data *s)
{
    for (long i = 0; i < s->rows; i++) {
        double speed = sl_report_speed(sl_draw_member(d), sl_draw_column(s, 0)[i]);
        for (int q = 0; q < s->q; q++) {
            sl_draw_value(s, q)[i] *= speed * speed;
            sl_draw_error(s, q)[i] *= speed * speed;
        }
    }
}

/* Those of rho v^2 and the field where they were measured, else those of v^2. */
static int parts_read(struct sl_draw *d, struct sl_draw_data *s)
{
    static const char *const of_energy[] = {"kinetic", "kinetic_solenoidal", "kinetic_compressive",
                                            "magnetic"};
    static const char *const of_velocity[] = {"velocity", "velocity_solenoidal",
                                              "velocity_compressive"};
    bool universe = sl_report_clock(sl_draw_member(d)) == 'z';
    SL_TRY(sl_draw_read(d, "energies", -1, "time_unit", of_energy, 4, s));
    sl_draw_axis(d, 'y', s->rows ? "energy / volume" : "⟨v^2⟩ / 2",
                 s->rows ? "code pressure" : "code velocity^2",
                 !universe ? "code units"
                 : s->rows ? "ρ_m (km/s)^2"
                           : "(km/s)^2");
    if (!s->rows) {
        *d->missing = '\0';
        SL_TRY(sl_draw_read(d, "energies", -1, "time_unit", of_velocity, 3, s));
    }
    in_kilometres(d, s);
    return SL_OK;
}

/* An energy of the history, per volume; no rows where there is none: an isothermal gas has no
 * thermal one. */
static int history_read(struct sl_draw *d, const char *quantity, struct sl_draw_data *s)
{
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", &quantity, 1, s));
    *d->missing = '\0';
    if (!(sl_draw_largest(s, 0) > 0)) s->rows = 0;
    for (long i = 0; i < s->rows; i++) {
        sl_draw_value(s, 0)[i] /= volume(d);
        sl_draw_error(s, 0)[i] /= volume(d);
    }
    return SL_OK;
}

static int history_add(struct sl_draw *d, const struct sl_draw_data *s, const char *quantity,
                       const char *title, const char *ink)
{
    char suffix[32];
    if (!s->rows) return SL_OK;
    snprintf(suffix, sizeof suffix, "_%s.csv", title);
    sl_draw_remark(d, "Dashed: other energies of the history.");
    sl_buffer_add(&d->script,
                  ", \\\n  '%s%s' using 1:($2 > low ? $2 : NaN) with lines dt 2 lw 1.8 lc rgb %s "
                  "title %s",
                  d->name, suffix, ink, sl_plot_text(title).s);
    return sl_draw_write(d, s, suffix, "time_unit", &quantity, true);
}

/* The smallest value above `least`; INFINITY where there is none. */
static double smallest(const struct sl_draw_data *s, int q, double least)
{
    double found = INFINITY;
    for (long i = 0; i < s->rows; i++)
        if (sl_draw_value(s, q)[i] > least) found = fmin(found, sl_draw_value(s, q)[i]);
    return found;
}

/* Where the axis begins: below all that is not rounding. A part of the motion counts from 3e-4 of
 * the motion on, a field or heat that is weak beside it from 1e-10 on. */
static double energies_low(const struct sl_draw_data *parts, int curves,
                           const struct sl_draw_data history[2])
{
    double most = sl_draw_largest(parts, 0), low = INFINITY;
    for (int j = 0; j < curves; j++)
        low = fmin(low, smallest(parts, j, (j < 3 ? 3e-4 : 1e-10) * most));
    for (int k = 0; k < 2; k++)
        low = fmin(low, smallest(&history[k], 0, 1e-10 * most));
    return isfinite(low) ? low / 2 : 3e-4 * most;
}

static void energies_plot(struct sl_draw *d, const struct sl_draw_data *parts, int curves,
                          double low)
{
    static const char *const titles[] = {"kinetic", "solenoidal", "compressive", "magnetic"};
    static const char *const ink[] = {"ink", "accent", "warm", "gold"};
    sl_buffer_add(&d->script,
                  "set logscale y\nset format y \"10^{%%T}\"\nlow = %.4g\nset yrange [low:*]\n"
                  "plot ",
                  low);
    for (int j = 0; j < curves; j++)
        if (j == 0 || sl_draw_largest(parts, j) > low)
            sl_buffer_add(
                &d->script,
                "%s'%s.csv' using 1:($%d > low ? $%d : NaN):(0):($%d-$%d) with vectors "
                "nohead lw 1.1 lc rgb %s "
                "notitle, \\\n  '' using 1:($%d > low ? $%d : NaN) with linespoints pt 7 ps "
                "0.4 lw 1.8 lc rgb %s "
                "title %s",
                j ? ", \\\n  " : "", d->name, 3 + 3 * j, 3 + 3 * j, 4 + 3 * j, 3 + 3 * j, ink[j],
                2 + 3 * j, 2 + 3 * j, ink[j], sl_plot_text(titles[j]).s);
}

/* What the solenoidal and compressive parts are, where they are drawn. */
static void parts_remark(struct sl_draw *d, const struct sl_draw_data *parts, double low)
{
    bool solenoidal = sl_draw_largest(parts, 1) > low,
         compressive = sl_draw_largest(parts, 2) > low;
    const char *field = parts->q > 3 ? "√ρ v" : "v";
    char text[160];
    if (!solenoidal && !compressive) return;
    snprintf(text, sizeof text, "%s%s%s: of the modes of %s with k > 0.",
             solenoidal ? "Solenoidal" : "Compressive", solenoidal && compressive ? " and " : "",
             solenoidal && compressive ? "compressive" : "", field);
    sl_draw_remark(d, text);
}

/* history: thermal, magnetic. */
static int energies_draw(struct sl_draw *d, const struct sl_draw_data *parts,
                         struct sl_draw_data history[2])
{
    static const char *const names[] = {"whole", "solenoidal", "compressive", "magnetic"};
    int curves = sl_draw_dimensions(d) == 1                      ? 1
                 : parts->q > 3 && sl_draw_largest(parts, 3) > 0 ? 4
                                                                 : 3;
    bool universe = sl_report_clock(sl_draw_member(d)) == 'z';
    /* ⟨v^2⟩ / 2 is no energy per volume, and those of the history are in code units */
    if (parts->q == 3 || universe) history[0].rows = 0;
    if (parts->q == 3 || curves == 4 || universe)
        history[1].rows = 0; /* the snapshots tell of it */
    time_label(d);
    double low = energies_low(parts, curves, history);
    if (curves > 1) parts_remark(d, parts, low);
    energies_plot(d, parts, curves, low);
    SL_TRY(sl_draw_write(d, parts, ".csv", "time_unit", names, true));
    SL_TRY(history_add(d, &history[0], "thermal_energy", "thermal", "soft"));
    return history_add(d, &history[1], "magnetic_energy", "magnetic", "gold");
}

SL_FIGURE(energies, time, "Energies",
          a->energies && a->closed && !a->bound &&
              (sl_figure_lists(a->spectra, "energy") || sl_figure_lists(a->spectra, "velocity")),
          "Kinetic energy of the snapshots, means over the volume.")
int sl_make_energies(struct sl_draw *d)
{
    struct sl_draw_data parts, history[2] = {{.rows = 0}, {.rows = 0}};
    SL_TRY(parts_read(d, &parts));
    if (!parts.rows) return SL_OK;
    int code = history_read(d, "thermal_energy", &history[0]);
    if (code == SL_OK) code = history_read(d, "magnetic_energy", &history[1]);
    if (code == SL_OK) code = energies_draw(d, &parts, history);
    const char *every = sl_report_key(sl_draw_member(d), "output.snapshot");
    int key = sl_key_find("output.snapshot");
    bool asked = strcmp(every, "0") != 0 && (key < 0 || strcmp(every, sl_keys[key].text) != 0);
    if (parts.rows < SNAPSHOTS_LEAST && asked)
        sl_draw_none(d, "%ld snapshots; their energies are drawn from %d on", parts.rows,
                     SNAPSHOTS_LEAST);
    else if (parts.rows < SNAPSHOTS_LEAST)
        sl_draw_skip(d);
    free(history[0].data);
    free(history[1].data);
    free(parts.data);
    return code;
}

SL_FIGURE(balance, time, "Work and dissipation", a->driven && !a->start,
          "Work done by the force, energy of motion and field dissipated into heat, and kinetic "
          "energy: means with one standard error. Where work and dissipation rise at the same "
          "rate, they balance.")
int sl_make_balance(struct sl_draw *d)
{
    static const char *const names[] = {"driving_energy", "dissipated_energy", "kinetic_energy"};
    static const char *const titles[] = {"work", "dissipated", "E_K"}, *const ink[] = {"soft",
                                                                                       "warm",
                                                                                       "accent"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", names, 3, &s));
    if (!s.rows) return SL_OK;
    int code = sl_draw_write(d, &s, ".csv", "time_unit", names, false);
    time_label(d);
    value_axis(d, "energy", "code energy");
    sl_buffer_add(&d->script, "plot ");
    for (int q = 0; q < 3; q++)
        sl_buffer_add(
            &d->script,
            "%s'%s.csv' using 1:%d:%d with filledcurves fs transparent solid 0.25 noborder "
            "lc rgb %s notitle, \\\n  '%s.csv' using 1:%d with lines lw 2 lc rgb %s title "
            "%s",
            q ? ", \\\n  " : "", d->name, 3 + 3 * q, 4 + 3 * q, ink[q], d->name, 2 + 3 * q, ink[q],
            sl_plot_text(titles[q]).s);
    free(s.data);
    return code;
}

/* Where the first member was fitted, and when it ends; NAN where its table does not say it. */
struct range {
    double from, to, end;
};

static int fit_range(const struct sl_draw *d, struct range *range)
{
    char path[PATH_MAX + 200];
    struct sl_csv t;
    int first = sl_draw_group(d)->first;
    *range = (struct range){NAN, NAN, NAN};
    if (first < 0) return SL_OK;
    snprintf(path, sizeof path, "%s/members/%s/stats/decay.csv", d->r->dir, d->r->member[first].id);
    SL_TRY(sl_csv_try(&t, path, SL_CSV_NAMED));
    range->from = sl_csv_note(&t, "fit_from");
    range->to = sl_csv_note(&t, "fit_to");
    if (t.rows) range->end = sl_csv_number(&t, t.rows - 1, sl_csv_column(&t, "time_unit"));
    sl_csv_release(&t);
    return SL_OK;
}

/* The mean at the row that is next below x. */
static double mean_at(const struct sl_draw_data *s, double x)
{
    long i = 0;
    while (i + 1 < s->rows && sl_draw_column(s, 0)[i + 1] <= x * (1 + 1e-9))
        i++;
    return sl_draw_value(s, 0)[i];
}

/* Where the fit is, and why. */
static void range_note(struct sl_draw *d, const struct range *range)
{
    const char *asked = sl_report_key(sl_draw_member(d), "statistics.decay");
    bool begins = sl_report_list_number(asked, 0) > 0, ends = sl_report_list_number(asked, 1) > 0;
    bool cut = !ends && range->to > range->end * (1 - 1e-9);
    const char *why =
        begins && ends ? " (statistics.decay)"
        : begins       ? ": statistics.decay gives the beginning, the run the end"
        : ends ? ": from the half-life of the energy, as statistics.decay gives no beginning"
        : cut  ? ": from the half-life of the energy to the end of the run, which "
                 "comes before four half-lives; one that goes on changes the exponent"
               : ": from one to four half-lives of the energy";
    snprintf(d->note, sizeof d->note,
             "The power law is fitted to each member, from t = %.4g to %.4g%s%s.", range->from,
             range->to, sl_draw_group(d)->members > 1 && !begins ? " in the first member" : "",
             why);
}

/* The power law where it is fitted; it ends where the mean ends. */
static int law_add(struct sl_draw *d, const struct sl_draw_data *s)
{
    double n, n_error;
    struct range range;
    sl_report_mean(d->r, d->group, "decay_exponent", &n, &n_error);
    if (!isfinite(n))
        snprintf(d->note, sizeof d->note,
                 "No law is fitted: from its half-life to twice that at least the energy must lie "
                 "within 10 %% of one, or statistics.decay say where to fit.");
    SL_TRY(fit_range(d, &range));
    if (!isfinite(n) || !(range.from > 0 && range.to > range.from)) return SL_OK;
    double y = mean_at(s, range.to);
    if (!(y > 0)) return SL_OK;
    if (n > 0) n = -n; /* a decay, however its sign is counted */
    range_note(d, &range);
    sl_buffer_add(
        &d->script,
        ", \\\n  [%.6g:%.6g] %.10g * (x / %.10g)**(%.6g) with lines dt 2 lw 1.6 lc rgb warm "
        "title \"t^{%.2f}\"",
        range.from, range.to, y, range.to, n, n);
    return SL_OK;
}

SL_FIGURE(decay, time, "Decay law", a->turbulence && !a->driven,
          "The same kinetic energy on logarithmic axes.")
int sl_make_decay(struct sl_draw *d)
{
    struct sl_draw_data s;
    const char *quantity = "kinetic_energy_ratio";
    int curves = 0;
    SL_TRY(sl_draw_read(d, "decay", -1, "time_unit", &quantity, 1, &s));
    if (!s.rows) return SL_OK;
    int code = sl_draw_write(d, &s, ".csv", "time_unit", &quantity, true);
    if (!code) code = curves_write(d, "time_unit", quantity, &curves);
    time_label(d);
    sl_buffer_add(
        &d->script,
        "set logscale xy\nset xrange [%.6g:%.6g]\nset ylabel \"E_K / E_K(0)\"\n"
        "set yrange [%.4g:1.3]\nset ytics (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, "
        "1)\n"
        "set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)\n",
        sl_draw_column(&s, 0)[s.rows - 1] / 50, sl_draw_column(&s, 0)[s.rows - 1],
        0.5 * sl_draw_value(&s, 0)[s.rows - 1]);
    band_add(d, curves, sl_draw_mean_title(d));
    if (!code) code = law_add(d, &s);
    if (!code) code = sl_draw_against(d, "decay", "time_unit", quantity);
    free(s.data);
    return code;
}

/* ---- levels of the mesh ---- */

enum { LEVELS_MOST = 16 };

/* Cells of a grid that is everywhere as fine as a level. */
static double cells_at(const struct sl_draw *d, int level)
{
    const char *cells = sl_report_key(sl_draw_member(d), "mesh.cells");
    double product = 1;
    for (int a = 0; isfinite(sl_report_list_number(cells, a)); a++)
        product *= ldexp(sl_report_list_number(cells, a), level);
    return product;
}

static void level_line(struct sl_draw *d, int level, int levels, const char *style)
{
    sl_buffer_add(&d->script,
                  "%s'%s.csv' using 1:($%d > 0 ? $%d : NaN) with %s lw 1.8 dt %d lc rgb %s title "
                  "\"level %d%s\"",
                  level ? ", \\\n  " : "", d->name, 2 + 3 * level, 2 + 3 * level, style,
                  sl_plot_dash(level), sl_plot_ink(level), level,
                  level == levels ? " (finest)" : "");
}

/* Columns <prefix>level_0 .. of a table; *levels: the finest one, -1 without a figure. */
static int levels_figure(struct sl_draw *d, const char *table, const char *prefix,
                         const char *label, const char *style, int *levels)
{
    char name[LEVELS_MOST][32];
    const char *names[LEVELS_MOST];
    struct sl_draw_data s;
    int first = sl_draw_group(d)->first;
    *levels = -1;
    if (first < 0) return sl_draw_none(d, "no member has statistics yet");
    double asked = sl_report_list_number(sl_report_key(&d->r->member[first], "mesh.levels"), 0);
    if (!(asked > 0)) return sl_draw_skip(d);
    int last = asked < LEVELS_MOST - 1 ? (int)asked : LEVELS_MOST - 1;
    for (int l = 0; l <= last; l++) {
        snprintf(name[l], sizeof name[l], "%slevel_%d", prefix, l);
        names[l] = name[l];
    }
    SL_TRY(sl_draw_read(d, table, -1, "time_unit", names, last + 1, &s));
    if (!s.rows) return SL_OK;
    int code = sl_draw_write(d, &s, ".csv", "time_unit", names, false);
    time_label(d);
    if (*sl_draw_group(d)->dir) sl_draw_remark(d, "Means of the members.");
    sl_buffer_add(&d->script, "set logscale y\nset format y \"10^{%%T}\"\nset ylabel \"%s\"\nplot ",
                  label);
    for (int l = 0; l <= last; l++)
        level_line(d, l, last, style);
    *levels = last;
    free(s.data);
    return code;
}

SL_FIGURE(levels, time, "Cells of the levels", a->levels && !a->start,
          "Number of leaf cells on each level of the mesh; a level that is "
          "refined everywhere has none. Dashed: cells of a uniform grid of the finest level.")
int sl_make_levels(struct sl_draw *d)
{
    int levels, code = levels_figure(d, "levels", "", "cells", "lines", &levels);
    if (levels >= 0)
        sl_buffer_add(&d->script, ", \\\n  %.10g with lines dt 2 lw 1.2 lc rgb faint notitle",
                      cells_at(d, levels));
    return code;
}

SL_FIGURE(level_mass, time, "Gas of the levels", a->levels && a->gas && !a->start,
          "Share of the gas that the leaves of each level hold, at the snapshots; "
          "members/*/stats/level_shares.csv has their shares of the volume, too.")
int sl_make_level_mass(struct sl_draw *d)
{
    int levels;
    sl_buffer_add(&d->script, "set yrange [*<0.1:1]\n");
    int code = levels_figure(d, "level_shares", "mass_", "share of the gas",
                             "linespoints pt 7 ps 0.4", &levels);
    return code;
}

/* ---- the expanding universe ---- */

/* Whether a^2 times the heat changes in a universe that does nothing but expand. */
static bool expansion_heats(const struct sl_draw *d)
{
    const char *gamma = sl_report_key(sl_draw_member(d), "fluid.gamma");
    return fabs(sl_report_list_number(gamma, 0) - 5.0 / 3) > 1e-6;
}

/* A line of one point is none. */
enum { BALANCE_LEAST = 3 };

SL_FIGURE(expansion, time, "Energies while the universe expands", a->expands,
          "Energies times a\u00b2; W: the potential one, \u03c1_m: mean density of matter today.")
int sl_make_expansion(struct sl_draw *d)
{
    enum { KINETIC, THERMAL, POTENTIAL, GAINED, INTEGRAL, MAGNETIC, CURVES };
    static const char *const names[CURVES] = {
        "kinetic", "thermal", "potential", "gained", "integral_of_potential", "magnetic"};
    static const char *const titles[CURVES] = {"kinetic",       "thermal",    "−W",
                                               "gain of T + W", "∫ W d ln a", "magnetic"};
    static const char *const styles[CURVES] = {"lw 1.8 lc rgb accent",   "lw 1.8 lc rgb warm",
                                               "lw 1.8 lc rgb ink",      "lw 3 lc rgb faint",
                                               "dt 2 lw 1.6 lc rgb ink", "lw 1.8 lc rgb gold"};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "expansion", -1, "scale_factor", names, CURVES, &s));
    if (!s.rows) return SL_OK;
    int code = sl_draw_write(d, &s, ".csv", "scale_factor", names, false);
    time_label(d);
    value_axis(d, "E", "code energy");
    sl_buffer_add(&d->script, "set logscale y\nset format y \"10^{%%T}\"\nplot ");
    bool gas = sl_draw_value(&s, THERMAL)[s.rows - 1] > 0; /* particles alone have no heat */
    bool field = sl_draw_largest(&s, MAGNETIC) > 0;
    bool balance = s.rows >= BALANCE_LEAST;
    if (balance)
        sl_draw_remark(d, gas ? "In an expanding universe T + W gains ∫ W d ln a (Layzer & Irvine; "
                                "T: kinetic and thermal energy): both sides are drawn, as absolute "
                                "values."
                              : "In an expanding universe T + W gains ∫ W d ln a (Layzer & Irvine; "
                                "T: kinetic energy): both sides are drawn, as absolute values.");
    if (balance && (field || expansion_heats(d)))
        sl_draw_remark(d, "The gain is beside what the expansion gives to heat and field, which T "
                          "holds, too.");
    for (int j = 0; j < CURVES; j++)
        if ((j != THERMAL || gas) && (j != MAGNETIC || field) &&
            ((j != GAINED && j != INTEGRAL) || balance))
            sl_buffer_add(&d->script, "%s'%s.csv' using 1:(abs($%d)) with lines %s title %s",
                          j ? ", \\\n  " : "", d->name, 2 + 3 * j, styles[j],
                          sl_plot_text(titles[j]).s);
    free(s.data);
    return code;
}

/* Wave number of the longest wave of a universe, h/Mpc. */
static double longest_wave(const struct sl_draw *d)
{
    const char *box = sl_report_key(sl_draw_member(d), "mesh.box");
    double side = 0;
    for (int a = 0; a < sl_draw_dimensions(d); a++)
        side =
            fmax(side, sl_report_list_number(box, 2 * a + 1) - sl_report_list_number(box, 2 * a));
    return 2 * acos(-1) / side;
}

SL_FIGURE(growth, time, "Growth of the longest waves",
          a->universe && a->expands &&
              (sl_figure_wants(a, "statistics.matter", a->gas ? "gas" : "particles") ||
               sl_figure_total(a)),
          "\u221a(P/P(first)) of the three lowest shells, of all matter where it was measured, "
          "else of the gas where there is gas, else of the particles, since the first snapshot, "
          "divided by the growth D(a)/D(first) of linear theory: 1 as long as growth is linear. "
          "k in h/Mpc.")
int sl_make_growth(struct sl_draw *d)
{
    enum { SHELLS = 3, LINEAR = SHELLS };
    static const char *const from[] = {"shell_1", "shell_2", "shell_3", "linear"};
    static const char *const ink[] = {"ink", "accent", "warm"};
    struct sl_draw_data s;
    if (sl_draw_group(d)->snapshots.n < 2) return sl_draw_none(d, "there is only one snapshot");
    SL_TRY(sl_draw_read(d, "growth", -1, "scale_factor", from, SHELLS + 1, &s));
    if (!s.rows) return SL_OK;
    for (int j = 0; j < SHELLS; j++)
        for (long i = 0; i < s.rows; i++) {
            sl_draw_value(&s, j)[i] /= sl_draw_value(&s, LINEAR)[i];
            sl_draw_error(&s, j)[i] /= sl_draw_value(&s, LINEAR)[i];
        }
    int code = sl_draw_write(d, &s, ".csv", "scale_factor", from, false);
    time_label(d);
    sl_buffer_add(&d->script, "set yrange [*<0.95:1.05<*]\nset ylabel \"growth / linear\"\n"
                              "plot 1 with lines dt 2 lw 1.2 lc rgb soft notitle");
    for (int j = 0; j < SHELLS; j++)
        sl_buffer_add(
            &d->script,
            ", \\\n  '%s.csv' using 1:%d:(0):($%d-$%d) with vectors nohead lw 1.1 lc rgb %s "
            "notitle, \\\n  '' using 1:%d with linespoints pt 7 ps 0.4 lw 1.8 lc rgb %s "
            "title \"k = %.2g\"",
            d->name, 3 + 3 * j, 4 + 3 * j, 3 + 3 * j, ink[j], 2 + 3 * j, ink[j],
            (j + 1) * longest_wave(d));
    free(s.data);
    return code;
}
