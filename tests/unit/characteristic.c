/* characteristic.c - the waves of core/cell/characteristic.h: taking apart and putting together
 * give back what was there; each wave alone moves with its speed as the equations of
 * core/cell/predict.h say; mirrored and turned states give the same bits. Random states, and those
 * where speeds coincide.
 *
 * ranks: 1
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/cell/characteristic.h"
#include "core/cell/predict.h"

enum { CASES = 20000, MOST = SL_MHD_WAVES };

static uint64_t seed = 1, state;

static double between(double a, double b)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return a + (b - a) * ((double)(state >> 11) * 0x1p-53);
}

/* One random cell: gas, field across, state, and the waves as seen through one function whether
 * there is a field or not. */
struct cell {
    struct sl_gas gas;
    double bn;
    struct sl_mhd_prim w;
    struct sl_mhd_mean mean;
    int field, waves;
};

static struct cell random_cell(int i)
{
    struct cell c = {.field = i % 2, .waves = i % 2 ? SL_MHD_WAVES : SL_GAS_WAVES};
    c.gas = (struct sl_gas){.eos = i / 2 % 2 ? SL_EOS_isothermal : SL_EOS_ideal,
                            .gamma = between(1.05, 3),
                            .cs = exp(between(-2, 2))};
    c.w = (struct sl_mhd_prim){
        exp(between(-3, 3)), between(-3, 3), between(-3, 3), between(-3, 3), 0, 0, 0};
    c.w.p = c.gas.eos == SL_EOS_isothermal ? c.w.rho * c.gas.cs * c.gas.cs : exp(between(-3, 3));
    if (!c.field) return c;
    c.bn = between(-3, 3), c.w.by = between(-3, 3), c.w.bz = between(-3, 3);
    if (i / 4 % 8 == 1) c.bn = 0;
    if (i / 4 % 8 == 2) c.w.by = c.w.bz = 0;
    if (i / 4 % 8 == 3) c.bn = c.w.by = c.w.bz = 0;
    if (i / 4 % 8 == 4) { /* sound, fast and slow waves and rotations run alike */
        c.w.by = c.w.bz = 0;
        c.bn = sqrt((c.gas.eos == SL_EOS_isothermal ? 1 : c.gas.gamma) * c.w.p);
    }
    c.mean = sl_mhd_mean_here(&c.gas, c.bn, c.w);
    return c;
}

static void to_waves(const struct cell *c, const double d[MOST], double *a)
{
    if (c->field) {
        struct sl_mhd_prim q = {d[0], d[1], d[2], d[3], d[4], d[5], d[6]};
        sl_mhd_to_waves(&c->gas, c->mean, q, a);
    } else {
        struct sl_prim q = {d[0], d[1], d[2], d[3], d[4]};
        struct sl_prim w = {c->w.rho, c->w.u, c->w.v, c->w.w, c->w.p};
        sl_gas_to_waves(&c->gas, w, q, a);
    }
}

static void from_waves(const struct cell *c, const double *a, double d[MOST])
{
    struct sl_prim w = {c->w.rho, c->w.u, c->w.v, c->w.w, c->w.p};
    struct sl_mhd_prim q = {0, 0, 0, 0, 0, 0, 0};
    if (c->field) {
        q = sl_mhd_from_waves(c->mean, a);
    } else {
        struct sl_prim g = sl_gas_from_waves(&c->gas, w, a);
        q = (struct sl_mhd_prim){g.rho, g.u, g.v, g.w, g.p, 0, 0};
    }
    if (c->gas.eos == SL_EOS_isothermal) q.p = c->gas.cs * c->gas.cs * q.rho;
    const double all[MOST] = {q.rho, q.u, q.v, q.w, q.p, q.by, q.bz};
    memcpy(d, all, sizeof all);
}

/* A wave that the gas has: an isothermal one has no entropy wave. */
static int exists(const struct cell *c, int k)
{
    return c->gas.eos != SL_EOS_isothermal || k != (c->field ? 6 : 2);
}

/* Strengths of one after they were put together. */
static void inverse(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct cell c = random_cell(i);
        for (int k = 0; k < c.waves; k++) {
            double a[MOST] = {0}, d[MOST], back[MOST];
            if (!exists(&c, k)) continue;
            a[k] = 1;
            from_waves(&c, a, d);
            to_waves(&c, d, back);
            for (int n = 0; n < c.waves; n++)
                if (!(fabs(back[n] - a[n]) < 1e-10))
                    fail_msg("case %d: wave %d has %g of wave %d", i, k, back[n] - a[n], n);
        }
    }
}

static double speed_of(const struct cell *c, int k)
{
    double a = sl_sound_speed(&c->gas, c->w.rho, c->w.p), turn = fabs(c->bn) / sqrt(c->w.rho);
    const double gas[] = {-a, a, 0, 0, 0};
    const double field[] = {-c->mean.cf, c->mean.cf, -turn, turn, -c->mean.cs, c->mean.cs, 0};
    return c->w.u + (c->field ? field[k] : gas[k]);
}

static void equation(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct cell c = random_cell(i);
        for (int k = 0; k < c.waves; k++) {
            double a[MOST] = {0}, d[MOST];
            if (!exists(&c, k)) continue;
            a[k] = 1;
            from_waves(&c, a, d);
            struct sl_mhd_prim q = {d[0], d[1], d[2], d[3], d[4], d[5], d[6]};
            struct sl_mhd_prim r = sl_predict(&c.gas, 1, c.bn, 0, c.w, q);
            const double moved[MOST] = {r.rho, r.u, r.v, r.w, r.p, r.by, r.bz};
            double speed = speed_of(&c, k), scale = 0;
            for (int n = 0; n < MOST; n++)
                scale = fmax(scale, fabs(d[n]));
            scale *= 10 + fabs(speed) + c.gas.gamma * c.w.p + c.w.rho + 1 / c.w.rho;
            for (int n = 0; n < MOST; n++) {
                if (n == 4 && c.gas.eos == SL_EOS_isothermal) continue;
                if (!(fabs(moved[n] + speed * d[n]) < 1e-11 * scale))
                    fail_msg("case %d: wave %d leaves %g in variable %d", i, k,
                             moved[n] + speed * d[n], n);
            }
        }
    }
}

/* Strengths of d in the mirrored and in the turned cell: the same numbers, those to the left and to
 * the right exchanged. */
static void symmetry(void **unused)
{
    (void)unused;
    for (int i = 1; i < CASES; i += 2) { /* with a field */
        struct cell c = random_cell(i), m = c;
        double d[MOST], a[MOST], b[MOST];
        for (int n = 0; n < MOST; n++)
            d[n] = between(-1, 1);
        to_waves(&c, d, a);
        if (c.bn == 0 && c.w.u == 0) continue;
        m.w.u = -c.w.u, m.bn = -c.bn, d[1] = -d[1];
        m.mean = sl_mhd_mean_here(&m.gas, m.bn, m.w);
        to_waves(&m, d, b);
        for (int k = 0; k < 6; k++)
            assert_true(a[k] == b[k ^ 1]);
        assert_true(a[6] == b[6]);
    }
}

/* ---- a field that gas at uniform velocity and pressure carries along ------------------------- */

/* Fluxes along the other axis of the plane, of a state whose components are those across a face
 * and along it. */
static struct sl_mhd_cons flux_along(const struct sl_gas *gas, int by_in_plane, double bn,
                                     struct sl_mhd_prim w)
{
    double v = by_in_plane ? w.v : w.w, b = by_in_plane ? w.by : w.bz;
    double total = w.p + 0.5 * (bn * bn + w.by * w.by + w.bz * w.bz);
    double work = w.u * bn + w.v * w.by + w.w * w.bz;
    struct sl_mhd_cons c = sl_mhd_cons(sl_mhd_state(gas, bn, w)), f;
    f.rho = c.rho * v;
    f.mx = c.mx * v - b * bn;
    f.my = c.my * v - b * w.by + (by_in_plane ? total : 0);
    f.mz = c.mz * v - b * w.bz + (by_in_plane ? 0 : total);
    f.en = (c.en + total) * v - b * work;
    f.by = by_in_plane ? 0 : w.by * v - b * w.v;
    f.bz = by_in_plane ? w.bz * v - b * w.w : 0;
    return f;
}

/* A state of uniform velocity and pressure whose field changes by `across` per cell along the
 * other axis, corrected for a time of h cells; the field along that axis, which falls as the one
 * across the face grows, has no flux along it. */
static struct sl_mhd_prim carried(const struct cell *c, int by_in_plane, double bn_changes,
                                  struct sl_mhd_prim d, double h)
{
    struct sl_mhd_prim low = c->w, high = c->w;
    double change = by_in_plane ? d.by : d.bz, up_speed = by_in_plane ? c->w.v : c->w.w;
    low.by -= 0.5 * d.by, low.bz -= 0.5 * d.bz, high.by += 0.5 * d.by, high.bz += 0.5 * d.bz;
    struct sl_mhd_cons f = flux_along(&c->gas, by_in_plane, c->bn - 0.5 * bn_changes, low);
    struct sl_mhd_cons g = flux_along(&c->gas, by_in_plane, c->bn + 0.5 * bn_changes, high);
    struct sl_correction s = {{h * (g.rho - f.rho), h * (g.mx - f.mx), h * (g.my - f.my),
                               h * (g.mz - f.mz), h * (g.en - f.en), h * (g.by - f.by),
                               h * (g.bz - f.bz)},
                              -h * change,
                              by_in_plane ? c->w.w : c->w.v,
                              c->bn,
                              c->w.by,
                              c->w.bz,
                              c->bn,
                              c->bn - h * (up_speed * bn_changes - c->w.u * change)};
    return sl_correct(&c->gas, by_in_plane, s, c->w);
}

/* What the field does to the gas along that axis alone is no heat, and changes no upright field:
 * the pressure stays, but for the square of the time. */
static void correction(void **unused)
{
    (void)unused;
    const double h = 1e-5;
    for (int i = 1; i < CASES; i += 2) {
        struct cell c = random_cell(i);
        if (c.gas.eos == SL_EOS_isothermal) continue;
        struct sl_mhd_prim d = {0, 0, 0, 0, 0, between(-1, 1), between(-1, 1)};
        double bn_changes = between(-1, 1);
        for (int along_y = 0; along_y < 2; along_y++) {
            struct sl_mhd_prim r = carried(&c, along_y, bn_changes, d, h);
            double upright =
                along_y ? r.bz - c.w.bz + h * c.w.v * d.bz : r.by - c.w.by + h * c.w.w * d.by;
            double size = 1 + c.w.rho * sl_speed_squared(c.w.u, c.w.v, c.w.w) + c.bn * c.bn +
                          c.w.by * c.w.by + c.w.bz * c.w.bz;
            if (!(fabs(r.p - c.w.p) < 1e2 * h * h * size * size / c.w.rho))
                fail_msg("case %d: the pressure changes by %g", i, r.p - c.w.p);
            if (!(fabs(upright) < 1e-12 * size)) fail_msg("case %d: upright field %g", i, upright);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) seed = strtoull(argv[1], NULL, 10);
    state = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse),
        cmocka_unit_test(equation),
        cmocka_unit_test(symmetry),
        cmocka_unit_test(correction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
