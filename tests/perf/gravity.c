/* gravity.c - what gravity takes on the processor; see gravity.h. ranks: any */
#include "tests/perf/gravity.h"

#include <fftw3.h>

static const char *const cases = GRAVITY_CASES(
    "gravity", "mesh.cells=[128,128,128] mesh.block=[32]", "mesh.cells=[64,64,64] mesh.block=[32]",
    "mesh.cells=[64,64,64] mesh.block=[16] mesh.levels=2");

/* Of FFTW, by the plans that it measures to be the fastest; of one rank. */
static double transforms(const struct sl_sim *sim, const int n[3])
{
    enum { ROUNDS = 5 };
    size_t values = (size_t)n[2] * (size_t)n[1] * (size_t)(n[0] / 2 + 1) * 2;
    double best = 0, *box = fftw_malloc(values * sizeof *box);
    if (!box || sim->state.mesh->size > 1) return fftw_free(box), 0;
    fftw_plan forth =
                  fftw_plan_dft_r2c_3d(n[2], n[1], n[0], box, (fftw_complex *)box, FFTW_MEASURE),
              back = fftw_plan_dft_c2r_3d(n[2], n[1], n[0], (fftw_complex *)box, box, FFTW_MEASURE);
    memset(box, 0, values * sizeof *box);
    for (int i = 0; i < ROUNDS; i++) {
        double start = amr_now();
        fftw_execute(forth);
        fftw_execute(back);
        double took = amr_now() - start;
        best = i == 0 ? took : fmin(best, took);
    }
    fftw_destroy_plan(forth);
    fftw_destroy_plan(back);
    fftw_free(box);
    return best;
}

int main(int argc, char **argv)
{
    return gravity_main(cases, "resources.backend: cpu\n", transforms, argc, argv);
}
