/* snapshot_start.c - the dark matter of a snapshot, as other codes read it; see start.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/background.h"
#include "core/ic/start.h"
#include "core/io/h5.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

#define TABLE "tracer particles"

/* Rows of what FLASH calls runtime parameters: a name, padded with blanks, and a number. */
struct parameter {
    char name[80];
    double value;
};

static hid_t parameter_type(void)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(struct parameter)), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof((struct parameter *)0)->name);
    H5Tinsert(type, "name", HOFFSET(struct parameter, name), text);
    H5Tinsert(type, "value", HOFFSET(struct parameter, value), H5T_NATIVE_DOUBLE);
    H5Tclose(text);
    return type;
}

static bool find(const struct parameter *row, hssize_t n, const char *name, double *out)
{
    size_t length = strlen(name);
    for (hssize_t i = 0; i < n; i++)
        if (!strncmp(row[i].name, name, length) && strchr(" ", row[i].name[length])) {
            *out = row[i].value;
            return true;
        }
    return false;
}

/* The universe, of which the file has H0 in 1/s. */
static bool read_universe(struct sl_start *s, hid_t set, hid_t space)
{
    hssize_t n = H5Sget_simple_extent_npoints(space);
    struct parameter *row = n > 0 ? calloc((size_t)n, sizeof *row) : NULL;
    hid_t type = parameter_type();
    bool good = row && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0 &&
                find(row, n, "hubbleconstant", &s->h) && find(row, n, "omegamatter", &s->omega_m) &&
                find(row, n, "omegabaryon", &s->omega_b) &&
                find(row, n, "cosmologicalconstant", &s->omega_de);
    s->h *= SL_MPC_KM / 100;
    H5Tclose(type);
    free(row);
    return good;
}

static int get_universe(struct sl_start *s, hid_t file)
{
    hid_t set = H5Dopen2(file, "real runtime parameters", H5P_DEFAULT);
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    bool good = space >= 0 && read_universe(s, set, space);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    SL_CHECK(good && s->omega_m > 0, SL_EINPUT, "%s is no snapshot of a universe", s->path);
    return SL_OK;
}

static int get_box(struct sl_start *s, hid_t group)
{
    double lo[3], hi[3];
    int64_t cells[3];
    int n[3];
    SL_TRY(sl_start_check_own(s, group));
    SL_TRY(sl_h5_get_reals(group, "lo", 3, lo));
    SL_TRY(sl_h5_get_reals(group, "hi", 3, hi));
    SL_TRY(sl_h5_get_ints(group, "cells", 3, cells));
    for (int d = 0; d < 3; d++) {
        s->lo[d] = lo[d];
        s->length[d] = hi[d] - lo[d];
        n[d] = (int)cells[d];
    }
    sl_slab_init(MPI_COMM_SELF, 3, n, s->length, &s->slab);
    SL_TRY(sl_h5_get_reals(group, "scale_factor", 1, &s->a));
    return sl_h5_get_reals(group, "redshift", 1, &s->redshift);
}

static int count(struct sl_start *s, hid_t file)
{
    hsize_t size[2] = {0, 0};
    hid_t set = H5Dopen2(file, TABLE, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[1] > SL_START_ID;
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    SL_CHECK(good && size[0] > 0, SL_EINPUT, "%s: cannot read its particles", s->path);
    s->particles = (size_t)size[0];
    return SL_OK;
}

/* The particles of a universe all have one mass. */
static int get_mass(struct sl_start *s)
{
    double *mass;
    SL_TRY(sl_alloc("masses of particles", s->particles, sizeof *mass, &mass));
    int code = sl_start_column(s, SL_START_MASS, mass);
    if (code == SL_OK) s->particle_mass = mass[0];
    free(mass);
    return code;
}

bool sl_start_is_snapshot(hid_t file)
{
    return H5Lexists(file, "sluice", H5P_DEFAULT) > 0 &&
           H5Lexists(file, "sim info", H5P_DEFAULT) > 0;
}

int sl_start_of_snapshot(struct sl_start *s, hid_t file)
{
    SL_CHECK(H5Lexists(file, TABLE, H5P_DEFAULT) > 0, SL_EINPUT,
             "%s is a snapshot without particles: no dark matter moves in its run", s->path);
    SL_CHECK(!s->displaced, SL_EINPUT, "%s: gas of a snapshot stays on its mesh: --gas grid",
             s->path);
    hid_t group = H5Gopen2(file, "sluice", H5P_DEFAULT);
    SL_CHECK(group >= 0, SL_EINPUT, "%s: cannot read the group sluice", s->path);
    int code = H5Aexists(group, "scale_factor") > 0
                   ? get_box(s, group)
                   : SL_FAIL(SL_EINPUT, "%s is no snapshot of an expanding universe", s->path);
    H5Gclose(group);
    SL_TRY(code);
    SL_TRY(get_universe(s, file));
    SL_TRY(count(s, file));
    s->dark = true;
    snprintf(s->file, sizeof s->file, "snapshot");
    return get_mass(s);
}

/* Of one number of a column in what other codes measure in. */
static int unit_of(const struct sl_start *s, hid_t group, int column, double *unit)
{
    double length, density, velocity;
    SL_TRY(sl_h5_get_reals(group, "cgs_length", 1, &length));
    SL_TRY(sl_h5_get_reals(group, "cgs_density", 1, &density));
    SL_TRY(sl_h5_get_reals(group, "cgs_velocity", 1, &velocity));
    *unit = column < SL_START_SPEED  ? 1 / length
            : column < SL_START_MASS ? sl_start_gas_velocity(s) / velocity
            : column < SL_START_ID   ? sl_start_matter(s) / (density * length * length * length)
                                     : 1;
    return SL_OK;
}

static bool read_column(const struct sl_start *s, hid_t file, int column, double *out)
{
    const hsize_t at[2] = {0, (hsize_t)column}, n[2] = {s->particles, 1};
    hid_t set = H5Dopen2(file, TABLE, H5P_DEFAULT);
    if (set < 0) return false;
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, n, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, n, NULL) >= 0 &&
                H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

static int column_of(const struct sl_start *s, hid_t file, int column, double *out)
{
    double unit;
    hid_t group = H5Gopen2(file, "sluice", H5P_DEFAULT);
    SL_CHECK(group >= 0, SL_EINPUT, "%s: cannot read the group sluice", s->path);
    int code = unit_of(s, group, column, &unit);
    H5Gclose(group);
    SL_TRY(code);
    SL_CHECK(read_column(s, file, column, out), SL_EINPUT, "%s: cannot read its particles",
             s->path);
    for (size_t i = 0; i < s->particles; i++)
        out[i] *= unit;
    return SL_OK;
}

int sl_start_column(const struct sl_start *s, int column, double *out)
{
    hid_t file;
    SL_TRY(sl_hdf_open(s->path, &file));
    return sl_hdf_close(file, column_of(s, file, column, out));
}

int sl_start_is_start(const struct sl_start *s, const char *code)
{
    SL_CHECK(!s->particles, SL_EINPUT,
             "%s: the particles of a snapshot are written for gadget and swift, not for %s",
             s->path, code);
    return SL_OK;
}
