/* remap.c - see remap.h. */
#include "core/ic/remap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { POINTS = 6, BELOW = 2 }; /* of a spline of degree 5, below the point */

double sl_remap_filter(int n, int cells)
{
    double angle = 6.28318530717958647693 * n / cells;
    return (66 + 52 * cos(angle) + 2 * cos(2 * angle)) / 120;
}

/* Splines of the six points around t in [0, 1). */
static void weights(double t, double w[POINTS])
{
    double s = 1 - t, t2 = t * t, s2 = s * s;
    w[0] = s2 * s2 * s / 120;
    w[5] = t2 * t2 * t / 120;
    w[1] = (26 + t * (-50 + t * (20 + t * (20 + t * (-20 + t * 5))))) / 120;
    w[4] = (26 + s * (-50 + s * (20 + s * (20 + s * (-20 + s * 5))))) / 120;
    w[2] = (66 + t2 * (-60 + t2 * (30 - t * 10))) / 120;
    w[3] = (66 + s2 * (-60 + s2 * (30 - s * 10))) / 120;
}

int sl_remap_init(const struct sl_slab *points, const struct sl_slab *grid, struct sl_remap *out)
{
    struct sl_remap r = {.points = *points, .grid = *grid};
    int ok = 1;
    for (int d = 0; d < 3; d++) {
        r.shift[d] = malloc((sl_slab_cells(points) + 1) * sizeof(double));
        ok = ok && r.shift[d];
    }
    int code = sl_agree(points->comm, ok ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for shifts"));
    if (code != SL_OK)
        sl_remap_release(&r);
    else
        *out = r;
    return code;
}

void sl_remap_release(struct sl_remap *r)
{
    for (int d = 0; d < 3; d++)
        free(r->shift[d]);
    free(r->planes);
    *r = (struct sl_remap){.planes = NULL};
}

static size_t plane_cells(const struct sl_remap *r)
{
    return (size_t)r->grid.n[0] * (size_t)r->grid.n[1];
}

static int first_of(const struct sl_slab *s, int rank)
{
    return (int)((int64_t)s->n[2] * rank / s->size);
}

/* Planes of the grid that a rank needs: those around its points, and its own. */
static void range_of(const struct sl_remap *r, int rank, int64_t *lo, int64_t *hi)
{
    int64_t points = r->points.n[2], cells = r->grid.n[2];
    int64_t own = first_of(&r->grid, rank), end = first_of(&r->grid, rank + 1);
    *lo = first_of(&r->points, rank) * cells / points - r->halo;
    *hi = (first_of(&r->points, rank + 1) * cells + points - 1) / points + r->halo;
    if (*lo > own) *lo = own;
    if (*hi < end) *hi = end;
}

int sl_remap_ready(struct sl_remap *r)
{
    double most = 0, all;
    for (size_t i = 0; i < sl_slab_cells(&r->points); i++)
        most = fmax(most, fabs(r->shift[2][i]));
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, r->points.comm);
    r->halo = (int)ceil(all * r->grid.n[2] / r->points.n[2]) + POINTS / 2 + 1;
    range_of(r, r->points.rank, &r->lo, &r->hi);
    r->planes = malloc((size_t)(r->hi - r->lo) * plane_cells(r) * sizeof(double) + 1);
    return sl_agree(r->points.comm,
                    r->planes ? SL_OK
                              : SL_FAIL(SL_EMEM, "out of memory for %d planes of halo", r->halo));
}

double *sl_remap_plane(const struct sl_remap *r, int k)
{
    return r->planes + (size_t)(r->grid.z0 + k - r->lo) * plane_cells(r);
}

/* ---- planes of others ---- */

static int wrap(int64_t i, int n)
{
    return (int)((i % n + n) % n);
}

static bool own_plane(const struct sl_slab *s, int rank, int64_t i)
{
    return i >= first_of(s, rank) && i < first_of(s, rank + 1);
}

/* Sends what another rank needs; returns the number of messages. */
static int send_to(const struct sl_remap *r, int to, MPI_Request *request)
{
    const struct sl_slab *s = &r->grid;
    int64_t lo, hi;
    int n = 0;
    range_of(r, to, &lo, &hi);
    for (int64_t i = lo; i < hi; i++) {
        int plane = wrap(i, s->n[2]);
        if (own_plane(s, to, i) || !own_plane(s, s->rank, plane)) continue;
        MPI_Isend(sl_remap_plane(r, plane - s->z0), (int)plane_cells(r), MPI_DOUBLE, to,
                  (int)(i - lo), s->comm, &request[n++]);
    }
    return n;
}

static int owner(const struct sl_slab *s, int plane)
{
    int rank = (int)((int64_t)plane * s->size / s->n[2]);
    while (rank > 0 && first_of(s, rank) > plane)
        rank--;
    while (first_of(s, rank + 1) <= plane)
        rank++;
    return rank;
}

static void receive(struct sl_remap *r)
{
    const struct sl_slab *s = &r->grid;
    size_t cells = plane_cells(r);
    for (int64_t i = r->lo; i < r->hi; i++) {
        int plane = wrap(i, s->n[2]), from = owner(s, plane);
        double *to = r->planes + (size_t)(i - r->lo) * cells;
        if (own_plane(s, s->rank, i)) continue;
        if (from == s->rank)
            memcpy(to, sl_remap_plane(r, plane - s->z0), cells * sizeof *to);
        else
            MPI_Recv(to, (int)cells, MPI_DOUBLE, from, (int)(i - r->lo), s->comm,
                     MPI_STATUS_IGNORE);
    }
}

static int fill_halo(struct sl_remap *r)
{
    const struct sl_slab *s = &r->grid;
    int n = 0, most = 2 * r->halo + 4;
    MPI_Request *request = malloc((size_t)most * (size_t)s->size * sizeof *request);
    SL_TRY(sl_agree(s->comm, request ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for messages")));
    for (int to = 0; to < s->size; to++)
        if (to != s->rank) n += send_to(r, to, request + n);
    receive(r);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    free(request);
    return SL_OK;
}

/* ---- interpolation ---- */

struct stencil {
    int at[POINTS];
    double w[POINTS];
};

/* Around point x of n points that wrap; first: index of the point that stands first in memory, no wrap then. */
static void stencil_of(double x, int n, int64_t first, struct stencil *s)
{
    double low = floor(x);
    weights(x - low, s->w);
    for (int p = 0; p < POINTS; p++)
        s->at[p] =
            n > 0 ? wrap((int64_t)low + p - BELOW, n) : (int)((int64_t)low + p - BELOW - first);
}

/* Sum over the points of a line; those that do not wrap stand side by side. */
static double on_line(const double *line, const struct stencil *x)
{
    const double *w = x->w, *v = line + x->at[0];
    if (x->at[POINTS - 1] - x->at[0] == POINTS - 1)
        return w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + w[3] * v[3] + w[4] * v[4] + w[5] * v[5];
    double sum = 0;
    for (int i = 0; i < POINTS; i++)
        sum += w[i] * line[x->at[i]];
    return sum;
}

static double at_point(const struct sl_remap *r, const struct stencil *x, const struct stencil *y,
                       const struct stencil *z)
{
    size_t n0 = (size_t)r->grid.n[0], cells = plane_cells(r);
    double sum = 0;
    for (int k = 0; k < POINTS; k++) {
        const double *plane = r->planes + (size_t)z->at[k] * cells;
        double in_plane = 0;
        for (int j = 0; j < POINTS; j++)
            in_plane += y->w[j] * on_line(plane + (size_t)y->at[j] * n0, x);
        sum += z->w[k] * in_plane;
    }
    return sum;
}

int sl_remap_apply(struct sl_remap *r, double *out)
{
    const struct sl_slab *s = &r->points;
    double fine[3];
    size_t c = 0;
    SL_TRY(fill_halo(r));
    for (int d = 0; d < 3; d++)
        fine[d] = (double)r->grid.n[d] / s->n[d];
    for (int k = s->z0; k < s->z0 + s->nz; k++)
        for (int j = 0; j < s->n[1]; j++)
            for (int i = 0; i < s->n[0]; i++, c++) {
                struct stencil x, y, z;
                stencil_of((i + 0.5 - r->shift[0][c]) * fine[0], r->grid.n[0], 0, &x);
                stencil_of((j + 0.5 - r->shift[1][c]) * fine[1], r->grid.n[1], 0, &y);
                stencil_of((k + 0.5 - r->shift[2][c]) * fine[2], 0, r->lo, &z);
                out[c] = at_point(r, &x, &y, &z);
            }
    return SL_OK;
}
