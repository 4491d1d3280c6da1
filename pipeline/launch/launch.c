/* launch.c - see launch.h. */
#include "pipeline/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "pipeline/launch/place.h"

/* ---- names ----------------------------------------------------------------------------------- */

#define NAME_OF(name, about) #name,
static const char *const launchers[] = {SL_LAUNCHER_LIST(NAME_OF)};
#undef NAME_OF
#define WORD_OF(name, word, about) word,
static const char *const binds[] = {SL_BIND_LIST(WORD_OF)};
#undef WORD_OF

static int find(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

int sl_launcher_find(const char *name)
{
    return find(launchers, SL_LAUNCHER_COUNT, name);
}

int sl_bind_find(const char *word)
{
    return find(binds, SL_BIND_COUNT, word);
}

/* ---- devices --------------------------------------------------------------------------------- */

int sl_launch_local_rank(void)
{
    /* of mpirun before that of Slurm: its daemons are tasks of Slurm themselves */
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "PMI_LOCAL_RANK", "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && *text >= '0' && *text <= '9') return (int)strtol(text, NULL, 10);
    }
    return 0;
}

static int count_devices(const char *list)
{
    int n = *list ? 1 : 0;
    for (; *list; list++)
        n += *list == ',';
    return n;
}

void sl_launch_devices(const char *list, int part, int parts, char *text, size_t size)
{
    int n = count_devices(list), first, last;
    if (parts < 1) parts = 1;
    *text = '\0';
    if (n == 0) return;
    first = parts > n ? part % n : part * n / parts;
    last = parts > n ? first : (part + 1) * n / parts - 1;
    size_t used = 0;
    for (int i = 0; *list; i++) {
        size_t length = strcspn(list, ",");
        if (i >= first && i <= last && used + length + 2 <= size)
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "," : "",
                                     (int)length, list);
        list += length + (list[length] == ',');
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

static int mpirun_settings(void)
{
    static const char *const settings[][2] = {
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},           /* sluice counts the cores itself */
        {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}, /* refused in many containers */
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    };
    size_t n = sizeof settings / sizeof *settings - (geteuid() == 0 ? 0 : 2);
    for (size_t i = 0; i < n; i++)
        SL_CHECK(setenv(settings[i][0], settings[i][1], 0) == 0, SL_EMEM, "no memory");
    return SL_OK;
}

/* Ranks of one host need no driver of a network. To load those of Omni-Path alone, to find that
 * there is none, takes a fifth of a second of each start. Who chose some keeps them. */
static const char *const no_networks[][2] = {{"OMPI_MCA_pml", "^cm"},
                                             {"OMPI_MCA_mtl", "^ofi,psm,psm2"},
                                             {"OMPI_MCA_btl", "^ofi,openib,usnic"}};
enum { NO_NETWORKS = sizeof no_networks / sizeof *no_networks };

static int leave_networks_out(void)
{
    for (int i = 0; i < NO_NETWORKS; i++)
        if (getenv(no_networks[i][0])) return SL_OK;
    for (int i = 0; i < NO_NETWORKS; i++)
        SL_CHECK(setenv(no_networks[i][0], no_networks[i][1], 1) == 0, SL_EMEM, "no memory");
    return SL_OK;
}

/* A job has the environment of the one that submitted it, whose ranks may have been on one host. */
static int take_networks_back(void)
{
    for (int i = 0; i < NO_NETWORKS; i++) {
        const char *is = getenv(no_networks[i][0]);
        if (!is || strcmp(is, no_networks[i][1]) != 0) return SL_OK; /* chosen by others */
    }
    for (int i = 0; i < NO_NETWORKS; i++)
        SL_CHECK(unsetenv(no_networks[i][0]) == 0, SL_EMEM, "no memory");
    return SL_OK;
}

static void add_mpirun(struct sl_args *args, const struct sl_launch *launch, int ranks)
{
    int per_node = launch->nodes > 1 && ranks > 1 ? (ranks + launch->nodes - 1) / launch->nodes : 0;
    sl_args_add(args, "mpirun");
    sl_args_add(args, "-n");
    sl_args_add(args, "%d", ranks);
    if (per_node) sl_args_add(args, "--map-by");
    if (per_node) sl_args_add(args, "ppr:%d:node", per_node);
    sl_args_add(args, "--bind-to");
    sl_args_add(args, "none");
}

static void add_srun(struct sl_args *args, const struct sl_launch *launch, int ranks)
{
    const char *cpus = getenv("SLURM_CPUS_PER_TASK"); /* srun does not take it from the job */
    sl_args_add(args, "srun");
    sl_args_add(args, "--ntasks=%d", ranks);
    if (launch->nodes > 0)
        sl_args_add(args, "--nodes=%d", launch->nodes < ranks ? launch->nodes : ranks);
    sl_args_add(args, "--kill-on-bad-exit=1");
    if (*launch->mpi) sl_args_add(args, "--mpi=%s", launch->mpi);
    if (cpus && *cpus) sl_args_add(args, "--cpus-per-task=%s", cpus);
    /* members side by side: each takes its own cores, and none the whole memory for itself */
    if (launch->shared) sl_args_add(args, "--exact");
    if (launch->shared) sl_args_add(args, "--mem=0");
    if (launch->gpus <= 0) return;
    int nodes = launch->nodes > 1 ? launch->nodes : 1, per_rank = launch->gpus * nodes / ranks;
    if (launch->bind == SL_BIND_task && per_rank >= 1)
        sl_args_add(args, "--gpus-per-task=%d", per_rank);
    else
        sl_args_add(args, "--gres=gpu:%d", launch->gpus);
}

static void (*const add_launcher[])(struct sl_args *, const struct sl_launch *, int) = {
    [SL_LAUNCHER_mpirun] = add_mpirun,
    [SL_LAUNCHER_srun] = add_srun,
};

static int export_ranks(const struct sl_launch *launch, int ranks)
{
    char n[16], gpus[16];
    snprintf(n, sizeof n, "%d", ranks);
    snprintf(gpus, sizeof gpus, "%d", launch->gpus);
    SL_CHECK(setenv("SLUICE_RANKS", n, 1) == 0 && setenv("SLUICE_GPUS", gpus, 1) == 0, SL_EMEM,
             "no memory");
    return SL_OK;
}

/* mpirun knows nothing of GPUs: there the wrapper does what Slurm would do. */
static bool wraps(const struct sl_launch *launch)
{
    return launch->gpus > 0 && (launch->bind == SL_BIND_wrapper ||
                                (launch->bind == SL_BIND_task && launch->by == SL_LAUNCHER_mpirun));
}

bool sl_launch_here(const struct sl_launch *launch)
{
    return !launch || (launch->by == SL_LAUNCHER_mpirun && launch->nodes <= 1);
}

int sl_launch_words(struct sl_args *args, const struct sl_launch *launch, int ranks,
                    const char *program)
{
    static const struct sl_launch plain = {.by = SL_LAUNCHER_mpirun, .mpi = ""};
    char path[SL_PATH_MAX], self[SL_PATH_MAX];
    if (!launch) launch = &plain;
    SL_TRY(sl_place_program(program, path, sizeof path));
    SL_TRY(mpirun_settings());
    SL_TRY(sl_launch_here(launch) ? leave_networks_out() : take_networks_back());
    SL_TRY(export_ranks(launch, ranks));
    add_launcher[launch->by](args, launch, ranks);
    if (wraps(launch)) {
        SL_TRY(sl_place_self(self, sizeof self));
        sl_args_add(args, "%s", self);
        sl_args_add(args, "rank");
    }
    sl_args_add(args, "%s", path);
    return SL_OK;
}
