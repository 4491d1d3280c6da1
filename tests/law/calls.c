/* calls.c - what a step costs in messages: calls of MPI and bytes per step and rank, counted in the calls themselves
 * (the profiling interface of MPI). A plain step is one reduction besides the messages to neighbours; nothing grows with the number of
 * ranks but the messages to those that share faces, or cells of a Fourier transform.
 *
 * ranks: 1 2 4
 */
#include "tests/law.h"

static struct {
    int reductions, all_to_all, gathers, sends, broadcasts;
    double bytes; /* sent to other ranks */
} count;

static double bytes_of(int n, MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    return (double)n * size;
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count.reductions++;
    count.bytes += bytes_of(n, type);
    return PMPI_Allreduce(in, out, n, type, op, comm);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    count.broadcasts++;
    return PMPI_Bcast(data, n, type, root, comm);
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    count.sends += to != rank;
    count.bytes += to != rank ? bytes_of(n, type) : 0;
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count.sends++;
    return PMPI_Send(data, n, type, to, tag, comm);
}

int MPI_Alltoallv(const void *in, const int *in_count, const int *in_first, MPI_Datatype in_type,
                  void *out, const int *out_count, const int *out_first, MPI_Datatype out_type,
                  MPI_Comm comm)
{
    count.all_to_all++;
    return PMPI_Alltoallv(in, in_count, in_first, in_type, out, out_count, out_first, out_type,
                          comm);
}

int MPI_Allgatherv(const void *in, int n, MPI_Datatype type, void *out, const int *out_count,
                   const int *out_first, MPI_Datatype out_type, MPI_Comm comm)
{
    count.gathers++;
    return PMPI_Allgatherv(in, n, type, out, out_count, out_first, out_type, comm);
}

enum { STEPS = 5 };

/* Counts of STEPS steps, after two that make what is made once. */
static void count_steps(const char *recipe)
{
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, law_waves, &f), SL_OK);
    law_advance(f, 2);
    memset(&count, 0, sizeof count);
    law_advance(f, STEPS);
    assert_int_equal(f->sim->state.cells_repaired, 0);
    fluid_free(f);
}

static int ranks(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

#define BOX "mesh: {cells: [32, 16, 16], block: [8]}\nfluid.cfl: 0.2\n"

/* Blocks of other ranks lie on all sides of one: no more messages in a stage than there are other ranks. */
static void plain(void **unused)
{
    (void)unused;
    count_steps(BOX);
    assert_int_equal(count.reductions, STEPS);
    assert_int_equal(count.all_to_all + count.gathers + count.broadcasts, 0);
    assert_true(count.sends <= 2 * STEPS * (ranks() - 1));
    count_steps(BOX "fluid.mhd: ct\n");
    assert_int_equal(count.reductions, STEPS);
}

static void print_counts(const char *what)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%s on %d: %g reductions, %g messages, %g bytes a step\n", what, ranks(),
               (double)count.reductions / STEPS, (double)count.sends / STEPS, count.bytes / STEPS);
}

/* Twice a transpose to rows and back, once the density to planes and along three axes the accelerations to blocks, and the
 * edges of the potential. */
static void gravity(void **unused)
{
    (void)unused;
    count_steps(BOX "gravity.four_pi_g: 1\n");
    print_counts("self-gravity");
    assert_int_equal(count.all_to_all + count.gathers + count.broadcasts, 0);
    assert_true(count.reductions <= 6 * STEPS);
    assert_true(count.sends <= STEPS * (2 + 2 + 4) * (ranks() - 1));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(gravity),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
