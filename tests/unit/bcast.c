/* bcast.c - every rank gets what rank 0 read, or every rank gets its failure.
 * ranks: 1 2 3
 */
#include "core/config/bcast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/config/config.h"
#include "core/lists/riemann_list.h"
#include "core/sys/status.h"

static int rank;

static void all_get_the_same(void **state)
{
    (void)state;
    /* only rank 0 has the file: the others must not read */
    char path[64] = "/nowhere/run.yaml";
    if (rank == 0) {
        snprintf(path, sizeof path, "/tmp/sluice-share-%ld.yaml", (long)getpid());
        FILE *f = fopen(path, "w");
        fputs("campaign: c\nproblem: sod\nmesh.cells: [64, 32]\ntime.end: 2\n", f);
        fclose(f);
    }
    struct sl_config cfg;
    char *more[] = {"seed=41", "fluid.riemann=roe"};
    assert_int_equal(sl_config_bcast(MPI_COMM_WORLD, path, more, 2, &cfg), SL_OK);
    assert_int_equal(cfg.seed, 41);
    assert_int_equal(cfg.fluid_riemann, SL_RIEMANN_roe);
    assert_int_equal(cfg.mesh_cells_n, 2);
    assert_int_equal(cfg.mesh_cells[1], 32);
    assert_string_equal(cfg.campaign, "c");
    if (rank == 0) unlink(path);
}

static void all_get_the_failure(void **state)
{
    (void)state;
    struct sl_config cfg = {.seed = 5};
    assert_int_equal(sl_config_bcast(MPI_COMM_WORLD, "/nowhere/run.yaml", NULL, 0, &cfg),
                     SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "/nowhere/run.yaml: cannot be read"));
    assert_int_equal(cfg.seed, 5);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_get_the_same),
        cmocka_unit_test(all_get_the_failure),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
