/* flux_register.c - fluxes that a device keeps through sides of blocks; see tests/flux_register.h.
 *
 * ranks: 1 2
 * emulated: 2
 */
#include "gpu/flux_register.h"
#include "gpu/cuda.h"
#include "tests/flux_register.h"

void fluxes_get(const struct sl_sim *sim, sl_real *fine, sl_real *coarse)
{
    assert_null(sl_device_register_get(sl_cuda_device(sim)->on, fine, coarse));
}

static void plain(void **unused)
{
    (void)unused;
    try_plain("cuda");
}

static void repaired(void **unused)
{
    (void)unused;
    try_repaired("cuda");
}

static void flattened(void **unused)
{
    (void)unused;
    try_flattened("cuda");
}

static void halved(void **unused)
{
    (void)unused;
    try_halved("cuda");
}

static void listed(void **unused)
{
    (void)unused;
    try_listed("cuda");
}

static void refused(void **unused)
{
    (void)unused;
    try_refused("cuda");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain),     cmocka_unit_test(repaired),
                                       cmocka_unit_test(flattened), cmocka_unit_test(halved),
                                       cmocka_unit_test(listed),    cmocka_unit_test(refused)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
