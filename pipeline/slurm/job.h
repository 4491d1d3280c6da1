/* job.h - what a task of an array does: finds its member by its slot, checks that the stage
 * before is done, runs the attempt, and sees to it that the member goes on.
 *
 * Slurm's dependencies are hints: a dependant may start although what it waits for has failed, when
 * that left the queue's memory. So the end-record of the stage before decides here.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EGUARD when the stage before is not done; the status of the attempt otherwise.
 *         SL_EAGAIN when the member will go on by itself or another job works on it
 * Owns    nothing
 * MPI     local; starts MPI programs
 * Where   host of a node, inside a job
 * Refs    none
 * Tests   tests/slurm/restart.sh, tests/slurm/guard.sh
 */
#ifndef SL_PIPELINE_SLURM_JOB_H
#define SL_PIPELINE_SLURM_JOB_H

#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/stage.h"

/* generation counts from 1, as in the names of jobs and tables. */
int sl_slurm_job(const struct sl_campaign *campaign, enum sl_stage stage, int generation);

#endif
