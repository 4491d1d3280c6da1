/* field.h - the list of fields in snapshots, and the interior of blocks without their ghosts.
 *
 * Shapes  packed: [nvar or 1][n2][n1][n0], x fastest
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    names of four letters as in FLASH
 * Tests   tests/unit/checkpoint.c, tests/unit/snapshot.c
 */
#ifndef SL_STATE_FIELD_H
#define SL_STATE_FIELD_H

#include "core/state/state.h"

/* X(NAME, file name, unit, yt name, where, sentence); passive scalars sc01, sc02 ... follow.
 * Each has its value_<NAME> in field.c, each unit its scale_<unit> in core/io/flash.c. yt takes the
 * pressure of a field to be magx^2 / 2 when the file has no units, and magx to be in gauss when it
 * has.
 * where: what a run needs to have the field, written_<where> in field.c:
 *   gas       gas
 *   heat      an ideal gas whose units are known
 *   particles likewise, and what its particles weigh
 *   field     a magnetic field
 *   pull      a potential (output.potential) */
#define SL_FIELD_LIST(X)                                                                           \
    X(DENS, "dens", density, "density", gas, "mass density")                                       \
    X(VELX, "velx", velocity, "velocity_x", gas, "velocity along x")                               \
    X(VELY, "vely", velocity, "velocity_y", gas, "velocity along y")                               \
    X(VELZ, "velz", velocity, "velocity_z", gas, "velocity along z")                               \
    X(PRES, "pres", pressure, "pressure", gas, "thermal pressure")                                 \
    X(EINT, "eint", energy, "specific_thermal_energy", heat, "thermal energy per mass")            \
    X(TEMP, "temp", temperature, "temperature", particles, "temperature")                          \
    X(MAGX, "magx", magnetic, "magnetic_field_x", field, "magnetic field along x")                 \
    X(MAGY, "magy", magnetic, "magnetic_field_y", field, "magnetic field along y")                 \
    X(MAGZ, "magz", magnetic, "magnetic_field_z", field, "magnetic field along z")                 \
    X(GPOT, "gpot", potential, "gravitational_potential", pull, "potential of self-gravity")

enum sl_field {
#define SL_FIELD_ENUM(name, ...) SL_FIELD_##name,
    SL_FIELD_LIST(SL_FIELD_ENUM)
#undef SL_FIELD_ENUM
        SL_FIELD_SCALAR
};
enum { SL_FIELD_MAX = SL_FIELD_SCALAR + SL_MAX_VAR };

struct sl_field_about {
    char name[5];
    const char *unit, *yt, *about;
};

/* Number of fields a run writes, which one the n-th is, and what field f is. */
int sl_field_count(const struct sl_state *state);
int sl_field_at(const struct sl_state *state, int n);
struct sl_field_about sl_field_about(int f);

/* Copies the interior of block b: all conserved variables to packed (get) or back (put), and after
 * them the magnetic field at the upper faces of the block (constrained transport), sl_field_values
 * in all; or field f to packed. */
size_t sl_field_values(const struct sl_state *state);
void sl_field_get(const struct sl_state *state, int b, sl_real *packed);
void sl_field_put(struct sl_state *state, int b, const sl_real *packed);
void sl_field_make(const struct sl_state *state, int b, int f, double *packed);

/* Cells of a block without ghosts. */
static inline size_t sl_field_cells(const struct sl_mesh *mesh)
{
    return (size_t)mesh->n[0] * (size_t)mesh->n[1] * (size_t)mesh->n[2];
}

#endif
