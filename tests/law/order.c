/* order.c - smooth flows against their exact solutions, for every integrator and reconstruction: an
 * entropy wave that comes in through one face of the box and leaves through another, so that each
 * stage must ask for the boundary of its own time, sound, and Alfven waves of finite amplitude with
 * both ways to keep div B small. The limits are the errors at two resolutions, times 1.3; their
 * ratio shows the order. A field with a divergence decays as the cleaning says.
 *
 * ranks: 1
 */
#include "tests/law.h"

static double twopi(void)
{
    return 2 * acos(-1);
}

/* Mean of sin(2 pi (x - t)) over a cell. */
static double mean_sine(double lo, double hi, double t)
{
    return (cos(twopi() * (lo - t)) - cos(twopi() * (hi - t))) / (twopi() * (hi - lo));
}

static double mean_cosine(double lo, double hi, double t)
{
    return (sin(twopi() * (hi - t)) - sin(twopi() * (lo - t))) / (twopi() * (hi - lo));
}

/* Density moves with the gas at constant pressure. */
static void entropy_wave(const void *data, const double lo[3], const double hi[3], double t,
                         double *prim)
{
    (void)data;
    prim[0] = 1 + 0.3 * mean_sine(lo[0], hi[0], t);
    prim[1] = 1;
    prim[4] = 0.6;
}

/* Sound to the right at speed 1, of an amplitude whose square is far below the errors. */
static void sound_wave(const void *data, const double lo[3], const double hi[3], double t,
                       double *prim)
{
    (void)data;
    double wave = 1e-5 * mean_sine(lo[0], hi[0], t);
    prim[0] = 1 + wave;
    prim[1] = wave;
    prim[4] = 0.6 + wave;
}

/* Travels at speed 1 in gas at rest: an exact solution whatever its amplitude (Goldstein 1978). */
static void alfven_wave(const void *data, const double lo[3], const double hi[3], double t,
                        double *prim)
{
    (void)data;
    double y = 0.5 * mean_sine(lo[0], hi[0], t), z = 0.5 * mean_cosine(lo[0], hi[0], t);
    prim[0] = 1;
    prim[1] = 0;
    prim[2] = -y;
    prim[3] = -z;
    prim[4] = 0.1;
    prim[SL_PRIM_B] = 1;
    prim[SL_PRIM_B + 1] = y;
    prim[SL_PRIM_B + 2] = z;
}

/* L1 of the difference of a variable from the exact averages at t = 1. */
static double error_of(fluid_state *exact, const char *recipe, int n, int variable, int prim)
{
    struct fluid *f;
    double sum = 0, lo[3], hi[3];
    char text[1024];
    snprintf(text, sizeof text, "mesh.cells: [%d]\n%s", n, recipe);
    assert_int_equal(fluid_new(MPI_COMM_SELF, text, exact, &f), SL_OK);
    while (f->sim->state.time < 1)
        if (sl_sim_step(f->sim, 1) != SL_OK) fail_msg("%s\n%s", sl_error_text(), text);
    const struct sl_mesh *m = f->sim->state.mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int i = 0; i < m->n[0]; i++) {
            double w[SL_PRIM_B + 3 + SL_MAX_VAR] = {0};
            size_t at = sl_mesh_at(m, f->sim->state.layout.nvar, b, variable, m->g[2], m->g[1],
                                   m->g[0] + i);
            sl_mesh_cell(m, b, m->g[2], m->g[1], m->g[0] + i, lo, hi);
            exact(NULL, lo, hi, 1, w);
            sum += fabs((double)f->sim->state.u[at] - w[prim]) / n;
        }
    fluid_free(f);
    return sum;
}

struct row {
    const char *scheme;
    double at32, at64; /* errors with so many cells: our own, measured */
};

static void hold(fluid_state *exact, const char *recipe, const struct row *row, int variable,
                 int prim)
{
    char text[768];
    snprintf(text, sizeof text, "%s%s\n", recipe, row->scheme);
    double coarse = error_of(exact, text, 32, variable, prim),
           fine = error_of(exact, text, 64, variable, prim);
    if (!(coarse < 1.3 * row->at32 && fine < 1.3 * row->at64))
        fail_msg("%s: %g with 32 cells, %g with 64; %g and %g are usual", row->scheme, coarse, fine,
                 row->at32, row->at64);
}

#define ENTROPY "mesh.block: [8]\nmesh.boundary: fixed\nfluid.gamma: 1.6666666666666667\n"
static const struct row entropy_rows[] = {
    {"fluid: {integrator: rk2, reconstruct: plm}", 0.00533, 0.00135},
    {"fluid: {integrator: rk2, reconstruct: plm, limiter: vanleer}", 0.00571, 0.00149},
    {"fluid: {integrator: rk2, reconstruct: plm, limiter: mc}", 0.00369, 0.000997},
    {"fluid: {integrator: rk2, reconstruct: ppm}", 6.43e-05, 2.4e-05},
    {"fluid: {integrator: rk3, reconstruct: ppm}", 4.32e-05, 2.69e-06},
    {"fluid: {integrator: rk3, reconstruct: wenoz}", 3.64e-06, 1.75e-07},
    {"fluid: {integrator: rk3, reconstruct: wenoz, riemann: roe}", 3.64e-06, 1.75e-07},
    {"fluid: {integrator: rk3, reconstruct: wenoz, riemann: hlle}", 3.73e-06, 1.79e-07},
    {"fluid: {integrator: rk3, reconstruct: wenoz, riemann: lhllc}", 3.64e-06, 1.75e-07},
    {"fluid: {integrator: vl2, reconstruct: plm}", 0.00502, 0.00122},
    {"fluid: {integrator: ctu, reconstruct: plm}", 0.00445, 0.00109},
    {"fluid: {integrator: vl2, reconstruct: ppm}", 5.93e-05, 2.34e-05},
    {"fluid: {integrator: ctu, reconstruct: ppm}", 3.24e-05, 3.04e-06},
    {"fluid: {integrator: ctu, reconstruct: wenoz}", 2.25e-05, 2.53e-06},
    {"fluid: {integrator: tvd}", 0.00689, 0.00166},
};

static void entropy(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof entropy_rows / sizeof *entropy_rows; i++)
        hold(entropy_wave, ENTROPY, &entropy_rows[i], SL_RHO, 0);
}

#define SOUND "mesh.block: [8]\nmesh.boundary: periodic\nfluid.gamma: 1.6666666666666667\n"
static const struct row sound_rows[] = {
    {"fluid: {integrator: vl2, reconstruct: plm}", 2.49e-7, 5.82e-8},
    {"fluid: {integrator: vl2, reconstruct: ppm}", 2.11e-8, 5.64e-9},
    {"fluid: {integrator: ctu, reconstruct: plm}", 2.02e-7, 4.86e-8},
    {"fluid: {integrator: ctu, reconstruct: ppm}", 2.07e-9, 3.2e-10},
};

static void sound(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof sound_rows / sizeof *sound_rows; i++)
        hold(sound_wave, SOUND, &sound_rows[i], SL_RHO, 0);
}

#define ALFVEN "mesh.block: [8]\nmesh.boundary: periodic\nfluid.gamma: 1.6666666666666667\n"
static const struct row alfven_rows[] = {
    {"fluid: {mhd: ct, riemann: hlld, integrator: rk2, reconstruct: plm}", 0.0095, 0.00209},
    {"fluid: {mhd: glm, riemann: hlld, integrator: rk2, reconstruct: plm}", 0.0095, 0.00209},
    {"fluid: {mhd: glm, riemann: roe, integrator: rk3, reconstruct: wenoz}", 2.14e-05, 1.76e-06},
    {"fluid: {mhd: ct, riemann: roe, integrator: ctu, reconstruct: plm}", 0.00698, 0.00118},
    {"fluid: {mhd: ct, riemann: roe, integrator: ctu, reconstruct: ppm}", 0.000104, 2.28e-05},
    {"fluid: {mhd: ct, riemann: hlle, integrator: vl2, reconstruct: plm}", 0.0104, 0.00179},
    {"fluid: {mhd: glm, riemann: lhlld, integrator: rk3, reconstruct: ppm}", 9.84e-05, 6.32e-06},
};

static void alfven(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof alfven_rows / sizeof *alfven_rows; i++)
        hold(alfven_wave, ALFVEN, &alfven_rows[i], SL_MY, 2);
}

/* A step multiplies psi by exp(-alpha ch dt / dx), once, whatever its stages: where psi and B_x do
 * not depend on x, nothing else changes psi. */
static void uniform_field(const void *data, const double lo[3], const double hi[3], double t,
                          double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = prim[4] = 1;
    prim[SL_PRIM_B] = 0.5;
}

static void damping(void **unused)
{
    static const char *const integrators[] = {"rk2", "rk3", "vl2"};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct fluid *f;
        char text[256];
        snprintf(text, sizeof text,
                 "mesh.cells: [16]\nmesh.block: [8]\nfluid: {mhd: glm, riemann: hlld, integrator: "
                 "%s, glm_alpha: 0.4, cfl: 0.3}\n",
                 integrators[i]);
        assert_int_equal(fluid_new(MPI_COMM_SELF, text, uniform_field, &f), SL_OK);
        const struct sl_mesh *m = f->sim->state.mesh;
        int psi = f->sim->state.layout.magnetic + 3;
        for (size_t c = 0; c < m->block_cells; c++)
            for (int b = 0; b < m->nblock; b++)
                f->sim->state.u[((size_t)b * (size_t)f->sim->state.layout.nvar + (size_t)psi) *
                                    m->block_cells +
                                c] = 1;
        law_advance(f, 1);
        double now =
            (double)f->sim->state
                .u[sl_mesh_at(m, f->sim->state.layout.nvar, 0, psi, m->g[2], m->g[1], m->g[0])];
        /* ch dt / dx = cfl on a line */
        if (!(fabs(now - exp(-0.4 * 0.3)) < 1e-12))
            fail_msg("%s: psi is %.15g after a step, not %.15g", integrators[i], now,
                     exp(-0.4 * 0.3));
        fluid_free(f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entropy),
        cmocka_unit_test(sound),
        cmocka_unit_test(alfven),
        cmocka_unit_test(damping),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
