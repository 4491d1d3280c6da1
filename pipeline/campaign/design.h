/* design.h - the points of a design of experiments in the unit cube, and what is learnt from them.
 *
 * latin: along each axis one point in each of `count` equal parts; of several such hypercubes the
 * one whose closest points are farthest apart. sobol: a digital net with a random linear scramble
 * and shift, best at 2^k points. random: independent points. Points of sobol and random do not
 * hang on their number: more of them begin with the same.
 *
 * Shapes  u[point][axis], each in (0, 1)
 * Units   none
 * Errors  SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    McKay, Beckman & Conover 1979; Morris & Mitchell 1995 (maximin); Sobol' 1967; Joe & Kuo
 *         2008; Matousek 1998 (scramble)
 * Tests   tests/unit/design.c
 */
#ifndef SL_PIPELINE_CAMPAIGN_DESIGN_H
#define SL_PIPELINE_CAMPAIGN_DESIGN_H

#include <stdint.h>

/* X(name, sentence) */
#define SL_DESIGN_LIST(X)                                                                          \
    X(latin, "Latin hypercube, its closest points far apart")                                      \
    X(sobol, "scrambled Sobol points")                                                             \
    X(random, "independent points")

#define SL_DESIGN_ROW(name, about) SL_DESIGN_##name,
enum sl_design_kind { SL_DESIGN_LIST(SL_DESIGN_ROW) SL_DESIGNS };
#undef SL_DESIGN_ROW

enum { SL_DESIGN_AXES = 32 };

struct sl_design {
    enum sl_design_kind kind;
    int axes; /* at most SL_DESIGN_AXES */
    int64_t count;
    uint64_t seed;
};

int sl_design_points(const struct sl_design *d, double *u);

#endif
