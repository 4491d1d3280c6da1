/* flux_register.h - what the tests of kept fluxes share: they are what the cells gained, neighbours
 * keep the same, steps add up, and a shorter list keeps the same.
 *
 * Shapes  as in core/transfer/flux_register.h
 * Units   code units
 * Errors  the present test fails with a message
 * Owns    nothing, unless a function says so
 * MPI     collective over the run's communicator
 * Where   host
 * Refs    none
 * Tests   tests/law/register.c, tests/gpu/flux_register.c
 */
#ifndef SL_TESTS_FLUX_REGISTER_H
#define SL_TESTS_FLUX_REGISTER_H

#include "core/mesh/exchange.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/transfer/flux_register.h"
#include "tests/law.h"

#define CUBE   "mesh.cells: [32, 32, 32]\nmesh.block: "
#define SQUARE "mesh.cells: [32, 32]\nmesh.block: "

static const char *const schemes[] = {
    CUBE "[16]\n",
    CUBE "[8, 16, 4]\nfluid.scalars: 2\n",
    CUBE "[16]\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n",
    CUBE "[16]\nfluid.integrator: vl2\n",
    CUBE "[16]\nfluid.eos: isothermal\n",
    CUBE "[16]\nfluid.dual_energy: true\n",
    CUBE "[16]\nfluid.riemann: lhllc\nfluid.scalars: 1\n",
    CUBE "[16]\nfluid.characteristic: true\n",
    CUBE "[16]\nfluid.reconstruct: ppm\nfluid.shocks: flatten\n",
    CUBE "[16]\nfluid.limiter: vanleer\nfluid.riemann: roe\n",
    CUBE "[16]\nfluid.reconstruct: constant\n",
    CUBE "[16]\nfluid.mhd: glm\nfluid.riemann: hlld\n",
    CUBE "[16]\nfluid.mhd: glm\nfluid.riemann: lhlld\n",
    CUBE "[16, 8, 32]\nfluid.mhd: ct\nfluid.riemann: hlld\n",
    CUBE "[8]\nfluid.mhd: ct\nfluid.riemann: hlle\n",
    CUBE "[16]\nfluid.mhd: ct\nfluid.riemann: hlle\nfluid.scalars: 1\n",
    CUBE "[16]\nfluid.mhd: ct\nfluid.riemann: hlld\nfluid.characteristic: true\n",
    SQUARE "[16, 8]\nfluid.scalars: 1\n",
    SQUARE "[16, 8]\nfluid.mhd: ct\nfluid.riemann: roe\n",
    "mesh.cells: [64]\nmesh.block: [16]\nfluid.mhd: glm\nfluid.riemann: llf\n",
    CUBE "[16, 8, 16]\nfluid.integrator: tvd\nfluid.scalars: 2\n",
    CUBE "[8]\nfluid.integrator: tvd\nfluid.dual_energy: true\n",
    SQUARE "[16, 8]\nfluid.integrator: tvd\nfluid.eos: isothermal\n",
};
enum { SCHEMES = sizeof schemes / sizeof schemes[0], LOWER = 0, UPPER = 1 };

/* All sides of all blocks, twice: their values in the last step, in all since the sums were
 * cleared, and what these should be. */
struct fluxes {
    struct sl_flux_register_side *side, *fine;
    sl_real *value, *sum, *want;
    size_t size;
    int count;
};

static inline void *fluxes_alloc(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    assert_non_null(p);
    return p;
}

static inline struct fluxes fluxes_new(struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct fluxes k = {.count = 2 * m->dim * m->nblock};
    k.side = fluxes_alloc((size_t)k.count, sizeof *k.side);
    k.fine = fluxes_alloc((size_t)k.count, sizeof *k.side);
    for (int i = 0; i < k.count; i++)
        k.side[i] = k.fine[i] =
            (struct sl_flux_register_side){i / (2 * m->dim), i / 2 % m->dim, i % 2, 0};
    assert_int_equal(sim->work->backend->register_set(sim, k.fine, k.count, k.side, k.count),
                     SL_OK);
    k.size = sl_flux_register_assign(m->n, sim->state.layout.nflow, k.side, k.count);
    assert_memory_equal(k.side, k.fine, (size_t)k.count * sizeof *k.side);
    k.value = fluxes_alloc(k.size, sizeof *k.value);
    k.sum = fluxes_alloc(k.size, sizeof *k.sum);
    k.want = fluxes_alloc(k.size, sizeof *k.want);
    return k;
}

static inline void fluxes_free(struct fluxes *k)
{
    free(k->side), free(k->fine);
    free(k->value), free(k->sum), free(k->want);
}

/* What the backend of the test keeps of the sides, which each test says: the sums of the fine ones
 * and the values of the coarse ones; either may be NULL. No sides: nothing. */
void fluxes_get(const struct sl_sim *sim, sl_real *fine, sl_real *coarse);

/* Fetches what the last step brought. */
static inline void fluxes_take(struct sl_sim *s, struct fluxes *k, const char *recipe)
{
    fluxes_get(s, k->sum, k->value);
    for (size_t i = 0; i < k->size; i++)
        k->want[i] += k->value[i];
    if (memcmp(k->sum, k->want, k->size * sizeof *k->sum) != 0)
        fail_msg("the sums of several steps are not those of the steps:\n%s", recipe);
}

/* The same for any ranks. */
static inline uint64_t fluxes_hash(const struct sl_sim *s, const struct fluxes *k)
{
    uint64_t hash = 0;
    for (int i = 0; i < k->count; i++) {
        const struct sl_flux_register_side *side = &k->side[i];
        size_t n =
            (size_t)s->state.layout.nflow * sl_flux_register_faces(s->state.mesh->n, side->axis);
        uint64_t place = (uint64_t)s->state.mesh->blocks[side->block].gid * 6 +
                         (uint64_t)(2 * side->axis + side->upper);
        for (size_t c = 0; c < n; c++) {
            uint64_t bits = 0;
            memcpy(&bits, &k->sum[side->start + c], sizeof *k->sum);
            bits ^= (place << 32 | c) * 0x9e3779b97f4a7c15u;
            bits = (bits ^ bits >> 31) * 0xbf58476d1ce4e5b9u;
            hash += bits ^ bits >> 29;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &hash, 1, MPI_UINT64_T, MPI_SUM, s->state.mesh->comm);
    return hash;
}

/* Of variable v. */
static inline const sl_real *side_of(const struct sl_sim *s, const struct fluxes *k, int b, int v,
                                     int axis, int upper)
{
    const struct sl_flux_register_side *side =
        &k->side[(b * s->state.mesh->dim + axis) * 2 + upper];
    return k->value + side->start + (size_t)v * sl_flux_register_faces(s->state.mesh->n, axis);
}

/* Whether fluxes alone change v: not psi, which is damped, a field at faces, and what dual energy
 * or, with constrained transport, a repair sets. */
static inline bool is_exact(const struct sl_sim *s, int v)
{
    const struct sl_layout *l = &s->state.layout;
    bool staggered = l->face >= 0, repaired = s->state.cells_repaired > 0;
    if (l->magnetic >= 0 && !staggered && v == l->magnetic + 3) return false;
    if (staggered && v >= l->magnetic && v < l->magnetic + s->state.mesh->dim) return false;
    return v != l->entropy && !(staggered && repaired && v == l->energy);
}

/* Sum of variable v over the cells of block b; size: of what is summed. */
static inline double sum_cells(const struct sl_sim *s, int b, int v, double *size)
{
    const struct sl_mesh *m = s->state.mesh;
    double sum = 0;
    for (int k = 0; k < m->n[2]; k++)
        for (int j = 0; j < m->n[1]; j++)
            for (int i = 0; i < m->n[0]; i++) {
                double u = (double)s->state.u[sl_mesh_at(m, s->state.layout.nvar, b, v, k + m->g[2],
                                                         j + m->g[1], i + m->g[0])];
                sum += u;
                *size += fabs(u);
            }
    return sum;
}

/* What the faces of block b say that the sum over its cells loses. */
static inline double sum_faces(const struct sl_sim *s, const struct fluxes *fluxes, int b, int v,
                               double *size)
{
    const struct sl_mesh *m = s->state.mesh;
    double sum = 0;
    for (int axis = 0; axis < m->dim; axis++)
        for (int upper = 0; upper < 2; upper++)
            for (size_t i = 0; i < sl_flux_register_faces(m->n, axis); i++) {
                double f = (double)side_of(s, fluxes, b, v, axis, upper)[i] /
                           (double)m->blocks[b].dx[axis];
                sum += upper ? f : -f;
                *size += fabs(f);
            }
    return sum;
}

static inline void check_neighbours(const struct sl_sim *s, const struct fluxes *fluxes, int b,
                                    const char *recipe)
{
    static const int power[3] = {1, 3, 9};
    const struct sl_mesh *m = s->state.mesh;
    for (int axis = 0; axis < m->dim; axis++) {
        int other = m->exchange->near[b][SL_NDIR / 2 + power[axis]];
        for (int v = 0; other >= 0 && v < s->state.layout.nflow; v++)
            if (is_exact(s, v) && memcmp(side_of(s, fluxes, b, v, axis, UPPER),
                                         side_of(s, fluxes, other, v, axis, LOWER),
                                         sl_flux_register_faces(m->n, axis) * sizeof(sl_real)) != 0)
                fail_msg("block %d and %d keep other fluxes of variable %d across axis %d:\n%s", b,
                         other, v, axis, recipe);
    }
}

/* A step; the change of each block against its faces. */
static inline void try_step(struct fluid *f, struct fluxes *fluxes, const char *recipe)
{
    struct sl_sim *s = f->sim;
    enum { MOST_BLOCKS = 1024 };
    static double before[MOST_BLOCKS][SL_MAX_VAR], size[MOST_BLOCKS][SL_MAX_VAR];
    double rounds = 400 * law_rounding();
    assert_true(s->state.mesh->nblock <= MOST_BLOCKS);
    memset(size, 0, sizeof size);
    assert_int_equal(sl_sim_pull(s), SL_OK);
    for (int b = 0; b < s->state.mesh->nblock; b++)
        for (int v = 0; v < s->state.layout.nflow; v++)
            before[b][v] = sum_cells(s, b, v, &size[b][v]);
    law_advance(f, 1);
    assert_int_equal(sl_sim_pull(s), SL_OK);
    fluxes_take(s, fluxes, recipe);
    for (int b = 0; b < s->state.mesh->nblock; b++) {
        for (int v = 0; v < s->state.layout.nflow; v++) {
            if (!is_exact(s, v)) continue;
            double all = size[b][v], lost = sum_faces(s, fluxes, b, v, &all);
            double gained = sum_cells(s, b, v, &all) - before[b][v];
            if (!(fabs(gained + lost) <= rounds * all))
                fail_msg("block %d gained %.17g of variable %d, its faces say %.17g (of %.3g):\n%s",
                         b, gained, v, -lost, all, recipe);
        }
        check_neighbours(s, fluxes, b, recipe);
    }
}

/* Which backend is tried. */
static inline const char *recipe_of(const char *backend, const char *recipe)
{
    static char text[512];
    snprintf(text, sizeof text, "resources.backend: %s\n%s", backend, recipe);
    return text;
}

/* So many steps; the sums begin anew before the last. */
static inline uint64_t try_scheme(MPI_Comm comm, const char *recipe, fluid_state *state, int steps,
                                  int64_t *repaired)
{
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, state, &f), SL_OK);
    struct fluxes fluxes = fluxes_new(f->sim);
    for (int i = 0; i < steps; i++)
        try_step(f, &fluxes, recipe);
    uint64_t hash = fluxes_hash(f->sim, &fluxes);
    assert_int_equal(f->sim->work->backend->register_clear(f->sim), SL_OK);
    memset(fluxes.want, 0, fluxes.size * sizeof *fluxes.want);
    try_step(f, &fluxes, recipe);
    *repaired = f->sim->state.cells_repaired;
    assert_int_equal(f->sim->state.cells_floored, 0);
    fluxes_free(&fluxes);
    fluid_free(f);
    return hash;
}

static inline void try_plain(const char *backend)
{
    int64_t repaired;
    for (int i = 0; i < SCHEMES; i++)
        try_scheme(MPI_COMM_WORLD, recipe_of(backend, schemes[i]), law_waves, 2, &repaired);
}

/* First-order fluxes of repairs take the place of the others; alone a rank keeps the same bits. */
static inline void try_repaired(const char *backend)
{
    static const char *const violent[] = {
        "mesh.block: [8]\n",
        "mesh.block: [16, 8, 4]\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n",
        "mesh.block: [8]\nfluid.reconstruct: wenoz\nfluid.integrator: vl2\n",
        "mesh.block: [8]\nfluid.theta: 2\nfluid.mhd: glm\nfluid.riemann: hlld\n",
        "mesh.block: [8]\nfluid.integrator: tvd\n",
        "mesh.block: [8]\nfluid.theta: 2\nfluid.mhd: ct\nfluid.riemann: hlld\n",
    };
    for (int i = 0; i < 6; i++) {
        char recipe[256];
        fluid_state *state = i < 5 ? law_violent : law_violent_staggered;
        int64_t repaired;
        snprintf(recipe, sizeof recipe, "mesh.cells: [16, 16, 16]\n%s", violent[i]);
        const char *text = recipe_of(backend, recipe);
        uint64_t all = try_scheme(MPI_COMM_WORLD, text, state, 5, &repaired);
        uint64_t alone = try_scheme(MPI_COMM_SELF, text, state, 5, &repaired);
        if (repaired == 0) fail_msg("nothing was repaired:\n%s", recipe);
        if (all != alone) fail_msg("alone a rank keeps other fluxes:\n%s", recipe);
    }
}

/* law_violent slowed down until steps of half the length or a quarter need no floor. */
static inline void abrupt(const void *data, const double lo[3], const double hi[3], double t,
                          double *prim)
{
    law_violent(data, lo, hi, t, prim);
    for (int d = 0; d < 3; d++)
        prim[1 + d] *= 0.08;
}

/* Streams that collide in the planes x, y and z = 1/2, in a field: how far faces there are
 * flattened depends on the speed of waves. */
static inline void colliding(const void *data, const double lo[3], const double hi[3], double t,
                             double *prim)
{
    (void)data, (void)t;
    prim[0] = prim[4] = 1;
    for (int d = 0; d < 3; d++) {
        double x = lo[d] + hi[d] - 1;
        prim[0] += 0.8 * exp(-200 * x * x);
        prim[1 + d] = -1.5 * tanh(8 * x) * (1 - fabs(x));
        prim[SL_PRIM_B + d] = 0.4 + 0.2 * d;
    }
}

/* Where gas collides at the sides of blocks. */
static inline void try_flattened(const char *backend)
{
    static const char *const fluids[] = {
        "",
        "fluid.reconstruct: ppm\n",
        "fluid.eos: isothermal\n",
        "fluid.mhd: glm\nfluid.riemann: hlld\n",
        "fluid.mhd: glm\nfluid.riemann: hlld\nfluid.eos: isothermal\n",
        "fluid.mhd: ct\nfluid.riemann: hlld\nfluid.eos: isothermal\n",
    };
    for (size_t i = 0; i < sizeof fluids / sizeof fluids[0]; i++) {
        char recipe[256];
        int64_t repaired;
        snprintf(recipe, sizeof recipe, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n%s", fluids[i]);
        try_scheme(MPI_COMM_WORLD, recipe_of(backend, recipe), colliding, 4, &repaired);
    }
}

/* A step that is made again with half its length keeps the fluxes of the last trial alone. */
static inline void try_halved(const char *backend)
{
    struct fluid *f;
    const char *recipe =
        recipe_of(backend, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"
                           "fluid.positivity: false\nfluid.cfl: 1\nfluid.theta: 2\n");
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, abrupt, &f), SL_OK);
    struct fluxes fluxes = fluxes_new(f->sim);
    double dt = f->sim->state.dt;
    try_step(f, &fluxes, recipe);
    assert_true(f->sim->state.time < 0.6 * dt);
    assert_int_equal(f->sim->state.cells_floored, 0);
    fluxes_free(&fluxes);
    fluid_free(f);
}

/* What is kept of some sides does not depend on which others there are; an empty list keeps
 * nothing. */
static inline void try_listed(const char *backend)
{
    struct fluid *f[2];
    struct fluxes all, some;
    for (int i = 0; i < 2; i++)
        assert_int_equal(
            fluid_new(MPI_COMM_WORLD,
                      recipe_of(backend, "mesh.cells: [32, 32, 32]\nmesh.block: [16, 8, 32]\n"
                                         "fluid.mhd: glm\nfluid.riemann: hlld\n"),
                      law_waves, &f[i]),
            SL_OK);
    const struct sl_mesh *m = f[0]->sim->state.mesh;
    int nflow = f[0]->sim->state.layout.nflow;
    all = fluxes_new(f[0]->sim), some = fluxes_new(f[1]->sim);
    some.count = 0;
    for (int i = 2; i < all.count; i += 5)
        some.side[some.count++] = all.side[i];
    const struct sl_backend *b = f[0]->sim->work->backend;
    assert_int_equal(b->register_set(f[1]->sim, NULL, 0, some.side, some.count), SL_OK);
    for (int i = 0; i < 2; i++)
        law_advance(f[i], 2);
    fluxes_get(f[0]->sim, NULL, all.value);
    fluxes_get(f[1]->sim, some.sum, some.value);
    assert_memory_equal(some.sum, some.want, some.size * sizeof *some.sum); /* zeros as they were */
    for (int i = 0; i < some.count; i++)
        assert_memory_equal(some.value + some.side[i].start, all.value + all.side[2 + 5 * i].start,
                            (size_t)nflow * sl_flux_register_faces(m->n, some.side[i].axis) *
                                sizeof(sl_real));
    memcpy(some.value, all.value, sizeof *some.value);
    assert_int_equal(b->register_set(f[1]->sim, NULL, 0, some.side, 0), SL_OK);
    law_advance(f[1], 1);
    fluxes_get(f[1]->sim, some.sum, some.value);
    assert_memory_equal(some.value, all.value, sizeof *some.value);
    fluxes_free(&all), fluxes_free(&some);
    fluid_free(f[0]), fluid_free(f[1]);
}

static inline void try_refused(const char *backend)
{
    static const char *const integrators[] = {"ctu", "rk2"};
    for (int i = 0; i < 2; i++) {
        struct fluid *f;
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.integrator: %s\n", integrators[i]);
        assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe_of(backend, recipe), law_waves, &f),
                         SL_OK);
        const struct sl_backend *b = f->sim->work->backend;
        struct sl_flux_register_side beyond = {0, 2, 0, 0};
        for (int fine = 0; fine < 2; fine++) {
            int code = b->register_set(f->sim, &beyond, fine, &beyond, 1 - fine);
            assert_int_equal(code, i < 1 ? SL_EUNAVAIL : SL_EINPUT);
            assert_non_null(
                strstr(sl_error_text(), i < 1 ? "not kept with fluid.integrator ctu" : "axis 2"));
        }
        fluid_free(f);
    }
}

#endif
