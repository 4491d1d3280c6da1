/* launch.h - how the ranks of a member are started, and which GPUs each of them sees.
 *
 * A launcher is a row of a table: mpirun, or srun within a job of Slurm. What the ranks should find
 * goes to them in the environment; the programs check it before they begin (core/sys/preflight.h).
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUNAVAIL when the program is not there, SL_EINPUT for an unknown name, SL_EMEM
 * Owns    nothing
 * MPI     local; no MPI call is made here
 * Where   host
 * Refs    srun(1), mpirun(1)
 * Tests   tests/unit/launch.c, tests/slurm/launch.sh
 */
#ifndef SL_PIPELINE_LAUNCH_LAUNCH_H
#define SL_PIPELINE_LAUNCH_LAUNCH_H

#include "pipeline/launch/child.h"

/* X(name, sentence) */
#define SL_LAUNCHER_LIST(X)                                                                        \
    X(mpirun, "the launcher of the MPI library")                                                   \
    X(srun, "Slurm itself")

/* X(name, word, sentence) */
#define SL_BIND_LIST(X)                                                                            \
    X(all, "all-visible", "every rank sees all GPUs of its node and takes one by its number")      \
    X(task, "per-task", "Slurm shows each rank its own GPU alone")                                 \
    X(wrapper, "wrapper", "sluice shows each rank its own GPU alone")

#define SL_LAUNCHER_ENUM(name, about) SL_LAUNCHER_##name,
enum sl_launcher { SL_LAUNCHER_LIST(SL_LAUNCHER_ENUM) SL_LAUNCHER_COUNT };
#define SL_BIND_ENUM(name, word, about) SL_BIND_##name,
enum sl_bind { SL_BIND_LIST(SL_BIND_ENUM) SL_BIND_COUNT };

struct sl_launch {
    enum sl_launcher by;
    enum sl_bind bind;
    const char *mpi; /* of srun: how it connects the ranks; "" for its own choice */
    int nodes;       /* of the member */
    int gpus;        /* of each of its nodes; 0: none are looked for */
    bool shared;     /* other members run in the same job */
};

/* Row of a name, -1 when there is none. */
int sl_launcher_find(const char *name);
int sl_bind_find(const char *word);

/* Adds the words that start `ranks` ranks of a program, and puts into the environment what mpirun
 * wants and what the ranks should find; launch NULL: mpirun, no GPUs looked for. */
int sl_launch_words(struct sl_args *args, const struct sl_launch *launch, int ranks,
                    const char *program);

/* Are all ranks processes of this host? launch as above. */
bool sl_launch_here(const struct sl_launch *launch);

/* The rank's number on its node, from what its launcher has left in the environment; 0 when nothing
 * tells. */
int sl_launch_local_rank(void);
/* Part `part` of `parts` of a list "0,1,GPU-7f": at least one device as long as there is one, the
 * same one for several parts when there are more parts than devices. */
void sl_launch_devices(const char *list, int part, int parts, char *text, size_t size);

#endif
