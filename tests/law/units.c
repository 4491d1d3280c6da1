/* units.c - every scheme gives the same bits in any units: length, time and density are multiplied
 * by powers of two, by which nothing that has no unit may change, on one level and on several.
 *
 * ranks: 1
 * optimised: 1
 */
#include "core/lists/integrator_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/mesh/hierarchy.h"
#include "tests/law.h"

/* Exponents of two of the units. */
struct units {
    int length, time, density;
};

static const struct units plain = {0, 0, 0};

static double speed_of(const struct units *u)
{
    return ldexp(1, u->length - u->time);
}

/* Streams that meet, a ball, and gas at rest and without change beside them. */
static void meeting(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    const struct units *u = data;
    double x[3], size = ldexp(1, u->length), speed = speed_of(u), rho = ldexp(1, u->density);
    (void)t;
    for (int d = 0; d < 3; d++)
        x[d] = 0.5 * (lo[d] + hi[d]) / size;
    double ball = exp(-(pow(x[0] - 0.3, 2) + pow(x[1] - 0.4, 2)) / 0.01);
    prim[0] = (1 + 2 * ball) * rho;
    prim[1] = (x[0] < 0.5 ? 2 : -1) * speed * (x[1] > 0.25);
    prim[2] = 0.5 * sin(6 * x[0]) * speed * (x[1] > 0.25);
    prim[4] = (0.5 + ball) * rho * speed * speed;
    prim[SL_PRIM_SCALAR] = ball;
    prim[SL_PRIM_B] = 0.5 * speed * sqrt(rho);
    prim[SL_PRIM_B + 1] = 0.25 * speed * sqrt(rho);
}

#define LEVELS "mesh.levels: 2\nmesh.regrid: 2\nmesh.refine: "
static const char *const schemes[] = {
#define SCHEME_METHOD(name, ghost, ...)     "fluid.reconstruct: " #name "\n",
#define SCHEME_LIMITER(name, about)         "fluid.limiter: " #name "\nfluid.dual_energy: true\n",
#define SCHEME_INTEGRATOR(name, order, ...) "fluid.integrator: " #name "\n",
    SL_RECONSTRUCT_LIST(SCHEME_METHOD) SL_LIMITER_LIST(SCHEME_LIMITER)
        SL_INTEGRATOR_LIST(SCHEME_INTEGRATOR) "fluid.reconstruct: ppm\nfluid.shocks: flatten\n",
    "fluid.reconstruct: wenoz\nfluid.shocks: flatten\nfluid.integrator: rk3\n",
    "fluid.reconstruct: ppm\nfluid.characteristic: true\n",
    "fluid.riemann: roe\n",
    "fluid.riemann: lhllc\n",
    "fluid.riemann: llf\n",
    "fluid.riemann: hlle\n",
    "fluid.mhd: glm\nfluid.riemann: hlld\nfluid.reconstruct: wenoz\n",
    "fluid.mhd: ct\nfluid.riemann: lhlld\nfluid.reconstruct: ppm\n",
    "fluid.mhd: ct\nfluid.riemann: roe\nfluid.integrator: ctu\n",
    LEVELS "[{by: gradient, of: density, above: 0.1}]\n",
    LEVELS "[{by: loehner, of: pressure}]\nfluid.reconstruct: wenoz\n",
    LEVELS "[{by: vorticity, above: 0.1}]\nfluid.dual_energy: true\n",
    LEVELS "[{by: shear, above: 0.1}]\nfluid.reconstruct: ppm\n",
    LEVELS "[{by: compression, above: 0.1}]\nfluid.mhd: glm\nfluid.riemann: hlld\n",
    LEVELS "[{by: current, above: 0.01}, {by: gradient, of: entropy, above: 0.1}]\n"
           "fluid.mhd: ct\nfluid.riemann: hlld\n",
};

/* Of a variable: what it is multiplied by. */
static double unit_of(const struct sl_state *s, const struct units *u, int v)
{
    const struct sl_layout *l = &s->layout;
    double rho = ldexp(1, u->density), speed = speed_of(u);
    int field = l->magnetic >= 0 && v >= l->magnetic && v < l->magnetic + 3;
    if (field || (l->face >= 0 && v >= l->face)) return sqrt(rho) * speed;
    if (l->magnetic >= 0 && l->face < 0 && v == l->magnetic + 3) return sqrt(rho) * speed * speed;
    if (v >= SL_MX && v <= SL_MZ) return rho * speed;
    if (v == l->energy) return rho * speed * speed;
    if (v == l->entropy) return rho * speed * speed * pow(rho, 1 - (double)s->gas.gamma);
    return rho;
}

static struct fluid *run(const struct units *u, const char *scheme)
{
    char recipe[2048];
    struct units own = *u;
    struct fluid *f;
    double size = ldexp(1, u->length);
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [32, 16]\nmesh.block: [8]\nmesh.box: [[0, %.17g], [0, %.17g]]\n"
             "mesh.boundary: outflow\nfluid.scalars: 1\nfluid.gamma: 2\n"
             "fluid.density_floor: 0\nfluid.pressure_floor: 0\n%s",
             size, size / 2, scheme);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, meeting, &own, &f), SL_OK);
    for (int i = 0; i < 8; i++)
        if (sl_sim_step(f->sim, ldexp(100, u->time)) != SL_OK)
            fail_msg("%s\n%s", sl_error_text(), recipe);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    return f;
}

static void compare(const struct sl_state *a, const struct sl_state *b, const struct units *u,
                    const char *scheme)
{
    const struct sl_mesh *m = a->mesh;
    int nvar = a->layout.nvar;
    if (m->nleaf != b->mesh->nleaf) fail_msg("another mesh:\n%s", scheme);
    for (int block = 0; block < m->nleaf; block++)
        for (int v = 0; v < nvar; v++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++) {
                    size_t at = sl_mesh_at(m, nvar, block, v, 0, j + m->g[1], i + m->g[0]);
                    double want = (double)a->u[at] * unit_of(a, u, v), got = (double)b->u[at];
                    if (fabs(got - want) > 0x1p-400 * unit_of(a, u, v)) /* squares underflow */
                        fail_msg("length 2^%d, time 2^%d, density 2^%d, level %d: variable %d of "
                                 "cell (%d, %d) of block %d is %.17g, not %.17g:\n%s",
                                 u->length, u->time, u->density, m->level, v, i, j, block, got,
                                 want, scheme);
                }
}

/* Powers of density that are no whole numbers are rounded. */
static void same(void **unused)
{
    static const struct units all[] = {{0, 0, -80}, {0, 0, 80}, {80, 0, 0}, {-20, 20, 0}};
    (void)unused;
    for (int i = 0; i < (int)(sizeof schemes / sizeof *schemes); i++) {
        struct fluid *want = run(&plain, schemes[i]);
        for (int k = 0; k < 4; k++) {
            int powers = strstr(schemes[i], "dual") || strstr(schemes[i], "entropy");
            if (powers && all[k].density != 0) continue;
            if (!powers && k > 1 && i % 2 != k % 2) continue; /* half of them */
            struct fluid *got = run(&all[k], schemes[i]);
            const struct sl_state *a = &want->sim->state, *b = &got->sim->state;
            for (; a && b; a = a->finer, b = b->finer)
                compare(a, b, &all[k], schemes[i]);
            if (a || b) fail_msg("other levels:\n%s", schemes[i]);
            fluid_free(got);
        }
        fluid_free(want);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
