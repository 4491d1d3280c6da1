/* flag.c - see flag.h. */
#include "core/step/flag.h"

#include "core/cell/refine.h"
#include "core/cosmo/expansion.h"
#include "core/state/problem.h"
#include "core/step/ratio.h"
#include "core/step/work.h"
#include "core/sys/status.h"

static bool of_cells(const struct sl_refine_rule *r)
{
    return !(SL_REFINE_REGIONS >> r->by & 1);
}

/* The rule with the level up to which it refines. */
static struct sl_refine_rule rule_of(const struct sl_config *cfg, int i)
{
    struct sl_refine_rule r = cfg->mesh_refine[i];
    if (r.level == 0 || r.level > cfg->mesh_levels) r.level = (int)cfg->mesh_levels;
    return r;
}

static double four_pi_g(const struct sl_sim *sim)
{
    const struct sl_expansion *e = sim->state.expansion;
    return e ? sl_expansion_four_pi_g(e, sim->root->state.time) : sim->state.cfg->gravity_four_pi_g;
}

struct sl_refine_level sl_flag_level(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct sl_refine_level a = {.gas = sim->state.gas,
                                .layout = sim->state.layout,
                                .dim = m->dim,
                                .level = m->level,
                                .buffer = sl_ratio_buffer(sim),
                                .step = {1, m->step[1], m->step[2]},
                                .var = m->block_cells,
                                .four_pi_g = four_pi_g(sim)};
    for (int d = 0; d < 3; d++) {
        a.n[d] = m->n[d];
        a.dx[d] = d < m->dim && m->nblock > 0 ? m->blocks[0].dx[d] : 1;
    }
    for (int i = 0; i < sim->state.cfg->mesh_refine_n; i++) {
        const struct sl_refine_rule r = rule_of(sim->state.cfg, i);
        if (of_cells(&r) && m->level <= r.level) a.rule[a.nrule++] = r; /* asks nothing beyond */
    }
    return a;
}

static void flag_block(const struct sl_mesh *m, const struct sl_refine_level *a, const sl_real *u,
                       struct sl_refine_marks *marks)
{
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++) {
            const sl_real *row = u + (k + m->g[2]) * a->step[2] + (j + m->g[1]) * a->step[1];
            for (int i = 0; i < m->n[0]; i++) {
                unsigned asks = sl_refine_cell(a, row + i + m->g[0]);
                if (asks) sl_refine_mark(marks, asks, sl_refine_sides(a, k, j, i));
            }
        }
}

int sl_flag_blocks(struct sl_sim *sim, struct sl_refine_marks *marks)
{
    const struct sl_mesh *m = sim->state.mesh;
    const struct sl_refine_level a = sl_flag_level(sim);
    for (int b = 0; b < m->nleaf && a.nrule > 0; b++)
        flag_block(m, &a, sim->work->now + sl_mesh_at(m, sim->state.layout.nvar, b, 0, 0, 0, 0),
                   &marks[b]);
    return SL_OK;
}

/* The problem is asked about the block and the buffer around it. */
static double problem_asks(const struct sl_sim *sim, const struct sl_block *b, const double hi[3])
{
    double low[3], high[3], buffer = sl_ratio_buffer(sim);
    for (int d = 0; d < 3; d++) {
        bool there = d < sim->state.mesh->dim;
        low[d] = there ? b->lo[d] - buffer * b->dx[d] : 0;
        high[d] = there ? hi[d] + buffer * b->dx[d] : 1;
    }
    return sim->state.problem->refine(sim->state.problem_data, low, high, sim->state.mesh->level,
                                      sim->root->state.time);
}

void sl_flag_regions(const struct sl_sim *sim, struct sl_refine_marks *marks)
{
    const struct sl_mesh *m = sim->state.mesh;
    for (int i = 0; i < sim->state.cfg->mesh_refine_n; i++) {
        const struct sl_refine_rule r = rule_of(sim->state.cfg, i);
        for (int b = 0; b < m->nleaf && !of_cells(&r); b++) {
            double hi[3] = {1, 1, 1};
            for (int d = 0; d < m->dim; d++)
                hi[d] = m->blocks[b].lo[d] + m->n[d] * m->blocks[b].dx[d];
            double number = r.by == SL_REFINE_problem
                                ? problem_asks(sim, &m->blocks[b], hi)
                                : sl_refine_reaches(&r, m->dim, m->blocks[b].lo, hi);
            sl_refine_mark(&marks[b], sl_refine_asks(&r, m->level, number), 1u << SL_REFINE_SELF);
        }
    }
}
