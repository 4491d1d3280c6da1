/* cores.c - see cores.h. */
#include "pipeline/launch/cores.h"

#include <sched.h>
#include <stdio.h>

/* Share of cores that the control group grants; 0: no limit. */
static double cgroup_cores(void)
{
    long quota = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (f) {
        if (fscanf(f, "%ld %ld", &quota, &period) != 2) quota = 0;
        fclose(f);
    }
    return quota > 0 && period > 0 ? (double)quota / (double)period : 0;
}

int sl_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    double limit = cgroup_cores();
    if (limit > 0 && limit < n) n = limit < 1 ? 1 : (int)limit;
    return n;
}
