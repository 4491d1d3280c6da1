/* band.c - see band.h. */
#include "core/ic/band.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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

/* The row in place, the plane in place along y, one line of it along x. */
static int make_plans(struct sl_band *b)
{
    int width = b->cells[0] / 2 + 1, n[3] = {b->cells[0], b->cells[1], b->cells[2]};
    b->z_back = fftw_plan_many_dft(1, &n[2], b->nkx, b->row, NULL, b->pitch, 1, b->row, NULL,
                                   b->pitch, 1, FFTW_BACKWARD, FFTW_ESTIMATE);
    b->z_forth = fftw_plan_many_dft(1, &n[2], b->nkx, b->row, NULL, b->pitch, 1, b->row, NULL,
                                    b->pitch, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    b->y_back = fftw_plan_many_dft(1, &n[1], b->nkx, b->plane, NULL, width, 1, b->plane, NULL,
                                   width, 1, FFTW_BACKWARD, FFTW_ESTIMATE);
    b->y_forth = fftw_plan_many_dft(1, &n[1], b->nkx, b->plane, NULL, width, 1, b->plane, NULL,
                                    width, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    b->x_back = fftw_plan_dft_c2r_1d(n[0], b->plane, b->real, FFTW_ESTIMATE);
    b->x_forth = fftw_plan_dft_r2c_1d(n[0], b->real, b->plane, FFTW_ESTIMATE);
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
    sl_slab_init(comm, 3, share, length, &b.turn);
    b.y0 = b.turn.y0, b.ny = b.turn.ny, b.z0 = b.turn.z0, b.nz = b.turn.nz;
    b.pitch = pitch_of(b.nkx);
    b.row = fftw_alloc_complex((size_t)cells[2] * (size_t)b.pitch);
    b.plane = fftw_alloc_complex((size_t)cells[1] * ((size_t)cells[0] / 2 + 1));
    b.real = fftw_alloc_real((size_t)cells[1] * (size_t)cells[0]);
    int code =
        b.row && b.plane && b.real ? make_plans(&b) : SL_FAIL(SL_EMEM, "out of memory for a plane");
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
    struct sl_slab back = other_side(&b->turn);
    for (int y = 0; y < sl_slab_rounds(&back); y++) {
        if (y < b->ny) make_row(b, line, context, y);
        SL_TRY(sl_slab_turn_round(&back, 2 * (size_t)b->nkx, 2 * (size_t)b->pitch, y,
                                  y < b->ny ? (const double *)b->row : NULL, (double *)planes));
    }
    return SL_OK;
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

/* What is no mode in the plane of scratch. */
static void clear_gaps(const struct sl_band *b)
{
    size_t nkx = (size_t)b->nkx, width = (size_t)b->cells[0] / 2 + 1;
    for (int y = 0; y < b->cells[1]; y++) {
        bool gap = 2 * y >= b->modes[1] && 2 * y < 2 * b->cells[1] - b->modes[1];
        size_t from = gap ? 0 : nkx;
        memset(b->plane + (size_t)y * width + from, 0, (width - from) * sizeof *b->plane);
    }
}

void sl_band_derive(const struct sl_band *b, const fftw_complex *planes, int k, int nx, int ny,
                    double factor, double *out)
{
    size_t nkx = (size_t)b->nkx, width = (size_t)b->cells[0] / 2 + 1;
    const fftw_complex *from = planes + (size_t)k * (size_t)b->modes[1] * nkx;
    clear_gaps(b);
    for (int y = 0; y < b->modes[1]; y++) {
        double along_y = pow(sl_band_wave(y, b->modes[1]), ny);
        derive_line(b, from + (size_t)y * nkx, nx, ny, factor * along_y, line_of(b, y));
    }
    fftw_execute(b->y_back);
    for (size_t y = 0; y < (size_t)b->cells[1]; y++)
        fftw_execute_dft_c2r(b->x_back, b->plane + y * width, out + y * (size_t)b->cells[0]);
}

void sl_band_take_plane(const struct sl_band *b, fftw_complex *planes, int k)
{
    size_t nkx = (size_t)b->nkx, width = (size_t)b->cells[0] / 2 + 1;
    fftw_complex *to = planes + (size_t)k * (size_t)b->modes[1] * nkx;
    for (size_t y = 0; y < (size_t)b->cells[1]; y++)
        fftw_execute_dft_r2c(b->x_forth, b->real + y * (size_t)b->cells[0], b->plane + y * width);
    fftw_execute(b->y_forth);
    for (int y = 0; y < b->modes[1]; y++)
        memcpy(to + (size_t)y * nkx, line_of(b, y), nkx * sizeof *to);
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

int sl_band_to_rows(const struct sl_band *b, const fftw_complex *planes, fftw_complex *work,
                    fftw_complex *rows)
{
    size_t nkx = (size_t)b->nkx;
    SL_TRY(sl_slab_turn(&b->turn, 2 * nkx, (const double *)planes, (double *)work));
    for (int y = 0; y < b->ny; y++) {
        for (size_t z = 0; z < (size_t)b->cells[2]; z++)
            memcpy(b->row + z * (size_t)b->pitch,
                   work + ((size_t)y * (size_t)b->cells[2] + z) * nkx, nkx * sizeof *work);
        fftw_execute(b->z_forth);
        take_row(b, y, rows);
    }
    return SL_OK;
}
