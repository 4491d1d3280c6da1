/* athena_gpu.c - the two problems of Wasiljew & Murawski 2013 on one core, beside the times of
 * their tables 2 and 3.
 *
 *   athena_gpu [share] share: of each run that is computed, from its start; the rest is taken to
 *   cost as much per
 *                          time (default 1, all of it)
 *   athena_gpu --cases     nothing: `sluice bench` does not run it
 *
 * Same physics and scheme: ctu, plm, roe with its fallback, constrained transport, double
 * precision, gamma 5/3. The paper tells neither Courant number nor end times: 0.8 (the limit of the
 * scheme is 1); t = 2 for the field loop, as in Gardiner & Stone 2005, and t = 0.2 for the blast,
 * the time of its figures. Seconds are those of the processor, without the start. One line per
 * grid; athena_gpu.md keeps those of a whole run. ranks: 1
 */
#include <math.h>
#include <time.h>

#include "core/run/start.h"
#include "tests/fluid.h"

struct table {
    const char *name, *recipe;
    double end;
    struct {
        int cells[2];
        double gpu[2], cpu[2]; /* seconds of GPU_1, GPU_2, CPU_1, CPU_2 */
    } row[8];
};

static const struct table tables[] = {
    {"field loop",
     "problem: field_loop\nmesh.box: [[-1, 1], [-0.5, 0.5]]\n",
     2,
     {{{400, 200}, {228.46, 506.39}, {521.65, 1693.90}},
      {{500, 250}, {374.23, 823.79}, {1063.45, 3303.53}},
      {{600, 300}, {589.73, 1407.85}, {1789.13, 5752.37}},
      {{700, 350}, {847.92, 1773.98}, {2880.91, 9067.04}},
      {{800, 400}, {1174.32, 2441.64}, {4340.89, 13576.60}},
      {{900, 450}, {1556.99, 3228.03}, {6211.21, 19450.82}},
      {{1000, 500}, {2012.64, 4577.01}, {8601.99, 27203.85}}}},
    {"blast",
     "problem: mhd_blast\nmesh.box: [[-0.75, 0.75], [-0.5, 0.5]]\nmhd_blast.gaussian: true\n"
     "mhd_blast.inside: 100\nmhd_blast.outside: 1\nmhd_blast.radius: 0.125\n"
     "mhd_blast.magnetic: [50^0.5, 50^0.5, 0]\n",
     0.2,
     {{{225, 150}, {48.25, 111.38}, {89.59, 337.06}},
      {{300, 200}, {95.81, 208.72}, {223.27, 797.09}},
      {{375, 250}, {155.84, 342.5}, {440.08, 1553.56}},
      {{450, 300}, {246.04, 519.66}, {764.22, 2701.72}},
      {{525, 350}, {352.09, 745.1}, {1202.47, 4300.76}},
      {{600, 400}, {486.14, 1128.37}, {1800.08, 6463.29}},
      {{750, 500}, {838.45, 1751.91}, {3540.67, 12703.60}}}},
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of the whole run, from a share of it, and its cell updates per second. */
static int measure(const struct table *table, const int cells[2], double share, double *seconds,
                   double *rate)
{
    struct sl_config cfg;
    struct sl_sim *sim;
    char text[1024];
    snprintf(text, sizeof text,
             "campaign: table\n%stime.end: %g\nmesh.cells: [%d, %d]\nfluid.mhd: ct\n"
             "fluid.integrator: ctu\nfluid.riemann: roe\nfluid.limiter: mc\nfluid.cfl: 0.8\n"
             "resources.backend: cpu\n",
             table->recipe, table->end, cells[0], cells[1]);
    SL_TRY(sl_config_parse("table", text, strlen(text), NULL, 0, &cfg));
    SL_TRY(sl_sim_new(MPI_COMM_WORLD, &cfg, &sim));
    int code = sl_sim_start(sim);
    double start = cpu_seconds();
    while (code == SL_OK && sim->state.time < share * table->end)
        code = sl_sim_step(sim, table->end);
    double spent = cpu_seconds() - start;
    *seconds = spent * table->end / sim->state.time;
    *rate = (double)sim->state.step * cells[0] * cells[1] / spent;
    sl_sim_free(sim);
    return code;
}

static int run(double share)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (int i = 0; tables[t].row[i].cells[0] > 0; i++) {
            double seconds = 0, rate = 0;
            const double *gpu = tables[t].row[i].gpu, *cpu = tables[t].row[i].cpu;
            SL_TRY(measure(&tables[t], tables[t].row[i].cells, share, &seconds, &rate));
            printf(
                "%-10s %4d x %3d  %8.2f s here, %8.2f GPU_1, %8.2f GPU_2, %8.2f CPU_1 (4 ranks), "
                "%8.2f CPU_2; %.3g updates/s, GPU_1 / here %.1f\n",
                tables[t].name, tables[t].row[i].cells[0], tables[t].row[i].cells[1], seconds,
                gpu[0], gpu[1], cpu[0], cpu[1], rate, gpu[0] / seconds);
            fflush(stdout);
        }
    return SL_OK;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0) return 0;
    MPI_Init(&argc, &argv);
    double share = argc == 2 ? strtod(argv[1], NULL) : 1;
    int code =
        share > 0 && share <= 1 ? run(share) : SL_FAIL(SL_EUSAGE, "the share is between 0 and 1");
    if (code != SL_OK) fprintf(stderr, "athena_gpu: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
