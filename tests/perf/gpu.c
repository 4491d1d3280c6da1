/* gpu.c - cell updates per second of the fluid on a device.
 *
 *   gpu                  all cases of as many ranks (gpu.def) in one call, one line of name=value
 *                        pairs each
 *   gpu key=value ...    one case: keys of a recipe, and turbulence=M (eddies.h)
 *   gpu --register=K ... also keeps the fluxes through every K-th side of the blocks
 *   (core/transfer/flux_register.h), and says so
 *                        in lines of integrators that have them
 *   gpu --cases what `sluice bench` runs: nothing where there is no device, no more ranks than
 *   devices
 *
 * One update is one whole step of one cell. The best of several stretches of steps counts; each
 * step ends with its signals on the host. The same call measures the rate of a copy within the
 * device, copy_bytes_per_s, read and written. Nothing counts what an update does move:
 *   least_bytes_per_update  what it must move, reckoned: each stage reads the state and writes it,
 *                           all but the first also read the old one, and ghost cells are read and
 *                           written
 *   copy_bytes_per_update   what the copy moves in the time of an update of one rank
 *   share_of_copy           the first over the second
 * Rates of several ranks are of all of them, but for updates_per_s_per_rank. ranks: any
 */
#include <math.h>
#include <time.h>

#include "core/lists/eos_list.h"
#include "core/lists/integrator_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/lists/shock_list.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "tests/fluid.h"
#include "tests/perf/device.h"
#include "tests/perf/eddies.h"

extern const char *sl_device_copy_rate(double *bytes_per_s) __attribute__((weak));

static const struct {
    int ranks;
    const char *keys;
} cases[] = {
#define SL_GPU_CASE(ranks, keys) {ranks, keys},
#include "tests/perf/gpu.def"
#undef SL_GPU_CASE
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
    const struct sl_mesh *m = sim->state.mesh;
    static const int all[] = {2, 3, 2, 1, 0}; /* rk2, rk3, vl2, ctu, tvd */
    int of = sim->state.cfg->fluid_integrator, stages = all[of] > 0 ? all[of] : 2 * m->dim;
    int old = all[of] > 0 ? stages - 1 : 0; /* readings of the old state */
    double inner = (double)m->n[0] * m->n[1] * m->n[2], ghosts = (double)m->block_cells - inner;
    double values = 2 * stages + old + 2 * stages * ghosts / inner;
    return values * sim->state.layout.nvar * (double)sizeof(sl_real);
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
    if (c->fluid_shocks == SL_SHOCK_flatten) n += (size_t)snprintf(out + n, 128 - n, "+flat");
    if (c->fluid_dual_energy) n += (size_t)snprintf(out + n, 128 - n, "+dual");
    if (c->driving_acceleration > 0) snprintf(out + n, 128 - n, "+driven");
    if (c->fluid_integrator == SL_INTEGRATOR_tvd)
        snprintf(out, 128, "tvd"); /* neither slopes nor solver */
}

/* Keeps the fluxes through every so-manieth side of the blocks; 0, or an integrator that has none:
 * none, and so says *every. */
static int register_sides(struct sl_sim *sim, int *every)
{
    const struct sl_mesh *m = sim->state.mesh;
    int all = 2 * m->dim * m->nblock, count = 0;
    if (*every == 0) return SL_OK;
    struct sl_flux_register_side *side = malloc((size_t)all * sizeof *side + 1);
    SL_CHECK(side, SL_EMEM, "no memory for a list of sides");
    for (int i = 0; i < all; i += *every) {
        int at = i % (2 * m->dim);
        side[count++] = (struct sl_flux_register_side){i / (2 * m->dim), at / 2, at % 2, 0};
    }
    int code = sim->work->backend->register_set(sim, side, count, NULL, 0);
    free(side);
    if (code != SL_EUNAVAIL) return code;
    *every = 0;
    return SL_OK;
}

static void print_place(const struct fluid *f)
{
    const struct sl_mesh *m = f->sim->state.mesh;
    printf("precision=%s cells=%d,%d,%d block=%d,%d,%d ranks=%d ",
           sizeof(sl_real) == sizeof(float) ? "single" : "double", m->spec.cells[0],
           m->dim > 1 ? m->spec.cells[1] : 1, m->dim > 2 ? m->spec.cells[2] : 1, m->n[0], m->n[1],
           m->n[2], m->size);
}

/* Of a step that takes so many seconds, on a device that copies so many bytes per second. */
static void print_case(const struct fluid *f, int every, double seconds, double copy)
{
    const struct sl_mesh *m = f->sim->state.mesh;
    double cells = 1, least = least_bytes(f->sim);
    char scheme[128];
    for (int d = 0; d < m->dim; d++)
        cells *= m->spec.cells[d];
    double rate = cells / seconds / m->size;
    scheme_name(f->sim->state.cfg, scheme);
    printf("program=gpu scheme=%s mach=%g ", scheme, eddies_mach);
    if (every > 0) printf("register=%d ", every);
    print_place(f);
    printf("updates_per_s=%.4g updates_per_s_per_rank=%.4g copy_bytes_per_update=%.4g "
           "least_bytes_per_update=%.4g share_of_copy=%.3g copy_bytes_per_s=%.4g repaired=%lld ",
           cells / seconds, rate, copy / rate, least, least * rate / copy, copy,
           (long long)f->sim->state.cells_repaired);
    device_print_pairs();
    puts("");
    fflush(stdout);
}

static int measure_and_print(struct fluid *f, int every)
{
    double seconds, copy = 0;
    SL_TRY(register_sides(f->sim, &every));
    SL_TRY(measure(f->sim, &seconds));
    const char *text = sl_device_copy_rate(&copy);
    SL_CHECK(!text, SL_EUNAVAIL, "CUDA: %s", text);
    if (f->sim->state.mesh->rank == 0) print_case(f, every, seconds, copy);
    return SL_OK;
}

static int run_case(const char *line, int every)
{
    char recipe[2048] = "resources.backend: cuda\n";
    eddies_mach = 0;
    for (const char *p = line; *p; p += *p == ' ') {
        size_t n = strlen(recipe), word = strcspn(p, " "), key = strcspn(p, "=");
        if (!eddies_asked(p))
            snprintf(recipe + n, sizeof recipe - n, "%.*s: %.*s\n", (int)key, p,
                     (int)(word > key ? word - key - 1 : 0), p + key + 1);
        p += word;
    }
    struct fluid *f;
    SL_TRY(fluid_new(MPI_COMM_WORLD, recipe, eddies_mach > 0 ? eddies_state : state, &f));
    int code = eddies_develop(f->sim);
    if (code == SL_OK) code = measure_and_print(f, every);
    fluid_free(f);
    return code;
}

/* One that fails does not keep the others from being measured. */
static int run_all(int every)
{
    int ranks, found = 0, failed = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < CASES; i++) {
        if (cases[i].ranks != ranks) continue;
        int code = run_case(cases[i].keys, every);
        if (code != SL_OK) fprintf(stderr, "gpu: %s: %s\n", cases[i].keys, sl_error_text());
        found++, failed += code != SL_OK;
    }
    SL_CHECK(failed == 0, SL_EMEMBER, "%d of %d cases failed", failed, found);
    SL_CHECK(found > 0, SL_EUSAGE, "no case has %d ranks; give keys of a recipe", ranks);
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
    SL_CHECK(device_count() > 0, SL_EUNAVAIL, "no CUDA device");
    return *line ? run_case(line, every) : run_all(every);
}

static int list(void)
{
    int left_out = 0, devices = device_count();
    if (devices == 0) return 0;
    if (sizeof(sl_real) != sizeof(double)) return 0; /* the other program tells */
    device_print_remark();
    for (int i = 0; i < CASES; i++) {
        int ranks = cases[i].ranks;
        if (ranks > devices) {
            left_out++;
            continue;
        }
        printf("%d gpu %s\n", ranks, cases[i].keys);
        if (ranks == 1) printf("1 gpu-f32 %s\n", cases[i].keys);
    }
    if (left_out > 0) printf("# left out: %d cases for more devices than %d\n", left_out, devices);
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
