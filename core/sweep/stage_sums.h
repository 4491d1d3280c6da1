/* stage_sums.h - what the stages of a step bring, combined as they combine the state, and summed
 * over steps.
 *
 * A stage may be made again, and so may a step: one copy of the running step is read while the
 * other is written, and what it brings is added to the total of the steps before only once it is
 * accepted.
 *
 * Shapes  values[fine + coarse]: the fine ones are summed over steps, of the coarse ones the last
 *         step is kept
 * Units   of a flux times a time
 * Errors  SL_EMEM
 * Owns    its values
 * MPI     local
 * Where   host
 * Refs    Shu & Osher 1988 (stages); Berger & Colella 1989, section 3 (sums over steps)
 * Tests   tests/law/register.c
 */
#ifndef SL_SWEEP_STAGE_SUMS_H
#define SL_SWEEP_STAGE_SUMS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweep/sweep.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct sl_stage_sums {
    sl_real *sum[2]; /* owned; of the step that is being made */
    sl_real *total;  /* owned; of accepted steps, fine values */
    size_t fine, values;
    int now;
    bool empty; /* nothing comes from the stages before */
};

/* Where a stage of a block puts the electric field along the edges on its surface
 * (core/transfer/edge_register.h); count 0: nowhere. */
struct sl_edge_keep {
    const struct sl_stage_sums *sums;
    int count;
    size_t start[2];
};

static inline int sl_stage_sums_init(struct sl_stage_sums *s, size_t fine, size_t coarse)
{
    s->fine = fine;
    s->values = fine + coarse;
    for (int i = 0; i < 2; i++)
        SL_TRY(sl_alloc("flux register", s->values, sizeof(sl_real), &s->sum[i]));
    return sl_alloc("flux register", fine, sizeof(sl_real), &s->total);
}

static inline void sl_stage_sums_release(struct sl_stage_sums *s)
{
    free(s->sum[0]), free(s->sum[1]), free(s->total);
}

/* Whether a stage brings anything: of the first one of vl2 nothing is in the step. */
static inline bool sl_stage_counts(const struct sl_stage *stage)
{
    return !stage->first_order;
}

/* A stage begins, from the state at the beginning of the step where `first`. */
static inline void sl_stage_sums_begin(struct sl_stage_sums *s, const struct sl_stage *stage,
                                       bool first)
{
    s->now = 1 - s->now;
    s->empty = first || stage->from_old;
}

static inline void sl_stage_sums_put(const struct sl_stage_sums *s, const struct sl_stage *stage,
                                     size_t at, sl_real flux)
{
    sl_real before = s->empty ? 0 : s->sum[1 - s->now][at];
    s->sum[s->now][at] = stage->b * (before + (sl_real)stage->dt * flux);
}

static inline void sl_stage_sums_accept(struct sl_stage_sums *s)
{
    for (size_t i = 0; i < s->fine; i++)
        s->total[i] += s->sum[s->now][i];
}

static inline void sl_stage_sums_clear(struct sl_stage_sums *s)
{
    memset(s->total, 0, s->fine * sizeof *s->total);
}

static inline const sl_real *sl_stage_sums_coarse(const struct sl_stage_sums *s)
{
    return s->sum[s->now] + s->fine;
}

#endif
