/* diffusion.c - viscosity, conduction of heat and resistivity on a device: the processor's bits, in
 * 1, 2 and 3 dimensions, with each kind of field, with faces of the box, and in super time steps of
 * many stages.
 *
 * ranks: 1 2 4
 * emulated: 1 2
 */
#include "tests/gpu/same.h"

static void bits(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "[64]\nmesh.boundary: outflow\ndiffusion: {viscosity: 0.02, heat: 0.1}\n",
        "[32, 16]\nmesh.boundary: [reflecting, fixed]\ndiffusion: {viscosity: 0.1}\n"
        "fluid.eos: isothermal\nfluid.integrator: ctu\n",
        "[32, 16]\ndiffusion: {viscosity: 0.01, heat: 0.02, resistivity: 0.03}\n" PLASMA,
        "[32, 16]\nmesh.boundary: [periodic, outflow]\n"
        "diffusion: {viscosity: 0.01, resistivity: 0.1}\n" STAGGERED,
        "[16, 8, 16]\ndiffusion: {viscosity: 0.05, heat: 0.02}\nfluid.scalars: 1\n",
        "[16, 8, 16]\ndiffusion: {viscosity: 0.05, resistivity: 0.02}\nfluid.integrator: vl2\n"
        "fluid.eos: isothermal\n" STAGGERED};
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe, "mesh.block: [8]\nmesh.cells: %s", recipes[i]);
        same(recipe, waves, 5);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
