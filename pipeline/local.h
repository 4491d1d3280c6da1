/* local.h - the executor of one machine: starts tasks side by side where the cores suffice.
 *
 * Every attempt is a process `sluice task`, as on a cluster; this one only decides what starts
 * when, and may die at any moment: the tasks then stop with a checkpoint, and the next run goes on.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EAGAIN when another run of the campaign is under way, SL_EMEMBER when members failed,
 *         SL_EINTR when interrupted, SL_EUNAVAIL when a member needs more cores than there are
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/law/kill.sh
 */
#ifndef SL_PIPELINE_LOCAL_H
#define SL_PIPELINE_LOCAL_H

#include <stdint.h>

#include "pipeline/campaign.h"

/* Failures made on purpose, to rehearse a campaign. */
struct sl_inject {
    double kill;     /* probability that an attempt loses a process to SIGKILL */
    double walltime; /* limit of every attempt in seconds, 0: resources.walltime of the member */
    uint64_t seed;   /* 0: chosen and printed */
};

struct sl_local {
    int cores; /* 0: what the machine has */
    bool oversubscribe;
    struct sl_inject inject;
};

/* Cores that this process may use: affinity and the limits of its control group. */
int sl_local_cores(void);
/* "kill=0.2,walltime=30s,seed=7" */
int sl_inject_parse(const char *text, struct sl_inject *inject);

/* Runs what is left of the campaign; reads its members again when it is extended meanwhile. */
int sl_local_run(struct sl_campaign *campaign, const struct sl_local *options);

#endif
