/* same.c - the device gives the bits of the processor: every scheme, 1, 2 and 3 dimensions, blocks
 * of every size, boundaries, repairs, and runs that change the backend half way. Dual energy takes
 * powers, which the libraries of the two round differently: there the difference is bounded, in
 * units of the numbers' rounding.
 *
 * same CASE runs that case alone.
 *
 * ranks: 1 2 4
 * emulated at length: 1 2
 */
#include <unistd.h>

#include "core/io/checkpoint.h"
#include "core/io/history.h"
#include "core/run/restore.h"
#include "core/run/start.h"
#include "tests/gpu/same.h"
#include "tests/scratch.h"

/* Every scheme of a physics in 1, 2 and 3 dimensions, for tiles that the kernels know and
 * others. */
static void all_schemes(const char *mhd, const char *const solvers[4], const char *const methods[6])
{
    static const char *const cells[] = {"[64]\nmesh.block: [16]", "[24, 16]\nmesh.block: [8]",
                                        "[16, 16, 16]\nmesh.block: [16]",
                                        "[16, 8, 16]\nmesh.block: [8]"};
    static const char *const integrators[] = {"rk3", "rk2", "vl2"};
    for (int i = 0; i < 6 * 4 * 2 * 4 * 2; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: %s\nfluid.reconstruct: %s\nfluid.riemann: %s\n"
                 "fluid.eos: %s\nfluid.integrator: %s\nfluid.scalars: %d\nfluid.mhd: %s\n",
                 cells[i / 48 % 4], methods[i % 6], solvers[i / 6 % 4],
                 i / 24 % 2 ? "isothermal" : "ideal", integrators[(i + i / 6) % 3], i / 192 ? 2 : 0,
                 mhd);
        same(recipe, waves, 4);
    }
}

static const char *const plain_methods[] = {
    "constant", "plm", "plm\nfluid.limiter: vanleer", "plm\nfluid.limiter: mc", "ppm", "wenoz"};

static void schemes(void **unused)
{
    (void)unused;
    static const char *const gas[] = {"llf", "hlle", "hllc", "roe"};
    all_schemes("none", gas, plain_methods);
}

static void fields(void **unused)
{
    (void)unused;
    static const char *const plasma[] = {"llf", "hlle", "hlld", "roe"};
    all_schemes("glm", plasma, plain_methods);
}

static void staggered(void **unused)
{
    (void)unused;
    static const char *const plasma[] = {"llf", "hlle", "hlld", "roe"};
    all_schemes("ct", plasma, plain_methods);
}

/* What open kernels take: values at faces from waves, flattened cells, solvers that look along the
 * face. */
static void open_schemes(void **unused)
{
    (void)unused;
#define WAVES "\nfluid.characteristic: true"
#define FLAT  "\nfluid.shocks: flatten"
    static const char *const methods[] = {"plm" WAVES,
                                          "plm\nfluid.limiter: vanleer" WAVES,
                                          "plm\nfluid.limiter: mc" WAVES,
                                          "ppm" FLAT,
                                          "ppm" WAVES,
                                          "wenoz" WAVES FLAT};
    static const char *const gas[] = {"lhllc", "hllc", "lhllc", "roe"};
    static const char *const plasma[] = {"lhlld", "hlld", "lhlld", "roe"};
    static const char *const staggered[] = {"hlld", "lhlld", "hlle", "roe"};
    all_schemes("none", gas, methods);
    all_schemes("glm", plasma, methods);
    all_schemes("ct", staggered, methods);
    static const char *const low_mach[] = {"lhllc", "lhlld\nfluid.mhd: glm"};
    for (int i = 0; i < 6 * 2; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 24, 16]\nmesh.block: [8]\nfluid.reconstruct: %s\n"
                 "fluid.riemann: %s\nfluid.integrator: %s\nmesh.boundary: [%s]\n",
                 plain_methods[i / 2], low_mach[i % 2], i % 4 < 2 ? "vl2" : "rk2",
                 i % 3 ? "outflow, symmetric, periodic" : "periodic, fixed, outflow");
        same(recipe, waves, 10);
    }
}

/* ---- steps of other kinds -------------------------------------------------------------------- */

static void corners(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"constant", "plm",         "plm\nfluid.limiter: vanleer",
                                          "ppm" FLAT, "wenoz" WAVES, "plm" WAVES};
    static const char *const cells[] = {"[64]\nmesh.block: [16]", "[24, 16]\nmesh.block: [8]",
                                        "[36, 20]\nmesh.block: [18, 20]"};
    static const char *const solvers[2][4] = {{"hllc", "hlle", "lhllc", "roe"},
                                              {"hlld", "llf", "lhlld", "roe"}};
    for (int i = 0; i < 6 * 3 * 2 * 2; i++) {
        char recipe[512];
        int field = i / 18 % 2;
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: %s\nfluid.integrator: ctu\nfluid.reconstruct: %s\nfluid.riemann: %s\n"
                 "fluid.mhd: %s\nfluid.eos: %s\nfluid.scalars: %d\n",
                 cells[i / 6 % 3], methods[i % 6], solvers[field][(i + i / 6) % 4],
                 field ? "ct" : "none", i / 36 ? "isothermal" : "ideal", i % 2 ? 2 : 0);
        same(recipe, waves, 10);
    }
    static const char *const boundaries[] = {"[outflow, symmetric]", "[fixed, outflow]",
                                             "[symmetric, fixed]", "[periodic, outflow]"};
    static const char *const gas_or_field[] = {"", STAGGERED, "fluid.riemann: lhllc\n",
                                               "fluid.mhd: ct\nfluid.riemann: lhlld\n"};
    for (int i = 0; i < 4 * 4; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [32, 16]\nmesh.block: [8]\nmesh.boundary: %s\n%s"
                 "fluid.integrator: ctu\n",
                 boundaries[i / 4], gas_or_field[i % 4]);
        same(recipe, waves, 20);
    }
}

static void sweeps(void **unused)
{
    (void)unused;
    static const char *const cells[] = {
        "[64]\nmesh.block: [16]",
        "[300]\nmesh.block: [150]\nmesh.boundary: fixed",
        "[24, 16]\nmesh.block: [8]",
        "[40, 36]\nmesh.boundary: [reflecting, outflow]",
        "[16, 16, 16]\nmesh.block: [16, 8, 4]",
        "[20, 32, 36]\nmesh.boundary: [outflow, reflecting, periodic]"};
    for (int i = 0; i < 6 * 2 * 2; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: %s\nfluid.integrator: tvd\nfluid.eos: %s\nfluid.scalars: %d\n",
                 cells[i % 6], i / 6 % 2 ? "isothermal" : "ideal", i / 12 ? 8 : 0);
        same(recipe, waves, 10);
    }
}

/* Largest divergence of the field times the length of a cell. */
static double divergence(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    const ptrdiff_t step[3] = {1, m->nt[0], (ptrdiff_t)m->nt[0] * m->nt[1]};
    double most = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int i = 0; i < m->n[0] * m->n[1] * m->n[2]; i++) {
            const sl_real *u =
                sim->state.u + sl_mesh_at(m, sim->state.layout.nvar, b, sim->state.layout.face,
                                          i / (m->n[0] * m->n[1]) + m->g[2],
                                          i / m->n[0] % m->n[1] + m->g[1], i % m->n[0] + m->g[0]);
            double sum = 0;
            for (int d = 0; d < m->dim; d++)
                sum += (double)(u[d * (ptrdiff_t)m->block_cells + step[d]] -
                                u[d * (ptrdiff_t)m->block_cells]) /
                       m->blocks[b].dx[d] * m->blocks[b].dx[0];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void solenoidal(void **unused)
{
    (void)unused;
    struct fluid *f;
    const char *recipe = "resources.backend: cuda\nmesh.cells: [32, 32, 32]\nmesh.block: [16]\n"
                         "mesh.boundary: [periodic, outflow, symmetric]\n" STAGGERED;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, waves, &f), SL_OK);
    double before = divergence(f->sim);
    steps(f->sim, 50, recipe);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    double after = divergence(f->sim);
    print_message("largest divergence times a cell: %g, after 50 steps %g\n", before, after);
    assert_true(after < before + 100 * law_rounding());
    fluid_free(f);
}

static void blocks(void **unused)
{
    (void)unused;
    static const char *const cubes[] = {"[32]", "[16]", "[8]", "[32, 16, 4]", "[4, 8, 32]"};
    for (int i = 0; i < 5; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe, "mesh.cells: [32, 32, 32]\nmesh.block: %s\n", cubes[i]);
        same(recipe, waves, 20);
    }
    same("mesh.cells: [40, 36, 20]\nmesh.block: [20, 36, 20]\n", waves, 10);
    same("mesh.cells: [300]\nmesh.block: [150]\nfluid.reconstruct: ppm\n", waves, 10);
    same("mesh.cells: [48, 24, 24]\nmesh.block: [24]\nfluid.reconstruct: ppm\n", waves, 4);
    same("mesh.cells: [36, 24, 40]\nmesh.block: [18, 12, 20]\n" PLASMA, waves, 10);
    same("mesh.cells: [64, 32, 32]\nmesh.block: [32]\n" PLASMA "fluid.reconstruct: wenoz\n", waves,
         10);
}

static void blocks_staggered(void **unused)
{
    (void)unused;
    static const char *const cubes[] = {"[32]", "[16]", "[8]", "[32, 16, 4]", "[4, 8, 32]"};
    for (int i = 0; i < 5; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe, "mesh.cells: [32, 32, 32]\nmesh.block: %s\n" STAGGERED,
                 cubes[i]);
        same(recipe, waves, 20);
    }
    same("mesh.cells: [36, 24, 40]\nmesh.block: [18, 12, 20]\n" STAGGERED "fluid.scalars: 1\n",
         waves, 10);
    same("mesh.cells: [64, 32, 32]\nmesh.block: [32]\n" STAGGERED "fluid.reconstruct: wenoz\n",
         waves, 10);
    same("mesh.cells: [70, 36]\nmesh.block: [35, 12]\n" STAGGERED, waves, 20);
    same("mesh.cells: [300]\nmesh.block: [150]\n" STAGGERED "fluid.reconstruct: ppm\n", waves, 10);
    same("mesh.cells: [32, 32, 32]\nmesh.block: [32]\n" STAGGERED
         "fluid.eos: isothermal\nfluid.integrator: vl2\n",
         waves, 100);
}

/* No field across walls along x. */
static void screened(const void *data, const double lo[3], const double hi[3], double t,
                     double *prim)
{
    waves(data, lo, hi, t, prim);
    prim[SL_PRIM_B] = 0;
}

static void boundaries(void **unused)
{
    (void)unused;
    same("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" PLASMA
         "mesh.boundary: [conducting, symmetric, outflow]\n",
         screened, 10);
    same("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" STAGGERED
         "mesh.boundary: [conducting, symmetric, symmetric]\n",
         screened, 10);
    same("mesh.cells: [32, 16]\nmesh.block: [8]\nfluid.integrator: ctu\n" STAGGERED
         "mesh.boundary: [conducting, symmetric]\n",
         screened, 10);
    same("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"
         "mesh.boundary: [outflow, reflecting, periodic]\nfluid.reconstruct: wenoz\n",
         waves, 20);
    same("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" PLASMA
         "mesh.boundary: [outflow, symmetric, fixed]\n",
         waves, 20);
    same("mesh.cells: [32, 32]\nmesh.block: [16]\nmesh.boundary: [fixed, outflow]\n", waves, 20);
    same("mesh.cells: [16, 16, 16]\nmesh.block: [16]\nmesh.boundary: fixed\n", waves, 10);
    /* interior tiles, too */
    same("mesh.cells: [64, 64]\nmesh.block: [16]\nmesh.boundary: fixed\n", waves, 20);
    static const char *const staggered[] = {
        "[16, 16, 16]\nmesh.boundary: [outflow, symmetric, fixed]",
        "[16, 16, 16]\nmesh.boundary: [fixed, outflow, symmetric]",
        "[16, 16, 16]\nmesh.boundary: [symmetric, periodic, outflow]",
        "[32, 16]\nmesh.boundary: [outflow, symmetric]",
        "[32, 16]\nmesh.boundary: [fixed, outflow]",
        "[32]\nmesh.boundary: outflow"};
    for (int i = 0; i < 6; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe, "mesh.cells: %s\nmesh.block: [8]\n" STAGGERED,
                 staggered[i]);
        same(recipe, waves, 20);
    }
}

static void repairs(void **unused)
{
    (void)unused;
    static const char *const methods[] = {
        "plm\nfluid.theta: 2\n",
        "ppm\nfluid.integrator: rk3\n",
        "wenoz\nfluid.scalars: 1\n",
        "plm\nfluid.theta: 2\nfluid.mhd: glm\nfluid.riemann: hlld\n",
        "ppm\nfluid.mhd: glm\nfluid.riemann: roe\n",
        "wenoz\nfluid.integrator: vl2\n",
        "plm\nfluid.theta: 2\nfluid.mhd: ct\nfluid.riemann: hlld\n",
        "ppm\nfluid.mhd: ct\nfluid.riemann: roe\nfluid.scalars: 1\n",
        "wenoz\nfluid.mhd: ct\nfluid.riemann: hlld\nfluid.integrator: vl2\n"};
    static const char *const open[] = {
        "plm" WAVES "\nfluid.riemann: lhllc\nfluid.scalars: 1\n",
        "ppm" FLAT WAVES "\nfluid.mhd: glm\nfluid.riemann: lhlld\n",
        "wenoz" FLAT "\nfluid.scalars: 1\n",
        "constant\nfluid.integrator: tvd\nfluid.scalars: 1\n",
        "constant\nfluid.integrator: tvd\nfluid.eos: ideal\nfluid.cfl: 0.8\n",
        "constant\nfluid.integrator: tvd\nfluid.dual_energy: true\nfluid.cfl: 0.8\n"};
    static const char *const planes[] = {"wenoz\n",
                                         "ppm" FLAT "\nfluid.scalars: 1\n",
                                         "wenoz\nfluid.riemann: lhllc\n",
                                         "ppm\n" STAGGERED,
                                         "wenoz" WAVES "\n" STAGGERED,
                                         "wenoz\nfluid.mhd: ct\nfluid.riemann: lhlld\n"};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.reconstruct: %s", open[i]);
        assert_true(same(recipe, law_violent, 12).repaired > 0);
    }
    for (int i = 0; i < 6; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 16]\nmesh.block: [8]\nfluid.integrator: ctu\n"
                 "fluid.reconstruct: %s",
                 planes[i]);
        assert_true(same(recipe, i < 3 ? law_violent : law_violent_staggered, 12).repaired > 0);
    }
    for (int i = 0; i < 9; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.reconstruct: %s", methods[i]);
        assert_true(same(recipe, i < 6 ? law_violent : law_violent_staggered, 12).repaired > 0);
    }
    assert_true(same("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.max_floored: 1\n"
                     "fluid.positivity: false\nfluid.cfl: 1\nfluid.theta: 2\n",
                     law_violent, 6)
                    .floored > 0);
}

/* Energies that numbers can tell, and fluxes of them that they cannot. */
static void too_fast(const void *data, const double lo[3], const double hi[3], double t,
                     double *prim)
{
    const double fast = sizeof(sl_real) == sizeof(float) ? 1e16 : 1e150;
    law_violent(data, lo, hi, t, prim);
    for (int d = 1; d <= 3; d++)
        prim[d] *= fast;
    prim[4] = 100 * fast * fast;
}

static void range(void **unused)
{
    (void)unused;
    static const char *const backends[] = {"cpu", "cuda"};
    for (int i = 0; i < 2; i++) {
        char recipe[256], want[64];
        struct fluid *f;
        snprintf(recipe, sizeof recipe, "resources.backend: %s\nmesh.cells: [16, 16, 16]\n",
                 backends[i]);
        assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, too_fast, &f), SL_OK);
        assert_int_equal(sl_sim_step(f->sim, 1e9), SL_EDIVERGED);
        snprintf(want, sizeof want, "leave the range of %d-bit numbers", (int)sizeof(sl_real) * 8);
        assert_non_null(strstr(sl_error_text(), want));
        fluid_free(f);
    }
}

/* A table of a potential, which the device has a copy of. */
static void tables(void **unused)
{
    (void)unused;
    char dir[256], recipe[512];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "table");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(recipe, sizeof recipe, "%s/table", dir);
    FILE *out = rank == 0 ? fopen(recipe, "w") : NULL;
    for (int i = 0; i < 20 && out; i++)
        fprintf(out, "%g %g\n", 0.02 * i, -1 / (0.02 * i + 0.1));
    if (out) fclose(out);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(recipe, sizeof recipe,
             "mesh.block: [8]\nmesh.cells: [32, 16]\npotential: {kind: table, strength: 2, table: "
             "%s/table}\n",
             dir);
    same(recipe, waves, 20);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
}

/* Constant acceleration, and a random force: its sums are whole numbers. */
static void forces(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "[16, 16, 16]\ngravity.acceleration: [0, 0.3, -0.7]\nmesh.boundary: reflecting\n",
        "[32, 16]\ngravity.acceleration: [0.2, -0.5]\nfluid.integrator: rk3\n",
        "[16, 16, 16]\ngravity.acceleration: [0, 0.3, -0.7]\nfluid.integrator: vl2\n",
        "[64]\ngravity.acceleration: [-0.4]\nfluid.integrator: vl2\nfluid.eos: isothermal\n",
        "[16, 16, 16]\ngravity.acceleration: [0.5, 0, 1]\nfluid.integrator: vl2\n" PLASMA,
        "[32, 16]\ngravity.acceleration: [0.5, 0.1]\nfluid.integrator: vl2\n" STAGGERED,
        "[64]\ngravity.acceleration: [-0.4]\nfluid.integrator: ctu\nmesh.boundary: reflecting\n",
        "[32, 16]\ngravity.acceleration: [0.2, -0.5]\nfluid.integrator: ctu\nfluid.scalars: 1\n"
        "mesh.boundary: [reflecting, fixed]\n",
        "[32, 16]\ngravity.acceleration: [0, -0.5]\nfluid.integrator: ctu\n"
        "mesh.boundary: [periodic, symmetric]\n" STAGGERED,
        "[64]\ngravity.acceleration: [-0.4]\nfluid.integrator: tvd\nfluid.eos: isothermal\n",
        "[32, 16]\ngravity.acceleration: [0.2, -0.5]\nfluid.integrator: tvd\nfluid.scalars: 1\n"
        "mesh.boundary: [outflow, reflecting]\n",
        "[16, 16, 16]\ngravity.acceleration: [0.3, 0, -0.7]\nfluid.integrator: tvd\n"
        "mesh.boundary: reflecting\n",
        "[16, 16, 16]\ngravity.acceleration: [0.5, 0, 1]\nfluid.reconstruct: ppm\n" PLASMA,
        "[16, 16, 16]\ngravity.acceleration: [0.5, 0.1, 1]\n" STAGGERED,
        "[16, 16, 16]\npotential: {kind: point, strength: 2, softening: 0.1}\n" PLASMA,
        "[32, 16]\npotential: {kind: plane, strength: 2, softening: 0.1, axis: y}\n"
        "mesh.boundary: [periodic, reflecting]\nfluid.integrator: ctu\n",
        "[64]\npotential: {kind: harmonic, strength: 4}\nfluid.eos: isothermal\n",
        "[32, 16]\npotential: {kind: nfw, strength: 2, softening: 0.3}\n",
        "[16, 16]\npotential: {kind: logarithmic, strength: 2, softening: 0.1}\n",
        "[32, 32, 32]\ndriving: {acceleration: 2, kmin: 1, kmax: 3, correlation: 0.1}\n"
        "fluid.eos: isothermal\n" STAGGERED,
        "[32, 16, 8]\ndriving: {power: 2, kmin: 1, kmax: 3, correlation: 0.1}\n" PLASMA,
        "[48, 24]\ndriving: {power: 2, kmin: 1, kmax: 4, correlation: 0.2}\nfluid.integrator: "
        "vl2\n",
        "[64]\ndriving: {acceleration: 2, kmin: 1, kmax: 4, solenoidal: 0, correlation: 0.2}\n"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe, "mesh.block: [8]\nmesh.cells: %s", recipes[i]);
        same(recipe, waves, 20);
    }
    static const char *const cube = "[16, 16, 16]\ngravity.acceleration: [3, 2, 1]",
                             *const square = "[16, 16]\ngravity.acceleration: [3, 2]";
    static const char *const violent[] = {
        "rk2\nfluid.reconstruct: wenoz", "vl2\nfluid.reconstruct: wenoz",
        "tvd\nfluid.cfl: 0.8\nmesh.boundary: reflecting", "ctu\nfluid.reconstruct: wenoz"};
    for (int i = 0; i < 4; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe, "mesh.block: [8]\nmesh.cells: %s\nfluid.integrator: %s\n",
                 i < 3 ? cube : square, violent[i]);
        assert_true(same(recipe, law_violent, 12).repaired > 0);
    }
}

/* ---- problems, as a recipe states them ------------------------------------------------------- */

static int sim_of(const char *backend, const char *recipe, struct sl_config *cfg,
                  struct sl_sim **out)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "campaign: test\ntime.end: 1\nresources.backend: %s\n%s",
                     backend, recipe);
    SL_TRY(sl_config_parse("test", text, (size_t)n, NULL, 0, cfg));
    return sl_sim_new(MPI_COMM_WORLD, cfg, out);
}

static uint64_t problem(const char *backend, const char *recipe)
{
    static struct sl_config cfg;
    struct sl_sim *sim;
    uint64_t hash;
    assert_int_equal(sim_of(backend, recipe, &cfg, &sim), SL_OK);
    assert_int_equal(sl_sim_start(sim), SL_OK);
    steps(sim, 100, recipe);
    assert_int_equal(sl_sim_hash(sim, &hash), SL_OK);
    sl_sim_free(sim);
    return hash;
}

#define TURBULENCE                                                                                 \
    "problem: driven_turbulence\nmesh.cells: [32, 32, 32]\nmesh.block: [16]\n"                     \
    "driving: {acceleration: 20, kmin: 1, kmax: 3, correlation: 0.1}\nfluid.eos: isothermal\n"

static void problems(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "problem: sod\nmesh.cells: [128]\nmesh.block: [32]\nmesh.boundary: outflow\n",
        "problem: sod\nmesh.cells: [64, 32]\nmesh.block: [8]\nmesh.boundary: outflow\n",
        "problem: sedov\nmesh.cells: [64, 64]\nmesh.block: [16]\nmesh.boundary: outflow\n",
        "problem: sedov\nmesh.cells: [32, 32, 32]\nmesh.block: [16]\nmesh.boundary: outflow\n",
        "problem: brio_wu\nmesh.cells: [128]\nfluid.riemann: hlld\nfluid.mhd: glm\n",
        "problem: orszag_tang\nmesh.cells: [64, 64]\nfluid.riemann: hlld\nfluid.mhd: glm\n",
        "problem: brio_wu\nmesh.cells: [128]\nmesh.block: [32]\n" STAGGERED,
        "problem: orszag_tang\nmesh.cells: [64, 64]\nmesh.block: [16]\n" STAGGERED,
        "problem: orszag_tang\nmesh.cells: [64, 64]\nfluid.integrator: vl2\n" STAGGERED,
        "problem: field_loop\nmesh.cells: [64, 32]\nmesh.block: [32]\n"
        "mesh.box: [[-1, 1], [-0.5, 0.5]]\n" STAGGERED,
        "problem: mhd_blast\nmesh.cells: [32, 32, 32]\nmesh.block: [16]\n" STAGGERED,
        "problem: mhd_blast\nmesh.cells: [32, 32, 32]\nmesh.block: [16]\n" PLASMA,
        TURBULENCE STAGGERED,
        TURBULENCE "driven_turbulence.magnetic: 0.5\n" PLASMA,
        TURBULENCE "fluid.reconstruct: wenoz\nfluid.integrator: rk3\n",
        "problem: orszag_tang\nmesh.cells: [64, 64]\nmesh.block: [16]\nfluid.integrator: "
        "ctu\n" STAGGERED,
        "problem: brio_wu\nmesh.cells: [128]\nfluid.integrator: ctu\n" STAGGERED,
        "problem: sedov\nmesh.cells: [64, 64]\nmesh.block: [16]\nmesh.boundary: outflow\n"
        "fluid.integrator: ctu\n",
        "problem: sedov\nmesh.cells: [32, 32, 32]\nmesh.block: [16]\nmesh.boundary: outflow\n"
        "fluid.integrator: tvd\n",
        "problem: sedov\nmesh.cells: [32, 32, 32]\nmesh.boundary: outflow\nfluid.riemann: lhllc\n"
        "fluid.reconstruct: ppm" FLAT "\n"};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        if (problem("cpu", recipes[i]) != problem("cuda", recipes[i]))
            fail_msg("other bits after 100 steps:\n%s", recipes[i]);
}

static uint64_t relay(const char *recipe, const char *first, const char *second, const char *dir)
{
    static struct sl_config cfg[2];
    struct sl_sim *sim;
    int64_t seq;
    uint64_t hash;
    assert_int_equal(sim_of(first, recipe, &cfg[0], &sim), SL_OK);
    assert_int_equal(sl_sim_start(sim), SL_OK);
    steps(sim, 10, first);
    assert_int_equal(sl_sim_pull(sim), SL_OK);
    assert_int_equal(sl_checkpoint_write(&sim->state, dir, 2, &seq), SL_OK);
    sl_sim_free(sim);
    assert_int_equal(sim_of(second, recipe, &cfg[1], &sim), SL_OK);
    assert_int_equal(sl_sim_restore(sim, dir, &seq), SL_OK);
    assert_true(seq >= 0);
    assert_int_equal(sim->state.step, 10);
    steps(sim, 10, second);
    assert_int_equal(sl_sim_hash(sim, &hash), SL_OK);
    sl_sim_free(sim);
    return hash;
}

static void relay_all(const char *recipe, const char *name)
{
    static const char *const pair[4][2] = {
        {"cpu", "cpu"}, {"cpu", "cuda"}, {"cuda", "cpu"}, {"cuda", "cuda"}};
    uint64_t hash[4];
    for (int i = 0; i < 4; i++) {
        char dir[128];
        int pid = (int)getpid();
        MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
        snprintf(dir, sizeof dir, "/tmp/sluice-relay-%d-%s-%d", pid, name, i);
        hash[i] = relay(recipe, pair[i][0], pair[i][1], dir);
        assert_true(hash[i] == hash[0]);
    }
}

static void relays(void **unused)
{
    (void)unused;
    relay_all("problem: sedov\nmesh.cells: [32, 32, 32]\nmesh.block: [8]\nmesh.boundary: outflow\n",
              "gas");
    relay_all("problem: orszag_tang\nmesh.cells: [32, 32]\nmesh.block: [8]\n" PLASMA, "mhd");
    relay_all("problem: orszag_tang\nmesh.cells: [32, 32]\nmesh.block: [8]\n" STAGGERED, "ct");
    relay_all("problem: mhd_blast\nmesh.cells: [16, 16, 16]\nmesh.block: [8]\n"
              "mesh.boundary: outflow\n" STAGGERED,
              "blast");
}

/* ---- the history ----------------------------------------------------------------------------- */

/* Sums and extremes, for blocks longer than a block of threads, too. */
static void histories(void **unused)
{
    (void)unused;
    static const char *const cells[] = {
        "[300]\nmesh.block: [150]\nmesh.boundary: outflow", "[24, 16]\nmesh.block: [8]",
        "[16, 16, 16]\nmesh.block: [8]", "[132, 4, 6]\nmesh.block: [66, 4, 6]"};
    static const char *const fluids[] = {"", "fluid.eos: isothermal\n", PLASMA, STAGGERED,
                                         STAGGERED "fluid.eos: isothermal\nfluid.scalars: 1\n"};
    for (int i = 0; i < 4 * 5; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe, "mesh.cells: %s\n%s", cells[i % 4], fluids[i / 4]);
        same_totals(recipe, waves, 5);
    }
}

/* ---- dual energy ----------------------------------------------------------------------------- */

static void dual(void **unused)
{
    (void)unused;
    static const char *const more[] = {
        "[16, 16, 16]\n",
        "[16, 16, 16]\nfluid.dual_eta: 0.2\n",
        "[16, 16, 16]\n" PLASMA,
        "[16, 16, 16]\n" STAGGERED,
        "[16, 16, 16]\nfluid.integrator: tvd\n",
        "[16, 16, 16]\nfluid.integrator: vl2\nfluid.reconstruct: ppm\n",
        "[16, 16, 16]\nfluid.integrator: vl2\n",
        "[16, 16, 16]\nfluid.integrator: vl2\n" STAGGERED,
        "[16, 16]\nfluid.integrator: ctu\n"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe,
                 "mesh.block: [8]\nfluid.dual_energy: true\nfluid.scalars: 1\nmesh.cells: %s",
                 more[i]);
        same(recipe, waves, 10);
    }
}

/* A sphere in gas 1e6 times as thin and as warm, about (0.4, 0.45, 0.5). */
static void sphere(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double r2 = 0;
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.4 - 0.05 * d, 2);
    prim[0] = r2 < 0.1 ? 1 + sqrt(r2) : 1e-6;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = 0.03 * prim[0];
    prim[SL_PRIM_SCALAR] = r2 < 0.05;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0;
}

/* Faces that are too hot. */
static void dual_void(void **unused)
{
    (void)unused;
    static const char *const more[] = {"[16, 16, 16]\nfluid.limiter: mc\n",
                                       "[16, 16, 16]\nfluid.theta: 2\n",
                                       "[16, 16, 16]\nfluid.limiter: mc\nfluid.integrator: vl2\n",
                                       "[16, 16, 16]\nfluid.limiter: mc\nfluid.riemann: lhllc\n",
                                       "[16, 16, 16]\nfluid.limiter: mc\n" PLASMA,
                                       "[16, 16, 16]\nfluid.limiter: mc\n" STAGGERED,
                                       "[16, 16]\nfluid.limiter: mc\nfluid.integrator: ctu\n"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe,
                 "mesh.block: [8]\nfluid.dual_energy: true\nfluid.scalars: 1\nmesh.cells: %s",
                 more[i]);
        same(recipe, sphere, 6);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes),    cmocka_unit_test(fields),
        cmocka_unit_test(staggered),  cmocka_unit_test(solenoidal),
        cmocka_unit_test(blocks),     cmocka_unit_test(blocks_staggered),
        cmocka_unit_test(boundaries), cmocka_unit_test(repairs),
        cmocka_unit_test(problems),   cmocka_unit_test(relays),
        cmocka_unit_test(dual),       cmocka_unit_test(forces),
        cmocka_unit_test(tables),     cmocka_unit_test(open_schemes),
        cmocka_unit_test(corners),    cmocka_unit_test(sweeps),
        cmocka_unit_test(range),      cmocka_unit_test(histories),
        cmocka_unit_test(dual_void),
    };
    MPI_Init(&argc, &argv);
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
