/* law_source.h - what tests of source terms have in common: a run that goes on from a checkpoint on
 * one rank, sums over the box, and recipes that are refused. */
#ifndef TESTS_LAW_SOURCE_H
#define TESTS_LAW_SOURCE_H

#include "core/io/checkpoint.h"
#include "core/io/history.h"
#include "core/run/restore.h"
#include "core/run/totals.h"
#include "tests/law.h"
#include "tests/scratch.h"

/* collective over all ranks. The checkpoint of all ranks, read by each alone after steps that must
 * leave no trace, goes on with the same bits and the same first column of the sources. name: of a
 * scratch directory. */
static inline void law_restarts(law_run *run, const char *recipe, const char *block,
                                const char *name)
{
    char dir[256];
    int rank;
    int64_t seq;
    uint64_t want, got;
    struct sl_totals of_a, of_b;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, name);
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *a = run(MPI_COMM_WORLD, recipe, block), *b = run(MPI_COMM_SELF, recipe, block);
    assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
    law_advance(b, 2);
    assert_int_equal(sl_sim_restore(b->sim, dir, &seq), SL_OK);
    law_advance(a, 5);
    law_advance(b, 5);
    assert_int_equal(sl_sim_hash(a->sim, &want), SL_OK);
    assert_int_equal(sl_sim_hash(b->sim, &got), SL_OK);
    assert_true(want == got);
    assert_int_equal(sl_run_totals(a->sim, &of_a), SL_OK);
    assert_int_equal(sl_run_totals(b->sim, &of_b), SL_OK);
    assert_true(of_a.source[0] == of_b.source[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
    fluid_free(a);
    fluid_free(b);
}

/* collective. What a line of the history is made of. */
static inline struct sl_totals law_totals(const struct fluid *f)
{
    struct sl_totals t;
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    return t;
}

/* Of 16 cells; the message holds `what`. */
static inline void law_refused(const char *recipe, fluid_state *state, const char *what)
{
    struct fluid *f;
    char text[512];
    snprintf(text, sizeof text, "mesh.cells: [16]\n%s", recipe);
    assert_int_equal(fluid_new(MPI_COMM_SELF, text, state, &f), SL_EINPUT);
    if (!strstr(sl_error_text(), what)) fail_msg("%s: %s", what, sl_error_text());
}

#endif
