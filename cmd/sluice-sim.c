/* sluice-sim.c - advances one run: sluice-sim RUN.yaml [key=value ...]
 *
 * Goes on from the newest checkpoint where there is one. SIGTERM and SIGUSR1: writes a checkpoint
 * and ends with 75. Files are relative to the directory of RUN.yaml. The last line of stdout is
 * "hash <state> <step> <time>".
 *
 * sluice-sim --first-mesh RUN.yaml [key=value ...] prints what mesh.refine makes of the start
 * (core/run/first_mesh.h), as JSON, and writes nothing; --first-state says whether the run can
 * start from the fields of its file (core/run/first_state.h) or its white noise
 * (core/ic/noise_file.h), --first-remarks prints what is to be known of the start, "remark: TEXT"
 * on a line each, and --first-collapse, in JSON, how its gas falls together. `sluice check` asks
 * all four.
 *
 * Shapes  none
 * Units   code units
 * Errors  exit codes of core/sys/status.h
 * Owns    nothing
 * MPI     program of any number of ranks; the bits of its results do not depend on it
 * Where   host
 * Refs    none
 * Tests   tests/cli/sim.sh, tests/law/restart.sh, tests/law/stop.sh
 */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/cell/fn.h"
#include "core/config/bcast.h"
#include "core/config/config.h"
#include "core/ic/noise_file.h"
#include "core/run/driver.h"
#include "core/run/first_mesh.h"
#include "core/run/first_state.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/orders.h"
#include "core/sys/peak.h"
#include "core/sys/preflight.h"
#include "core/sys/status.h"

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
}

static void on_bug(void)
{
    MPI_Abort(MPI_COMM_WORLD, SL_EMPI);
}

static void catch_signals(void)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&act.sa_mask);
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGUSR1, &act, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a quota is an error of the write */
    signal(SIGPIPE, SIG_IGN);
}

static int enter(const char *run)
{
    char dir[SL_PATH_MAX];
    SL_TRY(sl_path_parent(dir, run));
    SL_CHECK(chdir(dir) == 0, sl_file_status(errno), "cannot enter the directory %s: %s", dir,
             strerror(errno));
    return SL_OK;
}

static void check_precision(const struct sl_config *cfg)
{
    int have = sizeof(sl_real) == 4 ? SL_PRECISION_single : SL_PRECISION_double;
    if (cfg->resources_precision != have)
        sl_log(SL_LOG_WARN, "resources.precision is %s, this program computes in %s",
               sl_choice_name("resources.precision", cfg->resources_precision),
               sl_choice_name("resources.precision", have));
}

/* Of the memory that a quick look may take: some 10^6 cells. */
static const double look_bytes = 4e8;

typedef int look_fn(const struct sl_config *cfg, int rank);

static int first_mesh(const struct sl_config *cfg, int rank)
{
    struct sl_first_mesh mesh;
    SL_CHECK(cfg->mesh_levels > 0, SL_EUSAGE, "mesh.levels is 0: there is one level");
    SL_TRY(sl_first_mesh_find(MPI_COMM_WORLD, cfg, look_bytes, &mesh));
    if (rank == 0) sl_first_mesh_print(stdout, cfg, &mesh);
    return SL_OK;
}

static int first_state(const struct sl_config *cfg, int rank)
{
    (void)rank;
    bool universe = cfg->problem == SL_PROBLEM_cosmology, other = universe && cfg->ic_file[0];
    if (universe && cfg->ic_noise[0])
        return sl_agree(MPI_COMM_WORLD, sl_noise_file_look(cfg, look_bytes));
    SL_CHECK(other || cfg->problem == SL_PROBLEM_array, SL_EUSAGE,
             "the run does not start from a file");
    return sl_first_state_check(MPI_COMM_WORLD, cfg, look_bytes);
}

static void print_remark(const char *text, void *user)
{
    (void)user;
    printf("remark: %s\n", text);
}

static int first_remarks(const struct sl_config *cfg, int rank)
{
    (void)rank;
    return sl_first_state_remark(MPI_COMM_WORLD, cfg, look_bytes, print_remark, NULL);
}

static int first_collapse(const struct sl_config *cfg, int rank)
{
    struct sl_first_collapse c;
    bool attracts = sl_config_has_gas(cfg) && cfg->gravity_four_pi_g > 0;
    SL_CHECK(attracts, SL_EUSAGE, "there is no gas that attracts itself (gravity.four_pi_g)");
    SL_TRY(sl_first_state_collapse(MPI_COMM_WORLD, cfg, look_bytes, &c));
    if (rank > 0) return SL_OK;
    printf("{\"v\": 1, \"density\": %.17g, \"time\": %.17g, \"jeans\": %.17g, \"end\": %.17g, "
           "\"unit\": %.17g}\n",
           c.density, c.time, c.jeans, c.end, c.unit);
    return SL_OK;
}

static int look_at(look_fn *look, int argc, char **argv, int rank)
{
    static struct sl_config cfg;
    SL_TRY(sl_config_bcast(MPI_COMM_WORLD, argv[0], argv + 1, argc - 1, &cfg));
    sl_config_stage(&cfg, SL_CONFIG_sim, &cfg);
    SL_TRY(sl_agree(MPI_COMM_WORLD, enter(argv[0])));
    return look(&cfg, rank);
}

static look_fn *look_of(const char *word)
{
    return strcmp(word, "--first-mesh") == 0       ? first_mesh
           : strcmp(word, "--first-state") == 0    ? first_state
           : strcmp(word, "--first-remarks") == 0  ? first_remarks
           : strcmp(word, "--first-collapse") == 0 ? first_collapse
                                                   : NULL;
}

/* Those who ask read why it is not known, too. */
static int look(look_fn *f, int argc, char **argv, int rank)
{
    int code = look_at(f, argc, argv, rank);
    if (code != SL_OK && rank == 0) printf("error: %s\n", sl_error_text());
    return code;
}

static double started; /* of the run */

static int run(int argc, char **argv, int rank)
{
    static struct sl_config cfg;
    struct sl_driver driver = {&cfg, &stopped, started};
    struct sl_driver_end end;
    look_fn *asked = argc >= 3 ? look_of(argv[1]) : NULL;
    if (asked) return look(asked, argc - 2, argv + 2, rank);
    SL_CHECK(argc >= 2 && argv[1][0] != '-', SL_EUSAGE,
             "usage: sluice-sim RUN.yaml [key=value ...]");
    SL_TRY(sl_config_bcast(MPI_COMM_WORLD, argv[1], argv + 2, argc - 2, &cfg));
    sl_config_stage(&cfg, SL_CONFIG_sim, &cfg);
    SL_TRY(sl_agree(MPI_COMM_WORLD, enter(argv[1])));
    SL_TRY(sl_preflight(MPI_COMM_WORLD, true));
    if (rank == 0) check_precision(&cfg);
    SL_TRY(sl_driver_run(MPI_COMM_WORLD, &driver, &end));
    if (rank == 0) printf("hash %016" PRIx64 " %" PRId64 " %.17g\n", end.hash, end.step, end.time);
    return SL_OK;
}

/* A run from its arguments to what its log tells at the end. */
static int whole(int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = run(argc, argv, rank);
    if (code != SL_OK && rank == 0)
        sl_log(code == SL_EAGAIN ? SL_LOG_NOTE : SL_LOG_ERROR, "%s", sl_error_text());
    if (code == SL_OK || code == SL_EAGAIN) sl_peak_tell(MPI_COMM_WORLD);
    return code;
}

static int ordered(int argc, char **argv)
{
    started = sl_wall();
    return whole(argc, argv);
}

int main(int argc, char **argv)
{
    started = sl_wall();
    int given; /* threads besides the main one write files and call no MPI */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    sl_on_bug = on_bug;
    catch_signals();
    int code = sl_orders_or(argc, argv, ordered, whole);
    MPI_Finalize();
    return code;
}
