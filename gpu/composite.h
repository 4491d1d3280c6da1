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
    sl_real h[3], per_h2[3];
    int ring_n[3];
    size_t ring_cells;
};

/* Fields follow each other: phi, rhs, residual, correction, the phi before. A level may be freed
 * after the device of its level; all other calls are before. */
enum { SL_DEVICE_POTENTIAL_FIELDS = 5 };
const char *sl_device_potential_new(struct sl_device *d,
                                    const struct sl_device_potential_spec *spec,
                                    struct sl_device_potential **out);
void sl_device_potential_free(struct sl_device_potential *p);
sl_real *sl_device_potential_values(struct sl_device_potential *p, int field);

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
const char *sl_device_potential_apply(struct sl_device_potential *p);
/* rings: those of the level, too. */
const char *sl_device_potential_shift(struct sl_device_potential *p, int rings, double factor,
                                      double mean, sl_real *field);
/* Of the leaves. */
const char *sl_device_potential_residual(struct sl_device_potential *p, const sl_real *field,
                                         const sl_real *rhs, sl_real *out);
const char *sl_device_potential_sweep(struct sl_device_potential *p, int colour, const sl_real *rhs,
                                      sl_real *field);
/* The first sweep of a field that is 0, whose values before do not matter; and the second half of
 * the last one, which adds the field to phi. keep: the field is wanted after that. */
const char *sl_device_potential_start(struct sl_device_potential *p, const sl_real *rhs,
                                      sl_real *field);
const char *sl_device_potential_end(struct sl_device_potential *p, int keep, const sl_real *rhs,
                                    sl_real *field, sl_real *phi);
const char *sl_device_potential_add_rings(struct sl_device_potential *p, sl_real *field);

/* Between two levels: what stays on this rank, and what goes into the buffer for messages; then
 * what came in one. The receiving level's device has it. */
const char *sl_device_potential_rings(struct sl_device_potential *coarse,
                                      struct sl_device_potential *fine, const sl_real *field);
const char *sl_device_potential_rings_take(struct sl_device_potential *fine);
const char *sl_device_potential_cover(struct sl_device_potential *coarse,
                                      struct sl_device_potential *fine, const sl_real *from,
                                      sl_real *to);
const char *sl_device_potential_cover_take(struct sl_device_potential *coarse,
                                           struct sl_device_potential *fine, sl_real *to);
/* As cover, with what is left of lap field = rhs, which goes into keep, too; NULL: it does not. */
const char *sl_device_potential_reduce(struct sl_device_potential *coarse,
                                       struct sl_device_potential *fine, const sl_real *field,
                                       const sl_real *rhs, sl_real *keep, sl_real *to);

/* Slopes that go into messages; then those of all coarse leaves into residual, or, NULL, into the
 * accelerations of the coarser level. to: NULL: 0. */
const char *sl_device_potential_slopes(struct sl_device_potential *fine, const sl_real *from);
const char *sl_device_potential_match(struct sl_device_potential *coarse,
                                      struct sl_device_potential *fine, const sl_real *from,
                                      const sl_real *to, sl_real *residual);

/* Accelerations from phi, and how they bend (core/cell/mass_flux.h), but for the edges of finer
 * levels; made room for at first. */
const char *sl_device_potential_pull(struct sl_device_potential *p);

/* local. Of n levels of this rank: the largest value of a field; sums as of backend.h. */
const char *sl_device_potential_largest(struct sl_device_potential *const *p, int n,
                                        const sl_real *const *field, double *out);
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
