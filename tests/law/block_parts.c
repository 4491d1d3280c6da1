/* block_parts.c - what lies in blocks beside their fields goes with them: tokens that lie still,
 * any number in a leaf, are always in the leaf that holds their place while leaves are refined,
 * merge and change ranks; they count in the hash, which is the same on any ranks and after a
 * restart on others; where they are dear, blocks are shared anew, also where no leaf changes, and
 * no bit of the gas depends on it.
 *
 * ranks: 3
 * optimised: 1 3
 */
#include "core/state/block_parts.h"
#include "core/io/checkpoint.h"
#include "core/mesh/hierarchy.h"
#include "core/run/restore.h"
#include "core/step/room.h"
#include "tests/law.h"
#include "tests/scratch.h"

enum { TOKENS = 600 };

struct token {
    double x[3];
    uint64_t id;
};

struct bag {
    int n, loads;
    struct token *token;
};

struct toy {
    const struct sl_hierarchy *h;
    struct bag *bag[SL_LEVELS];
    int nbag[SL_LEVELS];
    double price;      /* of a token */
    bool here[TOKENS]; /* when it was counted last */
    int split, merged, came;
};

/* ---- the part -------------------------------------------------------------------------------- */

static void toy_empty(struct toy *t)
{
    for (int l = 0; l < SL_LEVELS; l++) {
        for (int b = 0; b < t->nbag[l]; b++)
            free(t->bag[l][b].token);
        free(t->bag[l]);
        t->bag[l] = NULL, t->nbag[l] = 0;
    }
}

static int toy_open(void *of, const struct sl_hierarchy *h)
{
    struct toy *t = of;
    toy_empty(t);
    t->h = h;
    for (int l = 0; l < h->nlevel; l++) {
        t->nbag[l] = h->level[l]->nleaf;
        t->bag[l] = calloc((size_t)t->nbag[l] + 1, sizeof *t->bag[l]);
    }
    return SL_OK;
}

static void put(struct bag *bag, const struct token *token)
{
    bag->token = realloc(bag->token, ((size_t)bag->n + 1) * sizeof *token);
    bag->token[bag->n++] = *token;
}

static size_t toy_bytes(const void *of, int level, int block)
{
    const struct toy *t = of;
    return (size_t)t->bag[level][block].n * sizeof(struct token);
}

static void toy_save(const void *of, int level, int block, void *bytes)
{
    const struct toy *t = of;
    const struct bag *bag = &t->bag[level][block];
    if (bag->n > 0) memcpy(bytes, bag->token, (size_t)bag->n * sizeof *bag->token);
}

static int toy_load(void *of, int level, int block, const void *bytes, size_t n)
{
    struct toy *t = of;
    struct bag *bag = &t->bag[level][block];
    const struct token *token = bytes;
    SL_CHECK(n % sizeof *token == 0, SL_EINPUT, "%zu bytes of tokens", n);
    for (size_t i = 0; i < n / sizeof *token; i++) {
        struct token one;
        memcpy(&one, (const char *)bytes + i * sizeof one, sizeof one);
        put(bag, &one);
    }
    t->merged += bag->loads++ > 0 && n > 0;
    return SL_OK;
}

static void middle_of(const struct sl_mesh *m, int block, double x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = m->blocks[block].lo[a] + 0.5 * m->n[a] * m->blocks[block].dx[a];
}

static size_t toy_split(const void *of, int level, int block, const int half[3], void *bytes)
{
    const struct toy *t = of;
    const struct bag *bag = &t->bag[level][block];
    const struct sl_mesh *m = t->h->level[level];
    double middle[3];
    size_t n = 0;
    middle_of(m, block, middle);
    for (int i = 0; i < bag->n; i++) {
        bool inside = true;
        for (int a = 0; a < m->dim; a++)
            inside = inside && (bag->token[i].x[a] >= middle[a]) == half[a];
        if (!inside) continue;
        if (bytes) memcpy((char *)bytes + n, &bag->token[i], sizeof bag->token[i]);
        n += sizeof bag->token[i];
    }
    if (bytes && n > 0) ((struct toy *)(uintptr_t)t)->split++;
    return n;
}

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 27);
}

static uint64_t toy_hash(const void *of, int level, int block)
{
    const struct toy *t = of;
    const struct bag *bag = &t->bag[level][block];
    uint64_t sum = 0;
    for (int i = 0; i < bag->n; i++)
        sum += mix(bag->token[i].id ^ mix((uint64_t)(0x1p40 * bag->token[i].x[0])));
    return sum;
}

static double toy_cost(const void *of, int level, int block)
{
    const struct toy *t = of;
    return t->price * t->bag[level][block].n;
}

static double toy_memory(const void *of)
{
    (void)of;
    return TOKENS * sizeof(struct token);
}

/* ---- a run with it --------------------------------------------------------------------------- */

static bool holds(const struct sl_mesh *m, int block, const double x[3])
{
    const struct sl_block *b = &m->blocks[block];
    for (int a = 0; a < m->dim; a++)
        if (x[a] < b->lo[a] || x[a] >= b->lo[a] + m->n[a] * b->dx[a]) return false;
    return true;
}

/* All lie in a corner of the box, or anywhere. */
static struct token token_of(int id, double width)
{
    struct token token = {.id = (uint64_t)id};
    for (int a = 0; a < 3; a++)
        token.x[a] = width * (double)(mix((uint64_t)(3 * id + a)) >> 11) * 0x1p-53;
    return token;
}

static void toy_new(struct sl_sim *root, struct toy *t, double width, double price)
{
    struct sl_component *c = &root->state.component;
    *t = (struct toy){.price = price};
    assert_int_equal(toy_open(t, root->state.hierarchy), SL_OK);
    for (int id = 0; id < TOKENS; id++) {
        struct token token = token_of(id, width);
        for (const struct sl_state *s = &root->state; s; s = s->finer)
            for (int b = 0; b < s->mesh->nleaf; b++)
                if (holds(s->mesh, b, token.x)) {
                    put(&t->bag[s->mesh->level][b], &token);
                    t->here[id] = true;
                }
    }
    c->part[c->npart++] =
        (struct sl_block_part){"tokens",  t,    toy_open, toy_bytes, toy_save,   toy_load,
                               toy_split, NULL, toy_hash, toy_cost,  toy_memory, NULL};
}

/* All are there, once, in the leaf of their place. */
static void toy_check(const struct sl_sim *root, struct toy *t)
{
    int count[TOKENS] = {0};
    for (const struct sl_state *s = &root->state; s; s = s->finer)
        for (int b = 0; b < s->mesh->nleaf; b++) {
            const struct bag *bag = &t->bag[s->mesh->level][b];
            for (int i = 0; i < bag->n; i++) {
                assert_true(holds(s->mesh, b, bag->token[i].x));
                count[bag->token[i].id]++;
            }
        }
    for (int id = 0; id < TOKENS; id++) {
        t->came += count[id] && !t->here[id];
        t->here[id] = count[id];
    }
    MPI_Allreduce(MPI_IN_PLACE, count, TOKENS, MPI_INT, MPI_SUM, root->state.mesh->comm);
    for (int id = 0; id < TOKENS; id++)
        assert_int_equal(count[id], 1);
}

static uint64_t hash_of(const struct sl_sim *root)
{
    uint64_t hash = 0;
    assert_int_equal(sl_sim_hash(root, &hash), SL_OK);
    return hash;
}

static uint64_t hash_of_gas(struct sl_sim *root)
{
    int npart = root->state.component.npart;
    root->state.component.npart = 0;
    uint64_t hash = hash_of(root);
    root->state.component.npart = npart;
    return hash;
}

/* A hot ball in gas that streams. */
static void blast(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const int *dim = data;
    double r2 = 0;
    (void)t;
    for (int d = 0; d < *dim; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.4 - 0.05 * d, 2);
    prim[0] = 1 + 0.2 * exp(-r2 / 0.01);
    prim[1] = 0.5, prim[2] = -0.25, prim[3] = 0.1;
    prim[4] = 0.6 + 10 * exp(-r2 / 0.01);
}

static const char *const boxes[] = {"", "mesh.cells: [64]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 32]\nmesh.block: [8]\n",
                                    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"};
#define MOVING                                                                                     \
    "mesh.levels: 2\nmesh.refine: [{by: gradient, of: pressure, above: 0.3}]\nmesh.regrid: 2\n"    \
    "mesh.derefine_after: 1\n"

static struct fluid *start(MPI_Comm comm, int *dim, const char *levels)
{
    struct fluid *f;
    char recipe[1024];
    snprintf(recipe, sizeof recipe, "%s%s", boxes[*dim], levels);
    assert_int_equal(fluid_new_with(comm, recipe, blast, dim, &f), SL_OK);
    return f;
}

static void stop(struct fluid *f, struct toy *t)
{
    toy_empty(t);
    fluid_free(f);
}

/* ---- the laws -------------------------------------------------------------------------------- */

struct end {
    uint64_t all, gas;
    int split, merged, came;
};

static struct end run(MPI_Comm comm, int dim, double price, int steps)
{
    struct toy toy;
    struct fluid *f = start(comm, &dim, MOVING);
    toy_new(f->sim, &toy, 1, price);
    toy_check(f->sim, &toy);
    for (int i = 0; i < steps; i++) {
        law_advance(f, 1);
        toy_check(f->sim, &toy);
    }
    struct end end = {hash_of(f->sim), hash_of_gas(f->sim), toy.split, toy.merged, toy.came};
    MPI_Allreduce(MPI_IN_PLACE, &end.split, 3, MPI_INT, MPI_SUM, comm);
    stop(f, &toy);
    return end;
}

/* The same tokens and the same gas, whatever they cost and on any ranks. */
static void follow_as_well(int dim, int steps, const struct end *dear)
{
    struct end free_of_cost = run(MPI_COMM_WORLD, dim, 0, steps);
    struct end alone = run(MPI_COMM_SELF, dim, 0.3, steps);
    assert_true(dear->all == alone.all && dear->all == free_of_cost.all);
}

/* In three dimensions, where steps take long, few of them merge no leaf. */
static void follow(void **unused)
{
    (void)unused;
    static const int steps[] = {0, 40, 80, 30};
    for (int dim = 1; dim <= 3; dim++) {
        int size, d = dim;
        struct end dear = run(MPI_COMM_WORLD, dim, 0.3, steps[dim]);
        struct fluid *f = start(MPI_COMM_WORLD, &d, MOVING);
        if (dim < 3) follow_as_well(dim, steps[dim], &dear);
        law_advance(f, steps[dim]);
        assert_true(dear.gas == hash_of(f->sim) && dear.gas != dear.all);
        fluid_free(f);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (dear.split == 0 || (dim < 3 && dear.merged == 0) || (dear.came == 0) != (size == 1))
            fail_msg("%dD: %d splits, %d merged, %d came", dim, dear.split, dear.merged, dear.came);
    }
}

/* Costs of the dearest rank over the mean. */
static double uneven(const struct sl_sim *root)
{
    double *cost, sum = 0, most;
    int size, n = sl_hierarchy_curve(root->state.hierarchy, NULL, NULL);
    assert_int_equal(sl_block_parts_cost(&root->state.component, root->state.hierarchy, &cost),
                     SL_OK);
    for (int i = 0; i < n; i++)
        sum += 1 + cost[i];
    free(cost);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&sum, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return most / (sum / size);
}

/* Leaves that never change: those with tokens go to more ranks at the first regrid, and stay. */
static void shared_anew(void **unused)
{
    (void)unused;
    int dim = 2, size;
    struct toy toy;
    struct fluid *f = start(MPI_COMM_WORLD, &dim,
                            "mesh.levels: 1\nmesh.refine: [{by: box, lo: [0, 0], hi: [1, 1]}]\n"
                            "mesh.regrid: 2\nmesh.derefine_after: 1\ntime.levels: one\n");
    toy_new(f->sim, &toy, 0.25, 0.3);
    double before = uneven(f->sim);
    int64_t leaves = f->sim->state.hierarchy->nleaf_global;
    law_advance(f, 5);
    toy_check(f->sim, &toy);
    double after = uneven(f->sim);
    const struct sl_hierarchy *shared = f->sim->state.hierarchy;
    assert_int_equal(shared->nleaf_global, leaves);
    law_advance(f, 6);
    assert_ptr_equal(f->sim->state.hierarchy, shared);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1 ? before < 0.6 * size || after > 1.3 : after != 1)
        fail_msg("the dearest rank has %g of the mean, before it had %g", after, before);
    stop(f, &toy);
}

/* From a checkpoint of all ranks, on all and on one. */
static void restart_on(MPI_Comm comm, const char *dir, uint64_t want)
{
    int dim = 2;
    int64_t seq = -1;
    struct toy toy;
    struct fluid *f = start(comm, &dim, MOVING);
    toy_new(f->sim, &toy, 1, 0.3);
    law_advance(f, 1);
    if (sl_sim_restore(f->sim, dir, &seq) != SL_OK) fail_msg("%s", sl_error_text());
    assert_int_equal(seq, 0);
    toy_check(f->sim, &toy);
    law_advance(f, 8);
    assert_true(hash_of(f->sim) == want);
    stop(f, &toy);
}

static void restart(void **unused)
{
    (void)unused;
    char dir[256];
    int dim = 2, rank;
    int64_t seq;
    struct toy toy;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "block_parts");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *f = start(MPI_COMM_WORLD, &dim, MOVING);
    toy_new(f->sim, &toy, 1, 0.3);
    law_advance(f, 7);
    if (sl_checkpoint_write(&f->sim->state, dir, 2, &seq) != SL_OK) fail_msg("%s", sl_error_text());
    law_advance(f, 8);
    uint64_t want = hash_of(f->sim);
    stop(f, &toy);
    restart_on(MPI_COMM_WORLD, dir, want);
    if (rank == 0) restart_on(MPI_COMM_SELF, dir, want);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
}

static void memory(void **unused)
{
    (void)unused;
    int dim = 2;
    struct toy toy;
    struct fluid *f = start(MPI_COMM_WORLD, &dim, MOVING);
    double without = sl_room_of(f->sim, f->sim->state.hierarchy);
    toy_new(f->sim, &toy, 1, 0);
    assert_true(sl_room_of(f->sim, f->sim->state.hierarchy) == without + toy_memory(&toy));
    stop(f, &toy);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follow), cmocka_unit_test(shared_anew),
                                       cmocka_unit_test(restart), cmocka_unit_test(memory)};
    MPI_Init(&argc, &argv);
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return code;
}
