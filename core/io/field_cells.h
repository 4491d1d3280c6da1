/* field_cells.h - what cells of a block hold that begin with values of a uniform grid, which is as
 * fine as they are, finer or coarser by whole factors: means of mass, momentum and energy, or of
 * heat in place of energy; a coarser cell fills several.
 *
 * Shapes  value[field][nz][ny][nx] of the box of the grid that covers a block, fields in the order
 *         of SL_CELL_*
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/field_file.c, tests/law/start_gas.sh
 */
#ifndef SL_IO_FIELD_CELLS_H
#define SL_IO_FIELD_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_state;

/* Fields of a start; scalars, as fractions of the density, follow each other. */
enum {
    SL_CELL_DENSITY,
    SL_CELL_VELOCITY,
    SL_CELL_PRESSURE = 4,
    SL_CELL_MAGNETIC,
    SL_CELL_SCALAR = SL_CELL_MAGNETIC + 3
};
/* What datasets call one before the scalars. */
const char *sl_field_cells_name(int field);

/* The box that covers a block, and how cells of the grid relate to those of the block: ratio for
 * each of these, or fill of these for each of the grid; one of them is 1. */
struct sl_field_cells {
    int64_t at[3], n[3], first[3]; /* first: block's first cell on its level */
    int64_t ratio[3], fill[3];
    size_t cells;   /* of the box */
    bool keep_heat; /* a mean has the heat of its cells, not the motion that it cannot hold */
};

/* Sets the interior of a block of state->u. */
void sl_field_cells_set(const struct sl_field_cells *c, const double *value,
                        const struct sl_state *state, int block);

#endif
