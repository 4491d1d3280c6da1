/* hold.h - what `sluice hold` and `sluice release` have in common: their words, their answer.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EUNAVAIL
 * Owns    nothing
 * MPI     local
 * Where   host that may call scontrol
 * Refs    none
 * Tests   tests/slurm/control.sh
 */
#ifndef SL_PIPELINE_SLURM_HOLD_H
#define SL_PIPELINE_SLURM_HOLD_H

#include "pipeline/campaign/executor.h"

/* what: SL_CONTROL_HOLD or SL_CONTROL_RELEASE; usage as in options.h. */
int sl_hold_run(enum sl_control what, const char *usage, int argc, char **argv);

/* Of both verbs. */
extern const char sl_hold_help[];

#endif
