/* script.h - the batch script of every job: constant; what to run stands in its arguments.
 *
 *   script PROGRAM N MODULE1 .. MODULEN CAMPAIGN STAGE GENERATION
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    constants
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/slurm/submit.sh
 */
#ifndef SL_PIPELINE_SLURM_SCRIPT_H
#define SL_PIPELINE_SLURM_SCRIPT_H

/* Relative to the campaign's directory. */
static const char sl_slurm_script_path[] = "slots/batch.sh";

static const char sl_slurm_script[] =
    "#!/bin/bash\n"
    "# The batch script of sluice: the same for every job. Arguments: program, number of modules,\n"
    "# modules, and what the program is to do.\n"
    "program=$1 modules=$2\n"
    "shift 2\n"
    "if [ \"$modules\" -gt 0 ] && ! type module >/dev/null 2>&1; then\n"
    "    . \"${LMOD_PKG:-${MODULESHOME:-/usr/share/modules}}/init/bash\" || exit 69\n"
    "fi\n"
    "while [ \"$modules\" -gt 0 ]; do\n"
    "    module load \"$1\" || exit 69\n"
    "    modules=$((modules - 1))\n"
    "    shift\n"
    "done\n"
    "exec \"$program\" job \"$@\"\n";

#endif
