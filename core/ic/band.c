/* band.c - see band.h. */
#include "core/ic/band.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/grid/transpose.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

size_t sl_band_rows(const struct sl_band *b)
{
    return (size_t)b->ny * (size_t)b->modes[2] * (size_t)b->nkx + 1;
}

size_t sl_band_work(const struct sl_band *b)
{
    return (size_t)b->ny * (size_t)b->cells[2] * (size_t)b->nkx + 1;
}

size_t sl_band_planes(const struct sl_band *b)
{
    return (size_t)b->nz * (size_t)b->modes[1] * (size_t)b->nkx + 1;
}

size_t sl_band_scratch(const struct sl_band *b)
{
    return (size_t)b->cells[1] * (size_t)b->pitch;
}

/* The row in place, the plane in place along y, a line along x. */
static int make_plans(struct sl_band *b)
{
    int n[3] = {b->cells[0], b->cells[1], b->cells[2]};
    b->z_back = fftw_plan_many_dft(1, &n[2], b->nkx, b->row, NULL, b->pitch, 1, b->row, NULL,
                                   b->pitch, 1, FFTW_BACKWARD, FFTW_ESTIMATE);
    b->z_forth = fftw_plan_many_dft(1, &n[2], b->nkx, b->row, NULL, b->pitch, 1, b->row, NULL,
                                    b->pitch, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    b->y_back = fftw_plan_many_dft(1, &n[1], b->nkx, b->plane, NULL, b->pitch, 1, b->plane, NULL,
                                   b->pitch, 1, FFTW_BACKWARD, FFTW_ESTIMATE);
    b->y_forth = fftw_plan_many_dft(1, &n[1], b->nkx, b->plane, NULL, b->pitch, 1, b->plane, NULL,
                                    b->pitch, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    b->x_back = fftw_plan_dft_c2r_1d(n[0], b->line, b->real, FFTW_ESTIMATE);
    b->x_forth = fftw_plan_dft_r2c_1d(n[0], b->real, b->line, FFTW_ESTIMATE);
    SL_CHECK(b->z_back && b->z_forth && b->y_back && b->y_forth && b->x_back && b->x_forth, SL_EMEM,
             "FFTW cannot plan %d x %d x %d", n[0], n[1], n[2]);
    return SL_OK;
}

/* An odd multiple of 128 bytes. */
static int pitch_of(int nkx)
{
    return ((nkx + 7) / 8 | 1) * 8;
}

int sl_band_init(MPI_Comm comm, const int modes[3], const int cells[3], struct sl_band *out)
{
    struct sl_band b = {.nkx = modes[0] / 2};
    const int share[3] = {b.nkx, modes[1], cells[2]};
    const double length[3] = {1, 1, 1};
    memcpy(b.modes, modes, sizeof b.modes);
    memcpy(b.cells, cells, sizeof b.cells);
    sl_slab_init(comm, 3, share, length, &b.slab);
    b.y0 = b.slab.y0, b.ny = b.slab.ny, b.z0 = b.slab.z0, b.nz = b.slab.nz;
    b.pitch = pitch_of(b.nkx);
    b.row = fftw_alloc_complex((size_t)cells[2] * (size_t)b.pitch);
    b.plane = sl_alloc_large(sl_band_scratch(&b) * sizeof *b.plane);
    b.line = fftw_alloc_complex((size_t)cells[0] / 2 + 1);
    b.real = fftw_alloc_real((size_t)cells[0]);
    int code = b.row && b.plane && b.line && b.real ? make_plans(&b)
                                                    : SL_FAIL(SL_EMEM, "out of memory for a plane");
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
    fftw_free(b->row);
    free(b->plane);
    fftw_free(b->line);
    fftw_free(b->real);
    memset(b, 0, sizeof *b);
}

/* Line of the row of scratch in which the modes of index z lie. */
static fftw_complex *row_line(const struct sl_band *b, int z)
{
    int line = 2 * z < b->modes[2] ? z : z + b->cells[2] - b->modes[2];
    return b->row + (size_t)line * (size_t)b->pitch;
}

/* Between the modes lie zeros. */
static void make_row(const struct sl_band *b, sl_band_line *line, void *context, int y)
{
    for (int z = b->modes[2] / 2; z < b->cells[2] - b->modes[2] / 2; z++)
        memset(b->row + (size_t)z * (size_t)b->pitch, 0, (size_t)b->nkx * sizeof *b->row);
    for (int z = 0; z < b->modes[2]; z++)
        line(context, y, z, row_line(b, z));
    fftw_execute(b->z_back);
}

int sl_band_make_planes(const struct sl_band *b, sl_band_line *line, void *context,
                        fftw_complex *planes)
{
    struct sl_slab rows = sl_slab_swapped(&b->slab);
    struct sl_transpose *t;
    const size_t pitch[2] = {2 * (size_t)b->pitch, 2 * (size_t)b->nkx};
    int code = SL_OK;
    SL_TRY(sl_transpose_new(&rows, 2 * (size_t)b->nkx, pitch, &t));
    for (int y = 0; y < sl_transpose_rounds(t) && code == SL_OK; y++) {
        if (y < b->ny) make_row(b, line, context, y);
        code =
            sl_transpose_plane(t, y, y < b->ny ? (const double *)b->row : NULL, (double *)planes);
    }
    sl_transpose_free(t);
    return code;
}

/* Line of a plane of scratch in which the modes of row y lie. */
static size_t line_of(const struct sl_band *b, int y)
{
    int line = 2 * y < b->modes[1] ? y : y + b->cells[1] - b->modes[1];
    return (size_t)line * (size_t)b->pitch;
}

/* Modes of a line times factor (i kx)^nx i^ny. */
static void derive_line(const struct sl_band *b, const fftw_complex *from, int nx, int ny,
                        double factor, fftw_complex *to)
{
    const double *in = (const double *)from;
    double *out = (double *)to, sign = (nx + ny) / 2 % 2 ? -factor : factor;
    bool odd = (nx + ny) % 2;
    for (int x = 0; x < b->nkx; x++) {
        double f = nx == 0 ? sign : nx == 1 ? sign * x : sign * x * x;
        out[2 * x] = f * (odd ? -in[2 * x + 1] : in[2 * x]);
        out[2 * x + 1] = f * (odd ? in[2 * x] : in[2 * x + 1]);
    }
}

void sl_band_derive_y(const struct sl_band *b, const fftw_complex *planes, int k, int nx, int ny,
                      double factor, fftw_complex *scratch)
{
    size_t nkx = (size_t)b->nkx;
    const fftw_complex *from = planes + (size_t)k * (size_t)b->modes[1] * nkx;
    for (int y = b->modes[1] / 2; y < b->cells[1] - b->modes[1] / 2; y++)
        memset(scratch + (size_t)y * (size_t)b->pitch, 0, nkx * sizeof *scratch);
    for (int y = 0; y < b->modes[1]; y++) {
        double along_y = pow(sl_band_wave(y, b->modes[1]), ny);
        derive_line(b, from + (size_t)y * nkx, nx, ny, factor * along_y, scratch + line_of(b, y));
    }
    fftw_execute_dft(b->y_back, scratch, scratch);
}

/* Beyond its modes lie zeros. */
void sl_band_line_back(const struct sl_band *b, const fftw_complex *scratch, int y, double *out)
{
    size_t nkx = (size_t)b->nkx, width = (size_t)b->cells[0] / 2 + 1;
    memcpy(b->line, scratch + (size_t)y * (size_t)b->pitch, nkx * sizeof *scratch);
    memset(b->line + nkx, 0, (width - nkx) * sizeof *b->line);
    fftw_execute_dft_c2r(b->x_back, b->line, out);
}

void sl_band_derive(const struct sl_band *b, const fftw_complex *planes, int k, int nx, int ny,
                    double factor, double *out)
{
    sl_band_derive_y(b, planes, k, nx, ny, factor, b->plane);
    for (int y = 0; y < b->cells[1]; y++)
        sl_band_line_back(b, b->plane, y, out + (size_t)y * (size_t)b->cells[0]);
}

void sl_band_take_line(const struct sl_band *b, int y, double *line)
{
    fftw_execute_dft_r2c(b->x_forth, line, b->line);
    memcpy(b->plane + (size_t)y * (size_t)b->pitch, b->line, (size_t)b->nkx * sizeof *b->line);
}

void sl_band_take_plane(const struct sl_band *b, fftw_complex *planes, int k)
{
    size_t nkx = (size_t)b->nkx;
    fftw_complex *to = planes + (size_t)k * (size_t)b->modes[1] * nkx;
    fftw_execute(b->y_forth);
    for (int y = 0; y < b->modes[1]; y++)
        memcpy(to + (size_t)y * nkx, b->plane + line_of(b, y), nkx * sizeof *to);
}

/* The row of scratch into row y; the Nyquist frequency of the modes is no mode. */
static void take_row(const struct sl_band *b, int y, fftw_complex *rows)
{
    double norm = 1 / ((double)b->cells[0] * b->cells[1] * b->cells[2]);
    for (int z = 0; z < b->modes[2]; z++) {
        bool mode = 2 * z != b->modes[2] && 2 * (b->y0 + y) != b->modes[1];
        const double *from = (const double *)row_line(b, z);
        double factor = mode ? norm : 0, *to = (double *)(rows + sl_band_line_start(b, y, z));
        for (int x = 0; x < 2 * b->nkx; x++)
            to[x] = factor * from[x];
    }
}

/* One rank has all planes: there is nothing to transpose. */
int sl_band_to_rows(const struct sl_band *b, const fftw_complex *planes, fftw_complex *work,
                    fftw_complex *rows)
{
    size_t nkx = (size_t)b->nkx, cells = (size_t)b->cells[2];
    bool alone = b->slab.size == 1;
    if (!alone)
        SL_TRY(sl_transpose_once(&b->slab, 2 * nkx, (const double *)planes, (double *)work));
    size_t along_y = alone ? nkx : cells * nkx, along_z = alone ? (size_t)b->modes[1] * nkx : nkx;
    for (int y = 0; y < b->ny; y++) {
        const fftw_complex *from = (alone ? planes : work) + (size_t)y * along_y;
        for (size_t z = 0; z < cells; z++)
            memcpy(b->row + z * (size_t)b->pitch, from + z * along_z, nkx * sizeof *from);
        fftw_execute(b->z_forth);
        take_row(b, y, rows);
    }
    return SL_OK;
}
