/* law.h - what the tests of laws share: states that try a scheme, sums over the box, the same bits
 * for any ranks and blocks, and for a problem however it lies in the box.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  the present test fails with a message
 * Owns    nothing, unless a function says so
 * MPI     collective over the run's communicator
 * Where   host
 * Refs    none
 * Tests   the tests that use it
 */
#ifndef SL_TESTS_LAW_H
#define SL_TESTS_LAW_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/fluid.h"

/* ---- states --------------------------------------------------------------------------------- */

/* Smooth and with a jump of pressure; the field is that of a vector potential along z, and
 * uniform. */
static inline void law_waves(const void *data, const double lo[3], const double hi[3], double t,
                             double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x[3];
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.5 * sin(x[0] + x[1]) * cos(x[2]);
    prim[1] = 0.3 + sin(x[0] + x[1]);
    prim[2] = 0.2 + cos(x[2] - x[0]);
    prim[3] = 0.1 + sin(x[1]);
    prim[4] = x[0] < 3 ? 1 : 0.2;
    prim[SL_PRIM_SCALAR] = x[0] < 2 ? 1 : 0;
    prim[SL_PRIM_B] = 0.4 + 0.5 * sin(x[1]);
    prim[SL_PRIM_B + 1] = 0.3 - 0.5 * sin(2 * x[0]);
    prim[SL_PRIM_B + 2] = -0.2 + 0.3 * cos(x[0] + x[1]);
}

/* Velocities of up to 50 sound speeds that change sign from cell to cell: repairs are needed. */
static inline void law_violent(const void *data, const double lo[3], const double hi[3], double t,
                               double *prim)
{
    (void)data, (void)hi, (void)t;
    double phase = 0;
    for (int d = 0; d < 3; d++)
        phase += (d + 1) * floor(16 * lo[d] + 0.5);
    prim[0] = 1;
    for (int d = 0; d < 3; d++)
        prim[1 + d] = 50 * sin(1.7 * phase * (d + 1) + d);
    prim[4] = 0.6;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.5 * cos(1.3 * phase + d);
    prim[SL_PRIM_SCALAR] = prim[SL_PRIM_SCALAR + 1] = 0.5;
}

/* law_violent in a uniform field. */
static inline void law_violent_staggered(const void *data, const double lo[3], const double hi[3],
                                         double t, double *prim)
{
    law_violent(data, lo, hi, t, prim);
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.5 - 0.1 * d;
}

/* Dense and thin gas, cold, that runs together and apart; contrast: half the logarithm of that of
 * densities. */
static inline void law_jumble(double contrast, const double lo[3], double *prim)
{
    double phase = 0;
    for (int d = 0; d < 3; d++)
        phase += (d + 1) * floor(16 * lo[d] + 0.5);
    prim[0] = exp(contrast * sin(2.3 * phase));
    for (int d = 0; d < 3; d++)
        prim[1 + d] = 50 * sin(1.7 * phase * (d + 1) + d);
    prim[4] = 0.01;
    prim[SL_PRIM_SCALAR] = 0.5 + 0.4 * sin(phase);
}

/* So much of it that coarse cells beside finer ones lose more than they have when fluxes are
 * matched. */
static inline void law_torn(const void *data, const double lo[3], const double hi[3], double t,
                            double *prim)
{
    (void)data, (void)hi, (void)t;
    law_jumble(5, lo, prim);
}

/* A shock tube along x with steps of density and a flow along the diaphragm. */
static inline void law_tube(const void *data, const double lo[3], const double hi[3], double t,
                            double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[0] + hi[0]);
    prim[0] = (x < 0.5 ? 1 : 0.2) + 0.125 * floor(8 * x) / 8;
    prim[1] = x < 0.25 ? 0.5 : -0.25;
    prim[2] = x < 0.5 ? 0.25 : -0.5;
    prim[4] = x < 0.5 ? 1 : 0.2;
}

/* Of the numbers of a field: the step from 1 to the next. */
static inline double law_rounding(void)
{
    return sizeof(sl_real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* ---- steps and sums -------------------------------------------------------------------------- */

static inline void law_advance(struct fluid *f, int steps)
{
    for (int i = 0; i < steps; i++)
        if (sl_sim_step(f->sim, 100) != SL_OK) fail_msg("%s", sl_error_text());
}

/* Of all cells of the box, one per variable. */
static inline void law_sums(const struct sl_sim *sim, double out[SL_MAX_VAR])
{
    const struct sl_mesh *m = sim->state.mesh;
    int nvar = sim->state.layout.nvar;
    memset(out, 0, SL_MAX_VAR * sizeof *out);
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < nvar; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++)
                        out[v] += (double)sim->state.u[sl_mesh_at(m, nvar, b, v, k + m->g[2],
                                                                  j + m->g[1], i + m->g[0])];
    MPI_Allreduce(MPI_IN_PLACE, out, SL_MAX_VAR, MPI_DOUBLE, MPI_SUM, m->comm);
}

/* So many steps in a box without a way out change no sum. psi is damped: it has none. */
static inline void law_conserves(struct fluid *f, int steps, const char *recipe)
{
    const struct sl_layout *l = &f->sim->state.layout;
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    law_sums(f->sim, before);
    law_advance(f, steps);
    law_sums(f->sim, after);
    for (int v = 0; v < l->nvar; v++) {
        if (l->magnetic >= 0 && l->face < 0 && v == l->magnetic + 3) continue;
        double change = fabs(after[v] - before[v]) / before[0];
        if (!(change < 2e-14)) fail_msg("variable %d changed by %g:\n%s", v, change, recipe);
    }
}

/* The violent state survives 12 steps by repairs that cost no mass, momentum or energy; the hash of
 * its end. */
static inline uint64_t law_survives(struct fluid *f, int64_t *repaired)
{
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    uint64_t hash = 0;
    law_sums(f->sim, before);
    law_advance(f, 12);
    law_sums(f->sim, after);
    assert_int_equal(f->sim->state.cells_floored, 0);
    for (int v = 0; v < 5; v++) {
        double change = fabs(after[v] - before[v]) / before[v > 0 ? 4 : 0];
        if (!(change < 1e-13)) fail_msg("the sum of variable %d changed by %g", v, change);
    }
    *repaired = f->sim->state.cells_repaired;
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    return hash;
}

/* ---- ranks and blocks ------------------------------------------------------------------------ */

/* Runs a recipe on a communicator with blocks of that shape. */
typedef struct fluid *law_run(MPI_Comm comm, const char *recipe, const char *block);

static inline uint64_t law_hash(law_run *run, MPI_Comm comm, const char *recipe, const char *block)
{
    uint64_t hash = 0;
    struct fluid *f = run(comm, recipe, block);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

/* Whether this is the rank that makes what one rank gets alone: it is the same on each. */
static inline int law_is_first(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* The hash of the first rank, on all. The others sleep while it computes: to wait in MPI takes a
 * processor. */
static inline uint64_t law_of_first(uint64_t hash)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibcast(&hash, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        usleep(1000);
    return hash;
}

/* What a rank gets alone with one block is what all get together with each of the others. */
static inline void law_same(law_run *run, const char *recipe, const char *whole,
                            const char *const *blocks)
{
    uint64_t alone = law_is_first() ? law_hash(run, MPI_COMM_SELF, recipe, whole) : 0;
    alone = law_of_first(alone);
    for (; *blocks; blocks++)
        if (law_hash(run, MPI_COMM_WORLD, recipe, *blocks) != alone)
            fail_msg("blocks %s differ from one block:\n%s", *blocks, recipe);
}

/* ---- axes and mirror ------------------------------------------------------------------------- */

/* How a problem lies in a box of 0 .. 1: its n-th axis along that of the box axis[n], its first one
 * mirrored. */
struct law_pose {
    int axis[3], mirrored;
    fluid_state *state; /* of the problem */
};

static inline void law_posed(const void *data, const double lo[3], const double hi[3], double t,
                             double *prim)
{
    const struct law_pose *p = data;
    double from[3], to[3], value[SL_PRIM_MAX] = {0};
    for (int n = 0; n < 3; n++)
        from[n] = lo[p->axis[n]], to[n] = hi[p->axis[n]];
    if (p->mirrored) {
        double low = 1 - to[0];
        to[0] = 1 - from[0];
        from[0] = low;
    }
    p->state(NULL, from, to, t, value);
    memcpy(prim, value, sizeof value);
    for (int n = 0; n < 3; n++) {
        int sign = p->mirrored && n == 0 ? -1 : 1;
        prim[1 + p->axis[n]] = sign * value[1 + n];
        prim[SL_PRIM_B + p->axis[n]] = sign * value[SL_PRIM_B + n];
    }
}

/* The variable of the problem that v is in the box. */
static inline int law_variable(const struct sl_layout *l, const struct law_pose *p, int v)
{
    for (int n = 0; n < 3; n++) {
        if (v == SL_MX + p->axis[n]) return SL_MX + n;
        if (l->magnetic >= 0 && v == l->magnetic + p->axis[n]) return l->magnetic + n;
    }
    return v;
}

/* All that flows, in every cell, as the problem sees it. */
struct law_values {
    int nvar, n[3]; /* cells along the axes of the problem */
    double *at;     /* [var][z][y][x]; owned */
};

static inline double *law_value(const struct law_values *a, int v, const int x[3])
{
    return a->at + ((v * a->n[2] + x[2]) * a->n[1] + x[1]) * a->n[0] + x[0];
}

static inline void law_copy_block(const struct sl_sim *sim, const struct law_pose *p, int block,
                                  struct law_values *out)
{
    const struct sl_mesh *m = sim->state.mesh;
    const struct sl_layout *l = &sim->state.layout;
    int c[3];
    for (int v = 0; v < l->nflow; v++)
        for (c[2] = 0; c[2] < m->n[2]; c[2]++)
            for (c[1] = 0; c[1] < m->n[1]; c[1]++)
                for (c[0] = 0; c[0] < m->n[0]; c[0]++) {
                    int to = law_variable(l, p, v), x[3];
                    for (int n = 0; n < 3; n++)
                        x[n] =
                            (int)m->blocks[block].at[p->axis[n]] * m->n[p->axis[n]] + c[p->axis[n]];
                    if (p->mirrored) x[0] = out->n[0] - 1 - x[0];
                    int flip = p->mirrored && (to == SL_MX || to == l->magnetic);
                    double value = (double)sim->state.u[sl_mesh_at(
                        m, l->nvar, block, v, c[2] + m->g[2], c[1] + m->g[1], c[0] + m->g[0])];
                    *law_value(out, to, x) = flip ? -value : value;
                }
}

/* free what comes back with free(at). */
static inline struct law_values law_values_of(const struct sl_sim *sim, const struct law_pose *p)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct law_values out = {.nvar = sim->state.layout.nflow};
    int size = out.nvar;
    for (int n = 0; n < 3; n++)
        size *= out.n[n] = p->axis[n] < m->dim ? m->spec.cells[p->axis[n]] : 1;
    out.at = malloc((size_t)size * sizeof *out.at);
    assert_non_null(out.at);
    for (int i = 0; i < size; i++)
        out.at[i] = -HUGE_VAL;
    for (int b = 0; b < m->nblock; b++)
        law_copy_block(sim, p, b, &out);
    MPI_Allreduce(MPI_IN_PLACE, out.at, size, MPI_DOUBLE, MPI_MAX, m->comm);
    return out;
}

/* Every cell of b has the bits of that of a, which may have one cell along an axis where b has more
 * of the same. */
static inline void law_compare(const struct law_values *a, const struct law_values *b,
                               const char *what)
{
    int x[3];
    assert_int_equal(a->nvar, b->nvar);
    for (int v = 0; v < b->nvar; v++)
        for (x[2] = 0; x[2] < b->n[2]; x[2]++)
            for (x[1] = 0; x[1] < b->n[1]; x[1]++)
                for (x[0] = 0; x[0] < b->n[0]; x[0]++) {
                    int y[3];
                    for (int d = 0; d < 3; d++)
                        y[d] = a->n[d] > 1 ? x[d] : 0;
                    double one = *law_value(a, v, y), other = *law_value(b, v, x);
                    if (one != other)
                        fail_msg("%s: variable %d of cell (%d, %d, %d) differs by %g", what, v,
                                 x[0], x[1], x[2], one - other);
                }
}

enum { LAW_TUBE = 32 }; /* cells of a tube along its axis; 4 along others */

/* A tube with so many axes after so many steps. */
static inline struct law_values law_tube_of(int dim, struct law_pose *pose, const char *scheme,
                                            int steps)
{
    char recipe[1024], cells[32] = "", block[32] = "";
    struct fluid *f;
    for (int d = 0; d < dim; d++) {
        int along = d == pose->axis[0];
        size_t c = strlen(cells), b = strlen(block);
        snprintf(cells + c, sizeof cells - c, "%s%d", d ? ", " : "", along ? LAW_TUBE : 4);
        snprintf(block + b, sizeof block - b, "%s%d", d ? ", " : "", along ? 8 : 4);
    }
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [%s]\nmesh.block: [%s]\nmesh.boundary: outflow\n%s", cells, block,
             scheme);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, law_posed, pose, &f), SL_OK);
    law_advance(f, steps);
    struct law_values out = law_values_of(f->sim, pose);
    fluid_free(f);
    return out;
}

/* The orders of the axes, and how many of them a line, a plane and the space have. In a plane z
 * stays: with constrained transport it is another than x and y. */
static const int law_orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0},
                                     {2, 0, 1}, {0, 2, 1}, {2, 1, 0}};
static const int law_norders[] = {0, 1, 2, 6};

/* A tube gives the same bits along any axis that there is, and mirrored; alike: a line, a plane and
 * the space agree, too. */
static inline void law_axes(const char *scheme, fluid_state *tube, int steps, int alike)
{
    struct law_values want = {0};
    for (int dim = 1; dim <= 3; dim++)
        for (int n = 0; n < law_norders[dim]; n++)
            for (int mirrored = 0; mirrored < 2; mirrored++) {
                const int *a = law_orders[n];
                struct law_pose pose = {{a[0], a[1], a[2]}, mirrored, tube};
                struct law_values got = law_tube_of(dim, &pose, scheme, steps);
                if (!want.at) want = got;
                char what[512];
                snprintf(what, sizeof what, "%dD, axes %d%d%d%s, %s", dim, a[0], a[1], a[2],
                         mirrored ? ", mirrored" : "", scheme);
                law_compare(&want, &got, what);
                if (got.at != want.at) free(got.at);
                if (alike || n + 1 < law_norders[dim] || !mirrored) continue;
                free(want.at);
                want.at = NULL;
            }
    free(want.at);
}

/* A problem that is different along all axes gives the same bits whichever way its axes lie in the
 * space. */
static inline void law_turns(const char *scheme, fluid_state *state, int steps)
{
    struct law_values want = {0};
    for (int n = 0; n < law_norders[3]; n++) {
        const int *a = law_orders[n];
        struct law_pose pose = {{a[0], a[1], a[2]}, 0, state};
        struct fluid *f;
        char text[1024];
        snprintf(text, sizeof text, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n%s", scheme);
        assert_int_equal(fluid_new_with(MPI_COMM_WORLD, text, law_posed, &pose, &f), SL_OK);
        law_advance(f, steps);
        struct law_values got = law_values_of(f->sim, &pose);
        fluid_free(f);
        snprintf(text, sizeof text, "axes %d%d%d, %s", a[0], a[1], a[2], scheme);
        if (n == 0)
            want = got;
        else
            law_compare(&want, &got, text), free(got.at);
    }
    free(want.at);
}

#endif
