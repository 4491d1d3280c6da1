/* profile.c - figures of a report: radial profiles (statistics.profiles). */
#include "pipeline/report/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a profile is of; logarithmic: it is never below zero. */
struct kind {
    const char *quantity, *exact, *label, *unit;
    bool logarithmic;
};

/* Rows with a value above zero, and the range of values in them. */
struct range {
    double x[2], y[2];
};

static struct range range_of(const struct sl_draw_data *s)
{
    struct range r = {{HUGE_VAL, 0}, {HUGE_VAL, 0}};
    for (long i = 0; i < s->rows; i++) {
        double x = sl_draw_column(s, 0)[i], y = sl_draw_value(s, 0)[i];
        if (isnan(y)) continue;
        r.x[0] = fmin(r.x[0], x);
        r.x[1] = fmax(r.x[1], x);
        if (!(y > 0)) continue;
        r.y[0] = fmin(r.y[0], y);
        r.y[1] = fmax(r.y[1], y);
    }
    return r;
}

static bool has_exact(const struct sl_draw_data *s)
{
    for (long i = 0; i < s->rows; i++)
        if (!isnan(sl_draw_value(s, 1)[i])) return true;
    return false;
}

static bool is_unit(const struct kind *k, const char *unit)
{
    return !strcmp(k->unit, unit);
}

static bool is_temperature(const struct kind *k)
{
    return is_unit(k, "code velocity^2") && strcmp(k->quantity, "potential") != 0;
}

/* A quantity of a universe in units of the sky, at the time of the snapshot. */
static int in_universe(const struct sl_draw *d, const struct kind *k, struct sl_draw_data *s)
{
    const struct sl_report_member *m = sl_draw_member(d);
    double a, factor = 1;
    if (sl_report_clock(m) != 'z') return SL_OK;
    SL_TRY(sl_draw_note(d, "profile", sl_draw_last(d), "scale_factor", &a));
    if (is_unit(k, "code velocity")) factor = sl_report_speed(m, a);
    if (is_temperature(k)) factor = sl_report_kelvin(m, a);
    if (is_unit(k, "code pressure")) factor = pow(sl_report_speed(m, a), 2);
    if (is_unit(k, "code field")) factor = sl_report_gauss(m, a);
    for (int q = 0; q < s->q; q++)
        for (long i = 0; i < s->rows; i++) {
            sl_draw_value(s, q)[i] *= factor;
            sl_draw_error(s, q)[i] *= factor;
        }
    return SL_OK;
}

/* What axes of a universe say; label "": that of the kind. */
static const struct {
    const char *code, *label, *unit;
} of_universe[] = {{"code density", "ρ/⟨ρ_m⟩", ""},
                   {"code pressure", "p/⟨ρ_m⟩", "(km/s)^2"},
                   {"code velocity", "", "km/s"},
                   {"code velocity^2", "T", "K"},
                   {"code field", "", "G"}};

static void axes(struct sl_draw *d, const struct kind *k, const struct range *r)
{
    bool universe = sl_report_clock(sl_draw_member(d)) == 'z';
    bool potential = is_unit(k, "code velocity^2") && !is_temperature(k);
    const char *label = k->label, *unit = universe && potential ? "code units" : "";
    for (size_t i = 0; universe && !potential && i < sizeof of_universe / sizeof *of_universe; i++)
        if (is_unit(k, of_universe[i].code)) {
            label = *of_universe[i].label ? of_universe[i].label : k->label;
            unit = of_universe[i].unit;
        }
    sl_draw_axis(d, 'x', "distance from the centre", "code length",
                 universe ? "Mpc/h" : "code units");
    sl_draw_axis(d, 'y', label, k->unit, unit);
    sl_buffer_add(&d->script,
                  "set datafile missing 'nan'\nset logscale x\n" SL_DRAW_TICS
                  "set xrange [%.4g:%.4g]\n",
                  r->x[0] / 1.1, r->x[1] * 1.1);
    if (k->logarithmic && r->y[1] > 0) sl_draw_log_tics(d, r->y[0] / 1.5, r->y[1] * 1.5);
}

static int profile_figure(struct sl_draw *d, const struct kind *k)
{
    const char *const names[] = {k->quantity, k->exact};
    struct sl_draw_data s;
    SL_TRY(sl_draw_read(d, "profile", sl_draw_last(d), "radius", names, 2, &s));
    if (!s.rows) return SL_OK;
    int code = in_universe(d, k, &s);
    bool exact = has_exact(&s);
    const struct range r = range_of(&s);
    if (!code) code = sl_draw_write(d, &s, ".csv", "radius", names, k->logarithmic);
    axes(d, k, &r);
    sl_buffer_add(&d->script, "plot ");
    if (exact)
        sl_buffer_add(&d->script,
                      "'%s.csv' using 1:5 with lines dt 2 lw 1.6 lc rgb warm title \"exact\", \\\n",
                      d->name);
    sl_draw_bars(d, 0, "accent", sl_draw_mean_title(d), true);
    if (*sl_draw_group(d)->dir)
        sl_draw_remark(d, "Bars: standard error of the mean over the members.");
    if (exact) sl_draw_remark(d, "Dashed: the exact solution over the same cells.");
    if (!code) code = sl_draw_against(d, "profile", "radius", k->quantity);
    free(s.data);
    return code;
}

SL_FIGURE(radial_density, gas, "Radial profile of the density",
          sl_figure_wants(a, "statistics.profiles", "density"),
          "In shells about statistics.profile_center in the last snapshot, by volume.")
int sl_make_radial_density(struct sl_draw *d)
{
    static const struct kind k = {"density", "exact_density", "ρ", "code density", true};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_pressure, gas, "Radial profile of the pressure",
          sl_figure_wants(a, "statistics.profiles", "pressure"), "In the same shells, by volume.")
int sl_make_radial_pressure(struct sl_draw *d)
{
    static const struct kind k = {"pressure", "exact_pressure", "p", "code pressure", true};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_temperature, gas, "Radial profile of the temperature",
          sl_figure_wants(a, "statistics.profiles", "temperature"),
          "Pressure over density in the same shells, by mass.")
int sl_make_radial_temperature(struct sl_draw *d)
{
    static const struct kind k = {"temperature", "exact_temperature", "p / ρ", "code velocity^2",
                                  true};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_entropy, gas, "Radial profile of the entropy",
          sl_figure_wants(a, "statistics.profiles", "entropy"),
          "Pressure over the density to the power of gamma in the same shells, by mass.")
int sl_make_radial_entropy(struct sl_draw *d)
{
    static const struct kind k = {"entropy", "exact_entropy", "p / ρ^{γ}", "", true};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_speed, gas, "Radial profile of the speed",
          sl_figure_wants(a, "statistics.profiles", "speed"), "|v| in the same shells, by mass.")
int sl_make_radial_speed(struct sl_draw *d)
{
    static const struct kind k = {"speed", "exact_speed", "|v|", "code velocity", false};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_velocity, gas, "Radial profile of the radial velocity",
          sl_figure_wants(a, "statistics.profiles", "radial_velocity"),
          "The velocity away from the centre in the same shells, by mass.")
int sl_make_radial_velocity(struct sl_draw *d)
{
    static const struct kind k = {"radial_velocity", "exact_radial_velocity", "v_r",
                                  "code velocity", false};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_magnetic, gas, "Radial profile of the magnetic field",
          a->field &&sl_figure_wants(a, "statistics.profiles", "magnetic"),
          "|B| in the same shells, by volume.")
int sl_make_radial_magnetic(struct sl_draw *d)
{
    static const struct kind k = {"magnetic", "exact_magnetic", "|B|", "code field", true};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_scalar, gas, "Radial profile of the passive scalar",
          sl_figure_wants(a, "statistics.profiles", "scalar"),
          "The first passive scalar in the same shells, by mass.")
int sl_make_radial_scalar(struct sl_draw *d)
{
    static const struct kind k = {"scalar", "exact_scalar", "scalar", "", false};
    return profile_figure(d, &k);
}

SL_FIGURE(radial_potential, gas, "Radial profile of the potential",
          sl_figure_wants(a, "statistics.profiles", "potential"),
          "The potential of self-gravity in the same shells, by volume.")
int sl_make_radial_potential(struct sl_draw *d)
{
    static const struct kind k = {"potential", "exact_potential", "φ", "code velocity^2", false};
    return profile_figure(d, &k);
}
