/* sweep.h - the axes along which the members of a recipe differ, and the values of one member.
 *
 * Every row of `sweep:` is an axis; all rows of `zip:` together are one more, at the place of the
 * section in the file, and so are all of `sample:`, whose values are the points of a design
 * (design.h) with 8 digits of their range. Members are the product, the last axis varies fastest;
 * they are computed from their index and never listed.
 *
 * Shapes  index 0 .. count - 1
 * Units   of the keys
 * Errors  SL_EINPUT with file:line:column, SL_EMEM
 * Owns    its tables; nodes are borrowed from the inputs
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/sweep.c, tests/unit/design.c
 */
#ifndef SL_PIPELINE_CAMPAIGN_SWEEP_H
#define SL_PIPELINE_CAMPAIGN_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/inputs.h"

enum { SL_SWEEP_MAX = 1000000000 }; /* members of one recipe */

/* A value of a list, or the values start, start + step, ... of a range; of a sampled range its
 * beginning and its length. */
struct sl_sweep_part {
    const struct sl_node *node;
    bool range;
    double start, step;
    int64_t first, count; /* place within the axis, number of values */
};

struct sl_sweep_key {
    int key;
    struct sl_sweep_part *parts; /* owned */
    int part_count;
    int64_t count;
    /* owned, NULL where the key is not sampled: for each point a number of the range that parts[0]
     * is, with count 0, or the place in the list */
    double *sampled;
    bool logarithmic;
};

struct sl_sweep_axis {
    struct sl_sweep_key *keys; /* owned; more than one for zip and sample */
    int key_count;
    int64_t count;
};

struct sl_sweep {
    struct sl_sweep_axis *axes; /* owned */
    int axis_count;
    int64_t count; /* 1 without axes */
    bool fixed;    /* it is sampled so that more points are other points */
};

int sl_sweep_make(const struct sl_inputs *in, struct sl_sweep **out);
void sl_sweep_close(struct sl_sweep *sweep);

/* Puts the values of member `index` into the rows of in. */
void sl_sweep_set(const struct sl_sweep *sweep, int64_t index, struct sl_inputs *in);

bool sl_sweep_has(const struct sl_sweep *sweep, int key);

#endif
