/* places.c - see places.h. */
#include "core/measure/places.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/io/field_file.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static int make_room(size_t n, bool velocities, struct sl_places *p)
{
    p->n = n;
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_alloc("places of particles", n, sizeof(double), &p->x[d]));
        if (velocities) SL_TRY(sl_alloc("velocities of particles", n, sizeof(double), &p->v[d]));
    }
    return SL_OK;
}

void sl_places_release(struct sl_places *p)
{
    for (int d = 0; d < 3; d++) {
        free(p->x[d]);
        free(p->v[d]);
    }
}

/* Places of an axis, which come in units of `unit`, as shares of the box. */
static void to_shares(const struct sl_config *cfg, int axis, double unit, struct sl_places *p)
{
    const double *box = cfg->mesh_box + 2 * axis;
    for (size_t i = 0; i < p->n; i++)
        p->x[axis][i] = (p->x[axis][i] / unit - box[0]) / (box[1] - box[0]);
}

int sl_places_of_start(const struct sl_config *cfg, const struct sl_slab *s, const char *path,
                       struct sl_places *p)
{
    SL_TRY(sl_agree(s->comm, make_room(sl_slab_cells(s), false, p)));
    for (int d = 0; d < 3; d++) {
        char name[32];
        snprintf(name, sizeof name, "particles/position_%c", 'x' + d);
        SL_TRY(sl_field_file_read(s, path, name, p->x[d]));
        to_shares(cfg, d, 1, p);
    }
    return SL_OK;
}

/* The table of particles of a snapshot: places, velocities and more, a column each. */
struct rows {
    hid_t set, space, memory;
    hsize_t first, n; /* of this rank */
};

/* columns: the least that it must have. */
static int rows_open(const struct sl_slab *s, const char *path, hid_t set, hsize_t columns,
                     struct rows *r)
{
    hsize_t size[2] = {0, 0}, rank = (hsize_t)s->rank, ranks = (hsize_t)s->size;
    r->set = set;
    r->space = H5Dget_space(set);
    bool good = H5Sget_simple_extent_ndims(r->space) == 2 &&
                H5Sget_simple_extent_dims(r->space, size, NULL) == 2 && size[1] >= columns;
    r->first = size[0] * rank / ranks;
    r->n = size[0] * (rank + 1) / ranks - r->first;
    r->memory = H5Screate_simple(1, &r->n, NULL);
    return good ? SL_OK : SL_FAIL(SL_EINPUT, "%s: cannot read its particles", path);
}

static int rows_column(const struct rows *r, const char *path, int column, double *to)
{
    const hsize_t at[2] = {r->first, (hsize_t)column}, n[2] = {r->n, 1};
    if (r->n == 0) return SL_OK;
    H5Sselect_hyperslab(r->space, H5S_SELECT_SET, at, NULL, n, NULL);
    bool good = H5Dread(r->set, H5T_NATIVE_DOUBLE, r->memory, r->space, H5P_DEFAULT, to) >= 0;
    return good ? SL_OK : SL_FAIL(SL_EINPUT, "%s: cannot read its particles", path);
}

static void rows_close(const struct rows *r)
{
    H5Sclose(r->memory);
    H5Sclose(r->space);
}

struct units {
    double length, velocity, density;
};

enum { VELOCITIES = 3, MASSES = 6, COLUMNS };

static int read_masses(const struct rows *r, const char *path, struct units unit,
                       struct sl_places *p)
{
    double *value = NULL;
    SL_TRY(sl_alloc("masses of particles", p->n, sizeof *value, &value));
    int code = rows_column(r, path, MASSES, value);
    for (size_t i = 0; i < p->n && code == SL_OK; i++)
        p->mass += value[i] / (unit.density * unit.length * unit.length * unit.length);
    free(value);
    return code;
}

static int read_columns(const struct sl_config *cfg, const struct rows *r, const char *path,
                        struct units unit, struct sl_places *p)
{
    for (int d = 0; d < 3; d++) {
        SL_TRY(rows_column(r, path, d, p->x[d]));
        to_shares(cfg, d, unit.length, p);
        if (!p->v[d]) continue;
        SL_TRY(rows_column(r, path, VELOCITIES + d, p->v[d]));
        for (size_t i = 0; i < p->n; i++)
            p->v[d][i] /= unit.velocity;
    }
    return read_masses(r, path, unit, p);
}

static int read_rows(const struct sl_config *cfg, const struct sl_slab *s, const char *path,
                     hid_t set, struct units unit, bool velocities, struct sl_places *p)
{
    struct rows r;
    int code = rows_open(s, path, set, COLUMNS, &r);
    if (code == SL_OK) code = make_room((size_t)r.n, velocities, p);
    if (code == SL_OK) code = read_columns(cfg, &r, path, unit, p);
    rows_close(&r);
    return code;
}

static int read_units(hid_t group, struct units *unit)
{
    SL_TRY(sl_h5_get_reals(group, "cgs_length", 1, &unit->length));
    SL_TRY(sl_h5_get_reals(group, "cgs_density", 1, &unit->density));
    return sl_h5_get_reals(group, "cgs_velocity", 1, &unit->velocity);
}

static int read_snapshot(const struct sl_config *cfg, const struct sl_slab *s, const char *path,
                         bool velocities, struct sl_places *p)
{
    hid_t file;
    struct units unit;
    SL_TRY(sl_hdf_open(path, &file));
    hid_t group = H5Gopen2(file, "sluice", H5P_DEFAULT),
          set = H5Dopen2(file, "tracer particles", H5P_DEFAULT);
    int code = group >= 0 && set >= 0 ? read_units(group, &unit)
                                      : SL_FAIL(SL_EINPUT, "%s has no particles", path);
    if (code == SL_OK) code = read_rows(cfg, s, path, set, unit, velocities, p);
    if (set >= 0) H5Dclose(set);
    if (group >= 0) H5Gclose(group);
    return sl_hdf_close(file, code);
}

int sl_places_of_snapshot(const struct sl_config *cfg, const struct sl_slab *s, const char *path,
                          bool velocities, struct sl_places *p)
{
    return sl_agree(s->comm, read_snapshot(cfg, s, path, velocities, p));
}
