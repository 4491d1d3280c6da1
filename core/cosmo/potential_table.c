/* potential_table.c - see potential_table.h. */
#include "core/cosmo/potential_table.h"

#include <stdlib.h>

#include "core/cosmo/columns.h"
#include "core/lists/potential_list.h"
#include "core/sys/status.h"

/* ---- slopes ---------------------------------------------------------------------------------- */

/* At x[at] of the cubic through four points. */
static double slope_of_four(const double *x, const double *y, int at)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double weight = 0;
        if (i != at) {
            weight = 1 / (x[i] - x[at]);
            for (int k = 0; k < 4; k++)
                if (k != i && k != at) weight *= (x[at] - x[k]) / (x[i] - x[k]);
        }
        for (int k = 0; k < 4 && i == at; k++)
            if (k != at) weight += 1 / (x[at] - x[k]);
        sum += weight * y[i];
    }
    return sum;
}

/* Of the cubic spline through n points, by elimination; work[n]. */
static void spline_slopes(int n, const double *x, const double *y, double *work, double *slope)
{
    slope[0] = slope_of_four(x, y, 0);
    slope[n - 1] = slope_of_four(x + n - 4, y + n - 4, 3);
    work[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
        double rise = 3 * ((y[i + 1] - y[i]) / after * before + (y[i] - y[i - 1]) / before * after);
        double pivot = 2 * (before + after) - after * work[i - 1];
        work[i] = before / pivot;
        slope[i] = (rise - after * slope[i - 1]) / pivot;
    }
    for (int i = n - 2; i > 0; i--)
        slope[i] -= work[i] * slope[i + 1];
}

/* phi of g, from the last row inwards, where it is that of a point. */
static void integrate(int n, const double *x, const double *g, const double *bend, double *phi)
{
    phi[n - 1] = -g[n - 1] * x[n - 1];
    for (int i = n - 2; i >= 0; i--) {
        double h = x[i + 1] - x[i];
        phi[i] = phi[i + 1] - h * (0.5 * (g[i] + g[i + 1]) + h / 12 * (bend[i] - bend[i + 1]));
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int check_rows(const struct sl_columns *c)
{
    SL_CHECK(c->ncol >= 2, SL_EINPUT,
             "%s:%d: one column; a potential is a table of r and phi, or "
             "of r and g",
             c->path, c->line[0]);
    SL_CHECK(c->nrow >= SL_POTENTIAL_LEAST && c->nrow <= SL_POTENTIAL_MOST, SL_EINPUT,
             "%s: %d rows; nearest: %d", c->path, c->nrow,
             c->nrow < SL_POTENTIAL_LEAST ? SL_POTENTIAL_LEAST : SL_POTENTIAL_MOST);
    SL_CHECK(sl_columns_at(c, 0, 0) >= 0, SL_EINPUT, "%s:%d: r = %g is below 0", c->path,
             c->line[0], sl_columns_at(c, 0, 0));
    for (int i = 1; i < c->nrow; i++)
        SL_CHECK(sl_columns_at(c, i, 0) > sl_columns_at(c, i - 1, 0), SL_EINPUT,
                 "%s:%d: r = %g, after %g in the line before; r rises", c->path, c->line[i],
                 sl_columns_at(c, i, 0), sl_columns_at(c, i - 1, 0));
    return SL_OK;
}

/* x, values, slopes, work: [4][n]. */
static void set_rows(const struct sl_columns *c, bool pulls, double *list, double *row)
{
    int n = c->nrow;
    double *x = list, *y = x + n, *slope = y + n, *work = slope + n;
    for (int i = 0; i < n; i++)
        x[i] = sl_columns_at(c, i, 0), y[i] = sl_columns_at(c, i, 1);
    spline_slopes(n, x, y, work, slope);
    if (pulls) integrate(n, x, y, slope, work);
    for (int i = 0; i < n; i++) {
        double *to = row + SL_POTENTIAL_ROW * i;
        to[SL_POTENTIAL_R] = x[i];
        to[SL_POTENTIAL_PHI_R] = pulls ? work[i] : y[i];
        to[SL_POTENTIAL_SLOPE] = pulls ? y[i] : slope[i];
    }
}

static int make(const struct sl_columns *c, bool pulls, struct sl_potential_table *out)
{
    SL_TRY(check_rows(c));
    size_t n = (size_t)c->nrow;
    double *list = malloc(4 * n * sizeof *list);
    out->row = malloc(n * SL_POTENTIAL_ROW * sizeof *out->row);
    out->n = c->nrow;
    if (list && out->row) set_rows(c, pulls, list, out->row);
    bool room = list && out->row;
    free(list);
    SL_CHECK(room, SL_EMEM, "no memory for %d rows of %s", c->nrow, c->path);
    return SL_OK;
}

int sl_potential_table_parse(const char *path, const char *bytes, size_t size, bool pulls,
                             struct sl_potential_table *out)
{
    struct sl_columns c;
    *out = (struct sl_potential_table){.n = 0};
    SL_TRY(sl_columns_parse(path, bytes, size, &c));
    int code = make(&c, pulls, out);
    sl_columns_release(&c);
    if (code != SL_OK) sl_potential_table_release(out);
    return code;
}

void sl_potential_table_release(struct sl_potential_table *t)
{
    free(t->row);
    *t = (struct sl_potential_table){.n = 0};
}
