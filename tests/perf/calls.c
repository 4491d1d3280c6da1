/* calls.c - calls of MPI and bytes per step and per output (tests/calls_cases.h): the largest of
 * all ranks, a line per case as a row of the table in calls.md. A rank has 8 blocks of 8^3 cells,
 * whatever their number.
 *
 *     calls                      all cases on the ranks that it is started on
 */
#include "tests/calls_cases.h"

static const char cases[] = "1 calls\n2 calls\n4 calls\n8 calls\n16 calls\n";

static int print(enum calls_number which, const char *dir)
{
    struct calls own, most;
    struct fluid *f;
    SL_TRY(calls_count(which, dir, &own, &f));
    fluid_free(f);
    PMPI_Reduce(&own, &most, (int)(sizeof own / sizeof(double)), MPI_DOUBLE, MPI_MAX, 0,
                MPI_COMM_WORLD);
    if (calls_rank(MPI_COMM_WORLD) != 0) return SL_OK;
    double sent = 0, received = 0;
    printf("| %s | %d |", calls_cases[which].about, calls_size(MPI_COMM_WORLD));
    for (int k = 0; k < CALLS_KINDS; k++) {
        printf(" %g |", most.of[k].calls);
        sent += most.of[k].sent, received += most.of[k].received;
    }
    printf(" %.0f | %.0f |\n", sent, received);
    fflush(stdout);
    return SL_OK;
}

static void print_head(void)
{
    printf("| what | ranks |");
    for (int k = 0; k < CALLS_KINDS; k++)
        printf(" %s |", calls_about[k]);
    printf(" bytes sent | received |\n");
}

static int run(void)
{
    char dir[256];
    int code = SL_OK;
    calls_scratch(dir);
    if (calls_size(MPI_COMM_WORLD) == 1) print_head();
    for (int c = 0; c < CALLS_CASE_COUNT && code == SL_OK; c++)
        code = print((enum calls_number)c, dir);
    if (calls_rank(MPI_COMM_WORLD) == 0) scratch_remove(dir);
    return code;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0)
        return sizeof(sl_real) == sizeof(double) && fputs(cases, stdout) < 0;
    MPI_Init(&argc, &argv);
    int code = run();
    if (code != SL_OK) fprintf(stderr, "calls: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
