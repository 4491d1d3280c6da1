/* peak.c - see peak.h. */
#include "core/sys/peak.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/sys/memory.h"
#include "core/sys/status.h"

static const double mega = 1 << 20;

void sl_peak_tell(MPI_Comm comm)
{
    struct rusage use;
    int rank;
    double own = getrusage(RUSAGE_SELF, &use) == 0 ? 1024 * (double)use.ru_maxrss : 0, most, all;
    MPI_Comm_rank(comm, &rank);
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    if (rank == 0)
        sl_log(SL_LOG_NOTE, SL_MEMORY_HEAD "%.1f" SL_MEMORY_TAIL ", %.1f MiB in all", most / mega,
               all / mega);
}

void sl_peak_begin(void)
{
    malloc_trim(0); /* what was freed counts no more */
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, "5", 1) != 1) sl_log(SL_LOG_INFO, "memory is counted from the start");
    close(fd);
}
