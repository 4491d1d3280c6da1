/* mass_work.c - see mass_work.h. */
#include "core/step/mass_work.h"

#include <string.h>

#include "core/config/config.h"
#include "core/step/work.h"

struct sl_mass_work sl_mass_work_of_level(const struct sl_sim *s, double share)
{
    return (struct sl_mass_work){.gas = s->state.gas,
                                 .layout = s->state.layout,
                                 .dim = s->state.mesh->dim,
                                 .dual_eta = (sl_real)s->state.cfg->fluid_dual_eta,
                                 .share = (sl_real)share,
                                 .per_dt = (sl_real)(1 / (s->state.time - s->began))};
}

/* A row of a block: g and bend of its cells. */
static void work_on_row(const struct sl_sim *s, const struct sl_mass_work *w, int block, int k,
                        int j, const sl_real *g, const sl_real *bend)
{
    const struct sl_mesh *m = s->state.mesh;
    const int n = m->n[0];
    const size_t faces = sl_mass_flux_faces(m->dim, m->n), row = sl_mass_flux_end(m->dim, m->n, 0);
    const ptrdiff_t step[3] = {1, (ptrdiff_t)row,
                               (ptrdiff_t)(row * sl_mass_flux_end(m->dim, m->n, 1))};
    const sl_real *mass =
        s->work->mass[s->work->mass_now] + sl_mass_flux_at(m->dim, m->n, (size_t)block, 0, k, j, 0);
    const sl_real *kicked =
        s->work->kicked +
        (((size_t)block * (size_t)m->n[2] + (size_t)k) * (size_t)m->n[1] + (size_t)j) * (size_t)n;
    sl_real *u = s->state.u +
                 sl_mesh_at(m, s->state.layout.nvar, block, 0, k + m->g[2], j + m->g[1], m->g[0]);
    for (int i = 0; i < n; i++) {
        const sl_real pull[3] = {g[i], g[n + i], g[2 * n + i]},
                      more[3] = {bend[i], bend[n + i], bend[2 * n + i]};
        struct sl_mass_through through = sl_mass_through(m->dim, mass + i, faces, step);
        sl_mass_work_put(w, &through, pull, more, kicked[i], u + i, m->block_cells);
    }
}

void sl_mass_work_leaves(struct sl_sim *s, double share, const sl_real *g, const sl_real *bend)
{
    const struct sl_mesh *m = s->state.mesh;
    const struct sl_mass_work w = sl_mass_work_of_level(s, share);
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                work_on_row(s, &w, b, k, j, g, bend);
                g += 3 * m->n[0], bend += 3 * m->n[0];
            }
    memset(s->work->kicked, 0, sl_step_kicked_values(s) * sizeof *s->work->kicked);
}
