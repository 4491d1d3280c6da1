/* start_planes.c - gas and particles of a universe that ranks make by planes lie in their blocks:
 * the mass of each kind, cells beside those of the same places on any number of ranks, a field of
 * the run; a start that is only looked at writes nothing.
 *
 * ranks: 1 2 3
 */
#include <unistd.h>

#include "core/io/field_planes.h"
#include "core/particles/store.h"
#include "core/run/start.h"
#include "tests/law.h"

static const char recipe[] =
    "campaign: c\nproblem: cosmology\nmesh: {cells: [16, 16, 24], block: [8], box: [[0, 50], "
    "[-10, 40], [5, 80]]}\nic: {redshift: 49, transfer: eisenstein_hu, species: one_fluid}\n"
    "cosmology: {omega_m: 0.3, omega_b: 0.06}\ntime: {end: 20, unit: redshift}\n"
    "fluid: {mhd: glm, riemann: hlld}\n";

static struct sl_sim *open_run(struct sl_config *cfg)
{
    struct sl_sim *sim = NULL;
    if (sl_config_parse("test", recipe, sizeof recipe - 1, NULL, 0, cfg) != SL_OK ||
        sl_sim_new(MPI_COMM_WORLD, cfg, &sim) != SL_OK)
        fail_msg("%s", sl_error_text());
    sim->state.looked_at = true;
    return sim;
}

/* Sum of a variable over the cells of all ranks. */
static double sum_of(const struct sl_state *s, int v)
{
    const struct sl_mesh *m = s->mesh;
    double sum = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++)
                    sum += (double)s->u[sl_mesh_at(m, s->layout.nvar, b, v, k + m->g[2],
                                                   j + m->g[1], i + m->g[0])];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    return sum;
}

static void masses(void **state)
{
    (void)state;
    struct sl_config cfg;
    struct sl_sim *sim = open_run(&cfg);
    if (sl_sim_start(sim) != SL_OK) fail_msg("%s", sl_error_text());
    const struct sl_particles *p = sim->state.particles;
    assert_true(fabs(sum_of(&sim->state, SL_RHO) / (16 * 16 * 24 * 0.2) - 1) < 1e-12);
    assert_int_equal(p->all, 8 * 8 * 12);
    assert_true(fabs(p->mass[0] * (double)p->all / (50 * 50 * 75 * 0.8) - 1) < 1e-12);
    assert_int_not_equal(access("spectrum_gas.csv", F_OK), 0);
    sl_sim_free(sim);
}

/* Of the cell, and of the field. */
static double marked(int field, const int cell[3])
{
    return 1 + field + cell[0] / 16.0 + cell[1] / 256.0 + cell[2] / 8192.0;
}

static void put_marked(const struct sl_state *s, struct sl_field_planes *p)
{
    static const char *const name[] = {"pressure", "temperature", "velocity_z",
                                       "density",  "velocity_x",  "velocity_y"};
    struct sl_slab slab;
    sl_slab_init(s->mesh->comm, 3, s->mesh->spec.cells, (double[]){50, 50, 75}, &slab);
    double *value = malloc((sl_slab_cells(&slab) + 1) * sizeof *value);
    for (int f = 0; f < 6; f++) {
        for (int i = 0; i < (int)sl_slab_cells(&slab); i++)
            value[i] = marked(f, (int[]){i % 16, i / 16 % 16, i / 256 + slab.z0});
        assert_int_equal(sl_field_planes_put(p, &slab, name[f], value), SL_OK);
    }
    free(value);
}

static void cells_of_blocks(void **state)
{
    (void)state;
    static const double magnetic[3] = {1, 2, 3};
    struct sl_config cfg;
    struct sl_sim *sim = open_run(&cfg);
    struct sl_state *s = &sim->state;
    const struct sl_mesh *m = s->mesh;
    struct sl_field_planes *p;
    assert_int_equal(sl_field_planes_new(s, magnetic, false, 0, &p), SL_OK);
    put_marked(s, p);
    assert_int_equal(sl_field_planes_fill(p), SL_OK);
    sl_field_planes_free(p);
    for (int b = 0; b < m->nblock; b++)
        for (int c = 0; c < 512; c++) {
            const int in[3] = {c % 8, c / 8 % 8, c / 64};
            int at[3];
            for (int d = 0; d < 3; d++)
                at[d] = 8 * (int)m->blocks[b].at[d] + in[d];
            const sl_real *u = s->u + sl_mesh_at(m, s->layout.nvar, b, 0, in[2] + m->g[2],
                                                 in[1] + m->g[1], in[0] + m->g[0]);
            double rho = marked(3, at);
            assert_true(u[0] == rho);
            assert_true(u[SL_MX * m->block_cells] == rho * marked(4, at));
            assert_true(u[SL_MZ * m->block_cells] == rho * marked(2, at));
            assert_true(u[(size_t)(s->layout.magnetic + 1) * m->block_cells] == 2);
        }
    sl_sim_free(sim);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(masses), cmocka_unit_test(cells_of_blocks)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
