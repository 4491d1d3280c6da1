/* start_particles.c - gas and dark matter as particles in an HDF5 file; see start.h. Type 0 is gas,
 * type 1 dark matter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/start.h"
#include "core/io/h5.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { TYPES = 6, GAS = 0, DARK = 1 };

struct writing {
    const struct sl_start *s;
    const struct sl_start_units *u;
    struct sl_hdf h;
    hid_t group;
    double *value; /* owned, a field */
    size_t n;
    bool half; /* the gas lies half a cell beside the dark matter */
};

static const char *unit_of(const struct sl_start_units *u, const char *name)
{
    if (!strcmp(name, "Coordinates") || !strcmp(name, "SmoothingLength")) return u->lengths;
    if (!strcmp(name, "Velocities")) return u->speeds;
    return !strcmp(name, "Masses") ? u->weights : "(km/s)^2, physical";
}

/* A column of a dataset [n][columns]; the first one makes it, with its unit. */
static int put_column(const struct writing *w, const char *name, int columns, int column)
{
    const hsize_t shape[2] = {w->n, (hsize_t)columns}, at[2] = {0, (hsize_t)column};
    const hsize_t count[2] = {w->n, 1};
    hid_t type = w->s->single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, how = sl_h5_dataset();
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, shape, NULL);
    hid_t line = H5Screate_simple(1, shape, NULL);
    hid_t id = column == 0 ? H5Dcreate2(w->group, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT)
                           : H5Dopen2(w->group, name, H5P_DEFAULT);
    if (columns > 1) H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL);
    bool ok = id >= 0 && H5Dwrite(id, H5T_NATIVE_DOUBLE, line, space, H5P_DEFAULT, w->value) >= 0;
    if (ok && column == 0) ok = sl_h5_put_text(id, "units", unit_of(w->u, name)) == SL_OK;
    if (id >= 0 && H5Dclose(id) < 0) ok = false;
    H5Sclose(line);
    H5Sclose(space);
    H5Pclose(how);
    SL_CHECK(ok, SL_EIO, "cannot write the dataset %s of %s", name, w->h.part);
    return SL_OK;
}

static void scale(const struct writing *w, double factor)
{
    for (size_t i = 0; i < w->n; i++)
        w->value[i] *= factor;
}

/* Places on the grid along an axis, from 0; the gas alone: at the centres of the cells. */
static void grid_places(const struct writing *w, int axis)
{
    const int *n = w->s->slab.n;
    double step = w->u->length * w->s->length[axis] / n[axis];
    size_t at = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++) {
                const int cell[3] = {x, y, z};
                w->value[at++] = step * (cell[axis] + (w->half ? 0 : 0.5));
            }
}

/* From the corner of the box, within [0, length) also when rounded to single precision. */
static void dark_places(const struct writing *w, int axis)
{
    double length = w->u->length * w->s->length[axis];
    for (size_t i = 0; i < w->n; i++) {
        double x = w->u->length * (w->value[i] - w->s->lo[axis]);
        bool past = w->s->single ? (float)x >= (float)length : x >= length;
        w->value[i] = x < 0 || past ? 0 : x;
    }
}

/* Adds `cells` of the grid's steps to the number of each cell along an axis, times sign. */
static void add_grid(const struct writing *w, int axis, double sign, double cells)
{
    const int *n = w->s->slab.n;
    double step = sign * w->s->length[axis] / n[axis];
    size_t at = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++) {
                const int cell[3] = {x, y, z};
                w->value[at++] += step * (cell[axis] + cells);
            }
}

/* Displaced from the corners of the cells as dark matter is from their centres. */
static int displaced_places(const struct writing *w, int axis)
{
    const struct sl_start *s = w->s;
    double lo = s->lo[axis], length = s->length[axis];
    SL_TRY(sl_start_read_axis(s, "particles/position", axis, false, w->value));
    add_grid(w, axis, -1, 0.5);
    for (size_t i = 0; i < w->n; i++)
        w->value[i] -= lo + length * rint((w->value[i] - lo) / length);
    SL_TRY(sl_start_move_half(s, w->value));
    add_grid(w, axis, 1, 0);
    for (size_t i = 0; i < w->n; i++)
        w->value[i] += lo - length * floor(w->value[i] / length);
    dark_places(w, axis);
    return SL_OK;
}

/* first, first + 1 ..; or those of the values, where they are known. */
static int put_numbers(const struct writing *w, bool known, uint64_t first)
{
    const hsize_t shape = w->n;
    uint64_t *id;
    SL_TRY(sl_alloc("numbers of particles", w->n, sizeof *id, &id));
    for (size_t i = 0; i < w->n; i++)
        id[i] = known ? (uint64_t)w->value[i] : first + i;
    int code = sl_h5_put_array(w->group, "ParticleIDs", H5T_NATIVE_UINT64, 1, &shape, id);
    free(id);
    return code;
}

static int put_ids(const struct writing *w, uint64_t first)
{
    return put_numbers(w, false, first);
}

static int put_known_ids(const struct writing *w)
{
    SL_TRY(sl_start_column(w->s, SL_START_ID, w->value));
    return put_numbers(w, true, 0);
}

static int put_constant(const struct writing *w, const char *name, double value)
{
    for (size_t i = 0; i < w->n; i++)
        w->value[i] = value;
    return put_column(w, name, 1, 0);
}

/* A field with steep cells swings below zero between them. */
static int check_positive(const struct writing *w, const char *name)
{
    double least = w->value[0];
    for (size_t i = 1; i < w->n; i++)
        if (w->value[i] < least) least = w->value[i];
    SL_CHECK(least > 0, SL_EINPUT,
             "%s: the %s of the gas goes down to %.3g where its particles are, half a cell beside "
             "the dark matter: a larger ic.redshift is needed",
             w->s->path, name, least);
    return SL_OK;
}

/* Specific internal energy, from a^5 P and the comoving density: gamma = 5/3. */
static int put_energy(const struct writing *w)
{
    double *density, unit = sl_start_gas_velocity(w->s);
    SL_TRY(sl_alloc("density of the gas", w->n, sizeof *density, &density));
    int code = sl_start_read(w->s, "density", w->half, density);
    if (code == SL_OK) code = sl_start_read(w->s, "pressure", w->half, w->value);
    if (code == SL_OK) code = check_positive(w, "pressure");
    for (size_t i = 0; code == SL_OK && i < w->n; i++)
        w->value[i] *= 1.5 * unit * unit * w->u->energy / density[i];
    free(density);
    return code == SL_OK ? put_column(w, "InternalEnergy", 1, 0) : code;
}

/* The mean of the gas, by mass: particles of equal mass have no density of their own yet. */
static int put_mean_energy(const struct writing *w)
{
    double density = 0, pressure = 0, unit = sl_start_gas_velocity(w->s);
    SL_TRY(sl_start_read(w->s, "density", false, w->value));
    for (size_t i = 0; i < w->n; i++)
        density += w->value[i];
    SL_TRY(sl_start_read(w->s, "pressure", false, w->value));
    for (size_t i = 0; i < w->n; i++)
        pressure += w->value[i];
    return put_constant(w, "InternalEnergy", 1.5 * unit * unit * w->u->energy * pressure / density);
}

static int put_displaced_gas(const struct writing *w)
{
    for (int d = 0; d < 3; d++) {
        SL_TRY(displaced_places(w, d));
        SL_TRY(put_column(w, "Coordinates", 3, d));
    }
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_start_read_axis(w->s, "particles/velocity", d, true, w->value));
        scale(w, w->u->velocity);
        SL_TRY(put_column(w, "Velocities", 3, d));
    }
    SL_TRY(put_constant(w, "Masses", w->u->mass * sl_start_cell_mass(w->s) * w->s->share));
    return put_mean_energy(w);
}

static int put_grid_gas(const struct writing *w)
{
    const struct sl_start *s = w->s;
    for (int d = 0; d < 3; d++) {
        grid_places(w, d);
        SL_TRY(put_column(w, "Coordinates", 3, d));
    }
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_start_read_axis(s, "velocity", d, w->half, w->value));
        scale(w, w->u->velocity * sl_start_gas_velocity(s));
        SL_TRY(put_column(w, "Velocities", 3, d));
    }
    SL_TRY(sl_start_read(s, "density", w->half, w->value));
    SL_TRY(check_positive(w, "density"));
    scale(w, w->u->mass * sl_start_cell_mass(s));
    SL_TRY(put_column(w, "Masses", 1, 0));
    return put_energy(w);
}

static int put_gas(struct writing *w)
{
    const struct sl_start *s = w->s;
    SL_TRY(s->displaced ? put_displaced_gas(w) : put_grid_gas(w));
    if (w->u->smoothing > 0)
        SL_TRY(put_constant(w, "SmoothingLength",
                            w->u->smoothing * w->u->length *
                                cbrt(s->length[0] * s->length[1] * s->length[2] / (double)w->n)));
    return put_ids(w, 1);
}

static double dark_mass(const struct writing *w)
{
    if (w->s->particles) return w->u->mass * w->s->particle_mass;
    return w->u->mass * sl_start_cell_mass(w->s) * (1 - w->s->share);
}

static int put_dark(struct writing *w)
{
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_start_dark_place(w->s, d, w->value));
        dark_places(w, d);
        SL_TRY(put_column(w, "Coordinates", 3, d));
    }
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_start_dark_speed(w->s, d, w->value));
        scale(w, w->u->velocity);
        SL_TRY(put_column(w, "Velocities", 3, d));
    }
    if (w->u->masses) SL_TRY(put_constant(w, "Masses", dark_mass(w)));
    return w->s->particles ? put_known_ids(w) : put_ids(w, 1 + (w->s->gas ? w->n : 0));
}

static int put_header(struct writing *w)
{
    const struct sl_start *s = w->s;
    int64_t low[TYPES] = {0}, high[TYPES] = {0}, here[TYPES] = {0};
    double mass[TYPES] = {0}, box[3];
    const struct {
        const char *name;
        double value;
    } reals[] = {{"Time", s->a},
                 {"Redshift", s->redshift},
                 {"Omega0", s->omega_m},
                 {"OmegaBaryon", s->omega_b},
                 {"OmegaLambda", s->omega_de},
                 {"HubbleParam", s->h}};
    static const char *const flags[] = {"Flag_Sfr",    "Flag_Cooling",  "Flag_StellarAge",
                                        "Flag_Metals", "Flag_Feedback", "Flag_Entropy_ICs"};
    for (int t = GAS; t <= DARK; t++) {
        here[t] = (t == GAS ? s->gas : s->dark) ? (int64_t)w->n : 0;
        low[t] = here[t] & 0xffffffff;
        high[t] = here[t] >> 32;
    }
    if (s->dark) mass[DARK] = dark_mass(w);
    for (int d = 0; d < 3; d++)
        box[d] = w->u->length * s->length[d];
    hid_t at = w->group;
    SL_TRY(sl_h5_put_ints(at, "NumPart_ThisFile", TYPES, here));
    SL_TRY(sl_h5_put_ints(at, "NumPart_Total", TYPES, low));
    SL_TRY(sl_h5_put_ints(at, "NumPart_Total_HighWord", TYPES, high));
    SL_TRY(sl_h5_put_reals(at, "MassTable", TYPES, mass));
    bool cube = box[1] == box[0] && box[2] == box[0];
    SL_TRY(sl_h5_put_reals(at, "BoxSize", cube ? 1 : 3, box));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        SL_TRY(sl_hdf_real(at, reals[i].name, reals[i].value));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        SL_TRY(sl_hdf_integer(at, flags[i], 0));
    SL_TRY(sl_hdf_integer(at, "Flag_DoublePrecision", !s->single));
    SL_TRY(sl_hdf_integer(at, "Dimension", 3));
    return sl_hdf_integer(at, "NumFilesPerSnapshot", 1);
}

static int in_group(struct writing *w, const char *name, int (*put)(struct writing *))
{
    w->group = sl_h5_group(w->h.file, name);
    SL_CHECK(w->group >= 0, SL_EIO, "cannot write the group %s", name);
    int code = put(w);
    H5Gclose(w->group);
    return code;
}

static int put_all(struct writing *w, int (*more)(const struct sl_start *, hid_t))
{
    SL_TRY(in_group(w, "Header", put_header));
    if (more) SL_TRY(more(w->s, w->h.file));
    if (w->s->gas) SL_TRY(in_group(w, "PartType0", put_gas));
    if (w->s->dark) SL_TRY(in_group(w, "PartType1", put_dark));
    return SL_OK;
}

int sl_start_particles(const struct sl_start *s, const char *path, const struct sl_start_units *u,
                       int (*more)(const struct sl_start *s, hid_t file))
{
    struct writing w = {.s = s, .u = u, .n = sl_start_dark_number(s), .half = s->gas && s->dark};
    uint64_t number = s->single ? sizeof(float) : sizeof(double);
    uint64_t numbers = (s->gas ? 10 : 0) + (s->dark ? 8 : 0);
    SL_TRY(sl_alloc("a field of the start", w.n, sizeof *w.value, &w.value));
    int code = sl_hdf_create(path, w.n * (numbers * number + 16), &w.h);
    if (code == SL_OK) {
        code = put_all(&w, more);
        if (code == SL_OK)
            code = sl_hdf_commit(&w.h);
        else
            sl_hdf_abandon(&w.h);
    }
    free(w.value);
    return code;
}
