/* site.h - what a cluster is like: detected once by `sluice site` (slurm/detect.h), kept in a file
 * that a person may mend, and read by everything that speaks to Slurm.
 *
 * Shapes  the file is a flat YAML mapping, one key of SL_SITE_LIST per line
 * Units   seconds
 * Errors  SL_EINPUT with file:line for a key or a value that is none; SL_EGUARD for a file that
 *         others may write (it names modules and options of commands); SL_EUSAGE, SL_EIO
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    slurm.conf(5)
 * Tests   tests/unit/slurm_site.c, tests/slurm/launch.sh
 */
#ifndef SL_PIPELINE_LAUNCH_SITE_H
#define SL_PIPELINE_LAUNCH_SITE_H

#include <stdbool.h>

#include "pipeline/base/buffer.h"
#include "pipeline/base/disk.h"

enum { SL_SITE_TEXT = 256 };

/* INT(member, default, least, most, "sentence")   TEXT(member, default, "sentence")
 * WORD(member, default, "choice choice ...", "sentence") */
#define SL_SITE_LIST(INT, TEXT, WORD)                                                              \
    INT(max_array, 1001, 2, 4000001, "MaxArraySize: indices of an array are below it")             \
    INT(max_submit, 0, 0, 100000000,                                                               \
        "tasks that one `sluice submit` may bring into the queue; "                                \
        "0: no limit of our own")                                                                  \
    INT(requeue, 1, 0, 1, "jobs may be requeued; 0: a successor is submitted instead")             \
    INT(throttle, 0, 0, 1000000, "members that may run at once; 0: as many as fit")                \
    INT(accounting, 0, 0, 1, "sacct answers")                                                      \
    INT(doubt, 120, 1, 3600, "seconds until a submission without an answer counts as not made")    \
    INT(cancel_blocked, 0, 0, 1,                                                                   \
        "ask Slurm to cancel what waits for something that failed (--kill-on-invalid-dep)")        \
    INT(pack, 1, 0, 1024,                                                                          \
        "members side by side in one task, on one node; 0: as many as its cores and GPUs hold "    \
        "(where jobs get whole nodes)")                                                            \
    INT(cores, 0, 0, 65536, "cores of a node; 0: not known")                                       \
    INT(node_memory, 0, 0, 1000000000, "MiB of a node that jobs may have; 0: not known")           \
    INT(gpus, 0, 0, 64, "GPUs of a node")                                                          \
    WORD(gpu_request, "gpus-per-node", "gpus-per-node gres",                                       \
         "option of sbatch that requests GPUs")                                                    \
    TEXT(gpu_type, "", "type of GPU to request, as sinfo shows it in gpu:TYPE:N; empty: any")      \
    WORD(gpu_bind, "all-visible", "all-visible per-task wrapper",                                  \
         "what a rank sees: all GPUs of its node, its own by Slurm, its own by sluice")            \
    WORD(memory, "none", "none mem mem-per-cpu",                                                   \
         "option of sbatch that requests memory with resources.memory: auto; none: jobs need not " \
         "ask")                                                                                    \
    WORD(launch, "mpirun", "mpirun srun", "what starts the ranks")                                 \
    TEXT(mpi, "pmix", "how srun connects the ranks: pmix, pmi2, cray_shasta, none")                \
    INT(exclude_after, 2, 0, 1000,                                                                 \
        "failures of a node after which the campaign leaves it out; 0: never")                     \
    INT(exclude_hours, 24, 1, 8760, "hours for which such a node is left out")                     \
    INT(exclude_max, 8, 1, 64, "nodes left out at once")                                           \
    TEXT(account, "", "account that is charged")                                                   \
    TEXT(partition, "", "partition")                                                               \
    TEXT(qos, "", "quality of service")                                                            \
    TEXT(constraint, "", "features that nodes must have")                                          \
    TEXT(gres, "", "generic resources in addition to GPUs, e.g. nvme:1")                           \
    TEXT(modules, "", "environment modules to load, with spaces between them")

struct sl_site {
#define SL_SITE_INT(member, text, least, most, about) long long member;
#define SL_SITE_STR(member, text, about)              char member[SL_SITE_TEXT];
#define SL_SITE_ONE(member, text, choices, about)     char member[SL_SITE_TEXT];
    SL_SITE_LIST(SL_SITE_INT, SL_SITE_STR, SL_SITE_ONE)
#undef SL_SITE_INT
#undef SL_SITE_STR
#undef SL_SITE_ONE
};

void sl_site_default(struct sl_site *site);
/* The file: SLUICE_SITE, or sluice/site.yaml in the user's directory of settings. */
int sl_site_path(char path[SL_PATH_MAX]);
/* Reads the file; defaults where it is not there. *found (may be NULL) tells whether it was. */
int sl_site_read(struct sl_site *site, bool *found);
void sl_site_print(const struct sl_site *site, struct sl_buffer *text);
/* Calls each() for every key: number or text, as they stand. */
void sl_site_each(const struct sl_site *site,
                  void (*each)(const char *key, const char *text, bool number, void *user),
                  void *user);

#endif
