/* field_file.c - see field_file.h. */
#include "core/io/field_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/field_cells.h"
#include "core/io/hdf.h"
#include "core/lists/eos_list.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { MAX_FIELD = SL_CELL_SCALAR + 8 };

struct reader {
    const struct sl_field_source *source;
    const struct sl_state *state;
    hid_t file;
    int nfield;               /* SL_CELL_DENSITY .. SL_CELL_SCALAR + scalars - 1 */
    char name[MAX_FIELD][24]; /* of the datasets */
    char here[MAX_FIELD];     /* the file has it */
    int64_t size[3];          /* of the file's grid, x first */
};

/* ---- what the file holds ---- */

/* Shape of a dataset into size, x first. */
static int shape(const struct reader *r, const char *name, hid_t id, int64_t size[3])
{
    hsize_t dims[8] = {0};
    hid_t space = H5Dget_space(id), type = H5Dget_type(id);
    int rank = H5Sget_simple_extent_ndims(space);
    H5T_class_t kind = H5Tget_class(type);
    if (rank > 0 && rank <= 8) H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    H5Tclose(type);
    SL_CHECK(kind == H5T_INTEGER || kind == H5T_FLOAT, SL_EINPUT, "%s: %s does not hold numbers",
             r->source->path, name);
    SL_CHECK(rank > 0 && rank <= 8, SL_EINPUT, "%s: %s has no usable shape", r->source->path, name);
    for (int d = 0; d < 3; d++)
        size[d] = d < rank ? (int64_t)dims[rank - 1 - d] : 1;
    for (int d = r->state->mesh->dim; d < rank; d++)
        SL_CHECK(dims[rank - 1 - d] == 1, SL_EINPUT,
                 "%s: %s has more axes than the %d of mesh.cells", r->source->path, name,
                 r->state->mesh->dim);
    return SL_OK;
}

static int probe(struct reader *r, int field)
{
    int64_t size[3] = {0, 0, 0};
    const char *name = r->name[field];
    if (H5Lexists(r->file, name, H5P_DEFAULT) <= 0) return SL_OK;
    hid_t id = H5Dopen2(r->file, name, H5P_DEFAULT);
    SL_CHECK(id >= 0, SL_EINPUT, "%s: %s is not a dataset", r->source->path, name);
    int code = shape(r, name, id, size);
    H5Dclose(id);
    SL_TRY(code);
    for (int d = 0; d < 3; d++) {
        SL_CHECK(r->size[d] == 0 || r->size[d] == size[d], SL_EINPUT,
                 "%s: %s has %lld cells along axis %d, other datasets have %lld", r->source->path,
                 name, (long long)size[d], d, (long long)r->size[d]);
        r->size[d] = size[d];
    }
    r->here[field] = 1;
    return SL_OK;
}

static int needed(const struct reader *r, int field)
{
    if (field == SL_CELL_DENSITY) return !(r->source->density > 0);
    if (field == SL_CELL_PRESSURE)
        return r->state->gas.eos != SL_EOS_isothermal && !(r->source->pressure > 0);
    if (field >= SL_CELL_MAGNETIC && field < SL_CELL_SCALAR)
        return r->state->layout.magnetic >= 0 && !r->source->expect &&
               !r->source->magnetic_optional;
    if (field >= SL_CELL_SCALAR) return !r->source->scalars_optional;
    return field - SL_CELL_VELOCITY < r->state->mesh->dim;
}

static int check_fit(const struct reader *r)
{
    const struct sl_mesh *mesh = r->state->mesh;
    for (int d = 0; d < mesh->dim; d++) {
        int64_t file = r->size[d], cells = mesh->spec.cells[d];
        SL_CHECK(file > 0 && (file % cells == 0 || cells % file == 0), SL_EINPUT,
                 "%s has %lld cells along axis %d, which neither divide nor refine the %lld of "
                 "mesh.cells",
                 r->source->path, (long long)file, d, (long long)cells);
        cells <<= r->source->level;
        SL_CHECK(r->source->level == 0 || file >= cells, SL_EINPUT,
                 "%s has %lld cells along axis %d, coarser than level %d of the mesh, which begins "
                 "with %lld; make it again with sluice-ic",
                 r->source->path, (long long)file, d, r->source->level, (long long)cells);
    }
    return SL_OK;
}

/* Names the first line in which two texts differ. */
static int same_lines(const char *path, const char *found, const char *expect)
{
    const char *f = found, *e = expect;
    while (*f || *e) {
        int nf = (int)strcspn(f, "\n"), ne = (int)strcspn(e, "\n");
        SL_CHECK(nf == ne && memcmp(f, e, (size_t)nf) == 0, SL_EINPUT,
                 "%s was made for another run: it has %.*s, the run has %.*s; make it again with "
                 "sluice-ic",
                 path, nf, f, ne, e);
        f += nf + (f[nf] != '\0');
        e += ne + (e[ne] != '\0');
    }
    return SL_OK;
}

static int check_made_for(const struct reader *r)
{
    char *found = NULL;
    if (!r->source->expect) return SL_OK;
    SL_CHECK(H5Aexists(r->file, "random_field") > 0, SL_EINPUT,
             "%s does not say what it was made for: it was not written by sluice-ic",
             r->source->path);
    SL_TRY(sl_hdf_read_text(r->file, "random_field", &found));
    int code = same_lines(r->source->path, found, r->source->expect);
    free(found);
    return code;
}

static int look(struct reader *r)
{
    SL_TRY(check_made_for(r));
    for (int i = 0; i < r->nfield; i++) {
        SL_TRY(probe(r, i));
        SL_CHECK(r->here[i] || !needed(r, i), SL_EINPUT, "%s: the dataset %s is missing",
                 r->source->path, r->name[i]);
    }
    return check_fit(r);
}

static void set_names(struct reader *r)
{
    r->nfield = SL_CELL_SCALAR + r->state->layout.nscalar;
    for (int i = 0; i < SL_CELL_SCALAR; i++)
        snprintf(r->name[i], sizeof r->name[i], "%s", sl_field_cells_name(i));
    for (int i = SL_CELL_SCALAR; i < r->nfield; i++)
        snprintf(r->name[i], sizeof r->name[i], "scalar_%d", i - SL_CELL_SCALAR);
}

/* ---- one block ---- */

static int cover_block(const struct reader *r, const struct sl_block *block,
                       struct sl_field_cells *c)
{
    const struct sl_mesh *mesh = r->state->mesh;
    double cells = 1;
    for (int d = 0; d < 3; d++) {
        int64_t grid =
            d < mesh->dim ? (int64_t)mesh->spec.cells[d] << block->level : (int64_t)mesh->n[d];
        int64_t size = r->size[d], n = mesh->n[d];
        SL_CHECK(size % grid == 0 || grid % size == 0, SL_EINPUT,
                 "%s has %lld cells along axis %d, which do not fit the %lld of level %d",
                 r->source->path, (long long)size, d, (long long)grid, block->level);
        c->ratio[d] = size >= grid ? size / grid : 1;
        c->fill[d] = size >= grid ? 1 : grid / size;
        c->first[d] = d < mesh->dim ? block->at[d] * n : 0;
        c->at[d] = c->first[d] * c->ratio[d] / c->fill[d];
        c->n[d] = ((c->first[d] + n) * c->ratio[d] - 1) / c->fill[d] + 1 - c->at[d];
        cells *= (double)c->n[d];
    }
    SL_CHECK(cells < INT_MAX, SL_EMEM, "%s: a block would need %.0f of its cells", r->source->path,
             cells);
    c->cells = (size_t)cells;
    return SL_OK;
}

static int check_values(const struct reader *r, int field, const struct sl_field_cells *c,
                        const double *v)
{
    int positive = field == SL_CELL_DENSITY || field == SL_CELL_PRESSURE;
    for (size_t i = 0; i < c->cells; i++) {
        int64_t x = c->at[0] + (int64_t)i % c->n[0];
        int64_t y = c->at[1] + (int64_t)i / c->n[0] % c->n[1];
        int64_t z = c->at[2] + (int64_t)i / c->n[0] / c->n[1];
        SL_CHECK(isfinite(v[i]) && (!positive || v[i] > 0), SL_EINPUT,
                 "%s: %s is %g in cell x %lld, y %lld, z %lld", r->source->path, r->name[field],
                 v[i], (long long)x, (long long)y, (long long)z);
    }
    return SL_OK;
}

/* A box of a dataset as doubles. */
static int read_part(const char *path, hid_t file, const char *name, int rank, const hsize_t *at,
                     const hsize_t *n, double *out)
{
    hid_t id = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(id);
    hid_t memory = H5Screate_simple(rank, n, NULL);
    int ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, n, NULL) >= 0 &&
             H5Dread(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(id);
    SL_CHECK(ok, SL_EINPUT, "%s: cannot read %s: the file is damaged or cut short", path, name);
    return SL_OK;
}

static int read_box(const struct reader *r, int field, const struct sl_field_cells *c, double *out)
{
    hid_t id = H5Dopen2(r->file, r->name[field], H5P_DEFAULT);
    hid_t space = H5Dget_space(id);
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t at[8], n[8];
    for (int d = 0; d < rank; d++) {
        int axis = rank - 1 - d;
        at[d] = axis < 3 ? (hsize_t)c->at[axis] : 0;
        n[d] = axis < 3 ? (hsize_t)c->n[axis] : 1;
    }
    H5Sclose(space);
    H5Dclose(id);
    SL_TRY(read_part(r->source->path, r->file, r->name[field], rank, at, n, out));
    return check_values(r, field, c, out);
}

static int read_fields(const struct reader *r, const struct sl_field_cells *c, double *value)
{
    for (int i = 0; i < r->nfield; i++) {
        double *out = value + (size_t)i * c->cells;
        double uniform = i == SL_CELL_DENSITY    ? r->source->density
                         : i == SL_CELL_PRESSURE ? r->source->pressure
                         : i >= SL_CELL_MAGNETIC && i < SL_CELL_SCALAR
                             ? r->source->magnetic[i - SL_CELL_MAGNETIC]
                             : 0;
        if (r->here[i])
            SL_TRY(read_box(r, i, c, out));
        else
            for (size_t k = 0; k < c->cells; k++)
                out[k] = uniform;
    }
    return SL_OK;
}

static int fill_block(const struct reader *r, int b)
{
    struct sl_field_cells c = {.keep_heat = r->source->keep_heat};
    SL_TRY(cover_block(r, &r->state->mesh->blocks[b], &c));
    double *value = malloc((size_t)r->nfield * c.cells * sizeof *value);
    SL_CHECK(value, SL_EMEM, "out of memory for a block of %s", r->source->path);
    int code = read_fields(r, &c, value);
    if (code == SL_OK) sl_field_cells_set(&c, value, r->state, b);
    free(value);
    return code;
}

static int fill_all(struct reader *r)
{
    if (r->state->layout.nvar > 0) set_names(r);
    SL_TRY(sl_hdf_open(r->source->path, &r->file));
    int code = r->state->layout.nvar > 0 ? look(r) : check_made_for(r);
    for (int b = 0; b < r->state->mesh->nblock && r->nfield > 0 && code == SL_OK; b++)
        code = fill_block(r, b);
    return sl_hdf_close(r->file, code);
}

static int reaches_in(struct reader *r, bool *reaches)
{
    const struct sl_mesh *m = r->state->mesh;
    set_names(r);
    SL_TRY(probe(r, SL_CELL_DENSITY));
    *reaches = r->here[SL_CELL_DENSITY];
    for (int d = 0; d < m->dim; d++)
        *reaches &= r->size[d] % ((int64_t)m->spec.cells[d] << m->level) == 0;
    return SL_OK;
}

int sl_field_file_reaches(const char *path, const struct sl_state *level, bool *reaches)
{
    struct sl_field_source source = {.path = path};
    struct reader r = {.source = &source, .state = level};
    SL_TRY(sl_hdf_open(path, &r.file));
    return sl_hdf_close(r.file, reaches_in(&r, reaches));
}

int sl_field_file_fill(const struct sl_field_source *source, struct sl_state *state)
{
    struct reader r = {.source = source, .state = state};
    return sl_agree(state->mesh->comm, fill_all(&r));
}

/* ---- one dataset ---- */

static int check_shape(const struct sl_slab *s, const char *path, hid_t file, const char *name)
{
    hsize_t size[3] = {0, 0, 0};
    SL_CHECK(H5Lexists(file, name, H5P_DEFAULT) > 0, SL_EINPUT, "%s: the dataset %s is missing",
             path, name);
    hid_t id = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(id);
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank == 3) H5Sget_simple_extent_dims(space, size, NULL);
    H5Sclose(space);
    H5Dclose(id);
    for (int d = 0; d < 3; d++)
        SL_CHECK(size[2 - d] == (hsize_t)s->n[d], SL_EINPUT,
                 "%s: %s has %llu values along axis %d, %d are wanted", path, name,
                 (unsigned long long)size[2 - d], d, s->n[d]);
    return SL_OK;
}

static int read_own(const struct sl_slab *s, const char *path, const char *name, double *out)
{
    const hsize_t at[3] = {(hsize_t)s->z0, 0, 0};
    const hsize_t n[3] = {(hsize_t)s->nz, (hsize_t)s->n[1], (hsize_t)s->n[0]};
    hid_t file;
    if (s->nz == 0) return SL_OK;
    SL_TRY(sl_hdf_open(path, &file));
    int code = check_shape(s, path, file, name);
    if (code == SL_OK) code = read_part(path, file, name, 3, at, n, out);
    return sl_hdf_close(file, code);
}

int sl_field_file_read(const struct sl_slab *s, const char *path, const char *name, double *out)
{
    return sl_agree(s->comm, read_own(s, path, name, out));
}

/* ---- writing ---- */

/* What a rank must know to write its planes. */
struct places {
    char part[SL_PATH_MAX]; /* of the file */
    int single;
    hsize_t n[3];         /* planes of this rank, cells of a plane */
    size_t pieces;        /* of a plane */
    int64_t *own, *other; /* owned; of planes of this rank; on rank 0 also of another rank */
};

static int planes_of(const struct sl_slab *s, int rank)
{
    return sl_slab_first(s->n[2], rank + 1, s->size) - sl_slab_first(s->n[2], rank, s->size);
}

static int places_make(const struct sl_slab *s, const struct sl_hdf *h, struct places *m)
{
    size_t most = (size_t)(s->n[2] / s->size + 1);
    *m = (struct places){.n = {(hsize_t)s->nz, (hsize_t)s->n[1], (hsize_t)s->n[0]}};
    if (s->rank == 0) {
        snprintf(m->part, sizeof m->part, "%s", h->part);
        m->single = h->single;
    }
    m->pieces = sl_hdf_pieces(m->n);
    SL_CHECK(most * m->pieces < INT_MAX, SL_EINPUT, "%d x %d x %d cells are too many for %d ranks",
             s->n[0], s->n[1], s->n[2], s->size);
    SL_TRY(sl_alloc("places in the file", most * m->pieces, sizeof *m->own, &m->own));
    return s->rank == 0
               ? sl_alloc("places in the file", most * m->pieces, sizeof *m->other, &m->other)
               : SL_OK;
}

/* Rank 0: makes the field and sends every rank that has planes where they belong; those who wait
 * hear of an error later. What HDF5 has to write is on disk before the others write. */
static int lay_out(const struct sl_slab *s, struct sl_hdf *h, const struct sl_field_out *field,
                   const struct places *m)
{
    const hsize_t size[3] = {(hsize_t)s->n[2], m->n[1], m->n[2]};
    int code = sl_hdf_field(h, field->name, size, field->units, field->about);
    for (int r = 0; r < s->size; r++) {
        const hsize_t n[3] = {(hsize_t)planes_of(s, r), m->n[1], m->n[2]};
        int64_t *where = r == 0 ? m->own : m->other;
        if (n[0] == 0) continue;
        if (code == SL_OK)
            code = sl_hdf_place_planes(h, field->name, (hsize_t)sl_slab_first(s->n[2], r, s->size),
                                       n, where);
        if (r > 0) MPI_Send(where, (int)(n[0] * m->pieces), MPI_INT64_T, r, 0, s->comm);
    }
    return code == SL_OK ? sl_hdf_flush(h) : code;
}

static int write_field(const struct sl_slab *s, struct sl_hdf *h, const struct sl_field_out *field,
                       const struct places *m)
{
    int code = SL_OK;
    if (s->rank == 0)
        code = lay_out(s, h, field, m);
    else if (s->nz > 0)
        MPI_Recv(m->own, (int)(m->n[0] * m->pieces), MPI_INT64_T, 0, 0, s->comm, MPI_STATUS_IGNORE);
    SL_TRY(sl_agree(s->comm, code));
    if (s->nz > 0) code = sl_hdf_write_planes(m->part, m->single, m->n, m->own, field->value);
    SL_TRY(sl_agree(s->comm, code));
    /* rank 0 goes on with the file: not with pages from before the others wrote (sl_hdf_flush) */
    return sl_agree(s->comm, s->rank == 0 ? sl_hdf_flush(h) : SL_OK);
}

int sl_field_file_write(const struct sl_slab *s, struct sl_hdf *h, int nfield,
                        const struct sl_field_out *field)
{
    struct places m;
    int code = sl_agree(s->comm, places_make(s, h, &m));
    if (code == SL_OK) {
        MPI_Bcast(m.part, sizeof m.part, MPI_CHAR, 0, s->comm);
        MPI_Bcast(&m.single, 1, MPI_INT, 0, s->comm);
    }
    for (int i = 0; i < nfield && code == SL_OK; i++)
        code = write_field(s, h, &field[i], &m);
    free(m.own);
    free(m.other);
    return code;
}
