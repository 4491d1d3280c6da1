/* launch.c - the words that start ranks, for each launcher and binding, and the sharing of
 * devices. */
#include "pipeline/launch/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sys/status.h"

/* All words but the last, which is the program's path. */
static const char *words(const struct sl_launch *launch, int ranks)
{
    static char text[1000];
    struct sl_args args = {.n = 0};
    text[0] = '\0';
    assert_int_equal(sl_launch_words(&args, launch, ranks, "launch"), SL_OK); /* this program */
    for (int i = 0; i < args.n; i++) {
        const char *word = strrchr(args.list[i], '/') ? strrchr(args.list[i], '/') : args.list[i];
        strncat(text, i ? " " : "", 2);
        strncat(text, word, 100);
    }
    sl_args_release(&args);
    return text;
}

static void launchers(void **state)
{
    (void)state;
    struct sl_launch l = {.by = SL_LAUNCHER_srun, .mpi = "pmix", .nodes = 1};
    assert_string_equal(words(NULL, 3), "mpirun -n 3 --bind-to none /launch");
    assert_string_equal(getenv("SLUICE_RANKS"), "3");
    assert_string_equal(getenv("SLUICE_GPUS"), "0");
    assert_string_equal(words(&l, 2),
                        "srun --ntasks=2 --nodes=1 --kill-on-bad-exit=1 --mpi=pmix /launch");
    assert_int_equal(setenv("SLURM_CPUS_PER_TASK", "4", 1), 0);
    l.mpi = "";
    assert_non_null(strstr(words(&l, 2), "--kill-on-bad-exit=1 --cpus-per-task=4 /launch"));
    assert_int_equal(unsetenv("SLURM_CPUS_PER_TASK"), 0);
    l.shared = true;
    assert_non_null(strstr(words(&l, 2), "--exact --mem=0 /launch"));
    l = (struct sl_launch){.by = SL_LAUNCHER_mpirun, .mpi = "", .nodes = 2};
    assert_string_equal(words(&l, 5), "mpirun -n 5 --map-by ppr:3:node --bind-to none /launch");
}

/* Only where all ranks are here, and nobody chose drivers. */
static void networks(void **state)
{
    (void)state;
    struct sl_launch l = {.by = SL_LAUNCHER_mpirun, .mpi = "", .nodes = 2};
    unsetenv("OMPI_MCA_pml");
    unsetenv("OMPI_MCA_mtl");
    unsetenv("OMPI_MCA_btl");
    words(&l, 2);
    assert_null(getenv("OMPI_MCA_mtl"));
    assert_int_equal(setenv("OMPI_MCA_pml", "cm", 1), 0);
    words(NULL, 2);
    assert_null(getenv("OMPI_MCA_mtl"));
    assert_string_equal(getenv("OMPI_MCA_pml"), "cm");
    unsetenv("OMPI_MCA_pml");
    words(NULL, 2);
    assert_string_equal(getenv("OMPI_MCA_mtl"), "^ofi,psm,psm2");
    words(&l, 2); /* as the job that goes on on more nodes, which has the environment of this one */
    assert_null(getenv("OMPI_MCA_mtl"));
    assert_null(getenv("OMPI_MCA_pml"));
}

static void bindings(void **state)
{
    (void)state;
    struct sl_launch l = {.by = SL_LAUNCHER_srun, .mpi = "", .nodes = 2, .gpus = 2};
    assert_non_null(strstr(words(&l, 4), "--gres=gpu:2 /launch"));
    l.bind = SL_BIND_task;
    assert_non_null(strstr(words(&l, 4), "--gpus-per-task=1 /launch"));
    assert_non_null(strstr(words(&l, 8), "--gres=gpu:2 /launch")); /* ranks share devices */
    l.bind = SL_BIND_wrapper;
    assert_non_null(strstr(words(&l, 4), "--gres=gpu:2 /launch rank /launch"));
    l.by = SL_LAUNCHER_mpirun;
    assert_non_null(strstr(words(&l, 4), "none /launch rank /launch"));
    l.bind = SL_BIND_task; /* which mpirun cannot do by itself */
    assert_non_null(strstr(words(&l, 4), "none /launch rank /launch"));
    l.gpus = 0;
    assert_null(strstr(words(&l, 4), "rank"));
    assert_int_equal(sl_bind_find("per-task"), SL_BIND_task);
    assert_int_equal(sl_bind_find("none"), -1);
    assert_int_equal(sl_launcher_find("srun"), SL_LAUNCHER_srun);
}

static void devices(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        int part, parts;
        const char *want;
    } rows[] = {{"0,1,2,3", 0, 2, "0,1"},   {"0,1,2,3", 1, 2, "2,3"}, {"0,1,2,3", 3, 4, "3"},
                {"4,7", 5, 6, "7"},         {"4,7", 4, 6, "4"},       {"", 0, 2, ""},
                {"GPU-7f", 0, 1, "GPU-7f"}, {"a,b,c", 0, 2, "a"},     {"a,b,c", 1, 2, "b,c"}};
    char text[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sl_launch_devices(rows[i].list, rows[i].part, rows[i].parts, text, sizeof text);
        assert_string_equal(text, rows[i].want);
    }
}

static void local_rank(void **state)
{
    (void)state;
    unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
    assert_int_equal(setenv("SLURM_LOCALID", "3", 1), 0);
    assert_int_equal(sl_launch_local_rank(), 3);
    assert_int_equal(setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1), 0);
    assert_int_equal(sl_launch_local_rank(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launchers), cmocka_unit_test(networks),   cmocka_unit_test(bindings),
        cmocka_unit_test(devices),   cmocka_unit_test(local_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
