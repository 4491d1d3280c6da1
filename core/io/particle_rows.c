/* particle_rows.c - see particle_rows.h. */
#include "core/io/particle_rows.h"

#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/particles/backend.h"
#include "core/sys/status.h"

#define TABLE "tracer particles"

/* ---- of a run -------------------------------------------------------------------------------- */

static double mass_of(const struct sl_particles *p, uint32_t kind, const struct sl_file_units *u)
{
    return p->mass[kind] * u->density * u->length * u->length * u->length;
}

static double number_of(const struct sl_particles *p, const struct sl_particle *q,
                        const struct sl_file_units *u, int column)
{
    if (column < SL_PARTICLE_VELOCITY) return sl_particles_place(p, q, column) * u->length;
    if (column < SL_PARTICLE_MASS) return (double)q->v[column - SL_PARTICLE_VELOCITY] * u->velocity;
    if (column == SL_PARTICLE_ID) return (double)q->id;
    return mass_of(p, q->kind, u);
}

void sl_particle_row(const struct sl_particles *p, const struct sl_particle *q,
                     const struct sl_file_units *units, double *row)
{
    for (int c = 0; c < SL_PARTICLE_ROW; c++)
        row[c] = number_of(p, q, units, c);
}

static int kinds(const struct sl_particles *p, uint32_t *one)
{
    int n = 0;
    for (uint32_t k = 0; k < SL_PARTICLE_KINDS; k++)
        if (p->mass[k] > 0) *one = k, n++;
    return n;
}

bool sl_particle_rows_there(const struct sl_particles *p, int size)
{
    uint32_t kind;
    return p && p->on && p->on->lists && size == 1 && kinds(p, &kind) == 1;
}

int sl_particle_rows_lists(const struct sl_particle_source *from, int size, bool *has,
                           struct sl_particle_lists *out)
{
    const struct sl_particles *p = from->particles;
    *has = sl_particle_rows_there(p, size);
    return *has ? p->on->lists(p, out) : SL_OK;
}

double sl_particle_rows_end(const struct sl_particle_source *from, int axis, bool hi)
{
    const struct sl_mesh_spec *s = &from->particles->mesh->spec;
    return hi ? s->hi[axis] : s->lo[axis];
}

double sl_particle_rows_mass(const struct sl_particle_source *from)
{
    uint32_t kind = 0;
    kinds(from->particles, &kind);
    return mass_of(from->particles, kind, &from->units);
}

/* ---- of a file ------------------------------------------------------------------------------- */

static int read_units(hid_t file, const char *path, struct sl_file_units *u)
{
    hid_t group = H5Gopen2(file, "sluice", H5P_DEFAULT);
    SL_CHECK(group >= 0, SL_EINPUT, "%s is no snapshot", path);
    int code = sl_h5_get_reals(group, "cgs_length", 1, &u->length);
    if (code == SL_OK) code = sl_h5_get_reals(group, "cgs_density", 1, &u->density);
    if (code == SL_OK) code = sl_h5_get_reals(group, "cgs_velocity", 1, &u->velocity);
    H5Gclose(group);
    return code;
}

static int share(struct sl_particle_rows *r, int rank, int size)
{
    hsize_t shape[2] = {0, 0}, n = (hsize_t)size;
    r->set = H5Dopen2(r->file, TABLE, H5P_DEFAULT);
    SL_CHECK(r->set >= 0, SL_EINPUT, "%s has no particles", r->from->path);
    r->space = H5Dget_space(r->set);
    bool good = H5Sget_simple_extent_ndims(r->space) == 2 &&
                H5Sget_simple_extent_dims(r->space, shape, NULL) == 2 &&
                shape[1] >= SL_PARTICLE_ROW;
    SL_CHECK(good, SL_EINPUT, "%s: cannot read its particles", r->from->path);
    r->first = shape[0] * (hsize_t)rank / n;
    const hsize_t own = shape[0] * ((hsize_t)rank + 1) / n - r->first;
    r->n = (size_t)own;
    r->rows = H5Screate_simple(1, &own, NULL);
    return SL_OK;
}

static int read_column(const struct sl_particle_rows *r, int column, size_t from, size_t number,
                       double *to)
{
    const hsize_t at[2] = {r->first + from, (hsize_t)column}, n[2] = {(hsize_t)number, 1}, zero = 0;
    if (number == 0) return SL_OK;
    H5Sselect_hyperslab(r->space, H5S_SELECT_SET, at, NULL, n, NULL);
    H5Sselect_hyperslab(r->rows, H5S_SELECT_SET, &zero, NULL, n, NULL);
    bool good = H5Dread(r->set, H5T_NATIVE_DOUBLE, r->rows, r->space, H5P_DEFAULT, to) >= 0;
    return good ? SL_OK : SL_FAIL(SL_EINPUT, "%s: cannot read its particles", r->from->path);
}

/* ---- either ---------------------------------------------------------------------------------- */

int sl_particle_rows_open(const struct sl_particle_source *from, int rank, int size,
                          struct sl_particle_rows *r)
{
    *r = (struct sl_particle_rows){from, from->units, 0, 0, -1, -1, -1, -1};
    if (from->particles) {
        if (from->particles->on) SL_TRY(from->particles->on->pull(from->particles));
        r->n = from->particles->n;
        return SL_OK;
    }
    SL_TRY(sl_hdf_open(from->path, &r->file));
    int code = read_units(r->file, from->path, &r->units);
    if (code == SL_OK) code = share(r, rank, size);
    return code == SL_OK ? SL_OK : sl_particle_rows_close(r, code);
}

int sl_particle_rows_read(const struct sl_particle_rows *r, int column, double *to)
{
    return sl_particle_rows_part(r, column, 0, r->n, to);
}

int sl_particle_rows_part(const struct sl_particle_rows *r, int column, size_t from, size_t n,
                          double *to)
{
    const struct sl_particles *p = r->from->particles;
    if (!p) return read_column(r, column, from, n, to);
    for (size_t i = 0; i < n; i++)
        to[i] = number_of(p, &p->at[from + i], &r->units, column);
    return SL_OK;
}

int sl_particle_rows_close(const struct sl_particle_rows *r, int code)
{
    if (r->rows >= 0) H5Sclose(r->rows);
    if (r->space >= 0) H5Sclose(r->space);
    if (r->set >= 0) H5Dclose(r->set);
    return r->file >= 0 ? sl_hdf_close(r->file, code) : code;
}
