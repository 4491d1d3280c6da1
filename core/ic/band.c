/* band.c - see band.h. */
#include "core/ic/band.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/sys/status.h"

size_t sl_band_rows(const struct sl_band *b)
{
    return (size_t)b->ny * (size_t)b->cells[2] * (size_t)b->nkx + 1;
}

size_t sl_band_planes(const struct sl_band *b)
{
    return (size_t)b->nz * (size_t)b->modes[1] * (size_t)b->nkx + 1;
}

/* One row [cells z][nkx] in place, one plane [cells y][cells x / 2 + 1] in place, and its lines. */
static int make_plans(struct sl_band *b)
{
    int width = b->cells[0] / 2 + 1, n[3] = {b->cells[0], b->cells[1], b->cells[2]};
    fftw_complex *row = fftw_alloc_complex((size_t)n[2] * (size_t)b->nkx);
    SL_CHECK(row, SL_EMEM, "out of memory for a row of modes");
    b->z_back = fftw_plan_many_dft(1, &n[2], b->nkx, row, NULL, b->nkx, 1, row, NULL, b->nkx, 1,
                                   FFTW_BACKWARD, FFTW_ESTIMATE);
    b->z_forth = fftw_plan_many_dft(1, &n[2], b->nkx, row, NULL, b->nkx, 1, row, NULL, b->nkx, 1,
                                    FFTW_FORWARD, FFTW_ESTIMATE);
    b->y_back = fftw_plan_many_dft(1, &n[1], b->nkx, b->plane, NULL, width, 1, b->plane, NULL,
                                   width, 1, FFTW_BACKWARD, FFTW_ESTIMATE);
    b->y_forth = fftw_plan_many_dft(1, &n[1], b->nkx, b->plane, NULL, width, 1, b->plane, NULL,
                                    width, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    b->x_back = fftw_plan_many_dft_c2r(1, &n[0], n[1], b->plane, NULL, 1, width, b->real, NULL, 1,
                                       n[0], FFTW_ESTIMATE);
    b->x_forth = fftw_plan_many_dft_r2c(1, &n[0], n[1], b->real, NULL, 1, n[0], b->plane, NULL, 1,
                                        width, FFTW_ESTIMATE);
    fftw_free(row);
    SL_CHECK(b->z_back && b->z_forth && b->y_back && b->y_forth && b->x_back && b->x_forth, SL_EMEM,
             "FFTW cannot plan %d x %d x %d", n[0], n[1], n[2]);
    return SL_OK;
}

int sl_band_init(MPI_Comm comm, const int modes[3], const int cells[3], struct sl_band *out)
{
    struct sl_band b = {.nkx = modes[0] / 2};
    const int share[3] = {b.nkx, modes[1], cells[2]};
    const double length[3] = {1, 1, 1};
    memcpy(b.modes, modes, sizeof b.modes);
    memcpy(b.cells, cells, sizeof b.cells);
    sl_slab_init(comm, 3, share, length, &b.turn);
    b.y0 = b.turn.y0, b.ny = b.turn.ny, b.z0 = b.turn.z0, b.nz = b.turn.nz;
    b.plane = fftw_alloc_complex((size_t)cells[1] * ((size_t)cells[0] / 2 + 1));
    b.real = fftw_alloc_real((size_t)cells[1] * (size_t)cells[0]);
    int code = b.plane && b.real ? make_plans(&b) : SL_FAIL(SL_EMEM, "out of memory for a plane");
    if (code != SL_OK) {
        sl_band_release(&b);
        return code;
    }
    *out = b;
    return SL_OK;
}

void sl_band_release(struct sl_band *b)
{
    fftw_plan plans[] = {b->z_back, b->z_forth, b->y_back, b->y_forth, b->x_back, b->x_forth};
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        if (plans[i]) fftw_destroy_plan(plans[i]);
    fftw_free(b->plane);
    fftw_free(b->real);
    memset(b, 0, sizeof *b);
}

/* The slab that turns rows to planes is that which turns planes to rows, seen from the other side. */
static struct sl_slab other_side(const struct sl_slab *s)
{
    const int n[3] = {s->n[0], s->n[2], s->n[1]};
    struct sl_slab out;
    sl_slab_init(s->comm, 3, n, s->length, &out);
    return out;
}

static fftw_complex *row_of(const struct sl_band *b, fftw_complex *rows, int y)
{
    fftw_complex *row = rows + (size_t)y * (size_t)b->cells[2] * (size_t)b->nkx;
    if (fftw_alignment_of((double *)row) != fftw_alignment_of((double *)b->plane))
        SL_BUG("a row of modes is not aligned as the plan expects");
    return row;
}

int sl_band_to_planes(const struct sl_band *b, fftw_complex *rows, fftw_complex *planes)
{
    struct sl_slab back = other_side(&b->turn);
    for (int y = 0; y < b->ny; y++) {
        fftw_complex *row = row_of(b, rows, y);
        fftw_execute_dft(b->z_back, row, row);
    }
    return sl_slab_turn(&back, 2 * (size_t)b->nkx, (const double *)rows, (double *)planes);
}

/* Line of the plane of scratch in which the modes of row y lie. */
static fftw_complex *line_of(const struct sl_band *b, int y)
{
    int line = 2 * y < b->modes[1] ? y : y + b->cells[1] - b->modes[1];
    return b->plane + (size_t)line * ((size_t)b->cells[0] / 2 + 1);
}

/* Modes of a line times factor (i kx)^nx i^ny. */
static void derive_line(const struct sl_band *b, const fftw_complex *from, int nx, int ny,
                        double factor, fftw_complex *to)
{
    const double *in = (const double *)from;
    double *out = (double *)to, sign = (nx + ny) / 2 % 2 ? -factor : factor;
    bool turn = (nx + ny) % 2;
    for (int x = 0; x < b->nkx; x++) {
        double f = nx == 0 ? sign : nx == 1 ? sign * x : sign * x * x;
        out[2 * x] = f * (turn ? -in[2 * x + 1] : in[2 * x]);
        out[2 * x + 1] = f * (turn ? in[2 * x] : in[2 * x + 1]);
    }
}

void sl_band_derive(const struct sl_band *b, const fftw_complex *planes, int k, int nx, int ny,
                    double factor, double *out)
{
    size_t nkx = (size_t)b->nkx, width = (size_t)b->cells[0] / 2 + 1;
    const fftw_complex *from = planes + (size_t)k * (size_t)b->modes[1] * nkx;
    memset(b->plane, 0, (size_t)b->cells[1] * width * sizeof *b->plane);
    for (int y = 0; y < b->modes[1]; y++) {
        double along_y = pow(sl_band_wave(y, b->modes[1]), ny);
        derive_line(b, from + (size_t)y * nkx, nx, ny, factor * along_y, line_of(b, y));
    }
    fftw_execute(b->y_back);
    fftw_execute_dft_c2r(b->x_back, b->plane, out);
}

const double *sl_band_plane(const struct sl_band *b, const fftw_complex *planes, int k)
{
    sl_band_derive(b, planes, k, 0, 0, 1, b->real);
    return b->real;
}

void sl_band_take_plane(const struct sl_band *b, fftw_complex *planes, int k)
{
    size_t nkx = (size_t)b->nkx;
    fftw_complex *to = planes + (size_t)k * (size_t)b->modes[1] * nkx;
    fftw_execute(b->x_forth);
    fftw_execute(b->y_forth);
    for (int y = 0; y < b->modes[1]; y++)
        memcpy(to + (size_t)y * nkx, line_of(b, y), nkx * sizeof *to);
}

/* The Nyquist frequency of the modes is no mode, nor is what lies between it and that of the grid. */
static void drop_beyond(const struct sl_band *b, int y, fftw_complex *row)
{
    size_t nkx = (size_t)b->nkx;
    double norm = 1 / ((double)b->cells[0] * b->cells[1] * b->cells[2]);
    for (int z = 0; z < b->cells[2]; z++) {
        int wave = sl_band_wave(z, b->cells[2]);
        int inside = 2 * wave < b->modes[2] && -2 * wave < b->modes[2] && 2 * y != b->modes[1];
        for (size_t x = 0; x < nkx; x++)
            row[(size_t)z * nkx + x] *= inside ? norm : 0;
    }
}

int sl_band_to_rows(const struct sl_band *b, const fftw_complex *planes, fftw_complex *rows)
{
    SL_TRY(sl_slab_turn(&b->turn, 2 * (size_t)b->nkx, (const double *)planes, (double *)rows));
    for (int y = 0; y < b->ny; y++) {
        fftw_complex *row = row_of(b, rows, y);
        fftw_execute_dft(b->z_forth, row, row);
        drop_beyond(b, b->y0 + y, row);
    }
    return SL_OK;
}
