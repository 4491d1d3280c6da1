/* remap.c - see remap.h.
 *
 * Planes of the grid are made in their order, as the points need them, and as many are kept as the
 * longest shift may span: all fields of a cell stand side by side, and so a vector holds those of
 * four cells. In single precision, because the time goes into loads: twice as many cells stay in
 * the cache between points that are neighbours.
 */
#include "core/ic/remap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Of a spline of degree 5: its points, those below its place; points whose stencils are made
 * together; planes of points that are visited together, so that lines stay in the cache; numbers of
 * a vector, which holds most cells of a line of the stencil, while half of one holds the rest;
 * cells of a line that points at rest take together at most. */
enum { POINTS = 6, BELOW = 2, CHUNK = 32, DEEP = 4, FIELDS = SL_REMAP_FIELDS, LANES = 4 * FIELDS };
enum { SPAN = 2 * CHUNK };

double sl_remap_filter(int n, int cells)
{
    double angle = 6.28318530717958647693 * n / cells;
    return (66 + 52 * cos(angle) + 2 * cos(2 * angle)) / 120;
}

int sl_remap_init(const struct sl_slab *points, const struct sl_band *band, double reach,
                  struct sl_remap *out)
{
    struct sl_remap r = {.points = *points, .band = band, .reach = reach};
    int ok = 1;
    for (int d = 0; d < 3; d++) {
        r.shift[d] = sl_alloc_large(sl_slab_cells(points) * sizeof(float));
        ok = ok && r.shift[d];
    }
    sl_slab_init(points->comm, 3, band->cells, points->length, &r.grid);
    int code = sl_agree(points->comm, ok ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for shifts"));
    if (code != SL_OK)
        sl_remap_release(&r);
    else
        *out = r;
    return code;
}

static void drop_window(struct sl_remap *r)
{
    free(r->window);
    free(r->plane);
    free(r->line);
    r->window = NULL;
    r->plane = NULL;
    r->line = NULL;
    for (int i = 0; i < SL_REMAP_MODES; i++) {
        free(r->far[i]);
        r->far[i] = NULL;
    }
}

void sl_remap_release(struct sl_remap *r)
{
    for (int d = 0; d < 3; d++)
        free(r->shift[d]);
    drop_window(r);
    *r = (struct sl_remap){.window = NULL};
}

/* ---- which planes are needed ---- */

static int first_of(const struct sl_slab *s, int rank)
{
    return (int)((int64_t)s->n[2] * rank / s->size);
}

/* Plane of the grid at or below the centre of plane k of the points. */
static int64_t below(const struct sl_remap *r, int64_t k)
{
    return (2 * k + 1) * r->grid.n[2] / (2 * r->points.n[2]);
}

/* Planes of the grid on either side of that of a point. */
static int halo(const struct sl_remap *r)
{
    return (int)ceil(r->reach * r->grid.n[2] / r->points.n[2]) + POINTS / 2 + 1;
}

/* Planes of the grid around the points of a rank; none if it has no points. */
static void range_of(const struct sl_remap *r, int rank, int64_t *lo, int64_t *hi)
{
    int from = first_of(&r->points, rank), to = first_of(&r->points, rank + 1);
    *lo = below(r, from) - halo(r);
    *hi = to > from ? below(r, to - 1) + halo(r) + 1 : *lo;
}

static bool own_plane(const struct sl_slab *s, int rank, int64_t i)
{
    return i >= first_of(s, rank) && i < first_of(s, rank + 1);
}

static int wrap(int64_t i, int n)
{
    return (int)((i % n + n) % n);
}

static size_t plane_modes(const struct sl_remap *r)
{
    return (size_t)r->band->modes[1] * (size_t)r->band->nkx;
}

/* ---- planes of others ---- */

/* Those of another rank that are needed by rank `to`: sends them; returns the number of
 * messages. */
static int send_to(const struct sl_remap *r, const fftw_complex *modes, int to,
                   MPI_Request *request)
{
    const struct sl_slab *s = &r->grid;
    int64_t lo, hi;
    int n = 0;
    range_of(r, to, &lo, &hi);
    for (int64_t i = lo; i < hi; i++) {
        int plane = wrap(i, s->n[2]);
        if (own_plane(s, to, plane) || !own_plane(s, s->rank, plane)) continue;
        MPI_Isend(modes + (size_t)(plane - s->z0) * plane_modes(r), 2 * (int)plane_modes(r),
                  MPI_DOUBLE, to, (int)(i - lo), s->comm, &request[n++]);
    }
    return n;
}

/* Place of plane i, which another rank holds, among those that came from others. */
static size_t far_place(const struct sl_remap *r, int64_t i)
{
    size_t n = 0;
    for (int64_t j = r->lo; j < i; j++)
        n += !own_plane(&r->grid, r->grid.rank, wrap(j, r->grid.n[2]));
    return n;
}

static void receive(const struct sl_remap *r, fftw_complex *far)
{
    const struct sl_slab *s = &r->grid;
    for (int64_t i = r->lo; i < r->hi; i++) {
        int plane = wrap(i, s->n[2]);
        if (own_plane(s, s->rank, plane)) continue;
        MPI_Recv(far, 2 * (int)plane_modes(r), MPI_DOUBLE, sl_slab_owner(s, plane),
                 (int)(i - r->lo), s->comm, MPI_STATUS_IGNORE);
        far += plane_modes(r);
    }
}

static int fetch(struct sl_remap *r, const struct sl_remap_fields *f)
{
    const struct sl_slab *s = &r->grid;
    int64_t lo, hi, most = 0;
    for (int to = 0; to < s->size; to++) {
        range_of(r, to, &lo, &hi);
        most += hi - lo;
    }
    MPI_Request *request = malloc(((size_t)most + 1) * sizeof *request);
    SL_TRY(sl_agree(s->comm, request ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for messages")));
    for (int m = 0; m < f->nmodes; m++) {
        int n = 0;
        for (int to = 0; to < s->size; to++)
            if (to != s->rank) n += send_to(r, f->modes[m], to, request + n);
        receive(r, r->far[m]);
        MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    }
    free(request);
    return SL_OK;
}

/* ---- the window ---- */

/* In planes of the window the first cells of each line stand behind its last again, and the first
 * lines behind the last line, so that no stencil wraps there. */
static size_t line_size(const struct sl_remap *r)
{
    return ((size_t)r->grid.n[0] + POINTS - 1) * FIELDS;
}

static size_t plane_size(const struct sl_remap *r)
{
    return line_size(r) * ((size_t)r->grid.n[1] + POINTS - 1);
}

static int planes_kept(const struct sl_remap *r)
{
    return 2 * halo(r) + 2 + DEEP * r->grid.n[2] / r->points.n[2];
}

static int open_window(struct sl_remap *r, const struct sl_remap_fields *f)
{
    range_of(r, r->grid.rank, &r->lo, &r->hi);
    r->window = sl_alloc_large((size_t)planes_kept(r) * plane_size(r) * sizeof(float));
    r->plane = sl_alloc_large((size_t)f->n * sl_band_scratch(r->band) * sizeof *r->plane);
    r->line = calloc(FIELDS * (size_t)r->grid.n[0], sizeof *r->line); /* fields that are not: 0 */
    int ok = r->window && r->plane && r->line;
    for (int m = 0; m < f->nmodes; m++) {
        r->far[m] =
            sl_alloc_large((far_place(r, r->hi) * plane_modes(r) + 1) * sizeof(fftw_complex));
        ok = ok && r->far[m];
    }
    return sl_agree(r->points.comm,
                    ok ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for %d planes", planes_kept(r)));
}

/* A line of all fields, side by side, and its beginning again. */
static void mix_line(size_t n, const double *from, float *restrict to)
{
    const double *a = from, *b = from + n, *c = from + 2 * n, *d = from + 3 * n;
    for (size_t i = 0; i < n; i++) {
        to[FIELDS * i] = (float)a[i];
        to[FIELDS * i + 1] = (float)b[i];
        to[FIELDS * i + 2] = (float)c[i];
        to[FIELDS * i + 3] = (float)d[i];
    }
    for (size_t i = n; i < n + POINTS - 1; i++)
        memcpy(to + FIELDS * i, to + FIELDS * (i - n), FIELDS * sizeof *to);
}

/* Plane i of all fields on the grid along y. */
static void derive_plane(struct sl_remap *r, const struct sl_remap_fields *f, int64_t i)
{
    int plane = wrap(i, r->grid.n[2]);
    bool own = own_plane(&r->grid, r->grid.rank, plane);
    for (int p = 0; p < f->n; p++) {
        const struct sl_remap_part *part = &f->part[p];
        sl_band_derive_y(r->band, own ? f->modes[part->of] : r->far[part->of],
                         own ? plane - r->grid.z0 : (int)far_place(r, i), part->nx, part->ny,
                         part->factor, r->plane + (size_t)p * sl_band_scratch(r->band));
    }
}

/* Makes plane i of all fields. */
static void load_plane(struct sl_remap *r, const struct sl_remap_fields *f, int64_t i)
{
    size_t n0 = (size_t)r->grid.n[0], n1 = (size_t)r->grid.n[1];
    float *to = r->window + (size_t)((i - r->lo) % planes_kept(r)) * plane_size(r);
    derive_plane(r, f, i);
    for (size_t j = 0; j < n1; j++) {
        for (int p = 0; p < f->n; p++)
            sl_band_line_back(r->band, r->plane + (size_t)p * sl_band_scratch(r->band), (int)j,
                              r->line + (size_t)p * n0);
        mix_line(n0, r->line, to + j * line_size(r));
    }
    for (size_t j = n1; j < n1 + POINTS - 1; j++)
        memcpy(to + j * line_size(r), to + (j - n1) * line_size(r), line_size(r) * sizeof *to);
}

/* ---- interpolation ---- */

/* Of some points side by side: where they begin, and their weights along each axis. */
struct stencils {
    _Alignas(64) double place[3][CHUNK]; /* in cells of the grid; then that of the first cell */
    float w[3][POINTS][CHUNK];
};

/* Splines of the six cells around each place; the first of these, from `from` on, among n which
 * wrap. */
static void make_stencils(double from, double n, double *restrict place,
                          float w[restrict POINTS][CHUNK])
{
    for (int p = 0; p < CHUNK; p++) {
        double low = floor(place[p]);
        float t = (float)(place[p] - low), s = 1 - t, t2 = t * t, s2 = s * s;
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
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef float half __attribute__((vector_size(LANES / 2 * sizeof(float))));

/* The sum over six cells side by side, of which four lie in a. */
static inline void along_x(const float *a, const float *b, const struct stencils *s, int p,
                           double out[FIELDS])
{
    for (int i = 0; i < FIELDS; i++)
        out[i] = ((s->w[0][0][p] * a[i] + s->w[0][1][p] * a[FIELDS + i]) +
                  (s->w[0][2][p] * a[2 * FIELDS + i] + s->w[0][3][p] * a[3 * FIELDS + i])) +
                 (s->w[0][4][p] * b[i] + s->w[0][5][p] * b[FIELDS + i]);
}

/* Sums over the cells of the stencil of point p, of whose planes `first` are the first cells. */
static inline void at_point(const float *const first[POINTS], size_t line, const struct stencils *s,
                            int p, double out[FIELDS])
{
    lanes a = {0}, v;
    half b = {0}, u;
    for (size_t k = 0; k < POINTS; k++) {
        lanes in_a = {0};
        half in_b = {0};
        for (size_t j = 0; j < POINTS; j++) {
            const float *from = first[k] + j * line, w = s->w[1][j][p];
            memcpy(&v, from, sizeof v);
            memcpy(&u, from + LANES, sizeof u);
            in_a += w * v;
            in_b += w * u;
        }
        a += s->w[2][k][p] * in_a;
        b += s->w[2][k][p] * in_b;
    }
    along_x((const float *)&a, (const float *)&b, s, p, out);
}

static struct stencils stencils_of(const struct sl_remap *r, const int cell[3],
                                   double shift[3][CHUNK])
{
    struct stencils s;
    for (int d = 0; d < 3; d++) {
        double fine = (double)r->grid.n[d] / r->points.n[d];
        for (int p = 0; p < CHUNK; p++)
            s.place[d][p] = (cell[d] + (d == 0 ? p : 0) + 0.5 - shift[d][p]) * fine;
        make_stencils(d < 2 ? 0 : (double)r->lo, d < 2 ? r->grid.n[d] : planes_kept(r), s.place[d],
                      s.w[d]);
    }
    return s;
}

/* Where the planes of the stencil of point p begin. */
static inline void begin(const struct sl_remap *r, const struct stencils *s, int p,
                         const float *first[POINTS])
{
    size_t at = (size_t)s->place[1][p] * line_size(r) + (size_t)s->place[0][p] * FIELDS;
    for (int k = 0, plane = (int)s->place[2][p]; k < POINTS; k++, plane++) {
        if (plane == planes_kept(r)) plane = 0;
        first[k] = r->window + (size_t)plane * plane_size(r) + at;
    }
}

/* Sums over lines and planes of n numbers from first[] on, with the weights of point 0. */
static void across(const float *const first[POINTS], size_t line, const struct stencils *s, int n,
                   float *restrict sum)
{
    _Alignas(64) float in[SPAN * FIELDS];
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (size_t k = 0; k < POINTS; k++) {
        memset(in, 0, (size_t)n * sizeof *in);
        for (size_t j = 0; j < POINTS; j++)
            for (int i = 0; i < n; i++)
                in[i] += s->w[1][j][0] * first[k][j * line + (size_t)i];
        for (int i = 0; i < n; i++)
            sum[i] += s->w[2][k][0] * in[i];
    }
}

/* Points that are not shifted, with the same bits: sums over lines and planes are made once for all
 * points that take them. span: cells of the line that they take. */
static void at_rest(const struct sl_remap *r, const struct stencils *s, int count, int span,
                    double value[CHUNK][FIELDS])
{
    const float *first[POINTS];
    _Alignas(64) float sum[SPAN * FIELDS];
    begin(r, s, 0, first);
    across(first, line_size(r), s, span * FIELDS, sum);
    for (int p = 0; p < count; p++) {
        const float *a = sum + (size_t)(s->place[0][p] - s->place[0][0]) * FIELDS;
        along_x(a, a + LANES, s, p, value[p]);
    }
}

/* Cells of the line that points take which are not shifted; 0: they are shifted, or the line begins
 * again among these cells, or the grid is much finer than the points. */
static int span_at_rest(const struct stencils *s, int count, double shift[3][CHUNK])
{
    double moved = 0, span = s->place[0][count - 1] - s->place[0][0] + POINTS;
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < count; p++)
            moved += fabs(shift[d][p]);
    return moved == 0 && span >= POINTS && span <= SPAN ? (int)span : 0;
}

/* Points from `cell` on, shifted; all fields of each into value. */
static void at_chunk(const struct sl_remap *r, const int cell[3], int count, double shift[3][CHUNK],
                     double value[CHUNK][FIELDS])
{
    struct stencils s = stencils_of(r, cell, shift);
    const float *first[POINTS];
    int span = span_at_rest(&s, count, shift);
    if (span > 0) {
        at_rest(r, &s, count, span, value);
        return;
    }
    for (int p = 0; p < count; p++) {
        begin(r, &s, p, first);
        at_point(first, line_size(r), &s, p, value[p]);
    }
}

/* What is done with the points from `cell` on, of which the first is number c here. */
typedef void visit_fn(struct sl_remap *r, const int cell[3], size_t c, int count,
                      double *const out[]);

/* Planes planes[0] to planes[1] - 1 of the points. */
static void visit_planes(struct sl_remap *r, const int planes[2], visit_fn *visit,
                         double *const out[])
{
    const int *n = r->points.n;
    int cell[3], count;
    for (cell[1] = 0; cell[1] < n[1]; cell[1]++)
        for (cell[2] = planes[0]; cell[2] < planes[1]; cell[2]++)
            for (cell[0] = 0; cell[0] < n[0]; cell[0] += count) {
                size_t line = (size_t)(cell[2] - r->points.z0) * (size_t)n[1] + (size_t)cell[1];
                count = n[0] - cell[0] < CHUNK ? n[0] - cell[0] : CHUNK;
                visit(r, cell, line * (size_t)n[0] + (size_t)cell[0], count, out);
            }
}

static int visit_all(struct sl_remap *r, const struct sl_remap_fields *f, visit_fn *visit,
                     double *const out[])
{
    const struct sl_slab *s = &r->points;
    int code = open_window(r, f);
    if (code == SL_OK) code = fetch(r, f);
    int64_t next = r->lo;
    for (int k = s->z0, end = s->z0 + s->nz; k < end && code == SL_OK; k += DEEP) {
        const int planes[2] = {k, k + DEEP < end ? k + DEEP : end};
        for (; next <= below(r, planes[1] - 1) + halo(r); next++)
            load_plane(r, f, next);
        visit_planes(r, planes, visit, out);
    }
    drop_window(r);
    return code;
}

static void take_shifts(const struct sl_remap *r, size_t c, int count, double shift[3][CHUNK])
{
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < count; p++)
            shift[d][p] = (double)r->shift[d][c + (size_t)p];
}

static void apply(struct sl_remap *r, const int cell[3], size_t c, int count, double *const out[])
{
    double shift[3][CHUNK] = {{0}}, value[CHUNK][FIELDS];
    take_shifts(r, c, count, shift);
    at_chunk(r, cell, count, shift, value);
    for (int i = 0; i < FIELDS; i++)
        for (int p = 0; p < count; p++)
            if (out[i])
                out[i][c + (size_t)p] = value[p][i];
            else if (i < 3)
                r->shift[i][c + (size_t)p] = (float)value[p][i];
}

int sl_remap_apply(struct sl_remap *r, const struct sl_remap_fields *fields, double *const out[])
{
    double *to[FIELDS] = {NULL};
    for (int i = 0; i < fields->n; i++)
        to[i] = out[i];
    return visit_all(r, fields, apply, to);
}

/* ---- where points came from ---- */

/* A longer shift has read planes that were not there. */
static void note_longest(struct sl_remap *r, int count, const double along_z[CHUNK])
{
    double longest = r->longest;
    for (int p = 0; p < count; p++)
        longest = fabs(along_z[p]) <= longest ? longest : fabs(along_z[p]);
    r->longest = longest;
}

static void follow(struct sl_remap *r, const int cell[3], size_t c, int count, double *const out[])
{
    double shift[3][CHUNK] = {{0}}, value[CHUNK][FIELDS];
    (void)out;
    for (int step = 0; step < SL_REMAP_STEPS; step++) {
        at_chunk(r, cell, count, shift, value);
        for (int d = 0; d < 3; d++)
            for (int p = 0; p < count; p++)
                shift[d][p] = value[p][d];
        note_longest(r, count, shift[2]);
        if (!(r->longest <= r->reach)) return;
    }
    for (int d = 0; d < 3; d++)
        for (int p = 0; p < count; p++)
            r->shift[d][c + (size_t)p] = (float)shift[d][p];
}

int sl_remap_follow(struct sl_remap *r, const struct sl_remap_fields *moved)
{
    double longest;
    r->longest = 0;
    SL_TRY(visit_all(r, moved, follow, NULL));
    MPI_Allreduce(&r->longest, &longest, 1, MPI_DOUBLE, MPI_MAX, r->points.comm);
    SL_CHECK(longest <= r->reach, SL_EGUARD,
             "a displacement of %.3g cells is longer than the %.3g that there is room for", longest,
             r->reach);
    return SL_OK;
}
