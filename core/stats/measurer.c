/* measurer.c - see measurer.h. */
#include "core/stats/measurer.h"

#include <math.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "core/measure/matter.h"
#include "core/stats/measure.h"
#include "core/stats/planes.h"
#include "core/sys/laps.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"

bool sl_measurer_has_linear(const struct sl_config *cfg)
{
    bool power = sl_config_expands(cfg) && cfg->statistics_matter,
         own = cfg->ic_mean_overdensity != 0;
    return cfg->problem == SL_PROBLEM_cosmology &&
           (own || cfg->statistics_clumps > 0 || cfg->statistics_haloes > 0 || power);
}

double sl_measurer_when(const struct sl_config *cfg, double time, double unit, double scale_factor)
{
    return sl_config_expands(cfg) ? scale_factor : time / unit;
}

int sl_measurer_open(MPI_Comm comm, const struct sl_config *cfg, bool device, struct sl_measurer *m)
{
    *m = (struct sl_measurer){.comm = comm, .cfg = cfg};
    int code = sl_measurer_has_linear(cfg) ? sl_linear_init(comm, cfg, &m->linear) : SL_OK;
    if (code == SL_OK && device) code = sl_stats_device_choose(comm, cfg, &m->device);
    if (code == SL_OK && m->device) code = sl_threads_share(comm);
    if (code != SL_OK) sl_measurer_close(m);
    return code;
}

void sl_measurer_rest(struct sl_measurer *m)
{
    if (m->device) m->device->rest(m->device);
    free(m->fields);
    m->fields = NULL;
}

void sl_measurer_close(struct sl_measurer *m)
{
    if (m->device) m->device->close(m->device);
    m->device = NULL;
    free(m->fields);
    m->fields = NULL;
    sl_linear_release(&m->linear);
    sl_halo_history_release(&m->haloes);
}

static int make_room(struct sl_measurer *m, const struct sl_slab *s)
{
    size_t cells = sl_slab_cells(s), rows = (size_t)s->ny * (size_t)s->n[2] * (size_t)s->n[0],
           most = rows > cells ? rows : cells, nfield = (size_t)sl_planes_count(m->cfg);
    m->fields = sl_alloc_large((nfield * cells + 3 * most) * sizeof *m->fields);
    SL_CHECK(m->fields, SL_EMEM, "out of memory for %d x %d x %d cells", s->n[0], s->n[1], s->n[2]);
    for (size_t i = 0; i < 3; i++)
        m->work[i] = m->fields + nfield * cells + i * most;
    return SL_OK;
}

int sl_measurer_grid(struct sl_measurer *m, int dim, const int64_t cells[3], const double lo[3],
                     const double hi[3], struct sl_slab *slab)
{
    double length[3];
    int n[3], level = (int)m->cfg->statistics_level;
    for (int d = 0; d < 3; d++) {
        n[d] = (int)cells[d] << (d < dim ? level : 0);
        length[d] = hi[d] - lo[d];
    }
    sl_slab_init(m->comm, dim, n, length, slab);
    slab->device = m->device;
    return m->fields ? SL_OK : make_room(m, slab);
}

void sl_measurer_fields(struct sl_measurer *m, const struct sl_slab *slab,
                        const struct sl_moment *moment, struct sl_fields *f)
{
    const struct sl_config *cfg = m->cfg;
    double a = moment->scale_factor;
    if (!(a > 0)) a = cfg->problem == SL_PROBLEM_cosmology ? 1 / (1 + cfg->ic_redshift) : 0;
    *f = sl_planes_fields(cfg, slab, m->fields);
    f->number = moment->number;
    f->particles = moment->particles;
    f->time = moment->time;
    f->scale_factor = a;
    f->redshift_around =
        cfg->ic_mean_overdensity != 0 ? sl_universe_redshift(&m->linear.u, a) : NAN;
    f->linear = sl_measurer_has_linear(cfg) ? &m->linear : NULL;
    f->history = cfg->statistics_progenitors ? &m->haloes : NULL;
}

int sl_measurer_measure(struct sl_measurer *m, const struct sl_fields *f, struct sl_tables *tables,
                        struct sl_measured *out)
{
    struct sl_fields now = *f;
    sl_lap("density");
    if (!sl_config_has_gas(m->cfg)) SL_TRY(sl_matter_density(m->cfg, f, m->fields, &now.lent));
    int code = sl_measure_fields(m->cfg, &now, m->work, tables, out);
    if (now.lent.contrast)
        m->device->lent->take_back(m->device, (double *)(uintptr_t)now.lent.contrast);
    return code;
}
