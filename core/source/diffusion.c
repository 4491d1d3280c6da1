/* diffusion.c - viscosity, conduction of heat and resistivity with constant coefficients: the
 * operators of core/cell/diffuse.h around the steps of the gas, for half a step before and half a
 * step after each.
 *
 * A half step is one super time step of s stages, RKL2 (Meyer, Balsara & Aslam 2014, section 2.2),
 * of second order and stable for (s^2 + s - 2) / 4 times the explicit limit: the gas decides the
 * step, and the work grows with the root of their ratio. The step is shortened only where it would
 * take more than SL_SUPER_STAGES_MAX. What was diffused is not taken back: see `advance`.
 *
 * The history holds what viscosity takes from the kinetic energy of the box per time, and
 * resistivity from the magnetic one, by the present state.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    its parameters
 * MPI     collective over mesh->comm, as source.h says
 * Where   host and device
 * Refs    Meyer, Balsara & Aslam 2014
 * Tests   tests/law/diffusion.c, tests/gpu/diffusion.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdlib.h>

#include "core/config/super_step.h"
#include "core/step/diffuse.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* clang-format off */
SL_SOURCE(diffusion, "diffusion.*", cfg->diffusion_viscosity > 0 || cfg->diffusion_heat > 0 || cfg->diffusion_resistivity > 0)
SL_SOURCE_WORDS(diffusion, "Viscosity, conduction of heat and resistivity are computed by super time steps (Meyer, Balsara & Aslam 2014).")
/* Time: two stages were measured at 48^3 before and after each step, and the work grows with the
 * stages. Bytes: the first state of a super step and its rate, of what changes; a device keeps what
 * the operators read, the processor of one block. Steps are no longer than the most stages
 * reach. */
SL_SOURCE_COST(diffusion, 1 + (cfg->diffusion_resistivity > 0 ? 2.7 : 1.3) * sl_super_stages(0.5 * dt, sl_super_explicit_limit(cfg)) / 2, (2 * ((cfg->diffusion_viscosity > 0 ? 3 : 0) + (cfg->diffusion_resistivity > 0 ? 3 : 0) + 1) + (device ? 11 : 0)) * real * cells, 2 * sl_super_reach(SL_SUPER_STAGES_MAX) * sl_super_explicit_limit(cfg))
SL_SOURCE_WITH(diffusion, all & ~(levels | expansion))
SL_REAL_KEY(diffusion_viscosity, "diffusion.viscosity", "0", 0, 1e30, none, "kinematic viscosity nu in code units (length velocity): the stress is density nu times the shear; the Reynolds number of a speed V and a length L is V L / nu")
SL_REAL_KEY(diffusion_heat, "diffusion.heat", "0", 0, 1e30, none, "kappa in code units: the flux of heat is -density kappa grad T, T = pressure / density; the Prandtl number is nu gamma / ((gamma - 1) kappa)")
SL_REAL_KEY(diffusion_resistivity, "diffusion.resistivity", "0", 0, 1e30, none, "eta in code units: the electric field gets eta curl B; the magnetic Prandtl number is nu / eta")
SL_RULE_SOURCE(cfg->diffusion_heat > 0, fluid_eos, cfg->fluid_eos == SL_EOS_ideal, "heat is conducted (diffusion.heat) by a gas with an energy; nearest: ideal")
SL_RULE_SOURCE(cfg->diffusion_resistivity > 0, fluid_mhd, cfg->fluid_mhd != SL_MHD_none, "resistivity (diffusion.resistivity) is that of a magnetic field; nearest: glm or ct")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_diffusion), fluid_dual_energy, !cfg->fluid_dual_energy, "entropy does not know the heat of diffusion.*; nearest: false")
/* clang-format on */

struct diffusion {
    struct sl_diffuse_stage stage;
    double most; /* explicit limit of the step */
};

static int make(struct sl_sim *sim, void **data)
{
    struct diffusion *w = calloc(1, sizeof *w);
    SL_TRY(
        sl_agree(sim->state.mesh->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for diffusion")));
    w->stage.nu = sim->state.cfg->diffusion_viscosity;
    w->stage.kappa = sim->state.cfg->diffusion_heat;
    w->stage.eta = sim->state.cfg->diffusion_resistivity;
    w->most = sl_super_explicit_limit(sim->state.cfg);
    *data = w;
    return SL_OK;
}

/* ---- super time steps ----------------------------------------------------------------------- */

/* b_j of the paper. */
static double weight(int j)
{
    return j < 2 ? 1.0 / 3 : ((double)j * j + j - 2) / (2.0 * j * (j + 1));
}

/* Stage j of s. */
static struct sl_diffuse_mix mix_of(int j, int s, double dt)
{
    double share = dt / sl_super_reach(s);
    if (j == 1) return (struct sl_diffuse_mix){.last = 1, .now = (sl_real)(share / 3)};
    double last = (2.0 * j - 1) / j * weight(j) / weight(j - 1);
    double before = (1.0 - j) / j * weight(j) / weight(j - 2);
    return (struct sl_diffuse_mix){.last = (sl_real)last,
                                   .before = (sl_real)before,
                                   .now = (sl_real)(last * share),
                                   .begun = (sl_real)((weight(j - 1) - 1) * last * share)};
}

static int advance(struct sl_sim *sim, void *data, double dt)
{
    struct diffusion *w = data;
    int s = sl_super_stages(dt, w->most);
    for (int j = 1; j <= s; j++) {
        w->stage.mix = mix_of(j, s, dt);
        w->stage.begin = j == 1;
        SL_TRY(sl_diffuse_step(sim, &w->stage));
    }
    return SL_OK;
}

static double limit(const struct sl_sim *sim, const void *data, double dt)
{
    const struct diffusion *w = data;
    (void)sim;
    return fmin(dt, 2 * sl_super_reach(SL_SUPER_STAGES_MAX) * w->most);
}

static int measure(const struct sl_sim *sim, void *data, double *out)
{
    const struct diffusion *w = data;
    return sl_diffuse_losses(sim, &w->stage, out);
}

const struct sl_source sl_source_diffusion = {
    .fetches = true,
    .resets_step = true,
    .place = -3,
    .make = make,
    .free = free,
    .advance = advance,
    .limit = limit,
    .column = {{"dissipation_viscous", "code power",
                "kinetic energy that viscosity takes per time"},
               {"dissipation_ohmic", "code power",
                "magnetic energy that resistivity takes per time"}},
    .measure = measure};
