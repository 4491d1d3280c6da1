/* memory.h - the memory that a process may take here, and whether the kernel has ended processes
 * for want of it.
 *
 * Shapes  none
 * Units   bytes
 * Errors  none: what cannot be read limits nothing
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    cgroups(7); the kernel's cgroup-v2.rst (memory.max) and cgroup-v1/memory.rst
 *         (memory.limit_in_bytes)
 * Tests   tests/unit/memory.c, tests/cli/campaign.sh
 */
#ifndef SL_SYS_MEMORY_H
#define SL_SYS_MEMORY_H

/* The memory of the machine, or the lowest limit of the control groups that this process is in.
 * root: what stands before /proc and /sys, "" on a running system. */
double sl_memory_limit(const char *root);
/* Processes of our control group that the kernel has ended because memory was short, in the group
 * or on the machine; of the whole machine where groups do not count them: there what others lose
 * looks like ours. 0 where nothing counts them. */
long long sl_memory_kills(const char *root);

/* Around the number of MiB in the line that tells what a program took (peak.h). */
#define SL_MEMORY_HEAD "memory: "
#define SL_MEMORY_TAIL " MiB on the fullest rank"
/* The bytes in the last such line of a text; 0: there is none. */
double sl_memory_reported(const char *text);

#endif
