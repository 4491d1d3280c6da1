/* composite.h - the part of the CUDA backend that finds the potential of gas on levels: the loops
 * of core/gravity/backend.h on one device.
 *
 * Kernels read the cells beside a block where they lie: in the block beside it, at the edge of a
 * level from the ring of coarse cells around the block, and of what other ranks have among the
 * ghost cells of the block, which messages fill. So a sweep of one colour over all blocks of a
 * level is one kernel, and ghost cells are never copied on a device.
 *
 * Shapes  as in core/gravity/potential_level.h; a field has one variable. Accelerations
 *         [axis][interior cell of the leaves]
 * Units   code units
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    the fields of a level and copies of its lists, on the device
 * MPI     none
 * Where   host calls; fields in device memory
 * Refs    core/cell/poisson.h
 * Tests   tests/gpu/gravity.c
 */
#ifndef SL_GPU_COMPOSITE_H
#define SL_GPU_COMPOSITE_H

#include "core/cell/poisson.h"
#include "core/mesh/nest.h"
#include "gpu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sl_device_potential;

/* A level as the device takes it. bare: no other rank has cells beside it, and its fields have no
 * ghost cells. covered: its covered blocks have accelerations, too, for levels that take steps of
 * their own. edges, sides: of each block the faces with a ring or the root
 * grid beyond them, and those at the sides of an isolated box, bit f for face f; nest: in the next
 * coarser level, NULL: the root grid. All are borrowed for the call. */
struct sl_device_potential_spec {
    const unsigned char *edges, *sides;
    const struct sl_nest *nest;
    int bare, covered;
    sl_real h[3], per_h2[3], cycle_h[3];
    sl_cycle_real cycle_per_h2[3];
    int ring_n[3];
    size_t ring_cells;
};

/* Fields follow each other: phi, rhs, the phi before; those of cycles are others. A level may be
 * freed after the device of its level; all other calls are before. */
enum { SL_DEVICE_POTENTIAL_FIELDS = 3 };
const char *sl_device_potential_new(struct sl_device *d,
                                    const struct sl_device_potential_spec *spec,
                                    struct sl_device_potential **out);
void sl_device_potential_free(struct sl_device_potential *p);
sl_real *sl_device_potential_values(struct sl_device_potential *p, int field);
/* The residual of the potential, or the correction. */
sl_cycle_real *sl_device_potential_cycle(struct sl_device_potential *p, int residual);

/* What lies beyond the edge of the level for the calls that follow: the rings, or zeros. */
void sl_device_potential_edge(struct sl_device_potential *p, int zero);

const char *sl_device_potential_clear(struct sl_device_potential *p, sl_real *field);
/* n values of it to the host, and from it. */
const char *sl_device_potential_fetch(struct sl_device_potential *p, const sl_real *field, size_t n,
                                      sl_real *out);
const char *sl_device_potential_put(struct sl_device_potential *p, const sl_real *from, size_t n,
                                    sl_real *field);
/* phi by sl_poisson_ahead, then the phi before is what phi was. */
const char *sl_device_potential_extrapolate(struct sl_device_potential *p, sl_real ahead);
/* Of the root grid: *out: the residual, to be made the correction in full precision; which goes
 * into the correction and, times back, is added to phi. */
const char *sl_device_potential_widen(struct sl_device_potential *p, sl_real **out);
const char *sl_device_potential_apply(struct sl_device_potential *p, sl_real back);
/* rings: those of the level, too. */
const char *sl_device_potential_shift(struct sl_device_potential *p, int rings, double factor,
                                      double mean, sl_real *field);
/* residual = scale (rhs - lap phi), of the leaves. */
const char *sl_device_potential_residual(struct sl_device_potential *p, sl_real scale);
/* Of the correction: a half sweep; the first sweep, from 0, whatever there was; and the second half
 * of the last one, which adds back times the correction to phi. keep: it is wanted after that. */
const char *sl_device_potential_sweep(struct sl_device_potential *p, int colour);
const char *sl_device_potential_start(struct sl_device_potential *p);
const char *sl_device_potential_end(struct sl_device_potential *p, int keep, sl_real back);
const char *sl_device_potential_add_rings(struct sl_device_potential *p);

/* Between two levels: what stays on this rank, and what goes into the buffer for messages; then
 * what came in one. The receiving level's device has it. cycle: of the correction, or of its
 * remainder; else of phi. */
const char *sl_device_potential_rings(struct sl_device_potential *coarse,
                                      struct sl_device_potential *fine, int cycle);
const char *sl_device_potential_rings_take(struct sl_device_potential *fine, int cycle);
const char *sl_device_potential_cover(struct sl_device_potential *coarse,
                                      struct sl_device_potential *fine);
const char *sl_device_potential_reduce(struct sl_device_potential *coarse,
                                       struct sl_device_potential *fine);
const char *sl_device_potential_cover_take(struct sl_device_potential *coarse,
                                           struct sl_device_potential *fine, int cycle);

/* Slopes that go into messages; then those of all coarse leaves into what they change: what phi
 * leaves, times scale, or a correction, in the residual, or the accelerations. */
enum sl_device_match { SL_DEVICE_MATCH_RESIDUAL, SL_DEVICE_MATCH_CORRECTION, SL_DEVICE_MATCH_PULL };
const char *sl_device_potential_slopes(struct sl_device_potential *fine, int cycle);
const char *sl_device_potential_match(struct sl_device_potential *coarse,
                                      struct sl_device_potential *fine, enum sl_device_match what,
                                      sl_real scale);

/* Accelerations from phi, and how they bend (core/cell/mass_flux.h), but for the edges of finer
 * levels; made room for at first. */
const char *sl_device_potential_pull(struct sl_device_potential *p);

/* local. Of n levels of this rank: the largest value of the residual or of rhs; sums as of
 * backend.h. */
const char *sl_device_potential_largest(struct sl_device_potential *const *p, int n, int residual,
                                        double *out);
const char *sl_device_potential_sums(struct sl_device_potential *const *p, int n,
                                     const sl_real *const *field, const sl_real *const *with,
                                     double (*out)[2]);

/* local. The accelerations, [axis][block][n2][n1][n0] of the leaves or of all blocks. */
const sl_real *sl_device_potential_pulled(const struct sl_device_potential *p);

/* With the state u of the level: its density to a field; that between two states; the largest
 * |g| per_h and |g|^2; forces on the leaves, and a change of their velocity, as
 * core/step/net_force.h has them; a kick, that of core/step/kick.h, of the leaves or of covered
 * blocks, too; work, that of core/step/mass_work.h, of the leaves. */
const char *sl_device_potential_density(struct sl_device_potential *p, const sl_real *u,
                                        sl_real *to);
const char *sl_device_potential_density_between(struct sl_device_potential *p, sl_real share,
                                                const sl_real *old, const sl_real *now,
                                                sl_real *to);
const char *sl_device_potential_most(const struct sl_device_potential *p, const double per_h[3],
                                     double most[2]);
const char *sl_device_potential_force(const struct sl_device_potential *p, const sl_real *u,
                                      double (*out)[3]);
const char *sl_device_potential_push(const struct sl_device_potential *p, const double by[3],
                                     sl_real *u);
const char *sl_device_potential_kick(const struct sl_device_potential *p, int covered, sl_real time,
                                     sl_real *u, sl_real *kicked);
const char *sl_device_potential_work(const struct sl_device_potential *p,
                                     const struct sl_device_work *what, sl_real *u);

#ifdef __cplusplus
}
#endif
#endif
