/* step_error.c - see step_error.h. */
#include "core/cosmo/step_error.h"

#include <stddef.h>

static const struct sl_step_error rows[] = {
    {SL_STEPPING_kdk, SL_BEGIN_start, 5, 0.41, 0.58, 0.76},
    {SL_STEPPING_kdk, SL_BEGIN_start, 10, 0.14, 0.27, 0.46},
    {SL_STEPPING_kdk, SL_BEGIN_start, 20, 0.040, 0.089, 0.20},
    {SL_STEPPING_kdk, SL_BEGIN_start, 40, 0.0094, 0.020, 0.047},
    {SL_STEPPING_kdk, SL_BEGIN_start, 100, 0.0011, 0.0022, 0.0049},
    {SL_STEPPING_fastpm, SL_BEGIN_start, 5, 0.041, 0.12, 0.23},
    {SL_STEPPING_fastpm, SL_BEGIN_start, 10, 0.014, 0.040, 0.061},
    {SL_STEPPING_fastpm, SL_BEGIN_start, 20, 0.0036, 0.0088, 0.011},
    {SL_STEPPING_fastpm, SL_BEGIN_start, 40, 0.0007, 0.0018, 0.0019},
    {SL_STEPPING_bullfrog, SL_BEGIN_start, 5, 0.021, 0.081, 0.18},
    {SL_STEPPING_bullfrog, SL_BEGIN_start, 10, 0.0045, 0.020, 0.039},
    {SL_STEPPING_bullfrog, SL_BEGIN_start, 20, 0.0003, 0.0005, 0.0013},
    {SL_STEPPING_bullfrog, SL_BEGIN_zero, 5, 0.021, 0.084, 0.19},
    {SL_STEPPING_bullfrog, SL_BEGIN_zero, 10, 0.0020, 0.0080, 0.035},
    {SL_STEPPING_bullfrog, SL_BEGIN_zero, 20, 0.0023, 0.0023, 0.0074}};

const struct sl_step_error *sl_step_error_of(const struct sl_config *cfg)
{
    const struct sl_step_error *best = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].stepping == cfg->time_stepping && rows[i].begin == cfg->time_begin &&
            rows[i].steps <= cfg->time_steps && (!best || rows[i].steps > best->steps))
            best = &rows[i];
    return best;
}
