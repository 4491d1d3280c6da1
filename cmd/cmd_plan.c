/* cmd_plan.c - sluice plan: what a recipe or a campaign will cost, before anything runs.
 *
 * Shapes  none
 * Units   bytes, seconds
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EGUARD
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <stdio.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/options.h"
#include "pipeline/launch/cores.h"
#include "pipeline/show/sheet.h"

/* A cluster is meant when it was asked for, or when this user has described one. */
static bool for_slurm(bool asked)
{
    char path[SL_PATH_MAX];
    return asked || (sl_site_path(path) == SL_OK && sl_disk_exists(path));
}

static int run(int argc, char **argv)
{
    struct sl_sheet s = {.cores = sl_cores()};
    int64_t cores = 0, throttle = 0;
    bool json = false, slurm = false;
    const struct sl_option options[] = {
        {"json", 0, SL_OPTION_FLAG, &json},         {"yes", 'y', SL_OPTION_FLAG, &s.many},
        {"slurm", 0, SL_OPTION_FLAG, &slurm},       {"dir", 'd', SL_OPTION_TEXT, &s.dir},
        {"offline", 0, SL_OPTION_FLAG, &s.offline}, {"cores", 'j', SL_OPTION_INT, &cores},
        {"throttle", 0, SL_OPTION_INT, &throttle},  {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "plan [RECIPE [key=value...] | CAMPAIGN]",
                            &words));
    if (cores > 0 && cores < 1 << 20) s.cores = (int)cores;
    s.slurm = for_slurm(slurm);
    s.throttle = throttle;
    SL_TRY(sl_sheet_make(&s, argv + 1, words));
    int code = SL_OK;
    if (json)
        code = sl_sheet_json(&s);
    else
        sl_sheet_print(&s);
    sl_sheet_release(&s);
    return code;
}

const struct sl_verb sl_verb_plan = {
    .name = "plan",
    .group = SL_VERB_start,
    .usage = "[RECIPE [key=value...] | CAMPAIGN] [options]",
    .about = "estimate members, memory, disk and time of a recipe, or of the rest of a campaign",
    .help =
        "  --cores, -j N   plan for N cores\n"
        "  --slurm         for a cluster: the calls of sbatch, limits, node hours, start and "
        "end; shown\n"
        "                  by itself once `sluice site` was run\n"
        "  --offline       do not ask Slurm\n"
        "  --throttle N    members that may run at once\n"
        "  --dir, -d DIR   plan for a campaign in this directory\n"
        "  --yes, -y       accept more than 10,000 members\n"
        "  --json          {v, campaign, members, left, cores, gpus, side_by_side,\n"
        "                  disk_bytes, core_hours, node_hours, node_hours_most: with all\n"
        "                  wall time used, wall_s, wall_90_s: until the end, in half of all\n"
        "                  cases and nine of ten, rate_per_rank, rate_measured, rate_from,\n"
        "                  largest_member:\n"
        "                  {cells, levels: {cells, steps, filling: as resources.filling,\n"
        "                  updates, from}, particles, particle_bytes,\n"
        "                  device_particle_bytes, device_bytes: of the device of a rank, ...},\n"
        "                  slurm: {known, trouble, partition, cpus, idle_cpus,\n"
        "                  start_s: from now, limits: [{limit, exceeded}], tasks},\n"
        "                  sbatch: [[WORD]], notes: [of tables]}",
    .run = run};
