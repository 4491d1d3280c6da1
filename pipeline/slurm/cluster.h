/* cluster.h - what the cluster says to a plan: its limits, how much of it is free, and when a
 * first task could start (`sbatch --test-only`, which submits nothing).
 *
 * Three calls: scontrol show config, sinfo, sbatch. A cluster that does not answer leaves its part
 * unknown; that is no error.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EMEM
 * Owns    what sl_cluster_release frees
 * MPI     local
 * Where   host that may call Slurm's commands
 * Refs    sbatch(1), sinfo(1), slurm.conf(5)
 * Tests   tests/unit/slurm.c, tests/slurm/plan.sh
 */
#ifndef SL_PIPELINE_SLURM_CLUSTER_H
#define SL_PIPELINE_SLURM_CLUSTER_H

#include <jansson.h>

#include "pipeline/launch/site.h"
#include "pipeline/plan/plan.h"

/* -1: not known. */
struct sl_cluster {
    bool asked, answers;
    char trouble[256];
    char partition[64];
    long long cpus, idle_cpus; /* of the partition; cpus without those that are down */
    long long node_cpus;       /* of a node, the smallest */
    double time_limit;         /* of the partition; INFINITY for none */
    double min_age;            /* seconds that Slurm remembers a job that has ended */
    double requeue;            /* seconds that a requeued task waits */
    long long max_jobs;        /* of the controller */
    double start;              /* seconds from now until a first task would start */
};

/* `call`: words of the first call of sbatch, NULL: no test of the start. */
void sl_cluster_ask(struct sl_cluster *cluster, const char *partition, const json_t *call);
/* Nothing is known. */
void sl_cluster_unknown(struct sl_cluster *cluster);

/* Members that can run at once, with all CPUs and with those that are idle. */
int sl_cluster_at_once(const struct sl_cluster *cluster, const struct sl_plan *plan,
                       long long throttle, bool idle);

/* A sentence per limit that applies, in `list` as {limit, exceeded}. tasks, arrays: of the plan. */
struct sl_request_size {
    long long tasks, arrays, calls;
};
int sl_cluster_limits(const struct sl_cluster *cluster, const struct sl_site *site,
                      const struct sl_plan *plan, const struct sl_request_size *size, json_t *list);

/* For tests: the texts of the three commands. */
void sl_cluster_read_config(struct sl_cluster *cluster, const char *text);
void sl_cluster_read_sinfo(struct sl_cluster *cluster, const char *partition, char *text);
/* `now`: seconds since 1970; false when the text tells no start. */
bool sl_cluster_read_start(struct sl_cluster *cluster, const char *text, double now);

#endif
