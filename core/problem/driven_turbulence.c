/* driven_turbulence.c - a uniform gas at rest in a periodic box, for driving.* to stir; with a
 * uniform magnetic field along x (MHD). The width of the densities over the Mach number: Federrath
 * et al. 2010, equations 3 and 17. */
#include <math.h>
#include <stdlib.h>

#include "core/cell/eos.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/sys/status.h"

SL_PROBLEM(driven_turbulence, 0, "uniform gas at rest in a periodic box, stirred by driving.*")
SL_SHOW(driven_turbulence, "turbulence energies spectra", "density",
        "mach_rms_end density_sigma solenoidal_share")
SL_REAL_KEY(driven_turbulence_density, "driven_turbulence.density", "1", 1e-30, 1e30, none,
            "density of the start")
SL_REAL_KEY(driven_turbulence_pressure, "driven_turbulence.pressure", "1", 1e-30, 1e30, none,
            "pressure of the start (ideal gas)")
SL_REAL_KEY(driven_turbulence_magnetic, "driven_turbulence.magnetic", "0", -1e30, 1e30, none,
            "uniform magnetic field along x (MHD)")

SL_RULE(driven_turbulence, driving_acceleration,
        cfg->driving_acceleration > 0 || cfg->driving_power > 0,
        "problem driven_turbulence needs a force: this key, or driving.power, above 0")
SL_RULE(driven_turbulence, driven_turbulence_magnetic,
        cfg->fluid_mhd != SL_MHD_none || cfg->driven_turbulence_magnetic == 0,
        "needs a magnetic field: fluid.mhd: glm or ct")

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double cs2 = cfg->fluid_sound_speed * cfg->fluid_sound_speed;
    (void)lo, (void)hi, (void)t;
    prim[0] = cfg->driven_turbulence_density;
    prim[4] = cfg->fluid_eos == SL_EOS_isothermal ? prim[0] * cs2 : cfg->driven_turbulence_pressure;
    prim[SL_PRIM_B] = cfg->driven_turbulence_magnetic;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

enum { MACH, MACH2, ALFVEN, LOG, LOG2, SUMS };

/* Sums over the cells of a row: Mach number and its square, that of Alfven, ln(rho) and its
 * square. */
static void add_row(const struct sl_state *run, const struct sl_whole *w, int k, int j,
                    double sum[SUMS])
{
    for (int i = 0; i < w->n[0]; i++) {
        double rho = sl_whole_at(w, 0, k, j, i), p = sl_whole_at(w, 4, k, j, i);
        double speed2 = 0, field2 = 0;
        for (int d = 0; d < 3; d++) {
            speed2 += pow(sl_whole_at(w, 1 + d, k, j, i), 2);
            field2 += pow(sl_whole_at(w, SL_WHOLE_B + d, k, j, i), 2);
        }
        double cs = (double)sl_sound_speed(&run->gas, (sl_real)rho, (sl_real)p), s = log(rho);
        sum[MACH] += sqrt(speed2) / cs;
        sum[MACH2] += speed2 / (cs * cs);
        if (field2 > 0) sum[ALFVEN] += sqrt(rho * speed2 / field2);
        sum[LOG] += s;
        sum[LOG2] += s * s;
    }
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    double sum[SUMS] = {0};
    (void)data;
    SL_TRY(sl_whole_init(run, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            add_row(run, &w, k, j, sum);
    double cells = (double)w.n[0] * w.n[1] * w.n[2];
    sl_whole_release(&w);
    double variance = sum[LOG2] / cells - pow(sum[LOG] / cells, 2);
    sl_measure(out, "mach_mean", "mean over the volume of the Mach number |v| / c_s",
               sum[MACH] / cells);
    if (run->layout.magnetic >= 0)
        sl_measure(out, "alfven_mach_mean",
                   "mean over the volume of the Alfven Mach number |v| / v_A", sum[ALFVEN] / cells);
    if (run->layout.magnetic < 0 && sum[MACH2] > 0) /* with a field the relation is another */
        sl_measure(
            out, "density_width_b",
            "b of sigma_s^2 = ln(1 + b^2 M^2), with s the logarithm of the density and M the rms "
            "Mach number: 1/3 for solenoidal, 1 for compressive driving (Federrath et al. 2010)",
            sqrt(expm1(fmax(variance, 0)) * cells / sum[MACH2]));
    return SL_OK;
}

const struct sl_problem sl_problem_driven_turbulence = {.name = "driven_turbulence",
                                                        .open = sl_problem_keep,
                                                        .close = free,
                                                        .state = state,
                                                        .measure = measure};
