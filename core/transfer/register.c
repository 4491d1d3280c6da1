/* register.c - see register.h. */
#include "core/transfer/register.h"

#include "core/cell/repair.h"
#include "core/config/config.h"
#include "core/lists/integrator_list.h"
#include "core/sweep/buffers.h"
#include "core/sweep/split.h"
#include "core/sweep/stage_sums.h"
#include "core/sys/mem.h"

struct sl_register {
    struct sl_flux_register_side *side; /* owned; the fine ones, then the coarse ones */
    int *first, *order;                 /* owned; sides of block b: order[first[b]] .. */
    struct sl_stage_sums sums;
    int count;
    struct sl_view cons, prim, minus, plus, flux; /* [var][cell along the axis][face] */
    struct sl_view compression;                   /* [1][face]; velocities: below, here, above */
    struct sl_view velocity;                      /* [3][face] */
    struct sl_pool pool;                          /* owned */
};

/* ---- making --------------------------------------------------------------------------------- */

int sl_register_check(const struct sl_mesh *m, int integrator,
                      const struct sl_flux_register_side *side, int count)
{
    SL_CHECK(integrator != SL_INTEGRATOR_ctu, SL_EUNAVAIL,
             "fluxes through sides of blocks are not kept with fluid.integrator %s",
             sl_choice_name("fluid.integrator", integrator));
    for (int i = 0; i < count; i++)
        SL_CHECK(side[i].block >= 0 && side[i].block < m->nblock && side[i].axis >= 0 &&
                     side[i].axis < m->dim && (side[i].upper & ~1) == 0,
                 SL_EINPUT, "side %d of a flux register: no block %d with axis %d, upper %d", i,
                 side[i].block, side[i].axis, side[i].upper);
    return SL_OK;
}

/* Faces of a side in one row. */
static int faces_of(const struct sl_mesh *m, int axis)
{
    return m->n[axis == 0];
}

/* Most faces that are worked on at once. */
static int chunk_of(const struct sl_mesh *m)
{
    int most = SL_STRIP;
    for (int a = 0; a < m->dim; a++)
        most = sl_most(most, faces_of(m, a));
    return most;
}

static void lay_out(struct sl_register *k, const struct sl_scheme *s, int faces)
{
    struct sl_pool *p = &k->pool;
    int nvar = s->layout.nflow, cells = 2 * s->ghosts;
    k->cons = sl_pool_take(p, nvar, cells, faces);
    k->prim = sl_pool_take(p, nvar, cells, faces);
    k->minus = sl_pool_take(p, nvar, 2, faces);
    k->plus = sl_pool_take(p, nvar, 2, faces);
    k->flux = sl_pool_take(p, nvar, 1, faces);
    k->compression = sl_pool_take(p, s->needs_compression, 1, faces);
    k->velocity = sl_pool_take(p, 3 * s->needs_compression, 1, faces);
}

/* Lists the sides of each block. */
static void order_sides(struct sl_register *k, int nblock)
{
    for (int i = 0; i < k->count; i++)
        k->first[k->side[i].block + 1]++;
    for (int b = 0; b < nblock; b++)
        k->first[b + 1] += k->first[b];
    for (int i = 0; i < k->count; i++)
        k->order[k->first[k->side[i].block]++] = i;
    for (int b = nblock; b > 0; b--)
        k->first[b] = k->first[b - 1];
    k->first[0] = 0;
}

static int memory_get(struct sl_register *k, const struct sl_mesh *m, const struct sl_scheme *s)
{
    SL_TRY(sl_alloc("list of sides", (size_t)k->count, sizeof *k->side, &k->side));
    SL_TRY(sl_alloc("list of sides", (size_t)k->count, sizeof *k->order, &k->order));
    SL_TRY(sl_alloc("list of sides", (size_t)m->nblock + 1, sizeof *k->first, &k->first));
    lay_out(k, s, chunk_of(m));
    SL_TRY(sl_pool_open(&k->pool));
    lay_out(k, s, chunk_of(m));
    return SL_OK;
}

void sl_register_free(struct sl_register *k)
{
    if (!k) return;
    free(k->side), free(k->first), free(k->order);
    sl_stage_sums_release(&k->sums);
    free(k->pool.memory);
    free(k);
}

/* Takes the lists, which have their places. */
static int fill(struct sl_register *k, const struct sl_mesh *m, const struct sl_scheme *scheme,
                const struct sl_flux_register_side *fine, int nfine,
                const struct sl_flux_register_side *coarse)
{
    SL_TRY(memory_get(k, m, scheme));
    for (int i = 0; i < k->count; i++) {
        k->side[i] = i < nfine ? fine[i] : coarse[i - nfine];
        if (i >= nfine) k->side[i].start += k->sums.fine;
    }
    order_sides(k, m->nblock);
    return SL_OK;
}

int sl_register_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                    struct sl_flux_register_side *fine, int nfine,
                    struct sl_flux_register_side *coarse, int ncoarse, struct sl_register **out)
{
    struct sl_register *k = NULL;
    if (nfine + ncoarse > 0) {
        SL_TRY(sl_alloc("flux register", 1, sizeof *k, &k));
        k->count = nfine + ncoarse;
        size_t first = sl_flux_register_assign(mesh->n, scheme->layout.nflow, fine, nfine);
        size_t rest = sl_flux_register_assign(mesh->n, scheme->layout.nflow, coarse, ncoarse);
        int code = sl_stage_sums_init(&k->sums, first, rest);
        if (code == SL_OK) code = fill(k, mesh, scheme, fine, nfine, coarse);
        if (code != SL_OK) {
            sl_register_free(k);
            return code;
        }
    }
    *out = k;
    return SL_OK;
}

/* ---- sums ----------------------------------------------------------------------------------- */

const sl_real *sl_register_fine(const struct sl_register *k)
{
    return k->sums.total;
}

const sl_real *sl_register_coarse(const struct sl_register *k)
{
    return sl_stage_sums_coarse(&k->sums);
}

void sl_register_get(const struct sl_register *k, sl_real *fine, sl_real *coarse)
{
    if (!k) return;
    size_t rest = k->sums.values - k->sums.fine;
    if (fine) memcpy(fine, k->sums.total, k->sums.fine * sizeof *fine);
    if (coarse) memcpy(coarse, sl_register_coarse(k), rest * sizeof *coarse);
}

void sl_register_clear(struct sl_register *k)
{
    if (k) sl_stage_sums_clear(&k->sums);
}

void sl_register_accept(struct sl_register *k)
{
    if (k) sl_stage_sums_accept(&k->sums);
}

void sl_register_begin(struct sl_register *k, const struct sl_stage *stage, bool first)
{
    if (k && sl_stage_counts(stage)) sl_stage_sums_begin(&k->sums, stage, first);
}

/* ---- fluxes --------------------------------------------------------------------------------- */

/* Some rows of the faces of a side, all worked on at once. */
struct part {
    struct sl_register *k;
    const struct sl_scheme *scheme;
    const struct sl_mesh *mesh;
    int axis;
    int fast, rows;                  /* faces of a row, rows */
    ptrdiff_t across, along, stride; /* distances of cells: across the faces, in a row, of rows */
    ptrdiff_t cell;                  /* above the first face, within a variable of the block */
    const sl_real *in, *flags;       /* of the block; NULL: no flags */
};

static int faces(const struct part *p)
{
    return p->fast * p->rows;
}

/* Values of a field of the block beside the faces, `by` away from the cells above them. */
static void gather(const struct part *p, const sl_real *from, ptrdiff_t by, sl_real *to)
{
    from += p->cell + by;
    for (int r = 0; r < p->rows; r++, from += p->stride, to += p->fast)
        for (int i = 0; i < p->fast; i++)
            to[i] = from[i * p->along];
}

static const sl_real *variable(const struct part *p, int v)
{
    return p->in + (size_t)v * p->mesh->block_cells;
}

/* Primitive values of the cells from -reach to reach - 1 along the axis. */
static void load(const struct part *p, int reach)
{
    const struct sl_register *k = p->k;
    struct sl_shape shape = {1, 2 * reach * faces(p)};
    for (int v = 0; v < p->scheme->layout.nflow; v++)
        for (int c = -reach; c < reach; c++)
            gather(p, variable(p, v), c * p->across,
                   k->cons.at + v * k->cons.var + (c + reach) * faces(p));
    sl_rows_prim(p->scheme, shape, k->cons, k->prim);
}

/* With constrained transport: the field across the faces, into the values below them. */
static void put_across(const struct part *p, struct sl_view below)
{
    const struct sl_layout *l = &p->scheme->layout;
    if (l->face < 0) return;
    gather(p, variable(p, l->face + p->axis), 0, below.at + (l->magnetic + p->axis) * below.var);
}

/* sl_gas.compression of the faces; NULL where the solver does not look at it. */
static const sl_real *compression(const struct part *p)
{
    const struct sl_register *k = p->k;
    struct sl_shape row = {1, faces(p)};
    struct sl_view rho = k->cons, v[3];
    if (!p->scheme->needs_compression) return NULL;
    memset(k->compression.at, 0, (size_t)row.n * sizeof(sl_real));
    for (int side = -1; side <= 0; side++)
        for (int t = 0; t < p->mesh->dim; t++) {
            if (t == p->axis) continue;
            for (int n = 0; n < 3; n++) {
                ptrdiff_t by = side * p->across + (n - 1) * p->mesh->step[t];
                v[n] = sl_view_move(k->velocity, n * k->velocity.var);
                gather(p, p->in, by, rho.at);
                gather(p, variable(p, SL_MX + t), by, v[n].at);
                for (int i = 0; i < row.n; i++)
                    v[n].at[i] = v[n].at[i] * (1 / rho.at[i]);
            }
            sl_rows_compression(row, v[0], v[1], v[2], k->compression.at, 0);
        }
    return k->compression.at;
}

static void fluxes(const struct part *p)
{
    const struct sl_register *k = p->k;
    int n = faces(p), reach = p->scheme->ghosts;
    struct sl_shape cells = {1, 2 * n}, row = {1, n};
    load(p, reach);
    struct sl_near q = sl_near_of(sl_view_move(k->prim, (reach - 1) * n), n, p->axis);
    sl_rows_faces(p->scheme, cells, &q, k->minus, k->plus);
    put_across(p, k->plus);
    sl_rows_flux(p->scheme, row, p->axis, k->plus, sl_view_move(k->minus, n), compression(p),
                 k->flux);
}

static void fluxes_safe(const struct part *p)
{
    const struct sl_register *k = p->k;
    struct sl_shape row = {1, faces(p)};
    load(p, 1);
    put_across(p, k->prim);
    sl_rows_flux_safe(p->scheme, row, p->axis, k->prim, sl_view_move(k->prim, row.n), k->flux);
}

/* ---- sweeps along one axis ------------------------------------------------------------------- */

/* Through the lower (0) or upper (1) face of the interior cell at u, into flux[v * apart]. */
static void split_face(const struct part *p, const struct sl_split_cell *of, const sl_real *u,
                       int upper, sl_real *flux, ptrdiff_t apart)
{
    enum { N = SL_SPLIT_LINE };
    sl_real line[SL_MAX_VAR * N], limited[SL_MAX_VAR * 2], safe[SL_MAX_VAR * 2];
    struct sl_view cells = {line, N, 0}, f = {limited, 2, 0}, first = {safe, 2, 0};
    const struct sl_layout *l = &p->scheme->layout;
    for (int v = 0; v < l->nvar; v++)
        for (int i = 0; i < N; i++)
            line[v * N + i] = u[(ptrdiff_t)p->mesh->block_cells * v + (i - N / 2) * p->across];
    sl_split_fluxes(p->scheme, of, cells, f, first);
    for (int v = 0; v < l->nflow; v++)
        flux[v * apart] = (p->flags ? safe : limited)[2 * v + upper];
}

/* Those of the interior cells beside the faces. */
static void split_fluxes(const struct part *p, const struct sl_stage *stage,
                         const struct sl_flux_register_side *s)
{
    int where = s->upper ? p->mesh->n[s->axis] - 1 : 0;
    struct sl_split_cell of = sl_split_cell_of(p->mesh, stage, s->block, where);
    const sl_real *u = p->in + p->cell - (s->upper ? p->across : 0);
    for (int i = 0; i < faces(p); i++)
        split_face(p, &of, u + i / p->fast * p->stride + i % p->fast * p->along, s->upper,
                   p->k->flux.at + i, p->k->flux.var);
}

/* ---- sides ---------------------------------------------------------------------------------- */

/* Whether variable v changes by fluxes: a field at faces follows from its edges. */
static bool is_kept(const struct part *p, int v)
{
    const struct sl_layout *l = &p->scheme->layout;
    return l->face < 0 || v < l->magnetic || v >= l->magnetic + p->mesh->dim;
}

static bool beside_flag(const struct part *p, int row, int i)
{
    const sl_real *flag = p->flags + p->cell + row * p->stride + i * p->along;
    return sl_repair_is_safe(flag[-p->across], flag[0]);
}

static bool any_flag(const struct part *p)
{
    for (int r = 0; r < p->rows; r++)
        for (int i = 0; i < p->fast; i++)
            if (beside_flag(p, r, i)) return true;
    return false;
}

/* Adds the fluxes to what comes from the stages before; with flags those of faces beside them
 * alone. */
static void put(const struct part *p, const struct sl_stage *stage, int v, size_t at)
{
    const sl_real *flux = p->k->flux.at + v * p->k->flux.var;
    for (int i = 0; i < faces(p); i++)
        if (!p->flags || beside_flag(p, i / p->fast, i % p->fast))
            sl_stage_sums_put(&p->k->sums, stage, at + (size_t)i, flux[i]);
}

/* What the stage brings through the faces of p, across another axis than that of its sweep nothing;
 * false: what is kept already stays. */
static bool make(const struct part *p, const struct sl_register_stage *of,
                 const struct sl_flux_register_side *s)
{
    bool across = of->split && of->stage->axis != s->axis;
    if (p->flags && (across || !any_flag(p))) return false;
    if (across)
        for (int v = 0; v < p->scheme->layout.nflow; v++)
            memset(p->k->flux.at + v * p->k->flux.var, 0, (size_t)faces(p) * sizeof(sl_real));
    else if (of->split)
        split_fluxes(p, of->stage, s);
    else if (p->flags)
        fluxes_safe(p);
    else
        fluxes(p);
    return true;
}

static void side(struct part *p, const struct sl_register_stage *of,
                 const struct sl_flux_register_side *s)
{
    const struct sl_mesh *m = p->mesh;
    int later = s->axis == 2 ? 1 : 2, chunk = sl_most(SL_STRIP / faces_of(m, s->axis), 1);
    size_t each = sl_flux_register_faces(m->n, s->axis), at = s->start;
    p->axis = s->axis;
    p->fast = faces_of(m, s->axis);
    p->across = m->step[s->axis];
    p->along = m->step[s->axis == 0];
    p->stride = m->step[later];
    p->cell = m->g[0] * m->step[0] + m->g[1] * m->step[1] + m->g[2] * m->step[2];
    p->cell += s->upper ? m->n[s->axis] * p->across : 0;
    for (int r = 0; r < m->n[later]; r += p->rows) {
        p->rows = sl_least(chunk, m->n[later] - r);
        if (make(p, of, s))
            for (int v = 0; v < p->scheme->layout.nflow; v++)
                if (is_kept(p, v)) put(p, of->stage, v, at + (size_t)v * each);
        at += (size_t)faces(p);
        p->cell += p->rows * p->stride;
    }
}

void sl_register_block(struct sl_register *k, const struct sl_register_stage *of, int b)
{
    struct part p = {.k = k, .scheme = of->scheme, .mesh = of->mesh};
    if (!k || !sl_stage_counts(of->stage)) return;
    p.in = of->in + sl_mesh_at(p.mesh, p.scheme->layout.nvar, b, 0, 0, 0, 0);
    if (of->flags) p.flags = of->flags + sl_mesh_at(p.mesh, 1, b, 0, 0, 0, 0);
    for (int i = k->first[b]; i < k->first[b + 1]; i++)
        side(&p, of, &k->side[k->order[i]]);
}
