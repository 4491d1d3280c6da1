/* screen.c - see screen.h. */
#include "core/gravity/screen.h"

#include <fftw3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/gravity/lattice_green.h"
#include "core/sweep/lanes.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

enum {
    KINDS = 3,        /* of what acts on a side: sides of its own axis, of either other one */
    UNITS = 3 + 3 * 4 /* parts of the work: an axis with itself, a side with another axis */
};

/* Two sides across an axis, which act on themselves and on each other. */
struct facing {
    int n[2];           /* cells of a side, along the earlier axis first */
    double *same, *far; /* owned; [n1 + 1][n0 + 1], factors of modes */
};

struct sl_screen {
    int n[3], places;
    double h[3];
    double *near[3], *along[3]; /* owned; [places][n + 1]: of two cells, and [places][2 n - 1] */
    struct facing facing[3];
    double *part;         /* owned; [KINDS] values at the sides */
    double *line;         /* owned; of a place: a row of each of two sums */
    double *charge, *sum; /* owned; of a side: [cells of the axis that is summed][shared axis] */
    double *modes;        /* owned; of two sides of twice the cells */
    double *square;       /* owned; such a side */
};

static size_t all_sides(const struct sl_screen *s)
{
    return sl_screen_at(s->n, 3, 0);
}

/* The two other axes. */
static void across(int axis, int t[2])
{
    t[0] = axis == 0 ? 1 : 0;
    t[1] = axis == 2 ? 1 : 2;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Of two cells side by side on one cell, and of each cell on each other one. */
static int set_near(struct sl_screen *s, const struct sl_lattice_green *g, int d)
{
    size_t n = (size_t)s->n[d], places = (size_t)s->places;
    double *value = malloc(places * (n + 2) * sizeof *value);
    s->near[d] = malloc(places * (n + 1) * sizeof(double));
    s->along[d] = malloc(places * (2 * n - 1) * sizeof(double));
    if (!value || !s->near[d] || !s->along[d]) {
        free(value);
        return SL_FAIL(SL_EMEM, "no memory for the sides of a box of %d cells", s->n[d]);
    }
    sl_lattice_green_values(g, d, value);
    for (size_t q = 0; q < places; q++) {
        const double *of = value + q * (n + 2);
        for (size_t i = 0; i <= n; i++)
            s->near[d][q * (n + 1) + i] = of[i] + of[i + 1];
        for (size_t i = 0; i < n; i++)
            s->along[d][q * (2 * n - 1) + n - 1 + i] = s->along[d][q * (2 * n - 1) + n - 1 - i] =
                of[i];
    }
    free(value);
    return SL_OK;
}

static void set_factor(const struct sl_screen *s, const struct sl_lattice_green *g, int d, int far,
                       double *out)
{
    const struct facing *f = &s->facing[d];
    size_t n0 = (size_t)f->n[0] + 1, n1 = (size_t)f->n[1] + 1;
    int t[2], places;
    across(d, t);
    const double *x = sl_lattice_green_axis(g, t[0], &places),
                 *y = sl_lattice_green_axis(g, t[1], &places);
    memset(out, 0, n0 * n1 * sizeof *out);
    for (int q = 0; q < places; q++, x += n0, y += n1) {
        const double *near = s->near[d] + (size_t)q * ((size_t)s->n[d] + 1);
        double weight = far ? near[s->n[d] - 1] + near[s->n[d]] : 2 * near[0];
        for (size_t k = 0; k < n1; k++)
            for (size_t i = 0; i < n0; i++)
                out[k * n0 + i] += weight * y[k] * x[i];
    }
}

static int set_facing(struct sl_screen *s, const struct sl_lattice_green *g, int d)
{
    struct facing *f = &s->facing[d];
    int t[2];
    across(d, t);
    f->n[0] = s->n[t[0]], f->n[1] = s->n[t[1]];
    size_t factors = ((size_t)f->n[0] + 1) * ((size_t)f->n[1] + 1);
    f->same = fftw_alloc_real(factors);
    f->far = fftw_alloc_real(factors);
    SL_CHECK(f->same && f->far, SL_EMEM, "no memory for sides of %d x %d cells", f->n[0], f->n[1]);
    set_factor(s, g, d, 0, f->same);
    set_factor(s, g, d, 1, f->far);
    return SL_OK;
}

static int make_room(struct sl_screen *s)
{
    size_t most = 0, modes = 0, row = 0;
    for (int d = 0; d < 3; d++) {
        const int *n = s->facing[d].n;
        size_t area = sl_screen_area(s->n, d),
               padded = 2 * (size_t)n[1] * ((size_t)n[0] + 1); /* complex */
        most = area > most ? area : most;
        modes = padded > modes ? padded : modes;
        row = (size_t)s->n[d] > row ? (size_t)s->n[d] : row;
    }
    s->part = fftw_alloc_real(KINDS * all_sides(s));
    s->line = malloc(2 * row * sizeof *s->line);
    s->charge = fftw_alloc_real(most);
    s->sum = fftw_alloc_real(most);
    s->modes = fftw_alloc_real(4 * modes);
    s->square = fftw_alloc_real(2 * modes);
    SL_CHECK(s->part && s->line && s->charge && s->sum && s->modes && s->square, SL_EMEM,
             "no memory for the sides of a box of %d x %d x %d cells", s->n[0], s->n[1], s->n[2]);
    return SL_OK;
}

static int make(struct sl_screen *s)
{
    struct sl_lattice_green *g;
    SL_TRY(sl_lattice_green_new(s->n, s->h, &g));
    sl_lattice_green_axis(g, 0, &s->places);
    int code = SL_OK;
    for (int d = 0; d < 3 && code == SL_OK; d++)
        code = set_near(s, g, d);
    for (int d = 0; d < 3 && code == SL_OK; d++)
        code = set_facing(s, g, d);
    sl_lattice_green_free(g);
    return code == SL_OK ? make_room(s) : code;
}

int sl_screen_new(const int n[3], const double h[3], struct sl_screen **out)
{
    struct sl_screen *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the sides of a box");
    memcpy(s->n, n, sizeof s->n);
    memcpy(s->h, h, sizeof s->h);
    int code = make(s);
    if (code == SL_OK)
        *out = s;
    else
        sl_screen_free(s);
    return code;
}

void sl_screen_free(struct sl_screen *s)
{
    if (!s) return;
    for (int d = 0; d < 3; d++) {
        free(s->near[d]), free(s->along[d]);
        fftw_free(s->facing[d].same), fftw_free(s->facing[d].far);
    }
    fftw_free(s->part);
    fftw_free(s->charge);
    fftw_free(s->sum);
    fftw_free(s->modes);
    fftw_free(s->square);
    free(s->line);
    free(s);
}

struct sl_screen_tables sl_screen_tables_of(const struct sl_screen *s)
{
    struct sl_screen_tables t = {.places = s->places};
    for (int d = 0; d < 3; d++) {
        t.near[d] = s->near[d], t.along[d] = s->along[d];
        t.same[d] = s->facing[d].same, t.far[d] = s->facing[d].far;
    }
    return t;
}

/* ---- sides that face each other -------------------------------------------------------------- */

/* Modes of a side with as many cells without charges along each axis. */
static int to_modes(struct sl_screen *s, const struct facing *f, const double *psi, double per_h2,
                    fftw_complex *modes)
{
    size_t n0 = (size_t)f->n[0], n1 = (size_t)f->n[1];
    fftw_plan plan =
        fftw_plan_dft_r2c_2d(2 * f->n[1], 2 * f->n[0], s->square, modes, FFTW_ESTIMATE);
    SL_CHECK(plan, SL_EMEM, "FFTW cannot plan a side of %d x %d cells", f->n[0], f->n[1]);
    memset(s->square, 0, 4 * n0 * n1 * sizeof(double));
    for (size_t j = 0; j < n1; j++)
        for (size_t i = 0; i < n0; i++)
            s->square[2 * j * n0 + i] = per_h2 * psi[j * n0 + i];
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return SL_OK;
}

static int from_modes(struct sl_screen *s, const struct facing *f, fftw_complex *modes, double *out)
{
    size_t n0 = (size_t)f->n[0], n1 = (size_t)f->n[1];
    fftw_plan plan =
        fftw_plan_dft_c2r_2d(2 * f->n[1], 2 * f->n[0], modes, s->square, FFTW_ESTIMATE);
    SL_CHECK(plan, SL_EMEM, "FFTW cannot plan a side of %d x %d cells", f->n[0], f->n[1]);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    for (size_t j = 0; j < n1; j++)
        for (size_t i = 0; i < n0; i++)
            out[j * n0 + i] = s->square[2 * j * n0 + i] / (4 * (double)n0 * (double)n1);
    return SL_OK;
}

/* Charges of both sides to the potential of both. */
static void act_modes(const struct facing *f, fftw_complex *low, fftw_complex *high)
{
    size_t n0 = (size_t)f->n[0] + 1;
    int n1 = f->n[1];
    for (int k = 0; k < 2 * n1; k++)
        for (size_t i = 0; i < n0; i++) {
            size_t at = (size_t)k * n0 + i, of = (size_t)(k <= n1 ? k : 2 * n1 - k) * n0 + i;
            double same = f->same[of], far = f->far[of];
            for (int c = 0; c < 2; c++) {
                double a = low[at][c], b = high[at][c];
                low[at][c] = same * a + far * b;
                high[at][c] = far * a + same * b;
            }
        }
}

static double *part_of(const struct sl_screen *s, int axis, int side, int kind)
{
    return s->part + (size_t)kind * all_sides(s) + sl_screen_at(s->n, axis, side);
}

static int act_facing(struct sl_screen *s, const double *psi, int d)
{
    const struct facing *f = &s->facing[d];
    double per_h2 = 1 / (s->h[d] * s->h[d]);
    fftw_complex *low = (fftw_complex *)s->modes,
                 *high = low + 2 * (size_t)f->n[1] * ((size_t)f->n[0] + 1);
    SL_TRY(to_modes(s, f, psi + sl_screen_at(s->n, d, 0), per_h2, low));
    SL_TRY(to_modes(s, f, psi + sl_screen_at(s->n, d, 1), per_h2, high));
    act_modes(f, low, high);
    SL_TRY(from_modes(s, f, low, part_of(s, d, 0, 0)));
    return from_modes(s, f, high, part_of(s, d, 1, 0));
}

/* ---- sides that meet at an edge -------------------------------------------------------------- */

/* Sides of `axis` act on one of `to`; `shared` is the axis along both. */
struct meeting {
    int axis, to, side, shared;
};

/* Charges of a side, [cells along `to`][cells along the shared axis]. */
static void lay_charge(struct sl_screen *s, const struct meeting *m, const double *psi)
{
    size_t nt = (size_t)s->n[m->to], nc = (size_t)s->n[m->shared];
    bool first = m->to < m->shared;
    double per_h2 = 1 / (s->h[m->axis] * s->h[m->axis]);
    for (size_t j = 0; j < nt; j++)
        for (size_t c = 0; c < nc; c++)
            s->charge[j * nc + c] = per_h2 * psi[first ? c * nt + j : j * nc + c];
}

/* Distance in cells from a side. */
static size_t from_side(size_t i, size_t n, int side)
{
    return side ? n - 1 - i : i;
}

/* Sums at place q along `to`, then along the shared axis: s->line holds both. */
static const double *sum_place(const struct sl_screen *s, const struct meeting *m, size_t q)
{
    size_t nt = (size_t)s->n[m->to], nc = (size_t)s->n[m->shared];
    const double *near = s->near[m->to] + q * (nt + 1),
                 *along = s->along[m->shared] + q * (2 * nc - 1);
    double *sum = s->line, *out = s->line + nc;
    memset(s->line, 0, 2 * nc * sizeof *s->line);
    for (size_t j = 0; j < nt; j++) {
        double weight = near[from_side(j, nt, m->side)];
        const double *charge = s->charge + j * nc;
        if (weight == 0) continue;
        SL_SIMD
        for (size_t c = 0; c < nc; c++)
            sum[c] += weight * charge[c];
    }
    for (size_t b = 0; b < nc; b++) {
        const double *from = along + nc - 1 - b;
        SL_SIMD
        for (size_t c = 0; c < nc; c++)
            out[c] += sum[b] * from[c];
    }
    return out;
}

/* Adds what one side does to the other to s->sum. */
static void act_side(const struct sl_screen *s, const struct meeting *m, int side)
{
    size_t na = (size_t)s->n[m->axis], nc = (size_t)s->n[m->shared];
    for (int q = 0; q < s->places; q++) {
        const double *near = s->near[m->axis] + (size_t)q * (na + 1),
                     *line = sum_place(s, m, (size_t)q);
        for (size_t i = 0; i < na; i++) {
            double weight = near[from_side(i, na, side)], *to = s->sum + i * nc;
            if (weight == 0) continue;
            SL_SIMD
            for (size_t c = 0; c < nc; c++)
                to[c] += weight * line[c];
        }
    }
}

/* Values of a side lie [later axis][earlier axis]. */
static void take_sum(const struct sl_screen *s, const struct meeting *m, double *out)
{
    size_t na = (size_t)s->n[m->axis], nc = (size_t)s->n[m->shared];
    bool first = m->axis < m->shared;
    for (size_t i = 0; i < na; i++)
        for (size_t c = 0; c < nc; c++)
            out[first ? c * na + i : i * nc + c] = s->sum[i * nc + c];
}

static void act_meeting(struct sl_screen *s, const double *psi, const struct meeting *m)
{
    int t[2];
    across(m->to, t);
    memset(s->sum, 0, sl_screen_area(s->n, m->to) * sizeof *s->sum);
    for (int side = 0; side < 2; side++) {
        lay_charge(s, m, psi + sl_screen_at(s->n, m->axis, side));
        act_side(s, m, side);
    }
    take_sum(s, m, part_of(s, m->to, m->side, m->axis == t[0] ? 1 : 2));
}

/* ---- all ------------------------------------------------------------------------------------- */

static int act(struct sl_screen *s, const double *psi, int unit)
{
    int t[2];
    if (unit < 3) return act_facing(s, psi, unit);
    int which = (unit - 3) / 2 % 2;
    struct meeting m = {.to = (unit - 3) / 4, .side = (unit - 3) % 2};
    across(m.to, t);
    m.axis = t[which], m.shared = t[1 - which];
    act_meeting(s, psi, &m);
    return SL_OK;
}

int sl_screen_solve(struct sl_screen *s, MPI_Comm comm, const double *psi, double *out)
{
    size_t count = all_sides(s);
    int rank, size, code = SL_OK;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    memset(s->part, 0, KINDS * count * sizeof *s->part);
    for (int unit = rank; unit < UNITS && code == SL_OK; unit += size)
        code = act(s, psi, unit);
    SL_TRY(sl_agree(comm, code));
    code = MPI_Allreduce(MPI_IN_PLACE, s->part, (int)(KINDS * count), MPI_DOUBLE, MPI_SUM, comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot add up the potential at the sides of a box");
    for (size_t i = 0; i < count; i++) {
        double charges = s->part[i] + (s->part[count + i] + s->part[2 * count + i]);
        out[i] = 0.5 * (psi[i] + charges);
    }
    return SL_OK;
}
