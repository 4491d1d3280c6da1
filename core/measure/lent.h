/* lent.h - what a device does for a rank that has all particles and all planes: fields and lists
 * stay in its memory, and sums of them come back.
 *
 * Shapes  fields [n2][n1][n0], lists [n], both in lent memory
 * Units   places in sides of the box, velocities in code units
 * Errors  SL_EMEM: there is no room, SL_EUNAVAIL: the device fails
 * Owns    memory that is lent belongs to the device and goes back to it by take_back
 * MPI     local
 * Where   host calls; fields and lists on the device, what is summed in host memory. All sums have
 *         the processor's order and its bits
 * Refs    none
 * Tests   tests/gpu/lent.c, tests/law/in_run.sh
 */
#ifndef SL_MEASURE_LENT_H
#define SL_MEASURE_LENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cell/particle_lists.h"
#include "core/measure/place.h"
#include "core/measure/point.h"

struct sl_stats_device;
struct sl_slab;

/* A density that is there as contrast: rho = (contrast + 1) mean. */
struct sl_lent_density {
    const double *contrast; /* lent; NULL: there is none */
    double mean;            /* code units */
    double number;          /* of particles */
};

struct sl_lent_places {
    struct sl_place_rule axis[3];
    double speed;        /* unit of velocities in files */
    double *x[3], *v[3]; /* lent, [n]; v[0] NULL: not asked for */
};

/* f[i] times itself over pieces of a row of at most so many cells, in SL_LENT_LANES sums each. */
enum { SL_LENT_PIECE = 4096, SL_LENT_LANES = 8 };

struct sl_lent {
    /* Room for n doubles. */
    int (*lend)(struct sl_stats_device *d, size_t n, double **out);
    void (*take_back)(struct sl_stats_device *d, double *lent); /* NULL: nothing */
    bool (*has)(const struct sl_stats_device *d, const double *p);
    int (*fetch)(struct sl_stats_device *d, const double *lent, size_t n, double *out);
    /* Fills what the lists are asked for. */
    int (*places)(struct sl_stats_device *d, const struct sl_particle_lists *lists,
                  const struct sl_lent_places *to);
    /* Points of haloes of all of them to the host: velocities in files over `unit`. */
    int (*points)(struct sl_stats_device *d, const struct sl_particle_lists *lists,
                  const struct sl_lent_places *of, double unit, struct sl_point *out);
    /* x[i] += part v[i]; v NULL: += part. */
    int (*shift)(struct sl_stats_device *d, size_t n, double part, const double *v, double *x);
    /* out[n2][n1][pieces] */
    int (*squares)(struct sl_stats_device *d, const struct sl_slab *s, const double *f,
                   double *out);
    /* Of each plane: out[n2]. */
    int (*planes)(struct sl_stats_device *d, const struct sl_slab *s,
                  const struct sl_lent_density *rho, double *out);
    /* Along an axis: [n2][n1], [n2][n0] or [n1][n0]. */
    int (*along)(struct sl_stats_device *d, const struct sl_slab *s,
                 const struct sl_lent_density *rho, int axis, double *out);
    /* Likewise of cells `at` along the axis. */
    int (*slice)(struct sl_stats_device *d, const struct sl_slab *s,
                 const struct sl_lent_density *rho, int axis, int at, double *out);
    /* out[i] = rho[i] / mean - 1, lent */
    int (*over)(struct sl_stats_device *d, const struct sl_slab *s,
                const struct sl_lent_density *rho, double mean, double *out);
};

#endif
