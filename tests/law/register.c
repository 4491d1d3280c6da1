/* register.c - what the processor keeps of a step: fluxes through sides of blocks
 * (tests/flux_register.h), and with constrained transport the electric field along the edges on
 * their surfaces, which changed the field at the faces there.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include "core/transfer/register.h"
#include "core/transfer/edge_register.h"
#include "tests/flux_register.h"

void fluxes_get(const struct sl_sim *sim, sl_real *fine, sl_real *coarse)
{
    sl_register_get(sim->work->fluxes, fine, coarse);
}

static void plain(void **unused)
{
    (void)unused;
    try_plain("cpu");
}

static void repaired(void **unused)
{
    (void)unused;
    try_repaired("cpu");
}

static void flattened(void **unused)
{
    (void)unused;
    try_flattened("cpu");
}

static void halved(void **unused)
{
    (void)unused;
    try_halved("cpu");
}

static void listed(void **unused)
{
    (void)unused;
    try_listed("cpu");
}

static void refused(void **unused)
{
    (void)unused;
    try_refused("cpu");
}

/* ---- edges ---------------------------------------------------------------------------------- */

static const sl_real *edges_of(const struct sl_sim *s, int b, int fine, int axis, int upper, int c)
{
    const sl_real *all =
        fine ? sl_edges_fine(s->work->edges, b) : sl_edges_coarse(s->work->edges, b);
    return all + sl_edge_start(s->state.mesh->dim, s->state.mesh->n, axis, upper, c);
}

/* What edges along c at the ends of a face across d change there, at x within the block. */
static double change_of(const struct sl_sim *s, int b, int fine, int d, int upper, int c,
                        const int x[3])
{
    const struct sl_mesh *m = s->state.mesh;
    int line = 3 - d - c;
    if (!sl_edge_is(m->dim, d, c)) return 0;
    const sl_real *at = edges_of(s, b, fine, d, upper, c) + x[line] * m->n[c] + x[c];
    double up = (double)at[m->n[c]] - (double)at[0];
    return up / m->blocks[b].dx[line] * ((d + 1) % 3 == c ? 1 : -1);
}

static double face_of(const struct sl_sim *s, int b, int d, int upper, const int x[3])
{
    const struct sl_mesh *m = s->state.mesh;
    int at[3];
    for (int a = 0; a < 3; a++)
        at[a] = x[a] + m->g[a] + (a == d && upper ? m->n[a] : 0);
    return (double)s->state
        .u[sl_mesh_at(m, s->state.layout.nvar, b, s->state.layout.face + d, at[2], at[1], at[0])];
}

typedef void face_fn(struct sl_sim *s, int fine, int b, int d, int upper, const int x[3],
                     double *before);

static void each_face(struct sl_sim *s, int fine, double *before, face_fn *visit)
{
    const struct sl_mesh *m = s->state.mesh;
    int x[3];
    for (int b = 0; b < m->nblock; b++)
        for (int side = 0; side < 2 * m->dim; side++)
            for (x[2] = 0; x[2] < (side / 2 == 2 ? 1 : m->n[2]); x[2]++)
                for (x[1] = 0; x[1] < (side / 2 == 1 ? 1 : m->n[1]); x[1]++)
                    for (x[0] = 0; x[0] < (side / 2 == 0 ? 1 : m->n[0]); x[0]++)
                        visit(s, fine, b, side / 2, side % 2, x, before++);
}

static void face_take(struct sl_sim *s, int fine, int b, int d, int upper, const int x[3],
                      double *before)
{
    (void)fine;
    *before = face_of(s, b, d, upper, x);
}

static void face_check(struct sl_sim *s, int fine, int b, int d, int upper, const int x[3],
                       double *before)
{
    double size = 1, change = 0, gained = face_of(s, b, d, upper, x) - *before;
    for (int c = 0; c < 3; c++) {
        double by = c == d ? 0 : change_of(s, b, fine, d, upper, c, x);
        change += by;
        size += fabs(by);
    }
    if (!(fabs(gained - change) <= 200 * law_rounding() * size))
        fail_msg("block %d, side %d of axis %d: a face gained %.17g, its edges say %.17g", b, upper,
                 d, gained, change);
}

/* Several steps of a run whose blocks are all kept, as fine and as coarse ones; then the sums begin
 * anew. */
static uint64_t try_edges(MPI_Comm comm, const char *recipe, fluid_state *state, int64_t *repaired)
{
    struct fluid *f;
    uint64_t hash = 0;
    assert_int_equal(fluid_new(comm, recipe, state, &f), SL_OK);
    struct sl_sim *s = f->sim;
    int n = s->state.mesh->nblock, *all = fluxes_alloc((size_t)n, sizeof *all);
    size_t each = sl_edge_values(s->state.mesh->dim, s->state.mesh->n), faces = (size_t)n * each;
    double *start = fluxes_alloc(faces, sizeof *start),
           *before = fluxes_alloc(faces, sizeof *before);
    for (int b = 0; b < n; b++)
        all[b] = b;
    assert_int_equal(s->work->backend->edges_set(s, all, n, all, n), SL_OK);
    each_face(s, 0, start, face_take);
    for (int step = 0; step < 6; step++) {
        if (step == 4) {
            assert_int_equal(s->work->backend->register_clear(s), SL_OK);
            each_face(s, 0, start, face_take);
        }
        each_face(s, 0, before, face_take);
        law_advance(f, 1);
        each_face(s, 0, before, face_check);
        each_face(s, 1, start, face_check);
    }
    for (int b = 0; b < n; b++)
        for (size_t i = 0; i < each; i++) {
            uint64_t bits = 0;
            memcpy(&bits, sl_edges_fine(s->work->edges, b) + i, sizeof(sl_real));
            hash +=
                (bits ^ ((uint64_t)s->state.mesh->blocks[b].gid << 32 | i)) * 0x9e3779b97f4a7c15u;
        }
    MPI_Allreduce(MPI_IN_PLACE, &hash, 1, MPI_UINT64_T, MPI_SUM, comm);
    *repaired = s->state.cells_repaired;
    free(all), free(start), free(before);
    fluid_free(f);
    return hash;
}

static void edges(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.integrator: rk3\n",
        "mesh.cells: [16, 16, 16]\nmesh.block: [16, 8, 4]\nfluid.riemann: hlld\n",
        "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.theta: 2\nfluid.riemann: hlld\n",
        "mesh.cells: [16, 96, 16]\nmesh.block: [16, 96, 16]\nfluid.integrator: vl2\n",
        "mesh.cells: [32, 16]\nmesh.block: [8]\nfluid.integrator: vl2\n",
        "mesh.cells: [16, 32]\nmesh.block: [16, 8]\nmesh.boundary: outflow\n",
    };
    for (int i = 0; i < 6; i++) {
        char text[512];
        int64_t repaired;
        fluid_state *state = i == 2 ? law_violent_staggered : law_waves;
        snprintf(text, sizeof text, "fluid.mhd: ct\n%s", recipes[i]);
        uint64_t all = try_edges(MPI_COMM_WORLD, text, state, &repaired);
        if (try_edges(MPI_COMM_SELF, text, state, &repaired) != all)
            fail_msg("alone a rank keeps other edges:\n%s", text);
        if (i == 2) assert_true(repaired > 0);
    }
}

static void edges_refused(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {"mesh.cells: [16, 16]\n",
                                          "mesh.cells: [16]\nfluid.mhd: ct\n",
                                          "mesh.cells: [16, 16]\nfluid.mhd: ct\n"};
    for (int i = 0; i < 3; i++) {
        struct fluid *f;
        char text[128];
        int beyond = 1 << 20;
        snprintf(text, sizeof text, "mesh.block: [8]\n%s", recipes[i]);
        assert_int_equal(fluid_new(MPI_COMM_WORLD, text, law_waves, &f), SL_OK);
        assert_int_equal(f->sim->work->backend->edges_set(f->sim, &beyond, i % 2, &beyond, 1),
                         SL_EINPUT);
        assert_non_null(strstr(sl_error_text(), i < 2 ? "fluid.mhd: ct" : "no block 1048576"));
        assert_int_equal(f->sim->work->backend->edges_set(f->sim, NULL, 0, NULL, 0), SL_OK);
        fluid_free(f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),  cmocka_unit_test(repaired),     cmocka_unit_test(flattened),
        cmocka_unit_test(halved), cmocka_unit_test(listed),       cmocka_unit_test(refused),
        cmocka_unit_test(edges),  cmocka_unit_test(edges_refused)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
