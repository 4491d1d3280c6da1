/* ball.h - the share of a cell that lies within a ball, disc or segment around the origin.
 *
 * Shapes  a cell is lo .. hi in dim dimensions
 * Units   any
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/exact.c
 */
#ifndef SL_EXACT_BALL_H
#define SL_EXACT_BALL_H

/* Exact in one and two dimensions, to about 1e-6 of the ball in three. Mirrored and permuted cells
 * get the same bits. */
double sl_ball_share(int dim, const double lo[3], const double hi[3], double radius);

/* Volume of the ball, area of the disc, length of the segment. */
double sl_ball_volume(int dim, double radius);

#endif
