/* levels.c - adaptive levels: sums are kept while levels move and take steps of their own, the bits
 * depend neither on ranks nor on blocks' owners, also where cells are repaired, a mesh that is
 * refined everywhere, or nowhere, is the uniform one, a uniform flow stays uniform, mirror images
 * stay mirror images, and waves cross level edges at second order.
 *
 * ranks: 3
 * optimised: 1
 * first: a minute
 */
#include "core/mesh/hierarchy.h"
#include "tests/law.h"

/* A hot ball beside the middle of a periodic box, in gas that streams and carries a field. */
static void blast(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const int *dim = data;
    double r2 = 0;
    (void)t;
    for (int d = 0; d < *dim; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.4 - 0.05 * d, 2);
    double hot = exp(-r2 / 0.01);
    prim[0] = 1 + 3 * hot;
    prim[1] = 0.5, prim[2] = -0.25, prim[3] = 0.1;
    prim[4] = 0.6 + 10 * hot;
    prim[SL_PRIM_SCALAR] = hot > 0.5;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.3 - 0.1 * d;
}

static void uniform(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = 1.3;
    prim[1] = 0.7, prim[2] = -0.4, prim[3] = 0.2;
    prim[4] = 0.9;
    prim[SL_PRIM_SCALAR] = 0.3;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.3 - 0.1 * d;
}

#define STAGGERED "fluid.mhd: ct\nfluid.riemann: hlld\n"
#define REFINE    "mesh.refine: [{by: gradient, of: pressure, above: 0.1}]\nmesh.regrid: 2\n"
static const char *const boxes[] = {"", "mesh.cells: [64]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 32]\nmesh.block: [8]\n",
                                    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"};
static const char *const steps[] = {"time.levels: one\n", "time.levels: each\n",
                                    "time.levels: auto\n"};

static struct fluid *start(MPI_Comm comm, const char *recipe, fluid_state *state, int *dim)
{
    struct fluid *f;
    assert_int_equal(fluid_new_with(comm, recipe, state, dim, &f), SL_OK);
    return f;
}

/* Integrals of the variables over the leaves of all levels, and of their sizes. */
static void integrals(const struct sl_sim *sim, double out[2][SL_MAX_VAR])
{
    long double sum[2][SL_MAX_VAR] = {{0}};
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int b = 0; b < m->nleaf; b++) {
            double volume = 1;
            for (int d = 0; d < m->dim; d++)
                volume *= m->blocks[b].dx[d];
            for (int v = 0; v < s->state.layout.nflow; v++)
                for (int k = 0; k < m->n[2]; k++)
                    for (int j = 0; j < m->n[1]; j++)
                        for (int i = 0; i < m->n[0]; i++) {
                            double u =
                                (double)
                                    s->state.u[sl_mesh_at(m, s->state.layout.nvar, b, v,
                                                          k + m->g[2], j + m->g[1], i + m->g[0])];
                            sum[0][v] += (long double)volume * u;
                            sum[1][v] += (long double)volume * fabs(u);
                        }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2 * SL_MAX_VAR, MPI_LONG_DOUBLE, MPI_SUM,
                  sim->state.mesh->comm);
    for (int v = 0; v < SL_MAX_VAR; v++)
        out[0][v] = (double)sum[0][v], out[1][v] = (double)sum[1][v];
}

static void advance(struct fluid *f, int n, const char *recipe)
{
    for (int i = 0; i < n; i++)
        if (sl_sim_step(f->sim, 100) != SL_OK) fail_msg("%s\n%s", sl_error_text(), recipe);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* To 1e-13 in double precision. */
static void check_conserved(const struct fluid *f, double before[2][SL_MAX_VAR], const char *recipe)
{
    double after[2][SL_MAX_VAR];
    const struct sl_layout *l = &f->sim->state.layout;
    integrals(f->sim, after);
    for (int v = 0; v < l->nflow; v++) {
        if (l->magnetic >= 0 && l->face < 0 && v == l->magnetic + 3) continue; /* psi is damped */
        double change = fabs(after[0][v] - before[0][v]) / (before[1][v] + before[1][0]);
        if (!(change < 450 * law_rounding()))
            fail_msg("the integral of variable %d changed by %g:\n%s", v, change, recipe);
    }
}

static struct fluid *blast_of(MPI_Comm comm, int *dim, const char *levels, const char *scheme,
                              char recipe[1024])
{
    snprintf(recipe, 1024, "%s%s%s%s%s", boxes[*dim], REFINE, "mesh.levels: 2\n", levels, scheme);
    return start(comm, recipe, blast, dim);
}

static uint64_t hash_of(const struct fluid *f)
{
    uint64_t hash = 0;
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    return hash;
}

/* Whether this rank is the only one, so that a run alone would be the same once more. */
static bool is_only(void)
{
    int n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n == 1;
}

/* The state after n steps on one rank is that which all ranks had. */
static void check_alone(int dim, const char *levels, const char *scheme, int n, uint64_t all)
{
    uint64_t alone = 0;
    char recipe[1024] = "";
    if (is_only()) return;
    if (law_is_first()) {
        struct fluid *f = blast_of(MPI_COMM_SELF, &dim, levels, scheme, recipe);
        advance(f, n, recipe);
        alone = hash_of(f);
        fluid_free(f);
    }
    if (law_of_first(alone) != all)
        fail_msg("ranks differ from one alone, %dD:\n%s%s", dim, levels, scheme);
}

/* compared: the even step after which the state is compared with that of one rank; 0: not. */
static void conserves(int dim, const char *levels, const char *scheme, int compared)
{
    char recipe[1024];
    double before[2][SL_MAX_VAR];
    struct fluid *f = blast_of(MPI_COMM_WORLD, &dim, levels, scheme, recipe);
    integrals(f->sim, before);
    const struct sl_hierarchy *mesh = f->sim->state.hierarchy;
    int moved = 0;
    uint64_t hash = 0;
    assert_int_equal(f->sim->state.hierarchy->nlevel, 3);
    for (int i = 2; i <= (dim == 3 ? 4 : dim == 2 ? 12 : 80); i += 2) {
        advance(f, 2, recipe);
        moved += f->sim->state.hierarchy != mesh;
        mesh = f->sim->state.hierarchy;
        if (i == compared) hash = hash_of(f);
    }
    if (moved == 0) fail_msg("the levels did not move:\n%s", recipe);
    check_conserved(f, before, recipe);
    fluid_free(f);
    if (compared > 0) check_alone(dim, levels, scheme, compared, hash);
}

static void conservation(void **unused)
{
    (void)unused;
    for (int s = 0; s < 3; s++) {
        conserves(1, steps[s], "fluid.scalars: 1\n", 12);
        conserves(2, steps[s], "fluid.scalars: 1\n", 12);
    }
    conserves(2, steps[1], "fluid.integrator: rk3\nfluid.reconstruct: ppm\n", 0);
    conserves(2, steps[1], "fluid.integrator: vl2\n", 0);
    conserves(2, steps[1], "fluid.mhd: glm\nfluid.riemann: hlld\n", 0);
    conserves(2, steps[1], "fluid.eos: isothermal\n", 0);
    conserves(3, steps[1], "fluid.scalars: 1\n", 4);
    for (int dim = 1; dim <= 3; dim++)
        conserves(dim, steps[2], "fluid.integrator: tvd\nfluid.scalars: 1\n", dim == 1 ? 12 : 4);
}

/* A thousand steps of the root grid with two hundred regrids, most of which move the levels: a
 * region jumps. regrid: steps of the finest level between regrids. */
static void kept_long(int regrid, const char *levels, const char *scheme)
{
    char recipe[1024];
    double before[2][SL_MAX_VAR];
    int dim = 2, moved = 0;
    uint64_t seed = 7;
    snprintf(recipe, sizeof recipe,
             "%smesh.levels: 2\nmesh.regrid: %d\nmesh.buffer: 1\n%s%s"
             "mesh.refine: [{by: sphere, center: [0.3, 0.3], radius: 0.06}]\n",
             boxes[dim], regrid, levels, scheme);
    struct fluid *f = start(MPI_COMM_WORLD, recipe, blast, &dim);
    integrals(f->sim, before);
    for (int i = 0; i < 200; i++) {
        const struct sl_hierarchy *mesh = f->sim->state.hierarchy;
        for (int d = 0; d < dim; d++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            f->cfg.mesh_refine[0].lo[d] = (double)(seed >> 11) * 0x1p-53;
        }
        advance(f, 5, recipe);
        moved += f->sim->state.hierarchy != mesh;
    }
    if (moved < 150) fail_msg("the levels moved %d times:\n%s", moved, recipe);
    check_conserved(f, before, recipe);
    fluid_free(f);
}

static void conservation_long(void **unused)
{
    (void)unused;
    if (!getenv("SLUICE_LONG")) return;
    kept_long(5, steps[0], "fluid.scalars: 1\n");
    kept_long(20, steps[1], "fluid.integrator: vl2\n"); /* four of the finest level in one */
}

/* ---- repairs -------------------------------------------------------------------------------- */

static void check_repaired(const struct fluid *f, double before[2][SL_MAX_VAR], const char *recipe)
{
    double after[2][SL_MAX_VAR];
    integrals(f->sim, after);
    if (f->sim->state.cells_repaired == 0) fail_msg("no cell was repaired:\n%s", recipe);
    if (f->sim->state.cells_floored > 0) fail_msg("cells were floored:\n%s", recipe);
    for (int v = 0; v < f->sim->state.layout.nflow; v++) {
        double change = fabs(after[0][v] - before[0][v]) / before[1][v];
        if (!(change < 450 * law_rounding()))
            fail_msg("repairs changed the integral of variable %d by %g:\n%s", v, change, recipe);
    }
}

static void jumble(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)hi, (void)t;
    law_jumble(2, lo, prim);
}

/* A violent state, in which levels jump to and fro: fluxes of first order are those that both sides
 * of a level edge get, and cells that have less than these take have the rest from the cells behind
 * them. */
static uint64_t repaired(MPI_Comm comm, int dim, fluid_state *state, const char *scheme)
{
    static const char *const center[] = {"", "0.3", "0.3, 0.3", "0.3, 0.3, 0.3"};
    char recipe[1024];
    double before[2][SL_MAX_VAR];
    uint64_t hash = 0;
    int moved = 0;
    snprintf(recipe, sizeof recipe,
             "%smesh.levels: 2\nmesh.regrid: 1\nmesh.buffer: 0\nmesh.derefine_after: 1\n"
             "mesh.refine: [{by: sphere, center: [%s], radius: 0.06}]\n%s",
             boxes[dim], center[dim], scheme);
    struct fluid *f = start(comm, recipe, state, &dim);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 3);
    integrals(f->sim, before);
    for (int i = 0; i < (dim == 3 ? 3 : 8); i++) {
        for (int d = 0; d < 3; d++)
            f->cfg.mesh_refine[0].lo[d] = i % 2 ? 0.3 : 0.62; /* there it meets other blocks */
        int64_t leaves = f->sim->state.hierarchy->nleaf_global;
        advance(f, 1, recipe);
        moved += f->sim->state.hierarchy->nleaf_global != leaves;
    }
    if (moved == 0) fail_msg("the levels did not move:\n%s", recipe);
    check_repaired(f, before, recipe);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

static void repairs(void **unused)
{
    (void)unused;
    static const struct {
        int dim;
        fluid_state *state;
        const char *scheme;
    } all[] = {
        {2, jumble, "fluid.theta: 2\ntime.levels: each\n"},
        {2, jumble, "fluid.theta: 2\ntime.levels: one\nfluid.riemann: roe\n"},
        {2, jumble,
         "fluid.reconstruct: ppm\nfluid.shocks: flatten\nfluid.riemann: llf\ntime.levels: each\n"},
        {3, jumble, "fluid.theta: 2\ntime.levels: each\n"},
        {2, law_torn, "fluid.theta: 2\nfluid.cfl: 0.9\ntime.levels: each\nfluid.scalars: 1\n"},
        {3, law_torn, "fluid.theta: 2\nfluid.cfl: 0.9\ntime.levels: each\n"},
        {2, jumble, "fluid.integrator: tvd\nfluid.cfl: 0.4\n"},
        {3, law_torn, "fluid.integrator: tvd\nfluid.cfl: 0.4\n"},
    };
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        const uint64_t hash = repaired(MPI_COMM_WORLD, all[i].dim, all[i].state, all[i].scheme);
        uint64_t alone = hash;
        if (law_is_first() && !is_only())
            alone = repaired(MPI_COMM_SELF, all[i].dim, all[i].state, all[i].scheme);
        if (law_of_first(alone) != hash)
            fail_msg("ranks differ from one alone, %dD:\n%s", all[i].dim, all[i].scheme);
    }
}

/* ---- the same bits -------------------------------------------------------------------------- */

static void same(int dim, const char *levels, const char *scheme, int n)
{
    char recipe[1024];
    struct fluid *f = blast_of(MPI_COMM_WORLD, &dim, levels, scheme, recipe);
    advance(f, n, recipe);
    uint64_t hash = hash_of(f);
    fluid_free(f);
    check_alone(dim, levels, scheme, n, hash);
}

/* Those of others are compared on their way, above. */
static void ranks(void **unused)
{
    (void)unused;
    same(3, steps[0], "fluid.scalars: 1\n", 4);
    same(2, steps[1],
         "fluid.mhd: glm\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n"
         "fluid.integrator: rk3\n",
         12);
    same(2, steps[1], "mesh.boundary: outflow\nfluid.riemann: roe\n", 12);
}

/* What a recipe may choose of a scheme beside the default keeps sums and bits. */
static void schemes(void **unused)
{
    (void)unused;
    static const char *const all[] = {
        "fluid.integrator: rk3\nfluid.reconstruct: wenoz\nfluid.riemann: lhllc\n",
        ("fluid.integrator: vl2\nfluid.reconstruct: ppm\nfluid.riemann: hlle\n"
         "fluid.characteristic: true\n"),
        "fluid.reconstruct: constant\nfluid.riemann: llf\n"};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        conserves(2, steps[1], all[i], 4);
}

/* ---- refined nowhere ------------------------------------------------------------------------- */

static uint64_t hash_after(int dim, const char *levels, const char *scheme, int n)
{
    char recipe[1024];
    snprintf(recipe, sizeof recipe, "%s%s%s", boxes[dim], levels, scheme);
    struct fluid *f = start(MPI_COMM_WORLD, recipe, blast, &dim);
    advance(f, n, recipe);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 1);
    uint64_t hash = hash_of(f);
    fluid_free(f);
    return hash;
}

/* A mesh that may be refined, but is not, has the bits of one that may not. */
static void nowhere(void **unused)
{
    (void)unused;
    static const char levels[] = "mesh.levels: 2\nmesh.refine: [{by: value, of: density, above: "
                                 "100}]\n";
    static const char *const all[] = {"fluid.scalars: 1\n",
                                      "fluid.integrator: rk3\nfluid.reconstruct: ppm\n",
                                      "fluid.mhd: glm\n",
                                      STAGGERED,
                                      "gravity.acceleration: [1, 0, 0]\nfluid.dual_energy: true\n",
                                      "fluid.integrator: tvd\ngravity.acceleration: [1, 0, 0]\n"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int dim = 1 + (i == 3); dim <= 3; dim++) {
            uint64_t may = hash_after(dim, levels, all[i], 6);
            if (hash_after(dim, "", all[i], 6) != may)
                fail_msg("a mesh that is never refined is another, %dD:\n%s", dim, all[i]);
        }
}

/* ---- refined everywhere --------------------------------------------------------------------- */

/* All cells of the leaves of the finest level in one array, on all ranks. */
static double *gather(const struct sl_sim *sim, const int cells[3], int *size)
{
    const struct sl_sim *s = sim;
    while (s->finer)
        s = s->finer;
    const struct sl_mesh *m = s->state.mesh;
    *size = s->state.layout.nflow * cells[0] * cells[1] * cells[2];
    double *out = malloc((size_t)*size * sizeof *out);
    assert_non_null(out);
    for (int i = 0; i < *size; i++)
        out[i] = -HUGE_VAL;
    for (int b = 0; b < m->nleaf; b++)
        for (int v = 0; v < s->state.layout.nflow; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        int64_t z = m->blocks[b].at[2] * m->n[2] + k;
                        int64_t y = m->blocks[b].at[1] * m->n[1] + j;
                        int64_t x = m->blocks[b].at[0] * m->n[0] + i;
                        out[((v * cells[2] + z) * cells[1] + y) * cells[0] + x] =
                            (double)s->state.u[sl_mesh_at(m, s->state.layout.nvar, b, v,
                                                          k + m->g[2], j + m->g[1], i + m->g[0])];
                    }
    MPI_Allreduce(MPI_IN_PLACE, out, *size, MPI_DOUBLE, MPI_MAX, m->comm);
    return out;
}

static void everywhere(int dim, const char *coarse, const char *fine, const int cells[3],
                       const char *scheme)
{
    char recipe[1024];
    int size, other;
    snprintf(recipe, sizeof recipe,
             "%s%smesh.levels: 1\nmesh.refine: [{by: value, of: density, above: 0}]\n"
             "time.levels: one\n",
             coarse, scheme);
    struct fluid *f = start(MPI_COMM_WORLD, recipe, blast, &dim);
    assert_int_equal(f->sim->state.hierarchy->count[0], 0);
    advance(f, 5, recipe);
    double *refined = gather(f->sim, cells, &size), time = f->sim->state.time;
    fluid_free(f);
    snprintf(recipe, sizeof recipe, "%s%s", fine, scheme);
    f = start(MPI_COMM_WORLD, recipe, blast, &dim);
    advance(f, 5, recipe);
    double *plain = gather(f->sim, cells, &other);
    assert_int_equal(size, other);
    if (f->sim->state.time != time)
        fail_msg("times differ: %.17g and %.17g", time, f->sim->state.time);
    for (int i = 0; i < size; i++)
        if (refined[i] != plain[i])
            fail_msg("value %d: %.17g and %.17g\n%s", i, refined[i], plain[i], recipe);
    fluid_free(f);
    free(refined);
    free(plain);
}

static void as_uniform(void **unused)
{
    (void)unused;
    const int line[3] = {64, 1, 1}, plane[3] = {32, 32, 1}, space[3] = {32, 32, 32};
    everywhere(1, "mesh.cells: [32]\nmesh.block: [8]\n", "mesh.cells: [64]\nmesh.block: [8]\n",
               line, "fluid.scalars: 1\n");
    everywhere(2, "mesh.cells: [16, 16]\nmesh.block: [8]\n",
               "mesh.cells: [32, 32]\nmesh.block: [8]\n", plane,
               "fluid.mhd: glm\nfluid.riemann: hlld\n");
    everywhere(3, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n",
               "mesh.cells: [32, 32, 32]\nmesh.block: [8]\n", space, "");
    everywhere(3, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n",
               "mesh.cells: [32, 32, 32]\nmesh.block: [8]\n", space, STAGGERED);
}

/* So with all that a recipe chooses of a scheme. */
static void as_uniform_all(void **unused)
{
    const int plane[3] = {32, 32, 1};
    static const char *const all[] = {
        STAGGERED "fluid.scalars: 1\n",
        STAGGERED "fluid.integrator: vl2\nfluid.limiter: mc\n",
        STAGGERED "fluid.integrator: rk3\nfluid.reconstruct: ppm\nfluid.characteristic: true\n",
        STAGGERED "fluid.eos: isothermal\n",
        "fluid.mhd: glm\nfluid.integrator: vl2\nfluid.riemann: lhlld\n",
        "fluid.integrator: vl2\nfluid.limiter: mc\nfluid.scalars: 2\n",
        "fluid.integrator: rk3\nfluid.reconstruct: ppm\nfluid.riemann: lhllc\n",
        "fluid.integrator: rk3\nfluid.reconstruct: wenoz\nfluid.characteristic: true\n",
        "fluid.reconstruct: ppm\nfluid.shocks: flatten\nfluid.riemann: roe\n",
        "fluid.reconstruct: constant\nfluid.riemann: hlle\n",
        "fluid.eos: isothermal\nfluid.riemann: llf\n",
        "fluid.dual_energy: true\nfluid.scalars: 1\n",
        "gravity.acceleration: [3, -2]\n",
        "potential: {kind: point, strength: 3, softening: 0.1}\n",
        "cooling: {rate: 2, heating: 0.3}\n",
        "driving: {acceleration: 20, kmin: 1, kmax: 3, correlation: 0.1}\n",
        "mesh.boundary: outflow\n",
        "mesh.boundary: reflecting\nfluid.dual_energy: true\n",
        "fluid.integrator: tvd\nfluid.scalars: 1\n",
        "fluid.integrator: tvd\nfluid.eos: isothermal\ngravity.acceleration: [3, -2]\n",
        "fluid.integrator: tvd\nmesh.boundary: reflecting\nfluid.dual_energy: true\n",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        everywhere(2, "mesh.cells: [16, 16]\nmesh.block: [8]\n",
                   "mesh.cells: [32, 32]\nmesh.block: [8]\n", plane, all[i]);
}

/* ---- levels keep up with what moves ---------------------------------------------------------- */

/* Dense gas carried along the x axis, nearly as fast as its signals. */
static void carried(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    double x = 0.5 * (lo[0] + hi[0]);
    (void)data, (void)t;
    prim[0] = fabs(x - 0.3) < 0.1 ? 2 : 1;
    prim[1] = 1;
    prim[4] = 0.01;
}

/* The largest change of density between cells of a leaf that is not of the finest level. */
static double steepest_outside(const struct sl_sim *sim, int finest)
{
    double most = 0;
    for (const struct sl_sim *s = sim; s && s->state.mesh->level < finest; s = s->finer)
        for (int b = 0; b < s->state.mesh->nleaf; b++) {
            const struct sl_mesh *m = s->state.mesh;
            const sl_real *rho =
                s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, 0, 0, m->g[0]);
            for (int i = 1; i < m->n[0]; i++)
                most = fmax(most, fabs((double)(rho[i] - rho[i - 1])));
        }
    return most;
}

/* The rule asks for changes of density above `above`; most: that are left outside the finest
 * level. */
static void keeps_up_with(const char *levels, int n, double above, double most)
{
    const int dim = 1;
    char recipe[1024];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [64]\nmesh.block: [8]\nmesh.levels: 7\n%s"
             "mesh.refine: [{by: gradient, of: density, above: %g}]\n",
             levels, above);
    struct fluid *f = start(MPI_COMM_WORLD, recipe, carried, &(int){dim});
    for (int i = 0; i < n; i++) {
        advance(f, 1, recipe);
        double steep = steepest_outside(f->sim, 7);
        if (steep > most || f->sim->state.hierarchy->count[7] == 0)
            fail_msg("after step %d the density changes by %g outside the finest level:\n%s", i + 1,
                     steep, recipe);
    }
    fluid_free(f);
}

/* Also where the finest level takes many steps until a regrid: the buffer grows, and where a block
 * is too narrow the coarsest levels take shorter steps. */
static void keeps_up(void **unused)
{
    (void)unused;
    keeps_up_with(steps[0], 64, 0.05, 0.01);
    for (int s = 1; s < 3; s++) { /* each, auto */
        keeps_up_with(steps[s], 24, 0.05, 0.01);
        keeps_up_with(steps[s], 8, 0.2, 0.15); /* later the step is too smooth for it */
    }
}

/* ---- a uniform flow ------------------------------------------------------------------------- */

/* The conserved variables of the first cell of the rank. */
static void first_cell(const struct sl_sim *sim, double out[SL_MAX_VAR])
{
    while (sim->finer && sim->state.mesh->nblock == 0)
        sim = sim->finer;
    const struct sl_mesh *m = sim->state.mesh;
    for (int v = 0; v < sim->state.layout.nflow && m->nblock > 0; v++)
        out[v] = (double)sim->state
                     .u[sl_mesh_at(m, sim->state.layout.nvar, 0, v, m->g[2], m->g[1], m->g[0])];
}

static void same_everywhere(const struct sl_sim *s, const double want[SL_MAX_VAR],
                            const char *recipe)
{
    const struct sl_mesh *m = s->state.mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < s->state.layout.nflow; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        double u = (double)s->state.u[sl_mesh_at(
                            m, s->state.layout.nvar, b, v, k + m->g[2], j + m->g[1], i + m->g[0])];
                        if (fabs(u - want[v]) > 4 * law_rounding())
                            fail_msg("level %d, variable %d: %.17g for %.17g\n%s", m->level, v, u,
                                     want[v], recipe);
                    }
}

static void stays(int dim, const char *levels, const char *scheme)
{
    char recipe[1024];
    double want[SL_MAX_VAR] = {0};
    snprintf(recipe, sizeof recipe,
             "%s%smesh.levels: 3\nmesh.regrid: 1\n%smesh.refine: [{by: sphere, center: [0.3%s%s], "
             "radius: 0.12}]\n",
             boxes[dim], levels, scheme, dim > 1 ? ", 0.4" : "", dim > 2 ? ", 0.5" : "");
    struct fluid *f = start(MPI_COMM_WORLD, recipe, uniform, &dim);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 4);
    first_cell(f->sim, want);
    advance(f, dim == 3 ? 2 : 6, recipe);
    for (const struct sl_sim *s = f->sim; s; s = s->finer)
        same_everywhere(s, want, recipe);
    fluid_free(f);
}

static void rest(void **unused)
{
    (void)unused;
    for (int dim = 1; dim <= 2; dim++)
        for (int s = 0; s < 2; s++)
            stays(dim, steps[s], "fluid.scalars: 1\n");
    stays(2, steps[1], "fluid.mhd: glm\nfluid.riemann: hlld\n");
    stays(3, steps[1], "");
    stays(2, steps[2], "fluid.integrator: tvd\nfluid.scalars: 1\n");
    stays(3, steps[2], "fluid.integrator: tvd\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest),
        cmocka_unit_test(conservation),
        cmocka_unit_test(repairs),
        cmocka_unit_test(ranks),
        cmocka_unit_test(nowhere),
        cmocka_unit_test(as_uniform),
        cmocka_unit_test(keeps_up),
        cmocka_unit_test(schemes),
        cmocka_unit_test(conservation_long),
        cmocka_unit_test(as_uniform_all),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
