/* swarm.h - what the tests of particles share: runs with a lattice of them beside thin gas, and
 * columns of their history.
 *
 * Shapes  as in core/particles/store.h
 * Units   code units; lattices in shares of the box
 * Errors  the present test fails with a message
 * Owns    runs are freed by fluid_free
 * MPI     collective over the run's communicator
 * Where   host; particles where the run has them
 * Refs    none
 * Tests   tests/law/particles.c, tests/gpu/particles.c
 */
#ifndef SL_TESTS_SWARM_H
#define SL_TESTS_SWARM_H

#include "core/particles/push.h"
#include "core/step/source.h"
#include "tests/law.h"

/* Gas so thin that it neither pulls nor hurries. */
static double thin = 1e-6;

static inline void still(const void *data, const double lo[3], const double hi[3], double t,
                         double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = thin;
    prim[4] = thin * 1e-9;
}

/* Keys of a run of particles alone, in a static box or in a universe; "": one with gas. */
#define STATIC "problem: nbody\nfluid.eos: none\n"
#define EXPANDING                                                                                  \
    "problem: pancake\npancake.dark_matter: 1\npancake.redshift: 0.5\nfluid.eos: none\n"
static const char *alone = "";

/* Mass of the gas. */
static inline double gas_mass(void)
{
    return *alone ? 0 : thin;
}

typedef void place_fn(const double q[3], double place[3], double v[3]);

/* A run with a lattice of n particles along each axis, moved by f, in shares of the box, whose
 * first particle lies at the share `first` of their distance; shuffled: they are added in another
 * order. They are added on the ranks in turns. */
struct lattice {
    int n[3];
    double first, mass;
    place_fn *f;
    bool shuffled;
};

/* The place of a particle in the lattice. */
static inline void lattice_at(const struct lattice *l, int64_t c, double q[3])
{
    const int64_t at[3] = {c % l->n[0], c / l->n[0] % l->n[1], c / l->n[0] / l->n[1]};
    for (int d = 0; d < 3; d++)
        q[d] = ((double)at[d] + l->first) / l->n[d];
}

static inline int lattice_fill(const void *data, struct sl_state *run)
{
    const struct lattice *l = data;
    const struct sl_mesh_spec *s = &run->mesh->spec;
    struct sl_particles *p = run->particles;
    int64_t n = (int64_t)l->n[0] * l->n[1] * l->n[2];
    p->mass[0] = l->mass;
    SL_TRY(sl_particles_reserve(p, (size_t)n));
    for (int64_t i = 0; i < n; i++) {
        int64_t c = l->shuffled ? (i * 7919 + 13) % n : i;
        double q[3], place[3], v[3] = {0};
        if ((l->shuffled ? i / 3 : i) % p->mesh->size != p->mesh->rank) continue;
        lattice_at(l, c, q);
        l->f(q, place, v);
        for (int d = 0; d < 3; d++)
            place[d] = s->lo[d] + (s->hi[d] - s->lo[d]) * place[d];
        sl_particles_add(p, place, v, (uint64_t)c, 0);
    }
    return SL_OK;
}

static inline struct fluid *swarm_of(MPI_Comm comm, const char *recipe, const struct lattice *l)
{
    struct fluid *f;
    char text[1024];
    const struct sl_problem problem = {.name = "test", .state = still, .particles = lattice_fill};
    snprintf(text, sizeof text, "particles.file: none\n%s%s", alone, recipe);
    assert_int_equal(fluid_new_of(comm, text, problem, (void *)(uintptr_t)l, &f), SL_OK);
    assert_non_null(f->sim->state.particles);
    return f;
}

/* Column of the history of this name. */
static inline double column(const struct sl_sim *sim, const char *name)
{
    double value[SL_COMPONENT_COLUMNS];
    assert_int_equal(sl_sources_measure(sim, value), SL_OK);
    for (int i = 0; i < sim->state.component.ncolumn; i++)
        if (strcmp(sim->state.component.column[i].name, name) == 0) return value[i];
    fail_msg("no column %s", name);
    return 0;
}

static inline void scattered(const double q[3], double place[3], double v[3])
{
    for (int d = 0; d < 3; d++) {
        place[d] = q[d] + 0.31 * sin(37 * q[(d + 1) % 3] + 11 * q[d]);
        v[d] = 0.4 * cos(23 * q[d] + 5 * q[(d + 2) % 3]);
    }
}

#endif
