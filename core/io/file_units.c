/* file_units.c - see file_units.h. */
#include "core/io/file_units.h"

#include "core/config/config.h"
#include "core/cosmo/expansion.h"
#include "core/state/state.h"

struct sl_file_units sl_file_units_of(const struct sl_state *state,
                                      const struct sl_expansion *universe)
{
    const struct sl_config *cfg = state->cfg;
    struct sl_file_units u = {1, 1, 1, 0};
    if (sl_config_has_units(cfg))
        u = (struct sl_file_units){cfg->units_length, cfg->units_density, cfg->units_velocity, 0};
    if (!universe) return u;
    u.scale_factor =
        state->expansion ? sl_expansion_a(state->expansion, state->time) : universe->start;
    sl_expansion_units(universe, u.scale_factor, &u.length, &u.density, &u.velocity);
    return u;
}
