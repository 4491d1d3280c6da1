/* detect.h - asks Slurm what a cluster is like, for the site file.
 *
 * Shapes  none
 * Units   MiB
 * Errors  SL_EUNAVAIL without Slurm
 * Owns    nothing
 * MPI     local
 * Where   host that may call Slurm's commands
 * Refs    scontrol(1), srun(1), sinfo(1), sacctmgr(1), slurm.conf(5)
 * Tests   tests/unit/slurm_site.c, tests/slurm/launch.sh
 */
#ifndef SL_PIPELINE_SLURM_DETECT_H
#define SL_PIPELINE_SLURM_DETECT_H

#include "pipeline/base/buffer.h"
#include "pipeline/launch/site.h"

/* Fills in what Slurm tells; `notes` receives a line for each thing a person should know. */
int sl_slurm_detect(struct sl_site *site, struct sl_buffer *notes);
/* What detect does with the answers of scontrol show config, srun --mpi=list, sinfo (which is
 * changed) and sacctmgr. */
void sl_slurm_learn_config(struct sl_site *site, const char *text, struct sl_buffer *notes);
void sl_slurm_learn_mpi(struct sl_site *site, const char *text, struct sl_buffer *notes);
void sl_slurm_learn_nodes(struct sl_site *site, char *text, struct sl_buffer *notes);
void sl_slurm_learn_limits(struct sl_site *site, const char *text, struct sl_buffer *notes);

#endif
