/* mhd_blast.c - hot gas in a ball, or a disc, bursts into a uniform field (Londrillo & Del Zanna
 * 2000; Gardiner & Stone 2005), or a Gaussian pulse of pressure does (Wasiljew & Murawski 2013,
 * section 4).
 *
 * As published: box [-0.5, 0.5] x [-0.75, 0.75], periodic, fluid.gamma 5/3, end at t = 0.2. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/half_turn.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(mhd_blast, 0, "blast wave in a magnetic field, 2D or 3D")
SL_SHOW(mhd_blast, "energies", "density pressure magnetic", "asymmetry")
SL_REAL_KEY(mhd_blast_inside, "mhd_blast.inside", "10", 1e-30, 1e30, none,
            "pressure within the radius")
SL_REAL_KEY(mhd_blast_outside, "mhd_blast.outside", "0.1", 1e-30, 1e30, none, "pressure around it")
SL_REAL_KEY(mhd_blast_radius, "mhd_blast.radius", "0.1", 1e-30, 1e30, none, "radius of the hot gas")
SL_BOOL_KEY(mhd_blast_gaussian, "mhd_blast.gaussian", "false",
            "the pressure falls from inside to outside as exp(-r^2 / 2 radius^2) (Wasiljew & "
            "Murawski 2013)")
SL_REALS_KEY(mhd_blast_magnetic, "mhd_blast.magnetic", "[0.5^0.5, 0.5^0.5, 0]", 3, -1e30, 1e30,
             none, "uniform magnetic field")
SL_RULE_FIELD(mhd_blast)
SL_RULE_IDEAL(mhd_blast)
SL_RULE_PLANE(mhd_blast)

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double r2 = 0;
    (void)t;
    for (int i = 0; i < cfg->mesh_cells_n; i++)
        r2 += 0.25 * (lo[i] + hi[i]) * (lo[i] + hi[i]);
    double radius = cfg->mhd_blast_radius, more = cfg->mhd_blast_inside - cfg->mhd_blast_outside;
    bool hot = sqrt(r2) < radius;
    double share = cfg->mhd_blast_gaussian ? exp(-r2 / (2 * radius * radius)) : hot;
    prim[0] = 1;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = share == 1 ? cfg->mhd_blast_inside : cfg->mhd_blast_outside + share * more;
    for (int i = 0; i < 3; i++)
        prim[SL_PRIM_B + i] = cfg->mhd_blast_magnetic[i];
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = hot;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    (void)data;
    if (run->mesh->dim != 2) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    sl_half_turn_measure(&w, out);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_mhd_blast = {.name = "mhd_blast",
                                                .open = sl_problem_keep,
                                                .close = free,
                                                .state = state,
                                                .measure = measure};
