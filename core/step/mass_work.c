/* mass_work.c - see mass_work.h. */
#include "core/step/mass_work.h"

#include "core/config/config.h"
#include "core/step/work.h"
#include "core/sweep/lanes.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

struct sl_mass_work sl_mass_work_of_level(const struct sl_sim *s, double share)
{
    return (struct sl_mass_work){.gas = s->state.gas,
                                 .layout = s->state.layout,
                                 .dim = s->state.mesh->dim,
                                 .dual_eta = (sl_real)s->state.cfg->fluid_dual_eta,
                                 .share = (sl_real)share,
                                 .per_dt = (sl_real)(1 / (s->state.time - s->began))};
}

sl_real *sl_mass_work_kicked(const struct sl_sim *s, int block, int k, int j)
{
    const struct sl_mesh *m = s->state.mesh;
    size_t row = ((size_t)block * (size_t)m->n[2] + (size_t)k) * (size_t)m->n[1] + (size_t)j;
    return s->work->kicked ? s->work->kicked + row * (size_t)m->n[0] : NULL;
}

/* A row of cells: the mass through their lower faces, `faces` from axis to axis, and u. */
struct row {
    int n;
    size_t faces, var;
    ptrdiff_t step[3];
    const sl_real *mass, *g, *bend;
    sl_real *kicked, *u;
};

/* plain: gas without a field or an entropy of its own, whose cells are worked on side by side. */
ALWAYS_INLINE void work_on_cell(int dim, bool plain, const struct sl_mass_work *given,
                                const struct row *r, int i)
{
    struct sl_mass_work w = *given;
    w.dim = dim;
    if (plain) w.layout.entropy = w.layout.magnetic = -1;
    const sl_real g[3] = {r->g[i], r->g[r->n + i], r->g[2 * r->n + i]},
                  bend[3] = {r->bend[i], r->bend[r->n + i], r->bend[2 * r->n + i]};
    struct sl_mass_through through = sl_mass_through(dim, r->mass + i, r->faces, r->step);
    sl_mass_work_put(&w, &through, g, bend, r->kicked[i], r->u + i, r->var);
    r->kicked[i] = 0;
}

static void work_plain(const struct sl_mass_work *w, const struct row *r)
{
    if (w->dim == 3) {
        SL_SIMD
        for (int i = 0; i < r->n; i++)
            work_on_cell(3, true, w, r, i);
    } else {
        for (int i = 0; i < r->n; i++)
            work_on_cell(w->dim, true, w, r, i);
    }
}

void sl_mass_work_row(struct sl_sim *s, const struct sl_mass_work *w, int block, int k, int j,
                      const sl_real *g, const sl_real *bend)
{
    const struct sl_mesh *m = s->state.mesh;
    const ptrdiff_t row = (ptrdiff_t)sl_mass_flux_end(m->dim, m->n, 0);
    const struct row r = {.n = m->n[0],
                          .faces = sl_mass_flux_faces(m->dim, m->n),
                          .var = m->block_cells,
                          .step = {1, row, row * (ptrdiff_t)sl_mass_flux_end(m->dim, m->n, 1)},
                          .mass = s->work->mass[s->work->mass_now] +
                                  sl_mass_flux_at(m->dim, m->n, (size_t)block, 0, k, j, 0),
                          .g = g,
                          .bend = bend,
                          .kicked = sl_mass_work_kicked(s, block, k, j),
                          .u = s->state.u + sl_mesh_at(m, s->state.layout.nvar, block, 0,
                                                       k + m->g[2], j + m->g[1], m->g[0])};
    if (w->layout.entropy < 0 && w->layout.magnetic < 0) {
        work_plain(w, &r);
        return;
    }
    for (int i = 0; i < r.n; i++)
        work_on_cell(w->dim, false, w, &r, i);
}
