/* particle.h - a particle and the cells around it: weights of a kernel, mass in whole numbers, the
 * pull of a potential, the kick by it, and where the particle goes.
 *
 * A position is a fraction of the box in units of 2^-32 along each axis: it wraps by itself, and
 * times a number of cells below 2^20 it is exact in 52 bits. Mass is spread in whole numbers, part
 * by part along one axis after the other, so that the parts of a particle add up to its mass
 * exactly, and those of all particles to the same bits in any order. The force is gathered with the
 * same weights from centred differences of the potential: two particles pull each other by opposite
 * forces, and none itself.
 *
 * Shapes  one particle; a potential with a layer of cells around what a kernel touches
 * Units   code units; mass in units that the caller chooses
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Hockney & Eastwood 1981, sections 5-3 and 5-6
 * Tests   tests/law/particles.c, tests/gpu/particles.c
 */
#ifndef SL_CELL_PARTICLE_H
#define SL_CELL_PARTICLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/cell/fn.h"
#include "core/cell/splitmix.h"
#include "core/lists/particle_list.h"

/* kind: of SL_PARTICLE_KINDS, which have a mass each; g: the pull of the last potential, on the
 * processor alone and no part of the state. */
enum { SL_PARTICLE_KINDS = 8 };
struct sl_particle {
    uint32_t x[3], kind;
    uint64_t id;
    sl_real v[3];
    sl_real g[3];
};

/* Along an axis: the first cell that is touched and the weights of it and the next ones. */
struct sl_particle_axis {
    int64_t cell;
    double w[SL_KERNEL_MOST];
};

SL_FN int sl_kernel_cells(int kernel)
{
    return kernel + 1;
}

/* Cells that a kernel touches before and behind the one that a particle lies in. */
SL_FN int sl_kernel_reach(int kernel)
{
    return sl_kernel_cells(kernel) / 2;
}

/* Fraction of the box in 2^-32, of any place in a box that repeats. */
SL_FN uint32_t sl_particle_fraction(double place, double lo, double hi)
{
    double x = (place - lo) / (hi - lo);
    return (uint32_t)(int64_t)floor((x - floor(x)) * 0x1p32 + 0.5);
}

/* The place of a fraction. */
SL_FN double sl_particle_place(uint32_t x, double lo, double hi)
{
    return lo + (hi - lo) * ((double)x * 0x1p-32);
}

/* x in 2^-32 of a side of `cells` cells. */
SL_FN struct sl_particle_axis sl_particle_weigh(int kernel, uint32_t x, int64_t cells)
{
    struct sl_particle_axis a = {0, {1, 0, 0}};
    int64_t at = (int64_t)((uint64_t)x * (uint64_t)cells);
    if (kernel == SL_KERNEL_cic || kernel == SL_KERNEL_pcs) at -= (int64_t)1 << 31;
    a.cell = at >> 32;
    double f = (double)(at & 0xffffffff) * 0x1p-32;
    if (kernel == SL_KERNEL_cic) a.w[0] = 1 - f, a.w[1] = f;
    if (kernel < SL_KERNEL_tsc) return a;
    a.cell--;
    if (kernel == SL_KERNEL_tsc) {
        a.w[0] = 0.5 * (1 - f) * (1 - f);
        a.w[2] = 0.5 * f * f;
        a.w[1] = 1 - a.w[0] - a.w[2];
    } else {
        a.w[0] = (1 - f) * (1 - f) * (1 - f) / 6;
        a.w[1] = (4 - 3 * f * f * (2 - f)) / 6;
        a.w[3] = f * f * f / 6;
        a.w[2] = 1 - a.w[0] - a.w[1] - a.w[3];
    }
    return a;
}

/* Parts of a whole number of mass below 2^53: their sum is the whole. */
SL_FN void sl_particle_part(int kernel, int64_t mass, const double *w, int64_t *part)
{
    int last = sl_kernel_cells(kernel) - 1;
    part[0] = mass;
    for (int i = last; i > 0; i--) {
        part[i] = (int64_t)((double)mass * w[i]);
        part[0] -= part[i];
    }
}

/* The parts of a particle's mass in the cells that it touches, part[z][y][x]. */
SL_FN void sl_particle_parts(int kernel, int64_t mass, const struct sl_particle_axis axis[3],
                             int64_t part[SL_KERNEL_MOST][SL_KERNEL_MOST][SL_KERNEL_MOST])
{
    int n = sl_kernel_cells(kernel);
    int64_t z[SL_KERNEL_MOST], y[SL_KERNEL_MOST];
    sl_particle_part(kernel, mass, axis[2].w, z);
    for (int k = 0; k < n; k++) {
        sl_particle_part(kernel, z[k], axis[1].w, y);
        for (int j = 0; j < n; j++)
            sl_particle_part(kernel, y[j], axis[0].w, part[k][j]);
    }
}

/* Sum over i of w[i] (p[(i - 1) step] - p[(i + 1) step]). */
SL_FN double sl_particle_slope(int n, const double *w, const double *p, ptrdiff_t step)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += w[i] * (p[(i - 1) * step] - p[(i + 1) * step]);
    return sum;
}

/* Minus the slope of a potential where a particle is; phi: in the first cell that it touches;
 * scale: 1 / 2 h along each axis. */
SL_FN void sl_particle_pull(int kernel, const struct sl_particle_axis axis[3], const double *phi,
                            ptrdiff_t row, ptrdiff_t plane, const double scale[3], double pull[3])
{
    int n = sl_kernel_cells(kernel);
    const double *wx = axis[0].w, *wy = axis[1].w, *wz = axis[2].w;
    double x = 0, y = 0, z = 0;
    for (int b = 0; b < n; b++)
        for (int a = 0; a < n; a++) {
            x += wz[b] * wy[a] * sl_particle_slope(n, wx, phi + b * plane + a * row, 1);
            y += wz[b] * wx[a] * sl_particle_slope(n, wy, phi + b * plane + a, row);
            z += wy[b] * wx[a] * sl_particle_slope(n, wz, phi + b * row + a, plane);
        }
    pull[0] = scale[0] * x;
    pull[1] = scale[1] * y;
    pull[2] = scale[2] * z;
}

/* A kick by a pull: of its velocity along an axis a particle keeps a part, which is 1 but where
 * steps go by the growth (core/cosmo/stepping.h). */
struct sl_particle_kick {
    sl_real keep, gain;
};
SL_FN sl_real sl_particle_kicked(struct sl_particle_kick by, sl_real v, sl_real pull)
{
    return by.keep * v + by.gain * pull;
}

/* Where a particle comes to that moves by `way`, in sides of the box; it has left a box that does
 * not repeat where the result is not within 0 .. 2^32. */
SL_FN int64_t sl_particle_moved(uint32_t x, double way)
{
    double units = way * 0x1p32;
    return (int64_t)x + (int64_t)(units < 0 ? units - 0.5 : units + 0.5);
}

/* Moves a particle along an axis; whether it stays in the box. margin: how near to a side its cloud
 * reaches beyond it, in 2^-32 of the box; below 0: the box repeats. */
SL_FN int sl_particle_drift(uint32_t *x, double way, int64_t margin)
{
    int64_t to = sl_particle_moved(*x, way);
    *x = (uint32_t)to;
    return margin < 0 || (to >= margin && to < ((int64_t)1 << 32) - margin);
}

/* The place of a particle's block among those of the box, [z][y][x]; cells: of the box, block: of
 * one. */
SL_FN size_t sl_particle_block(const uint32_t x[3], const int cells[3], const int block[3])
{
    size_t at = 0;
    for (int d = 2; d >= 0; d--) {
        uint64_t cell = (uint64_t)x[d] * (uint64_t)cells[d] >> 32;
        at = at * (size_t)(cells[d] / block[d]) + (size_t)(cell / (uint64_t)block[d]);
    }
    return at;
}

/* Of its state. */
SL_FN uint64_t sl_particle_hash(const uint32_t x[3], uint32_t kind, uint64_t id, const sl_real v[3])
{
    uint64_t h = sl_splitmix(id ^ ((uint64_t)kind << 56));
    for (int d = 0; d < 3; d++) {
        double speed = (double)v[d];
        uint64_t bits;
        memcpy(&bits, &speed, sizeof bits);
        h = sl_splitmix(sl_splitmix(h ^ x[d]) ^ bits);
    }
    return h;
}

/* What a particle adds to the sums of all: momentum along each axis, kinetic energy, mass. */
enum { SL_PARTICLE_TERMS = 5 };
SL_FN void sl_particle_terms(double mass, const sl_real v[3], double term[SL_PARTICLE_TERMS])
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        term[d] = mass * (double)v[d];
        square += (double)v[d] * (double)v[d];
    }
    term[3] = 0.5 * mass * square;
    term[4] = mass;
}

#endif
