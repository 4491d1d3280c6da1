/* gpu.c - cell updates per second of the fluid on a device.
 *
 *   gpu                  all cases in one call, one line of name=value pairs each
 *   gpu key=value ...    one case: keys of a recipe
 *   gpu --register=K ... also keeps the fluxes through every K-th side of the blocks (core/step/flux_register.h)
 *   gpu --cases          what `sluice bench` runs: nothing where there is no device
 *
 * One update is one whole step of one cell. The best of several stretches of steps counts; each step
 * ends with its signals on the host. The same call measures the rate of a copy within the device;
 * bytes_per_update is what such a copy could have moved in the time of one update, and
 * least_bytes_per_update what an update must move: each stage reads the state and writes it, all but
 * the first also read the old one, and ghost cells are read and written. ranks: any
 */
#include <math.h>
#include <time.h>

#include "core/step/backend.h"
#include "core/step/work.h"
#include "tests/fluid.h"

extern int sl_device_count(void) __attribute__((weak));
extern const char *sl_device_copy_rate(double *bytes_per_s) __attribute__((weak));

static const char *const cases[] = {
    "mesh.cells=[256,256,256] mesh.block=[256]",
    "mesh.cells=[256,256,256] mesh.block=[128]",
    "mesh.cells=[256,256,256] mesh.block=[64]",
    "mesh.cells=[256,256,256] mesh.block=[32]",
    "mesh.cells=[256,256,256] mesh.block=[16]",
    "mesh.cells=[128,128,128] mesh.block=[128]",
    "mesh.cells=[128,128,128] mesh.block=[32]",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=llf",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=hlle",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=roe",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.limiter=vanleer",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.reconstruct=constant",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.reconstruct=ppm fluid.integrator=rk3",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.reconstruct=wenoz fluid.integrator=rk3",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.eos=isothermal fluid.riemann=hlle",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.scalars=2",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[256]",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128]",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[64]",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[32]",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[16]",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[128,128,128] mesh.block=[128]",
    "fluid.mhd=glm mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=llf",
    "fluid.mhd=glm mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=hlle",
    "fluid.mhd=glm mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=roe",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128] "
    "fluid.eos=isothermal",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128] "
    "fluid.integrator=rk3 fluid.reconstruct=ppm",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128] "
    "fluid.integrator=rk3 fluid.reconstruct=wenoz",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[256]",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128]",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[64]",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[32]",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[16]",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[128,128,128] mesh.block=[128]",
    "fluid.mhd=ct mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=llf",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128] "
    "fluid.eos=isothermal",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128] "
    "fluid.integrator=vl2",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128] "
    "fluid.integrator=rk3 fluid.reconstruct=ppm",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[256] "
    "fluid.eos=isothermal driving.acceleration=1 driving.kmin=1 driving.kmax=3",
    "fluid.mhd=glm fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[256] "
    "fluid.eos=isothermal driving.acceleration=1 driving.kmin=1 driving.kmax=3",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.integrator=tvd",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.riemann=lhllc",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.characteristic=true",
    "mesh.cells=[256,256,256] mesh.block=[128] fluid.reconstruct=ppm fluid.integrator=rk3 "
    "fluid.flatten=true",
    "fluid.mhd=glm fluid.riemann=lhlld mesh.cells=[256,256,256] mesh.block=[128]",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[256,256,256] mesh.block=[128] "
    "fluid.characteristic=true",
    "mesh.cells=[2048,2048] mesh.block=[1024] fluid.integrator=ctu",
    "fluid.mhd=ct fluid.riemann=hlld mesh.cells=[2048,2048] mesh.block=[1024] fluid.integrator=ctu",
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)hi, (void)t;
    double x = lo[0], y = lo[1], z = lo[2]; /* polynomials: the start takes less time */
    prim[0] = 1 + 2 * x * (1 - x) + y * (1 - y) * z;
    prim[1] = 0.3 * (0.5 - y) + 0.1;
    prim[2] = 0.3 * (0.5 - z) - x * (1 - x);
    prim[3] = 0.3 * (0.5 - x) + z * (1 - z);
    prim[4] = prim[0];
    prim[SL_PRIM_B] = 0.3;
    prim[SL_PRIM_B + 1] = 0.3 * z;
    prim[SL_PRIM_B + 2] = 0.3 - 0.3 * x;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a step: the best stretch. */
static int measure(struct sl_sim *sim, double *best)
{
    enum { STRETCHES = 4, STEPS = 8, WARM = 4 };
    *best = HUGE_VAL;
    for (int i = 0; i < WARM; i++)
        SL_TRY(sl_sim_step(sim, 1e9));
    for (int s = 0; s < STRETCHES; s++) {
        double start = now();
        for (int i = 0; i < STEPS; i++)
            SL_TRY(sl_sim_step(sim, 1e9));
        *best = fmin(*best, (now() - start) / STEPS);
    }
    return SL_OK;
}

static double least_bytes(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->mesh;
    static const int all[] = {2, 3, 2, 1, 0}; /* rk2, rk3, vl2, ctu, tvd */
    int of = sim->cfg->fluid_integrator, stages = all[of] > 0 ? all[of] : 2 * m->dim;
    int old = all[of] > 0 ? stages - 1 : 0; /* readings of the old state */
    double inner = (double)m->n[0] * m->n[1] * m->n[2], ghosts = (double)m->block_cells - inner;
    double values = 2 * stages + old + 2 * stages * ghosts / inner;
    return values * sim->layout.nvar * (double)sizeof(sl_real);
}

/* The scheme of a run in one word. */
static void scheme_name(const struct sl_config *c, char out[128])
{
    int hot = c->fluid_eos == SL_EOS_ideal, limited = c->fluid_reconstruct == SL_RECONSTRUCT_plm;
    const char *slopes = limited ? sl_choice_name("fluid.limiter", c->fluid_limiter)
                                 : sl_choice_name("fluid.reconstruct", c->fluid_reconstruct);
    static const char *const field[] = {"", "mhd+", "ct+"};
    snprintf(out, 128, "%s%s+%s+%s%s", field[c->fluid_mhd], slopes,
             sl_choice_name("fluid.riemann", c->fluid_riemann),
             sl_choice_name("fluid.integrator", c->fluid_integrator), hot ? "" : "+cold");
    size_t n = strlen(out);
    if (c->fluid_scalars > 0)
        n += (size_t)snprintf(out + n, 128 - n, "+%ds", (int)c->fluid_scalars);
    if (c->fluid_characteristic) n += (size_t)snprintf(out + n, 128 - n, "+waves");
    if (c->fluid_flatten) n += (size_t)snprintf(out + n, 128 - n, "+flat");
    if (c->driving_acceleration > 0) snprintf(out + n, 128 - n, "+driven");
    if (c->fluid_integrator == SL_INTEGRATOR_tvd)
        snprintf(out, 128, "tvd"); /* neither slopes nor solver */
}

/* Keeps the fluxes through every so-manieth side of the blocks, where the integrator has them; 0: none. */
static int register_sides(struct sl_sim *sim, int every)
{
    const struct sl_mesh *m = sim->mesh;
    int all = 2 * m->dim * m->nblock, count = 0, integrator = sim->cfg->fluid_integrator;
    if (every == 0 || integrator == SL_INTEGRATOR_tvd || integrator == SL_INTEGRATOR_ctu)
        return SL_OK;
    struct sl_flux_register_side *side = malloc((size_t)all * sizeof *side + 1);
    SL_CHECK(side, SL_EMEM, "no memory for a list of sides");
    for (int i = 0; i < all; i += every) {
        int at = i % (2 * m->dim);
        side[count++] = (struct sl_flux_register_side){i / (2 * m->dim), at / 2, at % 2, 0};
    }
    int code = sim->work->backend->register_set(sim, side, count);
    free(side);
    return code;
}

static int run_case(const char *line, int every)
{
    char recipe[2048] = "resources.backend: cuda\n";
    for (const char *p = line; *p; p += *p == ' ') {
        size_t n = strlen(recipe), word = strcspn(p, " "), key = strcspn(p, "=");
        snprintf(recipe + n, sizeof recipe - n, "%.*s: %.*s\n", (int)key, p,
                 (int)(word > key ? word - key - 1 : 0), p + key + 1);
        p += word;
    }
    struct fluid *f;
    double seconds, copy = 0, cells = 1;
    SL_TRY(fluid_new(MPI_COMM_WORLD, recipe, state, &f));
    SL_TRY(register_sides(f->sim, every));
    SL_TRY(measure(f->sim, &seconds));
    const char *text = sl_device_copy_rate(&copy);
    SL_CHECK(!text, SL_EUNAVAIL, "CUDA: %s", text);
    const struct sl_config *c = f->sim->cfg;
    const struct sl_mesh *m = f->sim->mesh;
    for (int d = 0; d < m->dim; d++)
        cells *= m->spec.cells[d];
    char scheme[128];
    scheme_name(c, scheme);
    double least = least_bytes(f->sim), rate = cells / seconds / m->size;
    if (m->rank == 0)
        printf(
            "program=gpu scheme=%s register=%d precision=%s cells=%d,%d,%d block=%d,%d,%d ranks=%d "
            "updates_per_s=%.4g updates_per_s_per_rank=%.4g bytes_per_update=%.4g "
            "least_bytes_per_update=%.4g share_of_copy=%.3g copy_bytes_per_s=%.4g "
            "repaired=%lld\n",
            scheme, every, sizeof(sl_real) == sizeof(float) ? "single" : "double", m->spec.cells[0],
            m->dim > 1 ? m->spec.cells[1] : 1, m->dim > 2 ? m->spec.cells[2] : 1, m->n[0], m->n[1],
            m->n[2], m->size, cells / seconds, rate, copy / rate, least, least * rate / copy, copy,
            (long long)f->sim->cells_repaired);
    fflush(stdout);
    fluid_free(f);
    return SL_OK;
}

static int run(int argc, char **argv)
{
    char line[1024] = "";
    int every = 0, first = argc > 1 && strncmp(argv[1], "--register=", 11) == 0 ? 2 : 1;
    if (first == 2)
        SL_CHECK(sscanf(argv[1], "--register=%d", &every) == 1 && every > 0, SL_EUSAGE,
                 "--register=K: keeps the fluxes through every K-th side, K from 1 on");
    for (int i = first; i < argc; i++) {
        size_t n = strlen(line);
        snprintf(line + n, sizeof line - n, "%s%s", n > 0 ? " " : "", argv[i]);
    }
    SL_CHECK(sl_device_count && sl_device_count() > 0, SL_EUNAVAIL, "no CUDA device");
    if (*line) return run_case(line, every);
    for (int i = 0; i < CASES; i++)
        SL_TRY(run_case(cases[i], every));
    return SL_OK;
}

static int list(void)
{
    if (!sl_device_count || sl_device_count() == 0) return 0;
    if (sizeof(sl_real) != sizeof(double)) return 0; /* the other program tells */
    for (int i = 0; i < CASES; i++)
        printf("1 gpu %s\n1 gpu-f32 %s\n", cases[i], cases[i]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0) return list();
    MPI_Init(&argc, &argv);
    int code = run(argc, argv);
    if (code != SL_OK) fprintf(stderr, "gpu: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
