/* levels_ct.c - constrained transport on adaptive levels: no cell of any level gets a divergence
 * while levels move at random and take steps of their own, the two copies of a face are the same,
 * fluxes and sums are kept, ranks do not matter, and a mesh that is refined everywhere is the
 * uniform one.
 *
 * ranks: 3
 * optimised: 1
 * first: a minute
 * optimised at length: 4
 */
#include "core/cell/restrict.h"
#include "core/mesh/exchange.h"
#include "core/mesh/hierarchy.h"
#include "core/run/start.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "tests/law.h"

static const double twopi = 6.283185307179586;

/* Streams with a field that bends along all axes, and with a hot ball. */
static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double x[3], r2 = 0;
    (void)data, (void)t;
    for (int d = 0; d < 3; d++) {
        x[d] = 0.5 * (lo[d] + hi[d]);
        if (hi[d] - lo[d] < 0.9) r2 += pow(x[d] - 0.45, 2);
    }
    double hot = exp(-r2 / 0.01);
    prim[0] = 1 + 0.3 * sin(twopi * (x[0] + x[1])) + hot;
    prim[1] = 0.5 + 0.4 * sin(twopi * x[1]);
    prim[2] = -0.3 + 0.4 * cos(twopi * (x[0] - x[2]));
    prim[3] = 0.2 + 0.3 * sin(twopi * (x[0] + x[1]));
    prim[4] = 0.6 + 4 * hot;
    prim[SL_PRIM_SCALAR] = hot > 0.5;
}

static double wave(double from, double to, double phase)
{
    return to - from > 0
               ? (cos(twopi * from + phase) - cos(twopi * to + phase)) / (to - from) / twopi
               : sin(twopi * from + phase);
}

/* Means along an edge of products of waves. */
static double potential(const void *data, int axis, const double from[3], const double to[3],
                        double t)
{
    (void)data, (void)t;
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    return 0.08 * wave(from[a], to[a], 0.3 + axis) * wave(from[b], to[b], 0.7) *
               (1 + 0.5 * wave(from[axis], to[axis], 0.1)) +
           0.03 * sin(3 * twopi * from[a]) * cos(2 * twopi * from[b]);
}

static void mean_field(const void *data, double out[3])
{
    (void)data;
    out[0] = 0.3, out[1] = -0.2, out[2] = 0.25;
}

/* A field that meets walls along x at right angles. */
static double upright_potential(const void *data, int axis, const double from[3],
                                const double to[3], double t)
{
    (void)data, (void)to, (void)t;
    return axis == 2 ? 0.08 * cos(twopi * from[0]) * sin(twopi * from[1] + 0.3) : 0;
}

static void upright_field(const void *data, double out[3])
{
    (void)data;
    out[0] = 0.3, out[1] = out[2] = 0;
}

/* A weak loop of field that the flow carries (Gardiner & Stone 2005). */
static void loop_state(const void *data, const double lo[3], const double hi[3], double t,
                       double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = prim[4] = 1;
    prim[1] = 1, prim[2] = 0.5, prim[3] = 0.1;
}

static double loop_potential(const void *data, int axis, const double from[3], const double to[3],
                             double t)
{
    (void)data, (void)to, (void)t;
    return axis == 2 ? 1e-3 * fmax(0.3 - hypot(from[0] - 0.5, from[1] - 0.5), 0) : 0;
}

/* A circularly polarised Alfven wave along the diagonal of the plane. */
static void alfven_state(const void *data, const double lo[3], const double hi[3], double t,
                         double *prim)
{
    double phase = twopi * 0.5 * (lo[0] + hi[0] + lo[1] + hi[1]);
    (void)data, (void)t;
    prim[0] = 1, prim[4] = 0.1;
    prim[1] = sqrt(0.005) * sin(phase);
    prim[2] = -prim[1];
    prim[3] = -0.1 * cos(phase);
}

static double alfven_potential(const void *data, int axis, const double from[3], const double to[3],
                               double t)
{
    (void)data, (void)t;
    if (axis == 2) return sqrt(0.005) / twopi * cos(twopi * (from[0] + from[1]));
    double along = wave(from[axis], to[axis], twopi * from[1 - axis]);
    return (axis == 1 ? 0.05 : -0.05) / twopi * along;
}

static void alfven_field(const void *data, double out[3])
{
    (void)data;
    out[0] = out[1] = sqrt(0.5), out[2] = 0;
}

static const char *const boxes[] = {"", "mesh.cells: [32]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 32]\nmesh.block: [8]\n",
                                    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"};
static const char *const steps[] = {"time.levels: one\n", "time.levels: each\n",
                                    "time.levels: auto\n"};

static const struct sl_problem bent = {
    .name = "test", .state = state, .potential = potential, .uniform = mean_field};
static const struct sl_problem upright = {
    .name = "test", .state = state, .potential = upright_potential, .uniform = upright_field};
static const struct sl_problem loop = {
    .name = "test", .state = loop_state, .potential = loop_potential};
static const struct sl_problem alfven = {
    .name = "test", .state = alfven_state, .potential = alfven_potential, .uniform = alfven_field};
static const struct sl_problem violent = {.name = "test", .state = law_violent_staggered};

static struct fluid *start(MPI_Comm comm, const char *recipe, const struct sl_problem *problem)
{
    struct fluid *f = calloc(1, sizeof *f);
    char text[4096];
    assert_non_null(f);
    snprintf(text, sizeof text, "campaign: test\nproblem: sod\ntime.end: 1\n%s%s", recipe,
             strstr(recipe, "boundary") ? "" : "\nmesh.boundary: periodic\n");
    if (sl_config_parse("test", text, strlen(text), NULL, 0, &f->cfg) != SL_OK ||
        sl_sim_new(comm, &f->cfg, &f->sim) != SL_OK)
        fail_msg("%s\n%s", sl_error_text(), recipe);
    if (f->sim->state.problem->close) f->sim->state.problem->close(f->sim->state.problem_data);
    f->problem = *problem;
    f->sim->state.problem = &f->problem;
    f->sim->state.problem_data = NULL;
    if (sl_sim_start(f->sim) != SL_OK) fail_msg("%s\n%s", sl_error_text(), recipe);
    return f;
}

static void advance(struct fluid *f, int n, const char *recipe)
{
    for (int i = 0; i < n; i++)
        if (sl_sim_step(f->sim, 100) != SL_OK) fail_msg("%s\n%s", sl_error_text(), recipe);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
}

/* ---- faces ----------------------------------------------------------------------------------- */

static ptrdiff_t distance(const struct sl_mesh *m, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? m->nt[0] : (ptrdiff_t)m->nt[0] * m->nt[1];
}

/* Divergence of a cell in units of the field over dx; its field in the cell against its faces. */
static void check_cell(const struct sl_sim *s, const sl_real *u, const double dx[3],
                       double worst[3])
{
    const struct sl_mesh *m = s->state.mesh;
    double div = 0, most = 0, least = HUGE_VAL;
    for (int d = 0; d < m->dim; d++) {
        const sl_real *f = u + (size_t)(s->state.layout.face + d) * m->block_cells;
        double low = (double)f[0], high = (double)f[distance(m, d)];
        double cell = (double)u[(size_t)(s->state.layout.magnetic + d) * m->block_cells];
        div += (high - low) / dx[d];
        most = fmax(most, fmax(fabs(low), fabs(high)));
        least = fmin(least, dx[d]);
        worst[1] = fmax(worst[1], fabs(cell - 0.5 * (low + high)));
    }
    worst[0] = fmax(worst[0], fabs(div) * least);
    worst[2] = fmax(worst[2], most);
}

/* Against the largest field of the box: a part of it may have none. */
static void check_faces(const struct sl_sim *sim, double bound, const char *what,
                        const char *recipe)
{
    double worst[3] = {0};
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int b = 0; b < m->nblock; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++)
                        check_cell(s,
                                   s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0,
                                                           k + m->g[2], j + m->g[1], i + m->g[0]),
                                   m->blocks[b].dx, worst);
    }
    MPI_Allreduce(MPI_IN_PLACE, worst, 3, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
    if (!(worst[0] <= bound * worst[2]) || !(worst[1] <= 4 * law_rounding() * worst[2]))
        fail_msg("%s, step %lld: divergence %g, field in cells off by %g (of %g)\n%s", what,
                 (long long)sim->state.step, worst[0], worst[1], worst[2], recipe);
}

/* Whether the copies of each face are the same: on this rank upper faces and the lower ones of the
 * neighbour, and where nothing moved since, those of leaves and the means of finer ones. */
static void check_copies(const struct sl_sim *s, int axis, int b, int other)
{
    const struct sl_mesh *m = s->state.mesh;
    int n[3] = {m->n[0], m->n[1], m->n[2]};
    n[axis] = 1;
    const sl_real *u =
        s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, s->state.layout.face + axis, m->g[2],
                                m->g[1], m->g[0]);
    const sl_real *v =
        s->state.u + sl_mesh_at(m, s->state.layout.nvar, other, s->state.layout.face + axis,
                                m->g[2], m->g[1], m->g[0]);
    u += m->n[axis] * distance(m, axis);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                ptrdiff_t at = k * distance(m, 2) + j * distance(m, 1) + i;
                if (u[at] != v[at])
                    fail_msg("level %d, axis %d: the copies of a face are %.17g and %.17g",
                             m->level, axis, (double)u[at], (double)v[at]);
            }
}

static void check_means(const struct sl_sim *s, const struct sl_reflux_job *job)
{
    const struct sl_mesh *m = s->state.mesh;
    const struct sl_sim *f = s->finer;
    int d = job->axis, a = d == 0, b = d == 2 ? 1 : 2, face = s->state.layout.face + d, at[3],
        of[3];
    ptrdiff_t step[3] = {distance(m, a), distance(m, b), 0};
    int na = a < m->dim ? m->n[a] / 2 : 1, nb = b < m->dim ? m->n[b] / 2 : 1;
    at[d] = m->g[d] + (job->upper ? m->n[d] : 0);
    of[d] = m->g[d] + (job->upper ? 0 : m->n[d]);
    for (int j = 0; j < nb; j++)
        for (int i = 0; i < na; i++) {
            at[a] = m->g[a] + job->half[a] * na + i, of[a] = m->g[a] + 2 * i;
            at[b] = m->g[b] + job->half[b] * nb + j, of[b] = m->g[b] + 2 * j;
            sl_real have =
                s->state
                    .u[sl_mesh_at(m, s->state.layout.nvar, job->coarse, face, at[2], at[1], at[0])];
            sl_real want = sl_restrict(m->dim - 1,
                                       f->state.u + sl_mesh_at(m, s->state.layout.nvar, job->fine,
                                                               face, of[2], of[1], of[0]),
                                       step);
            if (have != want)
                fail_msg("level %d, axis %d: a face is %.17g, the finer ones in it %.17g", m->level,
                         d, (double)have, (double)want);
        }
}

static void check_shared(const struct sl_sim *sim)
{
    static const int power[3] = {1, 3, 9};
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        for (int b = 0; b < s->state.mesh->nblock; b++)
            for (int d = 0; d < s->state.mesh->dim; d++) {
                int other = s->state.mesh->exchange->near[b][SL_NDIR / 2 + power[d]];
                if (other >= 0) check_copies(s, d, b, other);
            }
        for (int i = 0; s->finer && i < s->finer->nest->nreflux[0]; i++)
            check_means(s, &s->finer->nest->reflux[i]);
    }
}

/* Integrals of what flows and of the field at faces over the leaves, and of their sizes. */
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
                            sum[0][v] += volume * u;
                            sum[1][v] += volume * fabs(u);
                        }
        }
    }
    for (int v = 0; v < 2 * SL_MAX_VAR; v++)
        out[v / SL_MAX_VAR][v % SL_MAX_VAR] = (double)sum[v / SL_MAX_VAR][v % SL_MAX_VAR];
    MPI_Allreduce(MPI_IN_PLACE, out, 2 * SL_MAX_VAR, MPI_DOUBLE, MPI_SUM, sim->state.mesh->comm);
}

/* What flows through the box across an axis, through faces of leaves in the plane where it
 * begins. */
static double flux_through(const struct sl_sim *sim, int d)
{
    double sum = 0;
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int b = 0; b < m->nleaf; b++) {
            int n[3] = {m->n[0], m->n[1], m->n[2]};
            double area = 1;
            if (m->blocks[b].at[d] != 0) continue;
            for (int a = 0; a < m->dim; a++)
                if (a != d) area *= m->blocks[b].dx[a];
            n[d] = 1;
            for (int k = 0; k < n[2]; k++)
                for (int j = 0; j < n[1]; j++)
                    for (int i = 0; i < n[0]; i++)
                        sum +=
                            area *
                            (double)s->state
                                .u[sl_mesh_at(m, s->state.layout.nvar, b, s->state.layout.face + d,
                                              k + m->g[2], j + m->g[1], i + m->g[0])];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, sim->state.mesh->comm);
    return sum;
}

/* ---- moving levels --------------------------------------------------------------------------- */

/* The levels follow a ball that jumps: a rule of the recipe, changed while the run goes on. */
static void jump(struct fluid *f, uint64_t *seed)
{
    for (int r = 0; r < f->cfg.mesh_refine_n; r++)
        for (int d = 0; d < 3; d++) {
            *seed = *seed * 6364136223846793005u + 1442695040888963407u;
            f->cfg.mesh_refine[r].lo[d] = (double)(*seed >> 11) * 0x1p-53;
        }
}

/* Two balls, to be written with their centers. */
static void balls(int dim, int regrid, char *out, size_t size)
{
    static const char *const one[] = {"", "0.3", "0.3, 0.3", "0.3, 0.3, 0.3"};
    static const char *const two[] = {"", "0.6", "0.6, 0.7", "0.6, 0.7, 0.8"};
    snprintf(out, size,
             "mesh.regrid: %d\nmesh.buffer: 1\nmesh.refine: [{by: sphere, center: [%s], radius: "
             "0.06}, {by: sphere, center: [%s], radius: 0.03}]\n",
             regrid, one[dim], two[dim]);
}

/* What a storm is made of. */
struct weather {
    int dim, steps;
    const char *levels, *scheme;
    const struct sl_problem *problem;
    bool open; /* not periodic: sums change */
    int jumps; /* steps between them */
};

/* Sums are kept to 1e-13 of a thousand steps, and the better the fewer there are. */
static void check_sums(struct fluid *f, int dim, double before[2][SL_MAX_VAR], const double *flux,
                       const char *recipe)
{
    double after[2][SL_MAX_VAR], bound = f->sim->state.step < 100 ? 60 : 450;
    integrals(f->sim, after);
    for (int v = 0; v < f->sim->state.layout.nflow; v++) {
        int field = v - f->sim->state.layout.magnetic;
        if (field >= 0 && field < dim) continue; /* from that at faces */
        double change = fabs(after[0][v] - before[0][v]) / (before[1][v] + before[1][0]);
        if (!(change < bound * law_rounding()))
            fail_msg("the integral of variable %d changed by %g:\n%s", v, change, recipe);
    }
    for (int d = 0; d < dim; d++)
        if (!(fabs(flux_through(f->sim, d) - flux[d]) < 500 * law_rounding()))
            fail_msg("the flux across axis %d changed by %g:\n%s", d,
                     flux_through(f->sim, d) - flux[d], recipe);
}

/* regrid: steps of the finest level between regrids. */
static uint64_t storm(MPI_Comm comm, const struct weather *w, int regrid)
{
    char recipe[1024], refine[256];
    uint64_t seed = 7, hash = 0;
    double before[2][SL_MAX_VAR], flux[3], bound = 4500 * law_rounding();
    int64_t moved = 0;
    balls(w->dim, regrid, refine, sizeof refine);
    snprintf(recipe, sizeof recipe, "fluid.mhd: ct\nmesh.levels: 2\n%s%s%s%s", boxes[w->dim],
             refine, w->levels, w->scheme);
    struct fluid *f = start(comm, recipe, w->problem);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 3);
    check_faces(f->sim, bound, "at the start", recipe);
    integrals(f->sim, before);
    for (int d = 0; d < w->dim; d++)
        flux[d] = flux_through(f->sim, d);
    for (int i = 0; i < w->steps; i++) {
        int64_t leaves = f->sim->state.hierarchy->nleaf_global;
        if (i % w->jumps == w->jumps - 1) jump(f, &seed);
        advance(f, 1, recipe);
        moved += f->sim->state.hierarchy->nleaf_global != leaves;
        check_faces(f->sim, bound, "later", recipe);
    }
    if (moved == 0 || moved < 3 * w->steps / (4 * w->jumps))
        fail_msg("the levels moved in %d of %d steps:\n%s", (int)moved, w->steps, recipe);
    if (!w->open) check_sums(f, w->dim, before, flux, recipe);
    if (w->problem == &violent) assert_true(f->sim->state.cells_repaired > 0);
    assert_int_equal(f->sim->state.cells_floored, 0);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

/* The same bits of all ranks and of one alone. */
static void storm_of_all(const struct weather *w, int regrid)
{
    int size;
    uint64_t hash = storm(MPI_COMM_WORLD, w, regrid), alone = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1 && law_is_first()) alone = storm(MPI_COMM_SELF, w, regrid);
    alone = law_of_first(alone);
    if (size > 1 && alone != hash)
        fail_msg("ranks differ from one alone: %d axes\n%s%s", w->dim, w->levels, w->scheme);
}

static void storms(void **unused)
{
    (void)unused;
    static const struct weather all[] = {
        {1, 20, steps[1], "", &bent, false, 3},
        {2, 18, steps[0], "", &bent, false, 3},
        {2, 15, steps[1], "fluid.integrator: rk3\nfluid.reconstruct: ppm\n", &bent, false, 3},
        {2, 15, steps[2], "fluid.integrator: vl2\nfluid.scalars: 1\n", &bent, false, 3},
        {2, 9, steps[1], "fluid.eos: isothermal\nfluid.riemann: hlld\n", &bent, false, 3},
        {2, 9, steps[1], "mesh.boundary: outflow\nfluid.dual_energy: true\n", &bent, true, 3},
        {2, 9, steps[1], "mesh.boundary: [symmetric, outflow]\n", &upright, true, 3},
        {2, 9, steps[1], "mesh.boundary: fixed\nfluid.riemann: lhlld\n", &bent, true, 3},
        {3, 3, steps[1], "fluid.theta: 2\nfluid.riemann: hlld\n", &violent, false, 1},
        {3, 3, steps[1], "fluid.riemann: hlld\n", &bent, false, 2},
        {3, 3, steps[0], "mesh.boundary: outflow\nfluid.reconstruct: constant\n", &bent, true, 2},
    };
    for (int i = 0; i < (int)(sizeof all / sizeof all[0]); i++)
        storm_of_all(&all[i], 1);
}

/* A thousand steps with two hundred regrids, most of which move the levels. */
static void long_storms(void **unused)
{
    (void)unused;
    static const char hlld[] = "fluid.riemann: hlld\n", vl2[] = "fluid.integrator: vl2\n";
    static const struct weather all[] = {
        {2, 1000, steps[0], hlld, &bent, false, 5},   {2, 1000, steps[1], vl2, &bent, false, 5},
        {2, 1000, steps[0], vl2, &loop, false, 5},    {2, 1000, steps[1], hlld, &loop, false, 5},
        {2, 1000, steps[0], hlld, &alfven, false, 5}, {2, 1000, steps[1], vl2, &alfven, false, 5},
    };
    if (!getenv("SLUICE_LONG")) return;
    for (int i = 0; i < (int)(sizeof all / sizeof all[0]);
         i++) /* each: four of the finest level in one */
        storm_of_all(&all[i], all[i].levels == steps[1] ? 20 : 5);
}

/* ---- levels that stay
 * ------------------------------------------------------------------------- */

static void shared(void **unused)
{
    (void)unused;
    for (int dim = 1; dim <= 3; dim++) {
        char recipe[1024], refine[256];
        balls(dim, 1, refine, sizeof refine);
        snprintf(recipe, sizeof recipe, "fluid.mhd: ct\nmesh.levels: 2\n%s%stime.levels: each\n",
                 boxes[dim], refine);
        struct fluid *f = start(MPI_COMM_WORLD, recipe, &bent);
        advance(f, dim == 3 ? 1 : 6, recipe);
        int64_t leaves = f->sim->state.hierarchy->nleaf_global;
        advance(f, 1, recipe);
        assert_int_equal(f->sim->state.hierarchy->nleaf_global, leaves);
        for (struct sl_sim *s = f->sim; s; s = s->finer)
            assert_int_equal(s->work->backend->ghosts(s, SL_GHOSTS_ALL), SL_OK);
        check_shared(f->sim);
        fluid_free(f);
    }
}

/* ---- refined everywhere
 * ----------------------------------------------------------------------- */

static uint64_t finest_hash(const struct sl_sim *sim, const int cells[3])
{
    const struct sl_sim *s = sim;
    uint64_t sum = 0;
    while (s->finer)
        s = s->finer;
    const struct sl_mesh *m = s->state.mesh;
    for (int b = 0; b < m->nleaf; b++)
        for (int v = 0; v < s->state.layout.nvar; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        uint64_t at = (uint64_t)(m->blocks[b].at[2] * m->n[2] + k), bits = 0;
                        at = at * (uint64_t)cells[1] + (uint64_t)(m->blocks[b].at[1] * m->n[1] + j);
                        at = at * (uint64_t)cells[0] + (uint64_t)(m->blocks[b].at[0] * m->n[0] + i);
                        memcpy(&bits,
                               &s->state.u[sl_mesh_at(m, s->state.layout.nvar, b, v, k + m->g[2],
                                                      j + m->g[1], i + m->g[0])],
                               sizeof(sl_real));
                        bits ^= (at * 32 + (uint64_t)v) * 0x9e3779b97f4a7c15u;
                        bits = (bits ^ bits >> 31) * 0xbf58476d1ce4e5b9u;
                        sum += bits ^ bits >> 29;
                    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, m->comm);
    return sum;
}

/* Steps whose length is the same to the bit whatever the time is made of. */
static void advance_evenly(struct fluid *f, int n)
{
    for (int i = 1; i <= n; i++)
        if (sl_sim_step(f->sim, i * 0x1p-9) != SL_OK) fail_msg("%s", sl_error_text());
    assert_int_equal(f->sim->state.step, n);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
}

static void everywhere(const char *coarse, const char *fine, const int cells[3])
{
    char recipe[1024];
    snprintf(recipe, sizeof recipe,
             "%sfluid.mhd: ct\nmesh.levels: 1\nmesh.refine: [{by: box, lo: [-9, -9%s], hi: [9, "
             "9%s]}]\ntime.levels: one\n",
             coarse, cells[2] > 1 ? ", -9" : "", cells[2] > 1 ? ", 9" : "");
    struct fluid *f = start(MPI_COMM_WORLD, recipe, &bent);
    assert_int_equal(f->sim->state.hierarchy->count[0], 0);
    advance_evenly(f, 5);
    uint64_t refined = finest_hash(f->sim, cells);
    fluid_free(f);
    snprintf(recipe, sizeof recipe, "%sfluid.mhd: ct\n", fine);
    f = start(MPI_COMM_WORLD, recipe, &bent);
    advance_evenly(f, 5);
    if (finest_hash(f->sim, cells) != refined) fail_msg("refined everywhere is not\n%s", recipe);
    fluid_free(f);
}

static void as_uniform(void **unused)
{
    (void)unused;
    everywhere("mesh.cells: [16, 16]\nmesh.block: [8]\n", "mesh.cells: [32, 32]\nmesh.block: [8]\n",
               (const int[3]){32, 32, 1});
    everywhere("mesh.cells: [8, 8, 8]\nmesh.block: [8]\n",
               "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n", (const int[3]){16, 16, 16});
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared), cmocka_unit_test(as_uniform),
                                       cmocka_unit_test(storms), cmocka_unit_test(long_storms)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
