/* calls.c - what a step, a regrid and each output cost in calls of MPI and in bytes
 * (tests/calls.h): numbers of collectives that do not depend on the number of ranks, and messages
 * and bytes that follow from the surfaces of blocks. What grows with the ranks is named: the planes
 * of a Fourier transform, the leaves that a regrid gathers, and the tables of a snapshot, which
 * rank 0 gathers. tests/perf/calls.md tells what these come to on more ranks.
 *
 * ranks: 1 2
 * optimised: 4
 * optimised at length: 8 16
 */
#include "core/grid/slab.h"
#include "core/io/flash.h"
#include "core/step/spread.h"
#include "tests/calls_cases.h"
#include "tests/law.h"

/* Of one time of a case on every rank, and the bytes that its reductions send: exact for steps,
 * rules and lines of the history, of others the most. Of a regrid some are those of p4est. */
static const struct collectives {
    int reduce, bcast, gather, split, bytes;
} collectives[] = {
    [CALLS_CASE_plain] = {.reduce = 1, .bytes = 56},
    [CALLS_CASE_field] = {.reduce = 1, .bytes = 56},
    [CALLS_CASE_gravity] = {.reduce = 4, .bytes = 152},
    [CALLS_CASE_driving] = {.reduce = 3, .bytes = 224},
    [CALLS_CASE_cooling] = {.reduce = 5, .bytes = 136},
    [CALLS_CASE_potential] = {.reduce = 1, .bytes = 56},
    [CALLS_CASE_diffusion] = {.reduce = 2, .bytes = 112},
    [CALLS_CASE_levels] = {.reduce = 4, .bytes = 184},
    [CALLS_CASE_rules] = {.reduce = 8, .gather = 3, .bytes = 284},
    [CALLS_CASE_regrid] = {.reduce = 41, .gather = 16, .bytes = 520},
    [CALLS_CASE_history] = {.reduce = 8, .bytes = 716},
    [CALLS_CASE_checkpoint] = {.reduce = 18, .bcast = 4, .bytes = 124},
    [CALLS_CASE_snapshot] = {.reduce = 16, .bcast = 2, .gather = 6, .bytes = 572},
};

static char dir[256];

static bool is_exact(enum calls_number which)
{
    return which <= CALLS_CASE_rules || which == CALLS_CASE_history;
}

/* want: exact, or the most. */
static void check_kind(enum calls_number which, enum calls_kind kind, const struct calls *got,
                       int want)
{
    double n = got->of[kind].calls;
    if (n > want || (is_exact(which) && n < want))
        fail_msg("%s: %g calls, not %d, of %s", calls_cases[which].about, n, want,
                 calls_about[kind]);
}

/* Counts a case on all ranks and holds its collectives; freed by fluid_free. */
static struct fluid *count(enum calls_number which, struct calls *out)
{
    struct fluid *f = NULL;
    const struct collectives *c = &collectives[which];
    if (calls_count(which, dir, out, &f) != SL_OK) fail_msg("%s", sl_error_text());
    assert_int_equal(f->sim->state.cells_repaired, 0);
    check_kind(which, CALLS_reduce, out, c->reduce);
    check_kind(which, CALLS_bcast, out, c->bcast);
    check_kind(which, CALLS_gather, out, c->gather);
    check_kind(which, CALLS_split, out, c->split);
    check_kind(which, CALLS_exchange, out, 0);
    check_kind(which, CALLS_barrier, out, 0);
    assert_true(out->of[CALLS_reduce].sent <= c->bytes);
    return f;
}

/* ---- surfaces -------------------------------------------------------------------------------- */

enum { RANKS = 64 };

/* The rank of each block of a level, -1 where there is none. */
struct owners {
    int n[3], *rank; /* owned */
};

static int *owner_at(const struct owners *o, int64_t x, int64_t y, int64_t z)
{
    const int *n = o->n;
    return &o->rank[(((z + n[2]) % n[2]) * n[1] + (y + n[1]) % n[1]) * n[0] + (x + n[0]) % n[0]];
}

static struct owners owners_of(const struct sl_mesh *m)
{
    struct owners o;
    int size = 1;
    assert_true(m->size <= RANKS);
    for (int d = 0; d < 3; d++)
        size *= o.n[d] = m->spec.cells[d] / m->n[d] << m->level;
    o.rank = malloc((size_t)size * sizeof *o.rank);
    assert_non_null(o.rank);
    for (int i = 0; i < size; i++)
        o.rank[i] = -1;
    for (int b = 0; b < m->nblock; b++)
        *owner_at(&o, m->blocks[b].at[0], m->blocks[b].at[1], m->blocks[b].at[2]) = m->rank;
    PMPI_Allreduce(MPI_IN_PLACE, o.rank, size, MPI_INT, MPI_MAX, m->comm);
    return o;
}

/* What one rank gets from others, in cells, and from how many. The cubes of all ranks are alike:
 * each sends as much. */
struct surface {
    double cells;
    int peers;
    bool peer[RANKS];
};

static void surface_add(struct surface *s, const struct sl_mesh *m, int rank, double cells)
{
    if (rank < 0 || rank == m->rank) return;
    s->cells += cells;
    s->peers += !s->peer[rank];
    s->peer[rank] = true;
}

/* Ghost cells of a level in blocks of other ranks: those of the level, and those of coarser blocks
 * where there is none; and faces of coarser cells there, whose fluxes are sent. */
struct surfaces {
    struct surface ghosts, prolonged, faces;
};

static void block_add(const struct sl_mesh *m, const struct owners *own,
                      const struct owners *coarser, const int64_t at[3], const int step[3],
                      struct surfaces *s)
{
    double cells = 1, faces = 1;
    int sides = 0, rank = *owner_at(own, at[0] + step[0], at[1] + step[1], at[2] + step[2]);
    int64_t parent[3];
    for (int d = 0; d < 3; d++) {
        cells *= step[d] ? m->g[d] : m->n[d];
        faces *= step[d] ? 1 : m->n[d] / 2;
        sides += step[d] != 0;
        parent[d] = (at[d] + step[d] + own->n[d]) % own->n[d] / 2;
    }
    surface_add(&s->ghosts, m, rank, cells);
    if (rank >= 0 || !coarser) return;
    rank = *owner_at(coarser, parent[0], parent[1], parent[2]);
    surface_add(&s->prolonged, m, rank, cells);
    if (sides == 1) surface_add(&s->faces, m, rank, faces);
}

static struct surfaces surfaces_of(const struct sl_mesh *m, const struct sl_mesh *coarser)
{
    struct surfaces s = {.ghosts = {.cells = 0}};
    struct owners own = owners_of(m), of_coarser = {.rank = NULL};
    if (coarser) of_coarser = owners_of(coarser);
    for (int b = 0; b < m->nblock; b++)
        for (int i = 0; i < 27; i++) {
            const int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
            if (i != 13)
                block_add(m, &own, coarser ? &of_coarser : NULL, m->blocks[b].at, step, &s);
        }
    free(own.rank);
    free(of_coarser.rank);
    return s;
}

/* ---- messages -------------------------------------------------------------------------------- */

struct messages {
    double messages, values; /* values of a real number */
};

static void messages_add(struct messages *m, int times, const struct surface *s, int nvar)
{
    m->messages += times * s->peers;
    m->values += times * s->cells * nvar;
}

static void check_messages(const struct calls *got, struct messages want)
{
    const struct calls_of *c = &got->of[CALLS_message];
    double bytes = want.values * sizeof(sl_real);
    if (c->calls != want.messages || c->sent != bytes || c->received != bytes)
        fail_msg("%g messages, %.0f bytes out, %.0f in, not %g and %.0f", c->calls, c->sent,
                 c->received, want.messages, bytes);
}

/* Ghost cells in both stages of a step, and in `more`. */
static struct messages ghosts_of(const struct fluid *f, int more)
{
    struct messages m = {0, 0};
    struct surfaces s = surfaces_of(f->sim->state.mesh, NULL);
    messages_add(&m, 2 + more, &s.ghosts, f->sim->state.layout.nvar);
    return m;
}

static void steps(void **unused)
{
    static const enum calls_number which[] = {CALLS_CASE_plain, CALLS_CASE_field,
                                              CALLS_CASE_driving, CALLS_CASE_cooling,
                                              CALLS_CASE_potential};
    (void)unused;
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        struct calls got;
        struct fluid *f = count(which[i], &got);
        check_messages(&got, ghosts_of(f, 0));
        fluid_free(f);
    }
}

/* Each half step of diffusion has two stages. */
static void diffusion(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_diffusion, &got);
    check_messages(&got, ghosts_of(f, 2 * 2));
    fluid_free(f);
}

/* Rows of a block with a layer around it that lie in the planes of a rank. */
static double rows_around(const struct sl_mesh *m, const struct sl_slab *s, int64_t z)
{
    double rows = 0;
    for (int k = -1; k <= m->n[2]; k++) {
        int plane = ((int)z * m->n[2] + k + s->n[2]) % s->n[2];
        rows += sl_slab_owner(s, plane) == m->rank ? m->n[1] + 2 : 0;
    }
    return rows;
}

/* The density to planes, and the potential back, with a layer around blocks; planes to rows and
 * back. */
static double gravity_bytes(const struct sl_mesh *m)
{
    const double side[3] = {1, 1, 1};
    struct sl_slab s;
    double there = 0, around = 0, plane = (double)m->n[0] * m->n[1];
    sl_slab_init(m->comm, 3, m->spec.cells, side, &s);
    for (int b = 0; b < m->nblock; b++) {
        for (int k = 0; k < m->n[2]; k++)
            there +=
                sl_slab_owner(&s, (int)m->blocks[b].at[2] * m->n[2] + k) == m->rank ? 0 : plane;
        around -= rows_around(m, &s, m->blocks[b].at[2]);
    }
    for (int64_t z = 0; z < s.n[2] / m->n[2]; z++)
        around += rows_around(m, &s, z) * (s.n[0] / m->n[0]) * (s.n[1] / m->n[1]);
    double row = 2 * (s.n[0] / 2 + 1) * sizeof(double);
    double rows = (double)s.nz * (s.n[1] - s.ny) + (double)s.ny * (s.n[2] - s.nz);
    return there * sizeof(sl_real) + around * (m->n[0] + 2) * sizeof(double) + rows * row;
}

static void gravity(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_gravity, &got);
    const struct calls_of *c = &got.of[CALLS_message];
    struct messages m = ghosts_of(f, 0);
    int others = f->sim->state.mesh->size - 1;
    double bytes = m.values * sizeof(sl_real) + gravity_bytes(f->sim->state.mesh);
    assert_true(c->calls <= m.messages + (2 + 2) * others);
    if (c->sent != bytes) fail_msg("%.0f bytes, not %.0f", c->sent, bytes);
    fluid_free(f);
}

/* Reductions of so many steps with self-gravity on levels; of how many potentials and cycles. */
static double reductions(const char *keys, int64_t *potentials, int64_t *cycles)
{
    struct fluid *f;
    if (calls_run_new(keys, &f) != SL_OK) fail_msg("%s", sl_error_text());
    law_advance(f, 2);
    *potentials = f->sim->potentials, *cycles = f->sim->cycles;
    calls_clear();
    law_advance(f, CALLS_STEPS);
    double n = calls_now.of[CALLS_reduce].calls;
    *potentials = f->sim->potentials - *potentials, *cycles = f->sim->cycles - *cycles;
    fluid_free(f);
    return n;
}

/* The force on all levels is one sum for each potential; what it needs to begin comes with the
 * largest accelerations. Root steps have two solutions, one of which is between them. */
static void net_force(void **unused)
{
    (void)unused;
    int64_t potentials[2], cycles[2];
    double with = reductions(CALLS_LEVELS "gravity.four_pi_g: 1\n", &potentials[0], &cycles[0]),
           without = reductions(CALLS_LEVELS "gravity: {four_pi_g: 1, keep_momentum: false}\n",
                                &potentials[1], &cycles[1]);
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(potentials[0], potentials[1]);
    assert_int_equal(potentials[0], CALLS_STEPS);
    if (with - without != 2 * CALLS_STEPS)
        fail_msg("%g reductions more, not %d", with - without, 2 * CALLS_STEPS);
}

/* The coarse level fills its ghost cells in both stages and once for the finer one, which takes two
 * steps of two stages. */
static void levels(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_levels, &got);
    const struct sl_state *s = &f->sim->state;
    struct surfaces coarse = surfaces_of(s->mesh, NULL),
                    fine = surfaces_of(s->finer->mesh, s->mesh);
    struct messages m = {0, 0};
    messages_add(&m, 3, &coarse.ghosts, s->layout.nvar);
    messages_add(&m, 4, &fine.ghosts, s->layout.nvar);
    messages_add(&m, 4, &fine.prolonged, s->layout.nvar);
    messages_add(&m, 1, &fine.faces, s->layout.nflow);
    check_messages(&got, m);
    fluid_free(f);
}

/* ---- regrids --------------------------------------------------------------------------------- */

/* Ghost cells are filled once for the rules. */
static struct messages asking_of(const struct sl_state *s)
{
    struct messages m = {0, 0};
    struct surfaces coarse = surfaces_of(s->mesh, NULL),
                    fine = surfaces_of(s->finer->mesh, s->mesh);
    messages_add(&m, 1, &coarse.ghosts, s->layout.nvar);
    messages_add(&m, 1, &fine.ghosts, s->layout.nvar);
    messages_add(&m, 1, &fine.prolonged, s->layout.nvar);
    return m;
}

/* Each rank gets a byte per leaf of all ranks, and two numbers per rank. */
static void rules(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_rules, &got);
    const struct sl_state *s = &f->sim->state;
    check_messages(&got, asking_of(s));
    assert_int_equal(s->hierarchy->nleaf_global, 15 * s->mesh->size);
    assert_true(got.of[CALLS_gather].received <= (15 + 2 * sizeof(int)) * (s->mesh->size - 1));
    fluid_free(f);
}

/* Each rank gets 16 bytes of each leaf of all ranks twice, first when 8 more are refined and none
 * is merged; marks of 8 leaves of each rank; a byte of each leaf before. The rest is p4est's. */
static void regrid(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_regrid, &got);
    const struct sl_state *s = &f->sim->state;
    int size = s->mesh->size;
    double share = (22 + 15) * 16 + 8 * sizeof(struct sl_spread_row) + 15 + 128;
    assert_int_equal(s->hierarchy->count[0], 7 * size);
    assert_int_equal(s->hierarchy->count[1], 8 * size);
    assert_true(got.of[CALLS_gather].received <= share * (size - 1));
    assert_true(got.of[CALLS_message].sent <= asking_of(s).values * sizeof(sl_real) + 4096);
    fluid_free(f);
}

/* ---- outputs --------------------------------------------------------------------------------- */

static void history(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_history, &got);
    check_messages(&got, (struct messages){0, 0});
    assert_true(got.of[CALLS_reduce].sent <= 1024);
    fluid_free(f);
}

/* The path and the manifest, which holds the keys of the recipe. */
static void checkpoint(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_checkpoint, &got);
    char *keys;
    assert_int_equal(sl_config_print_fixed(&f->cfg, &keys), SL_OK);
    double text = (double)strlen(keys) + 2048;
    check_messages(&got, (struct messages){0, 0});
    assert_true(got.of[CALLS_bcast].sent + got.of[CALLS_bcast].received <= SL_PATH_MAX + text);
    free(keys);
    fluid_free(f);
}

/* Rank 0 gets of each block its row in the file, its place and a checksum per field. */
static void snapshot(void **unused)
{
    (void)unused;
    struct calls got;
    struct fluid *f = count(CALLS_CASE_snapshot, &got);
    const struct sl_state *s = &f->sim->state;
    double block = sizeof(int64_t) + sizeof(struct sl_flash_block) +
                   (double)sl_field_count(s) * sizeof(uint32_t);
    double share = s->mesh->nblock * block + 3 * sizeof(int);
    bool first = s->mesh->rank == 0;
    check_messages(&got, (struct messages){0, 0});
    assert_true(got.of[CALLS_gather].sent == (first ? 0 : share));
    assert_true(got.of[CALLS_gather].received == (first ? (s->mesh->size - 1) * share : 0));
    assert_true(got.of[CALLS_bcast].sent + got.of[CALLS_bcast].received <= SL_PATH_MAX + 2048);
    fluid_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),      cmocka_unit_test(gravity),  cmocka_unit_test(levels),
        cmocka_unit_test(rules),      cmocka_unit_test(regrid),   cmocka_unit_test(history),
        cmocka_unit_test(checkpoint), cmocka_unit_test(snapshot), cmocka_unit_test(diffusion),
        cmocka_unit_test(net_force),
    };
    MPI_Init(&argc, &argv);
    calls_scratch(dir);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (law_is_first()) scratch_remove(dir);
    MPI_Finalize();
    return failed;
}
