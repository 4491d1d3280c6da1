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
    sl_universe_files_release(&files);
    return sl_agree(comm, code);
}

void sl_linear_release(struct sl_linear *l)
{
    sl_power_release(&l->power);
}

double sl_linear_growth(const struct sl_linear *l, double a)
{
    return sl_growth_at(&l->u.c, a).d1 / l->power.now.d1;
}
