/* sluice-stats.c - statistics of one run, and of an ensemble of runs.
 *
 *   sluice-stats RUN [key=value ...]                          one run: stats.h5, stats/x.csv
 *   sluice-stats --ensemble CAMPAIGN [--members FILE]         all members: CAMPAIGN/ensemble
 *   sluice-stats --check-target --ensemble CAMPAIGN [--members FILE]
 *   sluice-stats --inspect FILE one object of JSON about an HDF5 file of ours
 *   sluice-stats --orders NAME  run after run as it is told (core/sys/orders.h)
 *
 * FILE lists member directories, one per line; without it all members with finished statistics
 * count. --check-target prints one line {"reached":bool,"relative_error":x,"members":n} about
 * ensemble.target of the first member's run.yaml and writes nothing; where members do not have that
 * quantity it adds "lacks":{"quantity":NAME,"members":n,"have":[NAME, nearest first]}.
 *
 * Shapes  none
 * Units   code units
 * Errors  exit codes of core/sys/status.h; files are complete or not there
 * Owns    nothing
 * MPI     program of any number of ranks; the numbers do not depend on it
 * Where   host
 * Refs    none
 * Tests   tests/cli/stats.sh, tests/cli/inspect.sh
 */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/config/bcast.h"
#include "core/config/config.h"
#include "core/io/inspect.h"
#include "core/stats/member.h"
#include "core/stats/reduce.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/orders.h"
#include "core/sys/peak.h"
#include "core/sys/preflight.h"
#include "core/sys/status.h"

#define USAGE                                                                                      \
    "usage: sluice-stats RUN.yaml [key=value ...], or sluice-stats [--check-target] --ensemble "   \
    "CAMPAIGN [--members FILE], or sluice-stats --inspect FILE"

struct options {
    const char *run, *campaign, *members, *inspect;
    bool check_target;
    int rest; /* first override */
};

static void stop(void)
{
    MPI_Abort(MPI_COMM_WORLD, SL_EGUARD);
}

static int parse(int argc, char **argv, struct options *o)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char **value = strcmp(argv[i], "--ensemble") == 0  ? &o->campaign
                             : strcmp(argv[i], "--members") == 0 ? &o->members
                             : strcmp(argv[i], "--inspect") == 0 ? &o->inspect
                                                                 : NULL;
        if (strcmp(argv[i], "--check-target") == 0) {
            o->check_target = true;
            continue;
        }
        SL_CHECK(value && i + 1 < argc, SL_EUSAGE, "%s: unknown or without its value; %s", argv[i],
                 USAGE);
        *value = argv[++i];
    }
    o->run = i < argc ? argv[i++] : NULL;
    o->rest = i;
    if (o->inspect) {
        SL_CHECK(argc == 3, SL_EUSAGE, USAGE);
        return SL_OK;
    }
    SL_CHECK(o->campaign ? !o->run : o->run && !o->members && !o->check_target, SL_EUSAGE, USAGE);
    return SL_OK;
}

/* The directory of the run becomes the working directory, so that paths in it are relative to it.
 */
static int enter(const char *run)
{
    char dir[SL_PATH_MAX];
    SL_TRY(sl_path_parent(dir, run));
    SL_CHECK(chdir(dir) == 0, sl_file_status(errno), "cannot enter the directory %s: %s", dir,
             strerror(errno));
    return SL_OK;
}

static int measure(void *context)
{
    return sl_member_stats(MPI_COMM_WORLD, context);
}

static int one_run(const struct options *o, int argc, char **argv)
{
    struct sl_config cfg;
    SL_TRY(sl_config_bcast(MPI_COMM_WORLD, o->run, argv + o->rest, argc - o->rest, &cfg));
    sl_config_stage(&cfg, SL_CONFIG_stats, &cfg);
    SL_TRY(sl_agree(MPI_COMM_WORLD, enter(o->run)));
    SL_TRY(sl_preflight(MPI_COMM_WORLD, false));
    return sl_agree_work(MPI_COMM_WORLD, measure, &cfg, cfg.resources_hang);
}

/* Of names that are words. */
static void print_lacking(const struct sl_target_state *s)
{
    printf(",\"lacks\":{\"quantity\":\"%s\",\"members\":%d,\"have\":[",
           sl_choice_name("ensemble.target", (int)s->target), s->lacking);
    for (int i = 0; i < s->nhave; i++)
        printf("%s\"%s\"", i ? "," : "", sl_choice_name("ensemble.target", (int)s->have[i]));
    printf("]}");
}

static int check_target(const struct sl_members *members)
{
    struct sl_target_state state;
    SL_TRY(sl_reduce_check_target(members, &state));
    printf("{\"reached\":%s,\"relative_error\":", state.reached ? "true" : "false");
    if (isfinite(state.error))
        printf("%.10g", state.error);
    else
        printf("null");
    printf(",\"members\":%d", state.members);
    if (state.lacking > 0) print_lacking(&state);
    puts("}");
    return SL_OK;
}

/* Small work: rank 0 does it. */
static int ensemble(const struct options *o)
{
    struct sl_members members;
    SL_TRY(sl_members_read(o->campaign, o->members, &members));
    int code = o->check_target ? check_target(&members) : sl_reduce(o->campaign, &members);
    if (code == SL_OK && !o->check_target)
        sl_log(SL_LOG_NOTE, "%s/ensemble: %d members", o->campaign, members.n);
    sl_members_release(&members);
    return code;
}

static int do_it(struct options *o, int rank, int argc, char **argv)
{
    if (o->inspect)
        return sl_agree(MPI_COMM_WORLD, rank == 0 ? sl_inspect_print(o->inspect) : SL_OK);
    if (o->campaign) return sl_agree(MPI_COMM_WORLD, rank == 0 ? ensemble(o) : SL_OK);
    return one_run(o, argc, argv);
}

static int whole(int argc, char **argv)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct options o = {.run = NULL};
    int code = parse(argc, argv, &o);
    if (code == SL_OK) code = do_it(&o, rank, argc, argv);
    if (code != SL_OK && rank == 0) sl_log(SL_LOG_ERROR, "%s", sl_error_text());
    if (code == SL_OK && o.run) sl_peak_tell(MPI_COMM_WORLD);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    sl_on_bug = stop;
    int code = sl_orders_or(argc, argv, whole, whole);
    MPI_Finalize();
    return code;
}
