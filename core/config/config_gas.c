/* config_gas.c - see config_rules.h: the gas, and the scheme that advances it. */
#include "core/config/config_rules.h"

#include "core/lists/integrator_list.h"
#include "core/lists/mhd_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/lists/riemann_list.h"
#include "core/lists/shock_list.h"

static void choose_solver(struct sl_config *cfg)
{
    if (cfg->fluid_riemann == SL_RIEMANN_auto && sl_config_has_gas(cfg))
        cfg->fluid_riemann = cfg->fluid_mhd == SL_MHD_none ? SL_RIEMANN_hllc : SL_RIEMANN_hlld;
}

static int check_solver(const struct sl_inputs *in, const struct sl_config *cfg)
{
    static const struct {
        int physics;
        const char *name, *other;
    } rows[] = {
#define ROW(name, physics, other, ...) {SL_PHYSICS_##physics, #name, #other},
        SL_RIEMANN_LIST(ROW)
#undef ROW
    };
    bool field = cfg->fluid_mhd != SL_MHD_none;
    if (!sl_config_has_gas(cfg)) return SL_OK;
    if (rows[cfg->fluid_riemann].physics & (field ? SL_PHYSICS_mhd : SL_PHYSICS_gas)) return SL_OK;
    SL_WRONG(in, fluid_riemann, "%s does not work %s a magnetic field (fluid.mhd); nearest: %s",
             rows[cfg->fluid_riemann].name, field ? "with" : "without",
             rows[cfg->fluid_riemann].other);
}

static int check_gravity(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    const double *g = cfg->gravity_acceleration;
    if (g[0] == 0 && g[1] == 0 && g[2] == 0) return SL_OK;
    for (int d = dim; d < 3; d++)
        if (g[d] != 0)
            SL_WRONG(in, gravity_acceleration, "%g along %c, which the grid does not have", g[d],
                     sl_config_axis[d]);
    return SL_OK;
}

/* Sound waves of tvd are unstable with longer steps; its sweeps go over all levels together. */
static int check_tvd(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->fluid_integrator != SL_INTEGRATOR_tvd) return SL_OK;
    if (cfg->time_levels == SL_TIME_LEVELS_each)
        SL_WRONG(in, time_levels,
                 "%s: sweeps of fluid.integrator tvd go over all levels together; "
                 "nearest: one",
                 "each");
    if (cfg->fluid_cfl > 0.8)
        SL_WRONG(in, fluid_cfl, "%g: with fluid.integrator tvd sound waves are unstable above 0.8",
                 cfg->fluid_cfl);
    return SL_OK;
}

/* It reads two cells at each side of a cell that may itself be the first ghost. */
static int check_shocks(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->fluid_shocks != SL_SHOCK_flatten || sl_config_face_ghosts(cfg) >= 3) return SL_OK;
    SL_WRONG(in, fluid_shocks,
             "flatten works with fluid.reconstruct ppm or wenoz, not with %s; nearest: limit",
             sl_choice_name("fluid.reconstruct", cfg->fluid_reconstruct));
}

static int check_characteristic(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (!cfg->fluid_characteristic) return SL_OK;
    if (cfg->fluid_integrator == SL_INTEGRATOR_tvd)
        SL_WRONG(in, fluid_characteristic,
                 "fluid.integrator %s reconstructs no faces; nearest: rk2", "tvd");
    if (cfg->fluid_reconstruct == SL_RECONSTRUCT_constant)
        SL_WRONG(in, fluid_characteristic, "fluid.reconstruct %s has no slopes; nearest: plm",
                 "constant");
    return SL_OK;
}

int sl_config_check_gas(const struct sl_inputs *in, struct sl_config *cfg)
{
    choose_solver(cfg);
    SL_RULED(in, check_solver(in, cfg));
    SL_RULED(in, check_tvd(in, cfg));
    SL_RULED(in, check_gravity(in, cfg, cfg->mesh_cells_n));
    SL_RULED(in, check_shocks(in, cfg));
    SL_RULED(in, check_characteristic(in, cfg));
    return SL_OK;
}
