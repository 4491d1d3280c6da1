/* clump_tables.h - clumps of one snapshot and the tree of clumps within clumps, as tables.
 *
 * Tables made for snapshot 7: clumps_0007 and clump_masses_0007 where statistics.clumps asks for
 * them, tree_0007 and tree_masses_0007 where statistics.tree does. Number, and share of the mass,
 * of clumps and leaves go to *out.
 *
 * Shapes  fields as in measure.h
 * Units   code units; positions from the lower corner of the box
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    tables are added to the caller's
 * MPI     collective; every rank gets all tables, the same bits for any number of ranks
 * Where   host
 * Refs    see clumps.h, tree.h
 * Tests   tests/problem/numpy_spectrum.sh, tests/problem/scipy_tree.sh
 */
#ifndef SL_CLUMP_CLUMP_TABLES_H
#define SL_CLUMP_CLUMP_TABLES_H

#include "core/measure/fields.h"

struct sl_config;

/* mean: of the density. */
int sl_clump_tables(const struct sl_config *cfg, const struct sl_fields *fields, double mean,
                    struct sl_tables *tables, struct sl_measured *out);

#endif
