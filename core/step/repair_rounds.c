/* repair_rounds.c - see repair_rounds.h. */
#include "core/step/repair_rounds.h"

#include <stdlib.h>

#include "core/cell/relax.h"
#include "core/cell/repair.h"
#include "core/config/config.h"
#include "core/sweep/buffers.h"
#include "core/sweep/mass_rows.h"
#include "core/sweep/split.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/transfer/register.h"

enum {
    PASSES = 5, /* flagging rounds before the floors */
    LINE = 7    /* cells along an axis that the two faces of one cell depend on */
};

int sl_repair_ready(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    if (w->third) return SL_OK;
    size_t size = sl_mesh_size(sim->state.mesh, sim->state.layout.nvar);
    w->third = sl_field_new(size);
    w->flags = sl_field_new(sl_mesh_size(sim->state.mesh, 1));
    if (w->keeps_mass && !w->mass[1]) w->mass[1] = sl_field_new(sl_step_mass_values(sim));
    int have = w->third && w->flags && (w->mass[1] || !w->keeps_mass);
    int code = sl_agree(sim->state.mesh->comm,
                        have ? SL_OK : SL_FAIL(SL_EMEM, "no memory for repairs: %zu values", size));
    if (code == SL_OK) return SL_OK;
    free(w->third);
    free(w->flags);
    free(w->mass[1]);
    w->third = w->flags = w->mass[1] = NULL;
    return code;
}

/* What one repair works on. */
struct job {
    struct sl_sim *sim;
    const struct sl_stage *stage;
    const sl_real *in;
    sl_real *out;
    int64_t *floored; /* number of the first cell that got a floor, along the rows of the box */
};

struct cell {
    int b, k, j, i;
};

static size_t at(const struct sl_sim *sim, struct cell c)
{
    return sl_mesh_at(sim->state.mesh, sim->state.layout.nvar, c.b, 0, c.k, c.j, c.i);
}

static sl_real *flag(const struct sl_sim *sim, struct cell c)
{
    return sim->work->flags + sl_mesh_at(sim->state.mesh, 1, c.b, 0, c.k, c.j, c.i);
}

typedef int64_t visit_fn(const struct job *w, struct cell c);

/* Sum of what `visit` returns for the interior cells of the rank. */
static int64_t each_cell(const struct job *w, visit_fn *visit)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    int64_t sum = 0;
    struct cell c;
    for (c.b = 0; c.b < m->nblock; c.b++)
        for (c.k = m->g[2]; c.k < m->g[2] + m->n[2]; c.k++)
            for (c.j = m->g[1]; c.j < m->g[1] + m->n[1]; c.j++)
                for (c.i = m->g[0]; c.i < m->g[0] + m->n[0]; c.i++)
                    sum += visit(w, c);
    return sum;
}

/* ---- flags ---------------------------------------------------------------------------------- */

static int64_t clear_flag(const struct job *w, struct cell c)
{
    *flag(w->sim, c) = 0;
    return 0;
}

static int64_t set_flag(const struct job *w, struct cell c)
{
    const struct sl_state *s = &w->sim->state;
    return sl_repair_flag(&s->gas, &s->layout, w->out + at(w->sim, c), s->mesh->block_cells,
                          flag(w->sim, c));
}

static int flag_cells(void *of, int64_t *count)
{
    *count = each_cell(of, set_flag);
    return SL_OK;
}

static void no_flag(const void *data, const double lo[3], const double hi[3], double time,
                    sl_real *value)
{
    (void)data, (void)lo, (void)hi, (void)time;
    *value = 0;
}

/* ---- making a cell again -------------------------------------------------------------------- */

static const struct sl_scheme *scheme_of(const struct job *w)
{
    return w->stage->first_order ? &w->sim->work->plain : &w->sim->work->scheme;
}

/* The variables of the cells around c along an axis, next to each other. */
static void gather(const struct job *w, struct cell c, int axis, struct sl_view line)
{
    const struct sl_sim *sim = w->sim;
    ptrdiff_t step = sim->state.mesh->step[axis];
    int reach = scheme_of(w)->ghosts;
    const sl_real *u = w->in + at(sim, c);
    for (int v = 0; v < sim->state.layout.nvar; v++)
        for (int d = -reach; d <= reach; d++)
            line.at[v * line.var + d] = u[(ptrdiff_t)sim->state.mesh->block_cells * v + d * step];
}

/* First-order fluxes in place of those at the lower and the upper face of c where a cell beside the
 * face is flagged. */
static void take_safe(const struct job *w, struct cell c, int axis, struct sl_view safe,
                      struct sl_view f)
{
    const sl_real *mark = flag(w->sim, c);
    ptrdiff_t step = w->sim->state.mesh->step[axis];
    int low = sl_repair_is_safe(mark[-step], mark[0]),
        high = sl_repair_is_safe(mark[0], mark[step]);
    for (int v = 0; v < w->sim->state.layout.nvar; v++) {
        if (low) f.at[v * f.var] = safe.at[v * safe.var];
        if (high) f.at[v * f.var + 1] = safe.at[v * safe.var + 1];
    }
}

/* sl_gas.compression at the lower and the upper face of c. */
static void compression_of(const struct job *w, struct cell c, int axis, sl_real compression[2])
{
    const struct sl_sim *sim = w->sim;
    const sl_real *u = w->in + at(sim, c);
    compression[0] = compression[1] = 0;
    for (int side = -1; side <= 1; side++)
        for (int t = 0; t < sim->state.mesh->dim; t++) {
            ptrdiff_t here = side * sim->state.mesh->step[axis], step = sim->state.mesh->step[t];
            sl_real v[3];
            if (t == axis) continue;
            for (int i = 0; i < 3; i++) {
                const sl_real *cell = u + here + (i - 1) * step;
                v[i] = cell[(size_t)(SL_MX + t) * sim->state.mesh->block_cells] * (1 / cell[0]);
            }
            struct sl_shape one = {1, 1};
            struct sl_view a = {v, 0, 0}, b = {v + 1, 0, 0}, d = {v + 2, 0, 0};
            if (side <= 0) sl_rows_compression(one, a, b, d, compression, 0);
            if (side >= 0) sl_rows_compression(one, a, b, d, compression + 1, 0);
        }
}

/* Fluxes at the lower and the upper face of c. */
static void fluxes(const struct job *w, struct cell c, int axis, struct sl_view f)
{
    const struct sl_scheme *s = scheme_of(w);
    sl_real u[SL_MAX_VAR * LINE], q[SL_MAX_VAR * LINE], minus[SL_MAX_VAR * 3];
    sl_real plus[SL_MAX_VAR * 3], safe[SL_MAX_VAR * 2];
    int reach = s->ghosts, n = 2 * reach + 1;
    struct sl_view line = {u + reach, LINE, 0}, prim = {q + reach, LINE, 0};
    struct sl_view lower = {minus, 3, 0}, upper = {plus, 3, 0}, first = {safe, 2, 0};
    struct sl_shape all = {1, n}, three = {1, 3}, two = {1, 2};
    gather(w, c, axis, line);
    sl_rows_prim(s, all, sl_view_move(line, -reach), sl_view_move(prim, -reach));
    struct sl_near near = sl_near_of(sl_view_move(prim, -1), 1, axis);
    sl_rows_faces(s, three, &near, lower, upper);
    sl_real compression[2];
    if (s->needs_compression) compression_of(w, c, axis, compression);
    sl_rows_flux(s, two, axis, upper, sl_view_move(lower, 1),
                 s->needs_compression ? compression : NULL, f);
    sl_rows_flux_safe(s, two, axis, sl_view_move(prim, -1), prim, first);
    take_safe(w, c, axis, first, f);
}

/* The same for a split sweep; the density of c after half of it comes back. */
static sl_real split_fluxes(const struct job *w, struct cell c, struct sl_view f)
{
    sl_real u[SL_MAX_VAR * LINE], safe[SL_MAX_VAR * 2];
    struct sl_view line = {u, LINE, 0}, first = {safe, 2, 0};
    const struct sl_mesh *m = w->sim->state.mesh;
    int axis = w->stage->axis, where = (axis == 0 ? c.i : axis == 1 ? c.j : c.k) - m->g[axis];
    struct sl_split_cell of = sl_split_cell_of(m, w->stage, c.b, where);
    gather(w, c, axis, sl_view_move(line, SL_RELAX_GHOSTS));
    sl_real rho = sl_split_fluxes(&w->sim->work->scheme, &of, line, f, first);
    take_safe(w, c, axis, first, f);
    return rho;
}

static int is_near_flag(const struct sl_sim *sim, struct cell c)
{
    const struct sl_mesh *m = sim->state.mesh;
    return sl_repair_is_near(m->dim, flag(sim, c), m->step);
}

/* The mass through the lower face of c along axis a, or its upper one, replaces that of the stage
 * if its flux is safe. A face belongs to the cell above it, the last one of a block to the one
 * below. */
static void keep_mass(const struct job *w, struct cell c, int a, const struct sl_view *flux)
{
    const struct sl_mesh *m = w->sim->state.mesh;
    const sl_real *mark = flag(w->sim, c);
    int at[3] = {c.i - m->g[0], c.j - m->g[1], c.k - m->g[2]}, last = at[a] == m->n[a] - 1;
    if (!w->stage->mass) return;
    for (int up = 0; up <= last; up++, at[a]++) {
        if (!sl_repair_is_safe(mark[up ? 0 : -m->step[a]], mark[up ? m->step[a] : 0])) continue;
        size_t i = sl_mass_flux_at(m->dim, m->n, (size_t)c.b, a, at[2], at[1], at[0]);
        sl_mass_row(w->stage, i, 1, flux->at + up);
    }
}

static int64_t remake(const struct job *w, struct cell c)
{
    const struct sl_sim *sim = w->sim;
    const struct sl_scheme *s = scheme_of(w);
    if (!is_near_flag(sim, c)) return 0;
    sl_real flux[3][SL_MAX_VAR * 2], unused[3] = {0}, half_way;
    struct sl_view signal = {unused, 1, 0};
    struct sl_fluxes f = {.dim = sim->work->split ? 1 : sim->state.mesh->dim,
                          .axis = sim->work->split ? w->stage->axis : 0,
                          .sweep = sim->work->split != NULL,
                          .damp = w->stage->damp,
                          .dt = (sl_real)w->stage->dt};
    ptrdiff_t var = (ptrdiff_t)sim->state.mesh->block_cells;
    f.density = (struct sl_view){(sl_real *)(uintptr_t)w->in + at(sim, c), var, 0};
    for (int i = 0; i < f.dim; i++) {
        int axis = f.axis + i;
        f.lower[i] = (struct sl_view){flux[i], 2, 0};
        f.upper[i] = sl_view_move(f.lower[i], 1);
        f.dt_dx[i] = (sl_real)(w->stage->dt / sim->state.mesh->blocks[c.b].dx[axis]);
        if (sim->work->split) {
            half_way = split_fluxes(w, c, f.lower[i]);
            f.density.at = &half_way;
        } else
            fluxes(w, c, axis, f.lower[i]);
        keep_mass(w, c, axis, &f.lower[i]);
    }
    struct sl_shape one = {1, 1};
    struct sl_view u0 = {sim->state.u + at(sim, c), var, 0}, u = {NULL, var, 0},
                   out = {NULL, var, 0};
    u.at = (sl_real *)(uintptr_t)(w->stage->from_old ? sim->state.u : w->in) + at(sim, c);
    out.at = w->out + at(sim, c);
    sl_rows_update(s, one, w->stage->b, &f, u0, u, out);
    sl_rows_dual(s, one, &f, out);
    sl_rows_signal(s, one, NULL, out, signal);
    return 1;
}

/* With constrained transport a flux at a face changes the field along all edges around it, with
 * corner transport upwind all cells around it: blocks that hold a flag are made again as a
 * whole. */
static void remake_blocks(const struct job *w)
{
    struct sl_sim *sim = w->sim;
    struct sl_stage stage = *w->stage;
    stage.last = 0;
    for (int b = 0; b < sim->state.mesh->nblock; b++) {
        const sl_real *flags = sim->work->flags + sl_mesh_at(sim->state.mesh, 1, b, 0, 0, 0, 0);
        int any = 0;
        for (size_t i = 0; i < sim->state.mesh->block_cells; i++)
            any |= flags[i] > 0;
        if (any) sl_step_block(sim, &stage, b, flags, NULL, w->in, w->out);
    }
}

static int remake_cells(void *of)
{
    const struct job *w = of;
    struct sl_sim *sim = w->sim;
    struct sl_ghost_arg ghost = {.nvar = 1, .vector = -1, .fixed = no_flag};
    SL_TRY(sl_ghost_fill(sim->state.mesh, &ghost, sim->work->flags));
    if (sim->work->sweep_ct || sim->work->sweep_ctu)
        remake_blocks(w);
    else
        each_cell(w, remake);
    const struct sl_register_stage again = {sim->state.mesh,  &sim->work->scheme,
                                            w->stage,         w->in,
                                            sim->work->flags, sim->work->split != NULL};
    for (int b = 0; b < sim->state.mesh->nblock; b++)
        sl_register_block(sim->work->fluxes, &again, b);
    return SL_OK;
}

/* ---- floors --------------------------------------------------------------------------------- */

static int64_t is_lost(const struct job *w, struct cell c)
{
    const struct sl_state *s = &w->sim->state;
    return !sl_repair_is_finite(&s->layout, w->out + at(w->sim, c), s->mesh->block_cells);
}

static int lost_cells(void *of, int64_t *count)
{
    *count = each_cell(of, is_lost);
    return SL_OK;
}

static int64_t number_of(const struct sl_mesh *m, struct cell c)
{
    const int in[3] = {c.i - m->g[0], c.j - m->g[1], c.k - m->g[2]};
    int64_t n = 0;
    for (int d = m->dim - 1; d >= 0; d--)
        n = n * ((int64_t)m->spec.cells[d] << m->level) + m->blocks[c.b].at[d] * m->n[d] + in[d];
    return n;
}

static int64_t floor_cell(const struct job *w, struct cell c)
{
    const struct sl_state *s = &w->sim->state;
    size_t var = s->mesh->block_cells;
    sl_real *u = w->out + at(w->sim, c);
    if (!sl_repair_is_bad(&s->gas, &s->layout, u, var)) return 0;
    int64_t number = number_of(s->mesh, c);
    if (number < *w->floored) *w->floored = number;
    sl_repair_floor(&s->gas, &s->layout, s->u + at(w->sim, c), u, var);
    return 1;
}

static int floor_cells(void *of, int64_t *count)
{
    *count = each_cell(of, floor_cell);
    return SL_OK;
}

/* collective. The first of the cells that got a floor, of all ranks, along the rows of the box. */
static int locate(const struct sl_sim *sim, int64_t first)
{
    const struct sl_mesh_spec *s = &sim->state.mesh->spec;
    int code = MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot find the bad cells of the ranks");
    for (int d = 0; d < s->dim; d++) {
        int64_t cells = (int64_t)s->cells[d] << sim->state.mesh->level;
        sim->work->floored_at[d] =
            s->lo[d] + ((double)(first % cells) + 0.5) * ((s->hi[d] - s->lo[d]) / (double)cells);
        first /= cells;
    }
    return SL_OK;
}

/* ---- the rounds ----------------------------------------------------------------------------- */

static int sum_of(const struct sl_sim *sim, int (*cells)(void *, int64_t *), void *of, int64_t *sum)
{
    SL_TRY(cells(of, sum));
    int code = MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INT64_T, MPI_SUM, sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot count the bad cells of the ranks");
    return SL_OK;
}

/* Cells that are not finite after first-order fluxes: those of good cells are finite unless they
 * leave the range of the numbers; then neither a floor nor a shorter step helps. */
static int check_range(const struct sl_sim *sim, int64_t lost)
{
    SL_CHECK(lost == 0, SL_EDIVERGED,
             "step %lld at t = %g: the fluxes of %lld cells leave the range of %d-bit numbers",
             (long long)sim->state.step, sim->state.time, (long long)lost,
             8 * (int)sizeof(sl_real));
    return SL_OK;
}

int sl_repair_rounds(const struct sl_sim *sim, const struct sl_repair_cells *cells, void *of,
                     int64_t *repaired, int64_t *floored)
{
    const bool positivity = sim->state.cfg->fluid_positivity;
    int64_t count = 0;
    for (int pass = 0; pass < PASSES && positivity; pass++) {
        SL_TRY(sum_of(sim, cells->flag, of, &count));
        if (count == 0) break; /* what was flagged before may still be bad */
        *repaired += count;
        SL_TRY(cells->remake(of));
    }
    if (positivity) {
        SL_TRY(sum_of(sim, cells->lost, of, &count));
        SL_TRY(check_range(sim, count));
    }
    SL_TRY(sum_of(sim, cells->floor, of, &count));
    *floored += count;
    return SL_OK;
}

int sl_repair(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in, sl_real *out,
              int64_t *repaired, int64_t *floored)
{
    static const struct sl_repair_cells cells = {flag_cells, remake_cells, lost_cells, floor_cells};
    int64_t first = INT64_MAX, before = *floored;
    struct job w = {sim, stage, in, out, &first};
    each_cell(&w, clear_flag);
    SL_TRY(sl_repair_rounds(sim, &cells, &w, repaired, floored));
    return *floored > before ? locate(sim, first) : SL_OK;
}
