/* comoving.c - what is left of the expansion of the universe in its comoving variables: the growth
 * of a magnetic field, and of the heat of a gas with another gamma than 5/3.
 *
 * In the variables of core/cosmo/expansion.h, with density a^3 rho, velocity a v, pressure a^5 p
 * and d tau = dt / a^2, a gas with gamma = 5/3 keeps its equations. The induction equation keeps
 * its own for the flux a^2 B, but the force of that field then has a factor of a. With
 *
 *   b = a^(5/2) B  (b^2 / 2 = a^5 B^2 / 2 is measured as the pressure is)
 *
 * the equations are those of ideal MHD, which all Riemann solvers know, and h = d ln a / d tau is
 * in two terms beside them:
 *
 *   db/d tau = curl (v x b) + h b / 2
 *   de/d tau = ... + (5 - 3 gamma) h e,   e the thermal energy density
 *   dE/d tau = ... + h b^2 / 2 + (5 - 3 gamma) h e
 *
 * the last of which is the sum of what the first two do to the total energy. They are solved
 * exactly: while a grows by a factor g, b grows by g^(1/2) and e by g^(5 - 3 gamma). Gas without
 * motion of its own keeps a^2 B and T a^(3 gamma - 3) to rounding. Half of it comes before a step
 * and half after it, of second order (Strang 1968). In between, all levels have the fields of one
 * scale factor, that in the midst of the step of the root grid, whatever steps they take: ghost
 * cells, fluxes and electric fields at the edges of levels fit as in a static box, and the flux
 * a^2 B is conserved as b is there. A factor leaves div b = 0 zero but for rounding.
 *
 * With T, U, M and W the integrals of kinetic, thermal, magnetic and potential energy,
 *   d(T + U + M + W) / d ln a = W + M + (5 - 3 gamma) U
 * is the equation of Layzer and Irvine (core/stats/expansion.h). Mass, momentum and, periodic, the
 * mean of a^2 B are conserved.
 *
 * An isothermal gas would be the case gamma = 1, with a sound speed that grows as a: it is refused,
 * as all solvers have one number for it; fluid.gamma near 1 comes to the same.
 *
 * A step is limited so that signals, which grow as a^(1/2) and a^((5 - 3 gamma) / 2) at most, do
 * not become too fast for it.
 *
 * Shapes  as in core/step/sim.h
 * Units   core/cosmo/expansion.h
 * Errors  SL_EMEM, SL_EMPI
 * Owns    its parameters
 * MPI     collective over mesh->comm, as source.h says
 * Where   host and device
 * Refs    Martel & Shapiro 1998; Li, Li & Cen 2008 (magnetic fields); Strang 1968
 * Tests   tests/law/comoving.c, tests/gpu/same.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdlib.h>

#include "core/cell/comoving.h"
#include "core/cosmo/expansion.h"
#include "core/step/sim.h"
#include "core/step/source_body.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* clang-format off */
SL_SOURCE(comoving, "cosmology.field or time.unit: redshift", sl_config_expands(cfg) && sl_config_has_gas(cfg) && (cfg->fluid_mhd != SL_MHD_none || fabs(cfg->fluid_gamma - 5.0 / 3) > 1e-12))
SL_SOURCE_WORDS(comoving, "The source terms that comoving variables leave, of the magnetic field (Li, Li & Cen 2008) and of gamma other than 5/3, are integrated exactly.")
SL_SOURCE_COST(comoving, 1.05, 0, INFINITY)
SL_SOURCE_WITH(comoving, all)
SL_REALS_KEY(cosmology_field, "cosmology.field", "[0, 0, 0]", 3, -1, 1, none, "with time.unit: redshift, of problems cosmology, pancake and expanding_box: a^2 B of gas of the mean density at the start, in gauss")
SL_SOURCE_BODY(comoving, stretch)
/* clang-format on */

struct comoving {
    double opened; /* d ln a of the opening of the step that is under way */
    double heat;   /* 5 - 3 gamma, or 0: what pressure does with d ln a */
};

static int make(struct sl_sim *sim, void **data)
{
    double heat = 5 - 3 * sim->state.cfg->fluid_gamma;
    struct comoving *w = calloc(1, sizeof *w);
    SL_TRY(sl_agree(sim->state.mesh->comm,
                    w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the expansion of fields")));
    w->heat = fabs(heat) > 3e-12 ? heat : 0;
    *data = w;
    return SL_OK;
}

static void forget(void *data)
{
    struct comoving *w = data;
    w->opened = 0;
}

static int start(struct sl_sim *sim, void *data)
{
    (void)sim;
    forget(data);
    return SL_OK;
}

/* grown: d ln a. */
static int stretch(struct sl_sim *sim, const struct comoving *w, double grown)
{
    const struct sl_comoving by = {expm1(0.5 * grown), expm1(grown), expm1(w->heat * grown)};
    const struct sl_source_args args = {.of = &by, .size = sizeof by};
    if (grown == 0) return SL_OK;
    return sl_source_change(sim, SL_SOURCE_BODY_comoving_stretch, &args);
}

/* d ln a from one time to another. */
static double growth(const struct sl_sim *sim, double from, double to)
{
    const struct sl_expansion *e = sim->state.expansion;
    return log(sl_expansion_a(e, to) / sl_expansion_a(e, from));
}

static int open_step(struct sl_sim *sim, void *data, double dt)
{
    struct comoving *w = data;
    double now = sim->state.time, grown = growth(sim, now, now + 0.5 * dt);
    SL_TRY(stretch(sim, w, grown - w->opened));
    w->opened = grown;
    return SL_OK;
}

static int close_step(struct sl_sim *sim, void *data, double dt)
{
    struct comoving *w = data;
    double now = sim->state.time;
    w->opened = 0;
    return stretch(sim, w, growth(sim, now - 0.5 * dt, now));
}

/* The signals are those in the midst of the last step, and are to be right in that of the next. */
static double limit(const struct sl_sim *sim, const void *data, double dt)
{
    const struct comoving *w = data;
    const struct sl_expansion *e = sim->state.expansion;
    double rate = sl_expansion_rate(e, sl_expansion_a(e, sim->state.time));
    return dt / (1 + fmax(0.5, 0.5 * w->heat) * rate * dt);
}

const struct sl_source sl_source_comoving = {.place = 1,
                                             .make = make,
                                             .free = free,
                                             .start = start,
                                             .forget = forget,
                                             .open = open_step,
                                             .close = close_step,
                                             .limit = limit};
