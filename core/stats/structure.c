/* structure.c - see structure.h. */
#include "core/stats/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

struct work {
    const struct sl_slab *slab;
    int nlag;
    int *cells;    /* [nlag][3]: the lag in cells of each axis; 0: the axis does not take part */
    double *part;  /* sums of each plane or row: [max(nz, ny)][nlag][2 orders] */
    double *rows;  /* one component after a turn */
    double *total; /* [nlag][2 orders] */
    double *plane_total;
};

static double smallest_cell(const struct sl_slab *s)
{
    double dx = 1e300;
    for (int d = 0; d < s->dim; d++)
        dx = fmin(dx, s->length[d] / s->n[d]);
    return dx;
}

/* Lag in cells of axis d, or 0. */
static int lag_cells(const struct sl_slab *s, int d, double lag)
{
    if (d >= s->dim) return 0;
    double cells = lag * s->n[d] / s->length[d], whole = floor(cells + 0.5);
    int fits = fabs(cells - whole) < 1e-6 && whole >= 1 && 2 * whole <= s->n[d];
    return fits ? (int)whole : 0;
}

static int set_lags(struct work *w, struct sl_structure *out)
{
    const struct sl_slab *s = w->slab;
    double dx = smallest_cell(s), half = 1e300;
    for (int d = 0; d < s->dim; d++)
        half = fmin(half, 0.5 * s->length[d]);
    int most = (int)floor(half / dx + 1e-6);
    out->lag = malloc(((size_t)most + 1) * sizeof *out->lag);
    w->cells = malloc((3 * (size_t)most + 1) * sizeof *w->cells);
    SL_CHECK(out->lag && w->cells, SL_EMEM, "out of memory");
    for (int l = 1; l <= most; l = (int)fmax(l + 1, floor(l * pow(2, 0.25) + 0.5))) {
        int any = 0;
        for (int d = 0; d < 3; d++)
            any += w->cells[3 * w->nlag + d] = lag_cells(s, d, l * dx);
        if (any) out->lag[w->nlag++] = l * dx;
    }
    out->nlag = w->nlag;
    return SL_OK;
}

/* Adds |b - a|^p, p = 1 .. 6, to sum. */
static void add_pairs(const double *a, const double *b, size_t n, double *sum)
{
    double s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(b[i] - a[i]), d2 = d * d, d3 = d2 * d;
        s1 += d;
        s2 += d2;
        s3 += d3;
        s4 += d2 * d2;
        s5 += d2 * d3;
        s6 += d3 * d3;
    }
    sum[0] += s1;
    sum[1] += s2;
    sum[2] += s3;
    sum[3] += s4;
    sum[4] += s5;
    sum[5] += s6;
}

/* Pairs within one line of n values, periodic. */
static void add_line(const double *v, int n, int lag, double *sum)
{
    add_pairs(v, v + lag, (size_t)(n - lag), sum);
    add_pairs(v + (n - lag), v, (size_t)lag, sum);
}

/* Pairs between lines of a panel [count][n], periodic. */
static void add_lines(const double *v, int count, size_t n, int lag, double *sum)
{
    for (int i = 0; i < count; i++)
        add_pairs(v + (size_t)i * n, v + (size_t)((i + lag) % count) * n, n, sum);
}

/* Component c along x and y, in the own planes. */
static void add_plane(const struct work *w, int c, const double *plane, double *part)
{
    const struct sl_slab *s = w->slab;
    for (int l = 0; l < w->nlag; l++) {
        double *sum = part + l * SL_STRUCTURE_COLUMNS;
        int x = w->cells[3 * l], y = w->cells[3 * l + 1];
        for (int j = 0; j < s->n[1] && x > 0; j++)
            add_line(plane + (size_t)j * (size_t)s->n[0], s->n[0], x,
                     sum + (c == 0 ? 0 : SL_STRUCTURE_ORDERS));
        if (y > 0)
            add_lines(plane, s->n[1], (size_t)s->n[0], y, sum + (c == 1 ? 0 : SL_STRUCTURE_ORDERS));
    }
}

static int along_xy(struct work *w, const double *const v[3])
{
    const struct sl_slab *s = w->slab;
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    int ncol = w->nlag * SL_STRUCTURE_COLUMNS;
    memset(w->part, 0, (size_t)s->nz * (size_t)ncol * sizeof *w->part);
    for (int c = 0; c < s->dim; c++)
        for (int k = 0; k < s->nz; k++)
            add_plane(w, c, v[c] + (size_t)k * plane, w->part + (size_t)k * (size_t)ncol);
    return sl_slab_sum(s, ncol, w->part, w->plane_total);
}

static int along_z(struct work *w, const double *const v[3])
{
    const struct sl_slab *s = w->slab;
    size_t row = (size_t)s->n[0], panel = row * (size_t)s->n[2];
    int ncol = w->nlag * SL_STRUCTURE_COLUMNS;
    memset(w->part, 0, (size_t)s->ny * (size_t)ncol * sizeof *w->part);
    for (int c = 0; c < s->dim; c++) {
        SL_TRY(sl_slab_turn(s, row, v[c], w->rows));
        for (int y = 0; y < s->ny; y++)
            for (int l = 0; l < w->nlag; l++)
                if (w->cells[3 * l + 2] > 0)
                    add_lines(w->rows + (size_t)y * panel, s->n[2], row, w->cells[3 * l + 2],
                              w->part + (size_t)y * (size_t)ncol + l * SL_STRUCTURE_COLUMNS +
                                  (c == 2 ? 0 : SL_STRUCTURE_ORDERS));
    }
    return sl_slab_sum_rows(s, ncol, w->part, w->total);
}

static void finish(const struct work *w, struct sl_structure *out)
{
    const struct sl_slab *s = w->slab;
    double cells = (double)s->n[0] * s->n[1] * s->n[2];
    for (int l = 0; l < w->nlag; l++) {
        double axes = 0;
        for (int d = 0; d < 3; d++)
            axes += w->cells[3 * l + d] > 0;
        for (int i = 0; i < SL_STRUCTURE_COLUMNS; i++) {
            double across = i < SL_STRUCTURE_ORDERS ? 1 : s->dim - 1;
            int at = l * SL_STRUCTURE_COLUMNS + i;
            double sum = w->plane_total[at] + w->total[at];
            out->value[at] = across > 0 ? sum / (cells * axes * across) : 0;
        }
    }
}

static int allocate(struct work *w, struct sl_structure *out)
{
    const struct sl_slab *s = w->slab;
    SL_TRY(set_lags(w, out));
    size_t ncol = (size_t)w->nlag * SL_STRUCTURE_COLUMNS, most = (size_t)(s->nz + s->ny);
    w->part = malloc((most * ncol + 1) * sizeof(double));
    w->total = calloc(ncol + 1, sizeof(double));
    w->plane_total = calloc(ncol + 1, sizeof(double));
    out->value = calloc(ncol + 1, sizeof(double));
    w->rows = malloc(((size_t)s->ny * (size_t)s->n[2] * (size_t)s->n[0] + 1) * sizeof(double));
    SL_CHECK(w->part && w->total && w->plane_total && out->value && w->rows, SL_EMEM,
             "out of memory for structure functions");
    return SL_OK;
}

int sl_structure_make(const struct sl_slab *s, const double *const v[3], struct sl_structure *out)
{
    struct work w = {.slab = s};
    struct sl_structure result = {0, NULL, NULL};
    int code = sl_agree(s->comm, allocate(&w, &result));
    if (code == SL_OK) code = along_xy(&w, v);
    if (code == SL_OK && s->dim == 3) code = along_z(&w, v);
    if (code == SL_OK) finish(&w, &result);
    free(w.cells);
    free(w.part);
    free(w.rows);
    free(w.total);
    free(w.plane_total);
    if (code == SL_OK)
        *out = result;
    else
        sl_structure_release(&result);
    return code;
}

void sl_structure_release(struct sl_structure *structure)
{
    free(structure->lag);
    free(structure->value);
    *structure = (struct sl_structure){0, NULL, NULL};
}
