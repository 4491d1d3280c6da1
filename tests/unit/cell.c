/* cell.c - the physics of one cell or face: conversions, values at faces, fluxes. Random states
 * come from a printed seed; SL_TEST_SEED sets another.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/cell/eos.h"
#include "core/cell/mass_flux.h"
#include "core/cell/reconstruct.h"
#include "core/cell/repair.h"
#include "core/cell/riemann.h"
#include "core/cell/update.h"

enum { CASES = 20000 };

static const char *const solver_names[] = {
#define NAME(name, ...) #name,
    SL_RIEMANN_LIST(NAME)};
static const int solver_physics[] = {
#define PHYSICS(name, physics, ...) SL_PHYSICS_##physics,
    SL_RIEMANN_LIST(PHYSICS)};
enum { SOLVERS = sizeof solver_names / sizeof solver_names[0] };

static uint64_t seed = 1, state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double between(double lo, double hi)
{
    return lo + (hi - lo) * uniform();
}

/* Densities and pressures over eight decades, velocities up to Mach 30. */
static struct sl_prim any_state(const struct sl_gas *gas)
{
    struct sl_prim w;
    w.rho = pow(10, between(-4, 4));
    w.p = gas->eos == SL_EOS_isothermal ? w.rho * gas->cs * gas->cs : pow(10, between(-4, 4));
    double c = sl_sound_speed(gas, w.rho, w.p), fast = pow(10, between(-2, 1.5));
    w.u = c * between(-fast, fast);
    w.v = c * between(-fast, fast);
    w.w = c * between(-fast, fast);
    return w;
}

static struct sl_gas any_gas(int eos)
{
    struct sl_gas gas = {eos, between(1.001, 3), between(0.1, 10), 1e-12, 1e-18, 0,
                         0,   SL_SHOCK_limit};
    return gas;
}

static struct sl_prim mirror(struct sl_prim w)
{
    w.u = -w.u;
    return w;
}

static void close_to(double a, double b, double size, const char *what, const char *name)
{
    if (!(fabs(a - b) <= 1e-12 * size))
        fail_msg("%s of %s: %.17g and %.17g, seed %llu", what, name, a, b,
                 (unsigned long long)seed);
}

/* Every component of two fluxes, to round-off of the largest terms that make them. */
static void same_flux(struct sl_cons a, struct sl_cons b, struct sl_prim w, double c,
                      const char *what, const char *name)
{
    double speed = sqrt(sl_speed_squared(w.u, w.v, w.w)) + c, mass = w.rho * speed;
    close_to(a.rho, b.rho, mass, what, name);
    close_to(a.mx, b.mx, mass * speed, what, name);
    close_to(a.my, b.my, mass * speed, what, name);
    close_to(a.mz, b.mz, mass * speed, what, name);
}

static void conversions(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(i % 2 ? SL_EOS_ideal : SL_EOS_isothermal);
        struct sl_prim w = any_state(&gas), back;
        back = sl_cons_to_prim(&gas, sl_prim_to_cons(&gas, w));
        double heat = w.p + w.rho * (gas.gamma - 1) * sl_speed_squared(w.u, w.v, w.w);
        assert_true(back.rho == w.rho);
        close_to(back.u, w.u, fabs(w.u), "velocity", "eos");
        close_to(back.p, w.p, heat, "pressure", "eos");
        assert_false(sl_bad_state(&gas, sl_prim_to_cons(&gas, w)) && w.p > 1e-10 * heat);
    }
}

static void bad_states(void **unused)
{
    (void)unused;
    struct sl_gas gas = {SL_EOS_ideal, 1.4, 1, 1e-12, 1e-18, 0, 0, SL_SHOCK_limit};
    const double nan = NAN, inf = HUGE_VAL;
    const struct sl_cons good = {1, 1, 1, 1, 2};
    const struct sl_cons bad[] = {{-1, 0, 0, 0, 1},  {0, 0, 0, 0, 1},   {1, 2, 0, 0, 2},
                                  {nan, 0, 0, 0, 1}, {1, nan, 0, 0, 1}, {1, 0, 0, nan, 1},
                                  {1, 0, 0, 0, nan}, {inf, 0, 0, 0, 1}, {1, 0, 0, 0, inf},
                                  {1, inf, 0, 0, 1}, {1, 0, 0, 0, -1}};
    assert_false(sl_bad_state(&gas, good));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_true(sl_bad_state(&gas, bad[i]));
    gas.eos = SL_EOS_isothermal;
    const struct sl_cons cold = {1, 2, 0, 0, 0}, lost = {1, inf, 0, 0, 0};
    assert_false(sl_bad_state(&gas, cold));
    assert_true(sl_bad_state(&gas, lost));
}

/* F(w, w) = F(w); beyond the fastest wave the flux is that of the side the flow comes from. */
static void consistent(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            if (!(solver_physics[s] & SL_PHYSICS_gas)) continue;
            struct sl_gas gas = any_gas(i % 2 ? SL_EOS_ideal : SL_EOS_isothermal);
            struct sl_prim w = any_state(&gas), r = any_state(&gas);
            double c = sl_sound_speed(&gas, w.rho, w.p);
            same_flux(sl_riemann(s, &gas, w, w), sl_flux(w, sl_prim_to_cons(&gas, w)), w, c,
                      "consistency", solver_names[s]);
            if (s == SL_RIEMANN_llf) continue;
            double d = sl_sound_speed(&gas, r.rho, r.p);
            w.u = fabs(w.u) + 3 * (c + d);
            r.u = w.u;
            r.v = w.v;
            r.w = w.w;
            struct sl_pair m = sl_pair_of(&gas, w, r);
            if (m.slow <= 0) continue;
            same_flux(sl_riemann(s, &gas, w, r), sl_flux(w, sl_prim_to_cons(&gas, w)),
                      w.rho > r.rho ? w : r, c + d, "supersonic flux", solver_names[s]);
        }
}

/* To the bit: swapped sides and a turned velocity give the mirrored flux; swapped velocities along
 * the face give swapped momenta. */
static void symmetric(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int s = 0; s < SOLVERS; s++) {
            if (!(solver_physics[s] & SL_PHYSICS_gas)) continue;
            struct sl_gas gas = any_gas(i % 2 ? SL_EOS_ideal : SL_EOS_isothermal);
            struct sl_prim l = any_state(&gas), r = any_state(&gas);
            struct sl_cons f = sl_riemann(s, &gas, l, r);
            struct sl_cons m = sl_riemann(s, &gas, mirror(r), mirror(l));
            int same = f.rho == -m.rho && f.mx == m.mx && f.my == -m.my && f.mz == -m.mz;
            if (gas.eos == SL_EOS_ideal) same &= f.en == -m.en;
            struct sl_prim a = {l.rho, l.u, l.w, l.v, l.p}, b = {r.rho, r.u, r.w, r.v, r.p};
            struct sl_cons t = sl_riemann(s, &gas, a, b);
            same &= f.rho == t.rho && f.my == t.mz && f.mz == t.my && f.mx == t.mx;
            if (gas.eos == SL_EOS_ideal)
                same &= fabs((double)(f.en - t.en)) <= 1e-10 * (1 + fabs((double)f.en));
            if (!same) fail_msg("%s, seed %llu", solver_names[s], (unsigned long long)seed);
        }
}

/* A contact that rests is kept to the bit by hllc, lhllc and roe, and not by the others. */
static void contact(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        struct sl_prim l = any_state(&gas), r = any_state(&gas);
        l.u = r.u = 0;
        r.p = l.p;
        for (int s = 0; s < SOLVERS; s++) {
            if (!(solver_physics[s] & SL_PHYSICS_gas)) continue;
            struct sl_cons f = sl_riemann(s, &gas, l, r);
            int kept = f.rho == 0 && f.mx == l.p && f.my == 0 && f.mz == 0 && f.en == 0;
            int should = s == SL_RIEMANN_hllc || s == SL_RIEMANN_lhllc || s == SL_RIEMANN_roe;
            if (s == SL_RIEMANN_roe && fabs(l.v) + fabs(r.v) + fabs(l.w) + fabs(r.w) > 0) {
                l.v = l.w = r.v = r.w = 0;
                f = sl_riemann(s, &gas, l, r);
                kept = f.rho == 0 && f.mx == l.p && f.en == 0;
            }
            if (kept != should)
                fail_msg("%s, seed %llu: %g %g %g", solver_names[s], (unsigned long long)seed,
                         (double)f.rho, (double)(f.mx - l.p), (double)f.en);
        }
    }
}

/* One first-order step of a cell between two others at a Courant number of 0.45 stays positive with
 * llf, hlle and hllc. */
static void positive(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        struct sl_prim w[3];
        double fast = 0;
        for (int c = 0; c < 3; c++)
            w[c] = any_state(&gas);
        for (int c = 0; c < 2; c++) {
            struct sl_waves m = sl_waves_of(&gas, w[c], w[c + 1]);
            fast = fmax(fast, fmax(fabs((double)m.slow), fabs((double)m.fast)));
        }
        for (int c = 0; c < 3; c++)
            fast = fmax(fast, fabs(w[c].u) + sl_sound_speed(&gas, w[c].rho, w[c].p));
        for (int s = SL_RIEMANN_llf; s <= SL_RIEMANN_hllc; s++) {
            struct sl_cons a = sl_riemann(s, &gas, w[0], w[1]), b = sl_riemann(s, &gas, w[1], w[2]);
            struct sl_cons u = sl_prim_to_cons(&gas, w[1]);
            double step = 0.45 / fast, before = w[1].p / (gas.gamma - 1) / u.en;
            u.rho -= step * (b.rho - a.rho);
            u.mx -= step * (b.mx - a.mx);
            u.my -= step * (b.my - a.my);
            u.mz -= step * (b.mz - a.mz);
            u.en -= step * (b.en - a.en);
            if (before > 1e-9 && sl_bad_state(&gas, u))
                fail_msg("%s, seed %llu, case %d: rho %g", solver_names[s],
                         (unsigned long long)seed, i, (double)u.rho);
        }
    }
}

/* lhllc where the gas is squeezed along the face: a difference of the pressures moves almost no
 * mass; where it is squeezed across alike, as much as with hllc. In slow flows a difference of the
 * velocities makes less pressure than with hllc. */
static void low_mach(void **unused)
{
    (void)unused;
    struct sl_gas gas = {SL_EOS_ideal, 1.4, 1, 1e-12, 1e-18, 0, 0, SL_SHOCK_limit};
    struct sl_prim l = {1, 0, 0.1, 0, 1}, r = {1, 0, 0.1, 0, 1.01};
    double hllc = fabs((double)sl_riemann(SL_RIEMANN_hllc, &gas, l, r).rho);
    double quiet = fabs((double)sl_riemann(SL_RIEMANN_lhllc, &gas, l, r).rho);
    assert_true(fabs(quiet - hllc) < 1e-3 * hllc);
    gas.compression = 5;
    double moved = fabs((double)sl_riemann(SL_RIEMANN_lhllc, &gas, l, r).rho), c = sqrt(1.4 * 1.01);
    assert_true(fabs(moved / hllc / pow(c / (c + 5), 4) - 1) < 0.02);
    r = l;
    l.u = 2.5, r.u = -2.5; /* squeezed across as well */
    gas.compression = 5;
    struct sl_cons a = sl_riemann(SL_RIEMANN_lhllc, &gas, l, r);
    struct sl_cons b = sl_riemann(SL_RIEMANN_hllc, &gas, l, r);
    assert_true(fabs((double)(a.mx - b.mx)) < 1e-14 * (double)b.mx);
    l.u = 1e-3, r.u = -1e-3, l.v = r.v = 0;
    double push = (double)sl_riemann(SL_RIEMANN_hllc, &gas, l, r).mx - 1;
    double less = (double)sl_riemann(SL_RIEMANN_lhllc, &gas, l, r).mx - 1;
    double mach = 1e-3 / sqrt(1.4);
    assert_true(fabs(less / push / (mach * (2 - mach)) - 1) < 0.02);
}

/* hllc of an isothermal gas mixes what slides along the face as hlle does where the two states run
 * together at a quarter of the speed of sound, or one is denser by a fifth; elsewhere the mass flux
 * carries it. lhllc is the same, whatever is compressed. */
static void stair(void **unused)
{
    (void)unused;
    static const struct {
        double u, rho;
        int mixed;
    } rows[] = {{0.24, 1.19, 0}, {0.26, 1.19, 1}, {0.24, 1.21, 1},
                {-3, 1.19, 0},   {0.24, 0.84, 0}, {0.24, 0.83, 1}};
    struct sl_gas gas = {SL_EOS_isothermal, 1, 1, 1e-12, 1e-18, 0, 5, SL_SHOCK_limit};
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        struct sl_prim l = {1, (sl_real)rows[i].u, 2, 3, 1};
        struct sl_prim r = {(sl_real)rows[i].rho, 0, -1, 1, (sl_real)rows[i].rho};
        struct sl_cons f = sl_riemann(SL_RIEMANN_hllc, &gas, l, r);
        struct sl_cons same = sl_riemann(SL_RIEMANN_lhllc, &gas, l, r);
        struct sl_cons hlle = sl_riemann(SL_RIEMANN_hlle, &gas, l, r);
        struct sl_prim side = f.rho > 0 ? l : r;
        close_to((double)f.rho, (double)hlle.rho, 1, "mass", "hllc");
        close_to((double)f.mx, (double)hlle.mx, 1, "momentum across", "hllc");
        close_to((double)f.my, (double)(rows[i].mixed ? hlle.my : f.rho * side.v), 1, "v", "hllc");
        close_to((double)f.mz, (double)(rows[i].mixed ? hlle.mz : f.rho * side.w), 1, "w", "hllc");
        assert_true(same.rho == f.rho && same.mx == f.mx && same.my == f.my && same.mz == f.mz);
    }
    assert_int_equal(sl_riemann_of(SL_RIEMANN_lhllc, SL_EOS_isothermal), SL_RIEMANN_hllc);
    assert_int_equal(sl_riemann_of(SL_RIEMANN_lhlld, SL_EOS_isothermal), SL_RIEMANN_hlld);
    assert_int_equal(sl_riemann_of(SL_RIEMANN_lhlld, SL_EOS_ideal), SL_RIEMANN_lhlld);
}

/* The sound speed of Roe's average follows from its enthalpy, jumps of velocity included (Roe
 * 1981). */
/* hllc and lhllc of an ideal gas let two equal streams that meet exchange half the mass that sound
 * carries, with its momentum along the face and the energy of that; nothing where they run together
 * by less than an eighth of the width of the waves, or where a shock has left the face behind. */
static void mixes_in_shock(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        struct sl_prim l = any_state(&gas), r = l;
        int solver = i % 2 ? SL_RIEMANN_hllc : SL_RIEMANN_lhllc, shock = i % 4 > 1;
        l.u = sl_sound_speed(&gas, l.rho, l.p) * (shock ? between(0.2, 20) : between(0, 0.05));
        l.v = l.w = r.v = r.w = 0;
        r.u = -l.u;
        struct sl_waves m = sl_waves_of(&gas, l, r);
        struct sl_cons still = sl_riemann(solver, &gas, l, r);
        l.v = m.fast * between(-0.1, 0.1);
        r.w = m.fast * between(-0.1, 0.1);
        m = sl_waves_of(&gas, l, r);
        struct sl_cons f = sl_riemann(solver, &gas, l, r);
        double mass = shock ? 0.5 * l.rho * m.fast : 0, size = l.rho * m.fast * m.fast;
        double heat = 0.5 * mass * (l.v * l.v - r.w * r.w);
        close_to(f.rho, 0, 1e-3 * size / m.fast, "mass", "in shock");
        close_to(f.my, mass * l.v, size, "momentum along y", "in shock");
        close_to(f.mz, -mass * r.w, size, "momentum along z", "in shock");
        close_to(f.en - still.en, heat, size * m.fast, "energy", "in shock");
        l.u = 4 * m.fast, r.u = l.u - 0.5 * m.fast;
        f = sl_riemann(solver, &gas, l, r);
        close_to(f.my, l.rho * l.u * l.v, size, "momentum", "behind a shock");
    }
}

/* hllc and lhllc of an ideal gas let two states that do not run together exchange mass where one
 * has more than twice the pressure of the other; elsewhere the mass flux alone carries what
 * slides. */
static void mixes_on_a_step(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        int solver = i % 2 ? SL_RIEMANN_hllc : SL_RIEMANN_lhllc, step = i % 4 > 1;
        double ratio = step ? between(2.01, 50) : between(1, 1.99);
        struct sl_prim l = any_state(&gas), r = l;
        l.u = r.u = 0;
        if (i % 8 > 3)
            l.p = (sl_real)(ratio * r.p);
        else
            r.p = (sl_real)(ratio * l.p);
        l.v = 1, r.v = 3;
        struct sl_waves m = sl_waves_of(&gas, l, r);
        struct sl_cons f = sl_riemann(solver, &gas, l, r);
        double slid = (double)f.rho * (double)(f.rho > 0 ? l.v : r.v);
        double mass = step ? 0.5 * (double)l.rho * fmin((double)m.fast, (double)-m.slow) : 0;
        close_to((double)f.my, slid - 2 * mass, (double)(l.rho * m.fast), "momentum", "on a step");
    }
}

static void roe_average(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        struct sl_prim l = any_state(&gas), r = any_state(&gas);
        double wl = sqrt((double)l.rho), wr = sqrt((double)r.rho), sum = wl + wr,
               g = (double)gas.gamma;
        struct sl_cons cl = sl_prim_to_cons(&gas, l), cr = sl_prim_to_cons(&gas, r);
        double h =
            (wl * (double)((cl.en + l.p) / l.rho) + wr * (double)((cr.en + r.p) / r.rho)) / sum;
        double u = (wl * (double)l.u + wr * (double)r.u) / sum;
        double v = (wl * (double)l.v + wr * (double)r.v) / sum;
        double w = (wl * (double)l.w + wr * (double)r.w) / sum;
        struct sl_pair m = sl_pair_of(&gas, l, r);
        close_to((double)m.u, u, fabs(u) + sqrt(h), "velocity", "roe");
        close_to((double)m.c2, (g - 1) * (h - 0.5 * (u * u + v * v + w * w)), h, "c^2", "roe");
    }
}

/* Gas that is shocked at rest in the frame of the shock: the state behind a shock of Mach number
 * m. */
static void shock_at_rest(const struct sl_gas *gas, double m, struct sl_prim *before,
                          struct sl_prim *behind)
{
    double g = (double)gas->gamma, c = sqrt(g), ratio = (g + 1) * m * m / ((g - 1) * m * m + 2);
    *before = (struct sl_prim){1, (sl_real)(m * c), 0.3, -0.2, 1};
    *behind = *before;
    behind->rho = (sl_real)ratio;
    behind->u = (sl_real)(m * c / ratio);
    behind->p = (sl_real)(1 + 2 * g / (g + 1) * (m * m - 1));
}

/* Roe's flux leaves a shock at rest alone. The same jump the other way round is a rarefaction,
 * which its entropy fix takes apart: without it the flux would be that of the shock. */
static void roe_shock(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        struct sl_prim before, behind;
        shock_at_rest(&gas, between(1.5, 3), &before, &behind);
        struct sl_cons exact = sl_flux(before, sl_prim_to_cons(&gas, before));
        struct sl_cons shock = sl_riemann(SL_RIEMANN_roe, &gas, before, behind);
        struct sl_cons fan = sl_riemann(SL_RIEMANN_roe, &gas, behind, before);
        close_to((double)shock.rho, (double)exact.rho, (double)exact.rho, "mass", "shock");
        close_to((double)shock.mx, (double)exact.mx, (double)exact.mx, "momentum", "shock");
        close_to((double)shock.en, (double)exact.en, (double)exact.en, "energy", "shock");
        assert_true((double)fan.rho > 1.02 * (double)exact.rho);
    }
}

/* A jump of the velocity along the face moves with the gas: its momentum comes from upwind. */
static void shear(void **unused)
{
    static const int solvers[] = {SL_RIEMANN_hllc, SL_RIEMANN_lhllc, SL_RIEMANN_roe};
    (void)unused;
    for (int i = 0; i < 300; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        struct sl_prim l = {1, (sl_real)between(0.1, 0.5), 0.2, -0.1, 1}, r = l;
        r.v = -l.v;
        r.w = 2 * l.w;
        struct sl_cons f = sl_riemann(solvers[i % 3], &gas, l, r);
        close_to((double)f.my, (double)(l.u * l.v), 1, "momentum", solver_names[solvers[i % 3]]);
        close_to((double)f.mz, (double)(l.u * l.w), 1, "momentum", solver_names[solvers[i % 3]]);
    }
}

/* Strong rarefactions to both sides: roe alone would make a vacuum, and takes hlle. */
static void near_vacuum(void **unused)
{
    (void)unused;
    struct sl_gas gas = {SL_EOS_ideal, 1.4, 1, 1e-12, 1e-18, 0, 0, SL_SHOCK_limit};
    struct sl_prim l = {1, -5, 0, 0, 0.4}, r = {1, 5, 0, 0, 0.4};
    struct sl_cons a = sl_riemann(SL_RIEMANN_roe, &gas, l, r);
    struct sl_cons b = sl_riemann(SL_RIEMANN_hlle, &gas, l, r);
    assert_true(a.mx == b.mx && a.en == b.en && a.rho == b.rho);
}

/* roe is trusted where the states behind its sound waves have density and heat: the same change of
 * mass and energy is one with heat when it carries little momentum, and without when it carries
 * much. */
static void roe_trusted(void **unused)
{
    (void)unused;
    struct sl_gas gas = {SL_EOS_ideal, 1.4, 1, 1e-12, 1e-18, 0, 0, SL_SHOCK_limit};
    struct sl_cons c = {.rho = 1, .en = 1};
    struct sl_pair m = {.u = 0};
    struct sl_roe a = {.h = 1};
    assert_true(sl_roe_holds(&gas, c, m, a, 1, 1));
    assert_false(sl_roe_holds(&gas, c, m, a, 1, 3));
    assert_false(sl_roe_holds(&gas, c, m, a, -1, 0));
    gas.eos = SL_EOS_isothermal;
    assert_true(sl_roe_holds(&gas, c, m, a, 1, 3));
}

/* ppm: where the value of fourth order is not between those of the cells the mean of both takes its
 * place, less the smallest curvature. wenoz: where a cell is as steep to both sides the weights are
 * those of fifth order. */
static void special_faces(void **unused)
{
    (void)unused;
    close_to((double)sl_ppm_face(-1, 1, 1.1, 1.1), 1.05 + 0.125 / 6, 1, "face", "ppm");
    close_to((double)sl_ppm_face(1, 2, 3, 4), 2.5, 1, "face", "ppm");
    const double a = 0.3, b = 1.2, c = 2;
    close_to((double)sl_wenoz_face((sl_real)a, (sl_real)b, (sl_real)c, (sl_real)b, (sl_real)a),
             (-a + 14 * b + 47 * c) / 60, 1, "face", "wenoz");
}

typedef struct sl_faces faces_fn(int limiter, sl_real theta, const sl_real *q);
static faces_fn *const methods[] = {
#define METHOD(name, ghost, ...) sl_faces_##name,
    SL_RECONSTRUCT_LIST(METHOD)};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* Mirrored and negated averages give mirrored and negated values, to the bit; a constant stays one;
 * straight lines are met by all but constant; constant and plm stay between the neighbours. */
static void faces(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++)
        for (int m = 0; m < METHODS; m++)
            for (int limiter = 0; limiter < 3; limiter++) {
                sl_real q[5], back[5], less[5], line[5], level[5];
                double slope = between(-1, 1);
                for (int c = 0; c < 5; c++)
                    q[c] = pow(10, between(-3, 3));
                for (int c = 0; c < 5; c++) {
                    back[c] = q[4 - c];
                    less[c] = -q[c];
                    line[c] = 3 + slope * (c - 2);
                    level[c] = q[0];
                }
                double theta = between(1, 2);
                struct sl_faces f = methods[m](limiter, theta, q);
                struct sl_faces g = methods[m](limiter, theta, back);
                struct sl_faces h = methods[m](limiter, theta, less);
                struct sl_faces s = methods[m](limiter, theta, level);
                struct sl_faces t = methods[m](limiter, theta, line);
                assert_true(f.minus == g.plus && f.plus == g.minus);
                assert_true(f.minus == -h.minus && f.plus == -h.plus);
                assert_true(s.minus == q[0] && s.plus == q[0]);
                if (m != SL_RECONSTRUCT_constant) {
                    close_to(t.minus, 3 - 0.5 * slope, 1, "lower face of a line", "faces");
                    close_to(t.plus, 3 + 0.5 * slope, 1, "upper face of a line", "faces");
                }
                if (m > SL_RECONSTRUCT_plm) continue;
                double lo = fmin(fmin(q[1], q[2]), q[3]), hi = fmax(fmax(q[1], q[2]), q[3]);
                double slack = 1e-14 * hi;
                if (!(fmin(f.minus, f.plus) >= lo - slack && fmax(f.minus, f.plus) <= hi + slack))
                    fail_msg(
                        "method %d, limiter %d, theta %g: faces %g and %g of %g %g %g, seed %llu",
                        m, limiter, (double)theta, (double)f.minus, (double)f.plus, (double)q[1],
                        (double)q[2], (double)q[3], (unsigned long long)seed);
            }
}

/* ppm: the parabola of a cell between a lower and a higher one has no extremum in the cell, but
 * reaches as far as it may. */
static void steep(void **unused)
{
    (void)unused;
    int bounded = 0;
    for (int i = 0; i < CASES; i++) {
        sl_real q[5] = {(sl_real)between(0, 1)};
        for (int c = 1; c < 5; c++)
            q[c] = q[c - 1] + (sl_real)pow(10, between(-2, 0));
        struct sl_faces f = sl_faces_ppm(0, 2, q);
        double below = (double)(q[2] - f.minus), above = (double)(f.plus - q[2]);
        double tiny = 1e-14, ratio = fmax(below, above) / fmin(below, above);
        if (!(below > 0 && above > 0)) continue;
        if (!(below < 2 * above + tiny && above < 2 * below + tiny))
            fail_msg("an extremum between faces %g below and %g above, seed %llu", below, above,
                     (unsigned long long)seed);
        bounded += fabs(ratio - 2) < 1e-10;
    }
    assert_true(bounded > CASES / 10);
}

/* A face that is thin and keeps its pressure is too hot, but not beside gas as hot; the steepest
 * one of minmod with its default theta is not, nor a cold one. */
static void hot_faces(void **unused)
{
    (void)unused;
    const struct sl_warmth cell = {1, 1}, thin = {1e-6, 1e-6}, contact = {1e-6, 1};
    const struct sl_warmth hot = {1e-6, 1}, steepest = {0.25, 1}, cold = {1, 1e-6};
    assert_true(sl_face_is_hot(hot, cell, thin));
    assert_true(sl_face_is_hot(hot, thin, cell));
    assert_false(sl_face_is_hot(hot, cell, contact));
    assert_false(sl_face_is_hot(hot, contact, cell));
    assert_false(sl_face_is_hot(steepest, cell, thin));
    assert_false(sl_face_is_hot(cold, cell, thin));
    assert_true(sl_reconstruct_heats(SL_RECONSTRUCT_plm, SL_LIMITER_mc, 1.5));
    assert_true(sl_reconstruct_heats(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, 2));
    assert_false(sl_reconstruct_heats(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, 1.5));
    assert_false(sl_reconstruct_heats(SL_RECONSTRUCT_plm, SL_LIMITER_vanleer, 2));
    assert_false(sl_reconstruct_heats(SL_RECONSTRUCT_ppm, SL_LIMITER_mc, 2));
}

/* What fades out keeps a curvature as long as kernels can divide by it, and has none below that. */
static void fading(void **unused)
{
    (void)unused;
    for (double size = 1; size > 0; size *= 1e-6) {
        const sl_real q[5] = {(sl_real)size, (sl_real)(3 * size), (sl_real)(4 * size),
                              (sl_real)(3 * size), (sl_real)size};
        struct sl_faces f = sl_faces_ppm(0, 2, q);
        int flat = f.minus == q[2] && f.plus == q[2];
        assert_true(flat == !((double)q[0] * 3 > (double)sl_tiny()));
    }
}

/* Order of the error at a face of averages of a smooth function. */
static double order_of(int m)
{
    double error[2];
    for (int level = 0; level < 2; level++) {
        sl_real q[5];
        double h = level ? 0.01 : 0.02;
        for (int c = 0; c < 5; c++)
            q[c] = (cos(0.7 + h * (c - 2.5)) - cos(0.7 + h * (c - 1.5))) / h;
        error[level] = fabs(methods[m](SL_LIMITER_mc, 2, q).plus - sin(0.7 + 0.5 * h));
    }
    return log2(error[0] / error[1]);
}

static void orders(void **unused)
{
    (void)unused;
    static const double least[] = {0.95, 1.9, 2.9, 4.9};
    for (int m = 0; m < METHODS; m++) {
        print_message("method %d: order %.2f\n", m, order_of(m));
        assert_true(order_of(m) > least[m]);
    }
}

static int setup(void **unused)
{
    (void)unused;
    state = seed;
    return 0;
}

/* ---- dual energy ----------------------------------------------------------------------------- */

/* sl_dual_spread of a cell between l and r in one dimension. */
static double spread_between(const struct sl_gas *gas, struct sl_prim l, struct sl_prim r)
{
    struct sl_cons a = sl_prim_to_cons(gas, l), b = sl_prim_to_cons(gas, r);
    const sl_real m[3] = {0.5 * (a.mx + b.mx), 0.5 * (a.my + b.my), 0.5 * (a.mz + b.mz)};
    struct sl_dual_faces f = {a.mx, b.mx, (b.mx * r.u + r.p) - (a.mx * l.u + l.p), {0, 0}};
    f.side[0] = b.mx * r.v - a.mx * l.v, f.side[1] = b.mx * r.w - a.mx * l.w;
    struct sl_dual_part part[3] = {sl_dual_part(0.5 * (a.rho + b.rho), m, 0, f), {0, 0}, {0, 0}};
    return sl_dual_spread(1, 0.5 * (a.rho + b.rho), part);
}

/* Gas that expands is distinguished from gas that is compressed, from shocks and contacts, however
 * fast all of it moves. */
static void expansion(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        struct sl_gas gas = any_gas(SL_EOS_ideal);
        struct sl_prim l = any_state(&gas), r = l, before, after;
        double fast = 3 * fabs(l.u) + 1, du = 0.01 * fast;
        l.p = r.p = 1e-9 * l.rho * du * du;
        l.v = r.v = l.w = r.w = 0;
        l.u = between(-fast, fast), r.u = l.u + du;
        double n = spread_between(&gas, l, r);
        if (!(n < 0 && fabs(n / (l.rho * du * du) + 1) < 1e-3) || !(spread_between(&gas, r, l) > 0))
            fail_msg("expansion: %g of %g, seed %llu", n, l.rho * du * du,
                     (unsigned long long)seed);
        r.u = l.u, r.rho = l.rho * between(1.1, 100);
        assert_true(!(spread_between(&gas, l, r) < -1e-9 * l.rho * fast * fast));
        shock_at_rest(&gas, between(1.1, 50), &before, &after);
        double frame = before.u * between(-10, 10);
        before.u += frame, after.u += frame;
        if (!(spread_between(&gas, before, after) > 0))
            fail_msg("shock with %g, seed %llu", frame, (unsigned long long)seed);
    }
}

/* Where gas expands energy beyond that of the entropy is N / 16 at most, unless it is more than N /
 * 4: that is heat. */
static void two_energies(void **unused)
{
    (void)unused;
    static const double share[] = {0.02, 0.1, 0.2, 0.3}, want[] = {0.02, 0.0625, 0.0625, 0.3};
    const struct sl_layout l = {.nvar = 6, .energy = 4, .entropy = 5, .magnetic = -1, .face = -1};
    for (int i = 0; i < 4; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct sl_gas gas = {SL_EOS_ideal, 5. / 3, 1, 1e-30, 1e-30, 0, 0, SL_SHOCK_limit};
            double n = 1e-3, heat = 1e-6, u[6] = {2, 2, 0, 0, 1 + heat + share[i] * n, 0};
            u[5] = sl_pressure_to_entropy(&gas, u[0], heat * 2. / 3);
            sl_dual_agree(&gas, &l, 1e-9, sign * n, u, 1);
            double p = sl_entropy_to_pressure(&gas, u[0], u[5]), more = u[4] - 1 - heat;
            assert_true(fabs(more / n - (sign < 0 ? want[i] : share[i])) < 1e-9);
            assert_true(fabs(p - 2. / 3 * (share[i] > 0.25 ? u[4] - 1 : heat)) < 1e-12);
        }
}

/* A cell of little heat that streams apart at N = 1, whose total energy tells `spare` more heat
 * than its entropy; gravity works `more` than what kicks gave. Returns what of that the energy
 * got. */
static double paid(double spare, double more, double p, double *p_after)
{
    const struct sl_mass_work w = {
        .gas = {SL_EOS_ideal, 5. / 3, 1, 1e-30, 1e-30, 0, 0, SL_SHOCK_limit},
        .layout = {.nvar = 6, .energy = 4, .entropy = 5, .magnetic = -1, .face = -1},
        .dim = 1,
        .dual_eta = 1e-3,
        .share = 0.5,
        .per_dt = 1};
    const struct sl_mass_through m = {{0.5, 0, 0}, {1.5, 0, 0}};
    const sl_real none[3] = {0, 0, 0};
    double before = 0.5 + 1.5 * p + spare, u[6] = {1, 1, 0, 0, before, 0};
    u[5] = sl_pressure_to_entropy(&w.gas, 1, p);
    sl_mass_work_put(&w, &m, none, none, -more, u, 1);
    *p_after = sl_entropy_to_pressure(&w.gas, 1, u[5]);
    return u[4] - before;
}

/* Gravity takes what cold gas has to lose from the heat that its total energy tells beyond that of
 * its entropy, at most half of it; the pressure stays, and gains are not believed. */
static void work_on_cold_gas(void **unused)
{
    (void)unused;
    static const struct {
        double spare, more, want;
    } with[] = {{0.02, -0.004, -0.004}, {0.02, -0.04, -0.01}, {0, -0.004, 0}, {0.02, 0.004, 0}};
    for (int i = 0; i < 4; i++) {
        double p, got = paid(with[i].spare, with[i].more, 1e-5, &p);
        if (!(fabs(got - with[i].want) < 1e-12 && fabs(p - 1e-5) < 1e-12))
            fail_msg("case %d: energy %g, not %g; pressure %g", i, got, with[i].want, p);
    }
}

/* A kick of the half-way state, larger than the velocity, changes no heat. */
static void half_kick(void **unused)
{
    (void)unused;
    const struct sl_layout l = {.nvar = 5, .energy = 4, .entropy = -1, .magnetic = -1, .face = -1};
    for (int axis = 0; axis < 3; axis++) {
        double u[5] = {2, 0.25, -0.5, 1, 3}, m = u[SL_MX + axis];
        double before = u[4] - sl_square3(u[1], u[2], u[3]) / 4;
        sl_update_half_gravity(&l, axis, 0.75, u, 1);
        assert_true(u[SL_MX + axis] == m + 1.5);
        assert_true(u[4] - sl_square3(u[1], u[2], u[3]) / 4 == before);
    }
}

/* A bad cell is flagged once, with constrained transport twice; a good one never. */
static void flags(void **unused)
{
    (void)unused;
    const struct sl_gas gas = {SL_EOS_ideal, 5. / 3, 1, 1e-30, 1e-30, 0, 0, SL_SHOCK_limit};
    struct sl_layout l = {.nvar = 11, .energy = 4, .entropy = -1, .magnetic = 5};
    for (int most = 1; most <= 2; most++) {
        double u[11] = {1, 0, 0, 0, 1}, flag = 0;
        l.face = most == 2 ? 8 : -1;
        assert_false(sl_repair_flag(&gas, &l, u, 1, &flag));
        assert_true(flag == 0);
        u[0] = -1;
        for (int i = 1; i <= most; i++) {
            assert_true(sl_repair_flag(&gas, &l, u, 1, &flag));
            assert_true(flag == i);
        }
        assert_false(sl_repair_flag(&gas, &l, u, 1, &flag));
        assert_true(flag == most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(conversions, setup),
        cmocka_unit_test_setup(bad_states, setup),
        cmocka_unit_test_setup(consistent, setup),
        cmocka_unit_test_setup(symmetric, setup),
        cmocka_unit_test_setup(contact, setup),
        cmocka_unit_test_setup(positive, setup),
        cmocka_unit_test_setup(near_vacuum, setup),
        cmocka_unit_test_setup(roe_average, setup),
        cmocka_unit_test_setup(roe_shock, setup),
        cmocka_unit_test_setup(shear, setup),
        cmocka_unit_test_setup(expansion, setup),
        cmocka_unit_test(two_energies),
        cmocka_unit_test(work_on_cold_gas),
        cmocka_unit_test(half_kick),
        cmocka_unit_test(flags),
        cmocka_unit_test(roe_trusted),
        cmocka_unit_test(special_faces),
        cmocka_unit_test_setup(faces, setup),
        cmocka_unit_test_setup(steep, setup),
        cmocka_unit_test(hot_faces),
        cmocka_unit_test(fading),
        cmocka_unit_test(low_mach),
        cmocka_unit_test(stair),
        cmocka_unit_test_setup(mixes_in_shock, setup),
        cmocka_unit_test_setup(mixes_on_a_step, setup),
        cmocka_unit_test_setup(orders, setup),
    };
    const char *other = getenv("SL_TEST_SEED");
    if (other) seed = strtoull(other, NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
