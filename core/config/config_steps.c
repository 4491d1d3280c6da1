/* config_steps.c - see config_rules.h: how many steps a run takes, and by what they go. */
#include <math.h>

#include "core/config/config_rules.h"
#include "core/sys/interval.h"

bool sl_config_adaptive(const struct sl_config *cfg)
{
    return cfg->time_steps == (int64_t)SL_INTERVAL_AUTO;
}

bool sl_config_steps_grow(const struct sl_config *cfg)
{
    return cfg->time_spacing == SL_SPACING_growth ||
           (cfg->time_spacing == SL_SPACING_auto && cfg->time_stepping != SL_STEPPING_kdk);
}

int64_t sl_config_parts(const struct sl_config *cfg)
{
    double start = 1 / (1 + cfg->ic_redshift), last = 1 / (1 + cfg->time_end);
    int64_t n = 1;
    for (int i = 0; i < cfg->output_redshift_n; i++) {
        double a = 1 / (1 + cfg->output_redshift[i]);
        n += a > start && a < last * (1 - 1e-9);
    }
    if (cfg->output_redshift_n == 0 && cfg->output_snapshot > 0)
        n += (int64_t)fmax(0, ceil(log(last / start) / cfg->output_snapshot - 1e-9) - 1);
    return n;
}

static bool universe_of_lines(const struct sl_config *cfg)
{
    return cfg->problem == SL_PROBLEM_pancake ||
           (cfg->problem == SL_PROBLEM_cosmology && cfg->ic_order == 1);
}

static int check_begin(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (cfg->time_begin != SL_BEGIN_zero) return SL_OK;
    if (cfg->time_stepping == SL_STEPPING_kdk)
        SL_WRONG(in, time_begin,
                 "zero goes by the growth, which time.stepping kdk does not; nearest: %s",
                 "start, or time.stepping: bullfrog");
    if (!sl_config_steps_grow(cfg))
        SL_WRONG(in, time_spacing,
                 "%s: the scale factor at D = 0 has no logarithm; nearest: growth", "expansion");
    if (cfg->problem == SL_PROBLEM_cosmology && cfg->ic_order != 1)
        SL_WRONG(in, ic_order,
                 "%lld: from D = 0 (time.begin: zero) straight lines lead to 1LPT alone; "
                 "nearest: 1",
                 (long long)cfg->ic_order);
    if (!universe_of_lines(cfg))
        SL_WRONG(in, time_begin,
                 "%s is for starts of 1LPT, of problem cosmology or pancake; nearest: start",
                 "zero");
    return SL_OK;
}

/* What a number of steps is for. */
int sl_config_check_steps(const struct sl_inputs *in, const struct sl_config *cfg)
{
    if (sl_config_adaptive(cfg)) {
        if (cfg->time_stepping != SL_STEPPING_kdk)
            SL_WRONG(in, time_stepping, "%s takes a number of steps, time.steps; nearest: kdk",
                     sl_choice_name("time.stepping", cfg->time_stepping));
        if (cfg->time_spacing != SL_SPACING_auto)
            SL_WRONG(in, time_spacing, "%s is of a number of steps, time.steps; nearest: auto",
                     sl_choice_name("time.spacing", cfg->time_spacing));
        if (cfg->time_begin != SL_BEGIN_start)
            SL_WRONG(in, time_begin, "%s is of a number of steps, time.steps; nearest: start",
                     "zero");
        return SL_OK;
    }
    if (!sl_config_expands(cfg))
        SL_WRONG(in, time_steps,
                 "%lld: a number of steps is for an expanding universe (time.unit: "
                 "redshift); nearest: adaptive",
                 (long long)cfg->time_steps);
    if (!sl_config_wants(cfg, SL_SOURCE_particles))
        SL_WRONG(in, time_steps, "%lld: a number of steps is for particles; nearest: adaptive",
                 (long long)cfg->time_steps);
    if (sl_config_has_gas(cfg))
        SL_WRONG(
            in, time_steps,
            "%lld: steps follow the gas where there is any; nearest: adaptive, or fluid.eos: none",
            (long long)cfg->time_steps);
    if (cfg->time_steps < sl_config_parts(cfg))
        SL_WRONG(in, time_steps,
                 "%lld: each of %lld snapshots after the start ends a step; nearest: "
                 "%lld, or fewer snapshots (output.redshift, output.snapshot: 0)",
                 (long long)cfg->time_steps, (long long)sl_config_parts(cfg),
                 (long long)sl_config_parts(cfg));
    return check_begin(in, cfg);
}
