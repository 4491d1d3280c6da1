/* remap.c - see remap.h. */
#include "core/ic/remap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Of a spline of degree 5: its points, those below its place, and what is read along x to have a whole vector; points whose
 * stencils are made together. */
enum { POINTS = 6, BELOW = 2, LANES = 8, CHUNK = 32 };

double sl_remap_filter(int n, int cells)
{
    double angle = 6.28318530717958647693 * n / cells;
    return (66 + 52 * cos(angle) + 2 * cos(2 * angle)) / 120;
}

int sl_remap_init(const struct sl_slab *points, const struct sl_slab *grid, struct sl_remap *out)
{
    struct sl_remap r = {.points = *points, .grid = *grid};
    int ok = 1;
    for (int d = 0; d < 3; d++) {
        r.shift[d] = sl_alloc_large(sl_slab_cells(points) * sizeof(double));
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

/* In planes the first cells of each line stand behind its last again, and the first lines behind the last line, so that no
 * stencil wraps there. */
static size_t line_cells(const struct sl_remap *r)
{
    return (size_t)r->grid.n[0] + LANES - 1;
}

static size_t plane_cells(const struct sl_remap *r)
{
    return line_cells(r) * ((size_t)r->grid.n[1] + POINTS - 1);
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
    r->planes = sl_alloc_large((size_t)(r->hi - r->lo) * plane_cells(r) * sizeof(double));
    return sl_agree(r->points.comm,
                    r->planes ? SL_OK
                              : SL_FAIL(SL_EMEM, "out of memory for %d planes of halo", r->halo));
}

static double *plane_at(const struct sl_remap *r, int k)
{
    return r->planes + (size_t)(r->grid.z0 + k - r->lo) * plane_cells(r);
}

void sl_remap_put(const struct sl_remap *r, int k, const double *plane)
{
    size_t n0 = (size_t)r->grid.n[0], n1 = (size_t)r->grid.n[1], size = line_cells(r);
    double *to = plane_at(r, k);
    for (size_t j = 0; j < n1 + POINTS - 1; j++) {
        const double *from = plane + j % n1 * n0;
        double *line = to + j * size;
        memcpy(line, from, n0 * sizeof *line);
        for (size_t i = n0; i < size; i++)
            line[i] = from[i % n0];
    }
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
        MPI_Isend(plane_at(r, plane - s->z0), (int)plane_cells(r), MPI_DOUBLE, to, (int)(i - lo),
                  s->comm, &request[n++]);
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
            memcpy(to, plane_at(r, plane - s->z0), cells * sizeof *to);
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

/* Of some points side by side: where they begin, and their weights along each axis. */
struct stencils {
    double place[3][CHUNK]; /* in cells of the grid; then that of the first cell */
    double w[3][POINTS][CHUNK];
};

/* Splines of the six cells around each place; the first of these, among n cells from `from` on, which wrap. */
static void make_stencils(double from, double n, double *restrict place,
                          double w[restrict POINTS][CHUNK])
{
    for (int p = 0; p < CHUNK; p++) {
        double low = floor(place[p]), t = place[p] - low, s = 1 - t, t2 = t * t, s2 = s * s;
        w[0][p] = s2 * s2 * s / 120;
        w[5][p] = t2 * t2 * t / 120;
        w[1][p] = (26 + t * (-50 + t * (20 + t * (20 + t * (-20 + t * 5))))) / 120;
        w[4][p] = (26 + s * (-50 + s * (20 + s * (20 + s * (-20 + s * 5))))) / 120;
        w[2][p] = (66 + t2 * (-60 + t2 * (30 - t * 10))) / 120;
        w[3][p] = (66 + s2 * (-60 + s2 * (30 - s * 10))) / 120;
        place[p] = low - BELOW - from;
        place[p] -= n * floor(place[p] / n);
    }
}

/* Compilers of C split these where the machine has none of that size. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

static inline lanes lanes_at(const double *from)
{
    lanes out;
    memcpy(&out, from, sizeof out);
    return out;
}

/* Sum over the cells of the stencil of point p, of which `first` is the first; what is beyond them along x is left out. */
static double at_point(const double *first, size_t line, size_t plane, const struct stencils *s,
                       int p)
{
    double sum = 0;
    lanes all = {0};
    for (size_t k = 0; k < POINTS; k++) {
        lanes in_plane = {0};
        for (size_t j = 0; j < POINTS; j++)
            in_plane += s->w[1][j][p] * lanes_at(first + k * plane + j * line);
        all += s->w[2][k][p] * in_plane;
    }
    for (int i = 0; i < POINTS; i++)
        sum += s->w[0][i][p] * all[i];
    return sum;
}

/* Up to CHUNK points from `cell` on, which is number c here. */
static void apply_chunk(const struct sl_remap *r, const int cell[3], size_t c, int count,
                        double *out)
{
    struct stencils s = {.place = {{0}}};
    size_t line = line_cells(r), plane = plane_cells(r);
    for (int d = 0; d < 3; d++) {
        double fine = (double)r->grid.n[d] / r->points.n[d];
        for (int p = 0; p < count; p++)
            s.place[d][p] = (cell[d] + (d == 0 ? p : 0) + 0.5 - r->shift[d][c + (size_t)p]) * fine;
        make_stencils(d < 2 ? 0 : (double)r->lo, (double)(d < 2 ? r->grid.n[d] : r->hi - r->lo),
                      s.place[d], s.w[d]);
    }
    for (int p = 0; p < count; p++) {
        size_t x = (size_t)s.place[0][p], y = (size_t)s.place[1][p], z = (size_t)s.place[2][p];
        out[c + (size_t)p] = at_point(r->planes + z * plane + y * line + x, line, plane, &s, p);
    }
}

int sl_remap_apply(struct sl_remap *r, double *out)
{
    const struct sl_slab *s = &r->points;
    size_t c = 0;
    SL_TRY(fill_halo(r));
    for (int k = s->z0; k < s->z0 + s->nz; k++)
        for (int j = 0; j < s->n[1]; j++)
            for (int i = 0, count; i < s->n[0]; i += count, c += (size_t)count) {
                const int cell[3] = {i, j, k};
                count = s->n[0] - i < CHUNK ? s->n[0] - i : CHUNK;
                apply_chunk(r, cell, c, count, out);
            }
    return SL_OK;
}
