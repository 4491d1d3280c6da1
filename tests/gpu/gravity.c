/* gravity.c - gas that attracts itself, on a device: the processor's state but for the rounding of
 * transforms, in 1, 2 and 3 dimensions, periodic and isolated, in an expanding universe, with each
 * kind of field; the same bits for any ranks, blocks and restarts, whatever carries messages; the
 * box gets no momentum. On levels that move likewise. Ranks end together where the device of one
 * has too little memory.
 *
 * ranks: 1 2 3 4
 * emulated at length: 1 2 4
 * emulated: 2
 */
#include "core/io/checkpoint.h"
#include "core/run/restore.h"
#include "core/step/backend.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "gpu/cuda.h"
#include "tests/gpu/same.h"
#include "tests/lumps.h"
#include "tests/scratch.h"

#define HEAVY "gravity.four_pi_g: 30\n"
enum { POTENTIAL = -1 }; /* in the place of a variable */

#define ALONE    HEAVY "mesh.boundary: outflow\n"
#define SCREENED ALONE "gravity.isolated: screened\n"

static struct fluid *run_of(fluid_state *state, MPI_Comm comm, const char *backend,
                            const char *recipe, int n)
{
    char text[1024];
    struct fluid *f;
    snprintf(text, sizeof text, "resources.backend: %s\noutput.potential: true\n%s", backend,
             recipe);
    if (fluid_new(comm, text, state, &f) != SL_OK) fail_msg("%s: %s", text, sl_error_text());
    steps(f->sim, n - 1, text);
    assert_int_equal(sl_sources_show(f->sim), SL_OK);
    steps(f->sim, 1, text);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    return f;
}

static struct fluid *run_on(MPI_Comm comm, const char *backend, const char *recipe, int n)
{
    return run_of(lumps, comm, backend, recipe, n);
}

/* The largest difference over all cells of own blocks, over the largest value. */
static double apart(const struct sl_sim *a, const struct sl_sim *b)
{
    const struct sl_mesh *m = a->state.mesh;
    double most[2] = {0, 0};
    for (int q = 0; q < m->nblock; q++)
        for (int v = 0; v < a->state.layout.nvar; v++)
            for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
                for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                    for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                        size_t at = sl_mesh_at(m, a->state.layout.nvar, q, v, k, j, i);
                        double x = (double)a->state.u[at], y = (double)b->state.u[at];
                        most[0] = fmax(most[0], fabs(x - y));
                        most[1] = fmax(most[1], fabs(x));
                    }
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most[0] / most[1];
}

/* The potential that snapshots hold, of one level. */
static void potentials_alike(struct sl_sim *a, struct sl_sim *b, const char *recipe)
{
    const struct sl_mesh *m = a->state.mesh;
    size_t cells = (size_t)m->nblock * (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
    double off = 0, all = 0;
    assert_int_equal(sl_sources_show(a), SL_OK);
    assert_int_equal(sl_sources_show(b), SL_OK);
    for (size_t i = 0; i < cells; i++) {
        double x = (double)a->state.potential[i], y = (double)b->state.potential[i];
        off = fmax(off, fabs(x - y));
        all = fmax(all, fabs(x));
    }
    if (!(off <= 1e4 * law_rounding() * all))
        fail_msg("potential off by %g of %g:\n%s", off, all, recipe);
}

static void alike(const char *recipe)
{
    struct fluid *a = run_on(MPI_COMM_WORLD, "cpu", recipe, 4),
                 *b = run_on(MPI_COMM_WORLD, "cuda", recipe, 4);
    double w[2][SL_SOURCE_COLUMNS], off = apart(a->sim, b->sim);
    assert_string_equal(b->sim->work->backend->name, "cuda");
    if (!(off < 1e4 * law_rounding())) fail_msg("off by %g:\n%s", off, recipe);
    assert_int_equal(sl_sources_measure(a->sim, w[0]), SL_OK);
    assert_int_equal(sl_sources_measure(b->sim, w[1]), SL_OK);
    for (int i = 0; i < 2; i++)
        if (!(fabs(w[0][i] - w[1][i]) <= 1e4 * law_rounding() * fabs(w[0][i])))
            fail_msg("column %d of the history: %.17g and %.17g:\n%s", i, w[0][i], w[1][i], recipe);
    assert_true(fabs(a->sim->state.dt / b->sim->state.dt - 1) < 1e4 * law_rounding());
    potentials_alike(a->sim, b->sim, recipe);
    fluid_free(a);
    fluid_free(b);
}

static void processor(void **unused)
{
    (void)unused;
    alike("mesh.cells: [64]\nmesh.block: [16]\n" HEAVY);
    alike("mesh.cells: [24, 16]\nmesh.block: [8]\nmesh.box: [[0, 1], [0, 2]]\n" HEAVY);
    alike("mesh.cells: [24, 16]\nmesh.block: [8]\nfluid.integrator: ctu\n" HEAVY);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.eos: isothermal\n" HEAVY);
    alike("mesh.cells: [16, 8, 24]\nmesh.block: [8]\nfluid.dual_energy: true\n" HEAVY);
    alike("mesh.cells: [16, 8, 24]\nmesh.block: [8]\nfluid.integrator: tvd\n" HEAVY);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" STAGGERED HEAVY);
    alike("mesh.cells: [24, 16]\nmesh.block: [8]\noutput.balance: true\n" HEAVY);
    alike("mesh.cells: [24, 16]\nmesh.block: [8]\ngravity.jeans_floor: 8\n" HEAVY);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" ALONE);
    alike("mesh.cells: [16, 8, 24]\nmesh.block: [8]\nmesh.box: [[0, 1], [0, 2], [0, 1]]\n" ALONE);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" SCREENED);
    alike("mesh.cells: [10, 7, 24]\nmesh.block: [5, 7, 8]\nmesh.box: [[0, 1], [0, 2], [0, "
          "1]]\n" SCREENED);
}

/* The work on mass that first-order fluxes carry. */
static void repaired_alike(fluid_state *state, const char *recipe)
{
    struct fluid *a = run_of(state, MPI_COMM_WORLD, "cpu", recipe, 3),
                 *b = run_of(state, MPI_COMM_WORLD, "cuda", recipe, 3);
    double off = apart(a->sim, b->sim);
    assert_true(a->sim->state.cells_repaired > 0);
    assert_true(a->sim->state.cells_repaired == b->sim->state.cells_repaired);
    if (!(off < 1e5 * law_rounding())) fail_msg("off by %g:\n%s", off, recipe);
    fluid_free(a);
    fluid_free(b);
}

#define STRONG "mesh.cells: [16, 16, 16]\nmesh.block: [8]\ngravity.four_pi_g: 3000\n"

static void repaired(void **unused)
{
    (void)unused;
    repaired_alike(law_violent, STRONG);
    repaired_alike(law_violent, STRONG "fluid.integrator: rk3\n");
    repaired_alike(law_violent, STRONG "fluid.integrator: tvd\n");
    repaired_alike(law_violent_staggered, STRONG STAGGERED);
    repaired_alike(law_violent, "mesh.cells: [32, 24]\nmesh.block: [8]\ngravity.four_pi_g: 3000\n"
                                "fluid.integrator: ctu\n");
}

/* A sum of densities of 1 in an expanding universe; lumps has that mean. */
static void universe(void **unused)
{
    (void)unused;
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\ntime.unit: redshift\n"
          "ic.redshift: 9\nfluid.dual_energy: true\n");
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\ntime.unit: redshift\n"
          "ic.redshift: 9\nfluid.gamma: 1.4\n" STAGGERED);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\ntime.unit: redshift\n"
          "ic.redshift: 9\nfluid.dual_energy: true\n" PLASMA);
}

/* Waves in gas of density 1, in which transforms find no gravity. */
static void even(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    waves(data, lo, hi, t, prim);
    prim[0] = 1;
}

/* Where the expansion has done half of what it does in a step of dt, on all levels. */
static uint64_t opened_on(const char *backend, const char *recipe)
{
    char text[1024];
    struct fluid *f;
    uint64_t hash;
    snprintf(text, sizeof text, "resources.backend: %s\n%s", backend, recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, even, &f), SL_OK);
    assert_int_equal(sl_step_push(f->sim), SL_OK);
    assert_int_equal(sl_sources_open(f->sim, 0.01), SL_OK);
    for (struct sl_sim *s = f->sim; s; s = s->finer)
        sl_step_changed(s);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

/* Fields and heat in an expanding universe, to the bit. */
static void expansion(void **unused)
{
    (void)unused;
    static const char *const how[] = {
        "fluid.gamma: 1.4\nfluid.dual_energy: true\n", "fluid.dual_energy: true\n" PLASMA,
        "fluid.gamma: 1.4\n" STAGGERED,
        "mesh.levels: 1\nmesh.refine: [{by: box, lo: [0, 0, 0], hi: [1, 1, 0.4]}]\n" STAGGERED};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 16, 16]\nmesh.block: [8]\ntime.unit: redshift\n"
                 "ic.redshift: 9\n%s",
                 how[i]);
        if (opened_on("cpu", recipe) != opened_on("cuda", recipe))
            fail_msg("bits of cpu and cuda differ:\n%s", recipe);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* A dense and hot ball beside the middle of the box, in gas that streams fast. */
static void ball(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double r2 = 0;
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        if (hi[d] - lo[d] < 0.5) r2 += pow(0.5 * (lo[d] + hi[d]) - 0.4 - 0.05 * d, 2);
    double hot = exp(-r2 / 0.01);
    prim[0] = 1 + hot;
    prim[1] = 40, prim[2] = -20, prim[3] = 10;
    prim[4] = 0.6 + 20 * hot;
    prim[SL_PRIM_B] = 0.3;
}

#define REFINE "mesh.refine: [{by: gradient, of: pressure, above: 0.1}]\nmesh.regrid: 2\n"
#define LINE   "mesh.cells: [64]\nmesh.block: [8]\nmesh.levels: 2\n" REFINE
#define PLANE  "mesh.cells: [32, 32]\nmesh.block: [8]\nmesh.levels: 2\n" REFINE
#define SPACE                                                                                      \
    "mesh.cells: [32, 16, 16]\nmesh.box: [[0, 2], [0, 1], [0, 1]]\nmesh.block: [8]\nmesh.levels: " \
    "1\n" REFINE
/* A corner of the box with two levels, so that both have blocks at its sides. */
#define CORNER                                                                                     \
    "mesh.cells: [16, 24, 16]\nmesh.block: [8]\nmesh.levels: 2\nmesh.refine: [{by: box, lo: [0, "  \
    "0, 0], hi: [0.3, 0.3, 0.3], level: 1}, {by: box, lo: [0, 0, 0], hi: [0.1, 0.1, 0.1]}]\n"      \
    "mesh.box: [[0, 1], [0, 1.5], [0, 1]]\n"

static bool same_levels(const struct sl_hierarchy *a, const struct sl_hierarchy *b)
{
    return a->nlevel == b->nlevel && memcmp(a->count, b->count, sizeof a->count) == 0;
}

/* Cells of the finest level in the box. */
static size_t finest_cells(const struct sl_sim *f, int level, size_t n[3])
{
    for (int d = 0; d < 3; d++)
        n[d] = d < f->state.mesh->dim ? (size_t)f->state.mesh->spec.cells[d] << level : 1;
    return n[0] * n[1] * n[2];
}

/* A leaf cell as cells of the finest level, 2^up wide. */
static void lay_cell(const struct sl_mesh *m, const int64_t at[3], int up, const size_t n[3],
                     double value, double *to)
{
    size_t lo[3], wide[3];
    for (int d = 0; d < 3; d++) {
        wide[d] = d < m->dim ? (size_t)1 << up : 1;
        lo[d] = (size_t)at[d] * wide[d];
    }
    for (size_t k = 0; k < wide[2]; k++)
        for (size_t j = 0; j < wide[1]; j++)
            for (size_t i = 0; i < wide[0]; i++)
                to[((lo[2] + k) * n[1] + lo[1] + j) * n[0] + lo[0] + i] = value;
}

/* A cell of an own block. */
static double value_at(const struct sl_state *s, int var, int q, int k, int j, int i)
{
    const struct sl_mesh *m = s->mesh;
    size_t row = ((size_t)q * (size_t)m->n[2] + (size_t)k) * (size_t)m->n[1] + (size_t)j;
    if (var == POTENTIAL) return (double)s->potential[row * (size_t)m->n[0] + (size_t)i];
    return (double)
        s->u[sl_mesh_at(m, s->layout.nvar, q, var, k + m->g[2], j + m->g[1], i + m->g[0])];
}

/* A variable of all leaves of all ranks, or the potential that snapshots hold, on the cells of the
 * finest level. Ranks may share out the blocks of two runs in other ways. */
static double *whole_box(const struct sl_sim *root, int var, size_t *cells)
{
    int finest = root->state.hierarchy->nlevel - 1;
    size_t n[3];
    *cells = finest_cells(root, finest, n);
    double *box = calloc(*cells, sizeof *box);
    assert_non_null(box);
    for (const struct sl_sim *s = root; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int q = 0; q < m->nleaf; q++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        const int64_t *b = m->blocks[q].at;
                        int64_t at[3] = {b[0] * m->n[0] + i, b[1] * m->n[1] + j,
                                         b[2] * m->n[2] + k};
                        lay_cell(m, at, finest - m->level, n, value_at(&s->state, var, q, k, j, i),
                                 box);
                    }
    }
    MPI_Allreduce(MPI_IN_PLACE, box, (int)*cells, MPI_DOUBLE, MPI_SUM, root->state.mesh->comm);
    return box;
}

/* The largest difference of a variable, and its largest value in either run. */
static void compare_on_levels(const struct sl_sim *a, const struct sl_sim *b, int var, double *off,
                              double *most)
{
    size_t cells;
    double *x = whole_box(a, var, &cells), *y = whole_box(b, var, &cells);
    *off = *most = 0;
    for (size_t i = 0; i < cells; i++) {
        *off = fmax(*off, fabs(x[i] - y[i]));
        *most = fmax(*most, fmax(fabs(x[i]), fabs(y[i])));
    }
    free(x);
    free(y);
}

/* The largest difference of a variable, over its largest value; of the momentum along an axis over
 * the largest along any, as one that is next to nothing has the rounding of the others. */
static double apart_on_levels(const struct sl_sim *a, const struct sl_sim *b, int var)
{
    double off, most, other, unused;
    compare_on_levels(a, b, var, &off, &most);
    for (int v = SL_MX; v <= SL_MZ && var >= SL_MX && var <= SL_MZ; v++) {
        compare_on_levels(a, b, v, &unused, &other);
        most = fmax(most, other);
    }
    return most > 0 ? off / most : off;
}

/* The state of the processor on the same levels, and its history. moves: the levels are to
 * change. */
static void alike_on_levels(const char *recipe, fluid_state *state, int n, bool moves)
{
    struct fluid *a, *b;
    int changed = 0;
    char text[2][1024];
    for (int i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i], "resources.backend: %s\noutput.potential: true\n%s",
                 i ? "cuda" : "cpu", recipe);
    if (fluid_new(MPI_COMM_WORLD, text[0], state, &a) != SL_OK) fail_msg("%s", sl_error_text());
    if (fluid_new(MPI_COMM_WORLD, text[1], state, &b) != SL_OK) fail_msg("%s", sl_error_text());
    assert_string_equal(b->sim->work->backend->name, "cuda");
    assert_true(a->sim->state.hierarchy->nlevel > 1);
    for (int i = 0; i < n; i++) {
        const struct sl_hierarchy *before = a->sim->state.hierarchy;
        steps(a->sim, 1, recipe);
        steps(b->sim, 1, recipe);
        assert_true(same_levels(a->sim->state.hierarchy, b->sim->state.hierarchy));
        changed += a->sim->state.hierarchy != before;
    }
    if (moves && changed == 0) fail_msg("levels do not move:\n%s", recipe);
    double w[2][SL_SOURCE_COLUMNS];
    assert_int_equal(sl_sim_pull(a->sim), SL_OK);
    assert_int_equal(sl_sim_pull(b->sim), SL_OK);
    for (int v = 0; v < a->sim->state.layout.nvar; v++) {
        double off = apart_on_levels(a->sim, b->sim, v);
        if (!(off < 1e-12)) fail_msg("variable %d: off by %g:\n%s", v, off, recipe);
    }
    assert_int_equal(sl_sources_measure(a->sim, w[0]), SL_OK);
    assert_int_equal(sl_sources_measure(b->sim, w[1]), SL_OK);
    for (int i = 0; i < 2; i++)
        if (!(fabs(w[0][i] - w[1][i]) < 1e-12 * fabs(w[0][i])))
            fail_msg("column %d of the history: %.17g and %.17g:\n%s", i, w[0][i], w[1][i], recipe);
    assert_true(fabs(a->sim->state.dt / b->sim->state.dt - 1) < 1e-12);
    assert_int_equal(sl_sources_show(a->sim), SL_OK);
    assert_int_equal(sl_sources_show(b->sim), SL_OK);
    double off = apart_on_levels(a->sim, b->sim, POTENTIAL);
    if (!(off < 1e-11)) fail_msg("potential: off by %g:\n%s", off, recipe);
    fluid_free(a);
    fluid_free(b);
}

static void levels(void **unused)
{
    (void)unused;
    alike_on_levels(LINE HEAVY, ball, 34, true);
    alike_on_levels(PLANE HEAVY, ball, 6, true);
    alike_on_levels(PLANE HEAVY "mesh.box: [[0, 1], [0, 2]]\n", ball, 2, false);
    alike_on_levels(SPACE HEAVY, ball, 4, true);
    alike_on_levels(SPACE STAGGERED HEAVY, ball, 2, false);
}

/* Half of the box is finer; lumps have a mean of 1 in either half. */
static void levels_in_a_universe(void **unused)
{
    (void)unused;
    alike_on_levels(
        "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nmesh.levels: 1\ntime.unit: redshift\n"
        "mesh.refine: [{by: box, lo: [0, 0, 0], hi: [1, 1, 0.5]}]\n"
        "ic.redshift: 9\nfluid.dual_energy: true\n",
        lumps, 2, false);
    alike_on_levels(
        "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nmesh.levels: 1\ntime.unit: redshift\n"
        "mesh.refine: [{by: box, lo: [0, 0, 0], hi: [1, 1, 0.5]}]\n"
        "ic.redshift: 9\nfluid.gamma: 1.4\n" STAGGERED,
        lumps, 2, false);
}

static void levels_alone(void **unused)
{
    (void)unused;
    alike_on_levels(SPACE ALONE, ball, 2, false);
    alike_on_levels(SPACE SCREENED, ball, 2, false);
    alike_on_levels(CORNER ALONE, ball, 2, false);
}

#define EACH "time.levels: each\n"

/* Levels are kicked with steps of their own, ghost cells of finer ones to the midst of these. */
static void levels_each(void **unused)
{
    (void)unused;
    alike_on_levels(LINE HEAVY EACH, ball, 20, true);
    alike_on_levels(PLANE HEAVY EACH, ball, 3, true);
    alike_on_levels(SPACE HEAVY EACH, ball, 2, false);
    alike_on_levels(SPACE STAGGERED HEAVY EACH, ball, 2, false);
    alike_on_levels(CORNER ALONE EACH, ball, 2, false);
}

static int ranks_of(MPI_Comm comm)
{
    int n;
    MPI_Comm_size(comm, &n);
    return n;
}

/* Kernels run on a processor. */
static bool is_emulated(void)
{
    char name[64];
    sl_device_name(name, sizeof name, NULL);
    return strstr(name, "emulates") != NULL;
}

static void need_nccl(const struct fluid *f, MPI_Comm comm)
{
    if (getenv("EMULATED_NCCL") && is_emulated() && ranks_of(comm) > 1)
        assert_non_null(sl_cuda_device(f->sim)->nccl);
}

static struct fluid *on_device(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    struct fluid *f = run_on(comm, "cuda", text, 4);
    need_nccl(f, comm);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const cube[] = {"[8]", "[8, 8, 16]", NULL}, *const square[] = {"[8]", NULL};
    law_same(on_device, "mesh.cells: [16, 16, 16]\n" HEAVY, "[16]", cube);
    law_same(on_device, "mesh.cells: [16, 16, 16]\n" ALONE, "[16]", cube);
    law_same(on_device, "mesh.cells: [16, 16, 16]\n" SCREENED, "[16]", cube);
    law_same(on_device, "mesh.cells: [32, 16]\n" HEAVY, "[32, 16]", square);
}

static void measured(MPI_Comm comm, const char *recipe, double column[SL_SOURCE_COLUMNS])
{
    struct fluid *f = run_on(comm, "cuda", recipe, 2);
    assert_int_equal(sl_sources_measure(f->sim, column), SL_OK);
    fluid_free(f);
}

/* Those of the history, too, where planes are not shared out evenly, or a rank has no block. */
static void columns(void **unused)
{
    static const char *const recipes[] = {
        "mesh.cells: [16, 24, 40]\nmesh.block: [8]\n" HEAVY,
        "mesh.cells: [20, 10, 5]\nmesh.block: [5]\nmesh.box: [[0, 4], [0, 2], [0, 1]]\n" HEAVY,
        "mesh.cells: [5, 5, 40]\nmesh.block: [5]\nmesh.box: [[0, 1], [0, 1], [0, 8]]\n" HEAVY,
        "mesh.cells: [8, 8, 8]\nmesh.block: [8]\n" HEAVY,
        "mesh.cells: [8, 8, 8]\nmesh.block: [8]\n" ALONE,
        "mesh.cells: [16, 24, 8]\nmesh.block: [8]\n" ALONE,
        "mesh.cells: [16, 24, 8]\nmesh.block: [8]\n" SCREENED};
    (void)unused;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        double alone[SL_SOURCE_COLUMNS] = {0}, all[SL_SOURCE_COLUMNS] = {0};
        measured(MPI_COMM_SELF, recipes[i], alone);
        measured(MPI_COMM_WORLD, recipes[i], all);
        for (int c = 0; c < SL_SOURCE_COLUMNS; c++)
            if (alone[c] != all[c])
                fail_msg("column %d: %.17g and %.17g:\n%s", c, alone[c], all[c], recipes[i]);
    }
}

/* A kick moves the gas and gives it no momentum. */
static void momentum(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {"mesh.cells: [16, 8, 24]\nmesh.block: [8]\n" HEAVY,
                                          "mesh.cells: [16, 8, 24]\nmesh.block: [8]\n" ALONE};
    for (int q = 0; q < 2; q++) {
        struct fluid *f = run_on(MPI_COMM_WORLD, "cuda", recipes[q], 0);
        double before[SL_MAX_VAR], after[SL_MAX_VAR];
        law_sums(f->sim, before);
        assert_int_equal(sl_sources_open(f->sim, 0.1), SL_OK);
        assert_int_equal(sl_sim_pull(f->sim), SL_OK);
        law_sums(f->sim, after);
        for (int v = SL_MX; v <= SL_MZ; v++)
            if (!(fabs(after[v] - before[v]) < 100 * law_rounding() * before[0]))
                fail_msg("momentum %d changed by %g", v, (after[v] - before[v]) / before[0]);
        assert_true(fabs(after[4] / before[4] - 1) > 1e-4);
        fluid_free(f);
    }
}

/* Nor do the kicks of levels, whose edges cut through it, also where rows of blocks are so long
 * that the kernel takes them in pieces. */
static void momentum_on_levels(void **unused)
{
    (void)unused;
    static const char *const recipe[] = {
#define CUT                                                                                        \
    "resources.backend: cuda\nmesh.cells: [16, 16, 16]\nmesh.block: [8]\nmesh.levels: "            \
    "1\nmesh.refine: [{by: box, lo: [0.1, 0.1, 0.1], hi: [0.4, 0.9, 0.4]}]\n" HEAVY
#define LONG                                                                                       \
    "resources.backend: cuda\nmesh.cells: [64, 16, 16]\nmesh.block: [64, 8, 8]\nmesh.box: [[0, "   \
    "4], [0, 1], [0, 1]]\nmesh.levels: 1\nmesh.refine: [{by: box, lo: [0.1, 0.1, 0.1], hi: [1.9, " \
    "0.4, 0.4]}]\n" HEAVY
        CUT, CUT EACH, LONG, LONG EACH};
    for (size_t q = 0; q < sizeof recipe / sizeof *recipe; q++) {
        struct fluid *f;
        double before[SL_MAX_VAR], after[SL_MAX_VAR];
        assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe[q], lumps, &f), SL_OK);
        steps(f->sim, 1, recipe[q]); /* from then on covered blocks hold means */
        assert_int_equal(sl_sim_pull(f->sim), SL_OK);
        law_sums(f->sim, before);
        steps(f->sim, 1, recipe[q]);
        assert_int_equal(sl_sim_pull(f->sim), SL_OK);
        law_sums(f->sim, after);
        for (int v = SL_MX; v <= SL_MZ; v++)
            if (!(fabs(after[v] - before[v]) < 100 * law_rounding() * before[0]))
                fail_msg("momentum %d changed by %g", v, (after[v] - before[v]) / before[0]);
        fluid_free(f);
    }
}

/* Stopped after three steps, gone on with from a checkpoint on one rank. */
static void restarts_of(const char *recipe)
{
    char dir[256];
    int rank;
    int64_t seq;
    uint64_t want, got;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "gpu_gravity");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *a = run_on(MPI_COMM_WORLD, "cuda", recipe, 3);
    assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
    steps(a->sim, 4, recipe);
    assert_int_equal(sl_sim_hash(a->sim, &want), SL_OK);
    fluid_free(a); /* a process computes on one device at a time; that of one rank is the first */
    struct fluid *b = run_on(MPI_COMM_SELF, "cuda", recipe, 0);
    assert_int_equal(sl_sim_restore(b->sim, dir, &seq), SL_OK);
    steps(b->sim, 4, recipe);
    assert_int_equal(sl_sim_hash(b->sim, &got), SL_OK);
    assert_true(want == got);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
    fluid_free(b);
}

static void restarts(void **unused)
{
    (void)unused;
    restarts_of("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" HEAVY);
    restarts_of(PLANE HEAVY);
    restarts_of(PLANE HEAVY EACH);
    restarts_of(CORNER ALONE);
}

/* Messages go from device to device, also where ranks share an emulated one. */
static void nccl(void **unused)
{
    static const char *const cube[] = {"[8]", NULL};
    (void)unused;
    setenv("EMULATED_NCCL", "1", 1);
    law_same(on_device, "mesh.cells: [16, 16, 16]\n" HEAVY, "[16]", cube);
    restarts_of(PLANE HEAVY);
    restarts_of(CORNER ALONE);
    unsetenv("EMULATED_NCCL");
}

/* A run and two steps, where the device of the last rank has so many bytes. */
static int code_with(const char *recipe, size_t bytes)
{
    struct fluid *f = NULL;
    char text[1024], most[32];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(text, sizeof text, "resources.backend: cuda\n%s", recipe);
    snprintf(most, sizeof most, "%zu", bytes);
    if (rank == ranks_of(MPI_COMM_WORLD) - 1) setenv("EMULATED_MEMORY", most, 1);
    int code = fluid_new(MPI_COMM_WORLD, text, ball, &f);
    for (int i = 0; i < 2 && code == SL_OK; i++)
        code = sl_sim_step(f->sim, 1e9);
    if (f) fluid_free(f);
    unsetenv("EMULATED_MEMORY");
    return code;
}

/* With more and more: each time ranks have the same message. */
static void little_memory(const char *recipe)
{
    int failed = 0, code = SL_EMEM;
    for (size_t bytes = 100000; code != SL_OK; bytes += bytes / 4) {
        char text[1024];
        code = code_with(recipe, bytes);
        snprintf(text, sizeof text, "%d %s", code, code == SL_OK ? "" : sl_error_text());
        char first[sizeof text];
        memcpy(first, text, sizeof text);
        MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (strcmp(first, text) != 0) fail_msg("%s, but: %s", first, text);
        failed += code != SL_OK;
        assert_true(failed < 40);
    }
    assert_true(failed > 2);
}

static void memory(void **unused)
{
    (void)unused;
    if (!is_emulated()) return;
    little_memory("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" HEAVY);
    little_memory("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" ALONE);
    little_memory("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" SCREENED);
    little_memory(PLANE HEAVY);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processor),   cmocka_unit_test(repaired),
        cmocka_unit_test(universe),    cmocka_unit_test(expansion),
        cmocka_unit_test(levels),      cmocka_unit_test(levels_alone),
        cmocka_unit_test(levels_each), cmocka_unit_test(levels_in_a_universe),
        cmocka_unit_test(bits),        cmocka_unit_test(columns),
        cmocka_unit_test(momentum),    cmocka_unit_test(momentum_on_levels),
        cmocka_unit_test(restarts),    cmocka_unit_test(nccl),
        cmocka_unit_test(memory),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
