/* particles.c - particles of dark matter on a device: the processor's bits of their mass on the
 * mesh, of kicks and drifts in a given potential, of steps that go by the growth, and of their
 * sums; whole runs within the rounding of transforms, in a static, an isolated and an expanding
 * box, with each kernel; the same bits in any order, on any ranks, whatever carries messages, and
 * after a restart; what leaves an open box is counted; the processor goes on from a checkpoint of a
 * device, and the other way round.
 *
 * ranks: 1 2 3 4
 * emulated at length: 1 2 4
 * emulated: 2
 */
#include "core/cosmo/expansion.h"
#include "core/io/checkpoint.h"
#include "core/particles/backend.h"
#include "core/run/restore.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "gpu/cuda.h"
#include "tests/scratch.h"
#include "tests/swarm.h"

#define CLOUD "mesh.cells: [16, 16, 16]\nmesh.block: [8]\ngravity.four_pi_g: 40\noutput.keep: 2\n"
#define CROWD                                                                                      \
    {                                                                                              \
        {12, 12, 12}, 0.5, 1.0 / 1728, scattered, false                                            \
    }

static const char *const kernels[] = {"ngp", "cic", "tsc", "pcs"};

static struct fluid *swarm_on(MPI_Comm comm, const char *backend, const char *recipe,
                              const struct lattice *l)
{
    char text[1024];
    snprintf(text, sizeof text, "resources.backend: %s\n%s", backend, recipe);
    struct fluid *f = swarm_of(comm, text, l);
    assert_string_equal(f->sim->work->backend->name, backend);
    return f;
}

static void need(const char *text)
{
    if (text) fail_msg("%s", text);
}

/* ---- the parts ---- */

/* A field of the whole box with `layers` around it: that of the processor has one block. */
enum { SIDE = 16 };

static const struct lattice crowd = CROWD;

/* The second half of the particles is of another kind. */
static int two_kinds(const void *data, struct sl_state *run)
{
    struct sl_particles *p = run->particles;
    int code = lattice_fill(data, run);
    for (size_t i = 0; i < p->n; i++)
        p->at[i].kind = p->at[i].id < 800 ? 0 : 5;
    p->mass[5] = p->mass[0] / 7;
    return code;
}

static struct fluid *kinds_on(const char *backend, const char *kernel)
{
    struct fluid *f;
    char text[512];
    const struct sl_problem problem = {.name = "test", .state = still, .particles = two_kinds};
    snprintf(text, sizeof text,
             "resources.backend: %s\nparticles.file: none\nparticles.kernel: %s\n"
             "mesh.cells: [16, 16, 16]\nmesh.block: [16]\ngravity.four_pi_g: 40\n",
             backend, kernel);
    assert_int_equal(fluid_new_of(MPI_COMM_SELF, text, problem, (void *)(uintptr_t)&crowd, &f),
                     SL_OK);
    return f;
}

struct planes {
    struct sl_pencil pencil;
    double value[SIDE * SIDE * SIDE];
};

static double *plane_row(const void *of, int k, int j)
{
    const struct planes *p = of;
    return (double *)(uintptr_t)p->value + (k * SIDE + j) * SIDE;
}

/* Mass of a cell of a field, with that of the layers that stand for it. */
static int64_t mass_at(const int64_t *field, int layers, int z, int y, int x)
{
    const int around = SIDE + 2 * layers;
    int64_t sum = 0;
    for (int k = z + layers - SIDE; k <= z + layers + SIDE; k += SIDE)
        for (int j = y + layers - SIDE; j <= y + layers + SIDE; j += SIDE)
            for (int i = x + layers - SIDE; i <= x + layers + SIDE; i += SIDE)
                if (k >= 0 && k < around && j >= 0 && j < around && i >= 0 && i < around)
                    sum += field[(k * around + j) * around + i];
    return sum;
}

static void mass_of(struct fluid *a, struct fluid *b)
{
    struct planes *planes = calloc(1, sizeof *planes);
    struct sl_particles *p = a->sim->state.particles;
    struct sl_device *on = sl_cuda_device(b->sim)->on;
    const int n[3] = {SIDE, SIDE, SIDE};
    const double length[3] = {1, 1, 1};
    const int layers = sl_kernel_reach(p->kernel) + 1;
    const size_t around = (size_t)(SIDE + 2 * layers), values = around * around * around;
    int64_t whole[SL_PARTICLE_KINDS], *field = calloc(values, sizeof *field);
    sl_pencil_init(MPI_COMM_SELF, 3, n, length, &planes->pencil);
    const struct sl_particle_planes to = {&planes->pencil, plane_row, planes};
    assert_int_equal(sl_particles_deposit(p, &to), SL_OK);
    sl_particles_whole(b->sim->state.particles, whole);
    assert_true(p->unit == b->sim->state.particles->unit);
    assert_int_equal(sl_device_particles_field_size(on), values);
    need(sl_device_particles_deposit(on, whole));
    need(sl_device_particles_field(on, field, 0));
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                double want = plane_row(planes, z, y)[x] / (4096 * p->unit);
                int64_t is = mass_at(field, layers, z, y, x);
                if ((double)is != want)
                    fail_msg("cell %d %d %d has %lld, not %.17g", x, y, z, (long long)is, want);
            }
    free(field);
    free(planes);
}

static void same_sums(const struct fluid *a, const struct fluid *b)
{
    struct sl_particle_sums x, y;
    assert_int_equal(sl_particles_sum(a->sim->state.particles, &x), SL_OK);
    assert_int_equal(sl_particles_sum(b->sim->state.particles, &y), SL_OK);
    assert_memory_equal(&x, &y, sizeof x);
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const struct sl_particle *)a)->id, y = ((const struct sl_particle *)b)->id;
    return x < y ? -1 : x > y;
}

static void same_particles(struct fluid *a, struct fluid *b, const char *what)
{
    struct sl_particles *p = a->sim->state.particles, *q = b->sim->state.particles;
    assert_int_equal(sl_sim_pull(b->sim), SL_OK);
    assert_int_equal(p->n, q->n);
    qsort(p->at, p->n, sizeof *p->at, by_id);
    qsort(q->at, q->n, sizeof *q->at, by_id);
    for (size_t i = 0; i < p->n; i++)
        if (memcmp(&p->at[i], &q->at[i], offsetof(struct sl_particle, g)) != 0)
            fail_msg("particle %zu is another after %s", i, what);
    sl_particles_sort(p);
    sl_particles_sort(q);
}

/* A potential that fits no lattice, and its bits in the field of the device. */
static void pull_by(struct fluid *a, struct fluid *b)
{
    struct planes *planes = calloc(1, sizeof *planes);
    const int n[3] = {SIDE, SIDE, SIDE};
    const double length[3] = {1, 1, 1};
    sl_pencil_init(MPI_COMM_SELF, 3, n, length, &planes->pencil);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
        planes->value[i] = sin(0.7 * i) + 0.3 * cos(1e-3 * i * i);
    const struct sl_particle_planes from = {&planes->pencil, plane_row, planes};
    assert_int_equal(sl_particles_gather(a->sim->state.particles, &from), SL_OK);
    need(sl_device_particles_field(sl_cuda_device(b->sim)->on, a->sim->state.particles->field, 1));
    free(planes);
}

static void kicked(struct fluid *a, struct fluid *b)
{
    struct sl_particles *p = a->sim->state.particles, *q = b->sim->state.particles;
    same_sums(a, b);
    same_particles(a, b, "a kick");
    assert_int_equal(sl_particles_look(p), SL_OK);
    assert_int_equal(sl_particles_look(q), SL_OK);
    assert_true(p->speed == q->speed);
}

/* The rest of a step whose force is found in its midst. */
static void leap(struct sl_particles *p)
{
    const struct sl_particle_leap l = {.on = true, .keep = 0.37, .gain = 0.021, .after = 0.045};
    p->leap = l;
    assert_int_equal(sl_particles_leap(p), SL_OK);
}

/* The last kick and drift are one for a device: nothing is asked between them. */
static void parts_of(const char *kernel)
{
    struct fluid *a = kinds_on("cpu", kernel), *b = kinds_on("cuda", kernel);
    struct sl_particles *p = a->sim->state.particles, *q = b->sim->state.particles;
    mass_of(a, b);
    for (int i = 0; i < 3; i++) {
        pull_by(a, b);
        assert_int_equal(sl_particles_look(p), SL_OK);
        assert_int_equal(sl_particles_look(q), SL_OK);
        assert_true(p->pull > 0 && p->pull == q->pull && p->speed == q->speed);
        assert_int_equal(sl_particles_kick(p, 0.013), SL_OK);
        assert_int_equal(sl_particles_kick(q, 0.013), SL_OK);
        if (i < 2) kicked(a, b);
        assert_int_equal(sl_particles_drift(p, 0.07), SL_OK);
        assert_int_equal(sl_particles_drift(q, 0.07), SL_OK);
        same_particles(a, b, "a drift");
        mass_of(a, b);
        pull_by(a, b);
        leap(p), leap(q);
        same_particles(a, b, "a leap");
    }
    fluid_free(a);
    fluid_free(b);
}

static void parts(void **unused)
{
    (void)unused;
    for (int i = 0; i < SL_KERNELS; i++)
        parts_of(kernels[i]);
}

/* ---- runs ---- */

/* Sums over all particles that no order and few roundings change: of waves of places, and of
 * velocities. */
struct shape {
    double place[3], speed[3], columns[SL_COMPONENT_COLUMNS];
    int64_t all, gone;
};

static struct shape shape_of(const struct fluid *f)
{
    const struct sl_particles *p = f->sim->state.particles;
    struct shape s = {.all = p->all, .gone = p->gone};
    assert_int_equal(sl_sources_measure(f->sim, s.columns), SL_OK);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    for (size_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++) {
            double w = cos(0.1 * (double)(p->at[i].id + 1));
            s.place[d] += w * cos(p->at[i].x[d] * 0x1p-32 * 2 * acos(-1));
            s.speed[d] += w * (double)p->at[i].v[d];
        }
    MPI_Allreduce(MPI_IN_PLACE, s.place, 6, MPI_DOUBLE, MPI_SUM, p->mesh->comm);
    return s;
}

static void close_to(double a, double b, double size, const char *what, const char *recipe)
{
    double limit = (sizeof(sl_real) == sizeof(double) ? 1e-8 : 1e-2) * size;
    if (!(fabs(a - b) <= limit)) fail_msg("%s: %.17g and %.17g:\n%s", what, a, b, recipe);
}

static void compare(const struct fluid *a, const struct fluid *b, const char *recipe)
{
    struct shape x = shape_of(a), y = shape_of(b);
    assert_true(x.all == y.all && x.gone == y.gone);
    for (int d = 0; d < 3; d++) {
        close_to(x.place[d], y.place[d], 30, "places", recipe);
        close_to(x.speed[d], y.speed[d], 30, "speeds", recipe);
    }
    for (int i = 0; i < a->sim->state.component.ncolumn; i++)
        close_to(x.columns[i], y.columns[i], 1 + fabs(x.columns[i]),
                 a->sim->state.component.column[i].name, recipe);
    close_to(a->sim->state.dt / b->sim->state.dt, 1, 1, "steps", recipe);
}

static void alike(const char *recipe, const struct lattice *l, int n)
{
    struct fluid *a = swarm_on(MPI_COMM_WORLD, "cpu", recipe, l),
                 *b = swarm_on(MPI_COMM_WORLD, "cuda", recipe, l);
    compare(a, b, recipe);
    law_advance(a, n);
    law_advance(b, n);
    compare(a, b, recipe);
    fluid_free(a);
    fluid_free(b);
}

#define ALONE                                                                                      \
    "mesh.boundary: outflow\ngravity.boundary: isolated\ngravity.four_pi_g: 40\n"                  \
    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"

/* Outwards, so that some leave. */
static void bursting(const double q[3], double place[3], double v[3])
{
    for (int d = 0; d < 3; d++) {
        place[d] = 0.5 + 0.8 * (q[d] - 0.5);
        v[d] = 3 * (q[d] - 0.5) + 0.3 * sin(29 * q[(d + 1) % 3]);
    }
}

static const struct lattice burst = {{12, 12, 12}, 0.5, 1.0 / 1728, bursting, false};

static void processor(void **unused)
{
    (void)unused;
    for (int i = 0; i < SL_KERNELS; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe, CLOUD "particles.kernel: %s\n", kernels[i]);
        alike(recipe, &crowd, 3);
        snprintf(recipe, sizeof recipe, ALONE "particles.kernel: %s\n", kernels[i]);
        alike(recipe, &burst, 3);
    }
    alike(ALONE "gravity.isolated: screened\n", &burst, 3);
    alike("mesh.cells: [16, 8, 24]\nmesh.block: [8]\nmesh.box: [[0, 1], [-1, 1], [0, 3]]\n"
          "gravity.four_pi_g: 20\n",
          &crowd, 3);
}

/* What a kick by the potential of gas and particles gives: forces but for the rounding of
 * transforms. */
static void pulled(const char *recipe, const struct lattice *l)
{
    struct fluid *a = swarm_on(MPI_COMM_SELF, "cpu", recipe, l),
                 *b = swarm_on(MPI_COMM_SELF, "cuda", recipe, l);
    const struct sl_particles *p = a->sim->state.particles, *q = b->sim->state.particles;
    double most = 0, off = 0;
    assert_int_equal(sl_sources_open(a->sim, 1), SL_OK);
    assert_int_equal(sl_sources_open(b->sim, 1), SL_OK);
    assert_int_equal(sl_sim_pull(b->sim), SL_OK);
    qsort(p->at, p->n, sizeof *p->at, by_id);
    qsort(q->at, q->n, sizeof *q->at, by_id);
    for (size_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++) {
            most = fmax(most, fabs((double)p->at[i].v[d]));
            off = fmax(off, fabs((double)p->at[i].v[d] - (double)q->at[i].v[d]));
        }
    if (!(most > 1 && off < 1e4 * law_rounding() * most))
        fail_msg("kicks of %g are off by %g:\n%s", most, off, recipe);
    fluid_free(a);
    fluid_free(b);
}

static void forces(void **unused)
{
    (void)unused;
    for (int i = 0; i < SL_KERNELS; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe, CLOUD "particles.kernel: %s\n", kernels[i]);
        pulled(recipe, &crowd);
        snprintf(recipe, sizeof recipe, ALONE "particles.kernel: %s\n", kernels[i]);
        pulled(recipe, &burst);
    }
}

static void universe(void **unused)
{
    (void)unused;
    const struct lattice l = {{12, 12, 12}, 0.5, (1 - thin) / 1728, scattered, false};
    alike("time.unit: redshift\nfluid.gamma: 5/3\nic.redshift: 9\nmesh.cells: [16, 16, 16]\n"
          "mesh.block: [8]\n",
          &l, 4);
}

/* Runs without gas: nothing lies on the device but particles and the mesh of gravity. */
static void no_gas(void **unused)
{
    (void)unused;
    const struct lattice l = {{12, 12, 12}, 0.5, 1.0 / 1728, scattered, false};
    alone = STATIC;
    alike(CLOUD, &l, 4);
    alike(ALONE, &burst, 4);
    alone = EXPANDING;
    alike("time.unit: redshift\nic.redshift: 9\nmesh.cells: [16, 16, 16]\nmesh.block: [8]\n", &l,
          4);
    alone = "";
}

#define FEW                                                                                        \
    "time.unit: redshift\nic.redshift: 36\nmesh.cells: [16, 16, 16]\nmesh.block: [8]\n"            \
    "output.keep: 2\ntime.steps: 8\n"

static void few_steps(void **unused)
{
    (void)unused;
    alone = EXPANDING;
    alike(FEW "time.stepping: kdk\n", &crowd, 8);
    alike(FEW "time.stepping: fastpm\n", &crowd, 8);
    alike(FEW "time.stepping: bullfrog\n", &crowd, 8);
    alike(FEW "time.stepping: bullfrog\ntime.begin: zero\n", &crowd, 8);
    alone = "";
}

/* Those that leave are gone on all ranks, and mass and momentum are those of the rest. */
static void leaves(void **unused)
{
    (void)unused;
    struct fluid *f = swarm_on(MPI_COMM_WORLD, "cuda", ALONE, &burst);
    const struct sl_particles *p = f->sim->state.particles;
    struct sl_particle_sums sums;
    law_advance(f, 20);
    assert_true(p->gone > 0 && p->gone + p->all == 1728);
    assert_int_equal(sl_particles_sum(p, &sums), SL_OK);
    assert_true(fabs(sums.mass - (double)p->all / 1728) < 1e-12);
    int64_t all = 0, own;
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    own = (int64_t)p->n;
    MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_true(all == p->all);
    fluid_free(f);
}

/* ---- the same bits ---- */

static uint64_t run_of(MPI_Comm comm, const char *recipe, const struct lattice *l, int n)
{
    uint64_t hash;
    struct fluid *f = swarm_on(comm, "cuda", recipe, l);
    law_advance(f, n);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

/* The same on the first rank alone, for all. */
static uint64_t one_of(const char *recipe, const struct lattice *l, int n)
{
    return law_of_first(law_is_first() ? run_of(MPI_COMM_SELF, recipe, l, n) : 0);
}

/* More steps than they stay sorted. */
static void bits(void **unused)
{
    (void)unused;
    struct lattice shuffled = crowd;
    shuffled.shuffled = true;
    uint64_t all = run_of(MPI_COMM_WORLD, CLOUD, &crowd, 20);
    assert_true(all == run_of(MPI_COMM_WORLD, CLOUD, &shuffled, 20));
    assert_true(all == one_of(CLOUD, &crowd, 20));
    assert_true(all != one_of(CLOUD, &crowd, 19));
    assert_true(run_of(MPI_COMM_WORLD, ALONE, &burst, 20) == one_of(ALONE, &burst, 20));
    alone = STATIC;
    assert_true(run_of(MPI_COMM_WORLD, CLOUD, &crowd, 5) == one_of(CLOUD, &shuffled, 5));
    alone = EXPANDING;
    assert_true(run_of(MPI_COMM_WORLD, FEW "time.stepping: bullfrog\n", &crowd, 5) ==
                one_of(FEW "time.stepping: bullfrog\n", &shuffled, 5));
    alone = "";
}

/* Ranks that share an emulated device have NCCL where they are asked to. */
static void nccl(void **unused)
{
    (void)unused;
    setenv("EMULATED_NCCL", "1", 1);
    uint64_t all = run_of(MPI_COMM_WORLD, CLOUD, &crowd, 5);
    unsetenv("EMULATED_NCCL");
    assert_true(all == one_of(CLOUD, &crowd, 5));
}

static void share_directory(char dir[256])
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "gpu_particles");
    MPI_Bcast(dir, 256, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* Half the steps on one, then on the other, from a state that is another one before. */
static struct fluid *in_turns(MPI_Comm comm, const char *recipe, const char *first,
                              const char *then)
{
    char dir[256];
    int rank;
    int64_t seq;
    const struct lattice other = {{12, 12, 12}, 0.25, *alone ? crowd.mass : 0.25, scattered, true};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    share_directory(dir);
    struct fluid *a = swarm_on(MPI_COMM_WORLD, first, recipe, &crowd);
    law_advance(a, 3);
    assert_int_equal(sl_sim_pull(a->sim), SL_OK);
    assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
    struct fluid *b = swarm_on(comm, then, recipe, &other);
    if (sl_sim_restore(b->sim, dir, &seq) != SL_OK) fail_msg("%s", sl_error_text());
    law_advance(b, 5);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
    fluid_free(a);
    return b;
}

static void restarts_of(const char *recipe)
{
    uint64_t want = run_of(MPI_COMM_WORLD, recipe, &crowd, 8), got;
    for (int i = 0; i < 2; i++) {
        struct fluid *f = in_turns(i ? MPI_COMM_SELF : MPI_COMM_WORLD, recipe, "cuda", "cuda");
        assert_int_equal(sl_sim_hash(f->sim, &got), SL_OK);
        assert_true(got == want);
        fluid_free(f);
    }
}

static void restarts(void **unused)
{
    (void)unused;
    restarts_of(CLOUD);
    alone = EXPANDING;
    restarts_of(FEW "time.stepping: bullfrog\n");
    alone = "";
}

static void changes_over_of(const char *recipe)
{
    struct fluid *a = swarm_on(MPI_COMM_WORLD, "cuda", recipe, &crowd),
                 *b = in_turns(MPI_COMM_WORLD, recipe, "cuda", "cpu"),
                 *c = in_turns(MPI_COMM_WORLD, recipe, "cpu", "cuda");
    law_advance(a, 8);
    compare(a, b, "device, then processor");
    compare(a, c, "processor, then device");
    fluid_free(a);
    fluid_free(b);
    fluid_free(c);
}

static void changes_over(void **unused)
{
    (void)unused;
    changes_over_of(CLOUD);
    alone = EXPANDING;
    changes_over_of(FEW "time.stepping: bullfrog\n");
    alone = "";
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),    cmocka_unit_test(forces),    cmocka_unit_test(processor),
        cmocka_unit_test(universe), cmocka_unit_test(leaves),    cmocka_unit_test(bits),
        cmocka_unit_test(nccl),     cmocka_unit_test(restarts),  cmocka_unit_test(changes_over),
        cmocka_unit_test(no_gas),   cmocka_unit_test(few_steps),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
