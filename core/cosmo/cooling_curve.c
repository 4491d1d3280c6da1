/* cooling_curve.c - see cooling_curve.h. */
#include "core/cosmo/cooling_curve.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/cosmo/columns.h"
#include "core/cosmo/thermal.h"
#include "core/sys/status.h"

#define HYDROGEN 1.6735328e-24 /* g */

/* ---- which lines and columns ----------------------------------------------------------------- */

static bool is_number(const char *word, size_t n)
{
    return strspn(word, "+-.0123456789eEdD*") >= n && strcspn(word, "0123456789") < n &&
           (n < 2 || strchr("0123456789.*", word[n - 1]));
}

static bool is_row(const char *line, size_t n)
{
    size_t at = 0;
    int words = 0;
    while (at < n) {
        size_t blank = strspn(line + at, " \t\r\v\f"), word;
        at += blank < n - at ? blank : n - at;
        word = strcspn(line + at, " \t\r\v\f\n");
        if (word > n - at) word = n - at;
        if (word == 0) break;
        if (!is_number(line + at, word)) return false;
        at += word;
        words++;
    }
    return words >= 2;
}

/* A copy in which what this file alone takes for comments begins with #. */
static char *with_comments(const char *bytes, size_t size)
{
    char *text = malloc(size + 1);
    bool begun = false;
    if (!text) return NULL;
    memcpy(text, bytes, size);
    text[size] = '\0';
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - text) - at : size - at, first = at;
        while (first < at + n && strchr(" \t", text[first]) && text[first])
            first++;
        begun = begun || is_row(text + at, n);
        if (first < at + n && (strchr("#!%;/", text[first]) || !begun)) text[first] = '#';
        at += n + 1;
    }
    return text;
}

enum scale { LINEAR, LOG10 };

/* Of a column of numbers that can be Lambda in erg cm^3/s. */
static bool like_lambda(const struct sl_columns *c, int column, enum scale *scale)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < c->nrow; i++) {
        least = fmin(least, sl_columns_at(c, i, column));
        most = fmax(most, sl_columns_at(c, i, column));
    }
    *scale = most < 0 ? LOG10 : LINEAR;
    return most < 0 ? least > -60 && most < -15 : least >= 0 && most < 1e-15;
}

/* Sutherland & Dopita's files: log T, n_e, n_H, n_t, log of the net and of the normalised Lambda,
 * and more. */
enum { SUTHERLAND_DOPITA = 12, NORMALISED = 5 };

struct reader {
    const struct sl_config *cfg;
    struct sl_columns in;
    struct sl_findings *f;
    int column;
    bool cgs;
    enum scale t, lambda;
};

/* The column of the key, or the first that can be Lambda. */
static int choose_column(struct reader *r)
{
    const struct sl_columns *c = &r->in;
    enum scale scale;
    int asked = (int)r->cfg->cooling_column, alike = 0, first = 0;
    SL_CHECK(c->ncol >= 2, SL_EINPUT, "%s:%d: a row is two numbers, T and Lambda", c->path,
             c->line[0]);
    SL_CHECK(asked == 0 || (asked >= 2 && asked <= c->ncol), SL_EINPUT,
             "%s: cooling.column is %d, its rows have %d columns, of which the first is T", c->path,
             asked, c->ncol);
    for (int i = c->ncol - 1; i > 0; i--)
        if (like_lambda(c, i, &scale)) alike++, first = i;
    r->column = asked ? asked - 1 : first ? first : 1;
    if (!asked && c->ncol == SUTHERLAND_DOPITA && like_lambda(c, NORMALISED, &scale))
        r->column = NORMALISED;
    SL_CHECK(asked || alike > 0 || c->ncol == 2, SL_EINPUT,
             "%s: %d columns, and none that can only be Lambda in erg cm^3/s; which one it is is "
             "said by cooling.column, for example 2",
             c->path, c->ncol);
    if (!asked && alike > 1)
        sl_finding(r->f, SL_FINDING_WARN,
                   "%d of its columns can be Lambda, and column %d is taken; cooling.column says "
                   "which",
                   alike, r->column + 1);
    return SL_OK;
}

static int choose_units(struct reader *r)
{
    const struct sl_columns *c = &r->in;
    double last = sl_columns_at(c, c->nrow - 1, 0);
    bool alike = like_lambda(c, r->column, &r->lambda);
    r->cgs = r->cfg->cooling_units == SL_COOLING_UNITS_cgs ||
             (r->cfg->cooling_units == SL_COOLING_UNITS_auto && alike);
    r->t = r->cgs && last <= 12 ? LOG10 : LINEAR;
    SL_CHECK(!r->cgs || alike, SL_EINPUT,
             "%s: its column %d holds no Lambda in erg cm^3/s (below 1e-15) nor its log10: another "
             "cooling.column, or cooling.units: code",
             c->path, r->column + 1);
    if (!r->cgs) r->lambda = LINEAR;
    SL_CHECK(
        !r->cgs || r->cfg->units_velocity > 0, SL_EINPUT,
        "%s: it is in K and erg cm^3/s, and the run has no physical units: units.length, "
        "units.density, units.velocity and units.weight give them, or cooling.units: code says "
        "that these are code units",
        c->path);
    SL_CHECK(!r->cgs || r->cfg->units_weight > 0, SL_EINPUT,
             "%s: its T in K needs units.weight, the mean mass of a particle; about 0.6 where the "
             "gas is ionised, 1.2 where it is neutral",
             c->path);
    return SL_OK;
}

/* ---- to code units --------------------------------------------------------------------------- */

/* n_1 n_2 over (rho / m_H)^2 */
static double pairs(const struct sl_config *cfg)
{
    double x = cfg->cooling_hydrogen, electrons = 0.5 * (1 + x), ions = 0.25 * (1 + 3 * x);
    double all = 1 / cfg->units_weight;
    switch (cfg->cooling_per) {
    case SL_COOLING_PER_electrons_hydrogen:
        return electrons * x;
    case SL_COOLING_PER_electrons_ions:
        return electrons * ions;
    case SL_COOLING_PER_particles:
        return all * all;
    default:
        return x * x;
    }
}

static double value(double x, enum scale scale)
{
    return scale == LOG10 ? pow(10, x) : x;
}

static int take_rows(struct reader *r, struct sl_cooling_curve *out)
{
    const struct sl_columns *c = &r->in;
    const struct sl_config *cfg = r->cfg;
    double v = cfg->units_velocity, per_t = 1, per_lambda = 1;
    if (r->cgs) {
        out->kelvin = cfg->units_weight * v * v / (SL_BOLTZMANN_OVER_HYDROGEN * 1e10);
        per_t = 1 / out->kelvin;
        per_lambda = pairs(cfg) * cfg->units_density / (HYDROGEN * v) *
                     (cfg->units_length / (HYDROGEN * v * v));
    }
    for (int i = 0; i < c->nrow; i++) {
        double *row = out->row + (size_t)SL_CURVE_ROW * (size_t)i, *before = row - SL_CURVE_ROW;
        double t = value(sl_columns_at(c, i, 0), r->t),
               lambda = value(sl_columns_at(c, i, r->column), r->lambda);
        SL_CHECK(t > 0 && lambda > 0 && isfinite(t) && isfinite(lambda), SL_EINPUT,
                 "%s:%d: T %g and Lambda %g must be above 0", c->path, c->line[i], t, lambda);
        row[0] = t * per_t;
        row[1] = lambda * per_lambda;
        SL_CHECK(i == 0 || row[0] > before[0], SL_EINPUT, "%s:%d: T %g does not rise", c->path,
                 c->line[i], t);
        SL_CHECK(isfinite(row[1]) && row[1] > 0 && isfinite(row[0]) && row[0] > 0, SL_EINPUT,
                 "%s:%d: T %g and Lambda %g are %g and %g in code units", c->path, c->line[i], t,
                 lambda, row[0], row[1]);
    }
    return SL_OK;
}

static int make(struct reader *r, struct sl_cooling_curve *out)
{
    const struct sl_columns *c = &r->in;
    SL_TRY(choose_column(r));
    SL_TRY(choose_units(r));
    SL_CHECK(c->nrow >= 2, SL_EINPUT, "%s: a table of cooling has two rows or more, not %d",
             c->path, c->nrow);
    SL_CHECK(c->nrow <= SL_CURVE_ROWS, SL_EINPUT, "%s:%d: more than %d rows", c->path,
             c->line[SL_CURVE_ROWS], SL_CURVE_ROWS);
    out->n = c->nrow;
    out->row = calloc((size_t)c->nrow * SL_CURVE_ROW, sizeof *out->row);
    SL_CHECK(out->row, SL_EMEM, "no memory for %d rows of %s", c->nrow, c->path);
    return take_rows(r, out);
}

int sl_cooling_curve_parse(const struct sl_config *cfg, const char *path, const char *bytes,
                           size_t size, struct sl_findings *f, struct sl_cooling_curve *out)
{
    struct reader r = {.cfg = cfg, .f = f};
    char *text = with_comments(bytes, size);
    *out = (struct sl_cooling_curve){.n = 0};
    SL_CHECK(text, SL_EMEM, "no memory for %s", path);
    int code = sl_columns_parse(path, text, size, &r.in);
    free(text);
    if (code == SL_OK) code = make(&r, out);
    sl_columns_release(&r.in);
    if (code != SL_OK) sl_cooling_curve_release(out);
    return code;
}

void sl_cooling_curve_release(struct sl_cooling_curve *c)
{
    free(c->row);
    *c = (struct sl_cooling_curve){.n = 0};
}
