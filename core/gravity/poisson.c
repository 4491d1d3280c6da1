/* poisson.c - see poisson.h.
 *
 * Planes have rows of 2 (n0 / 2 + 1) doubles, so that they are transformed in place, and lie
 * between two planes of the neighbours. A plane and a row of modes are so many complex numbers: all
 * begin with the alignment that FFTW plans for.
 */
#include "core/gravity/poisson.h"

#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/grid/transpose.h"
#include "core/measure/mode.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

struct sl_poisson {
    struct sl_slab slab;
    double h[3];                              /* of a cell */
    size_t row;                               /* doubles in a row of a plane */
    double *planes;                           /* owned; [-1 .. nz][n1][row] */
    fftw_complex *rows;                       /* owned; [ny][n2][row / 2] */
    double *square[3];                        /* owned; (2 sin(pi n / N) / h)^2 */
    double *part;                             /* owned; [ny][sums] */
    struct sl_transpose *to_rows, *to_planes; /* owned */
    fftw_plan xy_forth, xy_back, z_forth, z_back;
};

enum { MEAN, PRODUCT, SUMS };

static size_t plane_size(const struct sl_poisson *p)
{
    return (size_t)p->slab.n[1] * p->row;
}

double *sl_poisson_row(const struct sl_poisson *p, int k, int j)
{
    return p->planes + (size_t)(k + 1) * plane_size(p) + (size_t)j * p->row;
}

const struct sl_slab *sl_poisson_slab(const struct sl_poisson *p)
{
    return &p->slab;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int make_plans(struct sl_poisson *p)
{
    const int *n = p->slab.n, width = (int)p->row / 2;
    double *plane = sl_poisson_row(p, 0, 0);
    fftw_complex *modes = (fftw_complex *)plane;
    p->xy_forth = fftw_plan_dft_r2c_2d(n[1], n[0], plane, modes, FFTW_ESTIMATE);
    p->xy_back = fftw_plan_dft_c2r_2d(n[1], n[0], modes, plane, FFTW_ESTIMATE);
    p->z_forth = fftw_plan_many_dft(1, &n[2], width, p->rows, NULL, width, 1, p->rows, NULL, width,
                                    1, FFTW_FORWARD, FFTW_ESTIMATE);
    p->z_back = fftw_plan_many_dft(1, &n[2], width, p->rows, NULL, width, 1, p->rows, NULL, width,
                                   1, FFTW_BACKWARD, FFTW_ESTIMATE);
    SL_CHECK(p->xy_forth && p->xy_back && p->z_forth && p->z_back, SL_EMEM,
             "FFTW cannot plan %d x %d x %d", n[0], n[1], n[2]);
    return SL_OK;
}

/* Room for one plane and one row at least, which the plans are made with. */
static int make_room(struct sl_poisson *p)
{
    const struct sl_slab *s = &p->slab;
    size_t nz = s->nz > 0 ? (size_t)s->nz : 1, ny = s->ny > 0 ? (size_t)s->ny : 1;
    p->planes = fftw_alloc_real((nz + 2) * plane_size(p));
    p->rows = fftw_alloc_complex(ny * (size_t)s->n[2] * (p->row / 2));
    p->part = malloc(ny * SUMS * sizeof *p->part);
    bool room = p->planes && p->rows && p->part;
    for (int d = 0; d < 3; d++) {
        p->square[d] = malloc((size_t)s->n[d] * sizeof(double));
        room = room && p->square[d];
    }
    SL_CHECK(room, SL_EMEM, "no memory for the potential of %d x %d x %d cells", s->n[0], s->n[1],
             s->n[2]);
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < s->n[d]; i++)
            p->square[d][i] = pow(2 * sin(acos(-1) * i / s->n[d]) / p->h[d], 2);
    return make_plans(p);
}

static int make_transposes(struct sl_poisson *p)
{
    struct sl_slab rows = sl_slab_swapped(&p->slab);
    SL_TRY(sl_transpose_new(&p->slab, p->row, p->row, &p->to_rows));
    return sl_transpose_new(&rows, p->row, p->row, &p->to_planes);
}

int sl_poisson_new(MPI_Comm comm, int dim, const int cells[3], const double length[3],
                   struct sl_poisson **out)
{
    struct sl_poisson *p = calloc(1, sizeof *p);
    int code = p ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a potential");
    if (p) {
        sl_slab_init(comm, dim, cells, length, &p->slab);
        for (int d = 0; d < 3; d++)
            p->h[d] = p->slab.length[d] / p->slab.n[d];
        p->row = 2 * (size_t)(p->slab.n[0] / 2 + 1);
        code = make_room(p);
    }
    code = sl_agree(comm, code);
    if (code == SL_OK) code = make_transposes(p);
    if (code == SL_OK)
        *out = p;
    else
        sl_poisson_free(p);
    return code;
}

void sl_poisson_free(struct sl_poisson *p)
{
    if (!p) return;
    fftw_plan plans[] = {p->xy_forth, p->xy_back, p->z_forth, p->z_back};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        if (plans[i]) fftw_destroy_plan(plans[i]);
    for (int d = 0; d < 3; d++)
        free(p->square[d]);
    sl_transpose_free(p->to_rows);
    sl_transpose_free(p->to_planes);
    fftw_free(p->planes);
    fftw_free(p->rows);
    free(p->part);
    free(p);
}

/* ---- solving --------------------------------------------------------------------------------- */

/* Modes of the density along x to those of the potential; both are of 1 / N of the sums over
 * cells. */
static double solve_line(const struct sl_poisson *p, double factor, double across, int first,
                         double *mode)
{
    const int *n = p->slab.n, width = (int)p->row / 2;
    double cells = (double)n[0] * n[1] * n[2], sum = 0;
    for (int x = first; x < width; x++) {
        double re = mode[2 * x], im = mode[2 * x + 1],
               green = -factor / (cells * (p->square[0][x] + across));
        mode[2 * x] = green * re;
        mode[2 * x + 1] = green * im;
        sum += sl_mode_count(x, n[0]) * green * (re * re + im * im);
    }
    return sum;
}

static void solve_row(struct sl_poisson *p, double factor, int y)
{
    const struct sl_slab *s = &p->slab;
    size_t width = p->row / 2;
    fftw_complex *row = p->rows + (size_t)y * (size_t)s->n[2] * width;
    double *part = p->part + (size_t)y * SUMS;
    fftw_execute_dft(p->z_forth, row, row);
    part[MEAN] = part[PRODUCT] = 0;
    for (int z = 0; z < s->n[2]; z++) {
        double *mode = (double *)(row + (size_t)z * width);
        int is_mean = s->y0 + y == 0 && z == 0; /* the first mode */
        if (is_mean) {
            part[MEAN] = mode[0] / ((double)s->n[0] * s->n[1] * s->n[2]);
            mode[0] = mode[1] = 0;
        }
        part[PRODUCT] +=
            solve_line(p, factor, p->square[1][s->y0 + y] + p->square[2][z], is_mean, mode);
    }
    fftw_execute_dft(p->z_back, row, row);
}

/* The planes beyond the first and the last own one, which ranks that have none do not need. */
static int exchange_edges(struct sl_poisson *p)
{
    const struct sl_slab *s = &p->slab;
    const int n = s->n[2], count = (int)plane_size(p);
    if (s->dim < 3 || s->nz == 0) return SL_OK;
    int below = sl_slab_owner(s, (s->z0 + n - 1) % n),
        above = sl_slab_owner(s, (s->z0 + s->nz) % n);
    int down = MPI_Sendrecv(sl_poisson_row(p, 0, 0), count, MPI_DOUBLE, below, 0,
                            sl_poisson_row(p, s->nz, 0), count, MPI_DOUBLE, above, 0, s->comm,
                            MPI_STATUS_IGNORE);
    int up = MPI_Sendrecv(sl_poisson_row(p, s->nz - 1, 0), count, MPI_DOUBLE, above, 1,
                          sl_poisson_row(p, -1, 0), count, MPI_DOUBLE, below, 1, s->comm,
                          MPI_STATUS_IGNORE);
    SL_CHECK(down == MPI_SUCCESS && up == MPI_SUCCESS, SL_EMPI, "cannot exchange the potential");
    return SL_OK;
}

int sl_poisson_solve(struct sl_poisson *p, double factor, struct sl_poisson_sums *out)
{
    const struct sl_slab *s = &p->slab;
    double *first = sl_poisson_row(p, 0, 0), sums[SUMS];
    for (int k = 0; k < s->nz; k++) {
        double *plane = sl_poisson_row(p, k, 0);
        fftw_execute_dft_r2c(p->xy_forth, plane, (fftw_complex *)plane);
    }
    SL_TRY(sl_transpose_run(p->to_rows, first, (double *)p->rows));
    for (int y = 0; y < s->ny; y++)
        solve_row(p, factor, y);
    SL_TRY(sl_transpose_run(p->to_planes, (const double *)p->rows, first));
    for (int k = 0; k < s->nz; k++) {
        double *plane = sl_poisson_row(p, k, 0);
        fftw_execute_dft_c2r(p->xy_back, (fftw_complex *)plane, plane);
    }
    SL_TRY(sl_sum_columns(s->comm, s->ny, SUMS, p->part, sums));
    *out = (struct sl_poisson_sums){sums[MEAN], sums[PRODUCT]};
    return exchange_edges(p);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

static void pull_along_row(const double *phi, int cells, double scale, int i, int n, double *out)
{
    for (int q = 0; q < n; q++) {
        int below = i + q > 0 ? i + q - 1 : cells - 1, above = i + q + 1 < cells ? i + q + 1 : 0;
        out[q] = scale * (phi[below] - phi[above]);
    }
}

void sl_poisson_pull(const struct sl_poisson *p, int axis, int k, int j, int i, int n, double *out)
{
    const int *cells = p->slab.n;
    double scale = 0.5 / p->h[axis];
    if (axis == 0) {
        pull_along_row(sl_poisson_row(p, k, j), cells[0], scale, i, n, out);
        return;
    }
    int below = axis == 1 ? (j + cells[1] - 1) % cells[1] : j,
        above = axis == 1 ? (j + 1) % cells[1] : j;
    const double *lower = sl_poisson_row(p, axis == 2 ? k - 1 : k, below) + i,
                 *upper = sl_poisson_row(p, axis == 2 ? k + 1 : k, above) + i;
    for (int q = 0; q < n; q++)
        out[q] = scale * (lower[q] - upper[q]);
}
