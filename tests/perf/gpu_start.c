/* gpu_start.c - seconds of a start of dark matter that a run makes itself, on a device or, with
 * resources.backend=cpu, on the processor.
 *
 *   gpu_start key=value ...    keys of a recipe; a line of name=value pairs comes out
 *   gpu_start --cases          the cases that `sluice bench` runs
 *
 * start_s is of the first start of the process, with all that is made once: amplitudes, plans,
 * memory; again_s of a second one, as members of a campaign that share a process have it. Both are
 * from nothing to the first force, and its time step. placed: the device made the particles.
 * ranks: any */
#include <sys/resource.h>
#include <time.h>

#include "core/config/config.h"
#include "core/particles/store.h"
#include "core/run/start.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sys/status.h"
#include "tests/perf/device.h"

#define CASE(program, n, more)                                                                     \
    "1 " program " mesh.cells=[" n "," n "," n "] mesh.block=[128] " more "\n"
#define CASES(program)                                                                             \
    CASE(program, "256", "")                                                                       \
    CASE(program, "512", "")                                                                       \
    CASE(program, "512", "ic.order=1")                                                             \
    CASE(program, "512", "particles.spacing=1")                                                    \
    CASE(program, "1024", "")

static const char *const cases = CASES("gpu_start") CASES("gpu_start-f32");

static const char usual[] = "campaign: start\nproblem: cosmology\nfluid.eos: none\n"
                            "mesh.box: [[0, 512], [0, 512], [0, 512]]\nic.redshift: 19\n"
                            "ic.transfer: eisenstein_hu\nic.species: dark_matter\n"
                            "cosmology.omega_b: 0.045\ntime: {end: 0, unit: redshift}\n";

/* Of gpu/device.h, where that is linked. */
extern const char *sl_device_memory(double *most) __attribute__((weak));

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Most memory of this rank at a time: of its device, of the host. */
static void peaks(double out[2])
{
    struct rusage use;
    out[0] = 0;
    if (sl_device_memory && sl_device_memory(&out[0])) out[0] = 0;
    getrusage(RUSAGE_SELF, &use);
    out[1] = 1024.0 * (double)use.ru_maxrss;
}

static int write_recipe(int argc, char **argv, char *recipe, size_t size)
{
    bool backend = false;
    size_t used = (size_t)snprintf(recipe, size, "%s", usual);
    for (int i = 1; i < argc && used < size; i++) {
        char *eq = strchr(argv[i], '=');
        SL_CHECK(eq, SL_EUSAGE, "%s: key=value is expected", argv[i]);
        backend = backend || strncmp(argv[i], "resources.backend=", 18) == 0;
        used += (size_t)snprintf(recipe + used, size - used, "%.*s: %s\n", (int)(eq - argv[i]),
                                 argv[i], eq + 1);
    }
    if (!backend && used < size)
        used += (size_t)snprintf(recipe + used, size - used, "resources.backend: cuda\n");
    SL_CHECK(used < size, SL_EUSAGE, "too many words");
    return SL_OK;
}

static int time_start(struct sl_sim *sim, double *seconds)
{
    double begun = now();
    SL_TRY(sl_sim_start(sim));
    *seconds = now() - begun;
    int code = MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the times of the ranks");
    return SL_OK;
}

static void print(const struct sl_sim *sim, const double seconds[2])
{
    const struct sl_mesh *m = sim->state.mesh;
    const struct sl_particles *p = sim->state.particles;
    const struct sl_config *cfg = sim->state.cfg;
    double most[2];
    peaks(most);
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_SUM, m->comm);
    if (m->rank != 0) return;
    printf("program=start precision=%s backend=%s cells=%d,%d,%d order=%d spacing=%d ranks=%d "
           "particles=%lld placed=%s start_s=%.4g again_s=%.4g cells_per_s=%.4g "
           "device_bytes_per_cell=%.4g host_bytes_per_cell=%.4g ",
           sizeof(sl_real) == sizeof(float) ? "single" : "double", sim->work->backend->name,
           m->spec.cells[0], m->spec.cells[1], m->spec.cells[2], (int)cfg->ic_order,
           (int)cfg->particles_spacing, m->size, (long long)p->all, p->made ? "yes" : "no",
           seconds[0], seconds[1], pow((double)m->spec.cells[0], 3) / seconds[1],
           most[0] / pow((double)m->spec.cells[0], 3), most[1] / pow((double)m->spec.cells[0], 3));
    device_print_pairs();
    puts("");
}

static int measure(int argc, char **argv)
{
    struct sl_config cfg;
    struct sl_sim *sim = NULL;
    char recipe[2048];
    double seconds[2] = {0, 0};
    SL_TRY(write_recipe(argc, argv, recipe, sizeof recipe));
    SL_TRY(sl_config_parse("start", recipe, strlen(recipe), NULL, 0, &cfg));
    SL_TRY(sl_sim_new(MPI_COMM_WORLD, &cfg, &sim));
    sim->state.looked_at = true; /* no tables */
    int code = time_start(sim, &seconds[0]);
    if (code == SL_OK) code = time_start(sim, &seconds[1]);
    if (code == SL_OK) print(sim, seconds);
    sl_sim_free(sim);
    return code;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0)
        return sizeof(sl_real) == sizeof(double) && device_count() > 0 && fputs(cases, stdout) < 0;
    MPI_Init(&argc, &argv);
    int code = measure(argc, argv);
    if (code != SL_OK) fprintf(stderr, "start: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
