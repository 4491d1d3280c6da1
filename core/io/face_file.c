/* face_file.c - see face_file.h. */
#include "core/io/face_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/hdf.h"
#include "core/state/state.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static const char *const face_names[] = {"magnetic_face_x", "magnetic_face_y", "magnetic_face_z"};
static const char *const edge_names[] = {"vector_potential_x", "vector_potential_y",
                                         "vector_potential_z"};

/* A dataset, and how its grid lies to that of the level. */
struct reader {
    const char *path, *name;
    struct sl_state *state;
    hid_t id, space;
    int axis, rank;
    bool edges;       /* the potential: along edges; else the field: across faces */
    int64_t ratio[3]; /* cells of the file in one of the level */
};

/* Whether there is one value more than cells along axis d: it lies at their sides, and is no
 * mean along it. */
static bool at_sides(const struct reader *r, int d)
{
    return d < r->state->mesh->dim && r->edges != (d == r->axis);
}

int sl_face_file_is(const char *path, bool *is)
{
    hid_t file;
    *is = false;
    int code = sl_hdf_open(path, &file);
    if (code == SL_EINPUT) return SL_OK; /* whoever fills the run from it says why */
    SL_TRY(code);
    htri_t faces = H5Lexists(file, face_names[0], H5P_DEFAULT);
    htri_t edges = H5Lexists(file, edge_names[2], H5P_DEFAULT);
    *is = faces > 0 || edges > 0;
    return sl_hdf_close(file, faces < 0 || edges < 0
                                  ? SL_FAIL(SL_EINPUT, "%s: its datasets cannot be listed", path)
                                  : SL_OK);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static int64_t cells_of(const struct sl_state *state, int d)
{
    return d < state->mesh->dim ? (int64_t)state->mesh->spec.cells[d] << state->mesh->level : 1;
}

static int check_shape(struct reader *r)
{
    hsize_t dims[8];
    r->rank = H5Sget_simple_extent_ndims(r->space);
    SL_CHECK(r->rank > 0 && r->rank <= 8, SL_EINPUT, "%s: %s has no usable shape", r->path,
             r->name);
    H5Sget_simple_extent_dims(r->space, dims, NULL);
    for (int d = 0; d < (r->rank > 3 ? r->rank : 3); d++) {
        int64_t size = d < r->rank ? (int64_t)dims[r->rank - 1 - d] : 1;
        int64_t cells = d < 3 ? cells_of(r->state, d) : 1, more = at_sides(r, d);
        SL_CHECK(size > more && (size - more) % cells == 0 &&
                     (d < r->state->mesh->dim || size == 1),
                 SL_EINPUT,
                 "%s: %s has %lld values along axis %d, which are no %s of the %lld cells of "
                 "level %d, or of finer ones",
                 r->path, r->name, (long long)size, d, r->edges ? "edges" : "faces",
                 (long long)cells, r->state->mesh->level);
        if (d < 3) r->ratio[d] = (size - more) / cells;
    }
    return SL_OK;
}

/* ---- one block ------------------------------------------------------------------------------- */

/* The values of the file in a block: along axes on whose sides they lie only those that lie on
 * one of the level. */
static int read_box(const struct reader *r, int b, const hsize_t n[3], double *out)
{
    const struct sl_mesh *m = r->state->mesh;
    hsize_t at[8], count[8], step[8];
    for (int i = 0; i < r->rank; i++) {
        int d = r->rank - 1 - i;
        at[i] = d < m->dim ? (hsize_t)(m->blocks[b].at[d] * m->n[d] * r->ratio[d]) : 0;
        count[i] = d < 3 ? n[d] : 1;
        step[i] = at_sides(r, d) ? (hsize_t)r->ratio[d] : 1;
    }
    hid_t memory = H5Screate_simple(r->rank, count, NULL);
    int ok = H5Sselect_hyperslab(r->space, H5S_SELECT_SET, at, step, count, NULL) >= 0 &&
             H5Dread(r->id, H5T_NATIVE_DOUBLE, memory, r->space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    SL_CHECK(ok, SL_EINPUT,
             "%s: cannot read %s: the file is damaged, cut short, or holds no numbers", r->path,
             r->name);
    return SL_OK;
}

/* The mean over the faces, or edges, of the file that are one; f: its place in the block. */
static double mean(const struct reader *r, const hsize_t n[3], const int f[3], const double *value)
{
    int64_t lo[3], parts[3];
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        parts[d] = at_sides(r, d) ? 1 : r->ratio[d];
        lo[d] = f[d] * parts[d];
    }
    for (int64_t z = lo[2]; z < lo[2] + parts[2]; z++)
        for (int64_t y = lo[1]; y < lo[1] + parts[1]; y++)
            for (int64_t x = lo[0]; x < lo[0] + parts[0]; x++)
                sum += value[(z * (int64_t)n[1] + y) * (int64_t)n[0] + x];
    return sum / (double)(parts[0] * parts[1] * parts[2]);
}

/* What the dataset has at a face, or an edge. */
static int value_at(const struct reader *r, int b, const hsize_t n[3], const int f[3],
                    const double *value, double *out)
{
    *out = mean(r, n, f, value);
    SL_CHECK(isfinite(*out), SL_EINPUT, "%s: %s is %g near x %d, y %d, z %d of block %d", r->path,
             r->name, *out, f[0], f[1], f[2], b);
    return SL_OK;
}

static sl_real *face_at(const struct reader *r, int b, int d, const int f[3])
{
    const struct sl_mesh *m = r->state->mesh;
    return r->state->u + sl_mesh_at(m, r->state->layout.nvar, b, r->state->layout.face + d,
                                    f[2] + m->g[2], f[1] + m->g[1], f[0] + m->g[0]);
}

/* Adds to the field at a face across d what goes around it along edges of the reader's axis. */
static int add_curl(const struct reader *r, int b, int d, const hsize_t n[3], const int f[3],
                    const double *value)
{
    int across = 3 - d - r->axis, next[3] = {f[0], f[1], f[2]};
    double low, high, sign = (d + 1) % 3 == across ? 1 : -1;
    next[across]++;
    SL_TRY(value_at(r, b, n, f, value, &low));
    SL_TRY(value_at(r, b, n, next, value, &high));
    *face_at(r, b, d, f) += (sl_real)(sign * (high - low) / r->state->mesh->blocks[b].dx[across]);
    return SL_OK;
}

static int put_face(const struct reader *r, int b, int d, const hsize_t n[3], const int f[3],
                    const double *value)
{
    double field;
    if (r->edges) return add_curl(r, b, d, n, f, value);
    SL_TRY(value_at(r, b, n, f, value, &field));
    *face_at(r, b, d, f) = (sl_real)field;
    return SL_OK;
}

/* Sets, or adds to, the field at the faces of a block across d. */
static int put_faces(const struct reader *r, int b, int d, const hsize_t n[3], const double *value)
{
    const struct sl_mesh *m = r->state->mesh;
    int f[3], code = SL_OK;
    for (f[2] = 0; f[2] < m->n[2] + (d == 2); f[2]++)
        for (f[1] = 0; f[1] < m->n[1] + (d == 1); f[1]++)
            for (f[0] = 0; f[0] < m->n[0] + (d == 0) && code == SL_OK; f[0]++)
                code = put_face(r, b, d, n, f, value);
    return code;
}

/* Whether the dataset has part in the field across d: a potential along an axis has part in the
 * field across the two others, if they are there. */
static bool concerns(const struct reader *r, int d)
{
    int dim = r->state->mesh->dim;
    if (!r->edges) return d == r->axis;
    return d != r->axis && d < dim && 3 - d - r->axis < dim;
}

static int fill_block(const struct reader *r, int b)
{
    double *value = NULL;
    hsize_t n[3];
    for (int d = 0; d < 3; d++)
        n[d] = (hsize_t)(at_sides(r, d) ? r->state->mesh->n[d] + 1
                                        : r->state->mesh->n[d] * r->ratio[d]);
    SL_TRY(sl_alloc("faces of a block", n[0] * n[1] * n[2], sizeof *value, &value));
    int code = read_box(r, b, n, value);
    for (int d = 0; d < 3 && code == SL_OK; d++)
        if (concerns(r, d)) code = put_faces(r, b, d, n, value);
    free(value);
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int fill_axis(struct reader *r, hid_t file)
{
    SL_CHECK(H5Lexists(file, r->name, H5P_DEFAULT) > 0, SL_EINPUT, "%s: the dataset %s is missing",
             r->path, r->name);
    r->id = H5Dopen2(file, r->name, H5P_DEFAULT);
    SL_CHECK(r->id >= 0, SL_EINPUT, "%s: %s is not a dataset", r->path, r->name);
    r->space = H5Dget_space(r->id);
    int code = check_shape(r);
    for (int b = 0; b < r->state->mesh->nblock && code == SL_OK; b++)
        code = fill_block(r, b);
    H5Sclose(r->space);
    H5Dclose(r->id);
    return code;
}

static int fill_from(const char *path, struct sl_state *state, hid_t file)
{
    struct reader r = {.path = path, .state = state};
    r.edges = H5Lexists(file, face_names[0], H5P_DEFAULT) <= 0;
    for (r.axis = 0; r.axis < 3; r.axis++) {
        r.name = r.edges ? edge_names[r.axis] : face_names[r.axis];
        if (r.edges ? concerns(&r, 0) || concerns(&r, 1) : r.axis < state->mesh->dim)
            SL_TRY(fill_axis(&r, file));
    }
    return SL_OK;
}

/* The field at the faces of all blocks: nothing. */
static void clear(struct sl_state *state)
{
    const struct sl_mesh *m = state->mesh;
    for (int b = 0; b < m->nblock; b++)
        memset(state->u + sl_mesh_at(m, state->layout.nvar, b, state->layout.face, 0, 0, 0), 0,
               (size_t)m->dim * m->block_cells * sizeof *state->u);
}

/* As fill_from, but it only looks: axes whose dataset is missing are refused when they are read. */
static bool reaches_in(const char *path, struct sl_state *level, hid_t file)
{
    struct reader r = {.path = path, .state = level};
    bool reaches = true;
    r.edges = H5Lexists(file, face_names[0], H5P_DEFAULT) <= 0;
    for (r.axis = 0; r.axis < 3; r.axis++) {
        r.name = r.edges ? edge_names[r.axis] : face_names[r.axis];
        bool part = r.edges ? concerns(&r, 0) || concerns(&r, 1) : r.axis < level->mesh->dim;
        if (!part || H5Lexists(file, r.name, H5P_DEFAULT) <= 0) continue;
        r.id = H5Dopen2(file, r.name, H5P_DEFAULT);
        r.space = H5Dget_space(r.id);
        reaches &= check_shape(&r) == SL_OK;
        H5Sclose(r.space);
        H5Dclose(r.id);
    }
    return reaches;
}

int sl_face_file_reaches(const char *path, const struct sl_state *level, bool *reaches)
{
    struct sl_state state = *level;
    hid_t file;
    SL_TRY(sl_hdf_open(path, &file));
    *reaches = reaches_in(path, &state, file);
    return sl_hdf_close(file, SL_OK);
}

int sl_face_file_fill(const char *path, struct sl_state *state)
{
    hid_t file;
    SL_TRY(sl_hdf_open(path, &file));
    clear(state);
    return sl_hdf_close(file, fill_from(path, state, file));
}
