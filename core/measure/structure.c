/* structure.c - see structure.h.
 *
 * Where planes lie on other ranks, lags with a step along z need a second copy of the field whose
 * planes are shifted by it; all directions of a lag share it. Sums are made per plane.
 */
#include "core/measure/structure.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/device.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { MOST_DIRECTIONS = 6, LANES = 8 };

struct work {
    const struct sl_slab *slab;
    int ncomp; /* that are there: 1 of a scalar, the dimensions of a vector */
    int ndirection;
    struct sl_separation direction[MOST_DIRECTIONS]; /* of steps of one cell */
    int nlag;
    int *cells;   /* [nlag][3]: the step in cells of each axis; 0: the axis does not take part */
    double *part; /* sums of each lag and plane: [nlag][nz][COLUMNS] */
    double *shifted[3]; /* own planes of the field one step along z on; NULL: none is needed */
    double *line;       /* differences along one line */
    struct sl_stats_device *device; /* borrowed; holds the fields; NULL: the processor adds up */
};

/* ---- directions ---- */

/* v -> v / |v| */
static void normalise(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int d = 0; d < 3; d++)
        v[d] /= length;
}

/* Unit vectors: along e, then across, those of an axis or a face being the other axes and
 * diagonals. */
static void set_units(struct sl_separation *q)
{
    const int *e = q->step;
    int axes[3], n = 0, first = e[0] ? 0 : e[1] ? 1 : 2;
    for (int d = 0; d < 3; d++) {
        if (e[d]) axes[n++] = d;
        q->unit[0][d] = e[d];
    }
    int second = n > 1 ? axes[1] : first == 0, third = 3 - first - second;
    q->unit[1][second] = n > 1 ? -e[second] : 1;
    if (n > 1) q->unit[1][first] = e[first];
    q->unit[2][third] = 1;
    if (n == 3) {
        q->unit[2][first] = e[first];
        q->unit[2][second] = e[second];
        q->unit[2][third] = -2 * e[third];
    }
    for (int i = 0; i < 3; i++)
        normalise(q->unit[i]);
}

/* e and -e have the same pairs: the last component that is not 0 is 1. */
static int is_member(const struct sl_slab *s, enum sl_structure_family family, const int e[3])
{
    int axes = 0, last = 0;
    for (int d = 0; d < 3; d++) {
        if (e[d] && d >= s->dim) return 0;
        axes += e[d] != 0;
        if (e[d]) last = e[d];
    }
    return axes == (int)family + 1 && last == 1;
}

static void set_directions(struct work *w, enum sl_structure_family family)
{
    for (int i = 0; i < 27; i++) {
        struct sl_separation q = {.step = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1}};
        if (!is_member(w->slab, family, q.step)) continue;
        set_units(&q);
        w->direction[w->ndirection++] = q;
    }
}

/* ---- lags ---- */

/* Step in cells of axis d, or 0. */
static int step_cells(const struct sl_slab *s, int d, double step)
{
    if (d >= s->dim) return 0;
    double cells = step * s->n[d] / s->length[d], whole = floor(cells + 0.5);
    int fits = fabs(cells - whole) < 1e-6 && whole >= 1 && 2 * whole <= s->n[d];
    return fits ? (int)whole : 0;
}

static int takes_part(const struct sl_separation *q, const int cells[3])
{
    for (int d = 0; d < 3; d++)
        if (q->step[d] && !cells[d]) return 0;
    return 1;
}

/* The directions of a lag; returns their number. */
static int set_separations(const struct work *w, const int cells[3],
                           struct sl_separation separation[MOST_DIRECTIONS])
{
    int n = 0;
    for (int i = 0; i < w->ndirection; i++) {
        if (!takes_part(&w->direction[i], cells)) continue;
        separation[n] = w->direction[i];
        for (int d = 0; d < 3; d++)
            separation[n].step[d] *= cells[d];
        n++;
    }
    return n;
}

static int set_lags(struct work *w, enum sl_structure_family family, struct sl_structure *out)
{
    const struct sl_slab *s = w->slab;
    double dx = INFINITY, half = INFINITY;
    for (int d = 0; d < s->dim; d++) {
        dx = fmin(dx, s->length[d] / s->n[d]);
        half = fmin(half, 0.5 * s->length[d]);
    }
    int most = (int)floor(half / dx + 1e-6);
    out->lag = malloc(((size_t)most + 1) * sizeof *out->lag);
    w->cells = malloc((3 * (size_t)most + 1) * sizeof *w->cells);
    SL_CHECK(out->lag && w->cells, SL_EMEM, "out of memory");
    for (int l = 1; l <= most; l = (int)fmax(l + 1, floor(l * pow(2, 0.25) + 0.5))) {
        int any = 0;
        for (int d = 0; d < 3; d++)
            w->cells[3 * w->nlag + d] = step_cells(s, d, l * dx);
        for (int q = 0; q < w->ndirection; q++)
            any += takes_part(&w->direction[q], w->cells + 3 * w->nlag);
        if (any) out->lag[w->nlag++] = l * dx * sqrt((int)family + 1);
    }
    out->nlag = w->nlag;
    return SL_OK;
}

/* ---- sums ---- */

/* Sums of |d|^p, p = 1 .. 6, in lanes: a sum alone would wait for itself at each value. */
struct powers {
    double sum[SL_STRUCTURE_ORDERS][LANES];
};

/* n <= LANES values, each to its lane. */
static inline void add_lanes(const double *difference, int n, struct powers *p)
{
    for (int i = 0; i < n; i++) {
        double d = fabs(difference[i]), d2 = d * d, d3 = d2 * d;
        p->sum[0][i] += d;
        p->sum[1][i] += d2;
        p->sum[2][i] += d3;
        p->sum[3][i] += d2 * d2;
        p->sum[4][i] += d2 * d3;
        p->sum[5][i] += d3 * d3;
    }
}

static void add_powers(const double *difference, int n, struct powers *powers)
{
    struct powers p = *powers;
    int whole = n - n % LANES;
    for (int i = 0; i < whole; i += LANES)
        add_lanes(difference + i, LANES, &p);
    add_lanes(difference + whole, n - whole, &p);
    *powers = p;
}

static void add_up(const struct powers *powers, double *sum)
{
    for (int p = 0; p < SL_STRUCTURE_ORDERS; p++)
        for (int i = 0; i < LANES; i++)
            sum[p] += powers->sum[p][i];
}

/* out[i] += weight (b[i + step] - a[i]), periodic, 0 <= step < n. */
static void add_difference(double *restrict out, const double *a, const double *b, int n, int step,
                           double weight)
{
    for (int i = 0; i < n - step; i++)
        out[i] += weight * (b[i + step] - a[i]);
    for (int i = n - step; i < n; i++)
        out[i] += weight * (b[i + step - n] - a[i]);
}

static int wrap(int i, int n)
{
    return (i + n) % n;
}

/* Component c, `step` planes on from own plane k. */
static const double *far_plane(const struct work *w, const double *const f[], int c, int k,
                               int step)
{
    const struct sl_slab *s = w->slab;
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    if (step > 0 && w->shifted[c]) return w->shifted[c] + (size_t)k * plane;
    return f[c] + (size_t)wrap(k + step, s->n[2]) * plane;
}

/* One direction, own plane k. */
static void add_plane(const struct work *w, const struct sl_separation *separation, int k,
                      const double *const f[], double *sum)
{
    const struct sl_slab *s = w->slab;
    size_t row = (size_t)s->n[0], plane = (size_t)k * (size_t)s->n[1] * row;
    int x = wrap(separation->step[0], s->n[0]);
    const double *far[3];
    for (int c = 0; c < w->ncomp; c++)
        far[c] = far_plane(w, f, c, k, separation->step[2]);
    for (int i = 0; i < w->ncomp; i++) {
        struct powers powers = {{{0}}};
        for (int j = 0; j < s->n[1]; j++) {
            size_t a = (size_t)j * row, b = (size_t)wrap(j + separation->step[1], s->n[1]) * row;
            memset(w->line, 0, row * sizeof *w->line);
            for (int c = 0; c < w->ncomp; c++) {
                double weight = w->ncomp == 1 ? 1 : separation->unit[i][c];
                if (weight != 0)
                    add_difference(w->line, f[c] + plane + a, far[c] + b, s->n[0], x, weight);
            }
            add_powers(w->line, s->n[0], &powers);
        }
        add_up(&powers, sum + (i == 0 ? 0 : SL_STRUCTURE_ORDERS));
    }
}

static int shift(struct work *w, int planes, const double *const f[])
{
    for (int c = 0; c < w->ncomp && planes > 0 && w->shifted[c]; c++)
        SL_TRY(sl_slab_shift(w->slab, planes, f[c], w->shifted[c]));
    return SL_OK;
}

/* The sums of lag l, plane by plane. */
static double *part_of(const struct work *w, int l)
{
    return w->part + (size_t)l * (size_t)w->slab->nz * SL_STRUCTURE_COLUMNS;
}

/* Of own plane k. */
static void add_lag_of_plane(const struct work *w, int l, int k, const double *const f[])
{
    struct sl_separation separation[MOST_DIRECTIONS];
    int nseparation = set_separations(w, w->cells + 3 * l, separation);
    for (int i = 0; i < nseparation; i++)
        add_plane(w, separation + i, k, f, part_of(w, l) + (size_t)k * SL_STRUCTURE_COLUMNS);
}

static int add_lag_on_device(const struct work *w, int l)
{
    struct sl_separation separation[MOST_DIRECTIONS];
    int nseparation = set_separations(w, w->cells + 3 * l, separation);
    return w->device->differences(w->device, nseparation, separation, part_of(w, l));
}

/* Where planes of others come for a lag. */
static int add_lag(struct work *w, int l, const double *const f[])
{
    SL_TRY(shift(w, w->cells[3 * l + 2], f));
    for (int k = 0; k < w->slab->nz; k++)
        add_lag_of_plane(w, l, k, f);
    return SL_OK;
}

/* Where all planes are own, one stays in the cache for all lags. */
static int add_lags(struct work *w, const double *const f[])
{
    bool all = w->slab->size == 1 && !w->device;
    for (int i = 0; i < w->nlag * w->slab->nz && all; i++)
        add_lag_of_plane(w, i % w->nlag, i / w->nlag, f);
    for (int l = 0; l < w->nlag && !all; l++)
        SL_TRY(sl_agree(w->slab->comm, w->device ? add_lag_on_device(w, l) : add_lag(w, l, f)));
    return SL_OK;
}

/* Means over cells, separations and components. */
static int finish_lag(const struct work *w, int l, double *value)
{
    const struct sl_slab *s = w->slab;
    struct sl_separation separation[MOST_DIRECTIONS];
    double all = (double)s->n[0] * s->n[1] * s->n[2];
    int nseparation = set_separations(w, w->cells + 3 * l, separation);
    SL_TRY(sl_slab_sum(s, SL_STRUCTURE_COLUMNS, part_of(w, l), value));
    for (int i = 0; i < SL_STRUCTURE_COLUMNS; i++) {
        int across = i < SL_STRUCTURE_ORDERS || w->ncomp < 2 ? 1 : w->ncomp - 1;
        value[i] /= all * nseparation * across;
    }
    return SL_OK;
}

/* ---- all of it ---- */

static int allocate(struct work *w, enum sl_structure_family family, struct sl_structure *out)
{
    const struct sl_slab *s = w->slab;
    set_directions(w, family);
    SL_TRY(set_lags(w, family, out));
    w->part = calloc((size_t)w->nlag * (size_t)s->nz * SL_STRUCTURE_COLUMNS + 1, sizeof(double));
    w->line = malloc((size_t)s->n[0] * sizeof(double));
    out->value = calloc((size_t)w->nlag * SL_STRUCTURE_COLUMNS + 1, sizeof(double));
    SL_CHECK(w->part && w->line && out->value, SL_EMEM, "out of memory for structure functions");
    return SL_OK;
}

/* Gives the fields to the slab's device, if there is one and it has the room. */
static int hold(struct work *w, const double *const f[])
{
    struct sl_stats_device *d = w->slab->device;
    if (!d || w->nlag == 0) return SL_OK;
    int code = sl_agree(w->slab->comm, d->hold(d, w->slab, w->ncomp, f));
    if (sl_stats_device_failed(d, w->slab->rank, code, "structure functions")) return SL_OK;
    w->device = d;
    return code;
}

/* Room for planes of other ranks, where they come through the processor. */
static int allocate_shifted(struct work *w)
{
    const struct sl_slab *s = w->slab;
    if (s->size == 1 || w->device) return SL_OK;
    for (int c = 0; c < w->ncomp && !w->shifted[c]; c++) {
        w->shifted[c] = malloc((sl_slab_cells(s) + 1) * sizeof(double));
        SL_CHECK(w->shifted[c], SL_EMEM, "out of memory for structure functions");
    }
    return SL_OK;
}

static int add_all(struct work *w, const double *const f[])
{
    SL_TRY(sl_agree(w->slab->comm, allocate_shifted(w)));
    return add_lags(w, f);
}

/* Where the device fails on the way, all of it again on the processor. */
static int measure(struct work *w, const double *const f[])
{
    const struct sl_slab *s = w->slab;
    SL_TRY(hold(w, f));
    int code = add_all(w, f);
    if (!w->device || !sl_stats_device_failed(w->device, s->rank, code, "structure functions"))
        return code;
    w->device = NULL;
    memset(w->part, 0, (size_t)w->nlag * (size_t)s->nz * SL_STRUCTURE_COLUMNS * sizeof *w->part);
    return add_all(w, f);
}

int sl_structure_make(const struct sl_slab *s, enum sl_structure_family family, int ncomp,
                      const double *const f[], struct sl_structure *out)
{
    struct work w = {.slab = s, .ncomp = ncomp == 1 ? 1 : s->dim};
    struct sl_structure result = {0, NULL, NULL};
    int code = sl_agree(s->comm, allocate(&w, family, &result));
    if (code == SL_OK) code = measure(&w, f);
    for (int l = 0; l < w.nlag && code == SL_OK; l++)
        code = finish_lag(&w, l, result.value + (size_t)l * SL_STRUCTURE_COLUMNS);
    free(w.cells);
    free(w.part);
    free(w.line);
    for (int c = 0; c < 3; c++)
        free(w.shifted[c]);
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
