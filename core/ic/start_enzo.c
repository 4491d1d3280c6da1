/* start_enzo.c - a start for Enzo: GridDensity, GridVelocities, ParticlePositions,
 * ParticleVelocities; see start.h.
 *
 * Each is an HDF5 file with a dataset of the same name, components first, and the attributes by
 * which Enzo knows it. Units are those of Enzo's code: density over the mean of all matter, sides
 * of the box, and for proper peculiar velocities 122.475 km/s times the box in Mpc/h times
 * sqrt(Omega_m (1 + z)).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ic/start.h"
#include "core/io/h5.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct file {
    const struct sl_start *s;
    const char *name;
    int components;
    bool particles;
    struct sl_hdf h;
    hid_t set;
    double *value; /* borrowed */
};

static double velocity_unit(const struct sl_start *s)
{
    return 122.475 * s->length[0] * sqrt(s->omega_m * (1 + s->redshift));
}

static void shape_of(const struct file *f, hsize_t shape[4])
{
    const int *n = f->s->slab.n;
    shape[0] = (hsize_t)f->components;
    shape[1] = f->particles ? (hsize_t)sl_start_cells(f->s) : (hsize_t)n[2];
    shape[2] = (hsize_t)n[1];
    shape[3] = (hsize_t)n[0];
}

static int put_units(const struct file *f)
{
    char text[64];
    snprintf(text, sizeof text, "%.10g km/s, proper peculiar", velocity_unit(f->s));
    return sl_h5_put_text(f->set, "units",
                          f->components == 1        ? "mean density of all matter"
                          : strstr(f->name, "Posi") ? "sides of the box"
                                                    : text);
}

/* Particles have no place in the grid: Enzo marks that by -99999 and -100000. */
static int annotate(const struct file *f)
{
    const struct sl_start *s = f->s;
    int64_t size = (int64_t)sl_start_cells(s), rank = f->particles ? 1 : 3;
    int64_t dims[3], top[3], start[3] = {0, 0, 0}, end[3];
    for (int d = 0; d < 3; d++) {
        dims[d] = f->particles ? size : s->slab.n[d];
        top[d] = f->particles ? -99999 : s->slab.n[d];
        end[d] = f->particles ? -100000 : s->slab.n[d] - 1;
    }
    SL_TRY(sl_hdf_integer(f->set, "Component_Rank", f->components));
    SL_TRY(sl_hdf_integer(f->set, "Component_Size", size));
    SL_TRY(sl_hdf_integer(f->set, "Rank", rank));
    SL_TRY(sl_h5_put_ints(f->set, "Dimensions", (int)rank, dims));
    SL_TRY(sl_h5_put_ints(f->set, "TopGridDims", 3, top));
    SL_TRY(sl_h5_put_ints(f->set, "TopGridStart", 3, start));
    SL_TRY(sl_h5_put_ints(f->set, "TopGridEnd", 3, end));
    return put_units(f);
}

static int put(const struct file *f, int component)
{
    hsize_t shape[4], n = sl_start_cells(f->s);
    hsize_t at[4] = {(hsize_t)component, 0, 0, 0};
    shape_of(f, shape);
    shape[0] = 1;
    hid_t space = H5Dget_space(f->set), line = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, shape, NULL);
    bool ok = H5Dwrite(f->set, H5T_NATIVE_DOUBLE, line, space, H5P_DEFAULT, f->value) >= 0;
    H5Sclose(line);
    H5Sclose(space);
    SL_CHECK(ok, SL_EIO, "cannot write %s", f->h.part);
    return SL_OK;
}

/* The field in units of Enzo. */
static int take(const struct file *f, const char *stem, int axis, double unit, double zero)
{
    if (axis < 0)
        SL_TRY(sl_start_read(f->s, stem, false, f->value));
    else
        SL_TRY(sl_start_read_axis(f->s, stem, axis, false, f->value));
    for (size_t i = 0; i < sl_start_cells(f->s); i++)
        f->value[i] = (f->value[i] - zero) * unit;
    return SL_OK;
}

static int fill(const struct file *f)
{
    const struct sl_start *s = f->s;
    double gas = sl_start_gas_velocity(s) / velocity_unit(s), dark = 1 / velocity_unit(s);
    if (f->components == 1) {
        SL_TRY(take(f, "density", -1, 1, 0));
        return put(f, 0);
    }
    for (int d = 0; d < 3; d++) {
        if (!f->particles)
            SL_TRY(take(f, "velocity", d, gas, 0));
        else if (f->name[sizeof "Particle" - 1] == 'P')
            SL_TRY(take(f, "particles/position", d, 1 / s->length[d], s->lo[d]));
        else
            SL_TRY(take(f, "particles/velocity", d, dark, 0));
        SL_TRY(put(f, d));
    }
    return SL_OK;
}

static int put_dataset(struct file *f)
{
    hsize_t shape[4];
    shape_of(f, shape);
    hid_t space = H5Screate_simple(f->particles ? 2 : 4, shape, NULL), how = sl_h5_dataset();
    hid_t type = f->s->single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    f->set = H5Dcreate2(f->h.file, f->name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    SL_CHECK(f->set >= 0, SL_EIO, "cannot write the dataset %s", f->name);
    int code = annotate(f);
    if (code == SL_OK) code = fill(f);
    H5Dclose(f->set);
    return code;
}

static int put_file(struct file *f, const char *dir)
{
    char path[SL_PATH_MAX];
    uint64_t number = f->s->single ? sizeof(float) : sizeof(double);
    SL_TRY(sl_path_join(path, dir, f->name));
    SL_TRY(sl_hdf_create(path, (uint64_t)f->components * sl_start_cells(f->s) * number, &f->h));
    int code = put_dataset(f);
    if (code == SL_OK) return sl_hdf_commit(&f->h);
    sl_hdf_abandon(&f->h);
    return code;
}

static void print_gas(FILE *out, const struct sl_start *s)
{
    fprintf(out,
            "CosmologySimulationDensityName          = GridDensity\n"
            "CosmologySimulationVelocity1Name        = GridVelocities\n"
            "CosmologySimulationVelocity2Name        = GridVelocities\n"
            "CosmologySimulationVelocity3Name        = GridVelocities\n"
            "CosmologySimulationInitialTemperature   = %.6g\n",
            s->temperature);
}

static int parameters(const struct sl_start *s, const char *dir)
{
    FILE *f = sl_start_parameters(dir);
    double baryons = s->gas ? s->share * s->omega_m : 0;
    const int *n = s->slab.n;
    if (f) {
        fprintf(f,
                "# lines for the parameter file\n"
                "ProblemType                             = 30\n"
                "TopGridRank                             = 3\n"
                "TopGridDimensions                       = %d %d %d\n"
                "ComovingCoordinates                     = 1\n"
                "CosmologyOmegaMatterNow                 = %.10g\n"
                "CosmologyOmegaLambdaNow                 = %.10g\n"
                "CosmologyHubbleConstantNow              = %.10g\n"
                "CosmologyComovingBoxSize                = %.10g   // Mpc/h\n"
                "CosmologyInitialRedshift                = %.10g\n"
                "CosmologySimulationOmegaBaryonNow       = %.10g\n"
                "CosmologySimulationOmegaCDMNow          = %.10g\n",
                n[0], n[1], n[2], s->omega_m, s->omega_de, s->h, s->length[0], s->redshift, baryons,
                s->omega_m - baryons);
        if (s->gas) print_gas(f, s);
        if (s->dark)
            fputs("CosmologySimulationParticlePositionName = ParticlePositions\n"
                  "CosmologySimulationParticleVelocityName = ParticleVelocities\n",
                  f);
    }
    return sl_start_close(f, dir);
}

int sl_start_enzo_write(const struct sl_start *s, const char *dir)
{
    double *value;
    struct file files[] = {{.name = "GridDensity", .components = 1},
                           {.name = "GridVelocities", .components = 3},
                           {.name = "ParticlePositions", .components = 3, .particles = true},
                           {.name = "ParticleVelocities", .components = 3, .particles = true}};
    SL_TRY(sl_start_is_start(s, "enzo"));
    SL_TRY(sl_start_on_grid(s, "Enzo"));
    SL_TRY(sl_start_cubes(s, true, "Enzo"));
    SL_TRY(sl_alloc("a field of the start", sl_start_cells(s), sizeof *value, &value));
    int code = SL_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && code == SL_OK; i++) {
        files[i].s = s;
        files[i].value = value;
        if (files[i].particles ? s->dark : s->gas) code = put_file(&files[i], dir);
    }
    free(value);
    return code == SL_OK ? parameters(s, dir) : code;
}
