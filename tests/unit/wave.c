/* wave.c - the modes of problem wave solve the equations of gas dynamics and MHD, and its cell
 * averages are the averages of its point values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/exact/gauss.h"
#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"
#include "core/lists/riemann_list.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

#define LIST_ENUM(name, about) WAVE_##name,
enum { SL_WAVE_MODE_LIST(LIST_ENUM) NWAVE };
enum { NCONS = 8 }; /* density, momentum, energy, magnetic field */

static const struct sl_problem *wave;
static struct sl_config cfg;

static void *open_mode(int mode, double amplitude)
{
    void *data = NULL;
    wave = sl_problem_find("wave");
    assert_non_null(wave);
    sl_config_default(&cfg);
    const double box[6] = {0.5, 3.5, 0, 1.5, -1, 0.5}, velocity[3] = {0.3, -0.7, 0.2},
                 magnetic[3] = {-0.6, 0.5, 0.9};
    cfg.mesh_cells_n = 3;
    for (int i = 0; i < 3; i++) {
        cfg.mesh_cells[i] = 8;
        cfg.wave_along[i] = i + 1;
    }
    memcpy(cfg.mesh_box, box, sizeof box);
    memcpy(cfg.wave_velocity, velocity, sizeof velocity);
    memcpy(cfg.wave_magnetic, magnetic, sizeof magnetic);
    cfg.fluid_mhd = mode < WAVE_left_fast ? SL_MHD_none : SL_MHD_glm;
    cfg.fluid_gamma = 1.4;
    cfg.wave_density = 2;
    cfg.wave_pressure = 0.7;
    cfg.wave_mode = mode;
    cfg.wave_amplitude = amplitude;
    assert_int_equal(wave->open(&cfg, &data), SL_OK);
    return data;
}

static void conserved(const double *prim, double u[NCONS])
{
    u[0] = prim[0];
    u[4] = prim[4] / (cfg.fluid_gamma - 1);
    for (int i = 1; i < 4; i++) {
        u[i] = prim[0] * prim[i];
        u[4] += 0.5 * prim[0] * prim[i] * prim[i];
        u[4 + i] = cfg.fluid_mhd == SL_MHD_none ? 0 : prim[SL_PRIM_B + i - 1];
    }
    for (int i = 5; i < NCONS; i++)
        u[4] += 0.5 * u[i] * u[i];
}

/* State at a point: a cell of no size. */
static void at(const void *data, const double x[3], double t, double prim[SL_PRIM_MAX])
{
    wave->state(data, x, x, t, prim);
}

static void flux(const void *data, const double x[3], double t, int axis, double f[NCONS])
{
    double prim[SL_PRIM_MAX], u[NCONS];
    at(data, x, t, prim);
    conserved(prim, u);
    double along = u[5 + axis], work = 0, pressure = prim[4];
    for (int i = 0; i < 3; i++) {
        work += u[5 + i] * prim[1 + i];
        pressure += 0.5 * u[5 + i] * u[5 + i];
    }
    for (int i = 0; i < NCONS; i++)
        f[i] = u[i] * prim[1 + axis];
    for (int i = 0; i < 3; i++) {
        f[1 + i] -= along * u[5 + i];
        f[5 + i] -= along * prim[1 + i];
    }
    f[1 + axis] += pressure;
    f[4] += pressure * prim[1 + axis] - along * work;
}

/* dU/dt + div F by central differences, against the size of dU/dt and of the terms of div F. */
static double residual(const void *data, const double x[3], double t)
{
    const double h = 1e-4;
    double a[NCONS], b[NCONS], prim[SL_PRIM_MAX], sum[NCONS], scale = 0, worst = 0;
    at(data, x, t + h, prim), conserved(prim, a);
    at(data, x, t - h, prim), conserved(prim, b);
    for (int i = 0; i < NCONS; i++)
        sum[i] = (a[i] - b[i]) / (2 * h), scale = fmax(scale, fabs(sum[i]));
    for (int axis = 0; axis < 3; axis++) {
        double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
        up[axis] += h, down[axis] -= h;
        flux(data, up, t, axis, a), flux(data, down, t, axis, b);
        for (int i = 0; i < NCONS; i++)
            sum[i] += (a[i] - b[i]) / (2 * h), scale = fmax(scale, fabs(a[i] - b[i]) / (2 * h));
    }
    for (int i = 0; i < NCONS; i++)
        worst = fmax(worst, fabs(sum[i]));
    return worst / scale;
}

static void modes_solve_the_equations(void **unused)
{
    (void)unused;
    for (int mode = 0; mode < NWAVE; mode++) {
        void *data = open_mode(mode, 1e-5);
        const double x[3] = {1.1, 0.3, -0.4};
        double off = residual(data, x, 0.37);
        if (off > 2e-4) fail_msg("mode %d: residual %g", mode, off);
        wave->close(data);
    }
}

static void averages_are_exact(void **unused)
{
    (void)unused;
    struct sl_gauss g;
    sl_gauss_init(&g, 12);
    for (int mode = 0; mode < NWAVE; mode++) {
        void *data = open_mode(mode, 0.01);
        const double lo[3] = {0.9, 0.2, -0.5}, hi[3] = {1.4, 0.5, -0.3};
        double prim[SL_PRIM_MAX], u[NCONS], mean[NCONS] = {0};
        for (int k = 0; k < g.n * g.n * g.n; k++) {
            const int n[3] = {k % g.n, k / g.n % g.n, k / g.n / g.n};
            double x[3], w = 1;
            for (int i = 0; i < 3; i++) {
                x[i] = lo[i] + g.x[n[i]] * (hi[i] - lo[i]);
                w *= g.w[n[i]];
            }
            at(data, x, 0.2, prim), conserved(prim, u);
            for (int i = 0; i < NCONS; i++)
                mean[i] += w * u[i];
        }
        wave->state(data, lo, hi, 0.2, prim);
        conserved(prim, u);
        for (int i = 0; i < NCONS; i++)
            assert_true(fabs(u[i] - mean[i]) < 1e-13);
        wave->close(data);
    }
}

static void it_comes_back(void **unused)
{
    (void)unused;
    void *data = open_mode(WAVE_left_sound, 0.01);
    const double x[3] = {1.1, 0.3, -0.4}, further[3] = {1.1 + 3, 0.3, -0.4};
    double prim[SL_PRIM_MAX], a[NCONS], b[NCONS], c[NCONS];
    at(data, x, 0, prim), conserved(prim, a);
    at(data, x, wave->crossing(data), prim), conserved(prim, b);
    at(data, further, 0, prim), conserved(prim, c);
    for (int i = 0; i < NCONS; i++)
        assert_true(fabs(a[i] - b[i]) < 1e-13 && fabs(a[i] - c[i]) < 1e-13);
    wave->close(data);
}

/* What the rules of the problem say of the keys. */
static int checked(void)
{
    struct sl_config copy = cfg;
    copy.mesh_box_n = 6;
    for (int i = 0; i < 3; i++)
        copy.mesh_block[i] = 8;
    copy.mesh_block_n = 3;
    copy.problem = SL_PROBLEM_wave;
    copy.fluid_riemann = cfg.fluid_mhd == SL_MHD_none ? SL_RIEMANN_hllc : SL_RIEMANN_hlld;
    snprintf(copy.campaign, sizeof copy.campaign, "wave");
    return sl_config_check(&copy);
}

static void it_refuses(void **unused)
{
    (void)unused;
    wave->close(open_mode(WAVE_entropy, 0.01));
    assert_int_equal(checked(), SL_OK);
    cfg.fluid_eos = SL_EOS_isothermal;
    assert_int_equal(checked(), SL_EINPUT);
    cfg.fluid_eos = SL_EOS_ideal;
    cfg.wave_mode = WAVE_left_sound;
    cfg.fluid_mhd = SL_MHD_glm;
    assert_int_equal(checked(), SL_EINPUT);
    cfg.wave_mode = WAVE_left_slow;
    assert_int_equal(checked(), SL_OK);
    cfg.fluid_mhd = SL_MHD_none;
    assert_int_equal(checked(), SL_EINPUT);
    cfg.wave_mode = WAVE_entropy;
    for (int i = 0; i < 3; i++)
        cfg.wave_along[i] = 0;
    assert_int_equal(checked(), SL_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_solve_the_equations),
        cmocka_unit_test(averages_are_exact),
        cmocka_unit_test(it_comes_back),
        cmocka_unit_test(it_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
