/* nest.c - what passes between levels, cell by cell against what the same bodies make of fields
 * that are known everywhere: ghost cells from the coarser level at any time within its step,
 * covered blocks, corrections beside finer blocks, and the fields of new levels. Random meshes
 * come from a printed seed; SL_TEST_SEED sets another.
 *
 * ranks: 3
 * optimised: 1 7
 */
#include "core/cell/prolong.h"
#include "core/cell/prolong_heat.h"
#include "core/cell/reflux.h"
#include "core/mesh/hierarchy.h"
#include "core/step/backend.h"
#include "core/step/level.h"
#include "core/step/work.h"
#include "core/transfer/register.h"
#include "tests/law.h"

static uint64_t seed = 1;

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/* 0 .. 1, of numbers that tell what it is for. */
static double number(int a, int b, int c, const int cell[3])
{
    uint64_t h = mix(seed + 0x9e3779b97f4a7c15U * (uint64_t)(a + 16 * b + 1024 * c + 1));
    for (int d = 0; d < 3; d++)
        h = mix(h + 0x9e3779b97f4a7c15U * (uint64_t)(cell[d] + 100));
    return (double)(h >> 11) * 0x1p-53;
}

static int setup(void **unused)
{
    (void)unused;
    int rank;
    const char *text = getenv("SL_TEST_SEED");
    if (text) seed = strtoull(text, NULL, 10);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("seed %llu\n", (unsigned long long)seed);
    return 0;
}

/* ---- blocks of all ranks --------------------------------------------------------------------- */

enum { NOTHING, LEAF, COVERED, LEVELS = 4 };

/* What lies where. */
struct world {
    const struct sl_sim *sim;
    int nlevel, blocks[LEVELS][3];
    signed char *kind[LEVELS]; /* owned */
};

static size_t block_index(const struct world *w, int level, const int at[3])
{
    const int *n = w->blocks[level];
    return (size_t)((at[2] * n[1] + at[1]) * n[0] + at[0]);
}

static struct world world_of(const struct sl_sim *root)
{
    struct world w = {.sim = root};
    for (const struct sl_sim *s = root; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        int size = 1, level = w.nlevel++;
        for (int d = 0; d < 3; d++)
            size *= w.blocks[level][d] = d < m->dim ? (m->spec.cells[d] / m->n[d]) << level : 1;
        w.kind[level] = calloc((size_t)size, 1);
        assert_non_null(w.kind[level]);
        for (int b = 0; b < m->nblock; b++) {
            const int64_t *at = m->blocks[b].at;
            int place[3] = {(int)at[0], (int)at[1], (int)at[2]};
            w.kind[level][block_index(&w, level, place)] = b < m->nleaf ? LEAF : COVERED;
        }
        MPI_Allreduce(MPI_IN_PLACE, w.kind[level], size, MPI_SIGNED_CHAR, MPI_MAX, m->comm);
    }
    return w;
}

static void world_free(struct world *w)
{
    for (int l = 0; l < w->nlevel; l++)
        free(w->kind[l]);
}

/* Periodic, or the last cell within the box. */
static void inside(const struct world *w, int level, int cell[3])
{
    const struct sl_mesh *m = w->sim->state.mesh;
    for (int d = 0; d < m->dim; d++) {
        int n = w->blocks[level][d] * m->n[d];
        if (m->spec.boundary[2 * d] == SL_BOUNDARY_periodic)
            cell[d] = (cell[d] + n) % n;
        else
            cell[d] = cell[d] < 0 ? 0 : cell[d] >= n ? n - 1 : cell[d];
    }
}

static int is_outside(const struct world *w, int level, const int cell[3])
{
    const struct sl_mesh *m = w->sim->state.mesh;
    for (int d = 0; d < m->dim; d++)
        if (m->spec.boundary[2 * d] != SL_BOUNDARY_periodic &&
            (cell[d] < 0 || cell[d] >= w->blocks[level][d] * m->n[d]))
            return 1;
    return 0;
}

/* Of a cell within the box. */
static int kind_at(const struct world *w, int level, const int cell[3])
{
    const int *n = w->sim->state.mesh->n;
    int at[3] = {cell[0] / n[0], cell[1] / n[1], cell[2] / n[2]};
    return w->kind[level][block_index(w, level, at)];
}

/* ---- fields that are known everywhere -------------------------------------------------------- */

enum { OLD, NOW, FLUX }; /* two states; values of registers */

static double value_of(const struct sl_layout *l, int state, int level, int v, const int cell[3]);

/* Entropy of gas with gamma = 5/3: in every other cell what energy tells, if that tells any. */
static double entropy_of(const struct sl_layout *l, int state, int level, double other,
                         const int cell[3])
{
    const struct sl_gas gas = {.eos = SL_EOS_ideal, .gamma = (sl_real)(5.0 / 3)};
    double rho = value_of(l, state, level, SL_RHO, cell), m2 = 0;
    for (int d = 0; d < 3; d++)
        m2 += pow(value_of(l, state, level, SL_MX + d, cell), 2);
    double heat = value_of(l, state, level, l->energy, cell) - 0.5 * m2 / rho;
    if ((cell[0] + cell[1] + cell[2]) % 2 || !(heat > 0.1)) return other;
    return (double)sl_pressure_to_entropy(&gas, (sl_real)rho, (gas.gamma - 1) * (sl_real)heat);
}

/* Some momenta are so large that slopes must give way to pressure; fractions of scalars are from
 * 0.25 to 0.75. */
static double value_of(const struct sl_layout *l, int state, int level, int v, const int cell[3])
{
    double x = number(state, level, v, cell);
    if (v >= SL_MX && v <= SL_MZ) return 3.6 * (x - 0.5);
    if (v == l->energy) return 3 + x;
    if (l->magnetic >= 0 && v >= l->magnetic && v < l->magnetic + 4) return x - 0.5;
    if (v == l->entropy) return entropy_of(l, state, level, 1 + x, cell);
    if (v >= l->scalar0) return (0.25 + 0.5 * x) * value_of(l, state, level, SL_RHO, cell);
    return 1 + x;
}

typedef double values[SL_MAX_VAR];

static void expected(const struct world *w, int state, int level, const int cell[3], double *out);

static int nwarm; /* children of warm cells */

/* The child at `cell` of a cell of the next coarser level, which lies between its states by
 * share. */
static void child_of(const struct world *w, double share, int level, const int cell[3], double *out)
{
    static const int state[2] = {OLD, NOW};
    const struct sl_layout *l = &w->sim->state.layout;
    double u[2][SL_MAX_VAR * 27] = {{0}};
    struct sl_prolong p = {w->sim->state.gas,
                           *l,
                           w->sim->state.mesh->dim,
                           {1, 3, 9},
                           27,
                           share,
                           sl_prolong_theta(w->sim->work->scheme.method),
                           w->sim->work->scheme.dual_eta};
    int child = 0, parent[3];
    for (int d = 0; d < 3; d++) {
        parent[d] = d < p.dim ? cell[d] / 2 : 0;
        child += (d < p.dim && cell[d] % 2) << d;
    }
    for (int s = 0; s < 2; s++)
        for (int n = -p.dim; n <= p.dim; n++) {
            int at[3] = {parent[0], parent[1], parent[2]}, a = abs(n) - 1;
            double value[SL_MAX_VAR];
            if (n) at[a] += n < 0 ? -1 : 1;
            if ((s == 0 && share == 1) || (s == 1 && share == 0)) continue;
            expected(w, state[s], level - 1, at, value);
            for (int v = 0; v < l->nflow; v++)
                u[s][v * 27 + 13 + (n == 0 ? 0 : n < 0 ? -p.step[a] : p.step[a])] = value[v];
        }
    double factor = sl_prolong_factor(&p, u[0] + 13, u[1] + 13);
    for (int v = 0; v < l->scalar0; v++)
        out[v] =
            sl_prolong_child(p.dim, sl_prolong_slopes(&p, u[0] + 13, u[1] + 13, v), factor, child);
    if (l->entropy >= 0) {
        int warm = sl_prolong_is_warm(&p, u[0] + 13, u[1] + 13);
        struct sl_linear d = sl_prolong_heat_slopes(&p, u[0] + 13, u[1] + 13, warm);
        sl_real drawn = sl_prolong_child(p.dim, d, factor, child);
        nwarm += warm;
        out[l->entropy] = sl_prolong_entropy(&p, warm, out[0], drawn);
    }
    struct sl_mix mix = sl_prolong_mix(&p, u[0] + 13, u[1] + 13, factor);
    for (int i = 0; i < l->nscalar; i++) {
        struct sl_linear d = sl_prolong_fraction(&p, u[0] + 13, u[1] + 13, i).d;
        out[l->scalar0 + i] =
            out[0] * sl_prolong_child(p.dim, sl_mix_fit(p.dim, &mix, d), 1, child);
    }
}

/* What a block of a level has in a cell, ghost cells included. */
static void expected(const struct world *w, int state, int level, const int cell[3], double *out)
{
    const struct sl_layout *l = &w->sim->state.layout;
    int at[3] = {cell[0], cell[1], cell[2]};
    inside(w, level, at);
    if (kind_at(w, level, at) == NOTHING)
        child_of(w, state == NOW, level, at, out);
    else
        for (int v = 0; v < l->nflow; v++)
            out[v] = value_of(l, state, level, v, at);
}

/* Place of a cell of a block, counted from its first ghost cell. */
static void cell_of(const struct sl_mesh *m, int b, size_t index, int cell[3])
{
    int at[3] = {(int)(index % (size_t)m->nt[0]), (int)(index / (size_t)m->nt[0]) % m->nt[1],
                 (int)(index / (size_t)m->nt[0] / (size_t)m->nt[1])};
    for (int d = 0; d < 3; d++)
        cell[d] = (int)m->blocks[b].at[d] * m->n[d] + at[d] - m->g[d];
}

/* Whether a run asks for a ghost cell: some do not for those beyond edges and corners. */
static int is_asked(const struct sl_sim *s, int b, const int cell[3])
{
    int axes = 0;
    for (int d = 0; d < s->state.mesh->dim; d++) {
        int local = cell[d] - (int)s->state.mesh->blocks[b].at[d] * s->state.mesh->n[d];
        axes += local < 0 || local >= s->state.mesh->n[d];
    }
    return axes <= 1 || !s->work->ghost.faces_only;
}

static int is_own(const struct sl_mesh *m, int b, const int cell[3])
{
    int own = 1;
    for (int d = 0; d < 3; d++)
        own &= cell[d] / m->n[d] == m->blocks[b].at[d] && cell[d] >= 0;
    return own;
}

/* Interiors of a state; ghost cells are not numbers. */
static void fill(const struct sl_sim *s, int state, sl_real *u)
{
    const struct sl_mesh *m = s->state.mesh;
    for (int b = 0; b < m->nblock; b++)
        for (size_t i = 0; i < m->block_cells; i++) {
            int cell[3];
            cell_of(m, b, i, cell);
            for (int v = 0; v < s->state.layout.nflow; v++)
                u[sl_mesh_at(m, s->state.layout.nvar, b, v, 0, 0, 0) + i] =
                    is_own(m, b, cell) ? value_of(&s->state.layout, state, m->level, v, cell) : NAN;
        }
}

/* Both states of all levels, ghost cells of the first `levels` filled; where = NOW the backend's
 * call does it. */
static void fill_levels(struct sl_sim *root, int levels)
{
    for (struct sl_sim *s = root; s; s = s->finer) {
        struct sl_step *w = s->work;
        const struct sl_backend *of = w->backend;
        fill(s, OLD, w->next);
        fill(s, NOW, w->now);
        if (s->state.mesh->level >= levels) continue;
        struct sl_ghost_arg arg = w->ghost;
        arg.time = 0;
        if (s->coarser) {
            assert_int_equal(of->prolong(s->coarser, s, 0, w->next), SL_OK);
            assert_int_equal(of->prolong(s->coarser, s, 1, w->now), SL_OK);
        }
        assert_int_equal(sl_ghost_fill(s->state.mesh, &arg, w->next), SL_OK);
        assert_int_equal(of->ghosts(s, 1), SL_OK);
    }
}

static void same_cell(const struct sl_sim *s, const sl_real *u, int b, size_t i, const double *want,
                      const char *what)
{
    const struct sl_mesh *m = s->state.mesh;
    int cell[3];
    cell_of(m, b, i, cell);
    for (int v = 0; v < s->state.layout.nflow; v++) {
        double got = (double)u[sl_mesh_at(m, s->state.layout.nvar, b, v, 0, 0, 0) + i];
        if (got != want[v])
            fail_msg("%s: level %d, cell (%d, %d, %d), variable %d: %.17g, not %.17g; seed %llu",
                     what, m->level, cell[0], cell[1], cell[2], v, got, want[v],
                     (unsigned long long)seed);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void gas_at_rest(const void *data, const double lo[3], const double hi[3], double t,
                        double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = prim[4] = 1;
}

/* Levels as a ball asks for them, then changed at random a few times. */
static void shuffle(struct sl_sim *root)
{
    const double weight[SL_LEVELS] = {1, 1, 1, 1};
    for (int round = 0; round < 3; round++) {
        struct sl_hierarchy *h = NULL;
        int n = sl_hierarchy_curve(root->state.hierarchy, NULL, NULL), changed;
        signed char want[4096] = {0};
        assert_true(n <= 4096);
        int level[4096], block[4096];
        sl_hierarchy_curve(root->state.hierarchy, level, block);
        for (int i = 0; i < n; i++) {
            const int64_t *at = root->state.hierarchy->level[level[i]]->blocks[block[i]].at;
            int place[3] = {(int)at[0] / 2, (int)at[1] / 2, (int)at[2] / 2};
            double x = number(7, level[i], round, place);
            want[i] = x < 0.15 ? 1 : x < 0.4 ? -1 : 0;
        }
        assert_int_equal(
            sl_hierarchy_adapt(root->state.hierarchy, want, 2, weight, NULL, &changed, &h), SL_OK);
        if (changed) assert_int_equal(sl_sim_levels(root, h), SL_OK);
    }
}

static struct fluid *run_new(int dim, const char *scheme)
{
    static const char *const boxes[] = {"", "mesh.cells: [64]\n", "mesh.cells: [32, 32]\n",
                                        "mesh.cells: [16, 16, 16]\n"};
    static const char *const centers[] = {"", "[0.3]", "[0.3, 0.4]", "[0.3, 0.4, 0.2]"};
    char recipe[1024];
    struct fluid *f;
    snprintf(recipe, sizeof recipe,
             "%smesh.block: [8]\nmesh.levels: 2\nmesh.refine: [{by: sphere, center: %s, radius: "
             "0.1}]\n%s",
             boxes[dim], centers[dim], scheme);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, gas_at_rest, &f), SL_OK);
    shuffle(f->sim);
    return f;
}

static const char *const schemes[] = {
    "fluid.dual_energy: true\nfluid.scalars: 1\n",
    "fluid.reconstruct: ppm\nmesh.boundary: outflow\n",
    "fluid.mhd: glm\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n",
    ("fluid.eos: isothermal\nmesh.boundary: [periodic, periodic, outflow, outflow, outflow, "
     "outflow]\n"),
};

typedef void each_fn(struct sl_sim *root, const struct world *w);

static void each(each_fn *f)
{
    for (int dim = 1; dim <= 3; dim++)
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i += dim == 3 ? 2 : 1) {
            struct fluid *run = run_new(dim, schemes[i]);
            struct world w = world_of(run->sim);
            assert_true(w.nlevel > 1);
            f(run->sim, &w);
            world_free(&w);
            fluid_free(run);
        }
}

/* ---- ghost cells ----------------------------------------------------------------------------- */

static void same_ghosts(struct sl_sim *fine, const struct world *w, double share)
{
    const struct sl_mesh *m = fine->state.mesh;
    sl_real *u = fine->work->now;
    fill(fine, NOW, u);
    assert_int_equal(fine->work->backend->prolong(fine->coarser, fine, (sl_real)share, u), SL_OK);
    for (int b = 0; b < m->nblock; b++)
        for (size_t i = 0; i < m->block_cells; i++) {
            int cell[3];
            double want[SL_MAX_VAR];
            cell_of(m, b, i, cell);
            if (is_outside(w, m->level, cell) || !is_asked(fine, b, cell)) continue;
            inside(w, m->level, cell);
            if (kind_at(w, m->level, cell) != NOTHING) continue;
            child_of(w, share, m->level, cell, want);
            same_cell(fine, u, b, i, want, "ghost cells");
        }
}

static void ghosts_of(struct sl_sim *root, const struct world *w)
{
    for (struct sl_sim *s = root; s->finer; s = s->finer) {
        fill_levels(root, s->state.mesh->level + 1);
        same_ghosts(s->finer, w, 0);
        same_ghosts(s->finer, w, 1);
        same_ghosts(s->finer, w, 0.375);
    }
}

static void ghosts(void **unused)
{
    (void)unused;
    nwarm = 0;
    each(ghosts_of);
    assert_true(nwarm > 100);
}

/* All ghost cells of the present state that are asked for. */
static void filled_of(struct sl_sim *root, const struct world *w)
{
    fill_levels(root, LEVELS);
    for (struct sl_sim *s = root; s; s = s->finer)
        for (int b = 0; b < s->state.mesh->nblock; b++)
            for (size_t i = 0; i < s->state.mesh->block_cells; i++) {
                int cell[3];
                double want[SL_MAX_VAR];
                cell_of(s->state.mesh, b, i, cell);
                if (!is_asked(s, b, cell)) continue;
                expected(w, NOW, s->state.mesh->level, cell, want);
                same_cell(s, s->work->now, b, i, want, "the present state");
            }
}

static void filled(void **unused)
{
    (void)unused;
    each(filled_of);
}

/* ---- covered blocks -------------------------------------------------------------------------- */

static void mean_of(const struct world *w, int level, const int cell[3], double *out)
{
    const ptrdiff_t step[3] = {1, 2, 4};
    sl_real all[SL_MAX_VAR * 8];
    for (int v = 0; v < w->sim->state.layout.nflow; v++) {
        sl_real child[8];
        for (int c = 0; c < 8; c++) {
            int at[3];
            for (int d = 0; d < 3; d++)
                at[d] = d < w->sim->state.mesh->dim ? 2 * cell[d] + (c >> d & 1) : 0;
            child[c] = (sl_real)value_of(&w->sim->state.layout, NOW, level + 1, v, at);
        }
        out[v] = (double)sl_restrict(w->sim->state.mesh->dim, child, step);
        for (int c = 0; c < 8; c++)
            all[v * 8 + c] = child[c];
    }
    const struct sl_layout *l = &w->sim->state.layout;
    if (l->entropy >= 0)
        out[l->entropy] = sl_cover_entropy(&w->sim->state.gas, l, w->sim->work->scheme.dual_eta,
                                           w->sim->state.mesh->dim, all, step, 8);
}

static void covered_of(struct sl_sim *root, const struct world *w)
{
    for (struct sl_sim *s = root; s->finer; s = s->finer) {
        fill_levels(root, 0);
        assert_int_equal(s->work->backend->cover(s, s->finer), SL_OK);
        for (int b = 0; b < s->state.mesh->nblock; b++)
            for (size_t i = 0; i < s->state.mesh->block_cells; i++) {
                int cell[3];
                double want[SL_MAX_VAR];
                cell_of(s->state.mesh, b, i, cell);
                if (!is_own(s->state.mesh, b, cell)) continue;
                if (kind_at(w, s->state.mesh->level, cell) == COVERED)
                    mean_of(w, s->state.mesh->level, cell, want);
                else
                    expected(w, NOW, s->state.mesh->level, cell, want);
                same_cell(s, s->work->now, b, i, want, "covered blocks");
            }
    }
}

static void covered(void **unused)
{
    (void)unused;
    each(covered_of);
}

/* ---- corrections ----------------------------------------------------------------------------- */

enum { HEAT = 4 };

/* What went through the face of a level whose upper cell this is: small, so that every cell stays
 * one. */
static double flux_of(int level, int axis, int v, const int cell[3])
{
    return 1e-4 * (number(FLUX + axis, level, v, cell) - 0.5);
}

/* Registers as the scheme would have left them. */
static void fluxes_set(const struct sl_sim *s, const struct sl_flux_register_side *side, int n,
                       const sl_real *values)
{
    const struct sl_mesh *m = s->state.mesh;
    for (int i = 0; i < n; i++) {
        int a = side[i].axis, x = a == 0, y = a == 2 ? 1 : 2;
        sl_real *to = (sl_real *)(uintptr_t)values + side[i].start;
        for (int v = 0; v < s->state.layout.nflow; v++)
            for (int k = 0; k < m->n[y]; k++)
                for (int j = 0; j < m->n[x]; j++) {
                    int cell[3], periodic = m->spec.boundary[2 * a] == SL_BOUNDARY_periodic;
                    const int64_t *at = m->blocks[side[i].block].at;
                    cell[a] = ((int)at[a] + side[i].upper) * m->n[a];
                    cell[x] = (int)at[x] * m->n[x] + j;
                    cell[y] = (int)at[y] * m->n[y] + k;
                    if (periodic) cell[a] %= m->spec.cells[a] << m->level;
                    *to++ = (sl_real)flux_of(m->level, a, v, cell);
                }
    }
}

/* The face of a leaf's cell, if a finer block lies behind it. fine: room for its fluxes. */
static struct sl_reflux_face face_of(const struct world *w, int level, int axis, int upper,
                                     const int cell[3], double dx, values coarse, double (*fine)[4])
{
    struct sl_reflux_face f = {.per_dx = 0};
    int dim = w->sim->state.mesh->dim, beyond[3] = {cell[0], cell[1], cell[2]};
    int face[3] = {cell[0], cell[1], cell[2]}, x = axis == 0, y = axis == 2 ? 1 : 2;
    beyond[axis] += upper ? 1 : -1;
    if (is_outside(w, level, beyond)) return f;
    inside(w, level, beyond);
    if (kind_at(w, level, beyond) != COVERED) return f;
    face[axis] += upper;
    inside(w, level, face);
    for (int v = 0; v < w->sim->state.layout.nflow; v++) {
        coarse[v] = flux_of(level, axis, v, face);
        for (int c = 0; c < 4; c++) {
            int at[3] = {2 * face[0], 2 * face[1], 2 * face[2]};
            at[x] += c & 1, at[y] += c >> 1;
            for (int d = dim; d < 3; d++)
                at[d] = 0;
            fine[v][c] = flux_of(level + 1, axis, v, at);
        }
    }
    f = (struct sl_reflux_face){
        (sl_real)((upper ? 1 : -1) / dx), coarse, fine[0], 1, 4, dim - 1, {1, 2, 0}};
    return f;
}

static void corrected_cell(const struct world *w, const struct sl_sim *s, int b, const int cell[3],
                           double *out)
{
    struct sl_reflux r = {.gas = s->state.gas,
                          .layout = s->state.layout,
                          .dim = s->state.mesh->dim,
                          .dual_eta = s->work->scheme.dual_eta,
                          .stride = 1};
    struct sl_reflux_face face[3] = {{.per_dx = 0}, {.per_dx = 0}, {.per_dx = 0}};
    values coarse[3];
    double fine[3][SL_MAX_VAR][4];
    int any = 0;
    expected(w, NOW, s->state.mesh->level, cell, out);
    if (r.layout.energy >= 0) out[r.layout.energy] += HEAT;
    if (kind_at(w, s->state.mesh->level, cell) != LEAF) return;
    for (int a = 0; a < s->state.mesh->dim; a++)
        for (int upper = 0; upper < 2; upper++) {
            struct sl_reflux_face f = face_of(w, s->state.mesh->level, a, upper, cell,
                                              s->state.mesh->blocks[b].dx[a], coarse[a], fine[a]);
            if (f.per_dx != 0) face[a] = f, any = 1;
        }
    if (any) sl_reflux_cell(&r, face, out);
}

/* All cells of a level become ones that a gas can have. */
static void heat(const struct sl_sim *s)
{
    const struct sl_mesh *m = s->state.mesh;
    const struct sl_layout *l = &s->state.layout;
    for (int b = 0; b < m->nblock && l->energy >= 0; b++)
        for (size_t i = 0; i < m->block_cells; i++)
            s->work->now[sl_mesh_at(m, l->nvar, b, l->energy, 0, 0, 0) + i] += (sl_real)HEAT;
}

static void corrected_of(struct sl_sim *root, const struct world *w)
{
    for (struct sl_sim *s = root; s->finer; s = s->finer) {
        const struct sl_nest *nest = s->finer->nest;
        struct sl_corrected corrected = {0};
        fill_levels(root, 0);
        heat(s);
        if (nest->nfine > 0)
            fluxes_set(s->finer, nest->fine, nest->nfine, sl_register_fine(s->finer->work->fluxes));
        if (nest->ncoarse > 0)
            fluxes_set(s, nest->coarse, nest->ncoarse, sl_register_coarse(s->work->fluxes));
        assert_int_equal(s->work->backend->reflux(s, s->finer, &corrected), SL_OK);
        assert_true(corrected.repaired + corrected.floored == 0);
        for (int b = 0; b < s->state.mesh->nblock; b++)
            for (size_t i = 0; i < s->state.mesh->block_cells; i++) {
                int cell[3];
                double want[SL_MAX_VAR];
                cell_of(s->state.mesh, b, i, cell);
                if (!is_own(s->state.mesh, b, cell)) continue;
                corrected_cell(w, s, b, cell, want);
                same_cell(s, s->work->now, b, i, want, "corrections");
            }
    }
}

static void corrected(void **unused)
{
    (void)unused;
    each(corrected_of);
}

/* ---- new levels ------------------------------------------------------------------------------ */

/* A child that becomes a cell of its own shares energy with those beside it. */
static void born(const struct world *old, int level, const int cell[3], double *out)
{
    const struct sl_sim *s = old->sim;
    const ptrdiff_t step[3] = {SL_MAX_VAR, 2 * SL_MAX_VAR, 4 * SL_MAX_VAR};
    int parent[3] = {cell[0] / 2, cell[1] / 2, cell[2] / 2}, mine = 0;
    double of[SL_MAX_VAR], u[8][SL_MAX_VAR];
    child_of(old, 1, level, cell, out);
    if (s->state.layout.entropy < 0) return;
    expected(old, NOW, level - 1, parent, of);
    for (int k = 0; k < 1 << s->state.mesh->dim; k++) {
        const int at[3] = {2 * parent[0] + (k & 1), 2 * parent[1] + (k >> 1 & 1),
                           2 * parent[2] + (k >> 2)};
        child_of(old, 1, level, at, u[k]);
        if (memcmp(at, cell, sizeof at) == 0) mine = k;
    }
    sl_prolong_heat(&s->state.gas, &s->state.layout, s->work->scheme.dual_eta, s->state.mesh->dim,
                    of, 1, u[0], step, 1);
    memcpy(out, u[mine], sizeof u[mine]);
}

static void same_moved(const struct sl_sim *first, const struct world *old)
{
    for (const struct sl_sim *s = first; s; s = s->finer)
        for (int b = 0; b < s->state.mesh->nblock; b++)
            for (size_t i = 0; i < s->state.mesh->block_cells; i++) {
                int cell[3];
                double want[SL_MAX_VAR];
                cell_of(s->state.mesh, b, i, cell);
                if (!is_own(s->state.mesh, b, cell)) continue;
                if (s->state.mesh->level < old->nlevel &&
                    kind_at(old, s->state.mesh->level, cell) != NOTHING)
                    expected(old, NOW, s->state.mesh->level, cell, want);
                else
                    born(old, s->state.mesh->level, cell, want);
                same_cell(s, s->work->now, b, i, want, "new levels");
            }
}

static void moved_of(struct sl_sim *root, const struct world *w)
{
    const double weight[SL_LEVELS] = {1, 3, 1, 2};
    signed char want[4096];
    struct sl_hierarchy *h = NULL;
    struct sl_moves moves = {0};
    struct sl_sim *first;
    int n = sl_hierarchy_curve(root->state.hierarchy, NULL, NULL), changed;
    assert_true(n <= 4096);
    for (int i = 0; i < n; i++)
        want[i] = (signed char)((i + w->nlevel) % 5 == 0 ? 1 : -1);
    fill_levels(root, LEVELS);
    assert_int_equal(sl_hierarchy_adapt(root->state.hierarchy, want, 3, weight, NULL, &changed, &h),
                     SL_OK);
    assert_true(changed);
    assert_int_equal(sl_moves_make(root->state.hierarchy, h, &moves), SL_OK);
    assert_int_equal(sl_levels_new(root, h, &first), SL_OK);
    assert_int_equal(root->work->backend->move(root, first, &moves), SL_OK);
    same_moved(first, w);
    sl_levels_free(first);
    sl_moves_release(&moves);
    sl_hierarchy_free(h);
}

static void moved(void **unused)
{
    (void)unused;
    each(moved_of);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ghosts, setup),  cmocka_unit_test_setup(filled, setup),
        cmocka_unit_test_setup(covered, setup), cmocka_unit_test_setup(corrected, setup),
        cmocka_unit_test_setup(moved, setup),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
