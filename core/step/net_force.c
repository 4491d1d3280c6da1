/* net_force.c - see net_force.h. */
#include "core/step/net_force.h"

#include <stdlib.h>
#include <string.h>

#include "core/cell/drive.h"
#include "core/mesh/mesh.h"
#include "core/sweep/lanes.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

int sl_net_force_make(const struct sl_sim *root, struct sl_net_force *f)
{
    int code = SL_OK;
    for (const struct sl_sim *s = root; s && code == SL_OK; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        code = sl_alloc("forces on blocks", (size_t)m->nleaf + 1, sizeof *f->line[m->level],
                        &f->line[m->level]);
    }
    return code;
}

void sl_net_force_drop(struct sl_net_force *f)
{
    for (int l = 0; l < SL_LEVELS; l++) {
        free(f->line[l]);
        f->line[l] = NULL;
    }
}

void sl_net_force_forget(struct sl_net_force *f)
{
    memset(f->on, 0, sizeof f->on);
    memset(f->given, 0, sizeof f->given);
}

/* ---- what is given --------------------------------------------------------------------------- */

enum { LANES = 16 }; /* cells of a row whose sums are taken side by side */

/* Adds the forces on up to LANES cells of a row, from i on, to the sums of their places. */
static void add_row(const sl_real *rho, const sl_real *g, int n, int cells, double sum[3][LANES])
{
    for (int d = 0; d < 3; d++) {
        const sl_real *pull = g + d * n;
        SL_SIMD
        for (int i = 0; i < cells; i++)
            sum[d][i] += (double)rho[i] * (double)pull[i];
    }
}

/* Of the cells from i on in all rows of a leaf; forces per volume. */
static void add_lanes(const struct sl_sim *s, int leaf, const sl_real *g, int i, double out[3])
{
    const struct sl_mesh *m = s->state.mesh;
    const int cells = m->n[0] - i < LANES ? m->n[0] - i : LANES;
    double sum[3][LANES] = {{0}};
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++, g += 3 * m->n[0]) {
            size_t at = sl_mesh_at(m, s->state.layout.nvar, leaf, SL_RHO, k + m->g[2], j + m->g[1],
                                   m->g[0] + i);
            add_row(s->state.u + at, g + i, m->n[0], cells, sum);
        }
    for (int d = 0; d < 3; d++)
        for (int q = 0; q < cells; q++)
            out[d] += sum[d][q];
}

static double cell_volume(const struct sl_mesh *m)
{
    double volume = 1;
    for (int d = 0; d < m->dim; d++)
        volume *= sl_mesh_cell_size(m, d, m->level);
    return volume;
}

void sl_net_force_lines(const struct sl_sim *s, const sl_real *g, double (*line)[3])
{
    const struct sl_mesh *m = s->state.mesh;
    const size_t values = 3 * (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
    memset(line, 0, (size_t)m->nleaf * sizeof *line);
    for (int b = 0; b < m->nleaf; b++)
        for (int i = 0; i < m->n[0]; i += LANES)
            add_lanes(s, b, g + (size_t)b * values, i, line[b]);
}

void sl_net_force_bound(const struct sl_sim *s, const struct sl_net_force *f, double bound[3])
{
    const struct sl_mesh *m = s->state.mesh;
    sl_sum_columns_bounds(m->nleaf, 3, *f->line[m->level], bound);
}

int sl_net_force_take(const struct sl_sim *coarsest, double (*bound)[3], struct sl_net_force *f)
{
    struct sl_sum sum[SL_LEVELS][3][2] = {0};
    const struct sl_mesh *first = coarsest->state.mesh;
    int n = 0;
    for (const struct sl_sim *s = coarsest; s; s = s->finer, n++)
        sl_sum_columns_count(s->state.mesh->nleaf, 3, *f->line[s->state.mesh->level], bound[n],
                             sum[n][0]);
    SL_TRY(sl_sum_columns_join(first->comm, 3 * n, *bound, sum[0][0], f->on[first->level]));
    for (const struct sl_sim *s = coarsest; s; s = s->finer)
        for (int d = 0; d < 3; d++)
            f->on[s->state.mesh->level][d] *= cell_volume(s->state.mesh);
    return SL_OK;
}

void sl_net_force_kicked(struct sl_net_force *f, int level, double time)
{
    for (int d = 0; d < 3; d++)
        f->given[d] += time * f->on[level][d];
}

/* ---- what is returned ------------------------------------------------------------------------ */

void sl_net_force_return(struct sl_net_force *f, double mass, double push[3])
{
    for (int d = 0; d < 3; d++) {
        push[d] = -f->given[d] / mass;
        f->given[d] = 0;
    }
}

static void push_momentum(const sl_real *rho, sl_real dv, int n, sl_real *restrict p)
{
    SL_SIMD
    for (int i = 0; i < n; i++)
        p[i] += rho[i] * dv;
}

static void push_energy(const sl_real *rho, const sl_real *p, sl_real dv, int n,
                        sl_real *restrict e)
{
    SL_SIMD
    for (int i = 0; i < n; i++)
        e[i] += sl_drive_work(rho[i], p[i], dv);
}

static void push_row(const struct sl_layout *l, size_t var, int n, const double push[3], sl_real *u)
{
    for (int d = 0; d < 3; d++) {
        sl_real *p = u + (size_t)(SL_MX + d) * var;
        if (push[d] == 0) continue;
        if (l->energy >= 0) push_energy(u, p, (sl_real)push[d], n, u + (size_t)l->energy * var);
        push_momentum(u, (sl_real)push[d], n, p);
    }
}

void sl_net_force_push(struct sl_sim *s, const double push[3])
{
    const struct sl_mesh *m = s->state.mesh;
    const struct sl_layout *l = &s->state.layout;
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                push_row(l, m->block_cells, m->n[0], push,
                         s->state.u +
                             sl_mesh_at(m, l->nvar, b, 0, k + m->g[2], j + m->g[1], m->g[0]));
}
