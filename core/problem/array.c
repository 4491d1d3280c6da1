/* array.c - a start from fields in any HDF5 file: density, velocity_x, velocity_y, velocity_z,
 * pressure, scalar_0 ... in its root group.
 *
 * Use it for a start that another program has made. The grid of the file may be finer or coarser
 * than mesh.cells by whole factors (core/io/field_file.h). Levels have what the file has, too, up
 * to the first that is as fine as the file: a coarser one the means, as the root; those that are
 * finer come of that with limited slopes. A velocity along an axis that mesh.cells
 * does not have may be missing and is then 0; pressure is not read for an isothermal gas.
 * With a magnetic field: magnetic_field_x, magnetic_field_y, magnetic_field_z, averages over cells.
 * With constrained transport the means of two cells at a face have a divergence as a rule, and the
 * start is refused: give the field at the faces, magnetic_face_x ..., or its vector potential at
 * edges, vector_potential_x ... (core/io/face_file.h); the averages over cells follow, but for one
 * along an axis that is not there.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT for a file that is missing, damaged or does not fit
 * Owns    its path
 * MPI     fill is collective
 * Where   host
 * Refs    none
 * Tests   tests/cli/array.sh
 */
#include "core/state/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/io/face_file.h"
#include "core/io/field_file.h"
#include "core/lists/mhd_list.h"
#include "core/state/state.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(array, 0, "fields from an HDF5 file with datasets density, velocity_x, velocity_y, velocity_z, pressure, scalar_0 ..., magnetic_field_x ... or, for constrained transport, magnetic_face_x ... at faces or vector_potential_x ... at edges")
SL_SHOW(array, "turbulence energies spectra", "density", "mach_rms_end density_sigma")
SL_RULE_UNKNOWN(array)
SL_TEXT_KEY(array_file, "array.file", "", path, "HDF5 file of problem array; relative to the recipe; run.input comes first")
SL_RULE(array, array_file, cfg->array_file[0] || cfg->run_input[0], "must be given: the HDF5 file with the fields")
/* clang-format on */

struct array {
    char path[SL_TEXT_MAX];
    bool faces; /* the file has the field at faces, or its potential, and the run takes it there */
};

static int open_array(const struct sl_config *cfg, void **data)
{
    const char *path = cfg->run_input[0] ? cfg->run_input : cfg->array_file;
    struct array *a = calloc(1, sizeof *a);
    SL_CHECK(a, SL_EMEM, "out of memory");
    snprintf(a->path, sizeof a->path, "%s", path);
    int code = cfg->fluid_mhd == SL_MHD_ct ? sl_face_file_is(path, &a->faces) : SL_OK;
    if (code == SL_OK)
        *data = a;
    else
        free(a);
    return code;
}

static int fill(const void *data, struct sl_state *run)
{
    const struct array *a = data;
    struct sl_field_source source = {.path = a->path, .magnetic_optional = a->faces};
    return sl_field_file_fill(&source, run);
}

/* A level is filled that is no finer than the file along any axis. */
static int fills(const void *data, const struct sl_state *run, bool *out)
{
    const struct array *a = data;
    SL_TRY(sl_field_file_reaches(a->path, run, out));
    return *out && a->faces ? sl_face_file_reaches(a->path, run, out) : SL_OK;
}

static int faces(const void *data, struct sl_state *run)
{
    const struct array *a = data;
    return a->faces ? sl_face_file_fill(a->path, run) : SL_OK;
}

const struct sl_problem sl_problem_array = {.name = "array",
                                            .open = open_array,
                                            .close = free,
                                            .fill = fill,
                                            .fills = fills,
                                            .faces = faces};
