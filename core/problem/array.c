/* array.c - a start from fields in any HDF5 file: density, velocity_x, velocity_y, velocity_z,
 * pressure, scalar_0 ... in its root group.
 *
 * Use it for a start that another program has made. The grid of the file may be finer or coarser
 * than mesh.cells by whole factors (core/io/field_file.h). A velocity along an axis that mesh.cells
 * does not have may be missing and is then 0; pressure is not read for an isothermal gas.
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
#include "core/problem/problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/io/field_file.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(array, 0, "fields from an HDF5 file with datasets density, velocity_x, velocity_y, velocity_z, pressure, scalar_0 ...")
SL_RULE_UNKNOWN(array)
SL_TEXT_KEY(array_file, "array.file", "", path, "HDF5 file of problem array; relative to the recipe; run.input comes first")
SL_RULE(array, array_file, cfg->array_file[0] || cfg->run_input[0], "must be given: the HDF5 file with the fields")
/* clang-format on */

struct array {
    char path[SL_TEXT_MAX];
};

static int open_array(const struct sl_config *cfg, void **data)
{
    const char *path = cfg->run_input[0] ? cfg->run_input : cfg->array_file;
    struct array *a = calloc(1, sizeof *a);
    SL_CHECK(a, SL_EMEM, "out of memory");
    snprintf(a->path, sizeof a->path, "%s", path);
    *data = a;
    return SL_OK;
}

static int fill(const void *data, struct sl_sim *sim)
{
    const struct array *a = data;
    struct sl_field_source source = {.path = a->path};
    return sl_field_file_fill(&source, sim);
}

const struct sl_problem sl_problem_array = {
    .name = "array", .open = open_array, .close = free, .fill = fill};
