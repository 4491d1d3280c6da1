/* lattice.c - a start of a universe whose dark matter a device makes: the particles, the gas and
 * the spectrum of the processor's start to 1e-12, to both orders, for either spacing and precision,
 * fixed, paired, with modes of another seed, with gas and without, in any blocks; of boxes that are
 * no cubes, and of white noise of a file, the processor makes it; the same bits on any number of
 * ranks; steps go on from it.
 *
 * ranks: 1 2
 * emulated: 1 2
 */
#include <hdf5.h>
#include <inttypes.h>

#include "core/particles/backend.h"
#include "core/run/start.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sys/random.h"
#include "tests/law.h"
#include "tests/scratch.h"

#define UNIVERSE                                                                                   \
    "campaign: c\nproblem: cosmology\ncosmology: {omega_m: 0.3, omega_b: 0.06}\n"                  \
    "time: {end: 9, unit: redshift}\n"
#define CUBE  "mesh: {cells: [16, 16, 16], block: [8], box: [[0, 50], [-10, 40], [5, 55]]}\n"
#define SMALL "mesh: {cells: [16, 16, 16], block: [16, 8, 4], box: [[0, 9], [0, 9], [1, 10]]}\n"
#define ODD   "mesh: {cells: [18, 18, 18], block: [6], box: [[0, 40], [0, 40], [0, 40]]}\n"
#define IC    "ic: {redshift: 19, transfer: eisenstein_hu, "
#define DARK(mesh, order)                                                                          \
    UNIVERSE mesh IC "species: dark_matter, order: " order "}\nfluid: {eos: none}\n"
#define BOTH(order) UNIVERSE CUBE IC "species: one_fluid, order: " order "}\n"

static struct sl_sim *start_on(MPI_Comm comm, const char *backend, const char *recipe)
{
    struct sl_sim *sim = NULL;
    static struct sl_config cfg[2]; /* borrowed by the runs, of which there are two at a time */
    static int next;
    char text[2048];
    struct sl_config *own = &cfg[next++ % 2];
    snprintf(text, sizeof text, "%sresources.backend: %s\n", recipe, backend);
    if (sl_config_parse("test", text, strlen(text), NULL, 0, own) != SL_OK ||
        sl_sim_new(comm, own, &sim) != SL_OK || sl_sim_start(sim) != SL_OK ||
        sl_sim_pull(sim) != SL_OK)
        fail_msg("%s", sl_error_text());
    assert_string_equal(sim->work->backend->name, backend);
    return sim;
}

/* ---- particles ---- */

/* What two starts may differ by: of places in 2^-32 of the box, of velocities. */
struct near {
    int64_t place;
    double speed;
};

static double speed_of(const struct sl_particles *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++)
            sum += (double)(p->at[i].v[d] * p->at[i].v[d]);
    return sqrt(sum / (double)(3 * p->n));
}

static void same_particle(const struct sl_particle *a, const struct sl_particle *b,
                          struct near near)
{
    if (a->id != b->id || a->kind != b->kind)
        fail_msg("particle %" PRIu64 " beside %" PRIu64, a->id, b->id);
    for (int d = 0; d < 3; d++) {
        int64_t apart = (int32_t)(a->x[d] - b->x[d]);
        if (apart > near.place || apart < -near.place)
            fail_msg("particle %" PRIu64 ": %" PRId64 " apart along %d", a->id, apart, d);
        if (!(fabs((double)(a->v[d] - b->v[d])) <= near.speed))
            fail_msg("particle %" PRIu64 ": %.17g along %d, not %.17g", a->id, (double)a->v[d], d,
                     (double)b->v[d]);
    }
}

/* Of all ranks, as the processor has them. */
static void same_particles(const struct sl_sim *a, const struct sl_sim *b, struct near near)
{
    struct sl_particles *p = a->state.particles, *q = b->state.particles;
    assert_true(p->n > 0 && p->n == q->n && p->all == q->all && p->unit == q->unit);
    assert_true(p->mass[0] > 0 && p->mass[0] == q->mass[0]);
    near.speed *= speed_of(p);
    for (int b0 = 0; b0 < p->mesh->nblock; b0++) {
        assert_true(p->first[b0 + 1] == q->first[b0 + 1]);
        sl_particles_order(p, b0);
        sl_particles_order(q, b0);
    }
    for (size_t i = 0; i < p->n; i++)
        same_particle(&p->at[i], &q->at[i], near);
}

static void same_gas(const struct sl_sim *a, const struct sl_sim *b)
{
    const struct sl_state *s = &a->state, *t = &b->state;
    const struct sl_mesh *m = s->mesh;
    for (int v = 0; v < s->layout.nvar; v++)
        for (int c = 0; c < m->nblock * m->n[0] * m->n[1] * m->n[2]; c++) {
            int i = c % m->n[0], j = c / m->n[0] % m->n[1], k = c / m->n[0] / m->n[1] % m->n[2],
                block = c / m->n[0] / m->n[1] / m->n[2];
            size_t at =
                sl_mesh_at(m, s->layout.nvar, block, v, k + m->g[2], j + m->g[1], i + m->g[0]);
            assert_true(fabs((double)(s->u[at] - t->u[at])) <= 1e-12 * fabs((double)s->u[at]));
        }
}

/* ---- spectra ---- */

enum { ROWS = 16, COLUMNS = 5 };

/* The numbers of the table of the start that was made last, on rank 0; how many. */
static int read_spectrum(double *out)
{
    char line[1024];
    int n = 0;
    FILE *f = fopen("spectrum_dark_matter.csv", "r");
    if (!f) fail_msg("there is no spectrum");
    while (fgets(line, sizeof line, f)) {
        char *at = line, *end;
        for (int c = 0; c < COLUMNS && line[0] >= '0' && line[0] <= '9'; c++, at = end + 1) {
            assert_true(n < ROWS * COLUMNS);
            out[n++] = strtod(at, &end);
        }
    }
    fclose(f);
    assert_int_equal(unlink("spectrum_dark_matter.csv"), 0);
    return n;
}

static void same_spectra(int n, const double *a, int m, const double *b)
{
    assert_true(n > 3 * COLUMNS && n == m);
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12 * fabs(a[i])))
            fail_msg("row %d, column %d: %.17g, not %.17g", i / COLUMNS, i % COLUMNS, b[i], a[i]);
}

/* ---- starts ---- */

static void same_start(const char *recipe, bool made, struct near near)
{
    double x[ROWS * COLUMNS], y[ROWS * COLUMNS];
    int rank, n = 0, m = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct sl_sim *a = start_on(MPI_COMM_WORLD, "cpu", recipe);
    if (rank == 0) n = read_spectrum(x);
    struct sl_sim *b = start_on(MPI_COMM_WORLD, "cuda", recipe);
    if (rank == 0) m = read_spectrum(y);
    assert_true(!a->state.particles->made);
    assert_int_equal(b->state.particles->made, made);
    same_particles(a, b, near);
    same_gas(a, b);
    if (rank == 0) same_spectra(n, x, m, y);
    sl_sim_free(a);
    sl_sim_free(b);
}

static const struct near rounding = {1, 1e-12}, single = {1024, 2e-7};

static void alone(void **unused)
{
    (void)unused;
    same_start(DARK(CUBE, "1"), true, rounding);
    same_start(DARK(CUBE, "2"), true, rounding);
    same_start(DARK(CUBE, "1, fixed: true") "particles.spacing: 1\n", true, rounding);
    same_start(DARK(CUBE, "2, paired: true, fixed: true") "particles.spacing: 1\n", true, rounding);
    same_start(DARK(SMALL, "2, low_modes: 2, low_seed: 7") "seed: 9\n", true, rounding);
    same_start(DARK(ODD, "2"), true, rounding);
    same_start(DARK(CUBE, "2, precision: single"), true, single);
}

static void beside_gas(void **unused)
{
    (void)unused;
    same_start(BOTH("1"), true, rounding);
    same_start(BOTH("2, fixed: true") "particles.spacing: 1\n", true, rounding);
}

static void no_cube(void **unused)
{
    (void)unused;
    same_start(DARK("mesh: {cells: [16, 16, 32], block: [8]}\n", "2"), false, rounding);
    same_start(
        DARK("mesh: {cells: [16, 16, 16], block: [8], box: [[0, 50], [0, 50], [0, 60]]}\n", "1"),
        false, rounding);
}

/* Of modes that a device does not draw. */
static void write_noise(const char *path)
{
    static double value[16 * 16 * 16];
    const struct sl_random_name name = {3, SL_RANDOM_BOOTSTRAP, 0, {0, 0, 0}};
    const hsize_t shape[3] = {16, 16, 16};
    for (uint64_t i = 0; i < sizeof value / sizeof *value; i += 2)
        sl_random_gauss(&name, i, value + i);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, shape, NULL);
    hid_t set =
        H5Dcreate2(file, "noise", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

static void noise(void **unused)
{
    int rank;
    (void)unused;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) write_noise("noise.h5");
    MPI_Barrier(MPI_COMM_WORLD);
    same_start(DARK(CUBE, "2, noise: noise.h5"), false, rounding);
}

/* Each rank beside a run of its own. */
static void bits(void **unused)
{
    (void)unused;
    const char *recipe = DARK(CUBE, "2");
    struct sl_sim *a = start_on(MPI_COMM_WORLD, "cuda", recipe),
                  *b = start_on(MPI_COMM_SELF, "cuda", recipe);
    for (int step = 0; step < 2; step++) {
        uint64_t x, y;
        assert_int_equal(sl_sim_hash(a, &x), SL_OK);
        assert_int_equal(sl_sim_hash(b, &y), SL_OK);
        assert_true(x == y);
        assert_int_equal(sl_sim_step(a, INFINITY), SL_OK);
        assert_int_equal(sl_sim_step(b, INFINITY), SL_OK);
    }
    sl_sim_free(a);
    sl_sim_free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alone), cmocka_unit_test(beside_gas),
                                       cmocka_unit_test(no_cube), cmocka_unit_test(noise),
                                       cmocka_unit_test(bits)};
    char work[256] = "";
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(work, "lattice");
    MPI_Bcast(work, sizeof work, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (chdir(work) != 0) abort();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(work);
    MPI_Finalize();
    return failed;
}
