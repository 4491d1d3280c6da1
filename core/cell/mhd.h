/* mhd.h - ideal magnetohydrodynamics: conversions, the fast speed, the cleaning of the divergence,
 * and fluxes at a face, one function per solver of SL_RIEMANN_LIST that knows a magnetic field.
 *
 * The pressure of a field B is B^2 / 2 (no 4 pi). In a sweep u and bn are across the face, v, w, by
 * and bz along it in cyclic order. bn is one number at a face: the solution of the Riemann problem
 * of (bn, psi), which the cleaning decouples from the rest.
 *
 * No branches, as in riemann.h. Sums over the two directions along a face stand in one bracket, and
 * sums over three axes do not depend on their order: swapping axes or sides changes no bit.
 *
 * llf never fails at a Courant number below one. hlle keeps density and pressure positive. hlld
 * keeps contacts and rotations and is the choice for all else; like hllc it shows the odd-even
 * instability at strong shocks along the grid, of which lhlld is cured. roe has all seven waves of
 * the linearised equations, and is hlle in shocks and where one of its states would have no density
 * or heat. An isothermal gas has no contact: there hlld has one density between its outer waves
 * (Mignone 2007), and is hlle where a shock may stand; lhlld is the same there.
 *
 * Shapes  one cell or one face
 * Units   code units
 * Errors  none: a bad state gives a bad flux, which the step finds in the cell
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Dedner et al. 2002, equations 24, 41, 42 and 45; Miyoshi & Kusano 2005, equations 38-63;
 *         Mignone 2007, section 3; Cargo & Gallice 1997; Roe & Balsara 1996;
 *         Minoshima & Miyoshi 2021 (lhlld)
 * Tests   tests/unit/mhd.c
 */
#ifndef SL_CELL_MHD_H
#define SL_CELL_MHD_H

#include "core/cell/riemann.h"
#include "core/lists/mhd_list.h"

/* ---- cells ---------------------------------------------------------------------------------- */

/* Primitive state; b2 is the square of the field. */
SL_FN struct sl_prim sl_mhd_prim(const struct sl_gas *gas, struct sl_cons c, sl_real b2)
{
    struct sl_prim w;
    sl_real inv = sl_div(1, c.rho), twice = sl_square3(c.mx, c.my, c.mz) * inv;
    w.rho = c.rho;
    w.u = c.mx * inv;
    w.v = c.my * inv;
    w.w = c.mz * inv;
    w.p = gas->eos == SL_EOS_isothermal ? c.rho * (gas->cs * gas->cs)
                                        : (gas->gamma - 1) * (c.en - (sl_real)0.5 * (twice + b2));
    return w;
}

/* Speed of the fast wave and its square, from the squares of the field along and across its
 * direction. */
SL_FN sl_real sl_fast_squared(const struct sl_gas *gas, sl_real rho, sl_real p, sl_real along,
                              sl_real across)
{
    sl_real stiff = gas->eos == SL_EOS_isothermal ? p : gas->gamma * p, b2 = along + across;
    sl_real d = stiff - b2, root = sl_sqrt(d * d + 4 * (stiff * across));
    return sl_div((sl_real)0.5 * ((stiff + b2) + root), rho);
}

SL_FN sl_real sl_fast_speed(const struct sl_gas *gas, sl_real rho, sl_real p, sl_real along,
                            sl_real across)
{
    return sl_sqrt(sl_fast_squared(gas, rho, p, along, across));
}

/* ---- faces ---------------------------------------------------------------------------------- */

struct sl_mhd_prim {
    sl_real rho, u, v, w, p, by, bz;
};
struct sl_mhd_cons {
    sl_real rho, mx, my, mz, en, by, bz;
};

/* Field across a face, which is also the flux of psi over ch^2, and the flux of the field. */
struct sl_mhd_normal {
    sl_real bn, psi;
};

/* Exact solution at the face of bn_t + psi_x = 0, psi_t + ch^2 bn_x = 0. */
SL_FN struct sl_mhd_normal sl_mhd_normal(sl_real ch, sl_real bl, sl_real br, sl_real pl, sl_real pr)
{
    const sl_real half = (sl_real)0.5;
    struct sl_mhd_normal n;
    n.bn = half * ((bl + br) - (pr - pl) * (1 / ch));
    n.psi = half * ((pl + pr) - ch * (br - bl));
    return n;
}

/* A state with what fluxes are made of. */
struct sl_mhd_state {
    sl_real rho, u, v, w, by, bz;
    sl_real pt, en; /* pressure of gas and field, total energy */
};

SL_FN struct sl_mhd_state sl_mhd_state(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim w)
{
    const sl_real half = (sl_real)0.5;
    sl_real heat = 1 / (gas->gamma - 1), press = half * sl_speed_squared(bn, w.by, w.bz);
    struct sl_mhd_state s = {w.rho, w.u, w.v, w.w, w.by, w.bz, 0, 0};
    s.pt = w.p + press;
    s.en = gas->eos == SL_EOS_isothermal
               ? 0
               : (w.p * heat + half * w.rho * sl_speed_squared(w.u, w.v, w.w)) + press;
    return s;
}

SL_FN struct sl_mhd_cons sl_mhd_cons(struct sl_mhd_state s)
{
    struct sl_mhd_cons c = {s.rho, s.rho * s.u, s.rho * s.v, s.rho * s.w, s.en, s.by, s.bz};
    return c;
}

SL_FN struct sl_mhd_cons sl_mhd_flux(sl_real bn, struct sl_mhd_state s)
{
    struct sl_mhd_cons f;
    sl_real mass = s.rho * s.u;
    f.rho = mass;
    f.mx = mass * s.u + (s.pt - bn * bn);
    f.my = mass * s.v - bn * s.by;
    f.mz = mass * s.w - bn * s.bz;
    f.en = (s.en + s.pt) * s.u - bn * (s.u * bn + (s.v * s.by + s.w * s.bz));
    f.by = s.by * s.u - bn * s.v;
    f.bz = s.bz * s.u - bn * s.w;
    return f;
}

SL_FN sl_real sl_mhd_fast_squared(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim w)
{
    return sl_fast_squared(gas, w.rho, w.p, bn * bn, w.by * w.by + w.bz * w.bz);
}

SL_FN sl_real sl_mhd_fast(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim w)
{
    return sl_sqrt(sl_mhd_fast_squared(gas, bn, w));
}

SL_FN struct sl_mhd_cons sl_mhd_llf(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                    struct sl_mhd_prim r)
{
    const sl_real half = (sl_real)0.5;
    struct sl_mhd_state a = sl_mhd_state(gas, bn, l), b = sl_mhd_state(gas, bn, r);
    struct sl_mhd_cons cl = sl_mhd_cons(a), cr = sl_mhd_cons(b), f;
    struct sl_mhd_cons fl = sl_mhd_flux(bn, a), fr = sl_mhd_flux(bn, b);
    sl_real s =
        sl_max(sl_abs(l.u) + sl_mhd_fast(gas, bn, l), sl_abs(r.u) + sl_mhd_fast(gas, bn, r));
    f.rho = half * ((fl.rho + fr.rho) - s * (cr.rho - cl.rho));
    f.mx = half * ((fl.mx + fr.mx) - s * (cr.mx - cl.mx));
    f.my = half * ((fl.my + fr.my) - s * (cr.my - cl.my));
    f.mz = half * ((fl.mz + fr.mz) - s * (cr.mz - cl.mz));
    f.en = half * ((fl.en + fr.en) - s * (cr.en - cl.en));
    f.by = half * ((fl.by + fr.by) - s * (cr.by - cl.by));
    f.bz = half * ((fl.bz + fr.bz) - s * (cr.bz - cl.bz));
    return f;
}

/* Flux of all variables with divergence cleaning. */
struct sl_mhd_whole {
    struct sl_mhd_cons c;
    sl_real bn, psi;
};

/* llf of all nine equations at once, for repairs: the field across the face is each side's own, so
 * that the energy that it loses to the cleaning leaves the total energy with it and is not missing
 * from the heat. */
SL_FN struct sl_mhd_whole sl_mhd_safe(const struct sl_gas *gas, sl_real bl, sl_real br, sl_real pl,
                                      sl_real pr, struct sl_mhd_prim l, struct sl_mhd_prim r)
{
    const sl_real half = (sl_real)0.5;
    struct sl_mhd_state a = sl_mhd_state(gas, bl, l), b = sl_mhd_state(gas, br, r);
    struct sl_mhd_cons cl = sl_mhd_cons(a), cr = sl_mhd_cons(b);
    struct sl_mhd_cons fl = sl_mhd_flux(bl, a), fr = sl_mhd_flux(br, b);
    struct sl_mhd_whole f;
    sl_real s =
        sl_max(sl_abs(l.u) + sl_mhd_fast(gas, bl, l), sl_abs(r.u) + sl_mhd_fast(gas, br, r));
    s = sl_max(s, gas->ch);
    f.c.rho = half * ((fl.rho + fr.rho) - s * (cr.rho - cl.rho));
    f.c.mx = half * ((fl.mx + fr.mx) - s * (cr.mx - cl.mx));
    f.c.my = half * ((fl.my + fr.my) - s * (cr.my - cl.my));
    f.c.mz = half * ((fl.mz + fr.mz) - s * (cr.mz - cl.mz));
    f.c.en = half * ((fl.en + fr.en) - s * (cr.en - cl.en));
    f.c.by = half * ((fl.by + fr.by) - s * (cr.by - cl.by));
    f.c.bz = half * ((fl.bz + fr.bz) - s * (cr.bz - cl.bz));
    f.bn = half * ((pl + pr) - s * (br - bl));
    f.psi = half * (gas->ch * gas->ch * (bl + br) - s * (pr - pl));
    return f;
}

/* Speeds of the leftmost and rightmost signal, wide enough for positive states between them
 * (Miyoshi & Kusano 67). Isothermal gas has Einfeldt's from Roe's average velocity, and where
 * streams collide those of both states, as it has without field (sl_pair_of, sl_collides_at). In
 * oblique collisions signals that ride on the incoming gas are several times too fast, and a thin
 * layer between two shocks that is oblique to the grid bends, and at Mach 8 has twice the density
 * that it should have. */
SL_FN struct sl_waves sl_mhd_waves(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                   struct sl_mhd_prim r)
{
    sl_real cl = sl_mhd_fast_squared(gas, bn, l), cr = sl_mhd_fast_squared(gas, bn, r);
    sl_real c = sl_sqrt(sl_max(cl, cr));
    struct sl_waves s = {sl_min(l.u, r.u) - c, sl_max(l.u, r.u) + c};
    if (gas->eos == SL_EOS_isothermal) {
        sl_real rl = sl_sqrt(l.rho), rr = sl_sqrt(r.rho);
        sl_real mean = sl_div(rl * l.u + rr * r.u, rl + rr);
        sl_real dv = l.v - r.v, dw = l.w - r.w;
        sl_real share = sl_collides_at(gas, c, l.u - r.u, dv * dv + dw * dw);
        s.slow = (sl_min(l.u, mean) - share * (mean - r.u)) - c;
        s.fast = (sl_max(r.u, mean) + share * (l.u - mean)) + c;
    }
    return s;
}

SL_FN struct sl_mhd_cons sl_mhd_hlle_flux(sl_real bn, struct sl_mhd_state a, struct sl_mhd_state b,
                                          struct sl_waves s)
{
    struct sl_mhd_cons cl = sl_mhd_cons(a), cr = sl_mhd_cons(b), f;
    struct sl_mhd_cons fl = sl_mhd_flux(bn, a), fr = sl_mhd_flux(bn, b);
    sl_real low = sl_min(s.slow, 0), high = sl_max(s.fast, 0);
    sl_real inv = sl_div(1, high - low), both = low * high;
    f.rho = ((high * fl.rho - low * fr.rho) + both * (cr.rho - cl.rho)) * inv;
    f.mx = ((high * fl.mx - low * fr.mx) + both * (cr.mx - cl.mx)) * inv;
    f.my = ((high * fl.my - low * fr.my) + both * (cr.my - cl.my)) * inv;
    f.mz = ((high * fl.mz - low * fr.mz) + both * (cr.mz - cl.mz)) * inv;
    f.en = ((high * fl.en - low * fr.en) + both * (cr.en - cl.en)) * inv;
    f.by = ((high * fl.by - low * fr.by) + both * (cr.by - cl.by)) * inv;
    f.bz = ((high * fl.bz - low * fr.bz) + both * (cr.bz - cl.bz)) * inv;
    return f;
}

SL_FN struct sl_mhd_cons sl_mhd_hlle(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                     struct sl_mhd_prim r)
{
    struct sl_mhd_state a = sl_mhd_state(gas, bn, l), b = sl_mhd_state(gas, bn, r);
    return sl_mhd_hlle_flux(bn, a, b, sl_mhd_waves(gas, bn, l, r));
}

/* What both sides of the contact share. */
struct sl_hlld {
    sl_real low, high; /* outer wave speeds */
    sl_real al, ar;    /* mass that they sweep up from both sides */
    sl_real sm, pt;    /* speed and total pressure between them */
};

/* Miyoshi & Kusano 38 and 41, the pressure as the mean of what both sides say; isothermal: the
 * speed and the momentum flux of hlle (Mignone 2007, 16 and 17). */
SL_FN struct sl_hlld sl_hlld_middle(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                    struct sl_mhd_prim r, struct sl_mhd_state a,
                                    struct sl_mhd_state b)
{
    struct sl_hlld m;
    struct sl_waves s = sl_mhd_waves(gas, bn, l, r);
    m.low = s.slow;
    m.high = s.fast;
    m.al = a.rho * (a.u - m.low);
    m.ar = b.rho * (m.high - b.u);
    sl_real inv = sl_div(1, m.al + m.ar);
    if (gas->eos == SL_EOS_isothermal) {
        sl_real fl = a.rho * a.u * a.u + a.pt, fr = b.rho * b.u * b.u + b.pt;
        sl_real jump = m.low * m.high * (b.rho * b.u - a.rho * a.u), wide = m.high - m.low;
        m.sm = (m.high * m.al + m.low * m.ar) * inv;
        m.pt = sl_div((m.high * fl - m.low * fr) + jump, wide) -
               m.sm * m.sm * sl_div(m.al + m.ar, wide);
    } else {
        m.sm = ((a.pt - b.pt) + (m.al * a.u + m.ar * b.u)) * inv;
        m.pt = (sl_real)0.5 * ((a.pt + m.al * (a.u - m.sm)) + (b.pt + m.ar * (m.sm - b.u)));
    }
    return m;
}

/* Speed and total pressure at the contact as in sl_contact_with_shock_fix. */
SL_FN struct sl_hlld sl_lhlld_middle(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                     struct sl_mhd_prim r, struct sl_mhd_state a,
                                     struct sl_mhd_state b)
{
    struct sl_hlld m = sl_hlld_middle(gas, bn, l, r, a, b);
    struct sl_mhd_prim x = l, y = r;
    x.p = l.rho * sl_speed_squared(l.u, l.v, l.w) / gas->gamma;
    y.p = r.rho * sl_speed_squared(r.u, r.v, r.w) / gas->gamma;
    sl_real c = sl_max(sl_mhd_fast(gas, bn, l), sl_mhd_fast(gas, bn, r));
    sl_real fast = sl_max(sl_mhd_fast(gas, bn, x), sl_mhd_fast(gas, bn, y));
    struct sl_contact at =
        sl_contact_with_shock_fix(m.al, m.ar, a.u, b.u, a.pt, b.pt, c, fast, gas);
    m.sm = at.sm;
    m.pt = at.pm;
    return m;
}

/* Behind an outer wave that sweeps up the mass a > 0 and runs away from the contact at the speed
 * run (Miyoshi & Kusano 43-47), all but the energy; `from` is 1 on the left, -1 on the right.
 * Without jump along the face where the wave is also a rotation. */
SL_FN struct sl_mhd_state sl_hlld_star(sl_real bn, struct sl_mhd_state q, sl_real a, sl_real run,
                                       sl_real from, sl_real rho, struct sl_hlld m)
{
    const sl_real tiny = sizeof(sl_real) == sizeof(float) ? (sl_real)1e-5 : (sl_real)1e-8;
    struct sl_mhd_state w = q;
    sl_real bn2 = bn * bn, den = a * run - bn2;
    int plain = sl_abs(den) < tiny * (a * run + bn2);
    sl_real inv = plain ? 0 : sl_div(1, den), rotation = bn * (m.sm - q.u) * inv;
    sl_real grow = 1 + a * (from * (q.u - m.sm)) * inv;
    w.rho = rho;
    w.u = m.sm;
    w.v = q.v - rotation * q.by;
    w.w = q.w - rotation * q.bz;
    w.by = q.by * grow;
    w.bz = q.bz * grow;
    w.pt = m.pt;
    return w;
}

/* Energy of that state w (48); speed: of the wave through q. */
SL_FN sl_real sl_hlld_energy(sl_real bn, struct sl_mhd_state q, struct sl_mhd_state w,
                             sl_real speed, sl_real per_run, sl_real from)
{
    sl_real before = q.v * q.by + q.w * q.bz, after = w.v * w.by + w.w * w.bz;
    sl_real work = (w.pt * w.u - q.pt * q.u) + bn * (bn * (q.u - w.u) + (before - after));
    return (q.en * speed - from * work) * per_run;
}

/* Between the rotations (59-63): w is the state behind the outer wave on the side that is wanted, l
 * and r those of both sides. */
SL_FN struct sl_mhd_state sl_hlld_inner(sl_real bn, struct sl_mhd_state w, struct sl_mhd_state l,
                                        struct sl_mhd_state r, sl_real rl, sl_real rr, int left)
{
    const sl_real half = (sl_real)0.5;
    sl_real sign = bn > 0 ? (sl_real)1 : (sl_real)-1, inv = sl_div(1, rl + rr);
    sl_real lean = half * ((rl - rr) * inv), push = sign * inv, pull = sign * ((rl * rr) * inv);
    sl_real before = w.v * w.by + w.w * w.bz, root = left ? -rl : rr;
    w.v = (half * (l.v + r.v) - lean * (r.v - l.v)) + push * (r.by - l.by);
    w.w = (half * (l.w + r.w) - lean * (r.w - l.w)) + push * (r.bz - l.bz);
    w.by = (half * (l.by + r.by) + lean * (r.by - l.by)) + pull * (r.v - l.v);
    w.bz = (half * (l.bz + r.bz) + lean * (r.bz - l.bz)) + pull * (r.w - l.w);
    w.en = w.en + root * sign * (before - (w.v * w.by + w.w * w.bz));
    return w;
}

SL_FN struct sl_mhd_state sl_mhd_pick(int first, struct sl_mhd_state a, struct sl_mhd_state b)
{
    struct sl_mhd_state s;
    s.rho = first ? a.rho : b.rho;
    s.u = first ? a.u : b.u;
    s.v = first ? a.v : b.v;
    s.w = first ? a.w : b.w;
    s.by = first ? a.by : b.by;
    s.bz = first ? a.bz : b.bz;
    s.pt = first ? a.pt : b.pt;
    s.en = first ? a.en : b.en;
    return s;
}

/* The flux of the state at the face, which is one of six. */
SL_FN struct sl_mhd_cons sl_hlld_flux(const struct sl_gas *gas, sl_real bn, struct sl_mhd_state a,
                                      struct sl_mhd_state b, struct sl_hlld m)
{
    int one = gas->eos == SL_EOS_isothermal, left = m.sm > 0;
    sl_real mean = sl_div(m.al + m.ar, m.high - m.low), run_l = m.sm - m.low, run_r = m.high - m.sm;
    sl_real per_l = sl_div(1, run_l), per_r = sl_div(1, run_r);
    sl_real rho_l = one ? mean : m.al * per_l, rho_r = one ? mean : m.ar * per_r;
    struct sl_mhd_state al = sl_hlld_star(bn, a, m.al, run_l, 1, rho_l, m);
    struct sl_mhd_state ar = sl_hlld_star(bn, b, m.ar, run_r, -1, rho_r, m);
    sl_real rl = sl_sqrt(rho_l), rr = sl_sqrt(rho_r), size = sl_abs(bn);
    int outside = left ? m.low > 0 : m.high < 0;
    int inside = left ? m.sm * rl < size : -m.sm * rr < size;
    struct sl_mhd_state side = sl_mhd_pick(left, a, b), star = sl_mhd_pick(left, al, ar);
    sl_real speed = left ? side.u - m.low : m.high - side.u;
    star.en = sl_hlld_energy(bn, side, star, speed, left ? per_l : per_r,
                             left ? (sl_real)1 : (sl_real)-1);
    struct sl_mhd_state inner = sl_hlld_inner(bn, star, al, ar, rl, rr, left);
    return sl_mhd_flux(bn, sl_mhd_pick(outside, side, sl_mhd_pick(inside, inner, star)));
}

/* Isothermal hlld has no contact; it moves the same mass and momentum across the face as hlle.
 * Where a shock may stand it takes the flux of hlle, for the reason that sl_hllc_isothermal gives:
 * with a field through the shock the ripples are as large as without. */
SL_FN struct sl_mhd_cons sl_hlld_isothermal(const struct sl_gas *gas, sl_real bn,
                                            struct sl_mhd_state a, struct sl_mhd_state b,
                                            struct sl_hlld m)
{
    struct sl_waves s = {m.low, m.high};
    struct sl_mhd_cons f = sl_hlld_flux(gas, bn, a, b, m), mixed = sl_mhd_hlle_flux(bn, a, b, s);
    int mix = sl_is_shock(gas, a.rho, a.u, b.rho, b.u);
    f.my = mix ? mixed.my : f.my;
    f.mz = mix ? mixed.mz : f.mz;
    f.by = mix ? mixed.by : f.by;
    f.bz = mix ? mixed.bz : f.bz;
    return f;
}

/* hlld of an ideal gas; in a shock the masses that its sides exchange carry momentum along the
 * face, as in sl_hllc_flux. */
SL_FN struct sl_mhd_cons sl_hlld_ideal(const struct sl_gas *gas, sl_real bn, struct sl_mhd_state a,
                                       struct sl_mhd_state b, struct sl_hlld m)
{
    struct sl_waves s = {m.low, m.high};
    int shock = (gas->shocks != SL_SHOCK_none) & sl_runs_together(a.u, b.u, s);
    sl_real mass = shock ? sl_exchanged(m.al, m.ar, a.rho, b.rho, s) : 0;
    struct sl_transverse mixed = sl_transverse_exchange(mass, a.v, a.w, b.v, b.w);
    struct sl_mhd_cons f = sl_hlld_flux(gas, bn, a, b, m);
    f.my = f.my + mixed.my;
    f.mz = f.mz + mixed.mz;
    f.en = f.en + mixed.en;
    return f;
}

SL_FN struct sl_mhd_cons sl_mhd_hlld(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                     struct sl_mhd_prim r)
{
    struct sl_mhd_state a = sl_mhd_state(gas, bn, l), b = sl_mhd_state(gas, bn, r);
    struct sl_hlld m = sl_hlld_middle(gas, bn, l, r, a, b);
    return gas->eos == SL_EOS_isothermal ? sl_hlld_isothermal(gas, bn, a, b, m)
                                         : sl_hlld_ideal(gas, bn, a, b, m);
}

SL_FN struct sl_mhd_cons sl_mhd_lhlld(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                      struct sl_mhd_prim r)
{
    struct sl_mhd_state a = sl_mhd_state(gas, bn, l), b = sl_mhd_state(gas, bn, r);
    if (gas->eos == SL_EOS_isothermal)
        return sl_hlld_isothermal(gas, bn, a, b, sl_hlld_middle(gas, bn, l, r, a, b));
    return sl_hlld_ideal(gas, bn, a, b, sl_lhlld_middle(gas, bn, l, r, a, b));
}

/* Averages of Cargo & Gallice 1997 and the speeds of the waves that they have. */
struct sl_mhd_mean {
    sl_real rho, root, u, v, w, h; /* root: of rho; h: total enthalpy without that of the field */
    sl_real x;                     /* how far the field jumps: their X */
    sl_real bt, fy, fz, sign;      /* field along the face: size, direction; sign of bn */
    sl_real a2, a, cf, cs;         /* sound speed, and those of the fast and the slow wave */
    sl_real pf, ps;                /* shares of the fast and the slow wave in a sound wave: alpha */
};

/* What the rounding of a field may be, over its size. */
SL_FN sl_real sl_mhd_rounding(void)
{
    return sizeof(sl_real) == sizeof(float) ? (sl_real)1e-4 : (sl_real)1e-12;
}

/* The waves of a state of which density, velocity and sound speed are known, in the field (bn, by,
 * bz). Where its part along the face is no more than `least`, their direction is (y, z): that in
 * which the field jumps, or else the velocity, is turned by mirrors as they turn the gas. */
SL_FN struct sl_mhd_mean sl_mhd_mean_waves(struct sl_mhd_mean m, sl_real bn, sl_real by, sl_real bz,
                                           sl_real least, sl_real y, sl_real z)
{
    const sl_real half = (sl_real)0.5, equal = (sl_real)0.70710678118654752;
    sl_real t2 = by * by + bz * bz, across = sl_div(t2, m.rho), along = sl_div(bn * bn, m.rho);
    sl_real b2 = along + across, d = m.a2 - b2, split = sl_sqrt(d * d + 4 * (m.a2 * across));
    sl_real fast2 = half * ((m.a2 + b2) + split), slow2 = sl_div(m.a2 * along, fast2);
    /* (a^2 - cs^2) and (cf^2 - a^2) over cf^2 - cs^2, the small one without taking a difference */
    int none = !(split > 0), stiff = d > 0;
    sl_real wide = split + sl_abs(d), per = none ? 0 : sl_div(1, split);
    sl_real large = half * wide * per, small = none ? 0 : sl_div(2 * (m.a2 * across), wide) * per;
    m.a = sl_sqrt(m.a2);
    m.cf = sl_sqrt(fast2);
    m.cs = sl_sqrt(slow2);
    m.pf = none ? 1 : sl_sqrt(stiff ? large : small);
    m.ps = none ? 0 : sl_sqrt(stiff ? small : large);
    int lies = t2 > sl_tiny() + least * least;
    sl_real ty = lies ? by : y, tz = lies ? bz : z, square = ty * ty + tz * tz;
    int directed = square > sl_tiny();
    sl_real length = directed ? sl_sqrt(square) : 1;
    m.bt = lies ? length : 0;
    m.fy = directed ? sl_div(ty, length) : equal;
    m.fz = directed ? sl_div(tz, length) : equal;
    sl_real turns = bn != 0 ? bn : m.u; /* without field across, any sign that the mirror turns */
    m.sign = turns < 0 ? (sl_real)-1 : (sl_real)1;
    return m;
}

SL_FN struct sl_mhd_mean sl_mhd_mean_of(const struct sl_gas *gas, sl_real bn, struct sl_mhd_state l,
                                        struct sl_mhd_state r)
{
    const sl_real half = (sl_real)0.5;
    struct sl_mhd_mean m;
    sl_real rl = sl_sqrt(l.rho), rr = sl_sqrt(r.rho), inv = sl_div(1, rl + rr);
    sl_real wl = rl * inv, wr = rr * inv, dy = r.by - l.by, dz = r.bz - l.bz;
    m.rho = rl * rr;
    m.root = sl_sqrt(m.rho);
    m.u = wl * l.u + wr * r.u;
    m.v = wl * l.v + wr * r.v;
    m.w = wl * l.w + wr * r.w;
    m.x = half * ((dy * dy + dz * dz) * (inv * inv));
    sl_real by = wr * l.by + wl * r.by, bz = wr * l.bz + wl * r.bz;
    sl_real b2 = sl_div(bn * bn, m.rho) + sl_div(by * by + bz * bz, m.rho);
    sl_real h = wl * sl_div(l.en + l.pt, l.rho) + wr * sl_div(r.en + r.pt, r.rho);
    m.h = h - b2;
    m.a2 = gas->eos == SL_EOS_isothermal
               ? gas->cs * gas->cs + m.x
               : (2 - gas->gamma) * m.x +
                     (gas->gamma - 1) * (m.h - half * sl_speed_squared(m.u, m.v, m.w));
    sl_real size = sl_max(sl_max(sl_abs(l.by), sl_abs(r.by)), sl_max(sl_abs(l.bz), sl_abs(r.bz)));
    sl_real least = sl_mhd_rounding() * size;
    int alike = !(sl_abs(dy) + sl_abs(dz) > least);
    sl_real y = alike ? m.root * (r.v - l.v) : dy, z = alike ? m.root * (r.w - l.w) : dz;
    return sl_mhd_mean_waves(m, bn, by, bz, least, y, z);
}

/* Strengths of the waves; even and odd: the sum and the difference of a wave to the right and the
 * same to the left are twice these. */
struct sl_mhd_jump {
    sl_real fast, fast_odd, slow, slow_odd, alfven, alfven_odd, entropy;
};

SL_FN struct sl_mhd_jump sl_mhd_jump_of(const struct sl_gas *gas, struct sl_mhd_mean m,
                                        struct sl_mhd_prim l, struct sl_mhd_prim r)
{
    struct sl_mhd_jump j;
    const sl_real half = (sl_real)0.5;
    sl_real drho = r.rho - l.rho, du = m.rho * (r.u - l.u), dv = r.v - l.v, dw = r.w - l.w;
    sl_real dy = r.by - l.by, dz = r.bz - l.bz, inv = sl_div(half, m.a2);
    sl_real sound = gas->eos == SL_EOS_isothermal ? m.a2 * drho : m.x * drho + (r.p - l.p);
    sl_real push = m.rho * (m.sign * (m.fy * dv + m.fz * dw));
    sl_real field = m.root * (m.a * (m.fy * dy + m.fz * dz));
    j.fast = (m.pf * sound + m.ps * field) * inv;
    j.fast_odd = (m.pf * m.cf * du - m.ps * m.cs * push) * inv;
    j.slow = (m.ps * sound - m.pf * field) * inv;
    j.slow_odd = (m.ps * m.cs * du + m.pf * m.cf * push) * inv;
    j.alfven = half * (m.rho * (m.fz * dv - m.fy * dw));
    j.alfven_odd = -half * (m.root * (m.sign * (m.fz * dy - m.fy * dz)));
    j.entropy = gas->eos == SL_EOS_isothermal ? 0 : drho - sl_div(sound, m.a2);
    return j;
}

/* Adds a fast wave (to the right: direction 1) of strength s; the slow one is the same with the
 * parts of pf, cf and ps, cs exchanged and the field turned round. */
SL_FN struct sl_mhd_cons sl_mhd_add_sound(struct sl_mhd_cons c, struct sl_mhd_mean m, int fast,
                                          sl_real direction, sl_real s)
{
    sl_real p = fast ? m.pf : m.ps, speed = direction * (fast ? m.cf : m.cs);
    sl_real rest = direction * (fast ? -m.ps * m.cs : m.pf * m.cf) * m.sign;
    sl_real field = sl_div((fast ? m.ps : -m.pf) * m.a, m.root);
    c.rho = c.rho + s * p;
    c.mx = c.mx + s * (p * (m.u + speed));
    c.my = c.my + s * (p * m.v + rest * m.fy);
    c.mz = c.mz + s * (p * m.w + rest * m.fz);
    c.by = c.by + s * (field * m.fy);
    c.bz = c.bz + s * (field * m.fz);
    c.en = c.en + s * ((p * (m.h + m.u * speed) + rest * (m.v * m.fy + m.w * m.fz)) + field * m.bt);
    return c;
}

/* Adds a rotation of strength s. */
SL_FN struct sl_mhd_cons sl_mhd_add_alfven(struct sl_mhd_cons c, struct sl_mhd_mean m,
                                           sl_real direction, sl_real s)
{
    sl_real field = sl_div(-direction * m.sign, m.root);
    c.my = c.my + s * m.fz;
    c.mz = c.mz - s * m.fy;
    c.by = c.by + s * (field * m.fz);
    c.bz = c.bz - s * (field * m.fy);
    c.en = c.en + s * (m.v * m.fz - m.w * m.fy);
    return c;
}

SL_FN int sl_mhd_holds(const struct sl_gas *gas, sl_real bn, struct sl_mhd_cons c)
{
    sl_real twice = sl_speed_squared(c.mx, c.my, c.mz);
    sl_real heat = 2 * c.en - sl_speed_squared(bn, c.by, c.bz);
    return (c.rho > 0) & (gas->eos == SL_EOS_isothermal ? 1 : heat * c.rho > twice);
}

SL_FN struct sl_mhd_cons sl_mhd_sum(struct sl_mhd_cons a, struct sl_mhd_cons b)
{
    struct sl_mhd_cons c = {a.rho + b.rho, a.mx + b.mx, a.my + b.my, a.mz + b.mz,
                            a.en + b.en,   a.by + b.by, a.bz + b.bz};
    return c;
}

/* Strengths of the three waves to one side, each perhaps times its speed. */
struct sl_mhd_side {
    sl_real fast, alfven, slow;
};

/* Adds them, the outermost first. */
SL_FN struct sl_mhd_cons sl_mhd_add_side(struct sl_mhd_cons c, struct sl_mhd_mean m,
                                         sl_real direction, struct sl_mhd_side s)
{
    c = sl_mhd_add_sound(c, m, 1, direction, s.fast);
    c = sl_mhd_add_alfven(c, m, direction, s.alfven);
    return sl_mhd_add_sound(c, m, 0, direction, s.slow);
}

/* 1 where the states behind the fast wave and behind all waves to one side have density and heat.
 * Without field across the latter is none: slow waves and rotations stay with the contact, on which
 * side of it is arbitrary. */
SL_FN int sl_mhd_side_holds(const struct sl_gas *gas, sl_real bn, struct sl_mhd_cons c,
                            struct sl_mhd_mean m, sl_real direction, struct sl_mhd_side s)
{
    return sl_mhd_holds(gas, bn, sl_mhd_add_sound(c, m, 1, direction, s.fast)) &
           (sl_mhd_holds(gas, bn, sl_mhd_add_side(c, m, direction, s)) | (bn == 0));
}

/* Strengths times |speed|: fast and slow ones raised where a rarefaction spans the face. */
SL_FN struct sl_mhd_side sl_mhd_sweep(const struct sl_gas *gas, sl_real bn, struct sl_mhd_mean m,
                                      sl_real direction, struct sl_mhd_side s, struct sl_mhd_prim l,
                                      struct sl_mhd_prim r)
{
    sl_real fl = sl_mhd_fast(gas, bn, l), fr = sl_mhd_fast(gas, bn, r), size = sl_abs(bn);
    sl_real sl = sl_div(sl_sound_speed(gas, l.rho, l.p) * size, sl_sqrt(l.rho) * fl);
    sl_real sr = sl_div(sl_sound_speed(gas, r.rho, r.p) * size, sl_sqrt(r.rho) * fr);
    s.fast =
        s.fast * sl_entropy_fix(m.u + direction * m.cf, l.u + direction * fl, r.u + direction * fr);
    s.alfven = s.alfven * sl_abs(m.u + direction * sl_div(size, m.root));
    s.slow =
        s.slow * sl_entropy_fix(m.u + direction * m.cs, l.u + direction * sl, r.u + direction * sr);
    return s;
}

SL_FN struct sl_mhd_cons sl_mhd_roe(const struct sl_gas *gas, sl_real bn, struct sl_mhd_prim l,
                                    struct sl_mhd_prim r)
{
    const sl_real half = (sl_real)0.5;
    struct sl_mhd_state a = sl_mhd_state(gas, bn, l), b = sl_mhd_state(gas, bn, r);
    struct sl_mhd_cons fl = sl_mhd_flux(bn, a), fr = sl_mhd_flux(bn, b), safe, f;
    struct sl_mhd_mean m = sl_mhd_mean_of(gas, bn, a, b);
    struct sl_mhd_jump j = sl_mhd_jump_of(gas, m, l, r);
    struct sl_mhd_side to_l = {j.fast - j.fast_odd, j.alfven - j.alfven_odd, j.slow - j.slow_odd};
    struct sl_mhd_side to_r = {j.fast + j.fast_odd, j.alfven + j.alfven_odd, j.slow + j.slow_odd};
    struct sl_mhd_side back = {-to_r.fast, -to_r.alfven, -to_r.slow};
    struct sl_mhd_cons none = {0, 0, 0, 0, 0, 0, 0}, entropy = none, all;
    struct sl_waves s = sl_mhd_waves(gas, bn, l, r);
    int holds = sl_mhd_side_holds(gas, bn, sl_mhd_cons(a), m, -1, to_l) &
                sl_mhd_side_holds(gas, bn, sl_mhd_cons(b), m, 1, back) & (m.a2 > 0) &
                !sl_shocked(gas, a.rho, a.u, b.rho, b.u, s);
    entropy.rho = j.entropy * sl_abs(m.u);
    entropy.mx = entropy.rho * m.u;
    entropy.my = entropy.rho * m.v;
    entropy.mz = entropy.rho * m.w;
    entropy.en = entropy.rho * (half * sl_speed_squared(m.u, m.v, m.w) +
                                m.x * ((gas->gamma - 2) / (gas->gamma - 1)));
    all = sl_mhd_sum(
        sl_mhd_sum(sl_mhd_add_side(none, m, -1, sl_mhd_sweep(gas, bn, m, -1, to_l, l, r)),
                   sl_mhd_add_side(none, m, 1, sl_mhd_sweep(gas, bn, m, 1, to_r, l, r))),
        entropy);
    safe = sl_mhd_hlle_flux(bn, a, b, s);
    f.rho = holds ? half * ((fl.rho + fr.rho) - all.rho) : safe.rho;
    f.mx = holds ? half * ((fl.mx + fr.mx) - all.mx) : safe.mx;
    f.my = holds ? half * ((fl.my + fr.my) - all.my) : safe.my;
    f.mz = holds ? half * ((fl.mz + fr.mz) - all.mz) : safe.mz;
    f.en = holds ? half * ((fl.en + fr.en) - all.en) : safe.en;
    f.by = holds ? half * ((fl.by + fr.by) - all.by) : safe.by;
    f.bz = holds ? half * ((fl.bz + fr.bz) - all.bz) : safe.bz;
    return f;
}

#endif
