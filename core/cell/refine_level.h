/* refine_level.h - what the criteria of mesh.refine (refine.h) need of a level, and the marks that
 * they leave on its blocks: all that those know who call them and those who read the marks.
 *
 * Shapes  none
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/refine.c
 */
#ifndef SL_CELL_REFINE_LEVEL_H
#define SL_CELL_REFINE_LEVEL_H

#include <stddef.h>

#include "core/cell/refine_rule.h"
#include "core/cell/state.h"

/* What the rules need besides the values of cells: one for all blocks of a level. */
struct sl_refine_level {
    struct sl_gas gas;
    struct sl_layout layout;
    int dim, level;
    int n[3], buffer; /* cells of a block; mesh.buffer */
    ptrdiff_t step[3];
    size_t var;
    double dx[3];
    double four_pi_g;
    int nrule; /* of cells, that ask for something on this level */
    struct sl_refine_rule rule[SL_REFINE_RULES];
};

/* What is asked of a block and of those beside it: bit 13 stands for the block, the others for the
 * directions as in core/mesh/exchange.h where a cell that says so lies within mesh.buffer cells of
 * that side. */
struct sl_refine_marks {
    unsigned finer; /* a cell is to be refined */
    unsigned here;  /* a cell needs this level, or a finer one */
    unsigned keep;  /* a cell holds it against merging */
};

enum { SL_REFINE_CELL_FINER = 1, SL_REFINE_CELL_HERE = 2, SL_REFINE_CELL_KEEP = 4 };
enum { SL_REFINE_SELF = 13, SL_REFINE_SIDES = 27 };

#endif
