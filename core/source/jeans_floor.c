/* jeans_floor.c - a floor of pressure after each step, below which no Jeans length has fewer cells
 * than gravity.jeans_floor says (core/cell/jeans_floor.h); on levels cells of the own level.
 *
 * It is heat from nowhere: the history says how much. In an expanding universe 4 pi G is that of
 * supercomoving variables, as for self-gravity.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    its sum
 * MPI     collective over mesh->comm, as source.h says
 * Where   host and device
 * Refs    Truelove et al. 1997; Machacek, Bryan & Abel 2001
 * Tests   tests/law/jeans_floor.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdlib.h>

#include "core/cell/jeans_floor.h"
#include "core/cosmo/expansion.h"
#include "core/step/sim.h"
#include "core/step/source_body.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* clang-format off */
SL_SOURCE(jeans_floor, "gravity.jeans_floor", cfg->gravity_jeans_floor > 0)
SL_SOURCE_WORDS(jeans_floor, "Gas is kept so warm that its Jeans length has at least {gravity.jeans_floor} cells (Truelove et al. 1997; Machacek, Bryan & Abel 2001).")
SL_SOURCE_COST(jeans_floor, 1.05, 0, INFINITY)
SL_SOURCE_WITH(jeans_floor, all)
SL_REAL_KEY(gravity_jeans_floor, "gravity.jeans_floor", "0", 0, 1000, none, "cells that a Jeans length has at least, by a floor of the pressure; 0: no such floor, and gas that falls together breaks up as the mesh has it")
SL_RULE_SOURCE(cfg->gravity_jeans_floor > 0, gravity_jeans_floor, sl_config_wants(cfg, SL_SOURCE_self_gravity), "%g: it is about gas that attracts itself (gravity.four_pi_g or time.unit: redshift); nearest: 0", cfg->gravity_jeans_floor)
SL_RULE_SOURCE(cfg->gravity_jeans_floor > 0, fluid_eos, cfg->fluid_eos == SL_EOS_ideal, "a floor of the pressure (gravity.jeans_floor) needs an energy; nearest: ideal")
SL_SOURCE_BODY(jeans_floor, lack)
SL_SOURCE_BODY(jeans_floor, raise)
/* clang-format on */

struct jeans_floor {
    double given; /* since the start */
};

static int make(struct sl_sim *sim, void **data)
{
    struct jeans_floor *w = calloc(1, sizeof *w);
    SL_TRY(sl_agree(sim->state.mesh->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a floor")));
    *data = w;
    return SL_OK;
}

static int start(struct sl_sim *sim, void *data)
{
    struct jeans_floor *w = data;
    (void)sim;
    w->given = 0;
    return SL_OK;
}

static int close_step(struct sl_sim *sim, void *data, double dt)
{
    struct jeans_floor *w = data;
    const struct sl_expansion *e = sim->state.expansion;
    const struct sl_jeans_floor by = {sim->state.cfg->gravity_jeans_floor,
                                      e ? sl_expansion_four_pi_g(e, sim->state.time)
                                        : sim->state.cfg->gravity_four_pi_g};
    const struct sl_source_args args = {.of = &by, .size = sizeof by};
    struct sl_source_sum here;
    double most, given;
    (void)dt;
    SL_TRY(sl_source_most(sim, SL_SOURCE_BODY_jeans_floor_lack, &args, &most));
    if (!(most > 0 && most < SL_SUM_BOUND)) return SL_OK;
    SL_TRY(sl_source_add(sim, SL_SOURCE_BODY_jeans_floor_raise, &args, most, &here));
    SL_TRY(sl_source_total(sim, 1, &here, &given));
    w->given += given;
    return SL_OK;
}

/* ---- history and checkpoints ---------------------------------------------------------------- */

static int measure(const struct sl_sim *sim, void *data, double *out)
{
    const struct jeans_floor *w = data;
    (void)sim;
    out[0] = w->given;
    return SL_OK;
}

static size_t size(const void *data)
{
    (void)data;
    return 1;
}

static void save(const void *data, double *state)
{
    const struct jeans_floor *w = data;
    state[0] = w->given;
}

static void load(struct sl_sim *sim, void *data, const double *state)
{
    struct jeans_floor *w = data;
    (void)sim;
    w->given = state[0];
}

const struct sl_source sl_source_jeans_floor = {
    .place = -3,
    .resets_step = true,
    .make = make,
    .free = free,
    .start = start,
    .close = close_step,
    .column = {{"jeans_floor_energy", "code energy",
                "energy that the gas has got since the start from the floor of its Jeans length"}},
    .measure = measure,
    .size = size,
    .save = save,
    .load = load};
