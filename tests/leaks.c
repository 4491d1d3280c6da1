/* leaks.c - linked into every test under the address sanitizer: makes it look for leaks while MPI
 * is still there.
 *
 * Open MPI unloads its plugins when it ends, and what they keep for good looks like leaks of nobody
 * then. So what MPI_Init makes is not counted, and the search is made at the beginning of
 * MPI_Finalize: what a test owns must be free by then. Tests without MPI are searched at their end,
 * as usual. */
#include <mpi.h>
#include <sanitizer/lsan_interface.h>

int MPI_Init(int *argc, char ***argv)
{
    __lsan_disable();
    int code = PMPI_Init(argc, argv);
    __lsan_enable();
    return code;
}

int MPI_Finalize(void)
{
    __lsan_do_leak_check();
    return PMPI_Finalize();
}

/* What these libraries lose by themselves: a few bytes per process, and what belongs to damaged
 * files. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpmix\nleak:libopen-pal\nleak:libhdf5_openmpi\n";
}
