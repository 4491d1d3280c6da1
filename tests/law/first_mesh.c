/* first_mesh.c - the mesh of a start is the one that the run begins with, on any number of ranks;
 * and what is reckoned from coarser root grids comes near it, for a front, a point and a layer.
 *
 * ranks: 1 2
 */
#include "core/run/first_mesh.h"
#include "core/run/start.h"
#include "pipeline/campaign/filling.h"
#include "tests/law.h"

static const struct {
    const char *problem, *recipe;
    double bytes; /* for a coarse start */
    double off;   /* the factor by which the part of the box that is refined may be wrong */
} starts[] = {{"sod",
               "mesh.cells: [256, 128]\nmesh.box: [[0, 1], [0, 0.5]]\n"
               "mesh.refine: [{by: gradient, of: density, above: 0.05}]\n",
               8e6, 1.01},
              {"sedov",
               "sedov.energy: 1\nsedov.radius: 0.04\nmesh.cells: [128, 128]\n"
               "mesh.refine: [{by: gradient, of: pressure, above: 0.1}]\n",
               3e6, 2.5},
              {"kelvin_helmholtz",
               "mesh.cells: [128, 128]\nmesh.refine: [{by: vorticity, above: 0.008}]\n", 1.2e7,
               2.5}};

static void read_config(int i, struct sl_config *cfg)
{
    char text[512];
    int n = snprintf(text, sizeof text,
                     "campaign: c\nproblem: %s\ntime.end: 1\nmesh.block: 8\nmesh.levels: 2\n"
                     "mesh.boundary: periodic\n%s",
                     starts[i].problem, starts[i].recipe);
    if (sl_config_parse("test", text, (size_t)n, NULL, 0, cfg) != SL_OK)
        fail_msg("%s", sl_error_text());
}

/* As the pipeline understands what the program prints. */
static struct sl_filling look(const struct sl_config *cfg, double bytes)
{
    struct sl_first_mesh mesh;
    struct sl_filling f = {.source = SL_FILLING_ASSUMED};
    char text[512] = "";
    if (sl_first_mesh_find(MPI_COMM_WORLD, cfg, bytes, &mesh) != SL_OK)
        fail_msg("%s", sl_error_text());
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    sl_first_mesh_print(out, cfg, &mesh);
    fclose(out);
    if (sl_filling_parse(text, cfg, &f) != SL_OK) fail_msg("%s: %s", text, sl_error_text());
    return f;
}

static void start_of_the_run(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof starts / sizeof *starts); i++) {
        struct sl_config cfg;
        struct sl_first_mesh mesh;
        struct sl_sim *sim;
        read_config(i, &cfg);
        assert_int_equal(sl_first_mesh_find(MPI_COMM_WORLD, &cfg, 1e12, &mesh), SL_OK);
        assert_int_equal(mesh.halved, 0);
        assert_int_equal(sl_sim_new(MPI_COMM_WORLD, &cfg, &sim), SL_OK);
        assert_int_equal(sl_sim_start(sim), SL_OK);
        for (int l = 0; l < sim->state.hierarchy->nlevel; l++)
            assert_int_equal(mesh.leaves[0][l], sim->state.hierarchy->count[l]);
        assert_true(mesh.leaves[0][2] > 0 && mesh.asked[0] > 0);
        sl_sim_free(sim);
    }
}

static void coarser_starts(void **state)
{
    (void)state;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double little = size * 4e7; /* what ranks take before they have blocks */
    for (int i = 0; i < (int)(sizeof starts / sizeof *starts); i++) {
        struct sl_config cfg;
        read_config(i, &cfg);
        struct sl_filling real = look(&cfg, 1e12), f = look(&cfg, little + starts[i].bytes);
        assert_int_equal(real.source, SL_FILLING_START);
        assert_int_equal(f.source, SL_FILLING_COARSE);
        for (int l = 1; l <= 2; l++) {
            double off = f.fraction[l] / real.fraction[l];
            print_message("%s, level %d: %g of the box, reckoned %g, at most %g\n",
                          starts[i].problem, l, real.fraction[l], f.fraction[l], f.most[l]);
            assert_true(off < starts[i].off && 1 / off < starts[i].off);
            assert_true(f.most[l] >= real.fraction[l]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(start_of_the_run),
                                       cmocka_unit_test(coarser_starts)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
