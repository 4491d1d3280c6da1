/* linear.c - see linear.h. */
#include "core/measure/linear.h"

#include "core/cosmo/universe_files.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

int sl_linear_init(MPI_Comm comm, const struct sl_config *cfg, struct sl_linear *out)
{
    struct sl_universe_files files;
    struct sl_findings findings = {.n = 0};
    int code = sl_universe_files_read(comm, cfg, &files);
    if (code == SL_OK) code = sl_universe_init(cfg, &files.parameters, &out->u);
    if (code == SL_OK) code = sl_universe_power(cfg, &out->u, &files.table, &findings, &out->power);
    if (code == SL_OK) code = sl_variance_init(&out->variance);
    sl_universe_files_release(&files);
    return sl_agree(comm, code);
}

void sl_linear_release(struct sl_linear *l)
{
    sl_power_release(&l->power);
    sl_variance_release(&l->variance);
}

double sl_linear_growth(const struct sl_linear *l, double a)
{
    return sl_growth_at(&l->u.c, a).d1 / l->power.now.d1;
}

struct sl_mass_variance sl_linear_variance(struct sl_linear *l, double mass)
{
    return sl_mass_variance(&l->variance, &l->power, mass);
}
