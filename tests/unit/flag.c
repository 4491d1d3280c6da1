/* flag.c - marks of blocks: those that rules of cells and of regions make, and what they come to
 * for blocks beside them, on random trees and for any number of ranks. Trees come from a printed
 * seed; SLUICE_TEST_SEED sets another. ranks: 1 2 3 */
#include "tests/law.h"

#include "core/step/flag.h"
#include "core/step/spread.h"

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % n;
}

static int rank_of(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* ---- what marks come to ---- */

enum { MOST = 4000 };
struct tree {
    int dim, n;
    int64_t root[3];
    bool periodic[3];
    struct sl_leaf leaf[MOST];
    struct sl_refine_marks marks[MOST];
    signed char verdict[MOST];
};

static void tree_add(struct tree *t, int level, const int64_t at[3])
{
    if (level < 3 && random_below(4) == 0 && t->n < MOST - 100) {
        for (int c = 0; c < 1 << t->dim; c++) {
            int64_t child[3] = {0, 0, 0};
            for (int d = 0; d < t->dim; d++)
                child[d] = 2 * at[d] + (c >> d & 1);
            tree_add(t, level + 1, child);
        }
        return;
    }
    t->leaf[t->n] = (struct sl_leaf){.at = {at[0], at[1], at[2]}, .level = level};
    struct sl_refine_marks *m = &t->marks[t->n++];
    memset(m, 0, sizeof *m);
    if (random_below(3)) return;
    for (int dir = 0; dir < SL_REFINE_SIDES; dir++) {
        unsigned kind = random_below(6), bit = 1u << dir;
        m->keep |= kind < 3 ? bit : 0;
        m->here |= kind < 2 ? bit : 0;
        m->finer |= kind < 1 ? bit : 0;
    }
}

static void tree_make(struct tree *t, int dim)
{
    t->dim = dim, t->n = 0;
    for (int d = 0; d < 3; d++) {
        t->root[d] = d < dim ? 1 + random_below(3) : 1;
        t->periodic[d] = d < dim && random_below(2);
    }
    for (int64_t z = 0; z < t->root[2]; z++)
        for (int64_t y = 0; y < t->root[1]; y++)
            for (int64_t x = 0; x < t->root[0]; x++)
                tree_add(t, 0, (const int64_t[3]){x, y, z});
}

/* Does b touch a across its side or corner in that direction, from `away` box lengths further?
 * Places are in blocks of level 3. */
static bool touches(const struct tree *t, const struct sl_leaf *a, const struct sl_leaf *b, int dir,
                    const int away[3])
{
    const int step[3] = {dir % 3 - 1, dir / 3 % 3 - 1, dir / 9 - 1};
    for (int d = 0; d < t->dim; d++) {
        int64_t p = a->at[d] << (3 - a->level), size = 8 >> a->level;
        int64_t q = (b->at[d] << (3 - b->level)) + away[d] * 8 * t->root[d], wide = 8 >> b->level;
        /* the place of a block like a in that direction */
        p += step[d] * size;
        if (q >= p + size || q + wide <= p) return false;
        if (step[d] > 0 && q > p) return false; /* behind others */
        if (step[d] < 0 && q + wide < p + size) return false;
    }
    for (int d = t->dim; d < 3; d++)
        if (step[d]) return false;
    return true;
}

static signed char expected_of(const struct tree *t, const struct sl_leaf *b)
{
    int worth = -1;
    for (int i = 0; i < t->n; i++) {
        const struct sl_leaf *a = &t->leaf[i];
        const struct sl_refine_marks *m = &t->marks[i];
        for (int dir = 0; dir < SL_REFINE_SIDES; dir++)
            for (int w = 0; w < 27; w++) {
                const int away[3] = {w % 3 - 1, w / 3 % 3 - 1, w / 9 - 1};
                bool allowed = dir != SL_REFINE_SELF || (a == b && w == 13);
                for (int d = 0; d < 3; d++)
                    allowed &= away[d] == 0 || t->periodic[d];
                if (!allowed || !(m->keep >> dir & 1) || !touches(t, a, b, dir, away)) continue;
                bool finer = m->finer >> dir & 1, here = m->here >> dir & 1;
                int more = b->level - a->level;
                int says = more == 0    ? finer
                           : more == -1 ? here ? 1 : -1
                           : more == 1  ? finer ? 0 : -1
                                        : -1;
                worth = says > worth ? says : worth;
            }
    }
    return (signed char)worth;
}

/* Each rank has every size-th leaf. */
static void spread(struct tree *t)
{
    static struct sl_leaf own[MOST];
    static struct sl_refine_marks marks[MOST];
    static signed char verdict[MOST];
    int size, n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(t->verdict, -9, sizeof t->verdict);
    for (int i = rank_of(); i < t->n; i += size) {
        own[n] = t->leaf[i], marks[n] = t->marks[i];
        n++;
    }
    assert_int_equal(
        sl_spread_marks(MPI_COMM_WORLD, t->dim, t->root, t->periodic, n, own, marks, verdict),
        SL_OK);
    for (int i = rank_of(), k = 0; i < t->n; i += size)
        t->verdict[i] = verdict[k++];
    MPI_Allreduce(MPI_IN_PLACE, t->verdict, t->n, MPI_SIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
}

static void random_trees(void **state)
{
    (void)state;
    static struct tree t;
    const char *given = getenv("SLUICE_TEST_SEED");
    random_state = given ? strtoull(given, NULL, 10) : 3;
    if (rank_of() == 0) print_message("seed %llu\n", (unsigned long long)random_state);
    int raised = 0;
    for (int i = 0; i < 24; i++) {
        tree_make(&t, 1 + i % 3);
        spread(&t);
        for (int b = 0; b < t.n && t.n < 400; b++) {
            signed char want = expected_of(&t, &t.leaf[b]);
            raised += want > 0;
            if (t.verdict[b] != want)
                fail_msg("tree %d, leaf %d of level %d: %d, not %d", i, b, t.leaf[b].level,
                         t.verdict[b], want);
        }
    }
    assert_true(raised > 100);
}

/* ---- marks of cells ---- */

static void one_dense_cell(const void *data, const double lo[3], const double hi[3], double t,
                           double *prim)
{
    const double *at = data;
    (void)t;
    bool here = true;
    for (int d = 0; d < 2; d++)
        here &= at[d] > lo[d] && at[d] < hi[d];
    prim[0] = here ? 3 : 1;
    prim[4] = 1;
}

/* In the only block where it is, on the level that the rule is for. */
static void marks_of_cells(void **state)
{
    (void)state;
    double at[2] = {0.33, 0.98}; /* cell (2, 7) of the second row of blocks of 8 */
    struct fluid *f;
    assert_int_equal(
        fluid_new_with(
            MPI_COMM_WORLD,
            "mesh: {cells: [24, 16], block: 8, levels: 0, buffer: 3, refine: "
            "[{by: value, of: density, above: 2}, {by: box, lo: [0.7, 0], hi: [1, 0.1]}]}",
            one_dense_cell, at, &f),
        SL_OK);
    assert_int_equal(sl_sim_ghosts(f->sim), SL_OK);
    int seen = 0, boxed = 0;
    for (int b = 0; b < f->sim->state.mesh->nblock; b++) {
        struct sl_refine_marks marks[6] = {{0, 0, 0}};
        assert_true(f->sim->state.mesh->nleaf <= 6);
        assert_int_equal(sl_flag_blocks(f->sim, marks), SL_OK);
        const int64_t *block = f->sim->state.mesh->blocks[b].at;
        bool is = block[0] == 0 && block[1] == 1;
        /* near the upper side along both axes: bits of x+, y+, and both */
        unsigned want = is ? 1u << 13 | 1u << 14 | 1u << 16 | 1u << 17 : 0;
        assert_int_equal(marks[b].here, want);
        assert_int_equal(marks[b].keep, want);
        assert_int_equal(marks[b].finer, 0);
        seen += is;
        memset(marks, 0, sizeof marks);
        sl_flag_regions(f->sim, marks);
        is = block[0] == 2 && block[1] == 0;
        assert_int_equal(marks[b].here, is ? 1u << 13 : 0u);
        boxed += is;
    }
    MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &boxed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(seen, 1);
    assert_int_equal(boxed, 1);
    f->sim->state.problem_data = NULL;
    fluid_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees),
        cmocka_unit_test(marks_of_cells),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
