/* stats_device.c - tests core/measure/device.h without a device: whom resources.backend chooses,
 * and that the processor makes the same bits after a device that fails at any call, on one rank
 * alone; a device that does not fail is the one that adds up.
 * ranks: 1 2 */
#include "core/measure/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/measure/deposit.h"
#include "core/measure/spectrum.h"
#include "core/measure/structure.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

static int rank, size;

/* ---- the device ------------------------------------------------------------------------------ */

/* The call that fails, and with what, on the last rank alone. */
static struct plan {
    const char *call;
    int after, code;
} plan;
static int opened, calls, good; /* good: differences that were made */

static const struct sl_slab *held;
static const double *held_field[3];
static int held_ncomp;

static int answer(const char *call)
{
    bool fails = rank == size - 1 && strcmp(plan.call, call) == 0 && calls++ >= plan.after;
    return fails ? SL_FAIL(plan.code, "%s fails", call) : SL_OK;
}

/* Leaves something behind, as a device does that fails on the way. */
static int fake_modes(struct sl_stats_device *d, const struct sl_slab *slab,
                      const struct sl_modes *m, const double *const f[], double *sums)
{
    (void)d, (void)m, (void)f;
    if (slab->ny > 0) sums[0] = 1e30;
    return sl_agree(slab->comm, answer("modes"));
}

static int fake_hold(struct sl_stats_device *d, const struct sl_slab *slab, int ncomp,
                     const double *const f[])
{
    (void)d;
    held = slab, held_ncomp = ncomp;
    for (int c = 0; c < ncomp; c++)
        held_field[c] = f[c];
    return answer("hold");
}

/* Of component `along` of the difference from cell (i, j, k) to `to`, where fields g lie. */
static void add_difference(const struct sl_separation *way, int along, size_t from,
                           const double *const g[], size_t to, double *sum)
{
    double d = 0, power = 1;
    for (int c = 0; c < held_ncomp; c++)
        d += (held_ncomp == 1 ? 1 : way->unit[along][c]) * (g[c][to] - held_field[c][from]);
    for (int p = 0; p < SL_STRUCTURE_ORDERS; p++)
        sum[(along > 0 ? SL_STRUCTURE_ORDERS : 0) + p] += power *= fabs(d);
}

/* far: the fields a step along z on. */
static void add_separation(const struct sl_separation *way, const double *const far[], double *sums)
{
    const int *n = held->n, *step = way->step;
    for (int k = 0; k < held->nz; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                int x = (i + step[0] + n[0]) % n[0], y = (j + step[1] + n[1]) % n[1];
                size_t row = (size_t)k * (size_t)n[1], width = (size_t)n[0],
                       from = (row + (size_t)j) * width + (size_t)i,
                       to = (row + (size_t)y) * width + (size_t)x;
                for (int along = 0; along < held_ncomp; along++)
                    add_difference(way, along, from, far, to, sums + k * SL_STRUCTURE_COLUMNS);
            }
}

static int fake_differences(struct sl_stats_device *d, int nseparation,
                            const struct sl_separation *way, double *sums)
{
    double *far[3];
    (void)d;
    good++;
    for (int c = 0; c < held_ncomp; c++)
        assert_non_null(far[c] = malloc((sl_slab_cells(held) + 1) * sizeof(double)));
    for (int i = 0; i < nseparation; i++) {
        for (int c = 0; c < held_ncomp; c++)
            assert_int_equal(sl_slab_shift(held, way[i].step[2], held_field[c], far[c]), SL_OK);
        add_separation(way + i, (const double *const *)far, sums);
    }
    for (int c = 0; c < held_ncomp; c++)
        free(far[c]);
    return answer("differences");
}

/* Likewise of the last rank alone: the others have what they asked for. */
static int fake_deposit(struct sl_stats_device *d, const struct sl_slab *slab, int order,
                        const struct sl_touch_list *list, double mean, double *contrast,
                        unsigned *found)
{
    (void)d, (void)order, (void)list, (void)mean;
    if (slab->nz > 0) contrast[0] = 1e30;
    *found = 0;
    return answer("deposit");
}

static struct sl_stats_device fake = {.modes = fake_modes,
                                      .hold = fake_hold,
                                      .differences = fake_differences,
                                      .deposit = fake_deposit};

int sl_stats_cuda_open(MPI_Comm comm, struct sl_stats_device **out)
{
    opened++;
    int code = sl_agree(comm, answer("open"));
    *out = code == SL_OK ? &fake : NULL;
    return code;
}

static void plan_to(const char *call, int after, int code)
{
    plan = (struct plan){call, after, code};
    calls = good = fake.warned = 0;
}

/* ---- fields ---------------------------------------------------------------------------------- */

struct field {
    struct sl_slab slab;
    double *v[3];
};

static void field_make(struct field *f)
{
    int n[3] = {12, 8, 10};
    double length[3] = {12, 8, 10};
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &f->slab);
    for (int c = 0; c < 3; c++) {
        size_t cells = sl_slab_cells(&f->slab), first = (size_t)f->slab.z0 * 96;
        assert_non_null(f->v[c] = malloc((cells + 1) * sizeof(double)));
        for (size_t i = 0; i < cells; i++)
            f->v[c][i] = sin(0.37 * (double)(first + i) * (c + 1) + c);
    }
}

static void field_free(struct field *f)
{
    for (int c = 0; c < 3; c++)
        free(f->v[c]);
}

static int structure_of(const struct field *f, struct sl_stats_device *device,
                        struct sl_structure *out)
{
    struct sl_slab slab = f->slab;
    slab.device = device;
    return sl_structure_make(&slab, SL_STRUCTURE_AXES, 3, (const double *const *)f->v, out);
}

static int spectrum_of(const struct field *f, struct sl_stats_device *device, struct sl_shells *out)
{
    struct sl_slab slab = f->slab;
    slab.device = device;
    return sl_spectrum_make(&slab, 3, (const double *const *)f->v, 0.5, NULL, out);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const int falls_back[] = {SL_EMEM, SL_EUNAVAIL};

static void spectra(void **state)
{
    (void)state;
    struct field f;
    struct sl_shells want, got;
    field_make(&f);
    assert_int_equal(spectrum_of(&f, NULL, &want), SL_OK);
    for (int i = 0; i < 2; i++) {
        plan_to("modes", 0, falls_back[i]);
        assert_int_equal(spectrum_of(&f, &fake, &got), SL_OK);
        assert_int_equal(fake.warned, 1);
        assert_memory_equal(got.value, want.value,
                            (size_t)(want.nshell + 2) * SL_SPECTRUM_COLUMNS * sizeof(double));
        sl_spectrum_release(&got);
    }
    plan_to("modes", 0, SL_EMPI);
    assert_int_equal(spectrum_of(&f, &fake, &got), SL_EMPI);
    sl_spectrum_release(&want);
    field_free(&f);
}

static void structure_bits(const struct field *f, const struct sl_structure *want)
{
    struct sl_structure got;
    assert_int_equal(structure_of(f, &fake, &got), SL_OK);
    assert_int_equal(fake.warned, 1);
    assert_int_equal(got.nlag, want->nlag);
    assert_memory_equal(got.value, want->value,
                        (size_t)want->nlag * SL_STRUCTURE_COLUMNS * sizeof(double));
    sl_structure_release(&got);
}

static void structure_functions(void **state)
{
    (void)state;
    struct field f;
    struct sl_structure want, got;
    field_make(&f);
    assert_int_equal(structure_of(&f, NULL, &want), SL_OK);
    for (int i = 0; i < 2; i++) {
        plan_to("hold", 0, falls_back[i]);
        structure_bits(&f, &want);
        assert_int_equal(good, 0);
        for (int after = 0; after < want.nlag; after++) {
            plan_to("differences", after, falls_back[i]);
            structure_bits(&f, &want);
            assert_int_equal(good, after + 1);
        }
        plan_to("differences", 1, SL_EMPI);
        assert_int_equal(structure_of(&f, &fake, &got), SL_EMPI);
    }
    sl_structure_release(&want);
    field_free(&f);
}

static int density_of(struct sl_slab slab, struct sl_stats_device *device, double *contrast)
{
    const double at[] = {0.1, 0.45, 0.8}, *const x[3] = {at, at, at};
    double total;
    slab.device = device;
    return sl_deposit_make(&slab, 3, 3, x, contrast, &total);
}

static void densities(void **state)
{
    (void)state;
    struct field f;
    field_make(&f);
    assert_int_equal(density_of(f.slab, NULL, f.v[0]), SL_OK);
    for (int i = 0; i < 2; i++) {
        plan_to("deposit", 0, falls_back[i]);
        assert_int_equal(density_of(f.slab, &fake, f.v[1]), SL_OK);
        assert_int_equal(fake.warned, 1);
        assert_memory_equal(f.v[1], f.v[0], sl_slab_cells(&f.slab) * sizeof(double));
    }
    plan_to("deposit", 0, SL_EMPI);
    assert_int_equal(density_of(f.slab, &fake, f.v[1]), SL_EMPI);
    plan_to("", 0, SL_OK);
    assert_int_equal(density_of(f.slab, &fake, f.v[1]), SL_OK);
    assert_true(f.slab.nz == 0 || f.v[1][0] == 1e30);
    field_free(&f);
}

/* What the device makes is what comes out. */
static void device_adds_up(void **state)
{
    (void)state;
    struct field f;
    struct sl_structure want, got;
    field_make(&f);
    plan_to("", 0, SL_OK);
    assert_int_equal(structure_of(&f, NULL, &want), SL_OK);
    assert_int_equal(structure_of(&f, &fake, &got), SL_OK);
    assert_int_equal(good, want.nlag);
    assert_int_equal(fake.warned, 0);
    for (int i = 0; i < want.nlag * SL_STRUCTURE_COLUMNS; i++)
        assert_true(fabs(got.value[i] / want.value[i] - 1) < 1e-12);
    sl_structure_release(&want);
    sl_structure_release(&got);
    field_free(&f);
}

static void choices(void **state)
{
    (void)state;
    static const struct {
        int backend, cells;
        bool spectra;
        double haloes;
        bool takes;
    } rows[] = {{SL_BACKEND_auto, 1024, true, 0, true},    {SL_BACKEND_auto, 1023, true, 0, false},
                {SL_BACKEND_cuda, 16, true, 0, true},      {SL_BACKEND_cuda, 1024, false, 0, false},
                {SL_BACKEND_cuda, 1024, false, 0.2, true}, {SL_BACKEND_cpu, 1024, true, 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct sl_config cfg;
        struct sl_stats_device *d;
        sl_config_default(&cfg);
        cfg.mesh_cells_n = 2;
        cfg.mesh_cells[0] = 1024, cfg.mesh_cells[1] = rows[i].cells;
        cfg.resources_backend = rows[i].backend;
        if (!rows[i].spectra)
            cfg.statistics_spectra = cfg.statistics_structure = cfg.statistics_matter = 0;
        cfg.statistics_haloes = rows[i].haloes;
        opened = 0;
        plan_to("", 0, SL_OK);
        assert_int_equal(sl_stats_device_choose(MPI_COMM_WORLD, &cfg, &d), SL_OK);
        assert_ptr_equal(d, rows[i].takes ? &fake : NULL);
        assert_int_equal(opened, rows[i].takes);
        plan_to("open", 0, SL_EUNAVAIL);
        assert_int_equal(sl_stats_device_choose(MPI_COMM_WORLD, &cfg, &d), SL_OK);
        assert_null(d);
        plan_to("open", 0, SL_EMPI);
        assert_int_equal(sl_stats_device_choose(MPI_COMM_WORLD, &cfg, &d),
                         rows[i].takes ? SL_EMPI : SL_OK);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectra),   cmocka_unit_test(structure_functions),
        cmocka_unit_test(densities), cmocka_unit_test(device_adds_up),
        cmocka_unit_test(choices),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
