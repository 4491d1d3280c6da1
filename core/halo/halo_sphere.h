/* halo_sphere.h - spheres about places among particles: how many are within, how they move.
 *
 * Shapes  none
 * Units   those of struct sl_halo_rule
 * Errors  SL_EMEM
 * Owns    the arrays of a struct sl_sphere_grid, freed by its _release
 * MPI     making the grid is collective, the rest local
 * Where   host; 32 bytes a particle that is near, beside the particles
 * Refs    see haloes.h
 * Tests   tests/unit/haloes.c
 */
#ifndef SL_HALO_HALO_SPHERE_H
#define SL_HALO_HALO_SPHERE_H

#include <stdbool.h>

#include "core/halo/haloes.h"

struct sl_sphere_rule {
    const struct sl_halo_rule *halo; /* borrowed */
    double density;                  /* mean, particles over the volume */
    double reach;                    /* as far as particles of other ranks are known */
};

/* One that a sphere may hold. */
struct sl_sphere_item {
    double r2;
    uint64_t id;
    const struct sl_point *p; /* borrowed */
};

struct sl_sphere_grid {
    const struct sl_shares *s; /* borrowed */
    struct sl_sphere_rule rule;
    struct sl_fringe fringe;
    int cells;                     /* along each side */
    size_t *begin;                 /* [cells^3 + 1] */
    const struct sl_point **point; /* by cells */
};

/* The sphere that was looked at last, by radius; of a thread. Begins empty. */
struct sl_sphere_looks {
    const struct sl_sphere_grid *grid; /* borrowed */
    size_t n, room;
    struct sl_sphere_item *item; /* owned, freed with free() */
};

int sl_sphere_grid_make(const struct sl_shares *s, const struct sl_sphere_rule *rule,
                        struct sl_sphere_grid *out);
void sl_sphere_grid_release(struct sl_sphere_grid *g);

/* What a halo's spheres are, from a radius `first` on and as far as the grid reaches; *closed:
 * all its contrasts are passed, or are nowhere. */
int sl_sphere_measure(struct sl_sphere_looks *looks, double first, struct sl_halo *h, bool *closed);
/* Adds the particles of the halo that was measured last to the shells of its stack. */
void sl_sphere_count(const struct sl_sphere_looks *looks, const struct sl_halo *h,
                     int64_t shell[SL_HALO_STACKS][SL_HALO_SHELLS]);

#endif
