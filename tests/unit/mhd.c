/* mhd.c - the fluxes of MHD: consistent, symmetric to the bit, upwind, positive; which solvers keep
 * contacts and rotations; the limit without a field; the cleaning at a face.
 *
 * ranks: 1
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/cell/mhd.h"

enum { CASES = 20000, NFLUX = 7 };

typedef struct sl_mhd_cons solve(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                 struct sl_mhd_prim r);

/* One loop body per solver, as the sweeps have it. */
#define WRAP_mhd(name)                                                                             \
    static struct sl_mhd_cons wrap_##name(const struct sl_gas *gas, sl_real bn,                    \
                                          struct sl_mhd_prim l, struct sl_mhd_prim r)              \
    {                                                                                              \
        return sl_mhd_##name(gas, bn, l, r);                                                       \
    }
#define WRAP_both(name) WRAP_mhd(name)
#define WRAP_gas(name)
#define WRAP(name, physics, ...) WRAP_##physics(name)
SL_RIEMANN_LIST(WRAP)

#define ROW_mhd(name)  {#name, SL_RIEMANN_##name, wrap_##name},
#define ROW_both(name) ROW_mhd(name)
#define ROW_gas(name)
#define ROW(name, physics, ...) ROW_##physics(name)
static const struct {
    const char *name;
    int id;
    solve *flux;
} solvers[] = {SL_RIEMANN_LIST(ROW)};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static uint64_t seed = 1, state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double between(double a, double b)
{
    return a + (b - a) * uniform();
}

static double spread(void)
{
    return exp(between(-3, 3));
}

static struct sl_gas any_gas(int i)
{
    struct sl_gas gas = {i % 2 ? SL_EOS_ideal : SL_EOS_isothermal,
                         between(1.01, 2),
                         between(0.1, 3),
                         1e-12,
                         1e-18,
                         1,
                         0,
                         SL_SHOCK_limit};
    return gas;
}

static double any_bn(void)
{
    return uniform() < 0.1 ? 0 : between(-2, 2);
}

/* Often weak, strong or no field along the face. */
static struct sl_mhd_prim any_state(const struct sl_gas *gas)
{
    double b = uniform() < 0.2 ? 0 : spread();
    struct sl_mhd_prim w = {spread(), between(-2, 2),     between(-2, 2),    between(-2, 2),
                            spread(), b * between(-1, 1), b * between(-1, 1)};
    if (gas->eos == SL_EOS_isothermal) w.p = w.rho * gas->cs * gas->cs;
    return w;
}

static void list(struct sl_mhd_cons f, double *out)
{
    const double all[NFLUX] = {f.rho, f.mx, f.my, f.mz, f.by, f.bz, f.en};
    for (int i = 0; i < NFLUX; i++)
        out[i] = all[i];
}

/* Size of the fluxes that a state can make. */
static double size_of(const struct sl_gas *gas, double bn, struct sl_mhd_prim w)
{
    double c = fabs(w.u) + sl_mhd_fast(gas, bn, w);
    struct sl_mhd_cons u = sl_mhd_cons(sl_mhd_state(gas, bn, w));
    return (c + 1) * (fabs(u.rho) + fabs(u.mx) + fabs(u.my) + fabs(u.mz) + fabs(u.en) + fabs(u.by) +
                      fabs(u.bz) + w.rho * c * c + bn * bn);
}

static double distance(const struct sl_gas *gas, struct sl_mhd_cons f, struct sl_mhd_cons g)
{
    double a[NFLUX], b[NFLUX], most = 0;
    list(f, a);
    list(g, b);
    for (int i = 0; i < NFLUX - (gas->eos == SL_EOS_isothermal); i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static struct sl_mhd_cons exact(const struct sl_gas *gas, double bn, struct sl_mhd_prim w)
{
    return sl_mhd_flux(bn, sl_mhd_state(gas, bn, w));
}

static void consistent(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            struct sl_gas gas = any_gas(i);
            double bn = any_bn();
            struct sl_mhd_prim w = any_state(&gas);
            double d = distance(&gas, solvers[s].flux(&gas, bn, w, w), exact(&gas, bn, w));
            if (!(d <= 1e-12 * size_of(&gas, bn, w)))
                fail_msg("%s: F(w, w) off by %g, case %d", solvers[s].name, d, i);
        }
}

/* Where all waves go one way the flux is that of the side they come from. */
static void upwind(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            struct sl_gas gas = any_gas(i);
            double bn = any_bn();
            struct sl_mhd_prim l = any_state(&gas), r = any_state(&gas);
            if (solvers[s].id == SL_RIEMANN_llf) continue;
            r.v = l.v;
            r.w = l.w; /* a shear heats the averages of roe */
            l.u = r.u = 3 * (sl_mhd_fast(&gas, bn, l) + sl_mhd_fast(&gas, bn, r));
            double d = distance(&gas, solvers[s].flux(&gas, bn, l, r), exact(&gas, bn, l));
            if (!(d <= 1e-11 * (size_of(&gas, bn, l) + size_of(&gas, bn, r))))
                fail_msg("%s: off by %g, case %d", solvers[s].name, d, i);
        }
}

static struct sl_mhd_prim mirror(struct sl_mhd_prim w)
{
    w.u = -w.u;
    return w;
}

static struct sl_mhd_prim swapped(struct sl_mhd_prim w)
{
    struct sl_mhd_prim t = {w.rho, w.u, w.w, w.v, w.p, w.bz, w.by};
    return t;
}

/* To the bit: the mirror image (the field mirrored like a velocity), and the axes along the face
 * swapped. */
static void symmetric(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            struct sl_gas gas = any_gas(i);
            double bn = any_bn();
            struct sl_mhd_prim l = any_state(&gas), r = any_state(&gas);
            struct sl_mhd_cons f = solvers[s].flux(&gas, bn, l, r);
            struct sl_mhd_cons m = solvers[s].flux(&gas, -bn, mirror(r), mirror(l));
            struct sl_mhd_cons t = solvers[s].flux(&gas, bn, swapped(l), swapped(r));
            int same = f.rho == -m.rho && f.mx == m.mx && f.my == -m.my && f.mz == -m.mz &&
                       f.by == -m.by && f.bz == -m.bz;
            same &= f.rho == t.rho && f.mx == t.mx && f.my == t.mz && f.mz == t.my &&
                    f.by == t.bz && f.bz == t.by;
            if (gas.eos == SL_EOS_ideal) same &= f.en == -m.en && f.en == t.en;
            if (!same) fail_msg("%s, case %d", solvers[s].name, i);
        }
}

static struct sl_mhd_prim quarter_turn(struct sl_mhd_prim w)
{
    return (struct sl_mhd_prim){w.rho, w.u, -w.w, w.v, w.p, -w.bz, w.by};
}

/* States that are turned about the normal of the face have turned fluxes, also where the field
 * along the face is none or jumps to its opposite, so that its mean has no direction. */
static void turned(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            struct sl_gas gas = any_gas(i);
            double bn = any_bn();
            struct sl_mhd_prim l = any_state(&gas), r = any_state(&gas);
            if (i % 3 == 0) l.by = l.bz = r.by = r.bz = 0;
            if (i % 3 == 1) r.rho = l.rho, r.by = -l.by, r.bz = -l.bz;
            struct sl_mhd_cons f = solvers[s].flux(&gas, bn, l, r), want = f;
            want.my = -f.mz, want.mz = f.my, want.by = -f.bz, want.bz = f.by;
            f = solvers[s].flux(&gas, bn, quarter_turn(l), quarter_turn(r));
            double d = distance(&gas, f, want), size = size_of(&gas, bn, l) + size_of(&gas, bn, r);
            if (!(d <= 1e-12 * size))
                fail_msg("%s: turned by %g of %g, case %d", solvers[s].name, d, size, i);
        }
}

/* A contact at rest across a field: kept to the bit by hlld, kept by roe, and lost by the
 * others. */
static void contact(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            struct sl_gas gas = any_gas(1);
            double bn = between(0.1, 2);
            struct sl_mhd_prim l = any_state(&gas), r = l;
            l.u = r.u = l.v = r.v = l.w = r.w = 0;
            r.rho = 2 * l.rho;
            struct sl_mhd_cons f = solvers[s].flux(&gas, bn, l, r), e = exact(&gas, bn, l);
            double d = distance(&gas, f, e);
            int id = solvers[s].id, keeps = id == SL_RIEMANN_hlld || id == SL_RIEMANN_lhlld;
            int good = keeps                  ? d == 0
                       : id == SL_RIEMANN_roe ? d < 1e-12 * size_of(&gas, bn, l)
                                              : f.rho != 0;
            if (!good) fail_msg("%s: %g, case %d", solvers[s].name, d, i);
        }
}

/* A rotation of the field that stands still: hlld and roe leave it. */
static void rotation(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            struct sl_gas gas = any_gas(i);
            double bn = between(0.1, 2), turn = between(0.1, 1);
            struct sl_mhd_prim l = any_state(&gas), r;
            double root = sqrt(l.rho);
            l.u = bn / root;
            r = l;
            r.by = cos(turn) * l.by - sin(turn) * l.bz;
            r.bz = sin(turn) * l.by + cos(turn) * l.bz;
            r.v = l.v + (r.by - l.by) / root;
            r.w = l.w + (r.bz - l.bz) / root;
            double d = distance(&gas, solvers[s].flux(&gas, bn, l, r), exact(&gas, bn, l));
            int id = solvers[s].id;
            int keeps = id == SL_RIEMANN_hlld || id == SL_RIEMANN_lhlld || id == SL_RIEMANN_roe;
            double size = size_of(&gas, bn, l) + size_of(&gas, bn, r);
            if (keeps && !(d <= 1e-10 * size)) fail_msg("%s: %g, case %d", solvers[s].name, d, i);
        }
}

/* The square of the fast speed is the larger root of c^4 - c^2 (a^2 + b^2) + a^2 b_n^2. */
static void fast_speed(void **unused)
{
    (void)unused;
    struct sl_gas gas = {SL_EOS_ideal, (sl_real)(5 / 3.), 1, 1e-12, 1e-18, 0, 0, SL_SHOCK_limit};
    for (int i = 0; i < 1000; i++) {
        double rho = spread(), p = spread(), along = spread(), across = spread();
        double a2 = 5 / 3. * p / rho, b2 = (along + across) / rho;
        double c2 = (double)sl_fast_squared(&gas, (sl_real)rho, (sl_real)p, (sl_real)along,
                                            (sl_real)across);
        assert_true(fabs(c2 * c2 - c2 * (a2 + b2) + a2 * along / rho) < 1e-12 * c2 * c2);
        assert_true(c2 >= 0.5 * (a2 + b2));
    }
}

/* The mass that isothermal hlld moves is that of hlle (Mignone 2007, 16). */
static void isothermal_mass(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(0);
        double bn = any_bn();
        struct sl_mhd_prim l = any_state(&gas), r = any_state(&gas);
        struct sl_mhd_cons f = sl_mhd_hlld(&gas, bn, l, r), g = sl_mhd_hlle(&gas, bn, l, r);
        if (!(fabs(f.rho - g.rho) < 1e-11 * (size_of(&gas, bn, l) + size_of(&gas, bn, r))))
            fail_msg("%g, not %g; seed %llu", f.rho, g.rho, (unsigned long long)seed);
    }
}

/* Where the outer wave of hlld is a rotation, too, nothing along the face jumps in it. */
static void rotating_shock(void **unused)
{
    (void)unused;
    struct sl_mhd_state q = {.rho = 1, .u = 0.5, .v = 0.1, .w = -0.2, .by = 0.3, .bz = 0.4};
    struct sl_hlld m = {.sm = 0.25, .pt = 2};
    struct sl_mhd_state w = sl_hlld_star(2, q, 2, 2, 1, 3, m);
    assert_true(w.v == q.v && w.w == q.w && w.by == q.by && w.bz == q.bz);
    assert_true(w.rho == 3 && w.u == m.sm && w.pt == m.pt);
}

/* Without a field llf is that of gas dynamics; the field along the face then has no flux. */
static void without_field(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(i);
        struct sl_mhd_prim l = any_state(&gas), r = any_state(&gas);
        l.by = l.bz = r.by = r.bz = 0;
        struct sl_prim a = {l.rho, l.u, l.v, l.w, l.p}, b = {r.rho, r.u, r.v, r.w, r.p};
        struct sl_cons want = sl_riemann(SL_RIEMANN_llf, &gas, a, b);
        struct sl_mhd_cons whole = {want.rho, want.mx, want.my, want.mz, want.en, 0, 0};
        double size = size_of(&gas, 0, l) + size_of(&gas, 0, r);
        assert_true(distance(&gas, sl_mhd_llf(&gas, 0, l, r), whole) <= 1e-14 * size);
        for (int s = 0; s < SOLVERS; s++) {
            struct sl_mhd_cons f = solvers[s].flux(&gas, 0, l, r);
            if (f.by != 0 || f.bz != 0) fail_msg("%s, case %d", solvers[s].name, i);
        }
    }
}

/* Isothermal gas without a field has the same waves, so hlle is that of gas dynamics, and hlld and
 * lhlld are hllc, which mixes what slides along the face where the two states run together at a
 * quarter of the speed of sound, or one is denser by half. */
static void isothermal_without_field(void **unused)
{
    (void)unused;
    static const int pairs[][2] = {{SL_RIEMANN_hlle, SL_RIEMANN_hlle},
                                   {SL_RIEMANN_hlld, SL_RIEMANN_hllc},
                                   {SL_RIEMANN_lhlld, SL_RIEMANN_hllc}};
    int mixed = 0;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(0);
        struct sl_mhd_prim l = any_state(&gas), r = any_state(&gas);
        l.by = l.bz = r.by = r.bz = 0;
        if (i % 2) { /* of two weak waves */
            r.rho = l.rho * between(0.6, 1.6);
            r.p = r.rho * gas.cs * gas.cs;
            r.u = l.u - gas.cs * between(-0.3, 0.3);
        }
        struct sl_prim a = {l.rho, l.u, l.v, l.w, l.p}, b = {r.rho, r.u, r.v, r.w, r.p};
        double size = size_of(&gas, 0, l) + size_of(&gas, 0, r);
        mixed += sl_is_shock(&gas, a.rho, a.u, b.rho, b.u);
        for (int k = 0; k < 3; k++) {
            struct sl_cons want = sl_riemann(pairs[k][1], &gas, a, b);
            struct sl_mhd_cons whole = {want.rho, want.mx, want.my, want.mz, 0, 0, 0}, f;
            for (int s = 0; s < SOLVERS; s++)
                if (solvers[s].id == pairs[k][0]) f = solvers[s].flux(&gas, 0, l, r);
            double d = distance(&gas, f, whole);
            if (!(d <= 1e-12 * size))
                fail_msg("solver %d: off by %g, seed %llu", pairs[k][0], d / size,
                         (unsigned long long)seed);
        }
    }
    assert_true(mixed > CASES / 2 && mixed < CASES * 9 / 10);
}

/* Where a shock may stand isothermal hlld has the flux of hlle, with any field. */
static void isothermal_shock(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(0);
        double bn = any_bn();
        struct sl_mhd_prim l = any_state(&gas), r = any_state(&gas);
        double d = distance(&gas, sl_mhd_hlld(&gas, bn, l, r), sl_mhd_hlle(&gas, bn, l, r));
        double size = size_of(&gas, bn, l) + size_of(&gas, bn, r);
        if (sl_is_shock(&gas, l.rho, l.u, r.rho, r.u) && !(d <= 1e-11 * size))
            fail_msg("off by %g, case %d, seed %llu", d / size, i, (unsigned long long)seed);
    }
}

/* One first-order step of a cell between two others at a Courant number of 0.4: density and thermal
 * energy stay positive with llf, hlle and hlld. */
static void positive(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            if (solvers[s].id == SL_RIEMANN_roe || solvers[s].id == SL_RIEMANN_lhlld) continue;
            struct sl_gas gas = any_gas(1);
            double bn = any_bn(), fast = 0;
            struct sl_mhd_prim w[3];
            for (int c = 0; c < 3; c++) {
                w[c] = any_state(&gas);
                fast = fmax(fast, fabs(w[c].u) + sl_mhd_fast(&gas, bn, w[c]));
            }
            struct sl_mhd_cons a = solvers[s].flux(&gas, bn, w[0], w[1]);
            struct sl_mhd_cons b = solvers[s].flux(&gas, bn, w[1], w[2]);
            struct sl_mhd_cons u = sl_mhd_cons(sl_mhd_state(&gas, bn, w[1]));
            double k = 0.4 / fast, rho = u.rho - k * (b.rho - a.rho);
            double mx = u.mx - k * (b.mx - a.mx), my = u.my - k * (b.my - a.my);
            double mz = u.mz - k * (b.mz - a.mz), by = u.by - k * (b.by - a.by);
            double bz = u.bz - k * (b.bz - a.bz), en = u.en - k * (b.en - a.en);
            double heat = en - 0.5 * (mx * mx + my * my + mz * mz) / rho -
                          0.5 * (bn * bn + by * by + bz * bz);
            if (!(rho > 0 && heat > -1e-12 * en))
                fail_msg("%s: density %g, thermal energy %g of %g, case %d", solvers[s].name, rho,
                         heat, en, i);
        }
}

/* Upwinding along both characteristics bn + psi / ch and bn - psi / ch. */
static void cleaning(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        double ch = spread(), bl = any_bn(), br = any_bn(), pl = any_bn(), pr = any_bn();
        struct sl_mhd_normal n = sl_mhd_normal(ch, bl, br, pl, pr);
        struct sl_mhd_normal m = sl_mhd_normal(ch, -br, -bl, pr, pl);
        double size = 1e-14 * (4 + 4 / ch) * (1 + ch);
        assert_true(fabs((n.bn + n.psi / ch) - (bl + pl / ch)) <= size);
        assert_true(fabs((n.bn - n.psi / ch) - (br - pr / ch)) <= size);
        assert_true(n.bn == -m.bn && n.psi == m.psi);
    }
    struct sl_mhd_normal still = sl_mhd_normal(3, 0.7, 0.7, 0, 0);
    assert_true(still.bn == 0.7 && still.psi == 0);
}

static void sums(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        double a = spread() * between(-1, 1), b = spread(), c = spread() * between(-1, 1);
        double want = sl_sum3(a, b, c);
        assert_true(sl_sum3(b, c, a) == want && sl_sum3(c, a, b) == want &&
                    sl_sum3(b, a, c) == want && sl_sum3(a, c, b) == want &&
                    sl_sum3(c, b, a) == want);
        assert_true(fabs(want - (a + b + c)) <= 1e-14 * (fabs(a) + fabs(b) + fabs(c)));
        assert_true(sl_sum3(-a, -b, -c) == -want && sl_sum3(a, 0, c) == a + c);
    }
    assert_true(isnan(sl_sum3(NAN, 1, 2)) && isnan(sl_sum3(1, NAN, 2)) &&
                isnan(sl_sum3(1, 2, NAN)));
}

/* The flux of repairs spreads by the fastest signal of both sides, or by the speed of the cleaning
 * where that is more: of gas at rest without a field -s (rho_r - rho_l) / 2 of mass. */
static void safe_speed(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct sl_gas gas = {.eos = SL_EOS_ideal, .gamma = 5. / 3, .ch = i ? 10 : (sl_real)0.1};
        struct sl_mhd_prim l = {.rho = 1, .p = 1}, r = {.rho = 2, .p = 1};
        double s = i ? 10 : sqrt(5. / 3), mass = (double)sl_mhd_safe(&gas, 0, 0, 0, 0, l, r).c.rho;
        assert_true(fabs(mass + 0.5 * s) < 1e-6 * s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(safe_speed),
        cmocka_unit_test(consistent),
        cmocka_unit_test(upwind),
        cmocka_unit_test(symmetric),
        cmocka_unit_test(turned),
        cmocka_unit_test(contact),
        cmocka_unit_test(rotation),
        cmocka_unit_test(positive),
        cmocka_unit_test(cleaning),
        cmocka_unit_test(without_field),
        cmocka_unit_test(sums),
        cmocka_unit_test(fast_speed),
        cmocka_unit_test(isothermal_mass),
        cmocka_unit_test(isothermal_without_field),
        cmocka_unit_test(isothermal_shock),
        cmocka_unit_test(rotating_shock),
    };
    state = seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
