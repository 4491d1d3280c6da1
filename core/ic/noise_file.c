/* noise_file.c - see noise_file.h. */
#include "core/ic/noise_file.h"

#include <math.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

/* What white noise has but for chance, on any grid that is worth a start. */
#define MEAN_MOST      0.1
#define VARIANCE_LEAST 0.5
#define VARIANCE_MOST  2.0

struct file {
    hid_t file, set, space;
};

/* ---- the data set ---- */

static int check_shape(hid_t space, const char *path, const char *set, const int cells[3])
{
    hsize_t size[3] = {0, 0, 0};
    int rank = H5Sget_simple_extent_ndims(space);
    SL_CHECK(rank == 3 && H5Sget_simple_extent_dims(space, size, NULL) == 3, SL_EINPUT,
             "%s: %s has %d axes, and white noise has 3, [z][y][x]", path, set, rank);
    SL_CHECK(size[0] == (hsize_t)cells[2] && size[1] == (hsize_t)cells[1] &&
                 size[2] == (hsize_t)cells[0],
             SL_EINPUT,
             "%s: %s has %llu x %llu x %llu numbers along z, y and x, and the start %d x %d x %d "
             "cells",
             path, set, (unsigned long long)size[0], (unsigned long long)size[1],
             (unsigned long long)size[2], cells[2], cells[1], cells[0]);
    return SL_OK;
}

static int open_set(struct file *f, const char *path, const char *set, const int cells[3])
{
    f->set = H5Lexists(f->file, set, H5P_DEFAULT) > 0 ? H5Dopen2(f->file, set, H5P_DEFAULT) : -1;
    SL_CHECK(f->set >= 0, SL_EINPUT,
             "%s has no data set %s; ic.noise_set names that of the white noise", path, set);
    hid_t type = H5Dget_type(f->set);
    bool number = H5Tget_class(type) == H5T_FLOAT;
    H5Tclose(type);
    SL_CHECK(number, SL_EINPUT, "%s: %s is no data set of real numbers", path, set);
    f->space = H5Dget_space(f->set);
    SL_CHECK(f->space >= 0, SL_EINPUT, "%s: cannot read %s", path, set);
    return check_shape(f->space, path, set, cells);
}

static int close_file(struct file *f, int code)
{
    if (f->space >= 0) H5Sclose(f->space);
    if (f->set >= 0) H5Dclose(f->set);
    return sl_hdf_close(f->file, code);
}

static int open_file(struct file *f, const char *path, const char *set, const int cells[3])
{
    *f = (struct file){-1, -1, -1};
    SL_TRY(sl_hdf_open(path, &f->file));
    int code = open_set(f, path, set, cells);
    return code == SL_OK ? SL_OK : close_file(f, code);
}

/* ---- its values ---- */

/* [cells y][cells x] of plane z. */
static int read_plane(const struct file *f, const int cells[3], int z, double *plane)
{
    const hsize_t at[3] = {(hsize_t)z, 0, 0}, n[3] = {1, (hsize_t)cells[1], (hsize_t)cells[0]};
    hid_t memory = H5Screate_simple(2, n + 1, NULL);
    int ok = H5Sselect_hyperslab(f->space, H5S_SELECT_SET, at, NULL, n, NULL) >= 0 &&
             H5Dread(f->set, H5T_NATIVE_DOUBLE, memory, f->space, H5P_DEFAULT, plane) >= 0;
    H5Sclose(memory);
    return ok ? SL_OK : SL_FAIL(SL_EINPUT, "plane %d of the white noise cannot be read", z);
}

static void add_sums(const int cells[3], const double *plane, double sum[2])
{
    for (size_t i = 0; i < (size_t)cells[0] * (size_t)cells[1]; i++) {
        sum[0] += plane[i];
        sum[1] += plane[i] * plane[i];
    }
}

/* plane: memory of one. */
static int read_planes(const struct file *f, const struct sl_band *b, double *plane,
                       fftw_complex *planes, double sum[2])
{
    for (int k = 0; k < b->nz; k++) {
        SL_TRY(read_plane(f, b->cells, b->z0 + k, plane));
        add_sums(b->cells, plane, sum);
        for (int y = 0; y < b->cells[1]; y++)
            sl_band_take_line(b, y, plane + (size_t)y * (size_t)b->cells[0]);
        sl_band_take_plane(b, planes, k);
    }
    return SL_OK;
}

static double number_of(const int cells[3])
{
    return (double)cells[0] * cells[1] * cells[2];
}

/* sum: of all numbers and of their squares. */
static int check_white(const struct sl_noise_source *s, const int cells[3], const double sum[2])
{
    double mean = sum[0] / number_of(cells), variance = sum[1] / number_of(cells) - mean * mean;
    SL_CHECK(isfinite(variance), SL_EINPUT, "%s: %s has numbers that are not finite", s->path,
             s->set);
    SL_CHECK(fabs(mean) <= MEAN_MOST && variance >= VARIANCE_LEAST && variance <= VARIANCE_MOST,
             SL_EINPUT,
             "%s: %s has the mean %.4g and the variance %.4g, and white noise has 0 and 1 (up to "
             "%g and from %g to %g are taken)",
             s->path, s->set, mean, variance, MEAN_MOST, VARIANCE_LEAST, VARIANCE_MOST);
    return SL_OK;
}

/* ---- a look ---- */

static int look_at_values(const struct file *f, const struct sl_noise_source *s, const int cells[3])
{
    double sum[2] = {0, 0};
    double *plane = sl_alloc_large((size_t)cells[0] * (size_t)cells[1] * sizeof *plane);
    int code = plane ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for white noise");
    for (int z = 0; z < cells[2] && code == SL_OK; z++) {
        code = read_plane(f, cells, z, plane);
        if (code == SL_OK) add_sums(cells, plane, sum);
    }
    free(plane);
    return code == SL_OK ? check_white(s, cells, sum) : code;
}

int sl_noise_file_look(const struct sl_config *cfg, double bytes)
{
    const struct sl_noise_source s = {.path = cfg->ic_noise, .set = cfg->ic_noise_set};
    struct file f;
    int cells[3];
    for (int d = 0; d < 3; d++)
        cells[d] = (int)sl_config_start_cells(cfg, d);
    bool quick = number_of(cells) * sizeof(double) <= bytes;
    SL_TRY(open_file(&f, s.path, s.set, cells));
    return close_file(&f, quick ? look_at_values(&f, &s, cells) : SL_OK);
}

/* ---- modes ---- */

/* From the centre of a cell to its corner, half a cell back; the mean is no mode. */
static double complex to_corner(const struct sl_band *b, const int n[3])
{
    double angle = 0;
    for (int d = 0; d < 3; d++)
        angle -= PI * n[d] / b->cells[d];
    return n[0] || n[1] || n[2] ? cos(angle) + I * sin(angle) : 0;
}

static void finish_line(const struct sl_noise_source *s, const struct sl_band *b, int n[3],
                        fftw_complex *line)
{
    double size = (s->paired ? -1 : 1) * sqrt(number_of(b->cells));
    for (n[0] = 0; n[0] < b->nkx; n[0]++) {
        double complex g = size * to_corner(b, n) * line[n[0]];
        line[n[0]] = s->fixed && g != 0 ? g / cabs(g) : g;
    }
}

static void finish(const struct sl_noise_source *s, const struct sl_band *b, fftw_complex *rows)
{
    for (int y = 0; y < b->ny; y++)
        for (int z = 0; z < b->modes[2]; z++) {
            int n[3] = {0, sl_band_wave(b->y0 + y, b->modes[1]), sl_band_wave(z, b->modes[2])};
            finish_line(s, b, n, rows + sl_band_line_start(b, y, z));
        }
}

/* collective. */
static int read_all(const struct sl_noise_source *s, const struct sl_band *b, double *plane,
                    fftw_complex *planes)
{
    struct file f;
    double sum[2] = {0, 0}, all[2];
    int code = open_file(&f, s->path, s->set, b->cells);
    if (code == SL_OK) code = close_file(&f, read_planes(&f, b, plane, planes, sum));
    SL_TRY(sl_agree(b->slab.comm, code));
    MPI_Allreduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, b->slab.comm);
    return sl_agree(b->slab.comm, check_white(s, b->cells, all));
}

int sl_noise_file_read(const struct sl_noise_source *source, const struct sl_band *b,
                       fftw_complex *planes, fftw_complex *rows)
{
    size_t cells = (size_t)b->cells[0] * (size_t)b->cells[1];
    double *plane = sl_alloc_large(cells * sizeof *plane);
    fftw_complex *work = sl_alloc_large(sl_band_work(b) * sizeof *work);
    bool room = plane && work;
    int code =
        sl_agree(b->slab.comm, room ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for white noise"));
    if (code == SL_OK) code = read_all(source, b, plane, planes);
    if (code == SL_OK) code = sl_band_to_rows(b, planes, work, rows);
    if (code == SL_OK) finish(source, b, rows);
    free(plane);
    free(work);
    return code;
}
