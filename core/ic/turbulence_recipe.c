/* turbulence_recipe.c - see turbulence_recipe.h. */
#include "core/ic/turbulence_recipe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/config/config.h"
#include "core/lists/eos_list.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

static double rms(const struct sl_config *cfg)
{
    double cs = cfg->fluid_eos == SL_EOS_isothermal ? cfg->fluid_sound_speed : 1;
    return cfg->turbulence_mach * cs;
}

void sl_turbulence_recipe_spec(const struct sl_config *cfg, struct sl_turbulence_spec *spec)
{
    *spec = (struct sl_turbulence_spec){.seed = (uint64_t)cfg->seed,
                                        .dim = sl_config_dim(cfg),
                                        .v_rms = rms(cfg),
                                        .solenoidal = cfg->turbulence_solenoidal,
                                        .kmin = (int)cfg->turbulence_kmin,
                                        .kmax = (int)cfg->turbulence_kmax,
                                        .slope = cfg->turbulence_spectrum};
    for (int d = 0; d < spec->dim; d++)
        spec->length[d] = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
}

double sl_turbulence_recipe_crossing(const struct sl_config *cfg)
{
    struct sl_turbulence_spec spec;
    double longest = 0;
    sl_turbulence_recipe_spec(cfg, &spec);
    for (int d = 0; d < spec.dim; d++)
        longest = fmax(longest, spec.length[d]);
    return longest / spec.v_rms;
}

int sl_turbulence_recipe_text(const struct sl_config *cfg, char **text)
{
    struct sl_turbulence_spec s;
    char shape[SL_TEXT_MAX + 64];
    sl_turbulence_recipe_spec(cfg, &s);
    if (cfg->turbulence_table[0])
        snprintf(shape, sizeof shape, "turbulence.table: %s", cfg->turbulence_table);
    else
        snprintf(shape, sizeof shape, "turbulence.spectrum: %.17g", s.slope);
    int n = asprintf(text,
                     "scheme: %d\nproblem: turbulence\nseed: %" PRIu64
                     "\ndimensions: %d\nbox: %.17g x %.17g x %.17g\nrms velocity: %.17g\n%s\n"
                     "turbulence.kmin: %d\nturbulence.kmax: %d\nturbulence.solenoidal: %.17g\n",
                     SL_RANDOM_SCHEME, s.seed, s.dim, s.length[0], s.length[1], s.length[2],
                     s.v_rms, shape, s.kmin, s.kmax, s.solenoidal);
    SL_CHECK(n >= 0, SL_EMEM, "out of memory");
    return SL_OK;
}
