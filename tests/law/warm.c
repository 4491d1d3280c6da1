/* warm.c - the potential of levels that begins with the last ones (core/gravity/composite.h):
 * cycles are fewer than from nothing, and leave no more; a run from a checkpoint has all bits of
 * the one that went on, also of the potential itself, without solving for it again, on other ranks,
 * periodic and with nothing around it; so has one whose blocks change ranks, and what has another
 * mesh begins from nothing.
 *
 * ranks: 3
 * optimised: 2
 */
#include "core/gravity/potential_kept.h"
#include "core/io/checkpoint.h"
#include "core/run/restore.h"
#include "core/step/source.h"
#include "tests/law.h"
#include "tests/lumps.h"
#include "tests/scratch.h"

#define HEAVY "gravity.four_pi_g: 30\nmesh.block: [8]\n"
#define EACH  "time.levels: each\n"
#define MOVING                                                                                     \
    "mesh.regrid: 4\nmesh.buffer: 1\nmesh.refine: [{by: value, of: density, above: 1.5}]\n"
#define STILL                                                                                      \
    "mesh.cells: [32, 32]\nmesh.levels: 1\nmesh.regrid: 2\nmesh.refine: [{by: box, lo: [0.1, "     \
    "0.3], hi: [0.4, 0.7]}]\n" HEAVY
#define PLANE "mesh.cells: [32, 32]\nmesh.levels: 2\n" MOVING HEAVY
#define CORNER                                                                                     \
    "mesh.cells: [16, 16, 16]\nmesh.levels: 1\nmesh.boundary: outflow\nmesh.refine: [{by: box, "   \
    "lo: [0, 0, 0], hi: [0.3, 0.3, 0.3]}]\n" HEAVY
#define SCREENED CORNER "gravity.isolated: screened\n"

static struct fluid *run(MPI_Comm comm, const char *recipe)
{
    struct fluid *f;
    if (fluid_new(comm, recipe, lumps, &f) != SL_OK) fail_msg("%s: %s", recipe, sl_error_text());
    return f;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Of so many steps. */
static double cycles_of(struct fluid *f, int steps)
{
    int64_t cycles = f->sim->cycles, potentials = f->sim->potentials;
    double left[SL_SOURCE_COLUMNS];
    for (int i = 0; i < steps; i++) {
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
        assert_int_equal(sl_sources_measure(f->sim, left), SL_OK);
        assert_true(left[2] > 0 && left[2] <= f->cfg.gravity_tolerance);
    }
    return (double)(f->sim->cycles - cycles) / (double)(f->sim->potentials - potentials);
}

/* Without a regrid: the first potential begins with nothing, the second with one, others with
 * two. */
static void cycles(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {STILL, STILL EACH, CORNER};
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        struct fluid *f = run(MPI_COMM_WORLD, recipes[i]);
        double first = (double)f->sim->cycles, second = cycles_of(f, 1), others = cycles_of(f, 4);
        if (!(first >= 4 && second <= first && others <= 0.8 * first))
            fail_msg("%s: %g cycles, then %g and %g", recipes[i], first, second, others);
        fluid_free(f);
    }
}

/* ---- restarts -------------------------------------------------------------------------------- */

/* The potential's columns of the history, and the hash of the gas. */
struct now {
    double column[SL_SOURCE_COLUMNS];
    uint64_t hash;
};

static struct now now_of(struct fluid *f)
{
    struct now n = {{0}, 0};
    assert_int_equal(sl_sources_measure(f->sim, n.column), SL_OK);
    assert_int_equal(sl_sim_hash(f->sim, &n.hash), SL_OK);
    return n;
}

static void same(const struct now *want, const struct now *got, const char *recipe, int step)
{
    if (want->hash != got->hash || memcmp(want->column, got->column, 4 * sizeof(double)) != 0)
        fail_msg("%s: step %d of a restart: energy %a, not %a; %g cycles, not %g", recipe, step,
                 got->column[0], want->column[0], got->column[3], want->column[3]);
}

/* From `from` to `to` ranks after so many steps. */
static void restart_of(const char *recipe, MPI_Comm from, MPI_Comm to, int steps, const char *dir)
{
    int64_t seq;
    struct now want[3];
    struct fluid *a = run(from, recipe);
    law_advance(a, steps);
    assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
    for (int i = 0; i < 3; i++) {
        want[i] = now_of(a);
        law_advance(a, steps + i + 1);
    }
    fluid_free(a);
    struct fluid *b = run(to, recipe);
    assert_int_equal(sl_sim_restore(b->sim, dir, &seq), SL_OK);
    int64_t before = b->sim->potentials;
    for (int i = 0; i < 3; i++) {
        struct now got = now_of(b);
        if (i == 0) assert_true(b->sim->potentials == before); /* it was not solved for again */
        same(&want[i], &got, recipe, i);
        law_advance(b, steps + i + 1);
    }
    fluid_free(b);
}

static void restart(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {PLANE, PLANE EACH, CORNER, SCREENED};
    char dir[256];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        const char *recipe = recipes[i];
        bool joins = i % 2; /* else each rank goes on alone, with what all have written */
        if (rank == 0) scratch_make(dir, "warm");
        MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
        restart_of(recipe, MPI_COMM_WORLD, joins ? MPI_COMM_WORLD : MPI_COMM_SELF, 1 + i, dir);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) scratch_remove(dir);
    }
}

/* ---- blocks that change ranks ---------------------------------------------------------------- */

/* Blocks at the lower side of the box cost more and more. */
static double price;

static double dear(const void *of, int level, int block)
{
    const struct sl_sim *root = of;
    return root->state.hierarchy->level[level]->blocks[block].at[1] == 0 ? price : 0;
}

static int nothing_open(void *of, const struct sl_hierarchy *h)
{
    (void)of, (void)h;
    return SL_OK;
}

static size_t nothing(const void *of, int level, int block)
{
    (void)of, (void)level, (void)block;
    return 0;
}

static size_t nothing_split(const void *of, int level, int block, const int half[3], void *bytes)
{
    (void)of, (void)level, (void)block, (void)half, (void)bytes;
    return 0;
}

static void nothing_save(const void *of, int level, int block, void *bytes)
{
    (void)of, (void)level, (void)block, (void)bytes;
}

static int nothing_load(void *of, int level, int block, const void *bytes, size_t n)
{
    (void)of, (void)level, (void)block, (void)bytes, (void)n;
    return SL_OK;
}

static void sell(struct sl_sim *root)
{
    struct sl_component *c = &root->state.component;
    c->part[c->npart++] = (struct sl_block_part){.name = "price",
                                                 .of = root,
                                                 .open = nothing_open,
                                                 .bytes = nothing,
                                                 .save = nothing_save,
                                                 .load = nothing_load,
                                                 .split = nothing_split,
                                                 .cost = dear};
}

static int leaves_here(const struct sl_sim *root)
{
    int n = 0;
    for (const struct sl_sim *s = root; s; s = s->finer)
        n += s->state.mesh->nleaf;
    return n;
}

/* Less than any step may be: what a step leaves of it is asked anew where blocks change ranks. */
#define SHORT 5e-4

/* The same mesh in other shares: no potential is solved for, or from nothing. */
static void moves(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {STILL, STILL EACH, CORNER "mesh.regrid: 2\n"};
    int moved = 0, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t q = 0; q < sizeof recipes / sizeof *recipes; q++) {
        struct fluid *one = run(MPI_COMM_SELF, recipes[q]), *all = run(MPI_COMM_WORLD, recipes[q]);
        sell(all->sim);
        for (int i = 0; i < 8; i++) {
            int before = leaves_here(all->sim);
            price = i < 4 ? 20 : 0;
            assert_int_equal(sl_sim_step(one->sim, SHORT * (i + 1)), SL_OK);
            assert_int_equal(sl_sim_step(all->sim, SHORT * (i + 1)), SL_OK);
            assert_true(one->sim->state.time == SHORT * (i + 1));
            moved += abs(leaves_here(all->sim) - before);
            struct now want = now_of(one), got = now_of(all);
            same(&want, &got, recipes[q], i);
            assert_true(one->sim->potentials == all->sim->potentials);
        }
        fluid_free(one);
        fluid_free(all);
    }
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert_true(size == 1 || moved > 0);
}

/* Leaves that were not there before begin from nothing, all of them. */
static void other_mesh(void **unused)
{
    (void)unused;
    struct fluid *f = run(MPI_COMM_WORLD, PLANE);
    int changes = 0;
    for (int i = 0; i < 100 && changes < 2; i++) {
        int64_t potentials = f->sim->potentials, cycles_before = f->sim->cycles;
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
        if (f->sim->potentials == potentials + 1) continue;
        assert_int_equal(f->sim->potentials, potentials + 2);
        double w[SL_SOURCE_COLUMNS];
        assert_int_equal(sl_sources_measure(f->sim, w), SL_OK);
        assert_true(w[3] >= 4 && f->sim->cycles - cycles_before > 4);
        changes++;
    }
    assert_true(changes > 0);
    fluid_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles),
        cmocka_unit_test(restart),
        cmocka_unit_test(moves),
        cmocka_unit_test(other_mesh),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
