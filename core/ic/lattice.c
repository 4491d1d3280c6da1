/* lattice.c - see lattice.h. */
#include "core/ic/lattice.h"

#include <stdlib.h>

#include "core/cosmo/power.h"
#include "core/ic/lpt.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

static int tabulate(const struct sl_power *power, enum sl_power_field field, struct sl_lattice *l,
                    double **out)
{
    double length = l->axis[0].length, norm = 1 / sqrt(length * length * length);
    int half = l->cells / 2, most = 3 * half * half;
    SL_TRY(sl_alloc("amplitudes", (size_t)most + 1, sizeof **out, out));
    for (int i = 1; i <= most; i++)
        (*out)[i] = norm * sl_power_amplitude(power, field, 2 * PI / length * sqrt(i));
    return SL_OK;
}

int sl_lattice_init(const struct sl_power *power, struct sl_lattice *out)
{
    static const enum sl_power_field of[SL_LATTICE_FIELDS] = {SL_POWER_TOTAL, SL_POWER_CDM,
                                                              SL_POWER_CDM_VELOCITY};
    const struct sl_growth *now = &power->now;
    double second = out->order > 1 ? now->d2 / (now->d1 * now->d1) : 0;
    out->second[SL_LATTICE_MATTER] = 0;
    out->second[SL_LATTICE_PLACE] = -second;
    out->second[SL_LATTICE_SPEED] = -now->f2 * second;
    int code = SL_OK;
    for (int i = 0; i < SL_LATTICE_FIELDS && code == SL_OK; i++)
        code = tabulate(power, of[i], out, &out->amplitude[i]);
    if (code != SL_OK) sl_lattice_release(out);
    return code;
}

void sl_lattice_release(struct sl_lattice *l)
{
    for (int i = 0; i < SL_LATTICE_FIELDS; i++) {
        free(l->amplitude[i]);
        l->amplitude[i] = NULL;
    }
}

int sl_lattice_fine(const struct sl_lattice *l)
{
    return sl_lpt_cells_of(l->cells, l->cells / l->spacing);
}
