/* balance.c - an account of the energy of the gas: what self-gravity, all other sources and regrids
 * have given since the start.
 *
 * It is asked before the first and after each source that acts in a step, and around regrids, and
 * adds up how the energy in the box has changed between: the flow, its fluxes between levels and
 * covered cells give nothing. What is left of the change of energy_total comes through open sides,
 * from floors, from gravity.acceleration, which is part of the flow (acceleration.c), of an
 * isothermal gas from its pressure, and with dual energy from cold gas, which keeps its entropy; in
 * a periodic box without these it is rounding. A regrid gives energy where
 * cold gas with dual energy is refined (core/cell/prolong_heat.h), and else none but by rounding.
 * Sums are exact, in units of 2^-50 of the largest energy of a cell.
 *
 * History: energy_gravity, energy_sources, energy_regrid.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    its sums
 * MPI     collective over mesh->comm, as source.h says
 * Where   host and device
 * Refs    none
 * Tests   tests/law/balance.c, tests/gpu/gravity.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/balance.h"
#include "core/step/sim.h"
#include "core/step/source_body.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* clang-format off */
SL_SOURCE(balance, "output.balance", cfg->output_balance)
SL_SOURCE_WORDS(balance, "The energy that gravity, other sources and changes of the mesh gave is accounted for.")
SL_SOURCE_COST(balance, 1.15, 0, INFINITY)
SL_SOURCE_WITH(balance, all)
SL_BOOL_KEY(output_balance, "output.balance", "false", "history.tsv also has the energy that self-gravity, all other sources and regrids gave to the gas since the start; it takes sums over the gas before and after each of them. gravity.acceleration, a part of the flow, is not among them")
SL_RULE_SOURCE(cfg->output_balance, output_balance, sl_config_has_gas(cfg), "true: a run without gas (fluid.eos: none) has no energy of it; nearest: false")
SL_SOURCE_BODY(balance, energy)
/* clang-format on */

enum { GRAVITY, OTHERS, REGRID, ACCOUNTS };

struct balance {
    double given[ACCOUNTS];
    double energy; /* when it was last asked */
};

static int make(struct sl_sim *sim, void **data)
{
    struct balance *w = calloc(1, sizeof *w);
    SL_TRY(
        sl_agree(sim->state.mesh->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a balance")));
    *data = w;
    return SL_OK;
}

static int start(struct sl_sim *sim, void *data)
{
    struct balance *w = data;
    (void)sim;
    memset(w, 0, sizeof *w);
    return SL_OK;
}

static int find_energy(struct sl_sim *sim, double *out)
{
    struct sl_source_args none = {.of = "", .size = 1};
    struct sl_source_sum here;
    double most;
    SL_TRY(sl_source_most(sim, SL_SOURCE_BODY_balance_energy, &none, &most));
    if (!(most < SL_SUM_BOUND)) return SL_OK; /* the step finds that the run has diverged */
    SL_TRY(sl_source_add(sim, SL_SOURCE_BODY_balance_energy, &none, most, &here));
    return sl_source_total(sim, 1, &here, out);
}

static int account(struct sl_sim *sim, void *data, const char *to)
{
    struct balance *w = data;
    double before = w->energy;
    SL_TRY(find_energy(sim->root, &w->energy));
    if (!to) return SL_OK;
    int of = strcmp(to, "self_gravity") == 0     ? GRAVITY
             : strcmp(to, SL_SOURCE_REGRID) == 0 ? REGRID
                                                 : OTHERS;
    w->given[of] += w->energy - before;
    return SL_OK;
}

/* ---- history and checkpoints ---------------------------------------------------------------- */

static int measure(const struct sl_sim *sim, void *data, double *out)
{
    const struct balance *w = data;
    (void)sim;
    memcpy(out, w->given, sizeof w->given);
    return SL_OK;
}

static size_t size(const void *data)
{
    (void)data;
    return ACCOUNTS;
}

static void save(const void *data, double *state)
{
    const struct balance *w = data;
    memcpy(state, w->given, sizeof w->given);
}

static void load(struct sl_sim *sim, void *data, const double *state)
{
    struct balance *w = data;
    (void)sim;
    memcpy(w->given, state, sizeof w->given);
}

const struct sl_source sl_source_balance = {
    .make = make,
    .free = free,
    .start = start,
    .account = account,
    .column =
        {{"energy_gravity", "code energy",
          "energy that self-gravity has given to the gas since the start"},
         {"energy_sources", "code energy",
          "energy that all other source terms but a constant acceleration have given to the gas "
          "since the start"},
         {"energy_regrid", "code energy",
          "energy that the gas has got since the start where the mesh became finer or coarser"}},
    .measure = measure,
    .size = size,
    .save = save,
    .load = load};
