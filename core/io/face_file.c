/* face_file.c - see face_file.h. */
#include "core/io/face_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/io/hdf.h"
#include "core/step/sim.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static const char *const names[] = {"magnetic_face_x", "magnetic_face_y", "magnetic_face_z"};

/* A dataset, and how its grid lies to that of the level. */
struct reader {
    const char *path;
    struct sl_sim *sim;
    hid_t id, space;
    int axis, rank;
    int64_t ratio[3]; /* cells of the file in one of the level */
};

bool sl_face_file_is(const char *path)
{
    hid_t file;
    if (sl_hdf_open(path, &file) != SL_OK) return false;
    bool is = H5Lexists(file, names[0], H5P_DEFAULT) > 0;
    H5Fclose(file);
    return is;
}

/* ---- shapes ------------------------------------------------------------------------------------- */

static int64_t cells_of(const struct sl_sim *sim, int d)
{
    return d < sim->mesh->dim ? (int64_t)sim->mesh->spec.cells[d] << sim->mesh->level : 1;
}

static int check_shape(struct reader *r)
{
    hsize_t dims[8];
    r->rank = H5Sget_simple_extent_ndims(r->space);
    SL_CHECK(r->rank > 0 && r->rank <= 8, SL_EINPUT, "%s: %s has no usable shape", r->path,
             names[r->axis]);
    H5Sget_simple_extent_dims(r->space, dims, NULL);
    for (int d = 0; d < (r->rank > 3 ? r->rank : 3); d++) {
        int64_t size = d < r->rank ? (int64_t)dims[r->rank - 1 - d] : 1;
        int64_t cells = d < 3 ? cells_of(r->sim, d) : 1, more = d == r->axis;
        SL_CHECK(size > more && (size - more) % cells == 0 && (d < r->sim->mesh->dim || size == 1),
                 SL_EINPUT,
                 "%s: %s has %lld values along axis %d, which are no faces of the %lld cells of "
                 "level %d, or of finer ones",
                 r->path, names[r->axis], (long long)size, d, (long long)cells,
                 r->sim->mesh->level);
        if (d < 3) r->ratio[d] = (size - more) / cells;
    }
    return SL_OK;
}

/* ---- one block ---------------------------------------------------------------------------------- */

/* The faces of the file at the faces of a block: along the axis only those that lie on one. */
static int read_box(const struct reader *r, int b, const hsize_t n[3], double *out)
{
    const struct sl_mesh *m = r->sim->mesh;
    hsize_t at[8], count[8], step[8];
    for (int i = 0; i < r->rank; i++) {
        int d = r->rank - 1 - i;
        at[i] = d < m->dim ? (hsize_t)(m->blocks[b].at[d] * m->n[d] * r->ratio[d]) : 0;
        count[i] = d < 3 ? n[d] : 1;
        step[i] = d == r->axis ? (hsize_t)r->ratio[d] : 1;
    }
    hid_t memory = H5Screate_simple(r->rank, count, NULL);
    int ok = H5Sselect_hyperslab(r->space, H5S_SELECT_SET, at, step, count, NULL) >= 0 &&
             H5Dread(r->id, H5T_NATIVE_DOUBLE, memory, r->space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    SL_CHECK(ok, SL_EINPUT,
             "%s: cannot read %s: the file is damaged, cut short, or holds no numbers", r->path,
             names[r->axis]);
    return SL_OK;
}

/* The mean over the faces of the file that are one face; f: its place in the block. */
static double mean(const struct reader *r, const hsize_t n[3], const int f[3], const double *value)
{
    int64_t lo[3], parts[3];
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        parts[d] = d == r->axis ? 1 : r->ratio[d];
        lo[d] = f[d] * parts[d];
    }
    for (int64_t z = lo[2]; z < lo[2] + parts[2]; z++)
        for (int64_t y = lo[1]; y < lo[1] + parts[1]; y++)
            for (int64_t x = lo[0]; x < lo[0] + parts[0]; x++)
                sum += value[(z * (int64_t)n[1] + y) * (int64_t)n[0] + x];
    return sum / (double)(parts[0] * parts[1] * parts[2]);
}

static int put_block(const struct reader *r, int b, const hsize_t n[3], const double *value)
{
    const struct sl_mesh *m = r->sim->mesh;
    int end[3];
    for (int d = 0; d < 3; d++)
        end[d] = m->n[d] + (d == r->axis);
    for (int k = 0; k < end[2]; k++)
        for (int j = 0; j < end[1]; j++)
            for (int i = 0; i < end[0]; i++) {
                const int f[3] = {i, j, k};
                double field = mean(r, n, f, value);
                SL_CHECK(isfinite(field), SL_EINPUT,
                         "%s: %s is %g near face x %d, y %d, z %d of block %d", r->path,
                         names[r->axis], field, i, j, k, b);
                r->sim->u[sl_mesh_at(m, r->sim->layout.nvar, b, r->sim->layout.face + r->axis,
                                     k + m->g[2], j + m->g[1], i + m->g[0])] = (sl_real)field;
            }
    return SL_OK;
}

static int fill_block(const struct reader *r, int b)
{
    double *value = NULL;
    hsize_t n[3];
    for (int d = 0; d < 3; d++)
        n[d] = (hsize_t)(d == r->axis ? r->sim->mesh->n[d] + 1 : r->sim->mesh->n[d] * r->ratio[d]);
    SL_TRY(sl_alloc("faces of a block", n[0] * n[1] * n[2], sizeof *value, &value));
    int code = read_box(r, b, n, value);
    if (code == SL_OK) code = put_block(r, b, n, value);
    free(value);
    return code;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static int fill_axis(struct reader *r, hid_t file)
{
    const char *name = names[r->axis];
    SL_CHECK(H5Lexists(file, name, H5P_DEFAULT) > 0, SL_EINPUT, "%s: the dataset %s is missing",
             r->path, name);
    r->id = H5Dopen2(file, name, H5P_DEFAULT);
    SL_CHECK(r->id >= 0, SL_EINPUT, "%s: %s is not a dataset", r->path, name);
    r->space = H5Dget_space(r->id);
    int code = check_shape(r);
    for (int b = 0; b < r->sim->mesh->nblock && code == SL_OK; b++)
        code = fill_block(r, b);
    H5Sclose(r->space);
    H5Dclose(r->id);
    return code;
}

int sl_face_file_fill(const char *path, struct sl_sim *sim)
{
    struct reader r = {.path = path, .sim = sim};
    hid_t file;
    int code = SL_OK;
    SL_TRY(sl_hdf_open(path, &file));
    for (r.axis = 0; r.axis < sim->mesh->dim && code == SL_OK; r.axis++)
        code = fill_axis(&r, file);
    H5Fclose(file);
    return code;
}
