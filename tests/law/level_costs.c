/* level_costs.c - ranks share blocks by what those of each level were measured to cost: a level
 * that is made dear moves them, by the same weights on all ranks whichever of them measured it, and
 * no bit of the state. Waits for a rank that is late are not measured.
 *
 * ranks: 2 3
 */
#include "core/mesh/hierarchy.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "tests/law.h"

enum { LEVELS = 3, STEPS = 6 };

/* Waves on a mesh whose fine part, at the beginning of the curve, grows and shrinks. */
static struct fluid *start(MPI_Comm comm)
{
    static const char *const recipe =
        "mesh.cells: [64, 64]\nmesh.block: [8]\nmesh.levels: 2\nmesh.regrid: 1\nmesh.buffer: 0\n"
        "mesh.derefine_after: 1\ntime.levels: each\n"
        "mesh.refine: [{by: sphere, center: [0.2, 0.2], radius: 0.1}]\n";
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, law_waves, &f), SL_OK);
    assert_int_equal(f->sim->state.hierarchy->nlevel, LEVELS);
    return f;
}

/* The first rank measures this level to be dear, -1: all the same; far more than it really does. */
static void measure(struct sl_sim *sim, int dear)
{
    for (int l = 0; l < LEVELS && law_is_first(); l++)
        sim->costs.done.time[l] += l == dear ? (int64_t)1e17 : (int64_t)1e12;
    for (int l = 0; l < LEVELS && law_is_first(); l++)
        sim->costs.done.blocks[l] += (int64_t)1e9;
}

static void assert_same_on_ranks(MPI_Comm comm, const struct sl_costs *c)
{
    double least[LEVELS], most[LEVELS];
    MPI_Allreduce(c->time, least, LEVELS, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(c->time, most, LEVELS, MPI_DOUBLE, MPI_MAX, comm);
    for (int l = 0; l < LEVELS; l++)
        assert_true(least[l] == most[l] && least[l] > 0);
}

struct end {
    uint64_t hash;
    int leaves; /* of the first rank */
};

/* A run in which a level is dear. */
static struct end run(MPI_Comm comm, int dear)
{
    struct end end;
    struct fluid *f = start(comm);
    for (int i = 0; i < STEPS; i++) {
        int64_t leaves = f->sim->state.hierarchy->nleaf_global;
        f->cfg.mesh_refine[0].radius = i % 2 ? 0.1 : 0.2;
        measure(f->sim, dear);
        law_advance(f, 1);
        assert_int_not_equal(f->sim->state.hierarchy->nleaf_global, leaves);
    }
    assert_same_on_ranks(comm, &f->sim->costs);
    assert_int_equal(sl_sim_hash(f->sim, &end.hash), SL_OK);
    end.leaves = sl_hierarchy_curve(f->sim->state.hierarchy, NULL, NULL);
    MPI_Bcast(&end.leaves, 1, MPI_INT, 0, comm);
    fluid_free(f);
    return end;
}

static void moves(void **unused)
{
    uint64_t alone = law_is_first() ? run(MPI_COMM_SELF, -1).hash : 0;
    struct end end[LEVELS];
    (void)unused;
    alone = law_of_first(alone);
    struct end even = run(MPI_COMM_WORLD, -1);
    for (int l = 0; l < LEVELS; l++)
        end[l] = run(MPI_COMM_WORLD, l);
    for (int l = 0; l < LEVELS; l++)
        if (end[l].hash != alone) fail_msg("a dear level %d changes the state", l);
    assert_int_equal(even.hash, alone);
    /* the finest leaves are at the beginning, most of the coarsest at the end */
    if (end[2].leaves >= even.leaves || end[0].leaves <= even.leaves)
        fail_msg("leaves of the first rank: %d, with level 0 dear %d, with level 2 dear %d",
                 even.leaves, end[0].leaves, end[2].leaves);
}

static double seconds_of(const struct sl_sim *sim)
{
    double sum = 0;
    for (int l = 0; l < LEVELS; l++)
        sum += 1e-9 * (double)sim->costs.done.time[l];
    return sum;
}

static void step(struct sl_sim *sim)
{
    assert_int_equal(sl_sim_step(sim, 100), SL_OK);
}

/* Ghost cells that come from coarser levels alone. */
static void between(struct sl_sim *sim)
{
    for (struct sl_sim *s = sim->finer; s; s = s->finer) {
        const struct sl_step *w = s->work;
        assert_int_equal(w->backend->prolong(s->coarser, s, 1, w->now), SL_OK);
    }
}

/* The others wait for the first rank. */
static void wait_in(void (*call)(struct sl_sim *), const char *name)
{
    struct fluid *f = start(MPI_COMM_WORLD);
    double before = seconds_of(f->sim), begin = MPI_Wtime();
    if (law_is_first()) usleep(700000);
    call(f->sim);
    double worked = seconds_of(f->sim) - before;
    MPI_Barrier(MPI_COMM_WORLD);
    double passed = MPI_Wtime() - begin;
    if (worked <= 0 || worked > passed - 0.6)
        fail_msg("%s: %g s of work in %g s, of which 0.7 s were a wait", name, worked, passed);
    fluid_free(f);
}

static void waits(void **unused)
{
    (void)unused;
    wait_in(step, "a step");
    wait_in(between, "ghost cells of finer levels");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves), cmocka_unit_test(waits)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
