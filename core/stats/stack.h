/* stack.h - the same table of several members, brought to common rows.
 *
 * Tables are matched by their first column; those against time (decay, energies, expansion, growth,
 * levels, level_shares) are interpolated to the times of the first member as far as all members
 * reach. Of a table with columns that some members do not have, as those of an earlier version, the
 * first columns count that all have.
 *
 * Shapes  value[realisation][row][column]
 * Units   those of the members' tables
 * Errors  SL_EINPUT for tables that are missing, damaged or do not match; SL_EMEM
 * Owns    what is in a struct sl_stack
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/stats.sh
 */
#ifndef SL_STATS_STACK_H
#define SL_STATS_STACK_H

#include <stdbool.h>

#include "core/measure/table.h"

/* Members and which of them are averaged first, as pairs are. */
struct sl_realisations {
    int n;
    char *const *member; /* borrowed; their directories */
    const int *unit;     /* borrowed, [n]: 0 .. units - 1; none comes before its first member */
    int units;           /* realisations: n, or fewer where members are pairs */
};

struct sl_stack {
    int n, nrow, ncol;      /* n: realisations */
    int tables;             /* that were read: n, or more where pairs were joined */
    struct sl_table *table; /* owned, [tables] */
    double *value;          /* owned, [n][nrow][ncol] */
};

/* Reads stats/<file> of all members; nothing to release after an error. */
int sl_stack_read(const struct sl_realisations *of, const char *file, struct sl_stack *out);
void sl_stack_release(struct sl_stack *stack);
/* Index of a column that all members have, -1 when there is none. */
int sl_stack_find(const struct sl_stack *stack, const char *column);
double *sl_stack_at(const struct sl_stack *stack, int realisation, int row, int column);

/* Whether the rows of such a table are times of a run, which differ between members. */
bool sl_stack_is_against_time(const char *file);

#endif
