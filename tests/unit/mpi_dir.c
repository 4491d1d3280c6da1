/* mpi_dir.c - which starts get a directory of their own, where it lies, and that only it is
 * removed. */
#include "pipeline/launch/mpi_dir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/sys/status.h"

static char top[] = "/tmp/mpi_dir.XXXXXX";

static bool there(const char *name)
{
    char path[SL_PATH_MAX];
    assert_int_equal(sl_disk_join(path, "%s/%s", top, name), SL_OK);
    return sl_disk_exists(path);
}

static void makes_and_removes(void **state)
{
    (void)state;
    char path[SL_PATH_MAX], below[SL_PATH_MAX];
    assert_int_equal(sl_mpi_dir_make(path, NULL, "a1"), SL_OK);
    assert_true(there("base/sluice-mpi-a1"));
    assert_int_equal(sl_disk_join(below, "%s/ompi.node.0/pid.7", path), SL_OK);
    assert_int_equal(sl_mkdir_all(below), SL_OK);
    assert_int_equal(sl_mpi_dir_make(path, NULL, "a2"), SL_OK);
    sl_mpi_dir_remove("a1");
    assert_false(there("base/sluice-mpi-a1"));
    assert_true(there("base/sluice-mpi-a2"));
    sl_mpi_dir_remove("a1"); /* nothing */
}

static void only_where_it_helps(void **state)
{
    (void)state;
    char path[SL_PATH_MAX];
    struct sl_launch l = {.by = SL_LAUNCHER_srun, .mpi = "", .nodes = 1};
    assert_int_equal(sl_mpi_dir_make(path, &l, "b"), SL_OK);
    assert_string_equal(path, "");
    l = (struct sl_launch){.by = SL_LAUNCHER_mpirun, .mpi = "", .nodes = 2};
    assert_int_equal(sl_mpi_dir_make(path, &l, "b"), SL_OK);
    assert_string_equal(path, "");
    assert_int_equal(setenv("OMPI_MCA_orte_local_tmpdir_base", "/tmp", 1), 0);
    assert_int_equal(sl_mpi_dir_make(path, NULL, "b"), SL_OK);
    assert_string_equal(path, "");
    assert_int_equal(unsetenv("OMPI_MCA_orte_local_tmpdir_base"), 0);
    assert_false(there("base/sluice-mpi-b"));
}

/* A claim that somebody has written by hand. */
static void leads_nowhere_else(void **state)
{
    (void)state;
    char path[SL_PATH_MAX];
    assert_int_equal(sl_mpi_dir_make(path, NULL, "c"), SL_OK);
    assert_int_equal(sl_disk_join(path, "%s/mine", top), SL_OK);
    assert_int_equal(sl_mkdir_all(path), SL_OK);
    sl_mpi_dir_remove("c/../../mine");
    assert_true(there("mine"));
    sl_mpi_dir_remove("");
    assert_int_equal(sl_mpi_dir_make(path, NULL, "c/d"), SL_EINPUT);
}

int main(void)
{
    static char base[64];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_and_removes),
        cmocka_unit_test(only_where_it_helps),
        cmocka_unit_test(leads_nowhere_else),
    };
    if (!mkdtemp(top)) return 1;
    strcat(strcat(base, top), "/base");
    if (setenv(SL_MPI_DIR_NAME, base, 1) != 0) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sl_disk_remove(top);
    return failed;
}
