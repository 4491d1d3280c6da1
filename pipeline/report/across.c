/* across.c - figures of a report across what was swept: headline numbers against the swept
 * parameter, and curves of all groups in one figure. */
#include "pipeline/report/draw.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/numbers.h"
#include "pipeline/report/across.h"
#include "pipeline/report/scatter.h"

enum { SERIES_MOST = 8, POINTS_MOST = 512, LABEL = 80 };

/* ---- words ----------------------------------------------------------------------------------- */

/* X(quantity, unit, head, words): of the history and of exact solutions, and of snapshots */
#define WORDS_LIST(X)                                                                              \
    X(mach_rms_end, "1", "Mach, end", "rms Mach number at the end")                                \
    X(kinetic_energy, "1", "Kinetic energy", "kinetic energy left (start: 1)")                     \
    X(magnetic_energy_left, "1", "Field left", "magnetic energy left (start: 1)")                  \
    X(divergence_max, "1", "div B", "largest |div B| at the end, in code units")                   \
    X(decay_exponent, "1", "Exponent", "decay exponent of kinetic energy")                         \
    SL_NUMBER_LIST(X)                                                                              \
    X(kinetic_error, "1", "Kinetic",                                                               \
      "kinetic energy off that of many shells, over the potential one")                            \
    X(thermal_error, "1", "Thermal",                                                               \
      "thermal energy off that of many shells, over the potential one")                            \
    X(centre_error, "1", "Centre", "error of the density at the centre")                           \
    X(speed, "1", "Speed", "largest speed within the sphere, over that of sound at its centre")    \
    X(density_grown, "1", "Density grown", "largest density over that of the start")               \
    X(cells_per_jeans_length, "1", "Cells per Jeans length",                                       \
      "cells of a Jeans length at the densest cell; bodies made with less than 4 are false")       \
    X(similarity, "1", "4πGρ(t₀−t)²", "4πGρ(t₀−t)² of the densest cell (Larson, Penston: 1.667)")  \
    X(angular_momentum, "1", "Spin", "angular momentum over that at the start")                    \
    X(heating, "1", "Heating", "temperature off that of adiabatic gas")                            \
    X(radius_error, "1", "Radius", "error of the radius of the sphere")                            \
    X(mass_error, "1", "Mass", "largest error of the mass within a radius")                        \
    X(halo_mass_error, "1", "Halo", "largest error of the mass within a radius, in the halo")      \
    X(caustic_cells, "1", "Caustic", "cells from the outermost caustic to its place")              \
    X(radius_10_error, "1", "Radius, 10 %", "change of the radius that holds 10 % of the mass")    \
    X(radius_50_error, "1", "Radius, 50 %", "change of the radius that holds half of the mass")    \
    X(radius_90_error, "1", "Radius, 90 %", "change of the radius that holds 90 % of the mass")    \
    X(energy_error, "1", "Energy", "relative change of the energy")                                \
    X(potential_error, "1", "Potential", "largest error of the potential, over its largest value") \
    X(pull_error, "1", "Pull", "largest error of the pull, over its largest value")                \
    X(pull_mean, "1", "Pull, mean", "mean error of the pull, over the mean pull")                  \
    X(far_error, "1", "Pull, far", "rms relative error of the pull far from all bodies")           \
    X(cooling_length_error, "1", "Length", "error of the length that the gas cools in")            \
    X(density_error, "1", "Density error", "error of the density (relative L1)")                   \
    X(entropy_jump, "1", "Entropy jump", "entropy between rows that a shock should keep alike")    \
    X(shock_error, "1", "Shock", "error of the place of the shock")                                \
    X(pressure_error, "1", "Pressure error", "relative error of the pressure")                     \
    X(velocity_error, "1", "Velocity error", "relative error of the velocity")                     \
    X(entropy_error, "1", "Entropy error", "largest relative error of the entropy")                \
    X(peak_density, "1", "Peak", "largest density")                                                \
    X(asymmetry, "1", "Asymmetry", "largest difference of the density from its image")             \
    X(mode, "1", "Mode", "amplitude of the velocity in the mode that was seeded")                  \
    X(incident_error, "1", "Shock", "distance of the incident shock from its exact place")         \
    X(stem, "1", "Mach stem", "x of the Mach stem on the wall")                                    \
    X(cloud_velocity, "1", "Velocity", "mean velocity of the cloud's gas, over that of the shock") \
    X(mixing, "1", "Mixed", "fraction of the cloud's gas in mixed cells")                          \
    X(relative_l1, "1", "Error", "error against the exact solution (relative L1)")

static const struct words {
    const char *quantity, *head, *words;
} known[] = {
#define ROW(quantity, unit, head, words) {#quantity, head, words},
    WORDS_LIST(ROW)
#undef ROW
};
enum { WORDS = sizeof known / sizeof *known };

const char *sl_across_words(const char *quantity)
{
    for (int i = 0; i < WORDS; i++)
        if (!strcmp(known[i].quantity, quantity)) return known[i].words;
    return quantity;
}

const char *sl_across_head(const char *quantity)
{
    for (int i = 0; i < WORDS; i++)
        if (!strcmp(known[i].quantity, quantity)) return known[i].head;
    return quantity;
}

/* ---- what was swept -------------------------------------------------------------------------- */

static const struct sl_report_member *of_group(const struct sl_report *r, int group)
{
    int first = r->group[group].first;
    return first < 0 ? NULL : &r->member[first];
}

static const char *value_of(const struct sl_report *r, int group, const char *key)
{
    const struct sl_report_member *m = of_group(r, group);
    return m ? sl_report_key(m, key) : "";
}

/* The values of two keys of a group. */
struct pair {
    const char *first, *second;
};

static int by_text(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    int order = strcmp(p->first, q->first);
    return order ? order : strcmp(p->second, q->second);
}

static int by_number(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    double x = sl_report_list_number(p->first, 0), y = sl_report_list_number(q->first, 0);
    return x != y ? (x < y ? -1 : 1) : by_text(a, b);
}

/* Those of all groups that have results, in the order of the first; the caller's to free. *n: how
 * many, 0 without memory. */
static struct pair *pairs_of(const struct sl_report *r, const char *first, const char *second,
                             int *n)
{
    struct pair *p = malloc(((size_t)r->groups + 1) * sizeof *p);
    *n = 0;
    for (int g = 0; g < r->groups && p; g++)
        if (of_group(r, g))
            p[(*n)++] = (struct pair){value_of(r, g, first), value_of(r, g, second)};
    if (p) qsort(p, (size_t)*n, sizeof *p, by_text);
    return p;
}

/* Whether two groups that have the same `by` always have the same `key`. */
static bool follows(const struct sl_report *r, const char *key, const char *by)
{
    int n;
    bool does = true;
    struct pair *p = pairs_of(r, by, key, &n);
    for (int i = 1; i < n; i++)
        does &= strcmp(p[i].first, p[i - 1].first) || !strcmp(p[i].second, p[i - 1].second);
    free(p);
    return does;
}

/* Whether the values of a key are told apart by their first numbers. */
static bool is_numeric(const struct sl_report *r, const char *key)
{
    int n;
    bool is = true;
    struct pair *p = pairs_of(r, key, key, &n);
    for (int i = 0; i < n; i++)
        is &= isfinite(sl_report_list_number(p[i].first, 0));
    if (is && n > 1) qsort(p, (size_t)n, sizeof *p, by_number);
    for (int i = 1; i < n && is; i++)
        is = !strcmp(p[i].first, p[i - 1].first) ||
             sl_report_list_number(p[i].first, 0) != sl_report_list_number(p[i - 1].first, 0);
    free(p);
    return is;
}

/* Whether groups that have results differ by a key that makes groups. */
static bool is_swept(const struct sl_report *r, const char *key)
{
    const char *seen = NULL;
    if (!sl_report_makes_group(key)) return false;
    for (int i = 0; i < r->groups; i++) {
        if (!of_group(r, i)) continue;
        if (seen && strcmp(value_of(r, i, key), seen)) return true;
        seen = value_of(r, i, key);
    }
    return false;
}

/* How many values a key has among the groups. */
static int values_of(const struct sl_report *r, const char *key)
{
    int n, values = 0;
    struct pair *p = pairs_of(r, key, key, &n);
    for (int i = 0; i < n; i++)
        values += i == 0 || strcmp(p[i].first, p[i - 1].first) != 0;
    free(p);
    return values;
}

/* The key along x: cells of the mesh, else the numbers with the most values, else the words with
 * the most; NULL without one. */
static const char *key_along(const struct sl_report *r)
{
    const char *best = NULL;
    int most = 0, weight = r->groups + 1; /* numbers before words */
    for (int i = 0; i < r->varieds; i++) {
        const char *key = r->varied[i];
        if (!is_swept(r, key)) continue;
        if (!strcmp(key, "mesh.cells")) return key;
        int n = values_of(r, key) + (is_numeric(r, key) ? weight : 0);
        if (n <= most) continue;
        best = key;
        most = n;
    }
    return best;
}

/* Letters that mean nothing to gnuplot. */
static void plain(char *to, size_t capacity, const char *from)
{
    size_t n = 0;
    for (; *from && n + 1 < capacity; from++)
        if (isalnum((unsigned char)*from) || strchr(" _.+-,=:/()", *from)) to[n++] = *from;
    to[n] = '\0';
}

/* The value of a key in letters that mean nothing to gnuplot; long numbers with four digits. */
static void value_words(const struct sl_report *r, int group, const char *key, char to[40])
{
    const char *value = value_of(r, group, key);
    char *end;
    double number = strtod(value, &end);
    if (*end == '\0' && strlen(value) > 7)
        snprintf(to, 40, "%.4g", number);
    else
        plain(to, 40, value);
}

/* Values of the swept keys but x, and but those that follow from x: one curve has one of them. */
static void series_of(const struct sl_report *r, int group, const char *x, char label[LABEL])
{
    size_t used = 0;
    label[0] = '\0';
    for (int i = 0; i < r->varieds && used + 8 < LABEL; i++) {
        const char *key = r->varied[i];
        if (!strcmp(key, x) || !is_swept(r, key) || follows(r, key, x)) continue;
        char value[40];
        const char *dot = strrchr(key, '.');
        value_words(r, group, key, value);
        used += (size_t)snprintf(label + used, LABEL - used, "%s%s %s", used ? ", " : "",
                                 dot ? dot + 1 : key, value);
    }
}

/* Letters of a label that a figure has room for. */
enum { LETTERS_MOST = 44 };

static void whole_label(const struct sl_report *r, int group, char label[SL_ACROSS_LABEL])
{
    const char *x = key_along(r);
    char value[40] = "", other[LABEL] = "";
    if (!x) {
        plain(other, sizeof other, r->group[group].what);
        snprintf(label, SL_ACROSS_LABEL, "%d %s", group + 1, other);
        return;
    }
    value_words(r, group, x, value);
    series_of(r, group, x, other);
    const char *dot = strrchr(x, '.');
    snprintf(label, SL_ACROSS_LABEL, "%s %s%s%s", dot ? dot + 1 : x, value, *other ? ", " : "",
             other);
}

void sl_across_label(const struct sl_report *r, int group, char label[SL_ACROSS_LABEL])
{
    bool fits = true;
    for (int g = 0; g < r->groups && g < SERIES_MOST && fits; g++) {
        whole_label(r, g, label);
        fits = strlen(label) <= LETTERS_MOST;
    }
    whole_label(r, group, label);
    if (!fits) snprintf(label, SL_ACROSS_LABEL, "group %d", group + 1);
}

/* ---- numbers across -------------------------------------------------------------------------- */

void sl_across_number(const struct sl_report *r, int group, const char *quantity, double *mean,
                      double *error)
{
    double sum = 0;
    int n = 0;
    sl_report_mean(r, group, quantity, mean, error);
    if (isfinite(*mean)) return;
    for (int i = 0; i < r->members; i++) {
        const struct sl_csv *t = &r->member[i].verify;
        double v = sl_csv_number(t, sl_csv_row(t, quantity), 1);
        if (r->member[i].group == group && isfinite(v)) sum += v, n++;
    }
    *mean = n ? sum / n : NAN;
    *error = NAN;
}

/* The i-th number of the problem's row, "" beyond. */
static void number_name(const struct sl_report *r, int i, char name[64])
{
    const char *words = sl_report_show(sl_report_first(r))->numbers;
    for (; i > 0 && *words; i--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    snprintf(name, 64, "%.*s", (int)strcspn(words, " "), words);
}

bool sl_across_has(const struct sl_report *r, int number)
{
    char name[64];
    int n = 0;
    if (sl_scatter_has(r)) return false;
    number_name(r, number, name);
    for (int g = 0; g < r->groups && *name; g++) {
        double mean, error;
        sl_across_number(r, g, name, &mean, &error);
        n += isfinite(mean);
    }
    return r->groups > 1 && key_along(r) && n > 1;
}

struct points {
    int n, series;
    bool left; /* there are more curves */
    char label[SERIES_MOST][LABEL];
    double x[POINTS_MOST], y[POINTS_MOST], e[POINTS_MOST];
    int of[POINTS_MOST], group[POINTS_MOST];
};

static int series_find(struct points *p, const char *label)
{
    for (int i = 0; i < p->series; i++)
        if (!strcmp(p->label[i], label)) return i;
    if (p->series == SERIES_MOST) return -1;
    snprintf(p->label[p->series], LABEL, "%s", label);
    return p->series++;
}

/* The place of a word among the values of a key. */
static double place_of(const struct sl_report *r, int group, const char *key)
{
    int n = 0;
    for (int i = 0; i < r->groups; i++) {
        bool first = of_group(r, i) != NULL;
        for (int j = 0; j < i; j++)
            if (!strcmp(value_of(r, i, key), value_of(r, j, key))) first = false;
        if (!strcmp(value_of(r, i, key), value_of(r, group, key))) return n;
        n += first;
    }
    return n;
}

/* Whether the names of all curves are short enough for a figure. */
static bool series_fit(const struct sl_report *r, const char *x)
{
    for (int g = 0; g < r->groups; g++) {
        char label[LABEL];
        series_of(r, g, x, label);
        if (strlen(label) > LETTERS_MOST) return false;
    }
    return true;
}

static void points_take(const struct sl_report *r, const char *x, const char *quantity,
                        struct points *p)
{
    bool numeric = is_numeric(r, x), fit = series_fit(r, x);
    for (int g = 0; g < r->groups && p->n < POINTS_MOST; g++) {
        char label[LABEL];
        double mean, error;
        sl_across_number(r, g, quantity, &mean, &error);
        if (!isfinite(mean) || !of_group(r, g)) continue;
        series_of(r, g, x, label);
        if (!fit) snprintf(label, sizeof label, "group %d", g + 1);
        int of = series_find(p, label);
        if (of < 0) {
            p->left = true;
            continue;
        }
        p->x[p->n] = numeric ? sl_report_list_number(value_of(r, g, x), 0) : place_of(r, g, x);
        p->y[p->n] = mean;
        p->e[p->n] = isfinite(error) ? error : 0;
        p->group[p->n] = g;
        p->of[p->n++] = of;
    }
}

/* As asymmetry is that a scheme has none of, but for rounding. */
static bool all_zero(const struct points *p)
{
    const double rounding = 1e-12;
    for (int i = 0; i < p->n; i++)
        if (!(fabs(p->y[i]) < rounding)) return false;
    return true;
}

/* Where no two groups are of one curve, as when several keys change together and none follows from
 * another, there is nothing to draw against a key: the groups stand side by side. */
static bool stand_alone(struct points *p)
{
    if (p->n < 2 || p->series < p->n) return false;
    p->series = 1;
    *p->label[0] = '\0';
    for (int i = 0; i < p->n; i++) {
        p->x[i] = p->group[i] + 1;
        p->of[i] = 0;
    }
    return true;
}

/* <name>.csv: the points of a curve together, in the order of x. */
static int points_write(const struct sl_draw *d, const char *x, const char *y,
                        const struct points *p)
{
    struct sl_buffer t = {0};
    sl_buffer_add(&t, "curve,%s,%s,error\n", x, y);
    for (int s = 0; s < p->series; s++) {
        double last = -INFINITY;
        for (int k = 0; k < p->n; k++) { /* the next larger x */
            int best = -1;
            for (int i = 0; i < p->n; i++)
                if (p->of[i] == s && p->x[i] > last && (best < 0 || p->x[i] < p->x[best])) best = i;
            if (best < 0) break;
            last = p->x[best];
            sl_buffer_add(&t, "%d,%.10g,%.10g,%.10g\n", s + 1, p->x[best], p->y[best], p->e[best]);
        }
        sl_buffer_add(&t, "\n");
    }
    int code = sl_draw_file(d, &t, ".csv");
    sl_buffer_release(&t);
    return code;
}

static void range_of(const double *v, int n, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int i = 0; i < n; i++) {
        *lo = fmin(*lo, v[i]);
        *hi = fmax(*hi, v[i]);
    }
}

/* Words in place of numbers along x. */
static void words_add(struct sl_draw *d, const char *x)
{
    const struct sl_report *r = d->r;
    int most = 0;
    sl_buffer_add(&d->script, "set xtics noenhanced (");
    for (int g = 0; g < r->groups; g++) {
        char value[40];
        int at = (int)place_of(r, g, x);
        if (at < most || !of_group(r, g)) continue;
        plain(value, sizeof value, value_of(r, g, x));
        sl_buffer_add(&d->script, "%s%s %d", at ? ", " : "", sl_plot_text(value).s, at);
        most = at + 1;
    }
    sl_buffer_add(&d->script, ")\nset xrange [-0.5:%d.5]\n", most - 1);
}

/* Tics at the values themselves, where they are few and lie apart. */
static void value_tics(struct sl_draw *d, const struct points *p, bool logarithmic)
{
    enum { TICS_MOST = 8 };
    const double apart = 0.09;
    double v[TICS_MOST], lo, hi;
    int n = 0;
    range_of(p->x, p->n, &lo, &hi);
    for (int i = 0; i < p->n; i++) {
        bool seen = false;
        for (int k = 0; k < n; k++)
            seen |= v[k] == p->x[i];
        if (seen) continue;
        for (int k = 0; k < n; k++) {
            double far = logarithmic ? fabs(log(v[k] / p->x[i])) : fabs(v[k] - p->x[i]);
            if (far < apart * (logarithmic ? log(hi / lo) : hi - lo)) return;
        }
        if (n == TICS_MOST) return;
        v[n++] = p->x[i];
    }
    sl_buffer_add(&d->script, "set xtics (");
    for (int k = 0; k < n; k++)
        sl_buffer_add(&d->script, "%s\"%.5g\" %.10g", k ? ", " : "", v[k], v[k]);
    sl_buffer_add(&d->script, ")\n");
}

/* One tic for each group. */
static void groups_axis(struct sl_draw *d, const struct points *p)
{
    sl_buffer_add(&d->script, "set xtics 1\nset xrange [%.6g:%.6g]\n", p->x[0] - 0.5,
                  p->x[p->n - 1] + 0.5);
}

/* x: NULL: groups side by side. */
static void axes_add(struct sl_draw *d, const char *x, const char *y, const struct points *p,
                     bool error)
{
    const double decade = 3.9, twice = 1.9, decades = 20;
    double lo, hi;
    range_of(p->x, p->n, &lo, &hi);
    if (!x) {
        groups_axis(d, p);
    } else if (!is_numeric(d->r, x)) {
        words_add(d, x);
    } else if (lo > 0 && hi > (strcmp(x, "mesh.cells") ? decade : twice) * lo) {
        sl_buffer_add(&d->script, "set logscale x 2\nset xrange [%.6g:%.6g]\n", lo / 1.2, hi * 1.2);
        value_tics(d, p, true);
    } else {
        double margin = hi > lo ? 0.06 * (hi - lo) : 1;
        sl_buffer_add(&d->script, "set xrange [%.6g:%.6g]\n", lo - margin, hi + margin);
        value_tics(d, p, false);
    }
    range_of(p->y, p->n, &lo, &hi);
    if (lo > 0 && (hi > decades * lo || (error && hi > lo)))
        sl_draw_log_tics(d, lo / 2, hi * 2);
    else
        sl_buffer_add(&d->script, "set offsets graph 0, graph 0, graph 0.08, graph %s\n",
                      lo < 0 || hi < 2 * lo ? "0.08" : "0\nset yrange [0:*]");
    sl_buffer_add(&d->script,
                  "set xlabel %s noenhanced\nset ylabel %s noenhanced\nset key noenhanced\n",
                  sl_plot_text(x ? x : "group").s, sl_plot_text(y).s);
}

/* What orders one and two would give from the coarsest mesh on. */
static void orders_add(struct sl_draw *d, const struct points *p)
{
    sl_draw_remark(d,
                   "Dotted and dashed: errors that fall as the size of a cell and as its square, "
                   "from the largest error on the coarsest mesh.");
    int first = 0;
    for (int i = 1; i < p->n; i++)
        if (p->x[i] < p->x[first] || (p->x[i] == p->x[first] && p->y[i] > p->y[first])) first = i;
    for (int order = 1; order <= 2; order++)
        sl_buffer_add(
            &d->script,
            "%.10g * (x / %.10g)**(-%d) with lines dt %d lw 1.2 lc rgb soft title \"order "
            "%d\", ",
            p->y[first], p->x[first], order, 4 - order, order);
}

static int across(struct sl_draw *d, int number)
{
    static const char *const with[2][2] = {{"points", "yerrorbars"},
                                           {"linespoints", "yerrorlines"}};
    char quantity[64];
    const char *x = key_along(d->r);
    struct points *p = calloc(1, sizeof *p);
    SL_CHECK(p, SL_EMEM, "no memory for a figure");
    number_name(d->r, number, quantity);
    bool error = !strcmp(quantity, "relative_l1");
    points_take(d->r, x, quantity, p);
    if (all_zero(p)) sl_draw_skip(d);
    if (stand_alone(p)) x = NULL;
    if (p->left) sl_draw_remark(d, "The first 8 curves.");
    bool bars = false, joined = x && is_numeric(d->r, x); /* between words there is nothing */
    for (int i = 0; i < p->n; i++)
        bars |= p->e[i] > 0;
    if (bars) sl_draw_remark(d, "Means of the groups; bars are one standard error.");
    int longest = (int)strlen("order 1");
    for (int s = 0; s < p->series; s++)
        longest = (int)fmax(longest, (double)strlen(p->label[s]));
    sl_plot_key(&d->script, longest);
    int code = points_write(d, x ? x : "group", quantity, p);
    snprintf(d->title, sizeof d->title, "%s",
             error ? "Error against the exact solution" : sl_across_words(quantity));
    d->title[0] = (char)toupper((unsigned char)d->title[0]);
    axes_add(d, x, error ? "relative L1 error" : sl_across_head(quantity), p, error);
    sl_buffer_add(&d->script, "plot ");
    if (error && x && !strcmp(x, "mesh.cells") && is_numeric(d->r, x)) orders_add(d, p);
    for (int s = 0; s < p->series; s++)
        sl_buffer_add(&d->script,
                      "%s'%s.csv' using ($1 == %d ? $2 : NaN):3%s with %s pt 7 ps 0.7 lw 1.6 dt %d "
                      "lc rgb %s %s%s",
                      s ? ", \\\n  " : "", d->name, s + 1, bars ? ":4" : "", with[joined][bars],
                      sl_plot_dash(s), sl_plot_ink(s), *p->label[s] ? "title " : "notitle",
                      *p->label[s] ? sl_plot_text(p->label[s]).s : "");
    free(p);
    return code;
}

SL_FIGURE(across_1, sweep, "Across the sweep", sl_across_has(a->r, 0),
          "At the end, against what is swept.")
int sl_make_across_1(struct sl_draw *d)
{
    return across(d, 0);
}

SL_FIGURE(across_2, sweep, "Across the sweep", sl_across_has(a->r, 1),
          "At the end, against what is swept.")
int sl_make_across_2(struct sl_draw *d)
{
    return across(d, 1);
}

SL_FIGURE(across_3, sweep, "Across the sweep", sl_across_has(a->r, 2),
          "At the end, against what is swept.")
int sl_make_across_3(struct sl_draw *d)
{
    return across(d, 2);
}

SL_FIGURE(across_4, sweep, "Across the sweep", sl_across_has(a->r, 3),
          "At the end, against what is swept.")
int sl_make_across_4(struct sl_draw *d)
{
    return across(d, 3);
}

/* The legend, with columns for the labels of all groups, or for `least` letters. */
static void legend_add(struct sl_draw *d, int least)
{
    int longest = least;
    for (int g = 0; g < d->r->groups && g < SERIES_MOST; g++) {
        char label[SL_ACROSS_LABEL];
        sl_across_label(d->r, g, label);
        if ((int)strlen(label) > longest) longest = (int)strlen(label);
    }
    sl_buffer_add(&d->script, "set key noenhanced\n");
    sl_plot_key(&d->script, longest);
}

/* ---- curves of all groups -------------------------------------------------------------------- */

/* A column of a table of each group in one figure; snapshot < 0: a table without a number. */
static int beside(struct sl_draw *d, const char *base, bool last, const char *x,
                  const char *quantity)
{
    int drawn = 0;
    legend_add(d, 0);
    for (int g = 0; g < d->r->groups && g < SERIES_MOST; g++) {
        struct sl_draw_data s;
        char suffix[24], label[SL_ACROSS_LABEL];
        d->group = g;
        SL_TRY(sl_draw_read(d, base, last ? sl_draw_last(d) : -1, x, &quantity, 1, &s));
        if (!s.rows) continue;
        if (drawn)
            snprintf(suffix, sizeof suffix, "_%d.csv", g + 1);
        else
            snprintf(suffix, sizeof suffix, ".csv");
        int code = sl_draw_write(d, &s, suffix, x, &quantity, true);
        free(s.data);
        SL_TRY(code);
        if (*sl_draw_group(d)->dir) sl_draw_remark(d, "Means of the groups.");
        sl_across_label(d->r, g, label);
        sl_buffer_add(
            &d->script,
            "%s'%s%s' using ($2 > 0 ? $1 : NaN):2 with lines lw 1.8 dt %d lc rgb %s title %s",
            drawn++ ? ", \\\n  " : "plot ", d->name, suffix, sl_plot_dash(g), sl_plot_ink(g),
            sl_plot_text(label).s);
    }
    d->group = 0;
    *d->missing = '\0';
    return drawn ? SL_OK : sl_draw_none(d, "no group has it");
}

SL_FIGURE(beside_energy, sweep, "Kinetic energy of the groups",
          a->swept && a->turbulence && !a->driven && !a->expands,
          "Kinetic energy over its value at the start.")
int sl_make_beside_energy(struct sl_draw *d)
{
    bool crossing = !strcmp(sl_report_key(sl_report_first(d->r), "time.unit"), "crossing");
    sl_draw_axis(d, 'x', "time", crossing ? "crossing times" : "code time",
                 crossing ? "crossing times" : "code units");
    sl_buffer_add(&d->script, "set yrange [0:*]\nset ylabel \"E_K / E_K(0)\"\n");
    return beside(d, "decay", false, "time_unit", "kinetic_energy_ratio");
}

SL_FIGURE(beside_spectrum, sweep, "Velocity spectra of the groups",
          a->swept &&sl_figure_wants(a, "statistics.spectra", "velocity"),
          "E(k) of the last snapshot; wave numbers in 2\u03c0/L.")
int sl_make_beside_spectrum(struct sl_draw *d)
{
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\nset xlabel \"k (2π/L)\"\n"
                  "set ylabel \"E(k)\"\nset autoscale xfix\n"
                  "set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)\n");
    return beside(d, "spectrum_velocity", true, "k", "total");
}

SL_FIGURE(beside_power, sweep, "Power spectra of matter, by group",
          a->swept && (sl_figure_wants(a, "statistics.matter", "gas") || sl_figure_total(a)),
          "P(k) of the last snapshot, of all matter where it was measured, else of the gas.")
int sl_make_beside_power(struct sl_draw *d)
{
    sl_buffer_add(&d->script,
                  "set logscale xy\nset format y \"10^{%%T}\"\nset xlabel \"k (h/Mpc)\"\n"
                  "set ylabel \"P(k) (Mpc^3/h^3)\"\nset autoscale xfix\n" SL_DRAW_TICS);
    struct sl_asked a;
    sl_figure_ask(d->r, &a);
    return beside(d, sl_figure_total(&a) ? "matter_total" : "matter_gas", true, "k", "power");
}

SL_FIGURE(beside_pdf, sweep, "Density distributions of the groups",
          a->swept && a->turbulence && sl_figure_wants(a, "statistics.pdf", "density"),
          "s = ln(\u03c1/\u27e8\u03c1\u27e9) of the last snapshot by volume.")
int sl_make_beside_pdf(struct sl_draw *d)
{
    sl_buffer_add(&d->script, "set logscale y\nset format y \"10^{%%T}\"\nset yrange [1e-4:*]\n"
                              "set xlabel \"s = ln(ρ/⟨ρ⟩)\"\nset ylabel \"p(s)\"\n");
    return beside(d, "pdf_density", true, "s", "volume");
}

/* ---- profiles -------------------------------------------------------------------------------- */

bool sl_across_is_exact(const struct sl_csv *line)
{
    return sl_csv_any(line, "exact_velocity_x") >= 0;
}

/* The exact density along x, and the same of a group in a file of its own. */
struct line {
    long n; /* 0: the group has no table */
    double *x, *exact;
    bool has_exact, converged; /* converged: a solution of many cells stands for the exact one */
};

/* Whether two lines are of one solution, to two parts in a hundred of what it varies by; b, with no
 * fewer cells than a, is averaged over the cells of a. */
static bool same_solution(const struct line *a, const struct line *b)
{
    const double little = 0.02, rounding = 1e-9;
    double half = a->n > 1 ? 0.5 * (a->x[1] - a->x[0]) : INFINITY, off = 0, varies = 0, size = 0;
    for (long i = 0, j = 0; i < a->n; i++) {
        double sum = 0;
        long first = j;
        for (; j < b->n && b->x[j] < a->x[i] + half; j++)
            sum += b->exact[j];
        if (j > first) off += fabs(sum / (double)(j - first) - a->exact[i]);
        if (i > 0) varies += fabs(a->exact[i] - a->exact[i - 1]);
        size += fabs(a->exact[i]);
    }
    return off <= little * varies + rounding * size;
}

/* Whether all groups that are drawn have one exact solution. */
static bool all_same(const struct line *line, int groups)
{
    const struct line *one = NULL;
    for (int g = 0; g < groups; g++) {
        const struct line *l = &line[g];
        if (!l->n) continue;
        if (!l->has_exact) return false;
        if (one && !l->converged &&
            !(one->n <= l->n ? same_solution(one, l) : same_solution(l, one)))
            return false;
        if (!one) one = l;
    }
    return true;
}

/* Density along x of a group's first finished member in a file of its own. */
static int line_write(struct sl_draw *d, const struct sl_csv *t, const struct line *l,
                      const char *suffix)
{
    struct sl_buffer out = {0};
    int x = sl_csv_column(t, "x"), y = sl_csv_column(t, "density"),
        e = sl_csv_column(t, "exact_density");
    sl_buffer_add(&out, "x,density,exact\n");
    for (long i = 0; i < t->rows; i++)
        sl_buffer_add(&out, "%s,%s,%s\n", sl_csv_text(t, i, x), sl_csv_text(t, i, y),
                      l->has_exact ? sl_csv_text(t, i, e) : "nan");
    int code = sl_draw_file(d, &out, suffix);
    sl_buffer_release(&out);
    return code;
}

static void line_suffix(int group, bool first, char suffix[24])
{
    snprintf(suffix, 24, first ? ".csv" : "_%d.csv", group + 1);
}

/* The line of a group: written, and kept in *l. */
static int line_take(struct sl_draw *d, int group, bool first, struct line *l)
{
    char path[PATH_MAX + 200], suffix[24];
    struct sl_csv t;
    if (!of_group(d->r, group)) return SL_OK;
    snprintf(path, sizeof path, "%s/members/%s/sample_line.csv", d->r->dir,
             of_group(d->r, group)->id);
    if (access(path, R_OK)) return SL_OK;
    SL_TRY(sl_csv_read(&t, path, SL_CSV_NAMED));
    int e = sl_csv_any(&t, "exact_density");
    *l = (struct line){.has_exact = e >= 0, .converged = e >= 0 && !sl_across_is_exact(&t)};
    l->x = calloc((size_t)t.rows + 1, 2 * sizeof *l->x);
    line_suffix(group, first, suffix);
    int code = l->x ? line_write(d, &t, l, suffix) : SL_FAIL(SL_EMEM, "no memory for a figure");
    if (l->x) {
        l->n = t.rows;
        l->exact = l->x + t.rows;
    }
    for (long i = 0; i < l->n; i++) {
        l->x[i] = sl_csv_number(&t, i, sl_csv_column(&t, "x"));
        l->exact[i] = sl_csv_number(&t, i, e);
    }
    sl_csv_release(&t);
    return code;
}

/* One exact curve where it is that of all groups, else that of each. */
static void exact_add(struct sl_draw *d, const struct line *line, int groups)
{
    bool same = all_same(line, groups), whole = true, converged = false;
    int drawn = 0;
    for (int g = 0, first = 1; g < groups; g++) {
        char suffix[24];
        if (!line[g].n) continue;
        line_suffix(g, first, suffix);
        first = 0;
        whole &= line[g].has_exact;
        if (!line[g].has_exact || (drawn && same)) continue;
        converged |= line[g].converged;
        sl_buffer_add(&d->script, "'%s%s' using 1:3 with lines lw 3 lc rgb faint %s, ", d->name,
                      suffix,
                      drawn++             ? "notitle"
                      : line[g].converged ? "title \"converged\""
                                          : "title \"exact\"");
    }
    if (!drawn) return;
    sl_draw_remark(d, converged ? "Grey: a converged solution of many cells."
                      : same    ? "Grey: the exact solution."
                      : whole   ? "Grey: the exact solution of each group."
                                : "Grey: the exact solution of each group that has one.");
}

static void lines_add(struct sl_draw *d, const struct line *line, int groups)
{
    for (int g = 0, drawn = 0; g < groups; g++) {
        char suffix[24], label[SL_ACROSS_LABEL];
        if (!line[g].n) continue;
        line_suffix(g, !drawn, suffix);
        sl_across_label(d->r, g, label);
        sl_buffer_add(&d->script, "%s'%s%s' using 1:2 with lines lw 1.3 dt %d lc rgb %s title %s",
                      drawn++ ? ", \\\n  " : "", d->name, suffix, sl_plot_dash(g), sl_plot_ink(g),
                      sl_plot_text(label).s);
    }
}

SL_FIGURE(beside_profile, sweep, "Density along x of the groups", a->swept && a->line,
          "Cells along x through the middle of the box at the end.")
int sl_make_beside_profile(struct sl_draw *d)
{
    struct line line[SERIES_MOST] = {{0}};
    int groups = d->r->groups < SERIES_MOST ? d->r->groups : SERIES_MOST, found = 0, code = SL_OK;
    for (int g = 0; g < groups && code == SL_OK; g++) {
        code = line_take(d, g, !found, &line[g]);
        found += line[g].n > 0;
    }
    bool universe = sl_report_clock(sl_report_first(d->r)) == 'z';
    legend_add(d, (int)strlen("converged"));
    sl_draw_axis(d, 'x', "x", "code length", universe ? "Mpc/h" : "code units");
    sl_draw_axis(d, 'y', universe ? "ρ/⟨ρ_m⟩" : "ρ", "code density", "");
    sl_buffer_add(&d->script,
                  "set offsets graph 0, graph 0, graph 0.05, graph 0\nset yrange [0<*:*]\n");
    sl_draw_box(d);
    sl_buffer_add(&d->script, "plot ");
    exact_add(d, line, groups);
    lines_add(d, line, groups);
    for (int g = 0; g < groups; g++)
        free(line[g].x);
    if (code) return code;
    return found ? SL_OK : sl_draw_none(d, "no group has sample_line.csv");
}
