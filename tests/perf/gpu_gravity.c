/* gpu_gravity.c - what gravity takes on devices; see gravity.h. ranks: any */
#include "tests/perf/gravity.h"

#include "gpu/device.h"
#include "gpu/fft.h"

/* Where gpu/ is linked. */
#pragma weak sl_device_new
#pragma weak sl_device_free
#pragma weak sl_device_values_new
#pragma weak sl_device_stream
#pragma weak sl_device_wait
#pragma weak sl_fft_open
#pragma weak sl_fft_close
#pragma weak sl_fft_plan_box
#pragma weak sl_fft_forth
#pragma weak sl_fft_back

static const char *const cases =
    GRAVITY_CASES("gpu_gravity", "mesh.cells=[256,256,256] mesh.block=[128]",
                  "mesh.cells=[256,256,256] mesh.block=[128]",
                  "mesh.cells=[128,128,128] mesh.block=[16] mesh.levels=2");

/* Seconds of a pair, of a box of so many doubles in the memory of the device; 0: it cannot be. */
static double pairs(struct sl_device *on, struct sl_fft *fft, const int n[3])
{
    enum { ROUNDS = 20 };
    size_t values = (size_t)n[2] * (size_t)n[1] * (size_t)(n[0] / 2 + 1) * 2;
    double start = 0;
    sl_real *memory = NULL;
    if (sl_device_values_new(on, values * sizeof(double) / sizeof(sl_real), &memory) ||
        sl_fft_plan_box(fft, n, sl_device_stream(on)) != SL_OK)
        return 0;
    for (int i = -1; i < ROUNDS; i++) {
        if (i == 0 && !sl_device_wait(on)) start = amr_now();
        if (sl_fft_forth(fft, (double *)memory) != SL_OK ||
            sl_fft_back(fft, (double *)memory) != SL_OK)
            return 0;
    }
    return sl_device_wait(on) ? 0 : (amr_now() - start) / ROUNDS;
}

/* Of cuFFT, on a device beside the run. */
static double transforms(const struct sl_sim *sim, const int n[3])
{
    const struct sl_device_spec spec = {.dim = 3, .nvar = 1, .n = {8, 8, 8}, .nt = {8, 8, 8}};
    struct sl_device *on = NULL;
    struct sl_fft *fft = sim->state.mesh->size == 1 && sl_fft_open ? sl_fft_open() : NULL;
    double seconds = 0;
    if (fft && !sl_device_new(&spec, &on)) seconds = pairs(on, fft, n);
    if (fft) sl_fft_close(fft);
    if (on) sl_device_free(on);
    return seconds;
}

int main(int argc, char **argv)
{
    bool listed = argc == 2 && strcmp(argv[1], "--cases") == 0;
    if (listed && device_count() == 0) return 0;
    return gravity_main(cases, "resources.backend: cuda\n", transforms, argc, argv);
}
