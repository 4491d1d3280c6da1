/* refine_rule.h - one rule of mesh.refine, as a recipe gives it.
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
#ifndef SL_CELL_REFINE_RULE_H
#define SL_CELL_REFINE_RULE_H

enum { SL_REFINE_RULES = 8 }; /* of a recipe, at most */

/* by and of: enum sl_refine_by, enum sl_refine_of_what (refine_list.h); what the criterion does not
 * take is 0. lo is also the centre of a sphere. */
struct sl_refine_rule {
    int by, of;
    int level; /* 0: mesh.levels */
    int axes;  /* numbers in lo */
    double above, below, filter, cells, mean, radius;
    double lo[3], hi[3];
};

#endif
