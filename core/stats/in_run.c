/* in_run.c - see in_run.h. */
#include "core/stats/in_run.h"

#include <stdlib.h>

#include "core/config/config.h"
#include "core/io/particle_rows.h"
#include "core/stats/measurer.h"
#include "core/stats/run_tables.h"
#include "core/sys/agree.h"
#include "core/sys/laps.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct sl_in_run {
    struct sl_measurer measurer;
};

int sl_in_run_new(MPI_Comm comm, const struct sl_config *cfg, bool tight, struct sl_in_run **out)
{
    struct sl_in_run *r = NULL;
    *out = NULL;
    sl_lap("theory and devices");
    int code = sl_agree(comm, sl_alloc("what measures", 1, sizeof *r, &r));
    if (code == SL_OK) code = sl_measurer_open(comm, cfg, true, &r->measurer);
    if (code == SL_OK && r->measurer.device) r->measurer.device->tight = tight;
    if (code == SL_OK)
        *out = r;
    else
        free(r);
    return code;
}

void sl_in_run_free(struct sl_in_run *r)
{
    if (r) sl_measurer_close(&r->measurer);
    free(r);
}

/* Cells and sides of the root grid as snapshots tell them. */
static int grid(struct sl_measurer *m, const struct sl_mesh *mesh, struct sl_slab *slab)
{
    int64_t cells[3];
    double lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        bool real = d < mesh->dim;
        cells[d] = real ? mesh->spec.cells[d] : 1;
        lo[d] = real ? mesh->spec.lo[d] : 0;
        hi[d] = real ? mesh->spec.hi[d] : 1;
    }
    return sl_measurer_grid(m, mesh->dim, cells, lo, hi, slab);
}

static int measure(struct sl_measurer *m, const struct sl_state *state, int number,
                   struct sl_tables *tables, struct sl_run_tables *beside)
{
    const struct sl_file_units units = sl_file_units_of(state, state->expansion);
    const struct sl_particle_source particles = {NULL, state->particles, units};
    const struct sl_moment moment = {number, state->time, units.scale_factor, &particles};
    struct sl_slab slab;
    struct sl_fields f;
    SL_TRY(sl_agree(m->comm, grid(m, state->mesh, &slab)));
    sl_measurer_fields(m, &slab, &moment, &f);
    beside->time = state->time;
    beside->when = sl_measurer_when(state->cfg, state->time, state->time_unit, units.scale_factor);
    return sl_measurer_measure(m, &f, tables, &beside->measured);
}

/* Whether a device had no room for what was to stay there, and all is measured anew by way of the
 * host, from now on; that takes more memory of the host than was counted (stats_memory.h). */
static bool is_left(struct sl_in_run *r, int code)
{
    struct sl_measurer *m = &r->measurer;
    if (code == SL_OK || !m->device || !m->device->lent) return false;
    if (!sl_stats_device_failed(m->device, 0, code, "places and densities")) return false;
    m->device->lent = NULL;
    sl_measurer_rest(m);
    return true;
}

int sl_in_run_measure(struct sl_in_run *r, const struct sl_state *state, const char *dir,
                      int64_t number)
{
    struct sl_tables tables = {0, 0, NULL};
    struct sl_run_tables beside;
    const struct sl_mesh *mesh = state->mesh;
    int code = measure(&r->measurer, state, (int)number, &tables, &beside);
    if (is_left(r, code)) {
        sl_tables_release(&tables);
        code = measure(&r->measurer, state, (int)number, &tables, &beside);
    }
    sl_measurer_rest(&r->measurer);
    sl_lap("files");
    if (code == SL_OK)
        code = sl_agree(mesh->comm, mesh->rank == 0
                                        ? sl_run_tables_write(state->cfg, dir, (int)number, &tables,
                                                              &beside, state->sealed)
                                        : SL_OK);
    sl_tables_release(&tables);
    return code;
}
