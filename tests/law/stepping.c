/* stepping.c - few steps that go by the growth, on a mesh: a plane wave is nearly exact until it
 * crosses itself, and after that as good as sheets are in as many steps; four steps of bullfrog are
 * 2LPT to second order, of fastpm not; the same bits on any ranks.
 *
 * ranks: 1 4
 */
#include <stdlib.h>

#include "core/cosmo/expansion.h"
#include "core/particles/store.h"
#include "tests/law.h"

#define PI 3.14159265358979323846

/* Of matter alone, so that D = a; the start at a = 0.02. time.end is a = 0.5. */
#define UNIVERSE                                                                                   \
    "problem: pancake\npancake.dark_matter: 1\npancake.redshift: 0\nfluid.eos: none\n"             \
    "particles.file: none\ntime.unit: redshift\nic.redshift: 49\noutput.snapshot: 0\n"             \
    "cosmology.omega_m: 1\ncosmology.omega_b: 0\ncosmology.t_cmb: 0\n"
static const double start = 0.02, end = 0.5;

/* Particles on a lattice, displaced by D psi. */
struct lattice {
    int n[3];
    double size; /* of psi */
    void (*psi)(const double q[3], double psi[3]);
};

static void origin(const struct lattice *l, int64_t id, double q[3])
{
    const int64_t at[3] = {id % l->n[0], id / l->n[0] % l->n[1], id / l->n[0] / l->n[1]};
    for (int d = 0; d < 3; d++)
        q[d] = ((double)at[d] + 0.5) / l->n[d];
}

static int fill(const void *data, struct sl_state *run)
{
    const struct lattice *l = data;
    const struct sl_mesh_spec *s = &run->mesh->spec;
    struct sl_particles *p = run->particles;
    int64_t n = (int64_t)l->n[0] * l->n[1] * l->n[2];
    p->mass[0] = 1 / (double)n;
    for (int d = 0; d < 3; d++)
        p->mass[0] *= s->hi[d] - s->lo[d];
    SL_TRY(sl_particles_reserve(p, (size_t)n));
    for (int64_t i = p->mesh->rank; i < n; i += p->mesh->size) {
        double q[3], psi[3] = {0, 0, 0}, place[3], v[3];
        origin(l, i, q);
        l->psi(q, psi);
        for (int d = 0; d < 3; d++) {
            place[d] = s->lo[d] + (s->hi[d] - s->lo[d]) * q[d] + start * l->size * psi[d];
            v[d] = pow(start, 1.5) * l->size * psi[d]; /* F = a^3/2 */
        }
        sl_particles_add(p, place, v, (uint64_t)i, 0);
    }
    return SL_OK;
}

/* Displacements at the end, by id, [3] each; to be freed. */
static double *displacements(MPI_Comm comm, const char *recipe, const struct lattice *l,
                             uint64_t *hash)
{
    const struct sl_problem problem = {.name = "test", .particles = fill};
    struct fluid *f;
    assert_int_equal(fluid_new_of(comm, recipe, problem, (void *)(uintptr_t)l, &f), SL_OK);
    while (f->sim->state.time < f->sim->state.end)
        if (sl_sim_step(f->sim, f->sim->state.end) != SL_OK) fail_msg("%s", sl_error_text());
    assert_true(f->sim->state.step == f->cfg.time_steps);
    const struct sl_particles *p = f->sim->state.particles;
    const struct sl_mesh_spec *s = &p->mesh->spec;
    double *out = calloc((size_t)p->all * 3, sizeof *out);
    for (size_t i = 0; i < p->n; i++) {
        double q[3];
        origin(l, (int64_t)p->at[i].id, q);
        for (int d = 0; d < 3; d++) {
            double side = s->hi[d] - s->lo[d];
            out[3 * p->at[i].id + (size_t)d] =
                remainder(sl_particles_place(p, &p->at[i], d) - s->lo[d] - side * q[d], side);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, out, (int)p->all * 3, MPI_DOUBLE, MPI_SUM, comm);
    if (hash) assert_int_equal(sl_sim_hash(f->sim, hash), SL_OK);
    fluid_free(f);
    return out;
}

/* ---- a plane wave ---- */

#define TUBE                                                                                       \
    "mesh.cells: [256, 16, 16]\nmesh.block: [16]\nmesh.box: [[0, 1], [0, 0.0625], [0, 0.0625]]\n"

static void plane(const double q[3], double psi[3])
{
    psi[0] = sin(2 * PI * q[0]) / (2 * PI);
}

enum { SHEETS = 128 };

static int by_place(const void *a, const void *b)
{
    const double *x = *(double *const *)a, *y = *(double *const *)b;
    return (*x > *y) - (*x < *y);
}

/* Where 128 sheets of that wave are, in 2000 steps of fastpm from D = 0: their force is how far
 * they are from their place in order. */
static void sheets(double size, double x[SHEETS])
{
    enum { STEPS = 2000 };
    double v[SHEETS], *order[SHEETS];
    for (int i = 0; i < SHEETS; i++) {
        double q[3] = {(i + 0.5) / SHEETS, 0, 0}, psi[3];
        plane(q, psi);
        x[i] = q[0], v[i] = size * psi[0], order[i] = &x[i];
    }
    for (int s = 0; s < STEPS; s++) {
        double from = end * s / STEPS, to = end * (s + 1) / STEPS, middle = 0.5 * (from + to);
        double alpha = pow(from / to, 1.5), beta = (1 - alpha) / middle;
        for (int i = 0; i < SHEETS; i++)
            x[i] += v[i] * (middle - from);
        qsort(order, SHEETS, sizeof *order, by_place);
        for (int k = 0; k < SHEETS; k++) {
            ptrdiff_t i = order[k] - x;
            v[i] = alpha * v[i] + beta * (x[i] - (k + 0.5) / SHEETS);
        }
        for (int i = 0; i < SHEETS; i++)
            x[i] += v[i] * (to - middle);
    }
}

/* Rms error in sides of the box of a wave that crosses at D = 1 / size. */
static double error_of(const char *stepping, int steps, double size)
{
    const struct lattice l = {{SHEETS, 8, 8}, size, plane};
    double exact[SHEETS], sum = 0;
    char recipe[1024];
    snprintf(recipe, sizeof recipe, UNIVERSE TUBE "time.stepping: %s\ntime.steps: %d\n%s", stepping,
             steps, strcmp(stepping, "kdk") == 0 ? "" : "time.begin: zero\n");
    double *moved = displacements(MPI_COMM_WORLD, recipe, &l, NULL);
    sheets(size, exact);
    for (int i = 0; i < SHEETS * 64; i++) {
        double q = (i % SHEETS + 0.5) / SHEETS;
        sum += pow(remainder(q + moved[3 * i] - exact[i % SHEETS], 1), 2);
    }
    free(moved);
    return sqrt(sum / (SHEETS * 64));
}

static void before_crossing(void **unused)
{
    (void)unused;
    double fast = error_of("fastpm", 5, 0.9 / end), frog = error_of("bullfrog", 5, 0.9 / end),
           plain = error_of("kdk", 5, 0.9 / end);
    if (!(fast < 1.2e-4 && frog < 1.2e-4 && plain > 5e-3))
        fail_msg("five steps to D = 0.9 D_c: fastpm %.2g, bullfrog %.2g, kdk %.2g of the box", fast,
                 frog, plain);
}

/* Of sheets alone, without a mesh: 1.58e-3 and 1.68e-3 in 10 steps, 5e-4 in 20, and 1.5e-2 and
 * 4e-3 of kick-drift-kick. */
static void after_crossing(void **unused)
{
    (void)unused;
    double fast = error_of("fastpm", 10, 2 / end), frog = error_of("bullfrog", 10, 2 / end),
           more = error_of("bullfrog", 20, 2 / end), plain = error_of("kdk", 10, 2 / end);
    if (!(fast < 2 * 1.58e-3 && frog < 2 * 1.68e-3 && more < 2 * 5.03e-4 && plain > 5e-3))
        fail_msg("to D = 2 D_c: fastpm %.2g, bullfrog %.2g, 20 steps %.2g, kdk %.2g of the box",
                 fast, frog, more, plain);
}

/* ---- second order ---- */

#define BOX "mesh.cells: [32, 32, 8]\nmesh.block: [8]\nmesh.box: [[0, 1], [0, 1], [0, 0.25]]\n"

static void cross(const double q[3], double psi[3])
{
    psi[0] = sin(2 * PI * q[0]) / (2 * PI);
    psi[1] = sin(2 * PI * q[1]) / (2 * PI);
}

/* Half the sum of the displacements of a field and of that with its sign turned: its first order
 * cancels. */
static double *even_part(const char *stepping, int steps)
{
    char recipe[1024];
    const struct lattice plus = {{16, 16, 4}, 0.2, cross}, minus = {{16, 16, 4}, -0.2, cross};
    snprintf(recipe, sizeof recipe,
             UNIVERSE BOX "time.stepping: %s\ntime.steps: %d\n"
                          "time.begin: zero\n",
             stepping, steps);
    double *a = displacements(MPI_COMM_WORLD, recipe, &plus, NULL),
           *b = displacements(MPI_COMM_WORLD, recipe, &minus, NULL);
    for (int i = 0; i < 3 * 1024; i++)
        a[i] = 0.5 * (a[i] + b[i]);
    free(b);
    return a;
}

static double difference(const double *a, const double *b)
{
    double sum[2] = {0, 0};
    for (int i = 0; i < 3 * 1024; i++)
        sum[0] += (a[i] - b[i]) * (a[i] - b[i]), sum[1] += b[i] * b[i];
    return sqrt(sum[0] / sum[1]);
}

static void second_order(void **unused)
{
    (void)unused;
    double *many = even_part("bullfrog", 24), *frog = even_part("bullfrog", 3),
           *fast = even_part("fastpm", 3);
    double good = difference(frog, many), bad = difference(fast, many);
    if (!(good < 1e-2 && bad > 0.1))
        fail_msg("second order in three steps: bullfrog off by %.2g, fastpm %.2g", good, bad);
    free(many);
    free(frog);
    free(fast);
}

/* ---- the same bits ---- */

static void bits(void **unused)
{
    (void)unused;
    const struct lattice l = {{16, 16, 4}, 1.5, cross};
    static const char recipe[] = UNIVERSE BOX "time.stepping: bullfrog\ntime.steps: 6\n";
    uint64_t all, alone;
    free(displacements(MPI_COMM_WORLD, recipe, &l, &all));
    free(displacements(MPI_COMM_SELF, recipe, &l, &alone));
    assert_true(all == alone);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(before_crossing),
                                       cmocka_unit_test(after_crossing),
                                       cmocka_unit_test(second_order), cmocka_unit_test(bits)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
